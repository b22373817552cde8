//! The registry of rooms: every module that stores something, in the order of their sections in a context pack.

use crate::error::Result;
use crate::repo::Repo;
use crate::room::{KeepsRecords, RecordKind, Room, Section, Usage};

/// Every room. To add a room, add a line here.
pub(crate) static ROOMS: &[&dyn Room] = &[
    &crate::memory::MemoryRoom,
    &crate::summary::SummaryRoom,
    &crate::working::WorkingRoom,
    &crate::items::ItemsRoom,
    #[cfg(feature = "rollouts")]
    &crate::rollouts::RolloutsRoom,
    #[cfg(feature = "branch")]
    &crate::branch::BranchRoom,
    &crate::index::IndexRoom,
];

/// The sections of a context pack in order: first those that change rarely, then those with a reserved share.
pub(crate) fn sections() -> impl Iterator<Item = &'static Section> {
    let all = || ROOMS.iter().flat_map(|room| room.sections());
    all().filter(|section| section.reserved == 0).chain(all().filter(|section| section.reserved > 0))
}

/// The rooms whose records belong to one repository.
pub(crate) fn with_records() -> impl Iterator<Item = &'static dyn KeepsRecords> {
    ROOMS.iter().filter_map(|room| room.records())
}

/// The kinds of records that belong to a repository.
pub(crate) fn kinds() -> impl Iterator<Item = &'static RecordKind> {
    with_records().flat_map(KeepsRecords::kinds)
}

/// The amount of data that all rooms store for one repository.
///
/// # Errors
/// `IOError` if its folder cannot be read.
pub(crate) fn usage(repo: &Repo) -> Result<Usage> {
    ROOMS.iter().try_fold(Usage::default(), |sum, room| Ok(sum.and(room.usage(repo)?)))
}
