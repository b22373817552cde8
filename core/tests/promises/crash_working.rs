//! Whatever a crash leaves of a change of a scope is the scope before it or after it: a context together with its trail, a
//! log, the checkpoints. The states are made and judged as for the other files (`crash_states`).

use std::sync::Arc;

use loopmem::testing::disk::{FsLimitation, RealFs, Recording, Step};
use loopmem::{Result, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::crash_states::{empty, together};
use crate::crash_trial::{Prepare, Trial, Version, Write, call, is_caught_without, open};

/// The scope that these tests write.
pub(crate) const SCOPE: &str = "job-1";
/// What a crash long ago left behind the last whole line.
const TORN: &str = r#"{"id":"torn","content":"never fin"#;

fn update(store: &Store, scope: &str, patch: &Value) -> Result<()> {
    let patch = loopmem::working::Patch::from_json(&patch.to_string())?;
    store.working().update_context(scope, patch).map(drop)
}

pub(crate) fn update_context(store: &Store, word: &str) -> Result<()> {
    let params = json!({ "scopeId": SCOPE, "patch": { word: [word], "last": word }, "remove": ["first"] });
    call(store, "working.updateContext", &params).map(drop)
}

pub(crate) fn update_other(store: &Store, word: &str) -> Result<()> {
    update(store, "job-2", &json!({ word: "of the other" }))
}

pub(crate) fn add_log(store: &Store, word: &str) -> Result<()> {
    add(store, word, "What happened.")
}

fn add(store: &Store, id: &str, content: &str) -> Result<()> {
    let entry = json!({ "id": id, "content": content, "metadata": { "timestamp": 1 } });
    store.working().add_log(SCOPE, serde_json::from_value(entry).unwrap()).map(drop)
}

pub(crate) fn save(store: &Store, _: &str) -> Result<()> {
    store.working().save_checkpoint(SCOPE).map(drop)
}

fn oldest(store: &Store) -> Result<Option<u64>> {
    Ok(store.working().list_checkpoints(SCOPE)?.first().copied())
}

pub(crate) fn restore(store: &Store, _: &str) -> Result<()> {
    match oldest(store)? {
        Some(timestamp) => store.working().restore_checkpoint(SCOPE, timestamp).map(drop),
        None => Ok(()),
    }
}

pub(crate) fn delete_checkpoint(store: &Store, _: &str) -> Result<()> {
    match oldest(store)? {
        Some(timestamp) => store.working().delete_checkpoint(SCOPE, timestamp).map(drop),
        None => Ok(()),
    }
}

pub(crate) fn delete_scope(store: &Store, _: &str) -> Result<()> {
    store.working().delete_scope(SCOPE).map(drop)
}

fn all_together(store: &Store, writers: usize, write: impl Fn(&Store, usize) -> Result<()> + Sync) -> Result<()> {
    let folder = loopmem::testing::home(store).layout().scope(SCOPE);
    together(store, folder, writers, write)
}

fn update_three(store: &Store, word: &str) -> Result<()> {
    all_together(store, 3, |store, number| update(store, SCOPE, &json!({ format!("{word} {number}"): number })))
}

/// Each is longer than a page, which a power cut may leave full of zeros.
fn add_three(store: &Store, word: &str) -> Result<()> {
    all_together(store, 3, |store, number| add(store, &format!("{word} {number}"), &"It did. ".repeat(600)))
}

/// Nothing of the scope is stored, but there is another one.
fn beside(home: &TestHome) {
    let store = open(&home.root(), Arc::new(RealFs));
    update_other(&store, "kept").unwrap();
}

/// A context with a trail and a log.
pub(crate) fn begun(home: &TestHome) {
    let store = open(&home.root(), Arc::new(RealFs));
    for word in ["first", "kept"] {
        update(&store, SCOPE, &json!({ word: { "as": "it was" } })).unwrap();
        add_log(&store, word).unwrap();
    }
}

/// As many checkpoints as are kept.
pub(crate) fn saved(home: &TestHome) {
    begun(home);
    let store = open(&home.root(), Arc::new(RealFs));
    for word in ["a", "b", "c"] {
        save(&store, word).unwrap();
        update_context(&store, word).unwrap();
    }
}

/// A trail of many pages.
fn long(home: &TestHome) {
    begun(home);
    let store = open(&home.root(), Arc::new(RealFs));
    for number in 0..40 {
        update(&store, SCOPE, &json!({ "long": "and on ".repeat(number * 10) })).unwrap();
    }
}

/// A writer that died while it added an entry.
pub(crate) fn torn(home: &TestHome) {
    begun(home);
    append_to(home, "logs.jsonl", TORN.as_bytes());
}

/// A power cut behind a write of several entries, of which the first came to be zeros.
fn zeroed(home: &TestHome) {
    begun(home);
    let mut bytes = vec![0; 700];
    bytes.extend_from_slice(
        b"\"}\n{\"id\":\"behind\",\"content\":\"whole\",\"metadata\":{\"source\":\"x\",\"timestamp\":1}}\n",
    );
    append_to(home, "logs.jsonl", &bytes);
}

/// A writer that died between the trail and the context.
pub(crate) fn told(home: &TestHome) {
    begun(home);
    append_to(
        home,
        "trail.jsonl",
        b"{\"id\":\"x\",\"operation\":\"updateContext\",\"patch\":{\"never\":1},\"time\":\"\"}\n{\"id",
    );
}

fn append_to(home: &TestHome, name: &str, bytes: &[u8]) {
    let file = loopmem::testing::home(&open(&home.root(), Arc::new(RealFs))).layout().scope(SCOPE).join(name);
    std::io::Write::write_all(&mut std::fs::File::options().append(true).open(file).unwrap(), bytes).unwrap();
}

#[track_caller]
fn survives(prepare: Prepare, write: Write) {
    survives_on(Recording::default(), prepare, write);
}

#[track_caller]
fn survives_on(recording: Recording, prepare: Prepare, write: Write) {
    let states = Trial::on(recording, prepare, write).run().unwrap_or_else(|fault| panic!("{fault}"));
    println!("{states} states");
    assert!(states > 6, "{states} states are too few to be all");
}

#[test]
fn a_crash_in_an_update_leaves_the_context_with_its_trail_before_or_after() {
    survives(empty, update_context);
    survives(beside, update_context);
    survives(begun, update_context);
    survives(saved, update_context);
}

#[test]
fn a_crash_in_an_update_behind_one_that_was_never_acknowledged_leaves_no_trace_of_that() {
    survives(told, update_context);
}

#[test]
fn a_crash_in_an_update_with_a_long_trail_leaves_all_of_it() {
    survives(long, update_context);
}

#[test]
fn a_crash_in_several_updates_at_once_leaves_all_of_them_or_none() {
    survives(beside, update_three);
    survives(begun, update_three);
    survives(told, update_three);
}

#[test]
fn a_crash_in_an_entry_of_a_log_leaves_it_or_no_trace_of_it() {
    survives(empty, add_log);
    survives(begun, add_log);
    survives(torn, add_log);
    survives(zeroed, add_log);
}

/// A crash may leave some of several that were added at once.
#[test]
fn a_crash_in_several_entries_of_a_log_leaves_each_of_them_whole_or_absent() {
    for prepare in [beside as Prepare, begun, torn, zeroed] {
        let mut trial = Trial::new(prepare, add_three);
        for left in 1..0b111_u8 {
            let home = TestHome::in_memory();
            prepare(&home);
            let store = open(&home.root(), Arc::new(RealFs));
            for number in (0..3).filter(|number| left & (1 << number) != 0) {
                add(&store, &format!("in flight {number}"), &"It did. ".repeat(600)).unwrap();
            }
            trial.judge.versions.insert(1, Version::of(&home));
        }
        trial.run().unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn a_crash_in_a_checkpoint_leaves_it_whole_and_listed_or_not_at_all() {
    survives(beside, save);
    survives(begun, save);
}

#[test]
fn a_crash_in_a_checkpoint_beyond_the_limit_leaves_the_old_ones_or_the_kept_ones_with_the_new_one() {
    survives(saved, save);
}

#[test]
fn a_crash_while_a_checkpoint_is_restored_leaves_the_context_with_its_trail_before_or_after() {
    survives(saved, restore);
}

#[test]
fn a_crash_while_a_checkpoint_is_deleted_leaves_it_or_no_trace_of_it() {
    survives(saved, delete_checkpoint);
}

#[test]
fn a_crash_while_a_scope_is_deleted_leaves_all_of_it_or_nothing() {
    survives(begun, delete_scope);
    survives(saved, delete_scope);
}

#[test]
fn a_crash_while_files_of_a_scope_are_copied_over_leaves_the_old_contents_or_the_new_ones() {
    let mounted = || Recording::with_limitation(FsLimitation::NoReplace);
    survives_on(mounted(), begun, update_context);
    survives_on(mounted(), told, update_context);
    survives_on(mounted(), torn, add_log);
    survives_on(mounted(), saved, save);
    survives_on(mounted(), saved, restore);
    survives_on(mounted(), saved, delete_checkpoint);
}

#[test]
fn a_crash_on_a_file_system_without_flock_leaves_the_scope_before_or_after() {
    let unlocked = || Recording::with_limitation(FsLimitation::NoLocks);
    survives_on(unlocked(), begun, update_context);
    survives_on(unlocked(), torn, add_log);
    survives_on(unlocked(), saved, save);
    survives_on(unlocked(), begun, delete_scope);
}

#[test]
fn a_program_that_leaves_out_a_sync_of_a_scope_is_caught() {
    let of_trail = |step: &Step| matches!(step, Step::Sync(path, _) if path.ends_with("trail.jsonl"));
    let of_context = |step: &Step| {
        let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
        matches!(step, Step::Sync(path, _) if name(path).starts_with("context.json"))
    };
    let of_folder = |step: &Step| matches!(step, Step::SyncFolder(path) if path.ends_with(SCOPE));
    let of_checkpoints = |step: &Step| matches!(step, Step::SyncFolder(path) if path.ends_with("checkpoints"));
    is_caught_without(begun, update_context, of_trail);
    is_caught_without(begun, update_context, of_context);
    is_caught_without(begun, update_context, of_folder);
    is_caught_without(empty, update_context, of_folder);
    is_caught_without(begun, add_log, |step| matches!(step, Step::Sync(..)));
    is_caught_without(beside, add_log, of_folder);
    is_caught_without(begun, save, of_checkpoints);
    is_caught_without(saved, delete_scope, |step| matches!(step, Step::SyncFolder(_)));
    for parent in ["", "user", "user/home", "user/home/working"] {
        let of_parent = |step: &Step| matches!(step, Step::SyncFolder(path) if path.as_os_str() == parent);
        is_caught_without(|_| {}, update_context, of_parent);
        is_caught_without(|_| {}, add_log, of_parent);
    }
}
