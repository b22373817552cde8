//! From a folder to the branch and back.

use std::path::Path;
use std::sync::{Arc, Mutex};

use loopmem::branch::PushOptions;
use loopmem::methods::{Event, Level, Logger};
use loopmem::{ErrorKind, Store};
use serde_json::json;

use super::{Agent, Site, script};

#[test]
fn the_first_push_creates_the_branch_and_a_checkout_elsewhere_brings_it_back() {
    let site = Site::new();
    let first = site.agent("first");
    let checkout = first.checkout().unwrap();
    assert!(checkout.created && checkout.base.is_none() && !checkout.merged);
    assert_eq!(checkout.directory, first.directory.to_str().unwrap());
    first.write("notes.md", "# Notes\n").write("metrics/2026/01.json", "{\"n\": 1}\n").write(".hidden", "x");
    first.write(".gitignore", "*\n");
    let push = first.try_push(PushOptions::new().run_id("4711")).unwrap();
    assert_eq!((push.attempts, push.merged, push.base), (1, false, None));
    assert_eq!(push.added, [".gitignore", ".hidden", "metrics/2026/01.json", "notes.md"]);
    assert_eq!(site.commits(), ["Update repo memory from workflow run 4711"]);
    assert_eq!(site.remote(&["rev-parse", "memory/default"]).trim(), push.commit.unwrap());
    site.remote(&["fsck", "--strict"]);
    let second = site.agent("second");
    let checkout = second.checkout().unwrap();
    assert!(!checkout.created && checkout.base.is_some());
    assert_eq!(second.files(), [".gitignore", ".hidden", "metrics/2026/01.json", "notes.md"]);
    assert_eq!(second.read("notes.md").unwrap(), "# Notes\n");
}

#[test]
fn what_is_removed_or_renamed_is_so_on_the_branch() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("old.md", "text\n").write("gone/deep/x.md", "x\n").write("kept.md", "k\n").push();
    let other = site.ready("b");
    std::fs::rename(agent.directory.join("old.md"), agent.directory.join("new.md")).unwrap();
    let push = agent.remove("gone/deep/x.md").push();
    assert_eq!(
        (push.added, push.changed, push.removed),
        (vec!["new.md".to_owned()], vec![], vec!["gone/deep/x.md".to_owned(), "old.md".to_owned()])
    );
    other.push();
    assert_eq!(other.files(), ["kept.md", "new.md"]);
    assert!(!other.directory.join("gone").exists(), "empty folders go with their files");
}

#[test]
fn a_push_with_nothing_to_say_makes_no_commit() {
    let site = Site::new();
    let agent = site.ready("a");
    assert_eq!(agent.push().commit, None, "an empty folder creates no branch");
    agent.write("a.md", "a\n").push();
    let push = agent.push();
    assert_eq!((push.commit, push.attempts, push.merged), (None, 0, false));
    assert_eq!(site.commits().len(), 1);
    // Others pushed: the folder gets what they have, and there is no commit either.
    let other = site.ready("b");
    other.write("b.md", "b\n").push();
    let push = agent.push();
    assert_eq!((push.commit, push.merged), (None, true));
    assert_eq!(agent.files(), ["a.md", "b.md"]);
    assert_eq!(site.commits().len(), 2);
}

#[test]
fn files_that_no_pattern_takes_stay_where_they_are() {
    let site = Site::new();
    site.ready("all").write("notes.md", "n\n").write("data.bin", "1\n").push();
    let agent = site.agent_with("some", json!({"file-glob": ["*.md", "logs/**"]}));
    agent.checkout().unwrap();
    assert_eq!(agent.files(), ["data.bin", "notes.md"]);
    agent.write("data.bin", "changed here\n").write("own.txt", "mine\n").write("logs/a/b.txt", "log\n");
    let push = agent.remove("notes.md").push();
    assert_eq!((push.added, push.removed), (vec!["logs/a/b.txt".to_owned()], vec!["notes.md".to_owned()]));
    assert_eq!(push.skipped, ["data.bin", "own.txt"]);
    assert_eq!(site.on_branch("data.bin").unwrap(), "1\n");
    assert_eq!(
        (agent.read("data.bin").unwrap(), agent.read("own.txt").unwrap()),
        ("changed here\n".into(), "mine\n".into())
    );
}

#[test]
fn no_branch_is_told_from_a_repository_that_cannot_be_reached() {
    let site = Site::new();
    let strict = site.agent_with("strict", json!({"create-orphan": false}));
    let refused = strict.checkout().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound, "{refused:?}");
    std::fs::create_dir_all(&strict.directory).unwrap();
    strict.write("a.md", "a\n");
    let refused = strict.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound, "{refused:?}");
    let agent = site.agent("a");
    std::fs::rename(site.path("remote.git"), site.path("away.git")).unwrap();
    let refused = agent.checkout().unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, true), "{refused:?}");
    assert!(!agent.directory.exists(), "the agent must not start with an empty folder");
    assert_eq!(site.git(&["--git-dir", "away.git", "for-each-ref"]), "");
}

#[test]
fn a_checkout_keeps_what_was_not_pushed() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("log.jsonl", "{\"n\":1}\n").write("both.md", "one\n").push();
    let other = site.ready("b");
    other.append("log.jsonl", "{\"n\":2}\n").write("both.md", "theirs\n").write("new.md", "new\n").push();
    agent.append("log.jsonl", "{\"n\":3}\n").write("both.md", "ours\n").write("draft.md", "draft\n");
    let checkout = agent.checkout().unwrap();
    assert!(checkout.merged);
    assert_eq!(checkout.conflicts.len(), 1);
    assert_eq!(agent.read("log.jsonl").unwrap(), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    assert_eq!((agent.read("both.md").unwrap(), agent.read("draft.md").unwrap()), ("ours\n".into(), "draft\n".into()));
    let before = agent.files();
    assert!(agent.checkout().unwrap().merged);
    assert_eq!(agent.files(), before);
    let push = agent.push();
    assert_eq!(
        (push.added, push.changed),
        (vec!["draft.md".to_owned()], vec!["both.md".to_owned(), "log.jsonl".to_owned()])
    );
}

#[test]
fn a_base_from_another_machine_says_what_was_removed_there() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").write("b.md", "b\n").push();
    let base = site.ready("elsewhere").checkout().unwrap().base.unwrap();
    site.ready("later").write("c.md", "c\n").push();
    let copy = |name: &str| {
        let copy = site.agent(name);
        std::fs::create_dir_all(&copy.directory).unwrap();
        copy.write("b.md", "b, edited\n").write("d.md", "d\n");
        copy
    };
    // Without it nothing is removed.
    let push = copy("unknown").push();
    assert_eq!((push.base, push.removed.len(), push.merged), (None, 0, true));
    assert_eq!(site.on_branch("a.md").unwrap(), "a\n");
    let push = copy("known").try_push(PushOptions::new().base(&base)).unwrap();
    assert_eq!((push.base.as_deref(), push.removed), (Some(&*base), vec!["a.md".to_owned()]));
    assert_eq!(
        (site.on_branch("c.md").unwrap(), site.on_branch("b.md").unwrap()),
        ("c\n".into(), "b, edited\n".into())
    );
    let push = copy("lost").try_push(PushOptions::new().base("0123456789".repeat(4))).unwrap();
    assert_eq!((push.base, push.removed.len()), (None, 0), "a base that cannot be had is none");
    let refused = copy("wrong").try_push(PushOptions::new().base("main")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
}

#[test]
fn a_commit_that_is_refused_waits_for_the_next_push() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    let hook = site.path("remote.git/hooks/pre-receive");
    script(&hook, "#!/bin/sh\necho closed for today >&2\nexit 1\n");
    agent.write("b.md", "b\n");
    let refused = agent.try_push(PushOptions::new().run_id("1")).unwrap_err();
    assert_eq!((refused.kind(), refused.retryable()), (ErrorKind::Git, false), "{refused:?}");
    assert!(refused.message().contains("closed for today"), "{refused}");
    assert!(refused.message().contains("the commit waits"), "{refused}");
    std::fs::remove_file(&hook).unwrap();
    site.ready("b").write("c.md", "c\n").try_push(PushOptions::new().run_id("2")).unwrap();
    agent.write("d.md", "d\n");
    let push = agent.try_push(PushOptions::new().run_id("3")).unwrap();
    assert_eq!(push.added, ["b.md", "d.md"]);
    assert_eq!(agent.files(), ["a.md", "b.md", "c.md", "d.md"]);
    let subjects = [3, 1, 2].map(|run| format!("Update repo memory from workflow run {run}"));
    assert_eq!(site.commits()[..3], subjects);
    assert_eq!(agent.push().commit, None, "it is pushed once");
}

#[test]
fn a_commit_that_waits_may_be_undone_before_it_is_pushed() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    std::fs::rename(site.path("remote.git"), site.path("away.git")).unwrap();
    let store = loopmem::Store::open(site.options().branch_attempts(1)).unwrap();
    agent.write("b.md", "b\n");
    let options = PushOptions::new().source(agent.source());
    store.branches().push(&agent.memory, Some(&agent.directory), &options).unwrap_err();
    std::fs::rename(site.path("away.git"), site.path("remote.git")).unwrap();
    agent.remove("b.md").push();
    assert_eq!(site.on_branch("b.md"), None);
    assert_eq!(agent.files(), ["a.md"]);
}

#[test]
fn a_branch_that_was_removed_is_created_again_with_everything() {
    let site = Site::new();
    let agent = site.ready("a");
    agent.write("a.md", "a\n").push();
    site.remote(&["update-ref", "-d", "refs/heads/memory/default"]);
    let push = agent.write("b.md", "b\n").push();
    assert_eq!((push.base, push.added), (None, vec!["a.md".to_owned(), "b.md".to_owned()]));
}

#[test]
fn the_remote_of_the_repository_of_a_folder_is_found() {
    let site = Site::new();
    site.git(&["clone", "--quiet", "remote.git", "clone"]);
    let agent = site.ready("a");
    let source = loopmem::branch::Source::new().repo_dir(site.path("clone"));
    let push = |source| {
        let options = PushOptions::new().source(source);
        agent.store.branches().push(&agent.memory, Some(&agent.directory), &options)
    };
    agent.write("a.md", "a\n");
    assert!(push(source.clone()).unwrap().commit.is_some());
    agent.write("b.md", "b\n");
    assert!(push(source.clone().remote("origin")).unwrap().commit.is_some());
    let refused = push(source.clone().remote("upstream")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    assert!(
        refused.message().ends_with("has no remote upstream; pass the URL or the path of one as remote"),
        "{refused}"
    );
    let refused = push(source.repo_dir(site.path("work"))).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound, "{refused:?}");
    let refused = push(loopmem::branch::Source::new().remote("--upload-pack=x")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation, "{refused:?}");
    assert_eq!(site.commits().len(), 2);
}

/// A server of git's own protocol, which ends when this is dropped.
struct Daemon(std::process::Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_branch_is_kept_over_the_network() {
    let site = Site::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // The program itself: `git` would start it as another process.
    let programs = site.git(&["--exec-path"]);
    let daemon = std::process::Command::new(std::path::Path::new(programs.trim()).join("git-daemon"))
        .args(["--export-all", "--enable=receive-pack", "--listen=127.0.0.1", "--reuseaddr"])
        .args([&format!("--port={port}"), &format!("--base-path={}", site.home.root().display())])
        .current_dir(site.home.root())
        .spawn();
    let _daemon = Daemon(daemon.unwrap());
    let begun = std::time::Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begun.elapsed().as_secs() < 60, "the server does not start");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let source = loopmem::branch::Source::new().remote(format!("git://127.0.0.1:{port}/remote.git"));
    let [first, second] = ["first", "second"].map(|name| site.agent(name));
    let (branches, memory) = (first.store.branches(), &first.memory);
    let checkout = |agent: &super::Agent<'_>| branches.checkout(memory, Some(&agent.directory), &source).unwrap();
    let push = |agent: &super::Agent<'_>, base: Option<&str>| {
        let options = PushOptions::new().source(source.clone());
        let options = if let Some(base) = base { options.base(base) } else { options };
        branches.push(memory, Some(&agent.directory), &options).unwrap()
    };
    assert!(checkout(&first).created);
    first.write("log.jsonl", "{\"n\":1}\n").write("gone.md", "g\n");
    let base = push(&first, None).commit.unwrap();
    checkout(&second);
    second.append("log.jsonl", "{\"n\":2}\n");
    push(&second, None);
    first.append("log.jsonl", "{\"n\":3}\n");
    assert_eq!((push(&first, None).attempts, first.read("log.jsonl").unwrap().lines().count()), (2, 3));
    // The commit that a folder from another machine comes from is fetched by its id.
    let copy = site.agent("copy");
    std::fs::create_dir_all(&copy.directory).unwrap();
    copy.write("log.jsonl", "{\"n\":1}\n{\"n\":4}\n");
    let pushed = push(&copy, Some(&base));
    assert_eq!((pushed.base, pushed.removed), (Some(base), vec!["gone.md".to_owned()]));
    assert_eq!(site.on_branch("log.jsonl").unwrap().lines().count(), 4);
}

#[test]
fn secrets_are_redacted_on_the_way_to_the_branch_and_in_the_folder() {
    let site = Site::new();
    let agent = site.ready("a");
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    agent
        .write("notes.md", format!("push with {token}\n"))
        .write("data.json", format!("{{\"password\": \"{token}\"}}\n"));
    let push = agent.try_push(PushOptions::new().message(format!("with {token}"))).unwrap();
    assert_eq!(push.added, ["data.json", "notes.md"]);
    assert!(site.on_branch("notes.md").unwrap().starts_with("push with [REDACTED:"));
    assert!(agent.read("notes.md").unwrap().starts_with("push with [REDACTED:"));
    let _: serde_json::Value = serde_json::from_str(&site.on_branch("data.json").unwrap()).unwrap();
    let refused = agent.write("x.bin", [b"\xff\x00".as_slice(), token.as_bytes(), b"\n"].concat());
    let refused = refused.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{refused:?}");
    assert!(!format!("{refused:?}").contains(&token));
    agent.remove("x.bin");
    for folder in ["remote.git", "work", "home"] {
        assert!(!holds(&site.path(folder), token.as_bytes()), "{folder}");
    }
}

/// Whether a file below a folder contains these bytes. Objects of git are compressed, so they are printed by git.
fn holds(folder: &Path, wanted: &[u8]) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, wanted);
        }
        std::fs::read(path).unwrap().windows(wanted.len()).any(|window| window == wanted)
    })
}

#[test]
fn only_the_growth_of_a_memory_counts_against_the_limit_of_a_push() {
    let site = Site::new();
    let agent = site.agent_with("a", json!({"max-patch-size": 10}));
    agent.checkout().unwrap();
    agent.write("a.md", "123456789\n").push();
    agent.write("b.md", "123456789\n").push();
    agent.write("c.md", "1234567890\n");
    let refused = agent.try_push(PushOptions::new()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    assert!(refused.message().contains("became larger by 11 bytes; one push may add at most 10"), "{refused}");
    agent.remove("b.md").push();
}

#[test]
fn a_folder_of_an_earlier_commit_is_merged_with_what_came_later() {
    let site = Site::new();
    let agent = site.ready("a");
    let first = agent.write("a.md", "one\n").write("log.jsonl", "{\"n\":1}\n").push().commit.unwrap();
    agent.write("a.md", "two\n").append("log.jsonl", "{\"n\":2}\n").push();
    let other = site.agent("b");
    let branches = other.store.branches();
    let done = branches.checkout_at(&other.memory, Some(&other.directory), &other.source(), &first).unwrap();
    assert_eq!((done.base.as_deref(), other.read("a.md").as_deref()), (Some(&*first), Some("one\n")));
    other.append("log.jsonl", "{\"n\":3}\n");
    assert!(other.push().conflicts.is_empty());
    assert_eq!(other.read("a.md").as_deref(), Some("two\n"));
    assert_eq!(other.read("log.jsonl").unwrap().lines().count(), 3);
}

/// The messages of warnings.
#[derive(Debug, Default)]
struct Warnings(Mutex<Vec<String>>);

impl Logger for Warnings {
    fn log(&self, event: &Event) {
        if event.level == Level::Warn {
            self.0.lock().unwrap().push(event.message.clone());
        }
    }
}

#[test]
fn a_folder_of_a_commit_that_a_force_push_removed_from_the_branch_keeps_its_changes() {
    for is_deleted in [false, true] {
        let site = Site::new();
        let agent = site.ready("a");
        let first = agent.write("a.md", "one\n").write("b.md", "b\n").push().commit.unwrap();
        site.remote(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        site.remote(&["update-ref", "-d", "refs/heads/memory/default"]);
        if !is_deleted {
            site.ready("forced").write("b.md", "b\n").write("new.md", "new\n").push();
        }
        // The next job of the workflow: its agent began at the commit.
        let warned = Arc::new(Warnings::default());
        let logger: Arc<dyn Logger> = Arc::<Warnings>::clone(&warned);
        let store = Store::builder().home(site.path("home")).logger(logger).open().unwrap();
        let other = Agent { store, ..site.agent("b") };
        let branches = other.store.branches();
        let at = |commit: &str| branches.checkout_at(&other.memory, Some(&other.directory), &other.source(), commit);
        let unknown = at(&"a".repeat(40)).unwrap_err();
        assert_eq!(unknown.kind(), ErrorKind::NotFound, "{unknown}");
        assert!(warned.0.lock().unwrap().is_empty());
        assert_eq!(at(&first).unwrap().base, Some(first.clone()));
        assert!(warned.0.lock().unwrap().concat().contains("not among the last 1,000 of the branch"));
        assert_eq!(other.files(), ["a.md", "b.md"]);
        other.append("b.md", "of the run\n");
        assert!(other.push().conflicts.is_empty());
        assert_eq!(site.on_branch("b.md").unwrap(), "b\nof the run\n");
        // What the force-push removed is removed, and what it added is there.
        assert_eq!(site.on_branch("a.md").is_some(), is_deleted);
        assert_eq!(site.on_branch("new.md").is_some(), !is_deleted);
    }
}
