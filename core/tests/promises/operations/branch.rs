//! What is written to the state beside the folder of a memory. Contents and commits are git's own objects, and a state
//! without its objects counts as one of an unknown base; the promises of pushes and checkouts are in `branch`.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

use loopmem::{Options, Result, Store};
use serde_json::{Value, json};

use super::{Call, Operation, Room, View, call, operations, reopen};
use crate::TestHome;

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: &[], read };

operations! {
    /// The files of the folder are those of the artifact already: only the state is written.
    an_unpacked_artifact = Operation::new(unpack, locked, &[without_state, with_state]);
}

/// The artifacts, which are packed outside of the home.
static ARTIFACTS: LazyLock<Mutex<tempfile::TempDir>> = LazyLock::new(|| Mutex::new(tempfile::tempdir().unwrap()));

/// An artifact with one file, which has this content.
fn artifact_with(content: &str) -> PathBuf {
    let folder = ARTIFACTS.lock().unwrap();
    let artifact = folder.path().join(format!("{content}.tar"));
    if !artifact.exists() {
        let directory = folder.path().join(content).join("notes");
        write_note(&directory, content);
        let store = Store::open(Options::at(folder.path().join("home"))).unwrap();
        call(&store, "branch.pack", &json!({ "directory": directory, "artifactPath": artifact })).unwrap();
    }
    artifact
}

fn write_note(directory: &Path, content: &str) {
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join("note.md"), content).unwrap();
}

fn directory(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().root().join("notes")
}

/// The folder of the state, whose lock is taken.
fn locked(store: &Store) -> PathBuf {
    directory(store).with_file_name(".notes.loopmem")
}

fn unpack(store: &Store, word: &str) -> Result<Option<Call>> {
    let directory = directory(store);
    write_note(&directory, word);
    Ok(Some(("branch.unpack", json!({ "directory": directory, "artifactPath": artifact_with(word) }))))
}

fn without_state(home: &TestHome) {
    write_note(&directory(&reopen(home)), "old");
}

pub(crate) fn with_state(home: &TestHome) {
    an_unpacked_artifact::ROW.write(&reopen(home), "old").unwrap();
}

fn read(store: &Store, view: &mut View) {
    let file = locked(store).join("state.json");
    if let Ok(bytes) = std::fs::read(&file) {
        let state = serde_json::from_slice(&bytes).map(|state: Value| state.to_string());
        view.insert(file, state.map_err(|damage| damage.to_string()));
    }
}
