//! What a checkout and a push share: the commit that the branch is at, and the folder made of it and of what changed here.

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
/// `GitError` for a commit that no folder can hold, or if git cannot be run; `Cancelled`.
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

/// Adds what a memory does not keep but its branch has: files that no pattern takes, links and repositories.
pub(super) fn with_what_is_not_kept(mut ours: Tree, base: &Tree, is_kept: impl Fn(&str) -> bool) -> Tree {
    for (path, item) in base {
        if !item.is_file() || !is_kept(path) {
            ours.insert(path.clone(), *item);
        }
    }
    ours
}
