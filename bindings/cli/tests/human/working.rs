//! The commands for working contexts.

use serde_json::{Value, json};

use crate::{Sandbox, Terminal, text};

/// Split so that no scanner reports this file.
const TOKEN: &str = concat!("ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");

#[test]
fn a_value_that_is_json_is_stored_as_it_was_typed_and_any_other_as_text() {
    let sandbox = Sandbox::new();
    for (typed, stored) in [
        ("plan", "\"plan\""),
        ("two words", "\"two words\""),
        ("", "\"\""),
        ("a=b", "\"a=b\""),
        ("{oops", "\"{oops\""),
        ("\"3\"", "\"3\""),
        ("3", "3"),
        ("null", "null"),
        ("[1, {\"a\": 1.50}]", "[1,{\"a\":1.50}]"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ] {
        let next = sandbox.run(&format!("loopmem working set job 'k={typed}'"), "");
        assert_eq!(next, format!("{{\"k\":{stored}}}\n"), "{typed}");
        assert_eq!(sandbox.run("loopmem working show job", ""), next, "{typed}");
    }
}

#[test]
fn setting_changes_only_the_named_keys_and_the_history_records_the_source() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem working set job-1 a=1 b=2 c=3 --source planner", "");
    sandbox.run("loopmem working set job-2 a=other", "");
    let next = sandbox.json("loopmem working set job-1 b=20 d=4 --remove a --remove missing");
    assert_eq!(next, json!({"b": 20, "c": 3, "d": 4}));
    assert_eq!(sandbox.json("loopmem working show job-2"), json!({"a": "other"}));
    let history = sandbox.json("loopmem working history job-1");
    let field = |at: usize, key: &str| history[at][key].clone();
    assert_eq!((field(0, "source"), field(0, "patch")), (json!("planner"), json!({"a": 1, "b": 2, "c": 3})));
    assert_eq!((field(1, "source"), field(1, "patch")), (json!("user"), json!({"b": 20, "d": 4})));
    assert_eq!((field(1, "remove"), &history[2]), (json!(["a", "missing"]), &Value::Null));
    assert_eq!(sandbox.json("loopmem working history job-1 --limit 1"), json!([history[1]]));
    assert_eq!(sandbox.json("loopmem working scopes"), json!(["job-1", "job-2"]));
}

#[test]
fn what_happened_is_logged_from_words_or_a_pipe_and_found_again() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    let id = sandbox.run("loopmem working log job --add The tests are green --source agent-x", "");
    assert_eq!(id.trim_end().len(), 36, "an id and nothing else: {id}");
    sandbox.run("loopmem working log job --add -", "The build failed\n  in two places\n\n");
    let log = sandbox.json("loopmem working log job");
    assert_eq!((&log[0]["id"], &log[0]["metadata"]["source"]), (&json!(id.trim_end()), &json!("agent-x")));
    assert_eq!((&log[0]["content"], &log[1]["metadata"]["source"]), (&json!("The tests are green"), &json!("user")));
    assert_eq!(log[1]["content"], "The build failed\n  in two places");
    assert_eq!(sandbox.json("loopmem working log job --limit 1"), json!([log[1]]));
    assert_eq!(sandbox.json("loopmem --json working log other --add one")["content"], "one");

    // A value may begin with a hyphen, as a list in Markdown does.
    sandbox.run("loopmem working log bullets --add '- did it'", "");
    assert_eq!(sandbox.json("loopmem working log bullets")[0]["content"], "- did it");
    // In a pipe, an entry is a line.
    let lines = sandbox.run("loopmem working log job", "");
    let rows: Vec<Vec<&str>> = lines.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((rows.len(), &rows[1][1..]), (2, ["user", "The build failed in two places"].as_slice()), "{lines}");
    assert!(sandbox.run("loopmem working search job green", "").ends_with("\tagent-x\tThe tests are green\n"));

    let found = sandbox.json("loopmem working search job green tests");
    assert_eq!((&found[0]["entry"], found.as_array().unwrap().len()), (&log[0], 1));
    let shown = terminal.run("NO_COLOR=1 loopmem working log job", "");
    let expected = "now  agent-x  The tests are green\nnow  user     The build failed\n                in two places\n";
    assert_eq!(shown, expected);
    let shown = terminal.run("NO_COLOR=1 loopmem working search job build green --limit 1", "");
    assert!(shown.contains("  now  ") && shown.lines().count() <= 2, "{shown}");
    assert_eq!(terminal.run("NO_COLOR=1 loopmem working search job nothing", ""), "nothing matches\n");
}

#[test]
fn a_context_is_shown_as_it_would_be_typed() {
    let Some(mut terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.columns = 40;
    terminal.sandbox.run(
        "loopmem working set job step=plan 'n=\"5\"' 'files=[\"a\",\"b\"]' \"$(printf 'note=one\\ntwo')\" \
         'deep={\"key\":[\"a text that has no room on the line\"]}'",
        "",
    );
    let expected = "deep   {\n         \"key\": [\n           \"a text that has no room on the line\"\n         ]\n\
                    \x20      }\nfiles  [\"a\",\"b\"]\nn      \"5\"\nnote   one\n       two\nstep   plan\n";
    assert_eq!(terminal.run("NO_COLOR=1 loopmem working show job", ""), expected);
    assert_eq!(terminal.run("NO_COLOR=1 loopmem working get-context --scope-id job", ""), expected);
    let history = terminal.run("NO_COLOR=1 loopmem working history job", "");
    assert!(history.starts_with("AGE  SOURCE  CHANGE\nnow  user    deep={"), "{history}");
    assert!(history.lines().all(|line| line.chars().count() <= 40), "{history}");
    for (command, expected) in [
        ("show", "loopmem: the context of missing is empty; `loopmem working scopes` lists those that have data\n"),
        ("log", "the log is empty\n"),
        ("history", "this context has not been changed yet\n"),
        ("checkpoints", "this job has no checkpoints\n"),
    ] {
        assert_eq!(terminal.run(&format!("NO_COLOR=1 loopmem working {command} missing"), ""), expected);
    }
}

#[test]
fn a_context_is_restored_from_a_checkpoint() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem working set job step=1", "");
    let first = sandbox.run("loopmem working save job", "");
    let second = sandbox.json("loopmem --json working save job")["timestamp"].to_string();
    sandbox.run("loopmem working set job step=2 more=3", "");
    assert_eq!(sandbox.json("loopmem working checkpoints job").to_string(), format!("[{},{second}]", first.trim_end()));
    assert_eq!(sandbox.json(&format!("loopmem working restore job {first}")), json!({"step": 1}));
    assert_eq!(sandbox.json("loopmem working history job")[2]["replaced"], json!({"step": 2, "more": 3}));
    let missing = sandbox.start("loopmem working restore job 5", "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("the job \"job\" has no checkpoint 5"), "{}", text(&missing.stderr));

    let shown = terminal.run("NO_COLOR=1 loopmem working checkpoints job", "");
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0] == "TIMESTAMP      SAVED" && lines.len() == 3, "{shown}");
    assert!(lines[1].starts_with(first.trim_end()) && lines[1].ends_with(" UTC (just now)"), "{shown}");
    assert!(terminal.run("NO_COLOR=1 loopmem working save job", "").starts_with("Saved job as checkpoint 1"));
    assert_eq!(terminal.run(&format!("NO_COLOR=1 loopmem working restore job {second}"), ""), "step  1\n");
    let history = terminal.run("NO_COLOR=1 loopmem working history job --limit 1", "");
    assert!(history.ends_with(&format!("restored {second}\n")), "{history}");
}

#[test]
fn deleting_a_scope_asks_on_a_terminal_and_nowhere_else() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    for scope in ["a", "b", "c"] {
        sandbox.run(&format!("loopmem working set {scope} k=1"), "");
        sandbox.run(&format!("loopmem working log {scope} --add text"), "");
    }
    for answer in ["n\n", "\n", "\x04"] {
        let (shown, status) = terminal.start("NO_COLOR=1 loopmem working delete a", answer);
        assert!(shown.contains("Delete everything in a: its context, history, log and checkpoints? [y/N]"), "{shown}");
        assert!(shown.contains("nothing was deleted") && status == 1, "{answer:?}: {shown}");
    }
    assert_eq!(sandbox.json("loopmem working scopes"), json!(["a", "b", "c"]));
    assert!(terminal.run("NO_COLOR=1 loopmem working delete a", "y\n").ends_with("Deleted a\n"));
    assert_eq!(terminal.run("NO_COLOR=1 loopmem working delete --yes b", ""), "Deleted b\n");
    assert_eq!(sandbox.run("loopmem working delete c", ""), "c\n");
    assert_eq!(sandbox.start("loopmem working delete c", "").status.code(), Some(1), "there is no such scope");
    assert_eq!(sandbox.json("loopmem working scopes"), json!([]));
}

#[test]
fn a_secret_is_neither_stored_nor_accepted_as_a_scope() {
    let sandbox = Sandbox::new();
    let shown_by = |line: &str| {
        let output = sandbox.start(line, "");
        (text(&output.stdout) + &text(&output.stderr), output.status.code())
    };
    for line in [
        format!("loopmem working set job plain=1 note='see {TOKEN}'"),
        format!("loopmem working set job '{TOKEN}=1'"),
        format!("loopmem working log job --add see {TOKEN}"),
    ] {
        let (shown, status) = shown_by(&line);
        assert!(shown.contains("loopmem: redacted 1 secret in ") && status == Some(0), "{shown}");
        assert!(!shown.contains(TOKEN), "{shown}");
    }
    let (shown, status) = shown_by(&format!("loopmem working show {TOKEN}"));
    assert!(shown.contains("scope id looks like a secret") && !shown.contains(TOKEN) && status == Some(1), "{shown}");
    for command in ["show", "log", "history"] {
        let kept = sandbox.run(&format!("loopmem working {command} job"), "");
        assert!(kept.contains("[REDACTED:") && !kept.contains(TOKEN), "{kept}");
    }
}

#[test]
fn the_option_or_the_environment_selects_the_adapter() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem working set job where=file", "");
    sandbox.run("loopmem --adapter sqlite working set job where=sqlite", "");
    sandbox.run("loopmem working set job where=gone --adapter memory", "");
    for (line, kept) in [
        ("loopmem working show job", "file"),
        ("WORKING_ADAPTER=sqlite loopmem working show job", "sqlite"),
        ("WORKING_ADAPTER=sqlite loopmem working show job --adapter file", "file"),
        ("loopmem --options '{\"adapter\":\"sqlite\"}' working show job", "sqlite"),
    ] {
        assert_eq!(sandbox.json(line)["where"], kept, "{line}");
    }
    let refused = sandbox.start("loopmem --adapter etcd working show job", "");
    assert!(text(&refused.stderr).contains("adapter must be file, memory, sqlite"), "{}", text(&refused.stderr));
}

#[test]
fn missing_arguments_are_usage_errors() {
    let sandbox = Sandbox::new();
    for (line, expected) in [
        ("show", "<SCOPE>"),
        ("set job", "nothing to change was given"),
        ("set job k", "KEY=VALUE"),
        ("log job --source me", "--add"),
        ("log job --add", "--add"),
        ("log job --add -", "the entry is missing"),
        ("log job --limit 1 --add text", "cannot be used"),
        ("search job", "TEXT"),
        ("history", "SCOPE"),
        ("history job --scope-id job", "cannot be used"),
        ("restore job", "<TIMESTAMP>"),
        ("restore job yesterday", "yesterday"),
        ("delete", "<SCOPE>"),
    ] {
        let output = sandbox.start(&format!("loopmem working {line}"), "");
        let error = text(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(expected), "{line}: {error}");
    }
    assert_eq!(sandbox.json("loopmem working scopes"), json!([]), "nothing was changed");
}

#[test]
fn programs_get_what_the_methods_return() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem working set job k=1", "");
    sandbox.run("loopmem working log job --add one", "");
    sandbox.run("loopmem working save job", "");
    for (typed, call) in [
        ("show job", r#"getContext {"scopeId":"job"}"#),
        ("log job", r#"getLogs {"scopeId":"job"}"#),
        ("search job one", r#"searchLogs {"scopeId":"job","text":"one"}"#),
        ("history job", r#"history {"scopeId":"job"}"#),
        ("history --scope-id job", r#"history {"scopeId":"job"}"#),
        ("checkpoints job", r#"listCheckpoints {"jobId":"job"}"#),
        ("scopes", "listScopes {}"),
    ] {
        let (method, params) = call.split_once(' ').unwrap();
        let called = sandbox.run(&format!("loopmem call working.{method}"), params);
        assert_eq!(sandbox.run(&format!("loopmem working {typed} --json"), ""), called, "{typed}");
    }
    assert_eq!(sandbox.json("loopmem --json working delete job"), json!({"removed": true}));
}

#[test]
fn contexts_and_logs_cannot_control_the_terminal() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let evil = "evil\u{1b}]0;title\u{7}\u{9b}31m\u{202e}end";
    let sandbox = &terminal.sandbox;
    let scope = "a\u{1b}[2Jb";
    sandbox.run(&format!("loopmem working set '{scope}' \"k$(cat)=v\" l=\"$(printf 'a\\033[2Jb')\""), evil);
    sandbox.run(&format!("loopmem working log '{scope}' --source \"$(printf 's\\033[2J')\" --add -"), evil);
    for command in ["show", "log", "history", "search"] {
        let words = if command == "search" { "evil" } else { "" };
        let shown = terminal.run(&format!("NO_COLOR=1 loopmem working {command} '{scope}' {words}"), "");
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{command}: {shown:?}");
        assert!(shown.contains('\u{fffd}') || shown.contains("\\u001b"), "{command}: {shown:?}");
    }
    assert_eq!(terminal.run("NO_COLOR=1 loopmem working scopes", ""), "a\u{fffd}[2Jb\n");
}
