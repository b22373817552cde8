//! `working.sqlite3` may have been made or changed by another program: no call hangs on it, loads more than it should
//! or changes it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopmem::Cancel;
use loopmem::doctor::Fault;
use loopmem::doctor::Report;
use loopmem::methods::dispatch;
use loopmem::testing::sqlite::rusqlite::Connection;
use loopmem::{CallOptions, Error, ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::at_most;

/// How long a call may take on the slowest machine, in addition to its time-out.
const SLACK: Duration = Duration::from_secs(20);
const TIMEOUT_MS: u32 = 300;

/// A home whose database another program changes.
pub(crate) struct Hostile {
    pub(crate) home: TestHome,
}

impl Hostile {
    /// A home whose database was made by loopmem.
    pub(crate) fn new() -> Self {
        let it = Hostile { home: TestHome::new() };
        let store = it.open();
        call(&store, "working.updateContext", json!({ "scopeId": "job", "patch": { "a": 1 } })).unwrap();
        call(&store, "working.addLog", json!({ "scopeId": "job", "entry": { "content": "It ran." } })).unwrap();
        drop(store);
        it.checkpoint();
        it
    }

    pub(crate) fn open(&self) -> Store {
        let options = Options::at(self.home.root()).adapter("sqlite");
        loopmem::testing::open_on(options, std::sync::Arc::new(loopmem::testing::disk::RealFs), []).unwrap()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.root().join("working").join("working.sqlite3")
    }

    pub(crate) fn beside(&self, suffix: &str) -> PathBuf {
        PathBuf::from(format!("{}{suffix}", self.path().display()))
    }

    /// Everything into the one file.
    pub(crate) fn checkpoint(&self) {
        let connection = Connection::open(self.path()).unwrap();
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(connection);
        for suffix in ["-wal", "-shm"] {
            drop(std::fs::remove_file(self.beside(suffix)));
        }
    }

    /// Runs statements as another program would.
    pub(crate) fn doctor_with(&self, sql: &str) {
        let connection = Connection::open(self.path()).unwrap();
        connection.execute_batch(sql).unwrap_or_else(|cause| panic!("{sql}: {cause}"));
        drop(connection);
        self.checkpoint();
    }

    /// Changes the schema as it is written, whatever SQLite says of it.
    pub(crate) fn rewrite_schema(&self, sql: &str) {
        let connection = Connection::open(self.path()).unwrap();
        let sql = format!("PRAGMA writable_schema = ON; BEGIN; {sql}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
        connection.execute_batch(&sql).unwrap_or_else(|cause| panic!("{cause}"));
        drop(connection);
        for suffix in ["-wal", "-shm"] {
            drop(std::fs::remove_file(self.beside(suffix)));
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }

    pub(crate) fn put(&self, bytes: &[u8]) {
        std::fs::write(self.path(), bytes).unwrap();
    }

    pub(crate) fn check(&self, fix: bool) -> Report {
        crate::look(&self.open(), fix).unwrap()
    }

    /// What a fault the doctor finds of the database and the files beside it.
    pub(crate) fn faults(&self, fix: bool) -> Vec<(String, Fault, bool)> {
        let name = |file: &str| Path::new(file).file_name().unwrap().to_string_lossy().into_owned();
        let findings = self.check(fix).findings.into_iter().map(|it| (name(&it.file), it.fault, it.repaired));
        findings.filter(|(file, ..)| file.starts_with("working.sqlite3")).collect()
    }

    /// Every call is refused within its time, with an error that names the file, and nothing is changed.
    #[track_caller]
    pub(crate) fn assert_refused(&self, what: &str) -> Vec<Error> {
        let before = (self.bytes(), self.home.entries());
        let errors: Vec<Error> = CALLS.iter().filter_map(|(method, params)| self.soon(method, params).err()).collect();
        assert_eq!(errors.len(), CALLS.len(), "{what}");
        for error in &errors {
            assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::Io), "{what}: {error:?}");
            assert!(
                error.path().is_some_and(|path| path.starts_with(self.path().parent().unwrap())),
                "{what}: {error:?}"
            );
            assert!(format!("{error:#}").contains("working.sqlite3"), "{what}: {error}");
        }
        assert!(before.0 == self.bytes(), "{what}: the file was changed");
        errors
    }

    #[track_caller]
    pub(crate) fn soon(&self, method: &str, params: &str) -> Result<Value> {
        let begun = Instant::now();
        let options = CallOptions::new().timeout(Duration::from_millis(TIMEOUT_MS.into()));
        let answer = dispatch(&self.open().with(options), method, params);
        assert!(begun.elapsed() < SLACK, "{method} took {:?}", begun.elapsed());
        answer.map(|answer| serde_json::from_str(&answer).unwrap())
    }
}

/// A call of each kind.
pub(crate) const CALLS: [(&str, &str); 6] = [
    ("working.getContext", r#"{"scopeId":"job"}"#),
    ("working.updateContext", r#"{"scopeId":"job","patch":{"b":2}}"#),
    ("working.addLog", r#"{"scopeId":"job","entry":{"content":"More."}}"#),
    ("working.getLogs", r#"{"scopeId":"job"}"#),
    ("working.listScopes", "{}"),
    ("working.deleteScope", r#"{"scopeId":"job"}"#),
];

pub(crate) fn call(store: &Store, method: &str, params: Value) -> Result<Value> {
    let answer = dispatch(store, method, &params.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

pub(crate) fn context(store: &Store) -> Value {
    call(store, "working.getContext", json!({ "scopeId": "job" })).unwrap()
}

/// Endless rows.
const NUMBERS: &str = "(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)";

#[test]
fn no_manipulated_schema_runs_code_when_the_database_is_used() {
    let view = format!("DROP TABLE value; CREATE VIEW value (key, json) AS SELECT 'job' || i, '1' FROM {NUMBERS}");
    let trigger = format!("CREATE TRIGGER t AFTER INSERT ON list BEGIN SELECT max(i) FROM {NUMBERS}; END");
    let deletes = "CREATE TRIGGER t BEFORE UPDATE ON value BEGIN DELETE FROM list; END";
    let generated = "DROP TABLE value; CREATE TABLE value (key TEXT PRIMARY KEY, source TEXT,
         json TEXT NOT NULL GENERATED ALWAYS AS (hex(zeroblob(30000000)) || hex(zeroblob(30000000))) VIRTUAL);
         INSERT INTO value (key) VALUES ('job:context')";
    let expression = "CREATE INDEX i ON list (length(hex(zeroblob(30000000))) + length(json))";
    let check = "DROP TABLE list; CREATE TABLE list (id INTEGER PRIMARY KEY, key TEXT NOT NULL,
         json TEXT NOT NULL CHECK (length(hex(zeroblob(30000000))) > 0)); CREATE INDEX list_key ON list (key, id)";
    let virtual_table = "DROP TABLE value; CREATE VIRTUAL TABLE value USING fts5(key, json)";
    let more = "CREATE TABLE more (x)";
    let affinity = "DROP TABLE value; CREATE TABLE value (key BLOB PRIMARY KEY, json TEXT NOT NULL)";
    let statistics = "PRAGMA writable_schema = ON; ANALYZE;
         UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat AS (hex(zeroblob(30000000))))'
         WHERE name = 'sqlite_stat1'";
    for sql in [&*view, &trigger, deletes, generated, expression, check, virtual_table, more, affinity, statistics] {
        let it = Hostile::new();
        it.doctor_with(sql);
        for error in it.assert_refused(sql) {
            assert_eq!(error.kind(), ErrorKind::Parse, "{sql}: {error}");
        }
        assert!(
            it.faults(false).iter().any(|(file, fault, _)| file == "working.sqlite3" && *fault == Fault::Damaged),
            "{sql}"
        );
    }
}

#[test]
fn statistics_that_another_program_made_are_left_alone() {
    let it = Hostile::new();
    it.doctor_with("ANALYZE");
    call(&it.open(), "working.updateContext", json!({ "scopeId": "job", "patch": { "b": 2 } })).unwrap();
    assert_eq!(context(&it.open()), json!({ "a": 1, "b": 2 }));
    assert!(it.faults(true).is_empty());
    let connection = Connection::open(it.path()).unwrap();
    let statistics: i64 = connection.query_row("SELECT count(*) FROM sqlite_stat1", [], |row| row.get(0)).unwrap();
    assert!(statistics > 0);
}

#[test]
fn no_schema_that_was_rewritten_in_the_file_runs_or_hangs() {
    let many: String = (0..20_000)
        .map(|number| {
            format!(
                "INSERT INTO sqlite_schema VALUES ('table', 't{number}', 't{number}', 2, 'CREATE TABLE t{number} (a)');"
            )
        })
        .collect();
    let long = "UPDATE sqlite_schema SET sql = 'CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL) -- ' ||
         hex(zeroblob(5000000)) WHERE name = 'value'";
    for sql in [
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL, x AS (randomblob(900000000)))' WHERE name = 'value'",
        "UPDATE sqlite_schema SET sql = 'nothing of SQL' WHERE name = 'value'",
        "UPDATE sqlite_schema SET sql = replace(sql, 'TEXT NOT NULL', 'TEXT NOT NULL COLLATE nosuch') WHERE name = 'list'",
        "UPDATE sqlite_schema SET name = 'value', tbl_name = 'value' WHERE name = 'list'",
        "UPDATE sqlite_schema SET type = 'view' WHERE name = 'value'",
        "UPDATE sqlite_schema SET sql = x'00ff00ff' WHERE name = 'list'",
        "DELETE FROM sqlite_schema WHERE name = 'list_key'",
        "UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'value'",
        "UPDATE sqlite_schema SET rootpage = 900000 WHERE name = 'value'",
        &many,
        long,
    ] {
        let it = Hostile::new();
        it.rewrite_schema(sql);
        let what = &sql[..sql.len().min(120)];
        let before = it.bytes();
        let begun = Instant::now();
        for (method, params) in CALLS {
            // Where the damage is not in the call's way, it may be answered.
            if let Err(error) = it.soon(method, params) {
                assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::Io), "{what}: {error:?}");
                assert!(format!("{error:#}").contains("working.sqlite3"), "{what}: {error}");
            }
        }
        assert!(begun.elapsed() < SLACK);
        assert!(it.soon(CALLS[1].0, CALLS[1].1).is_err(), "{what}");
        assert!(before == it.bytes(), "{what}: the file was changed");
        assert!(!it.faults(false).is_empty(), "{what}");
        assert!(before == it.bytes(), "{what}: the file was changed by a look");
    }
}

/// The number at `at` of a page, of two bytes.
pub(crate) fn short(page: &[u8], at: usize) -> usize {
    usize::from(page[at]) << 8 | usize::from(page[at + 1])
}

#[test]
fn cycles_of_pages_end_and_are_found() {
    let it = Hostile::new();
    let store = it.open();
    for number in 0..400 {
        let entry = json!({ "content": format!("{number} {}", "x".repeat(3000)) });
        call(&store, "working.addLog", json!({ "scopeId": "job", "entry": entry })).unwrap();
    }
    drop(store);
    it.checkpoint();
    let whole = it.bytes();
    let size = short(&whole, 16);
    let pages: Vec<usize> = (0..whole.len() / size).collect();
    let is_interior = |page: &usize| *page > 0 && matches!(whole[page * size], 2 | 5);
    let interior: Vec<usize> = pages.iter().copied().filter(is_interior).collect();
    assert!(!interior.is_empty());
    for page in interior {
        let mut bytes = whole.clone();
        let cells = short(&bytes[page * size..], 3);
        let number = u32::try_from(page + 1).unwrap().to_be_bytes();
        // Every child is the page itself.
        bytes[page * size + 8..page * size + 12].copy_from_slice(&number);
        for cell in 0..cells {
            let place = short(&bytes[page * size..], 12 + 2 * cell);
            bytes[page * size + place..page * size + place + 4].copy_from_slice(&number);
        }
        it.put(&bytes);
        for (method, params) in CALLS {
            if let Err(error) = it.soon(method, params) {
                assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::Io), "{error:?}");
                assert!(format!("{error:#}").contains("working.sqlite3"), "{error}");
            }
            for suffix in ["-wal", "-shm"] {
                drop(std::fs::remove_file(it.beside(suffix)));
            }
            it.put(&bytes);
        }
        assert!(it.faults(false).contains(&("working.sqlite3".to_owned(), Fault::Damaged, false)));
        assert!(bytes == it.bytes());
    }
    // A list of free pages that goes round.
    let it = Hostile::new();
    it.doctor_with("INSERT INTO list (key, json) SELECT 'x', hex(zeroblob(900000)); DELETE FROM list WHERE key = 'x'");
    let mut bytes = it.bytes();
    let trunk = usize::try_from(u32::from_be_bytes(bytes[32..36].try_into().unwrap())).unwrap();
    assert!(trunk > 0);
    let at = (trunk - 1) * size;
    bytes[at..at + 4].copy_from_slice(&u32::try_from(trunk).unwrap().to_be_bytes());
    bytes[at + 4..at + 8].fill(0);
    it.put(&bytes);
    let large = json!({ "scopeId": "job", "patch": { "large": "y".repeat(500_000) } }).to_string();
    drop(it.soon("working.updateContext", &large));
    assert!(it.soon("working.getContext", CALLS[0].1).is_ok());
}

#[test]
fn a_row_longer_than_loopmem_writes_is_not_loaded() {
    let it = Hostile::new();
    it.doctor_with("UPDATE value SET json = '\"' || hex(zeroblob(40000000)) || '\"'");
    it.doctor_with("INSERT INTO list (key, json) VALUES ('logs:long', hex(zeroblob(70000000)))");
    for (method, params) in [CALLS[0], CALLS[1], ("working.getLogs", r#"{"scopeId":"long"}"#)] {
        let error = it.soon(method, params).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Parse, "{error}");
        assert!(error.message().contains("longer than loopmem writes"), "{error}");
    }
    // The rows beside it are still there.
    assert!(it.soon(CALLS[3].0, CALLS[3].1).is_ok());
}

#[test]
fn a_database_of_a_terabyte_is_handled() {
    let it = Hostile::new();
    let file = std::fs::File::options().write(true).open(it.path()).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_eq!(it.soon(CALLS[0].0, CALLS[0].1).unwrap()["a"], 1);
    it.soon(CALLS[1].0, CALLS[1].1).unwrap();
    assert!(it.faults(false).iter().all(|(_, fault, _)| *fault == Fault::Damaged));
    for what in ["nothing but zeros", "a log of a terabyte"] {
        let it = Hostile::new();
        let path = if what == "nothing but zeros" { it.path() } else { it.beside("-wal") };
        drop(std::fs::remove_file(&path));
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let answer = it.soon(CALLS[0].0, CALLS[0].1);
        assert!(answer.map_or_else(|error| error.kind() == ErrorKind::Parse, |answer| answer["a"] == 1), "{what}");
        it.check(false);
    }
}

#[test]
fn a_statement_ends_when_the_time_of_the_call_is_over_or_it_is_cancelled() {
    let it = Hostile::new();
    // Many entries, which a call reads from the first to the last.
    it.doctor_with(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
         INSERT INTO list (key, json) SELECT key, json FROM n, list WHERE key LIKE '%logs%'",
    );
    let store = it.open();
    let logs = |options: &CallOptions| {
        store.with(options.clone()).working().get_logs("job", loopmem::working::Range::default()).map(drop)
    };
    let late = logs(&at_most(Duration::from_millis(1))).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Io, "{late}");
    assert!(format!("{late:#}").contains("1 ms") && late.path() == Some(&it.path()), "{late}");
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let wait = at_most(Duration::from_secs(600)).cancel(&cancel);
        let logs = scope.spawn(move || {
            let wait = wait;
            loop {
                match logs(&wait) {
                    Ok(()) => {}
                    Err(error) => return error,
                }
            }
        });
        cancel.cancel();
        assert_eq!(logs.join().unwrap().kind(), ErrorKind::Cancelled);
    });
    // The store goes on.
    assert_eq!(context(&store)["a"], 1);
}

#[test]
fn a_link_or_pipe_in_place_of_a_database_file_is_neither_followed_nor_waited_for() {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        for what in ["link", "folder", "fifo"] {
            let it = Hostile::new();
            let elsewhere = it.home.root().join("elsewhere");
            let path = it.beside(suffix);
            std::fs::write(&elsewhere, b"somebody's").unwrap();
            let database = it.bytes();
            drop(std::fs::remove_file(&path));
            match what {
                "link" => symlink(&elsewhere, &path).unwrap(),
                "folder" => std::fs::create_dir(&path).unwrap(),
                _ => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
            }
            for (method, params) in CALLS {
                let error = it.soon(method, params).unwrap_err();
                assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(&*path)), "{what} {suffix}: {error}");
            }
            let name = format!("working.sqlite3{suffix}");
            for fix in [false, true] {
                assert_eq!(it.faults(fix), [(name.clone(), Fault::NotAFile, false)], "{what} {suffix}");
            }
            assert_eq!(std::fs::read(&elsewhere).unwrap(), b"somebody's");
            assert!(suffix.is_empty() || database == it.bytes());
        }
    }
}

#[test]
fn a_journal_cannot_make_sqlite_remove_another_file() {
    let it = Hostile::new();
    let victim = it.home.root().join("victim");
    std::fs::write(&victim, b"/no/such/journal\0").unwrap();
    let name = victim.to_str().unwrap().as_bytes();
    let sum: u32 = name.iter().map(|byte| u32::from(*byte)).sum();
    let length = u32::try_from(name.len()).unwrap();
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    // No pages, a nonce, the pages before, and sizes of sectors and pages.
    for number in [0_u32, 0, u32::try_from(it.bytes().len() / 4096).unwrap(), 512, 4096] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(512, 0);
    journal.extend(0x4000_0000_u32.wrapping_div(4096).wrapping_add(1).to_be_bytes());
    journal.extend(name);
    journal.extend(length.to_be_bytes());
    journal.extend(sum.to_be_bytes());
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    std::fs::write(it.beside("-journal"), &journal).unwrap();
    it.assert_refused("a journal that names another file");
    assert!(victim.exists());
    assert!(it.faults(false).contains(&("working.sqlite3".to_owned(), Fault::Damaged, false)));
    // The rows are all there.
    assert!(it.faults(true).contains(&("working.sqlite3".to_owned(), Fault::Damaged, true)));
    assert_eq!(context(&it.open())["a"], 1);
    assert!(victim.exists() && it.beside(".damaged-journal").exists());
}
