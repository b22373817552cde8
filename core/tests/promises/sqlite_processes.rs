//! A database loses no acknowledged write, whatever other processes do: write, die, fork or read.

#![allow(unsafe_code, reason = "std has no fork, no users and no limits")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use loopmem::ErrorKind;
use loopmem::testing::disk::WaitOptions;
use loopmem::testing::sqlite::rusqlite::Connection;

use crate::sqlite::{NEW, Notes, OLD, add, ids, sorted};
use crate::{TestHome, hold, start, start_with_input, started_on};

/// The kernel kills a child that hangs.
const CHILD_SECONDS: libc::c_uint = 60;

/// One of several processes that write at once.
#[test]
#[ignore = "the part of another process"]
fn adds_many() {
    let Some(home) = started_on() else { return };
    let notes = Notes::at(&home);
    println!("ready");
    for number in 0..50 {
        notes.add(&WaitOptions::default(), &format!("{}-{number}", std::process::id())).unwrap();
    }
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let home = TestHome::new();
    std::fs::create_dir_all(home.root().join("repos")).unwrap();
    let notes = Notes::at(&home.root());
    let held = hold(notes.path());
    let children: Vec<_> = (0..4)
        .map(|_| {
            let (child, mut said) = start("sqlite_processes::adds_many", &home.root());
            while said.next().unwrap().unwrap() != "ready" {}
            (child, said)
        })
        .collect();
    drop(held);
    let mut expected = Vec::new();
    for (mut child, said) in children {
        said.for_each(drop);
        assert!(child.wait().unwrap().success());
        expected.extend((0..50).map(|number| format!("{}-{number}", child.id())));
    }
    assert_eq!(sorted(notes.ids()), sorted(expected));
}

/// The process that is killed: it adds pairs forever, some of them larger than SQLite keeps in memory.
#[test]
#[ignore = "the part of another process"]
fn adds_pairs_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let notes = Notes::at(&home);
    for number in 0.. {
        let id = format!("{}-{number}", std::process::id());
        notes
            .database
            .write(&notes.disk, &WaitOptions::default(), |transaction| {
                add(transaction, &format!("{id}-first"))?;
                let text = "long ".repeat(if number % 8 == 7 { 1 << 20 } else { 1 });
                transaction
                    .execute("INSERT INTO notes (id, text) VALUES (?1, ?2)", [&format!("{id}-second"), &text])?;
                Ok(())
            })
            .unwrap();
        println!("stored {id}");
    }
}

#[test]
fn every_acknowledged_write_survives_kill_9_and_none_is_partial() {
    let home = TestHome::new();
    let mut acknowledged = Vec::new();
    for wanted in [1, 2, 7, 8, 13, 20] {
        let (mut child, mut said) = start("sqlite_processes::adds_pairs_until_it_is_killed", &home.root());
        let mut heard = 0;
        while heard < wanted {
            let line = said.next().unwrap().unwrap();
            heard += usize::from(line.starts_with("stored "));
            acknowledged.push(line);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever it said before it died counts.
        acknowledged.extend(said.map_while(Result::ok));
    }
    let ids = Notes::at(&home.root()).ids();
    for id in acknowledged.iter().filter_map(|line| line.strip_prefix("stored ")) {
        assert!(ids.contains(&format!("{id}-first")), "{id} is lost");
    }
    for pair in ids.chunks(2) {
        let second = pair[0].replace("first", "second");
        assert_eq!(pair.get(1), Some(&second));
    }
    let whole = Notes::at(&home.root())
        .read(|connection| Ok(connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?));
    assert_eq!(whole.unwrap().unwrap(), "ok");
    Notes::at(&home.root()).add(&WaitOptions::default(), "after").unwrap();
}

/// A process that forks while its threads are in SQLite. Parent and children continue to use it.
#[test]
#[ignore = "the part of another process"]
fn forks_while_its_threads_write() {
    let Some(home) = started_on() else { return };
    let notes = Arc::new(Notes::at(&home));
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..3)
        .map(|number| {
            let (notes, stop) = (Arc::clone(&notes), Arc::clone(&stop));
            thread::spawn(move || {
                for write in 0.. {
                    match number {
                        0 => drop(notes.ids()),
                        _ => notes.add(&WaitOptions::default(), &format!("parent-{number}-{write}")).unwrap(),
                    }
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
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
                let is_stored = notes.add(&WaitOptions::default(), &id).is_ok() && notes.ids().contains(&id);
                // SAFETY: as above.
                unsafe { libc::_exit(i32::from(!is_stored)) };
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
    let home = TestHome::new();
    let (mut child, said) = start("sqlite_processes::forks_while_its_threads_write", &home.root());
    let said: Vec<_> = said.map_while(Result::ok).filter(|line| line.starts_with("child ")).collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(said, (0..60).map(|number| format!("child {number}: 0")).collect::<Vec<_>>());
    let ids = Notes::at(&home.root()).ids();
    for number in 0..60 {
        assert!(ids.contains(&format!("child-{number}")), "child-{number} is lost");
    }
}

/// A process that has the database open while its file is removed.
#[test]
#[ignore = "the part of another process"]
fn has_it_open_and_adds() {
    let Some(home) = started_on() else { return };
    let notes = Notes::at(&home);
    println!("ids {}", notes.ids().join(" "));
    std::io::stdin().read_line(&mut String::new()).unwrap();
    notes.add(&WaitOptions::default(), "theirs").unwrap();
}

#[test]
fn a_process_with_a_removed_file_open_continues_with_the_new_one() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    (0..20).for_each(|number| notes.add(&WaitOptions::default(), &number.to_string()).unwrap());
    let (mut child, mut said) = start_with_input("sqlite_processes::has_it_open_and_adds", &home.root());
    assert!(said.by_ref().map_while(Result::ok).any(|line| line.starts_with("ids 0 1 2 ")));
    std::fs::remove_file(notes.path()).unwrap();
    std::fs::remove_file(notes.log()).unwrap();
    // What the other process still has mapped tells of commits that are in no log any more.
    let notes = Notes::at(&home.root());
    (0..5).for_each(|number| notes.add(&WaitOptions::default(), &format!("new {number}")).unwrap());
    drop(child.stdin.take());
    said.for_each(drop);
    assert!(child.wait().unwrap().success());
    assert_eq!(notes.ids(), ["new 0", "new 1", "new 2", "new 3", "new 4", "theirs"]);
}

/// A program that reads the database and is the last one to close it.
#[test]
#[ignore = "the part of another process"]
fn looks_at_it() {
    let Some(home) = started_on() else { return };
    ids(&Connection::open(Notes::at(&home).path()).unwrap()).unwrap();
}

#[test]
fn closing_the_database_never_removes_a_log_that_is_in_use() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    // Closing any descriptor of a file drops all of a process's POSIX locks on it, which is what a second copy of
    // SQLite in the process does: so SQLite's own locks do not say that the database is in use.
    for beside in ["", "-shm"] {
        drop(std::fs::File::open(format!("{}{beside}", notes.path().display())).unwrap());
    }
    let (mut child, said) = start("sqlite_processes::looks_at_it", &home.root());
    said.for_each(drop);
    assert!(child.wait().unwrap().success());
    assert!(notes.log().exists(), "it took itself for the last one to close the database");
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(Notes::at(&home.root()).ids(), ["a", "b"]);
    assert_eq!(notes.ids(), ["a", "b"]);
}

/// A user without write permission.
#[test]
#[ignore = "the part of another process"]
fn reads_what_it_may_not_write() {
    let Some(home) = started_on() else { return };
    // SAFETY: a call without pointers. It fails without root.
    unsafe { libc::setuid(65_534) };
    let notes = Notes::of(&home, OLD);
    println!("ids {}", notes.ids().join(" "));
    let stars = Notes::of(&home, NEW)
        .read(|it| Ok(it.query_row("SELECT stars FROM notes WHERE id = 'a'", [], |row| row.get::<_, i64>(0))?));
    println!("stars {}", stars.unwrap().unwrap());
    println!("refused {}", notes.add(&WaitOptions::default(), "c").unwrap_err().kind().code());
}

#[test]
fn a_database_without_write_permission_is_read() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    Connection::open(notes.path()).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    notes.add(&WaitOptions::default(), "b").unwrap();
    drop(notes);
    let notes = Notes::at(&home.root());
    let set_modes = |folder: u32, file: u32| {
        let mut all = home.entries();
        all.extend(home.root().ancestors().take(3).map(Path::to_owned));
        for path in all {
            let mode = if path.is_dir() { folder } else { file };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let read = || {
        let (mut child, said) = start("sqlite_processes::reads_what_it_may_not_write", &home.root());
        let said: Vec<_> = said.map_while(Result::ok).collect();
        assert!(child.wait().unwrap().success());
        said.into_iter().filter(|line| ["ids", "stars", "refused"].iter().any(|it| line.starts_with(it))).collect()
    };
    let expected = |ids: &str| vec![format!("ids {ids}"), "stars 3".to_owned(), "refused IOError".to_owned()];
    // As it was left; as it was copied, without what SQLite makes anew; with locks that nobody may write; and without
    // log.
    for (gone, ids) in [(None, "a b"), (Some("-shm"), "a b"), (Some(".lock"), "a b"), (Some("-wal"), "a")] {
        if let Some(gone) = gone {
            std::fs::remove_file(format!("{}{gone}", notes.path().display())).unwrap();
        }
        set_modes(0o555, 0o444);
        let said: Vec<String> = read();
        // A folder may be read-only, and the file not.
        std::fs::set_permissions(notes.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
        let said_writable: Vec<String> = read();
        set_modes(0o755, 0o644);
        assert_eq!(said, expected(ids), "without {gone:?}");
        assert_eq!(said_writable, expected(ids), "without {gone:?}");
    }
}

/// A process whose files may not grow beyond a size.
#[test]
#[ignore = "the part of another process"]
fn adds_until_there_is_no_room() {
    let Some(home) = started_on() else { return };
    let notes = Notes::at(&home);
    notes.add(&WaitOptions::default(), "first").unwrap();
    let limit = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
    // SAFETY: the pointer is to a value of ours; a signal that is ignored runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
    }
    for number in 0.. {
        match notes.add(&WaitOptions::default(), &number.to_string()) {
            Ok(()) => println!("stored {number}"),
            Err(refused) => {
                println!("refused {}", refused.kind().code());
                println!("read {}", notes.ids().len());
                break;
            }
        }
    }
}

#[test]
fn without_space_a_write_is_refused_and_stored_data_remains() {
    let home = TestHome::new();
    let (mut child, said) = start("sqlite_processes::adds_until_there_is_no_room", &home.root());
    let said: Vec<_> = said.map_while(Result::ok).collect();
    assert!(child.wait().unwrap().success(), "{said:?}");
    let stored = said.iter().filter(|line| line.starts_with("stored ")).count();
    assert!(stored > 2);
    assert!(said.contains(&format!("refused {}", ErrorKind::Io.code())), "{said:?}");
    assert!(said.contains(&format!("read {}", stored + 1)), "{said:?}");
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "last").unwrap();
    assert_eq!(notes.ids().len(), stored + 2);
}
