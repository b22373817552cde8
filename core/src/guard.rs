//! Catches panics: nothing unwinds into a host, and a panic's payload, which may contain anything, is never reported.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::error::{Error, ErrorKind, Result};

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`. A panic in it is returned as an error of kind `Internal`, which contains only the source location.
///
/// # Errors
/// What `body` returns, or `Internal`.
pub fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    quiet_hook();
    GUARDED.set(GUARDED.get() + 1);
    // Unwind safe: state that a panic may leave inconsistent is restored by its guards or not used again.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    GUARDED.set(GUARDED.get() - 1);
    outcome.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "a bug in loopmem aborted the call; please report it")
            .because(PLACE.with_borrow(Clone::clone)))
    })
}

/// The default hook prints the payload. Within a guarded call, this one records the location instead; elsewhere it
/// calls the host's hook.
///
/// The first thread installs it while the other threads of the process wait. In a child that is forked in that moment,
/// this thread does not exist and the standard library's lock may be held forever, so the child continues without the
/// hook.
fn quiet_hook() {
    static INSTALLER: AtomicU32 = AtomicU32::new(0);
    static IS_INSTALLED: AtomicBool = AtomicBool::new(false);
    if IS_INSTALLED.load(Ordering::Acquire) {
        return;
    }
    let own = std::process::id();
    match INSTALLER.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            install();
            IS_INSTALLED.store(true, Ordering::Release);
        }
        Err(installer) if installer == own => {
            while !IS_INSTALLED.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        }
        Err(_) => {}
    }
}

fn install() {
    let hosts_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if GUARDED.get() == 0 {
            hosts_hook(info);
        } else if let Some(location) = info.location() {
            PLACE.set(format!("{}:{}", location.file(), location.line()));
        }
    }));
}
