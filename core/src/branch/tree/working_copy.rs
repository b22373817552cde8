//! The folder of a memory as a tree, and changes of the folder to that of a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::contents::Contents;
use super::folder::{self, File};
use crate::branch::merge;
use crate::branch::repository::objects::{Item, Tree, id_of};
use crate::branch::repository::state::State;
use crate::disk::{Disk, FileChange, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The largest file that is compared with that of the branch, in bytes.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// The number of times that files are merged again if they keep changing.
const MAX_ROUNDS: usize = 20;

/// The most files that are changed at once, and their bytes: they are open and in memory together.
const MAX_PART: usize = 200;
const MAX_PART_BYTES: usize = 64 << 20;

/// The files of a folder as they were read: their contents by path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Reads these files of the folder, each of at most `limit` bytes.
///
/// # Errors
/// `Conflict` if one is no longer there; `IOError`; `Cancelled`.
pub(crate) fn read(
    home: &Home,
    disk: &Disk,
    directory: &Path,
    paths: impl Iterator<Item = String>,
    limit: u64,
) -> Result<Files> {
    let check = home.cancel_check();
    let read = |path: String| {
        check()?;
        let content = read_file(disk, directory, &path, limit)?;
        Ok((path, content))
    };
    paths.map(read).collect()
}

/// Reads this file of the folder, of at most `limit` bytes.
///
/// # Errors
/// `Conflict` if it is no longer there; `IOError`.
pub(crate) fn read_file(disk: &Disk, directory: &Path, path: &str, limit: u64) -> Result<Vec<u8>> {
    disk.read_plain(directory, path, limit)?.ok_or_else(|| {
        let message = format!("{path} was removed from {} while it was read; try again", directory.display());
        Error::new(ErrorKind::Conflict, message).at(&directory.join(path)).mark_retryable()
    })
}

/// The tree of all regular files of the folder that are wanted, whatever its rules are, with the modes that they have in
/// `base`. Of the others, the paths are returned. What the repository has of their contents is not held in memory.
pub(crate) fn tree_of_folder(
    home: &Home,
    contents: &mut Contents<'_>,
    disk: &Disk,
    directory: &Path,
    base: Option<&Tree>,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(Tree, Vec<String>)> {
    let check = home.cancel_check();
    let (mut tree, mut others) = (Tree::new(), Vec::new());
    for File { path, .. } in folder::list(home, directory)?.files {
        if !is_wanted(&path) {
            others.push(path);
            continue;
        }
        check()?;
        let content = read_file(disk, directory, &path, MAX_BYTES)?;
        let before = base.and_then(|base| base.get(&path)).copied();
        tree.insert(path, Item::file(contents.add(content)?, before));
    }
    Ok((tree, others))
}

/// The tree of these files, with the modes that they have in `base`.
pub(crate) fn tree_of(contents: &mut Contents<'_>, files: Files, base: Option<&Tree>) -> Result<Tree> {
    let item = |(path, content): (String, Vec<u8>)| {
        let before = base.and_then(|base| base.get(&path)).copied();
        Ok((path, Item::file(contents.add(content)?, before)))
    };
    files.into_iter().map(item).collect()
}

/// Syncs the files of a tree in the folder, also those that the agent has written. This comes before the state says that
/// they are committed: otherwise a file that a power failure emptied would look like a change of the agent.
pub(crate) fn sync(disk: &Disk, directory: &Path, tree: &Tree) -> Result<()> {
    let files = tree.iter().filter(|(_, item)| item.is_file()).map(|(path, _)| directory.join(path));
    // Files that are not kept, or that the agent removed meanwhile, are not there.
    disk.sync_files(directory, files).map(drop)
}

/// A change of the folder.
pub(crate) struct Update<'u> {
    pub(crate) home: &'u Home,
    pub(crate) state: &'u State,
    pub(crate) contents: &'u Contents<'u>,
    pub(crate) directory: &'u Path,
    /// The folder as it was read.
    pub(crate) before: &'u Tree,
    pub(crate) after: &'u Tree,
}

impl Update<'_> {
    /// Changes the folder to `after`, where that differs from `before`: durably, unless a file has been changed since.
    /// Such a change is merged with what `after` has; the paths at which something of that was overridden are returned,
    /// sorted. Only regular files are written. The files that stay are made durable too.
    pub(crate) fn apply(&self) -> Result<Vec<String>> {
        self.run().map_err(|error| match error.kind() {
            ErrorKind::Cancelled => {
                let folder = self.directory.display();
                let message = format!(
                    "the call was cancelled while it changed the files in {folder}, and may have changed some; repeating it changes the others"
                );
                Error::new(ErrorKind::Cancelled, message).at(self.directory).mark_retryable().maybe_stored()
            }
            _ => error,
        })
    }

    fn run(&self) -> Result<Vec<String>> {
        let Update { home, state, directory, before, after, .. } = self;
        folder::make(home, directory)?;
        let only_before = before.keys().filter(|path| !after.contains_key(*path));
        let mut paths: Vec<&String> = only_before.chain(after.keys()).collect();
        let mut conflicts = BTreeSet::new();
        for _ in 0..MAX_ROUNDS {
            let (mut again, mut left) = (Vec::new(), paths.into_iter());
            loop {
                let changes = self.changes(&mut left, &mut conflicts)?;
                if changes.is_empty() {
                    break;
                }
                again.extend(state.change(directory, &changes)?);
            }
            if again.is_empty() {
                sync(state.disk(), directory, after)?;
                return Ok(conflicts.into_iter().collect());
            }
            let again: BTreeSet<PathBuf> = again.into_iter().collect();
            let only_before = before.keys().filter(|path| !after.contains_key(*path));
            paths = only_before.chain(after.keys()).filter(|path| again.contains(&directory.join(path))).collect();
        }
        let path = paths.first().map_or("", |path| path.as_str());
        let message = format!("{path} in {} is being changed all the time; try again", directory.display());
        Err(Error::new(ErrorKind::Conflict, message).mark_retryable())
    }

    /// The next changes of the folder as it is now, as many as may be made at once; none at the end of the paths.
    fn changes<'p>(
        &self,
        paths: &mut impl Iterator<Item = &'p String>,
        conflicts: &mut BTreeSet<String>,
    ) -> Result<Vec<FileChange>> {
        let Update { state, contents, directory, before, after, .. } = self;
        let check = self.home.cancel_check();
        let (mut changes, mut bytes) = (Vec::new(), 0);
        while changes.len() < MAX_PART && bytes < MAX_PART_BYTES {
            let Some(path) = paths.next() else { break };
            check()?;
            let file = |tree: &Tree| tree.get(path).filter(|item| item.is_file()).map(|item| item.id);
            let (old, new) = (file(before), file(after));
            if old == new {
                continue;
            }
            let place = directory.join(path);
            let there = state.disk().stat_plain(&place)?;
            let expected = there.filter(|stat| stat.kind == Kind::File);
            let now = there.map(|_| state.disk().read_plain(directory, path, MAX_BYTES)).transpose()?.flatten();
            let now_id = now.as_deref().map(id_of).transpose()?;
            let target = match (new, now) {
                _ if now_id == new => continue,
                (new, _) if now_id == old => new.map(|new| contents.get(new)).transpose()?,
                // Changed meanwhile, which wins over a removal.
                (None, _) => continue,
                (Some(new), None) => Some(contents.get(new)?),
                (Some(_), Some(now)) if self.is_too_large(path, &now)? => {
                    conflicts.insert(path.clone());
                    Some(now)
                }
                (Some(new), Some(now)) => {
                    // A file that did not exist begins empty.
                    let old = old.map(|old| contents.get(old)).transpose()?.unwrap_or_default();
                    let merged = merge::merge(path, Some(&old), &now, &contents.get(new)?, &check)?;
                    if merged.is_conflict {
                        conflicts.insert(path.clone());
                    }
                    Some(merged.bytes)
                }
            };
            bytes += target.as_ref().map_or(0, Vec::len);
            let is_executable = after.get(path).is_some_and(Item::is_executable);
            changes.push(FileChange { path: place, contents: target, expected, is_executable, modified: None });
        }
        Ok(changes)
    }

    /// Returns whether the content of a file, or that which it should get, is too large to be merged.
    fn is_too_large(&self, path: &str, now: &[u8]) -> Result<bool> {
        let size = self.after.get(path).map(|item| self.contents.size(item)).transpose()?;
        Ok([Some(now.len() as u64), size].into_iter().flatten().any(|size| merge::is_too_large(path, size)))
    }
}
