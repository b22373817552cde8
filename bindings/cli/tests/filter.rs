//! `redact` and `safety scan`: output, findings and exit status.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A user's pattern, which applies to any text.
const PATTERN: [&str; 2] = ["--pattern", "CORP-[0-9]{4}"];

/// Assembled at run time so that no scanner reports this file.
fn keyed() -> String {
    ["DB_PASS", "WORD=qW3-rT5-yU7"].concat()
}

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Place { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
        command.arg("--home").arg(self.path("home")).args(arguments).env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
        let mut child = self.spawn(arguments);
        // A command that rejects its options does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap()
    }

    /// The output; it must succeed and print no error.
    #[track_caller]
    fn filtered(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
        let output = self.run(arguments, input);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
        output.stdout
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

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
        assert!(text(&failed.stderr).starts_with("loopmem: redact: could not read "), "{}", text(&failed.stderr));
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
    let rules: Value = serde_json::from_slice(&place.filtered(&["safety", "rules"], "")).unwrap();
    let own: Vec<_> = rules.as_array().unwrap().iter().filter(|rule| rule["kind"] == "custom").collect();
    assert_eq!(own, [&json!({ "id": "ticket", "description": "A rule of your own", "kind": "custom" })]);
}

#[test]
fn an_invalid_pattern_or_rule_is_reported_without_its_text_before_anything_is_read() {
    let place = Place::new();
    let rules = place.write("rules.toml", "[[rule]]\nid = 'a'\npattern = '(hunter22'");
    for (arguments, expected) in [
        (
            vec!["redact", "--pattern", "x", "--pattern", "(hunter22"],
            "--pattern[1] is not a valid regular expression".to_owned(),
        ),
        (vec!["redact", "--rules", &rules], format!("{rules}: the rule a is not a valid regular expression")),
        (vec!["redact", "--rules", "/nowhere"], "could not read /nowhere".to_owned()),
    ] {
        let failed = place.run(&arguments, "text");
        assert_eq!((failed.status.code(), failed.stdout.len()), (Some(1), 0), "{arguments:?}");
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
        assert_eq!((failed.status.code(), text(&failed.stdout).as_str()), (Some(1), "{\"text\":\"a\"}\n\n"));
        assert_eq!(text(&failed.stderr), format!("loopmem: redact: line 3 {what}\n"));
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

#[test]
fn a_scan_reports_positions_and_never_secrets() {
    let place = Place::new();
    let first = place.write("tree/b/log", format!("one\n日本 {}\nCORP-1234\n", keyed()));
    place.write("tree/a/clean", "nothing");
    place.write("tree/.hidden", "CORP-1234");
    place.write("tree/image", b"\x89PNG\0 CORP-1234");
    std::os::unix::fs::symlink(&first, place.path("tree/link")).unwrap();
    std::os::unix::fs::symlink(place.path("tree"), place.path("tree/b/loop")).unwrap();
    let tree = place.path("tree").to_str().unwrap().to_owned();
    let scanned = place.run(&[&["safety", "scan", tree.as_str()], PATTERN.as_slice()].concat(), "");
    let (shown, notice) = (text(&scanned.stdout), text(&scanned.stderr));
    assert_eq!((scanned.status.code(), notice.as_str()), (Some(1), "loopmem: skipped 1 binary file\n"));
    let lines: Vec<_> = shown.lines().map(|line| line.rsplit_once(' ').unwrap()).collect();
    let places: Vec<_> = lines.iter().map(|(place, _)| *place).collect();
    let expected = [
        format!("{tree}/.hidden:1:1 custom-pattern"),
        format!("{tree}/b/log:2:16 keyed-value"),
        format!("{tree}/b/log:3:1 custom-pattern"),
    ];
    assert_eq!(places, expected);
    assert!(lines.iter().all(|(_, tag)| tag.len() == 10), "{shown}");
    assert_eq!(lines[0].1, lines[2].1, "equal secrets have equal tags: {shown}");
    assert!(!shown.contains("qW3") && !shown.contains("CORP"), "{shown}");
}

#[test]
fn a_scan_exits_like_other_search_tools() {
    let place = Place::new();
    let (clean, secret) = (place.write("clean", "nothing"), place.write("secret", keyed()));
    for (arguments, input, status) in [
        (vec![clean.as_str()], "", 0),
        (vec![&secret, &clean], "", 1),
        (vec!["-"], "nothing", 0),
        (vec!["-"], &keyed(), 1),
        (vec![&secret, "/nowhere"], "", 2),
        (vec!["--pattern", "(", &clean], "", 2),
        (vec![], "", 2),
        (vec!["--text", "x", &clean], "", 2),
        (vec!["--text", &keyed()], "", 0),
    ] {
        let scanned = place.run(&[&["safety", "scan"], arguments.as_slice()].concat(), input);
        assert_eq!(scanned.status.code(), Some(status), "{arguments:?}: {}", text(&scanned.stderr));
        assert_eq!(status == 2, !scanned.stderr.is_empty(), "{arguments:?}");
        assert!(!text(&scanned.stdout).contains("qW3"), "{arguments:?}");
    }
    // Readable files were scanned, and the unreadable one was reported.
    let scanned = place.run(&["safety", "scan", "/nowhere", &secret], "");
    assert!(text(&scanned.stdout).starts_with(&format!("{secret}:1:13 keyed-value ")), "{}", text(&scanned.stdout));
    assert!(text(&scanned.stderr).contains("could not read /nowhere"), "{}", text(&scanned.stderr));
    place.write("home/redaction.toml", "what");
    assert_eq!(place.run(&["safety", "scan", &clean], "").status.code(), Some(2), "the store cannot be opened");
}

#[test]
fn a_scan_for_programs_is_one_object() {
    let place = Place::new();
    let file = place.write("log", "é CORP-1234");
    place.write("image", "\0");
    let image = place.path("image").to_str().unwrap().to_owned();
    let scanned = place.run(&[&["--json", "safety", "scan", file.as_str(), &image], PATTERN.as_slice()].concat(), "");
    assert_eq!((scanned.status.code(), scanned.stderr.len()), (Some(1), 0));
    let mut report: Value = serde_json::from_slice(&scanned.stdout).unwrap();
    assert_eq!(report["findings"][0]["tag"].take().as_str().map(str::len), Some(10));
    let finding =
        json!({ "path": file, "line": 1, "column": 3, "start": 3, "end": 12, "rule": "custom-pattern", "tag": null });
    assert_eq!(report, json!({ "findings": [finding], "files": 1, "binary": 1 }));
}
