//! The files of one home: their locks, and how they are read.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::cache::{Cache, Lookup, Parsed};
use super::line_file::Snapshots;
use crate::disk::fs::copying;
use crate::disk::fs::per_process::PerProcess;
use crate::disk::fs::seam::{Fs, Handle, Kind, Open, Stat, if_there, read_exactly, read_file, unread};
use crate::disk::fs::writing::{Introduction, check_folders};
use crate::disk::locks::lease::{Lease, Leases};
use crate::disk::locks::lock::{Guard, Locks};
use crate::disk::locks::queue::{Deadline, Mode};
use crate::disk::locks::wait::{TicketQueue, WaitOptions};
use crate::error::{Error, Result};
use crate::safety::Redactor;
use crate::warning::Warning;

/// What a user may configure for file systems on which files cannot be locked or replaced in the usual way.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// How long a fallback lock whose owner is unknown must be unchanged before it is taken over.
    pub lock_stale: Duration,
    /// Whether it is an error if no file can be renamed onto the target. If `false`, the target is overwritten in place,
    /// with a complete copy beside it until that is done.
    pub strong_atomicity: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { lock_stale: Duration::from_secs(10), strong_atomicity: false }
    }
}

/// The files of one home: its system calls, held locks and parsed files.
#[derive(Debug)]
pub struct Disk {
    pub(in crate::disk) fs: Arc<dyn Fs>,
    /// The folder that contains all data files.
    pub(in crate::disk) root: PathBuf,
    pub(in crate::disk) introduction: Option<Introduction>,
    pub(in crate::disk) policy: Policy,
    /// Redacts warnings.
    redactor: Redactor,
    pub(in crate::disk) locks: Locks,
    leases: Leases,
    pub(in crate::disk) cache: Cache,
    pub(in crate::disk) snapshots: Snapshots,
    /// Files whose temporary files this process has already cleaned up.
    pub(in crate::disk) swept: PerProcess<Mutex<HashSet<PathBuf>>>,
}

impl Disk {
    /// Creates a disk for the data files below `root`, over these system calls.
    pub fn new(fs: Arc<dyn Fs>, root: &Path) -> Self {
        let policy = Policy::default();
        Disk {
            locks: Locks::new(Arc::clone(&fs), root, policy.lock_stale),
            leases: Leases::default(),
            cache: Cache::default(),
            snapshots: Snapshots::default(),
            swept: PerProcess::default(),
            root: root.to_owned(),
            introduction: None,
            policy,
            redactor: Redactor::default(),
            fs,
        }
    }

    /// Creates a disk for the data files below another root, with the same system calls, policy, redactor and order of calls.
    pub(crate) fn for_root(&self, root: &Path) -> Self {
        let mut locks = Locks::new(Arc::clone(&self.fs), root, self.policy.lock_stale).in_order_of(&self.locks);
        locks.set_redactor(&self.redactor);
        Disk { locks, redactor: self.redactor.clone(), policy: self.policy, ..Disk::new(Arc::clone(&self.fs), root) }
    }

    /// Returns the disk with this policy. Only before anything was locked.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.locks.set_stale_after(policy.lock_stale);
        self.policy = policy;
        self
    }

    /// Returns the disk of a home with this file that says what it is. Only before anything was locked.
    #[must_use]
    pub(crate) fn with_introduction(mut self, introduction: Introduction) -> Self {
        self.locks.set_introduction(introduction);
        self.introduction = Some(introduction);
        self
    }

    /// Returns the disk with the redactor of its warnings. Only before anything was locked.
    #[must_use]
    pub fn with_redactor(mut self, redactor: &Redactor) -> Self {
        self.locks.set_redactor(redactor);
        self.redactor = redactor.clone();
        self
    }

    /// The system calls.
    #[cfg(feature = "testing")]
    pub fn fs(&self) -> &Arc<dyn Fs> {
        &self.fs
    }

    /// Logs a warning after redacting it.
    pub(crate) fn warn(&self, warning: Warning) {
        warning.emit(&self.redactor);
    }

    /// Reads a file of at most `limit` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// `IOError` naming the path; `ParseError` if the file is larger.
    pub fn read_if_there(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        let read = if_there(read_file(&*self.fs, path, limit)).map_err(|cause| unread(path, &cause))?;
        Ok(read.map(|(_, _, bytes)| bytes))
    }

    /// Reads a regular file that loopmem does not own, following links; `None` if it does not exist.
    ///
    /// # Errors
    /// The error of the system call, for the caller to interpret; `FileTooLarge` for more than `limit` bytes. Anything other
    /// than a regular file is refused without blocking.
    pub(crate) fn read_foreign(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if_there(self.fs.open(path, Open::ReadTarget).and_then(|handle| self.fs.read(&handle, limit)))
    }

    /// Opens a regular file that loopmem does not own, following links, to read parts of it; `None` if it does not exist.
    pub(crate) fn open_foreign(&self, path: &Path) -> io::Result<Option<Handle>> {
        if_there(self.fs.open(path, Open::ReadTarget))
    }

    /// Reads from `offset` of a file opened by [`open_foreign`](Self::open_foreign); returns the number of bytes read.
    pub(crate) fn read_foreign_at(&self, file: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.fs.read_at(file, bytes, offset)
    }

    /// Fills `bytes` from `offset` of a file opened by [`open_foreign`](Self::open_foreign); `UnexpectedEof` if it ends before.
    pub(crate) fn read_foreign_exactly(&self, file: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        read_exactly(&*self.fs, file, bytes, offset)
    }

    /// Stats a path that loopmem does not own, following links; `None` if nothing is there.
    pub(crate) fn stat_foreign(&self, path: &Path) -> io::Result<Option<Stat>> {
        if_there(self.fs.stat_target(path))
    }

    /// Like [`stat_foreign`](Self::stat_foreign), but does not follow a link at the leaf.
    pub(crate) fn stat_foreign_entry(&self, path: &Path) -> io::Result<Option<Stat>> {
        if_there(self.fs.stat_path(path))
    }

    /// Opens a regular file to read it from `offset` on, following links; `None` if it does not exist.
    ///
    /// # Errors
    /// The error of the system call. Anything other than a regular file is refused without blocking.
    pub(crate) fn read_foreign_from(&self, path: &Path, offset: u64) -> io::Result<Option<ForeignReader>> {
        let file = if_there(self.fs.open(path, Open::ReadTarget))?;
        Ok(file.map(|file| ForeignReader { fs: Arc::clone(&self.fs), file, offset }))
    }

    /// The names in a folder, sorted; `None` if it does not exist.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn list_foreign(&self, folder: &Path) -> io::Result<Option<Vec<OsString>>> {
        let mut names = if_there(self.fs.list(folder))?;
        names.iter_mut().for_each(|names| names.sort_unstable());
        Ok(names)
    }

    /// Reads a data file of at most `limit` bytes, even while it is being overwritten in place; `None` if it does not exist.
    pub(in crate::disk) fn read_data(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        let read = copying::read(&*self.fs, path, limit).map_err(|cause| unread(path, &cause))?;
        Ok(read.map(|(_, _, bytes)| bytes))
    }

    /// The kind of file at `path`, following links; `None` if nothing is there.
    pub fn kind_of(&self, path: &Path) -> Result<Option<Kind>> {
        let stat = if_there(self.fs.stat_target(path)).map_err(|cause| Error::io("stat", path, &cause))?;
        Ok(stat.map(|stat| stat.kind))
    }

    /// Stats `path` without following links; `None` if nothing is there.
    pub(crate) fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        if_there(self.fs.stat_path(path)).map_err(|cause| Error::io("stat", path, &cause))
    }

    /// The entries of a folder, sorted by name; empty if the folder does not exist.
    pub fn entries(&self, folder: &Path) -> Result<Vec<(OsString, Stat)>> {
        self.entries_called(folder, |_| true)
    }

    /// Like [`entries`](Self::entries), for names that `is_wanted` accepts.
    pub(in crate::disk) fn entries_called(
        &self,
        folder: &Path,
        is_wanted: impl Fn(&OsString) -> bool,
    ) -> Result<Vec<(OsString, Stat)>> {
        self.check_folder(folder)?;
        let names = if_there(self.fs.list(folder)).map_err(|cause| Error::io("list", folder, &cause))?;
        let mut names = names.unwrap_or_default();
        names.retain(is_wanted);
        names.sort();
        self.entries_named(folder, names)
    }

    /// The entries of a folder with these names, in their order.
    pub(in crate::disk) fn entries_named(
        &self,
        folder: &Path,
        names: impl IntoIterator<Item = OsString>,
    ) -> Result<Vec<(OsString, Stat)>> {
        check_folders(&*self.fs, &self.root, folder)?;
        let mut entries = Vec::new();
        for name in names {
            let path = folder.join(&name);
            // It may have been removed since the folder was listed.
            let stat = if_there(self.fs.stat_path(&path)).map_err(|cause| Error::io("stat", &path, &cause))?;
            entries.extend(stat.map(|stat| (name, stat)));
        }
        Ok(entries)
    }

    /// Like `check_folders`, for a folder of this home.
    pub(in crate::disk) fn check_folder(&self, folder: &Path) -> Result<()> {
        check_folders(&*self.fs, &self.root, folder)
    }

    /// Like `check_folders`, for a data file of this home that is used without its lock.
    pub(in crate::disk) fn check_folders_of(&self, file: &Path) -> Result<()> {
        file.parent().map_or(Ok(()), |folder| self.check_folder(folder))
    }

    /// Like [`check_folders_of`](Self::check_folders_of), while holding the file's lock. The lock file is beside the data
    /// file, so its path was checked when it was opened.
    pub(in crate::disk) fn check_folders_under(&self, guard: &Guard, file: &Path) -> Result<()> {
        if guard.is_flock() { Ok(()) } else { self.check_folders_of(file) }
    }

    /// Like `check_folders`, for a file in a folder whose lock is beside the folder and held.
    pub(in crate::disk) fn check_within(&self, folder: &Path, file: &Path) -> Result<()> {
        let (Some(above), Some(within)) = (folder.parent(), file.parent()) else { return Ok(()) };
        check_folders(&*self.fs, above, within)
    }

    /// Resolves links and dots in `path`.
    pub fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.fs.canonical(path)
    }

    /// Whether this process may create and replace files in the folder at `path`. Writes nothing to find out.
    pub(crate) fn is_writable(&self, path: &Path) -> io::Result<bool> {
        self.fs.is_writable(path)
    }

    /// Whether anything exists at this path, including a dangling link.
    pub fn has_entry(&self, path: &Path) -> bool {
        self.fs.stat_path(path).is_ok()
    }

    /// Sleeps, between two looks at something that does not notify.
    pub(crate) fn pause(&self, time: Duration) {
        self.fs.sleep(time);
    }

    /// The monotonic clock.
    pub(crate) fn elapsed(&self) -> Duration {
        self.fs.elapsed()
    }

    /// The deadline for waiting for something other than a lock: the call's time-out, or `default_timeout`.
    pub(crate) fn deadline<'w>(&'w self, wait: &'w WaitOptions, default_timeout: Duration) -> Deadline<'w> {
        Deadline::new(&*self.fs, wait, default_timeout)
    }

    /// Like [`deadline`](Self::deadline), for work of the call itself, which a time-out of zero does not prevent: that only
    /// says not to wait for others.
    pub(crate) fn work_deadline<'w>(&'w self, wait: &'w WaitOptions, default_timeout: Duration) -> Deadline<'w> {
        Deadline::for_work(&*self.fs, wait, default_timeout)
    }

    /// The order in which calls were submitted.
    pub fn tickets(&self) -> &TicketQueue {
        self.locks.tickets()
    }

    /// Waits for the lease of `name`, a lock that does not belong to a file.
    ///
    /// # Errors
    /// `LockAcquisitionError` after `wait.timeout`, or `default_timeout` if the call sets none; `Cancelled`.
    pub fn lease(&self, name: &str, mode: Mode, wait: &WaitOptions, default_timeout: Duration) -> Result<Lease> {
        self.leases.take(name, mode, self.tickets(), wait, &self.deadline(wait, default_timeout))
    }

    /// Waits for the lock of `data`, for a room that reads and writes the file by other means.
    ///
    /// # Errors
    /// `LockAcquisitionError` naming the holder after `wait.timeout`, or `default_timeout` if the call sets none; `Cancelled`,
    /// `IOError`.
    pub(crate) fn lock(&self, data: &Path, mode: Mode, wait: &WaitOptions, default_timeout: Duration) -> Result<Guard> {
        self.locks.acquire(data, mode, wait, default_timeout)
    }

    /// The parsed file, from the cache if it has not changed; the default value if it does not exist. A reader passes in its
    /// guard, which is dropped as soon as the bytes are read, before they are parsed.
    pub(in crate::disk) fn load<C: Parsed>(&self, path: &Path, guard: Option<Guard>) -> Result<Arc<C>> {
        let looked_up = self.cache.lookup::<C>(&*self.fs, path, C::MAX_BYTES)?;
        drop(guard);
        match looked_up {
            Lookup::Missing => Ok(Arc::default()),
            Lookup::Hit(parsed) => Ok(parsed),
            Lookup::Miss(bytes, reading) => {
                let parsed = Arc::new(C::parse(path, &bytes)?);
                parsed.warnings(path, &bytes).into_iter().for_each(|warning| self.warn(warning));
                self.cache.keep(path, reading, &parsed);
                Ok(parsed)
            }
        }
    }
}

/// Reads a file that loopmem does not own from some place on.
#[derive(Debug)]
pub(crate) struct ForeignReader {
    fs: Arc<dyn Fs>,
    file: Handle,
    offset: u64,
}

impl Read for ForeignReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.fs.read_at(&self.file, bytes, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}
