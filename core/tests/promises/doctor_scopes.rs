//! The doctor checks the files of scopes like all others: it finds every fault, changes nothing without `fix`, and
//! loses nothing with it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use loopmem::doctor::{Fault, Report};
use loopmem::methods::dispatch;
use loopmem::testing::disk::{Fs, RealFs};
use loopmem::testing::working::{Scope, rebuild};
use loopmem::{Options, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::doctor::{check, close, findings, snapshot};

const SCOPE: &str = "job-1";

fn open(home: &TestHome, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(home.root()).adapter("file");
    loopmem::testing::open_on(options, fs, []).unwrap()
}

fn call(store: &Store, method: &str, params: Value) -> loopmem::Result<Value> {
    let answer = dispatch(store, method, &params.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

fn update(store: &Store, scope: &str, patch: Value) {
    call(store, "working.updateContext", json!({ "scopeId": scope, "patch": patch })).unwrap();
}

fn log(store: &Store, id: &str) {
    call(store, "working.addLog", json!({ "scopeId": SCOPE, "entry": { "id": id, "content": "It did." } })).unwrap();
}

fn context(store: &Store) -> Value {
    call(store, "working.getContext", json!({ "scopeId": SCOPE })).unwrap()
}

fn history(store: &Store) -> Vec<loopmem::testing::disk::Raw<loopmem::working::TrailEntry>> {
    store.working().history(SCOPE, None).unwrap()
}

fn checkpoints(store: &Store) -> Vec<u64> {
    store.working().list_checkpoints(SCOPE).unwrap()
}

fn logs(store: &Store) -> Vec<String> {
    let logs = call(store, "working.getLogs", json!({ "scopeId": SCOPE })).unwrap();
    logs.as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// The context is what its trail leads to.
#[track_caller]
fn assert_led_to(store: &Store) {
    let scope = Scope::admit(store.redactor(), "scopeId", SCOPE).unwrap();
    assert_eq!(json!(rebuild(&scope, &history(store)).unwrap()), context(store));
}

/// A scope with everything.
fn home() -> TestHome {
    let home = TestHome::on_tmpfs();
    let store = open(&home, Arc::new(RealFs));
    for number in 1..=3 {
        update(&store, SCOPE, json!({ "a": number, format!("b{number}"): [1.5, "é"] }));
        log(&store, &format!("e{number}"));
        call(&store, "working.saveCheckpoint", json!({ "jobId": SCOPE })).unwrap();
    }
    home
}

fn folder(home: &TestHome) -> PathBuf {
    home.root().join("working").join(SCOPE)
}

fn read(home: &TestHome, name: &str) -> Vec<u8> {
    std::fs::read(folder(home).join(name)).unwrap()
}

fn put(home: &TestHome, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(folder(home).join(name), bytes).unwrap();
    close(home);
}

/// A check changes nothing, and a repair reports the same; afterwards only what was set aside is reported.
#[track_caller]
fn mend(home: &TestHome, expected: &[(&str, Fault)]) -> Report {
    close(home);
    let before = snapshot(home);
    let report = check(&open(home, Arc::new(RealFs)), false);
    assert_eq!(findings(&report), expected, "{report:#?}");
    assert_eq!(snapshot(home), before, "a look changes nothing");
    let report = check(&open(home, Arc::new(RealFs)), true);
    assert_eq!(findings(&report), expected, "{report:#?}");
    assert_eq!(report.counts.repaired, expected.len(), "{report:#?}");
    let left = check(&open(home, Arc::new(RealFs)), false);
    assert!(left.findings.iter().all(|finding| finding.fault == Fault::Quarantined), "{left:#?}");
    report
}

#[test]
fn scopes_that_loopmem_wrote_have_no_problems_and_other_files_are_not_changed() {
    let home = home();
    let store = open(&home, Arc::new(RealFs));
    for scope in ["global", "Job 1", "..", "x.lock", "working", &"long ".repeat(200)] {
        update(&store, scope, json!({ "a": 1 }));
    }
    call(&store, "working.deleteScope", json!({ "scopeId": "global" })).unwrap();
    for theirs in [
        "working/working.sqlite3.a1.tmp",
        "working/notes",
        "working/job-1/notes.txt",
        "working/job-1/checkpoints/x.json",
    ] {
        std::fs::write(home.root().join(theirs), "theirs").unwrap();
    }
    std::fs::create_dir(home.root().join("working/No scope")).unwrap();
    std::fs::write(home.root().join("working/No scope/context.json"), "theirs").unwrap();
    close(&home);
    let before = snapshot(&home);
    for fix in [false, true] {
        let report = check(&open(&home, Arc::new(RealFs)), fix);
        assert_eq!(report.findings, []);
        // The context, the trail, the log, three checkpoints and their list; of five others the first two; the trash.
        assert_eq!(report.counts.files, 7 + 5 * 2 + 1);
        assert_eq!(snapshot(&home), before);
    }
}

#[test]
fn a_damaged_context_is_rebuilt_from_an_intact_trail() {
    let whole = home();
    let before = context(&open(&whole, Arc::new(RealFs)));
    for damage in ["", "{", "{\"value\":[]}", "\0\0\0", "{\"value\":{\"a\":1,\"a\":2}}"] {
        let home = home();
        put(&home, "context.json", damage);
        let report = mend(&home, &[("context.json", Fault::Damaged)]);
        assert!(report.findings[0].detail.contains("the 3 changes in its trail"), "{report:?}");
        let store = open(&home, Arc::new(RealFs));
        assert_eq!(context(&store), before);
        if !damage.is_empty() {
            assert_eq!(read(&home, "context.json.damaged"), damage.as_bytes());
        }
        assert_eq!(history(&store).len(), 3);
        update(&store, SCOPE, json!({ "next": 1 }));
        assert_led_to(&store);
    }
}

#[test]
fn a_damaged_context_whose_trail_is_damaged_too_is_set_aside_and_the_trail_is_not_lost() {
    let home = home();
    let trail = [&b"no JSON\n"[..], &read(&home, "trail.jsonl")].concat();
    put(&home, "trail.jsonl", &trail);
    put(&home, "context.json", "{");
    mend(&home, &[("context.json", Fault::Damaged)]);
    let store = open(&home, Arc::new(RealFs));
    assert_eq!((context(&store), history(&store).len()), (json!({}), 0));
    update(&store, SCOPE, json!({ "next": 1 }));
    assert_led_to(&store);
    assert_eq!(read(&home, "trail.jsonl.torn"), trail);
}

#[test]
fn a_damaged_trail_keeps_its_intact_entries_and_leads_to_the_context_again() {
    let sound = home();
    let before = context(&open(&sound, Arc::new(RealFs)));
    let trail = read(&sound, "trail.jsonl");
    let lines: Vec<&[u8]> = trail.split_inclusive(|byte| *byte == b'\n').collect();
    let damages = [
        (Vec::new(), 0),
        (trail[..trail.len() - 3].to_vec(), 2),
        ([lines[0], lines[2]].concat(), 2),
        ([lines[0], &vec![b'!'; lines[1].len() - 1], b"\n", lines[2]].concat(), 2),
        ([lines[0], &vec![0; lines[1].len()], lines[2]].concat(), 1),
        ([b"{}\n", lines[0], &lines[1][3..], lines[2]].concat(), 2),
    ];
    for (damaged, kept) in damages {
        let home = home();
        let context_file = String::from_utf8(read(&home, "context.json")).unwrap();
        let length = format!("\"listBytes\": {}", read(&home, "trail.jsonl").len());
        put(&home, "context.json", context_file.replace(&length, &format!("\"listBytes\": {}", trail.len())));
        put(&home, "trail.jsonl", &damaged);
        mend(&home, &[("trail.jsonl", Fault::Damaged)]);
        let store = open(&home, Arc::new(RealFs));
        assert_eq!(context(&store), before);
        assert_led_to(&store);
        let entries = history(&store);
        assert_eq!(entries.len(), kept + 1, "{}", damaged.escape_ascii());
        let last: Value = serde_json::from_str(entries.last().unwrap().json().get()).unwrap();
        assert_eq!(last["source"], "doctor");
        if !damaged.is_empty() {
            assert_eq!(read(&home, "trail.jsonl.damaged"), damaged);
        }
        update(&store, SCOPE, json!({ "next": 1 }));
        assert_led_to(&store);
    }
    let home = home();
    std::fs::remove_file(folder(&home).join("trail.jsonl")).unwrap();
    mend(&home, &[("trail.jsonl", Fault::Damaged)]);
    assert_led_to(&open(&home, Arc::new(RealFs)));
}

#[test]
fn every_complete_line_of_a_damaged_log_is_recovered_and_an_unfinished_one_is_set_aside() {
    let home = home();
    let log = read(&home, "logs.jsonl");
    let first = log.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let damaged = [&log[..first], b"no JSON\n7\n", &log[first..], b"{\"id\":\"unfin"].concat();
    put(&home, "logs.jsonl", &damaged);
    mend(&home, &[("logs.jsonl", Fault::Damaged), ("logs.jsonl", Fault::TornTail)]);
    assert_eq!(logs(&open(&home, Arc::new(RealFs))), ["e1", "e2", "e3"]);
    assert_eq!(read(&home, "logs.jsonl.damaged"), damaged);
    let home = self::home();
    let zeros = [&read(&home, "logs.jsonl")[..], b"\0\0\0\"}\n"].concat();
    put(&home, "logs.jsonl", &zeros);
    mend(&home, &[("logs.jsonl", Fault::TornTail)]);
    assert_eq!(logs(&open(&home, Arc::new(RealFs))), ["e1", "e2", "e3"]);
    assert_eq!(read(&home, "logs.jsonl.torn"), zeros[log.len()..]);
}

#[test]
fn zeros_in_the_middle_of_a_log_hide_no_later_entry() {
    let home = home();
    let log = read(&home, "logs.jsonl");
    let first = log.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let mut damaged = log.clone();
    damaged[first + 2..first + 12].fill(0);
    put(&home, "logs.jsonl", &damaged);
    let store = open(&home, Arc::new(RealFs));
    assert_eq!(logs(&store), ["e1", "e3"]);
    call(&store, "working.addLog", json!({ "scopeId": SCOPE, "entry": { "id": "e4", "content": "x" } })).unwrap();
    assert_eq!(logs(&open(&home, Arc::new(RealFs))), ["e1", "e3", "e4"]);
    assert!(read(&home, "logs.jsonl").starts_with(&damaged));
    mend(&home, &[("logs.jsonl", Fault::Damaged)]);
    assert_eq!(logs(&open(&home, Arc::new(RealFs))), ["e1", "e3", "e4"]);
}

#[test]
fn a_damaged_checkpoint_is_set_aside_and_no_longer_listed() {
    let home = home();
    let timestamps = checkpoints(&open(&home, Arc::new(RealFs)));
    let name = format!("{}.json", timestamps[1]);
    put(&home, &format!("checkpoints/{name}"), "{");
    let report = check(&open(&home, Arc::new(RealFs)), false);
    assert_eq!(findings(&report), [(&*name, Fault::Damaged)]);
    let report = check(&open(&home, Arc::new(RealFs)), true);
    assert_eq!(findings(&report), [(&*name, Fault::Damaged), ("checkpoints.json", Fault::Damaged)]);
    assert_eq!(report.counts.repaired, 2, "{report:#?}");
    let store = open(&home, Arc::new(RealFs));
    assert_eq!(checkpoints(&store), [timestamps[0], timestamps[2]]);
    assert_eq!(read(&home, &format!("checkpoints/{name}.damaged")), b"{");
    call(&store, "working.restoreCheckpoint", json!({ "jobId": SCOPE, "timestamp": timestamps[0] })).unwrap();
}

#[test]
fn a_list_of_checkpoints_is_rebuilt_from_their_files_and_an_unlisted_file_is_removed() {
    for damage in ["{", "{\"value\":{}}", "{\"value\":[3,2,1]}", "{\"value\":[\"x\"]}"] {
        let home = home();
        let timestamps = checkpoints(&open(&home, Arc::new(RealFs)));
        put(&home, "checkpoints.json", damage);
        mend(&home, &[("checkpoints.json", Fault::Damaged)]);
        assert_eq!(checkpoints(&open(&home, Arc::new(RealFs))), timestamps);
        assert_eq!(read(&home, "checkpoints.json.damaged"), damage.as_bytes());
    }
    let home = home();
    let timestamps = checkpoints(&open(&home, Arc::new(RealFs)));
    std::fs::remove_file(folder(&home).join("checkpoints.json")).unwrap();
    mend(&home, &[("checkpoints.json", Fault::Damaged)]);
    assert_eq!(checkpoints(&open(&home, Arc::new(RealFs))), timestamps);
    let saved = read(&home, &format!("checkpoints/{}.json", timestamps[0]));
    put(&home, "checkpoints/17.json", saved);
    mend(&home, &[("17.json", Fault::Litter)]);
    assert!(!folder(&home).join("checkpoints/17.json").exists());
    assert_eq!(checkpoints(&open(&home, Arc::new(RealFs))), timestamps);
}

#[test]
fn what_crashed_writers_of_scopes_left_behind_is_removed() {
    let home = home();
    for litter in ["context.json.a1.tmp", "trail.jsonl.a1.tmp", "checkpoints/17.json.a1.tmp", "checkpoints.json.a1.tmp"]
    {
        put(&home, litter, "unfinished");
    }
    let deleted = home.root().join("working").join("gone.deleted-5e");
    std::fs::create_dir_all(deleted.join("checkpoints")).unwrap();
    std::fs::write(deleted.join("checkpoints/1.json"), "{").unwrap();
    mend(
        &home,
        &[
            ("gone.deleted-5e", Fault::Litter),
            ("context.json.a1.tmp", Fault::Litter),
            ("trail.jsonl.a1.tmp", Fault::Litter),
            ("17.json.a1.tmp", Fault::Litter),
            ("checkpoints.json.a1.tmp", Fault::Litter),
        ],
    );
    assert!(!deleted.exists());
}

#[test]
fn modes_of_scopes_that_give_others_access_are_found_and_corrected() {
    let home = home();
    close(&home);
    let open_to = |name: &str| {
        std::fs::set_permissions(home.root().join(name), PermissionsExt::from_mode(0o755)).unwrap();
    };
    for name in
        ["working", "working/job-1", "working/job-1.lock", "working/job-1/logs.jsonl", "working/job-1/checkpoints"]
    {
        open_to(name);
    }
    let expected = ["working", "job-1", "job-1.lock", "logs.jsonl", "checkpoints"].map(|name| (name, Fault::Mode));
    assert_eq!(findings(&check(&open(&home, Arc::new(RealFs)), false)), expected);
    assert_eq!(check(&open(&home, Arc::new(RealFs)), true).counts.repaired, 5);
    assert_eq!(check(&open(&home, Arc::new(RealFs)), false).findings, []);
}
