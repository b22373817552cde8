//! Writers of one process that wait for the same lock are committed together, each with its own result.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use loopmem::testing::disk::{Cancel, DocumentFile, Fs, Open, Sync};
use loopmem::testing::memory::MemorySchema;
use loopmem::{ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::file_systems::{Fault, Faulty, Recording, Step};
use crate::operations::working::SCOPE;
use crate::operations::{Call, Operation, View, call, view, wait_together};
use crate::{TestHome, at_most, conventions, hold, repo, upsert};

/// With a fixed clock and without pruning.
fn open(home: &TestHome, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(home.root()).adapter("file").clock("2026-01-31T12:00:00Z");
    loopmem::testing::open_on(options, fs, []).unwrap()
}

fn reopen(home: &TestHome) -> Store {
    open(home, home.fs())
}

fn syncs(steps: &[Step]) -> usize {
    steps.iter().filter(|step| matches!(step, Step::Sync(..) | Step::SyncFolder(_))).count()
}

/// Sixty-four waiting operations are one commit, with the same results as one after the other. If that commit fails,
/// each of them fails and nothing changes.
pub(crate) fn is_committed_together(operation: &Operation) {
    let Some(expected) = operation.syncs else { return };
    let words: Vec<_> = (0..64).map(|number| format!("word {number}")).collect();
    let begun = || {
        let home = TestHome::in_memory();
        operation.write(&reopen(&home), "before").unwrap();
        home
    };
    let (serial, recording) = (begun(), Recording::default());
    let store = open(&serial, recording.on(serial.fs()));
    let answers: Vec<_> = words.iter().map(|word| answer(&operation.answers(&store, word).unwrap()[0])).collect();
    recording.take();
    operation.write(&store, "alone").unwrap();
    assert_eq!(syncs(&recording.take()), expected.alone);

    let home = begun();
    let store = open(&home, recording.on(home.fs()));
    let together = operation.together(&store, &words, || {});
    assert_eq!(together.iter().map(|it| answer(it.as_ref().unwrap())).collect::<Vec<_>>(), answers);
    assert_eq!(syncs(&recording.take()), expected.together);
    // In the order of submission, for others too.
    operation.write(&store, "alone").unwrap();
    let same: [View; 3] = [&store, &reopen(&home), &reopen(&serial)].map(|store| view(store).unwrap());
    assert!(same[0] == same[2] && same[1] == same[2], "{same:#?}");

    let (home, faulty) = (begun(), Faulty::default());
    let (store, old) = (open(&home, faulty.on(home.fs())), view(&reopen(&home)).unwrap());
    let failed = operation.together(&store, &words[..8], || faulty.arm(1, Fault::DiskFull));
    for failed in failed {
        let failed = failed.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Io);
        assert!(failed.to_json().contains("No space left"), "{failed}");
    }
    assert_eq!(view(&reopen(&home)).unwrap(), old);
    faulty.disarm();
    operation.write(&store, "There is space again.").unwrap();
    assert_ne!(view(&reopen(&home)).unwrap(), old);
    home.assert_no_litter();
}

fn answer(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

/// A home with one convention, one summary, and a scope with a context and a log.
fn home() -> TestHome {
    let home = TestHome::new();
    let store = reopen(&home);
    upsert(&store, "a", "old").unwrap();
    crate::append(&store, "first").unwrap();
    for (method, params) in [update(1000), add(1000)] {
        call(&store, method, &params).unwrap();
    }
    home
}

fn convention(id: &str, content: &str) -> Call {
    let convention = json!({ "id": id, "title": "A title", "content": content });
    of_repo("memory.upsertConvention", &json!({ "convention": convention }))
}

fn of_repo(method: &'static str, params: &Value) -> Call {
    let mut params = params.clone();
    params["repoHash"] = json!(repo());
    (method, params)
}

fn update(number: usize) -> Call {
    ("working.updateContext", json!({ "scopeId": SCOPE, "patch": { format!("k{number}"): number } }))
}

fn add(number: usize) -> Call {
    ("working.addLog", json!({ "scopeId": SCOPE, "entry": { "id": format!("e{number}"), "content": "It did." } }))
}

/// The files for whose locks the calls of these tests wait.
fn locked(store: &Store) -> [PathBuf; 2] {
    [loopmem::testing::home(store).layout().memory(&repo()), loopmem::testing::home(store).layout().scope(SCOPE)]
}

#[test]
fn waiting_changes_of_every_kind_are_committed_together_and_a_refused_one_fails_alone() {
    let home = home();
    let recording = Recording::default();
    let store = open(&home, recording.fs());
    let job = json!({ "jobId": SCOPE });
    let missing = json!({ "jobId": SCOPE, "timestamp": 7 });
    let calls = [
        update(1),
        ("working.restoreCheckpoint", missing.clone()),
        ("working.saveCheckpoint", job.clone()),
        update(2),
        add(1),
        ("working.deleteCheckpoint", missing),
        ("working.saveCheckpoint", job.clone()),
    ];
    let answers: Vec<Result<Value>> = wait_together(&store, &locked(&store), &calls, &[], || {})
        .into_iter()
        .map(|outcome| outcome.map(|json| serde_json::from_str(&json).unwrap()))
        .collect();
    assert_eq!(answers[1].as_ref().unwrap_err().kind(), ErrorKind::NotFound);
    let ok = |number: usize| answers[number].as_ref().unwrap().clone();
    assert_eq!(ok(3), json!({ "k1000": 1000, "k1": 1, "k2": 2 }));
    assert_eq!(ok(5), json!({ "removed": false }));
    let [first, second] = [ok(2)["timestamp"].clone(), ok(6)["timestamp"].clone()];
    assert!(first.as_u64() < second.as_u64());
    let replaced = |steps: &[Step]| steps.iter().filter(|step| matches!(step, Step::Rename(..))).count();
    assert_eq!(replaced(&recording.take()), 4, "the context, two checkpoints, and their list");
    let other = reopen(&home);
    assert_eq!(call(&other, "working.listCheckpoints", &job).unwrap(), json!([first, second]));
    for (timestamp, context) in [(first, json!({ "k1000": 1000, "k1": 1 })), (second, ok(3))] {
        let restored =
            call(&other, "working.restoreCheckpoint", &json!({ "jobId": SCOPE, "timestamp": timestamp })).unwrap();
        assert_eq!(restored, context, "each checkpoint is what the changes before it left");
    }
}

/// The system calls of `change` in a process that has changed the scope before, without those on lock files.
fn steps_of(home: &TestHome, change: Call) -> Vec<Step> {
    let recording = Recording::default();
    let store = open(home, recording.fs());
    call(&store, change.0, &change.1).unwrap();
    recording.take();
    call(&store, change.0, &change.1).unwrap();
    recording.take()
}

#[test]
fn an_update_is_one_append_to_the_trail_and_one_replacement_of_the_context() {
    let home = home();
    let folder = home.root().join("working").join(SCOPE);
    let (trail, context) = (folder.join("trail.jsonl"), folder.join("context.json"));
    let steps = steps_of(&home, update(1));
    let [
        Step::Create(opened, Open::Append),
        Step::Write(written, line),
        Step::Sync(synced, Sync::Data),
        Step::Create(temp, Open::CreateNew),
        Step::Write(filled, bytes),
        rest @ ..,
    ] = &steps[..]
    else {
        panic!("{steps:?}");
    };
    assert_eq!([opened, written, synced], [&trail; 3]);
    assert_eq!((line.iter().filter(|byte| **byte == b'\n').count(), line.last()), (1, Some(&b'\n')));
    assert_eq!((filled, bytes), (temp, &std::fs::read(&context).unwrap()));
    let expected =
        [Step::Sync(temp.clone(), Sync::All), Step::Rename(temp.clone(), context), Step::SyncFolder(folder.clone())];
    assert_eq!(rest, expected);
}

#[test]
fn an_entry_of_a_log_is_one_append() {
    let home = home();
    let steps = steps_of(&home, add(1));
    let [Step::Create(..), Step::Write(..), Step::Sync(file, Sync::Data)] = &steps[..] else { panic!("{steps:?}") };
    assert!(file.ends_with("logs.jsonl"));
}

/// The gate and the lock are locked, the lock file is looked at, and the context is.
#[test]
fn a_warm_context_is_a_lock_and_a_stat_of_its_folder_and_of_its_file() {
    let home = home();
    let faulty = Faulty::default();
    let store = open(&home, faulty.fs());
    let calls = || {
        faulty.arm(usize::MAX - 1, Fault::Stop);
        store.working().get_context(SCOPE).unwrap();
        faulty.calls()
    };
    // A file that was written within the last tick of the clock is read again and compared.
    let least = (0..10_000_000).map(|_| calls()).find(|calls| *calls <= 5);
    assert_eq!(least, Some(5));
}

#[test]
fn reading_a_scope_creates_nothing() {
    let home = TestHome::new();
    let recording = Recording::default();
    let store = open(&home, recording.fs());
    for method in ["working.getContext", "working.getLogs", "working.history", "working.deleteScope"] {
        call(&store, method, &json!({ "scopeId": SCOPE })).unwrap();
    }
    for method in ["working.listCheckpoints", "working.listScopes"] {
        let params = if method.ends_with("Scopes") { json!({}) } else { json!({ "jobId": SCOPE }) };
        call(&store, method, &params).unwrap();
    }
    assert_eq!(recording.take(), []);
    assert_eq!(std::fs::read_dir(home.top()).unwrap().count(), 0);
}

#[test]
fn a_refused_change_fails_alone_and_each_change_sees_the_earlier_ones() {
    let home = home();
    let note = of_repo("memory.upsertNote", &json!({ "note": { "id": "b", "content": "Another kind." } }));
    let of_convention = |convention: Value| of_repo("memory.upsertConvention", &json!({ "convention": convention }));
    let without_title = of_convention(json!({ "id": "new", "content": "It has no title." }));
    let change = of_convention(json!({ "id": "b", "content": "changed" }));
    let calls = [
        convention("b", "made"),
        note,
        change,
        of_repo("memory.remove", &json!({ "id": "a" })),
        without_title,
        convention("a", "made anew"),
        convention("never", "It was cancelled."),
    ];
    let store = reopen(&home);
    let answers = wait_together(&store, &locked(&store), &calls, &[6], || {});
    let kinds: Vec<_> = answers.iter().map(|answer| answer.as_ref().err().map(loopmem::Error::kind)).collect();
    let (conflict, invalid, cancelled) = (ErrorKind::Conflict, ErrorKind::Validation, ErrorKind::Cancelled);
    assert_eq!(kinds, [None, Some(conflict), None, None, Some(invalid), None, Some(cancelled)], "{answers:?}");
    let pair = |id: &str, content: &str| (id.to_owned(), content.to_owned());
    assert_eq!(conventions(&home.open()), [pair("b", "changed"), pair("a", "made anew")]);
}

#[test]
fn a_reader_between_two_writers_reads_what_the_first_one_left() {
    let home = home();
    let get = of_repo("memory.get", &json!({}));
    let calls = [convention("b", "before"), get, convention("c", "behind")];
    let store = reopen(&home);
    let answers = wait_together(&store, &locked(&store), &calls, &[], || {});
    let read = answers[1].as_ref().unwrap();
    assert!(read.contains("before") && !read.contains("behind"), "{read}");
    assert_eq!(conventions(&home.open()).len(), 3);
}

#[test]
fn a_panic_in_one_change_fails_only_that_change() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    let (asked, asks) = channel();
    let asking = move |number: usize| {
        let asked = asked.clone();
        let cancel = Cancel::polling(move || {
            let _ = asked.send(number);
            false
        });
        at_most(Duration::from_secs(600)).cancel(&cancel)
    };
    let writers: Vec<_> = (0..3)
        .map(|number| {
            let (store, path) = (store.with(asking(number)), home.memory());
            std::thread::spawn(move || match number {
                1 => DocumentFile::<MemorySchema>::new(loopmem::testing::home(&store).disk(), path, Duration::ZERO)
                    .update::<()>(loopmem::testing::home(&store).wait_options(), |_| panic!("a defect")),
                _ => upsert(&store, &format!("c{number}"), "new"),
            })
        })
        .collect();
    let mut waiting = [false; 3];
    while waiting.contains(&false) {
        waiting[asks.recv().unwrap()] = true;
    }
    drop(held);
    let kinds: Vec<_> = writers.into_iter().map(|it| it.join().unwrap().err().map(|refused| refused.kind())).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Internal), None]);
    assert_eq!(conventions(&home.open()).len(), 3);
}
