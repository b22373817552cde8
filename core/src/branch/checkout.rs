//! The files of a branch in the folder of a memory, together with what was not pushed yet.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::address::{Address, BranchSource};
use super::config::BranchMemory;
use super::contents::Contents;
use super::objects::{CommitId, Tree};
use super::origin::{Given, Origin, digest};
use super::remote::Remote;
use super::state::{self, State};
use super::sync::{fetched_tree, with_what_is_not_kept};
use super::trees::combine;
use super::working_copy::{self, Update};
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
    /// The commit that its files come from; null if the branch does not exist yet.
    pub base: Option<String>,
    /// Whether the branch does not exist yet; the first push creates it.
    pub created: bool,
    /// Whether the folder had unpushed changes. It still has them.
    pub merged: bool,
    /// The files in which such a change replaced a change on the branch, sorted.
    pub conflicts: Vec<BranchConflict>,
}

/// A file that both sides changed in the same place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchConflict {
    /// Its path, relative to the folder of the memory.
    pub path: String,
    /// The commit with the version that was replaced. `git show COMMIT:PATH` prints it, in a clone that has fetched the
    /// branch.
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
    state::refuse_repository(home, directory)?;
    let state = State::open_for(home, directory, &remote)?;
    let tip = remote.fetch(&state.objects)?;
    steps.advance();
    let mut origin = Origin::find(&state, &remote, Given::Unsaid, tip.as_ref())?;
    let is_there = state.disk().has_entry(directory);
    let mut contents = Contents::new(&state.objects);
    let result = |created, merged, conflicts| BranchCheckout {
        directory: directory.to_string_lossy().into_owned(),
        branch: memory.branch.clone(),
        base: tip.as_ref().map(CommitId::to_string),
        created,
        merged,
        conflicts,
    };
    let Some(tip) = &tip else {
        if !memory.create_orphan {
            let message = format!(
                "{} does not exist, and create-orphan is false; create the branch, or set create-orphan to true",
                remote.shown()
            );
            return Err(Error::new(ErrorKind::NotFound, message).about(&memory.branch));
        }
        state.disk().make_folder(directory)?;
        if let Some(waiting) = origin.waiting.as_ref().filter(|_| !is_there) {
            let (before, after) = (&Tree::new(), &waiting.tree);
            Update { home, state: &state, contents: &contents, directory, before, after }.apply()?;
        }
        let (_, files) = working_copy::read_wanted(home, &state, directory, |_| false)?;
        state.update(|known| {
            (known.base, known.applying, known.unpacked) = (None, None, None);
            known.is_new = true;
            known.merged.clear();
        })?;
        return Ok(result(true, !files.is_empty(), Vec::new()));
    };
    let theirs = fetched_tree(&state.objects, tip)?;
    let nothing = Tree::new();
    let (before, others) = if is_there {
        let is_in = |tree: Option<&Tree>, path: &str| tree.is_some_and(|tree| tree.contains_key(path));
        let is_wanted = |path: &str| is_in(Some(&theirs), path) || is_in(origin.tree.as_ref(), path);
        let (files, others) = working_copy::read_wanted(home, &state, directory, is_wanted)?;
        (working_copy::tree_of(&mut contents, files, origin.tree.as_ref())?, others)
    } else {
        (Tree::new(), Vec::new())
    };
    let (from, ours) = match &origin.waiting {
        // The folder was removed, and what waits with it.
        Some(waiting) if !is_there => (waiting.from.clone(), waiting.tree.clone()),
        // Removing the whole folder removes no file from the branch.
        _ if !is_there => (origin.tree.clone(), origin.tree.clone().unwrap_or_default()),
        _ => {
            origin.settle(&before);
            (origin.tree.clone(), before.clone())
        }
    };
    let ours = with_what_is_not_kept(ours, from.as_ref().unwrap_or(&nothing), |_| true);
    let is_changed = !others.is_empty() || ours != *from.as_ref().unwrap_or(&nothing);
    let combined = combine(&mut contents, from.as_ref(), &ours, &theirs)?;
    let merged = combined.tree.iter().filter(|(path, item)| theirs.get(*path) != Some(*item));
    let merged: Vec<String> = merged.map(|(path, item)| digest(path, item)).collect();
    state.update(|known| (known.applying, known.merged) = (Some(tip.clone()), merged))?;
    let (before, after) = (&before, &combined.tree);
    let late = Update { home, state: &state, contents: &contents, directory, before, after }.apply()?;
    steps.advance();
    state.update(|known| {
        (known.base, known.applying, known.unpacked) = (Some(tip.clone()), None, None);
        known.is_new = false;
        known.merged.clear();
        if origin.has_landed {
            known.queue = None;
            known.pushing.clear();
        }
    })?;
    let paths: BTreeSet<String> = combined.conflicts.into_iter().chain(late).collect();
    Ok(result(false, is_changed, conflicts(paths.into_iter().collect(), tip)))
}
