//! `merge-driver` and `install git`, with git itself.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]
#![cfg(target_os = "linux")]

mod place;

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use place::{Place, text};

const ITEMS: &str = ".codex/memory/items.jsonl";
const LINE: &str = "**/.codex/memory/*.jsonl merge=loopmem\n";

/// A repository with one commit.
fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("work")).unwrap();
    place.git_succeeds("work", &["init", "-q", "-b", "main"]);
    place.write("work/README.md", "1\n2\n3\n");
    place.commit("first");
    place
}

impl Place {
    fn commit(&self, message: &str) {
        self.git_succeeds("work", &["add", "-A"]);
        self.git_succeeds("work", &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Runs the command in the work tree, and must succeed.
    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.run_in("work", arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The contents of all items that apply in a folder, sorted.
    fn items(&self, folder: &str) -> Vec<String> {
        let listed = self.run_in(folder, &["--json", "items", "list"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let items = listed.as_array().or_else(|| listed["items"].as_array()).unwrap();
        let mut items: Vec<String> = items.iter().map(|it| it["content"].as_str().unwrap().to_owned()).collect();
        items.sort();
        items
    }

    /// Makes a change on a new branch and another one on `main`, and merges.
    fn merge(&self, theirs: impl Fn(&Place), ours: impl Fn(&Place)) -> (bool, String) {
        self.git_succeeds("work", &["checkout", "-q", "-b", "topic"]);
        theirs(self);
        self.commit("theirs");
        self.git_succeeds("work", &["checkout", "-q", "main"]);
        ours(self);
        self.commit("ours");
        let merged = self.git("work", &["merge", "-q", "--no-edit", "topic"]);
        self.git_succeeds("work", &["branch", "-D", "-q", "topic"]);
        merged
    }
}

#[test]
fn two_branches_that_each_add_items_merge_without_a_conflict() {
    let place = repository();
    let add = |words: &'static [&'static str]| {
        move |place: &Place| drop(place.succeeds(&[&["items", "add"], words].concat()))
    };
    // As it is without the driver.
    place.succeeds(&["items", "add", "Of both."]);
    place.commit("items");
    let (merged, _) = place.merge(add(&["Of them."]), add(&["Of us."]));
    assert!(!merged, "git merges lines at the end of a file as a conflict");
    place.git_succeeds("work", &["merge", "--abort"]);
    for options in [[].as_slice(), &["--shared"]] {
        place.succeeds(&[&["install", "git"], options].concat());
        place.commit("attributes, if they are shared");
        let (merged, said) = place.merge(add(&["More of them."]), add(&["More of us."]));
        assert!(merged, "{said}");
        // Those of a folder too.
        fs::create_dir_all(place.path("work/api")).unwrap();
        let (merged, said) = place.merge(
            add(&["--scope", "dir", "--dir", "api", "Theirs of the folder."]),
            add(&["--scope", "dir", "--dir", "api", "Ours of the folder."]),
        );
        assert!(merged, "{said}");
        place.succeeds(&[&["uninstall", "git"], options].concat());
        place.commit("without attributes");
    }
    let items = place.items("work");
    let count = |content: &str| items.iter().filter(|item| *item == content).count();
    assert_eq!((count("Of both."), count("More of them."), count("More of us.")), (1, 2, 2), "{items:?}");
    assert!(!place.read(&format!("work/{ITEMS}")).contains("<<<<"));
    let folder = place.read("work/api/.codex/memory/items.jsonl");
    assert_eq!(folder.lines().filter(|line| line.contains("of the folder")).count(), 4, "{folder}");
    let statistics = place.succeeds(&["--json", "items", "stats"]);
    assert!(!statistics.contains("<<<"), "{statistics}");
}

#[test]
fn a_linked_work_tree_merges_the_items_that_it_tracks() {
    let place = repository();
    place.succeeds(&["items", "add", "Of both."]);
    place.commit("items");
    place.git_succeeds("work", &["worktree", "add", "-q", "-b", "linked", "../linked"]);
    // Installed from there, it holds for the whole repository.
    assert!(place.run_in("linked", &["install", "git"]).status.success());
    assert!(place.run_in("linked", &["items", "add", "Of the linked one."]).status.success());
    place.git_succeeds("linked", &["commit", "-q", "-a", "-m", "linked"]);
    place.succeeds(&["items", "add", "Of the main one."]);
    place.commit("main");
    let (merged, said) = place.git("linked", &["merge", "-q", "--no-edit", "main"]);
    assert!(merged, "{said}");
    assert_eq!(place.items("linked"), ["Of both.", "Of the linked one.", "Of the main one."]);
    assert_eq!(place.items("work"), ["Of both.", "Of the main one."]);
}

#[test]
fn an_item_that_both_branches_changed_is_a_conflict_that_names_it_and_leaves_a_readable_file() {
    let place = repository();
    place.succeeds(&["install", "git"]);
    let version = |n: u32, more: &str| format!("{{\"id\":\"it-1\",\"n\":{n}}}\n{{\"id\":\"it-2\",\"n\":1}}\n{more}");
    place.write(&format!("work/{ITEMS}"), version(1, ""));
    place.commit("items");
    let write = |text: String| move |place: &Place| drop(place.write(&format!("work/{ITEMS}"), &text));
    let (merged, said) = place.merge(write(version(3, "{\"id\":\"t\"}\n")), write(version(2, "{\"id\":\"o\"}\n")));
    assert!(!merged);
    assert!(said.contains(&format!("{ITEMS}: both sides changed it-1;")), "{said}");
    assert!(said.contains("git show :3:PATH"), "{said}");
    assert_eq!(place.read(&format!("work/{ITEMS}")), version(2, "{\"id\":\"t\"}\n{\"id\":\"o\"}\n"));
    let unmerged = place.status(&["ls-files", "--unmerged"]);
    assert_eq!(unmerged.lines().count(), 3, "{unmerged}");
    assert_eq!(place.status(&["show", &format!(":3:{ITEMS}")]), version(3, "{\"id\":\"t\"}\n"));
}

impl Place {
    /// What git prints in the work tree.
    fn status(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.path("work")).output().unwrap();
        text(&output.stdout)
    }
}

#[test]
fn attributes_of_a_stranger_that_name_the_driver_for_every_file_change_nothing_about_other_files() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let place = repository();
    place.succeeds(&["install", "git"]);
    place.write("work/.gitattributes", "* merge=loopmem\n");
    let names = ["main.rs", "$(touch pwned).rs", "it's; touch pwned", "-x.md", "a b.txt", "--json", "é.md"];
    let all =
        |place: &Place, text: &str| names.iter().for_each(|name| drop(place.write(&format!("work/{name}"), text)));
    all(&place, "1\n2\n3\n4\n5\n6\n7\n");
    place.write("work/image", b"\0\x01");
    place.write("work/broken.json", "{");
    place.write("work/plain.json", "{\"a\": 1}\n");
    place.commit("files");
    let (merged, said) = place.merge(
        |place| {
            all(place, &format!("1\n2\n3\n4\n5\n6\n{token}\n"));
            place.write("work/plain.json", "{\"a\": 1, \"t\": 2}\n");
        },
        |place| {
            all(place, "one\n2\n3\n4\n5\n6\n7\n");
            place.write("work/plain.json", "{\"a\": 1, \"o\": 2}\n");
        },
    );
    // As git merges them: source files are not redacted.
    assert!(merged, "{said}");
    for name in names {
        assert_eq!(place.read(&format!("work/{name}")), format!("one\n2\n3\n4\n5\n6\n{token}\n"), "{name}");
    }
    assert_eq!(place.read("work/plain.json"), "{\"a\": 1, \"o\": 2, \"t\": 2}\n");
    assert!(!place.path("work/pwned").exists());
    // A conflict has git's own markers; what is neither text nor JSON stays.
    let (merged, said) = place.merge(
        |place| {
            place.write("work/main.rs", "theirs\n");
            place.write("work/image", b"\0\x02");
            place.write("work/broken.json", "{{");
        },
        |place| {
            place.write("work/main.rs", "ours\n");
            place.write("work/image", b"\0\x03");
            place.write("work/broken.json", "{{{");
        },
    );
    assert!(!merged);
    assert_eq!(place.read("work/main.rs"), "<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n");
    assert_eq!(fs::read(place.path("work/image")).unwrap(), b"\0\x03");
    assert_eq!(place.read("work/broken.json"), "{{{");
    assert!(said.contains("broken.json: both sides changed the same thing, or a version cannot be read"), "{said}");
    assert_eq!(place.status(&["diff", "--name-only", "--diff-filter=U"]), "broken.json\nimage\nmain.rs\n");
    let left = place.status(&["status", "--porcelain", "--ignored"]);
    assert!(!left.contains("??") && !left.contains("!!"), "{left}");
}

#[test]
fn a_secret_of_others_is_redacted_where_records_are_merged() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let place = repository();
    place.succeeds(&["install", "git"]);
    place.write(&format!("work/{ITEMS}"), "{\"id\":\"a\"}\n");
    place.commit("items");
    let append = |line: String| {
        move |place: &Place| drop(place.write(&format!("work/{ITEMS}"), format!("{{\"id\":\"a\"}}\n{line}\n")))
    };
    let theirs = append(format!("{{\"id\":\"t\",\"content\":\"use {token}\"}}"));
    let (merged, said) = place.merge(theirs, append("{\"id\":\"o\"}".to_owned()));
    assert!(merged, "{said}");
    let items = place.read(&format!("work/{ITEMS}"));
    assert!(items.contains("use [REDACTED:github-pat:") && items.contains("\"o\""), "{items}");
    assert!(!items.contains(&token) && !said.contains(&token), "{said}");
}

#[test]
fn installing_is_idempotent_and_uninstalling_leaves_every_other_byte() {
    for (attributes, shared) in [
        (None, None),
        (Some("*.png binary"), Some("*.md text\r\n*.sh text eol=lf\r\n")),
        (Some("# mine\n\n*.png binary\n"), None),
        (Some("\u{feff}*.png binary\n"), Some("\u{feff}*.md text")),
    ] {
        let place = repository();
        let config =
            place.read("work/.git/config") + "; mine\n[merge \"other\"]\n\tdriver = true # mine\n[core]\n\tpager=cat\n";
        place.write("work/.git/config", &config);
        let [info, tree] = ["work/.git/info/attributes", "work/.gitattributes"];
        attributes.map(|text| place.write(info, text));
        shared.map(|text| place.write(tree, text));
        let state = || ["work/.git/config", info, tree].map(|path| fs::read(place.path(path)).ok());
        let before = state();
        for options in [[].as_slice(), &["--shared"]] {
            let run = |verb: &str, more: &[&str]| place.succeeds(&[&[verb, "git"], options, more].concat());
            let would = run("install", &["--dry-run"]);
            assert_eq!(state(), before, "a dry run");
            let did = run("install", &[]);
            assert_eq!(would.replace("would set", "set").replace("would add", "added"), did);
            let file = if options.is_empty() { info } else { tree };
            let mark = "\u{feff}";
            assert_eq!(place.read(file).trim_start_matches(mark).lines().next(), LINE.lines().next(), "{did}");
            let installed = state();
            assert_ne!(installed, before);
            assert_eq!(run("install", &[]), "nothing to change\n");
            assert_eq!(state(), installed);
            run("uninstall", &["--dry-run"]);
            assert_eq!(state(), installed);
            run("uninstall", &[]);
            assert_eq!(state().map(|it| it.map(|it| text(&it))), before.clone().map(|it| it.map(|it| text(&it))));
            assert_eq!(run("uninstall", &[]), "nothing to change\n");
        }
    }
}

#[test]
fn what_somebody_else_set_is_kept_and_what_overrides_the_line_is_named() {
    let place = repository();
    place.git_succeeds("work", &["config", "merge.loopmem.driver", "other %A"]);
    let refused = place.run_in("work", &["install", "git"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("merge.loopmem.driver is set to \"other %A\""), "{refused:?}");
    assert_eq!(place.succeeds(&["uninstall", "git"]), "nothing to change\n");
    assert_eq!(place.status(&["config", "merge.loopmem.driver"]), "other %A\n");
    place.git_succeeds("work", &["config", "--unset", "merge.loopmem.driver"]);
    place.git_succeeds("work", &["config", "merge.loopmem.name", "mine"]);
    place.write("work/.git/info/attributes", "*.jsonl merge=union\n");
    let installed = place.run_in("work", &["install", "git"]);
    assert!(installed.status.success());
    assert!(text(&installed.stderr).contains("merge=union for .codex/memory/items.jsonl"), "{installed:?}");
    // The program has moved.
    let driver = place.status(&["config", "merge.loopmem.driver"]);
    let moved = driver.trim_end().replace("'/", "'/old/");
    place.git_succeeds("work", &["config", "merge.loopmem.driver", &moved]);
    place.succeeds(&["install", "git"]);
    assert_eq!(place.status(&["config", "--get-all", "merge.loopmem.driver"]), driver);
    place.succeeds(&["uninstall", "git"]);
    assert_eq!(place.status(&["config", "--get-regexp", "merge.loopmem"]), "merge.loopmem.name mine\n");
}

#[test]
fn no_link_is_written_through_and_outside_of_a_repository_nothing_is_written() {
    let place = repository();
    let elsewhere = place.write("elsewhere/file", "mine");
    let folder = place.path("elsewhere");
    for (link, target, options) in [
        ("work/.gitattributes", elsewhere.as_str(), ["--shared"].as_slice()),
        ("work/.gitattributes", "nowhere", &["--shared"]),
        ("work/.git/info/attributes", &elsewhere, &[]),
        ("work/.git/info", folder.to_str().unwrap(), &[]),
    ] {
        let link = place.path(link);
        if link.is_dir() {
            fs::remove_dir_all(&link).unwrap();
        }
        std::os::unix::fs::symlink(target, &link).unwrap();
        for verb in ["install", "uninstall"] {
            let refused = place.run_in("work", &[&[verb, "git"], options].concat());
            assert_eq!(refused.status.code(), Some(1), "{verb} {target}");
            assert!(text(&refused.stderr).contains("is a symbolic link"), "{refused:?}");
        }
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let refused = place.run_in("elsewhere", &["install", "git"]);
    assert!(text(&refused.stderr).contains("not a git repository"), "{refused:?}");
    assert_eq!(place.status(&["config", "--get-regexp", "merge.loopmem"]), "");
}

#[test]
fn the_path_of_the_program_may_have_any_characters() {
    let place = repository();
    // A hard link: a program sees where it was started from.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("it's 5% $(off) \"\\");
    fs::hard_link(env!("CARGO_BIN_EXE_loopmem"), &program).unwrap();
    let installed = Command::new(&program).args(["install", "git"]).current_dir(place.path("work")).output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
    place.succeeds(&["items", "add", "Of both."]);
    place.commit("items");
    let add = |content: &'static str| move |place: &Place| drop(place.succeeds(&["items", "add", content]));
    let (merged, said) = place.merge(add("Of them."), add("Of us."));
    assert!(merged, "{said}");
    assert_eq!(place.items("work"), ["Of both.", "Of them.", "Of us."]);
}

#[test]
fn the_driver_can_be_called_by_hand_and_tells_programs_the_outcome() {
    let place = repository();
    let driver = |arguments: &[&str]| -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
        command.arg("--home").arg(place.path("home")).args(arguments).current_dir(place.path("work"));
        command.env("HOME", place.folder.path()).stdin(Stdio::null()).output().unwrap()
    };
    for (name, text) in [("base.jsonl", ""), ("ours.jsonl", "{\"id\":1}\n"), ("theirs.jsonl", "{\"id\":2}\n")] {
        place.write(&format!("work/{name}"), text);
    }
    let merged = driver(&["--json", "merge-driver", "base.jsonl", "ours.jsonl", "theirs.jsonl"]);
    assert_eq!(text(&merged.stdout), "{\"outcome\":\"merged\",\"records\":[]}\n", "{merged:?}");
    assert_eq!(place.read("work/ours.jsonl"), "{\"id\":2}\n{\"id\":1}\n");
    let merged = driver(&["merge-driver", "base.jsonl", "ours.jsonl", "theirs.jsonl"]);
    assert_eq!((text(&merged.stdout), text(&merged.stderr)), (String::new(), String::new()));
    let failed = driver(&["merge-driver", "base.jsonl", "none.jsonl", "theirs.jsonl"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stderr).contains("none.jsonl is not a file"), "{failed:?}");
}
