//! What was removed or replaced by hand comes back by hand, and forgetting asks first.

use serde_json::json;

use crate::{Sandbox, Terminal};

#[test]
fn what_was_removed_or_changed_is_listed_and_brought_back() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    assert!(terminal.run("NO_COLOR=1 loopmem undo", "").starts_with("nothing to bring back"));
    sandbox.run("loopmem memory add note --id n the first text", "");
    sandbox.run("loopmem memory edit n", "the second text");
    sandbox.run("loopmem items add --scope global an item", "");
    let item = sandbox.json("loopmem items list")[0]["id"].as_str().unwrap().to_owned();
    sandbox.run(&format!("loopmem items rm {item}"), "");
    sandbox.run("loopmem working set job a=1 && loopmem working delete job", "");
    let listed = sandbox.json("loopmem undo");
    let reasons: Vec<_> = listed.as_array().unwrap().iter().map(|it| [&it["kind"], &it["reason"]]).collect();
    assert_eq!(json!(reasons), json!([["context", "removed"], ["item", "removed"], ["note", "replaced"]]));
    let shown = terminal.run("NO_COLOR=1 loopmem undo", "");
    let lines: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["ID", "KIND", "WHAT", "WHY", "AGE"], "{shown}");
    assert_eq!(lines[3][1..], ["note", "the", "first", "text", "replaced", "now"], "{shown}");
    // As short as they are shown.
    let restored = terminal.run(&format!("NO_COLOR=1 loopmem undo {}", lines[3][0]), "");
    assert_eq!(restored, "Brought back an earlier version of note n: the first text\n");
    assert_eq!(sandbox.json("loopmem memory show n --json")["record"]["content"], "the first text");
    assert_eq!(sandbox.json("loopmem undo")[0]["preview"], "the second text");
    // What was restored has put another entry there, whose id may begin with the same characters.
    let both = format!("loopmem undo {} {}", listed[0]["id"], listed[1]["id"]);
    assert_eq!(sandbox.run(&both, ""), format!("job\n{item}\n"));
    assert_eq!(sandbox.json("loopmem working show job"), json!({ "a": 1 }));
    let missing = sandbox.start("loopmem undo 0000", "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(crate::text(&missing.stderr).contains("`loopmem undo` lists"));
    // A program keeps what it replaces only if it says so.
    let note = r#"{"note": {"id": "n", "content": "of a program"}}"#;
    sandbox.run("loopmem call memory.upsertNote", note);
    assert_eq!(sandbox.json("loopmem undo").as_array().unwrap().len(), 1);
}

#[test]
fn a_purged_record_does_not_come_back_whether_it_was_removed_before_or_not() {
    let sandbox = Sandbox::new();
    for id in ["a1", "b1"] {
        sandbox.run(&format!("loopmem memory add note --id {id} 'the marker'"), "");
        sandbox.run(&format!("loopmem memory edit {id}"), "the other marker");
    }
    sandbox.run("loopmem memory rm a1", "");
    // What is not stored any more has to be named completely.
    let refused = sandbox.start("loopmem memory rm a --purge", "");
    assert!(crate::text(&refused.stderr).contains("none in the trash"), "{refused:?}");
    assert_eq!(sandbox.run("loopmem memory rm a1 b --purge", ""), "a1\nb1\n");
    assert_eq!(sandbox.json("loopmem undo"), json!([]));
    assert_eq!(sandbox.run("grep -rl marker \"$CODEX_TOOLLOOP_HOME\" || echo nowhere", ""), "nowhere\n");
    sandbox.run("loopmem working set job a=marker && loopmem working delete job", "");
    assert_eq!(sandbox.run("loopmem working delete job --purge", ""), "job\n");
    assert_eq!(sandbox.json("loopmem undo"), json!([]));
}

#[test]
fn forgetting_a_repository_shows_what_it_is_and_asks() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("git init -q -b main", "");
    sandbox.run("loopmem memory add note --id n a note && loopmem summary add --run r --step s it did", "");
    let count = || sandbox.json("loopmem memory list").as_array().unwrap().len();
    let refused = sandbox.start("loopmem repo forget", "");
    assert!(crate::text(&refused.stderr).contains("add --yes") && refused.status.code() == Some(2), "{refused:?}");
    assert_eq!(sandbox.json("loopmem repo forget --dry-run")["removed"]["notes"], 1);
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem repo forget", "n\n");
    assert!(
        shown.contains("From branch main of ") && shown.contains(": 2 records (notes: 1, summaries: 1)\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Remove 2 records (notes: 1, summaries: 1)? [y/N]") && status == 1 && count() == 1,
        "{shown}"
    );
    let shown = terminal.run("NO_COLOR=1 loopmem repo forget", "y\n");
    assert!(shown.contains("Removed from branch main of ") && count() == 0, "{shown}");
    // As the output says, from wherever it is read.
    let command = shown.split('`').nth(1).unwrap();
    let restored = sandbox.run(&format!("mkdir ../other && cd ../other && {command}"), "");
    assert_eq!((restored.lines().count(), count()), (2, 1), "{command}: {restored}");
    sandbox.run("loopmem memory rm n && loopmem undo n", "");
    assert_eq!(count(), 1, "by the id that rm prints");
    sandbox.run("loopmem repo forget --all --purge --yes", "");
    assert_eq!(sandbox.json("loopmem undo"), json!([]));
    assert_eq!(sandbox.json("loopmem repo list"), json!([]));
}
