//! Taking what one repository hash remembers over to another: after a branch was renamed, a folder moved or a remote
//! changed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, ErrorKind, Result};
use crate::home::RepoHash;
use crate::memory;
use crate::repo::{Repo, Repos};

/// How much was there, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MigrationCounts")]
pub struct Counts {
    /// Conventions.
    pub conventions: usize,
    /// Decisions.
    pub decisions: usize,
    /// Notes.
    pub notes: usize,
    /// Step summaries.
    pub summaries: usize,
}

/// What a migration did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Migration {
    /// What came over.
    pub copied: Counts,
    /// What was in the target already.
    pub deduplicated: Counts,
    /// Summaries of the source that were left behind: older than all that the target may keep.
    pub left: usize,
    /// Summaries of the target that had to go for newer ones.
    pub pruned: usize,
    /// Damaged lines in the source's file of summaries, if any, which cannot be copied; they stay there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

impl Repos {
    /// Copies what is stored under `from` to `to`; the source stays as it was.
    ///
    /// Records whose id, and summaries whose run, step and time are there already stay as they are there. The target keeps
    /// its limits: of all summaries the oldest beyond them are left behind or go, and are counted.
    ///
    /// # Errors
    /// `NotFound` when nothing is stored under `from`; `ValidationError` when both are the same; `Conflict` when an id names
    /// one kind of record there and another here; then nothing was copied. `LockAcquisitionError`, `ParseError`,
    /// `FormatTooNew`, `IOError`, `RenameError`.
    pub fn migrate(&self, from: &RepoHash, to: &RepoHash) -> Result<Migration> {
        self.migrate_or_count(from, to, false)
    }

    /// Counts what [`migrate`](Self::migrate) would copy, and copies nothing.
    ///
    /// # Errors
    /// As [`migrate`](Self::migrate).
    pub fn preview_migration(&self, from: &RepoHash, to: &RepoHash) -> Result<Migration> {
        self.migrate_or_count(from, to, true)
    }

    fn migrate_or_count(&self, from: &RepoHash, to: &RepoHash, dry_run: bool) -> Result<Migration> {
        self.home().call("repo.migrate", |home| {
            if from == to {
                return Err(Error::validation("fromRepoHash and toRepoHash are the same; name two repositories"));
            }
            let [from, to] = [from, to].map(|hash| Repo::at(home, hash));
            if !from.is_known()? {
                let message = "nothing is stored under fromRepoHash; see repo.list for what is";
                return Err(Error::new(ErrorKind::NotFound, message).about(from.hash().as_str()));
            }
            // Once to see whether anything is in the way, before the first of the two files is written.
            let counted = adopt(&from, &to, true)?;
            if dry_run { Ok(counted) } else { adopt(&from, &to, false) }
        })
    }
}

fn adopt(from: &Repo, to: &Repo, dry_run: bool) -> Result<Migration> {
    let records = to.memory().adopt(from, dry_run)?;
    let summaries = to.summaries().adopt(from, dry_run);
    let is_begun = !dry_run && records.copied != memory::Counts::default();
    // Copying once more adds what is missing, and nothing twice.
    let summaries = summaries.map_err(|failed| if is_begun { failed.maybe_stored() } else { failed })?;
    let counts = |records: memory::Counts, summaries| Counts {
        conventions: records.conventions,
        decisions: records.decisions,
        notes: records.notes,
        summaries,
    };
    Ok(Migration {
        copied: counts(records.copied, summaries.copied),
        deduplicated: counts(records.deduplicated, summaries.deduplicated),
        left: summaries.left,
        pruned: summaries.pruned,
        skipped: (summaries.skipped > 0).then_some(summaries.skipped),
    })
}
