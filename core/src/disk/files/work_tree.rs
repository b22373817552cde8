//! The files of a work tree: those that git tracks or would offer to track.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder};

use super::cache::{is_settled, nanos};
use super::ignores::Ignores;
use crate::disk::Disk;
use crate::disk::fs::seam::{Fs, Kind, Open, Stat, read_exactly};
use crate::error::Result;
use crate::mutex::lock;
use crate::warning::Warning;

/// What is in a work tree. Paths are relative to its top level, with `/`.
#[derive(Debug, Default)]
pub(crate) struct WorkTree {
    /// Regular files, sorted by path.
    pub(crate) files: Vec<Vec<u8>>,
    /// Folders whose entries were read, sorted by path; the top level is the empty path.
    pub(crate) folders: Vec<Vec<u8>>,
    /// Whether there are more files than were asked for.
    pub(crate) is_cut: bool,
}

/// A time of the clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(i128);

/// The identity of an entry of a work tree at one moment, in the form in which it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    /// The size in bytes.
    pub(crate) size: u64,
    /// The inode.
    pub(crate) inode: u64,
    /// Last change of the contents, in nanoseconds since 1970; 0 if a later change may not change it.
    pub(crate) modified: i64,
    /// Last change of the inode, in nanoseconds since 1970.
    pub(crate) changed: i64,
}

impl Stamp {
    fn of(stat: &Stat) -> Self {
        let nanos = |time: i128| i64::try_from(time).unwrap_or(i64::MAX);
        Stamp { size: stat.size, inode: stat.inode, modified: nanos(stat.modified), changed: nanos(stat.changed) }
    }

    /// The stamp as that of an entry that is looked at again.
    pub(crate) fn uncertain(self) -> Self {
        Stamp { modified: 0, ..self }
    }

    /// Whether the entry is unchanged if it has this stamp again.
    pub(crate) fn is_certain(&self) -> bool {
        self.modified != 0
    }
}

/// When stamps were taken, and in which mount of the file system.
///
/// The times of a changed file reach the disk before its bytes do. After a power failure, a file may have the times of a change
/// that was never written, and its old bytes or zeros. So a stamp of a file that was young when it was taken counts only as long
/// as the file system stays mounted. Where that is not known, it does not count until the file is older.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Epoch {
    /// Identifies the mount, if that is known.
    pub(crate) mount: Option<String>,
    /// In nanoseconds since 1970.
    pub(crate) time: i64,
}

/// After this, the bytes of a file are on the disk: Linux writes those that are 30 seconds old, and looks every five.
const DURABLE_AFTER_NANOS: i64 = 60_000_000_000;

impl Epoch {
    /// Whether stamps of this epoch count in another one, whatever the age of their files.
    pub(crate) fn is_same(&self, now: &Epoch) -> bool {
        self.mount.is_some() && self.mount == now.mount
    }

    /// A stamp of this epoch as it counts in another one.
    pub(crate) fn outlasted(&self, stamp: Stamp) -> Stamp {
        let is_young = stamp.modified.max(stamp.changed) > self.time.saturating_sub(DURABLE_AFTER_NANOS);
        if is_young { stamp.uncertain() } else { stamp }
    }
}

/// Whether the error means that a path leads to nothing that could be read, until the folders on it change.
fn is_gone(cause: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound, PermissionDenied};
    matches!(cause.kind(), NotFound | NotADirectory | PermissionDenied | InvalidFilename)
        || cause.raw_os_error() == Some(libc::ELOOP)
}

/// The name of a folder of installed packages, the mark of a virtual environment, and that of a cache with the beginning of
/// its contents (https://bford.info/cachedir/).
const PACKAGES: &str = "node_modules";
const ENVIRONMENT: &str = "pyvenv.cfg";
const CACHE: &str = "CACHEDIR.TAG";
const CACHE_SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Whether a tool has made the folder and what is in it, such as packages or the output of a compiler.
///
/// A mark among `tracked` is one that a commit brought; what a tool makes here, nobody commits.
fn is_derived(fs: &dyn Fs, folder: &Path, tracked: &HashSet<PathBuf>) -> bool {
    let has_signature = || {
        if tracked.contains(&folder.join(CACHE)) {
            return false;
        }
        let mut start = [0; CACHE_SIGNATURE.len()];
        let file = fs.open(&folder.join(CACHE), Open::Read);
        file.is_ok_and(|file| read_exactly(fs, &file, &mut start, 0).is_ok_and(|()| start == *CACHE_SIGNATURE))
    };
    let is_environment = || {
        let mark = folder.join(ENVIRONMENT);
        !tracked.contains(&mark) && fs.stat_path(&mark).is_ok_and(|stat| stat.kind == Kind::File)
    };
    folder.file_name() == Some(OsStr::new(PACKAGES)) || is_environment() || has_signature()
}

impl Disk {
    /// The epoch of stamps of files below `top` that are taken from here on.
    pub(crate) fn epoch(&self, top: &Path) -> Epoch {
        Epoch { mount: self.fs.mount(top), time: i64::try_from(nanos(self.fs.now())).unwrap_or_default() }
    }

    /// Now, for [`stamps`](Self::stamps): stamps of what changes from here on are uncertain.
    pub(crate) fn moment(&self) -> Moment {
        Moment(nanos(self.fs.now()))
    }

    /// Lists a work tree: files that are not ignored by its `.gitignore` files, `.git/info/exclude` or the user's global
    /// excludes, hidden ones included. Links are not followed. Repositories inside the work tree are left out unless
    /// `with_inner`, and so is the folder `without`. Of a folder that holds what a tool has put there and can put there again, the
    /// entries are not read; a file among `tracked`, by paths below `top`, does not mark such a folder. At most `limit` files, the
    /// first ones by the names on their paths.
    ///
    /// # Errors
    /// The error of `check`, which is called between the entries and patterns. What cannot be read is left out.
    pub(crate) fn walk(
        &self,
        top: &Path,
        limit: usize,
        with_inner: bool,
        without: &Path,
        tracked: &[Vec<u8>],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<WorkTree> {
        let (fs, without) = (Arc::clone(&self.fs), without.to_owned());
        let ignores = Arc::new(Ignores::new(&self.fs, top, Self::global_excludes().as_deref(), check)?);
        let known = Arc::clone(&ignores);
        let derived = Arc::new(Mutex::new(Vec::new()));
        let left_out = Arc::clone(&derived);
        let paths = tracked.iter().map(|path| Path::new(OsStr::from_bytes(path)));
        let is_mark = |path: &&Path| path.ends_with(ENVIRONMENT) || path.ends_with(CACHE);
        let marks: HashSet<PathBuf> = paths.filter(is_mark).map(|path| top.join(path)).collect();
        let is_entered = move |entry: &DirEntry| {
            let is_inner = || {
                let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
                is_folder && fs.stat_path(&entry.path().join(".git")).is_ok()
            };
            let is_folder = || entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.file_name() != OsStr::new(".git")
                && entry.path() != without
                && !known.ignores(entry.path(), is_folder())
                && (with_inner || !is_inner())
                && !(is_folder() && entry.depth() > 0 && is_derived(&*fs, entry.path(), &marks) && {
                    lock(&left_out).push(entry.path().to_owned());
                    true
                })
        };
        let walk = WalkBuilder::new(top)
            // It would follow links, and wait for pipes.
            .standard_filters(false)
            .follow_links(false)
            // So that the limit cuts the same files off in every work tree.
            .sort_by_file_name(OsStr::cmp)
            .filter_entry(is_entered)
            .build();
        let mut found = WorkTree::default();
        for entry in walk {
            check()?;
            // A folder without permission, or one that was just removed.
            let Ok(entry) = entry else { continue };
            let Ok(path) = entry.path().strip_prefix(top) else { continue };
            let path = path.as_os_str().as_bytes().to_vec();
            match entry.file_type() {
                Some(kind) if kind.is_dir() => {
                    // Its entries come next.
                    ignores.enter(entry.path(), check)?;
                    found.folders.push(path);
                }
                Some(kind) if kind.is_file() && found.files.len() < limit => found.files.push(path),
                Some(kind) if kind.is_file() => {
                    found.is_cut = true;
                    break;
                }
                _ => {}
            }
        }
        for file in ignores.cut() {
            let message = "a work tree has more patterns for ignored files than are used; the files that only the others match are listed";
            self.warn(Warning::new(message).at(&file));
        }
        // If they change, they may not be such folders any more.
        let derived = std::mem::take(&mut *lock(&derived));
        let derived = derived.iter().filter_map(|folder| folder.strip_prefix(top).ok());
        found.folders.extend(derived.map(|folder| folder.as_os_str().as_bytes().to_vec()));
        found.files.sort_unstable();
        found.folders.sort_unstable();
        Ok(found)
    }

    /// The stamps of entries below `top`, in the order of `paths`; `None` for what is no longer of this kind. The stamp of
    /// what changed since a clock tick before `since` is uncertain, and so is that of what cannot be looked at now.
    ///
    /// # Errors
    /// The error of `check`, which is called now and then.
    pub(crate) fn stamps<'p>(
        &self,
        top: &Path,
        kind: Kind,
        paths: impl Iterator<Item = &'p [u8]>,
        since: Moment,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Option<Stamp>>> {
        let prefix = top.as_os_str().as_bytes();
        let mut path = Vec::with_capacity(prefix.len() + 128);
        let mut stamps = Vec::new();
        for (index, relative) in paths.enumerate() {
            if index % 256 == 0 {
                check()?;
            }
            path.clear();
            path.extend_from_slice(prefix);
            path.push(b'/');
            path.extend_from_slice(relative);
            stamps.push(match self.fs.stat_path(Path::new(OsStr::from_bytes(&path))) {
                Ok(stat) if stat.kind != kind => None,
                Ok(stat) if is_settled(since.0, &stat) => Some(Stamp::of(&stat)),
                Ok(stat) => Some(Stamp::of(&stat).uncertain()),
                Err(cause) if is_gone(&cause) => None,
                Err(_) => Some(Stamp::default()),
            });
        }
        Ok(stamps)
    }

    /// The stamp of one path, following links; `None` if nothing is there.
    pub(crate) fn stamp_of(&self, path: &Path) -> Option<Stamp> {
        let now = nanos(self.fs.now());
        let stat = self.fs.stat_target(path).ok()?;
        let stamp = Stamp::of(&stat);
        Some(if is_settled(now, &stat) { stamp } else { stamp.uncertain() })
    }

    /// Reads a regular file of a work tree without following a link at its leaf.
    ///
    /// # Errors
    /// That of opening or reading it; `FileTooLarge` beyond `limit` bytes.
    pub(crate) fn read_in_work_tree(&self, top: &Path, relative: &[u8], limit: u64) -> io::Result<Vec<u8>> {
        let path = top.join(OsStr::from_bytes(relative));
        let handle = self.fs.open(&path, Open::Read)?;
        self.fs.read(&handle, limit)
    }

    /// What decides which files the user ignores everywhere, for git: its configuration, and the file that it names.
    pub(crate) fn global_excludes() -> Option<PathBuf> {
        ignore::gitignore::gitconfig_excludes_path()
    }
}
