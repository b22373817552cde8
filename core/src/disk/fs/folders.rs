//! Checks that the folders of a home are folders, and not links.
//!
//! Through a link, other programs' files would be read, written and cleaned up as if they belonged to the home; a pipe or a
//! device would block a call. Files are checked where they are opened ([`Fs::open`]); this checks the folders that lead to
//! them. The home itself and the folders above it may be links: where a home is kept is its owner's choice.

use std::io;
use std::path::Path;

use super::seam::{Fs, Kind, if_there};
use crate::error::{Error, Result};

/// Refuses a path below `root` if it leads through anything but folders, including `folder` itself. Parts that do not exist
/// yet are accepted.
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
