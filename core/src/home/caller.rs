//! The origin of a call, tracked per thread: a host's adapter may make nested calls while it serves a call.

use std::cell::Cell;

/// The origin of a call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Caller {
    /// The outer call, if it is nested.
    pub(crate) within: Option<u64>,
    /// Whether it blocks the thread that the host's adapter needs.
    pub(crate) blocks_host_thread: bool,
}

thread_local! {
    static CALLER: Cell<Caller> = const { Cell::new(Caller { within: None, blocks_host_thread: false }) };
}

impl Caller {
    /// The origin of the call that runs on this thread.
    pub(crate) fn current() -> Self {
        CALLER.get()
    }

    /// Runs `body` with this origin. A call on a thread that already runs a call is always nested in that one, whatever
    /// its options say.
    pub(super) fn calling<T>(self, body: impl FnOnce() -> T) -> T {
        let outer = CALLER.get();
        CALLER.set(Caller { within: self.within.or(outer.within), ..self });
        let _outer = Outer(outer);
        body()
    }

    /// Marks the next calls of the host on this thread as nested in the call with this number.
    pub(crate) fn enter(call: Option<u64>) {
        CALLER.set(Caller { within: call, ..CALLER.get() });
    }
}

/// The outer origin, restored on drop.
struct Outer(Caller);

impl Drop for Outer {
    fn drop(&mut self) {
        CALLER.set(self.0);
    }
}
