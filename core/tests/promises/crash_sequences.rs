//! Crashes that follow other failures: a power cut after a kill -9, a crash in the write that cleans up after a crash,
//! and a crash during several operations; then random sequences of these.
//!
//! A killed process loses nothing that it wrote, but what it did not sync is not durable: so its steps are replayed up
//! to the kill, and the next process works on the resulting tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use loopmem::testing::disk::Open;

use crate::TestHome;
use crate::crash_trial::{Judge, Trial, Version, describe, home_of, record};
use crate::file_systems::Step;
use crate::operations::{Operation, ROOMS, repo, working};
use crate::simulated_disk::{SimulatedDisk, Tree};
use crate::torture::{Rng, torture_as_configured};

/// The folder of all scopes.
const WORKING: &str = "user/home/working";

/// A write like `first`, in a new process that finds the home as `left`.
fn write_again(first: &Trial, disk: SimulatedDisk, left: &Tree) -> Trial {
    let home = home_of(left, false);
    let operation = first.judge.next;
    let [before, found] = [first.judge.versions[0].clone(), Version::of(&home)];
    let steps = record(&home, |store| operation.write(store, "kept"));
    Trial { disk, steps, judge: Judge::new(vec![before, found, Version::of(&home)], operation) }
}

/// The state of `disk` after kills during writes of `files`: the notes of their holders are still there.
fn killed(disk: &SimulatedDisk, files: &BTreeSet<PathBuf>) -> Tree {
    let mut left = disk.live();
    for file in files {
        let lock = PathBuf::from(format!("{}.lock", file.display()));
        left.entry(lock).and_modify(|note| *note = Some(b"pid 1 since 2026-01-31T12:00:00.000Z\n".to_vec()));
    }
    left
}

/// The files that `steps` write or replace, and the folders of scopes in which they do or remove a file.
fn written(steps: &[Step]) -> BTreeSet<PathBuf> {
    let target = |step: &Step| match step {
        Step::Create(path, Open::Append) | Step::Rename(_, path) => Some(behind_one_lock(path)),
        // Without this, the deletion of a checkpoint would share no file with another change of its scope.
        Step::Remove(path) if path.starts_with(WORKING) => Some(behind_one_lock(path)),
        _ => None,
    };
    steps.iter().filter_map(target).collect()
}

/// For a file in the folder of a scope, or for that folder under any name, the folder; otherwise the file.
fn behind_one_lock(path: &Path) -> PathBuf {
    match path.strip_prefix(WORKING).ok().and_then(|below| below.iter().next()) {
        Some(name) => Path::new(WORKING).join(name.to_str().unwrap().split('.').next().unwrap()),
        None => path.to_owned(),
    }
}

/// Kills an operation after each of its steps, and checks at most `most` states at each point of the next write.
pub(crate) fn kill_everywhere(operation: &'static Operation, most: usize) {
    let mut rng = Rng::new(7);
    // What a crash leaves of writers who are not committed as one is judged where it is the only crash.
    for prepare in operation.homes.iter().filter(|_| !operation.is_separable) {
        let first = Trial::new(*prepare, operation);
        if first.judge.versions[0].tree().is_empty() {
            // Nobody syncs a folder above the home that somebody else made.
            continue;
        }
        for done in 0..first.steps.len() {
            let mut disk = first.disk.clone();
            first.steps[..done].iter().for_each(|step| disk.apply(step));
            let left = killed(&disk, &written(&first.steps));
            if let Err(fault) = write_again(&first, disk, &left).run_some(most, &mut rng) {
                panic!("a process was killed after these steps:\n{}", describe(&fault, &first.steps[..done], &left));
            }
        }
    }
}

/// Crashes after each step of an operation, and checks at most `most` states at each point of the next write.
pub(crate) fn crash_everywhere(operation: &'static Operation, most: usize) {
    let mut rng = Rng::new(7);
    // What a crash leaves of writers who are not committed as one is judged where it is the only crash.
    for prepare in operation.homes.iter().filter(|_| !operation.is_separable) {
        let first = Trial::new(*prepare, operation);
        if first.judge.versions[0].tree().is_empty() {
            // Nobody syncs a folder above the home that somebody else made.
            continue;
        }
        let mut disk = first.disk.clone();
        for step in &first.steps {
            disk.apply(step);
            let left = disk.any_state(&mut rng);
            let again = write_again(&first, SimulatedDisk::holding(&left), &left);
            let verdict = again.run_some(most, &mut rng);
            verdict.unwrap_or_else(|fault| panic!("{fault}\nthe first crash was after {step:?}"));
        }
    }
}

/// An operation that was recorded alone and is replayed between others.
struct Flight {
    steps: Vec<Step>,
    done: usize,
    files: BTreeSet<PathBuf>,
}

impl Flight {
    fn has_landed(&self) -> bool {
        self.done == self.steps.len()
    }
}

/// Every operation of one writer.
fn operations() -> Vec<&'static Operation> {
    ROOMS.iter().flat_map(|room| room.operations).copied().filter(|it| it.writers == 1).collect()
}

/// A home with all files and lock files, so that operations on different files share no step.
fn furnished(home: &TestHome) {
    repo::furnished(home);
    working::furnished(home);
}

/// Concurrent operations, kills and crashes, and a check of the states that each crash may leave.
fn random_sequence(seed: u64, is_real: bool) {
    let (mut rng, operations) = (Rng::new(seed), operations());
    let home = if is_real { TestHome::on_tmpfs() } else { TestHome::in_memory() };
    furnished(&home);
    let mut versions = vec![Version::of(&home)];
    let mut left = versions[0].tree().clone();
    let mut disk = SimulatedDisk::holding(&left);
    // What a killed operation may have written, or not.
    let mut unsure: BTreeSet<PathBuf> = BTreeSet::new();
    for turn in 0..8 {
        let home = home_of(&left, is_real);
        let mut flights = take_off(&mut rng, &operations, &home, turn);
        let next = rng.pick(&operations);
        versions.push(Version::of(&home));
        let mut judge = Judge::new(versions.clone(), next);
        judge.is_real = is_real;
        let all: usize = flights.iter().map(|it| it.steps.len()).sum();
        let until = if rng.below(2) == 0 { all } else { rng.below(all + 1) };
        let mut done = Vec::new();
        loop {
            let open: BTreeSet<_> = flights.iter().filter(|it| !it.has_landed()).flat_map(|it| &it.files).collect();
            if rng.below(3) == 0 || done.len() == until {
                let state = disk.any_state(&mut rng);
                let sure = |path: &Path| !unsure.contains(path) && !open.contains(&path.to_owned());
                let verdict = judge.judge(&state, sure);
                verdict.unwrap_or_else(|fault| panic!("seed {seed}, turn {turn}\n{}", describe(&fault, &done, &state)));
            }
            if done.len() == until {
                break;
            }
            let flying: Vec<_> = (0..flights.len()).filter(|it| !flights[*it].has_landed()).collect();
            let flight = &mut flights[*rng.pick(&flying)];
            let step = flight.steps[flight.done].clone();
            disk.apply(&step);
            flight.done += 1;
            done.push(step);
        }
        for flight in flights {
            match flight.has_landed() {
                true => unsure.retain(|path| !flight.files.contains(path)),
                false => unsure.extend(flight.files),
            }
        }
        left = if rng.below(4) == 0 {
            unsure.clear();
            let left = disk.any_state(&mut rng);
            disk = SimulatedDisk::holding(&left);
            left
        } else {
            killed(&disk, &unsure)
        };
        if unsure.is_empty() {
            versions.clear();
        } else {
            versions.pop();
        }
        versions.push(Version::of(&home_of(&left, is_real)));
    }
}

/// One to three operations on different files of `home`, each recorded from the first step to the last.
fn take_off(rng: &mut Rng, operations: &[&'static Operation], home: &TestHome, turn: usize) -> Vec<Flight> {
    let mut flights: Vec<Flight> = Vec::new();
    for _ in 0..=rng.below(3) {
        let operation = rng.pick(operations);
        let word = if rng.below(2) == 0 { "kept".to_owned() } else { turn.to_string() };
        let record = |home: &TestHome| record(home, |store| operation.write(store, &word));
        // Tried on a copy first.
        let files = written(&record(&home.copy()));
        if flights.iter().all(|other| other.files.is_disjoint(&files)) {
            flights.push(Flight { files, steps: record(home), done: 0 });
        }
    }
    flights
}

#[test]
fn random_sequences_of_writes_kills_and_crashes_lose_nothing_acknowledged() {
    for seed in 0..5 {
        random_sequence(seed, seed == 4);
    }
}

#[test]
#[ignore = "takes as long as configured"]
fn torture_of_crash_sequences() {
    for operation in ROOMS.iter().flat_map(|room| room.operations) {
        kill_everywhere(operation, usize::MAX);
        crash_everywhere(operation, usize::MAX);
    }
    torture_as_configured(|seed| random_sequence(seed, true));
}
