//! The order of system calls that makes a write durable. The exclusive lock must be held for everything here.

use std::io;
use std::path::Path;

use super::copy;
use crate::disk::fs::real::FILE_MODE;
use crate::disk::fs::seam::{Fs, Handle, Open, Sync, if_there};
use crate::disk::fs::writing::{
    create_temp, folder_of, open_folder, sync_folder, sync_folders, sync_open_folder, write_all,
};
use crate::disk::locks::lock::Guard;
use crate::error::{Error, ErrorKind, Result};

/// Where files are written, and how.
#[derive(Clone, Copy)]
pub(in crate::disk) struct Place<'p> {
    pub(in crate::disk) fs: &'p dyn Fs,
    /// The folder that contains all data files.
    pub(in crate::disk) root: &'p Path,
    /// Whether it is an error if no file can be renamed onto the target.
    pub(in crate::disk) strong_atomicity: bool,
}

/// Replaces `target` by `bytes` atomically; durable when it returns.
///
/// A temporary file beside it is written, checked for its length, given the old file's mode, synced and renamed; then the
/// folder is synced. The names of the folders above a new file are synced first. On any failure before the rename, the old
/// file is unchanged and the temporary one is removed. If no file can be renamed onto `target`, it is overwritten in place
/// (see [`copy`]), unless strong atomicity is configured.
///
/// # Errors
/// `IOError`, marked as possibly stored if the new file may already be there; `RenameError` if it could not be renamed.
pub(in crate::disk) fn replace(place: Place<'_>, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let fs = place.fs;
    let folder = folder_of(target)?;
    let old = if_there(fs.stat_path(target)).map_err(|cause| Error::io("stat", target, &cause))?;
    if old.is_none() {
        sync_folders(fs, folder, place.root)?;
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
        Err(cause) if copy::is_called_for(&cause) && !place.strong_atomicity => {
            copy::over(fs, &temp, target, bytes).map(Some)
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

/// Opens `target` for appending, and returns its length too. The names of a new file and of the folders above it are made
/// durable first, so that every line found in the file can be relied on.
pub(in crate::disk) fn open_to_append(
    place: Place<'_>,
    guard: &Guard,
    target: &Path,
    is_new: bool,
) -> Result<(Handle, u64)> {
    let fs = place.fs;
    let folder = folder_of(target)?;
    if is_new {
        sync_folders(fs, folder, place.root)?;
    }
    guard.confirm()?;
    let handle = fs.open(target, Open::Append).map_err(|cause| Error::io("open", target, &cause))?;
    if is_new {
        sync_folder(fs, folder)?;
    }
    let before = fs.stat(&handle).map_err(|cause| Error::io("stat", target, &cause))?.size;
    Ok((handle, before))
}

/// Appends `lines` to an open file and makes them durable. After a failure it is unknown how much of them is on disk,
/// whatever the page cache shows.
pub(in crate::disk) fn append(fs: &dyn Fs, handle: &Handle, lines: &[u8]) -> Result<()> {
    write_all(fs, handle, lines)?;
    fs.sync(handle, Sync::Data).map_err(|cause| Error::io("sync", &handle.path, &cause))
}
