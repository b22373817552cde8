//! Working memory: the context of a job, its log and its checkpoints, over pluggable storage (spec 003).
//!
//! A scope is a job's id, `global`, or any other text; scopes are isolated from each other. Each has a **context** (a
//! JSON object), a **trail** of the changes that led to it, an append-only **log**, and **checkpoints** of its context.
//! They are stored by an adapter: files by default, memory, SQLite, Redis, or the host's own object. Adapters
//! receive only sealed data.

mod adapter;
mod adapters;
mod checkpoint;
mod context;
mod entry;
mod key;
mod log;
mod pack;
mod room;
mod scope;
mod search;
mod stored;
mod trail;

use std::sync::{Arc, Mutex};

pub(crate) use adapter::Adapter;
use adapter::Write;
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
pub use log::Range;
pub use pack::WorkingScope;
pub(crate) use room::WorkingRoom;
pub use search::{Query, Scored};
use stored::Read;
pub use trail::{Operation, TrailEntry};

/// Exports for the tests of adapters.
#[cfg(feature = "testing")]
pub(crate) mod testing {
    pub use super::adapter::{Adapter, Decide, Lease, SealedJson, Write};
    #[cfg(feature = "redis")]
    pub use super::adapters::RedisAdapter;
    #[cfg(feature = "sqlite")]
    pub use super::adapters::SqliteAdapter;
    pub use super::adapters::{FileAdapter, HostBacked, MemoryAdapter};
    pub use super::key::{Key, Scope};
    pub use super::stored::Read;
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

/// The working memory of a home, stored by one adapter.
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

    /// Logs to the host's logger what was `done` to the scope.
    fn log(&self, level: Level, done: &str, scope: &Scope, timestamp: Option<u64>) {
        if !logger::is_collecting() {
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

/// The members of the object stored under `key`.
fn members(key: &Key, json: &Json) -> Result<SealedObject> {
    SealedObject::of(json).map_err(|_| stored::damaged(key, "is not an object with unique keys"))
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
