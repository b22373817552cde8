//! Changes of one scope that wait in one process are committed together, each with its own answer; and the system calls
//! of each kind of change are those that its promise needs.

use std::path::Path;
use std::sync::mpsc::channel;

use loopmem::methods::submit;
use loopmem::testing::disk::{Cancel, Fault, Faulty, Fs, Open, RealFs, Recording, Step, Sync};
use loopmem::{CallOptions, ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::{TestHome, hold, start, started_on};

const SCOPE: &str = "job-1";

fn open(home: &Path, fs: std::sync::Arc<dyn Fs>) -> Store {
    let options = Options::at(home).adapter("file");
    loopmem::testing::open_on(options, fs, []).unwrap()
}

fn call(store: &Store, method: &str, params: &Value) -> Result<Value> {
    let answer = loopmem::methods::dispatch(store, method, &params.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

fn update(number: usize) -> (&'static str, Value) {
    ("working.updateContext", json!({ "scopeId": SCOPE, "patch": { format!("k{number}"): number } }))
}

fn add(number: usize) -> (&'static str, Value) {
    ("working.addLog", json!({ "scopeId": SCOPE, "entry": { "id": format!("e{number}"), "content": "It did." } }))
}

/// Submits the calls while another process holds the lock of the scope, and lets it go when each of them waits for it.
fn together(store: &Store, calls: &[(&'static str, Value)]) -> Vec<Result<Value>> {
    let held = hold(&loopmem::testing::home(store).layout().scope(SCOPE));
    let (asked, asks) = channel();
    let (done, outcomes) = channel();
    for (number, (method, params)) in calls.iter().enumerate() {
        let (asked, done) = (asked.clone(), done.clone());
        let cancel = Cancel::polling(move || {
            let _ = asked.send(number);
            false
        });
        let options = CallOptions::new().timeout_ms(Some(600_000)).cancel(&cancel);
        submit(&store.with(options), (*method).to_owned(), params.to_string(), move |outcome| {
            done.send((number, outcome)).unwrap();
        });
    }
    let mut waiting = vec![false; calls.len()];
    while waiting.contains(&false) {
        waiting[asks.recv().unwrap()] = true;
    }
    drop(held);
    let mut answers: Vec<_> = (0..calls.len()).map(|_| outcomes.recv().unwrap()).collect();
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, outcome)| outcome.map(|json| serde_json::from_str(&json).unwrap())).collect()
}

fn syncs(steps: &[Step]) -> usize {
    steps.iter().filter(|step| matches!(step, Step::Sync(..) | Step::SyncFolder(_))).count()
}

/// A scope with a context and a log.
fn home() -> TestHome {
    let home = TestHome::new();
    let store = open(&home.root(), std::sync::Arc::new(RealFs));
    for (method, params) in [update(1000), add(1000)] {
        call(&store, method, &params).unwrap();
    }
    home
}

#[test]
fn sixty_four_updates_that_wait_are_one_append_and_one_replacement_each_with_its_own_answer() {
    let home = home();
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
    let calls: Vec<_> = (0..64).map(update).collect();
    let answers = together(&store, &calls);
    for (number, answer) in answers.iter().enumerate() {
        let context = answer.as_ref().unwrap().as_object().unwrap();
        assert_eq!(context.len(), number + 2, "each sees those before it, and none behind it");
        assert_eq!(context[&format!("k{number}")], number);
    }
    assert_eq!(syncs(&recording.take()), 3, "the trail, the context, and the folder");
    let trail = call(&store, "working.history", &json!({ "scopeId": SCOPE, "limit": 64 })).unwrap();
    for (number, entry) in trail.as_array().unwrap().iter().enumerate() {
        assert_eq!(entry["patch"], json!({ format!("k{number}"): number }), "in the order of submission");
    }
}

#[test]
fn sixty_four_entries_that_wait_are_one_append() {
    let home = home();
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
    let answers = together(&store, &(0..64).map(add).collect::<Vec<_>>());
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.as_ref().unwrap()["id"], format!("e{number}"));
    }
    assert_eq!(syncs(&recording.take()), 1);
    let entries = call(&store, "working.getLogs", &json!({ "scopeId": SCOPE, "limit": 64 })).unwrap();
    for (number, entry) in entries.as_array().unwrap().iter().enumerate() {
        assert_eq!(entry["id"], format!("e{number}"), "in the order of submission");
    }
}

#[test]
fn changes_of_every_kind_that_wait_are_committed_together_and_one_that_is_refused_is_refused_alone() {
    let home = home();
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
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
    let answers = together(&store, &calls);
    assert_eq!(answers[1].as_ref().unwrap_err().kind(), ErrorKind::NotFound);
    let ok = |number: usize| answers[number].as_ref().unwrap().clone();
    assert_eq!(ok(3), json!({ "k1000": 1000, "k1": 1, "k2": 2 }));
    assert_eq!(ok(5), json!({ "removed": false }));
    let [first, second] = [ok(2)["timestamp"].clone(), ok(6)["timestamp"].clone()];
    assert!(first.as_u64() < second.as_u64());
    let replaced = |steps: &[Step]| steps.iter().filter(|step| matches!(step, Step::Rename(..))).count();
    assert_eq!(replaced(&recording.take()), 4, "the context, two checkpoints, and their list");
    let other = open(&home.root(), std::sync::Arc::new(RealFs));
    assert_eq!(call(&other, "working.listCheckpoints", &job).unwrap(), json!([first, second]));
    for (timestamp, context) in [(first, json!({ "k1000": 1000, "k1": 1 })), (second, ok(3))] {
        let restored =
            call(&other, "working.restoreCheckpoint", &json!({ "jobId": SCOPE, "timestamp": timestamp })).unwrap();
        assert_eq!(restored, context, "each checkpoint is what the changes before it left");
    }
}

/// What `change` does in a process that has changed the scope before, its lock files aside.
fn steps_of(home: &TestHome, change: (&'static str, Value)) -> Vec<Step> {
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
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
    let store = open(&home.root(), faulty.fs());
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
    let store = open(&home.root(), recording.fs());
    for method in ["working.getContext", "working.getLogs", "working.history", "working.deleteScope"] {
        call(&store, method, &json!({ "scopeId": SCOPE })).unwrap();
    }
    for method in ["working.listCheckpoints", "working.listScopes"] {
        let params = if method.ends_with("Scopes") { json!({}) } else { json!({ "jobId": SCOPE }) };
        call(&store, method, &params).unwrap();
    }
    assert_eq!(recording.take(), []);
    assert_eq!(std::fs::read_dir(home.0.path()).unwrap().count(), 0);
}

/// The part of the process that is killed: it changes the scope for ever and tells each change that has returned.
#[test]
#[ignore = "the part of another process"]
fn changes_a_scope_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let store = open(&home, std::sync::Arc::new(RealFs));
    for number in 0.. {
        let id = format!("{}-{number}", std::process::id());
        call(&store, "working.updateContext", &json!({ "scopeId": SCOPE, "patch": { &id: number } })).unwrap();
        println!("updated {id}");
        let entry = json!({ "id": id, "content": "What was acknowledged." });
        call(&store, "working.addLog", &json!({ "scopeId": SCOPE, "entry": entry })).unwrap();
        println!("logged {id}");
        let saved = call(&store, "working.saveCheckpoint", &json!({ "jobId": SCOPE })).unwrap();
        println!("saved {}", saved["timestamp"]);
    }
}

#[test]
fn an_acknowledged_change_of_a_scope_survives_kill_9() {
    let home = TestHome::new();
    let mut acknowledged = Vec::new();
    for wanted in [1, 2, 3, 15, 16, 31] {
        let two = [(); 2].map(|()| start("commits_working::changes_a_scope_until_it_is_killed", &home.root()));
        for (mut child, mut said) in two {
            let mut heard = 0;
            while heard < wanted {
                let line = said.next().unwrap().unwrap();
                heard += usize::from(["updated ", "logged ", "saved "].iter().any(|word| line.starts_with(word)));
                acknowledged.push(line);
            }
            child.kill().unwrap();
            child.wait().unwrap();
            acknowledged.extend(said.map_while(std::result::Result::ok));
        }
    }
    let store = open(&home.root(), std::sync::Arc::new(RealFs));
    for (method, params) in [update(0), add(0)] {
        call(&store, method, &params).unwrap();
    }
    home.assert_no_litter();
    let [context, trail, logs] = ["working.getContext", "working.history", "working.getLogs"]
        .map(|method| call(&store, method, &json!({ "scopeId": SCOPE })).unwrap());
    let checkpoints = store.working().list_checkpoints(SCOPE).unwrap();
    let is_in = |list: &Value, is_it: &dyn Fn(&Value) -> bool| list.as_array().unwrap().iter().any(is_it);
    let mut found = 0;
    for line in acknowledged {
        match line.split_once(' ') {
            Some(("updated", id)) => {
                assert!(context.get(id).is_some(), "{id} is lost");
                assert!(is_in(&trail, &|entry| entry["patch"].get(id).is_some()), "{id} is lost to the trail");
            }
            Some(("logged", id)) => assert!(is_in(&logs, &|entry| entry["id"] == id), "{id} is lost"),
            Some(("saved", timestamp)) => assert!(checkpoints.contains(&timestamp.parse().unwrap())),
            // What the test runner itself says.
            _ => continue,
        }
        found += 1;
    }
    assert!(found >= 136, "{found}");
    assert_eq!(trail.as_array().unwrap().len(), context.as_object().unwrap().len(), "each has changed another name");
}
