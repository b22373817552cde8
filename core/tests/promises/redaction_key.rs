//! A home has one key for the tags of secrets: created with the first redacted secret that is stored, the same in every
//! process, durable before it is used, and never a reason to refuse a record.

#![allow(unsafe_code, reason = "std has no fork")]

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use loopmem::doctor::Fault;
use loopmem::methods::dispatch;
use loopmem::testing::disk::RealFs;
use loopmem::{Options, Store};
use serde_json::{Value, json};

use crate::crash_trial::{home_of, record, tree_of};
use crate::file_systems::{Fault as Broken, Faulty, Recording, Step, TestClock};
use crate::simulated_disk::SimulatedDisk;
use crate::{TestHome, conventions, hold, open, repo, started_on, upsert};

/// Put together at run time, so that no scanner trips over this file.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn key_file(home: &TestHome) -> PathBuf {
    home.root().join("redaction.key")
}

fn written_key(home: &TestHome) -> Value {
    serde_json::from_slice(&home.read(&key_file(home)).unwrap()).unwrap()
}

fn upsert_secret(store: &Store, id: &str) {
    upsert(store, id, &format!("push with {}", token())).unwrap();
}

/// The tags in `text`.
fn tags(text: &str) -> Vec<String> {
    let tag = regex::Regex::new(r"\[REDACTED:[a-z0-9-]+:([0-9a-f]{10})\]").unwrap();
    tag.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

fn memory(home: &TestHome) -> Option<String> {
    Some(String::from_utf8(home.read(&home.memory()).ok()?).unwrap())
}

fn stored_tags(home: &TestHome) -> BTreeSet<String> {
    tags(&memory(home).unwrap()).into_iter().collect()
}

/// The tag of the token in an error of this store, in a process that has not stored it.
fn tag_in_error(store: &Store) -> String {
    let refused = dispatch(store, &token(), "{}").unwrap_err();
    tags(refused.message()).remove(0)
}

/// A home with a known key, and the tag of the token with it.
fn known() -> (TestHome, String) {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    let key = json!({ "schemaVersion": 1, "key": "5e".repeat(32) });
    std::fs::write(key_file(&home), key.to_string()).unwrap();
    let tag = tag_in_error(&home.open());
    (home, tag)
}

#[test]
fn only_a_stored_secret_creates_the_key() {
    let home = TestHome::new();
    let store = home.open();
    upsert(&store, "a", "no secret").unwrap();
    conventions(&store);
    for (method, params) in [
        (&*token(), json!({})),
        ("memory.get", json!({ "workspace": token() })),
        ("memory.list", json!({ "repoHash": repo(), "text": token() })),
        ("memory.remove", json!({ "repoHash": repo(), "id": token() })),
        ("context.build", json!({ "repoHash": repo(), "maxChars": 100, "prompt": token() })),
        ("doctor.check", json!({ "fix": true })),
    ] {
        let _ = dispatch(&store, method, &params.to_string());
    }
    assert!(!key_file(&home).exists(), "{:?}", home.entries());
    upsert_secret(&store, "b");
    let metadata = std::fs::metadata(key_file(&home)).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    let key = written_key(&home);
    assert_eq!(key["schemaVersion"], 1);
    assert_eq!(key["key"].as_str().unwrap().len(), 64, "{key}");
    assert_eq!(stored_tags(&home), [tag_in_error(&home.open())].into());
}

#[test]
fn the_tags_of_a_key_never_change() {
    // HMAC-SHA-256 under 32 times 0x5e, of which the first ten digits count: every language and version makes the same.
    let (_home, tag) = known();
    assert_eq!(tag, KNOWN_TAG);
}

/// The tag of [`token`] under the key of [`known`].
const KNOWN_TAG: &str = "a397409471";

#[test]
fn a_record_keeps_its_tag_through_errors_rewrites_and_other_stores() {
    let (home, tag) = known();
    let store = home.open();
    upsert_secret(&store, "a");
    upsert_secret(&home.open(), "b");
    upsert(&store, "a", &conventions(&store)[0].1).unwrap();
    assert_eq!(stored_tags(&home), [tag.clone()].into());
    assert_eq!(tag_in_error(&store), tag);
}

#[test]
fn redacted_text_is_found_by_its_secret() {
    let home = TestHome::new();
    let store = home.open();
    upsert_secret(&store, "a");
    upsert(&store, "b", "no secret").unwrap();
    let params = json!({ "repoHash": repo(), "text": token() }).to_string();
    let found = dispatch(&store, "memory.list", &params).unwrap();
    let found: Vec<Value> = serde_json::from_str(&found).unwrap();
    assert_eq!(found.iter().map(|it| &it["record"]["id"]).collect::<Vec<_>>(), ["a"]);
}

/// A process that redacts with four threads and two stores, and meanwhile forks a child that does the same.
#[test]
#[ignore = "the part of another process"]
fn redacts_at_once() {
    let Some(home) = started_on() else { return };
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let options = || {
        Options::at(&home)
            .lock_timeout(std::time::Duration::from_millis(600_000))
            .append_timeout(std::time::Duration::from_millis(600_000))
    };
    let stores = [Store::open(options()).unwrap(), Store::open(options()).unwrap()];
    let barrier = Barrier::new(5);
    std::thread::scope(|threads| {
        for number in 0..4 {
            let (store, barrier) = (&stores[number % 2], &barrier);
            threads.spawn(move || {
                barrier.wait();
                upsert_secret(store, &format!("{}-{number}", std::process::id()));
            });
        }
        barrier.wait();
        let id = format!("{}-child", std::process::id());
        // SAFETY: the child uses loopmem, which is what is tested, and leaves without running the parent's destructors.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY: as above. A child that hangs is ended by the kernel.
                unsafe { libc::alarm(60) };
                upsert_secret(&stores[0], &id);
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            child => {
                let mut status = -1;
                // SAFETY: the pointer is to an integer of ours.
                assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
                assert_eq!(status, 0);
            }
        }
    });
}

#[test]
fn processes_and_threads_that_redact_the_first_secret_at_once_end_with_one_key() {
    const PROCESSES: usize = 4;
    for _ in 0..5 {
        let home = TestHome::on_tmpfs();
        let mut children: Vec<_> =
            (0..PROCESSES).map(|_| crate::start_with_input("redaction_key::redacts_at_once", &home.root())).collect();
        for (_, said) in &mut children {
            assert!(said.by_ref().map_while(Result::ok).any(|line| line == "ready"));
        }
        for (child, _) in &mut children {
            drop(child.stdin.take());
        }
        for (mut child, said) in children {
            let said: Vec<_> = said.map_while(Result::ok).collect();
            assert!(child.wait().unwrap().success(), "{said:?}");
        }
        assert_eq!(conventions(&home.open()).len(), PROCESSES * 5);
        assert_eq!(stored_tags(&home), [tag_in_error(&home.open())].into());
        home.assert_no_litter();
    }
}

#[test]
fn an_unusable_key_prevents_no_write_and_is_not_changed() {
    let key = "5e".repeat(32);
    for bytes in [
        String::new(),
        "5e5e".to_owned(),
        json!({ "schemaVersion": 1, "key": &key[1..] }).to_string(),
        json!({ "schemaVersion": 1, "key": 7 }).to_string(),
        json!({ "schemaVersion": 1 }).to_string(),
        json!({ "schemaVersion": 2, "key": key }).to_string(),
    ] {
        let home = TestHome::new();
        std::fs::create_dir_all(home.root()).unwrap();
        std::fs::write(key_file(&home), &bytes).unwrap();
        let log = crate::credentials::Log::default();
        let stores = [home.open(), home.open()];
        tracing::subscriber::with_default(log.clone(), || {
            for (number, store) in stores.iter().chain(&stores).enumerate() {
                upsert_secret(store, &number.to_string());
            }
        });
        // The process has one key for all of its stores, and says so once for each.
        assert_eq!(stored_tags(&home).len(), 1, "{bytes}");
        let logged = log.0.lock().unwrap().clone();
        assert_eq!(logged.matches("the key for the tags of secrets is not available").count(), 2, "{bytes}: {logged}");
        assert!(!logged.contains(&key[2..]), "{logged}");
        assert_eq!(std::fs::read_to_string(key_file(&home)).unwrap(), bytes);
    }
}

#[test]
fn a_folder_or_a_link_in_place_of_the_key_prevents_no_write() {
    for make in [
        |path: &Path| std::fs::create_dir(path).unwrap(),
        |path: &Path| std::os::unix::fs::symlink("/nowhere/at/all", path).unwrap(),
    ] {
        let home = TestHome::new();
        std::fs::create_dir_all(home.root()).unwrap();
        make(&key_file(&home));
        let inode = std::fs::symlink_metadata(key_file(&home)).unwrap().ino();
        upsert_secret(&home.open(), "a");
        assert_eq!(stored_tags(&home).len(), 1);
        assert_eq!(std::fs::symlink_metadata(key_file(&home)).unwrap().ino(), inode);
    }
}

#[test]
fn a_home_that_cannot_be_written_is_read_without_a_key() {
    let redacted = |store: &Store| tags(&loopmem::testing::home(store).redactor().redact(&token())).remove(0);
    // No file can be made in it, whoever asks; then one in which there is a key already.
    let store = loopmem::testing::open_on(Options::at("/proc/loopmem"), Arc::new(RealFs), []).unwrap();
    let log = crate::credentials::Log::default();
    let own = tracing::subscriber::with_default(log.clone(), || redacted(&store));
    assert_eq!(own, tag_in_error(&store));
    assert!(log.0.lock().unwrap().contains("the key for the tags of secrets is not available"));
    let (home, tag) = known();
    let faulty = Faulty::default();
    let store = open(&home.root(), faulty.fs());
    faulty.arm(1, Broken::DiskFull);
    assert_eq!(redacted(&store), tag);
    assert_eq!(home.entries(), [key_file(&home)]);
}

#[test]
fn the_doctor_finds_what_is_wrong_with_the_key_and_sets_a_damaged_one_aside() {
    let (home, tag) = known();
    let store = home.open();
    let check = |fix| {
        let report = crate::look(&store, fix).unwrap();
        let of_key = report.findings.into_iter().filter(|it| it.file.contains("redaction.key"));
        of_key.map(|it| (it.file.rsplit('/').next().unwrap().to_owned(), it.fault, it.repaired)).collect::<Vec<_>>()
    };
    let finding = |name: &str, fault, repaired| (name.to_owned(), fault, repaired);
    std::fs::set_permissions(key_file(&home), PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(check(false), [finding("redaction.key", Fault::Mode, false)]);
    assert_eq!(check(true), [finding("redaction.key", Fault::Mode, true)]);
    assert_eq!(std::fs::metadata(key_file(&home)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(check(true), []);
    std::fs::write(key_file(&home), r#"{"schemaVersion":2,"key":"later"}"#).unwrap();
    assert_eq!(check(true), [finding("redaction.key", Fault::TooNew, false)]);
    std::fs::write(key_file(&home), "{}").unwrap();
    assert_eq!(check(false), [finding("redaction.key", Fault::Damaged, false)]);
    assert_eq!(check(true), [finding("redaction.key", Fault::Damaged, true)]);
    assert_eq!(check(true), [finding("redaction.key.damaged", Fault::Quarantined, false)]);
    // The next secret makes a new one.
    upsert_secret(&home.open(), "a");
    assert_ne!(stored_tags(&home), [tag].into());
    assert_eq!(written_key(&home)["schemaVersion"], 1);
}

#[test]
fn a_key_whose_lock_is_held_is_not_waited_for_longer_than_is_configured() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "no secret").unwrap();
    let held = hold(&key_file(&home));
    let store = open(&home.root(), TestClock::leaping(Arc::new(RealFs), || {}));
    upsert_secret(&store, "b");
    assert!(!key_file(&home).exists());
    drop(held);
    let own = stored_tags(&home);
    // Another store is not held up, and takes no tag from it.
    upsert_secret(&home.open(), "c");
    assert_eq!(stored_tags(&home).len(), own.len() + 1);
}

#[test]
fn a_secret_that_is_redacted_under_the_lock_of_a_file_waits_for_no_lock_of_its_caller() {
    let home = TestHome::new();
    upsert(&home.open(), "a", "no secret").unwrap();
    let (_held, store) = (hold(&home.memory()), home.open());
    // The call still holds its turn while it redacts.
    let _turn = loopmem::testing::home(&store).disk().tickets().next();
    let redacted = loopmem::testing::home(&store).redactor().redact(&token()).into_owned();
    assert!(key_file(&home).exists(), "{redacted}");
    assert_eq!(tags(&redacted), [tag_in_error(&home.open())]);
}

/// The calls that touch the key, by name.
fn steps_at_key(recording: &Recording) -> Vec<Step> {
    let names_key = |step: &Step| format!("{step:?}").contains("redaction.key");
    recording.take().into_iter().filter(names_key).collect()
}

#[test]
fn a_write_without_a_secret_does_not_use_the_key_and_one_with_a_secret_reads_it_once() {
    let home = TestHome::new();
    upsert_secret(&home.open(), "a");
    let recording = Recording::default();
    let store = open(&home.root(), recording.fs());
    upsert(&store, "b", "no secret").unwrap();
    assert_eq!(steps_at_key(&recording), []);
    // It is not even read: a damaged one would be reported.
    let damaged = TestHome::new();
    damaged.put(&key_file(&damaged), "{}");
    let log = crate::credentials::Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        upsert(&damaged.open(), "b", "no secret").unwrap();
        let has_event = || log.0.lock().unwrap().contains("message = ");
        assert!(!has_event());
        upsert_secret(&damaged.open(), "c");
        assert!(has_event());
    });
    upsert_secret(&store, "c");
    assert!(matches!(&steps_at_key(&recording)[..], [Step::Sync(..)]));
    // Not even looked at: a read of it would fail.
    std::fs::remove_file(key_file(&home)).unwrap();
    let faulty = Faulty::default();
    upsert_secret(&store, "d");
    assert_eq!(steps_at_key(&recording), []);
    assert!(!key_file(&home).exists());
    // The same number of calls, secret or not.
    std::fs::write(key_file(&home), json!({ "schemaVersion": 1, "key": "5e".repeat(32) }).to_string()).unwrap();
    let store = open(&home.root(), faulty.fs());
    upsert_secret(&store, "e");
    let calls = |content: &str| {
        faulty.arm(usize::MAX - 1, Broken::Stop);
        upsert(&store, "e", content).unwrap();
        faulty.calls()
    };
    assert_eq!(calls(&token()), calls("no secret"));
}

#[test]
fn a_crash_during_the_creation_of_the_key_leaves_no_record_with_the_tag_of_another() {
    let secret = |store: &Store| {
        upsert_secret(store, "a");
        Ok(())
    };
    for has_home in [false, true] {
        let home = TestHome::in_memory();
        if has_home {
            upsert(&crate::operations::reopen(&home), "z", "kept").unwrap();
        }
        let mut disk = SimulatedDisk::holding(&tree_of(&home));
        let steps = record(&home, secret);
        let mut judged = BTreeSet::new();
        for done in 0..=steps.len() {
            for state in disk.states() {
                if !judged.insert(state.clone()) {
                    continue;
                }
                let home = home_of(&state, false);
                let is_stored = memory(&home).is_some_and(|text| !tags(&text).is_empty());
                assert!(!is_stored || home.read(&key_file(&home)).is_ok(), "after {:?}", &steps[..done]);
                // Whoever comes next goes on with the same key, or makes the first one.
                upsert_secret(&home.open(), "next");
                assert_eq!(stored_tags(&home), [tag_in_error(&home.open())].into(), "after {:?}", &steps[..done]);
                // A crash may keep a name that the key had on its way: nobody writes a key twice, so the doctor removes
                // it.
                home.open().doctor().fix().unwrap();
                home.assert_no_litter();
            }
            if let Some(step) = steps.get(done) {
                disk.apply(step);
            }
        }
        assert!(judged.len() > 8, "{} states", judged.len());
    }
}

#[test]
fn a_failure_during_the_creation_of_the_key_stores_no_secret_and_no_half_key() {
    for fault in [
        Broken::Errno(libc::ENOSPC),
        Broken::Errno(libc::EIO),
        Broken::Errno(libc::EXDEV),
        Broken::Errno(libc::EROFS),
        Broken::ShortWrite,
        Broken::Stop,
        Broken::DiskFull,
        Broken::SyncsFail,
    ] {
        for nth in 1.. {
            let home = TestHome::in_memory();
            upsert(&home.open(), "z", "kept").unwrap();
            let faulty = Faulty::default();
            let store = open(&home.root(), TestClock::leaping(faulty.on(home.fs()), || {}));
            faulty.arm(nth, fault);
            let redacted = loopmem::testing::home(&store).redactor().redact(&token()).into_owned();
            let has_struck = faulty.disarm();
            let at = format!("{fault:?} in call {nth}");
            assert_eq!(tags(&redacted).len(), 1, "{at}: {redacted}");
            // The next process reads what is there, or makes it.
            upsert_secret(&home.open(), "a");
            let key = written_key(&home);
            assert_eq!(key["key"].as_str().map(str::len), Some(64), "{at}");
            assert_eq!(stored_tags(&home), [tag_in_error(&home.open())].into(), "{at}");
            home.assert_no_litter();
            if !has_struck {
                assert!(nth > 8, "{fault:?} struck {} times only", nth - 1);
                break;
            }
        }
    }
}

#[test]
fn a_store_opened_without_a_key_uses_one_that_is_created_later() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(key_file(&home), "{}").unwrap();
    let clock = TestClock::leaping(Arc::new(RealFs), || {});
    let store = open(&home.root(), Arc::clone(&clock));
    upsert_secret(&store, "a");
    let own = stored_tags(&home);
    std::fs::remove_file(key_file(&home)).unwrap();
    upsert_secret(&store, "b");
    assert_eq!(stored_tags(&home), own, "not so soon");
    clock.sleep(Duration::from_secs(11));
    upsert_secret(&store, "c");
    assert_eq!(stored_tags(&home).len(), 2);
    assert!(key_file(&home).exists());
}
