//! Signals that cancel a call instead of ending the process, so that it gives back what it has claimed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loopmem::Cancel;

/// What Ctrl-C, a hang-up or a request to terminate does: between calls, it ends the process; during a call, it cancels the call,
/// and the next one ends the process.
pub(crate) struct Signals {
    has_arrived: Arc<AtomicBool>,
    ends_process: Arc<AtomicBool>,
}

impl Signals {
    /// Signals that end the process, as they do by default.
    pub(crate) fn new() -> Self {
        Signals { has_arrived: Arc::default(), ends_process: Arc::new(AtomicBool::new(true)) }
    }

    /// From now on, they cancel what is done [`during`](Self::during) a call. A signal that was ignored when the process was
    /// started stays ignored, as a hang-up is under `nohup`.
    #[cfg(unix)]
    pub(crate) fn listen(&self) {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag::{register, register_conditional_default};

        use crate::human::environment::is_ignored;

        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // Where the system does not say, only a hang-up is likely to be ignored.
            if is_ignored(signal).unwrap_or(signal == SIGHUP) {
                continue;
            }
            // In this order, so that the first one does not end the process. If this fails, it does.
            let _ = register_conditional_default(signal, Arc::clone(&self.ends_process))
                .and_then(|_| register(signal, Arc::clone(&self.ends_process)))
                .and_then(|_| register(signal, Arc::clone(&self.has_arrived)));
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen(&self) {}

    /// The cancel request that they make.
    pub(crate) fn cancel(&self) -> Cancel {
        let has_arrived = Arc::clone(&self.has_arrived);
        Cancel::polling(move || has_arrived.load(Ordering::SeqCst))
    }

    /// Runs a call.
    pub(crate) fn during<T>(&self, call: impl FnOnce() -> T) -> T {
        self.ends_process.store(false, Ordering::SeqCst);
        let done = call();
        self.ends_process.store(true, Ordering::SeqCst);
        done
    }

    /// Returns whether one arrived during a call.
    pub(crate) fn have_arrived(&self) -> bool {
        self.has_arrived.load(Ordering::SeqCst)
    }
}
