//! The storage backends that come with loopmem.

mod file;
mod host;
mod memory;
mod sqlite;

pub use file::FileAdapter;
pub use host::HostBacked;
pub use memory::MemoryAdapter;
pub use sqlite::SqliteAdapter;
