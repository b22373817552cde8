//! What is stored moves to another machine in one file.

use serde_json::json;

use crate::items::repository;
use crate::{Terminal, text};

#[test]
fn a_home_moves_in_an_archive_to_another_path() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note --id n of here", "");
    sandbox.run("loopmem items add an item --scope global", "");
    sandbox.run("loopmem memory add note --repo-hash $(printf 'a%.0s' $(seq 64)) --create --id o of another", "");
    let one = sandbox.json("loopmem archive export ../one.jsonl");
    assert_eq!(one["repositories"], 1);
    assert_eq!(sandbox.json("loopmem archive export ../two.jsonl --repo-hash aaaaaa")["repositories"], 1);
    let shown = terminal.run("NO_COLOR=1 loopmem archive export ../all.tar.zst --all", "");
    assert!(
        shown.starts_with("Wrote ") && shown.contains(" of 2 repositories.\nmemory: 2, items: 1, repo: "),
        "{shown}"
    );

    let other = Terminal::of(repository()).unwrap();
    let all = sandbox.folder.path().join("all.tar.zst");
    let (all, old) = (all.to_str().unwrap(), sandbox.run("pwd -P", ""));
    let import = format!("loopmem archive import {all} --map {}=.", old.trim_end());
    let shown = other.run(&format!("NO_COLOR=1 {import} --dry-run"), "");
    assert!(shown.contains("memory: would copy 2\n") && shown.contains("items: would copy 1\n"), "{shown}");
    assert!(shown.contains("now at "), "{shown}");
    assert_eq!(other.sandbox.json("loopmem memory list"), json!([]));
    let shown = other.run(&format!("NO_COLOR=1 {import}"), "");
    assert!(shown.contains("memory: copied 2\n"), "{shown}");
    assert_eq!(other.sandbox.json("loopmem memory show n --json")["record"]["content"], "of here");
    assert_eq!(other.sandbox.json("loopmem items list")[0]["content"], "an item");
    let shown = other.run(&format!("NO_COLOR=1 {import}"), "");
    assert!(shown.contains("memory: copied 0, already here 2\n"), "{shown}");

    for (arguments, message) in [
        ("--map /a", "--map needs the old and the new path of a folder: OLD=NEW"),
        ("--map /a=/b --map /a=/c", "--map says twice where a folder is"),
    ] {
        let refused = other.sandbox.start(&format!("loopmem archive import {all} {arguments}"), "");
        assert_eq!(refused.status.code(), Some(2), "{arguments}");
        assert!(text(&refused.stderr).contains(message), "{}", text(&refused.stderr));
    }
}
