//! A stream that pauses shows its lines, and nothing that would be redacted in the whole text.

#![allow(clippy::unwrap_used, reason = "tests")]

use loopmem_safety::{Redactor, Stream};
use proptest::prelude::*;

/// Secrets are assembled at run time, so that secret scanners ignore this file.
fn pat() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn key_line(word: &str, kind: &str) -> String {
    format!("-----{word} {kind} PRIV{} KEY-----\n", "ATE").replace("  ", " ")
}

fn redactor() -> Redactor {
    Redactor::new(&[], []).unwrap()
}

/// Pushes a piece, and returns what is shown at the pause after it, without tags.
fn shown(stream: &mut Stream<'_>, piece: &str) -> String {
    let mut out = stream.push(piece.as_bytes());
    out.extend(stream.flush_lines());
    untagged(out)
}

fn untagged(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap();
    let mut parts = text.split("[REDACTED:");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (inside, rest) = part.split_once(']').unwrap();
        out.push_str(&format!("[{}]{rest}", inside.split(':').next().unwrap()));
    }
    out
}

/// Pauses after each line. Checks what is shown at each pause, and at the end.
#[track_caller]
fn assert_shown(redactor: &Redactor, steps: &[(&str, &str)], rest: &str) {
    let mut stream = redactor.stream();
    for (piece, expected) in steps {
        assert_eq!(shown(&mut stream, piece), *expected, "after {piece:?}");
    }
    assert_eq!(untagged(stream.finish()), rest, "at the end");
}

#[test]
fn complete_lines_are_shown_at_a_pause_and_the_rest_of_a_line_is_not() {
    let secret = format!("push with {}.\n", pat());
    let (first, second) = secret.split_at(20);
    let steps = [
        ("make: entering\r\n", "make: entering\r\n"),
        ("two\nlines\nand a", "two\nlines\n"),
        ("", ""),
        (" half\n", "and a half\n"),
        (first, ""),
        (second, "push with [github-pat].\n"),
        ("\n", "\n"),
        ("continue? [y/n] ", ""),
    ];
    assert_shown(&redactor(), &steps, "continue? [y/n] ");
}

#[test]
fn a_value_is_redacted_although_its_name_was_shown_a_line_before() {
    let steps = [
        (["pass", "word:\n"].concat(), "password:\n"),
        (["  qW3-rT5", "-yU7\n"].concat(), "  [keyed-value]\n"),
        ("| user | pass".to_owned() + "word |\n", "| user | password |\n"),
        ("|---|---|\n".to_owned(), "|---|---|\n"),
        (["| app | zT8-", "bN2-mK4 |\n"].concat(), "| app | [keyed-value] |\n"),
    ];
    let steps: Vec<_> = steps.iter().map(|(piece, expected)| (piece.as_str(), *expected)).collect();
    assert_shown(&redactor(), &steps, "");
}

#[test]
fn a_private_key_that_comes_line_by_line_is_redacted_from_its_first_line_on() {
    for kind in ["", "RSA", "OPENSSH", "EC"] {
        let (begin, end) = (key_line("BEGIN", kind), key_line("END", kind));
        let body = format!("{}\n", "MIIEvQ8z".repeat(8));
        let steps = [
            ("key:\n", "key:\n"),
            // Alone it may also be a line of code that names it.
            (begin.as_str(), ""),
            (&body, "[private-key]\n"),
            (&body, "[private-key]\n"),
            // Text in the middle of a key belongs to it, which is known at its end.
            ("Q8zMIIEv=\nreset by peer\n", "[private-key]\n"),
            (&body, ""),
            (&end, "[private-key]\n"),
            ("end\n", "end\n"),
        ];
        assert_shown(&redactor(), &steps, "");
    }
}

#[test]
fn a_private_key_behind_the_gutters_of_a_log_and_one_in_putty_format_are_redacted_too() {
    let body = "AAAAB3NzaC1yc2EAAAADAQABAAABgQ".repeat(2);
    let gutter = "2026-01-31T12:00:00.000Z stdout F ";
    let lines = [key_line("BEGIN", "RSA"), format!("{body}\n"), format!("{body}x\n"), key_line("END", "RSA")];
    let steps = lines.map(|line| format!("{gutter}{line}"));
    let redactor = redactor();
    let mut stream = redactor.stream();
    let out: String = steps.iter().map(|line| shown(&mut stream, line)).collect();
    assert!(!out.contains("AAAAB3") && out.contains("[private-key]"), "{out}");
    assert_eq!(untagged(stream.finish()), "");

    let putty = ["PuTTY-User-Key-File-3: ssh-rsa\n", "Encryption: none\n", "Private-", "Lines: 2\n"].concat();
    let body = format!("{body}\n");
    let steps = [
        (putty.as_str(), putty.as_str()),
        (&body, "[private-key]\n"),
        (&body, "[private-key]\n"),
        ("done\n", "done\n"),
    ];
    assert_shown(&redactor, &steps, "");
}

#[test]
fn what_follows_a_truncated_key_is_shown_after_32_kib_at_the_latest() {
    let redactor = redactor();
    let mut stream = redactor.stream();
    let key = format!("{}{}\n", key_line("BEGIN", "RSA"), "MIIEvQ8z".repeat(8));
    assert_eq!(shown(&mut stream, &key), "[private-key]\n");
    let line = "the build goes on as if nothing had happened.\n";
    let shown: Vec<_> = (0..1_000).map(|_| shown(&mut stream, line).len()).collect();
    let first = shown.iter().position(|length| *length > 0).unwrap();
    assert!(((30 << 10)..(33 << 10)).contains(&(first * line.len())), "after {first} lines");
    assert!(shown[first + 1..].iter().all(|length| *length == line.len()));
    assert_eq!(shown.iter().sum::<usize>(), 1_000 * line.len());
}

#[test]
fn a_line_of_code_that_names_the_first_line_of_a_key_is_shown_as_it_is_once_no_key_follows() {
    let begin = key_line("BEGIN", "");
    let code = "if line == begin {\n    return;\n}\n".repeat(20);
    let steps = [(begin.as_str(), ""), (code.as_str(), &*format!("{begin}{code}"))];
    assert_shown(&redactor(), &steps, "");
}

#[test]
fn a_token_wrapped_at_the_edge_of_a_terminal_is_held_back_until_it_is_complete() {
    let pat = pat();
    for cut in 8..pat.len() - 1 {
        let (head, tail) = pat.split_at(cut);
        let (first, second) = (format!("{}{head}\n", "word ".repeat(10)), format!("{tail} and more\n"));
        let redactor = redactor();
        let mut stream = redactor.stream();
        let (shown_first, shown_second) = (shown(&mut stream, &first), shown(&mut stream, &second));
        // From some length on, the first part is a token by itself.
        let is_found = shown_first.ends_with("[github-pat]\n");
        assert!(is_found || shown_first.is_empty(), "{cut}: {shown_first}");
        assert!(shown_second.ends_with("[github-pat] and more\n"), "{cut}: {shown_second}");
        assert!(!shown_second.contains("a1B2"), "{cut}: {shown_second}");
        if !is_found {
            // If it does not continue, it is shown with the next line.
            let steps = [(&*first, ""), ("unrelated\n", &*format!("{first}unrelated\n"))];
            assert_shown(&redactor, &steps, "");
        }
    }
}

#[test]
fn a_token_wrapped_over_many_lines_is_held_back_from_its_first_line_on() {
    let part = |letters: &str| letters.repeat(40);
    let token = format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", part("eyJ1c2Vy"), part("Zm9vYmFy"));
    let text = format!("{}{token} end\n", "word ".repeat(8));
    let redactor = redactor();
    let mut stream = redactor.stream();
    let mut out = String::new();
    for line in text.as_bytes().chunks(60) {
        out += &shown(&mut stream, &format!("{}\n", std::str::from_utf8(line).unwrap()));
    }
    out += &untagged(stream.finish());
    assert!(!out.contains("eyJ") && !out.contains("Zm9v") && out.contains("[jwt]"), "{out}");
}

#[test]
fn a_short_line_that_ends_in_the_beginning_of_a_token_is_held_back_until_the_token_is_complete() {
    let aws = format!("AKIA{}", "Q7ZK".repeat(4));
    for (token, cut, rule) in [(&aws, 4, "aws-access-key"), (&aws, 9, "aws-access-key"), (&pat(), 7, "github-pat")] {
        let (head, tail) = token.split_at(cut);
        for (first, second, rest) in [
            (format!("id={head}\n"), format!("{tail}\n"), "\n"),
            (format!("id={head}\r\n"), format!("    {tail} and more\n"), " and more\n"),
            (format!("id={head}\\\n"), format!("{tail}\n"), "\n"),
            (format!("id={head}=\n"), format!("{tail}\n"), "\n"),
            (format!("id: \"{head}\" +\n"), format!("  \"{tail}\";\n"), "\";\n"),
        ] {
            let before = first[..first.find(head).unwrap()].to_owned();
            let steps = [
                ("some\noutput\n", "some\noutput\n"),
                (&*first, ""),
                ("", ""),
                (&*second, &*format!("{before}[{rule}]{rest}")),
                ("the end\n", "the end\n"),
            ];
            assert_shown(&redactor(), &steps, "");
        }
        // If it does not continue, it is shown with the next line.
        let first = format!("id={head}\n");
        assert_shown(&redactor(), &[(&*first, ""), ("unrelated\n", &*format!("{first}unrelated\n"))], "");
        assert_shown(&redactor(), &[(&*first, "")], &first);
        // The first line of all.
        let steps = [(&*format!("{head}\n"), ""), (&*format!("{tail}\n"), &*format!("[{rule}]\n"))];
        assert_shown(&redactor(), &steps, "");
    }
}

#[test]
fn a_token_in_many_short_lines_is_held_back_from_its_first_line_on() {
    let token = pat();
    let pieces: Vec<&str> = token.as_bytes().chunks(8).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
    for (open, joint, close) in [("", "", ""), ("", "\\", ""), ("\"", "\" +", "\";")] {
        let redactor = redactor();
        let mut stream = redactor.stream();
        assert_eq!(shown(&mut stream, "token\n"), "token\n");
        let (last, first) = pieces.split_last().unwrap();
        for piece in first {
            assert_eq!(shown(&mut stream, &format!("{open}{piece}{joint}\n")), "");
        }
        let out = shown(&mut stream, &format!("{open}{last}{close}\nand the build goes on\n"));
        assert_eq!(out, format!("{open}[github-pat]{close}\nand the build goes on\n"));
    }
}

#[test]
fn short_lines_that_end_in_names_are_shown_at_once() {
    let redactor = redactor();
    let mut stream = redactor.stream();
    for line in [
        "starting api-server",
        "BEGIN PUBLIC KEY",
        "took 1000.",
        "cli-tools",
        "running test_login",
        "set KEYBOARD",
        "see ghp",
        "x = \"AK\" +",
        "sl.",
        "-----",
        "=",
        "\\",
        "\"",
        "",
        "\" +",
        "key-value",
        "sk-learn",
    ] {
        let line = format!("{line}\n");
        assert_eq!(shown(&mut stream, &line), line);
    }
}

#[test]
fn ordinary_lines_are_not_held_back_however_wide_they_are() {
    let redactor = redactor();
    let mut stream = redactor.stream();
    for line in [
        "running 12 tests",
        "test promises::an_acknowledged_write_survives_a_crash_of_its_process ... ok",
        "    Finished the whole build of every crate in the workspace with a few warnings",
        "cc -O2 -Wall -Wextra -Iinclude -c source/parser/expression.c -o build/parser/expression.o",
        "warning: this function is never used, and so it could be removed from the library; see below.",
        "The compiler found no mistakes in the files that were changed since the last time it ran, WARNING",
        "日本語の長い行もそのまま表示されます。日本語の長い行もそのまま表示されます。日本語の長い行もそのまま表示されます。",
    ] {
        let line = format!("{line}\n");
        assert_eq!(shown(&mut stream, &line), line);
    }
}

#[test]
fn values_that_a_later_line_shows_to_be_secret_are_held_back() {
    let value = ["c2Vjcm", "V0LXZhbHVl"].concat();
    let manifest = format!("  db: {value}\n");
    let steps = [
        ("apiVersion: v1\ndata:\n", "apiVersion: v1\ndata:\n"),
        (&manifest, ""),
        ("kind: Secret\n", "  db: [kubernetes-secret]\nkind: Secret\n"),
    ];
    assert_shown(&redactor(), &steps, "");
    let member = format!("  \"d\": \"{}\",\n", "Zm9vYmFy".repeat(5));
    let steps = [
        ("{\n", "{\n"),
        (&*member, ""),
        ("  \"kty\": \"RSA\"\n}\n", "  \"d\": \"[private-key]\",\n  \"kty\": \"RSA\"\n}\n"),
    ];
    assert_shown(&redactor(), &steps, "");
}

#[test]
fn a_value_of_the_environment_that_spans_lines_is_held_back() {
    let value = ["correct horse 9", "\nbattery staple"].concat();
    let redactor = Redactor::new(&[], [("DB_PASSWORD".to_owned(), value.clone())]).unwrap();
    let (first, second) = value.split_once('\n').unwrap();
    let steps = [
        (format!("it is {first}\n"), String::new()),
        (format!("{second} now\n"), "it is [environment-value] now\n".to_owned()),
    ];
    let steps: Vec<_> = steps.iter().map(|(piece, expected)| (piece.as_str(), expected.as_str())).collect();
    assert_shown(&redactor, &steps, "");
}

/// A line or a few, with a secret that occurs nowhere else.
fn lines() -> impl Strategy<Value = String> {
    let secret = "[a-z]{3}[0-9]{3}[A-Z]{3}[a-z0-9]{9}";
    let body = prop::collection::vec("[A-Za-z0-9+/]{63}[A-Z]", 1..6);
    prop_oneof![
        3 => "[ -~]{0,120}",
        3 => "([a-z]{1,9} ){0,20}[a-z]{1,9}",
        1 => Just(String::new()),
        1 => "(\\| [a-z]{1,9} ){1,4}\\|",
        3 => secret.prop_map(|it| format!("DB_PASS{}={it} make", "WORD")),
        1 => secret.prop_map(|it| format!("pass{}:\n  {it}", "word")),
        1 => secret.prop_map(|it| format!("postgres://app:{it}{}/x", "@db")),
        3 => "[a-zA-Z0-9]{36}".prop_map(|it| format!("see ghp{}{it} there", "_")),
        3 => body.prop_map(|body| format!("{}{}\n{}", key_line("BEGIN", "RSA"), body.join("\n"), key_line("END", "RSA"))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_pause_between_lines_shows_what_is_redacted_in_the_whole(
        lines in prop::collection::vec(lines(), 1..30),
        pauses in prop::collection::vec(any::<bool>(), 400),
    ) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let redactor = redactor();
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        for (line, pause) in text.split_inclusive('\n').zip(pauses.iter().cycle()) {
            out.extend(stream.push(line.as_bytes()));
            if *pause {
                let lines = stream.flush_lines();
                prop_assert!(lines.is_empty() || lines.ends_with(b"\n"));
                out.extend(lines);
            }
        }
        out.extend(stream.finish());
        let out = String::from_utf8(out).unwrap();
        for found in redactor.find(&text) {
            for part in text[found.place].lines().filter(|part| part.len() >= 12) {
                prop_assert!(!out.contains(part), "{part} of {} is shown", found.rule);
            }
        }
        if !pauses.iter().take(text.lines().count()).any(|pause| *pause) {
            prop_assert_eq!(out, redactor.redact(&text));
        }
    }

    #[test]
    fn what_is_not_secret_is_shown_once_and_in_order(
        lines in prop::collection::vec("[ -~]{0,120}", 1..30),
    ) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let redactor = redactor();
        prop_assume!(redactor.find(&text).is_empty());
        let mut stream = redactor.stream();
        let mut out = Vec::new();
        let mut alone = false;
        for line in text.split_inclusive('\n') {
            alone |= !redactor.find(line).is_empty();
            out.extend(stream.push(line.as_bytes()));
            out.extend(stream.flush_lines());
        }
        out.extend(stream.finish());
        prop_assume!(!alone);
        prop_assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}
