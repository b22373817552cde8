//! Panics stop here: nothing unwinds into a host, and nobody is told a panic's payload, which may hold anything.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::error::{Error, ErrorKind, Result};

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`; a panic in it becomes an error of kind `Internal` that tells where in the source it was, and no more.
///
/// # Errors
/// What `body` returns, or `Internal`.
pub fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    quiet_hook();
    GUARDED.set(GUARDED.get() + 1);
    // Nothing that a panic may leave half done is used again: state behind a lock is put right by its guards.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    GUARDED.set(GUARDED.get() - 1);
    outcome.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "a defect in loopmem stopped the call; please report it")
            .because(PLACE.with_borrow(Clone::clone)))
    })
}

/// The default hook prints the payload. Within a guarded call this one keeps the place instead; elsewhere the host's own
/// hook goes on as before.
fn quiet_hook() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let hosts = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if GUARDED.get() == 0 {
                hosts(info);
            } else if let Some(location) = info.location() {
                PLACE.set(format!("{}:{}", location.file(), location.line()));
            }
        }));
    });
}
