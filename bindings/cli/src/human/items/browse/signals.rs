//! Signals that end the browser: it gives the terminal back first.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The signals that have arrived.
pub(super) struct Signals {
    /// The last one, 0 if there was none.
    #[cfg(unix)]
    last: Arc<AtomicUsize>,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn watch() -> Self {
        let last = Arc::new(AtomicUsize::new(0));
        let ends = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // The second one ends the process at once, as a call may have to wait. If watching fails, so does the first.
            let _ = signal_hook::flag::register_conditional_default(signal, ends.clone());
            let _ = signal_hook::flag::register(signal, ends.clone());
            let _ = signal_hook::flag::register_usize(signal, last.clone(), usize::try_from(signal).unwrap_or(0));
        }
        Signals { last }
    }

    /// Whether one has arrived.
    pub(super) fn arrived(&self) -> bool {
        self.last.load(Ordering::SeqCst) != 0
    }

    /// Ends the process as the signal that has arrived would have.
    pub(super) fn obey(&self) {
        let last = self.last.load(Ordering::SeqCst);
        if let Some(signal) = i32::try_from(last).ok().filter(|signal| *signal != 0) {
            // If this fails, the process ends as after `q`.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(super) fn watch() -> Self {
        Signals {}
    }

    pub(super) fn arrived(&self) -> bool {
        false
    }

    pub(super) fn obey(&self) {}
}
