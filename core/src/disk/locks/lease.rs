//! Leases: locks between the calls of one process for resources other than files. First come, first served, in the order of
//! submission, with a time-out; a waiting call holds nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::lock::Mode;
use super::queue::{Deadline, Queue};
use super::wait::{TicketQueue, WaitOptions};
use crate::disk::fs::per_process::PerProcess;
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;

/// How many queues are kept for reuse.
const KEPT: usize = 64;

/// The queues by the name of the lease.
#[derive(Debug, Default)]
pub(in crate::disk) struct Leases(PerProcess<Mutex<HashMap<String, Arc<Queue>>>>);

/// A held lease. Dropping it releases it.
#[derive(Debug)]
pub struct Lease {
    queue: Arc<Queue>,
    mode: Mode,
}

impl Leases {
    /// Waits for the lease of `name`, in the order of `tickets`.
    ///
    /// # Errors
    /// `LockAcquisitionError` after `wait.timeout`, or the default if the call sets none; `Cancelled`.
    pub(in crate::disk) fn take(
        &self,
        name: &str,
        mode: Mode,
        tickets: &TicketQueue,
        wait: &WaitOptions,
        deadline: &Deadline<'_>,
    ) -> Result<Lease> {
        let queue = self.queue(name);
        deadline.begin()?;
        let (number, ticket) = wait.enter(tickets);
        let place = queue.enter(number, None);
        drop(ticket);
        // A place without a job is never served by another call, so it is always admitted.
        place.wait(mode == Mode::Shared, tickets.order(), || match deadline.is_over()? {
            true => Err(too_late(deadline)),
            false => Ok(()),
        })?;
        let mut state = queue.lock();
        match mode {
            Mode::Shared => state.readers += 1,
            Mode::Exclusive => state.writing = true,
        }
        drop(state);
        drop(place);
        Ok(Lease { queue, mode })
    }

    fn queue(&self, name: &str) -> Arc<Queue> {
        let mut queues = lock(self.0.get());
        if let Some(queue) = queues.get(name) {
            return Arc::clone(queue);
        }
        if queues.len() >= KEPT {
            // Queues that are held or waited for have other references.
            queues.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        Arc::clone(queues.entry(name.to_owned()).or_default())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        match self.mode {
            Mode::Shared => state.readers = state.readers.saturating_sub(1),
            Mode::Exclusive => state.writing = false,
        }
        drop(state);
        self.queue.notify();
    }
}

fn too_late(deadline: &Deadline<'_>) -> Error {
    let message = format!(
        "another call of this process did not finish within {} ms; try again with back-off",
        deadline.timeout.as_millis()
    );
    Error::new(ErrorKind::LockAcquisition, message)
}
