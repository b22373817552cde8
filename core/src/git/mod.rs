//! The part of git that loopmem needs: which repository a folder belongs to, its HEAD and its configuration.
//!
//! Nothing is written, no program is run, and no object is read but by `history`, with `objects`. Repositories are not trusted: every path in one is
//! only a claim. Therefore only regular files of bounded size are read, within the call's time-out and subject to its
//! cancel request, and a claim is accepted only if the place that it names confirms it.
//!
//! # What counts as a repository of a folder
//!
//! - **Discovery** (`discovery`): the first `.git` in the folder or one of its parents: a folder, or a file `gitdir:
//!   PATH`. The folder that contains `.git` is the *holder*. `GIT_CEILING_DIRECTORIES` and
//!   `GIT_DISCOVERY_ACROSS_FILESYSTEM` are respected. A `.git` created by another user in a world-writable folder, such
//!   as `/tmp`, is ignored.
//! - **A bare repository** is accepted only if the folder itself is its top, its own configuration says `core.bare =
//!   true`, and no parent has a `.git`. It is never discovered from within, since a clone can contain such a folder.
//! - **A `.git` folder** is its own git directory and its holder is the work tree. It has no `commondir`.
//! - **A `.git` file, or a link called `.git`,** names a git directory, which is one of these:
//!   - that of a *linked work tree*: it has `commondir`, is in `worktrees/` of that folder, and its `gitdir` names the
//!     `.git` of the holder;
//!   - one whose own `core.worktree` names the holder: a submodule;
//!   - one that does not mention a work tree (`git init --separate-git-dir`). Anyone can refer to such a folder, so the
//!     holder is the work tree, and identity is never derived from the git directory's path. A directory named `.git`
//!     is the repository of its parent, and a bare one outside the holder has no work tree: both are rejected.
//! - **`core.worktree`** is accepted if it names the holder, or a parent of the workspace whose own `.git` leads back
//!   to the same git directory.
//! - **Ownership** (`trust`): holder, `.git` and git directory belong to the user, or `safe.directory` allows them.
//!
//! Anything else with a `.git` is a `GitError`; broken and hostile repositories are never treated as plain folders.

mod ancestry;
mod bool;
mod config;
mod discovery;
mod explicit;
mod history;
mod include;
#[cfg(any(feature = "history", feature = "branch"))]
mod objects;
pub(crate) mod pattern;
mod refs;
mod repository;
mod syntax;
mod tracked;
mod trust;
mod user;

use std::path::{Path, PathBuf};

pub(crate) use ancestry::{Ancestry, Contained};
pub(crate) use config::Config;
pub(crate) use history::{Change, recent_changes};
#[cfg(feature = "branch")]
pub(crate) use objects::{ObjectId, ObjectKind, ObjectLimits, ObjectStore};
pub(crate) use refs::Head;
pub(crate) use repository::Repository;
pub(crate) use tracked::tracked_files;
pub(crate) use user::user;

use crate::disk::{Deadline, Disk, Handle, Kind, Stat};
use crate::error::{Error, ErrorKind, Result};
use crate::home::GitEnvironment;
use crate::safety::{escape_controls_on_one_line, is_steering};

/// The maximum size of files with one line: HEAD, a ref, `commondir`, `gitdir`, a `.git` file.
const MAX_LINE_FILE_BYTES: u64 = 8 << 10;
/// The null device.
const NULL_DEVICE: &str = "/dev/null";
/// The maximum size of a configuration file.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// Reads files outside the home: regular files of bounded size, until the call's deadline.
pub(crate) struct Files<'a> {
    disk: &'a Disk,
    deadline: Deadline<'a>,
    environment: &'a GitEnvironment,
}

impl<'a> Files<'a> {
    /// Reads through `disk` until `deadline`.
    pub(crate) fn new(disk: &'a Disk, deadline: Deadline<'a>, environment: &'a GitEnvironment) -> Self {
        Files { disk, deadline, environment }
    }

    /// Checks the deadline. Called between system calls, which may be slow on a network file system.
    fn check_time(&self, path: &Path) -> Result<()> {
        if self.deadline.is_over()? {
            let millis = self.deadline.timeout.as_millis();
            let what = format!("reading the repository took longer than {millis} ms; try again or raise the time-out");
            return Err(Error::new(ErrorKind::Git, what).at(path).mark_retryable());
        }
        Ok(())
    }

    /// Reads a regular file of at most `limit` bytes, following links; `None` if it does not exist.
    fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        if self.stat_file(path)?.is_none() {
            return Ok(None);
        }
        self.check_time(path)?;
        self.disk.read_foreign(path, limit).map_err(|cause| unreadable(path, &cause))
    }

    /// Opens a regular file for partial reads; `None` if it does not exist.
    fn open(&self, path: &Path) -> Result<Option<(Handle, u64)>> {
        let Some(stat) = self.stat_file(path)? else { return Ok(None) };
        let file = self.disk.open_foreign(path).map_err(|cause| unreadable(path, &cause))?;
        Ok(file.map(|file| (file, stat.size)))
    }

    /// Reads at `offset` until `bytes` is full or the file ends; returns the number of bytes.
    fn read_at(&self, path: &Path, file: &Handle, bytes: &mut [u8], offset: u64) -> Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            self.check_time(path)?;
            let part = self.disk.read_foreign_at(file, &mut bytes[filled..], offset.saturating_add(filled as u64));
            match part.map_err(|cause| unreadable(path, &cause))? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }

    /// Whether this user lacks permission to read the file at `path`, following links. Other errors are reported by
    /// [`read`](Self::read).
    fn is_denied(&self, path: &Path) -> Result<bool> {
        self.check_time(path)?;
        let opened = match self.disk.stat_foreign(path) {
            Ok(Some(stat)) if stat.kind == Kind::File => self.disk.open_foreign(path).map(drop),
            Ok(_) => Ok(()),
            Err(cause) => Err(cause),
        };
        Ok(opened.is_err_and(|cause| cause.kind() == std::io::ErrorKind::PermissionDenied))
    }

    /// Whether `path` is the null device under any name: a link to it, or a bind mount of it, as in sandboxes.
    fn is_null_device(&self, path: &Path) -> Result<bool> {
        let identity = |path: &Path| Ok::<_, Error>(self.stat(path)?.map(|stat| (stat.kind, stat.device, stat.inode)));
        let found = identity(path)?;
        Ok(found.is_some_and(|(kind, ..)| kind == Kind::Other) && found == identity(Path::new(NULL_DEVICE))?)
    }

    /// The status of a regular file, following links. Opening a device may have side effects, so this is checked first.
    fn stat_file(&self, path: &Path) -> Result<Option<Stat>> {
        match self.stat(path)? {
            Some(stat) if stat.kind != Kind::File => Err(not_regular(path)),
            stat => Ok(stat),
        }
    }

    /// The status of `path`, following links.
    fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        self.check_time(path)?;
        or_none(self.disk.stat_foreign(path)).map_err(|cause| unreadable(path, &cause))
    }

    /// The status of `path`, not following links.
    fn stat_entry(&self, path: &Path) -> Result<Option<Stat>> {
        self.check_time(path)?;
        or_none(self.disk.stat_foreign_entry(path)).map_err(|cause| unreadable(path, &cause))
    }

    /// The canonical form of `path`; `None` if it does not exist.
    fn canonical(&self, path: &Path) -> Result<Option<PathBuf>> {
        self.check_time(path)?;
        or_none(self.disk.canonical(path).map(Some)).map_err(|cause| unreadable(path, &cause))
    }
}

/// Treats names that cannot exist, such as overlong names and paths below a file, as missing.
fn or_none<T>(outcome: std::io::Result<Option<T>>) -> std::io::Result<Option<T>> {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    match outcome {
        Err(cause) if matches!(cause.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput) => Ok(None),
        outcome => outcome,
    }
}

/// The error for the file or folder `path`; `what` says what is wrong and what to do.
fn refused(path: &Path, what: &str) -> Error {
    Error::new(ErrorKind::Git, format!("{}: {what}", shown(path))).at(path)
}

/// Formats `path` for an error message. Names in a repository are untrusted, so line ends and other control characters
/// are escaped.
pub(crate) fn shown(path: &Path) -> String {
    escape_controls_on_one_line(&path.display().to_string()).into_owned()
}

fn not_regular(path: &Path) -> Error {
    refused(path, "git expects a regular file here; replace or remove this one")
}

fn unreadable(path: &Path, cause: &std::io::Error) -> Error {
    let what = match cause.kind() {
        std::io::ErrorKind::FileTooLarge => "the file is larger than git would make it; see `git status`",
        _ => "this part of the repository cannot be read; check its permissions",
    };
    refused(path, what).because_of(cause)
}

/// Converts bytes from a file to a path.
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The bytes of a path.
fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Quotes `path` for a shell, so that suggested commands can be copied.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,".contains(c);
    if path.to_str().is_none() || text.contains(is_steering) {
        // ANSI-C quoting, which can express any byte.
        let escaped = bytes_of(path).escape_ascii();
        return format!("$'{escaped}'");
    }
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Removes trailing line ends, as git does in files with one line.
fn trim_line_ends(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &bytes[..end]
}
