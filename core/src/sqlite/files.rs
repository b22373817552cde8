//! The files of a database, identified by their inodes.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Kind, Stat, beside};
use crate::error::{Error, Result};

/// The suffixes of the files that SQLite creates beside a database: the log, its index, and a journal.
pub(super) const BESIDE: &[&str] = &[LOG, INDEX, JOURNAL];
/// The log (WAL) of commits that are not in the database file yet.
pub(super) const LOG: &str = "-wal";
/// The index of that log, which can always be rebuilt.
pub(super) const INDEX: &str = "-shm";
/// The rollback journal of a transaction, used if there is no log.
pub(super) const JOURNAL: &str = "-journal";
/// The recovered database, before it replaces the damaged one.
pub(super) const RECOVERED: &str = ".recovered";

/// The message if there is a log without its database.
pub(super) const LOG_ALONE: &str =
    "it is missing or empty, but its log, which contains stored data, is not: restore both files, or move the log away";

/// The size of a log's header in bytes.
const LOG_HEADER: usize = 32;

/// The maximum size of a journal that is checked, in bytes. loopmem creates one only for an empty database.
const MAX_JOURNAL_BYTES: u64 = 64 << 20;
/// The last bytes of a journal that names another file, which SQLite would remove.
const SUPER_JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// The files at a database's path. A connection that has other ones open must no longer be used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    database: (u64, u64),
    /// The log of commits that are not in the database file yet.
    log: Option<(u64, u64)>,
    /// The log's index, and its size. It is memory-mapped and only ever grows: after a truncation it must not be accessed.
    index: Option<((u64, u64), u64)>,
}

impl Files {
    /// Returns the files at `path`, and the size of the database; `None` if there is no database.
    ///
    /// # Errors
    /// `IOError` if one of the files is not a regular file: SQLite would follow a link and block on a pipe. `ParseError` for a
    /// journal that names another file, and after an interrupted recovery.
    pub(super) fn at(disk: &Disk, path: &Path) -> Result<Option<(Files, u64)>> {
        let inode = |stat: Stat| (stat.device, stat.inode);
        let database = regular(disk, path)?;
        if database.is_none() && disk.stat(&recovered(path))?.is_some() {
            return Err(Error::parse(path, "its recovery was interrupted"));
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
                let detail = format!("{} is the journal of a transaction over several databases", journal.display());
                return Err(Error::parse(path, detail));
            }
        }
        Ok(Some((Files { database: inode(database), log, index }, database.size)))
    }

    /// Whether a connection that opened `before` has these files open.
    pub(super) fn are_open_as(&self, before: &Files) -> bool {
        let index = match (self.index, before.index) {
            (Some((inode, size)), Some((before, size_before))) => inode == before && size >= size_before,
            (now, before) => now == before,
        };
        self.database == before.database && self.log == before.log && index
    }

    /// Whether these are the same as `before`, except that a log may have been created since.
    pub(super) fn are_still(&self, before: &Files) -> bool {
        self.database == before.database && (before.log.is_none() || self.log == before.log)
    }

    /// Refuses a log whose header is damaged: SQLite would treat it as empty, and overwrite or remove it.
    ///
    /// # Errors
    /// `ParseError`, `IOError`.
    pub(super) fn check_log(disk: &Disk, path: &Path) -> Result<()> {
        let log = beside(path, LOG);
        let unread = |cause: io::Error| Error::io("read", &log, &cause);
        let mut header = [0; LOG_HEADER];
        let Some(file) = disk.open_foreign(&log).map_err(unread)? else { return Ok(()) };
        let length = disk.read_foreign_at(&file, &mut header, 0).map_err(unread)?;
        // An incomplete header means an empty log, and so does one that a power loss left as zeros.
        if length < LOG_HEADER || header == [0; LOG_HEADER] || is_sound(&header) {
            return Ok(());
        }
        Err(Error::parse(path, format!("the header of its log {} is damaged", log.display())))
    }

    /// Whether there is a log.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }
}

/// Whether the checksum of a log's header is correct; see the WAL format in SQLite's documentation.
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

/// The path of the recovered database before it replaces the one at `path`.
pub(super) fn recovered(path: &Path) -> PathBuf {
    beside(path, RECOVERED)
}

/// Stats the regular file at `path`; `None` if there is none.
fn regular(disk: &Disk, path: &Path) -> Result<Option<Stat>> {
    match disk.stat(path)? {
        Some(stat) if stat.kind != Kind::File => {
            Err(Error::io("open", path, &io::Error::other("it is not a regular file")))
        }
        stat => Ok(stat),
    }
}
