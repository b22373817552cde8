//! The file system in memory behaves as the real one does: the same calls have the same results and the same errors.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use loopmem::testing::disk::{Fs, Handle, Kind, Open, RealFs, Stat, Sync};

use crate::TestHome;
use crate::file_systems::MemoryFs;
use crate::torture::Rng;

const HOW: [Open; 8] = [
    Open::Read,
    Open::ReadTarget,
    Open::Append,
    Open::CreateNew,
    Open::Overwrite,
    Open::CreateLock,
    Open::Lock,
    Open::Folder,
];
/// What is opened, renamed and removed, below the top.
const NAMES: [&str; 9] = ["a", "b", "f", "f/a", "f/../b", "f/g", "f/g/a", "missing/a", ""];
/// So many files are open at once.
const SLOTS: usize = 4;

/// A file system and its open files.
struct Side {
    fs: Arc<dyn Fs>,
    top: PathBuf,
    open: [Option<Handle>; SLOTS],
}

#[derive(Debug, Clone)]
enum Call {
    Open(usize, &'static str, Open),
    Close(usize),
    Read(usize, u64),
    Holds(usize, &'static [u8]),
    ReadAt(usize, u64),
    Write(usize, &'static [u8]),
    ReadHolder(usize),
    WriteHolder(usize, &'static [u8]),
    Sync(usize),
    Stat(usize),
    StatPath(&'static str),
    Canonical(&'static str),
    SetMode(usize, u32),
    SetModified(usize),
    Rename(&'static str, &'static str),
    Remove(&'static str),
    RemoveFolder(&'static str),
    CreateFolder(&'static str),
    IsWritable(&'static str),
    List(&'static str),
    TryLock(usize, bool),
    Unlock(usize),
    Pin(usize, u64),
}

impl Side {
    fn new(fs: Arc<dyn Fs>, top: PathBuf) -> Self {
        Side { fs, top, open: [const { None }; SLOTS] }
    }

    /// What is the same everywhere: not the number of an inode, but which of the open files has the same one.
    fn stat(&self, stat: Stat) -> String {
        let is_same = |file: &Option<Handle>| {
            file.as_ref().is_some_and(|file| self.fs.stat(file).is_ok_and(|open| open.inode == stat.inode))
        };
        let open = self.open.each_ref().map(is_same);
        // How large a folder is, is its file system's own affair.
        let size = (stat.kind == Kind::File).then_some(stat.size);
        let is_of_1970 = stat.modified < 1_000_000_000_000_000_000;
        format!("{:?} {size:?} {:o} {} {open:?} {is_of_1970}", stat.kind, stat.mode, stat.owner)
    }

    /// The result, or the error, in words that are the same everywhere.
    fn make(&mut self, call: &Call) -> String {
        fn said<T: std::fmt::Debug>(outcome: io::Result<T>) -> String {
            match outcome {
                Ok(value) => format!("{value:?}"),
                Err(failed) => format!("{:?} {:?} {failed}", failed.kind(), failed.raw_os_error()),
            }
        }
        let fs = Arc::clone(&self.fs);
        let at = |name: &str| if name.is_empty() { self.top.clone() } else { self.top.join(name) };
        let slot = |slot: usize| self.open[slot].as_ref();
        let with = |number: usize, call: &dyn Fn(&Handle) -> String| slot(number).map_or("closed".to_owned(), call);
        match call.clone() {
            Call::Open(slot, name, how) => {
                let opened = fs.open(&at(name), how);
                let said = said(opened.as_ref().map(drop).map_err(|failed| match failed.raw_os_error() {
                    Some(errno) => io::Error::from_raw_os_error(errno),
                    None => io::Error::new(failed.kind(), failed.to_string()),
                }));
                self.open[slot] = opened.ok();
                said
            }
            Call::Close(slot) => format!("{:?}", self.open[slot].take().is_some()),
            Call::Read(slot, limit) => with(slot, &|file| {
                let is_file = fs.stat(file).unwrap().kind == Kind::File;
                said(fs.read(file, if is_file { limit } else { u64::MAX }))
            }),
            Call::Holds(slot, bytes) => with(slot, &|file| said(fs.holds(file, bytes))),
            Call::ReadAt(slot, offset) => with(slot, &|file| {
                let mut bytes = [0; 4];
                said(fs.read_at(file, &mut bytes, offset)) + &format!("{bytes:?}")
            }),
            Call::Write(slot, bytes) => with(slot, &|file| said(fs.write(file, bytes))),
            Call::ReadHolder(slot) => with(slot, &|file| {
                let mut bytes = [0; 4];
                said(fs.read_holder(file, &mut bytes)) + &format!("{bytes:?}")
            }),
            Call::WriteHolder(slot, bytes) => with(slot, &|file| said(fs.write_holder(file, bytes))),
            Call::Sync(slot) => with(slot, &|file| said(fs.sync(file, Sync::All).and(fs.sync(file, Sync::Data)))),
            Call::Stat(number) => match slot(number).map(|file| fs.stat(file)) {
                Some(Ok(stat)) => self.stat(stat),
                Some(Err(failed)) => said(Err::<(), _>(failed)),
                None => "closed".to_owned(),
            },
            Call::StatPath(name) => match (fs.stat_path(&at(name)), fs.stat_target(&at(name))) {
                (Ok(stat), Ok(target)) => {
                    assert_eq!(stat, target);
                    self.stat(stat)
                }
                (stat, target) => said(stat.map(drop)) + &said(target.map(drop)),
            },
            Call::Canonical(name) => {
                let top = fs.canonical(&self.top).unwrap();
                said(fs.canonical(&at(name)).map(|real| real.strip_prefix(top).unwrap().to_owned()))
            }
            Call::SetMode(slot, mode) => with(slot, &|file| said(fs.set_mode(file, mode))),
            Call::SetModified(slot) => {
                with(slot, &|file| said(fs.set_modified(file, UNIX_EPOCH + Duration::from_nanos(1_000_000_007))))
            }
            Call::Rename(from, to) => said(fs.rename(&at(from), &at(to))),
            Call::Remove(name) => said(fs.remove(&at(name))),
            Call::RemoveFolder(name) => said(fs.remove_folder(&at(name))),
            Call::CreateFolder(name) => said(fs.create_folder(&at(name))),
            Call::IsWritable(name) => said(fs.is_writable(&at(name))),
            Call::List(name) => said(fs.list(&at(name)).map(BTreeSet::from_iter)),
            Call::TryLock(slot, exclusive) => with(slot, &|file| said(fs.try_lock(file, exclusive))),
            Call::Unlock(slot) => with(slot, &|file| said(fs.unlock(file))),
            Call::Pin(slot, end) => with(slot, &|file| said(fs.pin(file, 0..end))),
        }
    }
}

fn call(rng: &mut Rng) -> Call {
    let slot = rng.below(SLOTS);
    let [name, other] = [(); 2].map(|()| *rng.pick(&NAMES[..NAMES.len() - 1]));
    let any = *rng.pick(&NAMES);
    let bytes = *rng.pick(&[&b"1"[..], b"two", b"threefold", b""]);
    match rng.below(38) {
        0..=8 => Call::Open(slot, any, *rng.pick(&HOW)),
        9 => Call::Close(slot),
        10 => Call::Read(slot, [2, 1 << 20][rng.below(2)]),
        11 => Call::Holds(slot, bytes),
        12..=13 => Call::ReadAt(slot, [0, 2, 99][rng.below(3)]),
        14..=16 => Call::Write(slot, bytes),
        17 => Call::ReadHolder(slot),
        18 => Call::WriteHolder(slot, bytes),
        19 => Call::Sync(slot),
        20 => Call::Stat(slot),
        21 => Call::StatPath(any),
        22 => Call::Canonical(any),
        23 => Call::SetMode(slot, [0o700, 0o740][rng.below(2)]),
        24 => Call::SetModified(slot),
        25..=26 => Call::Rename(name, other),
        27 => Call::Remove(name),
        28 => Call::RemoveFolder(name),
        29..=30 => Call::CreateFolder(any),
        31 => Call::IsWritable(any),
        32 => Call::List(any),
        33..=34 => Call::TryLock(slot, rng.below(2) == 0),
        35 => Call::Unlock(slot),
        36 => Call::Pin(slot, [8, u64::MAX][rng.below(2)]),
        _ => Call::Rename("f", "f/g/a"),
    }
}

#[test]
fn a_file_system_in_memory_answers_as_the_real_one() {
    for seed in 0..400 {
        let (mut rng, real) = (Rng::new(seed), TestHome::on_tmpfs());
        let memory = MemoryFs::new();
        memory.create_folder(Path::new("/top")).unwrap();
        let top = real.top().join("top");
        RealFs.create_folder(&top).unwrap();
        let mut sides = [Side::new(Arc::new(RealFs), top), Side::new(Arc::new(memory), PathBuf::from("/top"))];
        sides.iter().for_each(|side| side.fs.create_folder(&side.top.join("f")).unwrap());
        let mut made = Vec::new();
        for _ in 0..80 {
            let call = call(&mut rng);
            let [real, memory] = sides.each_mut().map(|side| side.make(&call));
            assert_eq!(real, memory, "seed {seed}: {call:?} after {made:#?}");
            made.push(call);
        }
    }
}

/// What a cache relies on: a change of a file, or of the entries of a folder, shows in its times.
#[test]
fn times_advance_in_memory() {
    let fs = MemoryFs::new();
    let path = Path::new("/a");
    let file = fs.open(path, Open::CreateNew).unwrap();
    let times = |path: &Path| fs.stat_path(path).map(|stat| (stat.modified, stat.changed)).unwrap();
    let (new, top) = (times(path), times(Path::new("/")));
    std::thread::sleep(Duration::from_millis(1));
    fs.write(&file, b"1").unwrap();
    let written = times(path);
    assert!(written.0 > new.0 && written.1 > new.1);
    std::thread::sleep(Duration::from_millis(1));
    fs.rename(path, Path::new("/b")).unwrap();
    let renamed = times(Path::new("/b"));
    assert_eq!(renamed.0, written.0);
    assert!(renamed.1 > written.1 && times(Path::new("/")).0 > top.0);
}

/// Each goes its own way, and a removed file lives as long as it is open.
#[test]
fn a_snapshot_in_memory_shares_nothing_that_changes() {
    let (fs, path) = (MemoryFs::new(), Path::new("/a"));
    let file = fs.open(path, Open::CreateNew).unwrap();
    fs.write(&file, b"1").unwrap();
    assert!(fs.try_lock(&file, true).unwrap());
    let other = fs.snapshot();
    let copy = other.open(path, Open::Append).unwrap();
    assert!(other.try_lock(&copy, true).unwrap());
    other.write(&copy, b"2").unwrap();
    fs.remove(path).unwrap();
    assert_eq!((fs.read(&file, 9).unwrap(), other.read(&copy, 9).unwrap()), (b"1".to_vec(), b"12".to_vec()));
    assert_eq!(other.read(&file, 9).unwrap_err().raw_os_error(), Some(libc::EBADF));
    assert_eq!(RealFs.read(&file, 9).unwrap_err().raw_os_error(), Some(libc::EBADF));
}
