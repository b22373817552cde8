//! Taking over what another repository hash remembers, after a branch was renamed or a folder moved.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CONVENTIONS, DECISIONS, Memory, MemoryShape, NOTES, Record, RepoMemory, file, read};
use crate::disk::{Edit, Row, Shape};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;

/// How many records of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Conventions.
    pub conventions: usize,
    /// Decisions.
    pub decisions: usize,
    /// Notes.
    pub notes: usize,
}

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Records that came over.
    pub copied: Counts,
    /// Records whose id was here already: those here stay.
    pub deduplicated: Counts,
}

type Records<'r> = Vec<&'r Row<Record>>;

impl Memory {
    /// Copies every record of `from` whose id is not here, as the bytes it is; `from` stays as it is. With `dry_run` it is only counted.
    ///
    /// # Errors
    /// `Conflict` when an id names one kind of record there and another here, and those of [`get`](Self::get); then
    /// nothing was copied. `IOError` and `RenameError` from writing.
    pub(crate) fn adopt(&self, from: &Repo, dry_run: bool) -> Result<Adopted> {
        let source = read(from)?;
        let (adopted, _) = compare(&source, &*read(&self.repo)?)?;
        if dry_run || adopted == Adopted::default() {
            return Ok(adopted);
        }
        file(&self.repo).update(self.repo.home().wait(), move |memory| {
            let (adopted, copies) = compare(&source, memory)?;
            let edits = copies
                .iter()
                .enumerate()
                .flat_map(|(section, records)| records.iter().map(move |stored| Edit::Add(section, (*stored).clone())));
            let edits = edits.collect();
            Ok((edits, adopted))
        })
    }
}

/// What `target` lacks of `source`, section by section.
fn compare<'s>(source: &'s RepoMemory, target: &RepoMemory) -> Result<(Adopted, [Records<'s>; 3])> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for section in [CONVENTIONS, DECISIONS, NOTES] {
        for stored in target.section(section) {
            places.insert(stored.record()?.id().to_owned(), section);
        }
    }
    let mut lacking: [Records<'s>; 3] = Default::default();
    let mut known = [0; 3];
    for (section, records) in lacking.iter_mut().enumerate() {
        for stored in source.section(section) {
            let record = stored.record()?;
            match places.get(record.id()).copied() {
                None => records.push(stored),
                Some(other) if other == section => known[section] += 1,
                Some(other) => {
                    let [here, there] = [other, section].map(|section| MemoryShape::SECTIONS[section]);
                    return Err(Error::new(
                        ErrorKind::Conflict,
                        format!("the id is one of the {there} in the source and of the {here} in the target; remove one of the two"),
                    )
                    .about(record.id()));
                }
            }
        }
    }
    let copied = [0, 1, 2].map(|section| lacking[section].len());
    Ok((Adopted { copied: counts(copied), deduplicated: counts(known) }, lacking))
}

fn counts([conventions, decisions, notes]: [usize; 3]) -> Counts {
    Counts { conventions, decisions, notes }
}
