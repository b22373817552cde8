//! The records in an archive.

use std::collections::HashSet;
use std::sync::Arc;

use serde::de::IgnoredAny;

use super::document::{Kind, MemoryDocument, MemorySchema, Record, rows};
use super::import::merge;
use super::record::{Convention, Decision, INHERITED_FROM, Note};
use super::stored::own;
use crate::disk::{DocumentSchema, Json, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{ForeignRecord, Home};
use crate::repo::Repo;
use crate::room::{Arrival, Brought, Export, Findable, Owner, Portable, Source};

const RECORD: ForeignRecord = ForeignRecord {
    keys: &[
        "id",
        "title",
        "content",
        "tags",
        "summary",
        "rationale",
        "impactedPaths",
        "source",
        "createdAt",
        "updatedAt",
        INHERITED_FROM,
    ],
    ids: &["id"],
    generated: &["createdAt", "updatedAt"],
};

/// The records of these repositories.
///
/// # Errors
/// Those of [`get`](super::Memory::get).
pub(super) fn export(from: &Source<'_>) -> Result<Export> {
    let mut export = Export::default();
    for repo in from.repos {
        let Some(memory) = export.readable(own(repo))? else { continue };
        for (kind, row) in rows(&memory) {
            export.records.push(Portable::of(Owner::Repo(repo.hash().clone()), kind.name(), row)?);
        }
    }
    Ok(export)
}

/// Brings the records of a repository.
///
/// # Errors
/// See [`Archived::import`](crate::room::Archived::import).
pub(super) fn import(repo: &Repo, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
    let (check, mut seen, mut found, mut skipped) = (into.home.cancel_check(), HashSet::new(), Vec::new(), 0);
    for portable in records {
        check()?;
        match read(into.home, portable) {
            Ok((kind, record)) if seen.insert(record.id().to_owned()) => {
                found.push((kind.section(), Row::Parsed(record)));
            }
            _ => skipped += 1,
        }
    }
    let document = Arc::new(MemoryDocument::of(found));
    let mut brought = Brought::from(merge(&document, repo, &into.merge())?);
    brought.skipped += skipped;
    Ok(brought)
}

fn read(home: &Home, portable: &Portable) -> Result<(Kind, Record)> {
    let damaged = || Error::new(ErrorKind::Parse, "a record of an archive is damaged");
    let kind = *Kind::ALL.iter().find(|kind| kind.name() == portable.kind).ok_or_else(damaged)?;
    let mut sealed = home.seal_foreign(&portable.record, &RECORD)?;
    sealed.take(INHERITED_FROM);
    let record = MemorySchema::reader(kind.section())(&Json::from(sealed.record::<IgnoredAny>()?));
    Ok((kind, record.map_err(|_| damaged())?))
}

/// What a search finds of a record.
pub(super) fn findable(_: &Home, portable: &Portable) -> Option<Findable> {
    let found = |id: String, text, time| Findable {
        time: Some(time),
        ..Findable::new(portable.owner.clone(), portable.kind.clone(), id, text)
    };
    match Kind::ALL.iter().find(|kind| kind.name() == portable.kind)? {
        Kind::Convention => {
            let it: Convention = portable.read()?;
            Some(Findable { title: it.title, tags: it.tags, ..found(it.id, it.content, it.updated_at) })
        }
        Kind::Decision => {
            let it: Decision = portable.read()?;
            Some(Findable { title: it.summary, files: it.impacted_paths, ..found(it.id, it.rationale, it.updated_at) })
        }
        Kind::Note => {
            let it: Note = portable.read()?;
            Some(Findable { tags: it.tags, ..found(it.id, it.content, it.updated_at) })
        }
    }
}
