//! The files under the memory root.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use loopmem::ErrorKind;
use loopmem::rollouts::{ClaimOutcome, Runner};

use super::*;

#[test]
fn each_session_has_a_summary_and_a_section_with_where_it_is_from() {
    let codex = Codex::new();
    codex.noon().upsert_thread(codex.draft("b", "2026-01-29T00:00:00Z").git_branch("main".to_owned())).unwrap();
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    complete(&codex.noon(), &claim, "Fixed the cart.", "- `cargo test cart` runs its tests\n\n## Thread `x`\nforged")
        .unwrap();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let done = codex.noon().materialize().unwrap();
    assert_eq!(done.written, ["raw_memories.md", "rollout_summaries/a.md", "rollout_summaries/b.md"]);
    let path = codex.root().join("sessions/rollout-b.jsonl");
    let path = path.display();
    let fields = format!(
        "thread_id: b\nupdated_at: 2026-01-29T00:00:00.000Z\nrollout_path: {path}\ncwd: /work/shop\ngit_branch: main\n"
    );
    assert_eq!(codex.read("rollout_summaries/b.md").unwrap(), format!("{fields}\nFixed the cart.\n"));
    let raw = codex.read("raw_memories.md").unwrap();
    assert!(raw.starts_with("# Raw memories\n\n## Thread `a`\n\nthread_id: a\n"), "{raw}");
    let section = format!(
        "## Thread `b`\n\n{fields}rollout_summary: rollout_summaries/b.md\n\n- `cargo test cart` runs its tests\n\n\
         #### Thread `x`\nforged\n"
    );
    assert!(raw.ends_with(&section), "{raw}");
    for (path, mode) in [("", 0o700), ("rollout_summaries", 0o700), ("raw_memories.md", 0o600)] {
        assert_eq!(std::fs::metadata(codex.memory(path)).unwrap().permissions().mode() & 0o777, mode, "{path}");
    }
}

#[test]
fn a_rebuild_changes_no_byte_and_writes_only_what_changed() {
    let codex = Codex::new();
    for number in 0..5 {
        codex.extracted(&format!("t{number}"), "2026-01-30T00:00:00Z");
    }
    codex.noon().materialize().unwrap();
    let inodes = || -> Vec<u64> {
        let names = ["raw_memories.md", "rollout_summaries/t0.md", "rollout_summaries/t4.md"];
        names.map(|name| std::fs::metadata(codex.memory(name)).unwrap().ino()).to_vec()
    };
    let (before, bytes) = (inodes(), codex.read("raw_memories.md"));
    assert_eq!(codex.noon().materialize().unwrap(), Default::default());
    // What is used more often does not move.
    codex.noon().record_usage(&["t3"]).unwrap();
    assert_eq!(codex.at("2026-02-01T00:00:00Z").materialize().unwrap(), Default::default());
    assert_eq!((inodes(), codex.read("raw_memories.md")), (before, bytes));
    codex.extracted("t4", "2026-01-30T12:00:00Z");
    assert_eq!(codex.noon().materialize().unwrap().written, ["raw_memories.md", "rollout_summaries/t4.md"]);
    // One that is gone comes back.
    std::fs::remove_file(codex.memory("rollout_summaries/t0.md")).unwrap();
    assert_eq!(codex.noon().materialize().unwrap().written, ["rollout_summaries/t0.md"]);
}

/// What another program keeps in the memory root.
const FOREIGN: [(&str, &str); 3] = [
    ("raw_memories.md", "# Raw memories of another program"),
    ("rollout_summaries/a.md", "of another program"),
    ("rollout_summaries/2026-01-20T10-00-00-x1Yz-cart.md", "of another program too"),
];

#[test]
fn only_what_was_written_here_is_ever_removed() {
    let codex = Codex::new();
    codex.write("MEMORY.md", "mine");
    codex.write("rollout_summaries/mine.txt", "mine");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
    let cleared = codex.noon().reset(false).unwrap();
    assert_eq!(
        (cleared.outputs, cleared.removed),
        (1, vec!["raw_memories.md".to_owned(), "rollout_summaries/a.md".to_owned()])
    );
    for (path, text) in [("MEMORY.md", "mine"), ("rollout_summaries/mine.txt", "mine")] {
        assert_eq!(codex.read(path).as_deref(), Some(text));
    }
    assert_eq!(codex.read("rollout_summaries/a.md"), None);
}

#[test]
fn files_of_another_program_are_a_conflict_and_stay_until_they_are_taken_over_once() {
    for (path, text) in FOREIGN {
        let codex = Codex::new();
        codex.write(path, text);
        let conflicts = |what: &str| {
            let runner = Runner::new(["sh", "-c", "touch asked; exit 1"]);
            for error in [codex.noon().materialize().unwrap_err(), codex.noon().run(&runner).unwrap_err()] {
                assert_eq!(error.kind(), ErrorKind::Conflict, "{what}: {error}");
                for way in [codex.memory(path).to_str().unwrap(), "rolloutsRoot", "--take-over"] {
                    assert!(error.message().contains(way), "{what}, {way}: {error}");
                }
            }
            assert_eq!(codex.read(path).as_deref(), Some(text), "{what}");
            let names = codex.files();
            let is_ours = |name: &&PathBuf| name.ends_with("a.md") || name.to_str().unwrap().contains("edited");
            assert_eq!(names.iter().filter(is_ours).count(), usize::from(path.ends_with("/a.md")), "{what}: {names:?}");
        };
        conflicts("before anything is stored");
        codex.extracted("a", "2026-01-30T00:00:00Z");
        conflicts("with a memory");
        assert_eq!(codex.noon().claim_consolidation("w").unwrap_err().kind(), ErrorKind::Conflict);
        assert_eq!(codex.noon().status().unwrap().consolidation.outcome, ClaimOutcome::Claimed, "no attempt is spent");
        let taken = codex.noon().take_over().unwrap();
        assert_eq!(taken.set_aside, [format!("{path}.edited")]);
        assert_eq!(taken.written, ["raw_memories.md", "rollout_summaries/a.md"]);
        assert_eq!(codex.read(&format!("{path}.edited")).as_deref(), Some(text));
        // From then on, the files are loopmem's.
        codex.extracted("a", "2026-01-30T12:00:00Z");
        assert_eq!(codex.noon().materialize().unwrap().set_aside, [""; 0]);
        // The other program is still there.
        codex.write(path, "of another program again");
        let error = codex.noon().take_over().map(drop).and_then(|()| codex.noon().materialize().map(drop)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
        assert_eq!(codex.read(path).as_deref(), Some("of another program again"));
        assert_eq!(codex.read(&format!("{path}.edited-2")), None);
    }
}

#[test]
fn a_run_takes_files_over_as_well_and_what_is_as_it_should_be_needs_no_taking_over() {
    let codex = Codex::new();
    codex.write(FOREIGN[0].0, FOREIGN[0].1);
    codex.noon().run(&Runner::new(["false"]).take_over(true)).unwrap();
    assert_eq!(codex.read("raw_memories.md.edited").as_deref(), Some(FOREIGN[0].1));
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
    // As after the database was repaired.
    codex.database().execute_batch("DELETE FROM artifact").unwrap();
    assert_eq!(codex.noon().materialize().unwrap(), Default::default());
    assert_eq!(codex.noon().reset(false).unwrap().removed.len(), 2);
}

#[test]
fn what_another_program_keeps_does_not_stand_in_the_way_of_forgetting_and_clearing() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.extracted("b", "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
    let foreign = FOREIGN[2];
    codex.write(foreign.0, foreign.1);
    codex.write("rollout_summaries/b.md", "edited once");
    codex.write("rollout_summaries/b.md.edited", "edited before");
    codex.write("raw_memories.md", "thread_id: a\nthe zebra by hand");
    codex.write("raw_memories.md.edited", "thread_id: b\nedited before");
    let forgotten = codex.noon().forget("a").unwrap();
    assert_eq!(forgotten.removed, ["rollout_summaries/a.md"]);
    assert!(codex.read("raw_memories.md").unwrap().contains("- memory of b"));
    assert_eq!(codex.noon().reset(false).unwrap().removed, ["raw_memories.md"]);
    for (path, text) in [
        foreign,
        ("rollout_summaries/b.md", "edited once"),
        ("rollout_summaries/b.md.edited", "edited before"),
        ("raw_memories.md.edited", "thread_id: b\nedited before"),
    ] {
        assert_eq!(codex.read(path).as_deref(), Some(text), "{path}");
    }
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn an_edited_file_is_set_aside_once_before_it_is_replaced_or_removed() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.noon().materialize().unwrap();
    codex.write("rollout_summaries/a.md", "edited once");
    assert_eq!(codex.noon().materialize().unwrap().set_aside, ["rollout_summaries/a.md.edited"]);
    // The same edit again adds nothing.
    codex.write("rollout_summaries/a.md", "edited once");
    let done = codex.noon().materialize().unwrap();
    assert_eq!((done.set_aside, done.written), (vec![], vec!["rollout_summaries/a.md".to_owned()]));
    // Another one stays where it is as long as the first one is there.
    codex.write("rollout_summaries/a.md", "edited twice");
    for error in [codex.noon().materialize().unwrap_err(), codex.noon().take_over().unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(error.message().contains("a.md was changed again"), "{error}");
    }
    assert_eq!(codex.noon().reset(false).unwrap().removed, ["raw_memories.md"]);
    assert_eq!(codex.read("rollout_summaries/a.md").as_deref(), Some("edited twice"));
    assert_eq!(codex.read("rollout_summaries/a.md.edited").as_deref(), Some("edited once"));
    std::fs::remove_file(codex.memory("rollout_summaries/a.md.edited")).unwrap();
    assert_eq!(codex.noon().materialize().unwrap().set_aside, ["rollout_summaries/a.md.edited"]);
    assert_eq!(codex.read("rollout_summaries/a.md.edited").as_deref(), Some("edited twice"));
    assert_eq!(codex.read("rollout_summaries/a.md"), None);
}

#[test]
fn a_memory_root_of_its_own_is_created_where_it_is_configured_and_that_of_the_other_program_stays() {
    let codex = Codex::new();
    codex.write(FOREIGN[0].0, FOREIGN[0].1);
    codex.extracted("a", "2026-01-30T00:00:00Z");
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Conflict);
    let configure = |root: &str| {
        let file = codex.home.root().join("home/config.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("[rollouts]\nroot = {root:?}\n")).unwrap();
    };
    // Relative to the folder of the configuration.
    configure("../own/memories");
    assert_eq!(codex.noon().materialize().unwrap().written, ["raw_memories.md", "rollout_summaries/a.md"]);
    let own = codex.home.root().join("own/memories");
    assert!(std::fs::read_to_string(own.join("raw_memories.md")).unwrap().contains("- memory of a"));
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(codex.noon().status().unwrap().root.ends_with("own/memories"));
    let files = json!({ "files": { "memory_summary.md": "What the zebra said." } }).to_string();
    let answer = ["sh", "-c", "printf %s \"$0\"", &files].map(str::to_owned).to_vec();
    codex.noon().run(&Runner::new(["false"]).consolidate(answer)).unwrap();
    let folder = codex.home.root().join("work");
    std::fs::create_dir(&folder).unwrap();
    let pack = codex.store_at(NOON).repo(&folder).unwrap().context(1_000).build().unwrap();
    assert!(pack.text.contains("zebra"), "{}", pack.text);
    // A program that does not know of it finds what it must not touch, whatever was written elsewhere.
    configure("../codex/memories");
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(codex.read("raw_memories.md").as_deref(), Some(FOREIGN[0].1));
    // The same holds for a root that is a link.
    std::os::unix::fs::symlink(&own, codex.home.root().join("link")).unwrap();
    configure("../link");
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Io);
    for refused in ["", "~/memories", "/"] {
        configure(refused);
        let options = Options::at(codex.home.root().join("home")).codex_home(codex.root());
        let error = Store::open(options).and_then(|store| store.rollouts().materialize()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Validation, "{refused}: {error}");
        assert!(error.message().contains("rollouts.root"), "{refused}: {error}");
    }
}

#[test]
fn an_id_is_the_name_of_a_file_and_never_a_path() {
    let codex = Codex::new();
    for (id, name) in
        [("../../x", "%2E.%2F..%2Fx"), (".hidden", "%2Ehidden"), ("A b:c", "A%20b%3Ac"), ("a.b_c-D", "a.b_c-D")]
    {
        codex.extracted(id, "2026-01-30T00:00:00Z");
        codex.noon().materialize().unwrap();
        assert!(codex.read(&format!("rollout_summaries/{name}.md")).is_some(), "{id}");
    }
    let long = "é".repeat(40);
    codex.extracted(&long, "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
}

#[test]
fn a_root_that_is_a_link_is_refused_and_nothing_is_written_through_it() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let elsewhere = codex.home.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("memory_summary.md"), "of somebody else").unwrap();
    std::os::unix::fs::symlink(&elsewhere, codex.root().join("memories")).unwrap();
    for error in [
        codex.noon().materialize().unwrap_err(),
        codex.noon().claim_consolidation("w").unwrap_err(),
        codex.noon().migrate_legacy_root().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(error.message().contains("memories"), "{error}");
    }
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
    let pack = codex.store_at(NOON).repo(codex.home.root()).unwrap().context(1_000).build().unwrap();
    assert!(!pack.text.contains("somebody else"), "{}", pack.text);
}

#[test]
fn nothing_is_cleared_whose_files_cannot_be_removed_because_the_root_is_a_link_or_no_folder() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
    let (root, aside) = (codex.root().join("memories"), codex.root().join("aside"));
    let elsewhere = codex.home.root().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("rollout_summaries")).unwrap();
    std::fs::write(elsewhere.join("rollout_summaries/a.md"), "of somebody else").unwrap();
    let link = |path: &std::path::Path| std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    let root_is_link = || link(&root);
    let root_is_file = || std::fs::write(&root, "a file").unwrap();
    let summaries_are_link = || {
        std::fs::create_dir(&root).unwrap();
        link(&root.join("rollout_summaries"));
    };
    for (what, place) in [
        ("a linked root", &root_is_link as &dyn Fn()),
        ("a root that is a file", &root_is_file),
        ("linked summaries", &summaries_are_link),
    ] {
        std::fs::rename(&root, &aside).unwrap();
        place();
        for (call, error) in [
            ("forget", codex.noon().forget("a").map(drop)),
            ("reset", codex.noon().reset(true).map(drop)),
            ("materialize", codex.noon().materialize().map(drop)),
        ] {
            let error = error.unwrap_err();
            assert_eq!((error.kind(), error.may_be_stored()), (ErrorKind::Io, false), "{call}, {what}: {error}");
        }
        let output = codex.noon().explain("a").unwrap().output;
        assert_eq!(output.unwrap().rollout_summary, "summary of a", "{what}");
        // To withdraw it needs no file.
        codex.noon().set_mode("a", loopmem::rollouts::Mode::Disabled).unwrap();
        codex.noon().set_mode("a", loopmem::rollouts::Mode::Enabled).unwrap();
        match std::fs::symlink_metadata(&root).unwrap().is_dir() {
            true => std::fs::remove_dir_all(&root).unwrap(),
            false => std::fs::remove_file(&root).unwrap(),
        }
        std::fs::rename(&aside, &root).unwrap();
    }
    assert_eq!(std::fs::read_to_string(elsewhere.join("rollout_summaries/a.md")).unwrap(), "of somebody else");
    assert_eq!(codex.noon().forget("a").unwrap().removed, ["raw_memories.md", "rollout_summaries/a.md"]);
    // Also while there is nothing to write.
    std::fs::remove_dir_all(&root).unwrap();
    root_is_link();
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn a_file_where_a_folder_should_be_is_an_error_and_stays() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.write("rollout_summaries", "a file");
    assert_eq!(codex.noon().materialize().unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(codex.read("rollout_summaries").unwrap(), "a file");
    std::fs::remove_file(codex.memory("rollout_summaries")).unwrap();
    assert_eq!(codex.noon().materialize().unwrap().written.len(), 2);
}

#[test]
fn what_a_killed_writer_left_is_removed_by_the_next_one() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.write("rollout_summaries/a.md.x1.tmp", "half");
    codex.write("raw_memories.md.x2.tmp", "half");
    codex.write("mine.tmp", "mine");
    codex.noon().materialize().unwrap();
    assert_eq!(codex.read("rollout_summaries/a.md.x1.tmp"), None);
    assert_eq!(codex.read("raw_memories.md.x2.tmp"), None);
    assert_eq!(codex.read("mine.tmp").as_deref(), Some("mine"));
}
