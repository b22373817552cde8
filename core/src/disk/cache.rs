//! Files that were parsed, kept until they change.
//!
//! An entry keeps the file it parsed open, so that its inode cannot be given to another, and is known by device,
//! inode, size, mtime and ctime. Clocks tick slowly: an edit in place within one tick of the last changes none of
//! these. So while a file was younger than [`SETTLED_AFTER`] when it was read, its bytes are read again and compared.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use super::seam::{Fs, Handle, Open, Stat};
use crate::error::{Error, Result};

/// Longer than any tick of a file system's clock that was met.
const SETTLED_AFTER: Duration = Duration::from_millis(20);
/// How many parsed files one home keeps, the least recently used goes first.
const KEPT: usize = 32;

/// The parsed files of one home.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// The most recently used stands last.
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    reading: Reading,
    value: Arc<dyn Any + Send + Sync>,
}

/// A file's bytes and what is known of their age.
#[derive(Debug)]
pub(super) struct Reading {
    handle: Handle,
    stat: Stat,
    /// Kept while the file is too young to be told by its times.
    bytes: Option<Vec<u8>>,
}

/// What a look at a file found.
pub(super) enum Look<T> {
    Missing,
    Known(Arc<T>),
    /// Bytes that are to be parsed and then kept.
    Fresh(Vec<u8>, Reading),
}

impl Cache {
    /// Looks at `path`, under its lock; parsing is the caller's, and needs no lock.
    pub(super) fn look<T: Send + Sync + 'static>(&self, fs: &dyn Fs, path: &Path) -> Result<Look<T>> {
        let failed = |cause: io::Error| Error::io("read", path, &cause);
        let stat = match fs.stat_path(path) {
            Ok(stat) => stat,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Look::Missing),
            Err(cause) => return Err(failed(cause)),
        };
        let known = {
            let mut entries = self.lock();
            let place = entries.iter().position(|entry| entry.path == path && entry.reading.stat == stat);
            place.map(|place| entries.remove(place))
        };
        if let Some(mut entry) = known
            && let Ok(value) = Arc::clone(&entry.value).downcast::<T>()
            && entry.reading.still_says(fs).map_err(failed)?
        {
            self.lock().push(entry);
            return Ok(Look::Known(value));
        }
        let handle = fs.open(path, Open::Read).map_err(failed)?;
        let stat = fs.stat(&handle).map_err(failed)?;
        let bytes = fs.read(&handle).map_err(failed)?;
        let kept = (!is_settled(fs, &stat)).then(|| bytes.clone());
        Ok(Look::Fresh(bytes, Reading { handle, stat, bytes: kept }))
    }

    /// Keeps what `reading` was parsed into.
    pub(super) fn keep<T: Send + Sync + 'static>(&self, path: &Path, reading: Reading, value: &Arc<T>) {
        let mut entries = self.lock();
        entries.retain(|entry| entry.path != path);
        if entries.len() >= KEPT {
            entries.remove(0);
        }
        entries.push(Entry { path: path.to_owned(), reading, value: Arc::clone(value) as Arc<dyn Any + Send + Sync> });
    }

    /// Keeps what was just written through `handle`, still under the lock: nobody needs to parse it again.
    pub(super) fn keep_written<T: Send + Sync + 'static>(
        &self,
        fs: &dyn Fs,
        path: &Path,
        handle: Handle,
        bytes: Vec<u8>,
        value: &Arc<T>,
    ) {
        match fs.stat(&handle) {
            Ok(stat) => self.keep(path, Reading { handle, stat, bytes: Some(bytes) }, value),
            // Only a cache: the next reader parses the file.
            Err(_) => self.lock().retain(|entry| entry.path != path),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reading {
    /// Whether the file still holds the bytes that were parsed, given that its [`Stat`] is the same.
    fn still_says(&mut self, fs: &dyn Fs) -> io::Result<bool> {
        let Some(bytes) = &self.bytes else { return Ok(true) };
        let settled = is_settled(fs, &self.stat);
        let same = fs.read(&self.handle)? == *bytes;
        if settled {
            self.bytes = None;
        }
        Ok(same)
    }
}

fn is_settled(fs: &dyn Fs, stat: &Stat) -> bool {
    let now = fs.now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().cast_signed());
    let last = stat.modified.max(stat.changed);
    now - last >= SETTLED_AFTER.as_nanos().cast_signed()
}
