//! Durable files: atomic replace, append, locks, and one trait over the system calls.
//!
//! Two kinds of file stand here. A [`DocumentFile`] is one JSON document that is replaced as a whole; a
//! [`JournalFile`] is a list of JSON lines that grows at its end. Both promise:
//!
//! - A write that returned `Ok` survives kill -9 and power loss; any other is wholly there or wholly absent.
//! - Writers of every process take the same advisory lock (`NAME.lock` through the turnstile `NAME.gate`), in the
//!   order in which they came, with a time-out, and the error names the holder.
//! - A file that does not parse is never overwritten, and fields that this version does not know are kept. Only
//!   `examine` brings such a file back, when it is told to, and keeps it as it was beside itself first.
//! - What a host wrote comes in only as [`Sealed`](crate::safety::Sealed).
//!
//! Every system call goes through [`Fs`], so that tests can record and break each of them ([`Recording`],
//! [`Faulty`]).

mod aside;
mod cache;
mod diagnosis;
mod document;
mod durable;
mod examine;
mod extent;
mod faulty;
mod fields;
mod journal;
mod lock;
mod observed;
mod real;
mod record;
mod recording;
mod salvage;
mod seam;
mod stored;
mod wait;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use document::{Document, DocumentFile, Shape};
pub use faulty::{Fault, Faulty};
pub use fields::Fields;
pub use journal::{Journal, JournalFile, Limits, Line};
pub use lock::{Guard, Mode};
pub use real::RealFs;
pub use record::RecordFile;
pub use recording::{Recording, Step};
pub use seam::{Fs, Handle, Kind, Open, Stat, Sync};
pub use stored::Stored;
pub use wait::{Cancel, Turn, Turns, Wait};

use cache::Look;

use crate::error::{Error, Result};

/// The files of one home: the system calls, the locks held and the files parsed.
#[derive(Debug)]
pub struct Disk {
    fs: Arc<dyn Fs>,
    /// The folder that all data files lie in.
    root: PathBuf,
    locks: lock::Locks,
    cache: cache::Cache,
    /// Files whose litter this process has looked for.
    swept: Mutex<HashSet<PathBuf>>,
}

impl Disk {
    /// A disk of the data files below `root`, over these system calls.
    pub fn new(fs: Arc<dyn Fs>, root: &Path) -> Self {
        Disk {
            locks: lock::Locks::new(Arc::clone(&fs)),
            cache: cache::Cache::default(),
            swept: Mutex::default(),
            root: root.to_owned(),
            fs,
        }
    }

    /// The bytes of a small file that is only read, such as the configuration; `None` when there is none.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn read_if_there(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let read = self.fs.open(path, Open::Read).and_then(|handle| match self.fs.stat(&handle)?.kind {
            Kind::File => self.fs.read(&handle),
            _ => Err(std::io::Error::other("it is no regular file")),
        });
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::io("read", path, &cause)),
        }
    }

    /// What stands at `path`, links followed; `None` when nothing does.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn kind_of(&self, path: &Path) -> Result<Option<Kind>> {
        match self.fs.stat_target(path) {
            Ok(stat) => Ok(Some(stat.kind)),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::io("look at", path, &cause)),
        }
    }

    /// What is in a folder, by name; nothing when there is no such folder.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn entries(&self, folder: &Path) -> Result<Vec<(OsString, Stat)>> {
        let mut names = match self.fs.list(folder) {
            Ok(names) => names,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => return Err(Error::io("list", folder, &cause)),
        };
        names.sort();
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            match self.fs.stat_path(&folder.join(&name)) {
                Ok(stat) => entries.push((name, stat)),
                // Removed since it was listed.
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Err(Error::io("look at", &folder.join(&name), &cause)),
            }
        }
        Ok(entries)
    }

    /// `path` without links and dots.
    ///
    /// # Errors
    /// The system call's own: what it means is for the caller to say.
    pub fn canonical(&self, path: &Path) -> std::io::Result<PathBuf> {
        self.fs.canonical(path)
    }

    /// Whether anything at all has this name, a dangling link too.
    pub fn has_entry(&self, path: &Path) -> bool {
        self.fs.stat_path(path).is_ok()
    }

    /// What the file was parsed into, parsed again when it changed since; the default when there is none. A reader gives
    /// its guard away: it is dropped as soon as the bytes are there, before they are parsed.
    fn load<T: Default + Send + std::marker::Sync + 'static>(
        &self,
        path: &Path,
        guard: Option<Guard>,
        parse: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Arc<T>> {
        let look = self.cache.look::<T>(&*self.fs, path)?;
        drop(guard);
        match look {
            Look::Missing => Ok(Arc::default()),
            Look::Known(parsed) => Ok(parsed),
            Look::Fresh(bytes, reading) => {
                let parsed = Arc::new(parse(&bytes)?);
                self.cache.keep(path, reading, &parsed);
                Ok(parsed)
            }
        }
    }

    /// Makes the folders of a data file that is not there yet. Before its lock, which lies in the same folder.
    fn make_way(&self, target: &Path) -> Result<()> {
        match self.fs.stat_path(target) {
            Ok(_) => Ok(()),
            Err(_) => durable::create_folders(&*self.fs, durable::folder_of(target)?, &self.root),
        }
    }

    /// Puts `bytes` in the place of `target`, wholly or not at all, and durably. Under its lock.
    fn replace(&self, target: &Path, bytes: &[u8]) -> Result<Handle> {
        self.sweep_once(target);
        durable::replace(&*self.fs, target, bytes).inspect_err(|_| {
            // It may have left a file behind: the next write looks once more.
            self.swept.lock().unwrap_or_else(PoisonError::into_inner).remove(target);
        })
    }

    /// Removes what a writer of `target` left when it died, the first time this process writes it. Under its lock.
    fn sweep_once(&self, target: &Path) {
        let is_first = self.swept.lock().unwrap_or_else(PoisonError::into_inner).insert(target.to_owned());
        if is_first {
            durable::sweep_litter(&*self.fs, target);
        }
    }
}
