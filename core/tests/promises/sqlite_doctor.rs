//! The doctor checks the database of working contexts whatever adapter is configured, changes nothing without `fix`,
//! and recovers every readable row.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use loopmem::doctor::Fault;
use loopmem::testing::sqlite::rusqlite::Connection;
use loopmem::{ErrorKind, Options};
use serde_json::json;

use crate::at_most;
use crate::file_systems::{Fault as Broken, Faulty};
use crate::sqlite_hostile::{CALLS, Hostile, call, context, short};

#[test]
fn a_check_of_an_intact_database_finds_nothing_and_changes_nothing() {
    let it = Hostile::new();
    let snapshot = |it: &Hostile| {
        let files = it.home.entries().into_iter().filter(|path| path.is_file());
        files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    // Whether its last commits are in a log or not, and whatever adapter is configured.
    for with_log in [false, true] {
        if with_log {
            call(&it.open(), "working.updateContext", json!({ "scopeId": "job", "patch": { "c": 3 } })).unwrap();
            drop(std::fs::remove_file(it.beside("-shm")));
        }
        let before = snapshot(&it);
        for adapter in ["sqlite", "file", "memory"] {
            let options = Options::at(it.home.root()).adapter(adapter.to_owned());
            let store =
                loopmem::testing::open_on(options, std::sync::Arc::new(loopmem::testing::disk::RealFs), []).unwrap();
            for fix in [false, true] {
                let report = crate::look(&store, fix).unwrap();
                assert_eq!(report.findings, [], "{adapter}");
                assert!(report.counts.files > 0);
            }
        }
        assert_eq!(before, snapshot(&it));
    }
}

#[test]
fn a_damaged_database_is_kept_and_every_readable_row_is_recovered() {
    let it = Hostile::new();
    let store = it.open();
    for number in 0..300 {
        let patch = json!({ "scopeId": format!("job-{number}"), "patch": { "n": number, "text": "x".repeat(2000) } });
        call(&store, "working.updateContext", patch).unwrap();
    }
    drop(store);
    it.checkpoint();
    let whole = it.bytes();
    let size = short(&whole, 16);
    // A row that is on the page, and what is left of it.
    let pages = leaves(&whole);
    let mut damaged = whole.clone();
    let gone: Vec<usize> = [pages.len() / 3, pages.len() / 2].map(|place| pages[place]).to_vec();
    for page in &gone {
        damaged[page * size..(page + 1) * size].fill(0xff);
    }
    it.put(&damaged);
    let entries = it.home.entries();
    let report = it.check(false);
    let finding = report.findings.iter().find(|finding| finding.fault == Fault::Damaged).unwrap();
    assert!(finding.detail.contains("fix moves it aside") && !finding.repaired, "{finding:?}");
    assert_eq!((it.bytes() == damaged, it.home.entries().len()), (true, entries.len()));

    let report = it.check(true);
    let finding = report.findings.iter().find(|finding| finding.fault == Fault::Damaged).unwrap();
    assert!(
        finding.repaired && finding.detail.contains("of value and") && finding.detail.contains("of list recovered"),
        "{finding:?}"
    );
    assert!(
        finding.detail.contains("some rows could not be read") && finding.detail.contains("working.sqlite3.damaged"),
        "{finding:?}"
    );
    assert!(std::fs::read(it.beside(".damaged")).unwrap() == damaged);
    assert_eq!(std::fs::metadata(it.path()).unwrap().permissions().mode() & 0o777, 0o600);
    // All but what was on the pages, of which each has few rows.
    let store = it.open();
    let scopes = call(&store, "working.listScopes", json!({})).unwrap();
    assert!(scopes.as_array().unwrap().len() >= 290, "{}", scopes.as_array().unwrap().len());
    let is_whole = |number: &i64| {
        let context = call(&store, "working.getContext", json!({ "scopeId": format!("job-{number}") })).unwrap();
        context["n"] == *number
    };
    assert!((0..300).filter(is_whole).count() >= 290);
    call(&store, "working.updateContext", json!({ "scopeId": "job", "patch": { "more": 1 } })).unwrap();
    drop(store);
    assert_eq!(it.faults(true), [("working.sqlite3.damaged".to_owned(), Fault::Quarantined, false)]);
    // Once more gets another name.
    it.checkpoint();
    it.put(&damaged);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert!(it.beside(".damaged-2").exists());
}

/// The numbers of the leaf pages of tables.
fn leaves(bytes: &[u8]) -> Vec<usize> {
    let size = short(bytes, 16);
    (1..bytes.len() / size).filter(|page| bytes[page * size] == 13).collect()
}

#[test]
fn damage_at_both_ends_of_a_table_loses_no_row_between() {
    let it = Hostile::new();
    let store = it.open();
    for number in 0..300 {
        let entry = json!({ "id": format!("e{number}"), "content": "x".repeat(400) });
        call(&store, "working.addLog", json!({ "scopeId": "job", "entry": entry })).unwrap();
    }
    drop(store);
    it.checkpoint();
    let mut damaged = it.bytes();
    let size = short(&damaged, 16);
    let leaves = leaves(&damaged);
    let [first, .., last] = leaves[..] else { panic!("{leaves:?}") };
    for page in [first, leaves[1], last, leaves[leaves.len() - 3]] {
        damaged[page * size..(page + 1) * size].fill(0xff);
    }
    it.put(&damaged);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    let entries = call(&it.open(), "working.getLogs", json!({ "scopeId": "job" })).unwrap();
    // A page has nine of them.
    assert!(entries.as_array().unwrap().len() >= 260, "{}", entries.as_array().unwrap().len());
}

#[test]
fn an_index_that_lacks_a_row_is_found_and_the_row_recovered() {
    let it = Hostile::new();
    let mut damaged = it.bytes();
    // The key is in the table and in the index, which a read by key searches.
    let key = b"context:job";
    let places: Vec<usize> = (0..damaged.len() - key.len()).filter(|at| damaged[*at..].starts_with(key)).collect();
    let size = short(&damaged, 16);
    let in_index = places.into_iter().find(|at| damaged[at / size * size] == 10).unwrap();
    damaged[in_index + key.len() - 1] ^= 1;
    it.put(&damaged);
    assert_eq!(context(&it.open()), json!({}), "SQLite does not see it");
    assert_eq!(it.faults(false), [("working.sqlite3".to_owned(), Fault::Damaged, false)]);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert_eq!(context(&it.open())["a"], 1);
}

#[test]
fn a_check_removes_no_damaged_log_and_a_fix_keeps_it() {
    let it = Hostile::new();
    call(&it.open(), "working.updateContext", json!({ "scopeId": "job", "patch": { "late": 1 } })).unwrap();
    let mut log = std::fs::read(it.beside("-wal")).unwrap();
    log[..14].copy_from_slice(b"garbagegarbage");
    std::fs::write(it.beside("-wal"), &log).unwrap();
    assert_eq!(it.faults(false), [("working.sqlite3".to_owned(), Fault::Damaged, false)]);
    assert!(std::fs::read(it.beside("-wal")).unwrap() == log);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert!(std::fs::read(it.beside(".damaged-wal")).unwrap() == log);
    assert_eq!(context(&it.open()), json!({ "a": 1 }));
}

#[test]
fn a_log_without_its_database_is_named_and_left_alone() {
    let it = Hostile::new();
    call(&it.open(), "working.updateContext", json!({ "scopeId": "job", "patch": { "late": 1 } })).unwrap();
    let (database, log) = (it.bytes(), std::fs::read(it.beside("-wal")).unwrap());
    std::fs::remove_file(it.path()).unwrap();
    for fix in [false, true] {
        assert_eq!(it.faults(fix), [("working.sqlite3".to_owned(), Fault::Damaged, false)]);
        assert!(std::fs::read(it.beside("-wal")).unwrap() == log && !it.path().exists());
    }
    it.put(&database);
    assert_eq!(context(&it.open()), json!({ "a": 1, "late": 1 }));
}

#[test]
fn rows_that_are_only_in_the_log_are_recovered_and_the_log_is_kept() {
    let it = Hostile::new();
    let store = it.open();
    call(&store, "working.updateContext", json!({ "scopeId": "job", "patch": { "late": true } })).unwrap();
    drop(store);
    let connection = Connection::open(it.path()).unwrap();
    connection.execute_batch("CREATE TABLE more (x)").unwrap();
    let (database, log) = (it.bytes(), std::fs::read(it.beside("-wal")).unwrap());
    drop(connection);
    it.put(&database);
    std::fs::write(it.beside("-wal"), &log).unwrap();
    drop(std::fs::remove_file(it.beside("-shm")));
    it.assert_refused("a table in the log");
    let found = it.faults(true);
    assert!(found.contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)), "{found:?}");
    assert_eq!(context(&it.open()), json!({ "a": 1, "late": true }));
    assert!(std::fs::read(it.beside(".damaged")).unwrap() == database);
    assert!(std::fs::read(it.beside(".damaged-wal")).unwrap() == log);
}

#[test]
fn an_unreadable_database_is_set_aside() {
    for bytes in [b"This is no database, and it is somebody's only copy of something.".repeat(100), b"short".to_vec()] {
        let it = Hostile::new();
        it.put(&bytes);
        let entries = it.home.entries().len();
        assert_eq!(it.faults(false), [("working.sqlite3".to_owned(), Fault::Damaged, false)]);
        assert_eq!((it.bytes() == bytes, it.home.entries().len()), (true, entries));
        let found = it.faults(true);
        assert_eq!(found[0], ("working.sqlite3".to_owned(), Fault::Damaged, true), "{found:?}");
        assert!(std::fs::read(it.beside(".damaged")).unwrap() == bytes);
        assert!(!it.path().exists() && !it.beside(".recovered").exists());
        assert_eq!(context(&it.open()), json!({}));
    }
    let it = Hostile::new();
    let whole = it.bytes();
    it.put(&whole[..whole.len() / 2]);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert!(std::fs::read(it.beside(".damaged")).unwrap() == whole[..whole.len() / 2]);
    context(&it.open());
}

#[test]
fn a_row_that_is_not_json_is_found_and_kept_in_the_old_database() {
    let it = Hostile::new();
    it.doctor_with("INSERT INTO list (key, json) VALUES ('job:logs', '{\"half'), ('job:logs', x'00ff')");
    let report = it.check(false);
    let finding = report.findings.iter().find(|finding| finding.fault == Fault::Damaged).unwrap();
    assert!(finding.detail.starts_with("2 rows are invalid"), "{finding:?}");
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert_eq!(it.faults(false), [("working.sqlite3.damaged".to_owned(), Fault::Quarantined, false)]);
    assert_eq!(context(&it.open())["a"], 1);
    let old = Connection::open(it.beside(".damaged")).unwrap();
    let rows: i64 = old.query_row("SELECT count(*) FROM list WHERE key = 'job:logs'", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 2);
}

#[test]
fn a_database_of_another_program_and_a_newer_one_are_named_and_left_alone() {
    for (sql, fault) in [
        ("DROP TABLE value; DROP TABLE list; CREATE TABLE theirs (x); PRAGMA user_version = 0", Fault::Damaged),
        ("DROP TABLE value; CREATE TABLE value (x)", Fault::Damaged),
        ("PRAGMA user_version = 9", Fault::TooNew),
    ] {
        let it = Hostile::new();
        it.doctor_with(sql);
        let before = it.bytes();
        for fix in [false, true] {
            assert_eq!(it.faults(fix), [("working.sqlite3".to_owned(), fault, false)], "{sql}");
        }
        assert!(before == it.bytes(), "{sql}");
    }
}

#[test]
fn a_readable_database_is_made_private_and_a_busy_one_is_reported() {
    let it = Hostile::new();
    std::fs::set_permissions(it.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(it.faults(false), [("working.sqlite3".to_owned(), Fault::Mode, false)]);
    assert_eq!(it.faults(true), [("working.sqlite3".to_owned(), Fault::Mode, true)]);
    assert_eq!(std::fs::metadata(it.path()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(it.faults(false), []);
    let held = crate::hold(&it.path());
    let report = it.open().with(at_most(Duration::from_millis(20))).doctor().check().unwrap();
    assert!(report.findings.iter().any(|it| it.fault == Fault::Busy && it.file.contains("working.sqlite3")));
    drop(held);
    // Nor is it repaired while a program that knows nothing of the lock writes.
    it.doctor_with("CREATE TABLE more (x)");
    let other = Connection::open(it.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let found = it.faults(true);
    assert!(found.contains(&("working.sqlite3".to_owned(), Fault::Busy, false)), "{found:?}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
}

#[test]
fn an_interrupted_recovery_is_finished_and_hides_nothing_until_then() {
    let it = Hostile::new();
    let whole = it.bytes();
    // As it is between two of its steps: what was brought back waits, and the damaged database is out of its place.
    std::fs::rename(it.path(), it.beside(".recovered")).unwrap();
    std::fs::write(it.beside(".damaged"), b"damaged").unwrap();
    for (method, params) in CALLS {
        let error = it.soon(method, params).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Parse, Some(&*it.path())), "{error}");
    }
    assert!(!it.path().exists());
    assert_eq!(it.faults(false)[0], ("working.sqlite3".to_owned(), Fault::Damaged, false));
    assert_eq!(it.faults(true)[0], ("working.sqlite3".to_owned(), Fault::Damaged, true));
    assert!(it.bytes() == whole && !it.beside(".recovered").exists());
    assert_eq!(context(&it.open())["a"], 1);
}

#[test]
fn recovered_rows_do_not_replace_a_database_with_newer_writes() {
    let it = Hostile::new();
    let old = it.bytes();
    std::fs::write(it.beside(".recovered"), &old).unwrap();
    call(&it.open(), "working.updateContext", json!({ "scopeId": "job", "patch": { "a": "later" } })).unwrap();
    let left = ("working.sqlite3.recovered".to_owned(), Fault::Litter);
    assert_eq!(it.faults(false), [(left.0.clone(), left.1, false)]);
    assert_eq!(it.faults(true)[0], (left.0, left.1, true));
    assert_eq!(context(&it.open()), json!({ "a": "later" }));
    assert!(std::fs::read(it.beside(".recovered.damaged")).unwrap() == old && !it.beside(".recovered").exists());
    assert_eq!(it.faults(true), [("working.sqlite3.recovered.damaged".to_owned(), Fault::Quarantined, false)]);
}

/// SQLite's own system calls are not among those that stop; what it does is one transaction.
#[test]
fn a_recovery_interrupted_at_any_call_loses_nothing_and_the_next_one_finishes_it() {
    let damaged = Hostile::new();
    damaged.doctor_with("INSERT INTO list (key, json) VALUES ('job:logs', '{\"half')");
    let bytes = damaged.bytes();
    for nth in 1.. {
        let it = Hostile::new();
        it.put(&bytes);
        let faulty = Faulty::default();
        let options = Options::at(it.home.root()).adapter("sqlite");
        let store = loopmem::testing::open_on(options, faulty.fs(), []).unwrap();
        faulty.arm(nth, Broken::Stop);
        let report = crate::look(&store, true).unwrap();
        let has_struck = faulty.disarm();
        let at = format!("call {nth}, {report:#?}");
        let is_kept = || {
            let files = it.home.entries().into_iter().filter(|path| path.is_file());
            files.into_iter().any(|path| std::fs::read(path).unwrap() == bytes)
        };
        assert!(is_kept(), "{at}");
        if nth % 2 == 0 {
            crate::look(&store, true).unwrap();
        }
        drop(store);
        it.check(true);
        assert!(
            it.faults(false).iter().all(|(_, fault, _)| *fault == Fault::Quarantined),
            "{at}: {:?}",
            it.faults(false)
        );
        assert_eq!(context(&it.open()), json!({ "a": 1 }), "{at}");
        let log = call(&it.open(), "working.getLogs", json!({ "scopeId": "job" })).unwrap();
        assert_eq!(log.as_array().unwrap().len(), 1, "{at}");
        assert!(is_kept(), "{at}");
        if !has_struck {
            assert!(nth > 30, "{nth}");
            break;
        }
    }
}
