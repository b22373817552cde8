//! A database keeps acknowledged writes, reads what it can, and does not change what belongs to other programs.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use loopmem::testing::disk::{Cancel, Disk, RealFs, WaitOptions};
use loopmem::testing::sqlite::rusqlite::{self, Connection, Transaction};
use loopmem::testing::sqlite::{Database, Failure};
use loopmem::{Error, ErrorKind, Result};

use crate::locks::{FOREVER, waiting};
use crate::{TestHome, hold};

const FIRST: &str = "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT";
const SECOND: &str = "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 3";
pub(crate) const OLD: &[&str] = &[FIRST];
pub(crate) const NEW: &[&str] = &[FIRST, SECOND];

/// A database of notes, as one process or one binding has it.
pub(crate) struct Notes {
    pub(crate) disk: Disk,
    pub(crate) database: Database,
}

impl Notes {
    pub(crate) fn at(root: &Path) -> Notes {
        Notes::of(root, OLD)
    }

    pub(crate) fn of(root: &Path, migrations: &'static [&'static str]) -> Notes {
        Notes {
            disk: Disk::new(Arc::new(RealFs), root),
            database: Database::new(root.join("repos").join("notes.db"), FOREVER, migrations),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.database.path()
    }

    pub(crate) fn log(&self) -> PathBuf {
        PathBuf::from(format!("{}-wal", self.path().display()))
    }

    pub(crate) fn add(&self, wait: &WaitOptions, id: &str) -> Result<()> {
        self.database.write(&self.disk, wait, |transaction| add(transaction, id))
    }

    pub(crate) fn read<T>(&self, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<Option<T>> {
        self.database.read(&self.disk, &WaitOptions::default(), body)
    }

    /// The ids of the notes in order; none if nothing was written.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.read(|connection| ids(connection).map_err(Failure::from)).unwrap().unwrap_or_default()
    }

    /// The bytes of the file and of its log.
    fn bytes(&self) -> (Vec<u8>, Option<Vec<u8>>) {
        (std::fs::read(self.path()).unwrap(), std::fs::read(self.log()).ok())
    }

    fn put(&self, bytes: &[u8]) {
        std::fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        std::fs::write(self.path(), bytes).unwrap();
    }

    /// A database that a program made that knows nothing of loopmem.
    fn put_foreign(&self, sql: &str) {
        std::fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        Connection::open(self.path()).unwrap().execute_batch(sql).unwrap();
    }

    /// What both a read and a write come to.
    fn refusals(&self) -> [Error; 2] {
        [self.read(|_| Ok(())).unwrap_err(), self.add(&WaitOptions::default(), "more").unwrap_err()]
    }
}

pub(crate) fn add(transaction: &Transaction<'_>, id: &str) -> Result<(), Failure> {
    transaction.prepare_cached("INSERT INTO notes (id, text) VALUES (?1, 'It ran.')")?.execute([id])?;
    Ok(())
}

pub(crate) fn ids(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare_cached("SELECT id FROM notes ORDER BY rowid")?.query_map([], |row| row.get(0))?.collect()
}

pub(crate) fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

#[test]
fn written_data_is_found_when_the_file_is_opened_again() {
    let home = TestHome::new();
    Notes::at(&home.root()).add(&WaitOptions::default(), "a").unwrap();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(Notes::at(&home.root()).ids(), ["a", "b"]);
    for path in home.entries().into_iter().filter(|path| path.is_file()) {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn a_commit_waits_for_the_disk() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    let mode = |connection: &Connection| -> rusqlite::Result<(i64, String)> {
        let synchronous = connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
        Ok((synchronous, connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?))
    };
    // 3 is EXTRA.
    let expected = (3, "wal".to_owned());
    assert_eq!(notes.database.write(&notes.disk, &WaitOptions::default(), |it| Ok(mode(it)?)).unwrap(), expected);
    drop(notes);
    assert_eq!(Notes::at(&home.root()).read(|it| Ok(mode(it)?)).unwrap().unwrap(), expected);
}

#[test]
fn what_a_crashed_writer_left_is_made_durable_by_the_next() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let in_file_alone = || {
        let copy = home.root().join("copy.db");
        std::fs::copy(notes.path(), &copy).unwrap();
        ids(&Connection::open(copy).unwrap()).is_ok_and(|ids| ids == ["a"])
    };
    notes.database.write(&notes.disk, &WaitOptions::default(), |_| Ok(())).unwrap();
    assert!(!in_file_alone());
    // The note of a holder that was killed.
    let lock = format!("{}.lock", notes.path().display());
    std::fs::write(lock, format!("{:<63}\n", "pid 1 since 2026-01-01T00:00:00.000Z")).unwrap();
    notes.database.write(&notes.disk, &WaitOptions::default(), |_| Ok(())).unwrap();
    assert!(in_file_alone());
}

#[test]
fn a_read_creates_nothing() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    assert_eq!(notes.read(|_| Ok(())).unwrap(), None);
    assert_eq!(home.entries(), [] as [PathBuf; 0]);
    assert!(!home.root().exists());
    // Nor does it make anything of a file that was just created.
    notes.put(b"");
    assert_eq!(notes.read(|_| Ok(())).unwrap(), None);
    assert_eq!(notes.bytes(), (Vec::new(), None));
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let refused = notes.database.write(&notes.disk, &WaitOptions::default(), |transaction| {
        add(transaction, "b")?;
        Err::<(), _>(Error::validation("no").into())
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Validation);
    let wait = WaitOptions::default();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        notes.database.write(&notes.disk, &wait, |transaction| -> Result<(), Failure> {
            add(transaction, "b")?;
            panic!("in the middle");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(notes.ids(), ["a"]);
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(notes.ids(), ["a", "b"]);
}

#[test]
fn threads_with_separate_handles_lose_nothing() {
    let home = TestHome::new();
    let databases = [Notes::at(&home.root()), Notes::at(&home.root())];
    thread::scope(|scope| {
        for number in 0..8 {
            let notes = &databases[number % 2];
            scope.spawn(move || {
                for write in 0..25 {
                    notes.add(&WaitOptions::default(), &format!("{number}-{write:02}")).unwrap();
                    let own = notes.ids().into_iter().filter(|id| id.starts_with(&format!("{number}-"))).count();
                    assert_eq!(own, write + 1);
                }
            });
        }
    });
    let expected: Vec<_> = (0..8).flat_map(|number| (0..25).map(move |write| format!("{number}-{write:02}"))).collect();
    assert_eq!(sorted(databases[0].ids()), expected);
}

#[test]
fn a_damaged_file_is_a_parse_error_and_no_byte_is_changed() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes
        .database
        .write(&notes.disk, &WaitOptions::default(), |transaction| {
            for number in 0..2_000 {
                add(transaction, &format!("{number}-{}", "x".repeat(100)))?;
            }
            Ok(())
        })
        .unwrap();
    drop(notes);
    let notes = Notes::at(&home.root());
    // All of it into the one file.
    Connection::open(notes.path()).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let (whole, _) = notes.bytes();
    let mut overwritten = whole.clone();
    overwritten[4_096..].fill(0xff);
    let mut cut = whole.clone();
    cut.truncate(whole.len() / 2);
    let text = b"This is no database, and it is somebody's only copy of something.".repeat(100);
    for damaged in [overwritten, cut, text, b"short".to_vec()] {
        for beside in ["-wal", "-shm"] {
            drop(std::fs::remove_file(format!("{}{beside}", notes.path().display())));
        }
        notes.put(&damaged);
        let read = notes.read(|connection| Ok(ids(connection)?)).unwrap_err();
        for refused in [read, notes.add(&WaitOptions::default(), "more").unwrap_err()] {
            assert_eq!(refused.kind(), ErrorKind::Parse, "{refused}");
            assert_eq!(refused.path(), Some(notes.path()));
        }
        assert!(notes.bytes().0 == damaged, "{} bytes were changed", damaged.len());
    }
}

#[test]
fn a_newer_version_is_refused_and_nothing_is_changed() {
    let home = TestHome::new();
    Notes::of(&home.root(), NEW).add(&WaitOptions::default(), "a").unwrap();
    let notes = Notes::at(&home.root());
    let before = notes.bytes();
    for refused in notes.refusals() {
        assert_eq!(refused.kind(), ErrorKind::FormatTooNew);
        assert!(refused.message().contains("user_version is 2, but this loopmem reads up to 1"), "{refused}");
    }
    assert_eq!(notes.bytes(), before);
}

#[test]
fn an_older_version_is_read_unchanged_and_upgraded_by_the_first_write() {
    let home = TestHome::new();
    Notes::at(&home.root()).add(&WaitOptions::default(), "a").unwrap();
    let notes = Notes::of(&home.root(), NEW);
    let before = notes.bytes();
    let stars = || notes.read(|it| Ok(it.query_row("SELECT stars FROM notes WHERE id = 'a'", [], |row| row.get(0))?));
    assert_eq!(stars().unwrap(), Some(3));
    assert_eq!(notes.bytes(), before);
    assert_eq!(Notes::at(&home.root()).ids(), ["a"]);
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(stars().unwrap(), Some(3));
    assert_eq!(Notes::at(&home.root()).refusals().map(|refused| refused.kind()), [ErrorKind::FormatTooNew; 2]);
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.put_foreign("CREATE TABLE notes (theirs)");
    let before = notes.bytes();
    assert_eq!(notes.refusals().map(|refused| refused.kind()), [ErrorKind::Parse; 2]);
    assert_eq!(notes.bytes(), before);
    std::fs::remove_file(notes.path()).unwrap();
    symlink(home.root(), notes.path()).unwrap();
    assert_eq!(notes.refusals().map(|refused| refused.kind()), [ErrorKind::Io; 2]);
}

#[test]
fn an_error_contains_no_value() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "walnut").unwrap();
    let twice = notes.add(&WaitOptions::default(), "walnut").unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::Internal);
    let json = notes.read(|it| Ok(it.query_row("SELECT json_extract('{}', ?1)", ["walnut"], |_| Ok(()))?)).unwrap_err();
    assert_eq!(json.kind(), ErrorKind::Internal);
    let number =
        |it: &Connection| -> rusqlite::Result<i64> { it.query_row("SELECT id FROM notes", [], |row| row.get(0)) };
    let no_number = notes.read(|it| Ok(number(it)?)).unwrap_err();
    assert_eq!(no_number.kind(), ErrorKind::Parse);
    for error in [twice, json, no_number] {
        assert!(!error.to_json().contains("walnut"), "{error}");
        assert_eq!(error.path(), Some(notes.path()));
    }
    assert_eq!(notes.ids(), ["walnut"]);
}

#[test]
fn a_wait_ends_when_it_is_cancelled_and_when_its_time_is_over() {
    let home = TestHome::new();
    let notes = Arc::new(Notes::at(&home.root()));
    notes.add(&WaitOptions::default(), "a").unwrap();
    let held = hold(notes.path());
    for is_write in [false, true] {
        let call = |notes: &Notes, wait: &WaitOptions| match is_write {
            false => notes.database.read(&notes.disk, wait, |_| Ok(())).map(drop),
            true => notes.add(wait, "b"),
        };
        let late = call(&notes, &WaitOptions::at_most(Duration::from_millis(13))).unwrap_err();
        assert_eq!(late.kind(), ErrorKind::LockAcquisition);
        assert!(late.message().contains("within 13 ms"), "{late}");
        let (cancel, asks) = waiting();
        let wait = WaitOptions::new(None, cancel.clone());
        thread::scope(|scope| {
            let waited = scope.spawn(|| call(&notes, &{ wait }));
            asks.recv().unwrap();
            cancel.cancel();
            assert_eq!(waited.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        });
    }
    drop(held);
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(notes.add(&WaitOptions::new(None, cancel), "b").unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(notes.ids(), ["a"]);
}

#[test]
fn the_wait_for_a_program_that_ignores_the_lock_is_limited() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let other = Connection::open(notes.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for wait in [WaitOptions::at_most(Duration::from_millis(20)), WaitOptions::default()] {
        let busy = notes.add(&wait, "b").unwrap_err();
        assert_eq!(busy.kind(), ErrorKind::LockAcquisition);
        assert!(busy.retryable());
    }
    assert_eq!(notes.ids(), ["a"]);
    other.execute_batch("ROLLBACK").unwrap();
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(notes.ids(), ["a", "b"]);
}

#[test]
fn a_commit_to_a_removed_log_is_not_acknowledged() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let lost = notes.database.write(&notes.disk, &WaitOptions::default(), |transaction| {
        std::fs::remove_file(notes.log()).unwrap();
        add(transaction, "b")
    });
    let lost = lost.unwrap_err();
    assert!(lost.kind() == ErrorKind::Io && lost.may_be_stored(), "{lost}");
    notes.add(&WaitOptions::default(), "c").unwrap();
    assert!(notes.ids().contains(&"c".to_owned()));
}

#[test]
fn a_truncated_index_of_the_log_is_rebuilt() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let index = format!("{}-shm", notes.path().display());
    let cut = || std::fs::File::options().write(true).open(&index).unwrap().set_len(0).unwrap();
    cut();
    assert_eq!(notes.ids(), ["a"]);
    cut();
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(notes.ids(), ["a", "b"]);
}

#[test]
fn a_log_whose_beginning_is_damaged_is_not_mistaken_for_an_empty_one() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    let whole = std::fs::read(notes.log()).unwrap();
    for place in 0..32 {
        let mut log = whole.clone();
        log[place] ^= 0x20;
        std::fs::write(notes.log(), &log).unwrap();
        // The process that has it open goes on; any other is refused.
        let other = Database::new(home.root().join("repos").join("../repos/notes.db"), FOREVER, OLD);
        for refused in [
            other.read(&notes.disk, &WaitOptions::default(), |_| Ok(())).unwrap_err(),
            other.write(&notes.disk, &WaitOptions::default(), |transaction| add(transaction, "b")).unwrap_err(),
        ] {
            assert_eq!(refused.kind(), ErrorKind::Parse, "{place}: {refused}");
        }
        assert!(std::fs::read(notes.log()).unwrap() == log, "{place}");
    }
    std::fs::write(notes.log(), &whole).unwrap();
    assert_eq!(notes.ids(), ["a"]);
}

/// SQLite takes a log to end before its first damaged frame. What follows was acknowledged, unless it is the last transaction.
#[test]
fn a_damaged_frame_of_a_log_does_not_hide_the_ones_after_it() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    for id in ["a", "b", "c", "d"] {
        notes.add(&WaitOptions::default(), id).unwrap();
    }
    let whole = std::fs::read(notes.log()).unwrap();
    let frame = 24 + u32::from_be_bytes(whole[8..12].try_into().unwrap()) as usize;
    let is_commit = |at: usize| whole[at + 4..at + 8] != [0; 4];
    let frames: Vec<usize> = (32..whole.len() - frame + 1).step_by(frame).collect();
    // If the mark of the commit before the last one is damaged, this looks like an interrupted write.
    let known = *frames.iter().rev().skip(1).find(|at| is_commit(**at)).unwrap();
    let last = known + frame;
    let others = || Database::new(home.root().join("repos").join("../repos/notes.db"), FOREVER, OLD);
    for place in frames.iter().flat_map(|at| [0, 4, 8, 16, 24, frame - 1].map(|offset| at + offset)) {
        let mut log = whole.clone();
        log[place] ^= 0x04;
        std::fs::write(notes.log(), &log).unwrap();
        let read = others().read(&notes.disk, &WaitOptions::default(), |_| Ok(()));
        if place < known {
            assert_eq!(read.unwrap_err().kind(), ErrorKind::Parse, "{place} of {}", whole.len());
            assert!(std::fs::read(notes.log()).unwrap() == log, "{place}");
        }
    }
    // A transaction that a power failure interrupted is no damage.
    for end in (last..whole.len()).step_by(frame / 3) {
        std::fs::write(notes.log(), &whole[..end]).unwrap();
        others().read(&notes.disk, &WaitOptions::default(), |_| Ok(())).unwrap();
    }
}

#[test]
fn a_file_that_was_removed_or_replaced_is_opened_again() {
    let home = TestHome::new();
    let notes = Notes::at(&home.root());
    notes.add(&WaitOptions::default(), "a").unwrap();
    // The log, which holds all of it, waits for its database.
    let (away, log) = (home.root().join("away"), std::fs::read(notes.log()).unwrap());
    std::fs::rename(notes.path(), &away).unwrap();
    for is_empty in [false, true] {
        if is_empty {
            notes.put(b"");
        }
        for refused in notes.refusals() {
            assert_eq!(refused.kind(), ErrorKind::Parse);
            assert!(refused.message().contains("its log, which contains stored data"), "{refused}");
        }
        assert!(std::fs::read(notes.log()).unwrap() == log);
    }
    std::fs::rename(&away, notes.path()).unwrap();
    assert_eq!(notes.ids(), ["a"]);
    std::fs::remove_file(notes.path()).unwrap();
    std::fs::remove_file(notes.log()).unwrap();
    assert_eq!(notes.read(|_| Ok(())).unwrap(), None);
    notes.add(&WaitOptions::default(), "b").unwrap();
    assert_eq!(notes.ids(), ["b"]);

    let other = TestHome::new();
    let others = Notes::at(&other.root());
    others.add(&WaitOptions::default(), "c").unwrap();
    drop(others);
    for beside in ["", "-wal", "-shm"] {
        let name = format!("notes.db{beside}");
        std::fs::rename(other.root().join("repos").join(&name), home.root().join("repos").join(&name)).unwrap();
    }
    assert_eq!(notes.ids(), ["c"]);
    notes.add(&WaitOptions::default(), "d").unwrap();
    assert_eq!(Notes::at(&home.root()).ids(), ["c", "d"]);
}
