//! Files of a folder that other programs write too, such as that of an agent: many are replaced or removed at once.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;
use crate::disk::fs::folders::check_folders;
use crate::disk::fs::real::FILE_MODE;
use crate::disk::fs::seam::{Handle, Kind, Open, Stat, Sync, if_there};
use crate::disk::fs::writing::{create_folders, create_temp, folder_of, open_folder, sync_open_folder, write_all};
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};

/// A change of one file.
#[derive(Debug)]
pub(crate) struct FileChange {
    pub(crate) path: PathBuf,
    /// Its new contents; without them, it is removed.
    pub(crate) contents: Option<Vec<u8>>,
    /// What was there when the change was decided; `None` if nothing was.
    pub(crate) expected: Option<Stat>,
    /// Whether a new file may be run.
    pub(crate) is_executable: bool,
}

/// New contents, not yet in place.
struct Written<'c> {
    temp: PathBuf,
    handle: Handle,
    change: &'c FileChange,
}

impl Disk {
    /// Replaces and removes files below `top`, each atomically, and all durably when this returns. Folders are created,
    /// and those that become empty are removed. Links are neither followed nor replaced. New files are prepared in the
    /// folder `staging`, which has to be on the same file system. A file that somebody else has changed meanwhile stays
    /// as it is; those are returned. The lock that `guard` holds is for both folders.
    ///
    /// # Errors
    /// `IOError`; then some files may have been replaced.
    pub(crate) fn change_files(
        &self,
        _: &Guard,
        staging: &Path,
        top: &Path,
        changes: &[FileChange],
    ) -> Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        let mut written = Vec::new();
        let (removed, replaced): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.contents.is_none());
        for change in removed {
            self.check_way(top, &change.path)?;
            match self.is_expected(change)? {
                true => self.remove_with_folders(top, &change.path)?,
                false => changed.push(change.path.clone()),
            }
        }
        if !replaced.is_empty() {
            create_folders(&*self.fs, staging, staging)?;
        }
        let mut folders = BTreeSet::new();
        for change in replaced {
            self.make_way(top, &change.path)?;
            let folder = folder_of(&change.path)?;
            if folders.insert(folder) {
                create_folders(&*self.fs, folder, top)?;
            }
            written.push(self.stage(staging, change)?);
        }
        // Together, which costs the file system less than one by one.
        for Written { temp, handle, .. } in &written {
            self.fs.sync(handle, Sync::All).map_err(|cause| Error::io("sync", temp, &cause))?;
        }
        for Written { temp, change, .. } in &written {
            if self.is_expected(change)? {
                let target = &change.path;
                self.fs.rename(temp, target).map_err(|cause| Error::io("replace", target, &cause))?;
            } else {
                changed.push(change.path.clone());
            }
        }
        self.sync_changed_folders(top, changes)?;
        Ok(changed)
    }

    /// Whether the file is still what it was when the change was decided.
    fn is_expected(&self, change: &FileChange) -> Result<bool> {
        Ok(self.stat(&change.path)? == change.expected)
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

    /// Removes the folder in which [`change_files`](Self::change_files) prepares files, with what is in it.
    pub(crate) fn remove_staging(&self, guard: &Guard, staging: &Path) {
        self.clear_staging(guard, staging);
        let _ = self.fs.remove_folder(staging);
    }

    /// The file at `path` without following links; `None` if nothing is there, or it is below a file.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn stat_plain(&self, path: &Path) -> Result<Option<Stat>> {
        match if_there(self.fs.stat_path(path)) {
            Err(cause) if cause.kind() == io::ErrorKind::NotADirectory => Ok(None),
            stat => stat.map_err(|cause| Error::io("stat", path, &cause)),
        }
    }

    /// Makes files durable that somebody else has written, with their names.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn sync_files(&self, files: &[PathBuf]) -> Result<()> {
        let mut folders = BTreeSet::new();
        for path in files {
            let opened = self.fs.open(path, Open::Read);
            let synced = opened.and_then(|handle| self.fs.sync(&handle, Sync::All));
            synced.map_err(|cause| Error::io("sync", path, &cause))?;
            folders.insert(folder_of(path)?);
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
        // A folder there holds other files.
        if self.stat_plain(&path)?.is_none_or(|stat| stat.kind == Kind::Folder) {
            return Ok(None);
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
        match self.stat(path)? {
            Some(stat) if stat.kind != Kind::File => Err(not_regular(path)),
            _ => Ok(()),
        }
    }

    /// As [`check_way`](Self::check_way), but removes empty folders at the path.
    fn make_way(&self, top: &Path, path: &Path) -> Result<()> {
        check_folders(&*self.fs, folder_of(top)?, folder_of(path)?)?;
        match self.stat_plain(path)?.map(|stat| stat.kind) {
            Some(Kind::Folder) if !self.remove_empty(path) => {
                let cause = io::Error::other("a folder with other files is in its place; move or remove it");
                Err(Error::io("write the file", path, &cause))
            }
            Some(Kind::Link | Kind::Other) => Err(not_regular(path)),
            _ => Ok(()),
        }
    }

    /// Removes a folder in which there is no file; returns whether it is gone.
    fn remove_empty(&self, folder: &Path) -> bool {
        for name in self.fs.list(folder).unwrap_or_default() {
            let path = folder.join(name);
            let is_folder = self.fs.stat_path(&path).is_ok_and(|stat| stat.kind == Kind::Folder);
            if !is_folder || !self.remove_empty(&path) {
                return false;
            }
        }
        self.fs.remove_folder(folder).is_ok()
    }

    fn stage<'c>(&self, staging: &Path, change: &'c FileChange) -> Result<Written<'c>> {
        let (temp, handle) = create_temp(&*self.fs, staging, Path::new("file"))?;
        write_all(&*self.fs, &handle, change.contents.as_deref().unwrap_or_default())?;
        let mode = match &change.expected {
            Some(then) => then.mode,
            None if change.is_executable => FILE_MODE | 0o100,
            None => FILE_MODE,
        };
        if mode != FILE_MODE {
            self.fs.set_mode(&handle, mode).map_err(|cause| Error::io("set the mode of", &temp, &cause))?;
        }
        Ok(Written { temp, handle, change })
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
            changes.iter().flat_map(|change| folders_below(top, &change.path)).chain([top]).collect();
        for folder in folders {
            let is_there = |stat: Option<Stat>| stat.is_some_and(|stat| stat.kind == Kind::Folder);
            if self.stat_plain(folder).is_ok_and(is_there) {
                sync_open_folder(&*self.fs, &open_folder(&*self.fs, folder)?)?;
            }
        }
        Ok(())
    }
}

fn not_regular(path: &Path) -> Error {
    Error::io("replace", path, &io::Error::other("it is not a regular file"))
}

/// The folders above `path` that are below `top`, the nearest first.
fn folders_below<'p>(top: &'p Path, path: &'p Path) -> impl Iterator<Item = &'p Path> {
    path.ancestors().skip(1).take_while(move |folder| folder.starts_with(top) && *folder != top)
}
