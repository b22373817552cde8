//! The way from the core's threads into the interpreter, for answers and for the host's objects, and its shutdown.
//!
//! A thread that runs Python while the interpreter is being finalized is terminated in the middle of it, which aborts
//! the process. So nothing is delivered once [`end`] has returned, which `atexit` calls before finalization.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use loopmem::PerProcess;
use pyo3::prelude::*;

/// A forked child has none of its parent's threads.
static DELIVERIES: PerProcess<Deliveries> = PerProcess::new();

#[derive(Default)]
struct Deliveries {
    state: Mutex<State>,
    delivered: Condvar,
}

#[derive(Default)]
struct State {
    ended: bool,
    under_way: usize,
}

/// Whether delivery has ended: a call that is still unanswered need not wait any longer.
pub(crate) fn has_ended() -> bool {
    DELIVERIES.get().lock().ended
}

/// Attaches to the interpreter and runs `body`; `None` if the interpreter is about to end.
pub(crate) fn deliver<T>(body: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let mut state = DELIVERIES.get().lock();
    if state.ended {
        return None;
    }
    state.under_way += 1;
    drop(state);
    let _delivery = Delivery;
    Python::try_attach(body)
}

/// Ends delivery for good and waits for those in progress, without the interpreter's lock, which they need.
pub(crate) fn end(py: Python<'_>) {
    py.detach(|| {
        let deliveries = DELIVERIES.get();
        let mut state = deliveries.lock();
        state.ended = true;
        while state.under_way > 0 {
            state = deliveries.delivered.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    });
}

/// A delivery in progress.
struct Delivery;

impl Drop for Delivery {
    fn drop(&mut self) {
        let deliveries = DELIVERIES.get();
        let mut state = deliveries.lock();
        // It may have started in the process that this one was forked from.
        state.under_way = state.under_way.saturating_sub(1);
        deliveries.delivered.notify_all();
    }
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
