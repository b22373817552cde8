//! The folder of a memory as a tree, and the folder made what a tree says.

use std::collections::BTreeMap;
use std::path::Path;

use super::contents::Contents;
use super::folder::{self, Listed};
use super::merge;
use super::objects::{Item, Tree, id_of};
use super::state::State;
use crate::disk::{Disk, FileChange, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The largest file that is compared with that of the branch, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// How often files that somebody else keeps changing are merged again.
const MAX_ROUNDS: usize = 20;

/// The files of a folder as they were read: their contents by path.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Reads these files of the folder, each of at most `limit` bytes.
///
/// # Errors
/// `Conflict` if one is no longer there; `IOError`; `Cancelled`.
pub(super) fn read(
    home: &Home,
    disk: &Disk,
    directory: &Path,
    paths: impl Iterator<Item = String>,
    limit: u64,
) -> Result<Files> {
    let check = home.cancel_check();
    let read = |path: String| {
        check()?;
        let content = disk.read_plain(directory, &path, limit)?;
        let content = content.ok_or_else(|| {
            let message = format!("{path} was removed from {} while it was read; try again", directory.display());
            Error::new(ErrorKind::Conflict, message).at(&directory.join(&path)).mark_retryable()
        })?;
        Ok((path, content))
    };
    paths.map(read).collect()
}

/// Reads all regular files of the folder that are wanted, whatever its rules are. Of the others, the paths are
/// returned.
///
/// # Errors
/// Those of [`folder::list`] and [`read`].
pub(super) fn read_wanted(
    home: &Home,
    state: &State,
    directory: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(Files, Vec<String>)> {
    let listing = folder::list(state.disk(), directory, &home.cancel_check())?;
    let paths = listing.files.into_iter().map(|Listed { path, .. }| path);
    let (wanted, others): (Vec<String>, Vec<String>) = paths.partition(|path| is_wanted(path));
    Ok((read(home, state.disk(), directory, wanted.into_iter(), MAX_BYTES)?, others))
}

/// The tree of these files, with the modes that they have in `base`.
///
/// # Errors
/// `GitError`.
pub(super) fn tree_of(contents: &mut Contents<'_>, files: Files, base: Option<&Tree>) -> Result<Tree> {
    let item = |(path, content): (String, Vec<u8>)| {
        let before = base.and_then(|base| base.get(&path)).copied();
        Ok((path, Item::file(contents.add(content)?, before)))
    };
    files.into_iter().map(item).collect()
}

/// Makes the folder what `after` says, where that differs from `before`, which was read from it: durably, unless a file
/// has been changed since. Such a change is merged with what `after` has. Only regular files are written.
///
/// # Errors
/// `IOError`, `GitError`, `Cancelled`.
pub(super) fn apply(
    home: &Home,
    state: &State,
    contents: &Contents<'_>,
    directory: &Path,
    before: &Tree,
    after: &Tree,
) -> Result<()> {
    state.disk().make_folder(directory)?;
    let only_before = before.keys().filter(|path| !after.contains_key(*path));
    let mut paths: Vec<&String> = only_before.chain(after.keys()).collect();
    for _ in 0..MAX_ROUNDS {
        let changes = changes(home, state, contents, directory, &paths, before, after)?;
        if changes.is_empty() {
            return Ok(());
        }
        let again = state.change(directory, &changes)?;
        paths.retain(|path| again.contains(&directory.join(path)));
    }
    let path = paths.first().map_or("", |path| path.as_str());
    let message = format!("{path} in {} is being changed all the time; try again", directory.display());
    if paths.is_empty() { Ok(()) } else { Err(Error::new(ErrorKind::Conflict, message).mark_retryable()) }
}

/// What has to be changed in the folder as it is now.
fn changes(
    home: &Home,
    state: &State,
    contents: &Contents<'_>,
    directory: &Path,
    paths: &[&String],
    before: &Tree,
    after: &Tree,
) -> Result<Vec<FileChange>> {
    let check = home.cancel_check();
    let mut changes = Vec::new();
    for path in paths {
        check()?;
        let file = |tree: &Tree| tree.get(*path).filter(|item| item.is_file()).map(|item| item.id);
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
            (Some(new), Some(now)) => {
                let old = old.map(|old| contents.get(old)).transpose()?;
                Some(merge::merge(path, old.as_deref(), &now, &contents.get(new)?).bytes)
            }
        };
        let is_executable = after.get(*path).is_some_and(Item::is_executable);
        changes.push(FileChange { path: place, contents: target, expected, is_executable });
    }
    Ok(changes)
}
