//! Abbreviated ids: resolving a prefix, and finding the shortest unique one. No I/O.

use std::collections::HashSet;

use loopmem::{Error, ErrorKind, Result};

use crate::human::screen::on_one_line;

/// How many candidates an error lists.
const MOST_LISTED: usize = 10;

/// The item whose name is `typed`, or else the only one whose name begins with it; of items with one name, the first.
///
/// # Errors
/// `Conflict` that lists the candidates, with what `describe` says of each, if there are several. It repeats
/// `typed`, which is part of a stored name.
pub(crate) fn find<'t, T>(
    typed: &str,
    among: &'t [T],
    name: impl Fn(&T) -> &str,
    describe: impl Fn(&T) -> String,
) -> Result<Option<&'t T>> {
    if let Some(exact) = among.iter().find(|it| name(it) == typed) {
        return Ok(Some(exact));
    }
    let mut seen = HashSet::new();
    let matching: Vec<&T> = among.iter().filter(|it| name(it).starts_with(typed) && seen.insert(name(it))).collect();
    let count = matching.len();
    if count < 2 {
        return Ok(matching.first().copied());
    }
    let mut message = format!("{typed} is ambiguous: {count} ids begin with it; type more characters:");
    for it in matching.into_iter().take(MOST_LISTED) {
        message.push_str(format!("\n  {}  {}", on_one_line(name(it)), on_one_line(&describe(it))).trim_end());
    }
    if count > MOST_LISTED {
        message.push_str(&format!("\n  and {} more", count - MOST_LISTED));
    }
    Err(Error::new(ErrorKind::Conflict, message))
}

/// The length at which generated ids are shown, in characters: that of the time they begin with, to the millisecond.
const SHOWN: usize = 13;

/// An id as lists show it: a chosen one whole, a generated one by a prefix that is unique among `sorted`.
pub(crate) fn shown<'n>(id: &'n str, sorted: &[&str]) -> &'n str {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    let is_generated = id.len() == 36 && id.bytes().all(is_part);
    if is_generated { shortest(id, sorted, SHOWN) } else { id }
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

    fn found<'t>(typed: &str, among: &'t [&str]) -> Result<Option<&'t &'t str>> {
        find(typed, among, |it| it, |_| String::new())
    }

    #[test]
    fn the_shortest_unique_prefix_is_found() {
        let mut all = vec!["019a1111-a", "019a1111-b", "019a2", "cli", "é1", "é2", "cli-2"];
        all.sort_unstable();
        let short = |name, least| shortest(name, &all, least);
        assert_eq!(short("019a1111-a", 4), "019a1111-a");
        assert_eq!((short("019a2", 4), short("019a2", 8)), ("019a2", "019a2"));
        assert_eq!((short("é1", 1), short("cli", 1), short("cli-2", 1)), ("é1", "cli", "cli-"));
        for name in &all {
            assert!(matches!(found(short(name, 1), &all), Ok(Some(it)) if it == name), "{name}");
        }
    }

    #[test]
    fn chosen_ids_are_shown_whole() {
        let all =
            ["019a1111-2222-7333-8444-555555555551", "019a1111-2223-7333-8444-555555555551", "use-pnpm-workspaces"];
        assert_eq!(all.map(|id| shown(id, &all)), ["019a1111-2222", "019a1111-2223", "use-pnpm-workspaces"]);
    }

    #[test]
    fn a_complete_name_is_never_ambiguous() {
        let all = ["a", "ab", "abc"];
        assert!(matches!(found("ab", &all), Ok(Some(it)) if *it == "ab"));
        assert!(matches!(found("abcd", &all), Ok(None)));
        assert!(found("", &all).unwrap_err().message().contains("3 ids"));
    }

    #[test]
    fn of_equal_names_the_first_counts() {
        let all = [("ab", 1), ("b", 2), ("ab", 3)];
        let found = |typed| find(typed, &all, |it| it.0, |_| String::new());
        assert!(matches!(found("a"), Ok(Some(("ab", 1)))));
        assert!(found("").unwrap_err().message().contains("2 ids"));
    }
}
