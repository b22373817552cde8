//! The README of a home: written once, with the first file, and the user's own from then on.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use loopmem::methods::dispatch;
use loopmem::{Options, Store};
use serde_json::{Value, json};

use crate::{TestHome, append, conventions, upsert};

fn readme(home: &TestHome) -> PathBuf {
    home.root().join("README.md")
}

fn call(store: &Store, method: &str, params: &Value) -> Value {
    serde_json::from_str(&dispatch(store, method, &params.to_string()).unwrap()).unwrap()
}

#[test]
fn the_first_write_of_a_home_explains_it_in_the_same_words_each_time() {
    let expected = include_bytes!("../../src/home/introduction.md");
    let write_secret = |store: &Store| upsert(store, "a", &format!("push with ghp_{}", "a1B2".repeat(9))).unwrap();
    let writes: [&dyn Fn(&Store); 4] = [
        &|store| upsert(store, "a", "text").unwrap(),
        &|store| append(store, "step").unwrap(),
        &|store| drop(call(store, "adapter.set", &json!({ "key": "plan", "value": 1 }))),
        // The key of the home is created first.
        &write_secret,
    ];
    for adapter in ["file", "sqlite"] {
        for write in writes {
            let home = TestHome::new();
            write(&Store::open(Options::at(home.root()).adapter(adapter)).unwrap());
            assert_eq!(std::fs::read(readme(&home)).unwrap(), expected);
            assert_eq!(std::fs::metadata(readme(&home)).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn a_home_with_nothing_but_a_configuration_is_new() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(home.root().join("config.toml"), "").unwrap();
    std::fs::write(home.root().join("redaction.toml"), "").unwrap();
    upsert(&home.open(), "a", "text").unwrap();
    assert!(readme(&home).exists());
}

#[test]
fn reading_creates_no_readme() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    let store = home.open();
    assert!(conventions(&store).is_empty());
    for (method, params) in [
        ("adapter.get", json!({ "key": "plan" })),
        ("adapter.getList", json!({ "key": "plan" })),
        ("working.listScopes", json!({})),
        ("status.get", json!({ "workspace": home.top() })),
        ("doctor.check", json!({})),
    ] {
        call(&store, method, &params);
        assert!(!readme(&home).exists(), "{method}");
    }
}

#[test]
fn a_readme_is_never_changed_and_a_deleted_one_stays_deleted() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(readme(&home), "The user's own.").unwrap();
    upsert(&home.open(), "a", "text").unwrap();
    append(&home.open(), "step").unwrap();
    assert_eq!(std::fs::read_to_string(readme(&home)).unwrap(), "The user's own.");
    std::fs::remove_file(readme(&home)).unwrap();
    upsert(&home.open(), "b", "text").unwrap();
    call(&home.open(), "adapter.set", &json!({ "key": "plan", "value": 1 }));
    assert!(!readme(&home).exists());
}

#[test]
fn a_home_of_an_earlier_version_gets_no_readme() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root().join("repos")).unwrap();
    upsert(&home.open(), "a", "text").unwrap();
    assert!(!readme(&home).exists());
}

#[test]
fn no_check_reports_the_readme_and_no_archive_has_it() {
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "text").unwrap();
    let text = std::fs::read(readme(&home)).unwrap();
    assert_eq!(call(&store, "doctor.check", &json!({ "fix": true }))["findings"], json!([]));
    let archive = home.top().join("archive.jsonl");
    let exported = call(&store, "archive.export", &json!({ "path": archive, "all": true }));
    assert!(exported["path"].is_string());
    assert!(!std::fs::read_to_string(&archive).unwrap().contains("memory of coding agents"));
    let other = TestHome::new();
    std::fs::create_dir_all(other.root()).unwrap();
    std::fs::write(readme(&other), "The user's own.").unwrap();
    call(&other.open(), "archive.import", &json!({ "path": archive }));
    assert_eq!(std::fs::read_to_string(readme(&other)).unwrap(), "The user's own.");
    assert_eq!(std::fs::read(readme(&home)).unwrap(), text);
}
