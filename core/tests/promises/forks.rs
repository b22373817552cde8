//! A forked child can use its parent's files, whatever the parent's threads were doing.

#![allow(unsafe_code, reason = "std has no fork")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use loopmem::methods::submit;
use loopmem::{Options, Store};

use crate::locks::{FOREVER, home, waiting};
use crate::{append, at_most, conventions, hold, repo, start, started_on, steps, upsert};

/// The kernel kills a child that hangs.
const CHILD_SECONDS: libc::c_uint = 60;

/// A process that forks while one of its threads waits.
#[test]
#[ignore = "the part of another process"]
fn forks_while_a_thread_waits() {
    let Some(home) = started_on() else { return };
    let store = Store::open(Options::at(home)).unwrap();
    let (cancel, asks) = waiting();
    let thread = thread::spawn({
        let store = store.clone();
        move || upsert(&store.with(at_most(FOREVER).cancel(&cancel)), "parent", "Waited.")
    });
    asks.recv().unwrap();
    // SAFETY: the child uses loopmem, which is what is tested, and leaves without running the parent's destructors.
    match unsafe { libc::fork() } {
        0 => {
            println!("forked");
            let stored = upsert(&store.with(at_most(FOREVER)), "child", "Waited.");
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(stored.is_err())) };
        }
        child => {
            let mut status = -1;
            // SAFETY: the pointer is to an integer of ours.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            thread.join().unwrap().unwrap();
            println!("status {status}");
        }
    }
}

#[test]
fn a_forked_child_takes_locks_that_its_parent_was_waiting_for() {
    let home = home();
    let held = hold(&home.memory());
    let (mut child, mut said) = start("forks::forks_while_a_thread_waits", &home.root());
    assert!(said.by_ref().map_while(Result::ok).any(|line| line == "forked"));
    drop(held);
    let rest: Vec<_> = said.map_while(Result::ok).collect();
    assert!(rest.contains(&"status 0".to_owned()), "{rest:?}");
    assert!(child.wait().unwrap().success());
    let ids: Vec<_> = conventions(&home.open()).into_iter().map(|(id, _)| id).collect();
    assert!(ids.contains(&"parent".to_owned()) && ids.contains(&"child".to_owned()), "{ids:?}");
}

/// A process that forks while its threads are anywhere in loopmem.
#[test]
#[ignore = "the part of another process"]
fn forks_while_its_threads_work() {
    let Some(home) = started_on() else { return };
    let store = Store::open(
        Options::at(home)
            .lock_timeout(std::time::Duration::from_millis(600_000))
            .append_timeout(std::time::Duration::from_millis(600_000)),
    );
    let store = store.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (store, stop) = (store.clone(), Arc::clone(&stop));
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let id = format!("parent-{number}");
                    match number {
                        0 => drop(conventions(&store)),
                        1 => append(&store, &id).unwrap(),
                        _ => upsert(&store, &id, "At work.").unwrap(),
                    }
                    submit(&store, "repo.list".to_owned(), String::new(), drop);
                }
            })
        })
        .collect();
    for number in 0..60 {
        // SAFETY: the child uses loopmem, which is what is tested, and leaves without running the parent's destructors.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY: as above.
                unsafe { libc::alarm(CHILD_SECONDS) };
                let id = format!("child-{number}");
                let stored = upsert(&store, &id, "Forked.").and_then(|()| append(&store, &id));
                let (done, outcome) = channel();
                let params = format!(r#"{{"repoHash":"{}"}}"#, repo());
                submit(&store, "memory.get".to_owned(), params, move |got| drop(done.send(got)));
                let is_read = outcome.recv().is_ok_and(|got| got.is_ok_and(|memory| memory.contains(&id)));
                // SAFETY: as above.
                unsafe { libc::_exit(i32::from(stored.is_err() || !is_read)) };
            }
            child => {
                let mut status = -1;
                // SAFETY: the pointer is to an integer of ours.
                assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
                println!("child {number}: {status}");
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_child_that_is_forked_at_any_moment_reads_and_writes() {
    let home = home();
    let (mut child, said) = start("forks::forks_while_its_threads_work", &home.root());
    let said: Vec<_> = said.map_while(Result::ok).filter(|line| line.starts_with("child ")).collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(said, (0..60).map(|number| format!("child {number}: 0")).collect::<Vec<_>>());
    let (conventions, steps) = (conventions(&home.open()), steps(&home.open()));
    for number in 0..60 {
        let id = format!("child-{number}");
        assert!(conventions.iter().any(|(stored, _)| *stored == id), "{id} is lost");
    }
    assert!(steps.iter().any(|step| step == "child-59"), "{steps:?}");
}
