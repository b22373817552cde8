//! Working memory: the context of a job, its log and its checkpoints, over pluggable storage (spec 003).
//!
//! A scope is a job's id, `global`, or any other text; scopes are isolated from each other. Each has a **context** (a
//! JSON object), a **trail** of the changes that led to it, an append-only **log**, and **checkpoints** of its context.
//! They are stored by an adapter: files by default, memory, SQLite, Redis, or the host's own object. Adapters
//! receive only sealed data.

mod adapter;
mod adapters;
mod archive;
mod checkpoint;
mod context;
mod entry;
mod jobs;
mod key;
mod log;
mod room;
mod storage;
mod trail;
mod undo;

use std::sync::{Arc, Mutex};

pub(crate) use adapter::Adapter;
use adapter::{Read, Write, damaged};
pub(crate) use adapters::HostBacked;
#[cfg(feature = "redis")]
use adapters::RedisAdapter;
#[cfg(feature = "sqlite")]
use adapters::SqliteAdapter;
use adapters::{FileAdapter, MemoryAdapter};
pub use context::{Context, Patch};
pub use entry::{MemoryEntry, MemoryEntryDraft, MemoryEntryMetadata};
pub use key::MAX_SCOPE_BYTES;
use key::{Key, Scope};
pub use log::{Query, Range, Scored};
pub(crate) use room::WorkingRoom;
pub use room::WorkingScope;
pub use storage::AdapterHandle;
pub use trail::{Operation, TrailEntry};

/// The names of the operations, for the handle and the method table.
pub(crate) mod names {
    pub(crate) const GET_CONTEXT: &str = "working.getContext";
    pub(crate) const UPDATE_CONTEXT: &str = "working.updateContext";
    pub(crate) const ADD_LOG: &str = "working.addLog";
    pub(crate) const GET_LOGS: &str = "working.getLogs";
    pub(crate) const SEARCH_LOGS: &str = "working.searchLogs";
    pub(crate) const SAVE_CHECKPOINT: &str = "working.saveCheckpoint";
    pub(crate) const RESTORE_CHECKPOINT: &str = "working.restoreCheckpoint";
    pub(crate) const LIST_CHECKPOINTS: &str = "working.listCheckpoints";
    pub(crate) const DELETE_CHECKPOINT: &str = "working.deleteCheckpoint";
    pub(crate) const HISTORY: &str = "working.history";
    pub(crate) const LIST_SCOPES: &str = "working.listScopes";
    pub(crate) const DELETE_SCOPE: &str = "working.deleteScope";
    pub(crate) const ADAPTER_GET: &str = "adapter.get";
    pub(crate) const ADAPTER_SET: &str = "adapter.set";
    pub(crate) const ADAPTER_DEL: &str = "adapter.del";
    pub(crate) const ADAPTER_PUSH: &str = "adapter.push";
    pub(crate) const ADAPTER_GET_LIST: &str = "adapter.getList";
}

/// Exports for the tests of adapters.
#[cfg(feature = "testing")]
pub(crate) mod testing {
    pub use super::adapter::{Adapter, Decide, Lease, Read, SealedJson, Write};
    #[cfg(feature = "redis")]
    pub use super::adapters::RedisAdapter;
    #[cfg(feature = "sqlite")]
    pub use super::adapters::SqliteAdapter;
    pub use super::adapters::{FileAdapter, HostBacked, MemoryAdapter};
    pub use super::key::{Key, Scope};
    pub use super::trail::rebuild;
    pub use crate::disk::Json;
}

use serde::Serialize;

use crate::disk::{Json, Mode};
use crate::error::{Error, Result};
use crate::home::{AdapterChoice, Home};
use crate::logger::{self, Level};
use crate::mutex::lock;
use crate::safety::SealedObject;

/// The contexts, logs and checkpoints of jobs, stored by one adapter. Returned by [`Store::working`](crate::Store::working).
///
/// A scope is identified by a text of your choice, such as the id of a job, of at most [`MAX_SCOPE_BYTES`] bytes. See [how to
/// keep the state of a job](crate::recipes#how-do-i-keep-the-state-of-a-job-and-go-back).
#[derive(Debug, Clone)]
pub struct Working {
    home: Home,
    adapter: Arc<dyn Adapter>,
}

impl Working {
    /// The working memory stored by `adapter`. Nothing is read or created yet.
    pub(crate) fn new(home: &Home, adapter: &Arc<dyn Adapter>) -> Self {
        Working { home: home.clone(), adapter: Arc::clone(adapter) }
    }

    /// Returns the ids of the scopes that have data, sorted.
    ///
    /// # Errors
    /// `Unsupported` if the adapter cannot list them; `AdapterError`, `IOError`.
    pub fn list_scopes(&self) -> Result<Vec<String>> {
        self.call(names::LIST_SCOPES, |working| {
            Ok(working.adapter.scopes(working.home.wait_options())?.iter().map(ToString::to_string).collect())
        })
    }

    /// Runs `body` as the operation of this name: see [`Home::call`].
    fn call<T>(&self, operation: &str, body: impl FnOnce(&Working) -> Result<T>) -> Result<T> {
        self.home.call(operation, |home| body(&Working::new(home, &self.adapter)))
    }

    /// As [`call`](Self::call), for a scope, whose lease is held until `body` returns. Errors name the parameter
    /// `place`.
    fn call_on<T>(
        &self,
        operation: &str,
        (place, id): (&str, &str),
        mode: Mode,
        body: impl FnOnce(&Working, Scope) -> Result<T>,
    ) -> Result<T> {
        self.call(operation, |working| {
            let scope = Scope::admit(working.home.redactor(), place, id)?;
            let _lease = working.adapter.lease(&working.home, working.home.wait_options(), &scope, mode)?;
            body(working, scope)
        })
    }

    /// Changes a scope, and returns the value that `decide` returned with the change that was made.
    fn update<T: Send + 'static>(
        &self,
        scope: &Scope,
        mut decide: impl FnMut(&mut Read<'_>) -> Result<(Vec<Write>, T)> + Send + 'static,
    ) -> Result<T> {
        let answer = Arc::new(Mutex::new(None));
        let answered = Arc::clone(&answer);
        self.adapter.update(
            self.home.wait_options(),
            scope,
            Box::new(move |read| {
                let (writes, value) = decide(read)?;
                *lock(&answered) = Some(value);
                Ok(writes)
            }),
        )?;
        let answer = lock(&answer).take();
        answer.ok_or_else(|| Error::internal("a change ended without a result"))
    }

    /// Logs what was `done` to the scope.
    fn log(&self, level: Level, done: &str, scope: &Scope, timestamp: Option<u64>) {
        if !logger::is_listened_to(level) {
            return;
        }
        let scope_id = self.home.redactor().scrub(scope.as_str());
        let message = match timestamp {
            Some(timestamp) => format!("{done} {scope_id} at {timestamp}"),
            None => format!("{done} {scope_id}"),
        };
        logger::record(level, message, &LoggedData { scope_id: &scope_id, timestamp });
    }
}

/// The structured data of a log event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedData<'d> {
    scope_id: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<u64>,
}

/// The members of the object stored under `key`; none if nothing is stored.
fn members(key: &Key, json: Option<Json>) -> Result<SealedObject> {
    let Some(json) = json else { return Ok(SealedObject::default()) };
    SealedObject::of(&json).map_err(|_| damaged(key, "is not an object with unique keys"))
}

/// Returns the configured adapter. Nothing is opened or connected to yet.
///
/// # Errors
/// `ValidationError` if its configuration is invalid; `Unsupported` if this build does not include it.
pub(crate) fn configured(home: &Home) -> Result<Arc<dyn Adapter>> {
    match &home.config().adapter {
        AdapterChoice::File => Ok(Arc::new(FileAdapter::new(home.clone()))),
        AdapterChoice::Memory => Ok(Arc::new(MemoryAdapter::default())),
        #[cfg(feature = "sqlite")]
        AdapterChoice::Sqlite => Ok(Arc::new(SqliteAdapter::new(home.clone()))),
        #[cfg(feature = "redis")]
        AdapterChoice::Redis(url) => Ok(Arc::new(RedisAdapter::new(home.clone(), &url.0)?)),
        #[cfg(not(feature = "sqlite"))]
        AdapterChoice::Sqlite => Err(missing_feature("sqlite")),
        #[cfg(not(feature = "redis"))]
        AdapterChoice::Redis(_) => Err(missing_feature("redis")),
    }
}

#[cfg(not(all(feature = "sqlite", feature = "redis")))]
fn missing_feature(feature: &str) -> Error {
    let message = format!(
        "this build of loopmem does not include the {feature} adapter; build it with the cargo feature `{feature}`"
    );
    Error::new(crate::error::ErrorKind::Unsupported, message)
}
