//! Advisory locks: first come, first served, within a process and between processes.
//!
//! A data file `NAME` is guarded by two files beside it that are never deleted. `NAME.lock` is locked with `flock`,
//! shared by readers, exclusively by writers. `NAME.gate` is the turnstile: whoever wants the lock holds the gate
//! while waiting for it, so that readers who keep coming cannot starve a writer. In a process, one pair of
//! descriptors serves everybody behind a queue.
//!
//! `flock` knows no time-out, so the head of the queue polls, at short jittered intervals; everybody else sleeps
//! until it is their turn. A writer leaves its pid and the time in `NAME.lock`, for the error of those who wait in vain.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};

use super::seam::{Fs, Handle, Open};
use super::wait::Wait;
use crate::error::{Error, ErrorKind, Result};

/// How long the note about the holder is; a shorter one is padded, so that it is always overwritten whole.
const HOLDER_BYTES: usize = 64;
/// How often somebody in the queue looks whether the call was cancelled.
const TICK: Duration = Duration::from_millis(5);

/// Who else may hold the lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Other readers.
    Shared,
    /// Nobody.
    Exclusive,
}

/// Every lock of one home, by data file.
#[derive(Debug)]
pub(super) struct Locks {
    fs: Arc<dyn Fs>,
    files: Mutex<HashMap<PathBuf, Arc<LockFile>>>,
}

impl Locks {
    pub(super) fn new(fs: Arc<dyn Fs>) -> Self {
        Locks { fs, files: Mutex::default() }
    }

    /// Waits for the lock of `data`. A reader of a file that nobody ever locked gets a guard that guards nothing:
    /// reading must not create files, and a replaced file is read consistently without a lock.
    ///
    /// # Errors
    /// `LockAcquisitionError` naming the holder after `wait.timeout`, or `patience` when the call has none; `Cancelled`,
    /// `IOError`.
    pub(super) fn acquire(&self, data: &Path, mode: Mode, wait: &Wait, patience: Duration) -> Result<Guard> {
        let turn = wait.take_turn();
        if let Some(turn) = &turn {
            turn.wait();
        }
        let file = {
            let mut files = lock(&self.files);
            match files.get(data) {
                Some(file) => Arc::clone(file),
                None => {
                    let file = Arc::new(LockFile::new(Arc::clone(&self.fs), data));
                    files.insert(data.to_owned(), Arc::clone(&file));
                    file
                }
            }
        };
        let place = lock(&file.state).enter();
        drop(turn);
        let patience = Patience { timeout: wait.timeout.unwrap_or(patience), wait, deadline: Cell::new(None) };
        file.acquire(place, mode, &patience)
    }
}

/// How long one acquisition still waits.
struct Patience<'w> {
    wait: &'w Wait,
    timeout: Duration,
    /// Set when the lock was not free at once: an uncontended lock reads no clock.
    deadline: Cell<Option<Duration>>,
}

#[derive(Debug)]
struct LockFile {
    fs: Arc<dyn Fs>,
    lock_path: PathBuf,
    gate_path: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<u64>,
    entered: u64,
    readers: usize,
    writing: bool,
    open: Option<Arc<Descriptors>>,
}

impl State {
    fn enter(&mut self) -> u64 {
        self.entered += 1;
        self.queue.push_back(self.entered);
        self.entered
    }
}

#[derive(Debug)]
struct Descriptors {
    gate: Handle,
    lock: Handle,
    identity: (u64, u64),
    /// Opened by a writer, so that the holder's note can be written.
    writable: bool,
    /// A forked child inherits the parent's locks; it must neither use nor release them.
    pid: u32,
}

impl LockFile {
    fn new(fs: Arc<dyn Fs>, data: &Path) -> Self {
        LockFile {
            fs,
            lock_path: beside(data, ".lock"),
            gate_path: beside(data, ".gate"),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn acquire(self: Arc<Self>, place: u64, mode: Mode, patience: &Patience<'_>) -> Result<Guard> {
        let outcome = self.wait_for_head(place, mode, patience).and_then(|()| self.enter(mode, patience));
        let mut state = lock(&self.state);
        state.queue.retain(|waiting| *waiting != place);
        drop(state);
        self.changed.notify_all();
        let open = outcome?;
        if mode == Mode::Exclusive
            && let Some(open) = &open
        {
            self.note_holder(open);
        }
        Ok(Guard { file: self, mode, open })
    }

    /// Until `place` is the first in the queue and nobody of this process is in the way.
    fn wait_for_head(&self, place: u64, mode: Mode, patience: &Patience<'_>) -> Result<()> {
        let mut state = lock(&self.state);
        loop {
            let free = !state.writing && (mode == Mode::Shared || state.readers == 0);
            if state.queue.front() == Some(&place) && free {
                return Ok(());
            }
            self.still_time(patience, &state)?;
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Through the gate to the lock, as the head of the queue.
    fn enter(&self, mode: Mode, patience: &Patience<'_>) -> Result<Option<Arc<Descriptors>>> {
        let mut jitter = Jitter::new();
        loop {
            let Some(open) = self.descriptors(mode)? else {
                // A reader, and there is nothing to lock.
                lock(&self.state).readers += 1;
                return Ok(None);
            };
            while !self.try_lock(&open.gate, true)? {
                self.pause(&mut jitter, patience)?;
            }
            let entered = self.enter_behind_gate(&open, mode, patience, &mut jitter);
            let reopened = self.fs.unlock(&open.gate).map_err(|cause| Error::io("unlock", &self.gate_path, &cause));
            if !entered? {
                continue;
            }
            reopened?;
            return Ok(Some(open));
        }
    }

    /// Takes the lock while the gate is held; `false` when the lock file is no longer the one at its path.
    fn enter_behind_gate(
        &self,
        open: &Arc<Descriptors>,
        mode: Mode,
        patience: &Patience<'_>,
        jitter: &mut Jitter,
    ) -> Result<bool> {
        loop {
            let mut state = lock(&self.state);
            if mode == Mode::Shared && state.readers > 0 {
                state.readers += 1;
                return Ok(true);
            }
            if self.try_lock(&open.lock, mode == Mode::Exclusive)? {
                // Whoever deleted or replaced the lock file has made a second lock: ours counts for nothing then.
                let stat = self.fs.stat_path(&self.lock_path);
                if stat.is_ok_and(|stat| (stat.device, stat.inode) == open.identity) {
                    match mode {
                        Mode::Shared => state.readers = 1,
                        Mode::Exclusive => state.writing = true,
                    }
                    return Ok(true);
                }
                let _ = self.fs.unlock(&open.lock);
                state.open = None;
                return Ok(false);
            }
            drop(state);
            self.pause(jitter, patience)?;
        }
    }

    /// The descriptors of this process, opened anew after a fork or when a writer needs more than a reader had.
    fn descriptors(&self, mode: Mode) -> Result<Option<Arc<Descriptors>>> {
        let pid = std::process::id();
        let mut state = lock(&self.state);
        if let Some(open) = &state.open
            && open.pid == pid
            && (open.writable || mode == Mode::Shared)
        {
            return Ok(Some(Arc::clone(open)));
        }
        if state.open.as_ref().is_some_and(|open| open.pid != pid) {
            // What the parent held at the fork is the parent's.
            state.readers = 0;
            state.writing = false;
        }
        let opened = match mode {
            Mode::Exclusive => self.open(Open::CreateLock).map(Some),
            Mode::Shared => match self.open(Open::Lock).or_else(|_| self.open(Open::Read)) {
                Ok(open) => Ok(Some(open)),
                Err((_, cause)) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(failed) => Err(failed),
            },
        };
        let opened = opened.map_err(|(path, cause)| Error::io("open the lock file", &path, &cause))?.map(Arc::new);
        state.open.clone_from(&opened);
        Ok(opened)
    }

    fn open(&self, how: Open) -> Result<Descriptors, (PathBuf, io::Error)> {
        let open = |path: &PathBuf| self.fs.open(path, how).map_err(|cause| (path.clone(), cause));
        let (gate, lock) = (open(&self.gate_path)?, open(&self.lock_path)?);
        let stat = self.fs.stat(&lock).map_err(|cause| (self.lock_path.clone(), cause))?;
        let identity = (stat.device, stat.inode);
        Ok(Descriptors { gate, lock, identity, writable: how != Open::Read, pid: std::process::id() })
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> Result<bool> {
        self.fs.try_lock(handle, exclusive).map_err(|cause| {
            Error::new(ErrorKind::LockAcquisition, format!("{} cannot be locked", handle.path.display()))
                .at(&handle.path)
                .because(cause)
        })
    }

    fn pause(&self, jitter: &mut Jitter, patience: &Patience<'_>) -> Result<()> {
        let state = lock(&self.state);
        self.still_time(patience, &state)?;
        drop(state);
        self.fs.sleep(jitter.next());
        Ok(())
    }

    fn still_time(&self, patience: &Patience<'_>, state: &State) -> Result<()> {
        patience.wait.cancel.check()?;
        let now = self.fs.elapsed();
        let deadline = patience.deadline.get().unwrap_or(now + patience.timeout);
        patience.deadline.set(Some(deadline));
        if now < deadline {
            return Ok(());
        }
        let holder = state
            .open
            .as_ref()
            .and_then(|open| self.fs.read(&open.lock).ok())
            .and_then(|note| String::from_utf8(note).ok())
            .map(|note| note.trim().to_owned())
            .filter(|note| !note.is_empty())
            .unwrap_or_else(|| "a reader or a process that left no name".to_owned());
        Err(Error::new(
            ErrorKind::LockAcquisition,
            format!(
                "{} was not free within {} ms; it is held by {holder}; try again with back-off",
                self.lock_path.display(),
                patience.timeout.as_millis()
            ),
        )
        .at(&self.lock_path))
    }

    fn note_holder(&self, open: &Descriptors) {
        let since: DateTime<Utc> = self.fs.now().into();
        let note = format!("pid {} since {}", open.pid, since.to_rfc3339_opts(SecondsFormat::Millis, true));
        // The note only makes an error better; a lock without it is as good.
        let _ = self.fs.write_holder(&open.lock, format!("{note:<width$}\n", width = HOLDER_BYTES - 1).as_bytes());
    }
}

/// A held lock. Dropping it lets the next one in.
#[derive(Debug)]
pub struct Guard {
    file: Arc<LockFile>,
    mode: Mode,
    open: Option<Arc<Descriptors>>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let ours = self.open.as_ref().is_none_or(|open| open.pid == std::process::id());
        if !ours {
            return;
        }
        let mut state = lock(&self.file.state);
        let last = match self.mode {
            Mode::Shared => {
                state.readers = state.readers.saturating_sub(1);
                state.readers == 0
            }
            Mode::Exclusive => {
                state.writing = false;
                true
            }
        };
        if let Some(open) = &self.open
            && last
        {
            if self.mode == Mode::Exclusive {
                let _ = self
                    .file
                    .fs
                    .write_holder(&open.lock, format!("{:<width$}\n", "", width = HOLDER_BYTES - 1).as_bytes());
            }
            // Closing would release it too, should this ever fail.
            if self.file.fs.unlock(&open.lock).is_err() {
                state.open = None;
            }
        }
        drop(state);
        self.file.changed.notify_all();
    }
}

/// Short pauses of uneven length, so that two processes do not poll in step.
struct Jitter(u32);

impl Jitter {
    fn new() -> Self {
        Jitter(std::process::id() | 1)
    }

    fn next(&mut self) -> Duration {
        // Xorshift: any spread will do.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        Duration::from_micros(u64::from(200 + self.0 % 600))
    }
}

/// `NAME` with `suffix` behind it.
pub(super) fn beside(data: &Path, suffix: &str) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked while it held one of these left plain counters, which its guards put right.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
