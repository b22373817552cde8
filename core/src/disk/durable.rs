//! The order of system calls that makes a write durable. Everything here is called under the exclusive lock.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::seam::{Fs, Handle, Open, Sync};
use crate::error::{Error, ErrorKind, Result};

/// The mode of a new file.
const NEW_MODE: u32 = 0o600;
/// Ends the name of every unfinished file; anything that matches is litter to the next writer.
const TEMP_SUFFIX: &str = ".tmp";

/// Makes `folder` and what is missing above it, and makes the names of them durable, each in its parent.
///
/// From `root` down the parents are synced even of folders that were there: whoever made them may have died, or may
/// still be, just before doing so.
pub(super) fn create_folders(fs: &dyn Fs, folder: &Path, root: &Path) -> Result<()> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if folder != root
        && folder.starts_with(root)
        && let Some(parent) = parent
    {
        create_folders(fs, parent, root)?;
    }
    let made = match fs.create_folder(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => match parent {
            Some(parent) => {
                create_folders(fs, parent, root)?;
                fs.create_folder(folder)
            }
            None => Err(cause),
        },
        made => made,
    };
    let made = match made {
        Ok(()) => true,
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => false,
        Err(cause) => return Err(Error::io("create the folder", folder, &cause)),
    };
    // What stands above the home is not ours, and need not even be readable.
    if !made && !folder.starts_with(root) {
        return Ok(());
    }
    let Some(parent) = parent else { return Ok(()) };
    match fs.open(parent, Open::Folder).and_then(|handle| fs.sync(&handle, Sync::All)) {
        Err(cause) if !made && folder == root && cause.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced.map_err(|cause| Error::io("sync the folder", parent, &cause)),
    }
}

/// Puts `bytes` in the place of `target`, wholly or not at all, and durably before it returns.
///
/// A temporary file beside it is written, checked for its length, given the old file's mode, synced, and renamed; then
/// the folder is synced. On any failure before the rename the old file still stands and the temporary one is removed.
///
/// # Errors
/// `IOError`, or `RenameError` when the finished file could not take its place.
pub(super) fn replace(fs: &dyn Fs, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let folder = folder_of(target)?;
    let (temp, handle) = create_temp(fs, folder, target)?;
    let finish = || -> Result<()> {
        write_all(fs, &handle, bytes)?;
        let written = fs.stat(&handle).map_err(|cause| Error::io("look at", &temp, &cause))?;
        if written.size != bytes.len() as u64 {
            return Err(Error::io("write all of", &temp, &io::ErrorKind::WriteZero.into()));
        }
        match fs.stat_path(target) {
            Ok(old) if old.mode != NEW_MODE => {
                fs.set_mode(&handle, old.mode).map_err(|cause| Error::io("set the mode of", &temp, &cause))?;
            }
            Ok(_) => {}
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(Error::io("look at", target, &cause)),
        }
        fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", &temp, &cause))?;
        fs.rename(&temp, target).map_err(|cause| {
            Error::new(
                ErrorKind::Rename,
                format!("{} could not take the place of {}", temp.display(), target.display()),
            )
            .at(target)
            .because(cause)
        })
    };
    if let Err(failed) = finish() {
        // What cannot be removed now is removed as litter by the next writer.
        let _ = fs.remove(&temp);
        return Err(failed);
    }
    sync_folder(fs, folder)?;
    Ok(handle)
}

/// Appends `line` to `target` (opened after locking) and makes it durable. A new file's name is made durable before:
/// whoever finds a line in it may rely on that.
pub(super) fn append(fs: &dyn Fs, target: &Path, line: &[u8], is_new: bool) -> Result<Handle> {
    let handle = fs.open(target, Open::Append).map_err(|cause| Error::io("open", target, &cause))?;
    if is_new {
        sync_folder(fs, folder_of(target)?)?;
    }
    write_all(fs, &handle, line)?;
    fs.sync(&handle, Sync::Data).map_err(|cause| Error::io("sync", target, &cause))?;
    Ok(handle)
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

fn write_all(fs: &dyn Fs, handle: &Handle, mut bytes: &[u8]) -> Result<()> {
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
    fs.open(folder, Open::Folder)
        .and_then(|handle| fs.sync(&handle, Sync::All))
        .map_err(|cause| Error::io("sync the folder", folder, &cause))
}

pub(super) fn folder_of(file: &Path) -> Result<&Path> {
    file.parent().ok_or_else(|| Error::io("write to", file, &io::ErrorKind::InvalidInput.into()))
}
