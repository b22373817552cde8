//! Interrupting statements that take too long. A maliciously altered file could keep SQLite busy for ever, so SQLite checks the
//! deadline of the call every few thousand instructions.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ffi};

use super::failure::Failure;
use crate::disk::{Cancel, Deadline, Disk, WaitOptions};
use crate::error::{Error, ErrorKind};

/// How many of SQLite's instructions run between two checks of the deadline: some ten microseconds.
const INSTRUCTIONS: c_int = 4000;

/// The deadline of a call while it is inside SQLite.
///
/// The host's poll is not called: it may wait for something held by a thread that is forking, which waits for SQLite.
pub(super) struct Watch<'w> {
    path: &'w Path,
    cancel: &'w Cancel,
    deadline: Deadline<'w>,
    ended: Cell<Option<Ended>>,
}

#[derive(Debug, Clone, Copy)]
enum Ended {
    Cancelled,
    TimeOver,
}

impl<'w> Watch<'w> {
    /// Creates the watch of a call on the database at `path`, with the remaining time of the call.
    pub(super) fn new(disk: &'w Disk, path: &'w Path, wait: &'w WaitOptions, default_timeout: Duration) -> Self {
        let deadline = disk.work_deadline(wait, default_timeout);
        Watch { path, cancel: &wait.cancel, deadline, ended: Cell::new(None) }
    }

    /// Runs `body`, and interrupts the connection's statements when the time is up.
    pub(super) fn over<T>(
        &self,
        connection: &Connection,
        body: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let armed = Armed::new(connection, self);
        let answer = body();
        drop(armed);
        answer.map_err(|failure| self.error().map_or(failure, Failure::Other))
    }

    /// Whether the time is up or the call was cancelled; from then on every statement fails.
    pub(super) fn is_over(&self) -> bool {
        if self.ended.get().is_none() {
            if self.cancel.is_cancelled() {
                self.ended.set(Some(Ended::Cancelled));
            } else if self.deadline.left().is_zero() {
                self.ended.set(Some(Ended::TimeOver));
            }
        }
        self.ended.get().is_some()
    }

    /// Why the call was interrupted, if it was.
    pub(super) fn error(&self) -> Option<Error> {
        Some(match self.ended.get()? {
            Ended::Cancelled => Error::new(ErrorKind::Cancelled, "the call was cancelled before it wrote anything"),
            Ended::TimeOver => {
                let limit = format!(
                    "it took longer than the {} ms that the call may take; a longer time-out helps if the file is intact",
                    self.deadline.timeout.as_millis()
                );
                Error::io("finish with", self.path, &io::Error::new(io::ErrorKind::TimedOut, limit)).mark_retryable()
            }
        })
    }

    /// Whether the call was interrupted because its time was up.
    pub(super) fn is_late(&self) -> bool {
        matches!(self.ended.get(), Some(Ended::TimeOver))
    }
}

/// A connection with a progress handler that checks a watch, until this is dropped.
struct Armed<'c>(&'c Connection);

impl<'c> Armed<'c> {
    #[allow(unsafe_code, reason = "a rusqlite handler must live as long as the connection")]
    fn new(connection: &'c Connection, watch: &'c Watch<'_>) -> Self {
        let context = std::ptr::from_ref(watch).cast_mut().cast();
        // SAFETY: the connection is open. The watch outlives this value, whose drop removes the handler. SQLite calls the handler
        // only during calls on the connection, which is not shared with another thread.
        unsafe { ffi::sqlite3_progress_handler(connection.handle(), INSTRUCTIONS, Some(is_to_end), context) };
        Armed(connection)
    }
}

impl Drop for Armed<'_> {
    #[allow(unsafe_code, reason = "as in `new`")]
    fn drop(&mut self) {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_progress_handler(self.0.handle(), 0, None, std::ptr::null_mut()) };
    }
}

#[allow(unsafe_code, reason = "SQLite passes the watch as a bare pointer")]
unsafe extern "C" fn is_to_end(watch: *mut c_void) -> c_int {
    // SAFETY: `Armed` passed this pointer, and is still alive.
    let watch = unsafe { &*watch.cast_const().cast::<Watch<'_>>() };
    c_int::from(watch.is_over())
}
