//! Abbreviated ids: resolving a prefix, and finding the shortest unique one. No I/O.

use std::collections::HashSet;

use loopmem::Error;

use crate::human::screen::on_one_line;

/// How many candidates an error lists.
const MOST_LISTED: usize = 10;

/// The result of resolving an abbreviation.
pub(crate) enum Match<'t, T> {
    None,
    One(&'t T),
    Several(Vec<&'t T>),
}

/// Finds the item whose name is `typed`, or else those whose names begin with it. Of items with one name, the first
/// counts.
pub(crate) fn find<'t, T>(typed: &str, among: &'t [T], name: impl Fn(&T) -> &str) -> Match<'t, T> {
    if let Some(exact) = among.iter().find(|it| name(it) == typed) {
        return Match::One(exact);
    }
    let mut seen = HashSet::new();
    let mut matching: Vec<&T> =
        among.iter().filter(|it| name(it).starts_with(typed) && seen.insert(name(it))).collect();
    match matching.len() {
        0 => Match::None,
        1 => Match::One(matching.remove(0)),
        _ => Match::Several(matching),
    }
}

/// The error for an ambiguous abbreviation; each candidate is a name and a description. `typed` may be shown, since it
/// is part of a stored id.
pub(crate) fn ambiguous(typed: &str, candidates: impl ExactSizeIterator<Item = (String, String)>) -> Error {
    let count = candidates.len();
    let mut message = format!("{typed} is ambiguous: {count} ids begin with it; type more characters:");
    for (name, what) in candidates.take(MOST_LISTED) {
        message.push_str(format!("\n  {}  {}", on_one_line(&name), on_one_line(&what)).trim_end());
    }
    if count > MOST_LISTED {
        message.push_str(&format!("\n  and {} more", count - MOST_LISTED));
    }
    Error::validation(message)
}

/// The shortest prefix of `name` that is unique among `sorted`, of at least `least` characters.
pub(crate) fn shortest<'n>(name: &'n str, sorted: &[&str], least: usize) -> &'n str {
    let place = sorted.partition_point(|other| *other < name);
    let neighbours = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
    let shared = neighbours.filter_map(|at| sorted.get(at)).map(|other| shared_characters(name, other));
    let enough = shared.max().map_or(0, |shared| shared + 1).max(least);
    name.char_indices().nth(enough).map_or(name, |(end, _)| &name[..end])
}

fn shared_characters(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_unique_prefix_is_found() {
        let mut all = vec!["019a1111-a", "019a1111-b", "019a2", "cli", "é1", "é2", "cli-2"];
        all.sort_unstable();
        let short = |name, least| shortest(name, &all, least);
        assert_eq!(short("019a1111-a", 4), "019a1111-a");
        assert_eq!((short("019a2", 4), short("019a2", 8)), ("019a2", "019a2"));
        assert_eq!((short("é1", 1), short("cli", 1), short("cli-2", 1)), ("é1", "cli", "cli-"));
        for name in &all {
            let found = find(short(name, 1), &all, |it| it);
            assert!(matches!(found, Match::One(it) if it == name), "{name}");
        }
    }

    #[test]
    fn a_complete_name_is_never_ambiguous() {
        let all = ["a", "ab", "abc"];
        assert!(matches!(find("ab", &all, |it| it), Match::One(it) if *it == "ab"));
        assert!(matches!(find("abcd", &all, |it| it), Match::None));
        assert!(matches!(find("", &all, |it| it), Match::Several(them) if them.len() == 3));
    }

    #[test]
    fn of_equal_names_the_first_counts() {
        let all = [("ab", 1), ("b", 2), ("ab", 3)];
        assert!(matches!(find("a", &all, |it| it.0), Match::One(("ab", 1))));
        assert!(matches!(find("", &all, |it| it.0), Match::Several(them) if them.len() == 2));
    }
}
