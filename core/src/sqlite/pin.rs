//! Locks that prevent other connections from removing a database's log, or truncating its index, while a connection has them open.
//!
//! SQLite's own locks are POSIX locks. Another copy of SQLite in the same process does not see them, and the process loses all of
//! them once any descriptor of the file is closed. A connection that closes then believes that it is the last one and removes
//! the log, to which others still commit; a connection that opens believes that it is the first one and truncates the index,
//! which others have mapped. So the same bytes are locked again, by locks owned by an open file.

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;

use super::files::INDEX;
use crate::disk::{Disk, Handle, beside};

/// The bytes of a database on which every open connection has a shared lock. They are part of SQLite's file format.
const OPEN: Range<u64> = 0x4000_0002..0x4000_0200;
/// The byte of a log's index on which every open connection has a shared lock.
const MAPPED: Range<u64> = 128..129;

/// The locks, held until this is dropped, which must be after all connections of this process to the database: closing the
/// descriptors releases SQLite's own locks.
#[derive(Debug)]
pub(super) struct Pins {
    _files: [Option<Handle>; 2],
}

impl Pins {
    /// Takes the locks of a database that has a log; `None` for any other.
    pub(super) fn of(disk: &Disk, path: &Path, connection: &Connection) -> Option<Self> {
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).ok()?;
        if mode != "wal" {
            return None;
        }
        Some(Pins { _files: [disk.pin(path, OPEN), disk.pin(&beside(path, INDEX), MAPPED)] })
    }
}
