//! File systems without locks: there is still one writer at a time, and no process waits for a dead owner.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use loopmem::testing::disk::{Fs, RealFs, WaitOptions};
use loopmem::{ErrorKind, Options, Store};
use serde_json::{Value, json};

use crate::file_systems::{Faulty, FsLimitation, TestClock};
use crate::locks::{FOREVER, home, waiting};
use crate::{TestHome, at_most, conventions, start, started_on, steps, upsert};

fn open(home: PathBuf) -> Store {
    open_on(home, Faulty::with_limitation(FsLimitation::NoLocks).fs())
}

fn open_on(home: PathBuf, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(home)
        .lock_timeout(std::time::Duration::from_millis(600_000))
        .append_timeout(std::time::Duration::from_millis(600_000))
        .summaries_max_entries(10_000);
    loopmem::testing::open_on(options, fs, []).unwrap()
}

/// A store whose waits take no time and run other actions instead.
fn leaping(home: &TestHome, meanwhile: impl Fn() + Send + Sync + 'static) -> Store {
    open_on(home.root(), TestClock::leaping(Faulty::with_limitation(FsLimitation::NoLocks).fs(), meanwhile))
}

/// Three times as long as the heartbeat of an unknown owner must be unchanged.
const LONG: Duration = Duration::from_secs(30);

fn owner_file(home: &TestHome) -> PathBuf {
    home.folder().join("memory.json.lock.owner")
}

/// The lock file of this process, with `changes`.
fn leave_owner(home: &TestHome, changes: Value) -> String {
    let process = RealFs.process(std::process::id()).unwrap();
    let mut owner = json!(process);
    owner["token"] = json!("0123456789abcdef");
    for (key, value) in changes.as_object().unwrap() {
        owner[key] = value.clone();
    }
    let text = format!("{:020}\n{owner}\n", 7);
    std::fs::write(owner_file(home), &text).unwrap();
    text
}

const WRITERS: usize = 3;
const WRITES: usize = 12;

/// A process that writes through two handles at once.
#[test]
#[ignore = "the part of another process"]
fn writes_without_flock() {
    let Some(home) = started_on() else { return };
    let threads = [0, 1].map(|thread| {
        let home = home.clone();
        thread::spawn(move || {
            let store = open(home);
            for write in 0..WRITES {
                let id = format!("{}-{thread}-{write}", std::process::id());
                upsert(&store, &id, "Without flock.").unwrap();
                crate::append(&store, &id).unwrap();
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    println!("done");
}

#[test]
fn processes_that_write_at_once_without_flock_lose_nothing() {
    let home = home();
    let writers: Vec<_> = (0..WRITERS).map(|_| start("fallback::writes_without_flock", &home.root())).collect();
    let pids: Vec<u32> = writers.iter().map(|(child, _)| child.id()).collect();
    for (mut child, said) in writers {
        let said: Vec<_> = said.map_while(Result::ok).collect();
        assert!(said.contains(&"done".to_owned()), "{said:?}");
        assert!(child.wait().unwrap().success());
    }
    let store = home.open();
    let (conventions, steps) = (conventions(&store), steps(&open(home.root())));
    for id in pids.iter().flat_map(|pid| (0..2 * WRITES).map(move |at| format!("{pid}-{}-{}", at % 2, at / 2))) {
        assert!(conventions.iter().any(|(stored, _)| *stored == id), "{id} is lost");
        assert!(steps.contains(&id), "the step {id} is lost");
    }
    let left: Vec<_> = home.entries().into_iter().filter(|path| path.to_string_lossy().contains(".owner")).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    home.assert_no_litter();
}

/// A process that is killed while it holds the lock.
#[test]
#[ignore = "the part of another process"]
fn waits_with_the_lock() {
    use loopmem::testing::disk::DocumentFile;
    let Some(home) = started_on() else { return };
    let store = open(home.clone());
    let path = loopmem::testing::home(&store).layout().memory(&crate::repo());
    DocumentFile::<loopmem::testing::memory::MemorySchema>::new(loopmem::testing::home(&store).disk(), path, FOREVER)
        .update(&WaitOptions::default(), |_| {
            println!("held");
            thread::park();
            Ok((Vec::new(), ()))
        })
        .unwrap();
}

#[test]
fn a_lock_is_taken_over_from_a_killed_owner_and_never_from_a_live_one() {
    let home = home();
    let (mut holder, mut said) = start("fallback::waits_with_the_lock", &home.root());
    assert!(said.by_ref().map_while(Result::ok).any(|line| line == "held"));
    // A holder that lives keeps its lock however long that takes, since its pid is seen.
    let refused = upsert(&leaping(&home, || {}).with(at_most(LONG)), "b", "new");
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::LockAcquisition);
    let store = open(home.root());
    let (cancel, asks) = waiting();
    let successor = thread::spawn(move || upsert(&store.with(at_most(FOREVER).cancel(&cancel)), "b", "new"));
    asks.recv().unwrap();
    // Not reaped yet: a zombie is as dead.
    holder.kill().unwrap();
    successor.join().unwrap().unwrap();
    holder.wait().unwrap();
    assert_eq!(conventions(&home.open()).len(), 2);
}

#[test]
fn a_lock_of_an_unknown_owner_is_not_taken_over_while_its_heartbeat_advances() {
    let home = home();
    let text = leave_owner(&home, json!({ "boot": "another machine" }));
    let (path, beats) = (owner_file(&home), AtomicUsize::new(0));
    let store = leaping(&home, move || {
        let beat = beats.fetch_add(1, Ordering::Relaxed);
        // Rarely enough to be seen to stand still for a while.
        if beat % 1_000 == 0 {
            std::fs::write(&path, format!("{beat:020}{}", &text[20..])).unwrap();
        }
    });
    let refused = upsert(&store.with(at_most(LONG)), "b", "new").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LockAcquisition);
    assert_eq!(conventions(&home.open()).len(), 1);
}

#[test]
fn a_lock_of_an_unknown_owner_is_taken_over_when_its_heartbeat_has_stopped() {
    let home = home();
    leave_owner(&home, json!({ "boot": "another machine" }));
    let store = leaping(&home, || {});
    upsert(&store.with(at_most(LONG)), "b", "new").unwrap();
    // Calls whose own patience is shorter than the stale time see it together.
    leave_owner(&home, json!({ "boot": "one more" }));
    let mut refused = 0;
    while upsert(&store.with(at_most(LONG / 10)), "c", "new").is_err() {
        refused += 1;
    }
    assert!((2..6).contains(&refused), "{refused} calls of 3 s waited for 10 s");
    assert_eq!(conventions(&home.open()).len(), 3);
}

/// Each process makes one call, which times out long before the lock is stale.
#[test]
fn processes_that_live_for_one_call_take_over_a_lock_of_an_unknown_owner_together_and_with_default_settings() {
    let home = home();
    leave_owner(&home, json!({ "boot": "another machine", "pid": 4711 }));
    let fs = TestClock::leaping(Faulty::with_limitation(FsLimitation::NoLocks).fs(), || {});
    let process = || loopmem::testing::open_on(Options::at(home.root()), Arc::clone(&fs), []).unwrap();
    let mut refused = 0;
    while let Err(error) = upsert(&process(), "b", "new") {
        assert_eq!(error.kind(), ErrorKind::LockAcquisition);
        assert!(error.message().contains("pid 4711 on another machine"), "{error}");
        refused += 1;
        assert!(refused < 5, "calls of 5 s wait for 10 s");
    }
    assert!(refused > 0);
    assert_eq!(conventions(&home.open()).len(), 2);
    let left = home.entries().into_iter().find(|path| path.to_string_lossy().contains(".lock.owner"));
    assert_eq!(left, None);
    home.assert_no_litter();
}

#[test]
fn a_lock_with_an_advancing_heartbeat_is_not_taken_over_by_short_lived_processes() {
    let home = home();
    let (beats, file) = (AtomicUsize::new(0), owner_file(&home));
    let owner = leave_owner(&home, json!({ "boot": "another machine" }));
    let fs = TestClock::leaping(Faulty::with_limitation(FsLimitation::NoLocks).fs(), move || {
        let pause = beats.fetch_add(1, Ordering::Relaxed);
        if pause % 2_000 == 0 {
            std::fs::write(&file, format!("{pause:020}{}", &owner[20..])).unwrap();
        }
    });
    for _ in 0..3 {
        let store = loopmem::testing::open_on(Options::at(home.root()), Arc::clone(&fs), []).unwrap();
        upsert(&store, "b", "new").unwrap_err();
    }
    assert!(owner_file(&home).exists());
}

#[test]
fn a_lock_of_a_dead_process_or_of_an_earlier_one_with_this_pid_is_taken_over_at_once() {
    let home = home();
    let store = open(home.root());
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    let pid = gone.id();
    gone.wait().unwrap();
    for changes in [json!({ "pid": pid }), json!({ "started": 1 })] {
        leave_owner(&home, changes.clone());
        upsert(&store, "b", &changes.to_string()).unwrap();
        assert!(!owner_file(&home).exists());
    }
    // Another copy of the library in this process, which may be at work.
    leave_owner(&home, json!({}));
    let refused = upsert(&store.with(at_most(Duration::from_millis(30))), "b", "beside it").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LockAcquisition);
    // An owner that died over writing down who it is.
    std::fs::write(owner_file(&home), "").unwrap();
    upsert(&leaping(&home, || {}), "b", "after the stale time").unwrap();
    assert_eq!(conventions(&home.open()).len(), 2);
    home.assert_no_litter();
}

#[test]
fn a_reader_takes_no_lock_that_does_not_work() {
    let home = home();
    leave_owner(&home, json!({ "boot": "another machine" }));
    let store = open(home.root());
    assert_eq!(conventions(&store).len(), 1);
    assert_eq!(steps(&store), ["first"]);
}
