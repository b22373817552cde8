//! The queue that a process forms before one lock: first come, first served, in the order of submission.
//!
//! One pair of descriptors serves a whole process, so only the head of the queue goes for the lock itself. A writer may
//! leave what it wants done as a [`Job`]: whoever gets the lock before it then does it along with its own.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::wait::{Order, TICK, Wait};
use crate::disk::fs::seam::Fs;
use crate::error::Result;

/// What a writer wants done under the lock. The types are those of the file's contents.
pub(in crate::disk) type Job = Arc<dyn Any + Send + Sync>;

#[derive(Debug, Default)]
pub(in crate::disk) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(in crate::disk) struct State {
    /// By the number of submission.
    places: BTreeMap<u64, Option<Job>>,
    /// The one place that goes for the lock.
    at_the_lock: Option<u64>,
    /// Readers of this process, which share one lock.
    pub(in crate::disk) readers: usize,
    pub(in crate::disk) writing: bool,
}

/// A place in the queue, given up when it is dropped.
#[derive(Debug)]
pub(in crate::disk) struct Place<'q> {
    queue: &'q Queue,
    number: u64,
}

/// What becomes of one who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::disk) enum Called {
    /// It is the head, and nobody of this process is in the way.
    ToTheLock,
    /// Somebody took its job and is doing it.
    Served,
}

impl Queue {
    pub(in crate::disk) fn enter(&self, number: u64, job: Option<Job>) -> Place<'_> {
        self.lock().places.insert(number, job);
        Place { queue: self, number }
    }

    /// Takes the jobs that stand first in the queue, in order, as far as nobody else stands between them or is still on
    /// the way to a place between them.
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

    /// Whether nobody stands here, and no writer holds the lock.
    pub(in crate::disk) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.places.is_empty() && !state.writing
    }

    pub(in crate::disk) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds this; what it guards are counters that guards put right.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets everybody look again.
    pub(in crate::disk) fn notify(&self) {
        self.changed.notify_all();
    }
}

impl State {
    fn is_head(&self, number: u64) -> bool {
        self.places.first_key_value().is_some_and(|(first, _)| *first == number)
    }

    /// Sends the place to the lock, if it is its turn.
    fn call(&mut self, number: u64, is_shared: bool, order: &Order) -> bool {
        let is_free = self.at_the_lock.is_none() && !self.writing && (is_shared || self.readers == 0);
        let is_called = is_free && self.is_head(number) && order.is_next(number);
        if is_called {
            self.at_the_lock = Some(number);
        }
        is_called
    }
}

impl Place<'_> {
    /// Until it is this place's turn; `still_time` fails when the wait is to end.
    pub(in crate::disk) fn wait(
        &self,
        is_shared: bool,
        order: &Order,
        still_time: impl Fn() -> Result<()>,
    ) -> Result<Called> {
        loop {
            let mut state = self.queue.lock();
            if !state.places.contains_key(&self.number) {
                return Ok(Called::Served);
            }
            if state.call(self.number, is_shared, order) {
                return Ok(Called::ToTheLock);
            }
            if state.is_head(self.number) && !order.is_next(self.number) {
                drop(state);
                order.wait(self.number);
            } else {
                drop(self.queue.changed.wait_timeout(state, TICK));
            }
            if let Err(over) = still_time() {
                // What somebody took meanwhile is being done and cannot be left any more.
                let is_left = self.queue.lock().places.remove(&self.number).is_some();
                return if is_left { Err(over) } else { Ok(Called::Served) };
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.places.remove(&self.number);
        state.at_the_lock.take_if(|number| *number == self.number);
        drop(state);
        self.queue.notify();
    }
}

/// The time for what a call does itself, where every time-out says that it waits for nobody.
const TIME_AT_WORK: Duration = Duration::from_secs(5);

/// How long a call still waits, for a lock or for what is not a file.
pub(crate) struct Patience<'w> {
    fs: &'w dyn Fs,
    wait: &'w Wait,
    pub(crate) timeout: Duration,
    /// When the host was asked last whether the call was cancelled.
    asked: Cell<Option<Duration>>,
}

impl<'w> Patience<'w> {
    pub(in crate::disk) fn new(fs: &'w dyn Fs, wait: &'w Wait, patience: Duration) -> Self {
        Patience { fs, wait, timeout: wait.timeout.unwrap_or(patience), asked: Cell::new(None) }
    }

    /// As [`new`](Self::new), for what the call does itself and may take long. A time-out of zero is none for that: it says
    /// to wait for nobody.
    pub(in crate::disk) fn at_work(fs: &'w dyn Fs, wait: &'w Wait, patience: Duration) -> Self {
        let mut timeouts = [wait.timeout, Some(patience)].into_iter().flatten();
        let timeout = timeouts.find(|timeout| !timeout.is_zero()).unwrap_or(TIME_AT_WORK);
        Patience { timeout, ..Patience::new(fs, wait, patience) }
    }

    /// A call that was cancelled before it began does nothing.
    pub(crate) fn begin(&self) -> Result<()> {
        self.wait.began(|| self.fs.elapsed());
        if self.wait.cancel.is_cancelled() { self.wait.cancel.check() } else { Ok(()) }
    }

    /// Whether the time is over. The host's own code may run in here, so no mutex is held meanwhile; it may have to wait for
    /// the interpreter, so it is asked once in a while and no oftener.
    pub(crate) fn is_over(&self) -> Result<bool> {
        let now = self.fs.elapsed();
        let is_due = self.asked.get().is_none_or(|asked| now.saturating_sub(asked) >= TICK);
        if is_due || self.wait.cancel.is_cancelled() {
            self.wait.cancel.check()?;
            self.asked.set(Some(now));
        }
        Ok(self.left().is_zero())
    }

    /// How much of the time is left.
    pub(crate) fn left(&self) -> Duration {
        let now = self.fs.elapsed();
        self.wait.began(|| now).saturating_add(self.timeout).saturating_sub(now)
    }

    /// Waits for so long, or until the time is over, which it tells.
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
