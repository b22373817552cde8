//! `working.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Method, MethodEntry, MethodGroup, Removed, count, params};
use crate::disk::{Fields, Raw};
use crate::error::{Error, Result};
use crate::store::Store;
use crate::working::{Context, MemoryEntry, MemoryEntryDraft, Patch, Query, Range, Scored, TrailEntry, names};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "working",
    about: "Contexts, logs and checkpoints of jobs",
    entries: &[
        MethodEntry::of::<GetContext>(),
        MethodEntry::of::<UpdateContext>(),
        MethodEntry::of::<AddLog>(),
        MethodEntry::of::<GetLogs>(),
        MethodEntry::of::<SearchLogs>(),
        MethodEntry::of::<SaveCheckpoint>(),
        MethodEntry::of::<RestoreCheckpoint>(),
        MethodEntry::of::<ListCheckpoints>(),
        MethodEntry::of::<DeleteCheckpoint>(),
        MethodEntry::of::<History>(),
        MethodEntry::of::<ListScopes>(),
        MethodEntry::of::<DeleteScope>(),
    ],
};

/// As [`params!`], with the scope of a context and a log.
macro_rules! of_scope {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        params! {
            $(#[$doc])*
            struct $params {
                /// The scope: a job id, `global`, or any other text.
                scope_id: String,
                $($fields)*
            }
        }
    };
}

/// As [`params!`], with the job that a checkpoint belongs to.
macro_rules! of_job {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        params! {
            $(#[$doc])*
            struct $params {
                /// The job; its scope has the same id.
                job_id: String,
                $($fields)*
            }
        }
    };
}

of_scope! {
    /// Returns the context of a scope, or `{}` if it has none.
    struct GetContext {}
}

impl Method for GetContext {
    const NAME: &'static str = names::GET_CONTEXT;
    type Output = Context;

    fn run(self, store: &Store) -> Result<Context> {
        store.working().get_context(&self.scope_id)
    }
}

of_scope! {
    /// Updates the context of a scope and returns the new context.
    ///
    /// Each value of the patch replaces the whole previous value of that name; null is stored as null. Secrets are
    /// redacted. The change is recorded in the scope's history.
    struct UpdateContext {
        /// The values to set, by name.
        patch: Fields,
        /// The names to remove, before the values are set.
        remove: Option<Vec<String>>,
        /// Who makes the change, for the history.
        source: Option<String>,
    }
}

impl Method for UpdateContext {
    const NAME: &'static str = names::UPDATE_CONTEXT;
    type Output = Context;
    const WRITES: bool = true;
    const REDACTS: bool = true;

    fn run(self, store: &Store) -> Result<Context> {
        let mut patch = Patch::from(self.patch).remove(self.remove.unwrap_or_default());
        if let Some(source) = self.source {
            patch = patch.source(source);
        }
        store.working().update_context(&self.scope_id, patch)
    }
}

of_scope! {
    /// Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
    struct AddLog {
        /// The entry to add.
        entry: MemoryEntryDraft,
    }
}

impl Method for AddLog {
    const NAME: &'static str = names::ADD_LOG;
    type Output = Raw<MemoryEntry>;
    const WRITES: bool = true;
    const REDACTS: bool = true;

    fn run(self, store: &Store) -> Result<Self::Output> {
        store.working().add_log(&self.scope_id, self.entry)
    }
}

of_scope! {
    /// Returns the log of a scope, oldest entry first.
    struct GetLogs {
        /// The maximum number of entries: the last ones or, with `after`, the first ones that follow. Default: all.
        limit: Option<u32>,
        /// Only entries that follow the one with this id.
        after: Option<String>,
    }
}

impl Method for GetLogs {
    const NAME: &'static str = names::GET_LOGS;
    type Output = Vec<Raw<MemoryEntry>>;

    fn run(self, store: &Store) -> Result<Self::Output> {
        let range = Range::all().limit(count(self.limit)).after(self.after.as_deref());
        store.working().get_logs(&self.scope_id, range)
    }
}

of_scope! {
    /// Searches the log of a scope by embedding or by text, and returns the best matches first.
    ///
    /// Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without an approximate
    /// index; entries without an embedding, or with one of a different length, are skipped. Texts are ranked by BM25;
    /// entries that share no word with the query are skipped.
    struct SearchLogs {
        /// The embedding to compare with.
        embedding: Option<Vec<f32>>,
        /// The words to search for.
        text: Option<String>,
        /// The maximum number of entries. Default: 10.
        limit: Option<u32>,
    }
}

impl Method for SearchLogs {
    const NAME: &'static str = names::SEARCH_LOGS;
    type Output = Vec<Scored>;

    fn run(self, store: &Store) -> Result<Self::Output> {
        let query = match (&self.embedding, &self.text) {
            (Some(embedding), None) => Query::Embedding(embedding),
            (None, Some(text)) => Query::Text(text),
            _ => return Err(Error::validation("pass either embedding or text")),
        };
        store.working().search_logs(&self.scope_id, query, count(self.limit))
    }
}

of_job! {
    /// Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.
    struct SaveCheckpoint {}
}

/// A checkpoint of a job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Checkpoint {
    /// When it was saved, in milliseconds since the Unix epoch; at least one more than the job's previous checkpoint.
    pub timestamp: u64,
}

impl Method for SaveCheckpoint {
    const NAME: &'static str = names::SAVE_CHECKPOINT;
    type Output = Checkpoint;
    const WRITES: bool = true;

    fn run(self, store: &Store) -> Result<Checkpoint> {
        let timestamp = store.working().save_checkpoint(&self.job_id)?;
        Ok(Checkpoint { timestamp })
    }
}

of_job! {
    /// Replaces the context of a job with the one saved in a checkpoint, and returns it.
    ///
    /// The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
    struct RestoreCheckpoint {
        /// The checkpoint's timestamp.
        timestamp: u64,
    }
}

impl Method for RestoreCheckpoint {
    const NAME: &'static str = names::RESTORE_CHECKPOINT;
    type Output = Context;
    const WRITES: bool = true;

    fn run(self, store: &Store) -> Result<Context> {
        store.working().restore_checkpoint(&self.job_id, self.timestamp)
    }
}

of_job! {
    /// Returns the timestamps of a job's checkpoints, oldest first.
    struct ListCheckpoints {}
}

impl Method for ListCheckpoints {
    const NAME: &'static str = names::LIST_CHECKPOINTS;
    type Output = Vec<u64>;

    fn run(self, store: &Store) -> Result<Vec<u64>> {
        store.working().list_checkpoints(&self.job_id)
    }
}

of_job! {
    /// Deletes a checkpoint.
    struct DeleteCheckpoint {
        /// The checkpoint's timestamp.
        timestamp: u64,
    }
}

impl Method for DeleteCheckpoint {
    const NAME: &'static str = names::DELETE_CHECKPOINT;
    type Output = Removed;
    const WRITES: bool = true;

    fn run(self, store: &Store) -> Result<Self::Output> {
        let removed = store.working().delete_checkpoint(&self.job_id, self.timestamp)?;
        Ok(Removed { removed })
    }
}

of_scope! {
    /// Returns the history of a scope: the changes to its context, oldest first.
    struct History {
        /// The maximum number of changes: the last ones. Default: all.
        limit: Option<u32>,
    }
}

impl Method for History {
    const NAME: &'static str = names::HISTORY;
    type Output = Vec<Raw<TrailEntry>>;

    fn run(self, store: &Store) -> Result<Self::Output> {
        store.working().history(&self.scope_id, count(self.limit))
    }
}

params! {
    /// Returns the ids of all scopes that have stored data, sorted.
    struct ListScopes {}
}

impl Method for ListScopes {
    const NAME: &'static str = names::LIST_SCOPES;
    type Output = Vec<String>;
    /// It reads all scopes and waits for none of them.
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Vec<String>> {
        store.working().list_scopes()
    }
}

of_scope! {
    /// Deletes everything stored for a scope: its context, history, log and checkpoints.
    struct DeleteScope {}
}

impl Method for DeleteScope {
    const NAME: &'static str = names::DELETE_SCOPE;
    type Output = Removed;
    const WRITES: bool = true;

    fn run(self, store: &Store) -> Result<Self::Output> {
        let removed = store.working().delete_scope(&self.scope_id)?;
        Ok(Removed { removed })
    }
}
