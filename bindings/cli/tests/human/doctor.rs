//! `loopmem doctor`: its output on a terminal and its exit status.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::{Sandbox, Terminal, text};

/// A home with a damaged file.
fn damaged() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    sandbox.run("loopmem memory add note --id n text", "");
    let repos = sandbox.folder.path().join("home/repos");
    let memory = fs::read_dir(repos).unwrap().next().unwrap().unwrap().path().join("memory.json");
    let damaged = fs::read_to_string(&memory).unwrap().replace("[]", "[{\"id\":]");
    fs::write(&memory, damaged).unwrap();
    (sandbox, memory)
}

#[test]
fn the_exit_status_says_whether_problems_remain() {
    let sandbox = Sandbox::new();
    let nothing = sandbox.json("loopmem doctor");
    assert_eq!((&nothing["counts"]["files"], nothing["findings"].as_array().unwrap().len()), (&0.into(), 0));
    assert!(!sandbox.folder.path().join("home").exists(), "a check creates no home");

    let (sandbox, memory) = damaged();
    let status = |line: &str| sandbox.start(line, "").status.code().unwrap();
    let called = sandbox.run("loopmem call doctor.check", "{}");
    for line in ["loopmem doctor", "loopmem doctor --json", "loopmem doctor check"] {
        assert_eq!(text(&sandbox.start(line, "").stdout), called, "{line}");
    }
    assert_eq!((status("loopmem doctor"), status("loopmem --json doctor"), status("loopmem doctor check")), (1, 1, 0));
    assert_eq!(sandbox.json("loopmem doctor --fix")["counts"]["repaired"], 1);
    assert_eq!(sandbox.json("loopmem doctor")["counts"]["infos"], 1);
    assert_eq!(sandbox.json("loopmem memory get")["notes"][0]["id"], "n");

    fs::write(&memory, "{\"schemaVersion\": 2}").unwrap();
    assert_eq!(status("loopmem doctor --fix"), 1, "a newer format is not repaired");
    let misused = sandbox.start("loopmem doctor --fix check", "");
    assert_eq!((misused.status.code(), text(&misused.stderr).contains("after `check`")), (Some(2), true));
}

#[test]
fn findings_are_listed_by_file_and_followed_by_what_to_do() {
    let (sandbox, memory) = damaged();
    let Some(terminal) = Terminal::of(sandbox) else { return };
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem doctor", "");
    let lines: Vec<&str> = shown.lines().collect();
    assert!(status == 1 && lines[0].ends_with("/memory.json"), "{shown}");
    assert!(lines[1].starts_with("  error    it is not valid JSON") && lines[2].starts_with("           "), "{shown}");
    assert!(shown.contains("\n\nFound in 2 files of 1 repository: 1 error. `loopmem doctor --fix` repairs"), "{shown}");
    assert!(terminal.start("loopmem doctor", "").0.contains("\x1b[31m"), "an error is red");
    let fixed = terminal.run("NO_COLOR=1 loopmem doctor --fix", "");
    assert!(fixed.contains("\n  repaired it is not valid JSON") && fixed.contains("memory.json.damaged"), "{fixed}");
    assert!(fixed.ends_with("\nRepaired 1 problem. No problems remain in 2 files of 1 repository.\n"), "{fixed}");
    fs::remove_file(memory.with_extension("json.damaged")).unwrap();
    assert_eq!(terminal.run("loopmem doctor", ""), "No problems in 2 files of 1 repository.\n");
}

#[test]
fn an_installation_that_a_client_does_not_find_is_named() {
    let sandbox = Sandbox::new();
    let check = |name: &str| -> Value {
        let answer = text(&sandbox.start("loopmem doctor --self --json", "").stdout);
        let checks = serde_json::from_str::<Value>(&answer).unwrap()["checks"].as_array().cloned().unwrap();
        checks.into_iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {answer}"))
    };
    let version = check("version");
    assert!(version["detail"].as_str().unwrap().starts_with(env!("CARGO_PKG_VERSION")), "{version}");
    sandbox.run("loopmem install cursor", "");
    assert_eq!(check("client")["severity"], "info");
    let configuration = sandbox.folder.path().join(".cursor/mcp.json");
    let moved = fs::read_to_string(&configuration).unwrap().replace("/loopmem\"", "/gone/loopmem\"");
    fs::write(&configuration, moved).unwrap();
    let gone = check("client");
    assert_eq!(gone["severity"], "warning");
    assert!(gone["detail"].as_str().unwrap().contains("/gone/loopmem, which is not there"), "{gone}");
    assert_eq!(sandbox.start("loopmem doctor --self", "").status.code(), Some(1));
    assert_eq!(sandbox.start("loopmem doctor --self --fix", "").status.code(), Some(2));
}
