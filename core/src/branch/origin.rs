//! What the folder of a memory comes from. A call that was killed, or that did not hear whether its push happened, may
//! have left it between two commits.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::contents::Contents;
use super::objects::{Author, CommitId, Item, Objects, Tree};
use super::remote::Remote;
use super::state::State;
use super::sync::base_tree;
use super::trees::{Combined, combine};
use crate::error::Result;
use crate::safety::GeneratedId;

/// What the folder comes from.
pub(super) struct Origin {
    /// The commit on the branch; `None` if there was none.
    pub(super) base: Option<CommitId>,
    /// The files with which the folder is compared: those of that commit, unless a call was interrupted; `None` if they
    /// cannot be had.
    pub(super) tree: Option<Tree>,
    /// A commit of the folder that waits since an earlier push.
    pub(super) waiting: Option<Waiting>,
    /// Whether that is a push of which nobody heard that it happened.
    pub(super) has_landed: bool,
    /// Whether somebody else says what the folder comes from: what waits need not be in it.
    is_given: bool,
    /// The files that an interrupted call may have brought to the folder in part.
    halfway: Option<Halfway>,
}

/// What somebody else says that the folder comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    /// Not given; what was recorded is used.
    Unsaid,
    /// There was no branch.
    NoBranch,
    /// This commit.
    Commit(CommitId),
}

/// A commit of the folder that waits to be pushed.
pub(super) struct Waiting {
    /// The files with which the folder was compared; `None` if there were none.
    pub(super) from: Option<Tree>,
    pub(super) tree: Tree,
    pub(super) message: String,
}

/// The files that an interrupted call was bringing to the folder.
struct Halfway {
    /// Those of the branch.
    tree: Tree,
    /// What tells those that were merged with the folder's.
    merged: BTreeSet<String>,
}

/// What tells a file with this content from all others, in hex, without saying which it is.
pub(super) fn digest(path: &str, item: &Item) -> String {
    GeneratedId::digest(&Sha256::digest(format!("{}\0{path}", item.id)).into()).as_str().to_owned()
}

impl Waiting {
    /// The commit of this id; `None` if it is no longer there: the folder has what it has.
    fn read(objects: &Objects, id: &CommitId) -> Result<Option<Waiting>> {
        let (Some(tree), Some((parent, message))) = (objects.tree(id)?, objects.details(id)?) else { return Ok(None) };
        let from = match &parent {
            Some(parent) => objects.tree(parent)?,
            None => None,
        };
        Ok(Some(Waiting { from, tree, message }))
    }

    /// What this commit makes of the files of a commit, or of no branch.
    ///
    /// # Errors
    /// `GitError` if a content is missing.
    pub(super) fn on(&self, contents: &mut Contents<'_>, onto: Option<&Tree>) -> Result<Combined> {
        match onto {
            Some(onto) => combine(contents, self.from.as_ref(), &self.tree, onto),
            None => Ok(Combined { tree: self.tree.clone(), conflicts: Vec::new() }),
        }
    }
}

impl Origin {
    /// Finds out what the folder comes from: what is `given`, or what is recorded. `tip` is where the branch is now,
    /// if that was looked up.
    ///
    /// # Errors
    /// `GitError` if the repository cannot be reached, or has a commit that no folder can hold; `Cancelled`.
    pub(super) fn find(state: &State, remote: &Remote<'_>, given: Given, tip: Option<&CommitId>) -> Result<Origin> {
        let known = state.known();
        let objects = &state.objects;
        let is_given = given != Given::Unsaid;
        let halfway = match &known.applying {
            Some(applying) => {
                objects.tree(applying)?.map(|tree| Halfway { tree, merged: known.merged.into_iter().collect() })
            }
            None => None,
        };
        if let Some(tip) = tip.filter(|_| !is_given) {
            // The latest push that happened although nobody heard of it: the folder is what it was made of, or has its
            // files.
            for pair in known.pushing.chunks(2).rev() {
                let [pushed, folder] = pair else { continue };
                if remote.has_landed(objects, pushed, tip)? {
                    let halfway = match halfway {
                        Some(halfway) => Some(halfway),
                        None => objects.tree(pushed)?.map(|tree| Halfway { tree, merged: BTreeSet::new() }),
                    };
                    let tree = objects.tree(folder)?;
                    return Ok(Origin {
                        base: Some(pushed.clone()),
                        tree,
                        waiting: None,
                        has_landed: true,
                        is_given,
                        halfway,
                    });
                }
            }
        }
        let waiting = known.queue.as_ref().map(|queue| Waiting::read(objects, queue)).transpose()?.flatten();
        let (base, is_new) = match given {
            Given::Unsaid => (known.base, known.is_new),
            Given::NoBranch => (None, true),
            Given::Commit(base) => (Some(base), false),
        };
        let tree = match &base {
            None => is_new.then(Tree::new),
            base => base_tree(objects, remote, base.as_ref())?,
        };
        Ok(Origin { base, tree, waiting, has_landed: false, is_given, halfway })
    }

    /// Takes the files that an interrupted call brought to the folder as what they come from.
    pub(super) fn settle(&mut self, folder: &Tree) {
        let Some(Halfway { tree: halfway, merged }) = self.halfway.take() else { return };
        let tree = self.tree.get_or_insert_with(Tree::new);
        let content = |tree: &Tree, path: &str| tree.get(path).map(|item| item.id);
        let paths: Vec<String> = tree.keys().chain(halfway.keys()).cloned().collect();
        for path in paths {
            let is_merged = || folder.get(&path).is_some_and(|item| merged.contains(&digest(&path, item)));
            if content(folder, &path) != content(&halfway, &path) && !is_merged() {
                continue;
            }
            match halfway.get(&path) {
                Some(item) => tree.insert(path, *item),
                None => tree.remove(&path),
            };
        }
    }

    /// What the folder is merged with where the branch has these files: if somebody else says what the folder comes
    /// from, what waits is theirs too.
    ///
    /// # Errors
    /// `GitError` if a content is missing.
    pub(super) fn theirs(&self, contents: &mut Contents<'_>, tip: Option<&Tree>) -> Result<Option<Tree>> {
        match &self.waiting {
            Some(waiting) if self.is_given => waiting.on(contents, tip).map(|combined| Some(combined.tree)),
            _ => Ok(tip.cloned()),
        }
    }

    /// Whether a commit of what waits, before that of the folder, says what happened: it is of the same files, or of
    /// others.
    pub(super) fn has_own_commit(&self) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| self.is_given || waiting.from == self.tree)
    }

    /// A commit with the files with which the folder is compared: that of the branch if it has the same, or else a
    /// local one; `None` if there are none.
    ///
    /// # Errors
    /// `GitError`.
    pub(super) fn commit(
        &self,
        contents: &Contents<'_>,
        objects: &Objects,
        author: &Author,
    ) -> Result<Option<CommitId>> {
        let Some(tree) = &self.tree else { return Ok(None) };
        if let Some(base) = &self.base
            && objects.tree(base)?.as_ref() == Some(tree)
        {
            return Ok(Some(base.clone()));
        }
        contents.store(tree)?;
        objects.commit(tree, None, author, "What the folder comes from\n").map(Some)
    }
}
