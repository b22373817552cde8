//! File systems with clocks that a test controls, and read-only ones.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use loopmem::testing::disk::{Fs, Handle, Mapped, Open, Process, RealFs, Stat, Sync};

pub(crate) struct TestClock {
    fs: Arc<dyn Fs>,
    /// Of the times of files, in nanoseconds.
    tick: i128,
    leaps: Option<Leaps>,
    /// A folder in which nothing may be written, and nothing below it.
    read_only: Option<PathBuf>,
}

/// A wait takes no time, but the clock says that it did.
struct Leaps {
    now: Mutex<Duration>,
    /// What others do during a wait.
    meanwhile: Box<dyn Fn() + Send + std::marker::Sync>,
}

impl TestClock {
    /// One that ticks as seldom as this, 10 ms as that of older kernels, or whole seconds as that of FAT: whatever
    /// happens to a file within one tick leaves it with the same times. Newer kernels give a new time to a file that
    /// was looked at, and hide such edits from a test.
    pub(crate) fn ticking(tick: Duration) -> Arc<dyn Fs> {
        Arc::new(TestClock {
            fs: Arc::new(RealFs),
            tick: i128::try_from(tick.as_nanos()).unwrap(),
            leaps: None,
            read_only: None,
        })
    }

    /// One that leaps over every wait, during which others do something.
    pub(crate) fn leaping(fs: Arc<dyn Fs>, meanwhile: impl Fn() + Send + std::marker::Sync + 'static) -> Arc<dyn Fs> {
        let leaps = Leaps { now: Mutex::default(), meanwhile: Box::new(meanwhile) };
        Arc::new(TestClock { fs, tick: 1, leaps: Some(leaps), read_only: None })
    }

    /// One on which this folder is mounted read-only, as root sees it too.
    pub(crate) fn read_only(folder: PathBuf) -> Arc<dyn Fs> {
        Arc::new(TestClock { fs: Arc::new(RealFs), tick: 1, leaps: None, read_only: Some(folder) })
    }

    fn ticked(&self, stat: Stat) -> Stat {
        let tick = |time: i128| time.div_euclid(self.tick) * self.tick;
        Stat { modified: tick(stat.modified), changed: tick(stat.changed), ..stat }
    }
}

impl fmt::Debug for TestClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClock").field("tick", &self.tick).finish_non_exhaustive()
    }
}

impl Fs for TestClock {
    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        self.fs.stat(handle).map(|stat| self.ticked(stat))
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stat> {
        self.fs.stat_path(path).map(|stat| self.ticked(stat))
    }

    fn stat_target(&self, path: &Path) -> io::Result<Stat> {
        self.fs.stat_target(path).map(|stat| self.ticked(stat))
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        self.fs.open(path, how)
    }

    fn read(&self, handle: &Handle, most: u64) -> io::Result<Vec<u8>> {
        self.fs.read(handle, most)
    }

    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool> {
        self.fs.holds(handle, bytes)
    }

    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.fs.read_at(handle, bytes, offset)
    }

    fn map(&self, handle: &Handle) -> io::Result<Mapped> {
        self.fs.map(handle)
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        self.fs.write(handle, bytes)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        self.fs.process(pid)
    }

    fn read_holder(&self, handle: &Handle, bytes: &mut [u8]) -> io::Result<usize> {
        self.fs.read_holder(handle, bytes)
    }

    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
        self.fs.write_holder(handle, bytes)
    }

    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()> {
        self.fs.sync(handle, what)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.fs.canonical(path)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        self.fs.set_mode(handle, mode)
    }

    fn set_modified(&self, handle: &Handle, time: SystemTime) -> io::Result<()> {
        self.fs.set_modified(handle, time)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.fs.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.fs.remove(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.fs.remove_folder(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.fs.create_folder(path)
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        let is_read_only = self.read_only.as_ref().is_some_and(|folder| path.starts_with(folder));
        Ok(!is_read_only && self.fs.is_writable(path)?)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.fs.list(path)
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool> {
        self.fs.try_lock(handle, exclusive)
    }

    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()> {
        self.fs.pin(handle, bytes)
    }

    fn unlock(&self, handle: &Handle) -> io::Result<()> {
        self.fs.unlock(handle)
    }

    fn now(&self) -> SystemTime {
        self.fs.now()
    }

    fn elapsed(&self) -> Duration {
        match &self.leaps {
            Some(leaps) => *leaps.now.lock().unwrap(),
            None => self.fs.elapsed(),
        }
    }

    fn sleep(&self, duration: Duration) {
        match &self.leaps {
            Some(leaps) => {
                *leaps.now.lock().unwrap() += duration;
                (leaps.meanwhile)();
            }
            None => self.fs.sleep(duration),
        }
    }
}
