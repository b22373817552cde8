//! What several agents write at once: nothing of it is lost, and the rules hold for all of it.

use loopmem::ErrorKind;
use loopmem::branch::BranchPushOptions;
use serde_json::json;

use super::Site;

#[test]
fn what_two_first_runs_wrote_to_one_file_is_kept() {
    let site = Site::new();
    let agents = ["a", "b", "c"].map(|name| site.ready(name));
    for agent in &agents {
        let name = agent.directory.file_name().unwrap().to_str().unwrap();
        agent.write("notes.md", format!("{name}\n")).write("state.json", format!("{{\"{name}\": 1}}\n"));
        let push = agent.push();
        assert_eq!(push.conflicts.len(), 0, "{push:?}");
    }
    assert_eq!(site.on_branch("notes.md").unwrap(), "a\nb\nc\n");
    let state: serde_json::Value = serde_json::from_str(&site.on_branch("state.json").unwrap()).unwrap();
    assert_eq!(state, json!({"a": 1, "b": 1, "c": 1}));
    // The same for a file that comes later.
    for agent in &agents {
        agent.checkout().unwrap();
    }
    for (agent, line) in agents.iter().zip(["1", "2", "3"]) {
        agent.write("later.md", format!("{line}\n")).push();
    }
    assert_eq!(site.on_branch("later.md").unwrap(), "1\n2\n3\n");
}

#[test]
fn the_rules_hold_for_what_agents_write_together() {
    let rules = json!({"max-file-count": 3, "max-file-size": 30});
    for (mine, theirs, rule) in [
        (vec![("a.md", "1"), ("b.md", "2")], vec![("c.md", "3"), ("d.md", "4")], "there are 4 files"),
        (
            vec![("log.jsonl", "{\"text\":\"aaaaaaa\"}\n")],
            vec![("log.jsonl", "{\"text\":\"bbbbbbb\"}\n")],
            "has 38 bytes",
        ),
        (vec![("r.md", "1")], vec![("R.md", "2")], "upper and lower case"),
    ] {
        let site = Site::new();
        let (one, other) = (site.agent_with("a", rules.clone()), site.agent_with("b", rules.clone()));
        one.checkout().unwrap();
        other.checkout().unwrap();
        for (path, text) in &mine {
            one.write(path, text);
        }
        one.push();
        for (path, text) in &theirs {
            other.write(path, text);
        }
        assert!(other.validate().ok);
        let commits = site.commits();
        let refused = other.try_push(BranchPushOptions::new()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
        assert!(refused.message().contains(rule), "{refused}");
        assert!(refused.message().contains("together with what others pushed"), "{refused}");
        assert_eq!(site.commits(), commits);
        // Their files are in the folder then, and one of both sides can make way.
        other.checkout().unwrap();
        assert!(!other.validate().ok);
        other.remove(theirs[0].0).push();
        one.push();
    }
}

#[test]
fn a_folder_belongs_to_its_branch_from_the_first_checkout_on() {
    let site = Site::new();
    site.git(&["init", "--quiet", "--bare", "other.git"]);
    let other =
        || BranchPushOptions::new().source(super::BranchSource::new().remote(site.path("other.git").to_str().unwrap()));
    let agent = site.ready("a");
    agent.write("plans.md", "of project A\n");
    let branches = agent.store.branches();
    let refused = branches.push(&agent.memory, Some(&agent.directory), &other()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
    assert_eq!(site.git(&["--git-dir", "other.git", "for-each-ref"]), "");
    // A memory of its own is another branch.
    let second = site.agent_with("a", json!({"id": "second"}));
    assert_eq!(second.checkout().unwrap_err().kind(), ErrorKind::Conflict);
    agent.push();
    // A folder without files belongs to whoever comes next.
    let empty = site.ready("empty");
    empty.remove("plans.md");
    assert_eq!(site.agent_with("empty", json!({"id": "second"})).checkout().unwrap_err().kind(), ErrorKind::Conflict);
    let new = site.agent_with("new", json!({"id": "third"}));
    new.checkout().unwrap();
    branches.push(&agent.memory, Some(&new.directory), &other()).unwrap();
}

#[test]
fn a_repository_and_another_whose_name_only_lacks_git_are_two() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n");
    site.git(&["init", "--quiet", "--bare", "remote"]);
    let source = super::BranchSource::new().remote(site.path("remote").to_str().unwrap());
    let options = BranchPushOptions::new().source(source);
    let refused = agent.store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
}
