//! Standing items: what the user wants or is, which applies to every prompt of its scope, or where its hints fit.

use std::collections::HashSet;

use super::record::Item;
use crate::disk::Stored;
use crate::ranking::{crate_term, lang_term, path_steps};
use crate::room::quoted;

/// How many items of one store are taken at most, the newest.
pub(super) const MAX_TAKEN: usize = 200;
/// The part of the space for those that apply to every prompt, if others have hints: so the first do not depend on the prompt.
const ALWAYS: (usize, usize) = (3, 4);

/// The standing items of one store, the newest first.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) always: Vec<Stored<Item>>,
    pub(super) fitting: Vec<Stored<Item>>,
}

/// Those of `groups`, the nearest first, that fit into so many characters: first those that apply to every prompt, then those whose
/// hints fit. Each scope has a part of the space, so that none crowds out another. Also returns how many are left out.
pub(super) fn fitting(groups: Vec<Group>, has_bound: bool, space: usize) -> (Vec<Stored<Item>>, usize) {
    let (always, fitting): (Vec<_>, Vec<_>) = groups.into_iter().map(|group| (group.always, group.fitting)).unzip();
    let mut seen = HashSet::new();
    let (always, fitting) = (distinct(always, &mut seen), distinct(fitting, &mut seen));
    let all: usize = always.iter().chain(&fitting).map(Vec::len).sum();
    let of_always = if has_bound { space / ALWAYS.1 * ALWAYS.0 } else { space };
    let mut chosen = share(always, of_always);
    let used: usize = chosen.iter().map(|item| chars(item)).sum();
    chosen.extend(share(fitting, space.saturating_sub(used)));
    let left_out = all - chosen.len();
    (chosen, left_out)
}

/// What several scopes say is there once, in the nearest of them.
fn distinct(groups: Vec<Vec<Stored<Item>>>, seen: &mut HashSet<String>) -> Vec<Vec<Stored<Item>>> {
    let mut of_group = |group: Vec<Stored<Item>>| {
        group.into_iter().filter(|item| seen.insert(item.content.trim().to_owned())).collect::<Vec<_>>()
    };
    groups.into_iter().map(&mut of_group).collect()
}

/// As many items of each group as fit, in their order.
fn share(groups: Vec<Vec<Stored<Item>>>, space: usize) -> Vec<Stored<Item>> {
    let with_items = groups.iter().filter(|group| !group.is_empty()).count();
    let part = space / with_items.max(1);
    let mut taken: Vec<Vec<bool>> = groups.iter().map(|group| vec![false; group.len()]).collect();
    let mut rest = space;
    // First its own part, then what the others leave, the nearest first.
    for is_own in [true, false] {
        for (group, taken) in groups.iter().zip(&mut taken) {
            let mut own = if is_own { part } else { rest };
            for (item, is_taken) in group.iter().zip(taken) {
                let chars = chars(item);
                if !*is_taken && chars <= own {
                    (*is_taken, own, rest) = (true, own - chars, rest - chars);
                }
            }
        }
    }
    let all = groups.into_iter().flatten().zip(taken.into_iter().flatten());
    all.filter(|(_, is_taken)| *is_taken).map(|(item, _)| item).collect()
}

/// The line of a standing item, which names what it is bound to.
pub(super) fn standing_line(item: &Item) -> String {
    let hints = &item.relevance_hints;
    let bound: Vec<String> =
        [&hints.files, &hints.crates, &hints.langs].into_iter().flatten().map(|it| quoted(it)).collect();
    if bound.is_empty() { line(item) } else { format!("{} (for {})", line(item), bound.join(", ")) }
}

/// The line of an item.
pub(super) fn line(item: &Item) -> String {
    format!("- {}", quoted(&item.content))
}

fn chars(item: &Item) -> usize {
    standing_line(item).chars().count() + 1
}

/// Whether the hints of an item fit what the agent is working on: the file or a folder above it, the package, or the language.
pub(super) fn fits(item: &Item, files: &[String], crates: &[String], langs: &[String]) -> bool {
    let hints = &item.relevance_hints;
    let in_file = || hints.files.iter().any(|hint| files.iter().any(|file| is_in(file, hint)));
    in_file() || share_a_term(&hints.crates, crates, crate_term) || share_a_term(&hints.langs, langs, lang_term)
}

/// Whether two lists name the same, as the index understands names.
fn share_a_term(hints: &[String], names: &[String], term: fn(&str) -> Option<String>) -> bool {
    let names: Vec<String> = names.iter().filter_map(|name| term(name)).collect();
    hints.iter().filter_map(|hint| term(hint)).any(|hint| names.contains(&hint))
}

fn is_in(file: &str, hint: &str) -> bool {
    let (file, hint) = (path_steps(file), path_steps(hint));
    !hint.is_empty() && file.starts_with(&hint)
}
