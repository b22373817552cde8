//! Copies the memory stored under one repository hash to another, after a branch was renamed, a folder moved or a
//! remote changed.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::Repos;
use crate::error::{Error, ErrorKind, Result};
use crate::home::RepoHash;
use crate::repo::Repo;
use crate::room::{Counts, Migration};
use crate::rooms;

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
    /// Copies the memory stored under `from` to `to`. The source is not changed.
    ///
    /// Records that the target already has are not changed: those with the same id, and summaries with the same run,
    /// step and time. The target's limits still apply: the oldest summaries beyond them are not copied, or are removed
    /// from the target, and are counted.
    ///
    /// # Errors
    /// `NotFound` if nothing is stored under `from`; `ValidationError` if both are the same; `Conflict` if records of
    /// different kinds have the same id; then nothing was copied. `LockAcquisitionError`, `ParseError`,
    /// `FormatTooNew`, `IOError`, `RenameError`.
    pub fn migrate(&self, from: &RepoHash, to: &RepoHash) -> Result<Migration> {
        self.migrate_or_count(from, to, false)
    }

    /// Counts what [`migrate`](Self::migrate) would copy, without copying it.
    ///
    /// # Errors
    /// See [`migrate`](Self::migrate).
    pub fn preview_migration(&self, from: &RepoHash, to: &RepoHash) -> Result<Migration> {
        self.migrate_or_count(from, to, true)
    }

    fn migrate_or_count(&self, from: &RepoHash, to: &RepoHash, dry_run: bool) -> Result<Migration> {
        self.home.call(Self::MIGRATE, |home| {
            if from == to {
                return Err(Error::validation("fromRepoHash and toRepoHash are the same; pass two different hashes"));
            }
            let [from, to] = [from, to].map(|hash| Repo::at(home, hash));
            if rooms::usage(&from)?.modified.is_none() {
                let message = "nothing is stored under fromRepoHash; see repo.list for the hashes in use";
                return Err(Error::new(ErrorKind::NotFound, message).about(from.hash().as_str()));
            }
            to.refuse_unknown()?;
            rooms::import(&from, &to, dry_run, None)
        })
    }
}
