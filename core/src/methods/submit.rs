//! Calls that a host does not wait for: they run on threads of our own, never on the host's.
//!
//! A thread is started when none is idle, so that a call that waits for a lock holds up no other; up to [`MOST_THREADS`],
//! with small stacks, and gone after [`IDLE_FOR`] without work. A call takes its turn when it is submitted: two that
//! were submitted one after the other reach a lock in that order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{CallOptions, row, run};
use crate::disk::PerProcess;
use crate::error::Result;
use crate::store::Store;

const MOST_THREADS: usize = 256;
const IDLE_FOR: Duration = Duration::from_secs(5);
const STACK_BYTES: usize = 1 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Submits a call as [`dispatch`](super::dispatch) would make it; `done` gets the answer, on another thread.
pub fn submit(
    store: &Store,
    method: String,
    params: String,
    options: CallOptions,
    done: impl FnOnce(Result<String>) + Send + 'static,
) {
    let store = store.clone();
    THREADS.get().push(|| {
        let turn = row(&method).filter(|row| row.locks).map(|_| store.home().disk().turns().next());
        Box::new(move || done(run(&store, &method, &params, options, turn)))
    });
}

/// Runs `job` on one of our own threads, such as the opening of a store that a host does not wait for.
pub fn spawn(job: impl FnOnce() + Send + 'static) {
    THREADS.get().push(|| Box::new(job));
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
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Threads {
    /// Makes the job where it is queued: turns have the order of the queue, so that no job waits for one behind it.
    fn push(&'static self, job: impl FnOnce() -> Job) {
        let mut state = self.lock();
        state.jobs.push_back(job());
        if state.jobs.len() <= state.idle || state.threads >= MOST_THREADS {
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
            let job = state.jobs.pop_back();
            drop(state);
            if let Some(job) = job {
                job();
            }
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // The call itself is guarded; what is left is the host's own `done`.
                let _ = super::guard(|| {
                    job();
                    Ok(())
                });
                state = self.lock();
                continue;
            }
            state.idle += 1;
            let (woken, timeout) = self.wake.wait_timeout(state, IDLE_FOR).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
