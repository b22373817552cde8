//! The stored form of a scope: its keys, its list of checkpoints, and the error for invalid data.

use super::key::{Key, Scope};
use crate::disk::Json;
use crate::error::{Error, ErrorKind, Result};

/// Reads a value for the decision on a change.
pub type Read<'r> = dyn FnMut(&Key) -> Result<Option<Json>> + 'r;

/// All keys that a scope may have, the context last.
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

/// The error for invalid data under `key`; `what` completes the sentence.
pub(super) fn damaged(key: &Key, what: &str) -> Error {
    Error::new(ErrorKind::Adapter, format!("the adapter's value under `{}` {what}", key.kind())).about(key.to_string())
}

/// The stored timestamps of a job's checkpoints.
pub(super) fn stored(job: &Scope, read: &mut Read<'_>) -> Result<Vec<u64>> {
    let key = Key::Checkpoints(job.clone());
    let Some(json) = read(&key)? else { return Ok(Vec::new()) };
    timestamps(&json).map_err(|what| damaged(&key, what))
}

/// Parses a list of timestamps; the error says what is wrong with it.
pub(super) fn timestamps(json: &Json) -> std::result::Result<Vec<u64>, &'static str> {
    let timestamps: Vec<u64> = serde_json::from_str(json.get()).map_err(|_| "is not a list of timestamps")?;
    if timestamps.is_sorted() { Ok(timestamps) } else { Err("is not a sorted list of timestamps") }
}
