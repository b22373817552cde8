//! The registry: every room that stores something, in the order of their sections in a context pack.

use crate::error::Result;
use crate::repo::Repo;
use crate::room::{RecordKind, Room, Section, Usage};

/// The rooms. A new room is one line here.
pub(crate) static ROOMS: &[&dyn Room] =
    &[&crate::memory::MemoryRoom, &crate::summary::SummaryRoom, &crate::working::WorkingRoom];

/// The sections of a context pack, in their order: those that change rarely, then those with a share of their own.
pub(crate) fn sections() -> impl Iterator<Item = &'static Section> {
    let all = || ROOMS.iter().flat_map(|room| room.sections());
    all().filter(|section| section.kept == 0).chain(all().filter(|section| section.kept > 0))
}

/// The kinds of records that belong to a repository.
pub(crate) fn kinds() -> impl Iterator<Item = &'static RecordKind> {
    ROOMS.iter().flat_map(|room| room.kinds())
}

/// How much all rooms store for one repository.
///
/// # Errors
/// `IOError` when its folder cannot be read.
pub(crate) fn usage(repo: &Repo) -> Result<Usage> {
    ROOMS.iter().try_fold(Usage::default(), |sum, room| Ok(sum.and(room.usage(repo)?)))
}
