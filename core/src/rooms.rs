//! The registry of rooms: every module that stores something, in the order of their sections in a context pack.

use std::sync::Arc;

use crate::error::Result;
use crate::home::RepoHash;
use crate::repo::Repo;
use crate::room::{
    Archived, Counts, Import, KeepsRecords, Limit, Migration, RecordKind, Room, Section, Usage, Versions,
};

/// Every room. To add a room, add a line here.
pub(crate) static ROOMS: &[&dyn Room] = &[
    &crate::memory::MemoryRoom,
    &crate::summary::SummaryRoom,
    &crate::working::WorkingRoom,
    &crate::items::ItemsRoom,
    &crate::files::FilesRoom,
    #[cfg(feature = "rollouts")]
    &crate::rollouts::RolloutsRoom,
    #[cfg(feature = "branch")]
    &crate::branch::BranchRoom,
    &crate::index::IndexRoom,
];

/// The sections of a context pack in order: first the one that leads, then those that change rarely, then those with a reserved
/// share.
pub(crate) fn sections() -> impl Iterator<Item = &'static Section> {
    let all = || ROOMS.iter().flat_map(|room| room.sections());
    let leading = all().filter(|section| section.leads);
    let stable = all().filter(|section| section.reserved == 0 && !section.leads);
    leading.chain(stable).chain(all().filter(|section| section.reserved > 0))
}

/// The rooms whose records belong to one repository.
pub(crate) fn with_records() -> impl Iterator<Item = &'static dyn KeepsRecords> {
    ROOMS.iter().filter_map(|room| room.records())
}

/// The rooms whose records can be in an archive.
pub(crate) fn archived() -> impl Iterator<Item = &'static dyn Archived> {
    ROOMS.iter().filter_map(|room| room.archived())
}

/// The kinds of records that belong to a repository.
pub(crate) fn kinds() -> impl Iterator<Item = &'static RecordKind> {
    with_records().flat_map(KeepsRecords::kinds)
}

/// The count of no records of each kind.
pub(crate) fn no_records() -> Counts {
    let mut counts = Counts::default();
    kinds().for_each(|kind| counts.add(kind.name, 0));
    counts
}

/// The number of records of each kind that belong to one repository.
///
/// # Errors
/// Those of reading them.
pub(crate) fn counts(repo: &Repo) -> Result<Counts> {
    // What would be copied to a repository without any.
    let none = Repo::at(repo.home(), &RepoHash::nowhere());
    let how = Import { dry_run: true, adopted: None };
    with_records().try_fold(no_records(), |mut counts, room| {
        counts.add_all(&room.import(repo, &none, &how)?.copied);
        Ok(counts)
    })
}

/// The limits that the records of one repository come near to.
///
/// # Errors
/// Those of reading them.
pub(crate) fn limits(repo: &Repo) -> Result<Vec<Limit>> {
    let mut limits = Vec::new();
    for room in ROOMS {
        limits.extend(room.limits(repo)?.into_iter().filter(Limit::is_near));
    }
    Ok(limits)
}

/// Copies the records of `from` to `into`, in all rooms: see [`Import`].
///
/// # Errors
/// Those of [`KeepsRecords::import`]. Unless the error says so, nothing was copied.
pub(crate) fn import(from: &Repo, into: &Repo, dry_run: bool, adopted: Option<Arc<Versions>>) -> Result<Migration> {
    let all = |how: &Import| {
        let mut migration = Migration::default();
        for room in with_records() {
            // A retry copies only what is still missing.
            let is_begun = !how.dry_run && migration.copied.total() + migration.merged.total() > 0;
            let own = room.import(from, into, how);
            migration.absorb(own.map_err(|failed| if is_begun { failed.maybe_stored() } else { failed })?);
        }
        Ok(migration)
    };
    let mut how = Import { dry_run: true, adopted };
    // A dry run first, to find anything that prevents the migration before the first file is written.
    let counted = all(&how)?;
    how.dry_run = dry_run;
    if dry_run { Ok(counted) } else { all(&how) }
}

/// The amount of data in the records of one repository.
///
/// # Errors
/// `IOError` if its folder cannot be read.
pub(crate) fn records_usage(repo: &Repo) -> Result<Usage> {
    with_records().try_fold(Usage::default(), |sum, room| Ok(sum.and(room.usage(repo)?)))
}

/// The amount of data that all rooms store for one repository.
///
/// # Errors
/// `IOError` if its folder cannot be read.
pub(crate) fn usage(repo: &Repo) -> Result<Usage> {
    ROOMS.iter().try_fold(Usage::default(), |sum, room| Ok(sum.and(room.usage(repo)?)))
}
