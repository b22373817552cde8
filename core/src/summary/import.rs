//! Copies the step summaries of another repository hash.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Dated, Summary, dated, file, limits, old_file, read, within_limits};
use crate::disk::{Journal, JournalEdit, Row, Stored};
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
    let (new, old) = (read(from)?, old_file(from).read(from.home().wait_options())?);
    if old.lines().is_empty() {
        return merge_into(new, into, how);
    }
    let all = with_old(&old, &new).cloned().collect();
    let mut migration = merge_into(Journal::of(all).into(), into, how)?;
    let skipped = new.skipped() + old.skipped();
    migration.skipped = Some(skipped).filter(|skipped| *skipped > 0);
    Ok(migration)
}

/// Summaries, after those that they have pushed out: one of them may be in both files.
pub(super) fn with_old<'j>(
    old: &'j Journal<Summary>,
    new: &'j Journal<Summary>,
) -> impl Iterator<Item = &'j Row<Stored<Summary>>> {
    let known: HashSet<&str> = new.lines().iter().map(|row| row.json().get()).collect();
    old.lines().iter().filter(move |row| !known.contains(row.json().get())).chain(new.lines())
}

/// As [`import`], from a journal.
///
/// # Errors
/// Those of [`import`].
pub(super) fn merge_into(source: Arc<Journal<Summary>>, into: &Repo, how: &Import) -> Result<Migration> {
    let home = into.home();
    let (wait, timeout) = (home.wait_options(), home.config().lock_timeout);
    let file = file(into, timeout);
    let adopted = how.adopted.clone();
    let (migration, _) = merge(&source, &*file.read(wait)?, into, adopted.as_deref())?;
    if how.dry_run || source.lines().is_empty() {
        return Ok(migration);
    }
    let repo = into.clone();
    file.update(wait, move |here| {
        let (migration, lines) = merge(&source, here, &repo, adopted.as_deref())?;
        let is_changed = migration.copied.total() > 0;
        let lines = is_changed.then(|| within_limits(&repo, lines)).transpose()?;
        Ok((lines.map(JournalEdit::Replace).into_iter().collect(), migration))
    })
}

/// The summaries of both, sorted by time, and what becomes of them within the limits.
fn merge(
    source: &Journal<Summary>,
    here: &Journal<Summary>,
    into: &Repo,
    adopted: Option<&Versions>,
) -> Result<(Migration, Vec<Row<Stored<Summary>>>)> {
    fn name(it: &Summary) -> [String; 3] {
        [it.run_id.clone(), it.step_id.clone(), it.timestamp.clone()]
    }
    let mut known = HashSet::new();
    let is_archived = into.home().config().summaries_archive;
    let old = is_archived.then(|| old_file(into).read(into.home().wait_options())).transpose()?;
    for stored in old.iter().flat_map(|old| old.lines()).chain(here.lines()) {
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
    let lines: Vec<_> = all.into_iter().map(|(_, row)| row.clone()).collect();
    // Those in the archive are kept as well.
    let gone = if is_archived { 0 } else { limits(into).exceeding(&lines) };
    let mut left = 0;
    for stored in lines.iter().take(gone) {
        left += usize::from(is_new(&*stored.record()?));
    }
    let copied = missing - left;
    let mut migration = Migration {
        versions,
        left,
        pruned: gone - left,
        skipped: Some(source.skipped()).filter(|skipped| *skipped > 0),
        ..Migration::default()
    };
    migration.copied.add(KIND, copied);
    migration.deduplicated.add(KIND, source.lines().len() - missing);
    Ok((migration, lines))
}
