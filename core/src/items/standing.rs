//! Standing items: what the user wants or is, which applies to every prompt of its scope, or where its hints fit.

use super::place::Place;
use super::record::Item;
use crate::disk::Stored;
use crate::ranking::path_steps;
use crate::room::quoted;

/// How many items of one store are read at most, the newest.
pub(super) const MAX_READ: usize = 200;
/// The part of the space that those have which apply to every prompt; what is left is for those whose hints fit. So the first do
/// not depend on the prompt.
const ALWAYS: (usize, usize) = (3, 4);

/// The standing items of one store, the newest first.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) always: Vec<Stored<Item>>,
    pub(super) fitting: Vec<Stored<Item>>,
}

/// Those of `groups`, the nearest first, that fit into so many characters. None crowds the others out: each has a part.
pub(super) fn fitting(groups: Vec<Group>, space: usize) -> Vec<Stored<Item>> {
    let (always, fitting): (Vec<_>, Vec<_>) = groups.into_iter().map(|group| (group.always, group.fitting)).unzip();
    let mut chosen = share(always, space / ALWAYS.1 * ALWAYS.0);
    let used: usize = chosen.iter().map(|item| chars(item)).sum();
    let more = share(fitting, space.saturating_sub(used));
    chosen.extend(more.into_iter().filter(|item| !chosen_has(&chosen, item)).collect::<Vec<_>>());
    chosen
}

fn chosen_has(chosen: &[Stored<Item>], item: &Item) -> bool {
    chosen.iter().any(|other| other.content.trim() == item.content.trim())
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
    let mut chosen: Vec<Stored<Item>> = Vec::new();
    for (item, is_taken) in groups.into_iter().flatten().zip(taken.into_iter().flatten()) {
        // What several scopes say is there once.
        if is_taken && !chosen_has(&chosen, &item) {
            chosen.push(item);
        }
    }
    chosen
}

/// The line of an item.
pub(super) fn line(item: &Item) -> String {
    format!("- {}", quoted(&item.content))
}

fn chars(item: &Item) -> usize {
    line(item).chars().count() + 1
}

/// Whether the hints of an item fit what the agent is working on: the file or a folder above it, the package, or the language.
pub(super) fn fits(item: &Item, files: &[String], crates: &[String], langs: &[String]) -> bool {
    let hints = &item.relevance_hints;
    let in_file = || hints.files.iter().any(|hint| files.iter().any(|file| is_in(file, hint)));
    let package = |name: &str| name.trim().to_lowercase().replace('_', "-");
    let of_package = || hints.crates.iter().any(|hint| crates.iter().any(|it| package(it) == package(hint)));
    let in_language =
        || hints.langs.iter().any(|hint| langs.iter().any(|it| it.trim().to_lowercase() == hint.trim().to_lowercase()));
    in_file() || of_package() || in_language()
}

fn is_in(file: &str, hint: &str) -> bool {
    let (file, hint) = (path_steps(file), path_steps(hint));
    !hint.is_empty() && file.starts_with(&hint)
}

/// Whether a place is only the user's, whatever is in it.
pub(super) fn is_own(place: &Place) -> bool {
    place.folder.is_none()
}
