//! Opening a database: for reading and writing, read-only where nothing can be written, and as a copy in memory.

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

/// The settings of each connection:
/// - A commit is durable when it returns: the log is synced, or without a log the folder too. On macOS the disk's cache is
///   flushed, which a plain `fsync` does not do.
/// - Sorting uses memory only, so that no data goes into a temporary file outside of the home.
/// - Reading a maliciously altered file runs no functions from its schema, and its pages are checked.
const PRAGMAS: &str = "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;";

/// The maximum size of a row in bytes: two values, which a trail entry for a restored checkpoint contains, and a key. SQLite
/// checks the length before it loads a row.
const MAX_ROW_BYTES: i32 = (2 * 64 + 1) << 20;

/// The limits on what SQLite does for a file: little more than loopmem's own statements and values need.
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
/// How many pages of it are copied between two checks of the deadline.
const PAGES: i32 = 1000;

/// A connection, and what is known about its schema.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    /// The schema cookie and the version of the file when its schema was last verified.
    pub(super) seen: Cell<Option<(i64, usize)>>,
    /// After the connection, which is dropped first.
    pub(super) pins: Option<Arc<Pins>>,
}

/// How many statements a connection keeps prepared: all that one room has.
const STATEMENTS: usize = 64;

impl Opened {
    fn new(connection: Connection) -> Self {
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Opened { connection, seen: Cell::new(None), pins: None }
    }
}

/// Opens an existing database for reading and writing, and reads its schema. Waits at most `busy` for SQLite's own locks.
pub(super) fn open(path: &Path, busy: Duration, watch: &Watch<'_>) -> Result<Opened, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    watch.over(&connection, || {
        connection.busy_timeout(busy)?;
        // Otherwise the last connection to close removes the log. It relies on locks that another copy of SQLite in the same
        // process may have released: then a connection could go on writing to an unlinked log.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        set_up(path, &connection, PRAGMAS)
    })?;
    Ok(Opened::new(connection))
}

/// Opens the database for reading. Returns whether the connection may be kept for later reads too.
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

/// Opens the database if neither a log nor the log's index can be created. For one read only: the connection does not see later
/// writes, and takes none of SQLite's own locks, which would require writing.
pub(super) fn open_snapshot(path: &Path, has_log: bool, watch: &Watch<'_>) -> Result<Opened, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // In exclusive mode, SQLite reads a log with its index in memory.
    let (how, lock) = if has_log { ("mode=ro&vfs=unix-none", "EXCLUSIVE") } else { ("immutable=1", "NORMAL") };
    let connection = Connection::open_with_flags(format!("file:{}?{how}", encoded(path)), flags)?;
    let pragmas = format!("PRAGMA locking_mode = {lock}; {PRAGMAS}");
    watch.over(&connection, || set_up(path, &connection, &pragmas))?;
    Ok(Opened::new(connection))
}

/// Restricts what the file may do, before the first statement reads its schema.
fn set_up(path: &Path, connection: &Connection, pragmas: &str) -> Result<(), Failure> {
    limit(connection)?;
    let looked = connection.execute_batch(pragmas).and_then(|()| version(connection));
    looked.map(drop).map_err(|cause| match cause.sqlite_error_code() {
        // The statements are correct, so the error is in the schema, which SQLite reads before it runs one.
        Some(ErrorCode::Unknown | ErrorCode::TooBig | ErrorCode::OperationAborted | ErrorCode::ConstraintViolation) => {
            Failure::Other(Error::parse(
                path,
                "its schema is not that of loopmem: it is a database of another program, or was altered",
            ))
        }
        _ => Failure::Sqlite(cause),
    })
}

/// Disables what loopmem does not use. Plans do not depend on the values of parameters: otherwise a prepared statement is
/// compiled again whenever one of them changes.
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
        (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
    ] {
        connection.set_db_config(what, is_on)?;
    }
    Ok(())
}

/// Copies the whole database into memory.
pub(super) fn copy(path: &Path, connection: &Connection, watch: &Watch<'_>) -> Result<Connection, Failure> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let size = number("page_count")?.saturating_mul(number("page_size")?);
    if size > MAX_COPIED_BYTES {
        let cause = format!(
            "it has an older version and is {size} bytes long, which is too large to read before it is migrated; the next write migrates it"
        );
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

/// Overwrites with zeros whatever is deleted.
pub(super) fn overwrite_deleted(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "secure_delete", true)
}

/// Rewrites the database without free pages.
pub(super) fn vacuum(connection: &Connection) -> Result<()> {
    // It attaches a copy of its own.
    let attached = connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 1)?;
    let done = connection.execute_batch("VACUUM");
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, attached)?;
    done
}

/// Copies the log to the database and empties it. Returns whether it did: a reader may need the log.
pub(super) fn empty_log(connection: &Connection) -> Result<bool> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| Ok(row.get::<_, i64>(0)? == 0))
}

/// How many migrations were applied to the file.
pub(super) fn version(connection: &Connection) -> Result<i64> {
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Whether the database contains any table or index.
pub(super) fn has_tables(connection: &Connection) -> Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

/// The path, percent-encoded for a URI.
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
