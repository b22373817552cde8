//! How much a memory may hold in all, and which files make way for new ones.

use std::collections::BTreeMap;

use super::config::{BranchCleanUp, BranchMemory};
use super::contents::Contents;
use super::folder::total;
use super::glob::Patterns;
use super::objects::{CommitId, MAX_HISTORY, Objects, Tree};
use crate::error::{Error, Result};

/// Removes files from `tree` until those that are kept fit, the ones that were changed longest ago on the branch first.
/// What this push changes stays. Returns the paths, sorted.
///
/// # Errors
/// `ValidationError` if they do not fit, or nothing may be removed; `GitError`; those of `history`, which fetches the
/// commits that led to `tip`.
pub(super) fn make_room(
    memory: &BranchMemory,
    contents: &Contents<'_>,
    objects: &Objects,
    tree: &mut Tree,
    tip: Option<(&CommitId, &Tree)>,
    history: impl FnOnce() -> Result<()>,
) -> Result<Vec<String>> {
    let Some(limit) = memory.max_total_size else { return Ok(Vec::new()) };
    let patterns = Patterns::new(memory.file_glob.as_deref())?;
    let kept = contents.kept(tree, |path| patterns.take(path))?;
    let sizes: BTreeMap<String, u64> = kept.into_iter().map(|file| (file.path, file.size)).collect();
    let mut total = total(sizes.values().copied());
    if total <= limit {
        return Ok(Vec::new());
    }
    let mut removed = Vec::new();
    if let (BranchCleanUp::Oldest, Some((tip, before))) = (memory.clean_up, tip) {
        history()?;
        let ages = ages(objects, tip)?;
        let is_unchanged = |path: &String| before.get(path).is_some_and(|item| tree.get(path) == Some(item));
        let mut candidates: Vec<&String> = sizes.keys().filter(|path| is_unchanged(path)).collect();
        // A file that was not touched as far back as the history is known is the oldest of all.
        candidates.sort_by_key(|path| (std::cmp::Reverse(ages.get(*path).copied().unwrap_or(usize::MAX)), *path));
        for path in candidates {
            if total <= limit {
                break;
            }
            total = total.saturating_sub(sizes.get(path).copied().unwrap_or_default());
            removed.push(path.clone());
        }
    }
    if total > limit {
        let message = format!(
            "with those of others on the branch, the files of the memory would have {total} bytes in all; at most {limit} are allowed"
        );
        return Err(Error::validation(format!("{message}; remove or shorten some")));
    }
    for path in &removed {
        tree.remove(path);
    }
    removed.sort();
    Ok(removed)
}

/// How many commits ago each file was changed last.
fn ages(objects: &Objects, tip: &CommitId) -> Result<BTreeMap<String, usize>> {
    let mut ages = BTreeMap::new();
    let mut commit = tip.clone();
    let Some(mut tree) = objects.tree(&commit)? else { return Ok(ages) };
    for age in 0..MAX_HISTORY {
        let parent = objects.details(&commit)?.and_then(|(parent, _)| parent);
        let Some(parent) = parent else { break };
        let Some(before) = objects.tree(&parent)? else { break };
        for (path, item) in &tree {
            if before.get(path) != Some(item) {
                ages.entry(path.clone()).or_insert(age);
            }
        }
        (commit, tree) = (parent, before);
    }
    Ok(ages)
}
