//! How far a long call is: the host's callback for it, and the steps that are counted.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use super::Home;
use crate::error::{Error, ErrorKind, Result};
use crate::guard::guard;

/// How many reports follow the first one at most: more would make no visible difference.
const REPORTS: u64 = 100;

/// The host's callback, if there is one. It gets how many steps are done, and of how many.
#[derive(Clone, Default)]
pub(super) struct ProgressCallback(Option<Arc<dyn Fn(u64, u64) + Send + Sync>>);

impl ProgressCallback {
    pub(super) fn new(callback: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        ProgressCallback(Some(Arc::new(callback)))
    }

    fn call(&self, done: u64, total: u64) {
        let Some(callback) = &self.0 else { return };
        let _outer = Outer(REPORTING.replace(std::process::id()));
        // A failure of the callback does not affect the call.
        let _ = guard(|| {
            callback(done, total);
            Ok(())
        });
    }
}

impl fmt::Debug for ProgressCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProgressCallback").field(&self.0.is_some()).finish()
    }
}

thread_local! {
    /// The process in which this thread runs the host's callback, 0 if it does not: a child that the callback forks may
    /// make calls.
    static REPORTING: Cell<u32> = const { Cell::new(0) };
}

/// What [`REPORTING`] was before, restored on drop.
struct Outer(u32);

impl Drop for Outer {
    fn drop(&mut self) {
        REPORTING.set(self.0);
    }
}

/// Refuses a call that the callback makes: the call that reports may hold locks that it would wait for.
///
/// # Errors
/// `Misuse`.
pub(super) fn refuse_calls_within() -> Result<()> {
    let reporting = REPORTING.get();
    if reporting != 0 && reporting == std::process::id() {
        let message = "the progress callback made this call, which could wait for the call that reports; make it later";
        return Err(Error::new(ErrorKind::Misuse, message));
    }
    Ok(())
}

/// The steps of a call, which are reported as they are done.
pub(crate) struct Steps<'h> {
    callback: &'h ProgressCallback,
    done: u64,
    total: u64,
}

impl<'h> Steps<'h> {
    /// The steps of the running call; nothing is reported if there are none.
    pub(crate) fn new(home: &'h Home, total: usize) -> Self {
        let steps = Steps { callback: home.options().progress_callback(), done: 0, total: total as u64 };
        if total > 0 {
            steps.callback.call(0, steps.total);
        }
        steps
    }

    /// Counts one more step, and reports it if it is a hundredth more of them, or the last one.
    pub(crate) fn advance(&mut self) {
        let reported = |done: u64| done.saturating_mul(REPORTS).checked_div(self.total);
        let before = reported(self.done);
        self.done += 1;
        if reported(self.done) != before && self.done <= self.total {
            self.callback.call(self.done, self.total);
        }
    }
}
