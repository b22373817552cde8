//! Operations for a room with another kind of file, such as a database: moving, removing and pinning files. The exclusive lock
//! must be held for those that change something.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::quarantine;
use crate::disk::Disk;
use crate::disk::fs::names::beside;
use crate::disk::fs::seam::{Handle, Open, if_there};
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};

impl Disk {
    /// Renames a damaged file durably to `NAME.damaged`, `NAME.damaged-2` and so on. Returns its new path.
    pub(crate) fn quarantine(&self, _: &Guard, path: &Path) -> Result<PathBuf> {
        quarantine::move_away(self, path)
    }

    /// Renames a file durably, after syncing its contents.
    pub(crate) fn rename(&self, guard: &Guard, from: &Path, to: &Path) -> Result<()> {
        writing::sync_file(&*self.fs, from)?;
        guard.confirm()?;
        self.fs.rename(from, to).map_err(|cause| Error::io("rename", from, &cause))?;
        writing::sync_folder(&*self.fs, writing::folder_of(to)?)
    }

    /// Makes `path` an empty file of mode 0600, durably, after removing the files beside it that `suffixes` name.
    pub(crate) fn create_empty(&self, guard: &Guard, path: &Path, suffixes: &[&str]) -> Result<()> {
        for stale in suffixes.iter().map(|suffix| beside(path, suffix)) {
            if_there(self.fs.remove(&stale)).map_err(|cause| Error::io("remove", &stale, &cause))?;
        }
        self.replace(guard, path, b"").map(drop)
    }

    /// Takes a shared lock on these bytes of a file until the handle is dropped. On systems without such locks the file is only
    /// kept open: closing it at once would release the POSIX locks of other connections in this process.
    pub(crate) fn pin(&self, path: &Path, bytes: Range<u64>) -> Option<Handle> {
        let handle = self.fs.open(path, Open::Read).ok()?;
        let _ = self.fs.pin(&handle, bytes);
        Some(handle)
    }

    /// Removes a file if it exists.
    pub(crate) fn remove(&self, _: &Guard, path: &Path) -> Result<()> {
        if_there(self.fs.remove(path)).map(drop).map_err(|cause| Error::io("remove", path, &cause))
    }
}
