//! Writing data files: the order of system calls that makes a write durable, and completing or removing what a dead writer
//! left. The exclusive lock must be held for everything here.
//!
//! Damaged data is kept beside its data file, so that nothing is lost: unfinished lines in `NAME.torn`, damaged files in
//! `NAME.damaged`, `NAME.damaged-2` and so on.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::text::MAX_LIST_BYTES;
use crate::disk::Disk;
use crate::disk::fs::copying;
use crate::disk::fs::real::FILE_MODE;
use crate::disk::fs::seam::{Handle, Kind, Open, Sync, if_there, unread};
use crate::disk::fs::writing::{
    beside, create_temp, folder_of, is_litter, open_folder, sweep_folder, sweep_litter, sync_file, sync_folder,
    sync_folders, sync_open_folder, write_all,
};
use crate::disk::locks::lock::Guard;
use crate::disk::locks::owner;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;
use crate::warning::Warning;

/// The suffix of a damaged file.
const DAMAGED: &str = ".damaged";

impl Disk {
    /// Replaces `target` by `bytes` atomically and durably.
    pub(in crate::disk) fn replace(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        self.sweep(guard, target);
        self.put(guard, target, bytes).inspect_err(|_| self.sweep_again(target))
    }

    /// Like [`replace`](Self::replace), if temporary files were already cleaned up.
    pub(in crate::disk) fn put(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        guard.leave_unfinished(true);
        // After a failure the new contents may nevertheless be what is read, from a copy beside the unchanged target.
        let replaced = self.put_bare(guard, target, bytes).inspect_err(|_| self.cache.forget(target))?;
        guard.leave_unfinished(false);
        Ok(replaced)
    }

    /// Like [`put`](Self::put), for a file that is neither cached nor appended to.
    ///
    /// A temporary file beside it is written, checked for its length, given the old file's mode, synced and renamed; then the
    /// folder is synced. The names of the folders above a new file are synced first. On any failure before the rename, the old
    /// file is unchanged and the temporary one is removed. If no file can be renamed onto `target`, it is overwritten in place
    /// (see [`copying`]), unless strong atomicity is configured.
    ///
    /// # Errors
    /// `IOError`, marked as possibly stored if the new file may already be there; `RenameError` if it could not be renamed.
    pub(in crate::disk) fn put_bare(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        let fs = &*self.fs;
        let folder = folder_of(target)?;
        let old = if_there(fs.stat_path(target)).map_err(|cause| Error::io("stat", target, &cause))?;
        if old.is_none() {
            sync_folders(fs, folder, &self.root)?;
        }
        let mode = old.map_or(FILE_MODE, |old| old.mode);
        let (temp, handle) = create_temp(fs, folder, target)?;
        let mut opened_folder = None;
        let mut prepare = || -> Result<()> {
            write_all(fs, &handle, bytes)?;
            let written = fs.stat(&handle).map_err(|cause| Error::io("stat", &temp, &cause))?;
            if written.size != bytes.len() as u64 {
                return Err(Error::io("write all of", &temp, &io::ErrorKind::WriteZero.into()));
            }
            if mode != FILE_MODE {
                fs.set_mode(&handle, mode).map_err(|cause| Error::io("set the mode of", &temp, &cause))?;
            }
            fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", &temp, &cause))?;
            // What is needed after the rename is opened before it: there may be no descriptor left later.
            opened_folder = Some(open_folder(fs, folder)?);
            guard.confirm()
        };
        let renamed = prepare().and_then(|()| match fs.rename(&temp, target) {
            Ok(()) => Ok(None),
            Err(cause) if copying::is_called_for(&cause) && !self.policy.strong_atomicity => {
                copying::over(fs, &temp, target, bytes).map(Some)
            }
            Err(cause) => {
                let message = format!("{} could not be renamed to {}", temp.display(), target.display());
                Err(Error::new(ErrorKind::Rename, message).at(target).because_of(&cause))
            }
        });
        match renamed {
            Ok(None) => {
                let opened = opened_folder.map_or_else(|| open_folder(fs, folder), Ok);
                let synced = opened.and_then(|opened| sync_open_folder(fs, &opened));
                // The new file is in place; whether it survives a crash is unknown.
                synced.map(|()| handle).map_err(Error::maybe_stored)
            }
            Ok(Some(copied)) => Ok(copied),
            Err(failed) => {
                // If this fails, the next writer removes it.
                let _ = fs.remove(&temp);
                Err(failed)
            }
        }
    }

    /// Has the next write of `target` clean up again: one that failed may have left a temporary file behind.
    pub(in crate::disk) fn sweep_again(&self, target: &Path) {
        lock(self.swept.get()).remove(target);
    }

    /// Appends `lines` to `target` durably.
    pub(in crate::disk) fn append(&self, guard: &Guard, target: &Path, lines: &[u8], is_new: bool) -> Result<Handle> {
        guard.leave_unfinished(true);
        let (file, before) = self.open_to_append(guard, target, is_new)?;
        self.append_or_restore(guard, &file, before, lines)?;
        guard.leave_unfinished(false);
        Ok(file)
    }

    /// Opens `target` for appending, and returns its length too. The names of a new file and of the folders above it are made
    /// durable first, so that every line found in the file can be relied on.
    fn open_to_append(&self, guard: &Guard, target: &Path, is_new: bool) -> Result<(Handle, u64)> {
        let fs = &*self.fs;
        let folder = folder_of(target)?;
        if is_new {
            sync_folders(fs, folder, &self.root)?;
        }
        guard.confirm()?;
        let handle = fs.open(target, Open::Append).map_err(|cause| Error::io("open", target, &cause))?;
        if is_new {
            sync_folder(fs, folder)?;
        }
        let before = fs.stat(&handle).map_err(|cause| Error::io("stat", target, &cause))?.size;
        Ok((handle, before))
    }

    /// Like [`append`](Self::append), for an open file that already existed and is `before` bytes long.
    pub(in crate::disk) fn append_to(&self, guard: &Guard, file: &Handle, before: u64, lines: &[u8]) -> Result<()> {
        guard.confirm()?;
        guard.leave_unfinished(true);
        self.append_or_restore(guard, file, before, lines)?;
        guard.leave_unfinished(false);
        Ok(())
    }

    /// Appends. After a failure it is unknown how much of the lines is on disk, whatever the page cache shows: the file is
    /// restored to its first `before` bytes. If that fails too, the error says that the lines may be stored.
    fn append_or_restore(&self, guard: &Guard, file: &Handle, before: u64, lines: &[u8]) -> Result<()> {
        let synced = || self.fs.sync(file, Sync::Data).map_err(|cause| Error::io("sync", &file.path, &cause));
        let written = write_all(&*self.fs, file, lines).and_then(|()| synced());
        written.map_err(|failed| match self.restore(guard, file, before) {
            Ok(()) => failed,
            // The note left in the lock file makes the next writer rewrite the file.
            Err(_) => failed.maybe_stored(),
        })
    }

    /// Replaces the open file by its first `length` bytes.
    fn restore(&self, guard: &Guard, file: &Handle, length: u64) -> Result<()> {
        let target = &file.path;
        let bytes = self.fs.read(file, MAX_LIST_BYTES).map_err(|cause| unread(target, &cause))?;
        let whole = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
        let whole = whole.ok_or_else(|| Error::io("read", target, &io::ErrorKind::UnexpectedEof.into()))?;
        self.replace(guard, target, whole).map(drop)
    }

    /// Completes an in-place copy that a dead writer left unfinished.
    pub(in crate::disk) fn settle(&self, guard: &Guard, target: &Path) -> Result<()> {
        let copy = copying::copying(target);
        if !copying::is_copying(&*self.fs, target).map_err(|cause| Error::io("stat", &copy, &cause))? {
            return Ok(());
        }
        let Some(bytes) = self.read_if_there(&copy, MAX_LIST_BYTES)? else { return Ok(()) };
        self.warn(Warning::new("an interrupted write was completed").at(target));
        guard.confirm()?;
        // Nothing may be appended to the target until the removal of the copy is known to be durable.
        guard.leave_unfinished(true);
        copying::finish(&*self.fs, target, &bytes)?;
        guard.leave_unfinished(guard.is_behind_unfinished());
        Ok(())
    }

    /// Removes temporary files of dead writers of `target`, the first time this process writes it. With owner files as locks,
    /// every time: releasing one may leave a file too.
    pub(in crate::disk) fn sweep(&self, guard: &Guard, target: &Path) {
        let is_first = lock(self.swept.get()).insert(target.to_owned());
        if is_first || guard.is_owner() {
            sweep_litter(&*self.fs, target);
        }
    }

    /// Like [`sweep`](Self::sweep), for all files of a folder that has one lock.
    pub(in crate::disk) fn sweep_folder(&self, guard: &Guard, folder: &Path) {
        let is_first = lock(self.swept.get()).insert(folder.to_owned());
        if is_first || guard.is_owner() {
            sweep_folder(&*self.fs, folder);
        }
        self.sweep_owners(guard, folder);
    }

    /// Removes what releasing the lock of a folder left behind, with owner files as locks.
    pub(in crate::disk) fn sweep_owners(&self, guard: &Guard, folder: &Path) {
        if guard.is_owner() {
            sweep_litter(&*self.fs, &beside(folder, owner::SUFFIX));
        }
    }

    /// Adds the `parts` of a journal that are not whole lines to its `NAME.torn`. That file is rewritten, since appending to
    /// one whose last sync failed would not be safe.
    pub(in crate::disk) fn keep_tail(&self, guard: &Guard, data: &Path, parts: &[&[u8]]) -> Result<PathBuf> {
        let kept_at = beside(data, ".torn");
        self.settle(guard, &kept_at)?;
        let mut kept = self.read_data(&kept_at, MAX_LIST_BYTES)?.unwrap_or_default();
        kept.reserve_exact(parts.iter().map(|part| part.len()).sum::<usize>() + 1);
        parts.iter().for_each(|part| kept.extend_from_slice(part));
        if !kept.ends_with(b"\n") {
            kept.push(b'\n');
        }
        self.put_bare(guard, &kept_at, &kept).inspect_err(|_| self.sweep_again(data))?;
        Ok(kept_at)
    }

    /// Keeps a copy of a damaged file, unless an earlier, interrupted run has already made one.
    pub(in crate::disk) fn keep_copy(&self, guard: &Guard, data: &Path, bytes: &[u8]) -> Result<PathBuf> {
        let is_copy =
            |there: &Path| self.read_if_there(there, MAX_LIST_BYTES).is_ok_and(|there| there.as_deref() == Some(bytes));
        let (kept_at, is_there) = self.free_name(data, DAMAGED, is_copy)?;
        if is_there {
            sync_file(&*self.fs, &kept_at)?;
            sync_folder(&*self.fs, folder_of(&kept_at)?)?;
        } else {
            self.put_bare(guard, &kept_at, bytes).inspect_err(|_| self.sweep_again(data))?;
        }
        Ok(kept_at)
    }

    /// Renames a damaged file, from which nothing can be recovered, durably to `NAME.damaged`, `NAME.damaged-2` and so on.
    /// Returns its new path.
    pub(crate) fn quarantine(&self, guard: &Guard, path: &Path) -> Result<PathBuf> {
        self.move_beside(guard, path, DAMAGED)
    }

    /// Renames a file durably to the first free name of those that end in `suffix`, `suffix-2` and so on.
    pub(in crate::disk) fn move_beside(&self, _: &Guard, path: &Path, suffix: &str) -> Result<PathBuf> {
        let (name, _) = self.free_name(path, suffix, |_| false)?;
        self.fs.rename(path, &name).map_err(|cause| Error::io("move aside", path, &cause))?;
        sync_folder(&*self.fs, folder_of(path)?)?;
        Ok(name)
    }

    /// The first free name of those that end in `suffix`, `suffix-2` and so on, or that of an existing file that `serves`; and
    /// whether it exists.
    fn free_name(&self, data: &Path, suffix: &str, serves: impl Fn(&Path) -> bool) -> Result<(PathBuf, bool)> {
        let mut name = beside(data, suffix);
        for number in 2_u64.. {
            match self.stat(&name)? {
                None => break,
                Some(_) if serves(&name) => return Ok((name, true)),
                Some(_) => name = beside(data, &format!("{suffix}-{number}")),
            }
        }
        Ok((name, false))
    }
}

impl Disk {
    /// Removes what was set aside of `target`, and what dead writers left beside it, durably.
    pub(in crate::disk) fn clear_beside(&self, guard: &Guard, target: &Path) -> Result<()> {
        self.settle(guard, target)?;
        let (folder, left) = (folder_of(target)?, self.beside(target)?);
        for name in &left {
            let path = folder.join(name);
            if_there(self.fs.remove(&path)).map_err(|cause| Error::io("remove", &path, &cause))?;
        }
        if left.is_empty() { Ok(()) } else { sync_folder(&*self.fs, folder) }
    }

    /// Removes `target`, if it exists, what was set aside of it, and what dead writers left beside it, durably.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(in crate::disk) fn erase(&self, target: &Path, wait: &WaitOptions, default_timeout: Duration) -> Result<()> {
        // No lock file is created where there is nothing.
        if !self.has_entry(target)
            && !copying::is_copying(&*self.fs, target).unwrap_or(true)
            && self.beside(target)?.is_empty()
        {
            return Ok(());
        }
        let guard = self.lock(target, Mode::Exclusive, wait, default_timeout)?;
        self.clear_beside(&guard, target)?;
        self.remove_data(&guard, target)
    }

    /// Removes `target`, if it exists, durably.
    pub(in crate::disk) fn remove_data(&self, guard: &Guard, target: &Path) -> Result<()> {
        self.check_folders_of(target)?;
        guard.confirm()?;
        guard.leave_unfinished(true);
        self.cache.forget(target);
        if if_there(self.fs.remove(target)).map_err(|cause| Error::io("remove", target, &cause))?.is_some() {
            sync_folder(&*self.fs, folder_of(target)?).map_err(Error::maybe_stored)?;
        }
        guard.leave_unfinished(false);
        Ok(())
    }

    /// The names of what was set aside of `target`, and of what dead writers left beside it.
    pub(in crate::disk) fn beside(&self, target: &Path) -> Result<Vec<OsString>> {
        let name = target.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_left = |other: &OsString| {
            let suffix = other.to_str().and_then(|other| other.strip_prefix(name));
            let is_torn = suffix.is_some_and(|suffix| suffix.starts_with(".torn."));
            is_torn || suffix.is_some_and(is_quarantined_name) || is_litter(name, other)
        };
        let entries = self.entries_called(folder_of(target)?, is_left)?;
        Ok(entries.into_iter().filter(|(_, stat)| stat.kind != Kind::Folder).map(|(name, _)| name).collect())
    }
}

/// Whether the name of a data file followed by `suffix` is that of a quarantined file.
pub(in crate::disk) fn is_quarantined_name(suffix: &str) -> bool {
    let number = suffix.strip_prefix(".damaged-");
    [".torn", DAMAGED].contains(&suffix) || number.is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()))
}
