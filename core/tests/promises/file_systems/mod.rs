//! File systems for tests: in memory, recorded, with injected faults, and with a clock that a test controls.

mod clock;
mod faulty;
mod meanwhile;
mod memory;
mod observed;
mod recording;

pub(crate) use clock::TestClock;
pub(crate) use faulty::{Fault, Faulty, fault_rotation, stop_at_every_call, tries_all_faults};
pub(crate) use meanwhile::meanwhile;
pub(crate) use memory::MemoryFs;
pub(crate) use observed::FsLimitation;
pub(crate) use recording::{Recording, Step};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A test that failed may have held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
