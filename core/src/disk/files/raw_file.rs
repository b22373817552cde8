//! What a room that keeps a file of another kind, such as a database, needs of the disk beside locks: files moved, removed
//! and held. Whatever changes something is called under the exclusive lock.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::quarantine;
use crate::disk::Disk;
use crate::disk::fs::seam::{Handle, Open, Sync, if_there};
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};

impl Disk {
    /// Moves a damaged file out of its place, durably, to `NAME.damaged`, `NAME.damaged-2` and so on. Returns where it is.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn quarantine(&self, _: &Guard, path: &Path) -> Result<PathBuf> {
        quarantine::move_away(self, path)
    }

    /// Gives a file another name, durably, after what it holds is durable.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn rename(&self, guard: &Guard, from: &Path, to: &Path) -> Result<()> {
        let synced = self.fs.open(from, Open::Read).and_then(|handle| self.fs.sync(&handle, Sync::All));
        synced.map_err(|cause| Error::io("sync", from, &cause))?;
        guard.confirm()?;
        self.fs.rename(from, to).map_err(|cause| Error::io("rename", from, &cause))?;
        writing::sync_folder(&*self.fs, writing::folder_of(to)?)
    }

    /// Holds these bytes of a file with a shared lock, until the handle is dropped. Where there are no such locks the file is
    /// only open: closing it at once would drop the locks of others.
    pub(crate) fn pin(&self, path: &Path, bytes: Range<u64>) -> Option<Handle> {
        let handle = self.fs.open(path, Open::Read).ok()?;
        let _ = self.fs.pin(&handle, bytes);
        Some(handle)
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn remove(&self, _: &Guard, path: &Path) -> Result<()> {
        if_there(self.fs.remove(path)).map(drop).map_err(|cause| Error::io("remove", path, &cause))
    }
}
