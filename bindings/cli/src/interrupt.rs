//! Signals that cancel a call instead of ending the process, so that it gives back what it has claimed.

use loopmem::Cancel;

#[cfg(unix)]
use crate::human::environment::is_ignored;

/// A request that Ctrl-C, a hang-up or a request to terminate makes from now on. The second signal ends the process. A
/// signal that was ignored when the process was started stays ignored, as a hang-up is under `nohup`.
#[cfg(unix)]
pub(crate) fn cancel() -> Cancel {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;

    let arrived = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // Where the system does not say, only a hang-up is likely to be ignored.
        if is_ignored(signal).unwrap_or(signal == SIGHUP) {
            continue;
        }
        // In this order, so that the first one does not end the process. If this fails, it does.
        let _ = flag::register_conditional_default(signal, arrived.clone())
            .and_then(|_| flag::register(signal, arrived.clone()));
    }
    Cancel::polling(move || arrived.load(Ordering::SeqCst))
}

#[cfg(not(unix))]
pub(crate) fn cancel() -> Cancel {
    Cancel::new()
}
