//! Files of a folder that other programs write too, such as that of an agent: many are replaced or removed at once.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::disk::fs::folders::check_folders;
use crate::disk::fs::seam::{Handle, Kind, Open, Sync, if_there};
use crate::disk::fs::writing::{create_folders, create_temp, folder_of, open_folder, sync_open_folder, write_all};
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};

/// A file, and its new contents; without them, it is removed.
pub(crate) type FileChange = (PathBuf, Option<Vec<u8>>);

/// New contents, not yet in place.
struct Written<'c> {
    temp: PathBuf,
    handle: Handle,
    target: &'c Path,
}

impl Disk {
    /// Replaces and removes files below `top`, each atomically, and all durably when this returns. Folders are created, and
    /// those that become empty are removed. Links are neither followed nor replaced. New files are prepared in the folder
    /// `staging`, which has to be on the same file system. The lock that `guard` holds is for both folders.
    ///
    /// # Errors
    /// `IOError`; then some files may have been replaced.
    pub(crate) fn change_files(&self, _: &Guard, staging: &Path, top: &Path, changes: &[FileChange]) -> Result<()> {
        let mut written = Vec::new();
        for (path, contents) in changes {
            self.check_way(top, path)?;
            match contents {
                Some(contents) => written.push(self.stage(staging, top, path, contents)?),
                None => self.remove_with_folders(top, path)?,
            }
        }
        // Together, which costs the file system less than one by one.
        for Written { temp, handle, .. } in &written {
            self.fs.sync(handle, Sync::All).map_err(|cause| Error::io("sync", temp, &cause))?;
        }
        for Written { temp, target, .. } in &written {
            self.fs.rename(temp, target).map_err(|cause| Error::io("replace", target, &cause))?;
        }
        self.sync_changed_folders(top, changes)
    }

    /// Removes everything from the folder in which [`change_files`](Self::change_files) prepares files.
    pub(crate) fn clear_staging(&self, _: &Guard, staging: &Path) {
        if self.check_folder(staging).is_err() {
            return;
        }
        for name in self.fs.list(staging).unwrap_or_default() {
            // Harmless: what cannot be removed is left to the next call.
            let _ = self.fs.remove(&staging.join(name));
        }
    }

    /// Makes those of these files durable that exist, with their names.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn sync_existing(&self, files: &[PathBuf]) -> Result<()> {
        let mut folders = BTreeSet::new();
        for path in files {
            let opened = if_there(self.fs.open(path, Open::Read)).map_err(|cause| Error::io("open", path, &cause))?;
            if let Some(handle) = opened {
                self.fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", path, &cause))?;
                folders.extend(path.ancestors().skip(1).take(2));
            }
        }
        folders.into_iter().try_for_each(|folder| sync_open_folder(&*self.fs, &open_folder(&*self.fs, folder)?))
    }

    /// Reads a regular file below `top`, through folders that are no links; `None` if it is not there.
    ///
    /// # Errors
    /// `IOError`, also for a file of more than `limit` bytes.
    pub(crate) fn read_plain(&self, top: &Path, relative: &str, limit: u64) -> Result<Option<Vec<u8>>> {
        let path = top.join(relative);
        match self.check_folders_to(top, &path) {
            Err(Some(refused)) => return Err(refused),
            Err(None) => return Ok(None),
            Ok(()) => {}
        }
        let read = if_there(self.fs.open(&path, Open::Read).and_then(|handle| self.fs.read(&handle, limit)));
        read.map_err(|cause| Error::io("read", &path, &cause))
    }

    /// Refuses a path that leads through a link; without an error, if one of its folders is a file or does not exist.
    fn check_folders_to(&self, top: &Path, path: &Path) -> std::result::Result<(), Option<Error>> {
        let above: Vec<&Path> = folders_below(top, path).chain([top]).collect();
        for folder in above.into_iter().rev() {
            match if_there(self.fs.stat_path(folder)) {
                Ok(Some(stat)) if stat.kind == Kind::Folder => {}
                Ok(None) => return Err(None),
                Ok(Some(stat)) if stat.kind == Kind::File => return Err(None),
                Ok(Some(_)) => {
                    return Err(Some(Error::io("use the folder", folder, &io::Error::other("it is a symbolic link"))));
                }
                Err(cause) => return Err(Some(Error::io("stat", folder, &cause))),
            }
        }
        Ok(())
    }

    /// Refuses a path that leads through a link, or at which there is anything but a file.
    fn check_way(&self, top: &Path, path: &Path) -> Result<()> {
        check_folders(&*self.fs, folder_of(top)?, folder_of(path)?)?;
        match if_there(self.fs.stat_path(path)) {
            Ok(Some(stat)) if stat.kind != Kind::File => {
                Err(Error::io("replace", path, &io::Error::other("it is not a regular file")))
            }
            Ok(_) => Ok(()),
            Err(cause) => Err(Error::io("stat", path, &cause)),
        }
    }

    fn stage<'c>(&self, staging: &Path, top: &Path, target: &'c Path, contents: &[u8]) -> Result<Written<'c>> {
        create_folders(&*self.fs, folder_of(target)?, top)?;
        create_folders(&*self.fs, staging, staging)?;
        let (temp, handle) = create_temp(&*self.fs, staging, Path::new("file"))?;
        write_all(&*self.fs, &handle, contents)?;
        Ok(Written { temp, handle, target })
    }

    fn remove_with_folders(&self, top: &Path, path: &Path) -> Result<()> {
        if_there(self.fs.remove(path)).map_err(|cause| Error::io("remove", path, &cause))?;
        for folder in folders_below(top, path) {
            // It holds something else.
            if self.fs.remove_folder(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Makes names durable, also of folders that were created or removed.
    fn sync_changed_folders(&self, top: &Path, changes: &[FileChange]) -> Result<()> {
        let folders: BTreeSet<&Path> =
            changes.iter().flat_map(|(path, _)| folders_below(top, path)).chain([top]).collect();
        for folder in folders {
            if if_there(self.fs.stat_path(folder)).is_ok_and(|stat| stat.is_some()) {
                sync_open_folder(&*self.fs, &open_folder(&*self.fs, folder)?)?;
            }
        }
        Ok(())
    }
}

/// The folders above `path` that are below `top`, the nearest first.
fn folders_below<'p>(top: &'p Path, path: &'p Path) -> impl Iterator<Item = &'p Path> {
    path.ancestors().skip(1).take_while(move |folder| folder.starts_with(top) && *folder != top)
}
