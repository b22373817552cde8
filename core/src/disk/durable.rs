//! The order of system calls that makes a write durable. Everything here is called under the exclusive lock.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::lock::Guard;
use super::real::FILE_MODE;
use super::seam::{Fs, Handle, Kind, Open, Sync, if_there, unread};
use super::{Disk, copy, lines};
use crate::error::{Error, ErrorKind, Result};

/// Ends the name of every unfinished file; anything that matches is litter to the next writer.
const TEMP_SUFFIX: &str = ".tmp";

/// Makes `folder` and what is missing above it. From `root` up, the name of each one that is made is made durable in its
/// parent; those below are the business of whoever puts the first file there ([`sync_folders`]).
pub(super) fn create_folders(fs: &dyn Fs, folder: &Path, root: &Path) -> Result<()> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    let made = match (fs.create_folder(folder), parent) {
        (Err(cause), Some(parent)) if cause.kind() == io::ErrorKind::NotFound => {
            create_folders(fs, parent, root)?;
            fs.create_folder(folder)
        }
        (made, _) => made,
    };
    match made {
        Ok(()) => {}
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(cause) => return Err(Error::io("create the folder", folder, &cause)),
    }
    match parent {
        Some(parent) if !folder.starts_with(root) || folder == root => sync_folder(fs, parent),
        _ => Ok(()),
    }
}

/// Makes the names of `folder` and of those above it durable, each in its parent, up to that of `root`, whoever made
/// them: it may have died, or may still be, just before doing so.
fn sync_folders(fs: &dyn Fs, folder: &Path, root: &Path) -> Result<()> {
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
        let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) else { continue };
        match fs.open(parent, Open::Folder).and_then(|handle| fs.sync(&handle, Sync::All)) {
            // What stands above the home is not ours, and need not even be readable.
            Err(cause) if folder == root && cause.kind() == io::ErrorKind::PermissionDenied => {}
            synced => synced.map_err(|cause| Error::io("sync the folder", parent, &cause))?,
        }
    }
    Ok(())
}

/// Puts `bytes` in the place of `target`, wholly or not at all, and durably before it returns.
///
/// A temporary file beside it is written, checked for its length, given the old file's mode, synced, and renamed; then
/// the folder is synced, and for a new file those above it. On any failure before the rename the old file still stands
/// and the temporary one is removed. Where nothing can be renamed onto `target`, it is copied over it (see [`copy`]),
/// unless strong atomicity was asked for.
///
/// # Errors
/// `IOError`, which says so when the new file may be in its place, or `RenameError` when it could not take it.
pub(super) fn replace(disk: &Disk, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let fs = &*disk.fs;
    let folder = folder_of(target)?;
    let old = if_there(fs.stat_path(target)).map_err(|cause| Error::io("look at", target, &cause))?;
    if old.is_none() {
        sync_folders(fs, folder, &disk.root)?;
    }
    let mode = old.map_or(FILE_MODE, |old| old.mode);
    let (temp, handle) = create_temp(fs, folder, target)?;
    let mut opened_folder = None;
    let mut prepare = || -> Result<()> {
        write_all(fs, &handle, bytes)?;
        let written = fs.stat(&handle).map_err(|cause| Error::io("look at", &temp, &cause))?;
        if written.size != bytes.len() as u64 {
            return Err(Error::io("write all of", &temp, &io::ErrorKind::WriteZero.into()));
        }
        if mode != FILE_MODE {
            fs.set_mode(&handle, mode).map_err(|cause| Error::io("set the mode of", &temp, &cause))?;
        }
        fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", &temp, &cause))?;
        // What the rename needs afterwards is opened before it: there may be no descriptor left.
        opened_folder = Some(open_folder(fs, folder)?);
        guard.confirm()
    };
    let renamed = prepare().and_then(|()| match fs.rename(&temp, target) {
        Ok(()) => Ok(None),
        Err(cause) if copy::is_called_for(&cause) && !disk.policy.strong_atomicity => {
            copy::over(fs, &temp, target, bytes).map(Some)
        }
        Err(cause) => {
            let message = format!("{} could not take the place of {}", temp.display(), target.display());
            Err(Error::new(ErrorKind::Rename, message).at(target).because_of(&cause))
        }
    });
    match renamed {
        Ok(None) => {
            let opened = opened_folder.map_or_else(|| open_folder(fs, folder), Ok);
            let synced = opened.and_then(|opened| sync_open_folder(fs, &opened));
            // The new file is in its place; whether it survives a crash is not known.
            synced.map(|()| handle).map_err(Error::maybe_stored)
        }
        Ok(Some(copied)) => Ok(copied),
        Err(failed) => {
            // What cannot be removed now is removed as litter by the next writer.
            let _ = fs.remove(&temp);
            Err(failed)
        }
    }
}

/// Appends `lines` to `target` (opened after locking) and makes them durable. A new file's name, and those of the folders
/// above it, are made durable before: whoever finds a line in it may rely on that.
///
/// After a failure it is not known what of the lines the disk holds, whatever the kernel shows; so the file is replaced by
/// what it was before. Where that fails too, the error says that the lines may be stored.
///
/// # Errors
/// `IOError`.
pub(super) fn append(disk: &Disk, guard: &Guard, target: &Path, lines: &[u8], is_new: bool) -> Result<Handle> {
    let fs = &*disk.fs;
    let folder = folder_of(target)?;
    if is_new {
        sync_folders(fs, folder, &disk.root)?;
    }
    guard.confirm()?;
    let handle = fs.open(target, Open::Append).map_err(|cause| Error::io("open", target, &cause))?;
    if is_new {
        sync_folder(fs, folder)?;
    }
    let before = fs.stat(&handle).map_err(|cause| Error::io("look at", target, &cause))?.size;
    append_to(disk, guard, &handle, before, lines)?;
    Ok(handle)
}

/// As [`append`], to a file that is open to be appended to, has been there before, and has this length.
///
/// # Errors
/// `IOError`.
pub(super) fn append_to(disk: &Disk, guard: &Guard, handle: &Handle, before: u64, lines: &[u8]) -> Result<()> {
    let (fs, target) = (&*disk.fs, &handle.path);
    write_all(fs, handle, lines)
        .and_then(|()| fs.sync(handle, Sync::Data).map_err(|cause| Error::io("sync", target, &cause)))
        .map_err(|failed| match restore(disk, guard, target, handle, before) {
            Ok(()) => failed,
            // The guard's note makes the next writer rewrite the file.
            Err(_) => failed.maybe_stored(),
        })
}

/// Puts the first `length` bytes of the open file in the place of `target`.
fn restore(disk: &Disk, guard: &Guard, target: &Path, handle: &Handle, length: u64) -> Result<()> {
    let bytes = disk.fs.read(handle, lines::MOST_BYTES).map_err(|cause| unread(target, &cause))?;
    let whole = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
    let whole = whole.ok_or_else(|| Error::io("read", target, &io::ErrorKind::UnexpectedEof.into()))?;
    disk.replace(guard, target, whole).map(drop)
}

/// Removes temporary files that a writer of `target` left when it died. They are only ever made under the lock.
pub(super) fn sweep_litter(fs: &dyn Fs, target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    let Ok(names) = fs.list(folder) else { return };
    for litter in names {
        if is_litter(name, &litter) {
            // Litter harms nobody: what cannot be removed stays for the next one.
            let _ = fs.remove(&folder.join(litter));
        }
    }
}

/// Removes temporary files that a writer left when it died, of every value and list in `folder` and in the folders in it.
pub(super) fn sweep_folder(fs: &dyn Fs, folder: &Path) {
    for name in fs.list(folder).unwrap_or_default() {
        let path = folder.join(&name);
        if is_litter_of_folder(&name) {
            let _ = fs.remove(&path);
        } else if path.extension().is_none() && fs.stat_path(&path).is_ok_and(|stat| stat.kind == Kind::Folder) {
            sweep_folder(fs, &path);
        }
    }
}

/// Whether `litter` is the name of a temporary file of a value or a list.
pub(super) fn is_litter_of_folder(litter: &OsStr) -> bool {
    let stems = |litter: &str| litter.match_indices('.').any(|(dot, _)| is_litter_of(litter, dot));
    litter.to_str().is_some_and(stems)
}

/// Whether what stands before `dot` is the name of a value or a list, and what stands behind is a temporary file's.
fn is_litter_of(litter: &str, dot: usize) -> bool {
    let (data, rest) = litter.split_at(dot);
    [".json", ".jsonl"].iter().any(|end| data.ends_with(end)) && rest.ends_with(TEMP_SUFFIX)
}

/// Whether `litter` is the name of a temporary file of the data file `name`.
pub(super) fn is_litter(name: &str, litter: &OsStr) -> bool {
    litter
        .to_str()
        .and_then(|litter| litter.strip_prefix(name)?.strip_prefix('.'))
        .is_some_and(|rest| rest.ends_with(TEMP_SUFFIX))
}

fn create_temp(fs: &dyn Fs, folder: &Path, target: &Path) -> Result<(PathBuf, Handle)> {
    let mut prefix = target.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let named = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(TEMP_SUFFIX)
        .disable_cleanup(true)
        .make_in(folder, |path| fs.open(path, Open::CreateNew))
        .map_err(|cause| Error::io("create a file in", folder, &cause))?;
    let (handle, path) = named.into_parts();
    Ok((path.to_path_buf(), handle))
}

pub(super) fn write_all(fs: &dyn Fs, handle: &Handle, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match fs.write(handle, bytes) {
            Ok(0) => return Err(Error::io("write to", &handle.path, &io::ErrorKind::WriteZero.into())),
            Ok(count) => bytes = &bytes[count..],
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(Error::io("write to", &handle.path, &cause)),
        }
    }
    Ok(())
}

pub(super) fn sync_folder(fs: &dyn Fs, folder: &Path) -> Result<()> {
    sync_open_folder(fs, &open_folder(fs, folder)?)
}

fn open_folder(fs: &dyn Fs, folder: &Path) -> Result<Handle> {
    fs.open(folder, Open::Folder).map_err(|cause| Error::io("open the folder", folder, &cause))
}

fn sync_open_folder(fs: &dyn Fs, folder: &Handle) -> Result<()> {
    fs.sync(folder, Sync::All).map_err(|cause| Error::io("sync the folder", &folder.path, &cause))
}

pub(super) fn folder_of(file: &Path) -> Result<&Path> {
    file.parent().ok_or_else(|| Error::io("write to", file, &io::ErrorKind::InvalidInput.into()))
}
