//! The storage backends that come with loopmem.

mod examine;
mod file;
mod host;
mod memory;
mod redis;
mod sqlite;

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

pub use file::FileAdapter;
pub use host::HostBacked;
pub use memory::MemoryAdapter;
pub use redis::RedisAdapter;
pub use sqlite::SqliteAdapter;

/// A pause of uneven length, so that two processes do not try in step.
fn jittered(longest: Duration) -> Duration {
    let most = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX).max(1);
    Duration::from_micros(RandomState::new().hash_one(()) % most)
}
