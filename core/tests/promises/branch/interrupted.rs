//! Killed at every step, a push either happened or can be repeated.

use std::sync::Arc;

use loopmem::branch::PushOptions;
use loopmem::testing::disk::Fs;
use loopmem::testing::open_on;

use super::Site;
use crate::file_systems::{Fault, Faulty};

/// Calls `run` with a file system that stops at its calls, at one after the other, until a run is not stopped.
fn at_every_call(step: usize, mut run: impl FnMut(Arc<dyn Fs>, usize)) {
    for nth in (1..).step_by(step) {
        let faulty = Faulty::default();
        faulty.arm(nth, Fault::Stop);
        run(faulty.fs(), nth);
        if !faulty.disarm() {
            assert!(nth > 20, "there was something to interrupt");
            return;
        }
    }
}

#[test]
fn a_push_that_is_killed_can_be_repeated_and_nothing_is_there_twice() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", "").write("gone.md", "g\n").write("both.md", "b\n").push();
    let other = site.ready("b");
    let mut lines = Vec::new();
    at_every_call(3, |fs, nth| {
        other.append("log.jsonl", &format!("{{\"other\":{nth}}}\n")).write("other.md", format!("{nth}\n")).push();
        agent.append("log.jsonl", &format!("{{\"n\":{nth}}}\n")).write("both.md", format!("{nth}\n"));
        // Added by one round and removed by the next.
        match nth % 2 {
            0 => drop(agent.write("own/some.md", "mine\n")),
            _ if nth > 1 => drop(agent.remove("own/some.md")),
            _ => {}
        }
        lines.extend([format!("{{\"other\":{nth}}}"), format!("{{\"n\":{nth}}}")]);
        let store = open_on(site.options().branch_attempts(1), fs, std::env::vars_os()).ok();
        let options = PushOptions::new().source(agent.source());
        // It may have happened although the process ended before it could say so.
        let _ = store.map(|store| store.branches().push(&agent.memory, Some(&agent.directory), &options));
        agent.push();
        assert_eq!(site.on_branch("both.md").unwrap(), format!("{nth}\n"));
        let log = site.on_branch("log.jsonl").unwrap();
        let mut found: Vec<&str> = log.lines().collect();
        found.sort_unstable();
        let mut expected: Vec<&str> = lines.iter().map(String::as_str).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "call {nth}");
        assert_eq!(agent.read("log.jsonl").unwrap(), log);
        assert_eq!(agent.files().len(), 4 + usize::from(nth % 2 == 0), "{:?}", agent.files());
    });
    site.remote(&["fsck", "--strict"]);
}

#[test]
fn a_checkout_that_is_killed_can_be_repeated() {
    let site = Site::new();
    let first = site.ready("first");
    first.write("a.md", "a\n").write("sub/b.md", "b\n").write("log.jsonl", "{\"n\":1}\n").push();
    at_every_call(1, |fs, nth| {
        let agent = site.agent(&format!("agent-{nth}"));
        std::fs::create_dir_all(&agent.directory).unwrap();
        agent.write("draft.md", "draft\n").write("log.jsonl", "{\"n\":2}\n");
        if let Ok(store) = open_on(site.options(), fs, std::env::vars_os()) {
            let _ = store.branches().checkout(&agent.memory, Some(&agent.directory), &agent.source());
        }
        agent.checkout().unwrap();
        assert_eq!(agent.files(), ["a.md", "draft.md", "log.jsonl", "sub/b.md"], "call {nth}");
        assert_eq!(agent.read("log.jsonl").unwrap(), "{\"n\":1}\n{\"n\":2}\n", "call {nth}");
        assert_eq!(site.commits().len(), 1);
    });
}
