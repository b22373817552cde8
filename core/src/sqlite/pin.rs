//! What keeps others from taking a database's log and the log's index away while a connection has them open.
//!
//! SQLite's own locks are POSIX locks. They say nothing to another copy of SQLite in the same process, and they are gone
//! for the whole process once any descriptor of the file is closed. Whoever closes the database then takes himself for
//! the last one and removes the log, into which others still commit; whoever opens it takes himself for the first one and
//! cuts the index off, which others have mapped. So the same bytes are locked once more, by locks that belong to an open
//! file.

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;

use super::files::INDEX;
use crate::disk::{Disk, Handle, beside};

/// The bytes of a database that are locked, shared, by everybody who has it open. SQLite's file format fixes them.
const OPEN: Range<u64> = 0x4000_0002..0x4000_0200;
/// The byte of a log's index that is locked, shared, by everybody who has it open.
const MAPPED: Range<u64> = 128..129;

/// The locks, until this is dropped: after every connection of this process to the database. Closing the descriptors drops
/// the locks of SQLite's own.
#[derive(Debug)]
pub(super) struct Pins {
    _files: [Option<Handle>; 2],
}

impl Pins {
    /// Those of a database that has a log; `None` of any other.
    pub(super) fn of(disk: &Disk, path: &Path, connection: &Connection) -> Option<Self> {
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).ok()?;
        if mode != "wal" {
            return None;
        }
        Some(Pins { _files: [disk.pin(path, OPEN), disk.pin(&beside(path, INDEX), MAPPED)] })
    }
}
