//! The storage backends that come with loopmem.

mod examine;
mod file;
mod host;
mod memory;
mod redis;
mod sqlite;

pub use file::FileAdapter;
pub use host::HostBacked;
pub use memory::MemoryAdapter;
pub use redis::RedisAdapter;
pub use sqlite::SqliteAdapter;
