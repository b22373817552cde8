//! Killed at every step, a push either happened or can be repeated.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loopmem::branch::PushOptions;
use loopmem::testing::open_on;
use loopmem::{CallOptions, Cancel, ErrorKind};

use super::Site;
use crate::file_systems::{meanwhile, stop_at_every_call};

#[test]
fn a_push_that_is_killed_can_be_repeated_and_nothing_is_there_twice() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", "").write("gone.md", "g\n").write("both.md", "b\n").push();
    let other = site.ready("b");
    let mut lines = Vec::new();
    // A second for each call: two agents push with git.
    stop_at_every_call(|fs, nth| {
        other.append("log.jsonl", &format!("{{\"other\":{nth}}}\n")).write("other.md", format!("{nth}\n")).push();
        agent.append("log.jsonl", &format!("{{\"n\":{nth}}}\n")).write("both.md", format!("{nth}\n"));
        // Added by one round and removed by the next.
        let has_own = agent.read("own/some.md").is_none();
        if has_own {
            agent.write("own/some.md", "mine\n");
        } else {
            agent.remove("own/some.md");
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
        assert_eq!(agent.files().len(), 4 + usize::from(has_own), "{:?}", agent.files());
    });
    site.remote(&["fsck", "--strict"]);
}

#[test]
fn a_checkout_that_is_killed_can_be_repeated() {
    let site = Site::new();
    let first = site.ready("first");
    first.write("a.md", "a\n").write("sub/b.md", "b\n").write("log.jsonl", "{\"n\":1}\n").push();
    // Part of a second for each call: an agent checks out with git twice.
    stop_at_every_call(|fs, nth| {
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

#[test]
fn the_conflicts_of_a_checkout_that_was_interrupted_are_reported_by_the_next_call() {
    let site = Site::new();
    let first = site.ready("first");
    first.write("own.md", "1\n").write("plan.md", "1\n2\n3\n").push();
    for (is_checkout_next, interruptions) in [(true, 2), (false, 1)] {
        let agent = site.ready(&format!("{is_checkout_next}-{interruptions}"));
        let then = format!("{interruptions} {is_checkout_next}");
        agent.write("own.md", format!("ours {then}\n")).write("plan.md", format!("1\nours {then}\n3\n"));
        let theirs = format!("theirs {then}");
        first.write("own.md", format!("{theirs}\n")).write("plan.md", format!("1\n{theirs}\n3\nmore\n"));
        let added = format!("{}/x.md", first.files().len());
        first.write(&added, "x\n").push();
        // It cannot be made, after the merge is recorded.
        let obstacle = agent.directory.join(Path::new(&added).parent().unwrap());
        std::os::unix::fs::symlink("nowhere", &obstacle).unwrap();
        for _ in 0..interruptions {
            agent.checkout().unwrap_err();
            first.append("log.md", "from another run\n").push();
        }
        std::fs::remove_file(obstacle).unwrap();
        let found = if is_checkout_next { agent.checkout().unwrap().conflicts } else { agent.push().conflicts };
        let paths: Vec<&str> = found.iter().map(|it| &*it.path).collect();
        assert_eq!(paths, ["own.md", "plan.md"], "{then}");
        let shown = site.remote(&["show", &format!("{}:own.md", found[0].theirs)]);
        assert_eq!(shown, format!("{theirs}\n"));
        // They are reported once.
        let again = agent.push();
        assert!(again.conflicts.is_empty(), "{again:?}");
        assert_eq!(site.on_branch("own.md").unwrap(), format!("ours {then}\n"));
        first.checkout().unwrap();
    }
}

#[test]
fn a_call_that_is_cancelled_while_it_changes_files_does_not_say_that_it_wrote_nothing() {
    let site = Site::new();
    let agent = site.ready("first");
    agent.write("a.md", "a\n").write("b.md", "b\n").write("c.md", "c\n").push();
    let mut halfway = 0;
    for nth in (1..).step_by(6) {
        let agent = site.agent(&format!("agent-{nth}"));
        let (cancel, is_over) = (Cancel::new(), Arc::new(AtomicBool::new(true)));
        let act = {
            let (cancel, is_over) = (cancel.clone(), Arc::clone(&is_over));
            move || {
                is_over.store(false, Ordering::SeqCst);
                cancel.cancel();
            }
        };
        let store = open_on(site.options(), meanwhile(nth, act), std::env::vars_os()).unwrap();
        let store = store.with(CallOptions::new().cancel(&cancel));
        let done = store.branches().checkout(&agent.memory, Some(&agent.directory), &agent.source());
        if let Err(cancelled) = &done {
            assert_eq!(cancelled.kind(), ErrorKind::Cancelled, "{cancelled}");
            let may_have_written = cancelled.may_be_stored();
            assert_eq!(may_have_written, !cancelled.message().contains("before it wrote anything"), "{cancelled}");
            assert!(
                may_have_written || !agent.directory.exists() || agent.files().is_empty(),
                "call {nth}: {cancelled}"
            );
            halfway += usize::from(may_have_written);
        }
        if is_over.load(Ordering::SeqCst) {
            break;
        }
    }
    assert!(halfway > 0, "no call was cancelled while it wrote");
}
