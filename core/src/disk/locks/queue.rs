//! The queue that a process forms before one lock: first come, first served, in the order of submission.
//!
//! One pair of descriptors serves a whole process, so only the head of the queue competes for the lock itself. A writer may
//! leave its change as a [`Job`]: a writer that acquires the lock earlier then performs it along with its own.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::wait::{Order, TICK, WaitOptions};
use crate::disk::fs::seam::Fs;
use crate::error::Result;
use crate::mutex::lock;

/// What a writer wants done under the lock. Its type depends on the file's contents.
pub(in crate::disk) type Job = Arc<dyn Any + Send + Sync>;

/// Whether others may hold the lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Shared with other readers.
    Shared,
    /// Exclusive.
    Exclusive,
}

#[derive(Debug, Default)]
pub(in crate::disk) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(in crate::disk) struct State {
    /// By the number of submission.
    places: BTreeMap<u64, Option<Job>>,
    /// The one place that competes for the lock.
    admitted: Option<u64>,
    /// Readers of this process, which share one lock.
    pub(in crate::disk) readers: usize,
    writing: bool,
}

/// A place in the queue, given up when it is dropped.
#[derive(Debug)]
pub(in crate::disk) struct Place<'q> {
    queue: &'q Queue,
    number: u64,
}

/// How a wait in the queue ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::disk) enum Admission {
    /// It is the head of the queue, and no other call of this process is in the way.
    Proceed,
    /// Another writer has taken its job and is doing it.
    Served,
}

impl Queue {
    pub(in crate::disk) fn enter(&self, number: u64, job: Option<Job>) -> Place<'_> {
        self.lock().places.insert(number, job);
        Place { queue: self, number }
    }

    /// Takes the jobs at the head of the queue, in order, up to the first place without a job, or before which a submitted
    /// call has yet to arrive.
    pub(in crate::disk) fn take_jobs<J: Any + Send + Sync>(&self, order: &Order) -> Vec<Arc<J>> {
        let mut state = self.lock();
        let mut jobs = Vec::new();
        while let Some(first) = state.places.first_entry() {
            if !order.is_next(*first.key()) {
                break;
            }
            let Some(Ok(job)) = first.get().clone().map(Arc::downcast) else { break };
            first.remove();
            jobs.push(job);
        }
        jobs
    }

    /// Whether the queue is empty and no writer holds the lock.
    pub(in crate::disk) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.places.is_empty() && !state.writing
    }

    pub(in crate::disk) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while holding this, and drop guards restore the counters in it.
        lock(&self.state)
    }

    /// Wakes every waiting place, so that it checks again.
    pub(in crate::disk) fn notify(&self) {
        self.changed.notify_all();
    }
}

impl State {
    /// Notes that a call of this process holds the lock.
    pub(in crate::disk) fn hold(&mut self, mode: Mode) {
        match mode {
            Mode::Shared => self.readers += 1,
            Mode::Exclusive => self.writing = true,
        }
    }

    /// Notes that a call of this process no longer holds the lock.
    pub(in crate::disk) fn release(&mut self, mode: Mode) {
        match mode {
            Mode::Shared => self.readers = self.readers.saturating_sub(1),
            Mode::Exclusive => self.writing = false,
        }
    }

    fn is_head(&self, number: u64) -> bool {
        self.places.first_key_value().is_some_and(|(first, _)| *first == number)
    }

    /// Admits the place to the lock if it is next.
    fn admit(&mut self, number: u64, mode: Mode, order: &Order) -> bool {
        let is_free = self.admitted.is_none() && !self.writing && (mode == Mode::Shared || self.readers == 0);
        let is_admitted = is_free && self.is_head(number) && order.is_next(number);
        if is_admitted {
            self.admitted = Some(number);
        }
        is_admitted
    }
}

impl Place<'_> {
    /// Waits until this place is admitted or served; `check_deadline` fails when the wait has to end.
    pub(in crate::disk) fn wait(
        &self,
        mode: Mode,
        order: &Order,
        check_deadline: impl Fn() -> Result<()>,
    ) -> Result<Admission> {
        loop {
            let mut state = self.queue.lock();
            if !state.places.contains_key(&self.number) {
                return Ok(Admission::Served);
            }
            if state.admit(self.number, mode, order) {
                return Ok(Admission::Proceed);
            }
            if state.is_head(self.number) && !order.is_next(self.number) {
                drop(state);
                order.wait(self.number);
            } else {
                drop(self.queue.changed.wait_timeout(state, TICK));
            }
            if let Err(over) = check_deadline() {
                // A job that was taken meanwhile is being done and can no longer be withdrawn.
                let is_withdrawn = self.queue.lock().places.remove(&self.number).is_some();
                return if is_withdrawn { Err(over) } else { Ok(Admission::Served) };
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.places.remove(&self.number);
        state.admitted.take_if(|number| *number == self.number);
        drop(state);
        self.queue.notify();
    }
}

/// The time limit for a call's own work when every configured time-out is zero, which means only "do not wait".
const DEFAULT_WORK_TIME: Duration = Duration::from_secs(5);

/// When a call stops waiting, for a lock or for anything else.
pub(crate) struct Deadline<'w> {
    fs: &'w dyn Fs,
    wait: &'w WaitOptions,
    pub(crate) timeout: Duration,
    /// When cancellation was last checked, which calls into the host.
    asked: Cell<Option<Duration>>,
}

impl<'w> Deadline<'w> {
    pub(in crate::disk) fn new(fs: &'w dyn Fs, wait: &'w WaitOptions, default_timeout: Duration) -> Self {
        Deadline { fs, wait, timeout: wait.timeout.unwrap_or(default_timeout), asked: Cell::new(None) }
    }

    /// Like [`new`](Self::new), for work of the call itself that may take long. A time-out of zero does not limit it: it only
    /// says not to wait for others.
    pub(in crate::disk) fn for_work(fs: &'w dyn Fs, wait: &'w WaitOptions, default_timeout: Duration) -> Self {
        let mut timeouts = [wait.timeout, Some(default_timeout)].into_iter().flatten();
        let timeout = timeouts.find(|timeout| !timeout.is_zero()).unwrap_or(DEFAULT_WORK_TIME);
        Deadline { timeout, ..Deadline::new(fs, wait, default_timeout) }
    }

    /// Starts the clock. Fails if the call was cancelled before it began, so that it does nothing.
    pub(crate) fn begin(&self) -> Result<()> {
        self.wait.began(|| self.fs.elapsed());
        if self.wait.cancel.is_cancelled() { self.wait.cancel.check() } else { Ok(()) }
    }

    /// Whether the time is up; fails when the call is cancelled. This may run the host's code, so no mutex may be held; that
    /// code may have to wait for an interpreter lock, so it runs at most once per [`TICK`].
    pub(crate) fn is_over(&self) -> Result<bool> {
        let now = self.fs.elapsed();
        let is_due = self.asked.get().is_none_or(|asked| now.saturating_sub(asked) >= TICK);
        if is_due || self.wait.cancel.is_cancelled() {
            self.wait.cancel.check()?;
            self.asked.set(Some(now));
        }
        Ok(self.left().is_zero())
    }

    /// How much time is left.
    pub(crate) fn left(&self) -> Duration {
        let now = self.fs.elapsed();
        self.wait.began(|| now).saturating_add(self.timeout).saturating_sub(now)
    }

    /// Sleeps for `duration` or until the time is up, and returns whether it is up.
    pub(crate) fn pause(&self, duration: Duration) -> Result<bool> {
        let end = self.fs.elapsed().saturating_add(duration);
        loop {
            let is_over = self.is_over()?;
            let now = self.fs.elapsed();
            if is_over || now >= end {
                return Ok(is_over);
            }
            self.fs.sleep(end.saturating_sub(now).min(TICK));
        }
    }
}
