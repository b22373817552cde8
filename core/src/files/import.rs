//! Copies files of another repository or of another home.

use std::collections::HashMap;

use super::folder::{Change, Place};
use super::record::{FileRecord, KIND, KINDS, RECORD_KINDS, discarded};
use crate::disk::{Stat, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::room::{Import, KeptAside, Migration};
use crate::trash::{self, Discarded, Reason};

/// The records of all files of a place, and how many files are not text.
///
/// # Errors
/// Those of reading them.
pub(super) fn records(place: &Place) -> Result<(Vec<Stored<FileRecord>>, usize)> {
    let (mut records, mut skipped) = (Vec::new(), 0);
    for file in place.all()? {
        match FileRecord::read(place, &file)? {
            Some(record) => records.push(record),
            None => skipped += 1,
        }
    }
    Ok((records, skipped))
}

/// Copies files to a place: see [`KeepsRecords::import`](crate::room::KeepsRecords::import).
///
/// # Errors
/// `ValidationError` for more than the trash keeps; `LockAcquisitionError`, `IOError`.
pub(super) fn merge(source: &[Stored<FileRecord>], into: &Place, how: &Import) -> Result<Migration> {
    let plan = Plan::new(source, into, how)?;
    trash::refuse_too_many(into.home(), plan.discarded.iter().map(Discarded::length))?;
    if how.dry_run || plan.edits.is_empty() && plan.discarded.is_empty() {
        return Ok(plan.migration);
    }
    let change = into.lock()?;
    let plan = Plan::new(source, into, how)?;
    into.trash().put(Reason::Replaced, plan.discarded)?;
    for (written, (record, expected)) in plan.edits.iter().enumerate() {
        put(into, &change, record, *expected).map_err(|failed| failed.after_some(written, "files were copied"))?;
    }
    Ok(plan.migration)
}

fn put(into: &Place, change: &Change<'_>, record: &FileRecord, expected: Option<Stat>) -> Result<()> {
    let path = record.tool_path(into)?;
    let text = into.seal(&path, &record.content)?;
    if change.put_dated(&into.full(&path)?, expected, &text, record.modified())? {
        return Ok(());
    }
    let message = format!("{path} was changed by another program meanwhile; try again");
    Err(Error::new(ErrorKind::Conflict, message).mark_retryable())
}

/// What has to be done to bring files to a place.
struct Plan {
    migration: Migration,
    /// What is written, and what was there.
    edits: Vec<(Stored<FileRecord>, Option<Stat>)>,
    /// For the trash.
    discarded: Vec<Discarded>,
}

impl Plan {
    fn new(source: &[Stored<FileRecord>], into: &Place, how: &Import) -> Result<Plan> {
        let config = into.home().config();
        let migration = Migration::zero(RECORD_KINDS);
        let mut plan = Plan { migration, edits: Vec::new(), discarded: Vec::new() };
        let known: HashMap<_, _> = into.all()?.into_iter().map(|file| (file.path.clone(), file)).collect();
        for theirs in source {
            let version = theirs.version();
            plan.migration.versions.add(&version);
            let is_adopted = how.adopted.as_ref().is_some_and(|adopted| adopted.has(&version));
            let Some(file) = known.get(&theirs.path).filter(|_| !is_adopted) else {
                // One that was adopted was removed since, or changed.
                let counts = if is_adopted { &mut plan.migration.deduplicated } else { &mut plan.migration.copied };
                counts.add(KINDS, 1);
                if !is_adopted {
                    plan.edits.push((theirs.clone(), None));
                }
                continue;
            };
            let ours = FileRecord::read(into, file)?;
            let (Some(adopted), Some(ours)) = (&how.adopted, ours.filter(|ours| ours.content != theirs.content)) else {
                plan.migration.deduplicated.add(KINDS, 1);
                continue;
            };
            let is_unchanged = adopted.has(&ours.version());
            // Without a trash, what is here stays.
            let takes_theirs = config.trash_keep_days > 0 && (is_unchanged || is_newer(theirs, &ours));
            if takes_theirs {
                plan.edits.push((theirs.clone(), Some(file.stat)));
                plan.migration.merged.add(KINDS, 1);
            }
            if !(takes_theirs && is_unchanged) {
                plan.discarded.push(discarded(if takes_theirs { &ours } else { theirs })?);
                let (id, is_theirs) = (theirs.path.clone(), !takes_theirs);
                plan.migration.kept_aside.push(KeptAside { kind: KIND.into(), id, is_theirs });
            } else if config.keep_replaced {
                plan.discarded.push(discarded(&ours)?);
            }
        }
        Ok(plan)
    }
}

/// Whether `one` was changed after `other`. Another program may have written no time, which counts as the oldest.
fn is_newer(one: &FileRecord, other: &FileRecord) -> bool {
    one.modified() > other.modified()
}
