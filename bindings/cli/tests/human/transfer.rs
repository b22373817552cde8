//! Items that move between stores: exports, imports and migrations.

use std::fs;

use serde_json::{Value, json};

use crate::items::{TOKEN, repository};
use crate::{Terminal, text};

#[test]
fn items_move_through_a_pipe_and_a_file() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add one --tag a", "");
    sandbox.run("loopmem items add two --scope global", "");
    let exported = sandbox.run("loopmem items export", "");
    assert_eq!(exported.lines().count(), 2);
    let whole = sandbox.json("loopmem --json items export");
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(whole, json!({"items": lines, "count": 2}));
    assert_eq!(sandbox.json("loopmem items export ../all.jsonl"), json!({"count": 2}));
    assert_eq!(fs::read_to_string(sandbox.folder.path().join("all.jsonl")).unwrap(), exported);
    assert_eq!(terminal.run("NO_COLOR=1 loopmem items export ../b", ""), "Exported 2 items to ../b.\n");
    let refused = sandbox.start("loopmem items export ../b", "");
    assert_eq!(refused.status.code(), Some(1), "a file is never overwritten");

    let other = repository();
    fs::write(other.folder.path().join("damaged"), "[1]\n").unwrap();
    let none = json!({"added": 2, "changed": 0, "unchanged": 0, "skipped": []});
    let imported: Value = serde_json::from_str(&other.run("loopmem items import", &exported)).unwrap();
    assert_eq!(imported, none);
    assert_eq!(other.run("loopmem items export", ""), exported, "an import keeps everything");
    let damaged = format!(
        "\u{feff}{exported}\n[1]\nnot json\n{{\"content\":\"a\",\"content\":\"b\"}}\n{{\"content\":\"nul \\u0000\"}}\n\
         {{\"content\":\"{TOKEN}\"}}\n{{\"id\":\"new\",\"content\":\"three\"}}\n"
    );
    let output = other.start("loopmem items import -", &damaged);
    assert_eq!(output.status.code(), Some(1), "a line was skipped");
    assert_eq!(text(&output.stderr), "loopmem: skipped 5 of 8 lines; the result lists them\n");
    let imported: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&imported["added"], &imported["unchanged"]), (&json!(1), &json!(2)));
    let skipped: Vec<(u64, &str)> = imported["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["line"].as_u64().unwrap(), it["code"].as_str().unwrap()))
        .collect();
    let parse = "ParseError";
    assert_eq!(skipped, [(4, parse), (5, parse), (6, parse), (7, parse), (8, "SecretRefused")]);
    assert!(!imported.to_string().contains(TOKEN));
    fs::write(sandbox.folder.path().join("damaged"), damaged).unwrap();
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem items import ../damaged", "");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.starts_with("1 item added, 0 changed, 2 unchanged, 5 skipped\n"), "{shown}");
    for (line, why) in [
        (4, "not a JSON object (ParseError)\n"),
        (5, "not valid JSON (ParseError)\n"),
        (6, "not an item: duplicate key in an object (ParseError)\n"),
        (7, "the input contains a NUL character, which cannot be stored (ParseError)\n"),
        (
            8,
            "content looks like a secret (rule github-pat); remove it, or add --force to store it redacted (SecretRefused)\n",
        ),
    ] {
        assert!(shown.contains(&format!("\n  line {line}: {why}")), "{line}: {shown}");
    }
    let output = other.start("loopmem --json items import -", "no JSON");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), String::new()));
    let output = other.start("loopmem items import --path ../damaged", "");
    assert_eq!(output.status.code(), Some(1), "as a whole, too");
    assert!(text(&output.stderr).contains("loopmem: skipped 1 of 1 line; the result lists them\n"), "{output:?}");
    let latin = other.start("printf '{\"content\":\"caf\\351\"}' | loopmem items import", "");
    assert!(text(&latin.stdout).contains("\"message\":\"not UTF-8\""), "{latin:?}");

    let migrated = sandbox.json("loopmem items migrate sqlite");
    assert_eq!((&migrated["copied"], &migrated["skipped"]), (&json!(3), &json!(0)));
    assert_eq!(
        sandbox.run("CODEX_MEMORY_BACKEND=sqlite loopmem items export", ""),
        sandbox.run("loopmem items export", "")
    );
    let shown = terminal.run("NO_COLOR=1 loopmem items migrate sqlite", "");
    let advice = "To use them, open the store with itemsBackend, or set CODEX_MEMORY_BACKEND=sqlite.\n";
    assert_eq!(shown, format!("Copied 0 items to sqlite. 3 already there.\n{advice}"));
    let file = sandbox.folder.path().join("work/.codex/memory/items.jsonl");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "{}\n[]\n").unwrap();
    let shown = terminal.run("NO_COLOR=1 loopmem items migrate sqlite", "");
    let expected = "3 already there; 2 lines skipped because they are not items (loopmem doctor lists them).\nTo use";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn memories_of_older_programs_are_copied_once_and_what_was_skipped_is_named() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let folder = terminal.sandbox.folder.path().join("work/.codex/memory");
    fs::create_dir_all(&folder).unwrap();
    let lines = "{\"content\":\"Prefer small commits.\"}\n{\"type\":\"exec\",\"command\":\"cargo test\"}\nno JSON\n";
    fs::write(folder.join("memory.jsonl"), lines).unwrap();
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem items migrate-legacy", "");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.starts_with("1 item copied, 1 event as history, 0 unchanged, 1 skipped\n  "), "{shown}");
    assert!(shown.contains("/memory.jsonl, line 3: ") && shown.ends_with(" (ParseError)\n"), "{shown}");
    let output = terminal.sandbox.start("loopmem items migrate-legacy", "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).ends_with("loopmem: skipped 1 of 3 lines; the result lists them\n"), "{output:?}");
    let (shown, _) = terminal.start("NO_COLOR=1 loopmem items migrate-legacy", "");
    assert!(shown.starts_with("0 items copied, 0 events as history, 2 unchanged, 1 skipped\n"), "{shown}");
    assert!(terminal.run("NO_COLOR=1 loopmem items recall small commits", "").contains("Prefer small commits."));
}

#[test]
fn a_dry_run_of_an_import_shows_what_every_line_would_redact() {
    let sandbox = repository();
    let lines = "{\"content\":\"a\",\"content\":\"b\"}\n{\"content\":\"password: hunter22\"}\nno JSON\n\
                 {\"content\":\"password: hunter33\",\"tags\":[\"nul \\u0000\"]}\n{\"content\":\"password: hunter44\"}\n";
    let output = sandbox.start("loopmem items import --force --dry-run", lines);
    assert_eq!(text(&output.stdout), "would redact 2 secrets in content (keyed-value)\n");
    assert_eq!(text(&output.stderr), "loopmem: would skip 3 lines\n");
    assert_eq!(output.status.code(), Some(0));
    let shown = sandbox.start("loopmem --json items import --force --dry-run", lines);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown, json!([{"method": "items.import", "field": "content", "rule": "keyed-value", "count": 2}]));
    assert_eq!(sandbox.run("loopmem items import --dry-run", "{\"content\":\"a\"}"), "would redact nothing\n");
    // Without `--force`, such lines would be skipped.
    let output = sandbox.start("loopmem items import --dry-run", lines);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "would redact 2 secrets in content (keyed-value)\n");
    let told = "loopmem: would skip 3 lines\nloopmem: lines with a secret would be skipped; add --force to store them redacted\n";
    assert_eq!(text(&output.stderr), told);
    assert_eq!(sandbox.json("loopmem items list"), json!([]));
}

#[test]
fn an_import_shows_its_progress_on_a_terminal_and_nowhere_else() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    let lines: String =
        (0..6_000).map(|number| format!("{{\"id\":\"i{number}\",\"content\":\"item {number}\"}}\n")).collect();
    fs::write(sandbox.folder.path().join("many"), &lines).unwrap();
    // A slow pipe, of which no size is known, so that there is something to show.
    let slow = "(head -n 2000 ../many; sleep 1; tail -n +2001 ../many) | loopmem items import";
    let shown = terminal.run(&format!("{slow} > result"), "");
    assert!(shown.contains("importing: 2") && shown.ends_with('\r'), "{shown:?}");
    let result = fs::read_to_string(sandbox.folder.path().join("work/result")).unwrap();
    assert_eq!(result, "{\"added\":6000,\"changed\":0,\"unchanged\":0,\"skipped\":[]}\n");
    // A warning is not written onto the line.
    let secret = format!("{{\"id\":\"s\",\"content\":\"push with {TOKEN}\"}}");
    let shown =
        terminal.run(&format!("(cat ../many; sleep 1; echo '{secret}') | loopmem items import --force > result"), "");
    let (before, _) = shown.split_once("loopmem: redacted 1 secret").unwrap();
    assert!(before.contains("importing: 6") && before.ends_with('\r'), "{shown:?}");
    let slow = format!("(cat ../many; sleep 1; echo '{secret}') | NO_COLOR=1 loopmem items import --force --dry-run");
    let shown = terminal.run(&slow, "");
    assert!(shown.ends_with("\rwould redact 1 secret in content (github-pat)\n"), "{shown:?}");
    let slow = "(head -n 2000 ../many; sleep 1; tail -n +2001 ../many) | loopmem items import";
    let output = sandbox.start(slow, "");
    assert_eq!(text(&output.stderr), "", "no progress without a terminal");
    assert_eq!(terminal.run("loopmem --json items import ../many 2>&1 > /dev/null", ""), "", "nor with --json");
}
