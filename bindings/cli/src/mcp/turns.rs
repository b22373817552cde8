//! The order of calls: a client that sends several at once finds in the later ones what the earlier ones stored.

use std::sync::Arc;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Lets calls that only read run at the same time, and each of the others alone, in the order in which they arrive.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<RwLock<()>>);

/// The turn of a call, which ends when it is dropped.
#[derive(Debug)]
pub(super) enum Turn {
    Shared { _guard: OwnedRwLockReadGuard<()> },
    Alone { _guard: OwnedRwLockWriteGuard<()> },
}

impl Turns {
    /// Waits for the turn of a call. The lock is fair: calls get it in the order in which they asked.
    pub(super) async fn next(&self, only_reads: bool) -> Turn {
        let lock = Arc::clone(&self.0);
        match only_reads {
            true => Turn::Shared { _guard: lock.read_owned().await },
            false => Turn::Alone { _guard: lock.write_owned().await },
        }
    }
}
