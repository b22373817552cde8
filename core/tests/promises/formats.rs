//! The frozen homes of `tests/formats`: reading changes no byte, and a write preserves unknown fields. Their contents
//! are checked in every language by `tests/conformance/formats.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopmem::testing::disk::RealFs;
use loopmem::{Options, Store};
use serde_json::json;

use crate::TestHome;
use crate::doctor::{check, close};
use crate::operations::call;

/// The frozen homes of a version.
const HOMES: [&str; 4] = ["0.1/sound", "0.1/crashed", "0.1/too-new", "0.1/rollouts"];
const SOUND: &str = HOMES[0];

fn frozen(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/formats").join(name)
}

fn thaw(name: &str) -> TestHome {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &to);
            } else {
                std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let home = TestHome::new();
    copy(&frozen(name), &home.root());
    close(&home);
    home
}

fn open(home: &TestHome, adapter: &str) -> Store {
    let options = Options::at(home.root()).adapter(adapter.to_owned()).codex_home(home.root().join("codex"));
    loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap()
}

/// The bytes of every file, by its path below the home.
fn bytes(home: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                collect(top, &path, found);
            } else {
                found.insert(path.strip_prefix(top).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(home, home, &mut found);
    // The index of a database's log is made by whoever reads it.
    found.retain(|path, _| !path.to_string_lossy().ends_with("-shm"));
    found
}

/// Calls every method that reads, ignoring the results.
fn read_all(store: &Store) {
    for repo in ["a".repeat(64), "b".repeat(64)].map(|hash| json!({ "repoHash": hash })) {
        for method in ["memory.get", "summary.list"] {
            let _ = call(store, method, &repo);
        }
        let _ = call(store, "context.build", &json!({ "repoHash": repo["repoHash"], "maxChars": 1_000 }));
    }
    for scope in ["job-1", "Job 1", "in the log", "not there"] {
        for method in ["working.getContext", "working.history", "working.getLogs"] {
            let _ = call(store, method, &json!({ "scopeId": scope }));
        }
        let _ = call(store, "working.listCheckpoints", &json!({ "jobId": scope }));
    }
    for thread in ["t-1", "t-5"] {
        let _ = call(store, "rollouts.explain", &json!({ "threadId": thread }));
    }
    for method in ["repo.list", "working.listScopes", "rollouts.status", "rollouts.list", "doctor.check"] {
        let _ = call(store, method, &json!({}));
    }
}

#[test]
fn reading_a_frozen_home_changes_no_byte() {
    for name in HOMES {
        let before = bytes(&frozen(name));
        assert!(before.len() > 5, "{name} has {} files", before.len());
        for adapter in ["file", "sqlite"] {
            let home = thaw(name);
            read_all(&open(&home, adapter));
            assert!(bytes(&home.root()) == before, "{name} through {adapter}");
        }
    }
}

#[test]
fn files_that_are_too_new_survive_every_write_and_every_repair() {
    let home = thaw("0.1/too-new");
    let before = bytes(&home.root());
    for adapter in ["file", "sqlite"] {
        let store = open(&home, adapter);
        for (method, params) in [
            ("memory.upsertNote", json!({ "repoHash": "a".repeat(64), "note": { "content": "x" } })),
            ("summary.append", json!({ "repoHash": "b".repeat(64), "runId": "r", "stepId": "s", "summary": "x" })),
            ("working.updateContext", json!({ "scopeId": "job-1", "patch": { "a": 1 } })),
            ("working.saveCheckpoint", json!({ "jobId": "job-2" })),
        ] {
            // Which of them the other adapter refuses is not the point.
            let _ = call(&store, method, &params);
        }
        check(&store, true);
    }
    let after = bytes(&home.root());
    for (path, bytes) in before {
        assert!(after.get(&path) == Some(&bytes), "{}", path.display());
    }
}

#[test]
fn a_write_to_a_frozen_home_preserves_unknown_fields() {
    let home = thaw(SOUND);
    let before = bytes(&home.root());
    let store = open(&home, "file");
    let repo = "a".repeat(64);
    let convention = json!({ "id": "c1", "title": "Another title" });
    for (method, params) in [
        ("memory.upsertConvention", json!({ "repoHash": repo, "convention": convention })),
        ("summary.append", json!({ "repoHash": repo, "runId": "run-2", "stepId": "s", "summary": "x" })),
        ("working.updateContext", json!({ "scopeId": "job-1", "patch": { "step": 4 } })),
        ("working.addLog", json!({ "scopeId": "job-1", "entry": { "id": "e3", "content": "x" } })),
        ("working.saveCheckpoint", json!({ "jobId": "job-1" })),
    ] {
        call(&store, method, &params).unwrap();
    }
    let after = bytes(&home.root());
    let folder = Path::new("repos").join(&repo);
    let scope = Path::new("working/job-1");
    for (file, kept) in [
        (folder.join("memory.json"), r#""ofALaterVersion": {"big":123456789012345678901234567890,"far":1e400}"#),
        (folder.join("memory.json"), r#""reviewedBy":{"name":"K","at":[1,2.50]}"#),
        (scope.join("context.json"), r#""ofALaterVersion": [1,2]"#),
    ] {
        assert!(String::from_utf8_lossy(&after[&file]).contains(kept), "{kept} of {}", file.display());
    }
    // Lists only grow, and what nobody wrote to is as it was.
    let grown = [folder.join("summaries.jsonl"), scope.join("logs.jsonl"), scope.join("trail.jsonl")];
    let replaced = [folder.join("memory.json"), scope.join("context.json"), scope.join("checkpoints.json")];
    for (path, bytes) in before.iter().filter(|(path, _)| !replaced.contains(path)) {
        let is_kept = after[path] == *bytes || (grown.contains(path) && after[path].starts_with(bytes));
        assert!(is_kept, "{}", path.display());
    }
    assert_eq!(grown.iter().filter(|path| after[*path].len() > before[*path].len()).count(), 3);
}
