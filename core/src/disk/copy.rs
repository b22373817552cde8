//! Writing over a file in its place, where nothing can be renamed onto it: a file that is mounted by itself (`EBUSY`), or
//! lies on another file system than its folder (`EXDEV`).
//!
//! The finished file first becomes `NAME.copying`, durably. While that is there it is what the file says: readers read
//! it, and the next writer copies it once more. So a crash leaves the old contents or the new ones here too.

use std::io;
use std::path::{Path, PathBuf};

use super::Disk;
use super::durable::{folder_of, sync_folder, write_all};
use super::lock::{Guard, beside};
use super::seam::{Fs, Handle, Open, Sync};
use crate::error::{Error, ErrorKind, Result};

/// Whether a rename failed for good because of where the file lies.
pub(super) fn is_called_for(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy)
}

/// Where the finished contents of `target` stand while they are copied.
pub(super) fn copying(target: &Path) -> PathBuf {
    beside(target, ".copying")
}

/// What `target` says is read from here.
pub(super) fn source(fs: &dyn Fs, target: &Path) -> PathBuf {
    let copying = copying(target);
    if fs.stat_path(&copying).is_ok() { copying } else { target.to_owned() }
}

/// What `target` says; `None` when there is no file.
///
/// # Errors
/// `IOError`.
pub(super) fn read(disk: &Disk, target: &Path) -> Result<Option<Vec<u8>>> {
    match disk.read_if_there(&source(&*disk.fs, target))? {
        Some(bytes) => Ok(Some(bytes)),
        // The copy was finished just now.
        None => disk.read_if_there(target),
    }
}

/// Puts the synced file `temp`, which holds `bytes`, in the place of `target` by copying.
///
/// # Errors
/// `RenameError`, then `target` says what it said; `IOError`, then it may say the new contents already.
pub(super) fn over(fs: &dyn Fs, temp: &Path, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let copying = copying(target);
    fs.rename(temp, &copying).map_err(|cause| {
        let message = format!("{} could not take the place of {}", temp.display(), copying.display());
        Error::new(ErrorKind::Rename, message).at(target).because(cause)
    })?;
    sync_folder(fs, folder_of(target)?)?;
    finish(fs, target, bytes)
}

/// Finishes what a writer that died has left half copied.
///
/// # Errors
/// `IOError`.
pub(super) fn settle(disk: &Disk, _: &Guard, target: &Path) -> Result<()> {
    let copying = copying(target);
    if !disk.has_entry(&copying) {
        return Ok(());
    }
    match disk.read_if_there(&copying)? {
        None => Ok(()),
        Some(bytes) => {
            tracing::warn!(path = %target.display(), "a copy that was not finished is finished now");
            finish(&*disk.fs, target, &bytes).map(drop)
        }
    }
}

/// Copies, verifies, and only then takes the finished file away.
fn finish(fs: &dyn Fs, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let folder = folder_of(target)?;
    let failed = |doing: &'static str| move |cause: io::Error| Error::io(doing, target, &cause);
    let handle = fs.open(target, Open::Overwrite).map_err(failed("open"))?;
    write_all(fs, &handle, bytes)?;
    fs.sync(&handle, Sync::All).map_err(failed("sync"))?;
    if !fs.holds(&handle, bytes).map_err(failed("read"))? {
        return Err(failed("write all of")(io::ErrorKind::WriteZero.into()));
    }
    // The target may be new, and the copy must not come back behind what is written next.
    sync_folder(fs, folder)?;
    let copying = copying(target);
    fs.remove(&copying).map_err(|cause| Error::io("remove", &copying, &cause))?;
    sync_folder(fs, folder)?;
    Ok(handle)
}
