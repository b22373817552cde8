//! The memory of an older program.

use super::*;

const BUCKET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/memory/MEMORY.md";

#[test]
fn it_is_moved_to_the_root_once_and_buckets_stay() {
    let codex = Codex::new();
    codex.write("user/memory/MEMORY.md", "old");
    codex.write("user/memory/skills/a/SKILL.md", "skill");
    codex.write(BUCKET, "bucket");
    codex.write("0123456789abcdef/memory/MEMORY.md", "shorter bucket");
    assert!(codex.noon().status().unwrap().legacy_root);
    let done = codex.noon().migrate_legacy_root().unwrap();
    assert_eq!(
        (done.moved, done.skipped, done.reason),
        (vec!["MEMORY.md".to_owned(), "skills".to_owned()], vec![], None)
    );
    assert_eq!(codex.read("MEMORY.md").as_deref(), Some("old"));
    assert_eq!(codex.read("skills/a/SKILL.md").as_deref(), Some("skill"));
    assert_eq!(codex.read(BUCKET).as_deref(), Some("bucket"));
    assert_eq!(codex.read("0123456789abcdef/memory/MEMORY.md").as_deref(), Some("shorter bucket"));
    assert!(!codex.noon().status().unwrap().legacy_root);
    codex.write("user/memory/MEMORY.md", "later");
    std::fs::remove_file(codex.memory("MEMORY.md")).unwrap();
    std::fs::remove_dir_all(codex.memory("skills")).unwrap();
    let again = codex.noon().migrate_legacy_root().unwrap();
    assert_eq!((again.moved, again.reason.as_deref()), (vec![], Some("it was moved before")));
    assert_eq!(codex.read("user/memory/MEMORY.md").as_deref(), Some("later"));
}

#[test]
fn a_root_that_holds_another_memory_is_left_alone() {
    let codex = Codex::new();
    codex.write("user/memory/MEMORY.md", "old");
    codex.write("memory_summary.md", "new");
    let done = codex.noon().migrate_legacy_root().unwrap();
    assert_eq!(done.reason.as_deref(), Some("the memory root holds other files, which would be mixed with it"));
    assert_eq!(codex.read("user/memory/MEMORY.md").as_deref(), Some("old"));
    assert_eq!(codex.read("MEMORY.md"), None);
}

#[test]
fn what_was_rebuilt_from_the_database_is_no_memory_of_the_root_and_is_not_overwritten() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.noon().materialize().unwrap();
    codex.write("user/memory/MEMORY.md", "old");
    codex.write("user/memory/raw_memories.md", "old");
    let done = codex.noon().migrate_legacy_root().unwrap();
    assert_eq!((done.moved, done.skipped), (vec!["MEMORY.md".to_owned()], vec!["raw_memories.md".to_owned()]));
    assert!(codex.read("raw_memories.md").unwrap().contains("- memory of a"));
    assert_eq!(codex.read("user/memory/raw_memories.md").as_deref(), Some("old"));
}

#[test]
fn without_an_older_memory_nothing_happens() {
    let codex = Codex::new();
    let done = codex.noon().migrate_legacy_root().unwrap();
    assert_eq!(done.reason.as_deref(), Some("there is nothing in memories/user/memory"));
    assert!(!codex.root().exists());
}
