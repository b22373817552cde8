//! The summaries' part of a context pack.

use super::{Filter, Summaries};
use crate::error::Result;
use crate::fragment::{Ask, Fragment};

impl Summaries {
    /// The newest `memory.maxSummariesInContext` summaries, newest first, and how many lines are damaged and were skipped.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub(crate) fn fragments(&self, _ask: &Ask) -> Result<(Vec<Fragment>, usize)> {
        let limit = Some(self.repo.home().config().max_summaries_in_context);
        let (newest, skipped) = self.rows(Filter { limit, ..Filter::default() })?;
        let fragments = newest
            .iter()
            .map(|row| {
                let it = row.record()?;
                let name = format!("{}/{}@{}", it.run_id, it.step_id, it.timestamp);
                let heading = format!("{} / {} ({})", it.run_id, it.step_id, it.timestamp);
                Ok(Fragment::new(name, &heading, &it.summary, "Tags", &it.tags))
            })
            .collect::<Result<_>>()?;
        Ok((fragments, skipped))
    }
}
