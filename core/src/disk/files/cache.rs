//! Files that were parsed, kept until they change.
//!
//! An entry keeps the file it parsed open, so that its inode cannot be given to another, and is known by device,
//! inode, size, mtime and ctime. Clocks tick slowly: an edit in place within one tick of the last changes none of
//! these. So while a file was younger than a tick when it was read, its bytes are read again and compared.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::copy;
use super::stored::MAX_CACHED_BYTES;
use crate::disk::fs::mutex::lock;
use crate::disk::fs::per_process::PerProcess;
use crate::disk::fs::seam::{Fs, Handle, Stat, if_there, unread};
use crate::error::Result;
use crate::warning::Warning;

/// What a file is parsed into.
pub(in crate::disk) trait Parsed: Default + Send + Sync + 'static {
    /// The size that such a file may have, in bytes. A larger one is not read.
    const MAX_BYTES: u64;

    /// # Errors
    /// `ParseError`, `FormatTooNew`.
    fn parse(path: &Path, bytes: &[u8]) -> Result<Self>;

    /// What a reader should know of `bytes`, of which this was parsed.
    fn warnings(&self, _path: &Path, _bytes: &[u8]) -> Vec<Warning> {
        Vec::new()
    }
}

/// Longer than a tick of the clock of a file system that keeps parts of seconds.
const SETTLED_AFTER: Duration = Duration::from_millis(20);
/// Longer than a tick of one that does not: FAT keeps every second one.
const SETTLED_AFTER_SECONDS: Duration = Duration::from_millis(2_100);
const NANOS_A_SECOND: i128 = 1_000_000_000;
/// How many parsed files one home keeps, and how many bytes they may have together; the least recently used goes first.
/// The last one is kept whatever its size.
const KEPT: usize = 32;
const KEPT_BYTES: u64 = 64 << 20;

/// The parsed files of one home.
#[derive(Debug, Default)]
pub(in crate::disk) struct Cache {
    /// The most recently used stands last.
    entries: PerProcess<Mutex<Vec<Arc<Entry>>>>,
}

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    reading: Reading,
    value: Arc<dyn Any + Send + Sync>,
}

/// A file's bytes and what is known of their age.
#[derive(Debug)]
pub(in crate::disk) struct Reading {
    handle: Handle,
    stat: Stat,
    text: Mutex<Text>,
}

/// What is known of a file's bytes beside what they were parsed into.
#[derive(Debug)]
enum Text {
    /// The file is too young to be told by its times: its bytes are compared with these.
    Young(Vec<u8>),
    /// Its times tell.
    Settled,
    /// They were taken, to write the file anew, or are too many to be kept: the file is read again.
    Unknown,
}

/// What a look at a file found.
pub(in crate::disk) enum Lookup<T> {
    Missing,
    Hit(Arc<T>),
    /// Bytes that are to be parsed and then kept.
    Miss(Vec<u8>, Reading),
}

impl Cache {
    /// Looks at `path`, of which at most `most` bytes are read, under its lock; parsing is the caller's, and needs no lock.
    pub(in crate::disk) fn lookup<T: Send + Sync + 'static>(
        &self,
        fs: &dyn Fs,
        path: &Path,
        most: u64,
    ) -> Result<Lookup<T>> {
        let failed = |cause: io::Error| unread(path, &cause);
        let stat = if_there(fs.stat_path(path)).map_err(failed)?;
        if let Some(entry) = stat.as_ref().and_then(|stat| self.known(path, stat))
            && let Ok(value) = Arc::clone(&entry.value).downcast::<T>()
            && entry.reading.is_unchanged(fs).map_err(failed)?
        {
            return Ok(Lookup::Hit(value));
        }
        // What was parsed before counts no more, and may be large.
        self.forget(path);
        // The clock first: a file that settles while it is read was read too young.
        let now = nanos(fs.now());
        let Some((handle, stat, bytes)) = copy::read(fs, path, most).map_err(failed)? else {
            return Ok(Lookup::Missing);
        };
        let text = match (is_settled(now, &stat), bytes.len() > MAX_CACHED_BYTES) {
            (true, _) => Text::Settled,
            (false, false) => Text::Young(bytes.clone()),
            (false, true) => Text::Unknown,
        };
        Ok(Lookup::Miss(bytes, Reading { handle, stat, text: Mutex::new(text) }))
    }

    /// The entry of the file that has this identity now, as the most recently used one.
    fn known(&self, path: &Path, stat: &Stat) -> Option<Arc<Entry>> {
        let mut entries = self.lock();
        let is_it = |entry: &Arc<Entry>| entry.reading.stat == *stat && entry.path.as_os_str() == path.as_os_str();
        let place = entries.iter().rposition(is_it)?;
        let entry = entries.remove(place);
        entries.push(Arc::clone(&entry));
        Some(entry)
    }

    /// Keeps what `reading` was parsed into, unless the file would be read again anyway.
    pub(in crate::disk) fn keep<T: Send + Sync + 'static>(&self, path: &Path, reading: Reading, value: &Arc<T>) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.path != path);
        if matches!(*lock(&reading.text), Text::Unknown) {
            return;
        }
        let value = Arc::clone(value) as Arc<dyn Any + Send + Sync>;
        entries.push(Arc::new(Entry { path: path.to_owned(), reading, value }));
        let mut bytes: u64 = entries.iter().map(|entry| entry.reading.stat.size).sum();
        while entries.len() > KEPT || (bytes > KEPT_BYTES && entries.len() > 1) {
            bytes -= entries.remove(0).reading.stat.size;
        }
    }

    /// Keeps what was just written through `handle`, still under the lock: nobody needs to parse it again.
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
                let text = if bytes.len() > MAX_CACHED_BYTES { Text::Unknown } else { Text::Young(bytes) };
                self.keep(path, Reading { handle, stat, text: Mutex::new(text) }, value);
            }
            // Only a cache: the next reader parses the file.
            Err(_) => self.forget(path),
        }
    }

    /// The next look at the file reads it.
    pub(in crate::disk) fn forget(&self, path: &Path) {
        self.lock().retain(|entry| entry.path != path);
    }

    /// Takes the bytes that `value` was parsed from or written as, if they are still in memory: whoever writes the file
    /// anew can begin with them. The entry is void then.
    pub(in crate::disk) fn take_text<T>(&self, path: &Path, value: &Arc<T>) -> Option<Vec<u8>> {
        let entries = self.lock();
        let is_it = |it: &&Arc<Entry>| it.path == path && std::ptr::addr_eq(Arc::as_ptr(&it.value), Arc::as_ptr(value));
        let entry = entries.iter().find(is_it)?;
        let mut text = lock(&entry.reading.text);
        match std::mem::replace(&mut *text, Text::Unknown) {
            Text::Young(bytes) => Some(bytes),
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
    /// Whether the file still holds the bytes that were parsed, given that its [`Stat`] is the same.
    fn is_unchanged(&self, fs: &dyn Fs) -> io::Result<bool> {
        let mut text = lock(&self.text);
        let parsed = match &*text {
            Text::Young(parsed) => parsed,
            Text::Settled => return Ok(true),
            Text::Unknown => return Ok(false),
        };
        let now = nanos(fs.now());
        let same = fs.holds(&self.handle, parsed)?;
        if same && is_settled(now, &self.stat) {
            *text = Text::Settled;
        }
        Ok(same)
    }
}

fn is_settled(now: i128, stat: &Stat) -> bool {
    let is_coarse = [stat.modified, stat.changed].iter().all(|time| time % NANOS_A_SECOND == 0);
    let tick = if is_coarse { SETTLED_AFTER_SECONDS } else { SETTLED_AFTER };
    now - stat.modified.max(stat.changed) >= tick.as_nanos().cast_signed()
}

fn nanos(time: SystemTime) -> i128 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().cast_signed())
}
