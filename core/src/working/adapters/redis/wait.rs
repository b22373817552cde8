//! How long a call waits for its server: until its time is over or it is cancelled. A call that waits for longer than a
//! second says once what it waits for.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use super::refusal::Trouble;
use crate::disk::{Deadline, WaitOptions};
use crate::error::Result;
use crate::home::Home;
use crate::warning::Warning;

/// After how long a call says what it waits for.
const NOTICE: Duration = Duration::from_secs(1);

/// The patience of one call.
pub(super) struct ServerWait<'w> {
    home: &'w Home,
    pub(super) patience: Deadline<'w>,
    /// Over when it is time to say what is waited for.
    notice: Deadline<'w>,
    is_noticed: Cell<bool>,
    /// The server that is waited for.
    at: RefCell<String>,
}

/// What [`ServerWait::notice`] is made of, which has to outlive it.
pub(super) fn notice() -> WaitOptions {
    WaitOptions::at_most(NOTICE)
}

impl<'w> ServerWait<'w> {
    /// As long as `wait` says, or is configured; `notice` is [`notice`]'s.
    pub(super) fn new(home: &'w Home, wait: &'w WaitOptions, notice: &'w WaitOptions) -> Self {
        let patience = home.disk().deadline(wait, home.config().adapter_timeout);
        let notice = home.disk().deadline(notice, NOTICE);
        ServerWait { home, patience, notice, is_noticed: Cell::new(false), at: RefCell::default() }
    }

    /// From now on this server is waited for.
    pub(super) fn is_for(&self, at: &str) {
        at.clone_into(&mut self.at.borrow_mut());
    }

    /// The longest wait.
    pub(super) fn timeout(&self) -> Duration {
        self.patience.timeout
    }

    /// Whether the time is over.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn is_over(&self) -> Result<bool> {
        let is_over = self.patience.is_over()?;
        if !is_over && !self.is_noticed.get() && self.notice.is_over()? {
            self.is_noticed.set(true);
            let at = self.at.borrow().clone();
            Warning::new("waiting for the Redis server").of_server(&at).emit(self.home.redactor());
        }
        Ok(is_over)
    }

    /// Whether the call may go on, before anything was sent.
    pub(super) fn check(&self) -> Result<(), Trouble> {
        match self.is_over() {
            Ok(false) => Ok(()),
            Ok(true) => Err(Trouble::Late { is_sent: false }),
            Err(cancelled) => Err(Trouble::Ended(cancelled)),
        }
    }
}
