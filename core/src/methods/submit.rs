//! Calls that a host does not wait for: they run on threads of our own, never on the host's.
//!
//! A thread is started when none is idle, so that a call that waits for a lock holds up no other; up to [`MOST_THREADS`],
//! with small stacks, and gone after [`IDLE_FOR`] without work. A call takes its turn when it is submitted: two that
//! were submitted one after the other reach a lock in that order. A call that comes out of another one, from a host's own
//! adapter, goes ahead, and threads are kept for it: all others may be waiting for the one that it came out of.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{JsonText, row, run};
use crate::disk::PerProcess;
use crate::error::Result;
use crate::store::Store;

const MOST_THREADS: usize = 256;
/// As many again are kept for calls that come out of others.
const MOST_THREADS_AHEAD: usize = 2 * MOST_THREADS;
const IDLE_FOR: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Submits a call as [`dispatch`](super::dispatch) would make it; `done` gets the answer, on another thread.
pub fn submit(store: &Store, method: String, params: String, done: impl FnOnce(Result<JsonText>) + Send + 'static) {
    // On the thread that the host was called on, the call that this one comes out of is known.
    let options = store.home().options();
    let is_ahead = options.comes_out_of_another();
    let store = store.with(options.on_another_thread());
    THREADS.get().push(is_ahead, || {
        let turns = store.turns();
        let takes_turn = row(&method).is_some_and(|row| row.locks);
        let turn = takes_turn.then(|| if is_ahead { turns.ahead() } else { turns.next() });
        Box::new(move || done(run(&store, &method, &params, turn)))
    });
}

/// Runs `job` on one of our own threads, such as the opening of a store that a host does not wait for.
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
    /// Those that wait for work.
    idle: usize,
    /// Those that run one of `jobs`.
    at_jobs: usize,
}

impl State {
    fn waiting(&self) -> usize {
        self.ahead.len() + self.jobs.len()
    }

    /// The next job, and whether it is one of `jobs`, which never fill the threads that are kept for others.
    fn take(&mut self) -> Option<(Job, bool)> {
        if let Some(job) = self.ahead.pop_front() {
            return Some((job, false));
        }
        let job = if self.at_jobs < MOST_THREADS { self.jobs.pop_front() } else { None }?;
        self.at_jobs += 1;
        Some((job, true))
    }
}

impl Threads {
    /// Makes the job where it is queued: turns have the order of the queue, so that no job waits for one behind it.
    fn push(&'static self, is_ahead: bool, job: impl FnOnce() -> Job) {
        let mut state = self.lock();
        let most = if is_ahead { MOST_THREADS_AHEAD } else { MOST_THREADS };
        if is_ahead {
            state.ahead.push_back(job());
        } else {
            state.jobs.push_back(job());
        }
        if state.waiting() <= state.idle || state.threads >= most {
            self.wake.notify_one();
            return;
        }
        state.threads += 1;
        let started =
            std::thread::Builder::new().name("loopmem".to_owned()).stack_size(STACK_BYTES).spawn(|| self.work());
        if started.is_err() {
            state.threads -= 1;
            if state.threads > 0 {
                // One that is busy now takes it later.
                return;
            }
            // No thread at all can be had: the caller's own must do.
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
                // The call itself is guarded; what is left is the host's own `done`.
                let _ = super::guard(|| {
                    job();
                    Ok(())
                });
                state = self.lock();
                state.at_jobs -= usize::from(is_of_jobs);
                continue;
            }
            state.idle += 1;
            let (woken, timeout) = self.wake.wait_timeout(state, IDLE_FOR).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.waiting() == 0 {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
