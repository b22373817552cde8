//! Opening a database: for reading and writing, to be read where nothing can be written, and as a copy in memory.

use std::cell::Cell;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, Result};

use super::failure::{Failure, busy, is_unwritable};
use super::pin::Pins;
use super::schema::MAX_OBJECTS;
use super::watch::Watch;
use crate::error::Error;

/// For each connection:
/// - A commit returns when the disk has it: the log is synced, and without a log the folder too. What a plain `fsync`
///   leaves in the disk's cache on a Mac is written out of there.
/// - What a sort has no room for stays in memory, and goes into no file outside of the home.
/// - A doctored file gets no function to run by being read, and no page of it is taken for what it is not.
const PRAGMAS: &str = "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;";

/// The longest row, in bytes: two values, which the trail has of a restored checkpoint, and a key. SQLite asks for the length
/// before it loads one.
const MAX_ROW_BYTES: i32 = (2 * 64 + 1) << 20;

/// What a file may ask of SQLite: as much as loopmem's own statements and values do, and little more.
const LIMITS: [(Limit, i32); 12] = [
    (Limit::SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 64),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 8),
    (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 16),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 64),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    (Limit::SQLITE_LIMIT_SCHEMA, MAX_OBJECTS),
];

/// The largest database of an older version that is copied into memory to be read, in bytes.
const MAX_COPIED_BYTES: i64 = 1 << 30;
/// How many pages of it are copied between two looks at the clock.
const PAGES: i32 = 1000;

/// A connection, and what is known of the schema that it sees.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// The schema's number and the version of the file when it was seen to be what migrations make.
    pub(super) seen: Cell<Option<(i64, usize)>>,
    /// Behind the connection, which is closed first.
    pub(super) pins: Option<Arc<Pins>>,
}

impl Opened {
    fn new(connection: Connection) -> Self {
        Opened { connection, seen: Cell::new(None), pins: None }
    }
}

/// The database, which is there, for reading and writing. It has been looked into, after a wait of at most `busy` for
/// SQLite's own locks.
pub(super) fn open(path: &Path, busy: Duration, watch: &Watch<'_>) -> Result<Opened, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    watch.over(&connection, || {
        connection.busy_timeout(busy)?;
        // The last one to close would remove the log, which it finds out by locks that another copy of SQLite in the same
        // process may have dropped: then somebody would go on writing to a log without a name.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        set_up(path, &connection, PRAGMAS)
    })?;
    Ok(Opened::new(connection))
}

/// The database for reading; and whether the connection may be kept for more than one reading.
pub(super) fn open_to_read(
    path: &Path,
    has_log: bool,
    busy: Duration,
    watch: &Watch<'_>,
) -> Result<(Opened, bool), Failure> {
    match open(path, busy, watch) {
        Ok(opened) => Ok((opened, true)),
        Err(Failure::Sqlite(cause)) if is_unwritable(&cause) => {
            open_snapshot(path, has_log, watch).map(|opened| (opened, false))
        }
        Err(failure) => Err(failure),
    }
}

/// The database where neither a log nor the log's index can be made. For one reading: it sees nothing that is written
/// later, and takes none of SQLite's own locks, since those would have to be written down.
pub(super) fn open_snapshot(path: &Path, has_log: bool, watch: &Watch<'_>) -> Result<Opened, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // A log is read with its index in memory, which SQLite does for whoever has the database for itself.
    let (how, lock) = if has_log { ("mode=ro&vfs=unix-none", "EXCLUSIVE") } else { ("immutable=1", "NORMAL") };
    let connection = Connection::open_with_flags(format!("file:{}?{how}", encoded(path)), flags)?;
    let pragmas = format!("PRAGMA locking_mode = {lock}; {PRAGMAS}");
    watch.over(&connection, || set_up(path, &connection, &pragmas))?;
    Ok(Opened::new(connection))
}

/// Limits what the file may do, before the first statement reads its schema.
fn set_up(path: &Path, connection: &Connection, pragmas: &str) -> Result<(), Failure> {
    limit(connection)?;
    let looked = connection.execute_batch(pragmas).and_then(|()| version(connection));
    looked.map(drop).map_err(|cause| match cause.sqlite_error_code() {
        // There is no fault in the statements, so it is in the schema, which SQLite reads before it runs one.
        Some(ErrorCode::Unknown | ErrorCode::TooBig | ErrorCode::OperationAborted | ErrorCode::ConstraintViolation) => {
            Failure::Other(Error::parse(
                path,
                "its schema is not what loopmem made: it is a database of another program, or has been altered",
            ))
        }
        _ => Failure::Sqlite(cause),
    })
}

/// Forbids what loopmem has no use for.
fn limit(connection: &Connection) -> Result<()> {
    for (what, most) in LIMITS {
        connection.set_limit(what, most)?;
    }
    for (what, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(what, is_on)?;
    }
    Ok(())
}

/// The whole database in memory, as it stands.
pub(super) fn copy(path: &Path, connection: &Connection, watch: &Watch<'_>) -> Result<Connection, Failure> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let size = number("page_count")?.saturating_mul(number("page_size")?);
    if size > MAX_COPIED_BYTES {
        let cause = format!("it is of an older version and {size} bytes long; the next write brings it up to date");
        return Err(Error::io("read", path, &std::io::Error::other(cause)).into());
    }
    let mut copy = Connection::open_in_memory()?;
    let backup = Backup::new(connection, &mut copy)?;
    loop {
        match backup.step(PAGES)? {
            StepResult::Done => break,
            StepResult::More if watch.is_over() => return Err(busy().into()),
            StepResult::More => {}
            _ => return Err(busy().into()),
        }
    }
    drop(backup);
    copy.execute_batch(PRAGMAS)?;
    Ok(copy)
}

/// How many migrations the file has behind it.
pub(super) fn version(connection: &Connection) -> Result<i64> {
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Whether there is anything in the database.
pub(super) fn has_tables(connection: &Connection) -> Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// The path as it stands in a URI.
fn encoded(path: &Path) -> String {
    let mut out = String::new();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte) {
            out.push(char::from(*byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::MAX_ROW_BYTES;
    use crate::safety::MAX_VALUE_BYTES;

    #[test]
    fn a_row_has_room_for_two_values() {
        assert_eq!(usize::try_from(MAX_ROW_BYTES).unwrap(), 2 * MAX_VALUE_BYTES + (1 << 20));
    }
}
