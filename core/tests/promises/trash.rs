//! What is removed or replaced can be brought back, and is lost at no moment.

use std::path::PathBuf;

use loopmem::undo::Removal;
use loopmem::{ErrorKind, Options, Store};
use serde_json::{Value, json};

use crate::file_systems::{Fault, Faulty, Recording};
use crate::operations::{call, wait_together};
use crate::simulated_disk::SimulatedDisk;
use crate::{TestHome, crash_trial, repo};

fn options(home: &TestHome) -> Options {
    Options::at(home.root()).codex_home(crate::codex_of(&home.root())).clock("2026-01-31T12:00:00Z").keep_replaced(true)
}

fn open(home: &TestHome) -> Store {
    loopmem::testing::open_on(options(home), home.fs(), []).unwrap()
}

fn removals(store: &Store) -> Vec<Removal> {
    store.undo().list(Some(&store.repo_at(&repo()))).unwrap()
}

fn of_repo(params: Value) -> Value {
    let mut params = params;
    params["repoHash"] = json!(repo());
    params
}

fn note(store: &Store, id: &str, content: &str) {
    let params = of_repo(json!({ "note": { "id": id, "content": content } }));
    call(store, "memory.upsertNote", &params).unwrap();
}

/// A change that takes a record away, of a home with a record in each room.
struct Loss {
    name: &'static str,
    method: &'static str,
    params: fn(&Store) -> Value,
}

/// Every kind of change that takes a record from where it is.
const LOSSES: &[Loss] = &[
    Loss { name: "a removal", method: "memory.remove", params: |_| of_repo(json!({ "id": "kept" })) },
    Loss {
        name: "a replacement",
        method: "memory.upsertNote",
        params: |_| of_repo(json!({ "note": { "id": "kept", "content": "of another" } })),
    },
    Loss {
        name: "a restoration of another version",
        method: "undo.restore",
        params: |store| json!({ "id": removals(store).iter().find(|it| it.preview == "before").unwrap().id }),
    },
    Loss {
        name: "a restoration",
        method: "undo.restore",
        params: |store| json!({ "id": removals(store).iter().find(|it| it.preview == "gone").unwrap().id }),
    },
];

/// The texts that no loss may lose.
const TEXTS: &[&str] = &["precious", "before", "gone"];

fn filled() -> TestHome {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "kept", "before");
    note(&store, "kept", "precious");
    note(&store, "removed", "gone");
    call(&store, "memory.remove", &of_repo(json!({ "id": "removed" }))).unwrap();
    home
}

/// Each text is in its room or in the trash.
#[track_caller]
fn assert_nothing_lost(home: &TestHome, at: &str) {
    let store = open(home);
    let stored = call(&store, "memory.get", &of_repo(json!({}))).unwrap().to_string();
    let trash = removals(&store).iter().map(|it| it.record.get().to_owned()).collect::<String>();
    for text in TEXTS {
        assert!(stored.contains(text) || trash.contains(text), "{at}: {text} is lost; {stored} {trash}");
    }
}

#[test]
fn a_record_is_in_its_place_or_in_the_trash_whichever_call_fails() {
    for (number, loss) in LOSSES.iter().enumerate() {
        // Full disks for two of them, so that it takes less time.
        for fault in [Fault::Stop, Fault::DiskFull].into_iter().take(if number < 2 { 2 } else { 1 }) {
            for nth in 1.. {
                let home = filled();
                let params = (loss.params)(&open(&home));
                let faulty = Faulty::default();
                let store = loopmem::testing::open_on(options(&home), faulty.on(home.fs()), []).unwrap();
                faulty.arm(nth, fault);
                let outcome = call(&store, loss.method, &params);
                let has_struck = faulty.disarm();
                let at = format!("{}, {fault:?} in call {nth}: {outcome:?}", loss.name);
                assert_nothing_lost(&home, &at);
                // The same process tries again, and is content or finds that it was done.
                if outcome.is_err() {
                    let again = call(&store, loss.method, &params);
                    let is_done = again.as_ref().map_or_else(|error| error.kind() == ErrorKind::NotFound, |_| true);
                    assert!(is_done, "{at}, and then {again:?}");
                    assert_nothing_lost(&home, &at);
                }
                if !has_struck {
                    assert!(outcome.is_ok() && nth > 8, "{at}");
                    break;
                }
            }
        }
    }
}

#[test]
fn a_record_is_in_its_place_or_in_the_trash_after_a_power_cut_at_any_moment() {
    for loss in LOSSES {
        let home = filled();
        let params = (loss.params)(&open(&home));
        let mut disk = SimulatedDisk::holding(&crash_trial::tree_of(&home));
        let recording = Recording::default();
        let store = loopmem::testing::open_on(options(&home), recording.on(home.fs()), []).unwrap();
        call(&store, loss.method, &params).unwrap();
        for step in recording.take() {
            disk.apply(&step);
            for state in disk.states() {
                assert_nothing_lost(&crash_trial::home_of(&state, false), loss.name);
            }
        }
    }
}

#[test]
fn a_record_comes_back_byte_for_byte_whatever_fields_and_white_space_it_has() {
    let home = TestHome::new();
    let record = "{\"id\":\"n\",\"content\":\"c\",\"source\":\"agent\",\"createdAt\":\"2025\",\"updatedAt\":\"2025\",\"far\":[1e400,1.50]}";
    let spread = record.replace(",\"far", ",\n  \"far");
    let file = home.folder().join("memory.json");
    std::fs::create_dir_all(home.folder()).unwrap();
    let before = format!("{{\"schemaVersion\":1,\"notes\":[{spread}]}}");
    std::fs::write(&file, before).unwrap();
    let store = open(&home);
    assert!(store.repo_at(&repo()).memory().remove("n").unwrap());
    let [removal] = &removals(&store)[..] else { panic!("one entry") };
    assert_eq!(removal.record.get(), record);
    // A line of its own, whatever the file was like.
    let trash = std::fs::read_to_string(home.folder().join("trash.jsonl")).unwrap();
    assert_eq!(trash.lines().count(), 1);
    store.undo().restore(&removal.id[..8]).unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains(record));
    // A crash before the entry was taken out: it is there already.
    std::fs::write(home.folder().join("trash.jsonl"), trash).unwrap();
    let store = open(&home);
    store.undo().restore(&removals(&store)[0].id).unwrap();
    assert_eq!(removals(&store).len(), 0);
}

#[test]
fn records_that_many_remove_at_once_are_all_in_the_trash() {
    let home = TestHome::in_memory();
    let store = open(&home);
    let ids: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
    ids.iter().for_each(|id| note(&store, id, id));
    let calls: Vec<_> = ids.iter().map(|id| ("memory.remove", of_repo(json!({ "id": id })))).collect();
    let locked: PathBuf = loopmem::testing::home(&store).layout().memory(&repo());
    for answer in wait_together(&store, &[locked], &calls, &[], || {}) {
        assert_eq!(answer.unwrap(), r#"{"removed":true}"#);
    }
    let mut removed: Vec<_> = removals(&store).into_iter().map(|it| it.record_id).collect();
    removed.sort_by_key(|id| id[1..].parse::<usize>().unwrap());
    assert_eq!(removed, ids);
}

#[test]
fn entries_expire_and_are_dropped_by_the_next_removal() {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "first", "1");
    note(&store, "second", "2");
    store.repo_at(&repo()).memory().remove("first").unwrap();
    let at = |clock: &str| loopmem::testing::open_on(options(&home).clock(clock), home.fs(), []).unwrap();
    assert_eq!(removals(&at("2026-03-02T11:59:59Z")).len(), 1);
    let later = at("2026-03-02T12:00:00Z");
    assert_eq!(removals(&later).len(), 0);
    later.repo_at(&repo()).memory().remove("second").unwrap();
    // Not even for one whose clock is wrong.
    assert_eq!(removals(&store).iter().map(|it| &*it.record_id).collect::<Vec<_>>(), ["second"]);
    let kept = Options::trash_keep_days(options(&home).clock("2027-01-01T00:00:00Z"), 400);
    assert_eq!(removals(&loopmem::testing::open_on(kept, home.fs(), []).unwrap()).len(), 1);
}

#[test]
fn a_trash_that_is_damaged_elsewhere_prevents_no_restoration() {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "n", "c");
    store.repo_at(&repo()).memory().remove("n").unwrap();
    let other = loopmem::testing::home(&store).layout().trash(&crate::operations::other_repo());
    home.create_folders(other.parent().unwrap());
    home.write(&other, b"{\"v\":2}\n");
    let missing = store.undo().restore("ffffffff").unwrap_err();
    assert_eq!((missing.kind(), missing.path()), (ErrorKind::FormatTooNew, Some(&*other)), "it may be there");
    store.undo().restore(&removals(&store)[0].id).unwrap();
}
