//! What storage keeps of a scope: its keys, the list of its checkpoints, and the error for what is not as it should be.

use super::key::{Key, Scope};
use crate::disk::Json;
use crate::error::{Error, ErrorKind, Result};

/// What a change reads before it is decided.
pub type Read<'r> = dyn FnMut(&Key) -> Result<Option<Json>> + 'r;

/// Every key of a scope under which something may be kept, its context last.
pub(super) fn keys_of(scope: &Scope, read: &mut Read<'_>) -> Result<Vec<Key>> {
    let timestamps = stored(scope, read)?;
    let checkpoints = timestamps.into_iter().map(|timestamp| Key::Checkpoint(scope.clone(), timestamp));
    let others = [
        Key::Checkpoints(scope.clone()),
        Key::Logs(scope.clone()),
        Key::Trail(scope.clone()),
        Key::Context(scope.clone()),
    ];
    Ok(checkpoints.chain(others).collect())
}

/// The error for something under `key` that is not what it should be: `what` says in which way.
pub(super) fn damaged(key: &Key, what: &str) -> Error {
    Error::new(ErrorKind::Adapter, format!("what the adapter keeps under {} {what}", key.kind())).about(key.to_string())
}

/// The timestamps that are stored.
pub(super) fn stored(job: &Scope, read: &mut Read<'_>) -> Result<Vec<u64>> {
    let key = Key::Checkpoints(job.clone());
    let Some(json) = read(&key)? else { return Ok(Vec::new()) };
    timestamps(&json).map_err(|what| damaged(&key, what))
}

/// The timestamps in a list of them, or in which way it is none.
pub(super) fn timestamps(json: &Json) -> std::result::Result<Vec<u64>, &'static str> {
    let timestamps: Vec<u64> = serde_json::from_str(json.get()).map_err(|_| "is no list of timestamps")?;
    if timestamps.is_sorted() { Ok(timestamps) } else { Err("is no list of timestamps in their order") }
}
