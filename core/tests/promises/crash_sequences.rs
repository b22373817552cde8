//! Crashes that come after other mishaps: a power cut behind a kill -9, a crash in the write that tidies up after a
//! crash, and one while several operations are under way; then random sequences of all that.
//!
//! A process that is killed loses nothing that it wrote, but nobody makes durable what it did not: so its steps are
//! played up to the kill, and the next process works on the tree as it then is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use loopmem::testing::disk::{Open, Recording, Step};

use crate::TestHome;
use crate::crash_states::{
    append_step, append_to_other, empty, filled, filled_twice, full, migrate, noted, remove, torn, upsert_changing,
    upsert_new, upsert_other, write_by_workspace,
};
use crate::crash_trial::{Judge, Prepare, Trial, Version, Write, home_of, record, tell};
use crate::crash_working::{
    add_log, begun, delete_checkpoint, delete_scope, restore, save, saved, told, update_context, update_other,
};
use crate::simulated_disk::{SimulatedDisk, Tree};
use crate::torture::{Rng, torture_as_told};

/// Writes, each with a home that it changes.
const OPERATIONS: &[(Prepare, Write)] = &[
    (empty, upsert_new),
    (filled, upsert_changing),
    (filled, remove),
    (empty, append_step),
    (filled, append_step),
    (full, append_step),
    (torn, append_step),
    (filled, migrate),
    (filled_twice, migrate),
    (empty, write_by_workspace),
    (filled, write_by_workspace),
    (noted, write_by_workspace),
    (empty, update_context),
    (begun, update_context),
    (told, update_context),
    (begun, add_log),
    (crate::crash_working::torn, add_log),
    (saved, save),
    (saved, restore),
    (saved, delete_checkpoint),
    (saved, delete_scope),
];
/// Writes that may be under way together: they touch different files, and different scopes.
const LANES: &[&[Write]] = &[
    &[upsert_new, upsert_changing, remove],
    &[append_step],
    &[upsert_other],
    &[append_to_other],
    &[write_by_workspace],
    &[update_context, add_log, save, restore, delete_checkpoint, delete_scope],
    &[update_other],
];

/// A write like `first`, in a new process that finds the home as `left`.
fn write_again(first: &Trial, disk: SimulatedDisk, left: &Tree) -> Trial {
    let home = home_of(left);
    let write = first.judge.next;
    let [before, found] = [first.judge.versions[0].clone(), Version::of(&home)];
    let steps = record(&home, &Recording::default(), |store| write(store, "kept"));
    Trial { disk, steps, judge: Judge::new(vec![before, found, Version::of(&home)], write) }
}

/// What `disk` shows after kills in the middle of writing `files`: the notes of their holders are still there.
fn killed(disk: &SimulatedDisk, files: &BTreeSet<PathBuf>) -> Tree {
    let mut left = disk.live();
    for file in files {
        let lock = PathBuf::from(format!("{}.lock", file.display()));
        left.entry(lock).and_modify(|note| *note = Some(b"pid 1 since 2026-01-31T12:00:00.000Z\n".to_vec()));
    }
    left
}

/// The files that `steps` write or replace, and the folders of scopes in which they do.
fn written(steps: &[Step]) -> BTreeSet<PathBuf> {
    let target = |step: &Step| match step {
        Step::Create(path, Open::Append) | Step::Rename(_, path) => Some(behind_one_lock(path)),
        _ => None,
    };
    steps.iter().filter_map(target).collect()
}

/// Of a file in the folder of a scope, or of that folder under whatever name, the folder; of any other the file.
fn behind_one_lock(path: &Path) -> PathBuf {
    let working = Path::new("user/home/working");
    match path.strip_prefix(working).ok().and_then(|below| below.iter().next()) {
        Some(name) => working.join(name.to_str().unwrap().split('.').next().unwrap()),
        None => path.to_owned(),
    }
}

/// Kills each write after each of its steps, and judges at most so many states at each point of the next write.
fn kill_everywhere(most: usize) {
    let mut rng = Rng::new(7);
    for (prepare, write) in OPERATIONS {
        let first = Trial::new(*prepare, *write);
        for done in 0..first.steps.len() {
            let mut disk = first.disk.clone();
            first.steps[..done].iter().for_each(|step| disk.apply(step));
            let left = killed(&disk, &written(&first.steps));
            if let Err(fault) = write_again(&first, disk, &left).run_some(most, &mut rng) {
                panic!("a process was killed after these steps:\n{}", tell(&fault, &first.steps[..done], &left));
            }
        }
    }
}

#[test]
fn a_write_after_a_kill_survives_a_power_cut_whatever_the_killed_process_left_undone() {
    kill_everywhere(2);
}

/// Lets one crash come after each step of each write, and judges at most so many states at each point of the next.
fn crash_everywhere(most: usize) {
    let mut rng = Rng::new(7);
    for (prepare, write) in OPERATIONS {
        let first = Trial::new(*prepare, *write);
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

#[test]
fn a_crash_in_the_write_after_a_crash_leaves_the_old_state_or_the_new_one() {
    crash_everywhere(2);
}

/// An operation that was recorded alone and is played between others.
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

/// A home whose files and lock files are all there, so that operations that touch different files share no step.
fn furnished(home: &TestHome) {
    filled_twice(home);
    noted(home);
    saved(home);
    update_other(&crate::crash_trial::open(&home.root(), std::sync::Arc::new(loopmem::testing::disk::RealFs)), "kept")
        .unwrap();
}

/// Operations under way together, kills and crashes, and a look at what each crash would leave.
fn random_sequence(seed: u64) {
    let mut rng = Rng::new(seed);
    let home = TestHome::in_memory();
    furnished(&home);
    let mut versions = vec![Version::of(&home)];
    let mut left = versions[0].tree().clone();
    let mut disk = SimulatedDisk::holding(&left);
    // What a killed operation may have written, or not.
    let mut unsure: BTreeSet<PathBuf> = BTreeSet::new();
    for turn in 0..8 {
        let home = home_of(&left);
        let mut flights = take_off(&mut rng, &home, turn);
        let next = *rng.pick(&[
            upsert_changing as Write,
            append_step,
            write_by_workspace,
            migrate,
            update_context,
            add_log,
            save,
        ]);
        versions.push(Version::of(&home));
        let judge = Judge::new(versions.clone(), next);
        let all: usize = flights.iter().map(|it| it.steps.len()).sum();
        let until = if rng.below(2) == 0 { all } else { rng.below(all + 1) };
        let mut done = Vec::new();
        loop {
            let open: BTreeSet<_> = flights.iter().filter(|it| !it.has_landed()).flat_map(|it| &it.files).collect();
            if rng.below(3) == 0 || done.len() == until {
                let state = disk.any_state(&mut rng);
                let sure = |path: &Path| !unsure.contains(path) && !open.contains(&path.to_owned());
                let verdict = judge.judge(&state, sure);
                verdict.unwrap_or_else(|fault| panic!("seed {seed}, turn {turn}\n{}", tell(&fault, &done, &state)));
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
        versions.push(Version::of(&home_of(&left)));
    }
}

/// One to three operations on different files of `home`, each recorded from the first step to the last.
fn take_off(rng: &mut Rng, home: &TestHome, turn: usize) -> Vec<Flight> {
    let mut writes: Vec<Write> = Vec::new();
    if rng.below(6) == 0 {
        writes.push(migrate);
    } else {
        let (first, number) = (rng.below(LANES.len()), 1 + rng.below(3));
        writes.extend((0..number).map(|place| *rng.pick(LANES[(first + place) % LANES.len()])));
    }
    let flight = |write: Write| {
        let word = if rng.below(2) == 0 { "kept".to_owned() } else { turn.to_string() };
        let steps = record(home, &Recording::default(), |store| write(store, &word));
        Flight { files: written(&steps), steps, done: 0 }
    };
    writes.into_iter().map(flight).collect()
}

#[test]
fn random_sequences_of_writes_kills_and_crashes_lose_nothing_acknowledged() {
    for seed in 0..5 {
        random_sequence(seed);
    }
}

#[test]
#[ignore = "it takes as long as it is told"]
fn torture_of_crash_sequences() {
    kill_everywhere(usize::MAX);
    crash_everywhere(usize::MAX);
    torture_as_told(random_sequence);
}
