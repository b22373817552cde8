//! Memory's part of a context pack.

use super::{CONVENTIONS, DECISIONS, Memory, NOTES, Record};
use crate::error::Result;
use crate::fragment::{Ask, Fragment};

impl Memory {
    /// Conventions, decisions and notes, each oldest first, so that a pack's beginning stays the same.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub(crate) fn fragments(&self, _ask: &Ask) -> Result<[Vec<Fragment>; 3]> {
        let memory = self.get()?;
        let section = |section| {
            memory.section(section).iter().map(|row| Ok(fragment(&*row.record()?))).collect::<Result<Vec<_>>>()
        };
        Ok([section(CONVENTIONS)?, section(DECISIONS)?, section(NOTES)?])
    }
}

fn fragment(record: &Record) -> Fragment {
    match record {
        Record::Convention(it) => Fragment::new(&it.id, &it.title, &it.content, "Tags", &it.tags),
        Record::Decision(it) => Fragment::new(&it.id, &it.summary, &it.rationale, "Paths", &it.impacted_paths),
        Record::Note(it) => Fragment::new(&it.id, "", &it.content, "", &[]),
    }
}
