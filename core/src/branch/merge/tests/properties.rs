//! What holds for any versions, as properties.

use std::collections::HashMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::merge;
use crate::branch::merge::value;

/// The text of a merge that keeps it UTF-8.
fn merged(path: &str, base: Option<&str>, ours: &str, theirs: &str) -> String {
    let merged = merge(path, base.map(str::as_bytes), ours.as_bytes(), theirs.as_bytes());
    String::from_utf8(merged.bytes).unwrap()
}

/// Checks that merging a result again with either side, or with itself, changes nothing.
fn check_idempotence(path: &str, base: Option<&str>, ours: &str, theirs: &str) -> Result<String, TestCaseError> {
    let text = merged(path, base, ours, theirs);
    prop_assert_eq!(&merged(path, base, ours, &text), &text, "ours and the result");
    prop_assert_eq!(&merged(path, base, &text, theirs), &text, "the result and theirs");
    prop_assert_eq!(&merged(path, base, &text, &text), &text, "the result twice");
    Ok(text)
}

/// A version, or none.
fn or_none<S: Strategy>(strategy: S) -> impl Strategy<Value = Option<S::Value>> {
    proptest::option::weighted(0.8, strategy)
}

/// Lines with a terminator each; the last one may lack it.
fn joined(lines: &[(&str, &str)], is_terminated: bool) -> String {
    let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
    if !is_terminated {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text
}

/// A file of records with few ids and few members, so that versions have much in common.
fn records() -> impl Strategy<Value = String> {
    let line = select(vec![
        r#"{"id":1}"#,
        r#"{"id":1,"a":1}"#,
        r#"{"id": 1, "a": 1}"#,
        r#"{"a":2,"id":1}"#,
        r#"{"id":1,"b":[1]}"#,
        r#"{"id":1,"b":[1,2]}"#,
        r#"{"id":"1","o":{"x":1}}"#,
        r#"{"id":"1","o":{"y":1}}"#,
        r#"{"id":"\u0031"}"#,
        r#"{"id":2}"#,
        r#"{"id":null}"#,
        r#"{"a":1}"#,
        r#" {"a":1} "#,
        "3",
        "\t3",
        "3.0",
    ]);
    let end = select(vec!["\n", "\n", "\r\n", "\n\n", "\n \n"]);
    (vec((line, end), 0..7), any::<bool>()).prop_map(|(lines, is_terminated)| joined(&lines, is_terminated))
}

/// How often each line is in a version, without blank lines and white space around them.
fn counts(version: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in version.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// How often a line is in a version.
fn count_of(counts: &HashMap<&str, usize>, line: &str) -> usize {
    counts.get(line).copied().unwrap_or_default()
}

/// The id of a record.
fn id(record: &str) -> Option<Value> {
    let record: Value = serde_json::from_str(record).unwrap();
    record.get("id").filter(|id| id.is_string() || id.is_number()).cloned()
}

/// Checks that the result has every record that a side added. One with an id may have been merged with that of the
/// other side.
fn check_nothing_lost(base: &str, side: &str, other: &str, result: &str) -> Result<(), TestCaseError> {
    let ids = |version: &str| counts(version).keys().filter_map(|record| id(record)).collect::<Vec<_>>();
    let (before, after) = (counts(base), counts(result));
    for (record, count) in counts(side) {
        let added = count.saturating_sub(count_of(&before, record));
        match id(record) {
            Some(id) if ids(base).contains(&id) || ids(other).contains(&id) => {
                prop_assert!(added == 0 || ids(result).contains(&id), "{} of {:?} in {:?}", record, side, result);
            }
            _ => prop_assert!(count_of(&after, record) >= added, "{} of {:?} in {:?}", record, side, result),
        }
    }
    Ok(())
}

/// A value whose members and items have few values, in any spacing.
fn json() -> impl Strategy<Value = String> {
    let leaf = select(vec!["1", "1", "2", "1.0", "null", r#""a""#, r#""\u0061""#, "[]", "{}"]).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| prop_oneof![array(inner.clone()), object(inner.clone()), object(inner)])
}

fn array(items: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (vec(items, 0..4), gap()).prop_map(|(items, gap)| format!("[{gap}{}]", items.join(&format!(",{gap}"))))
}

fn object(values: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let key = select(vec!["a", "b", "c"]);
    (btree_map(key, values, 0..4), gap(), any::<bool>()).prop_map(|(members, gap, is_reversed)| {
        let mut members: Vec<_> = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        if is_reversed {
            members.reverse();
        }
        format!("{{{gap}{}}}", members.join(&format!(",{gap}")))
    })
}

fn gap() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", " ", "\n  ", "\r\n\t"])
}

/// A whole file: an object or an array, with or without a line break at its end.
fn json_file() -> impl Strategy<Value = String> {
    let end = select(vec!["", "\n"]);
    (prop_oneof![3 => object(json()), 1 => array(json())], end).prop_map(|(text, end)| text + end)
}

/// Lines of text, many of which are equal.
fn lines(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec(select(vec!["a\n", "b\n", "ab\n", "\n", "a\r\n"]), length).prop_map(|lines| lines.concat())
}

/// Text whose last line may lack its line break.
fn text() -> impl Strategy<Value = String> {
    (lines(0..8), any::<bool>()).prop_map(|(text, is_terminated)| joined(&[(&text, "")], is_terminated))
}

/// Three versions of a text in which each line is unique: in two of them, lines of the first are removed, replaced and
/// inserted.
fn edited_text() -> impl Strategy<Value = (String, String, String)> {
    let edited = |edits: &[u8], name: &str| -> String {
        let line = |(number, edit): (usize, &u8)| match edit {
            0 => String::new(),
            1 => format!("{name}{number}\n"),
            2 => format!("both{number}\n"),
            3 => format!("{number}\n{name}{number}\n"),
            4 => format!("{name}{number}\n{number}\n"),
            5 => format!("{number}\nboth{number}\n"),
            _ => format!("{number}\n"),
        };
        edits.iter().enumerate().map(line).collect()
    };
    (0..9_usize).prop_flat_map(|length| (vec(0..8_u8, length), vec(0..8_u8, length))).prop_map(move |(ours, theirs)| {
        (edited(&vec![7; ours.len()], ""), edited(&ours, "ours"), edited(&theirs, "theirs"))
    })
}

/// As [`edited_text`], but no line is removed or replaced by both sides.
fn disjoint_edits() -> impl Strategy<Value = (String, String, String)> {
    edited_text().prop_map(|(base, ours, theirs)| {
        let lost = |text: &str| base.lines().filter(|line| text.lines().all(|it| it != *line)).collect::<Vec<_>>();
        let by_both = lost(&ours).into_iter().filter(|line| lost(&theirs).contains(line));
        let by_both: Vec<&str> = by_both.collect();
        let numbers = |line: &str| line.trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
        let without = |text: &str| -> String {
            text.split_inclusive('\n').filter(|line| !by_both.contains(&&*numbers(line.trim_end()))).collect()
        };
        (without(&base), without(&ours), without(&theirs))
    })
}

/// A text of lines, some of which other versions have too, in one order.
fn distinct_lines(name: &'static str) -> impl Strategy<Value = String> {
    let lines: Vec<_> =
        (0..10).map(|line| format!("{line}\n")).chain((0..4).map(|line| format!("{name}{line}\n"))).collect();
    proptest::sample::subsequence(lines, 0..14).prop_map(|lines| lines.concat())
}

/// Any bytes, and any text that looks like JSON.
fn odd_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..60), r#"[\[\]{}:,"\\ \n\r0-9a-eu.+\-]{0,40}"#.prop_map(String::into_bytes)]
}

fn path() -> impl Strategy<Value = &'static str> {
    select(vec!["a.jsonl", "a.json", "a.md"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_record_that_a_side_added_is_lost(base in or_none(records()), ours in records(), theirs in records()) {
        let result = merged("a.jsonl", base.as_deref(), &ours, &theirs);
        let base = base.unwrap_or_default();
        check_nothing_lost(&base, &ours, &theirs, &result)?;
        check_nothing_lost(&base, &theirs, &ours, &result)?;
    }

    #[test]
    fn records_are_merged_once(base in or_none(records()), ours in records(), theirs in records()) {
        let result = check_idempotence("a.jsonl", base.as_deref(), &ours, &theirs)?;
        prop_assert!(counts(&result).keys().all(|line| value::Value::parse(line, &|| Ok(())).unwrap().is_some()));
    }

    #[test]
    fn json_is_merged_once(base in or_none(json_file()), ours in json_file(), theirs in json_file()) {
        let result = check_idempotence("a.json", base.as_deref(), &ours, &theirs)?;
        prop_assert!(serde_json::from_str::<Value>(&result).is_ok());
    }

    #[test]
    fn json_without_a_conflict_has_every_key_that_a_side_added(
        base in json_file(), ours in object(json()), theirs in object(json()),
    ) {
        let [base, ours_value, theirs_value]: [Value; 3] =
            [&base, &ours, &theirs].map(|text| serde_json::from_str(text).unwrap());
        let result: Value = serde_json::from_str(&merged("a.json", Some(&base.to_string()), &ours, &theirs)).unwrap();
        for side in [ours_value, theirs_value] {
            let added = side.as_object().unwrap().keys().filter(|key| base.get(key).is_none());
            prop_assert!(added.into_iter().all(|key| result.get(key).is_some()), "{} {}", side, result);
        }
    }

    #[test]
    fn appended_text_is_merged_once(
        base in text(), tails in [lines(0..5), lines(0..5)], are_terminated in any::<[bool; 2]>(),
    ) {
        let gap = if base.is_empty() || base.ends_with('\n') { "" } else { "\n" };
        let [ours, theirs] =
            [0, 1].map(|side| joined(&[(&base, gap), (&tails[side], "")], are_terminated[side]));
        // Without its last line break, a side may have lost blank lines of base.
        if ours.starts_with(&base) && theirs.starts_with(&base) {
            let result = check_idempotence("a.md", Some(&base), &ours, &theirs)?;
            let has_both = result.starts_with(&theirs) && result.trim_end().ends_with(tails[0].trim_end());
            prop_assert!(has_both || result == ours || result == theirs, "{:?}", result);
            prop_assert!(!merge("a.md", Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes()).is_conflict);
        }
    }

    #[test]
    fn text_without_a_base_is_merged_once(ours in text(), theirs in text()) {
        check_idempotence("a.md", None, &ours, &theirs)?;
    }

    #[test]
    fn text_of_which_no_line_was_changed_by_both_has_the_edits_of_both((base, ours, theirs) in disjoint_edits()) {
        let result = check_idempotence("a.md", Some(&base), &ours, &theirs)?;
        prop_assert!(!merge("a.md", Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes()).is_conflict);
        let [before, one, other, after] = [&base, &ours, &theirs, &result].map(|text| counts(text));
        for line in before.keys().chain(one.keys()).chain(other.keys()) {
            let [before, one, other, after] = [&before, &one, &other, &after].map(|counts| count_of(counts, line));
            // It stays if both have it, and is added or removed by either side.
            let expected = if before > 0 { one.min(other) } else { one.max(other) };
            // One that both add stays twice if a side adds other lines beside it.
            let most = if before == 0 && line.starts_with("both") { one + other } else { expected };
            prop_assert!((expected..=most).contains(&after), "{:?} in {:?}", line, result);
        }
    }

    // Merging by lines is not idempotent in general: where lines are repeated or moved, git may match them differently.
    #[test]
    fn text_without_repeated_or_moved_lines_is_merged_once((base, ours, theirs) in edited_text()) {
        check_idempotence("a.md", Some(&base), &ours, &theirs)?;
    }

    #[test]
    fn merging_theirs_again_changes_nothing_in_text_without_repeated_or_moved_lines(
        base in distinct_lines("b"), ours in distinct_lines("o"), theirs in distinct_lines("t"),
    ) {
        let result = merged("a.md", Some(&base), &ours, &theirs);
        prop_assert_eq!(&merged("a.md", Some(&base), &result, &theirs), &result);
    }

    #[test]
    fn no_line_that_ours_added_is_lost_and_without_a_conflict_none_of_theirs(
        base in text(), ours in text(), theirs in text(),
    ) {
        let result = merge("a.md", Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes());
        let text = String::from_utf8(result.bytes).unwrap();
        let (before, after) = (counts(&base), counts(&text));
        let sides = if result.is_conflict { vec![&ours] } else { vec![&ours, &theirs] };
        for (line, count) in sides.into_iter().flat_map(|side| counts(side)) {
            prop_assert!(count_of(&after, line) + count_of(&before, line) >= count, "{:?} in {:?}", line, text);
        }
    }

    #[test]
    fn nothing_panics_and_one_side_is_enough(
        path in path(), base in or_none(odd_bytes()), ours in odd_bytes(), theirs in odd_bytes(),
    ) {
        let result = merge(path, base.as_deref(), &ours, &theirs).bytes;
        merge(path, base.as_deref(), &result, &theirs);
        prop_assert_eq!(merge(path, Some(&theirs), &ours, &theirs).bytes, &ours[..]);
        prop_assert_eq!(merge(path, Some(&ours), &ours, &theirs).bytes, &theirs[..]);
    }

    #[test]
    fn what_parses_is_json(text in odd_bytes(), json in json_file()) {
        let Ok(text) = String::from_utf8(text) else { return Ok(()) };
        if value::Value::parse(&text, &|| Ok(())).unwrap().is_some() {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{}", text);
        }
        prop_assert_eq!(value::Value::parse(&json, &|| Ok(())).unwrap().unwrap().raw, json.trim());
    }
}
