//! Joins the packs of the repository beside a memory when there are many: each fetch and each push adds one.

use super::objects::{CommitId, Objects, PACKS};
use super::remote::Remote;
use crate::disk::Disk;
use crate::error::Result;

/// From so many packs on, git would join them too.
const MAX_PACKS: usize = 50;

/// Joins the packs if there are many, and leaves out what none of these commits needs. Returns whether packs were
/// joined: the repository has to be opened again.
///
/// # Errors
/// `GitError` if git cannot be run; `Cancelled`.
pub(super) fn tidy<'c>(
    disk: &Disk,
    remote: &Remote<'_>,
    objects: &Objects,
    needed: impl Iterator<Item = &'c CommitId>,
) -> Result<bool> {
    let names = disk.list_foreign(&objects.path().join(PACKS)).ok().flatten().unwrap_or_default();
    let packs = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".pack"));
    if packs.count() < MAX_PACKS {
        return Ok(false);
    }
    objects.name(needed)?;
    remote.repack(objects)?;
    objects.forget_names()?;
    Ok(true)
}
