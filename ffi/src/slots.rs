//! Values behind handles: a handle consists of a slot and a count of how often the slot was used before, so that a
//! closed handle is never mistaken for a newer one.
//!
//! Nothing here blocks. A fork copies memory and one thread, and a mutex that another thread held at that instant would
//! stay locked in the child forever. Fork handlers that hold the mutex would only move the problem: a host may have
//! such handlers for its own mutex, under which it calls the library. So each slot is a single atomic state. A thread
//! that is interrupted by the fork in the middle of a step leaves behind a slot, in the child, that is not used again,
//! and no thread waits for it.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use loopmem_core::{Error, ErrorKind, Result};

/// Set in a state while the handle is valid.
const OPEN: u64 = 1 << 31;
/// Set in a state while one thread has exclusive access to the value, to store it or to take it out.
const BUSY: u64 = 1 << 30;
/// The number of users of the value: the open handle itself, and each thread that copies the value.
const USERS: u64 = BUSY - 1;
/// The position of the generation in a state.
const GENERATION: u32 = 32;

pub(crate) struct Slots<T> {
    /// The slots of the handles from 2ⁿ on are in block n. NULL until one of them is needed, and permanent from then
    /// on.
    blocks: [AtomicPtr<Slot<T>>; 32],
}

struct Slot<T> {
    /// The generation, and whether the slot is `OPEN` or `BUSY` and its number of `USERS`; free if none of these.
    state: AtomicU64,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: a value is only copied by threads that count as users of its slot, and stored or taken out by the thread that
// has made the slot busy, which is impossible while it has users.
unsafe impl<T: Send + Sync> Sync for Slots<T> {}

impl<T: Clone> Slots<T> {
    pub(crate) const fn new() -> Self {
        Slots { blocks: [const { AtomicPtr::new(ptr::null_mut()) }; 32] }
    }

    /// Returns a handle for `value`, never 0.
    pub(crate) fn put(&self, value: T) -> Result<u64> {
        for index in 0..self.blocks.len() {
            for (number, slot) in (1_u64 << index..).zip(self.made(index)) {
                if let Some(generation) = slot.claim() {
                    slot.open(generation, value);
                    return Ok(u64::from(generation) << GENERATION | number);
                }
            }
        }
        Err(Error::new(ErrorKind::Misuse, "too many handles are open; close unused ones"))
    }

    /// The value, shared; `None` if the handle was closed or never issued.
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        self.slot(id)?.enter(generation(id))?.value()
    }

    /// Closes a handle, and drops the value. `false` if it was already closed or never issued.
    pub(crate) fn end(&self, id: u64) -> bool {
        self.slot(id).is_some_and(|slot| slot.close(generation(id)))
    }

    fn slot(&self, id: u64) -> Option<&Slot<T>> {
        #[allow(clippy::cast_possible_truncation, reason = "the lower half of 64 bits")]
        let number = id as u32;
        let index = number.checked_ilog2()? as usize;
        self.block(index)?.get(number as usize - (1 << index))
    }

    fn block(&self, index: usize) -> Option<&[Slot<T>]> {
        let block = self.blocks.get(index)?.load(Ordering::Acquire);
        // SAFETY: not NULL, it is a block that `made` has stored there, which has this length and is permanent.
        (!block.is_null()).then(|| unsafe { std::slice::from_raw_parts(block, 1 << index) })
    }

    /// The block, allocated if there is none. Two threads may both allocate it; one of the two blocks is kept.
    fn made(&self, index: usize) -> &[Slot<T>] {
        if let (None, Some(place)) = (self.block(index), self.blocks.get(index)) {
            let slots: Box<[Slot<T>]> = (0..1_usize << index).map(|_| Slot::new()).collect();
            let made = Box::into_raw(slots);
            if place.compare_exchange(ptr::null_mut(), made.cast(), Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: it was allocated above, and no other thread has seen it.
                drop(unsafe { Box::from_raw(made) });
            }
        }
        self.block(index).unwrap_or_default()
    }
}

impl<T> Slot<T> {
    const fn new() -> Self {
        Slot { state: AtomicU64::new(0), value: UnsafeCell::new(None) }
    }

    /// Claims a free slot for a value, as busy, and returns its next generation. A slot whose generations are used up
    /// is left alone.
    fn claim(&self) -> Option<u32> {
        let state = self.state.load(Ordering::Relaxed);
        let next = generation(state).checked_add(1).filter(|_| state & (OPEN | BUSY | USERS) == 0)?;
        let busy = u64::from(next) << GENERATION | BUSY;
        self.state.compare_exchange(state, busy, Ordering::Acquire, Ordering::Relaxed).is_ok().then_some(next)
    }

    /// Stores the value in a slot that was claimed.
    fn open(&self, generation: u32, value: T) {
        // SAFETY: the slot is busy for this thread.
        unsafe { *self.value.get() = Some(value) };
        self.state.store(u64::from(generation) << GENERATION | OPEN | 1, Ordering::Release);
    }

    /// Becomes a user, if this generation is open.
    fn enter(&self, of: u32) -> Option<Stay<'_, T>> {
        let more = |state| is_open(state, of).then_some(state + 1);
        self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).ok().map(|_| Stay(self))
    }

    /// Ends a generation, if it is open. The last user drops the value.
    fn close(&self, of: u32) -> bool {
        let closed = |state| is_open(state, of).then_some(state & !OPEN);
        // The handle itself was a user; this thread takes its place.
        self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, closed).map(|_| drop(Stay(self))).is_ok()
    }
}

/// A user of a slot, for as long as it exists.
struct Stay<'s, T>(&'s Slot<T>);

impl<T: Clone> Stay<'_, T> {
    fn value(&self) -> Option<T> {
        // SAFETY: no thread can make the slot busy while it has a user.
        unsafe { &*self.0.value.get() }.clone()
    }
}

impl<T> Drop for Stay<'_, T> {
    fn drop(&mut self) {
        // An open handle is a user too, so the last user finds the slot closed, and no new one can appear.
        let less = |state| Some(if state & USERS == 1 { (state & !USERS) | BUSY } else { state - 1 });
        let Ok(before) = self.0.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, less) else { return };
        if before & USERS == 1 {
            // SAFETY: the slot is busy for this thread.
            let value = unsafe { (*self.0.value.get()).take() };
            self.0.state.store(u64::from(generation(before)) << GENERATION, Ordering::Release);
            // Only now, since it may call the host.
            drop(value);
        }
    }
}

fn is_open(state: u64, of: u32) -> bool {
    state & OPEN != 0 && generation(state) == of
}

/// The generation of a handle or a state.
#[allow(clippy::cast_possible_truncation, reason = "the upper half of 64 bits")]
fn generation(of: u64) -> u32 {
    (of >> GENERATION) as u32
}
