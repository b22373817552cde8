//! Reading files named on the command line. They are not part of a home; nothing here writes.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files named on the command line are not part of a home"
)]

use std::fs::{self, DirEntry, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use loopmem::{Error, Result};

use crate::output::notice;

/// The path that stands for standard input.
const PIPE: &str = "-";

/// Opens a file, or standard input where `path` is `-`.
///
/// # Errors
/// `IOError`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new(PIPE) {
        // Otherwise the command would appear to hang.
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            notice("loopmem: reading text; end with Ctrl-D");
        }
        return Ok(Box::new(io::stdin().lock()));
    }
    File::open(path).map(|file| Box::new(file) as Box<dyn Read>).map_err(|cause| Error::io("read", path, &cause))
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

/// Calls `each` with `path`, or with every file below it in the order of names, and with errors. Links are not
/// followed, and anything that is neither a file nor a folder is skipped, unless it is `path` itself.
///
/// # Errors
/// Those of `each`.
pub(crate) fn walk(path: &Path, each: &mut dyn FnMut(Result<&Path>) -> Result<()>) -> Result<()> {
    if path == Path::new(PIPE) {
        return each(Ok(path));
    }
    let mut folders_and_files = match fs::metadata(path) {
        Ok(stat) if stat.is_dir() => vec![(path.to_owned(), true)],
        Ok(_) => vec![(path.to_owned(), false)],
        Err(cause) => return each(Err(Error::io("read", path, &cause))),
    };
    while let Some((path, is_folder)) = folders_and_files.pop() {
        if !is_folder {
            each(Ok(&path))?;
            continue;
        }
        match entries(&path) {
            Ok(entries) => folders_and_files.extend(entries.into_iter().rev()),
            Err(cause) => each(Err(Error::io("list", &path, &cause)))?,
        }
    }
    Ok(())
}

/// The files and folders in a folder, sorted by name; each with whether it is a folder.
fn entries(folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<DirEntry>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    let kinds = entries.into_iter().map(|entry| Ok((entry.path(), entry.file_type()?)));
    let kinds: Vec<_> = kinds.collect::<io::Result<_>>()?;
    Ok(kinds
        .into_iter()
        .filter(|(_, kind)| !kind.is_symlink() && (kind.is_dir() || kind.is_file()))
        .map(|(path, kind)| (path, kind.is_dir()))
        .collect())
}
