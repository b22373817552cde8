//! No failure of a system call leaves half a write: every call of every kind of write is broken, one at a time, and from
//! one call on; then the cause goes away and the same process goes on.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use loopmem::RepoHash;
use loopmem::methods::dispatch;
use loopmem::summary::Filter;
use loopmem::testing::disk::{Fault, Faulty, Fs, FsLimitation, RealFs};
use loopmem::{ErrorKind, Options, Result, Store};
use serde_json::{Value, json};

use crate::test_clock::TestClock;
use crate::{TestHome, append, faults_working, repo, upsert};

const FAULTS: [Fault; 11] = [
    Fault::Errno(libc::ENOSPC),
    Fault::Errno(libc::EIO),
    Fault::Errno(libc::EINTR),
    Fault::Errno(libc::EXDEV),
    Fault::Errno(libc::EBUSY),
    Fault::Errno(libc::ENOLCK),
    Fault::Errno(libc::EOPNOTSUPP),
    Fault::ShortWrite,
    Fault::Stop,
    Fault::DiskFull,
    Fault::SyncsFail,
];
/// A last line that a power cut left.
const TORN: &str = r#"{"runId":"run","stepId":"to"#;

/// The folder whose memory is written by its name.
static WORKSPACE: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

pub(crate) fn open(home: &TestHome, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(home.root())
        .adapter("file")
        .summaries_max_entries(2)
        .checkpoints_max_entries(2)
        .lock_stale_after(std::time::Duration::from_millis(1_000));
    loopmem::testing::open_on(options, fs, []).unwrap()
}

fn other() -> RepoHash {
    RepoHash::parse(&"0a".repeat(32)).unwrap()
}

fn workspace() -> RepoHash {
    let identity = Store::open(Options::at("/nowhere")).unwrap().repos().identify(WORKSPACE.path());
    identity.unwrap().repo_hash
}

fn call(store: &Store, method: &str, params: &Value) -> Result<()> {
    dispatch(store, method, &params.to_string()).map(drop)
}

/// Everything that is stored, as text.
fn state(store: &Store) -> Vec<String> {
    let mut state = Vec::new();
    for (name, repo) in [("", repo()), ("other ", other()), ("workspace ", workspace())] {
        let memory = store.repo_at(&repo).memory().get().unwrap();
        let summaries = store.repo_at(&repo).summaries().list(Filter::default()).unwrap();
        let conventions = memory.conventions().unwrap();
        state.extend(conventions.iter().map(|it| format!("{name}{}: {}", it.id, it.content)));
        state.extend(memory.notes().unwrap().iter().map(|it| format!("{name}{}: {}", it.id, it.content)));
        state.extend(summaries.iter().rev().map(|it| format!("{name}{}", it.step_id)));
    }
    state.extend(faults_working::state(store));
    state
}

/// A kind of write, and what it is to leave.
pub(crate) struct Case {
    pub(crate) prepare: fn(&TestHome),
    pub(crate) write: fn(&Store) -> Result<()>,
    pub(crate) new: &'static [&'static str],
    /// What the same write makes of the new state.
    pub(crate) again: &'static [&'static str],
    /// States between the old and the new one, of a write of several files.
    pub(crate) between: &'static [&'static [&'static str]],
    /// What else must hold in the end.
    pub(crate) after: fn(&TestHome),
    /// What the file system cannot do besides.
    pub(crate) lack: Option<FsLimitation>,
}

impl Case {
    pub(crate) fn new(prepare: fn(&TestHome), write: fn(&Store) -> Result<()>, new: &'static [&'static str]) -> Self {
        Case { prepare, write, new, again: new, between: &[], after: |_| {}, lack: None }
    }

    /// Breaks the nth call for every n, in every way. An error leaves the old state, or says that it may have left the new
    /// one; `Ok` means the new one; and afterwards everything works.
    pub(crate) fn break_every_call(&self) {
        for fault in FAULTS {
            for nth in 1.. {
                let home = TestHome::in_memory();
                (self.prepare)(&home);
                let old = state(&open(&home, Arc::new(RealFs)));
                assert_ne!(old, self.new);
                let faulty = self.lack.map_or_else(Faulty::default, Faulty::with_limitation);
                // An owner file that was made and could be neither written nor removed is waited for.
                let store = open(&home, TestClock::leaping(faulty.fs(), || {}));
                faulty.arm(nth, fault);
                let outcome = (self.write)(&store);
                if !faulty.disarm() {
                    outcome.unwrap();
                    assert!(nth > 8, "{fault:?} struck {} times only", nth - 1);
                    break;
                }
                let at = format!("{fault:?} in call {nth}, which returned {outcome:?}");
                let found = state(&open(&home, Arc::new(RealFs)));
                let is_old = found == old || self.between.iter().any(|it| found == *it);
                assert!(found == self.new || (outcome.is_err() && is_old), "{at}, left {found:?} behind");
                let is_told = outcome.as_ref().map_or_else(loopmem::Error::may_be_stored, |()| true);
                assert!(found == old || is_told, "{at}, left {found:?} behind and does not say so");
                // The same process goes on: it cleans up, it works, and it knows what is stored.
                (self.write)(&store).unwrap_or_else(|failed| panic!("{at}, and then: {failed:?}"));
                home.assert_no_litter();
                let then = state(&open(&home, Arc::new(RealFs)));
                assert_eq!(then, if found == self.new { self.again } else { self.new }, "{at}, and then");
                assert_eq!(state(&store), then, "{at}");
                (self.after)(&home);
            }
        }
    }
}

fn nothing(_: &TestHome) {}

fn filled(home: &TestHome) {
    let store = open(home, Arc::new(RealFs));
    for (id, content) in [("a", "old"), ("b", "another")] {
        upsert(&store, id, content).unwrap();
    }
    append(&store, "first").unwrap();
}

fn full(home: &TestHome) {
    filled(home);
    append(&open(home, Arc::new(RealFs)), "second").unwrap();
}

/// A writer died while it copied both files over: what they say stands beside them.
fn half_copied(home: &TestHome) {
    filled(home);
    for file in [home.memory(), home.summaries()] {
        let whole = std::fs::read(&file).unwrap();
        home.put(Path::new(&format!("{}.copying", file.display())), &whole);
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    }
}

fn torn(home: &TestHome) {
    filled(home);
    let whole = std::fs::read_to_string(home.summaries()).unwrap();
    home.put(&home.summaries(), whole + TORN);
}

#[test]
fn an_upsert_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let write = |store: &Store| upsert(store, "a", "new");
    Case::new(filled, write, &["a: new", "b: another", "first"]).break_every_call();
}

#[test]
fn a_removal_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let write = |store: &Store| store.repo_at(&repo()).memory().remove("a").map(drop);
    Case::new(filled, write, &["b: another", "first"]).break_every_call();
}

#[test]
fn an_append_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let write = |store: &Store| append(store, "new");
    let new = &["a: old", "b: another", "first", "new"];
    Case { again: &["a: old", "b: another", "new", "new"], ..Case::new(filled, write, new) }.break_every_call();
}

#[test]
fn an_append_at_the_limit_that_fails_anywhere_leaves_all_old_lines_or_the_pruned_ones() {
    let write = |store: &Store| append(store, "new");
    let new = &["a: old", "b: another", "second", "new"];
    Case { again: &["a: old", "b: another", "new", "new"], ..Case::new(full, write, new) }.break_every_call();
}

#[test]
fn a_first_write_that_fails_anywhere_leaves_nothing_or_the_record() {
    Case::new(nothing, |store| upsert(store, "a", "new"), &["a: new"]).break_every_call();
    let write = |store: &Store| append(store, "first");
    Case { again: &["first", "first"], ..Case::new(nothing, write, &["first"]) }.break_every_call();
}

#[test]
fn a_first_write_by_workspace_that_fails_anywhere_leaves_nothing_or_the_record_and_the_next_one_tells_its_name() {
    let write = |store: &Store| {
        let note = json!({ "workspace": WORKSPACE.path(), "note": { "id": "a", "content": "new" } });
        call(store, "memory.upsertNote", &note)
    };
    let after = |home: &TestHome| {
        let told = std::fs::read_to_string(home.root().join("repos").join(workspace().as_str()).join("repo.json"));
        let told: Value = serde_json::from_str(&told.unwrap()).unwrap();
        assert_eq!(told["path"], json!(WORKSPACE.path().canonicalize().unwrap()));
    };
    Case { after, ..Case::new(nothing, write, &["workspace a: new"]) }.break_every_call();
}

#[test]
fn a_migration_that_fails_anywhere_leaves_each_of_its_files_old_or_new() {
    let write = |store: &Store| call(store, "repo.migrate", &json!({ "fromRepoHash": repo(), "toRepoHash": other() }));
    let new = &["a: old", "b: another", "first", "other a: old", "other b: another", "other first"];
    let between: &[&[&str]] = &[&["a: old", "b: another", "first", "other a: old", "other b: another"]];
    Case { between, ..Case::new(filled, write, new) }.break_every_call();
}

#[test]
fn an_append_behind_a_torn_line_that_fails_anywhere_loses_neither_lines_nor_the_torn_bytes() {
    let write = |store: &Store| append(store, "new");
    let after = |home: &TestHome| {
        let aside = std::fs::read_to_string(format!("{}.torn", home.summaries().display())).unwrap();
        assert!(aside.contains(TORN), "{aside}");
    };
    let new = &["a: old", "b: another", "first", "new"];
    let again = &["a: old", "b: another", "new", "new"];
    Case { again, after, ..Case::new(torn, write, new) }.break_every_call();
}

/// A sync that failed may have dropped what it should have written, and the next one on the same file says nothing of it.
#[test]
fn nothing_is_appended_to_a_file_whose_sync_failed() {
    let mut failed_syncs = 0;
    for nth in 1.. {
        let home = TestHome::in_memory();
        filled(&home);
        let faulty = Faulty::default();
        let store = crate::open(&home.root(), faulty.fs());
        faulty.arm(nth, Fault::SyncsFail);
        let outcome = append(&store, "second");
        let has_struck = faulty.disarm();
        if outcome.is_err() && crate::steps(&store).len() == 2 {
            failed_syncs += 1;
            let inode = || std::fs::metadata(home.summaries()).unwrap().ino();
            let untrusted = inode();
            // Whoever comes next.
            append(&home.open(), "third").unwrap();
            assert_ne!(inode(), untrusted);
            assert_eq!(crate::steps(&store), ["first", "second", "third"]);
            let replaced = inode();
            append(&store, "fourth").unwrap();
            assert_eq!(inode(), replaced, "once is enough");
        }
        if !has_struck {
            break;
        }
    }
    assert!(failed_syncs > 0, "no sync failed");
}

#[test]
fn with_strong_atomicity_a_rename_across_devices_is_a_rename_error_and_the_old_file_stands() {
    let mut refused = 0;
    for nth in 1.. {
        let home = TestHome::in_memory();
        filled(&home);
        let old = std::fs::read(home.memory()).unwrap();
        let faulty = Faulty::default();
        let options = Options::at(home.root()).strong_atomicity(true);
        let store = loopmem::testing::open_on(options, faulty.fs(), []).unwrap();
        faulty.arm(nth, Fault::Errno(libc::EXDEV));
        let outcome = upsert(&store, "a", "new");
        if !faulty.disarm() {
            break;
        }
        if let Err(failed) = outcome
            && failed.kind() == ErrorKind::Rename
        {
            refused += 1;
            assert_eq!(failed.path(), Some(&*home.memory()));
            assert_eq!(std::fs::read(home.memory()).unwrap(), old);
            home.assert_no_litter();
        }
    }
    assert_eq!(refused, 1, "an upsert renames once");
}

#[test]
fn a_write_behind_a_copy_that_was_not_finished_loses_nothing_of_it_wherever_it_fails() {
    let append_new = |store: &Store| append(store, "new");
    let new = &["a: old", "b: another", "first", "new"];
    let again = &["a: old", "b: another", "new", "new"];
    Case { again, ..Case::new(half_copied, append_new, new) }.break_every_call();
    let upsert_new = |store: &Store| upsert(store, "a", "new");
    Case::new(half_copied, upsert_new, &["a: new", "b: another", "first"]).break_every_call();
}

/// Writes of every kind of file, on a file system that lacks something.
fn break_every_call_without(lack: FsLimitation) {
    let upsert = |store: &Store| upsert(store, "a", "new");
    let append = |store: &Store| append(store, "new");
    let pruned = &["a: old", "b: another", "second", "new"];
    let again = &["a: old", "b: another", "new", "new"];
    for case in [
        Case::new(filled, upsert, &["a: new", "b: another", "first"]),
        Case { again, ..Case::new(filled, append, &["a: old", "b: another", "first", "new"]) },
        Case { again, ..Case::new(full, append, pruned) },
    ] {
        Case { lack: Some(lack), ..case }.break_every_call();
    }
}

#[test]
fn a_write_without_flock_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    break_every_call_without(FsLimitation::NoLocks);
}

#[test]
fn a_write_over_a_file_that_cannot_be_replaced_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    break_every_call_without(FsLimitation::NoReplace);
}
