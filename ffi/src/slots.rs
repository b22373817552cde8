//! Values behind numbers: a number tells its slot and how often the slot was used before, so that a number that was
//! given back is never mistaken for a newer one.
//!
//! Nothing in here waits. A fork copies memory and one thread, and a mutex that another thread held at that instant would
//! stay locked in the child for ever. Handlers that hold the mutex over the fork would only move the hole: a host may have
//! such handlers for its own mutex, under which it calls the library. So a slot is one atomic state, and whoever was
//! caught in the middle of a step leaves behind, in the child, a slot that is not used again, and nobody who waits for it.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use loopmem_core::{Error, ErrorKind, Result};

/// Set in a state while the number is good.
const OPEN: u64 = 1 << 31;
/// Set in a state while one thread has the value for itself, to put it in or to take it out.
const BUSY: u64 = 1 << 30;
/// How many are at the value: the open number itself, and each thread that copies it.
const USERS: u64 = BUSY - 1;
/// Above it in a state stands the generation.
const GENERATION: u32 = 32;

pub(crate) struct Slots<T> {
    /// The slots of the numbers from 2ⁿ on stand in block n. NULL until one of them is needed, and then there for good.
    blocks: [AtomicPtr<Slot<T>>; 32],
}

struct Slot<T> {
    /// The generation, and whether the slot is `OPEN` or `BUSY` and for how many `USERS`; free with none of these.
    state: AtomicU64,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: a value is only copied by threads that count as users of its slot, and put in or taken out by the one that has
// made the slot busy, which nobody can while it has users.
unsafe impl<T: Send + Sync> Sync for Slots<T> {}

impl<T: Clone> Slots<T> {
    pub(crate) const fn new() -> Self {
        Slots { blocks: [const { AtomicPtr::new(ptr::null_mut()) }; 32] }
    }

    /// A number for `value`, never 0.
    pub(crate) fn put(&self, value: T) -> Result<u64> {
        for index in 0..self.blocks.len() {
            for (number, slot) in (1_u64 << index..).zip(self.made(index)) {
                if let Some(generation) = slot.claim() {
                    slot.open(generation, value);
                    return Ok(u64::from(generation) << GENERATION | number);
                }
            }
        }
        Err(Error::new(ErrorKind::Misuse, "too many handles are open; close those that are done with"))
    }

    /// The value, shared; `None` when the number was given back or never given out.
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        self.slot(id)?.enter(generation(id))?.value()
    }

    /// Ends a number, and drops the value. `false` when it was given back already or never given out.
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
        // SAFETY: not NULL, it is a block that `made` has put there, which has this length and stays.
        (!block.is_null()).then(|| unsafe { std::slice::from_raw_parts(block, 1 << index) })
    }

    /// The block, made now if there is none. Two threads may both make it, and one of the two is kept.
    fn made(&self, index: usize) -> &[Slot<T>] {
        if let (None, Some(place)) = (self.block(index), self.blocks.get(index)) {
            let slots: Box<[Slot<T>]> = (0..1_usize << index).map(|_| Slot::new()).collect();
            let made = Box::into_raw(slots);
            if place.compare_exchange(ptr::null_mut(), made.cast(), Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: it is from above, and nobody else has seen it.
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

    /// Takes a free slot for a value, as busy, and tells its next generation. A slot whose generations are used up is left
    /// alone.
    fn claim(&self) -> Option<u32> {
        let state = self.state.load(Ordering::Relaxed);
        let next = generation(state).checked_add(1).filter(|_| state & (OPEN | BUSY | USERS) == 0)?;
        let busy = u64::from(next) << GENERATION | BUSY;
        self.state.compare_exchange(state, busy, Ordering::Acquire, Ordering::Relaxed).is_ok().then_some(next)
    }

    /// Puts the value into a slot that was claimed.
    fn open(&self, generation: u32, value: T) {
        // SAFETY: the slot is busy, for this thread.
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
        // The number itself was a user, which this thread is now in its place.
        self.state.fetch_update(Ordering::Acquire, Ordering::Relaxed, closed).map(|_| drop(Stay(self))).is_ok()
    }
}

/// A user of a slot, for as long as it is there.
struct Stay<'s, T>(&'s Slot<T>);

impl<T: Clone> Stay<'_, T> {
    fn value(&self) -> Option<T> {
        // SAFETY: nobody makes the slot busy while it has a user.
        unsafe { &*self.0.value.get() }.clone()
    }
}

impl<T> Drop for Stay<'_, T> {
    fn drop(&mut self) {
        // An open number is a user too, so that the last one finds the slot closed, and nobody comes after it.
        let less = |state| Some(if state & USERS == 1 { (state & !USERS) | BUSY } else { state - 1 });
        let Ok(before) = self.0.state.fetch_update(Ordering::AcqRel, Ordering::Relaxed, less) else { return };
        if before & USERS == 1 {
            // SAFETY: the slot is busy, for this thread.
            let value = unsafe { (*self.0.value.get()).take() };
            self.0.state.store(u64::from(generation(before)) << GENERATION, Ordering::Release);
            // Only now: it may call the host.
            drop(value);
        }
    }
}

fn is_open(state: u64, of: u32) -> bool {
    state & OPEN != 0 && generation(state) == of
}

/// Of a number or a state.
#[allow(clippy::cast_possible_truncation, reason = "the upper half of 64 bits")]
fn generation(of: u64) -> u32 {
    (of >> GENERATION) as u32
}
