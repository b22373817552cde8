//! Killed at every step, a push either happened or can be repeated.

use loopmem::branch::PushOptions;
use loopmem::testing::open_on;

use super::Site;
use crate::file_systems::stop_at_every_call;

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
