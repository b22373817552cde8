//! The interface of rooms: what a module that stores records provides to the code that works across all rooms.
//!
//! Context packs, the doctor, the list of repositories and migrations use every room in the registry (`rooms`) through
//! this trait and depend on none of them directly.

mod archive;
mod forget;
mod id;
mod import;
mod owner;
mod search;
mod section;
mod synced;
mod text;
mod trash;

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use archive::{Archived, Arrival, Brought, Export, Portable, Source};
pub use forget::Forget;
pub(crate) use forget::{forget_lines, is_unreadable};
pub use id::{MIN_PREFIX, is_generated, may_be_shortened, named, short_ids};
pub use import::{Counts, Import, KeptAside, Migration, RecordKind, Versions};
pub use owner::Owner;
pub use search::{Findable, Sought};
pub use section::{Candidates, Fragment, Mark, Need, PACK_CHARS, PackQuery, PackScope, Section, SectionName};
pub(crate) use synced::changed_at;
pub use synced::{Collection, Extent, LineChange, Lines, Stock, Synced};
pub use text::{line, quoted};
pub use trash::{KeepsJobs, KeepsTrash, TrashOf};

use crate::disk::Kind;
use crate::error::{ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::repo::Repo;

/// A module that stores something. By default it has no sections, no records of a repository, and nothing to check.
pub trait Room: fmt::Debug + Sync {
    /// Its sections of a context pack, in the order of the pack.
    fn sections(&self) -> &'static [Section] {
        &[]
    }

    /// The records of those of its sections for which `is_wanted` is true. Not called if there are none, so that a
    /// damaged file does not fail a pack without its sections.
    fn candidates(
        &self,
        _repo: &Repo,
        _is_wanted: &dyn Fn(SectionName) -> bool,
        _query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        Ok(Vec::new())
    }

    /// The records that it keeps for a repository, which a migration copies; `None` if it keeps none.
    fn records(&self) -> Option<&dyn KeepsRecords> {
        None
    }

    /// The room as one whose removed records can be brought back; `None` if they cannot.
    fn trash(&self) -> Option<&dyn KeepsTrash> {
        None
    }

    /// The room as one whose records can follow a repository to other machines; `None` if they cannot.
    fn synced(&self) -> Option<&dyn Synced> {
        None
    }

    /// The room as one whose records can be in an archive; `None` if they cannot.
    fn archived(&self) -> Option<&dyn Archived> {
        None
    }

    /// How much it stores for one repository. Reads only the metadata of files.
    ///
    /// # Errors
    /// `IOError` if the folder cannot be read.
    fn usage(&self, _repo: &Repo) -> Result<Usage> {
        Ok(Usage::default())
    }

    /// How much it stores for the folder of a repository, wherever that is, in bytes.
    ///
    /// # Errors
    /// Those of [`usage`](Self::usage).
    fn bytes(&self, repo: &Repo) -> Result<u64> {
        self.usage(repo).map(|usage| usage.bytes)
    }

    /// What it keeps at most for a repository, if it keeps much, and how much there is.
    ///
    /// # Errors
    /// Those of reading it.
    fn limits(&self, _repo: &Repo) -> Result<Vec<Limit>> {
        Ok(Vec::new())
    }

    /// Removes everything but records that it keeps for a repository, so that nothing of it is left.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    fn purge(&self, _repo: &Repo) -> Result<()> {
        Ok(())
    }

    /// Its name, if a search finds what it has by [`find`](Self::find).
    fn searched(&self) -> Option<&'static str> {
        None
    }

    /// What a search may find among what is in no archive, for the folder of a repository.
    ///
    /// # Errors
    /// The errors of the room's reads.
    fn find(&self, _repo: &Repo, _sought: &Sought<'_>) -> Result<Vec<Findable>> {
        Ok(Vec::new())
    }

    /// Checks its files of one repository.
    ///
    /// # Errors
    /// `Cancelled`. Any other error is reported as a finding.
    fn examine_repo(&self, _repo: &Repo, _checks: Checks) -> Result<Examination> {
        Ok(Examination::default())
    }

    /// Checks its files that belong to no repository.
    ///
    /// # Errors
    /// `Cancelled`. Any other error is reported as a finding.
    fn examine_home(&self, _home: &Home, _checks: Checks) -> Result<Examination> {
        Ok(Examination::default())
    }
}

/// A room whose records belong to one repository.
pub trait KeepsRecords: Room {
    /// The kinds of records that [`import`](Self::import) counts.
    fn kinds(&self) -> &'static [RecordKind];

    /// Copies the records of `from`, which is not changed, to `into`.
    ///
    /// # Errors
    /// The errors of the room's reads and writes; `Conflict` if a record conflicts with an existing one.
    fn import(&self, from: &Repo, into: &Repo, how: &Import) -> Result<Migration>;

    /// Removes all records of `repo`, with their file, and returns how many there were.
    ///
    /// # Errors
    /// The errors of the room's reads and writes, and of the trash.
    fn forget(&self, repo: &Repo, how: Forget) -> Result<Counts>;
}

/// The options of an examination.
#[derive(Debug, Clone, Copy)]
#[must_use = "the contents of the folder are checked with these"]
pub struct Checks {
    /// Whether to repair what can be repaired.
    pub fix: bool,
    /// Whether to report folders that this process may not write to. False below a folder that was reported.
    pub writable: bool,
}

impl Checks {
    /// The checks for the contents of `folder`. If the folder cannot be written to, this is reported once and not again
    /// for its contents.
    pub(crate) fn within(self, home: &Home, folder: &Path, detail: &str, found: &mut Examination) -> Self {
        if !self.writable || !matches!(home.disk().kind_of(folder), Ok(Some(Kind::Folder))) {
            return self;
        }
        let unwritable = home.disk().examine_writable(folder, detail);
        let writable = unwritable.is_none();
        found.findings.extend(unwritable);
        Checks { writable, ..self }
    }
}

/// A number that a room keeps of something at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Limit {
    /// Its key in the configuration: `memory.summariesMaxEntries`.
    pub name: String,
    /// How much there is.
    pub used: u64,
    /// How much is kept at most.
    pub limit: u64,
}

impl Limit {
    /// Whether at least four fifths of it are used.
    pub(crate) fn is_near(&self) -> bool {
        self.used.saturating_mul(5) >= self.limit.saturating_mul(4)
    }
}

/// How much a room stores, and when it last changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The size of its files, in bytes.
    pub bytes: u64,
    /// When the last of them was modified, in nanoseconds since the Unix epoch; `None` if there are none.
    pub modified: Option<i128>,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Usage) -> Self {
        Usage { bytes: self.bytes + other.bytes, modified: self.modified.max(other.modified) }
    }

    /// The usage of the file at `path`; zero if it does not exist.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub(crate) fn of_file(home: &Home, path: &Path) -> Result<Self> {
        let stat = home.disk().stat(path)?;
        Ok(stat.map_or_else(Usage::default, |stat| Usage { bytes: stat.size, modified: Some(stat.modified) }))
    }
}

/// The answer of one of several rooms. A failure becomes a fault, so that the others are read all the same.
///
/// # Errors
/// `Cancelled`.
pub(crate) fn or_fault<T>(answer: Result<T>, faults: &mut Vec<String>) -> Result<Option<T>> {
    match answer {
        Err(error) if error.kind() != ErrorKind::Cancelled => {
            faults.push(error.to_string());
            Ok(None)
        }
        answer => answer.map(Some),
    }
}
