//! No failure of a system call leaves a partial write: every call of every kind of write fails, alone and together with
//! all later ones; then the cause is removed and the same process continues.
//!
//! There are eleven kinds of failures. A run tries two of them on an operation, which differ from one operation to the
//! next and, by `LOOPMEM_FAULT_ROTATION`, from one commit to the next. `LOOPMEM_TORTURE_FAULTS=all` tries all at once.

use std::path::PathBuf;

use loopmem::{ErrorKind, Options, Store};

use crate::crash_trial::has_torn_bytes;
use crate::file_systems::{Fault, Faulty, FsLimitation, TestClock, fault_rotation, tries_all_faults};
use crate::operations::{Operation, View, memory, open, reopen, view, view_of};
use crate::{TestHome, append, upsert};

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

/// The faults to try on the operation with this name.
fn faults(name: &str) -> Vec<Fault> {
    if tries_all_faults() {
        return FAULTS.to_vec();
    }
    let first = name.bytes().fold(fault_rotation(), |sum: usize, byte| sum + usize::from(byte));
    [0, 5].map(|offset| FAULTS[(first + offset) % FAULTS.len()]).to_vec()
}

/// `operation` on each of its homes, also with files that cannot be replaced and with lock files.
pub(crate) fn survives_a_failure(operation: &Operation, name: &str) {
    if operation.writers > 1 {
        // Of writers who wait, no two runs make the same calls; that all of them fail with a write is one of their
        // promises.
        return;
    }
    let faults = faults(name);
    for (number, prepare) in operation.homes.iter().enumerate() {
        let home = TestHome::in_memory();
        prepare(&home);
        break_every_call(operation, &home, None, &faults);
        if number < 2 {
            break_every_call(operation, &home, Some(FsLimitation::NoLocks), &faults);
            if !operation.is_by_rename {
                break_every_call(operation, &home, Some(FsLimitation::NoReplace), &faults);
            }
        }
    }
    // The most common home is also on the real file system.
    let home = TestHome::on_tmpfs();
    operation.homes[0](&home);
    break_every_call(operation, &home, None, &faults[..1]);
}

/// Fails the nth call for every n, in each of these ways. An error leaves the old state, or says that it may have left
/// the new one; `Ok` means the new one; and afterwards everything works.
fn break_every_call(operation: &Operation, prepared: &TestHome, lack: Option<FsLimitation>, faults: &[Fault]) {
    let write = |store: &Store| operation.write(store, "in flight");
    let home = prepared.copy();
    let (was_torn, old) = (has_torn_bytes(&home), view_of(&home).unwrap());
    let [new, again] = [(); 2].map(|()| {
        write(&reopen(&home)).unwrap();
        view_of(&home).unwrap()
    });
    assert_ne!(old, new);
    let states = states_between(operation, &old, &new);
    let last = states.len() - 1;
    let least = if operation.is_last_part_optional { last.min(1) } else { last };
    for fault in faults {
        for nth in 1.. {
            let home = prepared.copy();
            let faulty = lack.map_or_else(Faulty::default, Faulty::with_limitation);
            // An owner file that was made and could be neither written nor removed is waited for.
            let store = open(&home.root(), TestClock::leaping(faulty.on(home.fs()), || {}));
            faulty.arm(nth, *fault);
            let outcome = write(&store);
            if !faulty.disarm() {
                outcome.unwrap();
                assert!(nth > 8, "{fault:?} struck {} times only", nth - 1);
                break;
            }
            let at = format!("{lack:?}, {fault:?} in call {nth}, which returned {outcome:?}");
            let found = view_of(&home).unwrap_or_else(|damage| panic!("{at}: {damage}"));
            let state = states.iter().rposition(|it| *it == found);
            let state = state.unwrap_or_else(|| panic!("{at}, left {found:#?} behind, and not one of {states:#?}"));
            assert!(outcome.is_err() || state >= least, "{at}, left {found:#?} behind");
            let is_reported = outcome.as_ref().map_or_else(loopmem::Error::may_be_stored, |()| true);
            assert!(state == 0 || is_reported, "{at}, left {found:#?} behind and does not say so");
            // The same process goes on: it cleans up, it works, and it knows what is stored.
            write(&store).unwrap_or_else(|failed| panic!("{at}, and then: {failed:?}"));
            let then = view_of(&home).unwrap();
            let is_written = |path: &PathBuf| found.get(path) != then.get(path);
            let written = then.keys().filter(|path| is_written(path)).map(|path| home.top().join(path));
            let written: Vec<_> = written.map(|path| path.display().to_string()).collect();
            // Who had nothing to write took no lock that is a file twice.
            let is_left =
                |it: &str| lack == Some(FsLimitation::NoLocks) && !written.iter().any(|path| it.starts_with(path));
            let litter = home.entries().into_iter().map(|it| it.display().to_string());
            let litter: Vec<_> = litter.filter(|it| it.ends_with(".tmp") && !is_left(it)).collect();
            assert_eq!(litter, Vec::<String>::new(), "{at}");
            assert_eq!(&then, if state == last { &again } else { &new }, "{at}, and then");
            assert_eq!(view(&store).unwrap(), then, "{at}");
            assert!(!was_torn || has_torn_bytes(&home), "{at}: the torn bytes are lost");
        }
    }
}

/// The states that an operation may leave, from the old one to the new one: its parts are committed in order.
fn states_between(operation: &Operation, old: &View, new: &View) -> Vec<View> {
    let mut states = vec![old.clone()];
    for part in operation.parts {
        let mut state = states.last().unwrap().clone();
        state.extend(
            new.iter().filter(|(path, _)| path.ends_with(part)).map(|(path, said)| (path.clone(), said.clone())),
        );
        // A home may have the last part already.
        if state != states[states.len() - 1] {
            states.push(state);
        }
    }
    if states.last() != Some(new) {
        assert!(operation.parts.is_empty(), "the parts are all that is written");
        states.push(new.clone());
    }
    states
}

/// A failed sync may have dropped the data, and the next sync of the same file does not report it.
#[test]
fn a_file_whose_sync_failed_is_not_appended_to() {
    let mut failed_syncs = 0;
    for nth in 1.. {
        let home = TestHome::in_memory();
        memory::filled(&home);
        let faulty = Faulty::default();
        let store = crate::open(&home.root(), faulty.on(home.fs()));
        faulty.arm(nth, Fault::SyncsFail);
        let outcome = append(&store, "second");
        let has_struck = faulty.disarm();
        if outcome.is_err() && crate::steps(&store).len() == 2 {
            failed_syncs += 1;
            let inode = || home.fs().stat_path(&home.summaries()).unwrap().inode;
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
fn with_strong_atomicity_a_rename_across_devices_is_a_rename_error_and_changes_nothing() {
    let mut refused = 0;
    for nth in 1.. {
        let home = TestHome::in_memory();
        memory::filled(&home);
        let old = home.read(&home.memory()).unwrap();
        let faulty = Faulty::default();
        let options = Options::at(home.root()).strong_atomicity(true);
        let store = loopmem::testing::open_on(options, faulty.on(home.fs()), []).unwrap();
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
            assert_eq!(home.read(&home.memory()).unwrap(), old);
            home.assert_no_litter();
        }
    }
    assert_eq!(refused, 1, "an upsert renames once");
}
