//! What several agents write at once: nothing of it is lost, and the rules hold for all of it.

use loopmem::ErrorKind;
use loopmem::branch::PushOptions;
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
fn first_runs_on_machines_that_pass_only_files_and_the_base_on_keep_what_the_others_wrote() {
    let site = Site::new();
    let (one, early) = (site.ready("a"), site.ready("early"));
    let (copied, unpacked) = (site.agent("copied"), site.agent("unpacked"));
    one.write("notes.md", "1\n").push();
    // As a workflow does: the base, which was none, comes as an output.
    copied.write("notes.md", "2\n");
    let push = copied.try_push(PushOptions::new().base("none")).unwrap();
    assert_eq!((push.conflicts.len(), push.base), (0, None));
    // As an artifact does.
    early.write("notes.md", "3\n");
    let (branches, artifact) = (early.store.branches(), site.path("a.tar"));
    branches.pack(&early.memory, Some(&early.directory), &artifact, None).unwrap();
    branches.unpack(&artifact, Some(&unpacked.directory)).unwrap();
    assert_eq!(unpacked.push().conflicts.len(), 0);
    assert_eq!(site.on_branch("notes.md").unwrap(), "1\n2\n3\n");
}

#[test]
fn a_push_of_an_empty_folder_keeps_that_there_was_no_branch() {
    let site = Site::new();
    let (one, other) = (site.ready("a"), site.ready("b"));
    assert_eq!(one.push().commit, None);
    other.write("notes.md", "b\n").push();
    assert_eq!(one.write("notes.md", "a\n").push().conflicts.len(), 0);
    assert_eq!(site.on_branch("notes.md").unwrap(), "b\na\n");
}

#[test]
fn a_file_that_is_written_while_a_push_runs_replaces_nothing_in_silence() {
    let site = Site::new();
    let (one, other) = (site.ready("a"), site.ready("b"));
    one.write("plan.md", "1\n2\n3\n").push();
    other.checkout().unwrap();
    other.write("new.md", "from b\n").write("plan.md", "1\nb\n3\n").push();
    // The repository has the commit, and the folder does not have the files of the other yet.
    let folder = one.directory.display();
    let text = format!("#!/bin/sh\nprintf 'from a\\n' > {folder}/new.md\nprintf '1\\na\\n3\\n' > {folder}/plan.md\n");
    super::script(&site.path("remote.git/hooks/post-receive"), &text);
    let push = one.write("own.md", "x\n").push();
    std::fs::remove_file(site.path("remote.git/hooks/post-receive")).unwrap();
    let conflicts: Vec<&str> = push.conflicts.iter().map(|it| &*it.path).collect();
    assert_eq!(conflicts, ["plan.md"]);
    assert_eq!(site.remote(&["show", &format!("{}:plan.md", push.conflicts[0].theirs)]), "1\nb\n3\n");
    assert_eq!(one.read("new.md").unwrap(), "from b\nfrom a\n");
    one.push();
    assert_eq!(site.on_branch("new.md").unwrap(), "from b\nfrom a\n");
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
        let refused = other.try_push(PushOptions::new()).unwrap_err();
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
    let other = || PushOptions::new().source(super::Source::new().remote(site.path("other.git").to_str().unwrap()));
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
    // A folder whose files were removed still belongs to its branch: their removal may have to be pushed.
    let empty = site.ready("empty");
    empty.remove("plans.md");
    assert_eq!(site.agent_with("empty", json!({"id": "second"})).checkout().unwrap_err().kind(), ErrorKind::Conflict);
    // One that never had any belongs to whoever comes next.
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
    let source = super::Source::new().remote(site.path("remote").to_str().unwrap());
    let options = PushOptions::new().source(source);
    let refused = agent.store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
}
