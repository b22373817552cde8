//! Which files a database consists of, told by their inodes.

use std::io;
use std::path::Path;

use crate::disk::{Disk, Kind, Stat, beside};
use crate::error::{Error, Result};

/// What SQLite puts beside a database: the log, its index, and the journal of one that has no log.
pub(super) const BESIDE: &[&str] = &["-wal", "-shm", "-journal"];

/// The files at a database's path. A connection that has others open must not be used any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Files {
    database: (u64, u64),
    /// The log of commits that are not yet in the database.
    log: Option<(u64, u64)>,
}

impl Files {
    /// Those at `path`, and the size of the database; `None` when there is no database.
    ///
    /// # Errors
    /// `IOError` naming the path, also when something else stands there. A link is not followed.
    pub(super) fn at(disk: &Disk, path: &Path) -> Result<Option<(Files, u64)>> {
        let inode = |stat: Stat| (stat.device, stat.inode);
        let Some(database) = disk.stat(path)? else { return Ok(None) };
        if database.kind != Kind::File {
            return Err(Error::io("open", path, &io::Error::other("it is no regular file")));
        }
        let log = disk.stat(&beside(path, "-wal"))?.map(inode);
        Ok(Some((Files { database: inode(database), log }, database.size)))
    }

    /// Whether there is a log.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }
}
