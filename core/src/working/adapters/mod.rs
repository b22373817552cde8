//! The storage backends that come with loopmem.

mod host;
mod memory;

pub use host::HostBacked;
pub use memory::MemoryAdapter;
