//! A cache of parsed files, kept until they change.
//!
//! An entry keeps its file open, so that the inode cannot be reused, and is identified by device, inode, size, mtime and
//! ctime. File timestamps are coarse: a second in-place edit within one clock tick changes none of these. So if a file was
//! younger than a tick when it was read, its bytes are read again and compared.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::stored::MAX_CACHED_BYTES;
use crate::disk::fs::copying;
use crate::disk::fs::per_process::PerProcess;
use crate::disk::fs::seam::{Fs, Handle, Stat, if_there, unread};
use crate::error::Result;
use crate::mutex::lock;
use crate::warning::Warning;

/// What a file is parsed into.
pub trait Parsed: Default + Send + Sync + 'static {
    /// The maximum size of such a file in bytes. A larger one is not read.
    const MAX_BYTES: u64;

    /// # Errors
    /// `ParseError`, `FormatTooNew`.
    fn parse(path: &Path, bytes: &[u8]) -> Result<Self>;

    /// Warnings about `bytes`, from which this was parsed.
    fn warnings(&self, _path: &Path, _bytes: &[u8]) -> Vec<Warning> {
        Vec::new()
    }
}

/// Longer than a clock tick of a file system with sub-second timestamps.
const SETTLED_AFTER: Duration = Duration::from_millis(20);
/// Longer than a clock tick of one without: FAT has a resolution of two seconds.
const SETTLED_AFTER_SECONDS: Duration = Duration::from_millis(2_100);
const NANOS_A_SECOND: i128 = 1_000_000_000;
/// The maximum number of parsed files that one home caches, and their maximum total size. The least recently used entry is
/// evicted first; the most recent one is kept regardless of its size.
const CAPACITY: usize = 32;
const CAPACITY_BYTES: u64 = 64 << 20;

/// The parsed files of one home.
#[derive(Debug, Default)]
pub(in crate::disk) struct Cache {
    /// The most recently used entry is last.
    entries: PerProcess<Mutex<Vec<Arc<Entry>>>>,
}

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    reading: Reading,
    value: Arc<dyn Any + Send + Sync>,
}

/// The state of a file when it was read.
#[derive(Debug)]
pub(in crate::disk) struct Reading {
    handle: Handle,
    stat: Stat,
    text: Mutex<Text>,
}

/// What is cached of a file's bytes in addition to their parsed value.
#[derive(Debug)]
enum Text {
    /// The file is too young for its timestamps to be reliable: its bytes are compared with these.
    Young { bytes: Vec<u8>, is_written: bool },
    /// Its timestamps are reliable. Bytes that were written are kept, so that the next write can start from them.
    Settled { written: Option<Vec<u8>> },
    /// They were taken in order to rewrite the file, or are too many to keep: the file is read again.
    Unknown,
}

/// The result of a cache lookup.
pub(in crate::disk) enum Lookup<T> {
    Missing,
    Hit(Arc<T>),
    /// Bytes to be parsed and then cached.
    Miss(Vec<u8>, Reading),
}

impl Cache {
    /// Looks up `path` and, on a miss, reads at most `limit` bytes of it. Its lock must be held; parsing is left to the caller and
    /// needs no lock.
    pub(in crate::disk) fn lookup<T: Send + Sync + 'static>(
        &self,
        fs: &dyn Fs,
        path: &Path,
        limit: u64,
    ) -> Result<Lookup<T>> {
        let failed = |cause: io::Error| unread(path, &cause);
        let stat = if_there(fs.stat_path(path)).map_err(failed)?;
        if let Some(entry) = stat.as_ref().and_then(|stat| self.known(path, stat))
            && let Ok(value) = Arc::clone(&entry.value).downcast::<T>()
            && entry.reading.is_unchanged(fs).map_err(failed)?
        {
            return Ok(Lookup::Hit(value));
        }
        // The old value is stale, and may be large.
        self.forget(path);
        // The clock is read first: a file that settles while it is read was still too young.
        let now = nanos(fs.now());
        let Some((handle, stat, bytes)) = copying::read(fs, path, limit).map_err(failed)? else {
            return Ok(Lookup::Missing);
        };
        let text = match (is_settled(now, &stat), bytes.len() > MAX_CACHED_BYTES) {
            (true, _) => Text::Settled { written: None },
            (false, false) => Text::Young { bytes: bytes.clone(), is_written: false },
            (false, true) => Text::Unknown,
        };
        Ok(Lookup::Miss(bytes, Reading { handle, stat, text: Mutex::new(text) }))
    }

    /// The entry of the file with this identity, which becomes the most recently used.
    fn known(&self, path: &Path, stat: &Stat) -> Option<Arc<Entry>> {
        let mut entries = self.lock();
        let matches = |entry: &Arc<Entry>| entry.reading.stat == *stat && entry.path.as_os_str() == path.as_os_str();
        let position = entries.iter().rposition(matches)?;
        let entry = entries.remove(position);
        entries.push(Arc::clone(&entry));
        Some(entry)
    }

    /// Caches the value parsed from `reading`, unless the file would be read again anyway.
    pub(in crate::disk) fn keep<T: Send + Sync + 'static>(&self, path: &Path, reading: Reading, value: &Arc<T>) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.path != path);
        if matches!(*lock(&reading.text), Text::Unknown) {
            return;
        }
        let value = Arc::clone(value) as Arc<dyn Any + Send + Sync>;
        entries.push(Arc::new(Entry { path: path.to_owned(), reading, value }));
        let mut bytes: u64 = entries.iter().map(|entry| entry.reading.stat.size).sum();
        while entries.len() > CAPACITY || (bytes > CAPACITY_BYTES && entries.len() > 1) {
            bytes -= entries.remove(0).reading.stat.size;
        }
    }

    /// Caches what was just written through `handle`, so that it need not be parsed again. The lock must still be held.
    pub(in crate::disk) fn keep_written<T: Send + Sync + 'static>(
        &self,
        fs: &dyn Fs,
        path: &Path,
        handle: Handle,
        bytes: Vec<u8>,
        value: &Arc<T>,
    ) {
        match fs.stat(&handle) {
            Ok(stat) => {
                let is_kept = bytes.len() <= MAX_CACHED_BYTES;
                let text = if is_kept { Text::Young { bytes, is_written: true } } else { Text::Unknown };
                self.keep(path, Reading { handle, stat, text: Mutex::new(text) }, value);
            }
            // The next reader parses the file.
            Err(_) => self.forget(path),
        }
    }

    /// Removes the entry, so that the next lookup reads the file.
    pub(in crate::disk) fn forget(&self, path: &Path) {
        self.lock().retain(|entry| entry.path != path);
    }

    /// Takes the bytes that `value` was parsed from or written as, if they are still in memory, as a basis for rewriting the
    /// file. This invalidates the entry.
    pub(in crate::disk) fn take_text<T>(&self, path: &Path, value: &Arc<T>) -> Option<Vec<u8>> {
        let entries = self.lock();
        let matches =
            |it: &&Arc<Entry>| it.path == path && std::ptr::addr_eq(Arc::as_ptr(&it.value), Arc::as_ptr(value));
        let entry = entries.iter().find(matches)?;
        let mut text = lock(&entry.reading.text);
        match std::mem::replace(&mut *text, Text::Unknown) {
            Text::Young { bytes, .. } | Text::Settled { written: Some(bytes) } => Some(bytes),
            known => {
                *text = known;
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        lock(self.entries.get())
    }
}

impl Reading {
    /// Whether the file still contains the parsed bytes, given that its [`Stat`] is the same.
    fn is_unchanged(&self, fs: &dyn Fs) -> io::Result<bool> {
        let mut text = lock(&self.text);
        let Text::Young { bytes, is_written } = &mut *text else {
            return Ok(matches!(*text, Text::Settled { .. }));
        };
        let now = nanos(fs.now());
        let same = fs.holds(&self.handle, bytes)?;
        if same && is_settled(now, &self.stat) {
            let written = is_written.then(|| std::mem::take(bytes));
            *text = Text::Settled { written };
        }
        Ok(same)
    }
}

/// Whether a file's timestamps are older than a clock tick, so that any later change changes them.
pub(in crate::disk) fn is_settled(now: i128, stat: &Stat) -> bool {
    let is_coarse = [stat.modified, stat.changed].iter().all(|time| time % NANOS_A_SECOND == 0);
    let tick = if is_coarse { SETTLED_AFTER_SECONDS } else { SETTLED_AFTER };
    now - stat.modified.max(stat.changed) >= tick.as_nanos().cast_signed()
}

/// `time` in nanoseconds since 1970.
pub(in crate::disk) fn nanos(time: SystemTime) -> i128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().cast_signed())
}
