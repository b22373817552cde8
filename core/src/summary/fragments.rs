//! The summaries' part of a context pack.

use super::{Filter, Summaries};
use crate::disk::Wait;
use crate::error::Result;
use crate::fragment::{Ask, Fragment};

impl Summaries<'_> {
    /// The newest `memory.maxSummariesInContext` summaries, newest first, and how many lines are damaged and were skipped.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub fn fragments(&self, wait: &Wait, _ask: &Ask) -> Result<(Vec<Fragment>, usize)> {
        let limit = Some(self.home.config().max_summaries_in_context);
        let (newest, skipped) = self.list_counting(wait, Filter { limit, ..Filter::default() })?;
        let fragments = newest
            .iter()
            .map(|stored| {
                let it = stored.record()?;
                let name = format!("{}/{}@{}", it.run_id, it.step_id, it.timestamp);
                let heading = format!("{} / {} ({})", it.run_id, it.step_id, it.timestamp);
                Ok(Fragment::new(name, &heading, &it.summary, "Tags", &it.tags))
            })
            .collect::<Result<_>>()?;
        Ok((fragments, skipped))
    }
}
