//! A file system with a watcher that is called before every read and every change.
//!
//! The two watchers are [`Recording`](crate::disk::Recording) and [`Faulty`](crate::disk::Faulty).

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::real::RealFs;
use super::seam::{Fs, Handle, Kind, Open, Process, Stat, Sync};

/// One call, before it is made.
#[derive(Debug, Clone, Copy)]
pub(in crate::disk) enum Call<'a> {
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
pub(in crate::disk) trait Watcher: Debug + Send + std::marker::Sync {
    /// Permits the call with `Ok`; of a write, only the returned number of bytes (`None`: all).
    fn before(&self, call: Call<'_>) -> io::Result<Option<usize>>;
}

/// The real file system behind a watcher.
#[derive(Debug)]
pub(in crate::disk) struct Observed<W>(pub(in crate::disk) W);

impl<W: Watcher> Fs for Observed<W> {
    fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        self.0.before(Call::Open(path, how))?;
        RealFs.open(path, how)
    }

    fn read(&self, handle: &Handle, most: u64) -> io::Result<Vec<u8>> {
        self.0.before(Call::Read)?;
        RealFs.read(handle, most)
    }

    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool> {
        self.0.before(Call::Read)?;
        RealFs.holds(handle, bytes)
    }

    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.before(Call::Read)?;
        RealFs.read_at(handle, bytes, offset)
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        let most = self.0.before(Call::Write(&handle.path, bytes))?.unwrap_or(bytes.len());
        RealFs.write(handle, &bytes[..most.min(bytes.len())])
    }

    fn process(&self, pid: u32) -> Option<Process> {
        RealFs.process(pid)
    }

    fn read_holder(&self, handle: &Handle, bytes: &mut [u8]) -> io::Result<usize> {
        RealFs.read_holder(handle, bytes)
    }

    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
        // A note for error messages, not data: neither recorded nor made to fail.
        RealFs.write_holder(handle, bytes)
    }

    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()> {
        let is_folder = RealFs.stat(handle)?.kind == Kind::Folder;
        self.0.before(if is_folder { Call::SyncFolder(&handle.path) } else { Call::Sync(&handle.path, what) })?;
        RealFs.sync(handle, what)
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        self.0.before(Call::Stat)?;
        RealFs.stat(handle)
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stat> {
        self.0.before(Call::Stat)?;
        RealFs.stat_path(path)
    }

    fn stat_target(&self, path: &Path) -> io::Result<Stat> {
        self.0.before(Call::Stat)?;
        RealFs.stat_target(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.before(Call::Stat)?;
        RealFs.canonical(path)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        self.0.before(Call::SetMode(&handle.path, mode))?;
        RealFs.set_mode(handle, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.before(Call::Rename(from, to))?;
        RealFs.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.before(Call::Remove(path))?;
        RealFs.remove(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.0.before(Call::Remove(path))?;
        RealFs.remove_folder(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.0.before(Call::CreateFolder(path))?;
        RealFs.create_folder(path)
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        self.0.before(Call::Stat)?;
        RealFs.is_writable(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.0.before(Call::Read)?;
        RealFs.list(path)
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool> {
        self.0.before(Call::Lock)?;
        RealFs.try_lock(handle, exclusive)
    }

    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()> {
        RealFs.pin(handle, bytes)
    }

    fn unlock(&self, handle: &Handle) -> io::Result<()> {
        RealFs.unlock(handle)
    }

    fn now(&self) -> SystemTime {
        RealFs.now()
    }

    fn elapsed(&self) -> Duration {
        RealFs.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        RealFs.sleep(duration);
    }
}
