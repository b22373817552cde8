//! Copies the step summaries of another repository hash.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Dated, Summary, dated, file, limits, read};
use crate::disk::{Journal, JournalEdit, Limits, Row, Stored};
use crate::error::Result;
use crate::repo::Repo;
use crate::room::{Import, Migration, RecordKind, Versions};

pub(super) const KIND: &str = "summaries";
pub(super) static KINDS: &[RecordKind] = &[RecordKind { name: KIND, doc: "Step summaries." }];

/// Copies the summaries of `from` that do not exist in `into` (by run, step and time), byte for byte, and sorts all of
/// them by time. The oldest beyond the limits are removed, as by an append. In a dry run, only counts them.
///
/// # Errors
/// Those of [`list`](super::Summaries::list); then nothing was copied. `IOError` and `RenameError` from writing.
pub(super) fn import(from: &Repo, into: &Repo, how: &Import) -> Result<Migration> {
    merge_into(read(from)?, into, how)
}

/// As [`import`], from a journal.
///
/// # Errors
/// Those of [`import`].
pub(super) fn merge_into(source: Arc<Journal<Summary>>, into: &Repo, how: &Import) -> Result<Migration> {
    let (home, limits) = (into.home(), limits(into));
    let (wait, timeout) = (home.wait_options(), home.config().lock_timeout);
    let file = file(into, timeout);
    let adopted = how.adopted.clone();
    let (migration, _) = merge(&source, &*file.read(wait)?, limits, adopted.as_deref())?;
    if how.dry_run || source.lines().is_empty() {
        return Ok(migration);
    }
    file.update(wait, move |here| {
        let (migration, lines) = merge(&source, here, limits, adopted.as_deref())?;
        let edit = (migration.copied.total() > 0).then_some(JournalEdit::Replace(lines));
        Ok((edit.into_iter().collect(), migration))
    })
}

/// The summaries of both, sorted by time and within the limits.
fn merge(
    source: &Journal<Summary>,
    here: &Journal<Summary>,
    limits: Limits,
    adopted: Option<&Versions>,
) -> Result<(Migration, Vec<Row<Stored<Summary>>>)> {
    fn name(it: &Summary) -> [String; 3] {
        [it.run_id.clone(), it.step_id.clone(), it.timestamp.clone()]
    }
    let mut known = HashSet::new();
    for stored in here.lines() {
        known.insert(name(&*stored.record()?));
    }
    let mut versions = Versions::default();
    for stored in source.lines() {
        versions.add(stored.json().get());
        // It was removed since.
        if adopted.is_some_and(|adopted| adopted.has(stored.json().get())) {
            known.insert(name(&*stored.record()?));
        }
    }
    let is_new = |summary: &Summary| !known.contains(&name(summary));
    let mut all: Dated<'_> = dated(source.lines(), is_new)?;
    let missing = all.len();
    all.extend(dated(here.lines(), |_| true)?);
    all.sort_by_key(|(time, _)| *time);
    let mut lines: Vec<_> = all.into_iter().map(|(_, row)| row.clone()).collect();
    limits.prune(&mut lines);
    let mut copied = 0;
    for stored in &lines {
        copied += usize::from(is_new(&*stored.record()?));
    }
    let mut migration = Migration {
        versions,
        left: missing - copied,
        pruned: here.lines().len() - (lines.len() - copied),
        skipped: Some(source.skipped()).filter(|skipped| *skipped > 0),
        ..Migration::default()
    };
    migration.copied.add(KIND, copied);
    migration.deduplicated.add(KIND, source.lines().len() - missing);
    Ok((migration, lines))
}
