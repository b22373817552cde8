//! How long a call waits for its server: until its deadline or until it is cancelled. A call that waits for longer than
//! a second logs once what it waits for.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::failure::Failure;
use crate::disk::{Deadline, WaitOptions};
use crate::error::Result;
use crate::home::Home;
use crate::warning::Warning;

/// After how long a call logs what it waits for.
const NOTICE: Duration = Duration::from_secs(1);

/// The deadline of one call.
pub(super) struct ServerWait<'w> {
    home: &'w Home,
    pub(super) deadline: Deadline<'w>,
    /// Passed when it is time to log what is waited for.
    notice: Deadline<'w>,
    is_noticed: Cell<bool>,
    /// The server that the call waits for.
    at: RefCell<String>,
}

/// The options for [`ServerWait::notice`], which must outlive it.
pub(super) fn notice() -> WaitOptions {
    WaitOptions::at_most(NOTICE)
}

impl<'w> ServerWait<'w> {
    /// Waits as long as `wait` says or as configured; `notice` comes from [`notice`].
    pub(super) fn new(home: &'w Home, wait: &'w WaitOptions, notice: &'w WaitOptions) -> Self {
        let deadline = home.disk().deadline(wait, home.config().adapter_timeout);
        let notice = home.disk().deadline(notice, NOTICE);
        ServerWait { home, deadline, notice, is_noticed: Cell::new(false), at: RefCell::default() }
    }

    /// Sets the server that the call waits for.
    pub(super) fn set_server(&self, at: &str) {
        at.clone_into(&mut self.at.borrow_mut());
    }

    /// The call's time-out.
    pub(super) fn timeout(&self) -> Duration {
        self.deadline.timeout
    }

    /// Whether the deadline has passed.
    pub(super) fn is_over(&self) -> Result<bool> {
        let is_over = self.deadline.is_over()?;
        if !is_over && !self.is_noticed.get() && self.notice.is_over()? {
            self.is_noticed.set(true);
            let at = self.at.borrow().clone();
            Warning::new("waiting for the Redis server").of_server(&at).emit(self.home.redactor());
        }
        Ok(is_over)
    }

    /// Whether the call may continue; nothing has been sent yet.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.is_over() {
            Ok(false) => Ok(()),
            Ok(true) => Err(Failure::TimedOut { is_sent: false }),
            Err(cancelled) => Err(Failure::Final(cancelled)),
        }
    }
}
