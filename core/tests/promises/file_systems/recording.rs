//! A file system that records its calls, so that a test can count syncs and reconstruct what a crash would leave.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use loopmem::testing::disk::{Fs, Open, RealFs, Sync};

use super::lock;
use super::observed::{Call, FsLimitation, Observed, Watcher};

/// One call that may change something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A file was opened in a mode that may create it.
    Create(PathBuf, Open),
    /// Bytes were written to a file.
    Write(PathBuf, Vec<u8>),
    /// A file was synced.
    Sync(PathBuf, Sync),
    /// A folder was synced.
    SyncFolder(PathBuf),
    /// A file's mode was set.
    SetMode(PathBuf, u32),
    /// A file was renamed.
    Rename(PathBuf, PathBuf),
    /// A file was removed.
    Remove(PathBuf),
    /// A folder was created.
    CreateFolder(PathBuf),
}

/// Records the steps of every call made through [`Recording::fs`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording {
    steps: Arc<Mutex<Vec<Step>>>,
    limitation: Option<FsLimitation>,
}

impl Recording {
    /// Creates a recording on a file system with this limitation.
    pub(crate) fn with_limitation(limitation: FsLimitation) -> Self {
        Recording { limitation: Some(limitation), ..Recording::default() }
    }

    /// The real file system, recorded.
    pub(crate) fn fs(&self) -> Arc<dyn Fs> {
        self.on(Arc::new(RealFs))
    }

    /// `fs`, recorded.
    pub(crate) fn on(&self, fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
        Arc::new(Observed { fs, watcher: self.clone() })
    }

    /// Takes the steps recorded so far.
    pub(crate) fn take(&self) -> Vec<Step> {
        std::mem::take(&mut *lock(&self.steps))
    }
}

impl Watcher for Recording {
    fn before(&self, fs: &dyn Fs, call: Call<'_>) -> io::Result<Option<usize>> {
        self.limitation.map_or(Ok(()), |limitation| limitation.check(fs, call))?;
        let step = match call {
            Call::Open(path, how @ (Open::Append | Open::CreateNew | Open::Overwrite | Open::CreateLock)) => {
                Step::Create(path.to_owned(), how)
            }
            Call::Write(path, bytes) => Step::Write(path.to_owned(), bytes.to_owned()),
            Call::Sync(path, what) => Step::Sync(path.to_owned(), what),
            Call::SyncFolder(path) => Step::SyncFolder(path.to_owned()),
            Call::SetMode(path, mode) => Step::SetMode(path.to_owned(), mode),
            Call::Rename(from, to) => Step::Rename(from.to_owned(), to.to_owned()),
            Call::Remove(path) => Step::Remove(path.to_owned()),
            Call::CreateFolder(path) => Step::CreateFolder(path.to_owned()),
            Call::Open(..) | Call::Read | Call::Stat | Call::Lock => return Ok(None),
        };
        lock(&self.steps).push(step);
        Ok(None)
    }
}
