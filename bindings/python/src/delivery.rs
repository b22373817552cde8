//! The way from the core's threads into the interpreter, for answers and for the host's own objects, and the end of it.
//!
//! A thread that runs Python while the interpreter is being finalized is ended in the middle of it, which aborts the
//! process. So nothing is delivered any more once [`end`] has returned, which `atexit` calls before finalizing.

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

/// Whether nothing is delivered any more: a call that is still unanswered need not wait any longer.
pub(crate) fn has_ended() -> bool {
    DELIVERIES.get().lock().ended
}

/// Attaches to the interpreter and runs `body`; `None` when the interpreter is about to end.
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

/// Ends deliveries for good and waits for those under way, without the interpreter's lock, which they need.
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

/// One under way.
struct Delivery;

impl Drop for Delivery {
    fn drop(&mut self) {
        let deliveries = DELIVERIES.get();
        let mut state = deliveries.lock();
        // It may have begun in the process that this one was forked from.
        state.under_way = state.under_way.saturating_sub(1);
        deliveries.delivered.notify_all();
    }
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
