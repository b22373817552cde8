//! How long a call waits for a lock, what ends the wait early, and whose turn it is.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::disk::fs::per_process::PerProcess;
use crate::error::{Error, ErrorKind, Result};

/// How often somebody who waits looks whether the call was cancelled.
pub(in crate::disk) const TICK: Duration = Duration::from_millis(5);

/// A request to stop waiting, shared between the one who asks and the one who waits.
///
/// Cancelling ends a wait; what has begun to be written is finished.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Signals>);

#[derive(Default)]
struct Signals {
    asked: AtomicBool,
    poll: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// A request that nobody has made yet.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// As [`new`](Self::new), but `poll` is also asked, every few milliseconds of a wait, on the waiting thread. A
    /// host answers its own signals there (Ctrl-C) without a thread of its own.
    pub fn polling(poll: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Cancel(Arc::new(Signals { asked: AtomicBool::new(false), poll: Some(Box::new(poll)) }))
    }

    /// Asks every wait that shares this request to end.
    pub fn cancel(&self) {
        self.0.asked.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.asked.load(Ordering::Acquire)
    }

    /// Asks the host's poll too: for work that waits for nothing and may be long.
    ///
    /// # Errors
    /// `Cancelled` when somebody asked, or the host's poll says so.
    pub fn check(&self) -> Result<()> {
        if !self.is_cancelled() && self.0.poll.as_ref().is_some_and(|poll| poll()) {
            self.cancel();
        }
        if self.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the call was cancelled before it wrote anything"));
        }
        Ok(())
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("asked", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// How long a call may wait, and what ends the wait. The default waits as long as is configured. One value is for one call:
/// the time runs from the first lock on.
#[derive(Default)]
pub struct Wait {
    /// The longest wait, if the call has its own.
    pub timeout: Option<Duration>,
    /// The request to stop.
    pub cancel: Cancel,
    turn: Mutex<Option<Turn>>,
    /// Whether it comes out of a call under way, for which others may be waiting: it goes ahead of them at every lock.
    goes_ahead: AtomicBool,
    /// When the call began, by the clock for time-outs: they are for the call, and not for each of its locks.
    began: OnceLock<Duration>,
}

impl Wait {
    /// At most `timeout`, and not cancelled.
    pub fn at_most(timeout: Duration) -> Self {
        Wait { timeout: Some(timeout), ..Wait::default() }
    }

    /// At most `timeout`, until `cancel`.
    pub fn new(timeout: Option<Duration>, cancel: Cancel) -> Self {
        Wait { timeout, cancel, ..Wait::default() }
    }

    /// As this one, in `turn`.
    #[must_use]
    pub(crate) fn in_turn(mut self, turn: Option<Turn>) -> Self {
        self.turn = Mutex::new(turn);
        self
    }

    /// As this one, ahead of all calls that come out of no other.
    #[must_use]
    pub(crate) fn ahead(mut self, goes_ahead: bool) -> Self {
        self.goes_ahead = AtomicBool::new(goes_ahead);
        self
    }

    /// When the call began; now, if it has not begun yet.
    pub(in crate::disk) fn began(&self, now: impl FnOnce() -> Duration) -> Duration {
        *self.began.get_or_init(now)
    }

    /// As this one, for what has begun and is to be finished: it cannot be cancelled any more, and has its whole time
    /// again.
    pub(crate) fn to_finish(&self) -> Wait {
        self.timeout.map_or_else(Wait::default, Wait::at_most)
    }

    /// The place of this call before the lock that it comes to, and its turn, which that lock uses up.
    pub(in crate::disk) fn enter(&self, turns: &Turns) -> (u64, Option<Turn>) {
        let turn = self.turn().take();
        let number = match &turn {
            Some(turn) => turn.number(),
            None => turns.number(self.goes_ahead.load(Ordering::Relaxed)),
        };
        self.goes_ahead.store(number < FIRST_IN_ORDER, Ordering::Relaxed);
        (number, turn)
    }

    /// The place in the order of submission. A call without a turn stands behind everybody, or behind those who go ahead.
    pub(in crate::disk) fn place(&self) -> u64 {
        let behind = if self.goes_ahead.load(Ordering::Relaxed) { FIRST_IN_ORDER - 1 } else { u64::MAX };
        self.turn().as_ref().map_or(behind, Turn::number)
    }

    fn turn(&self) -> MutexGuard<'_, Option<Turn>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").field("timeout", &self.timeout).field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// The lower half of the numbers is for those who go ahead.
const FIRST_IN_ORDER: u64 = 1 << 63;

/// The order in which calls were submitted, which is the order in which they get a lock.
///
/// Calls run on many threads; without turns, two that were submitted one after the other could reach the same lock in
/// the opposite order. A forked child has none of the calls that its parent had under way.
#[derive(Debug, Default)]
pub struct Turns(PerProcess<Arc<Order>>);

#[derive(Debug, Default)]
pub(in crate::disk) struct Order {
    open: Mutex<Open>,
    changed: Condvar,
}

#[derive(Debug)]
struct Open {
    last: u64,
    last_ahead: u64,
    /// Calls that were submitted and stand in no queue yet.
    turns: BTreeSet<u64>,
}

impl Default for Open {
    fn default() -> Self {
        Open { last: FIRST_IN_ORDER, last_ahead: 0, turns: BTreeSet::new() }
    }
}

impl Turns {
    /// The next turn, for a call that will come to a lock or end. It is over when it is dropped.
    pub fn next(&self) -> Turn {
        self.open(|open| &mut open.last)
    }

    /// As [`next`](Self::next), but ahead of all that `next` gives: for a call that comes out of one under way, for which
    /// others may be waiting already.
    pub fn ahead(&self) -> Turn {
        self.open(|open| &mut open.last_ahead)
    }

    fn open(&self, last: impl FnOnce(&mut Open) -> &mut u64) -> Turn {
        let mut open = self.order().lock();
        let last = last(&mut open);
        *last += 1;
        let number = *last;
        open.turns.insert(number);
        Turn { order: Arc::clone(self.order()), number }
    }

    /// The next number, for a call that stands before a lock already.
    fn number(&self, is_ahead: bool) -> u64 {
        let mut open = self.order().lock();
        let last = if is_ahead { &mut open.last_ahead } else { &mut open.last };
        *last += 1;
        *last
    }

    pub(in crate::disk) fn order(&self) -> &Arc<Order> {
        self.0.get()
    }
}

impl Order {
    /// Whether every call that was submitted before `number` stands in a queue or has ended.
    pub(in crate::disk) fn is_next(&self, number: u64) -> bool {
        self.lock().is_next(number)
    }

    /// Blocks until [`is_next`](Self::is_next), at most for a [`TICK`]. An earlier call ends its turn when it stands in a
    /// lock's queue, so this is no wait for a lock.
    pub(in crate::disk) fn wait(&self, number: u64) {
        let open = self.lock();
        if !open.is_next(number) {
            drop(self.changed.wait_timeout(open, TICK));
        }
    }

    /// Blocks until somebody who was submitted comes to a queue or ends, at most for `duration`; `false` at once when
    /// nobody is on the way.
    pub(in crate::disk) fn wait_for_another(&self, duration: Duration) -> bool {
        let open = self.lock();
        let is_somebody_coming = !open.turns.is_empty();
        if is_somebody_coming {
            drop(self.changed.wait_timeout(open, duration));
        }
        is_somebody_coming
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn is_next(&self, number: u64) -> bool {
        self.turns.first().is_none_or(|first| *first >= number)
    }
}

/// A place in the order of submission; see [`Turns`].
#[derive(Debug)]
pub struct Turn {
    order: Arc<Order>,
    number: u64,
}

impl Turn {
    /// Its place.
    pub(in crate::disk) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.order.lock().turns.remove(&self.number);
        self.order.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_goes_ahead_waits_for_nobody_who_does_not() {
        let turns = Turns::default();
        let submitted = turns.next();
        let (first, second) = (turns.ahead(), turns.ahead());
        let is_next = |turn: &Turn| turns.order().is_next(turn.number());
        assert_eq!([&submitted, &first, &second].map(is_next), [false, true, false]);
        drop(first);
        assert_eq!([&submitted, &second].map(is_next), [false, true]);
        drop(second);
        assert!(is_next(&submitted));
    }
}
