//! Items that other programs and people wrote: with unknown members, awkward ids, and stored twice.

use std::fs;

use serde_json::{Value, json};

use crate::items::repository;
use crate::{Sandbox, Terminal, text};

/// Adds a line to the items of the repository.
fn write(sandbox: &Sandbox, line: &str) {
    let file = sandbox.folder.path().join("work/.codex/memory/items.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&file).unwrap_or_default();
    fs::write(&file, format!("{before}{line}\n")).unwrap();
}

fn line(id: &str, rest: &str) -> String {
    let time = "2026-01-01T00:00:00Z";
    format!(
        r#"{{"id":{},"created_at":"{time}","updated_at":"{time}","scope":"repo","status":"active","type":"note","content":"The port"{rest}}}"#,
        Value::from(id)
    )
}

#[test]
fn an_item_with_json_that_no_type_can_hold_is_shown_changed_and_removed() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (id, value) in [("n", "1e400"), ("s", r#""\ud800""#), ("d", deep.as_str())] {
        write(sandbox, &line(id, &format!(r#","x":{value}"#)));
        let shown = terminal.run(&format!("NO_COLOR=1 loopmem items show {id}"), "");
        assert!(
            shown.starts_with(&format!("note {id}\n")) && shown.contains(&format!("\nx       {value}\n")),
            "{shown}"
        );
        let listed = terminal.run("NO_COLOR=1 loopmem items list", "");
        assert!(listed.starts_with("ID") && listed.contains(&format!("\n{id}   note")), "{listed}");
        let recalled = terminal.run("NO_COLOR=1 loopmem items recall port", "");
        assert!(recalled.starts_with(&format!("  1. note {id}  The port\n")), "{recalled}");
        for (command, expected) in [("archive", "Archived"), ("restore", "Restored"), ("edit --tag t", "Changed")] {
            let (verb, options) = command.split_once(' ').unwrap_or((command, ""));
            let (shown, status) = terminal.start(&format!("NO_COLOR=1 loopmem items {verb} {id} {options}"), "");
            assert!(
                !shown.contains("please report") && (status == 0) == shown.contains(expected),
                "{command}: {shown}"
            );
        }
        let removed = sandbox.json(&format!("loopmem --json items rm {id}"));
        assert_eq!(removed, json!([{"id": id, "removed": true}]));
    }
}

#[test]
fn a_stored_duration_counts_from_the_creation_of_the_item() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    write(&terminal.sandbox, &line("i", r#","expiry":"1d""#));
    let at = |time: &str, command: &str| {
        terminal.run(&format!("NO_COLOR=1 loopmem --options '{{\"clock\":\"{time}\"}}' items {command}"), "")
    };
    assert!(at("2026-01-01T12:00:00Z", "show i").contains("\nexpires  2026-01-02 00:00 UTC\n"));
    assert!(at("2026-01-03T00:00:00Z", "show i").contains("\nstate    expired\n"));
    let listed = at("2026-01-03T00:00:00Z", "list");
    assert!(listed.contains("expired"), "{listed}");
}

#[test]
fn an_id_with_a_control_character_does_not_break_the_form() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    write(sandbox, &line("a\nb\u{7}", ""));
    sandbox.editor("cp \"$1\" ../form; sed -i 's/^The port$/The port is 8443/' \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem items edit a", "");
    assert!(shown.starts_with("Changed note ") && shown.contains("The port is 8443"), "{shown}");
    let form = fs::read_to_string(sandbox.folder.path().join("form")).unwrap();
    assert!(form.contains("\n# The item a\\u{a}b\\u{7}.\n"), "{form}");
}

#[test]
fn of_two_items_with_one_id_the_nearest_is_found() {
    let sandbox = repository();
    sandbox.run("loopmem items import", r#"{"id":"abcd","content":"of the repository"}"#);
    sandbox.run("loopmem items export --scope repo | loopmem items import --scope global", "");
    assert_eq!(sandbox.json("loopmem items list").as_array().unwrap().len(), 2);
    assert_eq!(sandbox.json("loopmem items show ab")["scope"], "repo");
    assert_eq!(sandbox.json("loopmem items show ab"), sandbox.json("loopmem items get --id abcd"));
}

#[test]
fn what_was_removed_before_an_error_is_said() {
    let sandbox = repository();
    sandbox.run(
        "loopmem items import",
        "{\"id\":\"a\",\"content\":\"x\"}\n{\"id\":\"b\",\"content\":\"x\",\"scope\":\"global\"}",
    );
    // A reader of the global items, which keeps others from writing them.
    let locked = "flock -s ../.codex/memory/items.jsonl.lock loopmem --timeout-ms 0";
    let refused = sandbox.start(&format!("{locked} --json items rm a b"), "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_eq!(text(&refused.stdout), "[{\"id\":\"a\",\"removed\":true}]\n");
    assert!(text(&refused.stderr).contains("LockAcquisitionError"), "{refused:?}");
    let refused = sandbox.start(&format!("{locked} --json items rm b"), "");
    assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(1), String::new()));
}

#[test]
fn a_store_that_is_bypassed_says_so() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    terminal.sandbox.run("loopmem items add The port is 8443.", "");
    for command in ["list", "list --tag t", "recall port", "recall port --temporary"] {
        let shown = terminal.run(&format!("NO_COLOR=1 loopmem --options '{{\"temporary\":true}}' items {command}"), "");
        assert_eq!(shown, "memory is bypassed, so nothing is shown\n", "{command}");
    }
}
