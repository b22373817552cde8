//! Values behind numbers: a number tells its slot and how often the slot was used before, so that a number that was
//! given back is never mistaken for a newer one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use loopmem_core::{Error, ErrorKind, Result};

pub(crate) struct Slots<T>(Mutex<Vec<Slot<T>>>);

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

impl<T: Clone> Slots<T> {
    pub(crate) const fn new() -> Self {
        Slots(Mutex::new(Vec::new()))
    }

    /// A number for `value`, never 0.
    pub(crate) fn put(&self, value: T) -> Result<u64> {
        let mut slots = self.lock();
        // A slot whose generations are used up is left alone.
        let free = slots.iter().position(|slot| slot.value.is_none() && slot.generation < u32::MAX);
        let place = free.unwrap_or(slots.len());
        let number = u32::try_from(place + 1)
            .map_err(|_| Error::new(ErrorKind::Misuse, "too many handles are open; close those that are done with"))?;
        if free.is_none() {
            slots.push(Slot { generation: 0, value: None });
        }
        let slot = &mut slots[place];
        slot.generation += 1;
        slot.value = Some(value);
        Ok(u64::from(slot.generation) << 32 | u64::from(number))
    }

    /// The value, shared; `None` when the number was given back or never given out.
    pub(crate) fn get(&self, id: u64) -> Option<T> {
        self.lock().get(place(id)?).filter(|slot| slot.generation == generation(id))?.value.clone()
    }

    /// The value, and the end of its number.
    pub(crate) fn take(&self, id: u64) -> Option<T> {
        self.lock().get_mut(place(id)?).filter(|slot| slot.generation == generation(id))?.value.take()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(id: u64) -> Option<usize> {
    usize::try_from(id & u64::from(u32::MAX)).ok()?.checked_sub(1)
}

#[allow(clippy::cast_possible_truncation, reason = "the upper half of 64 bits")]
fn generation(id: u64) -> u32 {
    (id >> 32) as u32
}
