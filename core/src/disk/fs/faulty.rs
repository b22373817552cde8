//! A file system that fails where a test says, to prove that no failure leaves a partial write.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use super::limitation::FsLimitation;
use super::observed::{Call, Observed, Watcher};
use super::seam::{Fs, Open};

/// The fault to inject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
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
pub struct Faulty {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Calls left until the fault; 0 if unarmed.
    countdown: AtomicUsize,
    calls: AtomicUsize,
    /// An errno, or one of the markers below.
    fault: AtomicI32,
    limitation: Option<FsLimitation>,
}

const SHORT_WRITE: i32 = -1;
const STOP: i32 = -2;
const DISK_FULL: i32 = -3;
const SYNCS_FAIL: i32 = -4;
/// The countdown of a persistent fault that has occurred.
const STAYS: usize = usize::MAX;

impl Faulty {
    /// Creates a file system with this limitation.
    pub fn with_limitation(limitation: FsLimitation) -> Self {
        Faulty { state: Arc::new(State { limitation: Some(limitation), ..State::default() }) }
    }

    /// The file system into which faults are injected.
    pub fn fs(&self) -> Arc<dyn Fs> {
        Arc::new(Observed(self.clone()))
    }

    /// Injects `fault` into the `nth` call from now, counted from 1.
    pub fn arm(&self, nth: usize, fault: Fault) {
        let mark = match fault {
            Fault::Errno(errno) => errno,
            Fault::ShortWrite => SHORT_WRITE,
            Fault::Stop => STOP,
            Fault::DiskFull => DISK_FULL,
            Fault::SyncsFail => SYNCS_FAIL,
        };
        self.state.fault.store(mark, Ordering::SeqCst);
        self.state.calls.store(0, Ordering::SeqCst);
        self.state.countdown.store(nth, Ordering::SeqCst);
    }

    /// Ends the fault, and returns whether it had occurred.
    pub fn disarm(&self) -> bool {
        let left = self.state.countdown.swap(0, Ordering::SeqCst);
        left == 0 || left == STAYS
    }

    /// How many calls were made since it was armed.
    pub fn calls(&self) -> usize {
        self.state.calls.load(Ordering::SeqCst)
    }
}

impl Watcher for Faulty {
    fn before(&self, call: Call<'_>) -> io::Result<Option<usize>> {
        self.state.calls.fetch_add(1, Ordering::SeqCst);
        self.state.limitation.map_or(Ok(()), |limitation| limitation.check(call))?;
        match self.state.countdown.load(Ordering::SeqCst) {
            0 => return Ok(None),
            1 | STAYS => {}
            left => {
                self.state.countdown.store(left - 1, Ordering::SeqCst);
                return Ok(None);
            }
        }
        let fault = self.state.fault.load(Ordering::SeqCst);
        let stays = matches!(fault, STOP | DISK_FULL | SYNCS_FAIL);
        self.state.countdown.store(if stays { STAYS } else { 0 }, Ordering::SeqCst);
        match (fault, call) {
            (SHORT_WRITE, Call::Write(..)) => Ok(Some(1)),
            (SHORT_WRITE, _) => Err(io::Error::from_raw_os_error(libc::EIO)),
            (STOP, _) => Err(io::Error::other("stopped")),
            (DISK_FULL, Call::Write(..) | Call::Open(_, Open::CreateNew) | Call::CreateFolder(_)) => {
                Err(io::Error::from_raw_os_error(libc::ENOSPC))
            }
            (SYNCS_FAIL, Call::Sync(..) | Call::SyncFolder(_)) => Err(io::Error::from_raw_os_error(libc::EIO)),
            (DISK_FULL | SYNCS_FAIL, _) => Ok(None),
            (errno, _) => Err(io::Error::from_raw_os_error(errno)),
        }
    }
}
