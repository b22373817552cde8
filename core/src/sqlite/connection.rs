//! Opening a database: for reading and writing, to be read where nothing can be written, and as a copy in memory.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

use super::failure::{busy, is_unwritable};

/// For each connection:
/// - A commit returns when the disk has it: the log is synced, and without a log the folder too. What a plain `fsync`
///   leaves in the disk's cache on a Mac is written out of there.
/// - What a sort has no room for stays in memory, and goes into no file outside of the home.
/// - A doctored file gets no function to run by being read.
const PRAGMAS: &str = "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;";

/// The database, which is there, for reading and writing. It has been looked into, after a wait of at most `busy` for
/// SQLite's own locks.
pub(super) fn open(path: &Path, busy: Duration) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy)?;
    // The last one to close would remove the log, which it finds out by locks that another copy of SQLite in the same
    // process may have dropped: then somebody would go on writing to a log without a name.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch(PRAGMAS)?;
    version(&connection)?;
    Ok(connection)
}

/// The database for reading; and whether the connection may be kept for more than one reading.
pub(super) fn open_to_read(path: &Path, has_log: bool, busy: Duration) -> Result<(Connection, bool)> {
    match open(path, busy) {
        Ok(connection) => Ok((connection, true)),
        Err(cause) if is_unwritable(&cause) => open_as_it_stands(path, has_log).map(|connection| (connection, false)),
        Err(cause) => Err(cause),
    }
}

/// The database where neither a log nor the log's index can be made. For one reading: it sees nothing that is written
/// later, and takes none of SQLite's own locks, since those would have to be written down.
fn open_as_it_stands(path: &Path, has_log: bool) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // A log is read with its index in memory, which SQLite does for whoever has the database for itself.
    let (how, lock) = if has_log { ("mode=ro&vfs=unix-none", "EXCLUSIVE") } else { ("immutable=1", "NORMAL") };
    let connection = Connection::open_with_flags(format!("file:{}?{how}", encoded(path)), flags)?;
    connection.execute_batch(&format!("PRAGMA locking_mode = {lock}; {PRAGMAS}"))?;
    version(&connection)?;
    Ok(connection)
}

/// The whole database in memory, as it stands.
pub(super) fn copy(connection: &Connection) -> Result<Connection> {
    let mut copy = Connection::open_in_memory()?;
    let step = Backup::new(connection, &mut copy)?.step(-1)?;
    if step != StepResult::Done {
        return Err(busy());
    }
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
