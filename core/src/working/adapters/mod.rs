//! The built-in storage backends.

mod file;
mod host;
mod memory;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::hash::{BuildHasher as _, RandomState};
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
use crate::disk::{Deadline, Json};
use crate::error::Result;

/// The JSON in a stored text.
fn json(key: &Key, text: String) -> Result<Json> {
    RawValue::from_string(text).map(Json::stored).map_err(|_| damaged(key, "is not JSON"))
}

/// The longest pause before another attempt.
const LONGEST_PAUSE: Duration = Duration::from_millis(128);

/// Exponential back-off with jitter.
struct BackOff {
    longest: Duration,
}

impl Default for BackOff {
    fn default() -> Self {
        BackOff { longest: Duration::from_millis(1) }
    }
}

impl BackOff {
    /// Waits before the next attempt; returns whether the deadline has passed.
    fn pause(&mut self, deadline: &Deadline<'_>) -> Result<bool> {
        let most = u64::try_from(self.longest.as_micros()).unwrap_or(u64::MAX).max(1);
        self.longest = LONGEST_PAUSE.min(self.longest * 2);
        deadline.pause(Duration::from_micros(RandomState::new().hash_one(()) % most))
    }
}
