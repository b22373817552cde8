//! What a checkout and a push share: the folders of commits, and how they differ.

use super::objects::{CommitId, Objects, Tree};
use super::remote::Remote;
use crate::error::{Error, ErrorKind, Result};

/// The folder of a commit that was fetched.
///
/// # Errors
/// `GitError` if it is missing after all.
pub(super) fn fetched_tree(objects: &Objects, commit: &CommitId) -> Result<Tree> {
    objects.tree(commit)?.ok_or_else(|| {
        let message = format!("git fetched the commit {commit}, but the repository does not have it; try again");
        Error::new(ErrorKind::Git, message).about(commit.as_str()).mark_retryable()
    })
}

/// The folder of the commit that the files come from, fetched if the repository lacks it; `None` if it cannot be had.
///
/// # Errors
/// `GitError` if the repository cannot be reached, or for a commit that no folder can hold; `Cancelled`.
pub(super) fn base_tree(objects: &Objects, remote: &Remote<'_>, base: Option<&CommitId>) -> Result<Option<Tree>> {
    let Some(base) = base else { return Ok(None) };
    match objects.tree(base)? {
        Some(tree) => Ok(Some(tree)),
        None if remote.fetch_commit(objects, base)? => objects.tree(base),
        None => Ok(None),
    }
}

/// The paths at which two folders differ: added, changed, and removed.
pub(super) fn difference(before: &Tree, after: &Tree) -> [Vec<String>; 3] {
    let added = after.keys().filter(|path| !before.contains_key(*path)).cloned().collect();
    let changed = after.iter().filter(|(path, item)| before.get(*path).is_some_and(|before| before != *item));
    let removed = before.keys().filter(|path| !after.contains_key(*path)).cloned().collect();
    [added, changed.map(|(path, _)| path.clone()).collect(), removed]
}

/// Adds what a memory does not keep but its branch has: files that no pattern takes, links and repositories. Where the
/// folder has a file in their place, the file stays.
pub(super) fn with_what_is_not_kept(mut ours: Tree, base: &Tree, is_kept: impl Fn(&str) -> bool) -> Tree {
    let not_kept = base.iter().filter(|(path, item)| !item.is_file() || !is_kept(path));
    for (path, item) in not_kept {
        let below = format!("{path}/");
        let has_below = ours.range(below.clone()..).next().is_some_and(|(other, _)| other.starts_with(&below));
        let has_above =
            path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|above| ours.contains_key(above)));
        if !has_below && !has_above {
            ours.entry(path.clone()).or_insert(*item);
        }
    }
    ours
}
