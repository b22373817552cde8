//! Three versions of the folder of a memory made one, path by path.

use super::contents::Contents;
use super::merge;
use super::objects::{Item, Tree};
use crate::error::Result;

/// The folder that results.
#[derive(Debug, Default)]
pub(super) struct Combined {
    pub(super) tree: Tree,
    /// The paths at which something of theirs gave way, sorted.
    pub(super) conflicts: Vec<String>,
}

/// Merges what `ours` and `theirs` made of `base`; without it, nothing of theirs is removed, and what both have but
/// differs is united where that can be done, or else ours.
///
/// # Errors
/// `GitError` if a content is missing.
pub(super) fn combine(
    contents: &mut Contents<'_>,
    base: Option<&Tree>,
    ours: &Tree,
    theirs: &Tree,
) -> Result<Combined> {
    let mut combined = Combined::default();
    let only_theirs = theirs.keys().filter(|path| !ours.contains_key(*path));
    for path in ours.keys().chain(only_theirs) {
        let (ours, theirs) = (ours.get(path).copied(), theirs.get(path).copied());
        let (item, is_conflict) = one(contents, path, base.map(|base| base.get(path).copied()), ours, theirs)?;
        if is_conflict {
            combined.conflicts.push(path.clone());
        }
        combined.tree.extend(item.map(|item| (path.clone(), item)));
    }
    clear_the_way(&mut combined, ours);
    combined.conflicts.sort();
    Ok(combined)
}

/// What is at a path, and whether something of theirs gave way. `base` is what was there before, if that is known.
fn one(
    contents: &mut Contents<'_>,
    path: &str,
    base: Option<Option<Item>>,
    ours: Option<Item>,
    theirs: Option<Item>,
) -> Result<(Option<Item>, bool)> {
    // What both sides added begins empty.
    let begins_empty = base == Some(None);
    let base = base.flatten();
    Ok(match (ours, theirs) {
        _ if ours == theirs || base == theirs => (ours, false),
        _ if base == ours => (theirs, false),
        (Some(ours), Some(theirs)) if ours.id == theirs.id => (Some(ours), false),
        (Some(ours), Some(theirs)) if ours.is_file() && theirs.is_file() => {
            let base_content = match base.filter(Item::is_file) {
                Some(base) => Some(contents.get(base.id)?),
                None => begins_empty.then(Vec::new),
            };
            let merged =
                merge::merge(path, base_content.as_deref(), &contents.get(ours.id)?, &contents.get(theirs.id)?);
            let mode = if base.is_some_and(|base| base.mode == ours.mode) { theirs.mode } else { ours.mode };
            (Some(Item { id: contents.add(merged.bytes)?, mode }), merged.is_conflict)
        }
        (Some(ours), Some(_)) => (Some(ours), true),
        // Removed by one side and changed by the other: the change stays.
        (ours, theirs) => (ours.or(theirs), false),
    })
}

/// A file of one side may be where the other has a folder: what ours has stays.
fn clear_the_way(combined: &mut Combined, ours: &Tree) {
    let Combined { tree, conflicts } = combined;
    let folders_above = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
    let mut removed = Vec::new();
    for path in tree.keys() {
        for above in folders_above(path).into_iter().filter(|above| tree.contains_key(above)) {
            removed.push(if ours.contains_key(&above) { path.clone() } else { above });
        }
    }
    for path in removed {
        if tree.remove(&path).is_some() {
            conflicts.push(path);
        }
    }
}
