//! Taking a mutex whose holders leave nothing half done.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The mutex, whoever panicked with it in hand.
pub(in crate::disk) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What these hold is set in one step, or put right by guards: nobody leaves it half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
