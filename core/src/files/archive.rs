//! Files in an archive.

use super::folder::Place;
use super::import::{merge, records};
use super::record::{FOREIGN, FileRecord, KIND};
use crate::disk::{Line, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::room::{Arrival, Brought, Export, Findable, Owner, Portable, Source};
use crate::trash;

/// What was removed of the files of the user; what was removed of a repository's is in its own trash.
const TRASH: &str = "trash";

/// The files of these repositories, and of the user.
///
/// # Errors
/// Those of reading them.
pub(super) fn export(from: &Source<'_>) -> Result<Export> {
    let mut export = Export::default();
    let repos = from.repos.iter().map(|repo| (Owner::Repo(repo.hash().clone()), Place::of_repo(repo)));
    let user = from.is_whole.then(|| (Owner::Home, Place::global(from.home)));
    for (owner, place) in repos.chain(user) {
        if owner == Owner::Home && from.with_trash {
            for entry in place.trash().entries()? {
                export.records.push(Portable::of(Owner::Home, TRASH, &entry)?);
            }
        }
        let (records, skipped) = records(&place)?;
        if skipped > 0 {
            export.faults.push(format!("{skipped} files below {} are not text in UTF-8", place.top().display()));
        }
        for record in records {
            export.records.push(Portable::of(owner.clone(), KIND, &record)?);
        }
    }
    Ok(export)
}

/// Brings files to a place.
///
/// # Errors
/// See [`Archived::import`](crate::room::Archived::import).
pub(super) fn import(place: &Place, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
    let (check, mut skipped) = (into.home.cancel_check(), Brought::default());
    let (mut files, mut removed) = (Vec::new(), Vec::new());
    for portable in records {
        check()?;
        let read = match &*portable.kind {
            TRASH if matches!(place, Place::Global(_)) => {
                trash::foreign(into.home, into.archive, &portable.record, None).map(|entry| removed.push(entry))
            }
            _ => file(place, portable, into).map(|file| files.push(file)),
        };
        read.or_else(|error| skipped.skip(error))?;
    }
    let mut brought = Brought::from(merge(&files, place, &into.merge())?);
    brought.absorb(skipped);
    brought.joined(removed.len(), place.trash().add(removed, into.dry_run)?);
    Ok(brought)
}

fn file(place: &Place, portable: &Portable, into: &Arrival<'_>) -> Result<Stored<FileRecord>> {
    if portable.kind != KIND {
        return Err(Error::new(ErrorKind::Parse, "a record of an archive is of no known kind"));
    }
    into.refuse_newer(&portable.record, FileRecord::VERSION)?;
    let file = Stored::from(into.home.seal_foreign(&portable.record, &FOREIGN)?.record::<FileRecord>()?);
    file.tool_path(place)?;
    Ok(file)
}

/// What a search finds of a file.
pub(super) fn findable(_: &Home, portable: &Portable) -> Option<Findable> {
    let it: FileRecord = portable.read().filter(|_| portable.kind == KIND)?;
    let found = Findable::new(portable.owner.clone(), KIND, it.path.clone(), it.content);
    Some(Findable { title: it.path.clone(), files: vec![it.path], time: Some(it.modified_at), ..found })
}
