//! What the library does without its cargo features. All other tests enable them, so this is a separate crate.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test")]

use loopmem::doctor::Fault;
use loopmem::memory::Note;
use loopmem::{ErrorKind, Options, Store};

#[test]
fn files_need_no_feature() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::builder().home(home.path()).open().unwrap();
    let repo = store.repo(home.path()).unwrap();
    let stored = repo.memory().upsert(Note::draft("The CI box is slow.")).unwrap();
    assert_eq!(repo.memory().get().unwrap().notes().unwrap()[0].id, stored.id);
    store.working().save_checkpoint("job-1").unwrap();
}

#[test]
fn an_adapter_that_this_build_lacks_is_refused_with_the_name_of_its_feature() {
    let home = tempfile::tempdir().unwrap();
    for (adapter, feature) in [("sqlite", "sqlite"), ("redis://localhost", "redis")] {
        let refused = Store::open(Options::at(home.path()).adapter(adapter)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(refused.message().contains(&format!("cargo feature `{feature}`")), "{refused}");
    }
}

#[test]
fn a_database_that_this_build_cannot_check_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("working");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("working.sqlite3"), "SQLite format 3\0").unwrap();
    let report = Store::open(Options::at(home.path())).unwrap().doctor().check().unwrap();
    let unchecked = report.findings.iter().find(|it| it.fault == Fault::Unsupported).unwrap();
    assert!(unchecked.file.ends_with("working.sqlite3"), "{unchecked:?}");
}
