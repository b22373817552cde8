//! Searching a log: by embedding (exact cosine similarity) or by words.

use super::Working;
use super::entry::MemoryEntry;
use super::key::Key;
use crate::disk::{Mode, Raw};
use crate::error::Result;
use crate::ranking::{self, best, cosine, lexical};
use crate::warning::Warning;

/// The default limit of results.
const DEFAULT_LIMIT: usize = 10;

/// A query.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Query<'q> {
    /// Compares embeddings. Entries without one, or with one of another length, are ignored.
    Embedding(&'q [f32]),
    /// Compares words.
    Text(&'q str),
}

/// A search result.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scored {
    /// The entry as stored.
    pub entry: Raw<MemoryEntry>,
    /// The score; higher is better. For embeddings it is the cosine, from -1 to 1.
    pub score: f64,
}

impl Working {
    /// Searches a scope's log and returns at most `limit` entries (default 10), best first; of equal scores, newest
    /// first.
    ///
    /// # Errors
    /// As [`get_logs`](Working::get_logs). Invalid entries, such as objects without `content`, are skipped with a
    /// warning.
    pub fn search_logs(&self, scope_id: &str, query: Query<'_>, limit: Option<usize>) -> Result<Vec<Scored>> {
        self.call_on("working.searchLogs", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Logs(scope);
            let kept = working.adapter.list(working.home.wait_options(), &key, None)?;
            let before = kept.len();
            let (kept, entries): (Vec<_>, Vec<_>) = kept
                .into_iter()
                .map(Raw::from)
                .filter_map(|raw| raw.read().ok().map(|entry: MemoryEntry| (raw, entry)))
                .unzip();
            let skipped = before - entries.len();
            if skipped > 0 {
                let warning = Warning::new("skipped invalid log entries").about(&key.to_string());
                warning.counting(skipped).emit(working.home.redactor());
            }
            let scored = match query {
                Query::Embedding(embedding) => by_vector(embedding, &entries),
                // Stored secrets were replaced by placeholders, so the query's secrets are replaced as well.
                Query::Text(text) => {
                    let text = working.home.redactor().scrub(text);
                    lexical(&text, entries.iter().map(|entry| entry.content.as_str()))
                }
            };
            let best = best(scored, limit.unwrap_or(DEFAULT_LIMIT));
            let found = |it: ranking::Scored| Some(Scored { entry: kept.get(it.index)?.clone(), score: it.score });
            Ok(best.into_iter().filter_map(found).collect())
        })
    }
}

pub(super) fn by_vector(embedding: &[f32], entries: &[MemoryEntry]) -> Vec<ranking::Scored> {
    let score = |(index, entry): (usize, &MemoryEntry)| {
        let score = cosine(embedding, entry.metadata.embedding.as_deref()?)?;
        Some(ranking::Scored { index, score })
    };
    entries.iter().enumerate().filter_map(score).collect()
}
