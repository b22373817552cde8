//! The parts of a push that are the same in every attempt, and the branch on which an attempt builds.

use std::path::Path;

use crate::branch::config::Memory;
use crate::branch::repository::objects::{Author, CommitId, Objects, Tree};
use crate::branch::repository::remote::Remote;
use crate::branch::repository::state::State;
use crate::branch::tree::contents::Contents;
use crate::error::Result;
use crate::home::Home;

/// The parts of a push that are the same in every attempt.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) home: &'a Home,
    pub(crate) memory: &'a Memory,
    pub(crate) directory: &'a Path,
    pub(crate) remote: &'a Remote<'a>,
    pub(crate) state: &'a State,
    pub(crate) author: &'a Author,
    pub(crate) message: &'a str,
}

impl Context<'_> {
    pub(crate) fn objects(&self) -> &Objects {
        &self.state.objects
    }

    /// Stores a commit of this tree.
    pub(crate) fn commit(
        &self,
        contents: &Contents<'_>,
        tree: &Tree,
        parent: Option<&CommitId>,
        message: &str,
    ) -> Result<CommitId> {
        contents.store(tree)?;
        self.objects().commit(tree, parent, self.author, &format!("{}\n", message.trim_end()))
    }

    /// Looks up and fetches the branch.
    pub(crate) fn fetch_tip(&self) -> Result<Tip> {
        let commit = self.remote.fetch(self.objects())?;
        let tree = commit.as_ref().map(|commit| self.objects().fetched_tree(commit)).transpose()?;
        Ok(Tip { commit, tree: tree.unwrap_or_default(), is_assumed: false })
    }
}

/// The branch, as far as it is known.
pub(crate) struct Tip {
    /// `None` if there is no branch.
    pub(crate) commit: Option<CommitId>,
    /// The folder of the commit.
    pub(crate) tree: Tree,
    /// True if it was not looked up: an attempt to push does that anyway.
    pub(crate) is_assumed: bool,
}

impl Tip {
    /// The commit and its folder, if there is a branch.
    pub(crate) fn existing(&self) -> Option<(&CommitId, &Tree)> {
        self.commit.as_ref().map(|commit| (commit, &self.tree))
    }
}
