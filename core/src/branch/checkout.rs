//! The files of a branch in the folder of a memory, merged with changes that were not pushed yet.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::Memory;
use super::push::base::{Base, BaseHint, digest};
use super::repository::address::{Address, Source};
use super::repository::objects::{CommitId, Tree};
use super::repository::remote::Remote;
use super::repository::state::{self, State, with_repair};
use super::tree::combine::{combine, with_what_is_not_kept};
use super::tree::contents::Contents;
use super::tree::folder;
use super::tree::working_copy::{Update, tree_of_folder};
use super::{Branches, operation};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Steps};
use crate::warning::Warning;

/// The folder of a memory after a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchCheckout")]
#[non_exhaustive]
pub struct Checkout {
    /// The folder.
    pub directory: String,
    /// The branch.
    pub branch: String,
    /// The commit that its files come from; null if the branch does not exist yet.
    pub base: Option<String>,
    /// Whether the branch does not exist yet; the first push creates it.
    pub created: bool,
    /// Whether the folder had unpushed changes. It still has them.
    pub merged: bool,
    /// The files in which such a change replaced a change on the branch, sorted.
    pub conflicts: Vec<Conflict>,
}

/// A file that both sides changed in the same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchConflict")]
#[non_exhaustive]
pub struct Conflict {
    /// Its path, relative to the folder of the memory.
    pub path: String,
    /// The commit with the version that was replaced. `git show COMMIT:PATH` prints it, in a clone that has fetched the
    /// branch.
    pub theirs: String,
}

impl Conflict {
    /// Those at these paths.
    pub(crate) fn at(paths: impl IntoIterator<Item = String>, theirs: &CommitId) -> Vec<Conflict> {
        paths.into_iter().map(|path| Conflict { path, theirs: theirs.to_string() }).collect()
    }
}

impl Branches {
    /// Brings the folder of a memory up to date with its branch. Unpushed changes in the folder stay, merged with the
    /// branch as a push merges them. If the branch does not exist, the folder is created, and the first push creates
    /// the branch. The folder is that of the memory, or `directory`. Progress counts two steps.
    ///
    /// # Errors
    /// `NotFound` if there is no branch and none may be created, or no repository or remote; `ValidationError`;
    /// `GitError` if the repository cannot be reached or read; `LockAcquisitionError`, `IOError`, `FormatTooNew`,
    /// `ParseError`, `Cancelled`.
    pub fn checkout(&self, memory: &Memory, directory: Option<&Path>, source: &Source) -> Result<Checkout> {
        self.home.call(operation::CHECKOUT, |home| {
            let directory = memory.folder(home, directory)?;
            with_repair(home, &directory, || checkout(home, memory, &directory, source, None))
        })
    }

    /// As [`checkout`](Self::checkout), for the files that the branch had at `commit`. A push merges them with what came
    /// later. A commit that is not among the last 1,000 of the branch, as after a force-push, is used with a warning.
    ///
    /// # Errors
    /// Those of [`checkout`](Self::checkout); `NotFound` if the repository does not have the commit.
    pub fn checkout_at(
        &self,
        memory: &Memory,
        directory: Option<&Path>,
        source: &Source,
        commit: &str,
    ) -> Result<Checkout> {
        self.home.call(operation::CHECKOUT, |home| {
            let (directory, commit) = (memory.folder(home, directory)?, CommitId::parse(commit)?);
            with_repair(home, &directory, || checkout(home, memory, &directory, source, Some(&commit)))
        })
    }
}

fn checkout(
    home: &Home,
    memory: &Memory,
    directory: &Path,
    source: &Source,
    commit: Option<&CommitId>,
) -> Result<Checkout> {
    let remote = Remote::new(home, Address::find(home, memory, source)?, &memory.branch);
    let mut steps = Steps::new(home, 2);
    state::refuse_repository(home, directory)?;
    let state = State::open_for(home, directory, &remote)?;
    let mut tip = remote.fetch(&state.objects)?;
    if let Some(commit) = commit {
        tip = Some(earlier(&state, &remote, commit, tip.as_ref(), directory)?);
    }
    steps.advance();
    let base = Base::find(&state, &remote, BaseHint::Recorded, tip.as_ref())?;
    let checked_out = |merged, conflicts| Checkout {
        directory: directory.to_string_lossy().into_owned(),
        branch: memory.branch.clone(),
        base: tip.as_ref().map(CommitId::to_string),
        created: tip.is_none(),
        merged,
        conflicts,
    };
    match &tip {
        None if !memory.create_orphan => {
            let message = format!(
                "{} does not exist, and create-orphan is false; create the branch, or set create-orphan to true",
                remote.shown()
            );
            Err(Error::new(ErrorKind::NotFound, message).about(&memory.branch))
        }
        None => Ok(checked_out(without_branch(home, &state, directory, &base)?, Vec::new())),
        Some(tip) => {
            let (is_changed, conflicts) = onto(home, &state, directory, base, tip, &mut steps)?;
            Ok(checked_out(is_changed, conflicts))
        }
    }
}

/// A commit of the branch, which is at `tip` now, or of its repository: after a force-push, it may only be there.
fn earlier(
    state: &State,
    remote: &Remote<'_>,
    commit: &CommitId,
    tip: Option<&CommitId>,
    directory: &Path,
) -> Result<CommitId> {
    let objects = &state.objects;
    if tip.map(|tip| remote.is_on_branch(objects, commit, tip)).transpose()?.unwrap_or(false) {
        return Ok(commit.clone());
    }
    if objects.tree(commit)?.is_none() && !remote.fetch_commit(objects, commit)? {
        let message = format!("the repository of {} does not have the commit {commit}", remote.shown());
        return Err(Error::new(ErrorKind::NotFound, message).about(commit.as_str()));
    }
    let message = "the commit is not among the last 1,000 of the branch; its files are used, and a push merges what \
                   changed since with the branch";
    state.disk().warn(Warning::new(message).at(directory).about(commit.as_str()));
    Ok(commit.clone())
}

/// Creates the folder of a branch that does not exist. Returns whether it has files.
fn without_branch(home: &Home, state: &State, directory: &Path, base: &Base) -> Result<bool> {
    let is_there = state.disk().has_entry(directory);
    folder::make(home, directory)?;
    if let Some(queued) = base.queued.as_ref().filter(|_| !is_there) {
        let contents = &Contents::new(&state.objects);
        let (before, after) = (&Tree::new(), &queued.tree);
        Update { home, state, contents, directory, before, after }.apply()?;
    }
    let listing = folder::list(home, directory)?;
    state.update(|saved| saved.checked_out(None))?;
    Ok(!listing.files.is_empty())
}

/// Merges the folder with the branch at `tip`. Returns whether the folder had unpushed changes, and the conflicts.
fn onto(
    home: &Home,
    state: &State,
    directory: &Path,
    mut base: Base,
    tip: &CommitId,
    steps: &mut Steps<'_>,
) -> Result<(bool, Vec<Conflict>)> {
    let mut contents = Contents::new(&state.objects);
    let theirs = state.objects.fetched_tree(tip)?;
    let is_there = state.disk().has_entry(directory);
    let (before, others) = if is_there {
        let is_in = |tree: Option<&Tree>, path: &str| tree.is_some_and(|tree| tree.contains_key(path));
        let is_wanted = |path: &str| is_in(Some(&theirs), path) || is_in(base.tree.as_ref(), path);
        tree_of_folder(home, &mut contents, state.disk(), directory, base.tree.as_ref(), is_wanted)?
    } else {
        (Tree::new(), Vec::new())
    };
    let (from, ours) = match &base.queued {
        // The folder was removed, and the queued changes with it.
        Some(queued) if !is_there => (queued.from.clone(), queued.tree.clone()),
        // Removing the whole folder removes no file from the branch.
        _ if !is_there => (base.tree.clone(), base.tree.clone().unwrap_or_default()),
        _ => {
            base.settle(&before);
            (base.tree.clone(), before.clone())
        }
    };
    let nothing = Tree::new();
    let ours = with_what_is_not_kept(ours, from.as_ref().unwrap_or(&nothing), |_| true);
    let is_changed = !others.is_empty() || ours != *from.as_ref().unwrap_or(&nothing);
    let mut combined = combine(&mut contents, from.as_ref(), &ours, &theirs, &home.cancel_check())?;
    base.report(&mut combined.conflicts, &theirs);
    let merged = combined.tree.iter().filter(|(path, item)| theirs.get(*path) != Some(*item));
    let merged: Vec<String> = merged.map(|(path, item)| digest(path, item)).collect();
    let overridden = combined.conflicts.iter().filter_map(|path| Some(digest(path, theirs.get(path)?))).collect();
    state.update(|saved| {
        (saved.applying, saved.merged, saved.conflicts) = (Some(tip.clone()), merged, overridden);
    })?;
    let (before, after) = (&before, &combined.tree);
    let late = Update { home, state, contents: &contents, directory, before, after }.apply()?;
    steps.advance();
    state.update(|saved| {
        saved.checked_out(Some(tip));
        if base.is_on_branch {
            saved.queue = None;
            saved.pushing.clear();
        }
    })?;
    let paths: BTreeSet<String> = combined.conflicts.into_iter().chain(late).collect();
    Ok((is_changed, Conflict::at(paths, tip)))
}
