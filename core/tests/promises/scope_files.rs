//! Files of a scope that were removed, linked or half deleted, and concurrent readers of them.

use std::sync::Arc;

use loopmem::{ErrorKind, Result, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::file_systems::{Fault, Faulty, FsLimitation};
use crate::operations::working::{SCOPE, begun, saved};
use crate::operations::{self, call, reopen};

fn open(home: &TestHome, fs: Arc<dyn loopmem::testing::disk::Fs>) -> Store {
    operations::open(&home.root(), fs)
}

fn update(store: &Store, patch: &Value) -> Result<()> {
    call(store, "working.updateContext", &json!({ "scopeId": SCOPE, "patch": patch })).map(drop)
}

fn update_new(store: &Store) -> Result<()> {
    update(store, &json!({ "a": 3 }))
}

fn add(store: &Store, id: &str) -> Result<()> {
    call(store, "working.addLog", &json!({ "scopeId": SCOPE, "entry": { "id": id, "content": "It did." } })).map(drop)
}

fn delete_scope(store: &Store) -> Result<()> {
    store.working().delete_scope(SCOPE).map(drop)
}

fn changes(store: &Store) -> usize {
    store.working().history(SCOPE, None).unwrap().len()
}

/// The ids of the entries of the log.
fn entries(store: &Store) -> Vec<Value> {
    let logs = call(store, "working.getLogs", &json!({ "scopeId": SCOPE })).unwrap();
    logs.as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect()
}

/// The file with the committed length of the trail was removed or damaged.
#[test]
fn a_trail_without_a_context_is_kept_beside_the_new_one() {
    let home = TestHome::new();
    begun(&home);
    let store = reopen(&home);
    let folder = loopmem::testing::home(&store).layout().scope(SCOPE);
    let trail = std::fs::read(folder.join("trail.jsonl")).unwrap();
    std::fs::remove_file(folder.join("context.json")).unwrap();
    update(&store, &json!({ "b": 1 })).unwrap();
    let context = call(&store, "working.getContext", &json!({ "scopeId": SCOPE })).unwrap();
    assert_eq!((context, changes(&store), entries(&store).len()), (json!({ "b": 1 }), 1, 2));
    assert_eq!(std::fs::read(folder.join("trail.jsonl.torn")).unwrap(), trail);
}

/// Without `flock`, readers hold no lock: a scope that is deleted and created again is read before or after.
#[test]
fn readers_without_a_lock_never_mistake_a_scope_being_deleted_for_a_damaged_one() {
    let home = TestHome::in_memory();
    begun(&home);
    let writer = open(&home, Faulty::with_limitation(FsLimitation::NoLocks).on(home.fs()));
    let reader = open(&home, Faulty::with_limitation(FsLimitation::NoLocks).on(home.fs()));
    std::thread::scope(|threads| {
        let writing = threads.spawn(|| {
            for number in 0..300 {
                update(&writer, &json!({ "a": number })).unwrap();
                if number % 3 == 0 {
                    delete_scope(&writer).unwrap();
                }
            }
        });
        let mut read = 0;
        while !writing.is_finished() || read == 0 {
            read += changes(&reader);
        }
    });
    assert_eq!(changes(&reader), 2);
}

/// The next writer after a crash removes what was being removed.
#[test]
fn the_remains_of_an_interrupted_deletion_are_removed_by_the_next_change() {
    for nth in 1.. {
        let home = TestHome::in_memory();
        saved(&home);
        let faulty = Faulty::default();
        let store = open(&home, faulty.on(home.fs()));
        faulty.arm(nth, Fault::Stop);
        let outcome = delete_scope(&store);
        let has_struck = faulty.disarm();
        drop(store);
        let left =
            |home: &TestHome| home.entries().iter().filter(|it| it.to_string_lossy().contains(".deleted-")).count();
        if left(&home) > 0 && outcome.is_err() {
            let next = reopen(&home);
            update_new(&next).unwrap();
            assert_eq!(left(&home), 0, "call {nth}");
        }
        if !has_struck {
            assert!(nth > 8, "{nth}");
            break;
        }
    }
}

#[test]
fn a_link_is_never_followed_when_litter_or_a_scope_is_removed() {
    let home = TestHome::new();
    begun(&home);
    let theirs = home.top().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    let file = theirs.join("context.json.a1.tmp");
    std::fs::write(&file, "theirs").unwrap();
    let folder = loopmem::testing::home(&reopen(&home)).layout().scope(SCOPE);
    std::os::unix::fs::symlink(&theirs, folder.join("link")).unwrap();
    let store = reopen(&home);
    update_new(&store).unwrap();
    assert!(file.exists());
    delete_scope(&store).unwrap();
    std::os::unix::fs::symlink(&theirs, &folder).unwrap();
    for refused in [delete_scope(&store), update_new(&store), add(&store, "new")] {
        let refused = refused.unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*folder)), "{refused}");
    }
    assert!(file.exists() && std::fs::read_dir(&theirs).unwrap().count() == 1);
    std::fs::remove_file(&folder).unwrap();
    let left = std::fs::read_dir(folder.parent().unwrap()).unwrap().map(|it| it.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| !name.to_string_lossy().starts_with("trash.jsonl")).collect();
    assert_eq!(left.len(), 2, "the lock files: {left:?}");
}

/// A line may be longer than the part that is searched; its beginning is found nevertheless.
#[test]
fn a_long_entry_of_which_a_power_cut_left_zeros_is_set_aside_whole() {
    let home = TestHome::new();
    begun(&home);
    let whole = entries(&reopen(&home));
    let file = loopmem::testing::home(&reopen(&home)).layout().scope(SCOPE).join("logs.jsonl");
    let before = std::fs::read(&file).unwrap();
    let mut entry = format!("{{\"id\":\"long\",\"content\":\"{}\"}}\n", "and on ".repeat(500_000)).into_bytes();
    let length = entry.len();
    for zeros in [0..4096, length - 700_000..length - 600_000, length - 5..length, 1..length] {
        let kept = std::mem::take(&mut entry);
        let mut torn = kept.clone();
        entry = kept;
        torn[zeros.clone()].fill(0);
        std::fs::write(&file, [&before[..], &torn].concat()).unwrap();
        let store = reopen(&home);
        assert_eq!(entries(&store), whole, "{zeros:?}");
        let faulty = Faulty::default();
        let failing = open(&home, faulty.fs());
        faulty.arm(1, Fault::DiskFull);
        add(&failing, "x").unwrap_err();
        faulty.disarm();
        add(&failing, "next").unwrap();
        assert_eq!(std::fs::read(file.with_extension("jsonl.torn")).unwrap()[..torn.len()], torn, "{zeros:?}");
        assert_eq!(entries(&store), ["first", "kept", "next"], "{zeros:?}");
        std::fs::remove_file(file.with_extension("jsonl.torn")).unwrap();
    }
}
