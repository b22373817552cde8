//! Memory follows the work: what a repository's other identities have learned is found, named and brought back.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use loopmem::archive::Importing;
use loopmem::memory::{Filter, Note};
use loopmem::repo::Workspace;
use loopmem::repos::{Forgetting, Relation};
use loopmem::summary::Summary;
use loopmem::{DetachedHead, ErrorKind, Options, Store};
use serde_json::json;

use crate::file_systems::stop_at_every_call;
use crate::identity::{Folder, git};
use crate::{TestHome, repo};

/// A repository whose user works on it, and a store that they open anew each time.
struct Week {
    home: TestHome,
    folder: Folder,
    place: PathBuf,
}

impl Week {
    fn new() -> Self {
        let folder = Folder::new();
        let place = folder.path("app");
        Week { home: TestHome::new(), folder, place }
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.place, arguments);
    }

    fn commit(&self, message: &str) {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn note(&self, content: &str) {
        self.home.open().repo(&self.place).unwrap().memory().upsert(Note::draft(content)).unwrap();
    }

    fn notice(&self) -> Option<String> {
        self.home.open().repo(&self.place).unwrap().context(4_000).build().unwrap().notice
    }

    fn has(&self, notes: &[&str]) -> bool {
        let pack = self.home.open().repo(&self.place).unwrap().context(4_000).build().unwrap();
        notes.iter().all(|note| pack.text.contains(note))
    }

    /// Does what the notice says until all of these are in the pack. Whatever is not has to be in a notice.
    fn brings_back(&self, notes: &[&str], reason: &str) {
        let first = self.notice().unwrap_or_else(|| panic!("no sentence says how to get {notes:?} back"));
        assert!(first.contains(reason), "{first}");
        for _ in 0..4 {
            if self.has(notes) {
                return;
            }
            let notice = self.notice().unwrap_or_else(|| panic!("no sentence says how to get {notes:?} back"));
            let command = notice.split('`').nth(1).unwrap().strip_prefix("loopmem repo ").unwrap();
            let (verb, argument) = command.split_once(' ').unwrap();
            let store = self.home.open();
            match verb {
                "adopt" => drop(store.repo(&self.place).unwrap().adopt(argument, false).unwrap()),
                "move" => {
                    let moved = store.repos().move_folder(Path::new(argument), Some(&self.place), false).unwrap();
                    assert!(moved.identities.iter().all(|one| one.fault.is_none()), "{moved:?}");
                }
                other => panic!("{other}"),
            }
        }
        panic!("{notes:?} did not come back");
    }

    fn loses_nothing(&self, notes: &[&str]) {
        assert!(self.has(notes), "{notes:?}");
    }
}

#[test]
fn a_week_of_git_loses_no_record_without_a_sentence_that_brings_it_back() {
    let mut week = Week::new();
    week.note("before git");
    week.git(&["init", "-q", "--initial-branch=main"]);
    week.brings_back(&["before git"], "this folder before it was a repository");
    week.note("before the first commit");
    week.commit("one");
    week.loses_nothing(&["before git", "before the first commit"]);
    let renamed = week.folder.path("renamed").join("app1");
    std::fs::rename(&week.place, &renamed).unwrap();
    week.place = renamed;
    week.brings_back(&["before git", "before the first commit"], "(no longer there)");
    week.note("on main");
    let mut all = vec!["before git", "before the first commit", "on main"];

    week.git(&["remote", "add", "origin", "https://example.org/team/app.git"]);
    week.brings_back(&all, "this folder without a remote");
    for (url, reason) in [
        ("https://example.org/team/app", "with the remote https://example.org/team/app.git"),
        ("git@example.org:Team/App.git", "with the remote https://example.org/team/app"),
        ("ssh://git@example.org:2222/team/app", "with the remote ssh://example.org/Team/App"),
    ] {
        week.git(&["remote", "set-url", "origin", url]);
        week.brings_back(&all, reason);
        assert_eq!(week.notice(), None, "{url}: the identities before are known by the one that was adopted");
    }

    week.git(&["checkout", "-q", "-b", "feature"]);
    week.loses_nothing(&all);
    week.commit("two");
    week.note("on feature");
    week.commit("three");
    week.git(&["checkout", "-q", "main"]);
    week.git(&["merge", "-q", "--no-ff", "-m", "Merge", "feature"]);
    all.push("on feature");
    let again = week.notice().unwrap();
    assert!(again.contains("branch feature (merged on "), "{again}");
    week.git(&["branch", "-q", "-d", "feature"]);
    week.brings_back(&all, "branch feature (merged on ");

    week.git(&["checkout", "-q", "--detach"]);
    week.loses_nothing(&all);
    week.commit("on no branch");
    week.note("detached");
    week.git(&["checkout", "-q", "main"]);
    all.push("detached");
    week.brings_back(&all, "the detached commit ");

    let linked = week.folder.path("linked");
    std::fs::remove_dir(&linked).unwrap();
    week.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let main = std::mem::replace(&mut week.place, linked.clone());
    week.loses_nothing(&all);
    week.note("in a work tree");
    week.place = main;
    week.git(&["worktree", "remove", linked.to_str().unwrap()]);
    week.git(&["branch", "-q", "-D", "side"]);
    week.git(&["branch", "-q", "side"]);
    week.git(&["checkout", "-q", "side"]);
    all.push("in a work tree");
    week.brings_back(&all, "branch side in the work tree ");
    all.pop();
    week.git(&["checkout", "-q", "main"]);
    week.git(&["branch", "-q", "-D", "side"]);
    all.push("in a work tree");
    week.brings_back(&all, "branch side (gone; its last known commit is merged)");

    week.git(&["checkout", "-q", "-b", "later"]);
    week.note("on later");
    week.git(&["checkout", "-q", "main"]);
    let renamed = week.folder.path("renamed").join("app2");
    std::fs::rename(&week.place, &renamed).unwrap();
    week.place = renamed;
    week.brings_back(&all, "(no longer there)");
    week.git(&["checkout", "-q", "later"]);
    week.loses_nothing(&["on later"]);
    week.git(&["checkout", "-q", "main"]);

    let clone = week.folder.path("second");
    std::fs::remove_dir(&clone).unwrap();
    git(&week.place, &["clone", "-q", week.place.to_str().unwrap(), clone.to_str().unwrap()]);
    week.place = clone;
    week.git(&["remote", "set-url", "origin", "git@example.org:team/app.git"]);
    week.brings_back(&all, "the clone ");
    assert_eq!(week.notice(), None);

    let (archive, first) = (week.folder.path("backup").join("all.tar.zst"), week.home.open());
    first.archives().export(&archive).unwrap();
    let machine = week.folder.path("machine").join("app");
    git(&week.place, &["clone", "-q", week.place.to_str().unwrap(), machine.to_str().unwrap()]);
    git(&machine, &["remote", "set-url", "origin", "git@example.org:team/app.git"]);
    week.home = TestHome::new();
    week.home.open().archives().import(&archive, &Importing::default().map(&week.place, &machine)).unwrap();
    week.place = machine;
    week.loses_nothing(&all);
}

/// A repository with an identity on `main` and another one on `side`.
struct Two {
    home: TestHome,
    folder: Folder,
    place: PathBuf,
}

impl Two {
    fn new() -> Self {
        let folder = Folder::new();
        let place = folder.repository();
        Two { home: TestHome::new(), folder, place }
    }

    fn store(&self, time: &str) -> Store {
        Store::open(Options::at(self.home.root()).codex_home(self.home.codex()).clock(time)).unwrap()
    }

    fn note(&self, branch: &str, id: &str, content: &str, day: u32) {
        let store = self.store(&format!("2026-01-{day:02}T00:00:00Z"));
        let repo = store.repo(Workspace::at(&self.place).branch(branch)).unwrap();
        repo.memory().upsert(Note::draft(content).id(id)).unwrap();
    }

    fn remove(&self, branch: &str, id: &str) {
        let store = self.home.open();
        let repo = store.repo(Workspace::at(&self.place).branch(branch)).unwrap();
        assert!(store.repo_at(repo.hash()).memory().remove(id).unwrap());
    }

    /// The notes of a branch: `id content`, sorted.
    fn notes(&self, branch: &str) -> Vec<String> {
        let store = self.home.open();
        let repo = store.repo(Workspace::at(&self.place).branch(branch)).unwrap();
        let records = store.repo_at(repo.hash()).memory().get().unwrap().notes().unwrap();
        let mut notes: Vec<String> = records.iter().map(|note| format!("{} {}", note.id, note.content)).collect();
        notes.sort();
        notes
    }

    fn adopt(&self, dry_run: bool) -> loopmem::repos::Adoption {
        let store = self.store("2026-02-01T00:00:00Z");
        store.repo(Workspace::at(&self.place).branch("main")).unwrap().adopt("side", dry_run).unwrap()
    }
}

#[test]
fn records_are_merged_by_what_each_side_changed() {
    let two = Two::new();
    for (id, day) in [
        ("same", 1),
        ("theirs", 1),
        ("ours", 1),
        ("both-ours", 1),
        ("both-theirs", 1),
        ("gone", 1),
        ("gone-changed", 1),
    ] {
        two.note("side", id, "first", day);
    }
    let first = two.adopt(false);
    assert_eq!((first.copied.total(), first.kept_aside.len()), (7, 0));
    assert_eq!(two.notes("main"), two.notes("side"));

    two.note("side", "theirs", "second", 3);
    two.note("main", "ours", "second", 2);
    two.note("main", "both-ours", "ours", 5);
    two.note("side", "both-ours", "theirs", 4);
    two.note("main", "both-theirs", "ours", 4);
    two.note("side", "both-theirs", "theirs", 5);
    two.remove("main", "gone");
    two.remove("main", "gone-changed");
    two.note("side", "gone-changed", "second", 3);
    two.note("side", "new", "first", 3);
    let before = two.notes("main");
    let counted = two.adopt(true);
    assert_eq!(two.notes("main"), before, "a dry run writes nothing");
    let second = two.adopt(false);
    for adoption in [&counted, &second] {
        let aside: Vec<_> = adoption.kept_aside.iter().map(|it| (it.id.as_str(), it.is_theirs)).collect();
        assert_eq!(aside, [("both-ours", true), ("both-theirs", false)]);
        assert_eq!((adoption.copied.total(), adoption.merged.total(), adoption.deduplicated.total()), (2, 2, 3));
    }
    let expected = [
        "both-ours ours",
        "both-theirs theirs",
        "gone-changed second",
        "new first",
        "ours second",
        "same first",
        "theirs second",
    ];
    assert_eq!(two.notes("main"), expected);
    let store = two.store("2026-02-01T00:00:00Z");
    let main = store.repo(Workspace::at(&two.place).branch("main")).unwrap();
    let trash = store.undo().list(&main).unwrap();
    let mut kept: Vec<_> =
        trash.iter().filter(|it| it.record_id.starts_with("both")).map(|it| it.preview.as_str()).collect();
    kept.sort_unstable();
    assert_eq!(kept, ["ours", "theirs"]);

    let third = two.adopt(false);
    assert_eq!(
        (third.copied.total(), third.merged.total(), third.kept_aside.len()),
        (0, 0, 0),
        "repeating changes nothing"
    );
    assert_eq!(two.notes("main"), expected);
    // Neither does it after a crash before what was adopted could be remembered.
    std::fs::remove_file(two.home.root().join("repos").join(main.hash().as_str()).join("adopted.json")).unwrap();
    two.adopt(false);
    let again = two.notes("main");
    assert_eq!(
        again.iter().filter(|note| !note.starts_with("gone ")).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}

#[test]
fn an_adoption_that_is_killed_at_any_call_is_completed_by_the_next() {
    let mut two = Two::new();
    stop_at_every_call(|fs, nth| {
        two.home = TestHome::new();
        two.note("main", "both", "ours", 4);
        two.note("side", "both", "theirs", 5);
        two.note("side", "new", "first", 3);
        let options = Options::at(two.home.root()).codex_home(two.home.codex()).clock("2026-02-01T00:00:00Z");
        let adopt = |store: Store| store.repo(Workspace::at(&two.place).branch("main"))?.adopt("side", false);
        let _ = loopmem::testing::open_on(options, fs, []).and_then(adopt);
        two.adopt(false);
        assert_eq!(two.notes("main"), ["both theirs", "new first"], "stopped at {nth}");
        let store = two.store("2026-02-01T00:00:00Z");
        let trash = store.undo().list(&store.repo(Workspace::at(&two.place).branch("main")).unwrap()).unwrap();
        assert!(trash.iter().any(|it| it.preview == "ours"), "stopped at {nth}: {trash:?}");
    });
}

#[test]
fn ten_thousand_identities_of_one_remote_are_listed_in_time() {
    let two = Two::new();
    let note = r#"{"schemaVersion":1,"notes":[{"id":"of-another","content":"c","source":"agent","createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}]}"#;
    // Some seconds, for 20,000 files.
    for number in 0..10_000 {
        let folder = two.home.root().join("repos").join(format!("{number:064x}"));
        std::fs::create_dir_all(&folder).unwrap();
        let names = json!({"schemaVersion": 1, "repoHash": format!("{number:064x}"), "path": two.place, "branch": format!("b{number}")});
        std::fs::write(folder.join("repo.json"), names.to_string()).unwrap();
        std::fs::write(folder.join("memory.json"), note).unwrap();
    }
    two.note("side", "n1", "first", 1);
    let main = two.home.open().repo(&two.place).unwrap();
    assert_eq!(main.relatives().unwrap().len(), 100);
    assert_eq!(main.adopt("side", false).unwrap().copied.total(), 1);
    main.adopt(&format!("{:064x}", 1), false).unwrap();
}

#[test]
fn a_shallow_repository_has_the_relatives_that_need_no_history() {
    let two = Two::new();
    two.note("side", "n1", "first", 1);
    let shallow = two.folder.path("shallow");
    std::fs::remove_dir(&shallow).unwrap();
    git(&two.place, &["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{}", two.place.display());
    git(&two.place, &["clone", "-q", "--depth", "1", &url, shallow.to_str().unwrap()]);
    let store = two.home.open();
    store.repo(&shallow).unwrap().memory().upsert(Note::draft("of the clone")).unwrap();
    git(&shallow, &["checkout", "-q", "-b", "other"]);
    let other = store.repo(&shallow).unwrap();
    let found = other.relatives().unwrap();
    assert!(
        found.iter().any(|it| it.branch.as_deref() == Some("main") && it.relation == Relation::Branch),
        "{found:?}"
    );
    std::fs::remove_dir_all(shallow.join(".git/objects/pack")).unwrap();
    store.repo(&shallow).unwrap().relatives().unwrap();
}

#[test]
fn summaries_come_along_once() {
    let two = Two::new();
    let store = two.home.open();
    let side = store.repo(Workspace::at(&two.place).branch("side")).unwrap();
    side.summaries().append(Summary::draft("run", "1", "did it")).unwrap();
    assert_eq!((two.adopt(false).copied.total(), two.adopt(false).copied.total()), (1, 0));
    let main = store.repo(Workspace::at(&two.place).branch("main")).unwrap();
    assert_eq!(main.summaries().list(loopmem::summary::Filter::all()).unwrap().len(), 1);
}

#[test]
fn what_is_not_wanted_is_not_named_until_it_changes() {
    let two = Two::new();
    let store = two.home.open();
    two.note("side", "n1", "first", 1);
    let main = || store.repo(&two.place).unwrap();
    main().memory().upsert(Note::draft("of main")).unwrap();
    let notice = || main().context(1_000).build().unwrap().notice;
    assert!(notice().unwrap().contains("branch side (not in this clone)"));
    main().decline("side").unwrap();
    assert_eq!(notice(), None);
    assert_eq!(main().relatives().unwrap().len(), 1, "it is still there");
    // Nor is it hidden from the other branches.
    git(&two.place, &["checkout", "-q", "-b", "third"]);
    let third = store.repo(&two.place).unwrap();
    assert!(third.relatives().unwrap().iter().any(|it| it.branch.as_deref() == Some("side")));
    assert_eq!(third.adopt("side", true).unwrap().copied.total(), 1);
    git(&two.place, &["checkout", "-q", "main"]);
    two.note("side", "n2", "second", 2);
    assert!(notice().is_some());
}

#[test]
fn an_identity_is_named_by_branch_folder_or_digits_and_only_if_it_is_a_relative() {
    let two = Two::new();
    let store = two.home.open();
    two.note("side", "n1", "first", 1);
    let (main, other) = (store.repo(&two.place).unwrap(), store.repo(two.folder.path("another")).unwrap());
    other.memory().upsert(Note::draft("of another project")).unwrap();
    let [relative] = &*main.relatives().unwrap() else { panic!("the other project is none of its business") };
    assert_eq!(
        (relative.relation, relative.command.as_str(), relative.counts.total()),
        (Relation::Branch, "loopmem repo adopt side", 1)
    );
    for name in ["side", two.place.to_str().unwrap(), relative.repo_hash.as_str(), &relative.repo_hash.as_str()[..8]] {
        assert_eq!(main.adopt(name, true).unwrap().copied.total(), 1, "{name}");
    }
    for name in ["another", other.hash().as_str(), "/nowhere", "", "\u{1b}[2J"] {
        let refused = main.adopt(name, false).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotFound, "{name}");
        assert!(!refused.to_string().contains('\u{1b}'), "{refused}");
    }
    let by_hash = store.repo_at(main.hash());
    assert_eq!(by_hash.adopt("side", false).unwrap_err().kind(), ErrorKind::Unsupported);
    two.note("third", "n1", "first", 1);
    assert_eq!(
        main.adopt(two.place.to_str().unwrap(), false).unwrap_err().kind(),
        ErrorKind::Conflict,
        "both have this folder"
    );
}

#[test]
fn another_project_in_the_folder_of_an_old_one_does_not_get_its_memory() {
    let two = Two::new();
    let store = two.home.open();
    git(&two.place, &["remote", "add", "origin", "https://example.org/team/old"]);
    store.repo(&two.place).unwrap().memory().upsert(Note::draft("of the old one")).unwrap();
    std::fs::remove_dir_all(two.place.join(".git")).unwrap();
    git(&two.place, &["init", "-q", "--initial-branch=main"]);
    git(&two.place, &["commit", "-q", "--allow-empty", "-m", "another beginning"]);
    git(&two.place, &["remote", "add", "origin", "https://example.org/somebody-else/old"]);
    let new = store.repo(&two.place).unwrap();
    assert_eq!(new.relatives().unwrap(), []);
    assert_eq!(new.context(1_000).build().unwrap().notice, None);
    // Nor does a repository of the same name.
    let namesake = two.folder.path("elsewhere").join(two.place.file_name().unwrap());
    std::fs::create_dir_all(&namesake).unwrap();
    git(&namesake, &["init", "-q", "--initial-branch=main"]);
    git(&namesake, &["remote", "add", "origin", "https://example.org/another-team/old"]);
    assert_eq!(store.repo(&namesake).unwrap().relatives().unwrap(), []);
}

#[test]
fn a_relative_that_cannot_be_read_is_named_and_hinders_nothing() {
    for damage in ["no document", r#"{"schemaVersion": 9}"#] {
        let two = Two::new();
        let store = two.home.open();
        two.note("side", "n1", "first", 1);
        two.note("other", "n2", "second", 2);
        let side = store.repo(Workspace::at(&two.place).branch("side")).unwrap();
        let file = two.home.root().join("repos").join(side.hash().as_str()).join("memory.json");
        std::fs::write(&file, damage).unwrap();
        let main = two.home.open().repo(&two.place).unwrap();
        let relatives = main.relatives().unwrap();
        let faults: Vec<bool> = relatives.iter().map(|it| it.fault.is_some()).collect();
        assert_eq!((faults.iter().filter(|it| **it).count(), relatives.len()), (1, 2), "{relatives:?}");
        assert!(matches!(main.adopt("side", false).unwrap_err().kind(), ErrorKind::Parse | ErrorKind::FormatTooNew));
        assert_eq!(main.adopt("other", false).unwrap().copied.total(), 1);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), damage);
    }
}

#[test]
fn a_folder_that_is_moved_takes_its_branches_along_and_two_folders_do_not_become_one() {
    let two = Two::new();
    for (branch, id) in [("main", "n1"), ("side", "n2")] {
        two.note(branch, id, "first", 1);
    }
    let store = two.home.open();
    let refused = |old: &Path, new: Option<&Path>| store.repos().move_folder(old, new, false).unwrap_err().kind();
    assert_eq!(refused(&two.place, Some(&two.place)), ErrorKind::Validation);
    let other = two.folder.path("other");
    assert_eq!(refused(&two.place, Some(&other)), ErrorKind::Conflict, "it is still there");
    assert_eq!(refused(&two.place, Some(Path::new("/nowhere"))), ErrorKind::Validation);
    assert_eq!(refused(Path::new("/nowhere"), Some(&two.place)), ErrorKind::NotFound);
    // The new folder has memory of its own, under the same id.
    let new = two.folder.path("new").join("place");
    std::fs::rename(&two.place, &new).unwrap();
    let main = store.repo(&new).unwrap();
    main.memory().upsert(Note::draft("of the new folder").id("n1")).unwrap();
    let moving = store.repos().move_folder(&two.place, Some(&new), false).unwrap();
    assert_eq!(moving.identities.len(), 2);
    let aside: usize = moving.identities.iter().map(|it| it.kept_aside.len()).sum();
    assert_eq!(aside, 1, "{moving:?}");
    assert_eq!(main.memory().list(Filter::all()).unwrap().len(), 1);
    let side = store.repo(Workspace::at(&new).branch("side")).unwrap();
    assert_eq!(store.repo_at(side.hash()).memory().list(Filter::all()).unwrap().len(), 1);
    let named = store.repos().list().unwrap();
    let side = named.iter().find(|it| it.repo_hash == *side.hash()).unwrap();
    assert_eq!((side.path.as_deref(), side.branch.as_deref()), (new.to_str(), Some("side")));
    // Again changes nothing, and what is stored for the old folder later comes along too.
    let again = store.repos().move_folder(&two.place, Some(&new), false).unwrap();
    assert_eq!(again.identities.iter().map(|it| it.copied.total()).sum::<usize>(), 0);
    let old = again.identities.iter().find(|it| it.branch.as_deref() == Some("side")).unwrap();
    store.repo_at(&old.from_repo_hash).memory().upsert(Note::draft("late").id("late")).unwrap();
    let late = store.repos().move_folder(&two.place, Some(&new), false).unwrap();
    assert_eq!(late.identities.iter().map(|it| it.copied.total()).sum::<usize>(), 1);
}

/// Anybody can name a remote, and a relative one leads elsewhere from each folder.
#[test]
fn another_project_with_the_same_remote_is_neither_offered_nor_exported_nor_forgotten() {
    for remote in ["https://example.org/team/app", "../upstream"] {
        let (home, folder) = (TestHome::new(), Folder::new());
        let (own, other) = (folder.path("a").join("own"), folder.path("b").join("other"));
        for (place, name) in [(&own, "own"), (&other, "other")] {
            std::fs::create_dir_all(place).unwrap();
            git(place, &["init", "-q", "--initial-branch=main"]);
            git(place, &["commit", "-q", "--allow-empty", "-m", name]);
            git(place, &["remote", "add", "origin", remote]);
        }
        let store = home.open();
        store.repo(&own).unwrap().memory().upsert(Note::draft("of the one")).unwrap();
        let other = store.repo(&other).unwrap();
        assert_eq!(other.relatives().unwrap(), [], "{remote}");
        let archive = folder.path("out").join("x.jsonl");
        assert_eq!(store.archives().export_repo(&archive, &other).unwrap_err().kind(), ErrorKind::NotFound);
        let forgotten = store.repos().forget(&other, Forgetting::default().all(true).purge(true)).unwrap();
        assert_eq!(forgotten.identities, []);
        // A clone of the same project is one of all, whatever its URL looks like.
        let clone = folder.path("c").join("clone");
        git(&own, &["clone", "-q", own.to_str().unwrap(), clone.to_str().unwrap()]);
        git(&clone, &["remote", "set-url", "origin", "git@example.org:team/app.git"]);
        let counted =
            store.repos().forget(&store.repo(&clone).unwrap(), Forgetting::default().all(true).dry_run(true)).unwrap();
        assert_eq!(counted.removed.of("notes"), usize::from(remote.starts_with("https")), "{remote}");
    }
}

#[test]
fn a_damaged_ref_of_another_branch_fails_no_pack() {
    let two = Two::new();
    two.note("side", "n", "of the side", 1);
    std::fs::write(two.place.join(".git/refs/heads/side"), "").unwrap();
    let repo = two.home.open().repo(&two.place).unwrap();
    repo.memory().upsert(Note::draft("of main")).unwrap();
    assert!(repo.context(4_000).build().unwrap().text.contains("of main"));
    assert_eq!(repo.relatives().unwrap().len(), 1);
}

#[test]
fn the_trash_of_a_folder_that_is_moved_comes_along_and_so_does_what_is_not_wanted() {
    let two = Two::new();
    for (branch, id) in [("main", "n1"), ("main", "kept"), ("side", "n2")] {
        two.note(branch, id, "first", 1);
    }
    two.remove("main", "n1");
    two.store("2026-02-01T00:00:00Z").repo(&two.place).unwrap().decline("side").unwrap();
    let new = two.folder.path("new").join("place");
    std::fs::rename(&two.place, &new).unwrap();
    let store = two.store("2026-02-01T00:00:00Z");
    store.repos().move_folder(&two.place, Some(&new), false).unwrap();
    let main = store.repo(&new).unwrap();
    let removed = store.undo().list(&main).unwrap();
    assert_eq!(removed.iter().map(|it| it.record_id.as_str()).collect::<Vec<_>>(), ["n1"]);
    assert_eq!(main.context(4_000).build().unwrap().notice, None);
    // All of a project is what was stored for the old folder, too.
    let forgotten = store.repos().forget(&main, Forgetting::default().all(true).purge(true)).unwrap();
    assert_eq!(forgotten.identities.len(), 4, "{forgotten:?}");
}

#[test]
fn a_move_that_is_stopped_at_any_call_is_completed_by_the_next_and_nothing_is_lost() {
    let mut two = Two::new();
    let new = two.folder.path("new").join("place");
    stop_at_every_call(|fs, nth| {
        two.home = TestHome::new();
        for (branch, id) in [("main", "kept"), ("main", "gone"), ("side", "kept")] {
            two.note(branch, id, "first", 1);
        }
        two.remove("main", "gone");
        std::fs::rename(&two.place, &new).unwrap();
        let options = Options::at(two.home.root()).codex_home(two.home.codex()).clock("2026-01-02T00:00:00Z");
        let _ = loopmem::testing::open_on(options, fs, [])
            .and_then(|store| store.repos().move_folder(&two.place, Some(&new), false));
        let store = two.store("2026-01-02T00:00:00Z");
        store.repos().move_folder(&two.place, Some(&new), false).unwrap();
        for branch in ["main", "side"] {
            let repo = store.repo(Workspace::at(&new).branch(branch)).unwrap();
            let notes = store.repo_at(repo.hash()).memory().get().unwrap().notes().unwrap();
            assert_eq!(
                notes.iter().map(|note| note.id.as_str()).collect::<Vec<_>>(),
                ["kept"],
                "{branch}, stopped at {nth}"
            );
        }
        let removed = store.undo().list(&store.repo(&new).unwrap()).unwrap();
        assert_eq!(removed.iter().map(|it| it.record_id.as_str()).collect::<Vec<_>>(), ["gone"], "stopped at {nth}");
        std::fs::rename(&new, &two.place).unwrap();
    });
}

#[test]
fn a_ci_job_can_use_the_branch_that_its_environment_names() {
    let (home, folder) = (TestHome::new(), Folder::new());
    let path = folder.repository();
    git(&path, &["checkout", "-q", "--detach"]);
    let hash = |detached: DetachedHead, variables: &[(&str, &str)]| {
        let options = Options::at(home.root()).codex_home(home.codex()).detached(detached);
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let store = loopmem::testing::open_on(options, home.fs(), variables).unwrap();
        store.repos().identify(&path).unwrap()
    };
    let commit = hash(DetachedHead::Branch, &[]);
    assert_eq!(commit.branch, None);
    let main = home.open().repos().identify(Workspace::at(&path).branch("main")).unwrap();
    for variables in [
        &[("GITHUB_HEAD_REF", "main"), ("GITHUB_REF_NAME", "12/merge")][..],
        &[("GITHUB_REF_NAME", "main"), ("GITHUB_REF_TYPE", "branch")],
        &[("CI_COMMIT_REF_NAME", "main")],
        &[("BUILD_SOURCEBRANCH", "refs/heads/main")],
    ] {
        let identity = hash(DetachedHead::Branch, variables);
        assert_eq!(
            (identity.repo_hash, identity.branch.as_deref(), identity.detached),
            (main.repo_hash.clone(), Some("main"), true)
        );
        assert_eq!(hash(DetachedHead::Commit, variables), commit);
    }
    for variables in [
        &[("GITHUB_REF_NAME", "v1"), ("GITHUB_REF_TYPE", "tag")][..],
        &[("CI_COMMIT_REF_NAME", "v1"), ("CI_COMMIT_TAG", "v1")],
        &[("BUILD_SOURCEBRANCH", "refs/pull/1/merge")],
        &[("GITHUB_HEAD_REF", "a\u{7}b")],
    ] {
        assert_eq!(hash(DetachedHead::Branch, variables), commit, "{variables:?}");
    }
}

#[test]
fn a_mistyped_hash_is_refused_where_a_person_types_it() {
    let home = TestHome::new();
    let open =
        |is_typed| Store::open(Options::at(home.root()).codex_home(home.codex()).known_repos_only(is_typed)).unwrap();
    let write = |store: &Store| store.repo_at(&repo()).memory().upsert(Note::draft("n"));
    let refused = write(&open(true)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    assert!(refused.message().contains("--create"), "{refused}");
    assert!(!home.root().join("repos").exists());
    write(&open(false)).unwrap();
    write(&open(true)).unwrap();
    let other = "5".repeat(64);
    let params = json!({"fromRepoHash": repo(), "toRepoHash": other}).to_string();
    let refused = loopmem::methods::dispatch(&open(true), "repo.migrate", &params).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
    loopmem::methods::dispatch(&open(false), "repo.migrate", &params).unwrap();
}
