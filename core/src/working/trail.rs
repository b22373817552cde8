//! The trail of a scope: what changed its context, one entry a change, oldest first. The context can be built from it
//! again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Working;
use super::adapter::{Json, damaged};
use super::key::Key;
use crate::disk::{Fields, Mode};
use crate::error::Result;
use crate::home::Home;

/// What changed a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Operation {
    /// Names were taken away, then values set.
    UpdateContext,
    /// The whole context was replaced by that of a checkpoint.
    RestoreCheckpoint,
}

/// One change of a context.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrailEntry {
    /// The entry's own.
    pub id: String,
    /// What was done.
    pub operation: Operation,
    /// The values that were set; of a restored checkpoint, all of them.
    pub patch: Fields,
    /// The names that were taken away.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Who did it, if it was told.
    pub source: Option<String>,
    /// When, RFC 3339 in UTC.
    pub time: String,
    /// The checkpoint that was restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
    /// The whole context before a checkpoint was restored, by which that is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Fields>,
}

impl TrailEntry {
    /// An entry of now.
    pub(super) fn new(home: &Home, operation: Operation, patch: Fields) -> Self {
        TrailEntry {
            id: home.new_id(),
            operation,
            patch,
            remove: Vec::new(),
            source: None,
            time: home.timestamp(),
            timestamp: None,
            replaced: None,
        }
    }
}

impl Working {
    /// What changed a scope's context, oldest first: the last `limit` changes, or all.
    ///
    /// # Errors
    /// As [`get_context`](Self::get_context).
    pub fn history(&self, scope_id: &str, limit: Option<usize>) -> Result<Vec<Json>> {
        self.call_on("working.history", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Trail(scope);
            match limit {
                Some(limit) => working.adapter.tail(working.home.wait(), &key, limit),
                None => working.adapter.get_list(working.home.wait(), &key),
            }
        })
    }
}

/// The context to which these changes lead, from the first one on.
///
/// # Errors
/// `AdapterError` naming the scope when an entry is none.
pub fn rebuild(scope: &super::Scope, trail: &[Json]) -> Result<Fields> {
    let mut context = Fields::default();
    for json in trail {
        let entry: TrailEntry = serde_json::from_str(json.get())
            .map_err(|_| damaged(&Key::Trail(scope.clone()), "holds an entry that is none"))?;
        match entry.operation {
            Operation::UpdateContext => {
                context.remove_all(&entry.remove);
                context.overlay(entry.patch);
            }
            Operation::RestoreCheckpoint => context = entry.patch,
        }
    }
    Ok(context)
}
