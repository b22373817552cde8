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

/// The size of a log's header, and of that of a frame, in bytes.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// How often a log that seems to be damaged is read.
const TRIES: usize = 3;

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

    /// Refuses a log that is damaged: SQLite would treat it as empty if its header is, and overwrite or remove it, and as ending
    /// before the first damaged frame.
    ///
    /// # Errors
    /// `ParseError`, `IOError`.
    pub(super) fn check_log(disk: &Disk, path: &Path) -> Result<()> {
        let log = beside(path, LOG);
        let refused = |what: &str| Error::parse(path, format!("{what} of its log {} is damaged", log.display()));
        let mut tries = TRIES;
        loop {
            tries -= 1;
            match read_log(disk, &log).map_err(|cause| Error::io("read", &log, &cause))? {
                LogState::Sound => return Ok(()),
                LogState::Header => return Err(refused("the header")),
                LogState::Frame(number) if tries == 0 => return Err(refused(&format!("frame {number}"))),
                // Another program may be writing to it.
                LogState::Frame(_) => {}
            }
        }
    }

    /// Whether SQLite can read a log at all.
    pub(super) fn is_log_readable(disk: &Disk, path: &Path) -> bool {
        read_log(disk, &beside(path, LOG)).is_ok_and(|state| !matches!(state, LogState::Header))
    }

    /// Whether there is a log.
    pub(super) fn has_log(&self) -> bool {
        self.log.is_some()
    }
}

/// What is damaged in a log.
enum LogState {
    Sound,
    Header,
    /// The frame of this number, from 1.
    Frame(u64),
}

/// Reads a log; see the WAL format in SQLite's documentation.
///
/// A transaction that a power failure interrupted leaves frames that are incomplete at the end. Before a frame of a later
/// transaction was written, all earlier ones were synced: they are damaged if they are not as they were.
fn read_log(disk: &Disk, log: &Path) -> io::Result<LogState> {
    let mut header = [0; LOG_HEADER];
    let Some(file) = disk.open_foreign(log)? else { return Ok(LogState::Sound) };
    let fill = |bytes: &mut [u8], at| match disk.read_foreign_exactly(&file, bytes, at) {
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        filled => filled.map(|()| true),
    };
    // An incomplete header means an empty log, and so does one that a power loss left as zeros.
    if !fill(&mut header, 0)? || header == [0; LOG_HEADER] {
        return Ok(LogState::Sound);
    }
    let Some(mut sum) = Checksum::of_log(&header) else { return Ok(LogState::Header) };
    let page = usize::try_from(big_endian(&header, 8)).unwrap_or(0);
    if !page.is_power_of_two() || !(512..=65_536).contains(&page) {
        return Ok(LogState::Header);
    }
    let (mut frame, mut at, mut number) = (vec![0; FRAME_HEADER + page], LOG_HEADER as u64, 0);
    // The first frame that is not as it was written, and whether its transaction or a later one was committed after it.
    let (mut damaged, mut is_committed) = (None, false);
    while fill(&mut frame, at)? {
        (at, number) = (at + frame.len() as u64, number + 1);
        let is_current = frame[8..16] == header[16..24];
        match damaged {
            None if is_current && sum.continues(&frame) => {}
            None => damaged = Some(number),
            Some(damaged) if is_current && is_committed => return Ok(LogState::Frame(damaged)),
            Some(_) => {}
        }
        is_committed |= damaged.is_some() && is_current && big_endian(&frame, 4) != 0;
    }
    Ok(LogState::Sound)
}

/// The checksum of a log, which each frame continues.
struct Checksum {
    word: fn([u8; 4]) -> u32,
    sum: (u32, u32),
}

impl Checksum {
    /// That of the header; `None` if the header is damaged.
    fn of_log(header: &[u8; LOG_HEADER]) -> Option<Self> {
        let word: fn([u8; 4]) -> u32 = match header {
            [0x37, 0x7f, 0x06, 0x82, ..] => u32::from_le_bytes,
            [0x37, 0x7f, 0x06, 0x83, ..] => u32::from_be_bytes,
            _ => return None,
        };
        let mut sum = Checksum { word, sum: (0, 0) };
        sum.add(&header[..24]);
        (sum.sum == (big_endian(header, 24), big_endian(header, 28))).then_some(sum)
    }

    /// Whether a frame has the checksum of everything up to it.
    fn continues(&mut self, frame: &[u8]) -> bool {
        self.add(&frame[..8]);
        self.add(&frame[FRAME_HEADER..]);
        self.sum == (big_endian(frame, 16), big_endian(frame, 20))
    }

    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.as_chunks::<4>().0.as_chunks::<2>().0 {
            self.sum.0 = self.sum.0.wrapping_add((self.word)(pair[0])).wrapping_add(self.sum.1);
            self.sum.1 = self.sum.1.wrapping_add((self.word)(pair[1])).wrapping_add(self.sum.0);
        }
    }
}

fn big_endian(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
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
