//! The trail of a scope: what changed its context, one entry a change, oldest first. The context can be built from it
//! again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Working;
use super::kept::damaged;
use super::key::{Key, Scope};
use crate::disk::{Fields, Mode, Raw};
use crate::error::Result;
use crate::home::Home;
use crate::safety::{Sealed, SealedObject};

/// What changed a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Operation {
    /// Names were taken away, then values set.
    UpdateContext,
    /// The whole context was replaced by that of a checkpoint.
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

/// What of an entry tells how a context came to be, beside its patch; the rest is only looked at.
#[derive(Deserialize)]
struct Told {
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

/// A change of a context, to be told in its trail.
pub(super) struct Change<'c> {
    pub(super) operation: Operation,
    pub(super) patch: &'c SealedObject,
    /// A list of names.
    pub(super) remove: Option<&'c Sealed<()>>,
    pub(super) source: Option<&'c Sealed<()>>,
}

impl Change<'_> {
    /// An entry of now, as a [`TrailEntry`] is stored.
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
    /// What changed a scope's context, oldest first: the last `limit` changes, or all.
    ///
    /// # Errors
    /// As [`get_context`](Self::get_context).
    pub fn history(&self, scope_id: &str, limit: Option<usize>) -> Result<Vec<Raw<TrailEntry>>> {
        self.call_on("working.history", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Trail(scope);
            let entries = match limit {
                Some(limit) => working.adapter.tail(working.home.wait(), &key, limit)?,
                None => working.adapter.get_list(working.home.wait(), &key)?,
            };
            Ok(entries.into_iter().map(Raw::from).collect())
        })
    }
}

/// The context to which these changes lead, from the first one on.
///
/// # Errors
/// `AdapterError` naming the scope when an entry is none.
pub fn rebuild(scope: &Scope, trail: &[Raw<TrailEntry>]) -> Result<SealedObject> {
    let mut context = SealedObject::default();
    for raw in trail {
        let none = || damaged(&Key::Trail(scope.clone()), "holds an entry that is none");
        let told: Told = serde_json::from_str(raw.json().get()).map_err(|_| none())?;
        let patch = SealedObject::of(raw).and_then(|mut entry| entry.take_object("patch")).map_err(|_| none())?;
        match told.operation {
            Operation::UpdateContext => {
                context.remove_all(&told.remove);
                context.overlay(patch);
            }
            Operation::RestoreCheckpoint => context = patch,
        }
    }
    Ok(context)
}
