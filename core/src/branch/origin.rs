//! What the folder of a memory comes from: the commit of its last checkout or push, and what waits to be pushed since. A call
//! that was killed may have left the folder between two commits.

use super::contents::Contents;
use super::objects::{CommitId, Objects, Tree};
use super::remote::Remote;
use super::state::State;
use super::sync::base_tree;
use super::trees::{Combined, combine};
use crate::error::Result;

/// What the folder comes from.
pub(super) struct Origin {
    /// The commit on the branch; `None` if there was none.
    pub(super) base: Option<CommitId>,
    /// The files of that commit, or those that the folder had of it; `None` if they cannot be had.
    pub(super) tree: Option<Tree>,
    /// What the folder has and the branch has not.
    pub(super) waiting: Option<Waiting>,
    /// The files of a commit that a killed call may have brought to the folder in part.
    halfway: Option<Tree>,
}

/// A commit that waits to be pushed.
pub(super) struct Waiting {
    pub(super) parent: Option<CommitId>,
    /// The files of its parent; `None` without one.
    parent_tree: Option<Tree>,
    pub(super) tree: Tree,
    pub(super) message: String,
}

impl Waiting {
    /// The commit of this id; `None` if it is no longer there: the folder has what it has.
    fn read(objects: &Objects, id: &CommitId) -> Result<Option<Waiting>> {
        let (Some(tree), Some((parent, message))) = (objects.tree(id)?, objects.details(id)?) else { return Ok(None) };
        let parent_tree = match &parent {
            Some(parent) => objects.tree(parent)?,
            None => None,
        };
        Ok(Some(Waiting { parent, parent_tree, tree, message }))
    }

    /// What this commit makes of the files of a commit, or of no branch.
    ///
    /// # Errors
    /// `GitError` if a content is missing.
    pub(super) fn on(&self, contents: &mut Contents<'_>, onto: Option<&Tree>) -> Result<Combined> {
        match onto {
            Some(onto) => combine(contents, self.parent_tree.as_ref(), &self.tree, onto),
            None => Ok(Combined { tree: self.tree.clone(), conflicts: Vec::new() }),
        }
    }
}

impl Origin {
    /// Finds out what the folder comes from: the commit `given`, or what is recorded. `tip` is where the branch is now, if that
    /// was looked up.
    ///
    /// # Errors
    /// `GitError` if the repository cannot be reached, or has a commit that no folder can hold; `Cancelled`.
    pub(super) fn find(
        state: &State,
        remote: &Remote<'_>,
        given: Option<CommitId>,
        tip: Option<&CommitId>,
    ) -> Result<Origin> {
        let known = state.known();
        let objects = &state.objects;
        let waiting = known.queue.as_ref().map(|queue| Waiting::read(objects, queue)).transpose()?.flatten();
        if let (Some(pushing), Some(tip)) = (&known.pushing, tip)
            && remote.has_landed(objects, pushing, tip)?
        {
            // The push happened although nobody heard of it: the folder had what waited, or has the merged files already.
            let tree = waiting.map(|waiting| waiting.tree);
            return Ok(Origin { base: Some(pushing.clone()), tree, waiting: None, halfway: objects.tree(pushing)? });
        }
        let halfway = match known.applying.as_ref().filter(|_| given.is_none()) {
            Some(applying) => objects.tree(applying)?,
            None => None,
        };
        let base = given.or(known.base);
        let tree = base_tree(objects, remote, base.as_ref())?;
        Ok(Origin { base, tree, waiting, halfway })
    }

    /// What is known of that without asking the repository.
    ///
    /// # Errors
    /// `GitError` for a commit that no folder can hold.
    pub(super) fn unknown(state: &State) -> Result<Origin> {
        let (known, objects) = (state.known(), &state.objects);
        let waiting = known.queue.as_ref().map(|queue| Waiting::read(objects, queue)).transpose()?.flatten();
        let tree = match &known.base {
            Some(base) => objects.tree(base)?,
            None => None,
        };
        Ok(Origin { base: known.base, tree, waiting, halfway: None })
    }

    /// Takes the files that a killed call brought to the folder as what they come from.
    pub(super) fn settle(&mut self, folder: &Tree) {
        let Some(halfway) = self.halfway.take() else { return };
        let tree = self.tree.get_or_insert_with(Tree::new);
        let content = |tree: &Tree, path: &str| tree.get(path).map(|item| item.id);
        let paths: Vec<String> = tree.keys().chain(halfway.keys()).cloned().collect();
        for path in paths {
            if content(folder, &path) != content(&halfway, &path) {
                continue;
            }
            match halfway.get(&path) {
                Some(item) => tree.insert(path, *item),
                None => tree.remove(&path),
            };
        }
    }

    /// The files that the folder had when it was last the same as its branch with what waits.
    ///
    /// # Errors
    /// `GitError` if a content is missing.
    pub(super) fn files(&self, contents: &mut Contents<'_>) -> Result<Option<Tree>> {
        match &self.waiting {
            Some(waiting) => waiting.on(contents, self.tree.as_ref()).map(|combined| Some(combined.tree)),
            None => Ok(self.tree.clone()),
        }
    }
}
