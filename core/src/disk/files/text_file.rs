//! Text files that people and other programs read: replaced as a whole, one by one, under a lock that the caller holds.

use std::io;
use std::path::{Path, PathBuf};

use super::quarantine;
use crate::disk::Disk;
use crate::disk::fs::seam::{Kind, if_there};
use crate::disk::fs::writing::{create_folders, folder_of, is_litter, sync_folder};
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};
use crate::safety::SealedText;

impl Disk {
    /// Creates a folder, if necessary.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn make_folder(&self, folder: &Path) -> Result<()> {
        self.check_folder(folder)?;
        create_folders(&*self.fs, folder, &self.root)
    }

    /// Replaces a text file atomically and durably, and creates the folders above it if necessary.
    ///
    /// # Errors
    /// `IOError`, also for anything but a regular file; `RenameError`.
    pub(crate) fn put_text(&self, guard: &Guard, path: &Path, text: &SealedText) -> Result<()> {
        self.check_folders_of(path)?;
        if self.stat(path)?.is_some_and(|stat| stat.kind != Kind::File) {
            let cause = io::Error::other("it is not a regular file");
            return Err(Error::io("replace", path, &cause));
        }
        create_folders(&*self.fs, folder_of(path)?, &self.root)?;
        self.put_bare(guard, path, text.as_str().as_bytes()).map(drop)
    }

    /// Removes the temporary files that dead writers of text files with this extension left in `folder`.
    pub(crate) fn sweep_texts(&self, _: &Guard, folder: &Path, extension: &str) {
        let Ok(Some(names)) = self.list_foreign(folder) else { return };
        for name in &names {
            let Some(text) = name.to_str() else { continue };
            let target = text.match_indices(extension).map(|(at, found)| &text[..at + found.len()]);
            if target.into_iter().any(|target| is_litter(target, name)) {
                // Harmless: what cannot be removed is left to the next writer.
                let _ = self.fs.remove(&folder.join(name));
            }
        }
    }

    /// Removes a text file durably, if it exists.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn remove_text(&self, guard: &Guard, path: &Path) -> Result<()> {
        self.check_folders_of(path)?;
        self.remove(guard, path)?;
        match if_there(self.fs.stat_path(folder_of(path)?)) {
            Ok(Some(_)) => sync_folder(&*self.fs, folder_of(path)?),
            _ => Ok(()),
        }
    }

    /// Renames a text file that somebody else changed to `NAME.edited`, `NAME.edited-2` and so on, durably. Returns its new
    /// path.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn set_aside(&self, _: &Guard, path: &Path) -> Result<PathBuf> {
        let name = quarantine::unused_name(self, path, ".edited")?;
        self.fs.rename(path, &name).map_err(|cause| Error::io("move aside", path, &cause))?;
        sync_folder(&*self.fs, folder_of(path)?)?;
        Ok(name)
    }

    /// Moves a file or a folder to a place where there is nothing yet, durably. Returns whether there was nothing.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn move_new(&self, _: &Guard, from: &Path, to: &Path) -> Result<bool> {
        self.check_folders_of(from)?;
        self.check_folders_of(to)?;
        if self.has_entry(to) {
            return Ok(false);
        }
        self.fs.rename(from, to).map_err(|cause| Error::io("move", from, &cause))?;
        sync_folder(&*self.fs, folder_of(to)?)?;
        sync_folder(&*self.fs, folder_of(from)?)?;
        Ok(true)
    }
}
