//! What is written to `repo.json`, and what of all rooms a migration writes.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::{Result, Store};
use serde_json::json;

use super::memory::filled;
use super::{
    Call, Damage, Operation, Room, View, call, damages, empty, nothing, operations, other_repo, reopen, repos,
    syncs_file,
};
use crate::{TestHome, repo};

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
const FILE: &str = "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/repo.json";

/// The folder whose memory is written by its name, so that `repo.json` is too. It is on every file system.
const WORKSPACE: &str = "/";

operations! {
    /// The first one writes what the hash stands for behind the record.
    a_write_by_workspace = Operation {
        parts: &["memory.json", "repo.json"],
        is_last_part_optional: true,
        needs: &[(filled, |step| syncs_file(step, "repo.json"))],
        ..Operation::new(write_by_workspace, locked, &[nothing, empty, filled, noted])
    };
    /// To a repository of which nothing is stored, and to one that it must leave alone otherwise.
    // Some seconds: two files are copied in two homes, once for each call that may fail.
    a_migration = Operation {
        parts: &["memory.json", "summaries.jsonl"],
        needs: &[(filled, |step| matches!(step, crate::file_systems::Step::Sync(..)))],
        ..Operation::new(migrate, locked_of_other, &[filled, filled_twice])
    };
}

damages! {
    /// It is what loopmem wrote, but for its end.
    a_repo_file_that_is_damaged = Damage {
        bytes: |_| Some(REPO.replace("null}", "of nobody's business").into()),
        faults: &[Fault::Damaged],
        ..DAMAGED
    };
    /// It was never one.
    a_repo_file_that_is_no_json = Damage { bytes: |_| Some(b"no JSON".to_vec()), faults: &[Fault::Damaged], ..DAMAGED };
    /// What a dead writer left.
    litter_beside_a_repo_file = Damage {
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/repo.json.b2.tmp",
        bytes: |_| Some(REPO.into()),
        faults: &[Fault::Litter],
        ..DAMAGED
    };
    /// A later version wrote it.
    a_repo_file_that_is_too_new =
        Damage { bytes: |_| Some(REPO.replace(":1,", ":2,").into()), faults: &[Fault::TooNew], ..DAMAGED };
}

const DAMAGED: Damage = Damage { home: filled, file: FILE, bytes: Some, faults: &[], besides: &[] };
const REPO: &str = r#"{"schemaVersion":1,"repoHash":"5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e","path":"/of/nobody","remoteUrl":null,"branch":null}"#;

fn locked(store: &Store) -> PathBuf {
    let identity = store.repos().identify(WORKSPACE).unwrap();
    loopmem::testing::home(store).layout().memory(&identity.repo_hash)
}

fn locked_of_other(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().memory(&other_repo())
}

fn write_by_workspace(_: &Store, word: &str) -> Result<Option<Call>> {
    let note = json!({ "id": word, "content": "A note." });
    Ok(Some(("memory.upsertNote", json!({ "workspace": WORKSPACE, "note": note }))))
}

fn migrate(_: &Store, _: &str) -> Result<Option<Call>> {
    Ok(Some(("repo.migrate", json!({ "fromRepoHash": repo(), "toRepoHash": other_repo() }))))
}

/// Something of the other repository that a migration must leave alone.
fn filled_twice(home: &TestHome) {
    filled(home);
    let store = reopen(home);
    let note = json!({ "repoHash": other_repo(), "note": { "id": "note note", "content": "Of the other." } });
    call(&store, "memory.upsertNote", &note).unwrap();
    let step = json!({ "repoHash": other_repo(), "runId": "run", "stepId": "of the other", "summary": "It did." });
    call(&store, "summary.append", &step).unwrap();
}

/// What the hash stands for is written down already.
fn noted(home: &TestHome) {
    filled(home);
    a_write_by_workspace::ROW.write(&reopen(home), "noted").unwrap();
}

/// A home with everything that these operations write.
pub(crate) fn furnished(home: &TestHome) {
    filled_twice(home);
    noted(home);
}

/// One that is damaged only makes its repository nameless: so its bytes are looked at.
fn read(store: &Store, view: &mut View) {
    for repo in repos(store) {
        let file = loopmem::testing::home(store).layout().repo_file(&repo);
        if let Ok(Some(bytes)) = loopmem::testing::home(store).disk().read_if_there(&file, u64::MAX) {
            view.insert(file, Ok(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
}
