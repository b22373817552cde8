//! No failure of a system call leaves half a write: every call of every kind of write is broken, one at a time.

use loopmem::disk::{Fault, Faulty, Wait};
use loopmem::{ErrorKind, Result, Store};

use crate::{TestHome, append, conventions, open, steps, upsert};

const FAULTS: [Fault; 6] = [
    Fault::Errno(libc::ENOSPC),
    Fault::Errno(libc::EIO),
    Fault::Errno(libc::EINTR),
    Fault::Errno(libc::EXDEV),
    Fault::ShortWrite,
    Fault::Stop,
];
/// A last line that a power cut left.
const TORN: &str = r#"{"runId":"run","stepId":"to"#;

/// Everything that is stored, as text.
fn state(store: &Store) -> Vec<String> {
    let contents = conventions(store).into_iter().map(|(id, content)| format!("{id}: {content}"));
    contents.chain(steps(store)).collect()
}

/// Breaks the nth call of `write` for every n that it makes, in every way, on a home that `prepare` filled. An error may
/// leave the old state or the `new` one; `Ok` means the new one; and afterwards everything works, and `after` holds.
fn break_every_call(prepare: fn(&TestHome), write: fn(&Store) -> Result<()>, new: &[&str], after: fn(&TestHome)) {
    for fault in FAULTS {
        for nth in 1.. {
            let home = TestHome::new();
            prepare(&home);
            let old = state(&home.open());
            assert_ne!(old, new);
            let faulty = Faulty::default();
            let store = open(&home.root(), faulty.fs());
            faulty.arm(nth, fault);
            let outcome = write(&store);
            if !faulty.disarm() {
                outcome.unwrap();
                assert!(nth > 8, "{fault:?} struck {} times only", nth - 1);
                break;
            }
            let at = format!("{fault:?} in call {nth}, which returned {outcome:?}");
            let found = state(&home.open());
            assert!(found == new || (outcome.is_err() && found == old), "{at}, left {found:?} behind");
            // The same process goes on: it cleans up, it works, and it knows what is stored.
            write(&store).unwrap_or_else(|failed| panic!("{at}, and then: {failed:?}"));
            home.assert_no_litter();
            let again = state(&home.open());
            assert!(
                again.starts_with(&new.iter().map(ToString::to_string).collect::<Vec<_>>()),
                "{at}, and then {again:?}"
            );
            assert_eq!(state(&store), again, "{at}");
            after(&home);
        }
    }
}

fn filled(home: &TestHome) {
    let store = home.open();
    for (id, content) in [("a", "old"), ("b", "another")] {
        upsert(&store, &Wait::default(), id, content).unwrap();
    }
    append(&store, &Wait::default(), "first").unwrap();
}

fn nothing_more(_: &TestHome) {}

#[test]
fn an_upsert_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let write = |store: &Store| upsert(store, &Wait::default(), "a", "new");
    break_every_call(filled, write, &["a: new", "b: another", "first"], nothing_more);
}

#[test]
fn an_append_that_fails_anywhere_leaves_the_old_state_or_the_new_one() {
    let write = |store: &Store| append(store, &Wait::default(), "second");
    break_every_call(filled, write, &["a: old", "b: another", "first", "second"], nothing_more);
}

#[test]
fn a_first_write_that_fails_anywhere_leaves_nothing_or_the_record() {
    break_every_call(|_| {}, |store| upsert(store, &Wait::default(), "a", "new"), &["a: new"], nothing_more);
    break_every_call(|_| {}, |store| append(store, &Wait::default(), "first"), &["first"], nothing_more);
}

#[test]
fn an_append_behind_a_torn_line_that_fails_anywhere_loses_neither_lines_nor_the_torn_bytes() {
    let torn = |home: &TestHome| {
        filled(home);
        let whole = std::fs::read_to_string(home.summaries()).unwrap();
        home.put(&home.summaries(), whole + TORN);
    };
    let write = |store: &Store| append(store, &Wait::default(), "second");
    break_every_call(torn, write, &["a: old", "b: another", "first", "second"], |home| {
        let aside = std::fs::read_to_string(format!("{}.torn", home.summaries().display())).unwrap();
        assert!(aside.contains(TORN), "{aside}");
    });
}

#[test]
fn a_rename_across_devices_is_a_rename_error_and_the_old_file_stands() {
    let mut refused = 0;
    for nth in 1.. {
        let home = TestHome::new();
        filled(&home);
        let old = std::fs::read(home.memory()).unwrap();
        let faulty = Faulty::default();
        let store = open(&home.root(), faulty.fs());
        faulty.arm(nth, Fault::Errno(libc::EXDEV));
        let outcome = upsert(&store, &Wait::default(), "a", "new");
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
