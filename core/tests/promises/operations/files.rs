//! What is written to the files that a model keeps.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::{Result, Store};
use serde_json::{Value, json};

use super::{
    Call, Damage, Operation, Room, View, call, damages, empty, nothing, operations, reopen, repos, syncs_folder,
};
use crate::file_systems::Step;
use crate::{TestHome, repo};

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
const FOLDER: &str = "user/home/repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

operations! {
    /// Of a file in a folder that is not there yet.
    a_creation = Operation {
        needs: &[
            (nothing, is_sync),
            (nothing, |step| syncs_folder(step, "user/home/repos")),
            (nothing, |step| syncs_folder(step, FOLDER)),
            (nothing, |step| syncs_folder(step, format!("{FOLDER}/files"))),
            (nothing, |step| syncs_folder(step, format!("{FOLDER}/files/folder"))),
        ],
        ..Operation::new(create, locked, &[filled, nothing, empty, left])
    };
    /// Into a file.
    an_insertion = Operation {
        needs: &[(filled, is_sync), (filled, |step| syncs_folder(step, format!("{FOLDER}/files")))],
        is_by_rename: true,
        ..Operation::new(insert, locked, &[filled, left])
    };
    /// Of a file, which goes to the trash.
    a_removal = Operation::new(remove, locked, &[filled]);
    /// Of a folder with what is in it.
    a_removal_of_a_folder = Operation::new(remove_folder, locked, &[filled]);
    /// Of a file, to a folder that is not there yet.
    a_renaming = Operation {
        needs: &[
            (filled, |step| syncs_folder(step, format!("{FOLDER}/files"))),
            (filled, |step| syncs_folder(step, format!("{FOLDER}/files/moved"))),
        ],
        ..Operation::new(rename, locked, &[filled])
    };
}

damages! {
    /// What a dead writer left.
    a_file_that_was_being_written = Damage {
        home: filled,
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/files.staging/file.a1.tmp",
        bytes: |_| Some(b"of nobody's business".to_vec()),
        faults: &[Fault::Litter],
        besides: &[],
    };
}

fn is_sync(step: &Step) -> bool {
    matches!(step, Step::Sync(..))
}

fn locked(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().files(&repo())
}

fn files(method: &'static str, mut params: Value) -> Result<Option<Call>> {
    params["repoHash"] = json!(repo());
    Ok(Some((method, params)))
}

fn create(store: &Store, word: &str) -> Result<Option<Call>> {
    let path = format!("/memories/folder/{word} new");
    let params = json!({ "path": path, "fileText": "What is new." });
    if is_there(store, &path)? { Ok(None) } else { files("files.create", params) }
}

fn insert(store: &Store, word: &str) -> Result<Option<Call>> {
    let params = json!({ "path": "/memories/kept", "insertLine": 0, "insertText": word });
    if is_there(store, "/memories/kept")? { files("files.insert", params) } else { Ok(None) }
}

fn remove(store: &Store, word: &str) -> Result<Option<Call>> {
    if_there(store, &format!("/memories/{word}"), "files.remove")
}

fn remove_folder(store: &Store, word: &str) -> Result<Option<Call>> {
    if_there(store, &format!("/memories/of/{word}"), "files.remove")
}

fn if_there(store: &Store, path: &str, method: &'static str) -> Result<Option<Call>> {
    if is_there(store, path)? { files(method, json!({ "path": path })) } else { Ok(None) }
}

fn rename(store: &Store, word: &str) -> Result<Option<Call>> {
    let (old, new) = (format!("/memories/{word}"), format!("/memories/moved/{word}"));
    let params = json!({ "oldPath": old, "newPath": new });
    if is_there(store, &old)? { files("files.rename", params) } else { Ok(None) }
}

fn is_there(store: &Store, path: &str) -> Result<bool> {
    let listed = call(store, "files.list", &json!({ "repoHash": repo() }))?;
    let below = format!("{path}/");
    Ok(listed
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["path"].as_str())
        .any(|it| it == path || it.starts_with(&below)))
}

/// Files that the operations change or leave alone.
fn filled(home: &TestHome) {
    let store = reopen(home);
    for path in ["kept", "in flight", "next", "of/in flight/a", "of/next/a"] {
        let params = json!({ "repoHash": repo(), "path": format!("/memories/{path}"), "fileText": "As it was.\n" });
        call(&store, "files.create", &params).unwrap();
    }
}

/// A writer died.
fn left(home: &TestHome) {
    filled(home);
    let staging = home.root().join("repos").join(repo().as_str()).join("files.staging");
    home.create_folders(&staging.join("removed"));
    home.write(&staging.join("removed/a"), b"As it was.");
    home.write(&staging.join("file.a1.tmp"), b"As");
}

fn read(store: &Store, view: &mut View) {
    for repo in repos(store) {
        let top = loopmem::testing::home(store).layout().files(&repo);
        match call(store, "files.list", &json!({ "repoHash": repo })) {
            Ok(listed) => {
                for entry in listed.as_array().unwrap() {
                    let path = entry["path"].as_str().unwrap();
                    let said = call(store, "files.view", &json!({ "repoHash": repo, "path": path }));
                    let said = said.map(|said| said.to_string()).map_err(|damage| format!("{damage:?}"));
                    view.insert(top.join(path.trim_start_matches("/memories/")), said);
                }
            }
            Err(damage) => drop(view.insert(top, Err(format!("{damage:?}")))),
        }
    }
}
