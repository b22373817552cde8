//! The seam: every system call that loopmem makes on files, and the two clocks that go with them.
//!
//! In production these are the real calls ([`RealFs`](crate::disk::RealFs)); tests record them or make them fail. They are as
//! fine-grained as the kernel's, so that a test can simulate a crash between any two of them.

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
    pub(in crate::disk) file: OpenFile,
    pub(in crate::disk) path: PathBuf,
}

/// An open file of the implementation of [`Fs`] that opened it.
#[derive(Debug)]
pub(in crate::disk) enum OpenFile {
    #[allow(clippy::disallowed_types, reason = "only the implementation of the seam uses it")]
    Real(std::fs::File),
    /// Of an implementation for tests.
    #[cfg(feature = "testing")]
    Simulated(Box<dyn std::any::Any + Send + std::marker::Sync>),
}

#[cfg(feature = "testing")]
impl Handle {
    /// Creates a handle of a file system for tests.
    pub fn simulated(path: &Path, file: impl std::any::Any + Send + std::marker::Sync) -> Self {
        Handle { file: OpenFile::Simulated(Box::new(file)), path: path.to_owned() }
    }

    /// The path it was opened under.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file that was passed to [`simulated`](Self::simulated); `None` for one of another type, and for a real one.
    pub fn file<T: 'static>(&self) -> Option<&T> {
        match &self.file {
            OpenFile::Simulated(file) => file.downcast_ref(),
            OpenFile::Real(_) => None,
        }
    }
}

/// How a file is opened. Links at the leaf are not followed unless stated otherwise; opening a pipe does not block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// For reading.
    Read,
    /// For reading, following a link at the leaf: for files that loopmem does not own.
    ReadTarget,
    /// For reading and appending (`O_APPEND`); created with mode 0600 if missing.
    Append,
    /// For writing a new file (`O_EXCL`), created with mode 0600.
    CreateNew,
    /// For reading and writing; truncated at once, or created with mode 0600 if missing.
    Overwrite,
    /// A lock file, for reading and writing; created with mode 0600 if missing.
    CreateLock,
    /// An existing lock file, for reading and writing.
    Lock,
    /// A folder, to sync it.
    Folder,
}

/// What a sync makes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// Contents and metadata (`fsync`).
    All,
    /// Contents, and the metadata needed to read them (`fdatasync`).
    Data,
}

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, a socket or a pipe.
    Other,
}

/// A file's identity and size. If two are equal, they are of the same file with the same contents, except for edits within one
/// clock tick, which the cache accounts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The kind of file.
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
    /// The id of the group.
    pub group: u32,
    /// Last change of the contents, in nanoseconds since 1970.
    pub modified: i128,
    /// Last change of the inode, in nanoseconds since 1970.
    pub changed: i128,
}

/// The identity of a process, which differs even from that of a later process with the same pid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The boot id of the machine.
    pub boot: String,
    /// The pid namespace.
    pub namespace: String,
    /// The pid.
    pub pid: u32,
    /// Its start time, in ticks since the boot.
    pub started: u64,
}

/// The system calls.
pub trait Fs: Debug + Send + std::marker::Sync {
    /// `open`. Anything other than a regular file is refused; a folder is opened only as [`Open::Folder`].
    fn open(&self, path: &Path, how: Open) -> io::Result<Handle>;
    /// `read` from the beginning to the end; `FileTooLarge` for a file of more than `limit` bytes, of which little more than
    /// `limit` are read; `OutOfMemory` if they do not fit in memory.
    fn read(&self, handle: &Handle, limit: u64) -> io::Result<Vec<u8>>;
    /// Whether the file contains exactly these bytes; reads it from the beginning up to the first difference.
    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool>;
    /// `pread`; returns the number of bytes read.
    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
    /// `write`; returns the number of bytes written, which may be fewer than given.
    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize>;
    /// The process with this pid; `None` if there is none, or the system does not reveal it.
    fn process(&self, pid: u32) -> Option<Process>;
    /// `pread` at the beginning of a lock file, for the note about its holder. Never used for data.
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
    /// Identifies the mount that a path is in: another one after the file system was mounted again, and after another boot.
    /// `None` if the system does not reveal it.
    fn mount(&self, path: &Path) -> Option<String>;
    /// `readlink`.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// `realpath`.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// `fchmod`.
    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()>;
    /// `futimens`: sets when the contents were last changed.
    fn set_modified(&self, handle: &Handle, time: SystemTime) -> io::Result<()>;
    /// `rename`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// `unlink`.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// `rmdir`.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// `mkdir` with mode 0700.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// `faccessat`: whether the process may create and replace files in a folder, as its effective user and on this mount.
    /// Writes nothing to find out.
    fn is_writable(&self, path: &Path) -> io::Result<bool>;
    /// The names in a folder.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// `flock`, non-blocking: `false` if another open file holds the lock.
    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool>;
    /// `flock(LOCK_UN)`.
    fn unlock(&self, handle: &Handle) -> io::Result<()>;
    /// `fcntl(F_OFD_SETLK)`, non-blocking: a shared lock on these bytes, owned by the open file.
    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()>;
    /// The clock that stamps files.
    fn now(&self) -> SystemTime;
    /// The monotonic clock, for time-outs.
    fn elapsed(&self) -> Duration;
    /// Sleeps.
    fn sleep(&self, duration: Duration);
}

/// The result of a call; `None` if nothing is at the path.
pub(in crate::disk) fn if_there<T>(called: io::Result<T>) -> io::Result<Option<T>> {
    match called {
        Ok(value) => Ok(Some(value)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// Reads a regular file of at most `limit` bytes. Returns its handle and its metadata before the read too.
pub(in crate::disk) fn read_file(fs: &dyn Fs, path: &Path, limit: u64) -> io::Result<(Handle, Stat, Vec<u8>)> {
    let handle = fs.open(path, Open::Read)?;
    let stat = fs.stat(&handle)?;
    let bytes = fs.read(&handle, limit)?;
    Ok((handle, stat, bytes))
}

/// Fills `bytes` from `offset` of an open file.
///
/// # Errors
/// `UnexpectedEof` if the file ends before.
pub(in crate::disk) fn read_exactly(
    fs: &dyn Fs,
    file: &Handle,
    mut bytes: &mut [u8],
    mut offset: u64,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = fs.read_at(file, bytes, offset)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[count..];
        offset += count as u64;
    }
    Ok(())
}

/// The error for a file that cannot be read. One that is too large violates its format.
pub(in crate::disk) fn unread(path: &Path, cause: &io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => Error::parse(path, cause),
        _ => Error::io("read", path, cause),
    }
}
