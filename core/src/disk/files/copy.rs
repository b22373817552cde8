//! Writing over a file in its place, where nothing can be renamed onto it: a file that is mounted by itself (`EBUSY`), or
//! lies on another file system than its folder (`EXDEV`).
//!
//! The finished file first becomes `NAME.copying`, durably. While that is there it is what the file says: readers read
//! it, and the next writer copies it once more. So a crash leaves the old contents or the new ones here too.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::fs::names::beside;
use crate::disk::fs::seam::{Fs, Handle, Open, Stat, Sync, if_there, read_file};
use crate::disk::fs::writing::{folder_of, sync_folder, write_all};
use crate::error::{Error, ErrorKind, Result};

/// How often a file is read again that changes while it is read.
const TRIES: usize = 100;

/// Whether a rename failed for good because of where the file lies.
pub(in crate::disk) fn is_called_for(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy)
}

/// Where the finished contents of `target` stand while they are copied.
pub(in crate::disk) fn copying(target: &Path) -> PathBuf {
    beside(target, ".copying")
}

/// Whether something stands in the place of the finished contents of `target`.
pub(in crate::disk) fn is_copying(fs: &dyn Fs, target: &Path) -> io::Result<bool> {
    Ok(if_there(fs.stat_path(&copying(target)))?.is_some())
}

/// The file that says what `target` says now.
///
/// # Errors
/// The system call's own.
pub(in crate::disk) fn source(fs: &dyn Fs, target: &Path) -> io::Result<PathBuf> {
    Ok(if is_copying(fs, target)? { copying(target) } else { target.to_owned() })
}

/// What `target` says, with the open file that says it; `None` when there is none. A reader without a lock may come while
/// a file is copied: it reads again until nothing moved meanwhile.
///
/// # Errors
/// The system call's own.
pub(in crate::disk) fn read(fs: &dyn Fs, target: &Path, most: u64) -> io::Result<Option<(Handle, Stat, Vec<u8>)>> {
    for _ in 0..TRIES {
        let is_beside = is_copying(fs, target)?;
        let source = if is_beside { copying(target) } else { target.to_owned() };
        let (handle, stat, bytes) = match if_there(read_file(fs, &source, most))? {
            Some(read) => read,
            None if is_beside => continue,
            None => return Ok(None),
        };
        if fs.stat(&handle)? == stat && is_copying(fs, target)? == is_beside {
            return Ok(Some((handle, stat, bytes)));
        }
    }
    Err(io::Error::other("it changes all the time"))
}

/// Puts the synced file `temp`, which holds `bytes`, in the place of `target` by copying.
///
/// # Errors
/// `RenameError`, then `target` says what it said; `IOError`, then it may say the new contents already, and the error says
/// that it may.
pub(in crate::disk) fn over(fs: &dyn Fs, temp: &Path, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let copying = copying(target);
    fs.rename(temp, &copying).map_err(|cause| {
        let message = format!("{} could not take the place of {}", temp.display(), copying.display());
        Error::new(ErrorKind::Rename, message).at(target).because_of(&cause)
    })?;
    // From here on it is what is read.
    let finished =
        folder_of(target).and_then(|folder| sync_folder(fs, folder)).and_then(|()| finish(fs, target, bytes));
    finished.map_err(Error::maybe_stored)
}

/// Copies, verifies, and only then takes the finished file away.
pub(in crate::disk) fn finish(fs: &dyn Fs, target: &Path, bytes: &[u8]) -> Result<Handle> {
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
