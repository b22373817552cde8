//! Writing through the seam: paths, whole buffers, durable folder names, and temporary files and their cleanup.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::seam::{Fs, Handle, Kind, Open, Sync, if_there};
use crate::error::{Error, Result};

/// The suffix of every temporary file. The next writer removes files that match.
const TEMP_SUFFIX: &str = ".tmp";

/// The path of a file beside a data file: appends `suffix` to the file name.
pub(crate) fn beside(data: &Path, suffix: &str) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Checks that the folders of a home are folders, and not links: refuses a path below `root` if it leads through anything but
/// folders, including `folder` itself. Parts that do not exist yet are accepted.
///
/// Through a link, other programs' files would be read, written and cleaned up as if they belonged to the home; a pipe or a
/// device would block a call. Files are checked where they are opened ([`Fs::open`]); this checks the folders that lead to
/// them. The home itself and the folders above it may be links: where a home is kept is its owner's choice.
///
/// # Errors
/// `IOError` naming the first folder that is not one.
pub(in crate::disk) fn check_folders(fs: &dyn Fs, root: &Path, folder: &Path) -> Result<()> {
    let Ok(below) = folder.strip_prefix(root) else { return Ok(()) };
    let mut path = root.to_owned();
    for name in below {
        path.push(name);
        let stat = if_there(fs.stat_path(&path)).map_err(|cause| Error::io("stat", &path, &cause))?;
        match stat.map(|stat| stat.kind) {
            None => return Ok(()),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => {
                return Err(Error::io(
                    "use the folder",
                    &path,
                    &io::Error::other("it is a symbolic link, and loopmem does not follow links"),
                ));
            }
            Some(Kind::File | Kind::Other) => {
                return Err(Error::io("use the folder", &path, &io::ErrorKind::NotADirectory.into()));
            }
        }
    }
    Ok(())
}

/// Creates `folder` and missing folders above it. For `root` and above, the name of each created folder is made durable in its
/// parent; below `root` this is left to the writer of the first file there ([`sync_folders`]).
pub(in crate::disk) fn create_folders(fs: &dyn Fs, folder: &Path, root: &Path) -> Result<()> {
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
        Err(cause) => {
            return Err(dangling(fs, folder).unwrap_or_else(|| Error::io("create the folder", folder, &cause)));
        }
    }
    match parent {
        Some(parent) if !folder.starts_with(root) || folder == root => sync_folder(fs, parent),
        _ => Ok(()),
    }
}

/// The file that says what a home is. It is written with the first file of a home, and never again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Introduction {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// How the names of files begin that may be in a home before anything is stored in it.
    pub(crate) before: &'static [&'static str],
}

/// As [`create_folders`], and writes the introduction if nothing is in `root` yet. Nothing depends on that file, so it is not
/// synced and failures are ignored; one that is there stays.
pub(in crate::disk) fn create_folders_of_home(
    fs: &dyn Fs,
    folder: &Path,
    root: &Path,
    introduction: Option<Introduction>,
) -> Result<()> {
    let introduction = introduction.filter(|it| folder.starts_with(root) && is_new(fs, root, it));
    create_folders(fs, folder, root)?;
    let Some(Introduction { name, text, .. }) = introduction else { return Ok(()) };
    let path = root.join(name);
    if let Ok(file) = fs.open(&path, Open::CreateNew)
        && write_all(fs, &file, text.as_bytes()).is_err()
    {
        let _ = fs.remove(&path);
    }
    Ok(())
}

/// Whether nothing was stored in a home.
fn is_new(fs: &dyn Fs, root: &Path, introduction: &Introduction) -> bool {
    let is_before = |name: &std::ffi::OsString| {
        introduction.before.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes()))
    };
    match fs.list(root) {
        Ok(names) => names.iter().all(is_before),
        Err(cause) => cause.kind() == io::ErrorKind::NotFound,
    }
}

/// The error for a link to nothing at `folder` or above it.
fn dangling(fs: &dyn Fs, folder: &Path) -> Option<Error> {
    let is_link = |path: &&Path| fs.stat_path(path).is_ok_and(|stat| stat.kind == Kind::Link);
    let leads_nowhere = |path: &&Path| fs.canonical(path).is_err_and(|cause| cause.kind() == io::ErrorKind::NotFound);
    let link = folder.ancestors().filter(is_link).find(leads_nowhere)?;
    let what = "it is a link to a folder that does not exist; create that folder, or correct the link";
    Some(Error::io("use the folder", link, &io::Error::new(io::ErrorKind::NotFound, what)))
}

/// Makes the names of `folder` and of the folders above it durable, up to that of `root`. Done even for folders that another
/// process created, since that may not have synced them yet, or may have died before it could.
pub(in crate::disk) fn sync_folders(fs: &dyn Fs, folder: &Path, root: &Path) -> Result<()> {
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
        let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) else { continue };
        match fs.open(parent, Open::Folder).and_then(|handle| fs.sync(&handle, Sync::All)) {
            // The folder above the home is not ours, and need not even be readable.
            Err(cause) if folder == root && cause.kind() == io::ErrorKind::PermissionDenied => {}
            synced => synced.map_err(|cause| Error::io("sync the folder", parent, &cause))?,
        }
    }
    Ok(())
}

/// Removes temporary files of dead writers of `target`. They are only ever created under the lock.
pub(in crate::disk) fn sweep_litter(fs: &dyn Fs, target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    let Ok(names) = fs.list(folder) else { return };
    for litter in names {
        if is_litter(name, &litter) {
            // Harmless: what cannot be removed is left to the next writer.
            let _ = fs.remove(&folder.join(litter));
        }
    }
}

/// Removes temporary files of dead writers, of all values and lists in `folder` and its subfolders.
pub(in crate::disk) fn sweep_folder(fs: &dyn Fs, folder: &Path) {
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
pub(in crate::disk) fn is_litter_of_folder(litter: &OsStr) -> bool {
    let stems = |litter: &str| litter.match_indices('.').any(|(dot, _)| is_litter_of(litter, dot));
    litter.to_str().is_some_and(stems)
}

/// Whether the part before `dot` is the name of a value or a list, and the rest that of a temporary file.
fn is_litter_of(litter: &str, dot: usize) -> bool {
    let (data, rest) = litter.split_at(dot);
    [".json", ".jsonl"].iter().any(|end| data.ends_with(end)) && rest.ends_with(TEMP_SUFFIX)
}

/// Whether `litter` is the name of a temporary file of the data file `name`.
pub(in crate::disk) fn is_litter(name: &str, litter: &OsStr) -> bool {
    litter
        .to_str()
        .and_then(|litter| litter.strip_prefix(name)?.strip_prefix('.'))
        .is_some_and(|rest| rest.ends_with(TEMP_SUFFIX))
}

pub(in crate::disk) fn create_temp(fs: &dyn Fs, folder: &Path, target: &Path) -> Result<(PathBuf, Handle)> {
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

pub(in crate::disk) fn write_all(fs: &dyn Fs, handle: &Handle, mut bytes: &[u8]) -> Result<()> {
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

pub(in crate::disk) fn sync_file(fs: &dyn Fs, file: &Path) -> Result<()> {
    let synced = fs.open(file, Open::Read).and_then(|handle| fs.sync(&handle, Sync::All));
    synced.map_err(|cause| Error::io("sync", file, &cause))
}

pub(in crate::disk) fn sync_folder(fs: &dyn Fs, folder: &Path) -> Result<()> {
    sync_open_folder(fs, &open_folder(fs, folder)?)
}

pub(in crate::disk) fn open_folder(fs: &dyn Fs, folder: &Path) -> Result<Handle> {
    fs.open(folder, Open::Folder).map_err(|cause| Error::io("open the folder", folder, &cause))
}

pub(in crate::disk) fn sync_open_folder(fs: &dyn Fs, folder: &Handle) -> Result<()> {
    fs.sync(folder, Sync::All).map_err(|cause| Error::io("sync the folder", &folder.path, &cause))
}

pub(in crate::disk) fn folder_of(file: &Path) -> Result<&Path> {
    file.parent().ok_or_else(|| Error::io("write to", file, &io::ErrorKind::InvalidInput.into()))
}
