//! Reading files named on the command line, and writing those that an option asks for. They are not part of a home.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files named on the command line are not part of a home"
)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use loopmem::{Error, Result};

use crate::human::input;

/// The path that stands for standard input.
pub(crate) const PIPE: &str = "-";
/// Folders whose files are not the user's own work.
const SKIPPED_FOLDERS: [&str; 2] = [".git", "node_modules"];

/// Opens a file, or standard input where `path` is `-`.
///
/// # Errors
/// `IOError`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path == Path::new(PIPE) {
        input::announce("text");
        return Ok(Box::new(io::stdin()));
    }
    File::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>).map_err(|cause| Error::io("read", path, &cause))
}

/// Whether reading `path` may have to wait for its writer, as for a pipe and not for a regular file.
pub(crate) fn may_pause(path: &Path) -> bool {
    size(path).is_none()
}

/// The size of a regular file in bytes; `None` for a pipe, and for a file that cannot be examined.
pub(crate) fn size(path: &Path) -> Option<u64> {
    let stat = if path == Path::new(PIPE) { stdin_metadata() } else { fs::metadata(path) };
    stat.ok().filter(fs::Metadata::is_file).map(|stat| stat.len())
}

#[cfg(unix)]
fn stdin_metadata() -> io::Result<fs::Metadata> {
    use std::os::fd::AsFd;
    File::from(io::stdin().as_fd().try_clone_to_owned()?).metadata()
}

#[cfg(not(unix))]
fn stdin_metadata() -> io::Result<fs::Metadata> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads a file, but at most one byte more than `most`.
///
/// # Errors
/// `IOError`.
pub(crate) fn read(path: &Path, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).map_or(u64::MAX, |most| most.saturating_add(1));
    open(path)?.take(limit).read_to_end(&mut bytes).map_err(|cause| Error::io("read", path, &cause))?;
    Ok(bytes)
}

/// Which files below a folder are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All files.
    All,
    /// Without those that git ignores, and without `.git` and `node_modules`.
    Own,
}

/// Calls `each` with `path`, or with every file below it in the order of names, and with errors. Links are not
/// followed, and anything that is neither a file nor a folder is skipped, unless it is `path` itself.
///
/// # Errors
/// Those of `each`.
pub(crate) fn walk(path: &Path, extent: Extent, each: &mut dyn FnMut(Result<&Path>) -> Result<()>) -> Result<()> {
    if path == Path::new(PIPE) {
        return each(Ok(path));
    }
    match fs::metadata(path) {
        Ok(stat) if stat.is_dir() => {}
        Ok(_) => return each(Ok(path)),
        Err(cause) => return each(Err(Error::io("read", path, &cause))),
    }
    let is_own = extent == Extent::Own;
    let mut entries = WalkBuilder::new(path);
    entries.standard_filters(false).parents(is_own).git_ignore(is_own).git_exclude(is_own).git_global(is_own);
    entries
        .sort_by_file_name(OsStr::cmp)
        .filter_entry(move |entry| !is_own || entry.depth() == 0 || !is_skipped_name(entry.file_name()));
    for entry in entries.build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => each(Ok(entry.path()))?,
            Ok(_) => {}
            Err(cause) => each(Err(unreadable(path, &cause)))?,
        }
    }
    Ok(())
}

/// Whether `path` is in one of the folders below `top` that [`walk`] skips.
pub(crate) fn is_skipped(top: &Path, path: &Path) -> bool {
    path.strip_prefix(top).unwrap_or(path).components().any(|part| is_skipped_name(part.as_os_str()))
}

fn is_skipped_name(name: &OsStr) -> bool {
    SKIPPED_FOLDERS.iter().any(|skipped| name == OsStr::new(skipped))
}

/// An error of a walk below `top`, with the path at which it happened.
fn unreadable(top: &Path, cause: &ignore::Error) -> Error {
    let (mut path, mut inner) = (top, cause);
    loop {
        inner = match inner {
            ignore::Error::WithPath { path: at, err } => {
                path = at;
                err
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => err,
            _ => break,
        };
    }
    match inner {
        ignore::Error::Io(cause) => Error::io("list", path, system_error(cause)),
        other => Error::validation(format!("could not list {}", path.display())).because(other).at(path),
    }
}

/// The system's own error inside one that repeats the path.
fn system_error(cause: &io::Error) -> &io::Error {
    let inner = cause.get_ref().and_then(|inner| std::error::Error::source(inner)?.downcast_ref());
    inner.unwrap_or(cause)
}

/// Whether there is a file or folder at `path`.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether there is a folder at `path`.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|stat| stat.is_dir())
}

/// Whether there is a file at `path`, and not a link to one.
pub(crate) fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|stat| stat.is_file())
}

/// Whether there is a file at `path` that can be run.
pub(crate) fn is_program(path: &Path) -> bool {
    let stat = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    #[cfg(unix)]
    let stat = stat.filter(|stat| std::os::unix::fs::PermissionsExt::mode(&stat.permissions()) & 0o111 != 0);
    stat.is_some()
}

/// The absolute path of a file that need not exist, in its folder without links.
///
/// # Errors
/// `IOError` if the folder does not exist.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).map_err(|cause| Error::io("find the folder of", path, &cause))?;
    Ok(path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name)))
}

/// As [`absolute`], for a file whose folders need not exist: without links in those that do.
///
/// # Errors
/// `IOError` if a folder cannot be examined.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf> {
    let failed = |cause: io::Error| Error::io("find the folder of", path, &cause);
    let whole = std::path::absolute(path).map_err(failed)?;
    for folder in whole.ancestors().skip(1) {
        match fs::canonicalize(folder) {
            Ok(real) => return Ok(real.join(whole.strip_prefix(folder).unwrap_or(&whole))),
            Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(cause) => return Err(failed(cause)),
        }
    }
    Ok(whole)
}

/// Creates a folder, and those above it.
///
/// # Errors
/// `IOError`.
pub(crate) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|cause| Error::io("create the folder", path, &cause))
}

/// Removes a file.
///
/// # Errors
/// `IOError`.
pub(crate) fn remove(path: &Path) -> Result<()> {
    fs::remove_file(path).map_err(|cause| Error::io("remove", path, &cause))
}

/// Removes a folder, unless something is in it.
pub(crate) fn remove_if_empty(folder: &Path) {
    // Whether there is something is what this asks.
    let _ = fs::remove_dir(folder);
}

/// Whether a file may be changed, as its mode says.
pub(crate) fn is_writable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|stat| !stat.permissions().readonly())
}

/// Whether there is a link at `path`.
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|stat| stat.is_symlink())
}

/// Writes a file so that it has either its old or its new contents, whatever happens.
///
/// # Errors
/// `IOError`; then the file is unchanged.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> Result<()> {
    // A link keeps pointing to the file.
    let path = &fs::canonicalize(path).or_else(|_| absolute(path).map_err(io::Error::other)).unwrap_or(path.to_owned());
    let failed = |cause: io::Error| Error::io("write", path, &cause);
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new();
    new.prefix(".loopmem-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Readable for others as far as the umask allows: the file is meant to be shared.
        new.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut new = new.tempfile_in(folder).map_err(failed)?;
    if let Ok(old) = fs::metadata(path) {
        new.as_file().set_permissions(old.permissions()).map_err(failed)?;
    }
    new.write_all(contents).and_then(|()| new.as_file().sync_all()).map_err(failed)?;
    new.persist(path).map_err(|failure| failed(failure.error))?;
    // The name is durable once the folder is; not every system can sync one.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
