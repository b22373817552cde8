//! Signals that end a browser: it gives the terminal back first.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, poll};
#[cfg(unix)]
use rustix::io::Errno;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::{SigId, flag};

/// The signals that have arrived.
pub(super) struct Signals {
    /// The last one, 0 if there was none.
    #[cfg(unix)]
    last: Arc<AtomicUsize>,
    /// Whether the next one ends the process at once.
    #[cfg(unix)]
    ends: Arc<AtomicBool>,
    /// What handles an interrupt.
    #[cfg(unix)]
    interrupt: Vec<SigId>,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn watch() -> Self {
        let last = Arc::new(AtomicUsize::new(0));
        let mut signals = Signals { last, ends: Arc::new(AtomicBool::new(false)), interrupt: Vec::new() };
        for signal in [SIGHUP, SIGTERM] {
            signals.watch_for(signal);
        }
        signals.interrupt = signals.watch_for(SIGINT);
        std::thread::spawn(end_with_terminal);
        signals
    }

    fn watch_for(&self, signal: i32) -> Vec<SigId> {
        let (last, ends) = (self.last.clone(), self.ends.clone());
        // The second one ends the process at once, as a call may have to wait. If watching fails, so does the first.
        let actions = [
            flag::register_conditional_default(signal, ends.clone()),
            flag::register(signal, ends),
            flag::register_usize(signal, last, usize::try_from(signal).unwrap_or(0)),
        ];
        actions.into_iter().flatten().collect()
    }

    /// Leaves interrupts, as of Ctrl-C, to another program while `work` waits for it.
    pub(super) fn without_interrupts<T>(&mut self, work: impl FnOnce() -> T) -> T {
        for action in self.interrupt.drain(..) {
            signal_hook::low_level::unregister(action);
        }
        let outcome = work();
        self.interrupt = self.watch_for(SIGINT);
        outcome
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

/// Waits until the terminal is gone, and ends the process as if the terminal had said so: not every terminal does, and reading
/// keys from one that is gone never ends.
#[cfg(unix)]
fn end_with_terminal() {
    let input = std::io::stdin();
    // A hang-up is reported whatever is asked for.
    let mut polled = [PollFd::new(&input, PollFlags::empty())];
    while let Ok(_) | Err(Errno::INTR) = poll(&mut polled, None) {
        if polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            let _ = signal_hook::low_level::emulate_default_handler(SIGHUP);
            return;
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

    pub(super) fn without_interrupts<T>(&mut self, work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(super) fn obey(&self) {}
}
