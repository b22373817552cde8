//! Joins the packs of the repository beside a memory when there are many: each fetch and each push adds one.

use super::objects::{Objects, PACKS};
use super::remote::Remote;
use crate::disk::Disk;
use crate::error::{ErrorKind, Result};

/// From so many packs on, git would join them too.
const MAX_PACKS: usize = 50;

/// Joins the packs if there are many. Returns whether that was tried: the repository has to be opened again.
///
/// # Errors
/// `Cancelled`.
pub(super) fn tidy(disk: &Disk, remote: &Remote<'_>, objects: &Objects) -> Result<bool> {
    let names = disk.list_foreign(&objects.path().join(PACKS)).ok().flatten().unwrap_or_default();
    let packs = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".pack"));
    if packs.count() < MAX_PACKS {
        return Ok(false);
    }
    match remote.repack(objects) {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        // Nothing is lost if git cannot: it only takes more space.
        _ => Ok(true),
    }
}
