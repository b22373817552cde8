//! The log of a scope: an append-only list of entries, oldest first.

use serde::Deserialize;

use super::Working;
use super::adapter::Write;
use super::entry::{MemoryEntry, MemoryEntryDraft};
use super::key::Key;
use crate::disk::{Json, Mode, Raw};
use crate::error::{Error, ErrorKind, Result};
use crate::logger::Level;

/// How many of the last entries are searched first for the id in `after`; the number grows until it is found.
const FIRST_TAIL: usize = 256;

/// A range of log entries.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Range<'r> {
    /// At most this many: the last ones, or with `after` the first ones after it.
    pub limit: Option<usize>,
    /// Only entries after the last one with this id.
    pub after: Option<&'r str>,
}

impl<'r> Range<'r> {
    /// All entries.
    pub fn all() -> Self {
        Range::default()
    }

    setters! {
        /// At most `limit` entries: the last ones, or with [`after`](Self::after) the first ones after it.
        limit(limit: impl Into<Option<usize>>) => limit = limit.into();
        /// Only entries after the last one with this id.
        after(id: impl Into<Option<&'r str>>) => after = id.into();
    }
}

impl Working {
    /// Adds an entry to a scope's log and returns it as stored. Secrets in it are redacted.
    ///
    /// # Errors
    /// `ValidationError` naming the invalid member; `SecretRefused` for an id that looks like a secret;
    /// `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn add_log(&self, scope_id: &str, draft: MemoryEntryDraft) -> Result<Raw<MemoryEntry>> {
        self.call_on("working.addLog", ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let entry = draft.sealed(&working.home)?;
            let json = Json::from(&entry);
            working.adapter.write(working.home.wait_options(), Write::Push(Key::Logs(scope.clone()), entry))?;
            working.log(Level::Debug, "Log entry added for", &scope, None);
            Ok(Raw::from(json))
        })
    }

    /// Returns entries of a scope's log, oldest first.
    ///
    /// # Errors
    /// `NotFound` if no entry has the id in `after`; `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn get_logs(&self, scope_id: &str, range: Range<'_>) -> Result<Vec<Raw<MemoryEntry>>> {
        self.call_on("working.getLogs", ("scopeId", scope_id), Mode::Shared, |working, scope| {
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

    fn entries_after(&self, key: &Key, after: &str) -> Result<Vec<Json>> {
        #[derive(Deserialize)]
        struct Named<'n> {
            #[serde(borrow, default)]
            id: std::borrow::Cow<'n, str>,
        }
        let mut limit = FIRST_TAIL;
        loop {
            let mut entries = self.adapter.list(self.home.wait_options(), key, Some(limit))?;
            let matches =
                |json: &Json| serde_json::from_str::<Named<'_>>(json.get()).is_ok_and(|entry| entry.id == after);
            if let Some(position) = entries.iter().rposition(matches) {
                return Ok(entries.split_off(position + 1));
            }
            if entries.len() < limit {
                let after = self.home.redactor().quote(after);
                return Err(Error::new(ErrorKind::NotFound, format!("the log has no entry {after}")));
            }
            limit = limit.saturating_mul(16);
        }
    }
}
