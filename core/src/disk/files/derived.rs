//! Files that are derived from others and can be made again: replaced atomically but not durably, and mapped when they are read.

use std::path::Path;

use crate::disk::Disk;
use crate::disk::fs::seam::{Mapped, Open};
use crate::disk::fs::writing::{create_folders, create_temp, folder_of, sweep_litter, write_all};
use crate::error::{Error, Result};

impl Disk {
    /// Maps a derived file; `None` if it does not exist or cannot be read.
    pub(crate) fn map_derived(&self, path: &Path) -> Option<Mapped> {
        self.check_folders_of(path).ok()?;
        let handle = self.fs.open(path, Open::Read).ok()?;
        self.fs.map(&handle).ok()
    }

    /// Removes a derived file. Whether that works does not matter.
    pub(crate) fn remove_derived(&self, path: &Path) {
        if self.check_folders_of(path).is_ok() {
            let _ = self.fs.remove(path);
        }
    }

    /// Replaces a derived file. No lock is taken: of two writers, the last one wins.
    ///
    /// # Errors
    /// `IOError`; then the old file is unchanged.
    pub(crate) fn write_derived(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.check_folders_of(path)?;
        let folder = folder_of(path)?;
        let fs = &*self.fs;
        create_folders(fs, folder, &self.root)?;
        // This may remove the temporary file of another writer, which then fails; either file would do.
        sweep_litter(fs, path);
        let (temp, handle) = create_temp(fs, folder, path)?;
        let written = write_all(fs, &handle, bytes);
        let renamed = written.and_then(|()| fs.rename(&temp, path).map_err(|cause| Error::io("rename", &temp, &cause)));
        renamed.inspect_err(|_| drop(fs.remove(&temp)))
    }
}
