//! The last commits of a repository and the files that each of them changed, read with libgit2 (feature `history`). Nothing
//! is written.

#[cfg(feature = "history")]
use std::collections::{BinaryHeap, HashSet};
use std::path::Path;

#[cfg(feature = "history")]
use git2::{Commit, Diff, DiffOptions, Oid, Repository, RepositoryOpenFlags};

use crate::error::Result;

/// A commit that changes more files says nothing about which of them belong together.
#[cfg(feature = "history")]
const MAX_CHANGED: usize = 50;

/// The id of a commit, in hex.
pub(crate) type CommitId = String;

/// What one commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) commit: CommitId,
    /// The paths that it added, changed or removed, sorted; none for a merge, a first commit or one that changed very many.
    pub(crate) paths: Vec<Vec<u8>>,
}

/// No commits: reading them is the feature `history`.
///
/// # Errors
/// None.
#[cfg(not(feature = "history"))]
pub(crate) fn recent_changes(
    _git_dir: &Path,
    _head: &str,
    _limit: usize,
    _known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
    _check: &dyn Fn() -> Result<()>,
) -> Result<Option<Vec<Change>>> {
    Ok(None)
}

/// The last commits that lead to `head`, the newest first, at most `limit`; `None` if they cannot be read. The paths of a commit
/// that `known` has are not looked up again.
///
/// # Errors
/// Those of `check`, which is called for each commit.
#[cfg(feature = "history")]
pub(crate) fn recent_changes(
    git_dir: &Path,
    head: &str,
    limit: usize,
    known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Vec<Change>>> {
    let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT;
    let none: [&Path; 0] = [];
    let Ok(repository) = Repository::open_ext(git_dir, flags, none) else { return Ok(None) };
    let Ok(head) = Oid::from_str(head).and_then(|head| repository.find_commit(head)) else { return Ok(None) };
    // The latest first; of equal times, in an order that depends on the commits alone.
    let mut ahead = BinaryHeap::from([(head.time().seconds(), head.id())]);
    let mut seen = HashSet::from([head.id()]);
    let mut changes = Vec::new();
    while let Some((_, id)) = ahead.pop().filter(|_| changes.len() < limit) {
        check()?;
        // What a shallow or damaged repository lacks is left out.
        let Ok(commit) = repository.find_commit(id) else { continue };
        for parent in commit.parents().filter(|parent| seen.insert(parent.id())) {
            ahead.push((parent.time().seconds(), parent.id()));
        }
        let name = id.to_string();
        let paths = known(&name).unwrap_or_else(|| changed(&repository, &commit).unwrap_or_default());
        changes.push(Change { commit: name, paths });
    }
    Ok(Some(changes))
}

/// The paths that a commit changed.
#[cfg(feature = "history")]
fn changed(repository: &Repository, commit: &Commit<'_>) -> std::result::Result<Vec<Vec<u8>>, git2::Error> {
    if commit.parent_count() != 1 {
        return Ok(Vec::new());
    }
    let (old, new) = (commit.parent(0)?.tree()?, commit.tree()?);
    let mut options = DiffOptions::new();
    options.skip_binary_check(true).ignore_submodules(true);
    let diff = repository.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options))?;
    if diff.deltas().len() > MAX_CHANGED {
        return Ok(Vec::new());
    }
    Ok(paths(&diff))
}

#[cfg(feature = "history")]
fn paths(diff: &Diff<'_>) -> Vec<Vec<u8>> {
    let sides = diff.deltas().flat_map(|delta| {
        [delta.old_file().path_bytes(), delta.new_file().path_bytes()].map(|it| it.map(<[u8]>::to_vec))
    });
    let mut paths: Vec<Vec<u8>> = sides.flatten().collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[cfg(feature = "history")]
#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test runs git in a folder of its own")]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A repository, and the second in which the next commit is made.
    struct Folder(tempfile::TempDir, Cell<u32>);

    impl Folder {
        fn git(&self, args: &[&str]) -> String {
            let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
            let git =
                std::process::Command::new("git").args(who).args(args).current_dir(self.0.path()).output().unwrap();
            assert!(git.status.success(), "{args:?}");
            String::from_utf8(git.stdout).unwrap().trim().to_owned()
        }

        fn commit(&self, paths: &[&str]) -> String {
            for path in paths {
                let text = std::fs::read_to_string(self.0.path().join(path)).unwrap_or_default();
                std::fs::write(self.0.path().join(path), text + "more\n").unwrap();
            }
            self.1.set(self.1.get() + 1);
            self.git(&["add", "-A"]);
            self.git(&["commit", "-qm", "one more"]);
            self.git(&["rev-parse", "HEAD"])
        }

        fn changes(
            &self,
            head: &str,
            limit: usize,
            known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
        ) -> Option<Vec<Change>> {
            recent_changes(&self.0.path().join(".git"), head, limit, known, &|| Ok(())).unwrap()
        }
    }

    #[test]
    fn the_last_commits_are_listed_with_what_they_changed() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        folder.git(&["init", "-q", "-b", "main"]);
        let first = folder.commit(&["a", "b"]);
        let second = folder.commit(&["b", "c"]);
        folder.git(&["mv", "a", "d"]);
        let third = folder.commit(&[]);
        let change = |commit: &str, paths: &[&[u8]]| Change {
            commit: commit.to_owned(),
            paths: paths.iter().map(|path| path.to_vec()).collect(),
        };
        let expected = [change(&third, &[b"a", b"d"]), change(&second, &[b"b", b"c"]), change(&first, &[])];
        assert_eq!(folder.changes(&third, 10, &|_| None).unwrap(), expected);
        assert_eq!(folder.changes(&third, 1, &|_| None).unwrap(), expected[..1]);
        let known = |commit: &str| (commit == second).then(|| vec![b"known".to_vec()]);
        assert_eq!(folder.changes(&second, 1, &known).unwrap()[0].paths, [b"known".to_vec()]);
        assert_eq!(folder.changes(&"0".repeat(40), 10, &|_| None), None);
        assert_eq!(folder.changes("no commit", 10, &|_| None), None);
    }

    #[test]
    fn a_folder_without_a_repository_has_no_history() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        assert_eq!(folder.changes(&"0".repeat(40), 10, &|_| None), None);
    }
}
