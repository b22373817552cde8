//! A file system whose clock ticks every 10 ms, as that of older kernels does: whatever happens to a file within one tick
//! leaves it with the same times. Newer kernels give a new time to a file that was looked at, and hide such edits from a
//! test.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use loopmem::disk::{Fs, Handle, Open, Process, RealFs, Stat, Sync};

const TICK: i128 = 10_000_000;

#[derive(Debug)]
pub(crate) struct SlowClock;

fn ticked(stat: Stat) -> Stat {
    let tick = |time: i128| time.div_euclid(TICK) * TICK;
    Stat { modified: tick(stat.modified), changed: tick(stat.changed), ..stat }
}

impl Fs for SlowClock {
    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        RealFs.stat(handle).map(ticked)
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stat> {
        RealFs.stat_path(path).map(ticked)
    }

    fn stat_target(&self, path: &Path) -> io::Result<Stat> {
        RealFs.stat_target(path).map(ticked)
    }

    fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        RealFs.open(path, how)
    }

    fn read(&self, handle: &Handle) -> io::Result<Vec<u8>> {
        RealFs.read(handle)
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        RealFs.write(handle, bytes)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        RealFs.process(pid)
    }

    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
        RealFs.write_holder(handle, bytes)
    }

    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()> {
        RealFs.sync(handle, what)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        RealFs.canonical(path)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        RealFs.set_mode(handle, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealFs.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealFs.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        RealFs.create_folder(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        RealFs.list(path)
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool> {
        RealFs.try_lock(handle, exclusive)
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
