//! The folder of a memory: what is in it, without following links.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names;
use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The maximum number of files and folders.
const MAX_ENTRIES: usize = 100_000;

/// The disk of the folder of a memory, and of its state beside it.
pub(crate) fn disk(home: &Home, directory: &Path) -> Arc<Disk> {
    home.disk_at(directory.parent().unwrap_or(directory))
}

/// Creates the folder of a memory, if necessary.
///
/// # Errors
/// `IOError`, also if another user was faster.
pub(crate) fn make(home: &Home, directory: &Path) -> Result<()> {
    disk(home, directory).make_folder(directory)?;
    home.check_owners(directory).map(drop)
}

/// The entries of a folder, at any depth.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The regular files, sorted by path.
    pub(crate) files: Vec<File>,
    /// The entries that are never kept.
    pub(crate) others: Vec<(String, Other)>,
}

/// A file of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchFile")]
#[non_exhaustive]
pub struct File {
    /// Its path, relative to the folder of the memory.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Returns whether this is the folder of a memory's state.
fn is_state(disk: &Disk, folder: &Path) -> bool {
    let name = folder.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default();
    name.starts_with(b".") && name.ends_with(b".loopmem") && disk.has_entry(&folder.join("state.json"))
}

/// The sum of these sizes, in bytes.
pub(crate) fn total(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
}

/// An entry that is neither a regular file nor a folder of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Other {
    /// A symbolic link.
    Link,
    /// Git's own folder, or a file in its place.
    Git,
    /// A device, a socket or a pipe.
    Special,
    /// Its name is not UTF-8.
    Name,
    /// The state of another memory, whose folder is in this one.
    State,
}

/// Lists a folder.
///
/// # Errors
/// `NotFound` if it does not exist; `ValidationError` if it is a link or a file, or has too many entries; `IOError`, also
/// if another user could exchange it; `Cancelled`.
pub(crate) fn list(home: &Home, directory: &Path) -> Result<Listing> {
    let (disk, check) = (&*disk(home, directory), home.cancel_check());
    let failed = |path: &Path, cause: &std::io::Error| Error::io("list", path, cause);
    match disk.stat(directory)?.map(|stat| stat.kind) {
        Some(Kind::Folder) => {}
        None => {
            let message = format!("the folder {} does not exist; branch.checkout creates it", directory.display());
            return Err(Error::new(ErrorKind::NotFound, message).at(directory));
        }
        Some(_) => {
            let message = format!("{} must be a folder, and not a link to one", directory.display());
            return Err(Error::validation(message).at(directory));
        }
    }
    // Another user may have created it just now.
    home.check_owners(directory)?;
    let mut listing = Listing::default();
    let mut folders = vec![String::new()];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        check()?;
        let path = directory.join(&folder);
        for name in disk.list_foreign(&path).map_err(|cause| failed(&path, &cause))?.unwrap_or_default() {
            count += 1;
            if count > MAX_ENTRIES {
                let message = format!("{} has more than {MAX_ENTRIES} files and folders", directory.display());
                return Err(Error::validation(message).at(directory));
            }
            let path = path.join(&name);
            let relative = format!("{folder}{}", name.to_string_lossy());
            // It may have been removed meanwhile.
            let Some(stat) = disk.stat_foreign_entry(&path).map_err(|cause| failed(&path, &cause))? else { continue };
            match stat.kind {
                _ if names::is_git(&name.to_string_lossy()) => listing.others.push((relative, Other::Git)),
                Kind::Link => listing.others.push((relative, Other::Link)),
                _ if name.to_str().is_none() => listing.others.push((relative, Other::Name)),
                Kind::Folder if is_state(disk, &path) => listing.others.push((relative, Other::State)),
                Kind::Folder => folders.push(format!("{relative}/")),
                Kind::File => listing.files.push(File { path: relative, size: stat.size }),
                Kind::Other => listing.others.push((relative, Other::Special)),
            }
        }
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.others.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(listing)
}
