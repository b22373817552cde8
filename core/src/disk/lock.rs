//! Advisory locks: first come, first served, within a process and between processes.
//!
//! A data file `NAME` is guarded by two files beside it that are never deleted. `NAME.lock` is locked with `flock`,
//! shared by readers, exclusively by writers. `NAME.gate` is the turnstile: whoever wants the lock holds the gate
//! while waiting for it, so that readers who keep coming cannot starve a writer. In a process, one pair of
//! descriptors serves everybody behind a queue.
//!
//! `flock` knows no time-out, so the head of the queue polls, at short jittered intervals; everybody else sleeps
//! until it is their turn. A writer leaves its pid and the time in `NAME.lock`, for the error of those who wait in vain.
//! A note that is still there when the next writer comes tells that the one before did not finish.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};

use super::seam::{Fs, Handle, Open};
use super::wait::{TICK, Wait};
use crate::error::{Error, ErrorKind, Result};

/// How long the note about the holder is; a shorter one is padded, so that it is always overwritten whole.
const HOLDER_BYTES: usize = 64;
/// How many lock files stay open for the next call. A home may have thousands of repositories.
const KEPT: usize = 64;

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
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// Whose locks these are: a forked child inherits the parent's, and must neither use nor release them.
    pid: u32,
    files: HashMap<PathBuf, Arc<LockFile>>,
}

impl Locks {
    pub(super) fn new(fs: Arc<dyn Fs>) -> Self {
        Locks { fs, table: Mutex::default() }
    }

    /// Waits for the lock of `data`. A reader of a file that nobody ever locked gets a guard that guards nothing:
    /// reading must not create files, and a replaced file is read consistently without a lock.
    ///
    /// # Errors
    /// `LockAcquisitionError` naming the holder after `wait.timeout`, or `patience` when the call has none; `Cancelled`,
    /// `IOError`.
    pub(super) fn acquire(&self, data: &Path, mode: Mode, wait: &Wait, patience: Duration) -> Result<Guard> {
        let file = self.file(data);
        let patience = Patience::new(&*self.fs, wait, patience);
        patience.begin()?;
        let turn = wait.take_turn();
        if let Some(turn) = &turn {
            turn.wait(|| match patience.is_over()? {
                false => Ok(()),
                true => Err(file.too_late("calls that were submitted earlier", &patience)),
            })?;
        }
        let place = Place::behind_the_others(&file);
        drop(turn);
        file.wait_for_head(&place, mode, &patience)?;
        let open = file.enter(mode, &patience)?;
        drop(place);
        let is_behind_unfinished = match &open {
            Some(open) if mode == Mode::Exclusive => file.note_holder(open),
            _ => false,
        };
        Ok(Guard { file, mode, open, is_behind_unfinished, is_unfinished: AtomicBool::new(false) })
    }

    fn file(&self, data: &Path) -> Arc<LockFile> {
        let mut table = lock(&self.table);
        let pid = std::process::id();
        if table.pid != pid {
            *table = Table { pid, files: HashMap::new() };
        }
        if let Some(file) = table.files.get(data) {
            return Arc::clone(file);
        }
        if table.files.len() >= KEPT {
            // Whoever holds one or waits for it has it in hand.
            table.files.retain(|_, file| Arc::strong_count(file) > 1);
        }
        let file = Arc::new(LockFile::new(Arc::clone(&self.fs), data));
        table.files.insert(data.to_owned(), Arc::clone(&file));
        file
    }
}

/// How long one acquisition still waits.
struct Patience<'w> {
    fs: &'w dyn Fs,
    wait: &'w Wait,
    timeout: Duration,
    /// Set when the lock was not free at once: an uncontended lock reads no clock.
    deadline: Cell<Option<Duration>>,
}

impl<'w> Patience<'w> {
    fn new(fs: &'w dyn Fs, wait: &'w Wait, patience: Duration) -> Self {
        Patience { fs, wait, timeout: wait.timeout.unwrap_or(patience), deadline: Cell::new(None) }
    }

    /// A call that was cancelled before it began does nothing.
    fn begin(&self) -> Result<()> {
        if self.wait.cancel.is_cancelled() { self.wait.cancel.check() } else { Ok(()) }
    }

    /// Whether the time is over. The host's own code may run in here, so no mutex is held meanwhile.
    fn is_over(&self) -> Result<bool> {
        self.wait.cancel.check()?;
        let now = self.fs.elapsed();
        let deadline = self.deadline.get().unwrap_or(now.saturating_add(self.timeout));
        self.deadline.set(Some(deadline));
        Ok(now >= deadline)
    }
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
    /// Readers of this process, which share one lock.
    readers: usize,
    writing: bool,
    open: Option<Arc<Descriptors>>,
}

#[derive(Debug)]
struct Descriptors {
    gate: Handle,
    lock: Handle,
    identity: (u64, u64),
    /// Opened by a writer, so that the holder's note can be written.
    writable: bool,
    pid: u32,
}

/// A place in the queue of this process, given up when it is dropped.
struct Place<'f> {
    file: &'f LockFile,
    number: u64,
}

impl<'f> Place<'f> {
    fn behind_the_others(file: &'f LockFile) -> Self {
        let mut state = lock(&file.state);
        state.entered += 1;
        let number = state.entered;
        state.queue.push_back(number);
        Place { file, number }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.file.state).queue.retain(|waiting| *waiting != self.number);
        self.file.changed.notify_all();
    }
}

/// The turnstile, held until it is dropped.
struct Gate<'f> {
    fs: &'f dyn Fs,
    gate: &'f Handle,
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        // `flock` gives back what it gave: should it ever not, closing the descriptor does.
        let _ = self.fs.unlock(self.gate);
    }
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

    /// Until `place` is the first in the queue and nobody of this process is in the way.
    fn wait_for_head(&self, place: &Place<'_>, mode: Mode, patience: &Patience<'_>) -> Result<()> {
        loop {
            let state = lock(&self.state);
            let free = !state.writing && (mode == Mode::Shared || state.readers == 0);
            if free && state.queue.front() == Some(&place.number) {
                return Ok(());
            }
            drop(self.changed.wait_timeout(state, TICK.min(patience.timeout)));
            self.still_time(patience)?;
        }
    }

    /// Through the gate to the lock, as the head of the queue.
    fn enter(&self, mode: Mode, patience: &Patience<'_>) -> Result<Option<Arc<Descriptors>>> {
        let mut jitter = Jitter::new();
        loop {
            // `None`: a reader, and there is nothing to lock.
            let Some(open) = self.descriptors(mode)? else { return Ok(None) };
            while !self.try_lock(&open.gate, true)? {
                self.pause(&mut jitter, patience)?;
            }
            let _gate = Gate { fs: &*self.fs, gate: &open.gate };
            if self.enter_behind_gate(&open, mode, patience, &mut jitter)? {
                return Ok(Some(Arc::clone(&open)));
            }
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

    /// The descriptors of this process, opened anew when a writer needs more than a reader had.
    fn descriptors(&self, mode: Mode) -> Result<Option<Arc<Descriptors>>> {
        let mut state = lock(&self.state);
        if let Some(open) = &state.open
            && (open.writable || mode == Mode::Shared)
        {
            return Ok(Some(Arc::clone(open)));
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
        self.still_time(patience)?;
        self.fs.sleep(jitter.next());
        Ok(())
    }

    fn still_time(&self, patience: &Patience<'_>) -> Result<()> {
        if !patience.is_over()? {
            return Ok(());
        }
        let open = lock(&self.state).open.clone();
        let holder = open
            .and_then(|open| self.fs.read(&open.lock).ok())
            .and_then(|note| String::from_utf8(note).ok())
            .map(|note| note.trim().to_owned())
            .filter(|note| !note.is_empty())
            .unwrap_or_else(|| "a reader or a process that left no name".to_owned());
        Err(self.too_late(&holder, patience))
    }

    fn too_late(&self, holder: &str, patience: &Patience<'_>) -> Error {
        Error::new(
            ErrorKind::LockAcquisition,
            format!(
                "{} was not free within {} ms; it is held by {holder}; try again with back-off",
                self.lock_path.display(),
                patience.timeout.as_millis()
            ),
        )
        .at(&self.lock_path)
    }

    /// Tells whether the note of the writer before was still there.
    fn note_holder(&self, open: &Descriptors) -> bool {
        let is_blank = |note: Vec<u8>| note.iter().all(u8::is_ascii_whitespace);
        let was_finished = self.fs.read(&open.lock).is_ok_and(is_blank);
        let since: DateTime<Utc> = self.fs.now().into();
        let note = format!("pid {} since {}", open.pid, since.to_rfc3339_opts(SecondsFormat::Millis, true));
        // It is 64 bytes in the place of 64 bytes: where that fails, data cannot be written either.
        let _ = self.fs.write_holder(&open.lock, format!("{note:<width$}\n", width = HOLDER_BYTES - 1).as_bytes());
        !was_finished
    }
}

/// A held lock. Dropping it lets the next one in.
#[derive(Debug)]
pub struct Guard {
    file: Arc<LockFile>,
    mode: Mode,
    /// `None` for a reader that found nothing to lock.
    open: Option<Arc<Descriptors>>,
    is_behind_unfinished: bool,
    is_unfinished: AtomicBool,
}

impl Guard {
    /// Whether the writer before died or failed: what it wrote can be read, and may not be durable.
    pub(super) fn is_behind_unfinished(&self) -> bool {
        self.is_behind_unfinished
    }

    /// Whether the note is left to the next writer, since this one did not finish either.
    pub(super) fn leave_unfinished(&self, is_unfinished: bool) {
        self.is_unfinished.store(is_unfinished, Ordering::Relaxed);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(open) = self.open.as_ref().filter(|open| open.pid == std::process::id()) else { return };
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
        if last {
            if self.mode == Mode::Exclusive && !*self.is_unfinished.get_mut() {
                let nobody = format!("{:<width$}\n", "", width = HOLDER_BYTES - 1);
                let _ = self.file.fs.write_holder(&open.lock, nobody.as_bytes());
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
    // Nothing panics while it holds one of these; what they hold are counters that guards put right.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
