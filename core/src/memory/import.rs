//! Copies the records of another repository hash, after a branch was renamed or a folder moved.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use chrono::DateTime;

use super::document::{MemoryDocument, OfKind, RECORD_KINDS, Record, rows};
use super::stored::{file, own};
use super::undo::discarded;
use crate::disk::{Edit, RecordIndex, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::room::{Import, KeptAside, Migration};
use crate::safety::Sealed;
use crate::trash::{self, Discarded, Reason};

/// Copies the records of `from` to `into`, byte for byte.
///
/// # Errors
/// `Conflict` if a record in `into` has the same id but another kind, unless records are adopted, and those of
/// [`get`](super::Memory::get); then nothing was copied. `IOError` and `RenameError` from writing.
pub(super) fn import(from: &Repo, into: &Repo, how: &Import) -> Result<Migration> {
    merge(&own(from)?, into, how)
}

/// As [`import`], from a document.
///
/// # Errors
/// Those of [`import`].
pub(super) fn merge(source: &Arc<MemoryDocument>, into: &Repo, how: &Import) -> Result<Migration> {
    // Without a trash, what is here stays.
    let config = into.home().config();
    let policy = Policy { keeps_ours: config.trash_keep_days == 0, keeps_replaced: config.keep_replaced };
    let plan = Plan::new(source, &*own(into)?, how, policy)?;
    // A dry run says so, too.
    trash::refuse_too_many(into.home(), plan.discarded.iter().map(Discarded::length))?;
    if how.dry_run || plan.edits.is_empty() && plan.discarded.is_empty() {
        return Ok(plan.migration);
    }
    let (source, how, trash) = (Arc::clone(source), how.clone(), into.trash());
    file(into).update(into.home().wait_options(), move |memory| {
        let plan = Plan::new(&source, memory, &how, policy)?;
        trash.put(Reason::Replaced, plan.discarded)?;
        Ok((plan.edits, plan.migration))
    })
}

/// What happens to versions that are here.
#[derive(Debug, Clone, Copy)]
struct Policy {
    /// Whether none is replaced by a newer one.
    keeps_ours: bool,
    /// Whether those that are replaced without a conflict go to the trash too.
    keeps_replaced: bool,
}

/// What has to be done to bring the records of one document to another.
struct Plan {
    migration: Migration,
    edits: Vec<Edit<Record>>,
    /// For the trash.
    discarded: Vec<Discarded>,
}

impl Plan {
    fn new(source: &MemoryDocument, target: &MemoryDocument, how: &Import, policy: Policy) -> Result<Plan> {
        let migration = Migration::zero(RECORD_KINDS);
        let mut plan = Plan { migration, edits: Vec::new(), discarded: Vec::new() };
        let mut known = HashMap::new();
        let mut next = RecordIndex { section: 0, index: 0 };
        for (kind, row) in rows(target) {
            if next.section != kind.section() {
                next = RecordIndex { section: kind.section(), index: 0 };
            }
            known.insert(row.record()?.id().to_owned(), (next, kind, row));
            next.index += 1;
        }
        for (kind, row) in rows(source) {
            let json = row.json().get();
            plan.migration.versions.add(json);
            let is_adopted = how.adopted.as_ref().is_some_and(|adopted| adopted.has(json));
            let id = row.record()?.id().to_owned();
            match known.get(&id) {
                // It was removed since, or changed.
                _ if is_adopted => plan.migration.deduplicated.add(kind.plural(), 1),
                None => {
                    plan.migration.copied.add(kind.plural(), 1);
                    plan.edits.push(Edit::Add(kind.section(), row.clone()));
                }
                Some((_, _, ours)) if is_same(ours, row)? => plan.migration.deduplicated.add(kind.plural(), 1),
                Some((index, other, ours)) => match &how.adopted {
                    None if *other == kind => plan.migration.deduplicated.add(kind.plural(), 1),
                    None => {
                        let (here, there) = (other.plural(), kind.plural());
                        return Err(Error::new(
                            ErrorKind::Conflict,
                            format!("the id is used by one of the {there} in the source and by one of the {here} in the target; remove one of them"),
                        )
                        .about(id));
                    }
                    Some(adopted) => {
                        let is_unchanged = adopted.has(ours.json().get());
                        let is_newer = is_newer(&*row.record()?, &*ours.record()?);
                        let takes_theirs = *other == kind && !policy.keeps_ours && (is_unchanged || is_newer);
                        if takes_theirs {
                            plan.edits.push(Edit::Change(*index, row.clone()));
                            plan.migration.merged.add(kind.plural(), 1);
                        }
                        if !(takes_theirs && is_unchanged) {
                            plan.keep_aside((kind, row), ours, !takes_theirs, id)?;
                        } else if policy.keeps_replaced {
                            plan.discarded.push(discarded(ours)?);
                        }
                    }
                },
            }
        }
        Ok(plan)
    }

    /// Notes that one of two versions goes to the trash.
    fn keep_aside(
        &mut self,
        (kind, theirs): OfKind<'_>,
        ours: &Row<Record>,
        is_theirs: bool,
        id: String,
    ) -> Result<()> {
        self.discarded.push(discarded(if is_theirs { theirs } else { ours })?);
        self.migration.kept_aside.push(KeptAside { kind: kind.name().into(), id, is_theirs });
        Ok(())
    }
}

/// Whether both are the same, whatever white space is between their tokens.
fn is_same(one: &Row<Record>, other: &Row<Record>) -> Result<bool> {
    let is_equal = one.json().get() == other.json().get();
    Ok(is_equal || Sealed::whole(one)?.json().get() == Sealed::whole(other)?.json().get())
}

/// Whether `one` was updated after `other`. Another program may have written no time, which counts as the oldest.
fn is_newer(one: &Record, other: &Record) -> bool {
    let time = |record: &Record| DateTime::parse_from_rfc3339(record.updated_at()).ok();
    time(one).cmp(&time(other)) == Ordering::Greater
}
