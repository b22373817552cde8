//! What may be in the place of a file or a folder of a home: a regular file, and a folder that is not a link.
//!
//! A link would have other programs' files read, written and swept as if they were a home's own, and a pipe or a device
//! would hold up a call. Files are checked where they are opened ([`Fs::open`]); this checks the folders that lead to
//! them. The home itself, and what is above it, may be links: where a home is kept is its owner's choice.

use std::io;
use std::path::Path;

use super::Disk;
use super::lock::Guard;
use super::seam::{Fs, Kind, if_there};
use crate::error::{Error, Result};

/// Refuses a path below `root` that leads through anything but folders, up to `folder` itself. What does not exist yet
/// is fine.
///
/// # Errors
/// `IOError` naming the first folder that is not one.
pub(super) fn check_folders(fs: &dyn Fs, root: &Path, folder: &Path) -> Result<()> {
    let Ok(below) = folder.strip_prefix(root) else { return Ok(()) };
    let mut path = root.to_owned();
    for name in below {
        path.push(name);
        let stat = if_there(fs.stat_path(&path)).map_err(|cause| Error::io("look at", &path, &cause))?;
        match stat.map(|stat| stat.kind) {
            None => return Ok(()),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => {
                return Err(Error::io(
                    "use the folder",
                    &path,
                    &io::Error::other("it is a link, and links are not followed"),
                ));
            }
            Some(Kind::File | Kind::Other) => {
                return Err(Error::io("use the folder", &path, &io::ErrorKind::NotADirectory.into()));
            }
        }
    }
    Ok(())
}

impl Disk {
    /// As [`check_folders`], for a folder of this home.
    pub(super) fn check_folder(&self, folder: &Path) -> Result<()> {
        check_folders(&*self.fs, &self.root, folder)
    }

    /// As [`check_folders`], for a data file of this home that is used without its lock.
    pub(super) fn check_folders_of(&self, file: &Path) -> Result<()> {
        file.parent().map_or(Ok(()), |folder| self.check_folder(folder))
    }

    /// As [`check_folders_of`](Self::check_folders_of), under the guard of the file's own lock. A lock that is held is
    /// known to be the file beside it, so that the way there was checked when it was opened.
    pub(super) fn check_folders_under(&self, guard: &Guard, file: &Path) -> Result<()> {
        if guard.is_flock() { Ok(()) } else { self.check_folders_of(file) }
    }

    /// As [`check_folders`], for a file in a folder whose lock is beside it, and held.
    pub(super) fn check_within(&self, folder: &Path, file: &Path) -> Result<()> {
        let (Some(above), Some(within)) = (folder.parent(), file.parent()) else { return Ok(()) };
        check_folders(&*self.fs, above, within)
    }
}
