//! What is written to `items.jsonl`, here that of the global items.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::{Result, Store};
use serde_json::json;

use super::{Call, Damage, Operation, Room, View, append_to, call, damages, half_copy, operations};
use crate::TestHome;

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
/// The file below the home.
const FILE: &str = "codex/memory/items.jsonl";
const TORN: &str = super::TORN;

operations! {
    /// Of one of several items, behind which there may be a torn one or one without a line end.
    a_change = Operation::new(change, locked, &[filled, torn, edited, half_copied]);
    /// Of one of several.
    an_archived_item = Operation::new(archive, locked, &[filled, torn]);
    /// Of one of several.
    a_removed_item = Operation::new(remove, locked, &[filled, torn]);
}

damages! {
    /// Behind a whole one.
    a_torn_item = Damage {
        bytes: |_| Some(format!("{}\n{}", line("a"), &line("b")[..30]).into()),
        faults: &[Fault::TornTail],
        ..DAMAGED
    };
    /// Marks of a merge between whole ones.
    damaged_items = Damage {
        bytes: |_| {
            let (a, b) = (line("a"), line("b"));
            Some(format!("<<<<<<< of nobody's business\n{a}\n=======\n{b}\n{{\"of nobody's business\":1}}\n").into())
        },
        ..DAMAGED
    };
    /// A later version wrote one of them.
    an_item_that_is_too_new = Damage {
        bytes: |_| Some(format!("{}\n", line("a").replacen('{', "{\"v\":2,", 1)).into()),
        faults: &[Fault::TooNew],
        ..DAMAGED
    };
}

const DAMAGED: Damage = Damage { home: filled, file: FILE, bytes: Some, faults: &[Fault::Damaged], besides: &[] };

fn line(id: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\",\
         \"scope\":\"global\",\"status\":\"active\",\"type\":\"note\",\"content\":\"of nobody's business\"}}"
    )
}

fn locked(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().global_items().unwrap().join("items.jsonl")
}

fn change(store: &Store, word: &str) -> Result<Option<Call>> {
    Ok(is_there(store)?.then(|| {
        (
            "items.update",
            json!({ "workspace": workspace(), "id": "a", "patch": { "content": format!("changed {word}") } }),
        )
    }))
}

fn archive(store: &Store, _: &str) -> Result<Option<Call>> {
    Ok(is_there(store)?.then(|| ("items.archive", json!({ "workspace": workspace(), "id": "a" }))))
}

fn remove(store: &Store, _: &str) -> Result<Option<Call>> {
    Ok(is_there(store)?.then(|| ("items.remove", json!({ "workspace": workspace(), "id": "a" }))))
}

fn is_there(store: &Store) -> Result<bool> {
    let items = call(store, "items.list", &json!({ "workspace": workspace() }))?;
    Ok(items.as_array().is_some_and(|items| items.iter().any(|item| item["id"] == "a")))
}

/// A folder without items of its own, which is no repository.
fn workspace() -> &'static str {
    "/"
}

fn filled(home: &TestHome) {
    let folder = home.codex().join("memory");
    home.create_folders(&folder);
    home.write(&folder.join("items.jsonl"), format!("{}\n{}\n", line("a"), line("b")));
}

/// A crash long ago left a part of a line.
fn torn(home: &TestHome) {
    filled(home);
    append_to(home, FILE, format!(r#"{{"id":"{TORN}"#));
}

/// An editor left no line end.
fn edited(home: &TestHome) {
    filled(home);
    append_to(home, FILE, line("c"));
}

/// A writer died while it copied the file over.
fn half_copied(home: &TestHome) {
    filled(home);
    half_copy(home, &[FILE]);
}

fn read(store: &Store, view: &mut View) {
    let said = call(store, "items.list", &json!({ "workspace": workspace() }));
    let stats = call(store, "items.stats", &json!({ "workspace": workspace() }));
    if said.as_ref().is_ok_and(|items| items == &json!([])) && stats.as_ref().is_ok_and(|it| it["damaged"] == 0) {
        return;
    }
    let both = said.and_then(|items| Ok(format!("{items} and {} damaged", stats?["damaged"])));
    view.insert(locked(store), both.map_err(|damage| format!("{damage:?}")));
}
