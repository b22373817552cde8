//! The seam: every system call that loopmem makes on files, and the two clocks that belong to them.
//!
//! Real in production ([`RealFs`](crate::disk::RealFs)), recording or faulty in tests. Calls are as small as the kernel's,
//! so that a test can stop the world between any two of them.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// An open file and the path it was opened under.
#[derive(Debug)]
pub struct Handle {
    #[allow(clippy::disallowed_types, reason = "only the implementation of the seam reaches into it")]
    pub(in crate::disk) file: std::fs::File,
    pub(in crate::disk) path: PathBuf,
}

/// How a file is opened. None of these follows a link at the leaf, unless it says so; none waits for a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// For reading.
    Read,
    /// For reading what a link at the leaf leads to, if one stands there: files that are not loopmem's own.
    ReadTarget,
    /// For reading and appending (`O_APPEND`); made with mode 0600 when absent.
    Append,
    /// For writing; must not exist (`O_EXCL`); mode 0600.
    CreateNew,
    /// For reading and writing over what is there, which is gone at once; made with mode 0600 when absent.
    Overwrite,
    /// A lock file, for reading and writing; made with mode 0600 when absent.
    CreateLock,
    /// A lock file that must exist, for reading and writing.
    Lock,
    /// A folder, to sync it.
    Folder,
}

/// What a sync makes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Contents and metadata (`fsync`).
    All,
    /// Contents, and of the metadata what reading them needs (`fdatasync`).
    Data,
}

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, a socket, a pipe.
    Other,
}

/// A file's identity and size. Two equal ones are the same file with the same contents, but for what notes beside
/// the cache say of edits within one tick of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// The user id of the owner.
    pub owner: u32,
    /// Last change of the contents, in nanoseconds since 1970.
    pub modified: i128,
    /// Last change of the inode, in nanoseconds since 1970.
    pub changed: i128,
}

/// Which process it is: no other is equal to it, not even a later one with its pid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The boot of the machine.
    pub boot: String,
    /// The namespace that the pid counts in.
    pub namespace: String,
    /// The pid.
    pub pid: u32,
    /// When it was started, in ticks since the boot.
    pub started: u64,
}

/// The system calls.
pub trait Fs: Debug + Send + std::marker::Sync {
    /// `open`. What is there and is no regular file is refused; a folder is opened only as [`Open::Folder`].
    fn open(&self, path: &Path, how: Open) -> io::Result<Handle>;
    /// `read` from the beginning to the end; `FileTooLarge` for a file of more than `most` bytes, of which little more
    /// than `most` are read, and `OutOfMemory` where there is no room for them.
    fn read(&self, handle: &Handle, most: u64) -> io::Result<Vec<u8>>;
    /// `read` from the beginning, as far as the file holds these bytes; whether it holds them, and no more.
    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool>;
    /// `pread`; returns how many bytes there were.
    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
    /// `write`; returns how many bytes were taken, as the kernel does.
    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize>;
    /// The process that has this pid here; `None` when there is none, or the system does not tell.
    fn process(&self, pid: u32) -> Option<Process>;
    /// `pread` at the beginning of a lock file: who holds it. Never of data.
    fn read_holder(&self, handle: &Handle, bytes: &mut [u8]) -> io::Result<usize>;
    /// `pwrite` at the beginning of a lock file.
    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()>;
    /// `fsync` or `fdatasync`.
    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()>;
    /// `fstat`.
    fn stat(&self, handle: &Handle) -> io::Result<Stat>;
    /// `lstat`.
    fn stat_path(&self, path: &Path) -> io::Result<Stat>;
    /// `stat`.
    fn stat_target(&self, path: &Path) -> io::Result<Stat>;
    /// `realpath`.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// `fchmod`.
    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()>;
    /// `rename`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// `unlink`.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// `rmdir`.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// `mkdir` with mode 0700.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// `faccessat`: whether the process may make and replace files in a folder, as its effective user and on this mount.
    /// Nothing is written to find out.
    fn is_writable(&self, path: &Path) -> io::Result<bool>;
    /// The names in a folder.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// `flock`, not blocking: `false` when another open file holds it.
    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool>;
    /// `flock(LOCK_UN)`.
    fn unlock(&self, handle: &Handle) -> io::Result<()>;
    /// `fcntl(F_OFD_SETLK)`, not blocking: a shared lock of these bytes, which belongs to the open file.
    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()>;
    /// The clock that stamps files.
    fn now(&self) -> SystemTime;
    /// A clock that never goes back, for time-outs.
    fn elapsed(&self) -> Duration;
    /// Waits.
    fn sleep(&self, duration: Duration);
}

/// What a call came to; `None` when there is nothing at the path.
pub(in crate::disk) fn if_there<T>(called: io::Result<T>) -> io::Result<Option<T>> {
    match called {
        Ok(value) => Ok(Some(value)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// The bytes of a regular file of at most `most` bytes, with what it was read through and what it was before.
pub(in crate::disk) fn read_file(fs: &dyn Fs, path: &Path, most: u64) -> io::Result<(Handle, Stat, Vec<u8>)> {
    let handle = fs.open(path, Open::Read)?;
    let stat = fs.stat(&handle)?;
    let bytes = fs.read(&handle, most)?;
    Ok((handle, stat, bytes))
}

/// The error of a file that cannot be read. One that is too large is not what its format says.
pub(in crate::disk) fn unread(path: &Path, cause: &io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => Error::parse(path, cause),
        _ => Error::io("read", path, cause),
    }
}
