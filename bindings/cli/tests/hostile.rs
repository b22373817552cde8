//! Arguments are untrusted: no secret and no control character in them is repeated on standard error.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const REPO: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const COLOURS: &str = "\u{1b}[31m\u{9b}2J\r\u{202e}";

/// A token in GitHub's format; no file of the project contains a complete one.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn loopmem(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
    command.env("CODEX_TOOLLOOP_HOME", home).env("HOME", home).current_dir(home.parent().unwrap());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(mut command: Command, input: &str) -> Output {
    let mut child = command.spawn().unwrap();
    // A command that rejects its options does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn stderr_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn no_usage_error_repeats_a_secret_that_was_typed() {
    let folder = TempDir::new().unwrap();
    let home = folder.path().join("home");
    let secret = token();
    let (key, path) = (format!("{{\"{secret}\": 1}}"), format!("/nowhere/{secret}"));
    let broken = format!("{{\"a\":{secret}");
    let option = format!("--{secret}");
    let lines: Vec<(Vec<&str>, i32)> = vec![
        (vec![&secret], 2),
        (vec!["memory", &secret], 2),
        (vec!["memory", "get", &option], 2),
        (vec!["memory", "get", &secret], 2),
        (vec!["memory", "list", "--kind", &secret], 2),
        (vec!["summary", "list", "--limit", &secret], 2),
        (vec!["--timeout-ms", &secret, "memory", "get"], 2),
        (vec!["--options", &broken, "memory", "get"], 2),
        (vec!["--options", &key, "memory", "get"], 2),
        (vec!["--adapter", &secret, "memory", "get"], 2),
        (vec!["--home", &path, "memory", "get"], 1),
        (vec!["memory", "get", "--repo-hash", &secret], 2),
        (vec!["memory", "upsert-convention", "--convention", &broken], 2),
        (vec!["memory", "upsert-convention", "--repo-hash", REPO, "--convention", &key], 1),
        (vec!["memory", "show", &secret], 1),
        (vec!["memory", "add", "note", "--repo-hash", REPO, "--id", &secret, "text"], 1),
        (vec!["working", "set", "s", &secret], 2),
        (vec!["working", "show", &secret], 1),
        (vec!["working", "restore", "s", &secret], 2),
        (vec!["call", &secret], 2),
        (vec!["call", "memory.get", &secret], 2),
        (vec!["redact", &path], 1),
        (vec!["redact", "--rules", &path], 1),
        (vec!["redact", "--pattern", "(", &path], 2),
        (vec!["safety", "scan", &path], 2),
        (vec!["safety", "scan", "--rules", &path, "."], 2),
        (vec!["completions", &secret], 2),
        (vec!["man", &secret], 2),
    ];
    for (arguments, status) in lines {
        let mut command = loopmem(&home);
        command.args(&arguments);
        let output = run(command, "");
        let shown = stderr_of(&output);
        assert!(!shown.contains(&secret), "{arguments:?}");
        assert!(!shown.is_empty(), "{arguments:?}");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {shown}");
    }
}

#[test]
fn no_answer_of_call_lines_repeats_a_secret() {
    let folder = TempDir::new().unwrap();
    let secret = token();
    let mut command = loopmem(&folder.path().join("home"));
    command.args(["call", "--lines"]);
    let lines = [
        format!(r#"{{"id":1,"{secret}":2}}"#),
        format!(r#"{{"id":2,"method":"{secret}"}}"#),
        format!(r#"{{"id":3,"method":"memory.get","params":{{"{secret}":1}}}}"#),
        secret.clone(),
    ];
    let output = run(command, &lines.join("\n"));
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), lines.len(), "{answers}");
    assert!(!answers.contains(&secret), "{answers}");
}

#[test]
fn a_secret_of_the_environment_is_redacted_in_a_usage_error() {
    let folder = TempDir::new().unwrap();
    let mut command = loopmem(&folder.path().join("home"));
    command.env("SERVICE_PASSWORD", "qW3-rT5-yU7").args(["memory", "qW3-rT5-yU7"]);
    let shown = stderr_of(&run(command, ""));
    assert!(shown.contains("unrecognized subcommand '[REDACTED:environment-value:"), "{shown}");
}

#[test]
fn a_usage_error_has_a_readable_length() {
    let folder = TempDir::new().unwrap();
    let mut command = loopmem(&folder.path().join("home"));
    command.args(["memory", &"x".repeat(100_000)]);
    assert!(stderr_of(&run(command, "")).len() < 5_000);
}

#[test]
fn every_command_rejects_deeply_nested_input_with_the_same_message() {
    let folder = TempDir::new().unwrap();
    let home = folder.path().join("home");
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = |levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let params = format!(r#"{{"scopeId":"s","patch":{{"a":{}}}}}"#, deep(100_000));
        let request = format!(r#"{{"id":1,"method":"working.updateContext","params":{params}}}"#);
        // An argument may be no longer than 128 KiB.
        let (patch, change) = (format!(r#"{{"a":{}}}"#, deep(20_000)), format!("a={}", deep(20_000)));
        for (arguments, input) in [
            (vec!["call", "working.updateContext"], params.as_str()),
            (vec!["call", "--lines"], request.as_str()),
            (vec!["working", "update-context", "--scope-id", "s", "--patch", &patch], ""),
            (vec!["working", "set", "s", &change], ""),
        ] {
            let mut command = loopmem(&home);
            command.args(&arguments);
            let output = run(command, input);
            let shown = format!("{}{}", stderr_of(&output), String::from_utf8(output.stdout).unwrap());
            assert!(
                shown.contains("the input is nested deeper than 100 levels"),
                "{:?}: {shown:.300}",
                &arguments[..2]
            );
        }
    }
    assert!(!home.exists());
}

#[test]
fn control_characters_in_paths_and_keys_are_escaped() {
    let folder = TempDir::new().unwrap();
    let home = folder.path().join(format!("home{COLOURS}"));
    fs::create_dir(&home).unwrap();
    fs::write(home.join("config.toml"), "[memory]\n\"no\\u001bthing\" = 1\n").unwrap();
    let file = home.join("config.toml").display().to_string();
    let missing = home.join("missing").display().to_string();
    for (arguments, is_escaped) in [
        (vec!["memory", "get", "--repo-hash", REPO], true),
        (vec!["--home", file.as_str(), "memory", "get"], true),
        (vec!["redact", &missing], true),
        (vec!["safety", "scan", &missing], true),
        (vec![COLOURS], true),
        (vec!["memory", "list", "--kind", COLOURS], true),
        (vec!["doctor"], false),
    ] {
        let mut command = loopmem(&home);
        command.args(&arguments);
        let output = run(command, "");
        let shown = stderr_of(&output);
        let steers = |shown: &str| shown.contains(['\u{1b}', '\u{9b}', '\r', '\u{202e}']);
        assert!(!steers(&shown), "{arguments:?}: {shown:?}");
        assert!(!is_escaped || shown.contains("\\u{9b}2J"), "{arguments:?}: {shown:?}");

        let mut script = Command::new("script");
        let line: Vec<String> = arguments.iter().map(|it| format!("'{it}'")).collect();
        let line = format!("NO_COLOR=1 '{}' {}", env!("CARGO_BIN_EXE_loopmem"), line.join(" "));
        script.args(["-qec", &line, "/dev/null"]).env("CODEX_TOOLLOOP_HOME", &home);
        let typed = script.stdin(Stdio::null()).output().unwrap();
        // The terminal itself adds a carriage return to every line.
        let shown = String::from_utf8_lossy(&typed.stdout).replace("\r\n", "\n");
        assert!(!steers(&shown), "{arguments:?}: {shown:?}");
    }
}

#[test]
fn a_relative_home_of_the_user_is_refused_and_says_what_to_set() {
    let folder = TempDir::new().unwrap();
    let mut command = loopmem(&folder.path().join("home"));
    command.env_remove("CODEX_TOOLLOOP_HOME").env("HOME", "user").args(["memory", "add", "note", "text"]);
    let output = run(command, "");
    let shown = stderr_of(&output);
    assert_eq!(output.status.code(), Some(2), "{shown}");
    assert!(shown.starts_with("loopmem: open: HOME is a relative path"), "{shown}");
    assert!(shown.contains("CODEX_TOOLLOOP_HOME") && fs::read_dir(folder.path()).unwrap().next().is_none(), "{shown}");
}

/// Runs as an unprivileged user, since root may write anywhere.
#[test]
fn a_home_that_cannot_be_written_is_a_finding_of_the_doctor() {
    let folder = TempDir::new().unwrap();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    open(folder.path(), 0o755);
    let program = folder.path().join("loopmem");
    fs::copy(env!("CARGO_BIN_EXE_loopmem"), &program).unwrap();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("repos")).unwrap();
    let is_root = fs::metadata(&home).unwrap().uid() == 0;
    let doctor = |home: PathBuf| -> Value {
        let mut command = match is_root {
            true => Command::new("setpriv"),
            false => Command::new(&program),
        };
        if is_root {
            command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(&program);
        }
        command.arg("--home").arg(home).arg("doctor").env("HOME", folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = run(command, "");
        assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let unwritable = |report: &Value| -> Vec<String> {
        let findings = report["findings"].as_array().unwrap().iter();
        let them = findings.filter(|it| it["fault"] == "unwritable" && it["severity"] == "warning");
        them.map(|it| it["file"].as_str().unwrap().to_owned()).collect()
    };
    let name = |path: &Path| path.canonicalize().unwrap().display().to_string();
    // The home of another user, then a read-only one.
    open(&home, 0o555);
    assert_eq!(unwritable(&doctor(home.clone())), [name(&home)]);
    open(folder.path(), 0o555);
    let report = doctor(folder.path().join("not/there/yet"));
    assert_eq!(unwritable(&report), [name(folder.path())]);
    assert!(report["findings"][0]["detail"].as_str().unwrap().contains("not/there/yet does not exist"), "{report}");
    open(&home, 0o777);
    open(&home.join("repos"), 0o555);
    assert_eq!(unwritable(&doctor(home.clone())), [name(&home.join("repos"))]);
    open(folder.path(), 0o755);
}

#[test]
fn an_unprintable_result_is_reported_as_a_change_that_may_be_stored() {
    let folder = TempDir::new().unwrap();
    let home = folder.path().join("home");
    let refused = |arguments: &[&str], input: &str| {
        let mut command = loopmem(&home);
        command.args(arguments).stdout(fs::File::options().write(true).open("/dev/full").unwrap());
        let output = run(command, input);
        assert_eq!(output.status.code(), Some(1));
        stderr_of(&output)
    };
    let params = format!(r#"{{"repoHash": "{REPO}", "note": {{"id": "n1", "content": "c"}}}}"#);
    let error: Value = serde_json::from_str(&refused(&["call", "memory.upsertNote"], &params)).unwrap();
    assert_eq!((&error["code"], &error["mayBeStored"]), (&"IOError".into(), &true.into()), "{error}");
    let text = refused(&["memory", "add", "note", "--repo-hash", REPO, "--id", "n2", "c"], "");
    assert!(text.trim_end().ends_with("; the change may have been stored: check before you try again"), "{text}");
    let memory = fs::read_to_string(home.join(format!("repos/{REPO}/memory.json"))).unwrap();
    assert!(memory.contains("\"n1\"") && memory.contains("\"n2\""), "{memory}");
    // A read stores nothing.
    let text = refused(&["memory", "list", "--repo-hash", REPO], "");
    assert!(text.contains("could not write to standard output") && !text.contains("may have been stored"), "{text}");
}
