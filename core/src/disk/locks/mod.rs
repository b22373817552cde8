//! Locks: the order in which calls get them, how long a call waits, and which locks are held.

pub(in crate::disk) mod backoff;
pub(in crate::disk) mod lease;
pub(in crate::disk) mod lock;
pub(in crate::disk) mod owner;
pub(in crate::disk) mod pool;
pub(in crate::disk) mod queue;
pub(in crate::disk) mod wait;
pub(in crate::disk) mod watch;
