//! The log of a scope: an append-only list of entries, oldest first, and searching it by embedding (exact cosine
//! similarity) or by words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adapter::Write;
use super::entry::{MemoryEntry, MemoryEntryDraft};
use super::key::{Key, Scope};
use super::{Working, names};
use crate::disk::{Json, Mode, Raw};
use crate::error::{Error, ErrorKind, Result};
use crate::logger::Level;
use crate::ranking::{self, Prompt, best, cosine, lexical};
use crate::room;
use crate::warning::Warning;

/// How many of the last entries are searched first for the id in `after`; the number grows until it is found.
const FIRST_TAIL: usize = 256;

/// The default limit of results.
const DEFAULT_LIMIT: usize = 10;

optional_fields! {
    /// A range of log entries.
    #[derive(Debug, Clone, Copy, Default)]
    #[non_exhaustive]
    pub struct Range<'r> {
        /// At most this many: the last ones, or with `after` the first ones after it.
        pub limit: usize,
        /// Only entries after the last one with this id.
        pub after: &'r str,
    }
}

impl<'r> Range<'r> {
    /// All entries.
    pub fn all() -> Self {
        Range::default()
    }
}

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
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScoredEntry")]
#[non_exhaustive]
pub struct Scored {
    /// The entry.
    pub entry: Raw<MemoryEntry>,
    /// How well it matches; higher is better. For embeddings, the cosine similarity from -1 to 1.
    pub score: f64,
}

impl Working {
    /// Adds an entry to a scope's log and returns it as stored. Secrets in it are redacted.
    ///
    /// # Errors
    /// `ValidationError` naming the invalid member; `SecretRefused` for an id that looks like a secret;
    /// `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn add_log(&self, scope_id: &str, draft: MemoryEntryDraft) -> Result<Raw<MemoryEntry>> {
        self.call_on(names::ADD_LOG, ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            working.push_log(&scope, draft).map(Raw::from)
        })
    }

    /// Adds an entry to a scope's log and returns it as stored. The scope's lease must be held.
    pub(super) fn push_log(&self, scope: &Scope, draft: MemoryEntryDraft) -> Result<Json> {
        let entry = draft.sealed(&self.home)?;
        let json = Json::from(&entry);
        self.adapter.write(self.home.wait_options(), Write::Push(Key::Logs(scope.clone()), entry))?;
        self.log(Level::Debug, "Log entry added for", scope, None);
        Ok(json)
    }

    /// Returns entries of a scope's log, oldest first.
    ///
    /// # Errors
    /// `NotFound` if no entry has the id in `after`; `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn get_logs(&self, scope_id: &str, range: Range<'_>) -> Result<Vec<Raw<MemoryEntry>>> {
        self.call_on(names::GET_LOGS, ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Logs(scope);
            let entries = match range.after {
                Some(after) => {
                    working.home.redactor().admit("after", after)?;
                    let mut entries = working.entries_after(&key, after)?;
                    entries.truncate(range.limit.unwrap_or(usize::MAX));
                    entries
                }
                None => working.adapter.list(working.home.wait_options(), &key, range.limit)?,
            };
            Ok(entries.into_iter().map(Raw::from).collect())
        })
    }

    /// Searches a scope's log and returns at most `limit` entries (default 10), best first; of equal scores, newest
    /// first.
    ///
    /// # Errors
    /// As [`get_logs`](Working::get_logs). Invalid entries, such as objects without `content`, are skipped with a
    /// warning.
    pub fn search_logs(&self, scope_id: &str, query: Query<'_>, limit: Option<usize>) -> Result<Vec<Scored>> {
        self.call_on(names::SEARCH_LOGS, ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Logs(scope);
            let listed = working.adapter.list(working.home.wait_options(), &key, None)?;
            let (kept, entries, skipped) = readable(listed);
            if skipped > 0 {
                let warning = Warning::new("skipped invalid log entries").about(&key.to_string());
                warning.counting(skipped).emit(working.home.redactor());
            }
            let scored = match query {
                Query::Embedding(embedding) => by_vector(embedding, &entries),
                Query::Text(text) => {
                    let text = Prompt::new(working.home.redactor(), text);
                    lexical(&text, entries.iter().map(|entry| entry.content.as_str()))
                }
            };
            let best = best(scored, limit.unwrap_or(DEFAULT_LIMIT));
            let found = |it: ranking::Scored| Some(Scored { entry: kept.get(it.index)?.clone(), score: it.score });
            Ok(best.into_iter().filter_map(found).collect())
        })
    }

    fn entries_after(&self, key: &Key, after: &str) -> Result<Vec<Json>> {
        #[derive(Deserialize)]
        struct Named<'n> {
            #[serde(borrow, default)]
            id: std::borrow::Cow<'n, str>,
        }
        let id_of = |json: &Json| Some(serde_json::from_str::<Named<'_>>(json.get()).ok()?.id.into_owned());
        let mut limit = FIRST_TAIL;
        loop {
            let mut entries = self.adapter.list(self.home.wait_options(), key, Some(limit))?;
            let ids: Vec<Option<String>> = entries.iter().map(id_of).collect();
            let position = |id: &str| ids.iter().rposition(|own| own.as_deref() == Some(id));
            if let Some(position) = position(after) {
                return Ok(entries.split_off(position + 1));
            }
            // The whole log has no such id, but perhaps one that begins with it.
            if entries.len() < limit {
                let whole = room::named(after, ids.iter().flatten().map(String::as_str))?;
                if let Some(position) = whole.and_then(position) {
                    return Ok(entries.split_off(position + 1));
                }
                let after = self.home.redactor().quote(after);
                return Err(Error::new(ErrorKind::NotFound, format!("the log has no entry {after}")));
            }
            limit = limit.saturating_mul(16);
        }
    }
}

/// The valid entries, as JSON and as values, and the number of the others.
pub(super) fn readable(listed: Vec<Json>) -> (Vec<Raw<MemoryEntry>>, Vec<MemoryEntry>, usize) {
    let count = listed.len();
    let (raw, entries): (Vec<_>, Vec<_>) = listed
        .into_iter()
        .map(Raw::from)
        .filter_map(|raw| raw.read().ok().map(|entry: MemoryEntry| (raw, entry)))
        .unzip();
    let skipped = count - entries.len();
    (raw, entries, skipped)
}

pub(super) fn by_vector(embedding: &[f32], entries: &[MemoryEntry]) -> Vec<ranking::Scored> {
    let score = |(index, entry): (usize, &MemoryEntry)| {
        let score = cosine(embedding, entry.metadata.embedding.as_deref()?)?;
        Some(ranking::Scored { index, score })
    };
    entries.iter().enumerate().filter_map(score).collect()
}
