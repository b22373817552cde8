//! Finding entries of a log: by their vectors (cosine, exact) or by their words (BM25).

use super::Working;
use super::entry::MemoryEntry;
use super::key::Key;
use crate::disk::{Mode, Raw};
use crate::error::Result;
use crate::ranking::{self, best, bm25, cosine};
use crate::warning::Warning;

/// How many entries are returned unless the caller says so.
const DEFAULT_LIMIT: usize = 10;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Query<'q> {
    /// Entries whose vectors point the same way. Those without a vector, or with one of another length, are passed over.
    Embedding(&'q [f32]),
    /// Entries with the same words.
    Text(&'q str),
}

/// An entry that was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scored {
    /// The entry as stored.
    pub entry: Raw<MemoryEntry>,
    /// How well it fits; more is better. Of vectors: the cosine, from -1 to 1.
    pub score: f64,
}

impl Working {
    /// The entries of a scope's log that fit `query`, the best first; of equals the later first. At most `limit`, or 10.
    ///
    /// # Errors
    /// As [`get_logs`](Working::get_logs). What is no entry, such as an object without `content`, is passed over with a
    /// warning.
    pub fn search_logs(&self, scope_id: &str, query: Query<'_>, limit: Option<usize>) -> Result<Vec<Scored>> {
        self.call_on("working.searchLogs", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Logs(scope);
            let kept = working.adapter.get_list(working.home.wait(), &key)?;
            let before = kept.len();
            let (kept, entries): (Vec<_>, Vec<_>) = kept
                .into_iter()
                .map(Raw::from)
                .filter_map(|raw| raw.read().ok().map(|entry: MemoryEntry| (raw, entry)))
                .unzip();
            let skipped = before - entries.len();
            if skipped > 0 {
                let warning = Warning::new("what is no entry of a log was passed over").about(&key.to_string());
                warning.counting(skipped).emit(working.home.redactor());
            }
            let scored = match query {
                Query::Embedding(embedding) => by_vector(embedding, &entries),
                // A secret is found under what stands in its place.
                Query::Text(text) => {
                    let text = working.home.redactor().scrub(text);
                    bm25(&text, entries.iter().map(|entry| entry.content.as_str()))
                }
            };
            let best = best(scored, limit.unwrap_or(DEFAULT_LIMIT));
            let found = |it: ranking::Scored| Some(Scored { entry: kept.get(it.index)?.clone(), score: it.score });
            Ok(best.into_iter().filter_map(found).collect())
        })
    }
}

fn by_vector(embedding: &[f32], entries: &[MemoryEntry]) -> Vec<ranking::Scored> {
    let score = |(index, entry): (usize, &MemoryEntry)| {
        let score = cosine(embedding, entry.metadata.embedding.as_deref()?)?;
        Some(ranking::Scored { index, score })
    };
    entries.iter().enumerate().filter_map(score).collect()
}
