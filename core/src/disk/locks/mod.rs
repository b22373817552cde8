//! Locks: whose turn it is, how long a call waits, and who holds what.

pub(in crate::disk) mod lease;
pub(in crate::disk) mod lock;
pub(in crate::disk) mod owner;
pub(in crate::disk) mod queue;
pub(in crate::disk) mod wait;
pub(in crate::disk) mod watch;
