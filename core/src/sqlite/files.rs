//! Which files a database consists of, told by their inodes.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Kind, Stat, beside};
use crate::error::{Error, Result};

/// What SQLite puts beside a database: the log, its index, and a journal.
pub(super) const BESIDE: &[&str] = &[LOG, INDEX, JOURNAL];
/// The log of commits that are not yet in the database.
pub(super) const LOG: &str = "-wal";
/// The index of that log, which every process makes anew.
pub(super) const INDEX: &str = "-shm";
/// The journal of a transaction that is not finished, without a log.
pub(super) const JOURNAL: &str = "-journal";
/// What was brought back of a damaged database, on its way into the database's place.
const RECOVERED: &str = ".recovered";

/// The largest journal that is looked into, in bytes. loopmem makes one only for an empty database.
const MOST_OF_JOURNAL: u64 = 64 << 20;
/// How a journal ends that names another file, which SQLite would remove.
const NAMES_ANOTHER: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

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
    /// `IOError` naming the file in whose place, or in the place of what SQLite puts beside it, something else stands:
    /// SQLite would follow a link and wait for a pipe. `ParseError` for a journal that names another file, and where the
    /// recovery of a damaged database was not finished.
    pub(super) fn at(disk: &Disk, path: &Path) -> Result<Option<(Files, u64)>> {
        let inode = |stat: Stat| (stat.device, stat.inode);
        let Some(database) = regular(disk, path)? else {
            return match disk.stat(&recovered(path))? {
                None => Ok(None),
                Some(_) => Err(Error::parse(path, "bringing it back was not finished")),
            };
        };
        let log = regular(disk, &beside(path, LOG))?.map(inode);
        regular(disk, &beside(path, INDEX))?;
        let journal = beside(path, JOURNAL);
        if regular(disk, &journal)?.is_some_and(|stat| stat.size > 0) {
            let bytes = disk.read_if_there(&journal, MOST_OF_JOURNAL)?;
            if bytes.is_some_and(|bytes| bytes.ends_with(&NAMES_ANOTHER)) {
                let detail = format!("{} is the journal of a transaction of several databases", journal.display());
                return Err(Error::parse(path, detail));
            }
        }
        Ok(Some((Files { database: inode(database), log }, database.size)))
    }

    /// Whether there is a log.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }
}

/// Where what was brought back of the database at `path` waits for its place.
pub(super) fn recovered(path: &Path) -> PathBuf {
    beside(path, RECOVERED)
}

/// The regular file at `path`; `None` when there is none.
fn regular(disk: &Disk, path: &Path) -> Result<Option<Stat>> {
    match disk.stat(path)? {
        Some(stat) if stat.kind != Kind::File => {
            Err(Error::io("open", path, &io::Error::other("it is not a regular file")))
        }
        stat => Ok(stat),
    }
}
