//! Copying what is stored under one repository hash to another: after a branch was renamed, a folder moved or a remote
//! changed.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Repos;
use crate::error::{Error, ErrorKind, Result};
use crate::home::RepoHash;
use crate::repo::Repo;
use crate::room::{Counts, Imported};
use crate::rooms;

/// What a migration did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Migration {
    /// What was copied.
    pub copied: Counts,
    /// What the target had already.
    pub deduplicated: Counts,
    /// Summaries of the source that were not copied, because they are older than all that the target may keep.
    pub left: usize,
    /// Summaries of the target that were removed for newer ones.
    pub pruned: usize,
    /// Damaged lines in the source's file of summaries, if any, which cannot be copied; they stay there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

impl From<Imported> for Migration {
    fn from(Imported { copied, deduplicated, left, pruned, skipped }: Imported) -> Self {
        Migration { copied, deduplicated, left, pruned, skipped: (skipped > 0).then_some(skipped) }
    }
}

/// A number for each kind of record in the registry.
impl JsonSchema for Counts {
    fn schema_name() -> Cow<'static, str> {
        "MigrationCounts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let count = |doc: &str| json!({ "type": "integer", "minimum": 0, "description": doc });
        let properties: Map<String, Value> =
            rooms::kinds().map(|kind| (kind.name.to_owned(), count(kind.doc))).collect();
        let required: Vec<&str> = rooms::kinds().map(|kind| kind.name).collect();
        json_schema!({
            "type": "object",
            "description": "The number of records of each kind.",
            "properties": properties,
            "required": required,
        })
    }
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
        self.home.call("repo.migrate", |home| {
            if from == to {
                return Err(Error::validation("fromRepoHash and toRepoHash are the same; name two repositories"));
            }
            let [from, to] = [from, to].map(|hash| Repo::at(home, hash));
            if rooms::usage(&from)?.modified.is_none() {
                let message = "nothing is stored under fromRepoHash; see repo.list for what is";
                return Err(Error::new(ErrorKind::NotFound, message).about(from.hash().as_str()));
            }
            // Once to see whether anything prevents it, before the first file is written.
            let counted = import(&from, &to, true)?;
            if dry_run { Ok(counted) } else { import(&from, &to, false) }
        })
    }
}

fn import(from: &Repo, to: &Repo, dry_run: bool) -> Result<Migration> {
    let mut imported = Imported::default();
    for room in rooms::ROOMS {
        // Copying again adds what is missing, and nothing twice.
        let is_begun = !dry_run && imported.copied.total() > 0;
        let own = room.import(from, to, dry_run);
        imported.absorb(own.map_err(|failed| if is_begun { failed.maybe_stored() } else { failed })?);
    }
    Ok(imported.into())
}
