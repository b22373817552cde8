//! The connections that a process keeps open between transactions, and their handling at a fork.
//!
//! SQLite keeps its locks and open files in tables in memory. A fork copies these, together with mutexes that another thread may
//! hold at that moment: the child would wait for ever, or mistake its parent's locks for its own. So a fork waits until no
//! thread is inside SQLite, and closes all connections first: parent and child open their own again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use once_cell::race::OnceBox;

use super::connection::Opened;
use super::files::Files;
use super::pin::Pins;
use crate::disk::{Disk, PerProcess};
use crate::lazy::lazily;
use crate::mutex::lock;

/// How many connections are kept for reuse. A home may have thousands of databases.
const KEPT: usize = 16;

static POOL: PerProcess<Pool> = PerProcess::new();

#[derive(Debug, Default)]
struct Pool {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of threads inside SQLite.
    inside: usize,
    /// The number of threads that are forking.
    forking: usize,
    /// Connections not in use, the most recently used last.
    idle: Vec<Idle>,
    /// The locks that the connections to each database share.
    pins: Vec<(PathBuf, Files, Weak<Pins>)>,
}

#[derive(Debug)]
struct Idle {
    path: PathBuf,
    files: Files,
    opened: Opened,
}

/// A thread's time inside SQLite, which a fork waits for. Everything that uses SQLite must happen in a session, and nothing else
/// that may take long.
#[derive(Debug)]
pub(super) struct Session(&'static Pool);

impl Session {
    /// Begins a session, after waiting for forks in progress.
    pub(super) fn begin() -> Session {
        watch_forks();
        let pool = POOL.get();
        let mut state = pool.lock();
        while state.forking > 0 {
            state = pool.wait(state);
        }
        state.inside += 1;
        Session(pool)
    }

    /// Takes a kept connection that has these files of the database open, if there is one. Kept connections to other files at this
    /// path are closed.
    pub(super) fn take(&self, path: &Path, files: Files) -> Option<Opened> {
        let mut state = self.0.lock();
        state.idle.retain(|idle| idle.path != path || files.are_open_as(&idle.files));
        let place = state.idle.iter().rposition(|idle| idle.path == path)?;
        Some(state.idle.remove(place).opened)
    }

    /// Pins the files that a connection has open, once for all connections of this process.
    pub(super) fn pin(&self, disk: &Disk, path: &Path, files: Files, opened: &mut Opened) {
        if opened.pins.is_some() {
            return;
        }
        let mut state = self.0.lock();
        state.pins.retain(|(_, _, pins)| pins.strong_count() > 0);
        let known = state.pins.iter().find(|(at, of, _)| at == path && files.are_still(of));
        opened.pins = known.and_then(|(_, _, pins)| pins.upgrade()).or_else(|| {
            let pins = Arc::new(Pins::of(disk, path, &opened.connection)?);
            state.pins.push((path.to_owned(), files, Arc::downgrade(&pins)));
            Some(pins)
        });
    }

    /// Keeps a connection for the next transaction. It must not be in one.
    pub(super) fn keep(&self, path: &Path, files: Files, opened: Opened) {
        let mut state = self.0.lock();
        state.idle.push(Idle { path: path.to_owned(), files, opened });
        if state.idle.len() > KEPT {
            state.idle.remove(0);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.inside -= 1;
        if state.forking > 0 {
            self.0.changed.notify_all();
        }
    }
}

/// Closes the kept connections to a database.
pub(super) fn close(path: &Path) {
    POOL.get().lock().idle.retain(|idle| idle.path != path);
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait<'p>(&'p self, state: MutexGuard<'p, State>) -> MutexGuard<'p, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

extern "C" fn before_fork() {
    let pool = POOL.get();
    let mut state = pool.lock();
    state.forking += 1;
    while state.inside > 0 {
        state = pool.wait(state);
    }
    // Closed under the mutex, so that another thread does not fork in the middle of it.
    state.idle.clear();
}

/// The child needs no handler: it has a separate pool.
extern "C" fn after_fork_in_parent() {
    let pool = POOL.get();
    pool.lock().forking -= 1;
    pool.changed.notify_all();
}

/// Registers the functions above to run at every fork, before the first connection is opened.
#[allow(unsafe_code, reason = "only the C library has fork handlers")]
fn watch_forks() {
    static IS_WATCHING: OnceBox<bool> = OnceBox::new();
    // If two threads both do it, each fork is counted twice, before and after. If registering fails, a fork is only as safe as
    // SQLite makes it.
    lazily(&IS_WATCHING, || {
        // SAFETY: both functions live as long as this code, and neither can unwind.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork_in_parent), None) == 0 }
    });
}
