//! Ids as callers quote them: whole, or by a beginning that no other id has.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::error::{Error, ErrorKind, Result};

/// The minimum length of the beginning of an id that stands for it, in characters.
pub const MIN_PREFIX: usize = 6;
/// The length at which generated ids are shown, in characters: that of the time they begin with, to the millisecond.
const SHOWN_CHARS: usize = 13;
/// The maximum number of candidates in an error.
const MAX_CANDIDATES: usize = 10;

/// The one of `ids` that `given` names: itself, or the only one that begins with it; `None` if there is no such id, or `given` is
/// too short to stand for another.
///
/// # Errors
/// `Conflict` with the candidates if several begin with it.
pub fn named<'i>(given: &str, ids: impl IntoIterator<Item = &'i str>) -> Result<Option<&'i str>> {
    let mut candidates = BTreeSet::new();
    for id in ids {
        if id == given {
            return Ok(Some(id));
        }
        if id.starts_with(given) {
            candidates.insert(id);
        }
    }
    if given.chars().count() < MIN_PREFIX {
        return Ok(None);
    }
    match candidates.len() {
        0 | 1 => Ok(candidates.pop_first()),
        count => {
            let shown: Vec<&str> = candidates.into_iter().take(MAX_CANDIDATES).collect();
            let more = if count > MAX_CANDIDATES { ", …" } else { "" };
            let message =
                format!("{count} ids begin with this one, so more of it is needed: {}{more}", shown.join(", "));
            Err(Error::new(ErrorKind::Conflict, message).about(given))
        }
    }
}

/// Whether an id was generated, and not chosen.
pub fn is_generated(id: &str) -> bool {
    id.len() == 36 && Uuid::try_parse(id).is_ok()
}

/// Whether an id may be the beginning of a generated one.
pub fn may_be_shortened(id: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    (MIN_PREFIX..36).contains(&id.len()) && id.bytes().all(is_part)
}

/// The ids as they are shown, in their order: chosen ones whole, generated ones by the shortest beginnings of at least
/// [`SHOWN_CHARS`] characters by which they differ.
pub fn short_ids<'i>(ids: &[&'i str]) -> Vec<&'i str> {
    let mut sorted: Vec<&str> = ids.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    ids.iter().map(|id| short_id(id, &sorted)).collect()
}

fn short_id<'i>(id: &'i str, sorted: &[&str]) -> &'i str {
    if !is_generated(id) {
        return id;
    }
    let common = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let at = sorted.partition_point(|other| *other < id);
    let neighbours = [at.checked_sub(1), at.checked_add(1)];
    let others = neighbours.into_iter().flatten().filter_map(|at| sorted.get(at));
    let needed = others.map(|other| common(id, other) + 1).max().unwrap_or(0).max(SHOWN_CHARS);
    id.get(..needed).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "019a1111-2222-7333-8444-555555555551";
    const OTHER: &str = "019a1111-2222-7333-8444-555555555552";

    #[test]
    fn an_id_is_named_by_itself_or_by_a_beginning_that_no_other_has() {
        let ids = [ONE, OTHER, "use-pnpm", "use-pnpm-workspaces", "pnpm-9"];
        let named = |given: &str| named(given, ids).map(|id| id.map(str::to_owned)).map_err(|error| error.kind());
        assert_eq!(named(ONE), Ok(Some(ONE.to_owned())));
        assert_eq!(named("use-pnpm"), Ok(Some("use-pnpm".to_owned())));
        assert_eq!(named("use-pnpm-"), Ok(Some("use-pnpm-workspaces".to_owned())));
        assert_eq!(named("019a1111"), Err(ErrorKind::Conflict));
        assert_eq!(named("use-pn"), Err(ErrorKind::Conflict));
        assert_eq!((named("pnpm-"), named("pnpm-9x"), named("")), (Ok(None), Ok(None), Ok(None)));
    }

    #[test]
    fn an_ambiguous_beginning_lists_the_candidates() {
        let refused = named("019a1111", [OTHER, ONE, "x"]).unwrap_err();
        assert_eq!(refused.message(), format!("2 ids begin with this one, so more of it is needed: {ONE}, {OTHER}"));
    }

    #[test]
    fn chosen_ids_are_shown_whole_and_generated_ones_by_what_distinguishes_them() {
        let later = "019a1111-2223-7333-8444-555555555551";
        let ids = [ONE, "use-pnpm-workspaces", OTHER, later, "019a1111", ONE];
        assert_eq!(short_ids(&ids), [ONE, "use-pnpm-workspaces", OTHER, "019a1111-2223", "019a1111", ONE]);
    }

    proptest! {
        #[test]
        fn what_is_shown_of_an_id_names_it(numbers in prop::collection::hash_set(0_u128..1_000, 1..20)) {
            let uuid = |number: &u128| Uuid::from_u128(0x019a_1111_2222_7333_8444_0000_0000_0000 | (number << 60) | number);
            let ids: Vec<String> = numbers.iter().map(|number| uuid(number).to_string()).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            for (id, short) in ids.iter().zip(short_ids(&ids)) {
                prop_assert_eq!(named(short, ids.iter().copied()).unwrap(), Some(*id));
            }
        }
    }
}
