//! One writer at a time, first come, first served, with an end to every wait.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use loopmem::methods::{dispatch, submit};
use loopmem::summary::Summary;
use loopmem::testing::disk::{Cancel, DocumentFile, WaitOptions};
use loopmem::testing::memory::MemorySchema;
use loopmem::{CallOptions, Error, ErrorKind, Options, Store};

use crate::{TestHome, append, at_most, conventions, hold, repo, start, started_on, steps, upsert};

/// Longer than any test runs: a wait that should not time out.
pub(crate) const FOREVER: Duration = Duration::from_secs(600);

/// A home with one convention and one summary.
pub(crate) fn home() -> TestHome {
    let home = TestHome::new();
    upsert(&home.open(), "a", "old").unwrap();
    append(&home.open(), "first").unwrap();
    home
}

/// A cancel request that reports each time a waiting call polls it.
pub(crate) fn waiting() -> (Cancel, Receiver<()>) {
    let (asked, asks) = channel();
    let cancel = Cancel::polling(move || {
        let _ = asked.send(());
        false
    });
    (cancel, asks)
}

#[test]
fn a_held_lock_ends_the_wait_with_an_error_that_names_the_holder() {
    let home = home();
    let options = || {
        Options::at(home.root())
            .lock_timeout(std::time::Duration::from_millis(31))
            .append_timeout(std::time::Duration::from_millis(17))
    };
    let store = Store::open(options()).unwrap();
    let assert_refused = |refused: Error, file: &str, wait: &str, holder: &str| {
        assert_eq!(refused.kind(), ErrorKind::LockAcquisition);
        assert!(refused.retryable());
        assert!(refused.path().unwrap().ends_with(file), "{refused}");
        assert!(refused.message().contains(wait), "{refused}");
        assert!(refused.message().contains(holder), "{refused}");
    };

    let holder = home.open();
    let document = DocumentFile::<MemorySchema>::new(loopmem::testing::home(&holder).disk(), home.memory(), FOREVER);
    let pid = format!("held by pid {} since ", std::process::id());
    let waiting = store.clone();
    document
        .update(&WaitOptions::default(), move |_| {
            let store = waiting;
            let read = store.repo_at(&repo()).memory().get().unwrap_err();
            assert_refused(read, "memory.json.lock", "within 31 ms", &pid);
            let write = upsert(&store, "a", "new").unwrap_err();
            assert_refused(write, "memory.json.lock", "within 31 ms", &pid);
            let call = CallOptions::new().timeout(Duration::from_millis(13));
            let own =
                dispatch(&store.with(call), "memory.get", &format!(r#"{{"repoHash":"{}"}}"#, repo())).unwrap_err();
            assert_refused(own, "memory.json.lock", "within 13 ms", &pid);
            Ok((Vec::new(), ()))
        })
        .unwrap();

    // Somebody who takes the lock without leaving a name, and the shorter patience of appends.
    let held = hold(&home.summaries());
    assert_refused(append(&store, "second").unwrap_err(), "summaries.jsonl.lock", "within 17 ms", "no name");
    drop(held);
    append(&store, "second").unwrap();
    assert_eq!(steps(&store), ["first", "second"]);
    assert_eq!(conventions(&store), [("a".to_owned(), "old".to_owned())]);
}

#[test]
fn cancelling_ends_a_wait_and_nothing_is_written() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    for write in [false, true] {
        let (cancel, asks) = waiting();
        let wait = at_most(FOREVER).cancel(&cancel);
        let store = store.clone();
        let call = thread::spawn(move || match write {
            false => store.with(wait.clone()).repo_at(&repo()).memory().get().map(drop),
            true => upsert(&store.with(wait.clone()), "a", "new"),
        });
        asks.recv().unwrap();
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    }
    // The host's own signal counts as well.
    let wait = at_most(FOREVER).cancel(&Cancel::polling(|| true));
    assert_eq!(upsert(&store.with(wait.clone()), "a", "new").unwrap_err().kind(), ErrorKind::Cancelled);
    drop(held);
    assert_eq!(conventions(&store), [("a".to_owned(), "old".to_owned())]);
    upsert(&store, "a", "new").unwrap();
}

#[test]
fn a_call_that_was_cancelled_before_it_began_writes_nothing() {
    let home = home();
    let store = home.open();
    let cancel = Cancel::new();
    cancel.cancel();
    let options = CallOptions::new().cancel(&cancel);
    let params = format!(r#"{{"repoHash":"{}","convention":{{"id":"a","content":"new"}}}}"#, repo());
    let refused = dispatch(&store.with(options), "memory.upsertConvention", &params).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Cancelled);
    let refused = append(&store.with(CallOptions::new().cancel(&cancel)), "second").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Cancelled);
    assert_eq!(conventions(&store), [("a".to_owned(), "old".to_owned())]);
    assert_eq!(steps(&store), ["first"]);
}

#[test]
fn a_host_whose_signal_handler_uses_the_same_file_is_not_locked_out() {
    let home = home();
    let store = home.open();
    let _held = hold(&home.memory());
    let (handled, outcome) = channel();
    let handlers_store = store.clone();
    let cancel = Cancel::polling(move || {
        // What Python does when a signal arrives during a wait.
        let own = handlers_store.with(at_most(Duration::from_millis(10))).repo_at(&repo()).memory().get();
        handled.send(own.map(drop)).unwrap();
        true
    });
    let waited = store.with(at_most(FOREVER).cancel(&cancel)).repo_at(&repo()).memory().get().unwrap_err();
    assert_eq!(waited.kind(), ErrorKind::Cancelled);
    assert_eq!(outcome.recv().unwrap().unwrap_err().kind(), ErrorKind::LockAcquisition);
}

#[test]
fn an_unlimited_wait_is_possible() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    let (cancel, asks) = waiting();
    let wait = at_most(Duration::MAX).cancel(&cancel);
    let call = thread::spawn(move || upsert(&store.with(wait.clone()), "a", "new"));
    asks.recv().unwrap();
    drop(held);
    call.join().unwrap().unwrap();
}

#[test]
fn a_panic_in_the_hosts_poll_releases_the_lock() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    for mode in ["the lock", "the queue"] {
        // The second one waits behind the first in the queue of this process.
        let (first, asks) = waiting();
        let waiter = (mode == "the queue").then(|| {
            let store = store.clone();
            let first = first.clone();
            thread::spawn(move || upsert(&store.with(at_most(FOREVER).cancel(&first)), "a", "new"))
        });
        if waiter.is_some() {
            asks.recv().unwrap();
        }
        let panicking = store.clone();
        let poll = Cancel::polling(|| panic!("a defect of the host"));
        let call = thread::spawn(move || upsert(&panicking.with(at_most(FOREVER).cancel(&poll)), "a", "new"));
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Internal);
        first.cancel();
        waiter.map(|waiter| waiter.join().unwrap().unwrap_err());
    }
    drop(held);
    upsert(&store, "a", "new").unwrap();
    upsert(&home.open(), "b", "new").unwrap();
}

#[test]
fn a_home_of_many_repositories_keeps_few_files_open() {
    let home = TestHome::new();
    let store = home.open();
    let open_files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open_files();
    for number in 0..200 {
        let repo = loopmem::RepoHash::parse(&format!("{number:064x}")).unwrap();
        store.repo_at(&repo).summaries().append(Summary::draft("run", "step", "It ran.")).unwrap();
    }
    // Other tests of this process open files too.
    assert!(open_files() - before < 300, "{} files more are open", open_files() - before);
}

#[test]
fn a_call_without_a_lock_delays_none_with_a_lock() {
    let home = home();
    let store = home.open();
    let (done, outcomes) = channel();
    let call = |method: &str, params: String, timeout_ms: u32| {
        let done = done.clone();
        let name = method.to_owned();
        let options = CallOptions::new().timeout(Duration::from_millis(timeout_ms.into()));
        submit(&store.with(options), name.clone(), params, move |outcome| done.send((name, outcome.is_ok())).unwrap());
    };
    let held = hold(&home.memory());
    call("memory.get", format!(r#"{{"repoHash":"{}"}}"#, repo()), 600_000);
    call("repo.sanitizeRemoteUrl", r#"{"url":"https://h/r"}"#.to_owned(), 0);
    assert_eq!(outcomes.recv().unwrap(), ("repo.sanitizeRemoteUrl".to_owned(), true));
    drop(held);
    assert_eq!(outcomes.recv().unwrap(), ("memory.get".to_owned(), true));
}

#[test]
fn a_stream_of_readers_does_not_starve_a_writer() {
    let home = home();
    let lock =
        |file: &str| File::options().read(true).write(true).open(format!("{}{file}", home.memory().display())).unwrap();
    // Two other processes' readers: the next one always comes before the last one leaves, but through the gate.
    let (gate, mut last) = (lock(".gate"), lock(".lock"));
    fs2::FileExt::lock_shared(&last).unwrap();
    let store = home.open();
    let (cancel, asks) = waiting();
    let call = thread::spawn(move || upsert(&store.with(at_most(FOREVER).cancel(&cancel)), "a", "new"));
    asks.recv().unwrap();
    // The writer stands in the gate by now or soon will: then no reader comes through until it is done.
    while fs2::FileExt::try_lock_exclusive(&gate).is_ok() {
        let next = lock(".lock");
        fs2::FileExt::lock_shared(&next).unwrap();
        last = next;
        fs2::FileExt::unlock(&gate).unwrap();
        asks.recv().unwrap();
    }
    drop(last);
    call.join().unwrap().unwrap();
    assert_eq!(conventions(&home.open()), [("a".to_owned(), "new".to_owned())]);
}

const PROCESSES: usize = 3;
const THREADS: usize = 4;
const WRITES: usize = 8;

/// A writing process.
#[test]
#[ignore = "the part of another process"]
fn writes_from_many_threads() {
    let Some(home) = started_on() else { return };
    let store = Store::open(Options::at(home)).unwrap();
    println!("ready");
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                for write in 0..WRITES {
                    let id = format!("{}-{thread}-{write}", std::process::id());
                    upsert(&store.with(at_most(FOREVER)), &id, "One of many.").unwrap();
                    append(&store.with(at_most(FOREVER)), &id).unwrap();
                }
            });
        }
    });
}

#[test]
fn threads_and_processes_that_write_at_once_lose_nothing() {
    let home = home();
    let held = hold(&home.memory());
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let (child, mut said) = start("locks::writes_from_many_threads", &home.root());
            while said.next().unwrap().unwrap() != "ready" {}
            (child, said)
        })
        .collect();
    drop(held);
    let mut expected = vec!["a".to_owned()];
    for (mut child, said) in children {
        said.for_each(drop);
        assert!(child.wait().unwrap().success());
        for thread in 0..THREADS {
            expected.extend((0..WRITES).map(|write| format!("{}-{thread}-{write}", child.id())));
        }
    }
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    let store = home.open();
    assert_eq!(sorted(conventions(&store).into_iter().map(|(id, _)| id).collect()), sorted(expected.clone()));
    expected[0] = "first".to_owned();
    assert_eq!(sorted(steps(&store)), sorted(expected));
}

#[test]
fn calls_that_are_not_awaited_keep_their_order() {
    const CALLS: usize = 50;
    let home = home();
    let store = home.open();
    let held = [hold(&home.memory()), hold(&home.summaries())];
    let (done, outcomes) = channel();
    let call = |method: &str, params: String| {
        let done = done.clone();
        let patient = CallOptions::new().timeout(Duration::from_millis(600_000));
        submit(&store.with(patient), method.to_owned(), params, move |outcome| done.send(outcome).unwrap());
    };
    for number in 0..CALLS {
        let hash = repo();
        let convention = format!(r#"{{"id":"a","content":"{number}"}}"#);
        call("memory.upsertConvention", format!(r#"{{"repoHash":"{hash}","convention":{convention}}}"#));
        call(
            "summary.append",
            format!(r#"{{"repoHash":"{hash}","runId":"r","stepId":"{number}","summary":"It ran."}}"#),
        );
    }
    drop(held);
    for _ in 0..CALLS * 2 {
        outcomes.recv().unwrap().unwrap();
    }
    assert_eq!(conventions(&store), [("a".to_owned(), (CALLS - 1).to_string())]);
    assert_eq!(steps(&store)[1..], (0..CALLS).map(|number| number.to_string()).collect::<Vec<_>>());
}

/// Deletes the lock file, creates it again and holds the new one.
fn replace_lock(home: &TestHome) -> File {
    let path = format!("{}.lock", home.memory().display());
    std::fs::remove_file(&path).unwrap();
    File::create(path).unwrap();
    hold(&home.memory())
}

#[test]
fn a_deleted_lock_file_admits_no_second_holder() {
    let home = home();
    let store = home.open();
    upsert(&store, "a", "old").unwrap();
    let held = replace_lock(&home);
    let refused = upsert(&store.with(at_most(Duration::from_millis(30))), "a", "new").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LockAcquisition);
    drop(held);
    upsert(&store, "a", "new").unwrap();
    assert_eq!(conventions(&store), [("a".to_owned(), "new".to_owned())]);
}

#[test]
fn a_lock_file_deleted_during_a_wait_admits_no_second_holder() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    let (asked, asks) = channel();
    let asks_left = Arc::new(AtomicUsize::new(usize::MAX));
    let left = Arc::clone(&asks_left);
    let cancel = Cancel::polling(move || {
        let _ = asked.send(());
        left.fetch_sub(1, Ordering::SeqCst) == 1
    });
    let call = thread::spawn(move || upsert(&store.with(at_most(FOREVER).cancel(&cancel)), "a", "new"));
    asks.recv().unwrap();
    let held_anew = replace_lock(&home);
    drop(held);
    // It finds the lock that it waited for free, and goes on waiting until it has asked many times more.
    asks_left.store(50, Ordering::SeqCst);
    assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    drop(held_anew);
    assert_eq!(conventions(&home.open()), [("a".to_owned(), "old".to_owned())]);
}
