//! Taking over the step summaries of another repository hash.

use std::collections::HashSet;

use super::{Dated, Summaries, Summary, dated, file, limits};
use crate::disk::{Journal, Limits, Row, Stored};
use crate::error::Result;
use crate::repo::Repo;

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Summaries that came over and stay within the limits.
    pub copied: usize,
    /// Summaries of a run, step and time that were here already: those here stay.
    pub deduplicated: usize,
    /// Summaries of the source that are too old to stay within the limits: they do not come over.
    pub left: usize,
    /// Summaries from here that have to go, since newer ones come over.
    pub pruned: usize,
    /// Damaged lines of the source, which cannot come over.
    pub skipped: usize,
}

impl Summaries {
    /// Copies the summaries of `from` that are not here, as the bytes they are, and puts all in the order of their
    /// times; `from` stays as it is. Beyond the limits the oldest go, as at any append. With `dry_run` it is only counted.
    ///
    /// # Errors
    /// Those of [`list`](Self::list); then nothing was copied. `IOError` and `RenameError` from writing.
    pub(crate) fn adopt(&self, from: &Repo, dry_run: bool) -> Result<Adopted> {
        let (home, limits) = (self.repo.home(), limits(&self.repo));
        let (wait, patience) = (home.wait(), home.config().lock_timeout);
        let source = file(from, patience).read(wait)?;
        let file = file(&self.repo, patience);
        let (adopted, _) = merge(&source, &*file.read(wait)?, limits)?;
        if dry_run || source.lines().is_empty() {
            return Ok(adopted);
        }
        file.update(wait, move |here| {
            let (adopted, lines) = merge(&source, here, limits)?;
            Ok(((adopted.copied > 0).then_some(lines), adopted))
        })
    }
}

/// What is here and what of `source` is not, in the order of their times and within the limits.
fn merge(
    source: &Journal<Summary>,
    here: &Journal<Summary>,
    limits: Limits,
) -> Result<(Adopted, Vec<Row<Stored<Summary>>>)> {
    fn name(it: &Summary) -> [String; 3] {
        [it.run_id.clone(), it.step_id.clone(), it.timestamp.clone()]
    }
    let mut known = HashSet::new();
    for stored in here.lines() {
        known.insert(name(&*stored.record()?));
    }
    let is_new = |summary: &Summary| !known.contains(&name(summary));
    let mut all: Dated<'_> = dated(source.lines(), is_new)?;
    let lacking = all.len();
    all.extend(dated(here.lines(), |_| true)?);
    all.sort_by_key(|(time, _)| *time);
    let mut lines: Vec<_> = all.into_iter().map(|(_, row)| row.clone()).collect();
    limits.prune(&mut lines);
    let mut copied = 0;
    for stored in &lines {
        copied += usize::from(is_new(&*stored.record()?));
    }
    let adopted = Adopted {
        copied,
        deduplicated: source.lines().len() - lacking,
        left: lacking - copied,
        pruned: here.lines().len() - (lines.len() - copied),
        skipped: source.skipped(),
    };
    Ok((adopted, lines))
}
