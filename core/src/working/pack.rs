//! The log of a scope in a context pack.

use std::sync::Arc;

use super::Working;
use super::adapter::Adapter;
use super::entry::MemoryEntry;
use super::key::{Key, Scope};
use super::search::by_vector;
use crate::disk::{Mode, Raw};
use crate::error::Result;
use crate::home::Home;
use crate::ranking::{best, lexical};
use crate::room::{Candidates, Fragment, PackQuery, PackScope, SectionName};
use crate::safety::Timestamp;

/// How many of the latest entries a pack reads.
const LATEST: usize = 1_000;
/// How many entries are included before others because they are relevant.
const RELEVANT: usize = 20;

impl SectionName {
    /// The latest entries of a working scope's log, newest first.
    pub const LOG: SectionName = SectionName::new("log");
}

/// One scope of working memory, for a [context pack](crate::context::PackBuilder::scope).
#[derive(Debug, Clone)]
pub struct WorkingScope {
    adapter: Arc<dyn Adapter>,
    id: String,
}

impl Working {
    /// The scope with this id. Nothing is read yet.
    pub fn scope(&self, scope_id: impl Into<String>) -> WorkingScope {
        WorkingScope { adapter: Arc::clone(&self.adapter), id: scope_id.into() }
    }
}

impl WorkingScope {
    fn admitted(&self, home: &Home) -> Result<Scope> {
        Scope::admit(home.redactor(), "scopeId", &self.id)
    }

    /// The latest entries, newest first, and the number of those that are invalid.
    fn latest(&self, home: &Home) -> Result<(Vec<MemoryEntry>, usize)> {
        let scope = self.admitted(home)?;
        let _lease = self.adapter.lease(home, home.wait_options(), &scope, Mode::Shared)?;
        let listed = self.adapter.list(home.wait_options(), &Key::Logs(scope), Some(LATEST))?;
        let count = listed.len();
        let read = |json| Raw::<MemoryEntry>::from(json).read().ok();
        let entries: Vec<MemoryEntry> = listed.into_iter().rev().filter_map(read).collect();
        let skipped = count - entries.len();
        Ok((entries, skipped))
    }
}

impl PackScope for WorkingScope {
    fn check(&self, home: &Home) -> Result<()> {
        self.admitted(home).map(drop)
    }

    fn candidates(&self, home: &Home, query: &PackQuery) -> Result<Vec<Candidates>> {
        let (entries, skipped) = self.latest(home)?;
        let mut scores = query.embedding.as_deref().map(|it| by_vector(it, &entries)).unwrap_or_default();
        if scores.is_empty()
            && let Some(prompt) = &query.prompt
        {
            // Stored secrets were replaced by placeholders, so the prompt's secrets are replaced as well.
            let prompt = home.redactor().scrub(prompt);
            scores = lexical(&prompt, entries.iter().map(|entry| entry.content.as_str()));
        }
        let relevant = best(scores, RELEVANT).into_iter().map(|it| it.index).collect();
        let fragments = entries.iter().map(fragment).collect();
        Ok(vec![Candidates { section: SectionName::LOG, fragments, relevant, skipped }])
    }
}

fn fragment(entry: &MemoryEntry) -> Fragment {
    #[allow(clippy::cast_possible_truncation, reason = "a time needs no fraction of a millisecond")]
    let time = Timestamp::from_unix_millis(entry.metadata.timestamp as i64);
    Fragment::new(&entry.id, &format!("{} ({time})", entry.metadata.source), &entry.content, "", &[])
}
