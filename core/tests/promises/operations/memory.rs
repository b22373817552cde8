//! What is written to `memory.json`.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::{Result, Store};
use serde_json::json;

use super::{
    Call, Damage, Operation, Room, Syncs, View, damages, empty, half_copy, members, nothing, operations, other_repo,
    reopen, repos, syncs_folder,
};
use crate::file_systems::Step;
use crate::{TestHome, repo, upsert};

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
/// The file below the home, and its folder below the top.
const FILE: &str = "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/memory.json";
const FOLDER: &str = "user/home/repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

operations! {
    /// Of a record that is not there yet.
    an_upsert_of_a_new_record = Operation {
        needs: &[
            (nothing, |step| syncs_folder(step, "")),
            (nothing, |step| syncs_folder(step, "user")),
            (nothing, |step| syncs_folder(step, "user/home")),
            (nothing, |step| syncs_folder(step, "user/home/repos")),
        ],
        syncs: Some(Syncs { alone: 2, together: 2 }),
        ..Operation::new(upsert_new, locked, &[filled, nothing, empty])
    };
    /// Of a record that is there.
    an_upsert_that_changes_a_record = Operation {
        needs: &[(filled, is_sync), (filled, |step| syncs_folder(step, FOLDER))],
        ..Operation::new(upsert_changing, locked, &[filled, half_copied])
    };
    /// Three that wait.
    several_upserts = Operation { writers: 3, ..Operation::new(upsert_new, locked, &[filled]) };
    /// Of any record.
    a_removal = Operation {
        needs: &[(filled, is_sync), (filled, |step| syncs_folder(step, FOLDER))],
        ..Operation::new(remove, locked, &[filled])
    };
    /// For another repository.
    an_upsert_of_another_kind_elsewhere = Operation::new(upsert_other, locked_of_other, &[filled]);
}

damages! {
    /// The second of three records is cut off.
    a_broken_record = Damage { bytes: |_| document(&[A, &B[..50], B]), ..DAMAGED };
    /// It stands twice.
    an_id_that_stands_twice = Damage { bytes: |_| document(&[A, B, A]), faults: &[Fault::DuplicateId], ..DAMAGED };
    /// As a crash of another program leaves it.
    an_empty_document = Damage { bytes: |_| Some(Vec::new()), ..DAMAGED };
    /// Of which nothing is whole.
    a_document_of_which_nothing_is_whole = Damage { bytes: |_| Some(b"{\"conventions\": [{".to_vec()), ..DAMAGED };
    /// The copy beside the file says what the file is to say.
    an_unfinished_copy_of_a_document = Damage {
        home: half_copied,
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/memory.json.copying",
        bytes: Some,
        faults: &[Fault::UnfinishedCopy],
        ..DAMAGED
    };
    /// What a dead writer left.
    litter_beside_a_document = Damage {
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/memory.json.a1.tmp",
        bytes: |_| Some(A.into()),
        faults: &[Fault::Litter],
        ..DAMAGED
    };
    /// The owner of a lock that is a file.
    a_lock_whose_owner_is_dead = Damage {
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/memory.json.lock.owner",
        bytes: |_| Some(crate::crash_fallback::dead_owner().into_bytes()),
        faults: &[Fault::StaleOwner],
        ..DAMAGED
    };
    /// A later version wrote it.
    a_document_that_is_too_new = Damage { bytes: |bytes| newer(&bytes, 1), faults: &[Fault::TooNew], ..DAMAGED };
    /// And a crash cut it off.
    half_a_document_that_is_too_new = Damage { bytes: |bytes| newer(&bytes, 2), faults: &[Fault::TooNew], ..DAMAGED };
}

const DAMAGED: Damage = Damage { home: filled, file: FILE, bytes: Some, faults: &[Fault::Damaged], besides: &[] };
pub(crate) const A: &str = r#"{"id":"a","title":"A","content":"of nobody's business","tags":[],"createdAt":"2025-01-01T00:00:00.000Z","updatedAt":"2025-01-01T00:00:00.000Z","beyond":1e400}"#;
pub(crate) const B: &str = r#"{"id":"b","title":"B","content":"of nobody's business","tags":["t"],"createdAt":"2025-01-01T00:00:00.000Z","updatedAt":"2025-01-01T00:00:00.000Z"}"#;
pub(crate) const LATER: &str = r#""later": {"numbers":[1e400]}"#;

/// A document with these conventions, and with a member of a later version.
pub(crate) fn document(records: &[&str]) -> Option<Vec<u8>> {
    let records = records.join(",\n");
    Some(format!("{{\n\"schemaVersion\": 1,\n\"conventions\": [\n{records}\n],\n{LATER}\n}}\n").into_bytes())
}

/// The first part of so many of a document with a later version.
fn newer(bytes: &[u8], parts: usize) -> Option<Vec<u8>> {
    let newer = String::from_utf8_lossy(bytes).replace("\"schemaVersion\": 1", "\"schemaVersion\": 2");
    Some(newer.as_bytes()[..newer.len() / parts].to_vec())
}

fn is_sync(step: &Step) -> bool {
    matches!(step, Step::Sync(..))
}

fn locked(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().memory(&repo())
}

fn locked_of_other(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().memory(&other_repo())
}

fn upsert_new(_: &Store, word: &str) -> Result<Option<Call>> {
    convention(word, "What is new.")
}

fn upsert_changing(_: &Store, word: &str) -> Result<Option<Call>> {
    convention("kept", &format!("As it is {word}."))
}

fn convention(id: &str, content: &str) -> Result<Option<Call>> {
    let convention = json!({ "id": id, "title": "A title", "content": content });
    Ok(Some(("memory.upsertConvention", json!({ "repoHash": repo(), "convention": convention }))))
}

fn remove(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(("memory.remove", json!({ "repoHash": repo(), "id": word }))))
}

fn upsert_other(_: &Store, word: &str) -> Result<Option<Call>> {
    let note = json!({ "id": format!("note {word}"), "content": "Of the other." });
    Ok(Some(("memory.upsertNote", json!({ "repoHash": other_repo(), "note": note }))))
}

/// Records that the operations change or leave alone, and a summary.
pub(crate) fn filled(home: &TestHome) {
    let store = reopen(home);
    for id in ["kept", "in flight", "next"] {
        upsert(&store, id, "As it was.").unwrap();
    }
    crate::append(&store, "first").unwrap();
}

/// A writer died while it copied the file over.
fn half_copied(home: &TestHome) {
    filled(home);
    half_copy(home, &[FILE]);
}

fn read(store: &Store, view: &mut View) {
    for repo in repos(store) {
        let said = members(store, "memory.get", &json!({ "repoHash": repo })).map(|mut said| {
            // Those of the room of summaries.
            said.retain(|member, _| !member.to_lowercase().contains("summaries"));
            said
        });
        if !said.as_ref().is_ok_and(|said| said.values().all(|it| it.get() == "[]")) {
            let said = said.map(|said| serde_json::to_string(&said).unwrap()).map_err(|damage| format!("{damage:?}"));
            view.insert(loopmem::testing::home(store).layout().memory(&repo), said);
        }
    }
}
