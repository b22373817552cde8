//! The rules of the merge, each as a table of versions and the expected result.

use super::merge;
use crate::branch::merge::merged::Merged;

/// Whether something of theirs gives way.
const CONFLICT: bool = true;
const CLEAN: bool = false;

/// Base, ours, theirs, the merged file, and whether it is a conflict.
type Case<'c> = (Option<&'c str>, &'c str, &'c str, &'c str, bool);

#[track_caller]
fn check(path: &str, cases: &[Case<'_>]) {
    for &(base, ours, theirs, expected, is_conflict) in cases {
        let merged = merge(path, base.map(str::as_bytes), ours.as_bytes(), theirs.as_bytes());
        let text = String::from_utf8(merged.bytes).unwrap();
        assert_eq!((text.as_str(), merged.is_conflict), (expected, is_conflict), "{base:?} {ours:?} {theirs:?}");
    }
}

/// Checks one merge of JSON that has a base.
#[track_caller]
fn check_json(base: &str, ours: &str, theirs: &str, expected: &str, is_conflict: bool) {
    check("a.json", &[(Some(base), ours, theirs, expected, is_conflict)]);
}

#[test]
fn a_file_that_one_side_did_not_touch_keeps_the_bytes_of_the_other() {
    for path in ["a.jsonl", "a.json", "a.md", "a.png", "a"] {
        for odd in ["", "\n\n", "{", "\0", "{\"a\":1,\"a\":2}", " x\r\ny"] {
            check(
                path,
                &[
                    (Some("1\n"), odd, "1\n", odd, CLEAN),
                    (Some("1\n"), "1\n", odd, odd, CLEAN),
                    (Some("1\n"), odd, odd, odd, CLEAN),
                    (None, odd, odd, odd, CLEAN),
                ],
            );
        }
    }
}

#[test]
fn the_extension_names_the_format_in_any_case() {
    let (base, ours, theirs) = (Some("{\"id\":1}"), "{\"id\":1}\n{\"id\":2}", "{\"id\":1}\n\n{\"id\":3}");
    let records = "{\"id\":1}\n{\"id\":3}\n{\"id\":2}\n";
    for path in ["a.jsonl", "a/b.JSONL", "a.ndjson", "a.b.NdJson"] {
        check(path, &[(base, ours, theirs, records, CLEAN)]);
    }
    // As one value it does not parse, and as text the blank line is kept.
    check("a.JSON", &[(base, ours, theirs, ours, CONFLICT)]);
    for path in ["a.md", "jsonl", "a.jsonl/b", ".jsonl", ""] {
        check(path, &[(base, ours, theirs, "{\"id\":1}\n\n{\"id\":3}\n{\"id\":2}", CLEAN)]);
    }
}

#[test]
fn a_binary_file_is_taken_whole_from_ours() {
    for path in ["a.png", "a.md", "a.json", "a.jsonl"] {
        for (base, ours, theirs) in [
            (None, &b"\xff\x01"[..], &b"\xff\x02"[..]),
            (Some(&b"x"[..]), b"a", b"\xff"),
            (Some(b"\xff"), b"a", b"b"),
            (Some(b"a\n"), b"a\nb\n", b"a\n\0\n"),
            (Some(b"\0"), b"a\n", b"b\n"),
        ] {
            assert_eq!(merge(path, base, ours, theirs), Merged::conflict(ours), "{path} {ours:?} {theirs:?}");
        }
    }
}

#[test]
fn records_without_an_id_are_a_multiset_of_lines() {
    check(
        "a.jsonl",
        &[
            // Added by both, by one, and twice by one.
            (Some("1\n"), "1\n2\n", "1\n3\n", "1\n3\n2\n", CLEAN),
            (Some("1\n"), "1\n2\n4\n", "1\n2\n3\n", "1\n2\n3\n4\n", CLEAN),
            (Some("1\n"), "1\n2\n2\n", "1\n2\n3\n", "1\n2\n3\n2\n", CLEAN),
            (Some("1\n"), "1\n1\n5\n", "1\n1\n1\n6\n", "1\n1\n1\n6\n5\n", CLEAN),
            // Removed by one, by both, and as many copies as the side that removed more.
            (Some("1\n2\n3\n"), "2\n3\n4\n", "1\n2\n", "2\n4\n", CLEAN),
            (Some("1\n1\n1\n2\n"), "1\n2\n3\n", "1\n1\n2\n4\n", "1\n2\n4\n3\n", CLEAN),
            // Removed by one while the other added copies: the copies stay.
            (Some("1\n"), "1\n1\n1\n", "2\n", "2\n1\n1\n1\n", CLEAN),
            (Some("1\n2\n"), "2\n", "1\n2\n1\n1\n", "1\n2\n1\n1\n", CLEAN),
            // The last copies are the ones that are kept.
            (Some("1\n1\n"), "1\n", "1\n2\n1\n", "2\n1\n", CLEAN),
            // The order of theirs, then what ours adds.
            (Some("1\n2\n3\n"), "3\n2\n1\n4\n", "2\n1\n3\n5\n", "2\n1\n3\n5\n4\n", CLEAN),
            // Edits of a line without an id keep both versions.
            (Some("{\"a\":1}\n"), "{\"a\":2}\n", "{\"a\":3}\n", "{\"a\":3}\n{\"a\":2}\n", CLEAN),
            // Without a base nothing was removed.
            (None, "1\n2\n2\n", "3\n2\n", "3\n2\n1\n2\n", CLEAN),
            (Some(""), "1\n", "2\n", "2\n1\n", CLEAN),
            (None, "", "2\n", "2\n", CLEAN),
        ],
    );
}

#[test]
fn lines_of_records_are_kept_byte_for_byte_and_terminated() {
    check(
        "a.jsonl",
        &[
            (Some("1"), "1\n 2 ", "1\n\n\t3.10", "1\n\t3.10\n 2 \n", CLEAN),
            (Some("1\r\n"), "1\r\n2\r\n", "1\r\n3\r\n", "1\r\n3\r\n2\r\n", CLEAN),
            (Some("1\n"), "1\n\"\\u00e4\"\n", "1\n\"\u{e4}\"\n", "1\n\"\u{e4}\"\n\"\\u00e4\"\n", CLEAN),
            // Blank lines and white space are no changes: that side is untouched.
            (Some("1\n"), " 1\r\n\r\n", "1\n2", "1\n2", CLEAN),
            (Some("1\n"), "1\n2", "1", "1\n2", CLEAN),
            // Everything was removed.
            (Some("1\n2\n"), "1\n", "2\n", "", CLEAN),
        ],
    );
}

#[test]
fn records_with_an_id_are_merged_by_it() {
    let base = Some("{\"id\":1,\"a\":1,\"b\":1}\n{\"id\":\"x\"}\n");
    let x = "{\"id\":\"x\"}\n";
    let cases = [
        // One side edited it, the other did not, or removed it.
        ("{\"id\":1,\"a\":2}\n", "{\"id\":1,\"a\":1,\"b\":1}\n5\n", "{\"id\":1,\"a\":2}\n5\n", CLEAN),
        ("{\"id\":1,\"a\":1,\"b\":1}\n5\n", "{\"id\":1,\"a\":2}\n", "{\"id\":1,\"a\":2}\n5\n", CLEAN),
        ("5\n", "{\"id\":1,\"a\":2}\n", "{\"id\":1,\"a\":2}\n5\n", CLEAN),
        ("{\"id\":1,\"a\":2}\n", "5\n", "5\n{\"id\":1,\"a\":2}\n", CLEAN),
        // Removed, and untouched by the other side. Formatting is an edit.
        ("5\n", "{\"id\":1,\"a\":1,\"b\":1}\n6\n", "6\n5\n", CLEAN),
        ("{\"b\":1, \"id\":1}\n6\n", "5\n", "5\n{\"b\":1, \"id\":1}\n6\n", CLEAN),
        // Edited by both: by key path, on one line as ours writes it, at the place in theirs.
        (
            "5\n{\"id\": 1, \"a\": 2, \"b\": 1, \"c\": 10e2}\r\n",
            "{\"id\":1,\"a\":1,\"b\":3,\"d\":{\"e\":[ 1]}}\n6\n",
            "{\"id\": 1, \"a\": 2, \"b\": 3, \"c\": 10e2, \"d\": {\"e\": [1]}}\r\n6\n5\n",
            CLEAN,
        ),
        ("{\"id\":1,\"a\":2}\n", "{\"id\":1,\"a\":3,\"b\":1}\n", "{\"id\":1,\"a\":2}\n", CONFLICT),
        // The same edit, spelled differently: the line of ours.
        ("{\"id\":1, \"a\":2}\n5\n", "{\"a\":2,\"id\":1}\n", "{\"id\":1, \"a\":2}\n5\n", CLEAN),
    ];
    for (ours, theirs, expected, is_conflict) in cases {
        let [ours, theirs] = [ours, theirs].map(|version| format!("{x}{version}"));
        check("a.jsonl", &[(base, &ours, &theirs, &format!("{x}{expected}"), is_conflict)]);
    }
}

#[test]
fn an_id_is_a_string_or_a_number_that_no_version_has_twice() {
    check(
        "a.jsonl",
        &[
            // Added by both without a base: the union of the members, and ours where they differ.
            (
                None,
                "{\"id\":1,\"a\":1}\n",
                "{\"id\":1,\"b\":2}\n{\"id\":2}\n",
                "{\"id\":1,\"a\":1,\"b\":2}\n{\"id\":2}\n",
                CLEAN,
            ),
            (None, "{\"id\":1,\"a\":1}\n5\n", "{\"id\":1,\"a\":2}\n", "{\"id\":1,\"a\":1}\n5\n", CONFLICT),
            // Escapes do not matter, types and the spelling of numbers do.
            (None, "{\"id\":\"a\",\"a\":1}\n", "{\"id\":\"\\u0061\"}\n5\n", "{\"id\":\"a\",\"a\":1}\n5\n", CLEAN),
            (
                None,
                "{\"id\":\"1\"}\n",
                "{\"id\":1}\n{\"id\":1.0}\n",
                "{\"id\":1}\n{\"id\":1.0}\n{\"id\":\"1\"}\n",
                CLEAN,
            ),
            // No ids: null, an object, and an id below the top.
            (None, "{\"id\":null,\"a\":1}\n", "{\"id\":null}\n", "{\"id\":null}\n{\"id\":null,\"a\":1}\n", CLEAN),
            (None, "{\"id\":{},\"a\":1}\n", "{\"id\":{}}\n", "{\"id\":{}}\n{\"id\":{},\"a\":1}\n", CLEAN),
            (None, "[{\"id\":1}]\n", "[{\"id\":1,\"a\":1}]\n", "[{\"id\":1,\"a\":1}]\n[{\"id\":1}]\n", CLEAN),
            // Twice in one version: by text.
            (
                Some("{\"id\":1}\n"),
                "{\"id\":1,\"a\":1}\n",
                "{\"id\":1}\n{\"id\":1,\"b\":1}\n",
                "{\"id\":1,\"b\":1}\n{\"id\":1,\"a\":1}\n",
                CLEAN,
            ),
        ],
    );
}

#[test]
fn lines_that_do_not_parse_cost_no_side_a_record() {
    for odd in
        ["{", "1 2", "x", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"\\u0062\":1}}", "\u{feff}1", "nul", "01", "\"\t\""]
    {
        let odd = format!("3\n{odd}\n");
        check(
            "a.jsonl",
            &[
                (Some("1\n"), &odd, "1\n2\n", &format!("2\n{odd}"), CLEAN),
                (Some("1\n"), "1\n2\n", &odd, &format!("{odd}2\n"), CLEAN),
                (Some(&odd), "1\n2\n", "1\n3\n", "1\n2\n", CLEAN),
            ],
        );
    }
}

#[test]
fn objects_are_merged_by_key_path() {
    // Changed, added and removed by one side.
    check_json(r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":1,"b":2}"#, r#"{"a":2,"b":2}"#, CLEAN);
    check_json(r#"{"a":1}"#, r#"{"x":1,"a":1}"#, r#"{"z":1,"a":1,"y":2}"#, r#"{"x":1,"a":1,"z":1,"y":2}"#, CLEAN);
    check_json(r#"{"a":1,"b":1,"c":1}"#, r#"{"b":1,"c":1}"#, r#"{"a":1,"c":1}"#, r#"{"c":1}"#, CLEAN);
    check_json(r#"{"a":1}"#, r"{}", r#"{"b":1}"#, r#"{"b":1}"#, CLEAN);
    // Removed by one side and edited by the other: the edit stays.
    check_json(r#"{"a":1,"b":1}"#, r#"{"b":2}"#, r#"{"a":3,"b":1}"#, r#"{"b":2,"a":3}"#, CLEAN);
    check_json(r#"{"a":1,"b":1}"#, r#"{"a":3,"b":1}"#, r#"{"b":2}"#, r#"{"a":3,"b":2}"#, CLEAN);
    // The same change by both, and different ones.
    check_json(r#"{"a":1,"b":1}"#, r#"{"a":2,"b":3}"#, r#"{"a":2,"b":1,"c":1}"#, r#"{"a":2,"b":3,"c":1}"#, CLEAN);
    check_json(r#"{"a":1,"b":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":3,"b":4}"#, r#"{"a":2,"b":4}"#, CONFLICT);
    check_json(r#"{"a":1}"#, r#"{"a":[]}"#, r#"{"a":{}}"#, r#"{"a":[]}"#, CONFLICT);
    // Nested objects, also where base had none.
    check_json(r#"{"o":{"a":1}}"#, r#"{"o":{"a":1,"b":1}}"#, r#"{"o":{"c":1}}"#, r#"{"o":{"b":1,"c":1}}"#, CLEAN);
    check_json(r#"{"o":null}"#, r#"{"o":{"b":1}}"#, r#"{"o":{"c":1}}"#, r#"{"o":{"b":1,"c":1}}"#, CLEAN);
    check_json(r"{}", r#"{"o":{"b":1}}"#, r#"{"o":{"b":2,"c":1}}"#, r#"{"o":{"b":1,"c":1}}"#, CONFLICT);
    check_json(r"1", r#"{"b":1}"#, r#"{"c":1}"#, r#"{"b":1,"c":1}"#, CLEAN);
    check_json(r"1", r"2", r"3", r"2", CONFLICT);
    // Without a base: the union, and ours where they differ.
    check(
        "a.json",
        &[
            (None, r#"{"a":1,"o":{"x":1}}"#, r#"{"o":{"y":1},"b":1}"#, r#"{"a":1,"o":{"x":1,"y":1},"b":1}"#, CLEAN),
            (None, r#"{"a":1}"#, r#"{"a":2,"b":1}"#, r#"{"a":1,"b":1}"#, CONFLICT),
            (None, r"[1,2]", r"[3,2]", r"[3,2,1]", CLEAN),
            (None, r"1", r"2", r"1", CONFLICT),
        ],
    );
}

#[test]
fn arrays_that_both_sides_appended_to_keep_both_tails() {
    for (base, ours, theirs, expected, is_conflict) in [
        ("[1]", "[1,2]", "[1,3]", "[1,3,2]", CLEAN),
        ("[1]", "[1,2,4,2]", "[1,3,2]", "[1,3,2,4,2]", CLEAN),
        (r#"[{"a":1}]"#, r#"[{"a": 1}, {"b": 2, "c": 3}]"#, r#"[{"a":1},{"c":3,"b":2},5]"#, "theirs", CLEAN),
        ("null", "[1]", "[2]", "[2,1]", CLEAN),
        ("[1,2]", "[1]", "[1,2,3]", "[1]", CONFLICT),
        ("[1,2]", "[2,1]", "[1,2,3]", "[2,1]", CONFLICT),
        ("[1.0]", "[1.00]", "[1.0,2]", "[1.00]", CONFLICT),
    ] {
        let expected = if expected == "theirs" { theirs } else { expected };
        let [base, ours, theirs, expected] = [base, ours, theirs, expected].map(|text| format!("{{\"l\":{text}}}"));
        check_json(&base, &ours, &theirs, &expected, is_conflict);
    }
}

#[test]
fn json_keeps_the_text_of_the_side_that_it_equals() {
    // Ours, although the text of theirs differs from base too.
    check_json(r#"{"a":1}"#, "{ \"a\" : 2 }\n", r#"{ "a":1}"#, "{ \"a\" : 2 }\n", CLEAN);
    check_json(r#"{"a":1}"#, r#"{ "a":1}"#, "{\"a\":\n2}", "{\"a\":\n2}", CLEAN);
    check_json(r#"{"a":1,"b":1}"#, r#"{"b":2,"a":1}"#, "{\"a\": 3, \"b\": 2}", "{\"a\": 3, \"b\": 2}", CLEAN);
    check_json(r#"{"a":"\u00e4"}"#, r#"{"a":"ä"}"#, r#"{"a":"\u00E4","b":1}"#, r#"{"a":"\u00E4","b":1}"#, CLEAN);
}

#[test]
fn json_is_written_as_ours_is() {
    let base = r#"{"o":{}}"#;
    let theirs = r#"{"o":{"t":{"n":[1.50,{}, []],"k\u0061":"\u00e4"}}}"#;
    for (ours, expected) in [
        (r#"{"o":{"s":1}}"#, r#"{"o":{"s":1,"t":{"n":[1.50,{}, []],"k\u0061":"\u00e4"}}}"#),
        (r#"{"o": {"s": 1}}"#, r#"{"o": {"s": 1, "t": {"n": [1.50, {}, []], "k\u0061": "\u00e4"}}}"#),
        (
            r#" {"o":{"s":":,\"", "p":1}} "#,
            r#" {"o":{"s":":,\"", "p":1, "t":{"n":[1.50, {}, []], "k\u0061":"\u00e4"}}} "#,
        ),
        (
            "{\n  \"o\": {\n    \"s\": [1, 2]\n  }\n}\n",
            "{\n  \"o\": {\n    \"s\": [1, 2],\n    \"t\": {\n      \"n\": [\n        1.50,\n\
             \x20       {},\n        []\n      ],\n      \"k\\u0061\": \"\\u00e4\"\n    }\n  }\n}\n",
        ),
        (
            "{\r\n\t\"o\":{\r\n\t\t\"s\":1\r\n\t}\r\n}",
            "{\r\n\t\"o\":{\r\n\t\t\"s\":1,\r\n\t\t\"t\":{\r\n\t\t\t\"n\":[\r\n\t\t\t\t1.50,\
             \r\n\t\t\t\t{},\r\n\t\t\t\t[]\r\n\t\t\t],\r\n\t\t\t\"k\\u0061\":\"\\u00e4\"\r\n\t\t}\r\n\t}\r\n}",
        ),
    ] {
        check_json(base, ours, theirs, expected, CLEAN);
    }
    // Arrays of values have no colon to take the style from.
    check_json("[]", "[\n  1\n]\n", r#"[{"a":1}]"#, "[\n  {\n    \"a\": 1\n  },\n  1\n]\n", CLEAN);
    check_json("[]", "[1, 2]", r#"[{"a":1}]"#, r#"[{"a": 1}, 1, 2]"#, CLEAN);
    // Both are written alike: the text of theirs is kept too.
    check_json(
        "{}",
        "{\n  \"a\": [1, 2]\n}",
        "{\n  \"b\": [1, 2]\n}",
        "{\n  \"a\": [1, 2],\n  \"b\": [1, 2]\n}",
        CLEAN,
    );
}

#[test]
fn json_that_does_not_parse_is_a_conflict() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let long = "[".repeat(1 << 20);
    let odd = [
        "",
        "{",
        "[1,]",
        "{\"a\" 1}",
        "{a:1}",
        "1 2",
        "{\"a\":1,\"a\":1}",
        "\"\\ud800\"",
        "+1",
        ".5",
        "NaN",
        "\"\\x\"",
    ];
    for odd in odd.map(str::to_owned).into_iter().chain([nested(129), nested(100_000), long]) {
        check(
            "a.json",
            &[
                (Some("{}"), &odd, "[]", &odd, CONFLICT),
                (Some("{}"), "[]", &odd, "[]", CONFLICT),
                (Some(&odd), "[]", "{}", "[]", CONFLICT),
            ],
        );
    }
    check("a.json", &[(Some("[]"), &nested(128), "[1]", &format!("[1,{}]", nested(127)), CLEAN)]);
}

#[test]
fn text_that_both_sides_appended_to_keeps_both_tails() {
    check(
        "a.md",
        &[
            (Some("a\n"), "a\no\n", "a\nt\n", "a\nt\no\n", CLEAN),
            (Some(""), "o\n", "t\n", "t\no\n", CLEAN),
            // Without final line breaks.
            (Some("a"), "a\no", "a\nt", "a\nt\no", CLEAN),
            (Some("a"), "a\r\no", "a\r\nt\r\n", "a\r\nt\r\no\r\n", CLEAN),
            (Some(""), "a\no", "b\r\nt", "b\r\nt\r\na\no\n", CLEAN),
            (Some("a"), "a\n", "a\nt", "a\nt", CLEAN),
            (Some("a\n"), "a", "a\nt\n", "a\nt\n", CLEAN),
            (Some("a\n"), "a\no", "a", "a\no", CLEAN),
            // Equal ones count once, as do those of a side that may be the result of an earlier merge.
            (Some("a\n"), "a\nx\n", "a\nx", "a\nx\n", CLEAN),
            (Some("a\n"), "a\nx\no", "a\nx\n", "a\nx\no", CLEAN),
            (Some("a\n"), "a\no\n", "a\nt\no\n", "a\nt\no\n", CLEAN),
            // Others are kept, also if one begins or ends with the other.
            (Some("a\n"), "a\nx\n", "a\nx\nt\n", "a\nx\nt\nx\n", CLEAN),
            (Some("a\n"), "a\nfailed\nok\n", "a\nok\n", "a\nok\nfailed\nok\n", CLEAN),
            // Only whole lines are the same.
            (Some("a\n"), "a\nx\n", "a\nxy\n", "a\nxy\nx\n", CLEAN),
            (Some("a\n"), "a\nyx\n", "a\nx\n", "a\nx\nyx\n", CLEAN),
            // Entries keep the blank lines before them.
            (Some("# Log\n"), "# Log\n\n## 2\no\n", "# Log\n\n## 3\nt\n", "# Log\n\n## 3\nt\n\n## 2\no\n", CLEAN),
        ],
    );
}

#[test]
fn other_text_is_merged_by_lines() {
    let base = Some("1\n2\n3\n4\n5\n");
    check(
        "a.md",
        &[
            (base, "1\no\n3\n4\n5\n", "1\n2\n3\nt\n5\n", "1\no\n3\nt\n5\n", CLEAN),
            (base, "2\n3\n4\n5\n", "1\n2\n3\n4\n5\n6\n", "2\n3\n4\n5\n6\n", CLEAN),
            (base, "1\no\n3\n4\n5\n", "1\nt\n3\nt\n5\n", "1\no\n3\nt\n5\n", CONFLICT),
            (Some("a\n"), "b\n", "ab\n", "b\n", CONFLICT),
            // Removed by one side and changed by the other: the change stays.
            (base, "", "1\n2\nt\n4\n5\n", "t\n", CLEAN),
            (base, "1\n2\no\n4\n5\n", "1\n5\n", "1\no\n5\n", CLEAN),
            // "ab" is not "a" with something appended.
            (Some("a"), "a\no\n", "ab\n", "ab\no\n", CLEAN),
        ],
    );
}

#[test]
fn what_both_sides_insert_is_kept_and_only_a_line_that_both_changed_is_a_conflict() {
    let base = Some("1\n2\n3\n4\n5\n");
    check(
        "a.yml",
        &[
            // At the same place, also twice, at the start, and where one side inserts what the other does too.
            (base, "1\n2\no\n3\n4\n5\n", "1\n2\nt\n3\n4\n5\n", "1\n2\nt\no\n3\n4\n5\n", CLEAN),
            (base, "o\n1\n2\no\n3\n4\n5\n", "t\n1\n2\nt\n3\n4\n5\n", "t\no\n1\n2\nt\no\n3\n4\n5\n", CLEAN),
            (base, "1\nx\no\n2\n3\n4\n5\n", "1\nx\n2\n3\n4\n5\n", "1\nx\no\n2\n3\n4\n5\n", CLEAN),
            // At the end, while a side also changes another line, or the last one.
            (base, "1\n2\n3\n4\n5\no\n", "1\nT\n3\n4\n5\nt\n", "1\nT\n3\n4\n5\nt\no\n", CLEAN),
            (base, "1\n2\n3\n4\n5\no\n", "1\n2\n3\n4\nT\n", "1\n2\n3\n4\nT\no\n", CLEAN),
            // Lines beside each other.
            (base, "1\no\n3\n4\n5\n", "1\n2\nt\n4\n5\n", "1\no\nt\n4\n5\n", CLEAN),
            (base, "1\no\n3\n4\n5\n", "1\n2\nt\n3\n4\n5\n", "1\no\nt\n3\n4\n5\n", CLEAN),
            // Between lines that the other side replaced, or removed.
            (base, "1\nx\ny\nz\n4\n5\n", "1\n2\nt\n3\n4\n5\n", "1\nx\ny\nz\nt\n4\n5\n", CLEAN),
            (base, "1\n5\n", "1\n2\n3\nt\n4\n5\n", "1\nt\n5\n", CLEAN),
            // One of several lines that one side changed.
            (base, "1\n2\no\n4\n5\n", "1\nx\ny\nz\n5\n", "1\nx\no\nz\n5\n", CONFLICT),
            // A changed line with an addition, and other changes of the line.
            (base, "1\n2\n3\n4\no\n", "1\n2\n3\n4\n5 t\nt\n", "1\n2\n3\n4\no\n", CONFLICT),
            (Some("a\nlast\n"), "a\nlast o\n", "a\nlast t\nt\n", "a\nlast o\nt\n", CONFLICT),
            (Some("a\nlast\n"), "a\nlast o\no\n", "a\nt\nlast t\n", "a\nt\nlast o\no\n", CONFLICT),
            (Some("a\nlast"), "a\nlast o", "A\nlast", "A\nlast o", CLEAN),
        ],
    );
    // A list of Markdown in which both agents check off and add tasks.
    let base = "# Tasks\n\n- [ ] one\n- [ ] two\n\n# Notes\n\nnone\n";
    let ours = base.replace("- [ ] one", "- [x] one").replace("two\n", "two\n- [ ] three\n");
    let theirs = base.replace("- [ ] two", "- [x] two").replace("two\n", "two\n- [ ] four\n");
    let expected = base.replace("[ ]", "[x]").replace("two\n", "two\n- [ ] four\n- [ ] three\n");
    check("a.md", &[(Some(base), &ours, &theirs, &expected, CLEAN)]);
}

#[test]
fn different_insertions_are_kept_although_one_has_the_lines_of_the_other() {
    // Lines before and after the insertion in base, ours and theirs.
    let places = [
        (["1\n", "1\n", "1\n"], ["2\n", "2\n", "2\n"]),
        (["", "", ""], ["2\n", "2\n", "2\n"]),
        (["1\n", "1\n", "1\n"], ["", "", ""]),
        // Both checked off the task above.
        (["- [ ] task\n", "- [x] task\n", "- [x] task\n"], ["2\n", "2\n", "2\n"]),
        // Other changes above and below.
        (["1\n2\n3\n", "o\n2\n3\n", "1\n2\n3\n"], ["4\n5\n6\n", "4\n5\n6\n", "4\n5\nt\n"]),
    ];
    for (before, after) in places {
        for (our_lines, their_lines) in [
            ("failed\nok\n", "ok\n"),
            ("ok\n", "ok\nfailed\n"),
            ("ok\nfailed\nok\n", "failed\n"),
            ("failed\n", "ok\nfailed\nok\n"),
            ("ok\nok\no\n", "ok\nt\n"),
        ] {
            let base = [before[0], after[0]].concat();
            let ours = [before[1], our_lines, after[1]].concat();
            let theirs = [before[2], their_lines, after[2]].concat();
            let merged = merge("a.md", Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes());
            let text = String::from_utf8(merged.bytes.clone()).unwrap();
            assert!(text.contains(&[their_lines, our_lines].concat()), "{text:?} of {ours:?} and {theirs:?}");
            assert!(!merged.is_conflict, "{ours:?} {theirs:?}");
            for (ours, theirs) in [(&*ours, &*text), (&text, &theirs), (&text, &text)] {
                let again = merge("a.md", Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes());
                assert_eq!(String::from_utf8(again.bytes).unwrap(), text, "{ours:?} {theirs:?}");
            }
        }
    }
}

#[test]
fn text_without_a_base_is_the_longer_one_or_ours() {
    check(
        "a.md",
        &[
            (None, "a\nb\n", "a\n", "a\nb\n", CLEAN),
            (None, "a", "a\nb\n", "a\nb\n", CLEAN),
            (None, "", "a", "a", CLEAN),
            (None, "a\n", "a", "a\n", CLEAN),
            (None, "a\n", "ab\n", "a\n", CONFLICT),
            (None, "a\nb\n", "a\nc\n", "a\nb\n", CONFLICT),
        ],
    );
}

#[test]
fn a_byte_order_mark_stays_at_the_start() {
    let [one, two] = [1, 2].map(|id| format!("{{\"id\":{id}}}\n"));
    let [marked, both] = [format!("\u{feff}{one}"), format!("\u{feff}{two}{one}")];
    check("a.jsonl", &[(Some(""), &marked, &two, &both, CLEAN)]);
    check(
        "a.md",
        &[
            (Some("a\n"), "\u{feff}a\nb\n", "x\na\n", "\u{feff}x\na\nb\n", CLEAN),
            (Some("\u{feff}a\n"), "\u{feff}a\nb\n", "x\na\n", "x\na\nb\n", CLEAN),
            (None, "\u{feff}a\nb\n", "a\n", "\u{feff}a\nb\n", CLEAN),
        ],
    );
}

/// A merge takes many times their memory, and the branch may be hostile.
#[test]
fn a_version_that_is_too_large_is_not_merged() {
    let lines = "\n".repeat(500_001);
    let json = format!("{{\"a\": \"{}\"}}", "x".repeat(2 << 20));
    let long = "x".repeat((32 << 20) + 1);
    for (path, base, theirs) in [
        ("a.md", "one\n", &lines),
        ("a.jsonl", "{}\n", &lines),
        ("a.json", "{}", &json),
        ("a.md", "one\n", &long),
        ("a.jsonl", "{}\n", &long),
    ] {
        let ours = format!("{base} ");
        check(path, &[(Some(base), &ours, theirs, &ours, CONFLICT), (Some(base), base, theirs, theirs, CLEAN)]);
    }
}
