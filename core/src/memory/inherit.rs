//! Reading what a branch inherits: the records of another branch's memory that it has not overridden.
//!
//! They come before the branch's own records, as those of the other branch are older or change for reasons of their own.
//! Each is marked with the branch that it comes from. Writes touch the other branch's memory only if they ask for it.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::document::{Kind, MemoryDocument, OfKind, Record, RepoMemory, rows};
use super::record::INHERITED_FROM;
use super::stored;
use crate::disk::{Json, Row, Stored};
use crate::error::{Error, Result};
use crate::repo::Repo;

/// The records of `repo` and those that it inherits.
///
/// # Errors
/// Those of reading either file.
pub(super) fn read(repo: &Repo) -> Result<RepoMemory> {
    let own = stored::own(repo)?;
    let inherited = match source(repo)? {
        Some(Source { memory, branch, .. }) => not_overridden(&own, &memory, branch)?,
        None => Vec::new(),
    };
    Ok(RepoMemory { own, inherited: inherited.into() })
}

/// What a repository inherits from.
pub(super) struct Source<'r> {
    pub(super) repo: Repo,
    pub(super) branch: &'r str,
    pub(super) memory: Arc<MemoryDocument>,
}

/// What `repo` inherits from: the first of the places of its parent's memory that has records.
///
/// # Errors
/// Those of reading the file.
pub(super) fn source(repo: &Repo) -> Result<Option<Source<'_>>> {
    let Some(parent) = repo.parent() else { return Ok(None) };
    for hash in &parent.hashes {
        let source = Repo::at(repo.home(), hash);
        let memory = stored::own(&source)?;
        if rows(&memory).next().is_some() {
            return Ok(Some(Source { repo: source, branch: &parent.branch, memory }));
        }
    }
    Ok(None)
}

fn not_overridden(own: &MemoryDocument, other: &MemoryDocument, branch: &str) -> Result<Vec<(Kind, Row<Record>)>> {
    let (mut ids, mut titles) = (HashSet::new(), HashSet::new());
    for (kind, row) in rows(own) {
        let record = row.record()?;
        ids.insert(record.id().to_owned());
        titles.insert((kind.section(), record.title().to_owned()));
    }
    let mut inherited = Vec::new();
    for (kind, row) in rows(other) {
        let record = row.record()?;
        if !ids.contains(record.id()) && !titles.contains(&(kind.section(), record.title().to_owned())) {
            inherited.push((kind, marked((kind, row), branch)?));
        }
    }
    Ok(inherited)
}

/// The record with the branch that it comes from.
fn marked((kind, row): OfKind<'_>, branch: &str) -> Result<Row<Record>> {
    let failed = |cause| Error::internal("an inherited record could not be read again").because(cause);
    let text = row.json().get().trim_end();
    let fields = text.strip_suffix('}').unwrap_or(text);
    let branch = serde_json::to_string(branch).map_err(failed)?;
    // A record has fields, so a comma is needed.
    let marked = format!("{fields},\"{INHERITED_FROM}\":{branch}}}");
    let json = Json::stored(RawValue::from_string(marked).map_err(failed)?);
    let record = match kind {
        Kind::Convention => Stored::read(&json).map(Record::Convention),
        Kind::Decision => Stored::read(&json).map(Record::Decision),
        Kind::Note => Stored::read(&json).map(Record::Note),
    };
    record.map(Row::Parsed).map_err(failed)
}
