//! Copies the records of another repository hash, after a branch was renamed or a folder moved.

use std::collections::HashMap;

use super::Kind;
use super::document::{MemoryDocument, OfKind, RECORD_KINDS, rows};
use super::stored::{file, own};
use crate::disk::Edit;
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::room::Migration;

/// Copies every record of `from` whose id does not exist in `into`, byte for byte. With `dry_run`, only counts them.
///
/// # Errors
/// `Conflict` if a record in `into` has the same id but another kind, and those of [`get`](super::Memory::get); then
/// nothing was copied. `IOError` and `RenameError` from writing.
pub(super) fn import(from: &Repo, into: &Repo, dry_run: bool) -> Result<Migration> {
    let source = own(from)?;
    let (migration, _) = compare(&source, &*own(into)?)?;
    if dry_run || migration.copied.total() == 0 {
        return Ok(migration);
    }
    file(into).update(into.home().wait_options(), move |memory| {
        let (migration, missing) = compare(&source, memory)?;
        let edits = missing.into_iter().map(|(kind, row)| Edit::Add(kind.section(), row.clone()));
        Ok((edits.collect(), migration))
    })
}

/// The records of `source` that `target` does not have.
fn compare<'s>(source: &'s MemoryDocument, target: &MemoryDocument) -> Result<(Migration, Vec<OfKind<'s>>)> {
    let mut known: HashMap<String, Kind> = HashMap::new();
    for (kind, row) in rows(target) {
        known.insert(row.record()?.id().to_owned(), kind);
    }
    let mut migration = Migration::zero(RECORD_KINDS);
    let mut missing = Vec::new();
    for (kind, row) in rows(source) {
        let record = row.record()?;
        match known.get(record.id()) {
            None => {
                missing.push((kind, row));
                migration.copied.add(kind.plural(), 1);
            }
            Some(other) if *other == kind => migration.deduplicated.add(kind.plural(), 1),
            Some(other) => {
                let (here, there) = (other.plural(), kind.plural());
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!("the id is used by one of the {there} in the source and by one of the {here} in the target; remove one of them"),
                )
                .about(record.id()));
            }
        }
    }
    Ok((migration, missing))
}
