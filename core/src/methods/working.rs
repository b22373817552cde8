//! `working.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MethodGroup, Removed, count, method, methods, params};
use crate::disk::{Fields, Raw};
use crate::error::Error;
use crate::working::{Context, MemoryEntry, MemoryEntryDraft, Patch, Query, Range, Scored, TrailEntry, names};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "working",
    about: "Contexts, logs and checkpoints of jobs",
    entries: methods! {
        GetContext, UpdateContext, AddLog, GetLogs, SearchLogs, SaveCheckpoint, RestoreCheckpoint,
        ListCheckpoints, DeleteCheckpoint, History, ListScopes, DeleteScope
    },
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

method! { GetContext = names::GET_CONTEXT => Context |self, store| store.working().get_context(&self.scope_id) }

of_scope! {
    /// Updates the context of a scope and returns the new context.
    ///
    /// Each value of the patch replaces the whole previous value of that name; null is stored as null. With `increment` and
    /// `append`, no other writer's change is lost. Secrets are redacted. The change is recorded in the scope's history.
    struct UpdateContext {
        /// The values to set, by name. Default: none.
        patch: Option<Fields>,
        /// The names to remove, before the values are set.
        remove: Option<Vec<String>>,
        /// Who makes the change, for the history.
        source: Option<String>,
        /// Numbers to add to the values of these names; one that is missing counts as 0. Default: none.
        increment: Option<Fields>,
        /// Lists whose elements are appended to the lists of these names; one that is missing counts as empty. Default: none.
        append: Option<Fields>,
        /// The values that these names must have, or nothing is changed and the call fails with `Conflict`; null for a name
        /// that must be missing. Default: any.
        expect: Option<Fields>,
    }
}

method! {
    UpdateContext = names::UPDATE_CONTEXT => Context, WRITES, REDACTS |self, store| {
        let UpdateContext { scope_id, patch, remove, increment, append, expect, source } = self;
        if patch.is_none() && remove.is_none() && increment.is_none() && append.is_none() {
            return Err(Error::validation("there is nothing to change; pass patch, remove, increment or append"));
        }
        let [set, increment, append, expected] = [patch, increment, append, expect].map(Option::unwrap_or_default);
        let mut patch = Patch::from(set).remove(remove.unwrap_or_default()).depending_on(increment, append, expected);
        if let Some(source) = source {
            patch = patch.source(source);
        }
        store.working().update_context(&scope_id, patch)
    }
}

of_scope! {
    /// Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
    struct AddLog {
        /// The entry to add.
        entry: MemoryEntryDraft,
    }
}

method! {
    AddLog = names::ADD_LOG => Raw<MemoryEntry>, WRITES, REDACTS |self, store| {
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

method! {
    GetLogs = names::GET_LOGS => Vec<Raw<MemoryEntry>> |self, store| {
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

method! {
    SearchLogs = names::SEARCH_LOGS => Vec<Scored> |self, store| {
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

method! {
    SaveCheckpoint = names::SAVE_CHECKPOINT => Checkpoint, WRITES |self, store| {
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

method! {
    RestoreCheckpoint = names::RESTORE_CHECKPOINT => Context, WRITES |self, store| {
        store.working().restore_checkpoint(&self.job_id, self.timestamp)
    }
}

of_job! {
    /// Returns the timestamps of a job's checkpoints, oldest first.
    struct ListCheckpoints {}
}

method! {
    ListCheckpoints = names::LIST_CHECKPOINTS => Vec<u64> |self, store| store.working().list_checkpoints(&self.job_id)
}

of_job! {
    /// Deletes a checkpoint.
    struct DeleteCheckpoint {
        /// The checkpoint's timestamp.
        timestamp: u64,
    }
}

method! {
    DeleteCheckpoint = names::DELETE_CHECKPOINT => Removed, WRITES |self, store| {
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

method! {
    History = names::HISTORY => Vec<Raw<TrailEntry>> |self, store| {
        store.working().history(&self.scope_id, count(self.limit))
    }
}

params! {
    /// Returns the ids of all scopes that have stored data, sorted.
    struct ListScopes {}
}

// It reads all scopes and waits for none of them.
method! { ListScopes = names::LIST_SCOPES => Vec<String>, LOCK_FREE |self, store| store.working().list_scopes() }

of_scope! {
    /// Deletes everything stored for a scope: its context, history, log and checkpoints. `undo.restore` brings the context
    /// back, but not the others.
    struct DeleteScope {
        /// Whether it is deleted for good: with every context of it in the trash. Default: false.
        purge: Option<bool>,
    }
}

method! {
    DeleteScope = names::DELETE_SCOPE => Removed, WRITES |self, store| {
        let working = store.working();
        let is_purge = self.purge == Some(true);
        let removed = if is_purge { working.purge_scope(&self.scope_id) } else { working.delete_scope(&self.scope_id) };
        Ok(Removed { removed: removed? })
    }
}
