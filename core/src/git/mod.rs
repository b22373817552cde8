//! The little of git that rooms share: which repository a folder belongs to, its HEAD and its configuration.
//!
//! Nothing is written, no program runs, and no object is read. A repository may have been made by somebody else to
//! mislead: every path in it is a claim. So whatever is read is a regular file, of bounded size, under the time-out and
//! the cancel request of the call, and a claim counts only when the place that it names confirms it.
//!
//! # What counts as a repository of a folder
//!
//! - **Discovery** (`discovery`): the first `.git` at the folder or above it, a folder or a file `gitdir: PATH`. The
//!   folder that contains `.git` is the *holder*. `GIT_CEILING_DIRECTORIES` and `GIT_DISCOVERY_ACROSS_FILESYSTEM` count.
//!   One that another user made in a folder that is open to all, such as `/tmp`, is passed over.
//! - **A bare repository** counts only when the folder itself is its top, its own configuration says `core.bare = true`,
//!   and there is no `.git` above. It is never found from within: a clone can contain such a folder.
//! - **A `.git` folder** is its own git directory and its holder is the work tree. It has no `commondir`.
//! - **A `.git` file, or a link called `.git`,** names a git directory, which is one of these:
//!   - that of a *linked work tree*: it has `commondir`, lies in `worktrees/` of that folder, and its `gitdir` names the
//!     `.git` of the holder;
//!   - one whose own `core.worktree` names the holder: a submodule;
//!   - one that says nothing of a work tree (`git init --separate-git-dir`). Anyone can name such a folder, so the
//!     holder is the work tree, and identity is never taken from the git directory's path. One that is called `.git` is
//!     the repository of the folder that contains it, and a bare one outside of the holder has no work tree: both are refused.
//! - **`core.worktree`** counts where it names the holder, or a folder around the workspace whose own `.git` leads back
//!   to the same git directory.
//! - **Owner** (`trust`): holder, `.git` and git directory belong to the user, or `safe.directory` allows them.
//!
//! Anything else with a `.git` is a `GitError`: broken and hostile repositories are never treated as plain folders.

mod bool;
mod config;
mod discovery;
mod explicit;
mod include;
mod pattern;
mod refs;
mod repository;
mod syntax;
mod trust;

use std::path::{Path, PathBuf};

pub(crate) use config::Config;
pub(crate) use refs::Head;
pub(crate) use repository::Repository;

use crate::disk::{Deadline, Disk, Handle, Kind, Stat};
use crate::error::{Error, ErrorKind, Result};
use crate::home::GitEnvironment;
use crate::safety::{escape_controls_on_one_line, is_steering};

/// The size of files that hold one line: HEAD, a ref, `commondir`, `gitdir`, a `.git` file.
const MAX_LINE_FILE_BYTES: u64 = 8 << 10;
/// Always empty.
const NULL_DEVICE: &str = "/dev/null";
/// The size that one file of configuration may have.
const MAX_CONFIG_BYTES: u64 = 4 << 20;

/// Reads what is not loopmem's own: regular files of bounded size, as long as the call has time.
pub(crate) struct Files<'a> {
    disk: &'a Disk,
    patience: Deadline<'a>,
    environment: &'a GitEnvironment,
}

impl<'a> Files<'a> {
    /// Over `disk`, until `patience` is over.
    pub(crate) fn new(disk: &'a Disk, patience: Deadline<'a>, environment: &'a GitEnvironment) -> Self {
        Files { disk, patience, environment }
    }

    /// Between any two system calls, which may each take long on a network file system.
    fn check_time(&self, path: &Path) -> Result<()> {
        if self.patience.is_over()? {
            let millis = self.patience.timeout.as_millis();
            let what = format!("reading the repository took longer than {millis} ms; try again or allow more time");
            return Err(Error::new(ErrorKind::Git, what).at(path).mark_retryable());
        }
        Ok(())
    }

    /// The bytes of a regular file of at most `most` bytes, links followed; `None` when there is none.
    fn read(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
        // Opening a device may do something, so it is looked at first.
        match self.stat(path)?.map(|stat| stat.kind) {
            None => return Ok(None),
            Some(Kind::File) => {}
            Some(_) => return Err(not_regular(path)),
        }
        self.check_time(path)?;
        self.disk.read_foreign(path, most).map_err(|cause| unreadable(path, &cause))
    }

    /// Opens a regular file to read parts of it; `None` when there is none.
    fn open(&self, path: &Path) -> Result<Option<(Handle, u64)>> {
        let Some(stat) = self.stat(path)? else { return Ok(None) };
        if stat.kind != Kind::File {
            return Err(not_regular(path));
        }
        let file = self.disk.open_foreign(path).map_err(|cause| unreadable(path, &cause))?;
        Ok(file.map(|file| (file, stat.size)))
    }

    /// Fills `bytes` from `offset` as far as the file goes; returns how many bytes there were.
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

    /// Whether this user may not read the file at `path`, links followed. What else is wrong with it is for
    /// [`read`](Self::read) to report.
    fn is_denied(&self, path: &Path) -> Result<bool> {
        self.check_time(path)?;
        let opened = match self.disk.stat_foreign(path) {
            Ok(Some(stat)) if stat.kind == Kind::File => self.disk.open_foreign(path).map(drop),
            Ok(_) => Ok(()),
            Err(cause) => Err(cause),
        };
        Ok(opened.is_err_and(|cause| cause.kind() == std::io::ErrorKind::PermissionDenied))
    }

    /// Whether `path` leads to the null device, by whatever name: a link to it, or a mount of it as sandboxes make them.
    fn is_null_device(&self, path: &Path) -> Result<bool> {
        let identity = |path: &Path| Ok::<_, Error>(self.stat(path)?.map(|stat| (stat.kind, stat.device, stat.inode)));
        let found = identity(path)?;
        Ok(found.is_some_and(|(kind, ..)| kind == Kind::Other) && found == identity(Path::new(NULL_DEVICE))?)
    }

    /// What is at `path`, links followed.
    fn stat(&self, path: &Path) -> Result<Option<Stat>> {
        self.check_time(path)?;
        or_none(self.disk.stat_foreign(path)).map_err(|cause| unreadable(path, &cause))
    }

    /// What is at `path` itself, a link too.
    fn stat_entry(&self, path: &Path) -> Result<Option<Stat>> {
        self.check_time(path)?;
        or_none(self.disk.stat_foreign_entry(path)).map_err(|cause| unreadable(path, &cause))
    }

    /// `path` without links and dots; `None` when it leads nowhere.
    fn canonical(&self, path: &Path) -> Result<Option<PathBuf>> {
        self.check_time(path)?;
        or_none(self.disk.canonical(path).map(Some)).map_err(|cause| unreadable(path, &cause))
    }
}

/// Names that can be no file, such as branches of 1,000 letters and files below a file, are names that nothing has.
fn or_none<T>(called: std::io::Result<Option<T>>) -> std::io::Result<Option<T>> {
    use std::io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    match called {
        Err(cause) if matches!(cause.kind(), NotFound | NotADirectory | InvalidFilename | InvalidInput) => Ok(None),
        called => called,
    }
}

/// `what` is wrong with the file or folder `path`, and what to do.
fn refused(path: &Path, what: &str) -> Error {
    Error::new(ErrorKind::Git, format!("{}: {what}", shown(path))).at(path)
}

/// `path` in an error message. Whoever made a repository named its folders, so that line ends and other control characters
/// in their names are escaped.
pub(crate) fn shown(path: &Path) -> String {
    escape_controls_on_one_line(&path.display().to_string()).into_owned()
}

fn not_regular(path: &Path) -> Error {
    refused(path, "git expects a regular file here; replace or remove this one")
}

fn unreadable(path: &Path, cause: &std::io::Error) -> Error {
    let what = match cause.kind() {
        std::io::ErrorKind::FileTooLarge => "the file is too large for what git keeps in it; see `git status`",
        _ => "this part of the repository cannot be read; check its permissions",
    };
    refused(path, what).because_of(cause)
}

/// A path as bytes of a file have it.
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The bytes of a path.
fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// `path` as a word of a shell command, so that advice can be copied.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:@,".contains(c);
    if path.to_str().is_none() || text.contains(is_steering) {
        // The form in which a shell takes any byte.
        let escaped = bytes_of(path).escape_ascii();
        return format!("$'{escaped}'");
    }
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Without the line ends that git takes off what it keeps in one line.
fn trim_line_ends(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &bytes[..end]
}
