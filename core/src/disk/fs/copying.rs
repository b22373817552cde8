//! Overwriting a file in place if no file can be renamed onto it: a file that is a mount point itself (`EBUSY`), or is on
//! another file system than its folder (`EXDEV`).
//!
//! The complete file first becomes `NAME.copying`, durably. While that exists, it is authoritative: readers read it, and the
//! next writer copies it again. So a crash leaves either the old contents or the new ones here too.

use std::io;
use std::path::{Path, PathBuf};

use super::seam::{Fs, Handle, Open, Stat, Sync, if_there, read_file};
use super::writing::{beside, folder_of, sync_folder, write_all};
use crate::error::{Error, ErrorKind, Result};

/// How often a read is repeated if the file changes meanwhile.
const TRIES: usize = 100;

/// Whether a rename failed permanently because of the file's location.
pub(in crate::disk) fn is_called_for(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy)
}

/// Where the complete contents of `target` are while they are copied.
pub(in crate::disk) fn copying(target: &Path) -> PathBuf {
    beside(target, ".copying")
}

/// Whether an in-place copy of `target` is in progress or was interrupted.
pub(in crate::disk) fn is_copying(fs: &dyn Fs, target: &Path) -> io::Result<bool> {
    Ok(if_there(fs.stat_path(&copying(target)))?.is_some())
}

/// The file with the current contents of `target`.
pub(in crate::disk) fn source(fs: &dyn Fs, target: &Path) -> io::Result<PathBuf> {
    Ok(if is_copying(fs, target)? { copying(target) } else { target.to_owned() })
}

/// Reads the current contents of `target`, and returns the open file too; `None` if it does not exist. A reader without a
/// lock may read during a copy: it retries until nothing has changed meanwhile.
pub(in crate::disk) fn read(fs: &dyn Fs, target: &Path, limit: u64) -> io::Result<Option<(Handle, Stat, Vec<u8>)>> {
    for _ in 0..TRIES {
        let is_beside = is_copying(fs, target)?;
        let source = if is_beside { copying(target) } else { target.to_owned() };
        let (handle, stat, bytes) = match if_there(read_file(fs, &source, limit))? {
            Some(read) => read,
            None if is_beside => continue,
            None => return Ok(None),
        };
        if fs.stat(&handle)? == stat && is_copying(fs, target)? == is_beside {
            return Ok(Some((handle, stat, bytes)));
        }
    }
    Err(io::Error::other("it kept changing while it was read"))
}

/// Overwrites `target` with the synced file `temp`, which contains `bytes`.
///
/// # Errors
/// `RenameError` if `target` is unchanged; `IOError`, marked as possibly stored, if it may already have the new contents.
pub(in crate::disk) fn over(fs: &dyn Fs, temp: &Path, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let copying = copying(target);
    fs.rename(temp, &copying).map_err(|cause| {
        let message = format!("{} could not be renamed to {}", temp.display(), copying.display());
        Error::new(ErrorKind::Rename, message).at(target).because_of(&cause)
    })?;
    // From here on, readers read the copy.
    let finished =
        folder_of(target).and_then(|folder| sync_folder(fs, folder)).and_then(|()| finish(fs, target, bytes));
    finished.map_err(Error::maybe_stored)
}

/// Copies, verifies, and only then removes the copy.
pub(in crate::disk) fn finish(fs: &dyn Fs, target: &Path, bytes: &[u8]) -> Result<Handle> {
    let folder = folder_of(target)?;
    let failed = |doing: &'static str| move |cause: io::Error| Error::io(doing, target, &cause);
    let handle = fs.open(target, Open::Overwrite).map_err(failed("open"))?;
    write_all(fs, &handle, bytes)?;
    fs.sync(&handle, Sync::All).map_err(failed("sync"))?;
    if !fs.holds(&handle, bytes).map_err(failed("read"))? {
        return Err(failed("write all of")(io::ErrorKind::WriteZero.into()));
    }
    // The target's name may be new, and the copy must not reappear after the next write.
    sync_folder(fs, folder)?;
    let copying = copying(target);
    fs.remove(&copying).map_err(|cause| Error::io("remove", &copying, &cause))?;
    sync_folder(fs, folder)?;
    Ok(handle)
}
