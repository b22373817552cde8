//! Locking a mutex whose contents stay consistent even if a holder panics.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex, ignoring poisoning.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The contents are changed in one step or restored by drop guards, so a panic leaves them consistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
