//! What a room provides so that its records can be in an archive, and come from one.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::owner::Owner;
use super::search::Findable;
use super::{Import, KeepsJobs, KeptAside, Migration, Room};
use crate::disk::refuse_newer;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::safety::{Sealed, Trusted};
use crate::trash::Joined;

/// A room whose records can be in an archive.
pub trait Archived: Room {
    /// Its name, which its records have in the archive.
    fn name(&self) -> &'static str;

    /// The newest version of its records that it reads, and the one that it writes.
    fn version(&self) -> u64 {
        1
    }

    /// Its records, in an order that depends on them alone.
    ///
    /// # Errors
    /// The errors of the room's reads.
    fn export(&self, from: &Source<'_>) -> Result<Export>;

    /// What a search finds of one of its records; `None` if that is not to be found.
    fn findable(&self, home: &Home, record: &Portable) -> Option<Findable>;

    /// Brings records that belong to `owner`. They may come from anyone: each is redacted and checked; one that is damaged is
    /// skipped and counted. Of two versions of a record the newer one stays, and the other goes to the trash.
    ///
    /// # Errors
    /// `FormatTooNew`; the errors of the room's reads and writes.
    fn import(&self, owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought>;
}

/// What is exported.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// The home.
    pub home: &'s Home,
    /// The repositories, sorted by their hashes.
    pub repos: &'s [Repo],
    /// The folders of these that exist, sorted.
    pub folders: &'s [PathBuf],
    /// Whether what belongs to no repository is exported too.
    pub is_whole: bool,
    /// The contexts of jobs.
    pub jobs: &'s dyn KeepsJobs,
    /// Only the contexts of these scopes, also if not everything is exported; all of them by default.
    pub scopes: Option<&'s [String]>,
    /// Whether what was removed and replaced is exported too.
    pub with_trash: bool,
}

/// Where records are brought to.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The home.
    pub home: &'a Home,
    /// The archive, for errors.
    pub archive: &'a Path,
    /// The contexts of jobs.
    pub jobs: &'a dyn KeepsJobs,
    /// Whether nothing is written, and anything that would prevent it is an error.
    pub dry_run: bool,
}

impl Arrival<'_> {
    /// How records are merged with those that are here.
    pub(crate) fn merge(&self) -> Import {
        // Nothing is known to have been adopted before, so that of two versions the newer one stays.
        Import { dry_run: self.dry_run, adopted: Some(std::sync::Arc::default()) }
    }

    /// Refuses a record whose member `v` says that a newer loopmem has written it.
    ///
    /// # Errors
    /// `FormatTooNew`; `ParseError` for one that is no number.
    pub(crate) fn refuse_newer(&self, record: &RawValue, newest: u64) -> Result<()> {
        #[derive(Deserialize)]
        struct Version<'t> {
            #[serde(borrow)]
            v: Option<&'t RawValue>,
        }
        match serde_json::from_str(record.get()) {
            Ok(Version { v: Some(version) }) => refuse_newer(self.archive, "v of a record", version.get(), newest),
            _ => Ok(()),
        }
    }
}

/// A record on its way to an archive or from one.
#[derive(Debug, Clone)]
pub struct Portable {
    /// What it belongs to.
    pub owner: Owner,
    /// Its kind, as its room names it.
    pub kind: Cow<'static, str>,
    /// The record, without white space between its tokens if it comes from a home.
    pub record: Box<RawValue>,
}

impl Portable {
    /// A stored record.
    ///
    /// # Errors
    /// `ValidationError` for what cannot be written as JSON.
    pub(crate) fn of(owner: Owner, kind: &'static str, record: &impl Trusted) -> Result<Self> {
        Ok(Portable { owner, kind: kind.into(), record: Sealed::whole(record)?.into_parts().0 })
    }

    /// The record as a `T`; `None` if it has another form, which the room's own reads report.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.record.get()).ok()
    }
}

/// Records for an archive, and what is not in it.
#[derive(Debug, Default)]
pub struct Export {
    /// The records.
    pub records: Vec<Portable>,
    /// How many damaged records were left out.
    pub skipped: usize,
    /// What else could not be read, and why.
    pub faults: Vec<String>,
}

impl Export {
    /// What was read, unless it is damaged or of a newer version, which is named: the rest can be saved all the same.
    ///
    /// # Errors
    /// Any other error.
    pub(crate) fn readable<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        match read {
            Err(error) if matches!(error.kind(), ErrorKind::Parse | ErrorKind::FormatTooNew) => {
                self.faults.push(error.message().to_owned());
                Ok(None)
            }
            read => read.map(Some),
        }
    }
}

/// The records of one room that were brought from an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ImportedRoom")]
#[non_exhaustive]
pub struct Brought {
    /// The room: `memory`.
    pub room: Cow<'static, str>,
    /// Records that were not here.
    pub copied: usize,
    /// Records of which the archive has a newer version, which is here now.
    pub merged: usize,
    /// Records that are the same here.
    pub deduplicated: usize,
    /// Records of which both have a version: the newer one is here now, the other one in the trash. `isTheirs` is true if that
    /// is the one of the archive.
    pub kept_aside: Vec<KeptAside>,
    /// Summaries that were not copied because the limits exclude them as too old, and removed records for which the trash has no
    /// room.
    pub left: usize,
    /// Summaries that were removed here to make room for newer ones.
    pub pruned: usize,
    /// Records that were not brought: damaged ones, and those whose ids look like secrets or whose folder is not there.
    pub skipped: usize,
    /// Why records were skipped that are not damaged.
    pub faults: Vec<String>,
}

impl Brought {
    /// Adds those of another owner.
    pub(crate) fn absorb(&mut self, other: Brought) {
        self.copied += other.copied;
        self.merged += other.merged;
        self.deduplicated += other.deduplicated;
        self.kept_aside.extend(other.kept_aside);
        self.left += other.left;
        self.pruned += other.pruned;
        self.skipped += other.skipped;
        self.faults.extend(other.faults);
    }

    /// Counts what became of the entries of a trash.
    pub(crate) fn joined(&mut self, all: usize, Joined { added, left }: Joined) {
        self.copied += added;
        self.left += left;
        self.deduplicated += all - added - left;
    }

    /// The number of records that were written.
    pub(crate) fn written(&self) -> usize {
        self.copied + self.merged
    }

    /// The error if it is one of a newer version, which ends an import; otherwise, the record is damaged and was skipped.
    pub(crate) fn skip(&mut self, error: Error) -> Result<()> {
        if error.kind() == crate::error::ErrorKind::FormatTooNew {
            return Err(error);
        }
        self.skipped += 1;
        Ok(())
    }
}

impl From<Migration> for Brought {
    fn from(it: Migration) -> Self {
        Brought {
            copied: it.copied.total(),
            merged: it.merged.total(),
            deduplicated: it.deduplicated.total(),
            kept_aside: it.kept_aside,
            left: it.left,
            pruned: it.pruned,
            skipped: it.skipped.unwrap_or_default(),
            ..Brought::default()
        }
    }
}
