//! Memory's part of a context pack.

use super::{Memory, Record};
use crate::error::Result;
use crate::fragment::{Ask, Fragment};

impl Memory {
    /// Conventions, decisions and notes, each oldest first, so that a pack's beginning stays the same.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub(crate) fn fragments(&self, _ask: &Ask) -> Result<[Vec<Fragment>; 3]> {
        let memory = self.get()?;
        let sections = [memory.conventions(), memory.decisions(), memory.notes()];
        let [conventions, decisions, notes] = sections
            .map(|records| records.iter().map(|stored| Ok(fragment(&*stored.record()?))).collect::<Result<Vec<_>>>());
        Ok([conventions?, decisions?, notes?])
    }
}

fn fragment(record: &Record) -> Fragment {
    match record {
        Record::Convention(it) => Fragment::new(&it.id, &it.title, &it.content, "Tags", &it.tags),
        Record::Decision(it) => Fragment::new(&it.id, &it.summary, &it.rationale, "Paths", &it.impacted_paths),
        Record::Note(it) => Fragment::new(&it.id, "", &it.content, "", &[]),
    }
}
