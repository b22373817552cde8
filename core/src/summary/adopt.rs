//! Taking over the step summaries of another repository hash.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Summaries, Summary, Time, dated};
use crate::disk::{Journal, Stored, Wait};
use crate::error::Result;
use crate::home::RepoHash;

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Summaries that came over.
    pub copied: usize,
    /// Summaries of a run, step and time that were here already: those here stay.
    pub deduplicated: usize,
}

type Dated = Vec<(Option<Time>, Arc<Stored<Summary>>)>;

impl Summaries<'_> {
    /// Copies the summaries of `from` that are not here, as the bytes they are, and puts all in the order of their
    /// times; `from` stays as it is. Beyond the limits the oldest go, as at any append. With `dry_run` it is only counted.
    ///
    /// # Errors
    /// Those of [`list`](Self::list); then nothing was copied. `IOError` and `RenameError` from writing.
    pub fn adopt(&self, wait: &Wait, from: &RepoHash, dry_run: bool) -> Result<Adopted> {
        let patience = self.home.config().lock_timeout;
        let source = Summaries::new(self.home, from).file(patience).read(wait)?;
        let file = self.file(patience);
        let (mut adopted, copies) = lacking(&source, &*file.read(wait)?);
        if dry_run || copies.is_empty() {
            return Ok(adopted);
        }
        file.update(wait, self.limits(), |here| {
            let (counted, mut all) = lacking(&source, here);
            adopted = counted;
            all.extend(dated(here.lines()).map(|(time, stored)| (time, Arc::clone(stored))));
            all.sort_by_key(|(time, _)| *time);
            Ok(all.into_iter().map(|(_, stored)| stored).collect())
        })?;
        Ok(adopted)
    }
}

/// What `here` lacks of `source`.
fn lacking(source: &Journal<Summary>, here: &Journal<Summary>) -> (Adopted, Dated) {
    fn name(it: &Summary) -> [&str; 3] {
        [&it.run_id, &it.step_id, &it.timestamp]
    }
    let known: HashSet<_> = here.lines().iter().map(|stored| name(stored.record())).collect();
    let copies: Dated = dated(source.lines())
        .filter(|(_, stored)| !known.contains(&name(stored.record())))
        .map(|(time, stored)| (time, Arc::clone(stored)))
        .collect();
    (Adopted { copied: copies.len(), deduplicated: source.lines().len() - copies.len() }, copies)
}
