//! A file system that fails where a test says, to prove that no failure leaves a partial write.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use loopmem::testing::disk::{Fs, Open, RealFs};

use super::lock;
use super::observed::{Call, FsLimitation, Observed, Watcher};

/// The fault to inject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails with this `errno`; later calls succeed.
    Errno(i32),
    /// A write accepts only its first byte; any other call fails with `EIO`.
    ShortWrite,
    /// This call and all later ones fail, as if the process had been killed here.
    Stop,
    /// From this call on, writing and creating files or folders fails with `ENOSPC`.
    DiskFull,
    /// From this call on, every sync fails with `EIO`.
    SyncsFail,
}

/// Injects a fault into one call, counted from when it was armed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faulty {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The fault, and how many calls are left until it: 0 once a persistent one has occurred. `None` if unarmed.
    armed: Mutex<Option<(usize, Fault)>>,
    calls: AtomicUsize,
    limitation: Option<FsLimitation>,
}

impl Faulty {
    /// Creates a file system with this limitation.
    pub(crate) fn with_limitation(limitation: FsLimitation) -> Self {
        Faulty { state: Arc::new(State { limitation: Some(limitation), ..State::default() }) }
    }

    /// The real file system, into which faults are injected.
    pub(crate) fn fs(&self) -> Arc<dyn Fs> {
        self.on(Arc::new(RealFs))
    }

    /// `fs`, into which faults are injected.
    pub(crate) fn on(&self, fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
        Arc::new(Observed { fs, watcher: self.clone() })
    }

    /// Injects `fault` into the `nth` call from now, counted from 1.
    pub(crate) fn arm(&self, nth: usize, fault: Fault) {
        *lock(&self.state.armed) = Some((nth, fault));
        self.state.calls.store(0, Ordering::SeqCst);
    }

    /// Ends the fault, and returns whether it had occurred.
    pub(crate) fn disarm(&self) -> bool {
        lock(&self.state.armed).take().is_none_or(|(left, _)| left == 0)
    }

    /// How many calls were made since it was armed.
    pub(crate) fn calls(&self) -> usize {
        self.state.calls.load(Ordering::SeqCst)
    }
}

/// Whether all failures are tried: `scripts/torture faults`.
pub(crate) fn tries_all_faults() -> bool {
    std::env::var_os("LOOPMEM_TORTURE_FAULTS").is_some_and(|wanted| wanted == "all")
}

/// A number that differs from one commit to the next, so that what takes too long for one run is tried by several.
pub(crate) fn fault_rotation() -> usize {
    std::env::var("LOOPMEM_FAULT_ROTATION").map_or(0, |number| number.parse().unwrap())
}

/// Calls `run` with a file system that stops, as if the process had been killed, at its `nth` call: at one call in five,
/// or at all of them, until a run is not stopped. `run` also gets `nth`.
pub(crate) fn stop_at_every_call(mut run: impl FnMut(Arc<dyn Fs>, usize)) {
    let (first, step) = if tries_all_faults() { (1, 1) } else { (1 + fault_rotation() % 5, 5) };
    for nth in (first..).step_by(step) {
        let faulty = Faulty::default();
        faulty.arm(nth, Fault::Stop);
        run(faulty.fs(), nth);
        if !faulty.disarm() {
            assert!(nth > 20, "there was something to interrupt");
            return;
        }
    }
}

impl Watcher for Faulty {
    fn before(&self, fs: &dyn Fs, call: Call<'_>) -> io::Result<Option<usize>> {
        self.state.calls.fetch_add(1, Ordering::SeqCst);
        self.state.limitation.map_or(Ok(()), |limitation| limitation.check(fs, call))?;
        let mut armed = lock(&self.state.armed);
        let Some((left, fault)) = *armed else { return Ok(None) };
        if left > 1 {
            *armed = Some((left - 1, fault));
            return Ok(None);
        }
        let stays = matches!(fault, Fault::Stop | Fault::DiskFull | Fault::SyncsFail);
        *armed = stays.then_some((0, fault));
        let errno = match (fault, call) {
            (Fault::ShortWrite, Call::Write(..)) => return Ok(Some(1)),
            (Fault::Stop, _) => return Err(io::Error::other("stopped")),
            (Fault::DiskFull, Call::Write(..) | Call::Open(_, Open::CreateNew) | Call::CreateFolder(_)) => libc::ENOSPC,
            (Fault::ShortWrite, _) | (Fault::SyncsFail, Call::Sync(..) | Call::SyncFolder(_)) => libc::EIO,
            (Fault::DiskFull | Fault::SyncsFail, _) => return Ok(None),
            (Fault::Errno(errno), _) => errno,
        };
        Err(io::Error::from_raw_os_error(errno))
    }
}
