//! How long a call waits for a lock, what ends the wait early, and the order in which calls get it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use once_cell::race::OnceBox;

use crate::disk::fs::per_process::PerProcess;
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;

/// How often a waiting call checks whether it was cancelled.
pub(in crate::disk) const TICK: Duration = Duration::from_millis(5);

/// A request to stop waiting, shared between the caller that makes it and the calls that wait.
///
/// Cancelling ends a wait, and the call fails with `Cancelled`. A write that has begun is completed. Calls get a request by
/// [`CallOptions::cancel`](crate::CallOptions::cancel). See [how to cancel a call](crate::recipes#how-do-i-limit-how-long-a-call-waits-or-cancel-it).
#[derive(Clone, Default)]
pub struct Cancel(Arc<Signals>);

#[derive(Default)]
struct Signals {
    requested: AtomicBool,
    poll: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl Cancel {
    /// Creates a request that has not been made yet.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Like [`new`](Self::new), but `poll` is also called every few milliseconds of a wait, on the waiting thread; `true`
    /// cancels. A host can handle its own signals there (Ctrl-C) without a separate thread.
    pub fn polling(poll: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Cancel(Arc::new(Signals { requested: AtomicBool::new(false), poll: Some(Box::new(poll)) }))
    }

    /// Asks every wait that shares this request to end.
    pub fn cancel(&self) {
        self.0.requested.store(true, Ordering::Release);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.requested.load(Ordering::Acquire)
    }

    /// Fails if cancellation was requested, after polling the host as well. For work that does not wait but may take long.
    ///
    /// # Errors
    /// `Cancelled` if cancellation was requested or the host's poll returns `true`.
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
        f.debug_struct("Cancel").field("requested", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// How long a call may wait, and what ends the wait. By default it waits as long as is configured. One value is for one
/// call: the time runs from its first lock.
#[derive(Debug, Default)]
pub struct WaitOptions {
    /// The longest wait, if the call sets one.
    pub timeout: Option<Duration>,
    /// The request to stop.
    pub cancel: Cancel,
    ticket: Mutex<Option<Ticket>>,
    /// Whether the call is nested in one under way, for which others may be waiting: it precedes them at every lock.
    has_priority: AtomicBool,
    /// When the call began, by the monotonic clock: the time-out covers the whole call, not each of its locks.
    began: OnceBox<Duration>,
}

impl WaitOptions {
    /// Waits at most `timeout`, without a way to cancel.
    pub fn at_most(timeout: Duration) -> Self {
        WaitOptions { timeout: Some(timeout), ..WaitOptions::default() }
    }

    /// Waits at most `timeout`, or until `cancel`.
    pub fn new(timeout: Option<Duration>, cancel: Cancel) -> Self {
        WaitOptions { timeout, cancel, ..WaitOptions::default() }
    }

    /// Returns the same options, for the call that holds `ticket`.
    #[must_use]
    pub(crate) fn with_ticket(mut self, ticket: Option<Ticket>) -> Self {
        self.ticket = Mutex::new(ticket);
        self
    }

    /// Returns the same options; with priority, the call precedes all calls that are not nested in another.
    #[must_use]
    pub(crate) fn with_priority(mut self, has_priority: bool) -> Self {
        self.has_priority = AtomicBool::new(has_priority);
        self
    }

    /// When the call began; it begins now if it has not yet.
    pub(in crate::disk) fn began(&self, now: impl FnOnce() -> Duration) -> Duration {
        *self.began.get_or_init(|| Box::new(now()))
    }

    /// Returns the same options for a part of a long call: unless the call sets a time-out, each part has the full time.
    #[must_use]
    pub(crate) fn renewed(&self) -> WaitOptions {
        // The first part takes the place in the queues that the call took when it was submitted.
        let mut renewed = WaitOptions::new(self.timeout, self.cancel.clone())
            .with_ticket(self.ticket().take())
            .with_priority(self.has_priority.load(Ordering::Relaxed));
        if self.timeout.is_some() {
            renewed.began = self.began.get().map_or_else(OnceBox::new, |began| OnceBox::with_value(Box::new(*began)));
        }
        renewed
    }

    /// Returns options for completing what has begun: it can no longer be cancelled, and has the full time again.
    pub(crate) fn to_finish(&self) -> WaitOptions {
        self.timeout.map_or_else(WaitOptions::default, WaitOptions::at_most)
    }

    /// The call's number in the queue of the lock that it arrives at, and its ticket, which that lock uses up.
    pub(in crate::disk) fn enter(&self, tickets: &TicketQueue) -> (u64, Option<Ticket>) {
        let ticket = self.ticket().take();
        let number = match &ticket {
            Some(ticket) => ticket.number(),
            None => tickets.number(self.has_priority.load(Ordering::Relaxed)),
        };
        self.has_priority.store(number < FIRST_WITHOUT_PRIORITY, Ordering::Relaxed);
        (number, ticket)
    }

    /// The call's number in the order of submission. A call without a ticket comes after every other call, or after those
    /// with priority if it has priority.
    pub(in crate::disk) fn number(&self) -> u64 {
        let last = if self.has_priority.load(Ordering::Relaxed) { FIRST_WITHOUT_PRIORITY - 1 } else { u64::MAX };
        self.ticket().as_ref().map_or(last, Ticket::number)
    }

    fn ticket(&self) -> MutexGuard<'_, Option<Ticket>> {
        lock(&self.ticket)
    }
}

/// The lower half of the numbers is for calls with priority.
const FIRST_WITHOUT_PRIORITY: u64 = 1 << 63;

/// The order in which calls were submitted, which is the order in which they get a lock.
///
/// Calls run on many threads. Without tickets, two calls submitted one after the other could reach the same lock in the
/// opposite order. A forked child inherits none of its parent's calls.
#[derive(Debug, Default)]
pub struct TicketQueue(PerProcess<Arc<Order>>);

#[derive(Debug, Default)]
pub(in crate::disk) struct Order {
    issued: Mutex<Issued>,
    changed: Condvar,
}

#[derive(Debug)]
struct Issued {
    last: u64,
    last_with_priority: u64,
    /// Calls that were submitted and have not reached a lock's queue yet.
    tickets: BTreeSet<u64>,
}

impl Default for Issued {
    fn default() -> Self {
        Issued { last: FIRST_WITHOUT_PRIORITY, last_with_priority: 0, tickets: BTreeSet::new() }
    }
}

impl TicketQueue {
    /// Issues the next ticket, for a call that will reach a lock or end. It is given up when it is dropped.
    pub fn next(&self) -> Ticket {
        self.issue(false)
    }

    /// Like [`next`](Self::next), but precedes every ticket that `next` issues: for a call nested in one under way, for
    /// which others may already be waiting.
    pub fn next_priority(&self) -> Ticket {
        self.issue(true)
    }

    fn issue(&self, has_priority: bool) -> Ticket {
        let mut issued = self.order().lock();
        let number = issued.next(has_priority);
        issued.tickets.insert(number);
        Ticket { order: Arc::clone(self.order()), number }
    }

    /// The next number, for a call that has reached a lock already.
    fn number(&self, has_priority: bool) -> u64 {
        self.order().lock().next(has_priority)
    }

    pub(in crate::disk) fn order(&self) -> &Arc<Order> {
        self.0.get()
    }
}

impl Order {
    /// Whether every call submitted before `number` has reached a queue or ended.
    pub(in crate::disk) fn is_next(&self, number: u64) -> bool {
        self.lock().is_next(number)
    }

    /// Blocks until [`is_next`](Self::is_next), at most for one [`TICK`]. An earlier call gives up its ticket when it reaches
    /// a lock's queue, so this never waits for a lock.
    pub(in crate::disk) fn wait(&self, number: u64) {
        let issued = self.lock();
        if !issued.is_next(number) {
            drop(self.changed.wait_timeout(issued, TICK));
        }
    }

    /// Blocks until a submitted call reaches a queue or ends, at most for `duration`; returns `false` at once if no call is
    /// on its way.
    pub(in crate::disk) fn wait_for_another(&self, duration: Duration) -> bool {
        let issued = self.lock();
        let is_any_on_its_way = !issued.tickets.is_empty();
        if is_any_on_its_way {
            drop(self.changed.wait_timeout(issued, duration));
        }
        is_any_on_its_way
    }

    fn lock(&self) -> MutexGuard<'_, Issued> {
        lock(&self.issued)
    }
}

impl Issued {
    fn next(&mut self, has_priority: bool) -> u64 {
        let last = if has_priority { &mut self.last_with_priority } else { &mut self.last };
        *last += 1;
        *last
    }

    fn is_next(&self, number: u64) -> bool {
        self.tickets.first().is_none_or(|first| *first >= number)
    }
}

/// A place in the order of submission; see [`TicketQueue`].
#[derive(Debug)]
pub struct Ticket {
    order: Arc<Order>,
    number: u64,
}

impl Ticket {
    /// Its number in that order.
    pub(in crate::disk) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.order.lock().tickets.remove(&self.number);
        self.order.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_priority_does_not_wait_for_calls_without() {
        let tickets = TicketQueue::default();
        let submitted = tickets.next();
        let (first, second) = (tickets.next_priority(), tickets.next_priority());
        let is_next = |ticket: &Ticket| tickets.order().is_next(ticket.number());
        assert_eq!([&submitted, &first, &second].map(is_next), [false, true, false]);
        drop(first);
        assert_eq!([&submitted, &second].map(is_next), [false, true]);
        drop(second);
        assert!(is_next(&submitted));
    }
}
