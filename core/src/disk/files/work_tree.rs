//! The files of a work tree: those that git tracks or would offer to track.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::WalkBuilder;

use super::cache::{is_settled, nanos};
use crate::disk::Disk;
use crate::disk::fs::seam::{Kind, Open, Stat};
use crate::error::Result;
use crate::mutex::lock;

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

    /// Whether the entry is unchanged if it has this stamp again.
    pub(crate) fn is_certain(&self) -> bool {
        self.modified != 0
    }
}

impl Disk {
    /// Lists a work tree: files that are not ignored by `.gitignore`, `.git/info/exclude` or the user's global excludes, hidden
    /// ones included. Links are not followed. Repositories inside the work tree are left out unless `with_inner`. At most
    /// `limit` files.
    ///
    /// # Errors
    /// The error of `check`, which is called between the entries. What cannot be read is left out.
    pub(crate) fn walk(
        &self,
        top: &Path,
        limit: usize,
        with_inner: bool,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<WorkTree> {
        let inner: Arc<Mutex<HashSet<PathBuf>>> = Arc::default();
        let (seen, root) = (Arc::clone(&inner), top.to_owned());
        let walk = WalkBuilder::new(top)
            .hidden(false)
            .ignore(false)
            .require_git(false)
            .follow_links(false)
            .filter_entry(move |entry| {
                if entry.file_name() != OsStr::new(".git") {
                    return true;
                }
                if let Some(folder) = entry.path().parent().filter(|folder| *folder != root) {
                    lock(&seen).insert(folder.to_owned());
                }
                false
            })
            .build();
        let mut found = WorkTree::default();
        for entry in walk {
            check()?;
            // A folder without permission, or one that was just removed.
            let Ok(entry) = entry else { continue };
            let Ok(path) = entry.path().strip_prefix(top) else { continue };
            let path = path.as_os_str().as_bytes().to_vec();
            match entry.file_type() {
                Some(kind) if kind.is_dir() => found.folders.push(path),
                Some(kind) if kind.is_file() && found.files.len() < limit => found.files.push(path),
                Some(kind) if kind.is_file() => found.is_cut = true,
                _ => {}
            }
        }
        let inner = std::mem::take(&mut *lock(&inner));
        let inner: Vec<Vec<u8>> = inner
            .iter()
            .filter_map(|folder| Some(folder.strip_prefix(top).ok()?.as_os_str().as_bytes().to_vec()))
            .collect();
        if !inner.is_empty() && !with_inner {
            let is_inside = |path: &[u8]| {
                inner.iter().any(|folder| path.strip_prefix(&**folder).is_some_and(|rest| rest.first() == Some(&b'/')))
            };
            found.files.retain(|path| !is_inside(path));
            found.folders.retain(|path| !is_inside(path));
        }
        found.files.sort_unstable();
        found.folders.sort_unstable();
        Ok(found)
    }

    /// The stamps of entries below `top`, in the order of `paths`; `None` for what is no longer of this kind. A stamp taken
    /// within the resolution of the clock is uncertain.
    ///
    /// # Errors
    /// The error of `check`, which is called now and then.
    pub(crate) fn stamps<'p>(
        &self,
        top: &Path,
        kind: Kind,
        paths: impl Iterator<Item = &'p [u8]>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Option<Stamp>>> {
        let now = nanos(self.fs.now());
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
            let stat = self.fs.stat_path(Path::new(OsStr::from_bytes(&path))).ok().filter(|stat| stat.kind == kind);
            stamps.push(stat.map(|stat| {
                let stamp = Stamp::of(&stat);
                if is_settled(now, &stat) { stamp } else { Stamp { modified: 0, ..stamp } }
            }));
        }
        Ok(stamps)
    }

    /// The stamp of one path, following links; `None` if nothing is there.
    pub(crate) fn stamp_of(&self, path: &Path) -> Option<Stamp> {
        let now = nanos(self.fs.now());
        let stat = self.fs.stat_target(path).ok()?;
        let stamp = Stamp::of(&stat);
        Some(if is_settled(now, &stat) { stamp } else { Stamp { modified: 0, ..stamp } })
    }

    /// Reads a regular file of a work tree without following a link at its leaf; `None` if it cannot be read or is longer than
    /// `limit`.
    pub(crate) fn read_in_work_tree(&self, top: &Path, relative: &[u8], limit: u64) -> Option<Vec<u8>> {
        let path = top.join(PathBuf::from(std::ffi::OsString::from_vec(relative.to_vec())));
        let handle = self.fs.open(&path, Open::Read).ok()?;
        self.fs.read(&handle, limit).ok()
    }
}
