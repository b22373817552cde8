//! Crashes and kills on file systems without locks: whatever is left of a lock file, the next writer acquires the lock,
//! at once if the owner is known to be dead, and removes what was left.
//!
//! After a power cut, the owner is from another boot, so its state is unknown and the writer waits. After a kill, the
//! lock file names a process that no longer exists.

use std::path::Path;
use std::time::Duration;

use loopmem::testing::disk::{Fs as _, RealFs};
use serde_json::json;

use crate::TestHome;
use crate::crash_trial::{Trial, describe};
use crate::file_systems::{FsLimitation, Recording, Step, TestClock};
use crate::operations::{Operation, memory, reopen};
use crate::simulated_disk::Tree;
use crate::torture::Rng;

/// How long the heartbeat of an unknown owner must be unchanged.
const STALE: Duration = Duration::from_millis(100);

/// The number of states that are checked after each step.
const EACH: usize = 8;

/// The lock file of a dead owner: an earlier process with the pid of this one.
pub(crate) fn dead_owner() -> String {
    let mut owner = json!(RealFs.process(std::process::id()).unwrap());
    owner["started"] = json!(1);
    owner["token"] = json!("0123456789abcdef");
    format!("{:020}\n{owner}\n", 7)
}

/// The initial homes, each without a lock file and with that of a dead owner.
pub(crate) fn survives_a_crash(operation: &'static Operation) {
    // Those who are to wait for each other do so for a lock of the system.
    for prepare in operation.homes.iter().take(3).filter(|_| operation.writers == 1) {
        for has_owner in [false, true] {
            let home = TestHome::in_memory();
            prepare(&home);
            survives_a_crash_of(operation, &home, has_owner);
        }
    }
}

fn survives_a_crash_of(operation: &'static Operation, home: &TestHome, has_owner: bool) {
    if has_owner {
        let locked = (operation.locked)(&reopen(home));
        home.create_folders(locked.parent().unwrap());
        home.write(Path::new(&format!("{}.lock.owner", locked.display())), dead_owner());
    }
    let recording = Recording::with_limitation(FsLimitation::NoLocks);
    let mut trial = Trial::on(&recording, &|fs| TestClock::leaping(fs, || {}), home, operation);
    let is_of_lock = |step: &Step| matches!(step, Step::Write(path, _) if is_owner_file(path));
    assert!(trial.steps.iter().any(is_of_lock), "{:?}", trial.steps);
    let as_found = std::mem::take(&mut trial.steps);
    trial.steps = as_found.iter().map(|step| with_owner(step, "boot", "another boot")).collect();
    trial.judge.are_locks_files = true;
    trial.run_any(EACH, &mut Rng::new(7)).unwrap_or_else(|fault| panic!("after a crash: {fault}"));
    trial.steps = as_found.iter().map(|step| with_owner(step, "started", 1)).collect();
    survives_a_kill(&trial);
}

#[test]
fn a_lock_that_is_a_file_survives_a_crash_on_the_real_file_system_too() {
    let home = TestHome::on_tmpfs();
    memory::filled(&home);
    survives_a_crash_of(&memory::an_upsert_that_changes_a_record::ROW, &home, true);
}

/// All writes are on disk, and the process that made them is gone.
fn survives_a_kill(trial: &Trial) {
    let mut disk = trial.disk.clone();
    for done in 0..=trial.steps.len() {
        let left = disk.live();
        let verdict = trial.judge.judge(&left, |_| false);
        let describe = |fault: String| describe(&fault, &trial.steps[..done], &left);
        let waited = verdict.unwrap_or_else(|fault| panic!("after a kill: {}", describe(fault)));
        assert!(waited < STALE || !are_owners_named(&left), "waited {waited:?} after {:?}", &trial.steps[..done]);
        trial.steps.get(done).into_iter().for_each(|step| disk.apply(step));
    }
}

fn is_owner_file(path: &Path) -> bool {
    path.to_string_lossy().contains(".lock.owner") && !path.to_string_lossy().contains(".seen")
}

/// Whether each lock file names its owner: a process may be killed before it has written it.
fn are_owners_named(tree: &Tree) -> bool {
    let mut owners = tree.iter().filter(|(path, _)| is_owner_file(path)).filter_map(|(_, bytes)| bytes.as_ref());
    owners.all(|bytes| bytes.ends_with(b"}\n"))
}

/// If the step writes an owner, the step with another value of one member.
pub(crate) fn with_owner(step: &Step, member: &str, value: impl Into<serde_json::Value>) -> Step {
    let Step::Write(path, bytes) = step else { return step.clone() };
    let named = std::str::from_utf8(bytes).ok().filter(|_| is_owner_file(path)).and_then(|text| text.split_once('\n'));
    let Some((beat, owner)) = named else { return step.clone() };
    let mut owner: serde_json::Value = serde_json::from_str(owner).unwrap();
    owner[member] = value.into();
    Step::Write(path.clone(), format!("{beat}\n{owner}\n").into_bytes())
}
