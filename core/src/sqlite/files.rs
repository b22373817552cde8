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
pub(super) const RECOVERED: &str = ".recovered";

/// What is wrong where a log stands without its database.
pub(super) const LOG_ALONE: &str = "it is missing or empty, and its log, which holds what was stored, is not: put both files back, or move the log away";

/// How long a log's header is, in bytes.
const LOG_HEADER: usize = 32;

/// The largest journal that is looked into, in bytes. loopmem makes one only for an empty database.
const MAX_JOURNAL_BYTES: u64 = 64 << 20;
/// How a journal ends that names another file, which SQLite would remove.
const SUPER_JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The files at a database's path. A connection that has others open must not be used any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    database: (u64, u64),
    /// The log of commits that are not yet in the database.
    log: Option<(u64, u64)>,
    /// The log's index, and its size. It only ever grows, and is mapped: where it was cut off, nobody may look any more.
    index: Option<((u64, u64), u64)>,
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
        let database = regular(disk, path)?;
        if database.is_none() && disk.stat(&recovered(path))?.is_some() {
            return Err(Error::parse(path, "bringing it back was not finished"));
        }
        let log = regular(disk, &beside(path, LOG))?;
        if database.is_none_or(|stat| stat.size == 0) && log.is_some_and(|stat| stat.size > 0) {
            return Err(Error::parse(path, LOG_ALONE));
        }
        let Some(database) = database else { return Ok(None) };
        let log = log.map(inode);
        let index = regular(disk, &beside(path, INDEX))?.map(|stat| (inode(stat), stat.size));
        let journal = beside(path, JOURNAL);
        if regular(disk, &journal)?.is_some_and(|stat| stat.size > 0) {
            let bytes = disk.read_if_there(&journal, MAX_JOURNAL_BYTES)?;
            if bytes.is_some_and(|bytes| bytes.ends_with(&SUPER_JOURNAL_MAGIC)) {
                let detail = format!("{} is the journal of a transaction of several databases", journal.display());
                return Err(Error::parse(path, detail));
            }
        }
        Ok(Some((Files { database: inode(database), log, index }, database.size)))
    }

    /// Whether a connection that had `before` open has these open.
    pub(super) fn are_open_as(&self, before: &Files) -> bool {
        let index = match (self.index, before.index) {
            (Some((inode, size)), Some((before, size_before))) => inode == before && size >= size_before,
            (now, before) => now == before,
        };
        self.database == before.database && self.log == before.log && index
    }

    /// Whether these are `before`, or they and the log that was made since.
    pub(super) fn are_still(&self, before: &Files) -> bool {
        self.database == before.database && (before.log.is_none() || self.log == before.log)
    }

    /// Refuses a log whose beginning is damaged: SQLite takes it for an empty one, and writes over it or removes it.
    ///
    /// # Errors
    /// `ParseError`, `IOError`.
    pub(super) fn check_log(disk: &Disk, path: &Path) -> Result<()> {
        let log = beside(path, LOG);
        let unread = |cause: io::Error| Error::io("read", &log, &cause);
        let mut header = [0; LOG_HEADER];
        let Some(file) = disk.open_foreign(&log).map_err(unread)? else { return Ok(()) };
        let length = disk.read_foreign_at(&file, &mut header, 0).map_err(unread)?;
        // One that was never finished holds nothing, and nor does one that a power cut left full of zeros.
        if length < LOG_HEADER || header == [0; LOG_HEADER] || is_sound(&header) {
            return Ok(());
        }
        Err(Error::parse(path, format!("the beginning of its log {} is damaged", log.display())))
    }

    /// Whether there is a log.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }
}

/// Whether the checksum at the end of a log's header is that of the rest, as SQLite's file format says.
fn is_sound(header: &[u8; LOG_HEADER]) -> bool {
    let words: Vec<[u8; 4]> = header.chunks_exact(4).filter_map(|word| word.try_into().ok()).collect();
    let [magic, _, _, _, _, _, first, second] = words[..] else { return false };
    let word = match magic {
        [0x37, 0x7f, 0x06, 0x82] => u32::from_le_bytes,
        [0x37, 0x7f, 0x06, 0x83] => u32::from_be_bytes,
        _ => return false,
    };
    let mut sum = (0_u32, 0_u32);
    for pair in words[..6].chunks_exact(2) {
        sum.0 = sum.0.wrapping_add(word(pair[0])).wrapping_add(sum.1);
        sum.1 = sum.1.wrapping_add(word(pair[1])).wrapping_add(sum.0);
    }
    sum == (u32::from_be_bytes(first), u32::from_be_bytes(second))
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
