//! `loopmem doctor`: what a person sees of it, and what its exit status says.

use std::fs;
use std::path::PathBuf;

use crate::{Person, Terminal, text};

/// A person one of whose files is damaged.
fn harmed() -> (Person, PathBuf) {
    let person = Person::new();
    person.run("loopmem memory add note --id n text", "");
    let repos = person.folder.path().join("home/repos");
    let memory = fs::read_dir(repos).unwrap().next().unwrap().unwrap().path().join("memory.json");
    let damaged = fs::read_to_string(&memory).unwrap().replace("[]", "[{\"id\":]");
    fs::write(&memory, damaged).unwrap();
    (person, memory)
}

#[test]
fn the_exit_status_tells_whether_anything_is_left_to_be_mended() {
    let person = Person::new();
    let nothing = person.json("loopmem doctor");
    assert_eq!((&nothing["counts"]["files"], nothing["findings"].as_array().unwrap().len()), (&0.into(), 0));
    assert!(!person.folder.path().join("home").exists(), "a check makes no home");

    let (person, memory) = harmed();
    let status = |line: &str| person.start(line, "").status.code().unwrap();
    let called = person.run("loopmem call doctor.check", "{}");
    for line in ["loopmem doctor", "loopmem doctor --json", "loopmem doctor check"] {
        assert_eq!(text(&person.start(line, "").stdout), called, "{line}");
    }
    assert_eq!((status("loopmem doctor"), status("loopmem --json doctor"), status("loopmem doctor check")), (1, 1, 0));
    assert_eq!(person.json("loopmem doctor --fix")["counts"]["mended"], 1);
    assert_eq!(person.json("loopmem doctor")["counts"]["infos"], 1);
    assert_eq!(person.json("loopmem memory get")["notes"][0]["id"], "n");

    fs::write(&memory, "{\"schemaVersion\": 2}").unwrap();
    assert_eq!(status("loopmem doctor --fix"), 1, "it is not for this version to mend");
    let misused = person.start("loopmem doctor --fix check", "");
    assert_eq!((misused.status.code(), text(&misused.stderr).contains("behind `check`")), (Some(2), true));
}

#[test]
fn findings_stand_below_their_file_and_what_to_do_at_the_end() {
    let (person, memory) = harmed();
    let Some(terminal) = Terminal::of(person) else { return };
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem doctor", "");
    let lines: Vec<&str> = shown.lines().collect();
    assert!(status == 1 && lines[0].ends_with("/memory.json"), "{shown}");
    assert!(lines[1].starts_with("  error    it is no JSON") && lines[2].starts_with("           "), "{shown}");
    assert!(shown.contains("\n\nFound in 2 files of 1 repository: 1 error. `loopmem doctor --fix` mends"), "{shown}");
    assert!(terminal.start("loopmem doctor", "").0.contains("\x1b[31m"), "an error is red");
    let fixed = terminal.run("NO_COLOR=1 loopmem doctor --fix", "");
    assert!(fixed.contains("\n  mended   it is no JSON") && fixed.contains("memory.json.damaged"), "{fixed}");
    assert!(fixed.ends_with("\nMended 1 fault. Nothing else is wrong with 2 files of 1 repository.\n"), "{fixed}");
    fs::remove_file(memory.with_extension("json.damaged")).unwrap();
    assert_eq!(terminal.run("loopmem doctor", ""), "Nothing is wrong with 2 files of 1 repository.\n");
}
