//! Durable files: atomic replace, append, locks, and one trait over the system calls.
//!
//! A [`DocumentFile`] is one JSON document that is replaced as a whole; a [`JournalFile`] is a list of JSON lines that
//! grows at its end; a [`Folder`] holds values and lists that change together. All promise:
//!
//! - A write that returned `Ok` survives kill -9 and power loss; any other is wholly there or wholly absent.
//! - Writers of every process take the same advisory lock (`NAME.lock` through the turnstile `NAME.gate`), in the
//!   order in which they came, with a time-out, and the error names the holder.
//! - A file that does not parse is never overwritten, and fields that this version does not know are kept. Only
//!   `examine` brings such a file back, when it is told to, and keeps it as it was beside itself first.
//! - What a host wrote comes in only as [`Sealed`](crate::safety::Sealed).
//!
//! Every system call goes through [`Fs`], so that tests can record and break each of them ([`Recording`],
//! [`Faulty`]).
//!
//! `fs` is that seam, `locks` says whose turn it is, `files` are the kinds of data files, and `repair` brings damaged ones
//! back. Each needs only those before it.

mod files;
mod fs;
mod locks;
mod repair;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use files::document::{Document, DocumentFile, DocumentSchema, Edit, Found, MAX_DOCUMENT_BYTES, RecordIndex};
pub use files::folder::{Folder, FolderEdit, FolderTransaction};
pub use files::journal::{Journal, JournalFile, Limits, Line, MAX_JOURNAL_BYTES};
pub use files::record::RecordFile;
pub use files::stored::{Json, Raw, Reader, Recorded, Row, Stored};
#[cfg(any(test, feature = "testing"))]
pub use fs::faulty::{Fault, Faulty};
pub use fs::limitation::FsLimitation;
pub use fs::per_process::PerProcess;
pub use fs::real::RealFs;
#[cfg(any(test, feature = "testing"))]
pub use fs::recording::{Recording, Step};
pub use fs::seam::{Fs, Handle, Kind, Open, Process, Stat, Sync};
pub use locks::lease::Lease;
pub use locks::lock::{Guard, Mode};
pub(crate) use locks::queue::Deadline;

pub use locks::wait::{Cancel, Ticket, TicketQueue, WaitOptions};

pub use crate::safety::Fields;

pub(crate) use files::lines::read_line;
pub(crate) use files::text::refuse_newer;
pub(crate) use files::value::{read_value, with_value};
pub(crate) use fs::names::beside;
pub(crate) use repair::file_check::{Listing, not_a_file, quarantined};
pub(crate) use repair::inspection::{Inspection, Places, Repair, counted, reason};

use files::cache::{Cache, Lookup, Parsed};
use files::text::MAX_LIST_BYTES;
use files::{copy, durable};
use fs::folders::check_folders;
use fs::mutex::lock;
use fs::seam::{if_there, read_file, unread};
use fs::writing;
use locks::lease::Leases;
use locks::lock::Locks;
use locks::owner;

use crate::error::{Error, Result};
use crate::safety::Redactor;
use crate::warning::Warning;

/// What a user may choose about files that cannot be locked or replaced as they should.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// How long a fallback lock whose owner is unknown must stand still before it is taken over.
    pub lock_stale: Duration,
    /// Whether a file that nothing can be renamed onto is an error. Otherwise it is copied over, with a whole copy beside
    /// it until that is done.
    pub strong_atomicity: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { lock_stale: Duration::from_secs(10), strong_atomicity: false }
    }
}

/// The files of one home: the system calls, the locks held and the files parsed.
#[derive(Debug)]
pub struct Disk {
    fs: Arc<dyn Fs>,
    /// The folder that all data files lie in.
    root: PathBuf,
    policy: Policy,
    /// What warnings go through.
    redactor: Redactor,
    locks: Locks,
    leases: Leases,
    cache: Cache,
    /// Files whose litter this process has looked for.
    swept: PerProcess<Mutex<HashSet<PathBuf>>>,
}

impl Disk {
    /// A disk of the data files below `root`, over these system calls.
    pub fn new(fs: Arc<dyn Fs>, root: &Path) -> Self {
        let policy = Policy::default();
        Disk {
            locks: Locks::new(Arc::clone(&fs), root, policy.lock_stale),
            leases: Leases::default(),
            cache: Cache::default(),
            swept: PerProcess::default(),
            root: root.to_owned(),
            policy,
            redactor: Redactor::default(),
            fs,
        }
    }

    /// The same disk, before anything of it was locked, with what the user chose.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.locks.set_stale_after(policy.lock_stale);
        self.policy = policy;
        self
    }

    /// The same disk, before anything of it was locked, with what takes secrets out of its warnings.
    #[must_use]
    pub fn with_redactor(mut self, redactor: &Redactor) -> Self {
        self.locks.set_redactor(redactor);
        self.redactor = redactor.clone();
        self
    }

    /// Logs a warning, without a secret.
    pub(crate) fn warn(&self, warning: Warning) {
        warning.emit(&self.redactor);
    }

    /// The bytes of a file of at most `most` bytes; `None` when there is none.
    ///
    /// # Errors
    /// `IOError` naming the path; `ParseError` when the file is larger.
    pub fn read_if_there(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
        let read = if_there(read_file(&*self.fs, path, most)).map_err(|cause| unread(path, &cause))?;
        Ok(read.map(|(_, _, bytes)| bytes))
    }

    /// The bytes of a regular file that is not loopmem's own, links followed; `None` when there is none.
    ///
    /// # Errors
    /// The system call's own: what it means is for the caller to say. `FileTooLarge` for more than `most` bytes; anything
    /// that is no regular file is refused, and never waited for.
    pub(crate) fn read_foreign(&self, path: &Path, most: u64) -> std::io::Result<Option<Vec<u8>>> {
        if_there(self.fs.open(path, Open::ReadTarget).and_then(|handle| self.fs.read(&handle, most)))
    }

    /// Opens a regular file that is not loopmem's own, links followed, to read parts of it; `None` when there is none.
    ///
    /// # Errors
    /// As [`read_foreign`](Self::read_foreign).
    pub(crate) fn open_foreign(&self, path: &Path) -> std::io::Result<Option<Handle>> {
        if_there(self.fs.open(path, Open::ReadTarget))
    }

    /// Reads from `offset` of a file that [`open_foreign`](Self::open_foreign) opened; returns how many bytes there were.
    ///
    /// # Errors
    /// The system call's own.
    pub(crate) fn read_foreign_at(&self, file: &Handle, bytes: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.fs.read_at(file, bytes, offset)
    }

    /// What is at `path` that is not loopmem's own, links followed; `None` when nothing is.
    ///
    /// # Errors
    /// The system call's own.
    pub(crate) fn stat_foreign(&self, path: &Path) -> std::io::Result<Option<Stat>> {
        if_there(self.fs.stat_target(path))
    }

    /// As [`stat_foreign`](Self::stat_foreign), of a link at the leaf itself.
    ///
    /// # Errors
    /// The system call's own.
    pub(crate) fn stat_foreign_entry(&self, path: &Path) -> std::io::Result<Option<Stat>> {
        if_there(self.fs.stat_path(path))
    }

    /// What a data file of at most `most` bytes says, though it may just be copied over; `None` when there is none.
    fn read_data(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
        let read = copy::read(&*self.fs, path, most).map_err(|cause| unread(path, &cause))?;
        Ok(read.map(|(_, _, bytes)| bytes))
    }

    /// What stands at `path`, links followed; `None` when nothing does.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn kind_of(&self, path: &Path) -> Result<Option<Kind>> {
        let stat = if_there(self.fs.stat_target(path)).map_err(|cause| Error::io("look at", path, &cause))?;
        Ok(stat.map(|stat| stat.kind))
    }

    /// How long the file at `path` is, in bytes, links followed; `None` when there is none.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn size_of(&self, path: &Path) -> Result<Option<u64>> {
        let stat = if_there(self.fs.stat_target(path)).map_err(|cause| Error::io("look at", path, &cause))?;
        Ok(stat.map(|stat| stat.size))
    }

    /// What stands at `path` itself, a link too; `None` when nothing does.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub(crate) fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        if_there(self.fs.stat_path(path)).map_err(|cause| Error::io("look at", path, &cause))
    }

    /// What is in a folder, by name; nothing when there is no such folder.
    ///
    /// # Errors
    /// `IOError` naming the path.
    pub fn entries(&self, folder: &Path) -> Result<Vec<(OsString, Stat)>> {
        self.entries_called(folder, |_| true)
    }

    /// As [`entries`](Self::entries), of what has a name that `is_wanted`.
    fn entries_called(&self, folder: &Path, is_wanted: impl Fn(&OsString) -> bool) -> Result<Vec<(OsString, Stat)>> {
        self.check_folder(folder)?;
        let names = if_there(self.fs.list(folder)).map_err(|cause| Error::io("list", folder, &cause))?;
        let mut names = names.unwrap_or_default();
        names.retain(is_wanted);
        names.sort();
        self.entries_named(folder, names)
    }

    /// What is in a folder under these names, in their order.
    fn entries_named(&self, folder: &Path, names: impl IntoIterator<Item = OsString>) -> Result<Vec<(OsString, Stat)>> {
        check_folders(&*self.fs, &self.root, folder)?;
        let mut entries = Vec::new();
        for name in names {
            let path = folder.join(&name);
            // It may be removed since it was listed.
            let stat = if_there(self.fs.stat_path(&path)).map_err(|cause| Error::io("look at", &path, &cause))?;
            entries.extend(stat.map(|stat| (name, stat)));
        }
        Ok(entries)
    }

    /// As `check_folders`, for a folder of this home.
    fn check_folder(&self, folder: &Path) -> Result<()> {
        check_folders(&*self.fs, &self.root, folder)
    }

    /// As `check_folders`, for a data file of this home that is used without its lock.
    fn check_folders_of(&self, file: &Path) -> Result<()> {
        file.parent().map_or(Ok(()), |folder| self.check_folder(folder))
    }

    /// As [`check_folders_of`](Self::check_folders_of), under the guard of the file's own lock. A lock that is held is
    /// known to be the file beside it, so that the way there was checked when it was opened.
    fn check_folders_under(&self, guard: &Guard, file: &Path) -> Result<()> {
        if guard.is_flock() { Ok(()) } else { self.check_folders_of(file) }
    }

    /// As `check_folders`, for a file in a folder whose lock is beside it, and held.
    fn check_within(&self, folder: &Path, file: &Path) -> Result<()> {
        let (Some(above), Some(within)) = (folder.parent(), file.parent()) else { return Ok(()) };
        check_folders(&*self.fs, above, within)
    }

    /// `path` without links and dots.
    ///
    /// # Errors
    /// The system call's own: what it means is for the caller to say.
    pub fn canonical(&self, path: &Path) -> std::io::Result<PathBuf> {
        self.fs.canonical(path)
    }

    /// Whether this process may make and replace files in the folder at `path`. Nothing is written to find out.
    pub(crate) fn is_writable(&self, path: &Path) -> std::io::Result<bool> {
        self.fs.is_writable(path)
    }

    /// Whether anything at all has this name, a dangling link too.
    pub fn has_entry(&self, path: &Path) -> bool {
        self.fs.stat_path(path).is_ok()
    }

    /// How long a call goes on with what is no file: as long as it says, else `default_timeout`.
    pub(crate) fn deadline<'w>(&'w self, wait: &'w WaitOptions, default_timeout: Duration) -> Deadline<'w> {
        Deadline::new(&*self.fs, wait, default_timeout)
    }

    /// As [`deadline`](Self::deadline), for what the call does itself: a time-out of zero waits for nobody and does it all
    /// the same.
    pub(crate) fn work_deadline<'w>(&'w self, wait: &'w WaitOptions, default_timeout: Duration) -> Deadline<'w> {
        Deadline::for_work(&*self.fs, wait, default_timeout)
    }

    /// The order in which calls are submitted.
    pub fn tickets(&self) -> &TicketQueue {
        self.locks.tickets()
    }

    /// Waits for the lease of `name`, which stands for no file.
    ///
    /// # Errors
    /// `LockAcquisitionError` after `wait.timeout`, or `default_timeout` when the call has none; `Cancelled`.
    pub fn lease(&self, name: &str, mode: Mode, wait: &WaitOptions, default_timeout: Duration) -> Result<Lease> {
        self.leases.take(name, mode, self.tickets(), wait, &self.deadline(wait, default_timeout))
    }

    /// Waits for the lock of `data`, as everything here does, for a room that reads and writes the file by itself.
    ///
    /// # Errors
    /// `LockAcquisitionError` naming the holder after `wait.timeout`, or `default_timeout` when the call has none; `Cancelled`,
    /// `IOError`.
    pub(crate) fn lock(&self, data: &Path, mode: Mode, wait: &WaitOptions, default_timeout: Duration) -> Result<Guard> {
        self.locks.acquire(data, mode, wait, default_timeout)
    }

    /// Makes `path` an empty file of mode 0600, durably, and takes away before what `suffixes` name beside it. Under its
    /// lock.
    ///
    /// # Errors
    /// `IOError`, `RenameError`.
    pub(crate) fn create_empty(&self, guard: &Guard, path: &Path, suffixes: &[&str]) -> Result<()> {
        for left in suffixes.iter().map(|suffix| beside(path, suffix)) {
            if_there(self.fs.remove(&left)).map_err(|cause| Error::io("remove", &left, &cause))?;
        }
        self.replace(guard, path, b"").map(drop)
    }

    /// What the file was parsed into, parsed again when it changed since; the default when there is none. A reader gives
    /// its guard away: it is dropped as soon as the bytes are there, before they are parsed.
    fn load<C: Parsed>(&self, path: &Path, guard: Option<Guard>) -> Result<Arc<C>> {
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

    /// Puts `bytes` in the place of `target`, wholly or not at all, and durably. Under its lock.
    fn replace(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        self.sweep(guard, target);
        self.put(guard, target, bytes).inspect_err(|_| self.sweep_again(target))
    }

    /// As [`replace`](Self::replace), where litter is swept already.
    fn put(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        guard.leave_unfinished(true);
        // One that failed may yet be what is read: by a copy that stands beside the target, which shows nothing of it.
        let replaced = self.put_bare(guard, target, bytes).inspect_err(|_| self.cache.forget(target))?;
        guard.leave_unfinished(false);
        Ok(replaced)
    }

    /// As [`put`](Self::put), where nobody reads the file by the cache or goes on behind it.
    fn put_bare(&self, guard: &Guard, target: &Path, bytes: &[u8]) -> Result<Handle> {
        durable::replace(self.place(), guard, target, bytes)
    }

    fn place(&self) -> durable::Place<'_> {
        durable::Place { fs: &*self.fs, root: &self.root, strong_atomicity: self.policy.strong_atomicity }
    }

    /// A write of `target` that failed may have left a file behind: the next one looks once more.
    fn sweep_again(&self, target: &Path) {
        lock(self.swept.get()).remove(target);
    }

    /// Appends `lines` to `target`, durably. Under its lock.
    fn append(&self, guard: &Guard, target: &Path, lines: &[u8], is_new: bool) -> Result<Handle> {
        guard.leave_unfinished(true);
        let (file, before) = durable::open_to_append(self.place(), guard, target, is_new)?;
        self.append_or_restore(guard, &file, before, lines)?;
        guard.leave_unfinished(false);
        Ok(file)
    }

    /// As [`append`](Self::append), to an open file that has been there before and has this length.
    fn append_to(&self, guard: &Guard, file: &Handle, before: u64, lines: &[u8]) -> Result<()> {
        guard.confirm()?;
        guard.leave_unfinished(true);
        self.append_or_restore(guard, file, before, lines)?;
        guard.leave_unfinished(false);
        Ok(())
    }

    /// Appends; after a failure the file is replaced by what it was before, `before` bytes long. Where that fails too, the
    /// error says that the lines may be stored.
    fn append_or_restore(&self, guard: &Guard, file: &Handle, before: u64, lines: &[u8]) -> Result<()> {
        durable::append(&*self.fs, file, lines).map_err(|failed| match self.restore(guard, file, before) {
            Ok(()) => failed,
            // The guard's note makes the next writer rewrite the file.
            Err(_) => failed.maybe_stored(),
        })
    }

    /// Puts the first `length` bytes of the open file in its place.
    fn restore(&self, guard: &Guard, file: &Handle, length: u64) -> Result<()> {
        let target = &file.path;
        let bytes = self.fs.read(file, MAX_LIST_BYTES).map_err(|cause| unread(target, &cause))?;
        let whole = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
        let whole = whole.ok_or_else(|| Error::io("read", target, &std::io::ErrorKind::UnexpectedEof.into()))?;
        self.replace(guard, target, whole).map(drop)
    }

    /// Finishes what a writer that died has left half copied. Under its lock.
    ///
    /// # Errors
    /// `IOError`.
    fn settle(&self, guard: &Guard, target: &Path) -> Result<()> {
        let copying = copy::copying(target);
        if !copy::is_copying(&*self.fs, target).map_err(|cause| Error::io("look at", &copying, &cause))? {
            return Ok(());
        }
        let Some(bytes) = self.read_if_there(&copying, MAX_LIST_BYTES)? else { return Ok(()) };
        self.warn(Warning::new("a copy that was not finished is finished now").at(target));
        guard.confirm()?;
        // Until it is known that the copy is gone for good, nobody may append behind what it says.
        guard.leave_unfinished(true);
        copy::finish(&*self.fs, target, &bytes)?;
        guard.leave_unfinished(guard.is_behind_unfinished());
        Ok(())
    }

    /// Removes what a writer of `target` left when it died, the first time this process writes it. Where locks are files,
    /// each time: giving one back may leave something too. Under its lock.
    fn sweep(&self, guard: &Guard, target: &Path) {
        let is_first = lock(self.swept.get()).insert(target.to_owned());
        if is_first || guard.is_owner() {
            writing::sweep_litter(&*self.fs, target);
        }
    }

    /// As [`sweep`](Self::sweep), for all files of a folder that has one lock.
    fn sweep_folder(&self, guard: &Guard, folder: &Path) {
        let is_first = lock(self.swept.get()).insert(folder.to_owned());
        if is_first || guard.is_owner() {
            writing::sweep_folder(&*self.fs, folder);
        }
        self.sweep_owners(guard, folder);
    }

    /// Removes what giving back the lock of a folder left, where locks are files. Under that lock.
    fn sweep_owners(&self, guard: &Guard, folder: &Path) {
        if guard.is_owner() {
            writing::sweep_litter(&*self.fs, &beside(folder, owner::SUFFIX));
        }
    }
}
