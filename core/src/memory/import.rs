//! Copies the records of another repository hash, after a branch was renamed or a folder moved.

use std::collections::HashMap;

use super::{CONVENTIONS, DECISIONS, MemoryDocument, MemorySchema, NOTES, Record, file, read};
use crate::disk::{DocumentSchema, Edit, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::room::{Counts, Imported, RecordKind};

/// The kinds of records, in the order of the file's sections.
pub(super) static KINDS: [RecordKind; 3] = [
    RecordKind { name: "conventions", doc: "Conventions." },
    RecordKind { name: "decisions", doc: "Decisions." },
    RecordKind { name: "notes", doc: "Notes." },
];

type Records<'r> = Vec<&'r Row<Record>>;

/// Copies every record of `from` whose id does not exist in `into`, byte for byte. With `dry_run`, only counts them.
///
/// # Errors
/// `Conflict` if a record in `into` has the same id but another kind, and those of [`get`](super::Memory::get); then
/// nothing was copied. `IOError` and `RenameError` from writing.
pub(super) fn import(from: &Repo, into: &Repo, dry_run: bool) -> Result<Imported> {
    let source = read(from)?.0;
    let (imported, _) = compare(&source, &read(into)?.0)?;
    if dry_run || imported.copied.total() == 0 {
        return Ok(imported);
    }
    file(into).update(into.home().wait(), move |memory| {
        let (imported, copies) = compare(&source, memory)?;
        let edits = copies
            .iter()
            .enumerate()
            .flat_map(|(section, records)| records.iter().map(move |stored| Edit::Add(section, (*stored).clone())));
        Ok((edits.collect(), imported))
    })
}

/// The records of `source` that `target` does not have, by section.
fn compare<'s>(source: &'s MemoryDocument, target: &MemoryDocument) -> Result<(Imported, [Records<'s>; 3])> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for section in [CONVENTIONS, DECISIONS, NOTES] {
        for stored in target.section(section) {
            places.insert(stored.record()?.id().to_owned(), section);
        }
    }
    let mut missing: [Records<'s>; 3] = Default::default();
    let mut known = [0; 3];
    for (section, records) in missing.iter_mut().enumerate() {
        for stored in source.section(section) {
            let record = stored.record()?;
            match places.get(record.id()).copied() {
                None => records.push(stored),
                Some(other) if other == section => known[section] += 1,
                Some(other) => {
                    let [here, there] = [other, section].map(|section| MemorySchema::SECTIONS[section]);
                    return Err(Error::new(
                        ErrorKind::Conflict,
                        format!("the id is used by one of the {there} in the source and by one of the {here} in the target; remove one of them"),
                    )
                    .about(record.id()));
                }
            }
        }
    }
    let copied = [0, 1, 2].map(|section| missing[section].len());
    let imported = Imported { copied: counts(copied), deduplicated: counts(known), ..Imported::default() };
    Ok((imported, missing))
}

fn counts(of_sections: [usize; 3]) -> Counts {
    KINDS.into_iter().zip(of_sections).collect()
}
