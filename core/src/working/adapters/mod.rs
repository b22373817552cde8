//! The built-in storage backends.

mod file;
mod host;
mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::time::Duration;

pub use file::FileAdapter;
pub use host::HostBacked;
pub use memory::MemoryAdapter;
#[cfg(feature = "redis")]
pub use redis::RedisAdapter;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteAdapter;

use serde_json::value::RawValue;

use super::adapter::damaged;
use super::key::Key;
use crate::disk::{Backoff, Json};
use crate::error::Result;

/// The JSON in a stored text.
fn json(key: &Key, text: String) -> Result<Json> {
    RawValue::from_string(text).map(Json::stored).map_err(|_| damaged(key, "is not JSON"))
}

/// The pauses between attempts at a server or host.
fn back_off() -> Backoff {
    Backoff::doubling(Duration::from_millis(1), Duration::from_millis(128))
}
