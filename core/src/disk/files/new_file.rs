//! A file that loopmem writes for the user, once, at a path that the user chose.

use std::io;
use std::path::Path;

use crate::disk::Disk;
use crate::disk::fs::seam::{Open, Sync};
use crate::disk::fs::writing::{folder_of, sync_folder, write_all};
use crate::error::{Error, Result};

impl Disk {
    /// Writes a new file durably.
    ///
    /// # Errors
    /// `ValidationError` if there is something at `path`; `IOError`.
    pub(crate) fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let fs = &*self.fs;
        let handle = fs.open(path, Open::CreateNew).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => {
                Error::validation(format!("{} exists already; choose another path", path.display())).at(path)
            }
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidFilename => {
                let refused = format!("{} is not a path of a new file in an existing folder", path.display());
                Error::validation(refused).at(path).because_of(&cause)
            }
            _ => Error::io("create", path, &cause),
        })?;
        let synced = || fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", path, &cause));
        let written = write_all(fs, &handle, bytes).and_then(|()| synced());
        // A part of a file must not look like all of it.
        written.inspect_err(|_| drop(fs.remove(path)))?;
        let folder = folder_of(path)?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        sync_folder(fs, folder).map_err(Error::maybe_stored)
    }
}
