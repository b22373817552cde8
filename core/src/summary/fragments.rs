//! The summaries' part of a context pack.

use super::{Filter, Summaries};
use crate::disk::Wait;
use crate::error::Result;
use crate::fragment::{Ask, Fragment};

impl Summaries<'_> {
    /// The newest `memory.maxSummariesInContext` summaries, newest first.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub fn fragments(&self, wait: &Wait, _ask: &Ask) -> Result<Vec<Fragment>> {
        let limit = Some(self.home.config().max_summaries_in_context);
        let newest = self.list(wait, Filter { limit, ..Filter::default() })?;
        Ok(newest
            .iter()
            .map(|stored| {
                let it = stored.record();
                let name = format!("{}/{}@{}", it.run_id, it.step_id, it.timestamp);
                let heading = format!("{} / {} ({})", it.run_id, it.step_id, it.timestamp);
                Fragment::new(name, &heading, &it.summary, "Tags", &it.tags)
            })
            .collect())
    }
}
