//! Answers on their way from the core's threads into the interpreter, and the end of that way.
//!
//! A thread that runs Python while the interpreter is being finalized is ended in the middle of it, which aborts the
//! process. So nothing is delivered any more once [`end`] has returned, which `atexit` calls before finalizing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

static DELIVERIES: Mutex<Deliveries> = Mutex::new(Deliveries { pid: 0, ended: false, under_way: 0 });
static DELIVERED: Condvar = Condvar::new();

struct Deliveries {
    /// A forked child has none of its parent's threads.
    pid: u32,
    ended: bool,
    under_way: usize,
}

/// Whether nothing is delivered any more: a call that is still unanswered need not wait any longer.
pub(crate) fn has_ended() -> bool {
    lock().ended
}

/// Attaches to the interpreter and runs `body`, unless the interpreter is about to end.
pub(crate) fn deliver(body: impl FnOnce(Python<'_>)) {
    let mut deliveries = lock();
    if deliveries.ended {
        return;
    }
    deliveries.under_way += 1;
    drop(deliveries);
    let _delivery = Delivery;
    Python::try_attach(body);
}

/// Ends deliveries for good and waits for those under way, without the interpreter's lock, which they need.
pub(crate) fn end(py: Python<'_>) {
    py.detach(|| {
        let mut deliveries = lock();
        deliveries.ended = true;
        while deliveries.under_way > 0 {
            deliveries = DELIVERED.wait(deliveries).unwrap_or_else(PoisonError::into_inner);
        }
    });
}

/// One under way.
struct Delivery;

impl Drop for Delivery {
    fn drop(&mut self) {
        let mut deliveries = lock();
        deliveries.under_way = deliveries.under_way.saturating_sub(1);
        DELIVERED.notify_all();
    }
}

fn lock() -> MutexGuard<'static, Deliveries> {
    let mut deliveries = DELIVERIES.lock().unwrap_or_else(PoisonError::into_inner);
    let pid = std::process::id();
    if deliveries.pid != pid {
        deliveries.pid = pid;
        deliveries.under_way = 0;
    }
    deliveries
}
