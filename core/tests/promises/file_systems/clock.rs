//! File systems with clocks that a test controls, and read-only ones.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use loopmem::testing::disk::{Fs, Handle, Open, Process, RealFs, Stat, Sync};

use super::observed::passed_on;

pub(crate) struct TestClock {
    fs: Arc<dyn Fs>,
    /// Of the times of files, in nanoseconds.
    tick: i128,
    leaps: Option<Leaps>,
    stopped: Option<Stopped>,
    /// A folder in which nothing may be written, and nothing below it.
    read_only: Option<PathBuf>,
}

/// A wait takes no time, but the clock says that it did.
struct Leaps {
    now: Mutex<Duration>,
    /// What others do during a wait.
    meanwhile: Box<dyn Fn() + Send + std::marker::Sync>,
}

/// The clock stands still, and all files were changed at the same time.
struct Stopped {
    now: SystemTime,
    changed: i128,
    mount: Mutex<Option<String>>,
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
            stopped: None,
            read_only: None,
        })
    }

    /// One that stands still, for which every file was changed so long ago, whatever is done to it: after a power failure, a
    /// file may have the times of a change whose bytes are lost. Its file system is [mounted](Self::mounted) by no name.
    pub(crate) fn stopped(age: Duration) -> Arc<Self> {
        let now = RealFs.now();
        let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap() - age;
        // Not a whole second, as on a file system with coarse times.
        let changed = i128::try_from(since.as_nanos()).unwrap() | 1;
        let stopped = Some(Stopped { now, changed, mount: Mutex::default() });
        Arc::new(TestClock { fs: Arc::new(RealFs), tick: 1, leaps: None, stopped, read_only: None })
    }

    /// Mounts the file system of a stopped clock again.
    pub(crate) fn mounted(&self, mount: Option<&str>) {
        if let Some(stopped) = &self.stopped {
            *stopped.mount.lock().unwrap() = mount.map(str::to_owned);
        }
    }

    /// One that leaps over every wait, during which others do something.
    pub(crate) fn leaping(fs: Arc<dyn Fs>, meanwhile: impl Fn() + Send + std::marker::Sync + 'static) -> Arc<dyn Fs> {
        let leaps = Leaps { now: Mutex::default(), meanwhile: Box::new(meanwhile) };
        Arc::new(TestClock { fs, tick: 1, leaps: Some(leaps), stopped: None, read_only: None })
    }

    /// One on which this folder is mounted read-only, as root sees it too.
    pub(crate) fn read_only(folder: PathBuf) -> Arc<dyn Fs> {
        Arc::new(TestClock { fs: Arc::new(RealFs), tick: 1, leaps: None, stopped: None, read_only: Some(folder) })
    }

    fn ticked(&self, stat: Stat) -> Stat {
        if let Some(Stopped { changed, .. }) = &self.stopped {
            return Stat { modified: *changed, changed: *changed, ..stat };
        }
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

    passed_on! {
        fn open(path: &Path, how: Open) -> io::Result<Handle>;
        fn read(handle: &Handle, limit: u64) -> io::Result<Vec<u8>>;
        fn holds(handle: &Handle, bytes: &[u8]) -> io::Result<bool>;
        fn read_at(handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
        fn write(handle: &Handle, bytes: &[u8]) -> io::Result<usize>;
        fn process(pid: u32) -> Option<Process>;
        fn read_holder(handle: &Handle, bytes: &mut [u8]) -> io::Result<usize>;
        fn write_holder(handle: &Handle, bytes: &[u8]) -> io::Result<()>;
        fn sync(handle: &Handle, what: Sync) -> io::Result<()>;
        fn read_link(path: &Path) -> io::Result<PathBuf>;
        fn canonical(path: &Path) -> io::Result<PathBuf>;
        fn set_mode(handle: &Handle, mode: u32) -> io::Result<()>;
        fn set_modified(handle: &Handle, time: SystemTime) -> io::Result<()>;
        fn rename(from: &Path, to: &Path) -> io::Result<()>;
        fn remove(path: &Path) -> io::Result<()>;
        fn remove_folder(path: &Path) -> io::Result<()>;
        fn create_folder(path: &Path) -> io::Result<()>;
        fn list(path: &Path) -> io::Result<Vec<OsString>>;
        fn try_lock(handle: &Handle, exclusive: bool) -> io::Result<bool>;
        fn pin(handle: &Handle, bytes: Range<u64>) -> io::Result<()>;
        fn unlock(handle: &Handle) -> io::Result<()>;
    }

    fn now(&self) -> SystemTime {
        self.stopped.as_ref().map_or_else(|| self.fs.now(), |stopped| stopped.now)
    }

    fn mount(&self, path: &Path) -> Option<String> {
        self.stopped.as_ref().map_or_else(|| self.fs.mount(path), |stopped| stopped.mount.lock().unwrap().clone())
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        let is_read_only = self.read_only.as_ref().is_some_and(|folder| path.starts_with(folder));
        Ok(!is_read_only && self.fs.is_writable(path)?)
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
