//! A file system in memory, for tests that open thousands of homes: a snapshot of it copies no contents.
//!
//! It behaves as Linux does for the calls of the seam, with the same errors: files have inodes and outlive their names
//! while they are open, locks belong to open files, and times are those of the clock. There are no links, modes are kept
//! and not enforced, as for root, and paths are absolute. `seam` compares it with the real file system.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use loopmem::testing::disk::{Fs, Handle, Kind, Open, Process, RealFs, Stat, Sync};

use super::lock;

const TOP: u64 = 1;
/// No other file system has this device.
const DEVICE: u64 = u64::MAX;
const LONGEST_NAME: usize = 255;

/// A file system, shared by its clones: to other processes, another clone is as good as another mount.
#[derive(Debug, Clone)]
pub(crate) struct MemoryFs(Arc<Mutex<Disk>>);

#[derive(Debug, Clone)]
struct Disk {
    inodes: BTreeMap<u64, Inode>,
    /// How many inodes and open files there ever were.
    numbers: u64,
    /// Who holds a lock of an inode: the open file, and whether exclusively.
    locks: BTreeMap<u64, Vec<(u64, bool)>>,
}

#[derive(Debug, Clone)]
struct Inode {
    content: Content,
    mode: u32,
    modified: i128,
    changed: i128,
    /// A folder contains it.
    is_linked: bool,
    /// How many open files it has.
    opened: usize,
}

#[derive(Debug, Clone)]
enum Content {
    File(Arc<Vec<u8>>),
    Folder(BTreeMap<OsString, u64>),
}

/// An open file. Dropping it closes it and releases its lock.
#[derive(Debug)]
struct OpenFile {
    disk: Arc<Mutex<Disk>>,
    number: u64,
    inode: u64,
    how: Open,
    /// Where the next write begins, unless it appends.
    offset: Mutex<usize>,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let mut disk = lock(&self.disk);
        disk.release(self.inode, self.number);
        let inode = disk.inode(self.inode);
        inode.opened -= 1;
        disk.forget(self.inode);
    }
}

fn refused(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

fn nanos(time: SystemTime) -> i128 {
    let since = |duration: Duration| i128::try_from(duration.as_nanos()).unwrap();
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -since(before.duration()), since)
}

impl Inode {
    fn new(content: Content, mode: u32) -> Self {
        let now = nanos(RealFs.now());
        Inode { content, mode, modified: now, changed: now, is_linked: true, opened: 0 }
    }

    fn touch(&mut self) {
        self.changed = nanos(RealFs.now());
        self.modified = self.changed;
    }

    fn bytes(&self) -> io::Result<&Arc<Vec<u8>>> {
        match &self.content {
            Content::File(bytes) => Ok(bytes),
            Content::Folder(_) => Err(refused(libc::EISDIR)),
        }
    }

    /// Changes the bytes of a file.
    fn edit(&mut self, change: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let Content::File(bytes) = &mut self.content else { return Err(refused(libc::EISDIR)) };
        change(Arc::make_mut(bytes));
        self.touch();
        Ok(())
    }

    fn entries(&mut self) -> io::Result<&mut BTreeMap<OsString, u64>> {
        match &mut self.content {
            Content::Folder(entries) => Ok(entries),
            Content::File(_) => Err(refused(libc::ENOTDIR)),
        }
    }

    fn is_folder(&self) -> bool {
        matches!(self.content, Content::Folder(_))
    }

    fn stat(&self, number: u64) -> Stat {
        static OWNER: LazyLock<u32> = LazyLock::new(|| std::fs::metadata("/proc/self").unwrap().uid());
        let (kind, size) = match &self.content {
            Content::File(bytes) => (Kind::File, bytes.len()),
            Content::Folder(entries) => (Kind::Folder, entries.len()),
        };
        Stat {
            kind,
            device: DEVICE,
            inode: number,
            size: size as u64,
            mode: self.mode,
            owner: *OWNER,
            group: *OWNER,
            modified: self.modified,
            changed: self.changed,
        }
    }
}

impl Disk {
    fn inode(&mut self, number: u64) -> &mut Inode {
        self.inodes.get_mut(&number).unwrap()
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The names on a path, without dots: a folder on the way must exist.
    fn find(&mut self, path: &Path) -> io::Result<u64> {
        let mut way = vec![TOP];
        for component in components(path)? {
            let folder = way[way.len() - 1];
            self.inode(folder).entries()?;
            match component {
                Component::Normal(name) => way.push(self.entry(folder, name)?.ok_or_else(|| refused(libc::ENOENT))?),
                Component::ParentDir if way.len() > 1 => drop(way.pop()),
                _ => {}
            }
        }
        Ok(way[way.len() - 1])
    }

    fn entry(&mut self, folder: u64, name: &OsStr) -> io::Result<Option<u64>> {
        let entries = self.inode(folder).entries()?;
        if name.len() > LONGEST_NAME {
            return Err(refused(libc::ENAMETOOLONG));
        }
        Ok(entries.get(name).copied())
    }

    /// The folder that contains `path`, and its entry there.
    fn place<'p>(&mut self, path: &'p Path) -> io::Result<(u64, &'p OsStr, Option<u64>)> {
        components(path).map(drop)?;
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Err(refused(libc::EBUSY)) };
        let folder = self.find(above)?;
        let entry = self.entry(folder, name)?;
        Ok((folder, name, entry))
    }

    fn link(&mut self, folder: u64, name: &OsStr, number: u64) -> io::Result<()> {
        let above = self.inode(folder);
        let replaced = above.entries()?.insert(name.to_owned(), number);
        above.touch();
        self.drop_link(replaced);
        Ok(())
    }

    fn unlink(&mut self, folder: u64, name: &OsStr) -> io::Result<()> {
        let above = self.inode(folder);
        let removed = above.entries()?.remove(name);
        above.touch();
        self.drop_link(removed);
        Ok(())
    }

    fn drop_link(&mut self, number: Option<u64>) {
        if let Some(number) = number {
            let inode = self.inode(number);
            inode.is_linked = false;
            inode.changed = nanos(RealFs.now());
            self.forget(number);
        }
    }

    fn forget(&mut self, number: u64) {
        let inode = self.inode(number);
        if !inode.is_linked && inode.opened == 0 {
            self.inodes.remove(&number);
        }
    }

    fn create(&mut self, folder: u64, name: &OsStr, inode: Inode) -> io::Result<u64> {
        let number = self.number();
        self.inodes.insert(number, inode);
        self.link(folder, name, number)?;
        Ok(number)
    }

    fn release(&mut self, inode: u64, number: u64) {
        if let Some(holders) = self.locks.get_mut(&inode) {
            holders.retain(|(holder, _)| *holder != number);
        }
    }

    fn contains(&mut self, above: u64, below: u64) -> bool {
        let Ok(entries) = self.inode(above).entries() else { return false };
        let entries: Vec<u64> = entries.values().copied().collect();
        entries.into_iter().any(|entry| entry == below || self.contains(entry, below))
    }
}

fn components(path: &Path) -> io::Result<impl Iterator<Item = Component<'_>>> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if path.is_absolute() { Ok(path.components()) } else { Err(refused(libc::ENOENT)) }
}

impl MemoryFs {
    /// Creates a file system with an empty top folder.
    pub(crate) fn new() -> Self {
        let top = Inode::new(Content::Folder(BTreeMap::new()), 0o755);
        let disk = Disk { inodes: BTreeMap::from([(TOP, top)]), numbers: TOP, locks: BTreeMap::new() };
        MemoryFs(Arc::new(Mutex::new(disk)))
    }

    /// Another file system with the same files, none of which is open or locked.
    pub(crate) fn snapshot(&self) -> Self {
        let mut disk = lock(&self.0).clone();
        disk.inodes.retain(|_, inode| inode.is_linked);
        disk.inodes.values_mut().for_each(|inode| inode.opened = 0);
        disk.locks.clear();
        MemoryFs(Arc::new(Mutex::new(disk)))
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        lock(&self.0)
    }

    /// A handle of another file system is an invalid descriptor here.
    fn opened<'h>(&self, handle: &'h Handle) -> io::Result<(MutexGuard<'_, Disk>, &'h OpenFile)> {
        let file = handle.file::<OpenFile>().filter(|file| Arc::ptr_eq(&file.disk, &self.0));
        Ok((self.disk(), file.ok_or_else(|| refused(libc::EBADF))?))
    }
}

impl Fs for MemoryFs {
    fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        let mut disk = self.disk();
        let is_read = matches!(how, Open::Read | Open::ReadTarget | Open::Folder);
        let creates = matches!(how, Open::Append | Open::CreateNew | Open::Overwrite | Open::CreateLock);
        let found = if creates && path.file_name().is_some() {
            let (folder, name, found) = disk.place(path)?;
            match found {
                Some(_) if how == Open::CreateNew => return Err(refused(libc::EEXIST)),
                Some(found) => found,
                None => disk.create(folder, name, Inode::new(Content::File(Arc::default()), 0o600))?,
            }
        } else {
            disk.find(path)?
        };
        let inode = disk.inode(found);
        match (inode.is_folder(), how) {
            (false, Open::Folder) => return Err(refused(libc::ENOTDIR)),
            (true, Open::CreateNew) => return Err(refused(libc::EEXIST)),
            (true, _) if !is_read => return Err(refused(libc::EISDIR)),
            (true, Open::Read | Open::ReadTarget) => return Err(io::Error::other("it is not a regular file")),
            (false, Open::Overwrite) => inode.edit(Vec::clear)?,
            _ => {}
        }
        inode.opened += 1;
        let (disk, number) = (Arc::clone(&self.0), disk.number());
        Ok(Handle::simulated(path, OpenFile { disk, number, inode: found, how, offset: Mutex::default() }))
    }

    fn read(&self, handle: &Handle, limit: u64) -> io::Result<Vec<u8>> {
        let (mut disk, file) = self.opened(handle)?;
        let bytes = disk.inode(file.inode).bytes()?;
        if bytes.len() as u64 > limit {
            let refused = format!("it is {} bytes long; at most {limit} are read", bytes.len());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, refused));
        }
        Ok(bytes.to_vec())
    }

    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool> {
        let (mut disk, file) = self.opened(handle)?;
        Ok(**disk.inode(file.inode).bytes()? == bytes)
    }

    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let (mut disk, file) = self.opened(handle)?;
        let stored = disk.inode(file.inode).bytes()?;
        let rest = usize::try_from(offset).ok().and_then(|offset| stored.get(offset..)).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        let (mut disk, file) = self.opened(handle)?;
        if matches!(file.how, Open::Read | Open::ReadTarget | Open::Folder) {
            return Err(refused(libc::EBADF));
        }
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut offset = lock(&file.offset);
        disk.inode(file.inode).edit(|stored| {
            let at = if file.how == Open::Append { stored.len() } else { *offset };
            put(stored, at, bytes);
            *offset = at + bytes.len();
        })?;
        Ok(bytes.len())
    }

    fn process(&self, pid: u32) -> Option<Process> {
        RealFs.process(pid)
    }

    fn read_holder(&self, handle: &Handle, bytes: &mut [u8]) -> io::Result<usize> {
        self.read_at(handle, bytes, 0)
    }

    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
        let (mut disk, file) = self.opened(handle)?;
        if bytes.is_empty() {
            return Ok(());
        }
        if matches!(file.how, Open::Read | Open::ReadTarget | Open::Folder) {
            return Err(refused(libc::EBADF));
        }
        disk.inode(file.inode)
            .edit(|stored| put(stored, if file.how == Open::Append { stored.len() } else { 0 }, bytes))
    }

    fn sync(&self, handle: &Handle, _: Sync) -> io::Result<()> {
        self.opened(handle).map(drop)
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        let (mut disk, file) = self.opened(handle)?;
        Ok(disk.inode(file.inode).stat(file.inode))
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stat> {
        let mut disk = self.disk();
        let number = disk.find(path)?;
        Ok(disk.inode(number).stat(number))
    }

    fn stat_target(&self, path: &Path) -> io::Result<Stat> {
        self.stat_path(path)
    }

    fn mount(&self, _: &Path) -> Option<String> {
        None
    }

    fn read_link(&self, _: &Path) -> io::Result<PathBuf> {
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.disk().find(path)?;
        let mut real = PathBuf::new();
        for component in components(path)? {
            match component {
                Component::ParentDir => drop(real.pop()),
                Component::CurDir => {}
                named => real.push(named),
            }
        }
        Ok(real)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        let (mut disk, file) = self.opened(handle)?;
        let inode = disk.inode(file.inode);
        (inode.mode, inode.changed) = (mode & 0o7777, nanos(RealFs.now()));
        Ok(())
    }

    fn set_modified(&self, handle: &Handle, time: SystemTime) -> io::Result<()> {
        let (mut disk, file) = self.opened(handle)?;
        let inode = disk.inode(file.inode);
        (inode.modified, inode.changed) = (nanos(time), nanos(RealFs.now()));
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        let (old_folder, old_name, moved) = disk.place(from)?;
        let (new_folder, new_name, replaced) = disk.place(to)?;
        let moved = moved.ok_or_else(|| refused(libc::ENOENT))?;
        if Some(moved) == replaced {
            return Ok(());
        }
        let is_folder = disk.inode(moved).is_folder();
        if is_folder && (moved == new_folder || disk.contains(moved, new_folder)) {
            return Err(refused(libc::EINVAL));
        }
        if let Some(replaced) = replaced {
            if replaced == old_folder || disk.contains(replaced, old_folder) {
                return Err(refused(libc::ENOTEMPTY));
            }
            match (is_folder, disk.inode(replaced).entries().map(|entries| entries.is_empty())) {
                (true, Ok(true)) | (false, Err(_)) => {}
                (true, Ok(false)) => return Err(refused(libc::ENOTEMPTY)),
                (true, Err(_)) => return Err(refused(libc::ENOTDIR)),
                (false, Ok(_)) => return Err(refused(libc::EISDIR)),
            }
        }
        let above = disk.inode(old_folder);
        above.entries()?.remove(old_name);
        above.touch();
        disk.inode(moved).changed = nanos(RealFs.now());
        disk.link(new_folder, new_name, moved)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        let (folder, name, found) = disk.place(path)?;
        let found = found.ok_or_else(|| refused(libc::ENOENT))?;
        if disk.inode(found).is_folder() {
            return Err(refused(libc::EISDIR));
        }
        disk.unlink(folder, name)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        let (folder, name, found) = disk.place(path)?;
        let found = found.ok_or_else(|| refused(libc::ENOENT))?;
        if !disk.inode(found).entries()?.is_empty() {
            return Err(refused(libc::ENOTEMPTY));
        }
        disk.unlink(folder, name)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        let mut disk = self.disk();
        if path.file_name().is_none() && disk.find(path).is_ok() {
            return Err(refused(libc::EEXIST));
        }
        let (folder, name, found) = disk.place(path)?;
        match found {
            Some(_) => Err(refused(libc::EEXIST)),
            None => disk.create(folder, name, Inode::new(Content::Folder(BTreeMap::new()), 0o700)).map(drop),
        }
    }

    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        let mut disk = self.disk();
        let found = disk.find(path)?;
        let inode = disk.inode(found);
        // Root may execute what anybody may.
        Ok(inode.is_folder() || inode.mode & 0o111 != 0)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let mut disk = self.disk();
        let found = disk.find(path)?;
        Ok(disk.inode(found).entries()?.keys().cloned().collect())
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool> {
        let (mut disk, file) = self.opened(handle)?;
        // A change of the kind of lock gives up the old one first.
        disk.release(file.inode, file.number);
        let holders = disk.locks.entry(file.inode).or_default();
        let is_free = holders.iter().all(|(_, is_exclusive)| !exclusive && !is_exclusive);
        if is_free {
            holders.push((file.number, exclusive));
        }
        Ok(is_free)
    }

    fn unlock(&self, handle: &Handle) -> io::Result<()> {
        let (mut disk, file) = self.opened(handle)?;
        disk.release(file.inode, file.number);
        Ok(())
    }

    /// Nobody takes the exclusive locks with which shared ones conflict.
    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()> {
        self.opened(handle).map(drop)?;
        match i64::try_from(bytes.end) {
            Ok(_) => Ok(()),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
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

fn put(stored: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    stored.resize(stored.len().max(at + bytes.len()), 0);
    stored[at..at + bytes.len()].copy_from_slice(bytes);
}
