//! Catches panics: nothing unwinds into a host, and a panic's payload, which may contain anything, is never reported,
//! unless the host replaces the hook that is installed here by one that does.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::error::{Error, Result};

thread_local! {
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `body`. A panic in it is returned as an error of kind `Internal`, which contains only the source location.
pub fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    quiet_hook();
    GUARDED.set(GUARDED.get() + 1);
    // Unwind safe: state that a panic may leave inconsistent is restored by its guards or not used again.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    GUARDED.set(GUARDED.get() - 1);
    outcome.unwrap_or_else(|_| {
        let error = Error::internal("a bug in loopmem aborted the call; please report it");
        // Empty if the host replaced the hook.
        let location = PLACE.take();
        Err(if location.is_empty() { error } else { error.because(location) })
    })
}

/// The default hook prints the payload. Within a guarded call, this one records the location instead; elsewhere it
/// calls the host's hook.
///
/// The first thread installs the hook; others wait. A child forked meanwhile cannot wait for that thread, so it continues
/// without the hook. So does a thread that is already panicking: hooks cannot be changed then.
fn quiet_hook() {
    static INSTALLER: AtomicU32 = AtomicU32::new(0);
    static IS_INSTALLED: AtomicBool = AtomicBool::new(false);
    if IS_INSTALLED.load(Ordering::Acquire) || std::thread::panicking() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn panics() -> Error {
        guard(|| -> Result<()> { panic!("a secret") }).unwrap_err()
    }

    #[test]
    fn the_first_call_of_a_process_may_be_made_while_a_panic_unwinds() {
        struct CallsOnDrop;
        impl Drop for CallsOnDrop {
            fn drop(&mut self) {
                assert_eq!(guard(|| Ok(1)).unwrap(), 1);
            }
        }
        let unwound = catch_unwind(|| {
            let _calls = CallsOnDrop;
            panic!("of the host");
        });
        assert!(unwound.is_err());
        assert!(format!("{:#}", panics()).contains("guard.rs:"));
    }

    #[test]
    fn a_location_is_reported_once_even_if_the_host_replaces_the_hook() {
        assert!(format!("{:#}", panics()).contains("guard.rs:"));
        let ours = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let error = panics();
        std::panic::set_hook(ours);
        assert_eq!(std::error::Error::source(&error).map(ToString::to_string), None);
        assert_eq!(error.kind(), crate::error::ErrorKind::Internal);
    }
}
