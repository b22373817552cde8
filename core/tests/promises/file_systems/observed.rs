//! A file system with a watcher that is called before every read and every change: a [`Recording`](super::Recording) or a
//! [`Faulty`](super::Faulty) one.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loopmem::testing::disk::{Fs, Handle, Kind, Open, Process, Stat, Sync};

/// One call, before it is made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Call<'a> {
    Open(&'a Path, Open),
    Read,
    Write(&'a Path, &'a [u8]),
    Sync(&'a Path, Sync),
    SyncFolder(&'a Path),
    Stat,
    SetMode(&'a Path, u32),
    Rename(&'a Path, &'a Path),
    Remove(&'a Path),
    CreateFolder(&'a Path),
    Lock,
}

/// An observer that is asked before each call.
pub(super) trait Watcher: Debug + Send + std::marker::Sync {
    /// Permits the call on `fs` with `Ok`; of a write, only the returned number of bytes (`None`: all).
    fn before(&self, fs: &dyn Fs, call: Call<'_>) -> io::Result<Option<usize>>;
}

/// An operation that a file system does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FsLimitation {
    /// `flock` is not supported.
    NoLocks,
    /// Renaming onto an existing file fails with `EBUSY`, as for one that is a mount point itself.
    NoReplace,
}

impl FsLimitation {
    pub(super) fn check(self, fs: &dyn Fs, call: Call<'_>) -> io::Result<()> {
        match (self, call) {
            (FsLimitation::NoLocks, Call::Lock) => Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP)),
            (FsLimitation::NoReplace, Call::Rename(_, to)) if fs.stat_path(to).is_ok() => {
                Err(io::Error::from_raw_os_error(libc::EBUSY))
            }
            _ => Ok(()),
        }
    }
}

/// A file system behind a watcher.
#[derive(Debug)]
pub(super) struct Observed<W> {
    pub(super) fs: Arc<dyn Fs>,
    pub(super) watcher: W,
}

/// Passes calls on to the file system; those with a [`Call`] only if the watcher permits it.
macro_rules! passed_on {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $answer:ty $(, if $call:expr)?;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> $answer {
            $(self.watcher.before(&*self.fs, $call)?;)?
            self.fs.$name($($argument),*)
        })*
    };
}
pub(super) use passed_on;

impl<W: Watcher> Fs for Observed<W> {
    passed_on! {
        fn open(path: &Path, how: Open) -> io::Result<Handle>, if Call::Open(path, how);
        fn read(handle: &Handle, limit: u64) -> io::Result<Vec<u8>>, if Call::Read;
        fn holds(handle: &Handle, bytes: &[u8]) -> io::Result<bool>, if Call::Read;
        fn read_at(handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize>, if Call::Read;
        fn process(pid: u32) -> Option<Process>;
        // Notes for error messages, not data: neither recorded nor made to fail.
        fn read_holder(handle: &Handle, bytes: &mut [u8]) -> io::Result<usize>;
        fn write_holder(handle: &Handle, bytes: &[u8]) -> io::Result<()>;
        fn stat(handle: &Handle) -> io::Result<Stat>, if Call::Stat;
        fn stat_path(path: &Path) -> io::Result<Stat>, if Call::Stat;
        fn stat_target(path: &Path) -> io::Result<Stat>, if Call::Stat;
        fn mount(path: &Path) -> Option<String>;
        fn read_link(path: &Path) -> io::Result<PathBuf>, if Call::Stat;
        fn canonical(path: &Path) -> io::Result<PathBuf>, if Call::Stat;
        fn set_mode(handle: &Handle, mode: u32) -> io::Result<()>, if Call::SetMode(handle.path(), mode);
        // It only spares reading a file again.
        fn set_modified(handle: &Handle, time: SystemTime) -> io::Result<()>;
        fn rename(from: &Path, to: &Path) -> io::Result<()>, if Call::Rename(from, to);
        fn remove(path: &Path) -> io::Result<()>, if Call::Remove(path);
        fn remove_folder(path: &Path) -> io::Result<()>, if Call::Remove(path);
        fn create_folder(path: &Path) -> io::Result<()>, if Call::CreateFolder(path);
        fn is_writable(path: &Path) -> io::Result<bool>, if Call::Stat;
        fn list(path: &Path) -> io::Result<Vec<OsString>>, if Call::Read;
        fn try_lock(handle: &Handle, exclusive: bool) -> io::Result<bool>, if Call::Lock;
        fn unlock(handle: &Handle) -> io::Result<()>;
        fn pin(handle: &Handle, bytes: Range<u64>) -> io::Result<()>;
        fn now() -> SystemTime;
        fn elapsed() -> Duration;
        fn sleep(duration: Duration) -> ();
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        let limit = self.watcher.before(&*self.fs, Call::Write(handle.path(), bytes))?.unwrap_or(bytes.len());
        self.fs.write(handle, &bytes[..limit.min(bytes.len())])
    }

    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()> {
        let is_folder = self.fs.stat(handle)?.kind == Kind::Folder;
        let call = if is_folder { Call::SyncFolder(handle.path()) } else { Call::Sync(handle.path(), what) };
        self.watcher.before(&*self.fs, call)?;
        self.fs.sync(handle, what)
    }
}
