//! The contract of rooms: what a room that stores something offers to the code that looks over all rooms.
//!
//! A context pack, the doctor, the list of repositories and a migration ask every room in the registry (`rooms`) and name
//! none of them.

mod import;
mod section;

use std::fmt;

pub use import::{Counts, Imported, RecordKind};
pub use section::{Ask, Fragment, Offer, Section, SectionName};

use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::repo::Repo;

/// A room that stores something. Everything is optional: by default a room has no section, no files and
/// nothing to examine.
pub trait Room: fmt::Debug + Sync {
    /// Its sections of a context pack, in the order in which they appear there.
    fn sections(&self) -> &'static [Section] {
        &[]
    }

    /// The records for those of its sections that `is_wanted`. Not called when none of them is, so that a damaged file
    /// does not fail a pack that leaves it out.
    ///
    /// # Errors
    /// As the room's own reads.
    fn offers(&self, _repo: &Repo, _is_wanted: &dyn Fn(SectionName) -> bool, _ask: &Ask) -> Result<Vec<Offer>> {
        Ok(Vec::new())
    }

    /// The kinds of records that [`import`](Self::import) counts.
    fn kinds(&self) -> &'static [RecordKind] {
        &[]
    }

    /// Copies what `from` stores to `into`; `from` stays as it is, and so does every record that `into` has already. With
    /// `dry_run` nothing is written, and everything that would prevent the copy is an error.
    ///
    /// # Errors
    /// As the room's own reads and writes; `Conflict` when a record cannot be copied beside what is there.
    fn import(&self, _from: &Repo, _into: &Repo, _dry_run: bool) -> Result<Imported> {
        Ok(Imported::default())
    }

    /// How much it stores for one repository. Reads no file, only its size and time.
    ///
    /// # Errors
    /// `IOError` when the folder cannot be read.
    fn usage(&self, _repo: &Repo) -> Result<Usage> {
        Ok(Usage::default())
    }

    /// Checks its files of one repository.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    fn examine_repo(&self, _repo: &Repo, _checks: Checks) -> Result<Examination> {
        Ok(Examination::default())
    }

    /// Checks its files that belong to no repository.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    fn examine_home(&self, _home: &Home, _checks: Checks) -> Result<Examination> {
        Ok(Examination::default())
    }
}

/// What an examination is to do.
#[derive(Debug, Clone, Copy)]
pub struct Checks {
    /// Whether to repair what can be repaired.
    pub fix: bool,
    /// Whether to report folders that this process may not write to; false below a folder that was reported already.
    pub writable: bool,
}

/// How much a room stores, and when that changed last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The size of its files, in bytes.
    pub bytes: u64,
    /// When the last of them was modified, in nanoseconds since the Unix epoch; `None` when there is none.
    pub modified: Option<i128>,
}

impl Usage {
    /// The usage of both.
    #[must_use]
    pub fn and(self, other: Usage) -> Self {
        Usage { bytes: self.bytes + other.bytes, modified: self.modified.max(other.modified) }
    }

    /// The usage of the file at `path`; nothing when there is no such file.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub(crate) fn of_file(home: &Home, path: &std::path::Path) -> Result<Self> {
        let stat = home.disk().stat(path)?;
        Ok(stat.map_or_else(Usage::default, |stat| Usage { bytes: stat.size, modified: Some(stat.modified) }))
    }
}
