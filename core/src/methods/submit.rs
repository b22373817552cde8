//! Asynchronous calls: they run on a thread pool of loopmem, never on the host's threads.
//!
//! A thread is started when none is idle, so that a call waiting for a lock does not delay any other. There are at most
//! [`MAX_THREADS`], with small stacks, and a thread ends after [`IDLE_TIMEOUT`] without work. A call takes its ticket
//! when it is submitted, so calls reach a lock in the order of their submission. A nested call, made by a host's
//! adapter while it serves another call, is run first and has threads reserved for it: all others may be waiting for
//! its outer call.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{JsonText, entry, run};
use crate::disk::PerProcess;
use crate::error::Result;
use crate::mutex::lock;
use crate::store::Store;

const MAX_THREADS: usize = 256;
/// As many again are reserved for nested calls.
const MAX_THREADS_WITH_NESTED: usize = 2 * MAX_THREADS;
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Runs a call as [`answer`](super::answer) does, on another thread, and passes the result to `done` there.
pub fn submit(store: &Store, method: String, params: String, done: impl FnOnce(Result<JsonText>) + Send + 'static) {
    // The outer call of a nested one is only known on the thread on which the host was called.
    let options = store.home().options();
    let is_ahead = options.is_nested();
    let store = store.with(options.on_another_thread());
    THREADS.get().push(is_ahead, || {
        let tickets = store.tickets();
        let takes_ticket = entry(&method).is_some_and(|entry| entry.locks);
        let ticket = takes_ticket.then(|| if is_ahead { tickets.next_priority() } else { tickets.next() });
        Box::new(move || done(run(&store, &method, &params, ticket)))
    });
}

/// Runs `job` on a thread of the pool, such as an asynchronous opening of a store.
pub fn spawn(job: impl FnOnce() + Send + 'static) {
    THREADS.get().push(false, || Box::new(job));
}

/// A forked child has none of its parent's threads.
static THREADS: PerProcess<Threads> = PerProcess::new();

#[derive(Default)]
struct Threads {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    ahead: VecDeque<Job>,
    jobs: VecDeque<Job>,
    threads: usize,
    /// Threads that wait for work.
    idle: usize,
    /// Threads that run one of `jobs`.
    at_jobs: usize,
}

impl State {
    fn waiting(&self) -> usize {
        self.ahead.len() + self.jobs.len()
    }

    /// The next job, and whether it is one of `jobs`, which never occupy the threads reserved for nested calls.
    fn take(&mut self) -> Option<(Job, bool)> {
        if let Some(job) = self.ahead.pop_front() {
            return Some((job, false));
        }
        let job = if self.at_jobs < MAX_THREADS { self.jobs.pop_front() } else { None }?;
        self.at_jobs += 1;
        Some((job, true))
    }
}

impl Threads {
    /// Queues the job that `job` creates. It is created under the lock, so that tickets have the order of the queue and
    /// no job waits for a later one.
    fn push(&'static self, is_ahead: bool, job: impl FnOnce() -> Job) {
        let mut state = self.lock();
        let limit = if is_ahead { MAX_THREADS_WITH_NESTED } else { MAX_THREADS };
        if is_ahead {
            state.ahead.push_back(job());
        } else {
            state.jobs.push_back(job());
        }
        if state.waiting() <= state.idle || state.threads >= limit {
            self.wake.notify_one();
            return;
        }
        state.threads += 1;
        let started =
            std::thread::Builder::new().name("loopmem".to_owned()).stack_size(STACK_BYTES).spawn(|| self.work());
        if started.is_err() {
            state.threads -= 1;
            if state.threads > 0 {
                // A busy thread takes it later.
                return;
            }
            // No thread could be started: run it on the caller's.
            let job = state.ahead.pop_back().or_else(|| state.jobs.pop_back());
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some((job, is_of_jobs)) = state.take() {
                drop(state);
                // The call itself is guarded; this catches a panic of the host's `done`.
                let _ = super::guard(|| {
                    job();
                    Ok(())
                });
                state = self.lock();
                state.at_jobs -= usize::from(is_of_jobs);
                continue;
            }
            state.idle += 1;
            let (woken, timeout) = self.wake.wait_timeout(state, IDLE_TIMEOUT).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.waiting() == 0 {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
