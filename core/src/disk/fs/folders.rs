//! What may be in the place of a file or a folder of a home: a regular file, and a folder that is not a link.
//!
//! A link would have other programs' files read, written and swept as if they were a home's own, and a pipe or a device
//! would hold up a call. Files are checked where they are opened ([`Fs::open`]); this checks the folders that lead to
//! them. The home itself, and what is above it, may be links: where a home is kept is its owner's choice.

use std::io;
use std::path::Path;

use super::seam::{Fs, Kind, if_there};
use crate::error::{Error, Result};

/// Refuses a path below `root` that leads through anything but folders, up to `folder` itself. What does not exist yet
/// is fine.
///
/// # Errors
/// `IOError` naming the first folder that is not one.
pub(in crate::disk) fn check_folders(fs: &dyn Fs, root: &Path, folder: &Path) -> Result<()> {
    let Ok(below) = folder.strip_prefix(root) else { return Ok(()) };
    let mut path = root.to_owned();
    for name in below {
        path.push(name);
        let stat = if_there(fs.stat_path(&path)).map_err(|cause| Error::io("look at", &path, &cause))?;
        match stat.map(|stat| stat.kind) {
            None => return Ok(()),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => {
                return Err(Error::io(
                    "use the folder",
                    &path,
                    &io::Error::other("it is a link, and links are not followed"),
                ));
            }
            Some(Kind::File | Kind::Other) => {
                return Err(Error::io("use the folder", &path, &io::ErrorKind::NotADirectory.into()));
            }
        }
    }
    Ok(())
}
