//! The files under the memory root.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use loopmem::ErrorKind;

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

#[test]
fn only_what_was_written_here_is_ever_removed() {
    let codex = Codex::new();
    codex.write("MEMORY.md", "mine");
    codex.write("rollout_summaries/mine.md", "mine");
    codex.write("rollout_summaries/a.md", "of another program");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let done = codex.noon().materialize().unwrap();
    assert_eq!(done.set_aside, ["rollout_summaries/a.md.edited"]);
    assert_eq!(codex.read("rollout_summaries/a.md.edited").unwrap(), "of another program");
    let cleared = codex.noon().reset(false).unwrap();
    assert_eq!(
        (cleared.outputs, cleared.removed),
        (1, vec!["raw_memories.md".to_owned(), "rollout_summaries/a.md".to_owned()])
    );
    for (path, text) in [("MEMORY.md", "mine"), ("rollout_summaries/mine.md", "mine")] {
        assert_eq!(codex.read(path).as_deref(), Some(text));
    }
    assert_eq!(codex.read("rollout_summaries/a.md"), None);
}

#[test]
fn an_edited_file_is_set_aside_before_it_is_replaced_or_removed() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.noon().materialize().unwrap();
    codex.write("rollout_summaries/a.md", "edited once");
    assert_eq!(codex.noon().materialize().unwrap().set_aside, ["rollout_summaries/a.md.edited"]);
    codex.write("rollout_summaries/a.md", "edited twice");
    let done = codex.noon().reset(false).unwrap();
    assert_eq!(done.removed, ["raw_memories.md"]);
    assert_eq!(codex.read("rollout_summaries/a.md.edited").as_deref(), Some("edited once"));
    assert_eq!(codex.read("rollout_summaries/a.md.edited-2").as_deref(), Some("edited twice"));
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
