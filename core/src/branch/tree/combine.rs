//! Three versions of the folder of a memory made one, path by path.

use super::contents::Contents;
use crate::branch::merge;
use crate::branch::repository::objects::{Item, Tree};
use crate::error::Result;

/// The folder that results.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    pub(crate) tree: Tree,
    /// The paths at which something of theirs was overridden, sorted.
    pub(crate) conflicts: Vec<String>,
}

/// Merges what `ours` and `theirs` made of `base`; without it, nothing of theirs is removed, and what both have but
/// differs is united where that can be done, or else ours.
///
/// # Errors
/// `GitError`; that of `check`, which is called between the steps of the merge.
pub(crate) fn combine(
    contents: &mut Contents<'_>,
    base: Option<&Tree>,
    ours: &Tree,
    theirs: &Tree,
    check: &dyn Fn() -> Result<()>,
) -> Result<Combined> {
    let mut combined = Combined::default();
    let only_theirs = theirs.keys().filter(|path| !ours.contains_key(*path));
    for path in ours.keys().chain(only_theirs) {
        check()?;
        let (ours, theirs) = (ours.get(path).copied(), theirs.get(path).copied());
        let (item, is_conflict) = one(contents, path, base.map(|base| base.get(path).copied()), ours, theirs, check)?;
        if is_conflict {
            combined.conflicts.push(path.clone());
        }
        combined.tree.extend(item.map(|item| (path.clone(), item)));
    }
    clear_the_way(&mut combined, ours);
    combined.conflicts.sort();
    Ok(combined)
}

/// The merged item at a path, and whether something of theirs was overridden. `base` is the item before, if that is
/// known.
fn one(
    contents: &mut Contents<'_>,
    path: &str,
    base: Option<Option<Item>>,
    ours: Option<Item>,
    theirs: Option<Item>,
    check: &dyn Fn() -> Result<()>,
) -> Result<(Option<Item>, bool)> {
    // A file that both sides added begins empty.
    let begins_empty = base == Some(None);
    let base = base.flatten();
    Ok(match (ours, theirs) {
        _ if ours == theirs || base == theirs => (ours, false),
        _ if base == ours => (theirs, false),
        (Some(ours), Some(theirs)) if ours.id == theirs.id => (Some(ours), false),
        (Some(ours), Some(theirs)) if ours.is_file() && theirs.is_file() => {
            let mode = if base.is_some_and(|base| base.mode == ours.mode) { theirs.mode } else { ours.mode };
            let base = base.filter(Item::is_file);
            for version in [Some(ours), Some(theirs), base].into_iter().flatten() {
                if merge::is_too_large(path, contents.size(&version)?) {
                    return Ok((Some(Item { mode, ..ours }), true));
                }
            }
            let base_content = match base {
                Some(base) => Some(contents.get(base.id)?),
                None => begins_empty.then(Vec::new),
            };
            let (our_content, their_content) = (contents.get(ours.id)?, contents.get(theirs.id)?);
            let merged = merge::merge(path, base_content.as_deref(), &our_content, &their_content, check)?;
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

/// The paths at which two folders differ: added, changed, and removed.
pub(crate) fn difference(before: &Tree, after: &Tree) -> [Vec<String>; 3] {
    let added = after.keys().filter(|path| !before.contains_key(*path)).cloned().collect();
    let changed = after.iter().filter(|(path, item)| before.get(*path).is_some_and(|before| before != *item));
    let removed = before.keys().filter(|path| !after.contains_key(*path)).cloned().collect();
    [added, changed.map(|(path, _)| path.clone()).collect(), removed]
}

/// Adds the items of the branch that a memory does not keep: files that no pattern takes, links and repositories. Where the
/// folder has a file in their place, the file stays.
pub(crate) fn with_what_is_not_kept(mut ours: Tree, base: &Tree, is_kept: impl Fn(&str) -> bool) -> Tree {
    let not_kept = base.iter().filter(|(path, item)| !item.is_file() || !is_kept(path));
    for (path, item) in not_kept {
        let below = format!("{path}/");
        let has_below = ours.range(below.clone()..).next().is_some_and(|(other, _)| other.starts_with(&below));
        let has_above =
            path.match_indices('/').any(|(at, _)| path.get(..at).is_some_and(|above| ours.contains_key(above)));
        if !has_below && !has_above {
            ours.entry(path.clone()).or_insert(*item);
        }
    }
    ours
}
