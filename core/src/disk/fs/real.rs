//! The system calls themselves. Only this file touches the file system and its clocks.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the one implementation of the seam")]

use std::ffi::{CString, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::seam::{Fs, Handle, Kind, Open, OpenFile, Process, Stat, Sync};

/// Files and folders are accessible only to their owner.
pub(in crate::disk) const FILE_MODE: u32 = 0o600;
pub(in crate::disk) const FOLDER_MODE: u32 = 0o700;
/// How many bytes are compared at a time: small enough for the CPU's cache.
const COMPARED: usize = 64 << 10;

/// How many bytes are read at a time. The buffer is zeroed first, which is cheap while it fits in the CPU's cache.
const READ_AT_ONCE: usize = 256 << 10;

/// The kernel's file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFs;

impl Fs for RealFs {
    fn open(&self, path: &Path, how: Open) -> io::Result<Handle> {
        let mut options = OpenOptions::new();
        // A pipe is refused below, so opening it must not block.
        options.mode(FILE_MODE).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        match how {
            Open::Read => options.read(true),
            Open::ReadTarget => options.read(true).custom_flags(libc::O_NONBLOCK),
            Open::Append => options.read(true).append(true).create(true),
            Open::CreateNew => options.read(true).write(true).create_new(true),
            Open::Overwrite => options.read(true).write(true).create(true).truncate(true),
            Open::CreateLock => options.read(true).write(true).create(true).truncate(false),
            Open::Lock => options.read(true).write(true),
            Open::Folder => options.read(true).custom_flags(libc::O_DIRECTORY),
        };
        let file = options.open(path).map_err(|cause| match cause.raw_os_error() {
            Some(libc::ELOOP) => io::Error::other("it is a symbolic link, and loopmem does not follow links"),
            _ => cause,
        })?;
        let is_wanted = match how {
            Open::Folder | Open::CreateNew => true,
            _ => file.metadata()?.is_file(),
        };
        match is_wanted {
            true => Ok(Handle { file: OpenFile::Real(file), path: path.to_owned() }),
            false => Err(io::Error::other("it is not a regular file")),
        }
    }

    fn read(&self, handle: &Handle, limit: u64) -> io::Result<Vec<u8>> {
        let size = handle.real()?.metadata()?.len();
        if size > limit {
            return Err(too_large(size, limit));
        }
        let mut bytes: Vec<u8> = Vec::new();
        // One byte more, to detect the end.
        let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.try_reserve_exact(size + 1)?;
        loop {
            let offset = bytes.len();
            if offset == bytes.capacity() {
                // The file grows while it is read.
                bytes.try_reserve(READ_AT_ONCE)?;
            }
            bytes.resize(bytes.capacity().min(offset + READ_AT_ONCE), 0);
            // Positioned reads, since the cache may share the handle.
            let count = read_at(handle.real()?, &mut bytes[offset..], offset as u64)?;
            bytes.truncate(offset + count);
            if count == 0 {
                return Ok(bytes);
            }
            if bytes.len() as u64 > limit {
                return Err(too_large(bytes.len() as u64, limit));
            }
        }
    }

    fn holds(&self, handle: &Handle, bytes: &[u8]) -> io::Result<bool> {
        let mut part = vec![0; COMPARED.min(bytes.len() + 1)];
        let mut rest = bytes;
        loop {
            let count = read_at(handle.real()?, &mut part, (bytes.len() - rest.len()) as u64)?;
            match rest.strip_prefix(&part[..count]) {
                // A short read means the end of the file. If it ever does not, the file is merely read again.
                Some(behind) if count < part.len() => return Ok(behind.is_empty()),
                Some(behind) => rest = behind,
                None => return Ok(false),
            }
        }
    }

    fn read_at(&self, handle: &Handle, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(handle.real()?, bytes, offset)
    }

    fn write(&self, handle: &Handle, bytes: &[u8]) -> io::Result<usize> {
        let mut file = handle.real()?;
        file.write(bytes)
    }

    fn process(&self, pid: u32) -> Option<Process> {
        let boot = boot_id()?;
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?.to_str()?.to_owned();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The program's name is in parentheses and may contain anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_dead = matches!(fields.next()?, "Z" | "X");
        let started = fields.nth(18)?.parse().ok()?;
        if is_dead {
            return None;
        }
        Some(Process { boot, namespace, pid, started })
    }

    fn read_holder(&self, handle: &Handle, bytes: &mut [u8]) -> io::Result<usize> {
        read_at(handle.real()?, bytes, 0)
    }

    fn write_holder(&self, handle: &Handle, bytes: &[u8]) -> io::Result<()> {
        handle.real()?.write_all_at(bytes, 0)
    }

    fn sync(&self, handle: &Handle, what: Sync) -> io::Result<()> {
        match what {
            Sync::All => handle.real()?.sync_all(),
            Sync::Data => handle.real()?.sync_data(),
        }
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        Ok(stat(&handle.real()?.metadata()?))
    }

    fn stat_path(&self, path: &Path) -> io::Result<Stat> {
        Ok(stat(&std::fs::symlink_metadata(path)?))
    }

    fn stat_target(&self, path: &Path) -> io::Result<Stat> {
        Ok(stat(&std::fs::metadata(path)?))
    }

    #[cfg(target_os = "linux")]
    #[allow(unsafe_code, reason = "std does not reveal the mount of a file")]
    fn mount(&self, path: &Path) -> Option<String> {
        /// Linux before 6.8 may use the id of what is not mounted any more again, until the next boot.
        const ID: libc::c_uint = libc::STATX_MNT_ID_UNIQUE | libc::STATX_MNT_ID;
        let boot = boot_id()?;
        let name = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: all zeros are valid for a struct of integers.
        let mut found: libc::statx = unsafe { std::mem::zeroed() };
        // SAFETY: the name ends with NUL and outlives the call, which only fills the struct.
        let failed = unsafe { libc::statx(libc::AT_FDCWD, name.as_ptr(), 0, ID, &raw mut found) };
        (failed == 0 && found.stx_mask & ID != 0).then(|| format!("{boot} {}", found.stx_mnt_id))
    }

    #[cfg(not(target_os = "linux"))]
    fn mount(&self, _: &Path) -> Option<String> {
        None
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        handle.real()?.set_permissions(std::fs::Permissions::from_mode(mode))
    }

    fn set_modified(&self, handle: &Handle, time: SystemTime) -> io::Result<()> {
        handle.real()?.set_modified(time)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(FOLDER_MODE).create(path)
    }

    #[allow(unsafe_code, reason = "std cannot check this without writing")]
    fn is_writable(&self, path: &Path) -> io::Result<bool> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the pointer is to a NUL-terminated string that outlives the call.
        let refused =
            unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK | libc::X_OK, libc::AT_EACCESS) };
        if refused == 0 {
            return Ok(true);
        }
        let cause = io::Error::last_os_error();
        match cause.raw_os_error() {
            Some(libc::EACCES | libc::EPERM | libc::EROFS) => Ok(false),
            _ => Err(cause),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn try_lock(&self, handle: &Handle, exclusive: bool) -> io::Result<bool> {
        // By full path: std has methods of the same names with different errors, and lacks them on some platforms.
        let locked = if exclusive {
            fs2::FileExt::try_lock_exclusive(handle.real()?)
        } else {
            fs2::FileExt::try_lock_shared(handle.real()?)
        };
        match locked {
            Ok(()) => Ok(true),
            Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(cause) => Err(cause),
        }
    }

    fn unlock(&self, handle: &Handle) -> io::Result<()> {
        fs2::FileExt::unlock(handle.real()?)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[allow(
        unsafe_code,
        clippy::cast_possible_truncation,
        reason = "std has no byte-range locks; the constants are small"
    )]
    fn pin(&self, handle: &Handle, bytes: Range<u64>) -> io::Result<()> {
        let offset = |at: u64| libc::off_t::try_from(at).map_err(|_| io::ErrorKind::InvalidInput);
        // SAFETY: all zeros are valid for a struct of integers.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_RDLCK as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_start = offset(bytes.start)?;
        lock.l_len = offset(bytes.end.saturating_sub(bytes.start))?;
        // SAFETY: the descriptor is open, and the call only reads the struct.
        let refused = unsafe { libc::fcntl(handle.real()?.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
        if refused == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn pin(&self, _: &Handle, _: Range<u64>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    /// Since the boot: a start of our own would have to be stored, and a child forked while another thread stores it would
    /// wait for that thread for ever.
    #[allow(unsafe_code, reason = "std has no monotonic time without a starting point")]
    fn elapsed(&self) -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the pointer is to a local value, which the call only fills.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
        Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

impl Handle {
    fn real(&self) -> io::Result<&std::fs::File> {
        match &self.file {
            OpenFile::Real(file) => Ok(file),
            #[cfg(feature = "testing")]
            OpenFile::Simulated(_) => Err(io::Error::from_raw_os_error(libc::EBADF)),
        }
    }
}

fn boot_id() -> Option<String> {
    Some(std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

fn read_at(file: &std::fs::File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(bytes, offset) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

fn too_large(size: u64, limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is {size} bytes long; at most {limit} are read"))
}

fn stat(metadata: &std::fs::Metadata) -> Stat {
    let file_type = metadata.file_type();
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    Stat {
        kind: if file_type.is_file() {
            Kind::File
        } else if file_type.is_dir() {
            Kind::Folder
        } else if file_type.is_symlink() {
            Kind::Link
        } else {
            Kind::Other
        },
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        mode: metadata.mode() & 0o7777,
        owner: metadata.uid(),
        group: metadata.gid(),
        modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
        changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
    }
}
