//! The command on a terminal, which `script` of util-linux provides.

#![allow(clippy::disallowed_methods, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test")]
#![cfg(target_os = "linux")]

mod archive;
mod branch;
mod browsing;
mod browsing_home;
mod doctor;
mod editing;
mod hand_written;
mod items;
mod live;
mod redactions;
mod rollouts;
mod scanning;
mod searching;
mod transfer;
mod undo;
mod workflow;
mod working;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use unicode_width::UnicodeWidthStr;

#[test]
fn text_comes_from_words_an_option_or_a_pipe() {
    let sandbox = Sandbox::new();
    let id = sandbox.run("loopmem memory add note the CI box --source agent is slow", "not read");
    assert_eq!(id.trim_end().len(), 36, "an id and nothing else: {id}");
    sandbox.run("loopmem memory add note --id manual --content 'By hand'", "");
    sandbox.run("loopmem memory add convention --id c --title Tests --tag a --tag 'b, c'", "Read like promises.\n\n");
    sandbox.run("loopmem memory add decision --id d --summary JSONL --path core --path docs -", "Appends are cheap.");
    let stored = sandbox.json("loopmem memory get");
    let notes = &stored["notes"];
    assert_eq!((&notes[0]["content"], &notes[0]["source"]), (&json!("the CI box is slow"), &json!("agent")));
    assert_eq!((&notes[1]["content"], &notes[1]["source"]), (&json!("By hand"), &json!("manual")));
    let convention = &stored["conventions"][0];
    assert_eq!((&convention["content"], &convention["tags"]), (&json!("Read like promises."), &json!(["a", "b, c"])));
    let decision = &stored["decisions"][0];
    assert_eq!(
        (&decision["rationale"], &decision["impactedPaths"]),
        (&json!("Appends are cheap."), &json!(["core", "docs"]))
    );
    let whole = sandbox.json("loopmem --json memory add note whole");
    assert_eq!((&whole["content"], whole["createdAt"].is_string()), (&json!("whole"), true));
}

#[test]
fn missing_or_invalid_arguments_are_usage_errors() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem memory add note --id n text", "");
    for (line, input, status, expected) in [
        ("loopmem memory add note", "", 2, "the note is missing"),
        ("loopmem memory add note", " \n", 2, "the note is missing"),
        ("loopmem memory add convention text", "", 2, "also needs --title"),
        ("loopmem memory add decision", "why", 2, "also needs --summary"),
        ("loopmem memory add convention text --content text", "", 2, "cannot be used"),
        ("loopmem memory add decision --tag x text", "", 2, "--tag"),
        ("loopmem memory add", "", 2, "Usage"),
        (
            "loopmem memory add note --id n again",
            "",
            1,
            "the id n is already in use; to change that record, run `loopmem memory edit n`",
        ),
        ("loopmem memory edit n --title x", "", 2, "a note has no --title"),
        ("loopmem memory edit n", "", 2, "nothing to change was given"),
        ("loopmem memory edit n", "+++\nsource = 1\n+++\ntext", 2, "source: expected one of manual, agent, tool"),
        ("loopmem memory show", "", 2, "<ID>"),
        ("loopmem memory show ''", "", 2, "the id is empty"),
        ("loopmem memory show missing", "", 1, "no record missing; `loopmem memory list`"),
        ("loopmem memory rm n missing", "", 1, "no record missing"),
        ("loopmem summary add --run r --step s", "", 2, "the summary is missing"),
        ("loopmem summary end --run r --step s", "", 2, "no events were given"),
        ("loopmem summary show r", "", 1, "no summary of this run and step"),
        ("loopmem context --prompt x build --max-chars 9", "", 2, "after `build`"),
        ("loopmem man nothing", "", 2, "no such command"),
        ("loopmem completions tcsh", "", 2, "tcsh"),
        (
            "loopmem repo migrate --from-repo-hash abcd --to-repo-hash abcd",
            "",
            1,
            "nothing is stored under a hash with this prefix",
        ),
        ("loopmem memory list --repo-hash abcd", "", 1, "this prefix; `loopmem repo list` shows"),
        ("loopmem memory list --repo-hash abc", "", 2, "expected 64 hex digits"),
        ("loopmem --workspace . memory list", "", 2, "tip: options of a command go after it"),
    ] {
        let output = sandbox.start(line, input);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{line}: {error}");
        assert!(error.contains(expected), "{line}: {error}");
        assert!(output.stdout.is_empty(), "{line}");
    }
    assert_eq!(sandbox.json("loopmem memory get")["notes"][0]["content"], "text", "nothing was changed");
}

#[test]
fn without_a_terminal_a_list_is_a_line_for_each_entry_and_what_is_for_a_model_its_text() {
    let sandbox = Sandbox::new();
    let clock = |time: &str| format!("loopmem --options '{{\"clock\":\"{time}\"}}'");
    for (id, time) in
        [("one", "2026-01-01T12:00:00Z"), ("two", "2026-01-02T12:00:00Z"), ("three", "2026-01-03T12:00:00Z")]
    {
        sandbox.run(&format!("{} items add 'The {id} port'", clock(time)), "");
        sandbox.run(&format!("{} memory add note --id {id} 'note {id}'", clock(time)), "");
    }
    let listed = sandbox.run("loopmem memory list", "");
    assert_eq!(listed.lines().next(), Some("one\tnote\tnote one\t\t2026-01-01T12:00:00.000Z"));
    assert_eq!(listed.lines().count(), 3);
    assert_eq!(sandbox.run("loopmem memory list --format tsv", ""), listed);
    let table = sandbox.run("loopmem memory list --format table", "");
    assert!(table.starts_with("ID     KIND  WHAT        AGE\none    note  note one    "), "{table}");
    assert_eq!(sandbox.run("loopmem items list --limit 2", "").lines().count(), 2);
    assert!(sandbox.run("loopmem items list --limit 1", "").contains("The three port"));
    let newer = sandbox.run("loopmem items list --since 2026-01-02T12:00:00Z", "");
    assert_eq!(
        newer.lines().map(|line| line.split('\t').nth(3)).collect::<Vec<_>>(),
        [Some("The two port"), Some("The three port")]
    );
    assert_eq!(sandbox.run("loopmem memory list --since 2026-01-03", "").lines().count(), 1);
    // Old entries do not count, whichever end of the list a limit takes.
    let newest = sandbox.run("loopmem memory list --since 2026-01-02 --limit 1", "");
    assert!(newest.starts_with("three\t") && newest.lines().count() == 1, "{newest}");
    let ranked = sandbox.run("loopmem memory list --query two --since 2026-01-02 --limit 1", "");
    assert!(ranked.starts_with("two\t"), "{ranked}");
    let recalled = sandbox.json("loopmem items recall 'two port' --limit 1");
    let printed = sandbox.run("loopmem items recall 'two port' --limit 1 2>/dev/null", "");
    assert_eq!(printed.trim_end(), recalled["preamble"]);
    // Nothing is no entry.
    assert_eq!(sandbox.run("loopmem memory list --kind decision 2>/dev/null", ""), "");
    assert_eq!(sandbox.run("loopmem memory list --kind decision 2>&1", ""), "loopmem: nothing matches\n");
    let refused = sandbox.start("loopmem memory list --since yesterday", "");
    assert!(text(&refused.stderr).contains("a day such as 2026-01-31"), "{}", text(&refused.stderr));
}

#[test]
fn programs_get_the_same_json_as_ever() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem memory add note --id n1 'one'", "");
    sandbox.run("loopmem memory add note --id n2 'two'", "");
    for (typed, call) in [
        ("memory list --kind note --text two", r#"memory.list {"kind":"note","text":"two"}"#),
        ("memory list", "memory.list {}"),
        ("summary list", "summary.list {}"),
        ("repo identify", "repo.identify {}"),
        ("repo list", "repo.list {}"),
        ("context build --max-chars 50", r#"context.build {"maxChars":50}"#),
    ] {
        let (method, params) = call.split_once(' ').unwrap();
        let called = sandbox.run(&format!("loopmem call {method}"), params);
        if !called.starts_with('[') {
            assert_eq!(sandbox.run(&format!("loopmem {typed}"), ""), called, "{typed}");
        }
        for asked in ["--json", "--format json"] {
            assert_eq!(sandbox.run(&format!("loopmem {typed} {asked}"), ""), called, "{typed}");
        }
        let lines = sandbox.run(&format!("loopmem {typed} --format jsonl"), "");
        let entries: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let whole: Value = serde_json::from_str(&called).unwrap();
        assert_eq!(Value::from(entries.clone()), if whole.is_array() { whole } else { json!([whole]) }, "{typed}");
    }
    assert_eq!(
        sandbox.run("loopmem --json context --max-chars 50", ""),
        sandbox.run("loopmem context build --max-chars 50", "")
    );
    let shown = sandbox.json("loopmem memory show n1");
    assert_eq!(shown, sandbox.json("loopmem memory list")[0]);
    let removed = sandbox.json("loopmem --json memory rm n1 n2 n1");
    assert_eq!(removed, json!([{"id": "n1", "removed": true}, {"id": "n2", "removed": true}]));
}

#[test]
fn a_list_is_a_table_that_fits_the_terminal() {
    let Some(mut terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    let long = "日本語のとても長いタイトルです 👨‍👩‍👧 and it goes on in words until no terminal has room for it any more";
    sandbox.run(&format!("loopmem memory add convention --id wide-1 --title '{long}' --tag one --tag two"), "text");
    sandbox.run("loopmem memory add decision --id wide-2 --summary Short --path /a/path/to/somewhere/far/away", "text");
    sandbox.run("loopmem memory add note --id n", "\n\n first\tline\nsecond line");
    for width in [30, 47, 80, 120, 200] {
        terminal.columns = width;
        for command in ["memory list", "repo list", "repo identify"] {
            let shown = terminal.run(&format!("NO_COLOR=1 loopmem {command}"), "");
            let cut = if command == "repo identify" { usize::MAX } else { width };
            for line in shown.lines() {
                assert!(line.width() <= cut && line == line.trim_end(), "{width}: {line:?}");
            }
        }
    }
    terminal.columns = 80;
    let shown = terminal.run("NO_COLOR=1 loopmem memory list", "");
    let lines: Vec<&str> = shown.lines().collect();
    let at = |line: &str, word: &str| line[..line.find(word).unwrap()].width();
    assert_eq!(lines.len(), 4, "{shown}");
    assert!(lines[0].starts_with("ID      KIND        WHAT"), "{shown}");
    assert!(lines[3].contains("first line") && !shown.contains("second"), "{shown}");
    let columns = [at(lines[0], "AGE"), at(lines[1], "now"), at(lines[2], "now"), at(lines[3], "now")];
    assert!(columns.iter().all(|it| *it == columns[0]), "{columns:?}\n{shown}");
    assert!(lines[1].contains("日本語") && lines[1].contains('…'), "{shown}");
    assert_eq!(terminal.run("NO_COLOR=1 loopmem memory list --tag none", ""), "nothing matches\n");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.sandbox.run("loopmem memory add note --id n text", "");
    for command in ["memory list", "memory show n", "repo identify", "repo list", "memory add note --id m text"] {
        assert!(terminal.run(&format!("loopmem {command}"), "").contains('\x1b'), "{command}");
        terminal.sandbox.start("loopmem memory rm m", "");
        assert!(!terminal.run(&format!("NO_COLOR=1 loopmem {command}"), "").contains('\x1b'), "{command}");
        terminal.sandbox.start("loopmem memory rm m", "");
        assert!(!terminal.run(&format!("loopmem {command} | cat"), "").contains('\x1b'), "{command}");
        terminal.sandbox.start("loopmem memory rm m", "");
    }
    let (refused, status) = terminal.start("NO_COLOR=1 loopmem memory show zz", "");
    assert_eq!((refused.contains('\x1b'), status), (false, 1));
    assert!(terminal.start("loopmem memory show zz", "").0.contains("\x1b[31m"));
}

#[test]
fn stored_data_cannot_control_the_terminal() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let evil = "evil\x1b]0;title\x07\u{9b}31m\u{202e}end";
    let sandbox = &terminal.sandbox;
    sandbox.run(
        "loopmem memory add convention --id \u{1f600} --tag \"$(printf 'a\\033[2Jb')\" --title \"$(cat)\" text",
        evil,
    );
    sandbox.run(
        "loopmem memory upsert-note --note '{\"id\":\"n\",\"content\":\"c\\u001b[1m\",\"extra\":{\"k\\u001b\":\"v\\u001b\"}}'",
        "",
    );
    sandbox.run("loopmem summary add --run r --step s", evil);
    let piped = sandbox.run("loopmem context", "");
    assert!(piped.contains(r"evil\u{1b}]0;title\u{7}"), "{piped}");
    assert!(!piped.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{piped}");
    for command in [
        "memory list",
        "memory show \u{1f600}",
        "memory show n",
        "context",
        "summary list",
        "summary show r",
        "memory get",
    ] {
        let shown = terminal.run(&format!("NO_COLOR=1 loopmem {command}"), "");
        assert!(!shown.contains(['\x1b', '\x07', '\u{9b}', '\u{202e}']), "{command}: {shown:?}");
        let marks = ["\u{fffd}", "\\u001b", r"\u{1b}"];
        assert!(marks.iter().any(|mark| shown.contains(mark)), "{command}: {shown:?}");
    }
}

#[test]
fn a_unique_prefix_of_an_id_is_enough() {
    let sandbox = Sandbox::new();
    for id in ["abc", "abcd1", "abcd2", "xyz"] {
        sandbox.run(&format!("loopmem memory add note --id {id} 'note {id}'"), "");
    }
    let id_of = |line: &str| sandbox.json(line)["record"]["id"].clone();
    assert_eq!(id_of("loopmem memory show x"), "xyz");
    assert_eq!(id_of("loopmem memory show abc"), "abc", "a complete id is never ambiguous");
    for command in ["memory show abcd", "memory edit abcd --content x", "memory rm x abcd"] {
        let output = sandbox.start(&format!("loopmem {command}"), "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(
            error.starts_with("loopmem: abcd is ambiguous: 2 ids begin with it; type more characters:\n"),
            "{error}"
        );
        assert!(error.contains("\n  abcd1  note note abcd1\n  abcd2  note note abcd2\n"), "{error}");
    }
    assert_eq!(sandbox.run("loopmem memory rm x abcd2", ""), "xyz\nabcd2\n");
    assert_eq!(sandbox.run("loopmem memory edit abcd", "changed"), "abcd1\n");
    // The removed record is gone.
    assert_eq!(sandbox.start("loopmem memory show x", "").status.code(), Some(1));
}

#[test]
fn a_table_shows_ids_that_can_be_typed_again() {
    let Some(mut terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.columns = 100;
    for number in 0..20 {
        terminal.sandbox.run(&format!("loopmem memory add note number {number}."), "");
    }
    for filter in ["", "--text 1."] {
        let shown = terminal.run(&format!("NO_COLOR=1 loopmem memory list {filter}"), "");
        for line in shown.lines().skip(1) {
            let (id, content) =
                (line.split(' ').next().unwrap(), &line[line.find("number").unwrap()..line.find("  now").unwrap()]);
            let record = terminal.sandbox.json(&format!("loopmem memory show {id}"));
            assert_eq!(record["record"]["content"], content.trim_end(), "{shown}");
        }
    }
}

#[test]
fn removing_asks_on_a_terminal_and_nowhere_else() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    let ids = || sandbox.json("loopmem memory list").as_array().unwrap().len();
    for id in ["a1", "b1", "c1", "d1"] {
        sandbox.run(&format!("loopmem memory add note --id {id} 'note {id}'"), "");
    }
    for answer in ["n\n", "\n", "\x04", "what?\n"] {
        let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory rm a b", answer);
        assert!(shown.contains("Remove these 2 records? [y/N]") && shown.contains("a1  note  note a1"), "{shown}");
        assert!(shown.contains("nothing was removed") && status == 1 && ids() == 4, "{answer:?}: {shown}");
    }
    let shown = terminal.run("NO_COLOR=1 loopmem memory rm a", "y\n");
    assert!(shown.contains("Remove the note a1 (note a1)? [y/N] Removed note a1: note a1\n"), "{shown}");
    assert_eq!(terminal.run("NO_COLOR=1 loopmem memory rm --yes b", ""), "Removed note b1: note b1\n");
    let (shown, status) = terminal.start("loopmem memory rm c 2> errors; cat errors; exit 7", "");
    assert!(shown.contains("add --yes") && status == 7 && ids() == 2, "{shown}");
    assert_eq!(sandbox.run("loopmem memory rm c d", ""), "c1\nd1\n");
    assert_eq!(ids(), 0);
}

#[test]
fn a_record_is_shown_in_full() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let clock = |time: &str| format!("NO_COLOR=1 loopmem --options '{{\"clock\":\"{time}\"}}'");
    let sandbox = &terminal.sandbox;
    let draft =
        r#"{"id":"c","title":"Tests","content":"Read like\n\tpromises.","tags":["a","b"],"extra":{"owner":{"n":7}}}"#;
    sandbox.run(&format!("{} memory upsert-convention --convention '{draft}'", clock("2026-01-01T12:00:00Z")), "");
    sandbox.run(&format!("{} memory edit c --tag a", clock("2026-01-31T12:00:00Z")), "");
    let shown = terminal.run(&format!("stty tab0; {} memory show c", clock("2026-02-02T12:00:00Z")), "");
    let expected = "convention c\ntitle    Tests\ntags     a\nstored   2026-01-01 12:00 UTC (4w ago)\n\
                    changed  2026-01-31 12:00 UTC (2d ago)\nowner    {\"n\":7}\n\nRead like\n\tpromises.\n";
    assert_eq!(shown, expected);
}

#[test]
fn summaries_are_added_ended_listed_and_shown() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    let added = sandbox.json("loopmem summary add --run-id r1 --step s1 --tag t It worked out");
    assert_eq!((&added["summary"], &added["tags"]), (&json!("It worked out"), &json!(["t"])));
    let events = "--follow-up 'Ship it' --action Built --action Tested --error Once --output a.out --action Built";
    let ended = sandbox.json(&format!("loopmem summary end --run r1 --step s2 {events}"));
    let generated = sandbox.run("loopmem summary end-step --run-id r0 --step-id s2 --events \"$(cat)\"", r#"[{"kind":"followUp",
        "text":"Ship it"},{"kind":"action","text":"Built"},{"kind":"action","text":"Tested"},{"kind":"error","text":"Once"},
        {"kind":"output","text":"a.out"},{"kind":"action","text":"Built"}]"#);
    assert_eq!(ended["summary"], serde_json::from_str::<Value>(&generated).unwrap()["summary"]);
    let shown = terminal.run("NO_COLOR=1 loopmem summary list --run-id r1", "");
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["RUN", "STEP", "SUMMARY", "TAGS", "AGE"], "{shown}");
    assert_eq!(
        (&lines[1][..2], &lines[2][..]),
        (&["r1", "s2"][..], &["r1", "s1", "It", "worked", "out", "t", "now"][..])
    );
    let shown = terminal.run("NO_COLOR=1 loopmem summary show r1", "");
    assert!(shown.starts_with("r1 s2\nwhen  ") && shown.contains("\n\nr1 s1\nwhen  "), "{shown}");
    assert!(shown.ends_with("tags  t\n\nIt worked out\n"), "{shown}");
    assert_eq!(sandbox.json("loopmem summary show r1 s1"), json!([added]));
    sandbox.editor("echo written > \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem summary add --run r2 --step s", "");
    assert_eq!(shown, "Stored summary r2/s: written\n");
}

#[test]
fn the_pack_is_printed_as_the_agent_sees_it() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    assert_eq!(sandbox.run("loopmem context", ""), "");
    assert!(terminal.run("loopmem context", "").contains("there is nothing to show for this repository yet"));
    sandbox.run("loopmem memory add convention --title Tests 'Read like promises.'", "");
    let unmatched = terminal.run("loopmem context --sections notes", "");
    assert!(unmatched.contains("nothing matches") && !unmatched.contains("yet"), "{unmatched}");
    sandbox.run("loopmem memory add note", &"long ".repeat(100));
    let whole = sandbox.json("loopmem context --json");
    assert_eq!(sandbox.run("loopmem context", ""), format!("{}\n", whole["text"].as_str().unwrap()));
    assert_eq!(terminal.run("loopmem context", ""), format!("{}\n", whole["text"].as_str().unwrap()));
    let small = sandbox.run("loopmem context --max-chars 120 2>/dev/null", "");
    assert!(small.starts_with("# Conventions\n\n## Tests ["), "{small}");
    assert!(small.ends_with("]\nRead like promises.\n\n1 note left out\n"), "{small}");
    let notice = "loopmem: 1 note left out; raise the limit with --max-chars\n";
    assert_eq!(terminal.run("loopmem context --max-chars 120", ""), format!("{small}{notice}"));
    assert_eq!(sandbox.run("loopmem context --max-chars 120 2>&1 >/dev/null", ""), notice, "also without a terminal");
    let of_conventions = small.replace("\n\n1 note left out", "");
    assert_eq!(sandbox.run("loopmem context --sections conventions", ""), of_conventions);
    assert_eq!(sandbox.run("loopmem context --sections conventions=0.5 --sections notes=50 2>/dev/null", ""), small);
}

#[test]
fn repositories_are_named_by_a_prefix_of_their_hash() {
    let Some(mut terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.columns = 200;
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note one", "");
    sandbox.run("loopmem memory add decision --summary s two", "");
    let identity = sandbox.json("loopmem repo identify");
    let hash = identity["repoHash"].as_str().unwrap();
    let path = identity["path"].as_str().unwrap();
    let shown = terminal.run("NO_COLOR=1 loopmem repo identify", "");
    assert!(shown.starts_with(&format!("hash   {hash}\npath   {path}\n")), "{shown}");
    let shown = terminal.run("NO_COLOR=1 loopmem repo list", "");
    let row = shown.lines().nth(1).unwrap();
    assert!(row.starts_with(&hash[..12]) && row.contains(path) && row.contains(" now "), "{shown}");
    let other = "0123".repeat(16);
    let migrate =
        |rest: &str| terminal.run(&format!("loopmem repo migrate --from-repo-hash {} {rest}", &hash[..6]), "");
    assert_eq!(
        migrate(&format!("--to-repo-hash {other} --create --dry-run")),
        "Would copy 2 records (decisions: 1, notes: 1).\n"
    );
    assert_eq!(migrate(&format!("--to-repo-hash {other} --create")), "Copied 2 records (decisions: 1, notes: 1).\n");
    assert_eq!(
        migrate("--to-repo-hash 0123"),
        "Copied nothing. Already present: 2 records (decisions: 1, notes: 1).\n"
    );
    assert_eq!(sandbox.json("loopmem memory list --repo-hash 0123 --kind note")[0]["record"]["content"], "one");
    assert_eq!(sandbox.run("loopmem memory add note --repo-hash 01230123 --id n three", ""), "n\n");
}

#[test]
fn shells_get_completions_and_readers_man_pages() {
    let sandbox = Sandbox::new();
    let completions = |shell: &str| sandbox.run(&format!("loopmem completions {shell}"), "");
    assert!(completions("zsh").starts_with("#compdef loopmem"));
    assert!(completions("fish").contains("complete -c loopmem"));
    fs::write(sandbox.folder.path().join("complete"), completions("bash")).unwrap();
    let complete = "bash -c '. ../complete; COMP_WORDS=(loopmem memory add \"\"); COMP_CWORD=3; _loopmem loopmem \"\" add; echo \"${COMPREPLY[@]}\"'";
    let offered = sandbox.run(complete, "");
    for word in ["convention", "decision", "note"] {
        assert!(offered.split_whitespace().any(|it| it == word), "{offered}");
    }
    let page = sandbox.run("loopmem man", "");
    assert!(page.contains(".TH loopmem 1") && page.contains("exit status"), "{page}");
    let page = sandbox.run("loopmem man memory edit", "");
    assert!(page.contains(".TH loopmem-memory-edit 1") && page.contains("VISUAL"), "{page}");
    assert!(!page.contains("memory-edit-help"));
}

#[test]
fn a_closed_pipe_is_not_reported() {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem memory add note text", "");
    for command in ["memory list", "memory show 0", "context", "completions fish", "man", "memory add note x"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = sandbox.command(&format!("loopmem {command}")).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), String::new()), "{command}");
    }
}

/// A home, a workspace and an editor in a temporary folder.
struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["work", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let sandbox = Sandbox { folder };
        sandbox.editor("echo 'no editor was expected' >&2; exit 9");
        sandbox
    }

    /// Sets the editor: a shell script whose last argument is the file.
    fn editor(&self, script: &str) {
        let path = self.folder.path().join("editor");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The files left in the temporary folder for editors.
    fn left_behind(&self) -> Vec<PathBuf> {
        let entries = |folder: &Path| -> Vec<PathBuf> {
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        entries(&self.folder.path().join("tmp")).iter().flat_map(|folder| entries(folder)).collect()
    }

    /// A shell command line in which `loopmem` is on PATH.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        self.set_environment(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn set_environment(&self, command: &mut Command) {
        let at = |name: &str| self.folder.path().join(name);
        let programs = Path::new(env!("CARGO_BIN_EXE_loopmem")).parent().unwrap().display().to_string();
        let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
        command.current_dir(at("work")).env("PATH", path).env("HOME", at(".")).env("TMPDIR", at("tmp"));
        command.env("CODEX_TOOLLOOP_HOME", at("home")).env("EDITOR", at("editor")).env("TERM", "xterm-256color");
        let inherited = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "VISUAL", "MEMORY_BRANCH_SCOPE", "WORKING_ADAPTER"];
        for name in inherited.into_iter().chain(["CODEX_HOME", "CODEX_MEMORY_BACKEND", "CLAUDE_CONFIG_DIR"]) {
            command.env_remove(name);
        }
    }

    fn start(&self, line: &str, input: &str) -> Output {
        fed(self.command(line).stdin(Stdio::piped()), input)
    }

    /// As `start`, but must succeed; returns what it printed.
    fn run(&self, line: &str, input: &str) -> String {
        let output = self.start(line, input);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// As `run`, with `--json`.
    fn json(&self, line: &str) -> Value {
        let line =
            if line.contains("--json") { line.to_owned() } else { line.replacen("loopmem", "loopmem --json", 1) };
        let printed = self.run(&line, "");
        assert_eq!(printed.find('\n'), Some(printed.len() - 1), "{line}: {printed}");
        serde_json::from_str(&printed).unwrap()
    }
}

/// A terminal in which commands are run.
struct Terminal {
    sandbox: Sandbox,
    columns: usize,
}

impl Terminal {
    /// `None`, with a message, if no terminal is available.
    fn of(sandbox: Sandbox) -> Option<Self> {
        if Command::new("script").arg("--version").output().is_err() {
            eprintln!("script is not on PATH: the command was not tested on a terminal");
            return None;
        }
        Some(Terminal { sandbox, columns: 80 })
    }

    /// Runs a shell command line and returns what the terminal shows, and the exit status. Input is not echoed.
    fn start(&self, line: &str, typed: &str) -> (String, i32) {
        let line = format!("stty rows 24 cols {} -echo; {line}", self.columns);
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]);
        self.sandbox.set_environment(&mut script);
        // The shell that `script` starts.
        script.env("SHELL", "/bin/sh").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = fed(&mut script, typed);
        (text(&output.stdout).replace("\r\n", "\n"), output.status.code().unwrap())
    }

    /// As `start`, but must succeed.
    fn run(&self, line: &str, typed: &str) -> String {
        let (shown, status) = self.start(line, typed);
        assert_eq!(status, 0, "{line}: {shown}");
        shown
    }
}

fn fed(command: &mut Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that needs no input does not read it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
