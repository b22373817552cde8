//! `redact`: what is written, and when.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod place;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};

use serde_json::{Value, json};

use place::{Lines, PATTERN, Place, keyed, text};

/// Without tags, which differ from home to home.
fn untagged(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(start) = rest.windows(10).position(|it| it == b"[REDACTED:") {
        let end = start + rest[start..].iter().position(|byte| *byte == b']').unwrap();
        assert_eq!(rest[end - 11], b':', "{}", text(rest));
        out.extend_from_slice(&rest[..end - 11]);
        rest = &rest[end..];
    }
    [&out, rest].concat()
}

#[test]
fn every_byte_outside_secrets_is_unchanged() {
    let place = Place::new();
    for (input, expected) in [
        (format!("run {} make\r\n", keyed()).into_bytes(), "run DB_PASSWORD=[REDACTED:keyed-value] make\r\n".into()),
        (b"\0\xff\xfe CORP-1234\x80\r".to_vec(), b"\0\xff\xfe [REDACTED:custom-pattern]\x80\r".to_vec()),
        (b"".to_vec(), b"".to_vec()),
        ("日本語 without an end".into(), "日本語 without an end".into()),
    ] {
        let shown = place.filtered(&[&["redact"], PATTERN.as_slice()].concat(), &input);
        assert_eq!(text(&untagged(&shown)), text(&expected));
        assert_eq!(untagged(&shown), expected);
    }
}

#[test]
fn a_file_is_read_as_the_pipe_is_and_one_that_is_not_there_is_an_error() {
    let place = Place::new();
    let file = place.write("log", "see CORP-1234");
    for arguments in [vec!["redact", &file], vec!["redact", "-"], vec!["redact"]] {
        let shown = place.filtered(&[&arguments, PATTERN.as_slice()].concat(), "see CORP-1234");
        assert_eq!(text(&untagged(&shown)), "see [REDACTED:custom-pattern]");
    }
    for missing in ["nowhere", "."] {
        let failed = place.run(&["redact", place.path(missing).to_str().unwrap()], "");
        assert_eq!((failed.status.code(), failed.stdout.len()), (Some(1), 0));
        assert!(text(&failed.stderr).starts_with("loopmem: could not read "), "{}", text(&failed.stderr));
    }
}

#[test]
fn text_without_secrets_creates_no_home() {
    let place = Place::new();
    assert_eq!(place.filtered(&["redact"], "nothing"), b"nothing");
    assert!(!place.path("home").exists());
}

#[test]
fn the_rules_of_the_home_and_of_a_file_for_one_call_hold() {
    let place = Place::new();
    let rule = |id: &str, word: &str| format!("[[rule]]\nid = '{id}'\npattern = '''{word}-[0-9]+'''\n");
    place.write("home/redaction.toml", rule("ticket", "CORP"));
    let more = place.write("more.toml", rule("badge", "BADGE"));
    let shown = place.filtered(&["redact", "--rules", &more], "CORP-1 BADGE-2");
    assert_eq!(text(&untagged(&shown)), "[REDACTED:ticket] [REDACTED:badge]");
    assert_eq!(text(&untagged(&place.filtered(&["redact"], "CORP-1 BADGE-2"))), "[REDACTED:ticket] BADGE-2");
    let rules: Value = serde_json::from_slice(&place.filtered(&["--json", "safety", "rules"], "")).unwrap();
    let own: Vec<_> = rules.as_array().unwrap().iter().filter(|rule| rule["kind"] == "custom").collect();
    assert_eq!(own, [&json!({ "id": "ticket", "description": "A rule of your own", "kind": "custom" })]);
}

#[test]
fn an_invalid_pattern_or_rule_is_reported_without_its_text_before_anything_is_read() {
    let place = Place::new();
    let rules = place.write("rules.toml", "[[rule]]\nid = 'a'\npattern = '(hunter22'");
    for (arguments, status, expected) in [
        (
            vec!["redact", "--pattern", "x", "--pattern", "(hunter22"],
            2,
            "--pattern[1] is not a valid regular expression".to_owned(),
        ),
        (vec!["redact", "--rules", &rules], 1, format!("{rules}: the rule a is not a valid regular expression")),
        (vec!["redact", "--rules", "/nowhere"], 1, "could not read /nowhere".to_owned()),
    ] {
        let failed = place.run(&arguments, "text");
        assert_eq!((failed.status.code(), failed.stdout.len()), (Some(status), 0), "{arguments:?}");
        let error = text(&failed.stderr);
        assert!(error.contains(&expected) && !error.contains("hunter22"), "{error}");
    }
}

#[test]
fn only_the_text_of_each_json_line_is_redacted() {
    let place = Place::new();
    let input = "{ \"n\" : 1e400, \"text\":\"see CORP-1234\" ,\"other\":\"CORP-1234\"}\r\n\n{\"text\":\"caf\\u00e9\"}";
    let shown = place.filtered(&[&["redact", "--jsonl"], PATTERN.as_slice()].concat(), input);
    assert_eq!(text(&untagged(&shown)), input.replacen("CORP-1234", "[REDACTED:custom-pattern]", 1));
}

#[test]
fn the_first_invalid_line_ends_the_filter_after_the_lines_before_it_were_written() {
    let place = Place::new();
    for (bad, what) in [
        ("[\"hunter22\"]", "is not a JSON object"),
        ("{\"other\":\"hunter22\"}", "has no member `text`"),
        ("{\"text\":22}", "has a `text` that is not a string"),
        ("{\"text\":\"hunter22", "is not a JSON object"),
    ] {
        let failed = place.run(&["redact", "--jsonl"], format!("{{\"text\":\"a\"}}\n\n{bad}\n{{\"text\":\"b\"}}\n"));
        assert_eq!((failed.status.code(), text(&failed.stdout).as_str()), (Some(2), "{\"text\":\"a\"}\n\n"));
        assert_eq!(text(&failed.stderr), format!("loopmem: line 3 {what}\n"));
    }
    let failed = place.run(&["--json", "redact", "--jsonl"], b"{\"text\":\"\xff\"}");
    let error: Value = serde_json::from_slice(&failed.stderr).unwrap();
    assert_eq!((&error["code"], &error["message"]), (&json!("ValidationError"), &json!("line 1 is not UTF-8")));
}

#[test]
fn each_line_is_answered_before_the_next_is_written() {
    let place = Place::new();
    let mut child = place.spawn(&["redact", "--jsonl"]);
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for number in 0..3 {
        let line = format!("{{\"text\":\"line {number}\"}}\n");
        input.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        assert_eq!(answer, line);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn each_line_of_text_is_shown_before_the_next_is_written() {
    let place = Place::new();
    let mut child = place.spawn(&["redact"]);
    let (mut input, lines) = (child.stdin.take().unwrap(), Lines::of(child.stdout.take().unwrap()));
    let key = |word: &str| format!("-----{word} RSA PRIV{} KEY-----\n", "ATE");
    let body = format!("{}\n", "MIIEvQ8z".repeat(8));
    for (written, expected) in [
        ("make: entering\n".to_owned(), "make: entering\n"),
        (format!("run {} make\n", keyed()), "run DB_PASSWORD=[REDACTED:keyed-value] make\n"),
        (["pass", "word:\n"].concat(), "password:\n"),
        ("  qW3-rT5-yU7\n".to_owned(), "  [REDACTED:keyed-value]\n"),
        (key("BEGIN") + &body, "[REDACTED:private-key]\n"),
        (body, "[REDACTED:private-key]\n"),
        (key("END"), "[REDACTED:private-key]\n"),
        ("\r\n".to_owned(), "\r\n"),
    ] {
        input.write_all(written.as_bytes()).unwrap();
        assert_eq!(text(&untagged(&lines.next())), expected);
    }
    // A prompt without a line break is shown at the end, like every last line.
    input.write_all(b"a line\ncontinue? ").unwrap();
    assert_eq!(text(&lines.next()), "a line\n");
    drop(input);
    assert_eq!((text(&lines.next()), text(&lines.next())), ("continue? ".to_owned(), String::new()));
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_token_wrapped_at_the_edge_of_a_terminal_is_not_shown_at_a_pause_inside_it() {
    let place = Place::new();
    let mut child = place.spawn(&["redact"]);
    let (mut input, lines) = (child.stdin.take().unwrap(), Lines::of(child.stdout.take().unwrap()));
    let lead = "word ".repeat(10);
    input.write_all(format!("first\n{lead}ghp_{}\n", "a1B2".repeat(4)).as_bytes()).unwrap();
    assert_eq!(text(&lines.next()), "first\n");
    input.write_all(format!("{} done\n", "a1B2".repeat(5)).as_bytes()).unwrap();
    assert_eq!(text(&untagged(&lines.next())), format!("{lead}[REDACTED:github-pat] done\n"));
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let place = Place::new();
    for arguments in [["redact"].as_slice(), &["redact", "--jsonl"]] {
        let mut child = place.spawn(arguments);
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        // Until the command has exited.
        while input.write_all("{\"text\":\"plain\"}\n".repeat(1000).as_bytes()).is_ok() {}
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hundred_megabytes_of_one_line_need_no_more_memory_than_a_few_blocks() {
    const PIECES: usize = 1_600;
    let place = Place::new();
    let mut child = place.spawn(&["redact"]);
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let piece = "x7".repeat(32 << 10);
    let length = piece.len() * PIECES;
    let reader = std::thread::spawn(move || {
        let mut piece = vec![0; 1 << 16];
        let mut total = 0;
        while let Ok(count @ 1..) = output.read(&mut piece) {
            total += count;
        }
        total
    });
    for _ in 0..PIECES {
        input.write_all(piece.as_bytes()).unwrap();
    }
    // Everything except what fits into a pipe has been read by now.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(reader.join().unwrap(), length);
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    assert!(most.parse::<u64>().unwrap() < 64 << 10, "{most} kB");
}
