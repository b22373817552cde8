//! Leases: locks between the calls of one process for resources other than files. First come, first served, in the order of
//! submission, with a time-out; a waiting call holds nothing else.

use std::sync::Arc;

use super::pool::Pool;
use super::queue::{Deadline, Mode, Queue};
use super::wait::{TicketQueue, WaitOptions};
use crate::disk::fs::per_process::PerProcess;
use crate::error::{Error, ErrorKind, Result};

/// The queues by the name of the lease.
#[derive(Debug, Default)]
pub(in crate::disk) struct Leases(PerProcess<Pool<String, Queue>>);

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
        let queue = self.0.get().get(name, Queue::default);
        deadline.begin()?;
        let (number, ticket) = wait.enter(tickets);
        let place = queue.enter(number, None);
        drop(ticket);
        // A place without a job is never served by another call, so it is always admitted.
        place.wait(mode, tickets.order(), || match deadline.is_over()? {
            true => Err(too_late(deadline)),
            false => Ok(()),
        })?;
        queue.lock().hold(mode);
        drop(place);
        Ok(Lease { queue, mode })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.queue.lock().release(self.mode);
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
