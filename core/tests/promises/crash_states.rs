//! A crash at any point between the system calls of an operation leaves the old state or the new one.
//!
//! An operation is recorded once. Its steps are replayed on a disk that keeps only what was synced (`simulated_disk`),
//! and every state that a crash may leave after each step is written to a folder, opened and checked (`crash_trial`).

use crate::TestHome;
use crate::crash_trial::Trial;
use crate::file_systems::{FsLimitation, Recording, Step};
use crate::operations::{Operation, ROOMS, memory};

/// `operation` on each of its homes, also with files that cannot be replaced and with lock files.
#[track_caller]
pub(crate) fn survives_a_crash(operation: &'static Operation) {
    for (number, prepare) in operation.homes.iter().enumerate() {
        // Those who are to wait do so for a lock of the system.
        let lacks =
            [(operation.writers == 1, FsLimitation::NoLocks), (!operation.is_by_rename, FsLimitation::NoReplace)];
        let lacking = lacks.iter().filter(|(is_tried, _)| *is_tried).map(|(_, lack)| Recording::with_limitation(*lack));
        // The most common home is also on the real file system.
        let real = (number == 0).then(|| (Recording::default(), TestHome::on_tmpfs()));
        let in_memory = TestHome::in_memory();
        prepare(&in_memory);
        let simulated =
            [Recording::default()].into_iter().chain(lacking).map(|recording| (recording, in_memory.copy()));
        for (recording, home) in simulated.chain(real) {
            if home.is_real() {
                prepare(&home);
            }
            let trial = Trial::on(&recording, &|fs| fs, &home, operation);
            let states = trial.run().unwrap_or_else(|fault| panic!("{recording:?}: {fault}"));
            assert!(states > 6, "{states} states are too few to be all");
        }
    }
}

#[test]
fn a_program_that_omits_a_sync_is_caught() {
    let mut caught = 0;
    for operation in ROOMS.iter().flat_map(|room| room.operations) {
        for (prepare, is_needed) in operation.needs {
            let mut trial = Trial::new(*prepare, operation);
            let whole = trial.steps.len();
            trial.steps.retain(|step| !is_needed(step));
            assert!(trial.steps.len() < whole, "there is no such step in {:?}", trial.steps);
            trial.run().expect_err("a crash may leave neither the old state nor the new one");
            caught += 1;
        }
    }
    assert!(caught > 30, "{caught}");
}

#[test]
fn a_program_that_renames_before_it_writes_is_caught() {
    let mut trial = Trial::new(memory::filled, &memory::an_upsert_that_changes_a_record::ROW);
    let rename = trial.steps.iter().position(|step| matches!(step, Step::Rename(..))).unwrap();
    let write = trial.steps.iter().position(|step| matches!(step, Step::Write(..))).unwrap();
    let rename = trial.steps.remove(rename);
    trial.steps.insert(write, rename);
    trial.run().expect_err("a crash may leave an empty document");
}
