//! The trail of a scope: one entry for each change of its context, oldest first. The context can be rebuilt from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adapter::damaged;
use super::key::{Key, Scope};
use super::{Working, names};
use crate::disk::{Fields, Mode, Raw};
use crate::error::Result;
use crate::home::Home;
use crate::safety::{Sealed, SealedObject};

/// The kind of a change of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Operation {
    /// Keys were removed, then values set.
    UpdateContext,
    /// The context was replaced by a checkpoint's.
    RestoreCheckpoint,
}

impl Operation {
    fn as_str(self) -> &'static str {
        match self {
            Operation::UpdateContext => "updateContext",
            Operation::RestoreCheckpoint => "restoreCheckpoint",
        }
    }
}

/// One change of a context.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TrailEntry {
    /// The entry's id.
    pub id: String,
    /// The kind of change.
    pub operation: Operation,
    /// The values that were set; for a restored checkpoint, the whole context.
    pub patch: Fields,
    /// The keys that were removed.
    #[serde(default)]
    pub remove: Vec<String>,
    /// Who made the change, if known.
    pub source: Option<String>,
    /// The time, in RFC 3339 format in UTC.
    pub time: String,
    /// The checkpoint that was restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
    /// The whole context before a checkpoint was restored, so that this can be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Fields>,
}

/// The fields of an entry that are replayed, in addition to its patch; the others are only validated.
#[derive(Deserialize)]
struct Replayed {
    operation: Operation,
    #[serde(default)]
    remove: Vec<String>,
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    #[serde(rename = "time")]
    _time: String,
}

/// A change of a context, to be recorded in its trail.
pub(super) struct Change<'c> {
    pub(super) operation: Operation,
    pub(super) patch: &'c SealedObject,
    /// A list of keys.
    pub(super) remove: Option<&'c Sealed<()>>,
    pub(super) source: Option<&'c Sealed<()>>,
}

impl Change<'_> {
    /// The stored form of a [`TrailEntry`] for this change, with the current time.
    pub(super) fn entry(&self, home: &Home) -> Result<SealedObject> {
        let mut entry = SealedObject::default();
        entry.set("id", &home.new_id())?;
        entry.set("operation", &self.operation.as_str())?;
        entry.set("patch", self.patch)?;
        match self.remove {
            Some(remove) => entry.set("remove", remove)?,
            None => entry.set::<[u64]>("remove", &[])?,
        }
        entry.set("source", &self.source)?;
        entry.set("time", &home.timestamp())?;
        Ok(entry)
    }
}

impl Working {
    /// Returns the last `limit` changes of a scope's context, or all, oldest first.
    ///
    /// # Errors
    /// As [`get_context`](Self::get_context).
    pub fn history(&self, scope_id: &str, limit: Option<usize>) -> Result<Vec<Raw<TrailEntry>>> {
        self.call_on(names::HISTORY, ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let entries = working.adapter.list(working.home.wait_options(), &Key::Trail(scope), limit)?;
            Ok(entries.into_iter().map(Raw::from).collect())
        })
    }
}

/// Rebuilds the context by replaying its changes from the first.
///
/// # Errors
/// `AdapterError` naming the scope if an entry is invalid.
pub fn rebuild(scope: &Scope, trail: &[Raw<TrailEntry>]) -> Result<SealedObject> {
    let mut context = SealedObject::default();
    for raw in trail {
        let invalid = || damaged(&Key::Trail(scope.clone()), "contains an invalid entry");
        let entry: Replayed = serde_json::from_str(raw.json().get()).map_err(|_| invalid())?;
        let patch =
            SealedObject::of(raw).and_then(|mut members| members.take_object("patch")).map_err(|_| invalid())?;
        match entry.operation {
            Operation::UpdateContext => {
                context.remove_all(&entry.remove);
                context.overlay(patch);
            }
            Operation::RestoreCheckpoint => context = patch,
        }
    }
    Ok(context)
}
