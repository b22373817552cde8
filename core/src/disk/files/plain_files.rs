//! Files without a format of loopmem's: those that people and other programs read or write too, such as those of an agent,
//! the databases of a room, and what is derived from other files.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::disk::Disk;
use crate::disk::fs::real::FILE_MODE;
use crate::disk::fs::seam::{Fs, Handle, Kind, Open, Stat, Sync, if_there, read_exactly};
use crate::disk::fs::writing::{
    beside, check_folders, create_folders, create_folders_of_home, create_temp, folder_of, is_litter, open_folder,
    sweep_litter, sync_file, sync_folder, sync_folders, sync_open_folder, write_all,
};
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::safety::{SealedObject, SealedText};
use crate::segments::{Bytes, Source};

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
    /// When it was changed last, if that is not now.
    pub(crate) modified: Option<SystemTime>,
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
        self.sync_changed_folders(top, changes).map_err(Error::maybe_stored)?;
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

    /// Removes a folder of loopmem's own with everything in it, if it exists. Links are removed, not followed.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn remove_tree(&self, folder: &Path) -> Result<()> {
        self.check_folder(folder)?;
        let (mut below, mut folders) = (vec![folder.to_owned()], Vec::new());
        while let Some(folder) = below.pop() {
            for (name, stat) in self.entries(&folder)? {
                let path = folder.join(name);
                match stat.kind {
                    Kind::Folder => below.push(path),
                    _ => self.fs.remove(&path).map_err(|cause| Error::io("remove", &path, &cause))?,
                }
            }
            folders.push(folder);
        }
        for folder in folders.iter().rev() {
            let removed = if_there(self.fs.remove_folder(folder).map(Some));
            removed.map_err(|cause| Error::io("remove", folder, &cause))?;
        }
        Ok(())
    }

    /// Makes the names of a folder and of those above it durable, up to that of the home, also those that others created.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn sync_names(&self, folder: &Path) -> Result<()> {
        sync_folders(&*self.fs, folder, &self.root)
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

    /// Makes files durable that somebody else has written, with their names and those of the folders between them and
    /// `top`. Returns those that are not there.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn sync_files(&self, top: &Path, files: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>> {
        let (mut folders, mut missing) = (BTreeSet::new(), Vec::new());
        for path in files {
            let opened = match self.fs.open(&path, Open::Read) {
                Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    missing.push(path);
                    continue;
                }
                opened => opened,
            };
            let synced = opened.and_then(|handle| self.fs.sync(&handle, Sync::All));
            synced.map_err(|cause| Error::io("sync", &path, &cause))?;
            folders.extend(path.ancestors().skip(1).take_while(|folder| folder.starts_with(top)).map(Path::to_owned));
        }
        folders.iter().try_for_each(|folder| sync_open_folder(&*self.fs, &open_folder(&*self.fs, folder)?))?;
        Ok(missing)
    }

    /// Reads a regular file below `top`, through folders that are no links; `None` if it is not there.
    ///
    /// # Errors
    /// `IOError`, also for a file of more than `limit` bytes.
    pub(crate) fn read_plain(&self, top: &Path, relative: impl AsRef<Path>, limit: u64) -> Result<Option<Vec<u8>>> {
        self.with_plain(&top.join(relative), top, |handle| self.fs.read(handle, limit))
    }

    /// As [`read_plain`](Self::read_plain), but only the first `length` bytes, or fewer if the file ends before.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn read_plain_start(&self, top: &Path, relative: &Path, length: usize) -> Result<Option<Vec<u8>>> {
        self.with_plain(&top.join(relative), top, |handle| {
            let (mut bytes, mut end) = (vec![0; length], 0);
            while let Some(rest) = bytes.get_mut(end..).filter(|rest| !rest.is_empty()) {
                match self.fs.read_at(handle, rest, end as u64)? {
                    0 => break,
                    count => end += count,
                }
            }
            bytes.truncate(end);
            Ok(bytes)
        })
    }

    /// Reads from a regular file below `top`, through folders that are no links; `None` if it is not there.
    fn with_plain<T>(&self, path: &Path, top: &Path, read: impl Fn(&Handle) -> io::Result<T>) -> Result<Option<T>> {
        match self.check_folders_to(top, path) {
            Err(Some(refused)) => return Err(refused),
            Err(None) => return Ok(None),
            Ok(()) => {}
        }
        // A folder there holds other files.
        if self.stat_plain(path)?.is_none_or(|stat| stat.kind == Kind::Folder) {
            return Ok(None);
        }
        let read = if_there(self.fs.open(path, Open::Read).and_then(|handle| read(&handle)));
        read.map_err(|cause| Error::io("read", path, &cause))
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
        if let Some(time) = change.modified {
            self.fs.set_modified(&handle, time).map_err(|cause| Error::io("set the time of", &temp, &cause))?;
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

/// Text files that people and other programs read: replaced as a whole, one by one, under a lock that the caller holds.
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
            Ok(Some(_)) => sync_folder(&*self.fs, folder_of(path)?).map_err(Error::maybe_stored),
            _ => Ok(()),
        }
    }

    /// Renames a text file that somebody else changed to `NAME.edited`, `NAME.edited-2` and so on, durably. Returns its new
    /// path.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn set_aside(&self, guard: &Guard, path: &Path) -> Result<PathBuf> {
        self.move_beside(guard, path, ".edited")
    }

    /// Moves a file or a folder below `top` to a place below it where there is nothing yet, durably, and creates the folders above
    /// that. Returns whether there was nothing.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn move_within(&self, guard: &Guard, top: &Path, from: &Path, to: &Path) -> Result<bool> {
        if self.has_entry(to) {
            return Ok(false);
        }
        create_folders(&*self.fs, folder_of(to)?, top)?;
        self.sync_names(folder_of(to)?)?;
        self.move_new(guard, from, to)
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
        let synced = [to, from].into_iter().try_for_each(|path| sync_folder(&*self.fs, folder_of(path)?));
        synced.map_err(Error::maybe_stored)?;
        Ok(true)
    }
}

/// For a room with another kind of file, such as a database: moving, removing and pinning files. The exclusive lock must be held
/// for those that change something.
impl Disk {
    /// Renames a file durably, after syncing its contents.
    pub(crate) fn rename(&self, guard: &Guard, from: &Path, to: &Path) -> Result<()> {
        sync_file(&*self.fs, from)?;
        guard.confirm()?;
        self.fs.rename(from, to).map_err(|cause| Error::io("rename", from, &cause))?;
        sync_folder(&*self.fs, folder_of(to)?)
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

/// Files that are derived from others and can be made again: replaced atomically but not durably.
impl Disk {
    /// Opens a derived file; `None` if it does not exist or cannot be read.
    pub(crate) fn open_derived(&self, path: &Path) -> Option<Bytes> {
        self.check_folders_of(path).ok()?;
        let handle = self.fs.open(path, Open::Read).ok()?;
        let length = usize::try_from(self.fs.stat(&handle).ok()?.size).ok()?;
        Some(Box::new(DerivedFile { fs: Arc::clone(&self.fs), handle, length }))
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
        create_folders_of_home(fs, folder, &self.root, self.introduction)?;
        // This may remove the temporary file of another writer, which then fails; either file would do.
        sweep_litter(fs, path);
        let (temp, handle) = create_temp(fs, folder, path)?;
        let written = write_all(fs, &handle, bytes);
        let renamed = written.and_then(|()| fs.rename(&temp, path).map_err(|cause| Error::io("rename", &temp, &cause)));
        renamed.inspect_err(|_| drop(fs.remove(&temp)))
    }
}

/// An open derived file.
struct DerivedFile {
    fs: Arc<dyn Fs>,
    handle: Handle,
    /// When it was opened: it may be shorter by now if somebody else changed it.
    length: usize,
}

impl Source for DerivedFile {
    fn len(&self) -> usize {
        self.length
    }

    fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
        let mut bytes = vec![0; self.length.min(range.end).checked_sub(range.start)?];
        read_exactly(&*self.fs, &self.handle, &mut bytes, range.start as u64).ok()?;
        (bytes.len() == range.len()).then_some(bytes)
    }
}

/// Files that the user asked for.
impl Disk {
    /// Replaces a file, atomically and durably, and keeps its mode. No lock is taken: it is the caller's own.
    ///
    /// # Errors
    /// `IOError`; then the old file is unchanged, unless the error says otherwise.
    pub(crate) fn replace_file(&self, path: &Path, text: &SealedText) -> Result<()> {
        let mode = self.fs.stat_path(path).map_err(|cause| Error::io("stat", path, &cause))?.mode;
        self.put_file(path, text.as_str().as_bytes(), Some(mode))
    }

    /// Writes a file that only its owner can read, atomically and durably, in place of any other. No lock is taken.
    ///
    /// # Errors
    /// As [`replace_file`](Self::replace_file).
    pub(crate) fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.put_file(path, bytes, None)
    }

    /// Puts a file in place of any other. By default, only its owner can read it.
    fn put_file(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> Result<()> {
        let fs = &*self.fs;
        let folder = folder_of(path)?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let (temp, handle) = create_temp(fs, folder, path)?;
        let replaced = write_all(fs, &handle, bytes).and_then(|()| {
            if let Some(mode) = mode {
                fs.set_mode(&handle, mode).map_err(|cause| Error::io("set the mode of", &temp, &cause))?;
            }
            fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", &temp, &cause))?;
            fs.rename(&temp, path).map_err(|cause| Error::io("replace", path, &cause))
        });
        replaced.inspect_err(|_| drop(fs.remove(&temp)))?;
        sync_folder(fs, folder).map_err(Error::maybe_stored)
    }

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

/// A TOML file that the user writes, to which loopmem appends a table only when asked to.
#[derive(Debug)]
pub struct UserFile<'d> {
    disk: &'d Disk,
    path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    default_timeout: Duration,
    /// The largest file, in bytes.
    limit: usize,
}

impl<'d> UserFile<'d> {
    /// The file at `path`, of at most `limit` bytes; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration, limit: usize) -> Self {
        UserFile { disk, path, default_timeout, limit }
    }

    /// Appends `[[table]]` with those of `keys` that `members` has. What is in the file stays, byte for byte. `check`
    /// sees the new contents before they are written.
    ///
    /// # Errors
    /// The error of `check`; `ValidationError` if the file is a link or would become too large; `LockAcquisitionError`,
    /// `Cancelled`, `IOError`, `RenameError`.
    pub fn append_table(
        &self,
        wait: &WaitOptions,
        table: &'static str,
        keys: &[&'static str],
        members: &SealedObject,
        check: impl FnOnce(&[u8]) -> Result<()>,
    ) -> Result<()> {
        self.disk.check_folders_of(&self.path)?;
        let guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.settle(&guard, &self.path)?;
        if !matches!(self.disk.stat(&self.path)?.map(|it| it.kind), None | Some(Kind::File)) {
            let refused = format!("{} is not a regular file; edit the file that it stands for", self.path.display());
            return Err(Error::validation(refused).at(&self.path));
        }
        let mut text = self.disk.read_if_there(&self.path, self.limit as u64)?.unwrap_or_default();
        if !text.is_empty() {
            text.extend_from_slice(if text.ends_with(b"\n") { b"\n" } else { b"\n\n" });
        }
        text.extend_from_slice(format!("[[{table}]]\n").as_bytes());
        for key in keys {
            // What JSON writes as a string is one in TOML too, but for this control character.
            if let Some(value) = members.get(key) {
                text.extend_from_slice(format!("{key} = {}\n", value.get().replace('\u{7f}', "\\u007f")).as_bytes());
            }
        }
        if text.len() > self.limit {
            let refused = format!("{} would grow over its limit of {} bytes", self.path.display(), self.limit);
            return Err(Error::validation(refused).at(&self.path));
        }
        check(&text)?;
        self.disk.replace(&guard, &self.path, &text).map(drop)
    }
}
