//! What happens between two calls: others push, calls are killed, folders are removed or taken for another repository.

use loopmem::ErrorKind;
use loopmem::branch::{PushOptions, Source};

use super::{Agent, Site, script};

impl Agent<'_> {
    /// A push that cannot reach the repository.
    fn push_in_vain(&self, run: &str) {
        std::fs::rename(self.site.path("remote.git"), self.site.path("away.git")).unwrap();
        let refused = self.try_push(PushOptions::new().run_id(run)).unwrap_err();
        std::fs::rename(self.site.path("away.git"), self.site.path("remote.git")).unwrap();
        assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, true), "{refused:?}");
        assert!(refused.message().contains("the commit waits beside"), "{refused}");
        assert!(!refused.message().contains("0 attempts"), "{refused}");
    }
}

#[test]
fn a_commit_that_waits_survives_the_removal_of_the_folder() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("q.jsonl", "{\"n\":1}\n").push_in_vain("1");
    std::fs::remove_dir_all(&agent.directory).unwrap();
    assert!(agent.checkout().unwrap().created);
    assert_eq!(agent.files(), ["q.jsonl"]);
    agent.push();
    agent.append("q.jsonl", "{\"n\":2}\n").push_in_vain("2");
    std::fs::remove_dir_all(&agent.directory).unwrap();
    site.ready("b").write("b.md", "b\n").push();
    assert!(agent.checkout().unwrap().merged);
    assert_eq!(agent.files(), ["b.md", "q.jsonl"]);
    agent.push();
    assert_eq!(site.on_branch("q.jsonl").unwrap(), "{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(site.commits().len(), 3);
}

#[test]
fn what_others_changed_between_a_checkout_and_a_push_of_a_commit_that_waits_is_not_undone() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("plan.md", "v0\n").push();
    let other = site.ready("b");
    agent.write("own.md", "o\n").push_in_vain("1");
    other.write("plan.md", "v1\n").write("added.md", "x\n").push();
    agent.checkout().unwrap();
    other.write("plan.md", "v2\n").remove("added.md").push();
    let push = agent.push();
    assert_eq!((push.conflicts.len(), push.added), (0, vec!["own.md".to_owned()]));
    assert_eq!(site.on_branch("plan.md").unwrap(), "v2\n");
    assert_eq!(agent.files(), ["own.md", "plan.md"]);
}

#[test]
fn the_files_of_one_repository_are_not_pushed_to_another() {
    let site = Site::new();
    site.git(&["init", "--quiet", "--bare", "other.git"]);
    let agent = site.ready("a");
    agent.write("plans.md", "of project A\n").push();
    let other = Source::new().remote(site.path("other.git").to_str().unwrap());
    let branches = agent.store.branches();
    let refused = branches.checkout(&agent.memory, Some(&agent.directory), &other).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
    let options = PushOptions::new().source(other);
    let refused = branches.push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
    assert_eq!(site.git(&["--git-dir", "other.git", "for-each-ref"]), "");
    // The same repository by another spelling.
    let url = format!("file://{}", site.path("remote.git").display());
    branches.checkout(&agent.memory, Some(&agent.directory), &Source::new().remote(url)).unwrap();
}

#[test]
fn links_of_the_branch_give_way_to_files_of_the_agent() {
    let site = Site::new();
    site.ready("a").write("a.md", "a\n").push();
    site.git(&["clone", "--quiet", "--branch", "memory/default", "remote.git", "clone"]);
    for link in ["link", "dir"] {
        std::os::unix::fs::symlink("a.md", site.path("clone").join(link)).unwrap();
    }
    site.git(&["-C", "clone", "add", "-A"]);
    site.git(&["-C", "clone", "commit", "--quiet", "-m", "links"]);
    site.git(&["-C", "clone", "push", "--quiet"]);
    let agent = site.ready("b");
    agent.write("link", "text\n").write("dir/x.md", "x\n").push();
    assert_eq!(agent.files(), ["a.md", "dir/x.md", "link"]);
    assert_eq!((site.on_branch("link").unwrap(), site.on_branch("dir/x.md").unwrap()), ("text\n".into(), "x\n".into()));
}

#[test]
fn a_folder_gives_way_to_a_file_of_the_branch_if_it_is_empty_then() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("n/x.md", "x\n").push();
    let other = site.ready("b");
    std::fs::create_dir_all(other.directory.join("m/deep")).unwrap();
    agent.remove("n/x.md").write("m", "a file\n");
    std::fs::remove_dir(agent.directory.join("n")).unwrap();
    agent.write("n", "another\n").push();
    other.checkout().unwrap();
    assert_eq!(other.files(), ["m", "n"]);
    // One with files that are not kept stays, and the call says so.
    let third = site.agent_with("c", serde_json::json!({"file-glob": ["*.md"]}));
    std::fs::create_dir_all(&third.directory).unwrap();
    third.write("m/own.bin", "o");
    let refused = third.checkout().unwrap_err();
    assert!(refused.to_json().contains("a folder with other files is in its place"), "{refused:?}");
    assert_eq!(third.read("m/own.bin").unwrap(), "o");
}

#[test]
fn others_that_push_between_a_killed_push_and_its_repetition_lose_nothing_and_see_nothing_twice() {
    let site = Site::new();
    let (agent, other) = (site.ready("a"), site.agent("b"));
    agent.write("plan.md", "v0\n").write("log.jsonl", "{\"n\":0}\n").write("notes.md", "T0\n").push();
    other.checkout().unwrap();
    other.write("plan.md", "v1\n").write("added.md", "x\n").push();
    agent.append("log.jsonl", "{\"n\":1}\n").append("notes.md", "A1\n");
    let faulty = crate::file_systems::Faulty::default();
    for nth in 1.. {
        faulty.arm(nth, crate::file_systems::Fault::Stop);
        if let Ok(store) = loopmem::testing::open_on(site.options(), faulty.fs(), std::env::vars_os()) {
            let options = PushOptions::new().source(agent.source());
            let _ = store.branches().push(&agent.memory, Some(&agent.directory), &options);
        }
        let is_over = !faulty.disarm();
        if site.on_branch("log.jsonl").unwrap().contains("\"n\":1") || is_over {
            break;
        }
    }
    // Before the next push that succeeds, one is refused.
    let hook = site.path("remote.git/hooks/pre-receive");
    script(&hook, "#!/bin/sh\nexit 1\n");
    agent.write("late.md", "l\n");
    let store = loopmem::Store::open(site.options().branch_attempts(1)).unwrap();
    let options = PushOptions::new().source(agent.source());
    store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    std::fs::remove_file(&hook).unwrap();
    other.push();
    other.write("plan.md", "v2\n").remove("added.md").append("notes.md", "B2\n").push();
    let push = agent.push();
    assert_eq!((push.conflicts.len(), push.added), (0, vec!["late.md".to_owned()]));
    assert_eq!(site.on_branch("plan.md").unwrap(), "v2\n");
    assert_eq!(site.on_branch("notes.md").unwrap(), "T0\nA1\nB2\n");
    assert_eq!(site.on_branch("log.jsonl").unwrap(), "{\"n\":0}\n{\"n\":1}\n");
    assert_eq!(agent.files(), ["late.md", "log.jsonl", "notes.md", "plan.md"]);
}

#[test]
fn the_growth_of_files_from_another_machine_is_measured_against_their_base() {
    let site = Site::new();
    let config = serde_json::json!({"max-patch-size": 100});
    let agent = site.ready("a");
    agent.write("big.md", "x".repeat(9_000)).push();
    let base = site.ready("elsewhere").checkout().unwrap().base.unwrap();
    let copy = site.agent_with("copy", config);
    std::fs::create_dir_all(&copy.directory).unwrap();
    copy.write("big.md", "x".repeat(9_006));
    assert!(copy.validate().ok, "without a base it is not known");
    let push = copy.try_push(PushOptions::new().base(&base)).unwrap();
    assert_eq!(push.changed, ["big.md"]);
    let refused = copy.write("more.md", "x".repeat(101)).try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
}

#[test]
fn what_a_git_that_was_ended_left_does_not_stop_the_next() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    for name in ["shallow.lock", "packed-refs.lock"] {
        std::fs::write(site.path("work/.a.loopmem/git").join(name), "").unwrap();
    }
    site.ready("b").write("b.md", "b\n").push();
    agent.checkout().unwrap();
    assert_eq!(agent.files(), ["a.md", "b.md"]);
}

#[test]
fn a_repository_with_sha_256_is_named_as_the_reason() {
    let site = Site::new();
    site.git(&["init", "--quiet", "--bare", "--object-format=sha256", "large.git"]);
    let agent = site.agent("a");
    let source = Source::new().remote(site.path("large.git").to_str().unwrap());
    let refused = agent.store.branches().checkout(&agent.memory, Some(&agent.directory), &source);
    if let Err(refused) = refused {
        assert_eq!(refused.kind(), ErrorKind::Unsupported, "{refused:?}");
    }
}

#[test]
fn a_file_that_may_be_run_may_be_run_after_a_checkout() {
    use std::os::unix::fs::PermissionsExt as _;

    let site = Site::new();
    site.ready("a").write("run.sh", "echo\n").push();
    site.git(&["clone", "--quiet", "--branch", "memory/default", "remote.git", "clone"]);
    script(&site.path("clone/run.sh"), "echo\n");
    site.git(&["-C", "clone", "commit", "--quiet", "-am", "run"]);
    site.git(&["-C", "clone", "push", "--quiet"]);
    let agent = site.ready("b");
    let mode = |path: &str| std::fs::metadata(agent.directory.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("run.sh"), 0o700);
    // What the agent set stays.
    std::fs::set_permissions(agent.directory.join("run.sh"), std::fs::Permissions::from_mode(0o644)).unwrap();
    site.ready("c").write("run.sh", "echo more\n").push();
    agent.checkout().unwrap();
    assert_eq!((mode("run.sh"), agent.read("run.sh").unwrap()), (0o644, "echo more\n".to_owned()));
}

#[test]
fn what_others_changed_is_not_undone_by_a_commit_that_waits_twice() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("n.txt", "v0\n").push();
    let other = site.ready("b");
    agent.write("own.md", "1\n").push_in_vain("1");
    other.write("n.txt", "v1\n").write("g.txt", "x\n").push();
    agent.checkout().unwrap();
    agent.append("own.md", "2\n").push_in_vain("2");
    other.write("n.txt", "v2\n").remove("g.txt").push();
    let push = agent.push();
    assert_eq!((push.added, push.changed.len(), push.conflicts.len()), (vec!["own.md".to_owned()], 0, 0));
    assert_eq!((site.on_branch("n.txt").unwrap(), site.on_branch("g.txt")), ("v2\n".to_owned(), None));
    assert_eq!(site.on_branch("own.md").unwrap(), "1\n2\n");
}

#[test]
fn a_base_that_cannot_be_reached_is_not_taken_for_none() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").write("cfg.bin", [0, 1]).push();
    let base = site.ready("elsewhere").checkout().unwrap().base.unwrap();
    site.ready("b").write("cfg.bin", [0, 2]).push();
    let copy = site.agent("copy");
    std::fs::create_dir_all(&copy.directory).unwrap();
    copy.write("cfg.bin", [0, 1]);
    std::fs::rename(site.path("remote.git"), site.path("away.git")).unwrap();
    let refused = copy.try_push(PushOptions::new().base(&base)).unwrap_err();
    std::fs::rename(site.path("away.git"), site.path("remote.git")).unwrap();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, true), "{refused:?}");
    let push = copy.try_push(PushOptions::new().base(&base)).unwrap();
    assert_eq!((push.base.as_deref(), push.removed, push.changed.len()), (Some(&*base), vec!["a.md".to_owned()], 0));
    assert_eq!(std::fs::read(copy.directory.join("cfg.bin")).unwrap(), [0, 2]);
}

#[test]
fn what_waits_of_another_run_is_pushed_with_the_files_that_a_base_comes_with() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", "{\"r\":0}\n").push();
    let base = agent.checkout().unwrap().base.unwrap();
    agent.append("log.jsonl", "{\"r\":1}\n").write("run1.txt", "1\n").push_in_vain("1");
    // The artifact of the next run replaces the folder.
    agent.remove("run1.txt").write("log.jsonl", "{\"r\":0}\n{\"r\":2}\n");
    agent.try_push(PushOptions::new().run_id("2").base(&base)).unwrap();
    assert_eq!(site.on_branch("log.jsonl").unwrap(), "{\"r\":0}\n{\"r\":1}\n{\"r\":2}\n");
    assert_eq!(site.on_branch("run1.txt").unwrap(), "1\n");
    assert_eq!(site.commits().len(), 3);
}

#[test]
fn an_artifact_brings_back_a_folder_that_was_removed_and_belongs_to_its_branch() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").write("b.md", "b\n").push();
    agent.append("a.md", "more\n");
    let branches = agent.store.branches();
    let artifact = site.path("x.tar");
    branches.pack(&agent.memory, Some(&agent.directory), &artifact, None).unwrap();
    std::fs::remove_dir_all(&agent.directory).unwrap();
    branches.unpack(&artifact, Some(&agent.directory)).unwrap();
    assert_eq!(agent.files(), ["a.md", "b.md"]);
    let push = agent.push();
    assert_eq!((push.changed, push.removed.len()), (vec!["a.md".to_owned()], 0));
    // The folder of another repository.
    site.git(&["init", "--quiet", "--bare", "other.git"]);
    let other = site.agent("other");
    let source = Source::new().remote(site.path("other.git").to_str().unwrap());
    branches.checkout(&other.memory, Some(&other.directory), &source).unwrap();
    let refused = branches.unpack(&artifact, Some(&other.directory)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused:?}");
}

#[test]
fn a_link_planted_in_the_repository_beside_the_folder_is_not_written_through() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    let precious = site.path("precious");
    std::fs::write(&precious, "mine\n").unwrap();
    let state = site.path("work/.a.loopmem/git");
    std::os::unix::fs::symlink(&precious, state.join("FETCH_HEAD")).unwrap();
    agent.checkout().unwrap();
    assert!(!state.join("FETCH_HEAD").is_symlink());
    std::fs::rename(state.join("refs"), site.path("refs")).unwrap();
    std::os::unix::fs::symlink(site.path("refs"), state.join("refs")).unwrap();
    let refused = agent.checkout().unwrap_err();
    assert!(refused.message().contains("is a link"), "{refused}");
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine\n");
}
