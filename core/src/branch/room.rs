//! The part of this room in what looks over all rooms: nothing yet, since it stores nothing in a home.

use crate::error::Result;
use crate::repo::Repo;
use crate::room::{Migration, RecordKind, Room, Usage};

/// The files of an agent on git branches, which belong to a folder of their own.
#[derive(Debug)]
pub(crate) struct BranchRoom;

impl Room for BranchRoom {
    fn kinds(&self) -> &'static [RecordKind] {
        &[]
    }

    fn import(&self, _from: &Repo, _into: &Repo, _dry_run: bool) -> Result<Migration> {
        Ok(Migration::default())
    }

    fn usage(&self, _repo: &Repo) -> Result<Usage> {
        Ok(Usage::default())
    }
}
