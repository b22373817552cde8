//! The files of a branch in the folder of a memory, together with what was not pushed yet.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::address::{Address, BranchSource};
use super::config::BranchMemory;
use super::contents::Contents;
use super::objects::{CommitId, Tree};
use super::remote::Remote;
use super::state::State;
use super::sync::{base_tree, fetched_tree, with_what_is_not_kept};
use super::trees::combine;
use super::working_copy;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Steps};

/// The folder of a memory after a checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchCheckout {
    /// The folder.
    pub directory: String,
    /// The branch.
    pub branch: String,
    /// The commit that its files come from; null if there is no branch yet.
    pub base: Option<String>,
    /// Whether there is no branch yet; the first push creates it.
    pub created: bool,
    /// Whether the folder had changes that were not pushed, which it still has.
    pub merged: bool,
    /// The files in which something of the branch gave way to such a change, sorted.
    pub conflicts: Vec<BranchConflict>,
}

/// A file of which not everything could be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchConflict {
    /// Its path, relative to the folder of the memory.
    pub path: String,
    /// The commit with the other version: `git show COMMIT:PATH` prints it.
    pub theirs: String,
}

/// The conflicts at these paths.
pub(super) fn conflicts(paths: Vec<String>, theirs: &CommitId) -> Vec<BranchConflict> {
    paths.into_iter().map(|path| BranchConflict { path, theirs: theirs.to_string() }).collect()
}

/// Brings the folder up to date with its branch.
///
/// # Errors
/// Those of [`Branches::checkout`](super::Branches::checkout).
pub(super) fn checkout(
    home: &Home,
    memory: &BranchMemory,
    directory: &Path,
    source: &BranchSource,
) -> Result<BranchCheckout> {
    let remote = Remote::new(home, Address::find(home, memory, source)?, &memory.branch);
    let mut steps = Steps::new(home, 2);
    let mut state = State::open(home, directory)?;
    let tip = remote.fetch(&state.objects)?;
    steps.advance();
    let result = |base: Option<&CommitId>, merged, conflicts| BranchCheckout {
        directory: directory.to_string_lossy().into_owned(),
        branch: memory.branch.clone(),
        base: base.map(CommitId::to_string),
        created: base.is_none(),
        merged,
        conflicts,
    };
    let Some(tip) = tip else {
        if !memory.create_orphan {
            let message =
                format!("{} does not exist, and create-orphan is false; create it, or allow that", remote.shown());
            return Err(Error::new(ErrorKind::NotFound, message).about(&memory.branch));
        }
        state.disk().make_folder(directory)?;
        let merged = !working_copy::read_all(home, &state, directory)?.is_empty();
        state.record(None, None)?;
        return Ok(result(None, merged, Vec::new()));
    };
    let theirs = fetched_tree(&state.objects, &tip)?;
    let base = base_tree(&state.objects, &remote, state.base())?;
    let mut contents = Contents::new(&state.objects);
    let nothing = Tree::new();
    let base_or_nothing = base.as_ref().unwrap_or(&nothing);
    let is_there = state.disk().has_entry(directory);
    let before = if is_there {
        let files = working_copy::read_all(home, &state, directory)?;
        working_copy::tree_of(&mut contents, files, base.as_ref())?
    } else {
        // Removing the whole folder removes no file from the branch.
        base_or_nothing.clone()
    };
    let ours = with_what_is_not_kept(before.clone(), base_or_nothing, |_| true);
    let is_changed = ours != *base_or_nothing;
    let combined = combine(&mut contents, base.as_ref(), &ours, &theirs)?;
    let before = if is_there { before } else { Tree::new() };
    working_copy::apply(home, &state, &contents, directory, &before, &combined.tree)?;
    steps.advance();
    let conflicts = conflicts(combined.conflicts, &tip);
    let queue = state.queue().cloned();
    drop(contents);
    state.record(Some(tip.clone()), queue)?;
    Ok(result(Some(&tip), is_changed, conflicts))
}
