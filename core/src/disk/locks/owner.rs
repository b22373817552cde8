//! The fallback if `flock` is not supported, as on some network file systems: a lock file that belongs to its creator.
//!
//! `NAME.lock.owner` is created with `O_EXCL` and names its owner: a random token, and the boot id, pid namespace, pid and
//! start time of the process. Other processes wait. The file is taken over if its owner is dead. If that cannot be
//! determined, as for a process on another machine, it is taken over once it has been unchanged for the stale time by the
//! observer's own clock, since a live owner writes to it periodically. A takeover is itself done under such a file (`….take`),
//! by renaming and then checking what was renamed, so that two processes cannot both take over from the same dead owner.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::watch::Watch;
use crate::disk::fs::per_process::PerProcess;
use crate::disk::fs::seam::{Fs, Handle, Open, Process, Sync, if_there, read_file};
use crate::disk::fs::writing::{beside, write_all};
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;
use crate::warning::Warning;

/// The suffix of the lock file's name.
pub(in crate::disk) const SUFFIX: &str = ".lock.owner";
const MAX_BYTES: u64 = 1 << 16;
/// Digits of the heartbeat, which has a fixed width and a separate line, so that it can be overwritten.
const BEAT_DIGITS: usize = 20;

/// The tokens of lock files that this process failed to release. A lock file of this process with any other token is in use,
/// possibly by another copy of this library.
static LEFT_BEHIND: PerProcess<Mutex<HashSet<String>>> = PerProcess::new();

/// The owner of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Owner {
    token: String,
    #[serde(flatten)]
    process: Option<Process>,
}

/// An existing lock file, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    identity: (u64, u64),
    bytes: Vec<u8>,
}

/// Whether the owner of a lock file is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::disk) enum Liveness {
    Alive,
    Dead,
    Unknown,
}

/// A lock file of this process. Dropping it releases it.
#[derive(Debug)]
pub(in crate::disk) struct Ownership {
    fs: Arc<dyn Fs>,
    path: PathBuf,
    identity: (u64, u64),
    token: String,
    heartbeat: Arc<Heartbeat>,
    /// A forked child must not release its parent's lock.
    pid: u32,
}

impl Ownership {
    /// Creates the lock file at `path`. While it belongs to another owner, `pause` is called repeatedly with a description of
    /// that owner; it sleeps for a moment, or fails if the wait has to end. Warnings go to `warn`.
    ///
    /// # Errors
    /// The error of `pause`; `IOError`.
    pub(in crate::disk) fn acquire(
        fs: &Arc<dyn Fs>,
        path: &Path,
        watch: &Watch,
        stale_after: Duration,
        pause: &mut dyn FnMut(&dyn Fn() -> String) -> Result<()>,
        warn: &dyn Fn(Warning),
    ) -> Result<Self> {
        loop {
            match fs.open(path, Open::CreateNew) {
                Ok(handle) => {
                    watch.forget(&**fs, path);
                    return Ownership::begin(fs, path, handle, stale_after);
                }
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(Error::io("create the lock file", path, &cause)),
            }
            // Released since.
            let Some(found) = look(&**fs, path)? else { continue };
            let is_stale = match found.liveness(&**fs) {
                Liveness::Alive => false,
                Liveness::Dead => true,
                Liveness::Unknown => watch.is_stale(&**fs, path, &found.bytes, stale_after),
            };
            if is_stale {
                let taker = Ownership::acquire(fs, &beside(path, ".take"), watch, stale_after, pause, warn)?;
                warn(Warning::new("the owner of a lock is gone; the lock was taken over").at(path));
                displace(&**fs, path, &taker.token, |now| *now == found)?;
            } else {
                pause(&|| found.describe_owner(&**fs, path, stale_after))?;
            }
        }
    }

    fn begin(fs: &Arc<dyn Fs>, path: &Path, handle: Handle, stale_after: Duration) -> Result<Self> {
        let owner = Owner { token: Uuid::new_v4().simple().to_string(), process: fs.process(std::process::id()) };
        let failed = |cause: io::Error| Error::io("write the lock file", path, &cause);
        let written = serde_json::to_string(&owner)
            .map_err(|cause| failed(cause.into()))
            .and_then(|owner| write_all(&**fs, &handle, format!("{}\n{owner}\n", beat(0)).as_bytes()))
            .and_then(|()| fs.sync(&handle, Sync::Data).and_then(|()| fs.stat(&handle)).map_err(failed));
        let stat = match written {
            Ok(stat) => stat,
            Err(failed) => {
                if fs.remove(path).is_err() {
                    left_behind().insert(owner.token);
                }
                return Err(failed);
            }
        };
        let heartbeat = Heartbeat::start(Arc::clone(fs), handle, (stale_after / 4).max(Duration::from_millis(1)));
        let (fs, path, pid) = (Arc::clone(fs), path.to_owned(), std::process::id());
        Ok(Ownership { fs, path, identity: (stat.device, stat.inode), token: owner.token, heartbeat, pid })
    }

    /// Checks that it is still owned: a process that was suspended for longer than the stale time may have lost it.
    ///
    /// # Errors
    /// `LockAcquisitionError` if another process has taken it over; `IOError`.
    pub(in crate::disk) fn confirm(&self) -> Result<()> {
        match look(&*self.fs, &self.path)? {
            Some(found) if self.is_own(&found) => Ok(()),
            _ => Err(Error::new(
                ErrorKind::LockAcquisition,
                format!("{} was taken over by another process; nothing was written; try again", self.path.display()),
            )
            .at(&self.path)),
        }
    }

    fn is_own(&self, found: &Found) -> bool {
        found.identity == self.identity && found.owner().is_some_and(|owner| owner.token == self.token)
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        if self.pid != std::process::id() {
            return;
        }
        self.heartbeat.stop();
        // If this fails, others treat the token as one of a dead owner.
        if displace(&*self.fs, &self.path, &self.token, |found| self.is_own(found)).is_err() {
            left_behind().insert(std::mem::take(&mut self.token));
        }
    }
}

fn left_behind() -> MutexGuard<'static, HashSet<String>> {
    lock(LEFT_BEHIND.get())
}

impl Found {
    fn owner(&self) -> Option<Owner> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        serde_json::from_str(text.split_once('\n')?.1).ok()
    }

    /// Describes the owner of the lock file at `path`, for the error of a call that waited for it.
    fn describe_owner(&self, fs: &dyn Fs, path: &Path, stale_after: Duration) -> String {
        let Some(process) = self.owner().and_then(|owner| owner.process) else {
            return format!("an owner that {} does not name", path.display());
        };
        if fs.process(std::process::id()).as_ref() == Some(&process) {
            return "another call of this process".to_owned();
        }
        match self.liveness(fs) {
            Liveness::Alive | Liveness::Dead => format!("pid {}", process.pid),
            Liveness::Unknown => format!(
                "pid {} on another machine, in another container or from before a restart; its lock is taken over once it \
                 has been unchanged for {} ms (memory.lockStaleMs)",
                process.pid,
                stale_after.as_millis()
            ),
        }
    }

    fn liveness(&self, fs: &dyn Fs) -> Liveness {
        // The file is being written, or its creator died while writing it.
        let Some(owner) = self.owner() else { return Liveness::Unknown };
        let Some(process) = owner.process else { return Liveness::Unknown };
        let Some(own) = fs.process(std::process::id()) else { return Liveness::Unknown };
        if (&process.boot, &process.namespace) != (&own.boot, &own.namespace) {
            return Liveness::Unknown;
        }
        if process == own {
            return if left_behind().contains(&owner.token) { Liveness::Dead } else { Liveness::Unknown };
        }
        match fs.process(process.pid) {
            Some(running) if running == process => Liveness::Alive,
            // If not even process 1 is visible, an invisible process may well be alive.
            None if fs.process(1).is_none() => Liveness::Unknown,
            _ => Liveness::Dead,
        }
    }
}

/// Whether the name of a data file followed by `suffix` is that of such a lock file.
pub(in crate::disk) fn is_lock_file(suffix: &str) -> bool {
    suffix.strip_prefix(SUFFIX).is_some_and(|rest| rest.replace(".take", "").is_empty())
}

/// Whether `path` is the lock file of `data`, and not the one for its takeover.
pub(in crate::disk) fn is_lock_of(data: &Path, path: &Path) -> bool {
    path.as_os_str() == beside(data, SUFFIX)
}

/// Whether the owner of the lock file at `path` is alive; `None` if there is no such file, or it belongs to this process.
pub(in crate::disk) fn owner_liveness(fs: &dyn Fs, path: &Path) -> Option<Liveness> {
    let found = look(fs, path).ok()??;
    let process = found.owner().and_then(|owner| owner.process);
    let is_own = process.is_some() && process == fs.process(std::process::id());
    let life = found.liveness(fs);
    (life == Liveness::Dead || !is_own).then_some(life)
}

/// Removes the lock file at `path` if its owner is dead.
pub(in crate::disk) fn remove_dead(fs: &dyn Fs, path: &Path) -> Result<()> {
    displace(fs, path, &Uuid::new_v4().simple().to_string(), |found| found.liveness(fs) == Liveness::Dead)
}

/// Removes the lock file at `path` if it is the `expected` one, which is checked again after it was renamed out of the way.
fn displace(fs: &dyn Fs, path: &Path, token: &str, expected: impl Fn(&Found) -> bool) -> Result<()> {
    if !look(fs, path)?.is_some_and(|found| expected(&found)) {
        return Ok(());
    }
    let displaced = beside(path, &format!(".{token}.tmp"));
    let taken = if_there(fs.rename(path, &displaced));
    if taken.map_err(|cause| Error::io("move away the lock file", path, &cause))?.is_none() {
        return Ok(());
    }
    if look(fs, &displaced)?.is_some_and(|found| expected(&found)) {
        return fs.remove(&displaced).map_err(|cause| Error::io("remove", &displaced, &cause));
    }
    // The expected file was released in between, and this one belongs to the next owner.
    fs.rename(&displaced, path).map_err(|cause| Error::io("restore the lock file", path, &cause))
}

fn look(fs: &dyn Fs, path: &Path) -> Result<Option<Found>> {
    let found =
        if_there(read_file(fs, path, MAX_BYTES)).map_err(|cause| Error::io("read the lock file", path, &cause))?;
    Ok(found.map(|(_, stat, bytes)| Found { identity: (stat.device, stat.inode), bytes }))
}

fn beat(number: u64) -> String {
    format!("{number:0BEAT_DIGITS$}")
}

/// Writes to a lock file periodically, so that others see that its owner is alive.
#[derive(Debug, Default)]
struct Heartbeat {
    is_stopped: Mutex<bool>,
    stopped: Condvar,
}

impl Heartbeat {
    fn start(fs: Arc<dyn Fs>, handle: Handle, every: Duration) -> Arc<Self> {
        let heart = Arc::new(Heartbeat::default());
        let beating = Arc::clone(&heart);
        // Without the thread others may take over early, which `confirm` detects before anything is lost.
        let _ = std::thread::Builder::new().name("loopmem-heart".to_owned()).spawn(move || {
            for number in 1.. {
                let is_stopped = lock(&beating.is_stopped);
                let waited = beating.stopped.wait_timeout_while(is_stopped, every, |is_stopped| !*is_stopped);
                let (is_stopped, _) = waited.unwrap_or_else(PoisonError::into_inner);
                if *is_stopped {
                    return;
                }
                drop(is_stopped);
                // On a network file system, others see it only once it is synced.
                let _ = fs.write_holder(&handle, beat(number).as_bytes()).and_then(|()| fs.sync(&handle, Sync::Data));
            }
        });
        heart
    }

    fn stop(&self) {
        *lock(&self.is_stopped) = true;
        self.stopped.notify_all();
    }
}
