//! `working.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Method, Room, Row, count};
use crate::disk::{Fields, Raw};
use crate::error::{Error, Result};
use crate::store::Store;
use crate::working::{Context, MemoryEntry, MemoryEntryDraft, Patch, Query, Range, TrailEntry};

pub(super) const ROOM: Room = Room {
    name: "working",
    about: "Contexts, logs and checkpoints of jobs",
    rows: &[
        Row::of::<GetContext>(),
        Row::of::<UpdateContext>(),
        Row::of::<AddLog>(),
        Row::of::<GetLogs>(),
        Row::of::<SearchLogs>(),
        Row::of::<SaveCheckpoint>(),
        Row::of::<RestoreCheckpoint>(),
        Row::of::<ListCheckpoints>(),
        Row::of::<DeleteCheckpoint>(),
        Row::of::<History>(),
        Row::of::<ListScopes>(),
        Row::of::<DeleteScope>(),
    ],
};

/// Returns the context of a scope, or `{}` if it has none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetContextParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
}

/// See [`GetContextParams`].
pub(super) struct GetContext;

impl Method for GetContext {
    const NAME: &'static str = "working.getContext";
    type Params = GetContextParams;
    type Output = Context;

    fn run(store: &Store, params: GetContextParams) -> Result<Context> {
        store.working().get_context(&params.scope_id)
    }
}

/// Updates the context of a scope and returns the new context.
///
/// Each value of the patch replaces the whole previous value of that name; null is stored as null. Secrets are
/// redacted. The change is recorded in the scope's history.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateContextParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
    /// The values to set, by name.
    patch: Fields,
    /// The names to remove, before the values are set.
    remove: Option<Vec<String>>,
    /// Who makes the change, for the history.
    source: Option<String>,
}

/// See [`UpdateContextParams`].
pub(super) struct UpdateContext;

impl Method for UpdateContext {
    const NAME: &'static str = "working.updateContext";
    type Params = UpdateContextParams;
    type Output = Context;
    const WRITES: bool = true;

    fn run(store: &Store, params: UpdateContextParams) -> Result<Context> {
        let mut patch = Patch::from(params.patch).remove(params.remove.unwrap_or_default());
        if let Some(source) = params.source {
            patch = patch.source(source);
        }
        store.working().update_context(&params.scope_id, patch)
    }
}

/// Adds an entry to the log of a scope and returns it as stored. Secrets are redacted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AddLogParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
    /// The entry to add.
    entry: MemoryEntryDraft,
}

/// See [`AddLogParams`].
pub(super) struct AddLog;

impl Method for AddLog {
    const NAME: &'static str = "working.addLog";
    type Params = AddLogParams;
    type Output = Raw<MemoryEntry>;
    const WRITES: bool = true;

    fn run(store: &Store, params: AddLogParams) -> Result<Self::Output> {
        store.working().add_log(&params.scope_id, params.entry)
    }
}

/// Returns the log of a scope, oldest entry first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetLogsParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
    /// The maximum number of entries: the last ones or, with `after`, the first ones that follow. Default: all.
    limit: Option<u32>,
    /// Only entries that follow the one with this id.
    after: Option<String>,
}

/// See [`GetLogsParams`].
pub(super) struct GetLogs;

impl Method for GetLogs {
    const NAME: &'static str = "working.getLogs";
    type Params = GetLogsParams;
    type Output = Vec<Raw<MemoryEntry>>;

    fn run(store: &Store, params: GetLogsParams) -> Result<Self::Output> {
        let range = Range::all().limit(count(params.limit)).after(params.after.as_deref());
        store.working().get_logs(&params.scope_id, range)
    }
}

/// Searches the log of a scope by embedding or by text, and returns the best matches first.
///
/// Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without an approximate index;
/// entries without an embedding, or with one of a different length, are skipped. Texts are ranked by BM25; entries that
/// share no word with the query are skipped.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SearchLogsParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
    /// The embedding to compare with.
    embedding: Option<Vec<f32>>,
    /// The words to search for.
    text: Option<String>,
    /// The maximum number of entries. Default: 10.
    limit: Option<u32>,
}

/// A search result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ScoredEntry {
    /// The entry.
    entry: Raw<MemoryEntry>,
    /// How well it matches; higher is better. For embeddings, the cosine similarity from -1 to 1.
    score: f64,
}

/// See [`SearchLogsParams`].
pub(super) struct SearchLogs;

impl Method for SearchLogs {
    const NAME: &'static str = "working.searchLogs";
    type Params = SearchLogsParams;
    type Output = Vec<ScoredEntry>;

    fn run(store: &Store, params: SearchLogsParams) -> Result<Self::Output> {
        let query = match (&params.embedding, &params.text) {
            (Some(embedding), None) => Query::Embedding(embedding),
            (None, Some(text)) => Query::Text(text),
            _ => return Err(Error::validation("pass either embedding or text")),
        };
        let found = store.working().search_logs(&params.scope_id, query, count(params.limit))?;
        Ok(found.into_iter().map(|it| ScoredEntry { entry: it.entry, score: it.score }).collect())
    }
}

/// Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SaveCheckpointParams {
    /// The job; its scope has the same id.
    job_id: String,
}

/// A checkpoint of a job.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Checkpoint {
    /// When it was saved, in milliseconds since the Unix epoch; at least one more than the job's previous checkpoint.
    timestamp: u64,
}

/// See [`SaveCheckpointParams`].
pub(super) struct SaveCheckpoint;

impl Method for SaveCheckpoint {
    const NAME: &'static str = "working.saveCheckpoint";
    type Params = SaveCheckpointParams;
    type Output = Checkpoint;
    const WRITES: bool = true;

    fn run(store: &Store, params: SaveCheckpointParams) -> Result<Checkpoint> {
        let timestamp = store.working().save_checkpoint(&params.job_id)?;
        Ok(Checkpoint { timestamp })
    }
}

/// Replaces the context of a job with the one saved in a checkpoint, and returns it.
///
/// The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RestoreCheckpointParams {
    /// The job; its scope has the same id.
    job_id: String,
    /// The checkpoint's timestamp.
    timestamp: u64,
}

/// See [`RestoreCheckpointParams`].
pub(super) struct RestoreCheckpoint;

impl Method for RestoreCheckpoint {
    const NAME: &'static str = "working.restoreCheckpoint";
    type Params = RestoreCheckpointParams;
    type Output = Context;
    const WRITES: bool = true;

    fn run(store: &Store, params: RestoreCheckpointParams) -> Result<Context> {
        store.working().restore_checkpoint(&params.job_id, params.timestamp)
    }
}

/// Returns the timestamps of a job's checkpoints, oldest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListCheckpointsParams {
    /// The job; its scope has the same id.
    job_id: String,
}

/// See [`ListCheckpointsParams`].
pub(super) struct ListCheckpoints;

impl Method for ListCheckpoints {
    const NAME: &'static str = "working.listCheckpoints";
    type Params = ListCheckpointsParams;
    type Output = Vec<u64>;

    fn run(store: &Store, params: ListCheckpointsParams) -> Result<Vec<u64>> {
        store.working().list_checkpoints(&params.job_id)
    }
}

/// Deletes a checkpoint.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeleteCheckpointParams {
    /// The job; its scope has the same id.
    job_id: String,
    /// The checkpoint's timestamp.
    timestamp: u64,
}

/// See [`DeleteCheckpointParams`].
pub(super) struct DeleteCheckpoint;

impl Method for DeleteCheckpoint {
    const NAME: &'static str = "working.deleteCheckpoint";
    type Params = DeleteCheckpointParams;
    type Output = super::memory::Removed;
    const WRITES: bool = true;

    fn run(store: &Store, params: DeleteCheckpointParams) -> Result<Self::Output> {
        let removed = store.working().delete_checkpoint(&params.job_id, params.timestamp)?;
        Ok(super::memory::Removed { removed })
    }
}

/// Returns the history of a scope: the changes to its context, oldest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HistoryParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
    /// The maximum number of changes: the last ones. Default: all.
    limit: Option<u32>,
}

/// See [`HistoryParams`].
pub(super) struct History;

impl Method for History {
    const NAME: &'static str = "working.history";
    type Params = HistoryParams;
    type Output = Vec<Raw<TrailEntry>>;

    fn run(store: &Store, params: HistoryParams) -> Result<Self::Output> {
        store.working().history(&params.scope_id, count(params.limit))
    }
}

/// Returns the ids of all scopes that have stored data, sorted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListScopesParams {}

/// See [`ListScopesParams`].
pub(super) struct ListScopes;

impl Method for ListScopes {
    const NAME: &'static str = "working.listScopes";
    type Params = ListScopesParams;
    type Output = Vec<String>;
    /// It reads all scopes and waits for none of them.
    const LOCKS: bool = false;

    fn run(store: &Store, _: ListScopesParams) -> Result<Vec<String>> {
        store.working().list_scopes()
    }
}

/// Deletes everything stored for a scope: its context, history, log and checkpoints.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeleteScopeParams {
    /// The scope: a job id, `global`, or any other text.
    scope_id: String,
}

/// See [`DeleteScopeParams`].
pub(super) struct DeleteScope;

impl Method for DeleteScope {
    const NAME: &'static str = "working.deleteScope";
    type Params = DeleteScopeParams;
    type Output = super::memory::Removed;
    const WRITES: bool = true;

    fn run(store: &Store, params: DeleteScopeParams) -> Result<Self::Output> {
        let removed = store.working().delete_scope(&params.scope_id)?;
        Ok(super::memory::Removed { removed })
    }
}
