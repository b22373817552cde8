//! Advisory locks: first come, first served, within a process and between processes.
//!
//! A data file `NAME` is guarded by two files beside it that are never deleted. `NAME.lock` is locked with `flock`, shared by
//! readers, exclusively by writers. `NAME.gate` is the turnstile: a process holds the gate while it waits for the lock, so
//! that a stream of readers cannot starve a writer. Within a process, one pair of descriptors serves all callers, which queue
//! for it.
//!
//! If `flock` is not supported, writers fall back to a lock file with an owner (`NAME.lock.owner`), and readers take no lock.
//!
//! `flock` has no time-out, so the head of the queue polls at short, jittered intervals; the other callers sleep. A writer
//! leaves its pid and the time in `NAME.lock`, for the error message of a call that times out. If that note is still there
//! when the next writer arrives, the previous one did not finish.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};

use super::backoff::Backoff;
use super::owner::{self, Ownership};
use super::pool::Pool;
use super::queue::{Admission, Deadline, Job, Mode, Queue};
use super::wait::{Order, TicketQueue, WaitOptions};
use super::watch::Watch;
use crate::disk::fs::per_process::PerProcess;
use crate::disk::fs::seam::{Fs, Handle, Open};
use crate::disk::fs::writing::Introduction;
use crate::disk::fs::writing::{self, beside};
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;
use crate::safety::Redactor;
use crate::warning::Warning;

/// The length of the note about the holder; a shorter one is padded, so that it is always overwritten completely.
const HOLDER_BYTES: usize = 64;
/// How often `ENOLCK` is retried before locks are considered unsupported.
const TRIES: u32 = 200;

/// The shortest and the longest pause between two attempts to take a lock.
const PAUSES: [Duration; 2] = [Duration::from_micros(200), Duration::from_micros(800)];

/// The attempts to take a lock.
struct Tries {
    pauses: Backoff,
    /// How often the kernel returned `ENOLCK`.
    refused: u32,
}

/// All locks of one home, by data file.
#[derive(Debug)]
pub(in crate::disk) struct Locks {
    fs: Arc<dyn Fs>,
    root: PathBuf,
    introduction: Option<Introduction>,
    stale_after: Duration,
    redactor: Redactor,
    support: Arc<Support>,
    tickets: Arc<TicketQueue>,
    /// A home may have thousands of repositories.
    files: PerProcess<Pool<PathBuf, LockFile>>,
}

/// Whether `flock` is known to be supported in this home. `ENOLCK` may mean that the kernel is short of memory for a moment, or
/// that a server never supports locks. Processes that came to different conclusions would not exclude each other.
#[derive(Debug, Default)]
struct Support {
    is_present: AtomicBool,
    is_missing: AtomicBool,
}

impl Locks {
    /// Creates the locks of the data files below `root`. A fallback lock whose owner is unknown is taken over once it has been
    /// unchanged for `stale_after`.
    pub(in crate::disk) fn new(fs: Arc<dyn Fs>, root: &Path, stale_after: Duration) -> Self {
        Locks {
            fs,
            root: root.to_owned(),
            introduction: None,
            stale_after,
            redactor: Redactor::default(),
            support: Arc::default(),
            tickets: Arc::default(),
            files: PerProcess::default(),
        }
    }

    /// Returns the locks with the order of calls of `other`.
    #[must_use]
    pub(in crate::disk) fn in_order_of(mut self, other: &Locks) -> Self {
        self.tickets = Arc::clone(&other.tickets);
        self
    }

    /// Applies to lock files that have not been used yet.
    pub(in crate::disk) fn set_stale_after(&mut self, stale_after: Duration) {
        self.stale_after = stale_after;
    }

    /// Applies to lock files that have not been used yet.
    pub(in crate::disk) fn set_introduction(&mut self, introduction: Introduction) {
        self.introduction = Some(introduction);
    }

    /// Applies to lock files that have not been used yet.
    pub(in crate::disk) fn set_redactor(&mut self, redactor: &Redactor) {
        self.redactor = redactor.clone();
    }

    /// The order of submission.
    pub(in crate::disk) fn tickets(&self) -> &TicketQueue {
        &self.tickets
    }

    /// Waits for the lock of `data`. If no lock file exists yet, a reader gets a guard that holds nothing: reading must not
    /// create files, and a file that is replaced atomically can be read consistently without a lock.
    ///
    /// # Errors
    /// `LockAcquisitionError` naming the holder after `wait.timeout`, or `default_timeout` if the call sets none; `Cancelled`,
    /// `IOError`.
    pub(in crate::disk) fn acquire(
        &self,
        data: &Path,
        mode: Mode,
        wait: &WaitOptions,
        default_timeout: Duration,
    ) -> Result<Guard> {
        let entered = self.enter(data, mode, wait, default_timeout, None)?;
        // There is no job that another writer could take.
        entered.ok_or_else(|| Error::internal("a call without a job was treated as one with a job"))
    }

    /// Like [`acquire`](Self::acquire), exclusively; `None` if an earlier writer performs `job` along with its own. After an
    /// error the job has not been taken, and will not be.
    pub(in crate::disk) fn acquire_with(
        &self,
        data: &Path,
        wait: &WaitOptions,
        default_timeout: Duration,
        job: Job,
    ) -> Result<Option<Guard>> {
        self.enter(data, Mode::Exclusive, wait, default_timeout, Some(job))
    }

    /// Whether an earlier call of this process may still change `data`.
    pub(in crate::disk) fn may_change(&self, data: &Path, wait: &WaitOptions) -> bool {
        !self.tickets.order().is_next(wait.number()) || !self.file(data).queue.is_idle()
    }

    fn enter(
        &self,
        data: &Path,
        mode: Mode,
        wait: &WaitOptions,
        default_timeout: Duration,
        job: Option<Job>,
    ) -> Result<Option<Guard>> {
        let file = self.file(data);
        let deadline = Deadline::new(&*self.fs, wait, default_timeout);
        deadline.begin()?;
        let order = self.tickets.order();
        let (number, ticket) = wait.enter(&self.tickets);
        let place = file.queue.enter(number, job);
        drop(ticket);
        if place.wait(mode, order, || file.check_deadline(&deadline))? == Admission::Served {
            return Ok(None);
        }
        let held = file.enter(mode, &deadline)?;
        drop(place);
        let is_behind_unfinished = match &held {
            Held::Flock(open) | Held::Owner(_, open) if mode == Mode::Exclusive => file.note_holder(open),
            _ => false,
        };
        let (order, pid) = (Arc::clone(order), std::process::id());
        let is_unfinished = AtomicBool::new(is_behind_unfinished);
        Ok(Some(Guard { file, mode, held, order, pid, is_behind_unfinished, is_unfinished }))
    }

    fn file(&self, data: &Path) -> Arc<LockFile> {
        self.files.get().get(data, || LockFile::new(self, data))
    }
}

#[derive(Debug)]
struct LockFile {
    fs: Arc<dyn Fs>,
    root: PathBuf,
    introduction: Option<Introduction>,
    lock_path: PathBuf,
    gate_path: PathBuf,
    owner_path: PathBuf,
    stale_after: Duration,
    redactor: Redactor,
    support: Arc<Support>,
    watch: Watch,
    queue: Queue,
    open: Mutex<Option<Arc<Descriptors>>>,
}

#[derive(Debug)]
struct Descriptors {
    gate: Handle,
    lock: Handle,
    identity: (u64, u64),
    /// Opened for writing, so that the note about the holder can be written.
    writable: bool,
}

/// What a guard holds.
#[derive(Debug)]
enum Held {
    /// A reader, without a lock file to lock.
    Nothing,
    /// A reader, if `flock` is not supported.
    Unlocked,
    Flock(Arc<Descriptors>),
    /// A writer, if `flock` is not supported.
    Owner(Ownership, Arc<Descriptors>),
}

/// The result of trying a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TryLock {
    Locked,
    Busy,
    /// `flock` is not supported.
    Unsupported,
}

/// The turnstile, held until it is dropped.
struct Gate<'f> {
    fs: &'f dyn Fs,
    gate: &'f Handle,
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        // Should this ever fail, closing the descriptor releases the lock too.
        let _ = self.fs.unlock(self.gate);
    }
}

impl LockFile {
    fn new(locks: &Locks, data: &Path) -> Self {
        LockFile {
            fs: Arc::clone(&locks.fs),
            root: locks.root.clone(),
            introduction: locks.introduction,
            lock_path: beside(data, ".lock"),
            gate_path: beside(data, ".gate"),
            owner_path: beside(data, owner::SUFFIX),
            stale_after: locks.stale_after,
            redactor: locks.redactor.clone(),
            support: Arc::clone(&locks.support),
            watch: Watch::default(),
            queue: Queue::default(),
            open: Mutex::default(),
        }
    }

    /// Passes the gate and takes the lock, as the head of the queue.
    fn enter(&self, mode: Mode, deadline: &Deadline<'_>) -> Result<Held> {
        let [shortest, longest] = PAUSES;
        let mut tries = Tries { pauses: Backoff::between(shortest, longest), refused: 0 };
        loop {
            let Some(open) = self.descriptors(mode)? else { return Ok(Held::Nothing) };
            let tried = loop {
                match self.try_lock(&open.gate, true, &mut tries)? {
                    TryLock::Busy => self.pause(&mut tries, deadline)?,
                    tried => break tried,
                }
            };
            if tried == TryLock::Unsupported {
                return self.fall_back(open, mode, deadline, &mut tries);
            }
            let _gate = Gate { fs: &*self.fs, gate: &open.gate };
            match self.enter_behind_gate(&open, mode, deadline, &mut tries)? {
                Some(TryLock::Locked) => return Ok(Held::Flock(Arc::clone(&open))),
                Some(_) => return self.fall_back(Arc::clone(&open), mode, deadline, &mut tries),
                None => {}
            }
        }
    }

    /// Takes the lock while the gate is held; `None` if the lock file at its path is no longer the one that was opened.
    fn enter_behind_gate(
        &self,
        open: &Arc<Descriptors>,
        mode: Mode,
        deadline: &Deadline<'_>,
        tries: &mut Tries,
    ) -> Result<Option<TryLock>> {
        loop {
            let mut state = self.queue.lock();
            if mode == Mode::Shared && state.readers > 0 {
                state.hold(mode);
                return Ok(Some(TryLock::Locked));
            }
            match self.try_lock(&open.lock, mode == Mode::Exclusive, tries)? {
                TryLock::Locked => {}
                TryLock::Busy => {
                    drop(state);
                    self.pause(tries, deadline)?;
                    continue;
                }
                TryLock::Unsupported => return Ok(Some(TryLock::Unsupported)),
            }
            // If the lock file was deleted or replaced, other processes use the new one, and this lock is void.
            let stat = self.fs.stat_path(&self.lock_path);
            if stat.is_ok_and(|stat| (stat.device, stat.inode) == open.identity) {
                state.hold(mode);
                return Ok(Some(TryLock::Locked));
            }
            let _ = self.fs.unlock(&open.lock);
            *lock(&self.open) = None;
            return Ok(None);
        }
    }

    /// Takes the lock if `flock` is not supported. Readers need none: a file that is replaced is read consistently, and an
    /// incomplete line is skipped.
    fn fall_back(
        &self,
        open: Arc<Descriptors>,
        mode: Mode,
        deadline: &Deadline<'_>,
        tries: &mut Tries,
    ) -> Result<Held> {
        if mode == Mode::Shared {
            return Ok(Held::Unlocked);
        }
        let mut pause = |owner: &dyn Fn() -> String| {
            self.check_deadline_naming(deadline, owner)?;
            self.fs.sleep(tries.pauses.next());
            Ok(())
        };
        let warn = |warning: Warning| warning.emit(&self.redactor);
        let owned = Ownership::acquire(&self.fs, &self.owner_path, &self.watch, self.stale_after, &mut pause, &warn)?;
        self.queue.lock().hold(mode);
        Ok(Held::Owner(owned, open))
    }

    /// The descriptors of this process, opened again if a writer needs more than a reader did.
    fn descriptors(&self, mode: Mode) -> Result<Option<Arc<Descriptors>>> {
        let mut kept = lock(&self.open);
        if let Some(open) = &*kept
            && (open.writable || mode == Mode::Shared)
        {
            return Ok(Some(Arc::clone(open)));
        }
        // Checking once is enough: replacing a folder replaces the lock file in it, which is then opened again.
        writing::check_folders(&*self.fs, &self.root, writing::folder_of(&self.lock_path)?)?;
        let opened = match mode {
            Mode::Exclusive => match self.open(Open::CreateLock) {
                Err((path, cause)) if cause.kind() == io::ErrorKind::NotFound => {
                    let folder = writing::folder_of(&path)?;
                    writing::create_folders_of_home(&*self.fs, folder, &self.root, self.introduction)?;
                    self.open(Open::CreateLock).map(Some)
                }
                opened => opened.map(Some),
            },
            Mode::Shared => match self.open(Open::Lock).or_else(|_| self.open(Open::Read)) {
                Ok(open) => Ok(Some(open)),
                Err((_, cause)) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(failed) => Err(failed),
            },
        };
        let opened = opened.map_err(|(path, cause)| Error::io("open the lock file", &path, &cause))?.map(Arc::new);
        kept.clone_from(&opened);
        Ok(opened)
    }

    fn open(&self, how: Open) -> Result<Descriptors, (PathBuf, io::Error)> {
        let open = |path: &PathBuf| self.fs.open(path, how).map_err(|cause| (path.clone(), cause));
        let (gate, lock) = (open(&self.gate_path)?, open(&self.lock_path)?);
        let stat = self.fs.stat(&lock).map_err(|cause| (self.lock_path.clone(), cause))?;
        let identity = (stat.device, stat.inode);
        Ok(Descriptors { gate, lock, identity, writable: how != Open::Read })
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool, tries: &mut Tries) -> Result<TryLock> {
        let cause = match self.fs.try_lock(handle, exclusive) {
            Ok(is_locked) => {
                self.support.is_present.store(true, Ordering::Relaxed);
                return Ok(if is_locked { TryLock::Locked } else { TryLock::Busy });
            }
            Err(cause) => cause,
        };
        match cause.raw_os_error() {
            Some(libc::EINTR) => Ok(TryLock::Busy),
            Some(libc::ENOLCK) if !self.support.is_missing.load(Ordering::Relaxed) => {
                tries.refused += 1;
                if self.support.is_present.load(Ordering::Relaxed) || tries.refused < TRIES {
                    return Ok(TryLock::Busy);
                }
                self.support.is_missing.store(true, Ordering::Relaxed);
                Ok(TryLock::Unsupported)
            }
            Some(libc::ENOLCK | libc::EOPNOTSUPP | libc::ENOSYS) => Ok(TryLock::Unsupported),
            _ => {
                let message = format!("{} could not be locked", handle.path.display());
                Err(Error::new(ErrorKind::LockAcquisition, message).at(&handle.path).because_of(&cause))
            }
        }
    }

    fn pause(&self, tries: &mut Tries, deadline: &Deadline<'_>) -> Result<()> {
        self.check_deadline(deadline)?;
        self.fs.sleep(tries.pauses.next());
        Ok(())
    }

    fn check_deadline(&self, deadline: &Deadline<'_>) -> Result<()> {
        self.check_deadline_naming(deadline, &|| {
            let open = lock(&self.open).clone();
            let holder = open.and_then(|open| self.read_note(&open)).filter(|note| self.is_holder_alive(note));
            holder.unwrap_or_else(|| "a reader, or a process that left no name".to_owned())
        })
    }

    /// Fails if the deadline has passed, and names the holder.
    fn check_deadline_naming(&self, deadline: &Deadline<'_>, holder: &dyn Fn() -> String) -> Result<()> {
        if deadline.is_over()? { Err(self.too_late(&holder(), deadline)) } else { Ok(()) }
    }

    /// Whether the process in the note about the holder is alive, or may be if the system does not reveal processes.
    fn is_holder_alive(&self, note: &str) -> bool {
        let pid = note.strip_prefix("pid ").and_then(|rest| rest.split(' ').next()).and_then(|pid| pid.parse().ok());
        pid.is_some_and(|pid| self.fs.process(pid).is_some() || self.fs.process(std::process::id()).is_none())
    }

    fn too_late(&self, holder: &str, deadline: &Deadline<'_>) -> Error {
        Error::new(
            ErrorKind::LockAcquisition,
            format!(
                "{} was not free within {} ms; it is held by {holder}; try again with back-off",
                self.lock_path.display(),
                deadline.timeout.as_millis()
            ),
        )
        .at(&self.lock_path)
    }

    /// Releases the kernel's lock, unless other readers of this process still share it.
    fn leave(&self, mode: Mode, open: &Descriptors) {
        let mut state = self.queue.lock();
        state.release(mode);
        // Should this ever fail, closing the descriptor releases the lock.
        if state.readers == 0 && self.fs.unlock(&open.lock).is_err() {
            *lock(&self.open) = None;
        }
    }

    /// The note about the holder, empty if there is none; `None` if it cannot be read.
    fn read_note(&self, open: &Descriptors) -> Option<String> {
        let mut note = [0; HOLDER_BYTES];
        let length = self.fs.read_holder(&open.lock, &mut note).ok()?;
        Some(String::from_utf8_lossy(&note[..length]).trim().to_owned())
    }

    /// Writes the note about this holder, and returns whether the previous writer's note was still there.
    fn note_holder(&self, open: &Descriptors) -> bool {
        let was_finished = self.read_note(open).is_some_and(|note| note.is_empty());
        let since: DateTime<Utc> = self.fs.now().into();
        let note = format!("pid {} since {}", std::process::id(), since.to_rfc3339_opts(SecondsFormat::Millis, true));
        // This overwrites 64 bytes by 64 bytes: if it fails, data cannot be written either.
        let _ = self.fs.write_holder(&open.lock, format!("{note:<width$}\n", width = HOLDER_BYTES - 1).as_bytes());
        !was_finished
    }

    fn blank_note(&self, open: &Descriptors) {
        let blank = format!("{:<width$}\n", "", width = HOLDER_BYTES - 1);
        // A note that stays only makes the next write take longer.
        let _ = self.fs.write_holder(&open.lock, blank.as_bytes());
    }
}

/// A held lock. Dropping it releases it.
#[derive(Debug)]
pub struct Guard {
    file: Arc<LockFile>,
    mode: Mode,
    held: Held,
    order: Arc<Order>,
    /// A forked child must not release its parent's lock.
    pid: u32,
    is_behind_unfinished: bool,
    is_unfinished: AtomicBool,
}

impl Guard {
    /// Whether the previous writer died or failed: what it wrote can be read, but may not be durable.
    pub(crate) fn is_behind_unfinished(&self) -> bool {
        self.is_behind_unfinished
    }

    /// Sets whether the note is left in place, which shows the next writer that this one did not finish.
    pub(crate) fn leave_unfinished(&self, is_unfinished: bool) {
        self.is_unfinished.store(is_unfinished, Ordering::Relaxed);
    }

    /// Takes the jobs at the head of the queue, which this holder must then perform.
    pub(in crate::disk) fn take_jobs<J: Any + Send + Sync>(&self) -> Vec<Arc<J>> {
        self.file.queue.take_jobs(&self.order)
    }

    /// Waits until a submitted call reaches its queue, at most for `duration`; returns `false` at once if none is on its way.
    pub(in crate::disk) fn wait_for_another(&self, duration: Duration) -> bool {
        self.order.wait_for_another(duration)
    }

    /// Whether the lock is an owner file of this process.
    pub(in crate::disk) fn is_owner(&self) -> bool {
        matches!(self.held, Held::Owner(..))
    }

    /// Whether this is a reader without a lock on a file that writers lock.
    pub(in crate::disk) fn is_unlocked(&self) -> bool {
        matches!(self.held, Held::Unlocked)
    }

    /// Whether the kernel holds the lock for this process.
    pub(in crate::disk) fn is_flock(&self) -> bool {
        matches!(self.held, Held::Flock(_))
    }

    /// Whether any lock is held; a reader may do without.
    pub(in crate::disk) fn is_locked(&self) -> bool {
        !matches!(self.held, Held::Nothing | Held::Unlocked)
    }

    /// Checks that the lock is still held, before a write takes effect. Locks in the kernel cannot be lost.
    ///
    /// # Errors
    /// `LockAcquisitionError` if another process took it over; `IOError`.
    pub(crate) fn confirm(&self) -> Result<()> {
        match &self.held {
            Held::Owner(owned, _) => owned.confirm(),
            Held::Flock(_) | Held::Unlocked | Held::Nothing => Ok(()),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.pid != std::process::id() {
            return;
        }
        let held = std::mem::replace(&mut self.held, Held::Nothing);
        match &held {
            Held::Flock(open) if self.mode == Mode::Exclusive && !*self.is_unfinished.get_mut() => {
                self.file.blank_note(open);
            }
            // After a takeover the note belongs to the new owner.
            Held::Owner(owned, open) if owned.confirm().is_ok() && !*self.is_unfinished.get_mut() => {
                self.file.blank_note(open);
            }
            _ => {}
        }
        match held {
            Held::Nothing | Held::Unlocked => return,
            Held::Flock(open) => self.file.leave(self.mode, &open),
            Held::Owner(owned, _) => {
                drop(owned);
                self.file.queue.lock().release(self.mode);
            }
        }
        self.file.queue.notify();
    }
}
