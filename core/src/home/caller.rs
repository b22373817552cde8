//! Where a call comes from, known by its thread: a host's own adapter may call back while a call that it serves goes on.

use std::cell::Cell;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Caller {
    /// The call that it came out of.
    pub(crate) within: Option<u64>,
    /// Whether it holds the thread that the host's adapter needs.
    pub(crate) holds_the_host: bool,
}

thread_local! {
    static CALLER: Cell<Caller> = const { Cell::new(Caller { within: None, holds_the_host: false }) };
}

impl Caller {
    /// Whose call runs on this thread.
    pub(crate) fn current() -> Self {
        CALLER.get()
    }

    /// Runs `body` as this caller's. What is made on this thread by a host that was called here comes out of that call,
    /// whoever says what.
    pub(super) fn calling<T>(self, body: impl FnOnce() -> T) -> T {
        let outer = CALLER.get();
        CALLER.set(Caller { within: self.within.or(outer.within), ..self });
        let _outer = Outer(outer);
        body()
    }

    /// Makes what the host does next on this thread come out of the call with this number.
    pub(crate) fn enter(call: Option<u64>) {
        CALLER.set(Caller { within: call, ..CALLER.get() });
    }
}

/// The caller around this one, put back whatever happens.
struct Outer(Caller);

impl Drop for Outer {
    fn drop(&mut self) {
        CALLER.set(self.0);
    }
}
