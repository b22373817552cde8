//! Every kind of damage in the table (`operations`) is found, and the doctor repairs it without losing anything,
//! wherever its repair fails or crashes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use loopmem::Store;
use loopmem::doctor::Report;
use loopmem::doctor::{Fault, Severity};
use loopmem::testing::disk::Kind;

use crate::TestHome;
use crate::crash_fallback::with_owner;
use crate::crash_trial::{describe, hash_of, home_of, record_on, tree_of, unlocked};
use crate::doctor::{check, close, findings, snapshot};
use crate::file_systems::{Fault as Broken, Faulty, FsLimitation, Recording, TestClock};
use crate::operations::{Damage, ROOMS, View, memory, open, reopen, state_of, view_of, view_of_damaged_home, working};
use crate::simulated_disk::SimulatedDisk;

/// A damaged home, and the result of an uninterrupted repair.
struct Case {
    damage: &'static Damage,
    damaged: TestHome,
    /// What can be read of the damaged home.
    before: View,
    /// The bytes that no repair may lose.
    bytes: Option<Vec<u8>>,
    repaired: View,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Case {
    fn new(damage: &'static Damage, home: TestHome) -> Self {
        let damaged = damaged(damage, home);
        let home = damaged.copy();
        let bytes = home.read(&home.root().join(damage.file)).ok();
        // What was never stored may go.
        let is_stored = !damage.faults.iter().any(|it| matches!(it, Fault::Litter | Fault::StaleOwner));
        let bytes = bytes.filter(|_| is_stored);
        let before = without_repairs(view_of_damaged_home(&home));
        check(&reopen(&home), true);
        let repaired = without_repairs(view_of(&home).unwrap());
        Case { damage, damaged, before, bytes, repaired, files: files(&home) }
    }

    /// Nothing that was readable is lost, nor are the damaged bytes.
    fn has_lost_nothing(&self, home: &TestHome) -> Result<(), String> {
        let found = without_repairs(view_of_damaged_home(home));
        let damaged = PathBuf::from("user/home").join(self.damage.file);
        for (path, said) in self.before.iter().filter(|(path, said)| said.is_ok() && !damaged.starts_with(path)) {
            if found.get(path) != Some(said) {
                return Err(format!("{} says {:?} instead of {said:?}", path.display(), found.get(path)));
            }
        }
        for (path, said) in &found {
            let allowed = [self.before.get(path), self.repaired.get(path)];
            if said.is_ok() && !allowed.contains(&Some(said)) {
                return Err(format!("{} says {said:?}, of {allowed:#?}", path.display()));
            }
        }
        let stored = all_files(home);
        match &self.bytes {
            Some(bytes) if !is_kept(stored.values(), bytes) => Err(format!("the damaged bytes are lost: {stored:#?}")),
            _ => Ok(()),
        }
    }

    /// As [`has_lost_nothing`](Self::has_lost_nothing), and a repair through `next` leaves what one that nothing stops
    /// leaves.
    fn is_finished_by(&self, next: &Store, home: &TestHome) -> Result<(), String> {
        self.has_lost_nothing(home)?;
        let report = check(next, true);
        let found = view_of(home).map_err(|damage| format!("{damage}, after {report:#?}"))?;
        let found = without_repairs(found);
        if found != self.repaired {
            return Err(format!("the next repair leaves {found:#?}\ninstead of {:#?}", self.repaired));
        }
        let mut stored = files(home);
        for (path, bytes) in &mut stored {
            // Who was stopped between two steps may have set a tail aside twice.
            let once = self.files.get(path).filter(|_| path.extension().is_some_and(|it| it == "torn"));
            if let Some(once) = once.filter(|once| bytes.chunks(once.len()).all(|part| once.starts_with(part))) {
                bytes.clone_from(once);
            }
        }
        // Or a whole file: while it got its other name, or, of a trail, before the context spoke of the new one.
        let once: BTreeSet<_> = self.files.values().cloned().collect();
        let is_twice = |path: &Path, bytes: &Vec<u8>| {
            let name = path.to_string_lossy();
            name.contains(".damaged") && (once.contains(bytes) || name.contains("trail.jsonl"))
        };
        stored.retain(|path, bytes| self.files.contains_key(path) || !is_twice(path, bytes));
        if stored != self.files {
            return Err(format!("the next repair leaves {stored:#?}\ninstead of {:#?}", self.files));
        }
        self.has_lost_nothing(home)?;
        let left = check(&reopen(home), false);
        // An owner who did not get to write down who it is may live, for all that is known.
        let is_well = left.findings.iter().all(|it| matches!(it.fault, Fault::Quarantined | Fault::UnknownOwner));
        if is_well { Ok(()) } else { Err(format!("it is left with {left:#?}")) }
    }
}

/// An empty home, with this damage.
fn damaged(damage: &Damage, home: TestHome) -> TestHome {
    (damage.home)(&home);
    let file = home.root().join(damage.file);
    match (damage.bytes)(home.read(&file).unwrap_or_default()) {
        Some(bytes) => home.write(&file, bytes),
        None => home.fs().remove(&file).unwrap(),
    }
    close(&home);
    home
}

/// All files except lock files.
fn all_files(home: &TestHome) -> BTreeMap<PathBuf, Vec<u8>> {
    let fs = home.fs();
    let is_data = |path: &PathBuf| {
        let name = path.to_string_lossy();
        !name.contains(".lock") && !name.ends_with(".gate") && fs.stat_path(path).unwrap().kind == Kind::File
    };
    let below = |path: &Path| path.strip_prefix(home.root()).unwrap().to_owned();
    home.entries().into_iter().filter(is_data).map(|path| (below(&path), home.read(&path).unwrap())).collect()
}

/// As [`all_files`], except a trail, whose entries have different ids each time, and the context with its length.
fn files(home: &TestHome) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = all_files(home);
    files.retain(|path, _| !path.ends_with("trail.jsonl") && !path.ends_with("context.json"));
    files
}

/// Whether all of `bytes` is in one of the files, or its first lines in one and the rest in another.
fn is_kept<'f>(files: impl Iterator<Item = &'f Vec<u8>> + Clone, bytes: &[u8]) -> bool {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let holds = |part: &[u8]| files.clone().any(|file| file.starts_with(part));
    holds(bytes) || ends.into_iter().any(|end| end < bytes.len() && holds(&bytes[..end]) && holds(&bytes[end..]))
}

/// The contents of a scope without the entries that the doctor added, which an interrupted repair adds again.
fn without_repairs(view: View) -> View {
    let of = |said: String| {
        let Ok(mut scope) = serde_json::from_str::<serde_json::Value>(&said) else { return said };
        let Some(trail) = scope.get_mut("trail").and_then(serde_json::Value::as_array_mut) else { return said };
        trail.retain(|entry| entry["source"] != "doctor");
        scope.to_string()
    };
    view.into_iter().map(|(path, said)| (path, said.map(of))).collect()
}

/// A check changes nothing and reports the damage without its text; a repair changes nothing else, and afterwards there
/// are no problems. What cannot be repaired is not changed.
pub(crate) fn is_found_and_repaired(damage: &'static Damage) {
    let home = damaged(damage, TestHome::on_tmpfs());
    let (file, before) = (home.root().join(damage.file), snapshot(&home));
    let report = check(&reopen(&home), false);
    assert_eq!(snapshot(&home), before, "a look changes nothing");
    let expected: Vec<_> = damage.faults.iter().map(|fault| (file.to_str().unwrap(), *fault)).collect();
    let named = |report: &Report| -> Vec<(String, Fault)> {
        report.findings.iter().map(|it| (it.file.clone(), it.fault)).collect()
    };
    let is_expected =
        |found: &[(String, Fault)]| found.iter().map(|(file, fault)| (file.as_str(), *fault)).eq(expected.clone());
    assert!(is_expected(&named(&report)), "{report:#?}");
    assert_eq!(report.counts.errors + report.counts.warnings, damage.faults.len(), "{report:#?}");
    assert_eq!(report.counts.repaired, 0);
    let is_repairable = damage.faults.iter().all(|fault| fault.is_repairable());
    let report_of_fix = check(&reopen(&home), true);
    for report in [&report, &report_of_fix] {
        let shown = serde_json::to_string(report).unwrap();
        assert!(!shown.contains("business"), "{shown}");
    }
    if !is_repairable {
        assert_eq!(snapshot(&home), before, "it is never touched");
        assert_eq!(report_of_fix, report);
        for finding in &report.findings {
            assert_eq!((finding.severity, finding.repaired), (Severity::Error, false));
            assert!(finding.detail.contains("update loopmem"), "{finding:?}");
        }
        return;
    }
    let all: Vec<_> = named(&report)
        .iter()
        .map(|(file, fault)| (file.rsplit('/').next().unwrap().to_owned(), *fault))
        .chain(damage.besides.iter().map(|(name, fault)| ((*name).to_owned(), *fault)))
        .collect();
    let repaired = findings(&report_of_fix).into_iter().map(|(name, fault)| (name.to_owned(), fault));
    assert_eq!(repaired.collect::<Vec<_>>(), all, "{report_of_fix:#?}");
    assert!(report_of_fix.findings.iter().all(|it| it.repaired), "{report_of_fix:#?}");
    assert_eq!(report_of_fix.counts.repaired, all.len());
    // What is left is reported, and nothing else is wrong.
    for again in [check(&reopen(&home), true), check(&reopen(&home), false)] {
        assert!(again.findings.iter().all(|it| it.fault == Fault::Quarantined), "{again:?}");
        assert_eq!(again.counts.errors + again.counts.warnings + again.counts.repaired, 0);
    }
    // And every room writes again.
    for room in ROOMS {
        for operation in room.operations.iter().filter(|it| it.syncs.is_some()) {
            operation.write(&reopen(&home), "new").unwrap();
        }
    }
    view_of(&home).unwrap();
}

/// Every system call of the repair fails, one at a time; then the same process or another one finishes it.
pub(crate) fn survives_a_failure(damage: &'static Damage, home: TestHome) {
    if !damage.faults.iter().all(|fault| fault.is_repairable()) {
        return;
    }
    let case = Case::new(damage, home);
    // Another process that finds what an earlier failure left does what it did then.
    let mut finished = BTreeSet::new();
    for fault in [Broken::Stop, Broken::Errno(libc::ENOSPC), Broken::ShortWrite] {
        for nth in 1.. {
            let home = case.damaged.copy();
            let faulty = Faulty::default();
            let store = open(&home.root(), faulty.on(home.fs()));
            faulty.arm(nth, fault);
            let report = check(&store, true);
            if !faulty.disarm() {
                assert!(nth > 20, "{fault:?} struck {} times only", nth - 1);
                break;
            }
            let next = if nth % 2 == 0 { store } else { reopen(&home) };
            if nth % 2 == 1 && !finished.insert(state_of(&home)) {
                continue;
            }
            let verdict = case.is_finished_by(&next, &home);
            verdict.unwrap_or_else(|fault_| panic!("{fault:?} in call {nth}, which reported {report:#?}: {fault_}"));
        }
    }
}

/// The repair crashes between any two of its steps: with `flock`, with lock files, and with a file that cannot be
/// replaced. Whatever the crash leaves, the next repair finishes it.
pub(crate) fn survives_a_crash(damage: &'static Damage, home: TestHome) {
    if !damage.faults.iter().all(|fault| fault.is_repairable()) {
        return;
    }
    let case = Case::new(damage, home);
    for lack in [None, Some(FsLimitation::NoLocks), Some(FsLimitation::NoReplace)] {
        let recording = lack.map_or_else(Recording::default, Recording::with_limitation);
        let home = case.damaged.copy();
        let mut disk = SimulatedDisk::holding(&tree_of(&home));
        let leaping = |fs| TestClock::leaping(fs, || {});
        let steps = record_on(&home, &recording, &leaping, |store| store.doctor().fix().map(drop));
        let steps: Vec<_> = steps.iter().map(|step| with_owner(step, "started", 1)).collect();
        let mut judged = BTreeSet::new();
        for done in 0..=steps.len() {
            for state in disk.states_with_whole_renames() {
                if judged.insert(hash_of(&state)) {
                    let home = home_of(&state, case.damaged.is_real());
                    close(&home);
                    if lack == Some(FsLimitation::NoLocks) {
                        // What looks unfinished may be the work of others there, and is left alone.
                        check(&open(&home.root(), unlocked(home.fs())), true);
                    }
                    let verdict = case.is_finished_by(&reopen(&home), &home);
                    verdict.unwrap_or_else(|fault| panic!("{lack:?}: {}", describe(&fault, &steps[..done], &state)));
                }
            }
            steps.get(done).into_iter().for_each(|step| disk.apply(step));
        }
        assert!(
            judged.len() > 1 || lack == Some(FsLimitation::NoLocks),
            "{} states are too few to be all",
            judged.len()
        );
    }
}

#[test]
fn a_repair_on_the_real_file_system_loses_nothing_either() {
    let damage = &memory::a_broken_record::ROW;
    survives_a_failure(damage, TestHome::on_tmpfs());
    survives_a_crash(damage, TestHome::on_tmpfs());
}

#[test]
fn every_kind_of_damage_is_in_the_table() {
    let faults: Vec<_> = ROOMS.iter().flat_map(|room| room.damages).flat_map(|damage| damage.faults).collect();
    for fault in [
        Fault::Damaged,
        Fault::DuplicateId,
        Fault::TornTail,
        Fault::TooNew,
        Fault::Litter,
        Fault::UnfinishedCopy,
        Fault::StaleOwner,
    ] {
        assert!(faults.contains(&&fault), "{fault:?}");
    }
}

#[test]
fn a_path_that_is_not_a_regular_file_is_reported_and_never_changed() {
    for how in [
        (|path| std::fs::create_dir(path).unwrap()) as fn(&Path),
        |path| std::os::unix::fs::symlink("elsewhere", path).unwrap(),
        |path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success()),
    ] {
        for name in ["memory.json", "summaries.jsonl", "repo.json", "memory.json.lock"] {
            let home = TestHome::new();
            std::fs::create_dir_all(home.folder()).unwrap();
            is_never_touched(&home, &home.folder().join(name), how);
        }
        for name in ["context.json", "checkpoints.json", "trail.jsonl", "logs.jsonl"] {
            let home = TestHome::new();
            working::saved(&home);
            let file = home.root().join("working").join(working::SCOPE).join(name);
            std::fs::remove_file(&file).unwrap();
            is_never_touched(&home, &file, how);
        }
    }
}

fn is_never_touched(home: &TestHome, path: &Path, how: fn(&Path)) {
    how(path);
    close(home);
    let (name, before) = (path.file_name().unwrap().to_str().unwrap(), snapshot(home));
    for fix in [false, true] {
        let report = check(&reopen(home), fix);
        assert!(findings(&report).contains(&(name, Fault::NotAFile)), "{report:#?}");
        assert_eq!((report.counts.repaired, snapshot(home)), (0, before.clone()), "{report:#?}");
    }
}

#[test]
fn a_check_during_writes_reports_no_false_problems() {
    let home = TestHome::new();
    ROOMS[0].operations[0].write(&reopen(&home), "first").unwrap();
    close(&home);
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let store = reopen(&home);
            for number in 0..20 {
                for operation in ROOMS.iter().flat_map(|room| room.operations).filter(|it| it.writers == 1) {
                    operation.write(&store, &number.to_string()).unwrap();
                }
            }
        });
        let mut round = 0;
        while !writer.is_finished() || round == 0 {
            let report = check(&reopen(&home), round % 2 == 1);
            assert_eq!(report.findings, [], "round {round}");
            round += 1;
        }
    });
    view_of(&home).unwrap();
}
