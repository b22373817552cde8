//! The commit and the files that the folder of a memory comes from. A call that was killed, or that lost the answer to
//! its push, may have left the folder between two commits.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::branch::repository::objects::{Author, CommitId, Item, Objects, Tree};
use crate::branch::repository::remote::Remote;
use crate::branch::repository::state::State;
use crate::branch::tree::combine::{Combined, combine};
use crate::branch::tree::contents::Contents;
use crate::error::Result;
use crate::safety::GeneratedId;

/// The commit and the files that the folder comes from.
pub(crate) struct Base {
    /// The commit on the branch; `None` if there was none.
    pub(crate) commit: Option<CommitId>,
    /// The files with which the folder is compared: those of that commit, unless a call was interrupted; `None` if they
    /// are not available.
    pub(crate) tree: Option<Tree>,
    /// A commit of the folder that waits since an earlier push.
    pub(crate) queued: Option<Queued>,
    /// True if the commit is an earlier push whose answer was lost.
    pub(crate) is_on_branch: bool,
    /// The files in which an interrupted call overrode something of theirs, which it could not report.
    conflicts: Vec<String>,
    /// True if the caller named the commit: the folder need not have the queued changes.
    is_given: bool,
    /// The files that an interrupted call may have brought to the folder in part.
    interrupted: Option<Interrupted>,
}

/// The source of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BaseHint {
    /// The state beside the folder.
    Recorded,
    /// The caller: there was no branch.
    NoBranch,
    /// The caller: this commit.
    Commit(CommitId),
}

/// A commit of the folder that waits to be pushed.
pub(crate) struct Queued {
    /// The files with which the folder was compared; `None` if there were none.
    pub(crate) from: Option<Tree>,
    pub(crate) tree: Tree,
    pub(crate) message: String,
}

/// The files that an interrupted call was bringing to the folder.
struct Interrupted {
    /// Those of the branch.
    tree: Tree,
    /// The digests of those that were merged with the folder's.
    merged: BTreeSet<String>,
    /// The digests of those of the branch in which something was overridden.
    conflicts: BTreeSet<String>,
}

impl Interrupted {
    /// Those of a commit with which nothing was merged.
    fn of(tree: Tree) -> Self {
        Interrupted { tree, merged: BTreeSet::new(), conflicts: BTreeSet::new() }
    }
}

/// The digest of a path and its content, in hex, which does not reveal the path.
pub(crate) fn digest(path: &str, item: &Item) -> String {
    GeneratedId::digest(&Sha256::digest(format!("{}\0{path}", item.id)).into()).as_str().to_owned()
}

impl Queued {
    /// The commit of this id; `None` if it is no longer there: the folder still has its changes.
    fn read(objects: &Objects, id: &CommitId) -> Result<Option<Queued>> {
        let (Some(tree), Some((parent, message))) = (objects.tree(id)?, objects.details(id)?) else { return Ok(None) };
        let from = parent.map(|parent| objects.tree(&parent)).transpose()?.flatten();
        Ok(Some(Queued { from, tree, message }))
    }

    /// Merges this commit with the files of another commit, or of no branch.
    pub(crate) fn on(
        &self,
        contents: &mut Contents<'_>,
        onto: Option<&Tree>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Combined> {
        match onto {
            Some(onto) => combine(contents, self.from.as_ref(), &self.tree, onto, check),
            None => Ok(Combined { tree: self.tree.clone(), conflicts: Vec::new() }),
        }
    }
}

impl Base {
    /// Finds the base that `hint` names. `tip` is where the branch is now, if that was looked up.
    ///
    /// # Errors
    /// `GitError` if the repository cannot be reached, or has a commit that no folder can hold; `Cancelled`.
    pub(crate) fn find(state: &State, remote: &Remote<'_>, hint: BaseHint, tip: Option<&CommitId>) -> Result<Base> {
        let saved = state.saved();
        let objects = &state.objects;
        let is_given = hint != BaseHint::Recorded;
        let interrupted = saved.applying.as_ref().map(|applying| objects.tree(applying)).transpose()?.flatten();
        let [merged, overridden] = [saved.merged, saved.conflicts].map(BTreeSet::from_iter);
        let interrupted = interrupted.map(|tree| Interrupted { tree, merged, conflicts: overridden });
        let conflicts = Vec::new();
        if let Some(tip) = tip.filter(|_| !is_given) {
            // The latest push that is on the branch although its answer was lost: the folder is the commit that it was
            // made of, or has its files.
            for pair in saved.pushing.chunks(2).rev() {
                let [pushed, folder] = pair else { continue };
                if remote.is_on_branch(objects, pushed, tip)? {
                    let interrupted = match interrupted {
                        Some(interrupted) => Some(interrupted),
                        None => objects.tree(pushed)?.map(Interrupted::of),
                    };
                    let (commit, tree) = (Some(pushed.clone()), objects.tree(folder)?);
                    return Ok(Base {
                        commit,
                        tree,
                        queued: None,
                        is_on_branch: true,
                        conflicts,
                        is_given,
                        interrupted,
                    });
                }
            }
        }
        let queued = saved.queue.as_ref().map(|queue| Queued::read(objects, queue)).transpose()?.flatten();
        let (commit, is_new) = match hint {
            BaseHint::Recorded => (saved.base, saved.is_new),
            BaseHint::NoBranch => (None, true),
            BaseHint::Commit(commit) => (Some(commit), false),
        };
        let tree = match &commit {
            None => is_new.then(Tree::new),
            Some(commit) => match objects.tree(commit)? {
                None if remote.fetch_commit(objects, commit)? => objects.tree(commit)?,
                tree => tree,
            },
        };
        Ok(Base { commit, tree, queued, is_on_branch: false, conflicts, is_given, interrupted })
    }

    /// Counts the files that an interrupted call brought to the folder as part of the base.
    pub(crate) fn settle(&mut self, folder: &Tree) {
        let Some(Interrupted { tree: interrupted, merged, conflicts }) = self.interrupted.take() else { return };
        let tree = self.tree.get_or_insert_with(Tree::new);
        let content = |tree: &Tree, path: &str| tree.get(path).map(|item| item.id);
        let paths: BTreeSet<String> = tree.keys().chain(interrupted.keys()).cloned().collect();
        for path in paths {
            let is_merged = || folder.get(&path).is_some_and(|item| merged.contains(&digest(&path, item)));
            if content(folder, &path) != content(&interrupted, &path) {
                if !is_merged() {
                    continue;
                }
                // From here on, the folder's version looks like a change of the branch's.
                if interrupted.get(&path).is_some_and(|item| conflicts.contains(&digest(&path, item))) {
                    self.conflicts.push(path.clone());
                }
            }
            match interrupted.get(&path) {
                Some(item) => tree.insert(path, *item),
                None => tree.remove(&path),
            };
        }
    }

    /// Adds the conflicts that an interrupted call could not report to those of a merge with `theirs`.
    pub(crate) fn report(&self, conflicts: &mut Vec<String>, theirs: &Tree) {
        conflicts.extend(self.conflicts.iter().filter(|path| theirs.contains_key(*path)).cloned());
        conflicts.sort();
        conflicts.dedup();
    }

    /// The files with which the folder is merged where the branch is at `tip`. If the caller named the base, the
    /// queued changes count as those of others.
    pub(crate) fn theirs(
        &self,
        contents: &mut Contents<'_>,
        tip: Option<&Tree>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Tree>> {
        match &self.queued {
            Some(queued) if self.is_given => queued.on(contents, tip, check).map(|combined| Some(combined.tree)),
            _ => Ok(tip.cloned()),
        }
    }

    /// The queued changes, if they get a commit of their own before that of the folder.
    pub(crate) fn separate(&self) -> Option<&Queued> {
        self.queued.as_ref().filter(|queued| self.is_given || queued.from == self.tree)
    }

    /// A commit with the files with which the folder is compared: that of the branch if it has the same, or else a
    /// local one; `None` if there are none.
    pub(crate) fn to_commit(
        &self,
        contents: &Contents<'_>,
        objects: &Objects,
        author: &Author,
    ) -> Result<Option<CommitId>> {
        let Some(tree) = &self.tree else { return Ok(None) };
        if let Some(commit) = &self.commit
            && objects.tree(commit)?.as_ref() == Some(tree)
        {
            return Ok(Some(commit.clone()));
        }
        contents.store(tree)?;
        objects.commit(tree, None, author, "What the folder comes from\n").map(Some)
    }
}
