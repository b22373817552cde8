//! What is written to the files of a scope: its context with its trail, its log, its checkpoints.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::testing::working::{Scope, rebuild};
use loopmem::working::Range;
use loopmem::{Result, Store};
use serde_json::{Value, json};

use super::{
    Call, Damage, Operation, Room, Syncs, TORN, View, append_to, call, damages, empty, half_copy, nothing, operations,
    reopen, syncs_file, syncs_folder,
};
use crate::TestHome;
use crate::file_systems::Step;

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
/// The scope that these operations write.
pub(crate) const SCOPE: &str = "job-1";
const FOLDER: &str = "user/home/working/job-1";

operations! {
    /// Behind a trail of many pages and behind what was never acknowledged, too.
    an_update_of_a_context = Operation {
        needs: &[
            (begun, |step| syncs_file(step, "trail.jsonl")),
            (begun, |step| syncs_file(step, "context.json")),
            (begun, |step| syncs_folder(step, FOLDER)),
            (empty, |step| syncs_folder(step, FOLDER)),
            (nothing, |step| syncs_folder(step, "")),
            (nothing, |step| syncs_folder(step, "user")),
            (nothing, |step| syncs_folder(step, "user/home")),
            (nothing, |step| syncs_folder(step, "user/home/working")),
        ],
        syncs: Some(Syncs { alone: 3, together: 3 }),
        ..Operation::new(update, locked, &[begun, beside, saved, ahead, long, nothing, empty, half_copied])
    };
    /// Three that wait.
    several_updates = Operation { writers: 3, ..Operation::new(update, locked, &[begun, beside, ahead]) };
    /// Behind what a crash left of another one, too.
    an_entry_of_a_log = Operation {
        needs: &[
            (begun, |step| matches!(step, Step::Sync(..))),
            (beside, |step| syncs_folder(step, FOLDER)),
            (nothing, |step| syncs_folder(step, "")),
            (nothing, |step| syncs_folder(step, "user")),
            (nothing, |step| syncs_folder(step, "user/home")),
            (nothing, |step| syncs_folder(step, "user/home/working")),
        ],
        syncs: Some(Syncs { alone: 1, together: 1 }),
        ..Operation::new(add, locked, &[begun, torn, zeroed, nothing, empty])
    };
    /// Three that wait. Each is longer than a page, which a power cut may leave full of zeros.
    several_entries_of_a_log = Operation {
        writers: 3,
        is_separable: true,
        ..Operation::new(add_long, locked, &[begun, beside, torn, zeroed])
    };
    /// The first one, and one beyond the limit.
    a_checkpoint = Operation {
        needs: &[(begun, |step| syncs_folder(step, "user/home/working/job-1/checkpoints"))],
        ..Operation::new(save, locked, &[saved, begun, beside, nothing])
    };
    /// Of the oldest checkpoint.
    a_restored_checkpoint = Operation::new(restore, locked, &[saved]);
    /// The oldest.
    a_deleted_checkpoint = Operation::new(delete_checkpoint, locked, &[saved]);
    /// With everything in it.
    a_deleted_scope = Operation {
        needs: &[(saved, |step| matches!(step, Step::SyncFolder(_)))],
        ..Operation::new(delete_scope, locked, &[saved, begun])
    };
    /// It replaces one, or is the first.
    a_value_of_ones_own = Operation::new(put, locked, &[keyed, begun, nothing, empty]);
    /// Behind what a crash left of another one, too.
    an_item_of_ones_own = Operation::new(push, locked, &[keyed, begun, nothing]);
    /// As a whole, with what the trail says of it.
    a_context_that_is_set = Operation::new(replace, locked, &[begun, ahead, nothing]);
    /// Which shares nothing with the first.
    an_update_of_another_scope = Operation::new(update_other, locked_of_other, &[beside]);
}

damages! {
    /// It is built anew of the trail.
    a_damaged_context = Damage { file: "working/job-1/context.json", bytes: |_| Some(b"{".to_vec()), ..DAMAGED };
    /// One entry counts more than there are.
    a_trail_that_is_cut_off = Damage {
        file: "working/job-1/trail.jsonl",
        bytes: |mut bytes| {
            bytes.truncate(bytes.len() - 3);
            Some(bytes)
        },
        ..DAMAGED
    };
    /// Of which nothing is whole.
    a_trail_of_which_nothing_is_whole =
        Damage { file: "working/job-1/trail.jsonl", bytes: |_| Some(b"no JSON\n".to_vec()), ..DAMAGED };
    /// The context stands.
    a_trail_that_is_missing = Damage { file: "working/job-1/trail.jsonl", bytes: |_| None, ..DAMAGED };
    /// It is made anew of the checkpoints.
    a_damaged_list_of_checkpoints =
        Damage { file: "working/job-1/checkpoints.json", bytes: |_| Some(b"{".to_vec()), ..DAMAGED };
    /// As it was before.
    a_list_of_checkpoints_that_is_missing =
        Damage { file: "working/job-1/checkpoints.json", bytes: |_| None, ..DAMAGED };
    /// It leaves the list.
    a_damaged_checkpoint = Damage {
        file: "working/job-1/checkpoints/1769860800001.json",
        bytes: |_| Some(b"{".to_vec()),
        besides: &[("checkpoints.json", Fault::Damaged)],
        ..DAMAGED
    };
    /// It was deleted, or never acknowledged.
    a_checkpoint_that_is_not_listed = Damage {
        file: "working/job-1/checkpoints/17.json",
        bytes: |_| Some(b"{\"schemaVersion\":1,\"value\":{}}".to_vec()),
        faults: &[Fault::Litter],
        ..DAMAGED
    };
    /// Nothing can build it anew.
    a_damaged_value_of_ones_own =
        Damage { home: keyed, file: "working/job-1/value.json", bytes: |_| Some(b"{".to_vec()), ..DAMAGED };
    /// Behind a whole line.
    a_damaged_list_of_ones_own = Damage {
        home: keyed,
        file: "working/job-1/list.jsonl",
        bytes: |bytes| Some([&bytes[..], b"7\n"].concat()),
        ..DAMAGED
    };
    /// Of which nothing is whole.
    a_damaged_log = Damage { file: LOG, bytes: |_| Some(b"7\n".to_vec()), ..DAMAGED };
    /// Between whole lines, and one behind them.
    damaged_lines_of_a_log = Damage {
        file: LOG,
        bytes: |bytes| Some([b"no JSON\n7\n", &bytes[..], b"{\"id\":\"unfin"].concat()),
        faults: &[Fault::Damaged, Fault::TornTail],
        ..DAMAGED
    };
    /// Zeros in the place of a last line.
    a_torn_line_of_a_log =
        Damage { file: LOG, bytes: |bytes| Some([&bytes[..], b"\0\0\0\"}\n"].concat()), faults: &[Fault::TornTail], ..DAMAGED };
    /// The copy beside the file says what the file is to say.
    an_unfinished_copy_of_a_context = Damage {
        home: half_copied,
        file: "working/job-1/context.json.copying",
        bytes: Some,
        faults: &[Fault::UnfinishedCopy],
        ..DAMAGED
    };
    /// What a dead writer left.
    litter_beside_a_checkpoint = Damage {
        file: "working/job-1/checkpoints/17.json.a1.tmp",
        bytes: |_| Some(b"unfinished".to_vec()),
        faults: &[Fault::Litter],
        ..DAMAGED
    };
    /// The owner of a lock that is a file.
    a_lock_of_a_scope_whose_owner_is_dead = Damage {
        file: "working/job-1.lock.owner",
        bytes: |_| Some(crate::crash_fallback::dead_owner().into_bytes()),
        faults: &[Fault::StaleOwner],
        ..DAMAGED
    };
    /// A later version wrote it.
    a_context_that_is_too_new =
        Damage { file: "working/job-1/context.json", bytes: newer, faults: &[Fault::TooNew], ..DAMAGED };
    /// A later version wrote it.
    a_list_of_checkpoints_that_is_too_new =
        Damage { file: "working/job-1/checkpoints.json", bytes: newer, faults: &[Fault::TooNew], ..DAMAGED };
}

const LOG: &str = "working/job-1/logs.jsonl";
const DAMAGED: Damage = Damage { home: saved, file: "", bytes: Some, faults: &[Fault::Damaged], besides: &[] };

fn newer(bytes: Vec<u8>) -> Option<Vec<u8>> {
    Some(String::from_utf8(bytes).unwrap().replace("Version\": 1", "Version\": 2").into())
}

fn locked(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().scope(SCOPE)
}

fn locked_of_other(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().scope("job-2")
}

fn update(_: &Store, word: &str) -> Result<Option<Call>> {
    let patch = json!({ word: [word], "last": word });
    Ok(Some(("working.updateContext", json!({ "scopeId": SCOPE, "patch": patch, "remove": ["first"] }))))
}

fn update_other(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(("working.updateContext", json!({ "scopeId": "job-2", "patch": { word: "of the other" } }))))
}

fn put(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(("adapter.set", json!({ "key": SCOPE, "value": { word: [word] } }))))
}

fn push(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(("adapter.push", json!({ "key": SCOPE, "item": word }))))
}

fn replace(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(("adapter.set", json!({ "key": format!("context:{SCOPE}"), "value": { word: [word] } }))))
}

fn add(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(entry(word, "What happened.")))
}

fn add_long(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(entry(word, &"It did. ".repeat(600))))
}

fn entry(id: &str, content: &str) -> Call {
    let entry = json!({ "id": id, "content": content, "metadata": { "timestamp": 1 } });
    ("working.addLog", json!({ "scopeId": SCOPE, "entry": entry }))
}

fn save(_: &Store, _: &str) -> Result<Option<Call>> {
    Ok(Some(("working.saveCheckpoint", json!({ "jobId": SCOPE }))))
}

fn restore(store: &Store, _: &str) -> Result<Option<Call>> {
    with_oldest(store, "working.restoreCheckpoint")
}

fn delete_checkpoint(store: &Store, _: &str) -> Result<Option<Call>> {
    with_oldest(store, "working.deleteCheckpoint")
}

fn with_oldest(store: &Store, method: &'static str) -> Result<Option<Call>> {
    let checkpoints = store.working().list_checkpoints(SCOPE)?;
    Ok(checkpoints.first().map(|oldest| (method, json!({ "jobId": SCOPE, "timestamp": oldest }))))
}

fn delete_scope(_: &Store, _: &str) -> Result<Option<Call>> {
    Ok(Some(("working.deleteScope", json!({ "scopeId": SCOPE }))))
}

/// Nothing of the scope is stored, but there is another one.
fn beside(home: &TestHome) {
    an_update_of_another_scope::ROW.write(&reopen(home), "kept").unwrap();
}

/// A context with a trail and a log.
pub(crate) fn begun(home: &TestHome) {
    let store = reopen(home);
    for word in ["first", "kept"] {
        set(&store, json!({ word: { "as": "it was" } }));
        an_entry_of_a_log::ROW.write(&store, word).unwrap();
    }
}

fn set(store: &Store, patch: Value) {
    call(store, "working.updateContext", &json!({ "scopeId": SCOPE, "patch": patch })).unwrap();
}

/// As many checkpoints as are kept.
pub(crate) fn saved(home: &TestHome) {
    begun(home);
    let store = reopen(home);
    for word in ["a", "b", "c"] {
        a_checkpoint::ROW.write(&store, word).unwrap();
        an_update_of_a_context::ROW.write(&store, word).unwrap();
    }
}

/// A value and a list under the key that is called like the scope.
fn keyed(home: &TestHome) {
    begun(home);
    let store = reopen(home);
    for word in ["first", "kept"] {
        a_value_of_ones_own::ROW.write(&store, word).unwrap();
        an_item_of_ones_own::ROW.write(&store, word).unwrap();
    }
}

/// A trail of many pages.
fn long(home: &TestHome) {
    begun(home);
    let store = reopen(home);
    for number in 0..40 {
        set(&store, json!({ "long": "and on ".repeat(number * 10) }));
    }
}

/// A writer that died while it added an entry.
fn torn(home: &TestHome) {
    begun(home);
    append_to(home, LOG, format!(r#"{{"id":"torn","content":"{TORN}"#));
}

/// A power cut behind a write of several entries, of which the first came to be zeros.
fn zeroed(home: &TestHome) {
    begun(home);
    let behind = "\"}\n{\"id\":\"behind\",\"content\":\"whole\",\"metadata\":{\"source\":\"x\",\"timestamp\":1}}\n";
    append_to(home, LOG, [&[0; 700], behind.as_bytes()].concat());
}

/// A writer that died between the trail and the context.
fn ahead(home: &TestHome) {
    begun(home);
    let never = "{\"id\":\"x\",\"operation\":\"updateContext\",\"patch\":{\"never\":1},\"time\":\"\"}\n{\"id";
    append_to(home, "working/job-1/trail.jsonl", never);
}

/// A writer died while it copied the context over.
fn half_copied(home: &TestHome) {
    saved(home);
    half_copy(home, &["working/job-1/context.json"]);
}

/// A home with everything that these operations write.
pub(crate) fn furnished(home: &TestHome) {
    saved(home);
    beside(home);
}

fn read(store: &Store, view: &mut View) {
    let scopes = match store.working().list_scopes() {
        Ok(scopes) => scopes,
        Err(damage) => {
            view.insert(loopmem::testing::home(store).layout().working(), Err(format!("{damage:?}")));
            return;
        }
    };
    for scope in scopes {
        if let Some(said) = read_scope(store, &scope).transpose() {
            view.insert(loopmem::testing::home(store).layout().scope(&scope), said);
        }
    }
}

/// Everything that a scope says, if it says something. Its context must be what its trail leads to, and each checkpoint
/// must be there.
fn read_scope(store: &Store, scope: &str) -> std::result::Result<Option<String>, String> {
    let damaged = |damage: loopmem::Error| format!("{scope}: {damage:?}");
    let working = store.working();
    let context = working.get_context(scope).map_err(damaged)?;
    let trail = working.history(scope, None).map_err(damaged)?;
    let of = Scope::admit(store.redactor(), "scopeId", scope).map_err(damaged)?;
    let rebuilt = json!(rebuild(&of, &trail).map_err(damaged)?);
    let mut said = serde_json::from_str(context.json().get()).unwrap();
    if rebuilt != said {
        return Err(format!("the context is {said}, and its trail leads to {rebuilt}"));
    }
    said = json!({ "context": said, "trail": trail });
    // Each entry has an id of its own, which is another each time.
    said["trail"].as_array_mut().unwrap().iter_mut().for_each(|entry| entry["id"] = Value::Null);
    said["logs"] = json!(working.get_logs(scope, Range::default()).map_err(damaged)?);
    said["value"] = json!(store.adapter().get(scope).map_err(damaged)?);
    said["items"] = json!(store.adapter().get_list(scope).map_err(damaged)?);
    let is_nothing = said == json!({ "context": {}, "trail": [], "logs": [], "value": null, "items": [] });
    let checkpoints = working.list_checkpoints(scope).map_err(damaged)?;
    for timestamp in &checkpoints {
        let file =
            loopmem::testing::home(store).layout().scope(scope).join("checkpoints").join(format!("{timestamp}.json"));
        let saved = loopmem::testing::home(store).disk().read_if_there(&file, u64::MAX).map_err(damaged)?;
        let saved = saved.ok_or_else(|| format!("checkpoint {timestamp} is missing"))?;
        said["checkpoints"][timestamp.to_string()] = serde_json::from_slice(&saved).map_err(|it| it.to_string())?;
    }
    Ok((!(is_nothing && checkpoints.is_empty())).then(|| said.to_string()))
}
