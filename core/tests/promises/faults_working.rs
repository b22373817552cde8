//! No failure of a system call leaves half a change of a scope; broken and judged as the other writes (`faults`).

use std::sync::Arc;

use loopmem::testing::disk::{Fault, Faulty, FsLimitation, RealFs};
use loopmem::testing::working::{Scope, rebuild};
use loopmem::working::{Patch, Range};
use loopmem::{ErrorKind, Result, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::faults::{Case, open};

const SCOPE: &str = "job-1";

fn update(store: &Store, patch: &Value) -> Result<()> {
    let patch = Patch::from_json(&patch.to_string()).unwrap();
    store.working().update_context(SCOPE, patch).map(drop)
}

fn add(store: &Store, id: &str) -> Result<()> {
    let entry = serde_json::from_value(json!({ "id": id, "content": "What happened." })).unwrap();
    store.working().add_log(SCOPE, entry).map(drop)
}

fn save(store: &Store) -> Result<()> {
    store.working().save_checkpoint(SCOPE).map(drop)
}

fn checkpoints(store: &Store) -> Result<Vec<u64>> {
    store.working().list_checkpoints(SCOPE)
}

/// Everything that is stored of the scope, as text: the context with the number of its changes, the entries of the log,
/// and what each checkpoint says.
pub(crate) fn state(store: &Store) -> Vec<String> {
    let working = store.working();
    let context = working.get_context(SCOPE).unwrap();
    let trail = working.history(SCOPE, None).unwrap();
    let rebuilt = rebuild(&Scope::admit(store.safety(), "scopeId", SCOPE).unwrap(), &trail).unwrap();
    let context: Value = serde_json::from_str(context.json().get()).unwrap();
    assert_eq!(json!(rebuilt), context, "a context is what its trail leads to");
    let mut state = Vec::new();
    if !trail.is_empty() {
        state.push(format!("{context} after {}", trail.len()));
    }
    for entry in working.get_logs(SCOPE, Range::default()).unwrap() {
        state.push(serde_json::from_str::<Value>(entry.json().get()).unwrap()["id"].as_str().unwrap().to_owned());
    }
    let folder = loopmem::testing::home(store).layout().scope(SCOPE).join("checkpoints");
    for timestamp in checkpoints(store).unwrap() {
        let saved = std::fs::read(folder.join(format!("{timestamp}.json"))).unwrap();
        state.push(format!("saved {}", serde_json::from_slice::<Value>(&saved).unwrap()["value"]));
    }
    state
}

fn nothing(_: &TestHome) {}

fn begun(home: &TestHome) {
    let store = open(home, Arc::new(RealFs));
    for number in [1, 2] {
        update(&store, &json!({ "a": number })).unwrap();
    }
    add(&store, "first").unwrap();
}

fn saved(home: &TestHome) {
    let store = open(home, Arc::new(RealFs));
    for number in [1, 2] {
        update(&store, &json!({ "a": number })).unwrap();
        save(&store).unwrap();
    }
}

/// What a writer that died left behind the context and the log.
fn torn(home: &TestHome) {
    begun(home);
    let layout = loopmem::testing::home(&open(home, Arc::new(RealFs))).layout().scope(SCOPE);
    for (name, bytes) in [("trail.jsonl", &b"{\"id\":\"never\"}\n{\"i"[..]), ("logs.jsonl", &b"\0\0\0\"}\n"[..])] {
        let mut file = std::fs::File::options().append(true).open(layout.join(name)).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    }
}

/// Counts how often it was done, in what it writes too.
fn update_new(store: &Store) -> Result<()> {
    let before: Value = serde_json::from_str(store.working().get_context(SCOPE)?.json().get()).unwrap();
    update(store, &json!({ "a": 3, "b": before.get("b").and_then(Value::as_u64).unwrap_or(0) + 1 }))
}

fn add_new(store: &Store) -> Result<()> {
    add(store, "new")
}

fn restore_oldest(store: &Store) -> Result<()> {
    let oldest = checkpoints(store)?.first().copied().unwrap();
    store.working().restore_checkpoint(SCOPE, oldest).map(drop)
}

fn delete_oldest(store: &Store) -> Result<()> {
    match checkpoints(store)?.first() {
        Some(oldest) => store.working().delete_checkpoint(SCOPE, *oldest).map(drop),
        None => Ok(()),
    }
}

fn delete_scope(store: &Store) -> Result<()> {
    store.working().delete_scope(SCOPE).map(drop)
}

/// Every kind of change of a scope, on a home that has begun.
fn cases() -> [Case; 7] {
    [
        Case {
            again: &[r#"{"a":3,"b":2} after 4"#, "first"],
            ..Case::new(begun, update_new, &[r#"{"a":3,"b":1} after 3"#, "first"])
        },
        Case {
            again: &[r#"{"a":2} after 2"#, "first", "new", "new"],
            ..Case::new(begun, add_new, &[r#"{"a":2} after 2"#, "first", "new"])
        },
        Case {
            again: &[r#"{"a":2} after 2"#, "first", r#"saved {"a":2}"#, r#"saved {"a":2}"#],
            ..Case::new(begun, save, &[r#"{"a":2} after 2"#, "first", r#"saved {"a":2}"#])
        },
        Case::new(saved, save, &[r#"{"a":2} after 2"#, r#"saved {"a":2}"#, r#"saved {"a":2}"#]),
        Case {
            again: &[r#"{"a":1} after 4"#, r#"saved {"a":1}"#, r#"saved {"a":2}"#],
            ..Case::new(saved, restore_oldest, &[r#"{"a":1} after 3"#, r#"saved {"a":1}"#, r#"saved {"a":2}"#])
        },
        Case {
            again: &[r#"{"a":2} after 2"#],
            ..Case::new(saved, delete_oldest, &[r#"{"a":2} after 2"#, r#"saved {"a":2}"#])
        },
        Case::new(saved, delete_scope, &[]),
    ]
}

#[test]
fn a_change_of_a_scope_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    cases().iter().for_each(Case::break_every_call);
}

#[test]
fn a_first_change_of_a_scope_that_fails_anywhere_leaves_nothing_or_the_change() {
    let update = Case::new(nothing, update_new, &[r#"{"a":3,"b":1} after 1"#]);
    Case { again: &[r#"{"a":3,"b":2} after 2"#], ..update }.break_every_call();
    Case { again: &["new", "new"], ..Case::new(nothing, add_new, &["new"]) }.break_every_call();
    Case { again: &["saved {}", "saved {}"], ..Case::new(nothing, save, &["saved {}"]) }.break_every_call();
}

#[test]
fn a_change_behind_what_a_dead_writer_left_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let update = Case::new(torn, update_new, &[r#"{"a":3,"b":1} after 3"#, "first"]);
    Case { again: &[r#"{"a":3,"b":2} after 4"#, "first"], ..update }.break_every_call();
    let add = Case::new(torn, add_new, &[r#"{"a":2} after 2"#, "first", "new"]);
    Case { again: &[r#"{"a":2} after 2"#, "first", "new", "new"], ..add }.break_every_call();
}

#[test]
fn a_change_of_a_scope_without_flock_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let [update, add, _, save, .., delete] = cases();
    for case in [update, add, save, delete] {
        Case { lack: Some(FsLimitation::NoLocks), ..case }.break_every_call();
    }
}

#[test]
fn a_change_of_files_that_cannot_be_replaced_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let [update, _, _, save, _, delete, _] = cases();
    for case in [update, save, delete] {
        Case { lack: Some(FsLimitation::NoReplace), ..case }.break_every_call();
    }
}

/// Somebody removed or damaged the file that tells how much of the trail counts.
#[test]
fn a_trail_that_no_context_tells_of_is_kept_beside_the_new_one() {
    let home = TestHome::new();
    begun(&home);
    let store = open(&home, Arc::new(RealFs));
    let folder = loopmem::testing::home(&store).layout().scope(SCOPE);
    let trail = std::fs::read(folder.join("trail.jsonl")).unwrap();
    std::fs::remove_file(folder.join("context.json")).unwrap();
    update(&store, &json!({ "b": 1 })).unwrap();
    assert_eq!(state(&store), [r#"{"b":1} after 1"#, "first"]);
    assert_eq!(std::fs::read(folder.join("trail.jsonl.torn")).unwrap(), trail);
}

/// Where `flock` does not work readers hold no lock: a scope that goes and comes again is read before or after.
#[test]
fn readers_without_a_lock_never_take_a_scope_that_is_being_deleted_for_a_damaged_one() {
    let home = TestHome::in_memory();
    begun(&home);
    let writer = open(&home, Faulty::with_limitation(FsLimitation::NoLocks).fs());
    let reader = open(&home, Faulty::with_limitation(FsLimitation::NoLocks).fs());
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
            read += store_history(&reader);
        }
    });
    assert_eq!(store_history(&reader), 2);
}

fn store_history(store: &Store) -> usize {
    store.working().history(SCOPE, None).unwrap().len()
}

/// Whoever comes next after one who died takes away what that one was taking away.
#[test]
fn what_is_left_of_a_scope_whose_deletion_was_stopped_goes_with_the_next_change() {
    for nth in 1.. {
        let home = TestHome::in_memory();
        saved(&home);
        let faulty = Faulty::default();
        let store = open(&home, faulty.fs());
        faulty.arm(nth, Fault::Stop);
        let outcome = delete_scope(&store);
        let has_struck = faulty.disarm();
        drop(store);
        let left =
            |home: &TestHome| home.entries().iter().filter(|it| it.to_string_lossy().contains(".deleted-")).count();
        if left(&home) > 0 && outcome.is_err() {
            let next = open(&home, Arc::new(RealFs));
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
fn a_link_is_never_followed_by_what_removes_litter_or_a_scope() {
    let home = TestHome::new();
    begun(&home);
    let theirs = home.0.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    let file = theirs.join("context.json.a1.tmp");
    std::fs::write(&file, "theirs").unwrap();
    let folder = loopmem::testing::home(&open(&home, Arc::new(RealFs))).layout().scope(SCOPE);
    std::os::unix::fs::symlink(&theirs, folder.join("link")).unwrap();
    let store = open(&home, Arc::new(RealFs));
    update_new(&store).unwrap();
    assert!(file.exists());
    delete_scope(&store).unwrap();
    std::os::unix::fs::symlink(&theirs, &folder).unwrap();
    for refused in [delete_scope(&store), update_new(&store), add_new(&store)] {
        let refused = refused.unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (ErrorKind::Io, Some(&*folder)), "{refused}");
    }
    assert!(file.exists() && std::fs::read_dir(&theirs).unwrap().count() == 1);
    std::fs::remove_file(&folder).unwrap();
    let left: Vec<_> = std::fs::read_dir(folder.parent().unwrap()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "the lock files: {left:?}");
}

/// A line may be longer than what is looked through: where it begins is found all the same.
#[test]
fn a_long_entry_of_which_a_power_cut_left_zeros_is_set_aside_whole() {
    let home = TestHome::new();
    begun(&home);
    let whole = state(&open(&home, Arc::new(RealFs)));
    let file = loopmem::testing::home(&open(&home, Arc::new(RealFs))).layout().scope(SCOPE).join("logs.jsonl");
    let before = std::fs::read(&file).unwrap();
    let mut entry = format!("{{\"id\":\"long\",\"content\":\"{}\"}}\n", "and on ".repeat(500_000)).into_bytes();
    let length = entry.len();
    for zeros in [0..4096, length - 700_000..length - 600_000, length - 5..length, 1..length] {
        let kept = std::mem::take(&mut entry);
        let mut torn = kept.clone();
        entry = kept;
        torn[zeros.clone()].fill(0);
        std::fs::write(&file, [&before[..], &torn].concat()).unwrap();
        let store = open(&home, Arc::new(RealFs));
        assert_eq!(state(&store), whole, "{zeros:?}");
        let faulty = Faulty::default();
        let failing = open(&home, faulty.fs());
        faulty.arm(1, Fault::DiskFull);
        add(&failing, "x").unwrap_err();
        faulty.disarm();
        add(&failing, "next").unwrap();
        assert_eq!(std::fs::read(file.with_extension("jsonl.torn")).unwrap()[..torn.len()], torn, "{zeros:?}");
        let ids: Vec<String> = state(&store).into_iter().skip(1).collect();
        assert_eq!(ids, ["first", "next"], "{zeros:?}");
        std::fs::remove_file(file.with_extension("jsonl.torn")).unwrap();
    }
}
