//! The memory of a repository on several machines, through a branch of its own remote.

use std::path::{Path, PathBuf};

use loopmem::items::{Filter as ItemFilter, ItemDraft, ItemType, Scope};
use loopmem::memory::{Convention, Filter, Note};
use loopmem::repo::{Repo, Workspace};
use loopmem::repos::Forgetting;
use loopmem::summary::Summary;
use loopmem::sync::{Run, RunOptions};
use loopmem::{ErrorKind, Options, Store};

use crate::TestHome;
use crate::file_systems::{Fault, Faulty, fault_rotation, tries_all_faults};
use crate::identity::{Folder, git};

/// A remote, and machines with a clone of it each.
struct Site {
    folder: Folder,
    remote: PathBuf,
}

impl Site {
    fn new() -> Self {
        let folder = Folder::new();
        let remote = folder.path("remote.git");
        git(&remote, &["init", "-q", "--bare", "--initial-branch=main"]);
        let seed = folder.repository();
        git(&seed, &["push", "-q", remote.to_str().unwrap(), "main"]);
        Site { folder, remote }
    }

    /// A machine with a clone in this folder.
    fn machine(&self, name: &str) -> Machine {
        let place = self.folder.path(name);
        std::fs::remove_dir(&place).unwrap();
        git(&self.remote, &["clone", "-q", self.remote.to_str().unwrap(), place.to_str().unwrap()]);
        Machine { home: TestHome::new(), place, day: 1 }
    }

    /// The names of the files on the branch of the memory.
    fn files(&self) -> String {
        git(&self.remote, &["ls-tree", "-r", "--name-only", "memory/loopmem"])
    }

    fn show(&self, file: &str) -> String {
        git(&self.remote, &["show", &format!("memory/loopmem:{file}")])
    }

    /// Commits another version of a file to the branch, as a person would.
    fn edit(&self, file: &str, content: Option<&str>) {
        let person = self.folder.path("person");
        let _ = std::fs::remove_dir_all(&person);
        git(
            &self.remote,
            &["clone", "-q", "-b", "memory/loopmem", self.remote.to_str().unwrap(), person.to_str().unwrap()],
        );
        match content {
            Some(content) => std::fs::write(person.join(file), content).unwrap(),
            None => std::fs::remove_file(person.join(file)).unwrap(),
        }
        git(&person, &["add", "-A"]);
        git(&person, &["commit", "-q", "-m", "by hand"]);
        git(&person, &["push", "-q"]);
    }
}

/// What git needs of the environment.
fn environment() -> impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)> {
    ["PATH", "HOME"].into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
}

struct Machine {
    home: TestHome,
    place: PathBuf,
    day: u32,
}

impl Machine {
    fn options(&self) -> Options {
        let clock = format!("2026-01-{:02}T00:00:00Z", self.day);
        Options::at(self.home.root()).codex_home(self.home.codex()).clock(clock)
    }

    fn store(&self) -> Store {
        Store::open(self.options()).unwrap()
    }

    fn repo(&self) -> Repo {
        self.store().repo(&self.place).unwrap()
    }

    fn on(&self, branch: &str) -> Repo {
        let repo = self.store().repo(Workspace::at(&self.place).branch(branch)).unwrap();
        self.store().repo_at(repo.hash())
    }

    fn note(&self, id: &str, content: &str) {
        self.repo().memory().upsert(Note::draft(content).id(id)).unwrap();
    }

    fn switch_on(&self) -> Run {
        self.repo().sync().run(RunOptions::default().on(true).global_items(true)).unwrap()
    }

    fn sync(&self) -> Run {
        self.repo().sync().run(RunOptions::default()).unwrap()
    }

    /// The notes of `main`: `id content`, sorted.
    fn notes(&self) -> Vec<String> {
        let notes = self.on("main").memory().get().unwrap().notes().unwrap();
        let mut notes: Vec<String> = notes.iter().map(|note| format!("{} {}", note.id, note.content)).collect();
        notes.sort();
        notes
    }
}

fn counts(run: &Run) -> (usize, usize, usize) {
    (run.pulled, run.pushed, run.conflicts.len())
}

#[test]
fn nothing_is_sent_unless_it_was_switched_on() {
    let site = Site::new();
    let machine = site.machine("one");
    machine.note("n", "of one");
    let refused = machine.repo().sync().run(RunOptions::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    assert!(refused.message().contains("--on"), "{refused}");
    let dry = machine.repo().sync().run(RunOptions::default().on(true).dry_run(true)).unwrap();
    assert_eq!(counts(&dry), (0, 1, 0));
    assert_eq!(git(&site.remote, &["branch", "--format=%(refname:short)"]).trim(), "main");
    let status = machine.repo().sync().status().unwrap();
    assert_eq!((status.on, status.branch.as_str(), status.waiting), (false, "memory/loopmem", 0));
    machine.switch_on();
    machine.note("n2", "later");
    let off = machine.repo().sync().run(RunOptions::default().on(false)).unwrap();
    assert_eq!(off, Run::default());
    assert!(!site.show("branches/main/notes.jsonl").contains("later"));
    machine.repo().sync().run(RunOptions::default()).unwrap_err();
    // Another repository of the same home has its own switch.
    let other = site.machine("two");
    let store = machine.store();
    store.repo(&other.place).unwrap().sync().run(RunOptions::default()).unwrap_err();
}

#[test]
fn three_machines_have_everything_whatever_each_of_them_does_and_twice_is_once() {
    let site = Site::new();
    let (mut one, two, three) = (site.machine("one"), site.machine("two"), site.machine("three/deeper"));
    one.note("n1", "of one");
    one.repo().memory().upsert(Convention::draft("Use pnpm", "always").id("c1")).unwrap();
    let feature = one.store().repo(Workspace::at(&one.place).branch("feature")).unwrap();
    feature.memory().upsert(Note::draft("of a branch").id("f1")).unwrap();
    for scope in [Scope::Global, Scope::Repo] {
        let items = one.store().items(&one.place);
        items.add(ItemDraft::new(scope, ItemType::Fact, format!("an item of {scope:?}"))).unwrap();
    }
    one.repo().summaries().append(Summary::draft("run", "1", "did it")).unwrap();
    let first = one.switch_on();
    assert_eq!((counts(&first), first.commit.is_some()), ((0, 5, 0), true));
    let again = one.sync();
    assert_eq!((counts(&again), again.commit), ((0, 0, 0), None));
    let files = [
        "branches/feature/notes.jsonl",
        "branches/main/conventions.jsonl",
        "branches/main/notes.jsonl",
        "globalItems.jsonl",
        "items.jsonl",
    ];
    assert_eq!(site.files().lines().collect::<Vec<_>>(), files, "summaries are a choice");

    let brought = two.switch_on();
    assert_eq!(counts(&brought), (5, 0, 0), "{brought:?}");
    assert_eq!(two.notes(), ["n1 of one"]);
    assert_eq!(two.on("feature").memory().list(Filter::all()).unwrap().len(), 1);
    assert_eq!(two.store().items(&two.place).list(&ItemFilter::all()).unwrap().len(), 2);
    let named = two.store().repos().list().unwrap();
    assert!(named.iter().any(|it| it.branch.as_deref() == Some("feature") && it.path.as_deref() == two.place.to_str()));

    // All of them work at the same time.
    two.note("n2", "of two");
    three.note("n3", "of three");
    one.note("n4", "more of one");
    one.day = 2;
    one.note("n1", "changed by one");
    three.switch_on();
    one.sync();
    two.sync();
    two.on("main").memory().remove("n3").unwrap();
    for machine in [&three, &two, &one, &three, &two, &one] {
        assert_eq!(machine.sync().conflicts, []);
    }
    for machine in [&one, &two, &three] {
        assert_eq!(machine.notes(), ["n1 changed by one", "n2 of two", "n4 more of one"]);
        assert_eq!(counts(&machine.sync()), (0, 0, 0));
    }
    let with_summaries = Store::open(two.options().sync_summaries(true)).unwrap();
    with_summaries.repo(&two.place).unwrap().summaries().append(Summary::draft("run", "2", "did more")).unwrap();
    let run = with_summaries.repo(&two.place).unwrap().sync().run(RunOptions::default()).unwrap();
    assert_eq!(counts(&run), (0, 1, 0));
    let with_summaries = Store::open(three.options().sync_summaries(true)).unwrap();
    let run = with_summaries.repo(&three.place).unwrap().sync().run(RunOptions::default()).unwrap();
    assert_eq!(counts(&run), (1, 0, 0));
}

#[test]
fn of_two_changes_the_newer_one_stays_and_the_other_is_in_the_trash_and_named() {
    let site = Site::new();
    let (mut one, mut two) = (site.machine("one"), site.machine("two"));
    for id in ["both", "removed"] {
        one.note(id, "first");
    }
    one.switch_on();
    two.switch_on();
    (one.day, two.day) = (5, 4);
    one.note("both", "of one");
    two.note("both", "of two");
    one.note("removed", "changed by one");
    two.on("main").memory().remove("removed").unwrap();
    one.sync();
    let run = two.sync();
    let named: Vec<_> = run.conflicts.iter().map(|it| it.id.as_deref().unwrap()).collect();
    assert_eq!(named, ["both", "removed"], "{run:?}");
    for machine in [&two, &one] {
        machine.sync();
        assert_eq!(machine.notes(), ["both of one", "removed changed by one"]);
    }
    let trash = two.store().undo().list(&two.on("main")).unwrap();
    assert!(trash.iter().any(|it| it.preview == "of two"), "{trash:?}");
}

#[test]
fn what_cannot_be_reached_waits_and_a_run_that_ends_anywhere_is_completed_by_the_next() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    one.note("n1", "of one");
    one.switch_on();
    two.switch_on();
    let hidden = site.folder.path("hidden").join("remote.git");
    std::fs::rename(&site.remote, &hidden).unwrap();
    one.note("n2", "offline");
    let run = one.sync();
    assert_eq!((run.pushed, run.waiting, run.fault.is_some()), (0, 1, true), "{run:?}");
    assert_eq!(one.repo().sync().status().unwrap().waiting, 1);
    std::fs::rename(&hidden, &site.remote).unwrap();
    assert_eq!(counts(&one.sync()), (0, 1, 0));
    // What was last the same is lost, or damaged.
    let first = |folder: PathBuf| std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let state = first(first(one.home.root().join("sync")));
    for damage in [None, Some("{\"v\":1,\"lines\":7}\n"), Some("\0\0\0\0")] {
        match damage {
            Some(damage) => std::fs::write(state.join("synced.json"), damage).unwrap(),
            None => std::fs::remove_file(state.join("synced.json")).unwrap(),
        }
        assert_eq!(counts(&one.sync()), (0, 0, 0), "{damage:?}");
    }
    // So is the switch, which the doctor names, and is off then.
    std::fs::write(state.join("sync.json"), "no switch").unwrap();
    let found = one.store().doctor().fix().unwrap();
    assert!(found.findings.iter().any(|it| it.file.ends_with("sync.json")), "{found:?}");
    one.repo().sync().run(RunOptions::default()).unwrap_err();
    one.switch_on();
    // What git needs is lost.
    std::fs::remove_dir_all(state.join(".files.loopmem")).unwrap();
    one.note("n3", "after the loss");
    assert_eq!(one.sync().conflicts, []);
    two.sync();
    assert_eq!(two.notes(), ["n1 of one", "n2 offline", "n3 after the loss"]);
    // So is the memory here: all of it comes back, and nobody else loses any.
    two.repo().memory().upsert(Convention::draft("Use pnpm", "always").id("c1")).unwrap();
    two.sync();
    let memory = two.home.root().join("repos").join(two.on("main").hash().as_str()).join("memory.json");
    std::fs::remove_file(&memory).unwrap();
    two.sync();
    assert_eq!(two.notes().len(), 3);
    one.sync();
    for machine in [&one, &two] {
        assert_eq!((machine.notes().len(), machine.on("main").memory().list(Filter::all()).unwrap().len()), (3, 4));
    }
    // A file of items, too.
    one.store().items(&one.place).add(ItemDraft::new(Scope::Global, ItemType::Fact, "everywhere")).unwrap();
    one.sync();
    two.sync();
    std::fs::remove_file(two.home.codex().join("memory/items.jsonl")).unwrap();
    two.sync();
    one.sync();
    for machine in [&one, &two] {
        assert_eq!(machine.store().items(&machine.place).list(&ItemFilter::all()).unwrap().len(), 1);
    }
}

/// Neither version is made of both, and an older one never takes the place of a newer one, however late it is sent.
#[test]
fn what_was_changed_offline_does_not_replace_a_newer_version_and_neither_do_two_runs_at_once() {
    let site = Site::new();
    let (mut one, mut two) = (site.machine("one"), site.machine("two"));
    one.note("n", "first");
    one.switch_on();
    two.switch_on();
    let hidden = site.folder.path("hidden").join("remote.git");
    std::fs::rename(&site.remote, &hidden).unwrap();
    one.day = 2;
    one.note("n", "of one, offline");
    assert!(one.sync().fault.is_some());
    assert_eq!((one.sync().waiting, one.repo().sync().status().unwrap().waiting), (1, 1));
    std::fs::rename(&hidden, &site.remote).unwrap();
    two.day = 5;
    two.note("n", "of two, newer");
    two.sync();
    let late = one.sync();
    assert_eq!(late.conflicts.iter().map(|it| it.id.as_deref()).collect::<Vec<_>>(), [Some("n")], "{late:?}");
    assert_eq!(counts(&two.sync()), (0, 0, 0));
    for machine in [&one, &two] {
        assert_eq!(machine.notes(), ["n of two, newer"]);
    }
    let trash = one.store().undo().list(&one.on("main")).unwrap();
    assert!(trash.iter().any(|it| it.preview == "of one, offline"), "{trash:?}");

    for round in 0..4 {
        (one.day, two.day) = if round % 2 == 0 { (10 + round, 20) } else { (20, 10 + round) };
        one.note("n", &format!("of one, {round}"));
        two.note("n", &format!("of two, {round}"));
        one.note(&format!("one{round}"), "only here");
        std::thread::scope(|threads| {
            threads.spawn(|| one.sync());
            threads.spawn(|| two.sync());
        });
        two.sync();
        one.sync();
        let newer = if round % 2 == 0 { "two" } else { "one" };
        let notes = one.notes();
        assert_eq!(notes, two.notes());
        assert!(notes.contains(&format!("n of {newer}, {round}")), "{notes:?}");
        assert!(notes.contains(&format!("one{round} only here")), "{notes:?}");
    }
}

#[test]
fn a_remote_that_pushes_to_another_repository_is_refused_and_the_remote_of_the_identity_is_used() {
    let site = Site::new();
    let one = site.machine("one");
    one.note("n", "of one");
    git(&one.place, &["remote", "set-url", "--push", "origin", "https://example.org/other.git"]);
    let refused = one.repo().sync().run(RunOptions::default().on(true)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict, "{refused}");
    git(&one.place, &["remote", "set-url", "--push", "origin", site.remote.to_str().unwrap()]);
    // Without an origin, it is the upstream of the branch.
    git(&one.place, &["remote", "rename", "origin", "upstream"]);
    git(&one.place, &["remote", "add", "alpha", "https://example.org/other.git"]);
    assert!(one.switch_on().commit.is_some());
    assert!(site.show("branches/main/notes.jsonl").contains("of one"));
}

#[test]
fn global_items_neither_go_nor_come_unless_that_was_said() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    for machine in [&one, &two] {
        let scope = machine.place.file_name().unwrap().to_str().unwrap().to_owned();
        machine.store().items(&machine.place).add(ItemDraft::new(Scope::Global, ItemType::Fact, scope)).unwrap();
    }
    one.switch_on();
    let run = two.repo().sync().run(RunOptions::default().on(true)).unwrap();
    assert_eq!(counts(&run), (0, 0, 0));
    assert_eq!(two.store().items(&two.place).list(&ItemFilter::all()).unwrap().len(), 1);
    assert!(!site.show("globalItems.jsonl").contains("two"));
    assert_eq!(counts(&two.repo().sync().run(RunOptions::default().global_items(true)).unwrap()), (1, 1, 0));
}

#[test]
fn a_run_that_is_killed_at_any_call_loses_nothing_and_is_completed_by_the_next() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    one.note("old", "first");
    one.note("gone", "first");
    one.switch_on();
    two.switch_on();
    // A run calls the file system some hundred times and git a dozen.
    let step = if tries_all_faults() { 1 } else { 97 };
    for round in 0.. {
        // Each side adds, changes and removes something.
        let (mine, theirs) = (format!("mine{round}"), format!("theirs{round}"));
        one.note(&mine, "of one");
        one.note("old", &format!("changed {round}"));
        two.note(&theirs, "of two");
        two.on("main")
            .memory()
            .remove(if round == 0 { "gone".to_owned() } else { format!("theirs{}", round - 1) }.as_str())
            .unwrap();
        two.sync();
        let faulty = Faulty::default();
        faulty.arm(1 + round * step + fault_rotation() % step, Fault::Stop);
        let stopped = loopmem::testing::open_on(one.options(), faulty.fs(), environment())
            .and_then(|store| store.repo(&one.place)?.sync().run(RunOptions::default()));
        let was_stopped = faulty.disarm();
        assert!(was_stopped || stopped.is_ok(), "{stopped:?}");
        assert_eq!(one.sync().conflicts, [], "round {round}");
        two.sync();
        let notes = one.notes();
        assert_eq!(notes, two.notes(), "round {round}");
        assert!(notes.contains(&format!("{mine} of one")) && notes.contains(&format!("{theirs} of two")), "{notes:?}");
        assert!(notes.contains(&format!("old changed {round}")) && !notes.iter().any(|note| note.starts_with("gone")));
        if !was_stopped {
            assert!(round > 2, "there was something to interrupt");
            return;
        }
    }
}

#[test]
fn what_a_damaged_file_lacks_is_removed_nowhere_and_secrets_that_span_records_are_none() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    one.note("0", "PEM files start with -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq8 and then base64");
    one.note("1", "in between");
    one.note("2", "They end with -----END RSA PRIVATE KEY-----");
    let items = one.store().items(&one.place);
    for text in ["one", "two"] {
        items.add(ItemDraft::new(Scope::Repo, ItemType::Fact, text)).unwrap();
    }
    one.switch_on();
    two.switch_on();
    assert_eq!((two.notes().len(), one.notes().len()), (3, 3));
    let file = one.place.join(".codex/memory/items.jsonl");
    let whole = std::fs::read(&file).unwrap();
    let torn = &whole[..whole.len() - 40];
    let zeros = vec![0; whole.len()];
    for damage in [torn, &zeros, b"", b"no item\n", b"{\"id\":7}\n"] {
        std::fs::write(&file, damage).unwrap();
        let run = one.sync();
        assert_eq!(run.pushed, 0, "{run:?}");
        two.sync();
        for machine in [&one, &two] {
            let items = machine.store().items(&machine.place).list(&ItemFilter::all()).unwrap();
            assert_eq!(items.len(), 2, "{damage:?}");
        }
    }
    // The last one that is removed is removed everywhere.
    for item in two.store().items(&two.place).list(&ItemFilter::all()).unwrap() {
        two.store().items(&two.place).remove(&item.id).unwrap();
    }
    two.sync();
    one.sync();
    assert_eq!(one.store().items(&one.place).list(&ItemFilter::all()).unwrap().len(), 0);
}

/// The time-out is for locks and reads, and not for the network.
#[test]
fn a_slow_remote_fails_no_run() {
    let site = Site::new();
    let one = site.machine("one");
    git(&one.place, &["config", "remote.origin.uploadpack", "sleep 0.3; git-upload-pack"]);
    one.note("n", "of one");
    let store = Store::open(one.options().lock_timeout(std::time::Duration::from_millis(200))).unwrap();
    let run = store.repo(&one.place).unwrap().sync().run(RunOptions::default().on(true)).unwrap();
    assert!(run.commit.is_some() && run.fault.is_none(), "{run:?}");
}

#[test]
fn what_is_forgotten_is_not_brought_back_by_the_next_run_unless_it_is_switched_on_again() {
    let site = Site::new();
    let one = site.machine("one");
    one.note("n", "of one");
    one.switch_on();
    let forgotten = one.store().repos().forget(&one.repo(), Forgetting::default()).unwrap();
    assert!(forgotten.was_synchronized && !one.repo().sync().status().unwrap().on);
    one.repo().sync().run(RunOptions::default()).unwrap_err();
    assert_eq!(one.switch_on().pulled, 1);
}

#[test]
fn what_a_stranger_puts_in_the_place_of_a_file_leads_nowhere_and_is_left_alone() {
    let site = Site::new();
    let one = site.machine("one");
    one.note("n", "of one");
    one.switch_on();
    let person = site.folder.path("stranger");
    std::fs::remove_dir(&person).unwrap();
    git(
        &site.remote,
        &["clone", "-q", "-b", "memory/loopmem", site.remote.to_str().unwrap(), person.to_str().unwrap()],
    );
    let secret = site.folder.path("private").join("secret.jsonl");
    let time = "2026-01-09T00:00:00.000Z";
    let note =
        format!(r#"{{"id":"s","content":"private","source":"agent","createdAt":"{time}","updatedAt":"{time}"}}"#);
    std::fs::write(&secret, note).unwrap();
    std::fs::remove_file(person.join("branches/main/notes.jsonl")).unwrap();
    std::os::unix::fs::symlink(&secret, person.join("branches/main/notes.jsonl")).unwrap();
    std::fs::create_dir_all(person.join("branches/main/decisions.jsonl")).unwrap();
    std::fs::write(person.join("branches/main/decisions.jsonl/x"), "x").unwrap();
    std::fs::create_dir_all(person.join("branches/%2E%2E")).unwrap();
    std::fs::write(person.join("branches/%2E%2E/notes.jsonl"), "{}").unwrap();
    git(&person, &["add", "-A"]);
    git(&person, &["commit", "-q", "-m", "by a stranger"]);
    git(&person, &["push", "-q"]);
    one.repo().memory().upsert(Convention::draft("Use pnpm", "always").id("c1")).unwrap();
    let run = one.sync();
    let named: Vec<_> = run.conflicts.iter().map(|it| it.file.as_str()).collect();
    assert!(
        named.contains(&"branches/main/notes.jsonl") && named.contains(&"branches/main/decisions.jsonl"),
        "{run:?}"
    );
    assert_eq!((one.notes(), run.pushed), (vec!["n of one".to_owned()], 1));
    assert!(site.show("branches/main/conventions.jsonl").contains("pnpm"));
    assert_eq!(std::fs::read_to_string(&secret).unwrap().lines().count(), 1);
}

#[test]
fn a_branch_with_millions_of_bad_lines_is_one_conflict() {
    let site = Site::new();
    let one = site.machine("one");
    one.note("n", "of one");
    one.switch_on();
    site.edit("branches/main/notes.jsonl", Some(&"[\n".repeat(100_000)));
    let run = one.sync();
    assert_eq!(run.conflicts.len(), 1, "{:?}", run.conflicts.first());
    assert!(run.conflicts[0].what.contains("and 99999 more"), "{run:?}");
    assert_eq!(one.notes().len(), 1);
}

#[test]
fn what_is_forgotten_for_good_is_not_kept_for_the_next_run_either() {
    let site = Site::new();
    let one = site.machine("one");
    one.note("n", "the marker");
    one.switch_on();
    one.store().repos().forget(&one.repo(), Forgetting::default().purge(true)).unwrap();
    assert!(!one.repo().sync().status().unwrap().on);
    let found = std::process::Command::new("grep").arg("-rl").arg("the marker").arg(one.home.root()).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "");
}

#[test]
fn a_branch_that_a_person_edits_by_hand_removes_nothing_by_accident() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    for id in ["n1", "n2"] {
        one.note(id, "first");
    }
    one.switch_on();
    two.switch_on();
    let notes = "branches/main/notes.jsonl";
    let text = site.show(notes);
    let second = text.lines().nth(1).unwrap();
    let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    let time = "2026-01-01T00:00:00.000Z";
    let added = format!(
        r#"{{"id":"n9","content":"token {token}","source":"manual","createdAt":"{time}","updatedAt":"{time}"}}"#
    );
    site.edit(notes, Some(&format!("<<<<<<< HEAD\n{second}\n{{\"id\":\"n1\",\"con\n{added}\n")));
    let run = one.sync();
    assert_eq!(run.conflicts.len(), 1, "{run:?}");
    assert!(
        run.conflicts.iter().all(|it| it.file == notes && it.what.contains("(and 1 more) is left as it is")),
        "{run:?}"
    );
    two.sync();
    for machine in [&one, &two] {
        let notes = machine.notes();
        assert_eq!((notes.len(), &notes[..2]), (3, &["n1 first".to_owned(), "n2 first".to_owned()][..]));
        assert!(!notes[2].contains(&token), "{notes:?}");
    }
    assert!(site.show(notes).contains("<<<<<<< HEAD"), "what is not ours stays");
    site.edit(notes, None);
    let run = one.sync();
    assert!(run.conflicts.iter().any(|it| it.what.contains("written again")), "{run:?}");
    two.sync();
    assert_eq!((one.notes().len(), two.notes().len()), (3, 3));
    // A folder that no branch can have, and files of others, are left alone.
    for file in ["branches/main/other.txt", "readme.md"] {
        site.edit(file, Some("of a person\n"));
    }
    assert_eq!(counts(&one.sync()).0, 0);
    assert_eq!(site.show("readme.md").trim(), "of a person");
}

#[test]
fn what_git_tracks_and_what_has_no_remote_is_left_alone() {
    let site = Site::new();
    let one = site.machine("one");
    let items = one.store().items(&one.place);
    items.add(ItemDraft::new(Scope::Repo, ItemType::Fact, "private")).unwrap();
    one.switch_on();
    assert!(site.files().contains("items.jsonl"));
    git(&one.place, &["add", "-f", ".codex/memory/items.jsonl"]);
    git(&one.place, &["commit", "-q", "-m", "items"]);
    assert_eq!(counts(&one.sync()), (0, 0, 0));
    assert!(site.show("items.jsonl").contains("private"), "it is not removed for the others");
    let plain = site.folder.path("plain");
    git(&plain, &["init", "-q"]);
    let refused = one.store().repo(&plain).unwrap().sync().run(RunOptions::default().on(true)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    let by_hash = one.store().repo_at(one.repo().hash());
    assert_eq!(by_hash.sync().status().unwrap().remote_url, None);
    assert_eq!(by_hash.sync().run(RunOptions::default().on(true)).unwrap_err().kind(), ErrorKind::Unsupported);
    let _: &Path = &one.place;
}

#[test]
fn a_record_that_cannot_be_stored_today_is_removed_nowhere() {
    let site = Site::new();
    let (one, two) = (site.machine("one"), site.machine("two"));
    for id in ["odd", "plain"] {
        one.note(id, "first");
    }
    one.switch_on();
    two.switch_on();
    let memory = one.home.root().join("repos").join(one.on("main").hash().as_str()).join("memory.json");
    let text = std::fs::read_to_string(&memory).unwrap();
    let (before, odd) = text.split_once(r#"{"id":"odd""#).unwrap();
    let odd = odd.replacen(r#""updatedAt":"2026-01-01T00:00:00.000Z""#, r#""updatedAt":"yesterday""#, 1);
    std::fs::write(&memory, format!(r#"{before}{{"id":"odd"{odd}"#)).unwrap();
    let run = one.sync();
    assert_eq!(run.conflicts.iter().map(|it| it.id.as_deref()).collect::<Vec<_>>(), [Some("odd")], "{run:?}");
    two.sync();
    for machine in [&one, &two] {
        assert_eq!(machine.notes(), ["odd first", "plain first"]);
    }
}

#[test]
fn many_changes_arrive_at_once_but_not_more_removals_than_the_trash_keeps() {
    let site = Site::new();
    let (mut one, mut two) = (site.machine("one"), site.machine("two"));
    one.note("kept", "first");
    let memory = one.home.root().join("repos").join(one.on("main").hash().as_str()).join("memory.json");
    let text = std::fs::read_to_string(&memory).unwrap();
    // The trash keeps 10,000 records.
    for (count, arrives) in [(9_000, true), (10_100, false)] {
        let note = |number| {
            format!(
                r#"{{"id":"n{number}","content":"c","source":"agent","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"}}"#
            )
        };
        let notes = (0..count).map(note).collect::<Vec<_>>().join(",\n");
        std::fs::write(&memory, text.replacen("\"notes\": [\n", &format!("\"notes\": [\n{notes},\n"), 1)).unwrap();
        one.switch_on();
        assert_eq!(two.switch_on().pulled, count + usize::from(arrives));
        std::fs::write(&memory, &text).unwrap();
        let sent = one.sync();
        assert_eq!((sent.pushed, sent.conflicts.len()), (count, 0), "{:?}", sent.conflicts.first());
        let run = two.sync();
        if arrives {
            assert_eq!((run.pulled, two.notes()), (count, vec!["kept first".to_owned()]));
            assert_eq!(two.store().undo().list(&two.on("main")).unwrap().len(), count);
        } else {
            assert!(run.conflicts.iter().any(|it| it.what.contains("more than the trash keeps")), "{run:?}");
            assert_eq!((run.pulled, two.notes().len()), (0, count + 1));
        }
    }
    let without_trash = Store::open(two.options().trash_keep_days(0)).unwrap();
    let run = without_trash.repo(&two.place).unwrap().sync().run(RunOptions::default()).unwrap();
    assert_eq!((run.pulled, two.notes()), (10_100, vec!["kept first".to_owned()]));

    (one.day, two.day) = (5, 4);
    one.note("kept", "of one");
    two.note("kept", "of two");
    one.sync();
    let without_trash = Store::open(two.options().trash_keep_days(0)).unwrap();
    let run = without_trash.repo(&two.place).unwrap().sync().run(RunOptions::default()).unwrap();
    assert!(run.conflicts[0].what.contains("the version here stays"), "{run:?}");
    assert_eq!(two.notes(), ["kept of two"]);
}
