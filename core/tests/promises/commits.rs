//! Writers of one process that wait for the same file are committed together, each with its own answer.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use loopmem::methods::submit;
use loopmem::testing::disk::{Cancel, DocumentFile, Fault, Faulty, Fs, Recording, Step};
use loopmem::testing::memory::MemorySchema;
use loopmem::{CallOptions, ErrorKind, Result, Store};

use crate::at_most;
use crate::{TestHome, conventions, hold, open, repo, steps, upsert};

/// A method and its params beside `repoHash`.
type Call = (&'static str, String);

fn convention(id: &str, content: &str) -> Call {
    let convention = format!(r#"{{"id":"{id}","title":"A title","content":"{content}"}}"#);
    ("memory.upsertConvention", format!(r#""convention":{convention}"#))
}

fn summary(step: &str) -> Call {
    ("summary.append", format!(r#""runId":"run","stepId":"{step}","summary":"What it did.""#))
}

/// A home with one convention and one summary.
fn home() -> TestHome {
    let home = TestHome::new();
    upsert(&home.open(), "a", "old").unwrap();
    crate::append(&home.open(), "first").unwrap();
    home
}

/// Submits the calls while another process holds both locks, and lets them go when each of them waits for one; `cancel`
/// of them are cancelled before that. Their answers are in the order of submission.
fn together(home: &TestHome, fs: Arc<dyn Fs>, calls: &[Call], cancelled: &[usize]) -> (Store, Vec<Result<String>>) {
    together_after(home, fs, calls, cancelled, || {})
}

/// As [`together`]; `when_all_wait` is done just before the locks are let go of.
fn together_after(
    home: &TestHome,
    fs: Arc<dyn Fs>,
    calls: &[Call],
    cancelled: &[usize],
    when_all_wait: impl FnOnce(),
) -> (Store, Vec<Result<String>>) {
    let store = open(&home.root(), fs);
    // What was read once is not read again behind the lock.
    let (_, _) = (conventions(&store), steps(&store));
    let held = [hold(&home.memory()), hold(&home.summaries())];
    let (asked, asks) = channel();
    let (done, outcomes) = channel();
    let mut cancels = Vec::new();
    for (number, (method, params)) in calls.iter().enumerate() {
        let (asked, done) = (asked.clone(), done.clone());
        let cancel = Cancel::polling(move || {
            let _ = asked.send(number);
            false
        });
        cancels.push(cancel.clone());
        let options = CallOptions::new().timeout_ms(Some(600_000)).cancel(&cancel);
        let params = format!(r#"{{"repoHash":"{}",{params}}}"#, repo());
        let store = store.with(options);
        submit(&store, (*method).to_owned(), params, move |outcome| done.send((number, outcome)).unwrap());
    }
    let mut waiting = vec![false; calls.len()];
    while waiting.contains(&false) {
        waiting[asks.recv().unwrap()] = true;
    }
    let mut answers: Vec<Option<Result<String>>> = calls.iter().map(|_| None).collect();
    let hear = |answers: &mut Vec<Option<Result<String>>>| {
        let (number, outcome) = outcomes.recv().unwrap();
        answers[number] = Some(outcome);
    };
    for number in cancelled {
        cancels[*number].cancel();
        hear(&mut answers);
    }
    when_all_wait();
    drop(held);
    while answers.iter().any(Option::is_none) {
        hear(&mut answers);
    }
    (store, answers.into_iter().flatten().collect())
}

fn syncs(steps: &[Step]) -> usize {
    steps.iter().filter(|step| matches!(step, Step::Sync(..) | Step::SyncFolder(_))).count()
}

#[test]
fn sixty_four_upserts_that_wait_are_one_replacement() {
    let home = home();
    let recording = Recording::default();
    let calls: Vec<Call> = (0..64).map(|number| convention(&format!("c{number}"), "new")).collect();
    let (store, answers) = together(&home, recording.fs(), &calls, &[]);
    for (number, answer) in answers.iter().enumerate() {
        assert!(answer.as_ref().unwrap().contains(&format!(r#""id":"c{number}""#)), "{answer:?}");
    }
    let ids: Vec<String> = conventions(&home.open()).into_iter().map(|(id, _)| id).collect();
    let expected = ["a".to_owned()].into_iter().chain((0..64).map(|number| format!("c{number}")));
    assert_eq!(ids, expected.collect::<Vec<_>>(), "in the order of submission");
    assert_eq!(conventions(&store).len(), 65);
    assert_eq!(syncs(&recording.take()), 2);
}

/// Of several lines that are appended at once a power cut could leave the last one and not those before it.
#[test]
fn sixty_four_appends_that_wait_are_one_replacement_and_a_single_one_is_an_append() {
    let home = home();
    let recording = Recording::default();
    let calls: Vec<Call> = (0..64).map(|number| summary(&format!("s{number}"))).collect();
    let (store, answers) = together(&home, recording.fs(), &calls, &[]);
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let expected: Vec<String> =
        ["first".to_owned()].into_iter().chain((0..64).map(|number| format!("s{number}"))).collect();
    assert_eq!(steps(&home.open()), expected);
    assert_eq!(steps(&store), expected);
    assert_eq!(syncs(&recording.take()), 2);
    crate::append(&store, "alone").unwrap();
    assert_eq!(syncs(&recording.take()), 1);
}

#[test]
fn a_change_that_is_refused_is_refused_alone_and_each_sees_what_those_before_it_left() {
    let home = home();
    let note = ("memory.upsertNote", r#""note":{"id":"b","content":"Another kind."}"#.to_owned());
    let without_title =
        ("memory.upsertConvention", r#""convention":{"id":"new","content":"It has no title."}"#.to_owned());
    let change = ("memory.upsertConvention", r#""convention":{"id":"b","content":"changed"}"#.to_owned());
    let calls = [
        convention("b", "made"),
        note,
        change,
        ("memory.remove", r#""id":"a""#.to_owned()),
        without_title,
        convention("a", "made anew"),
        convention("never", "It was cancelled."),
    ];
    let (_, answers) = together(&home, Recording::default().fs(), &calls, &[6]);
    let kinds: Vec<_> = answers.iter().map(|answer| answer.as_ref().err().map(loopmem::Error::kind)).collect();
    let (conflict, invalid, cancelled) = (ErrorKind::Conflict, ErrorKind::Validation, ErrorKind::Cancelled);
    assert_eq!(kinds, [None, Some(conflict), None, None, Some(invalid), None, Some(cancelled)], "{answers:?}");
    let pair = |id: &str, content: &str| (id.to_owned(), content.to_owned());
    assert_eq!(conventions(&home.open()), [pair("b", "changed"), pair("a", "made anew")]);
}

#[test]
fn a_reader_between_two_writers_reads_what_the_first_one_left() {
    let home = home();
    let get = ("memory.get", r#""branchScope":"perBranch""#.to_owned());
    let calls = [convention("b", "before"), get, convention("c", "behind")];
    let (_, answers) = together(&home, Recording::default().fs(), &calls, &[]);
    let read = answers[1].as_ref().unwrap();
    assert!(read.contains("before") && !read.contains("behind"), "{read}");
    assert_eq!(conventions(&home.open()).len(), 3);
}

#[test]
fn a_write_that_fails_is_the_error_of_all_who_were_in_it_and_the_file_stays_as_it_was() {
    let home = home();
    let (old, calls) =
        (std::fs::read(home.memory()).unwrap(), Vec::from_iter((0..8).map(|at| convention(&format!("c{at}"), "new"))));
    let faulty = Faulty::default();
    let (store, answers) = together_after(&home, faulty.fs(), &calls, &[], || faulty.arm(1, Fault::DiskFull));
    for answer in answers {
        let failed = answer.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Io);
        assert!(failed.to_json().contains("No space left"), "{failed}");
    }
    assert_eq!(std::fs::read(home.memory()).unwrap(), old);
    faulty.disarm();
    upsert(&store, "b", "There is space again.").unwrap();
    assert_eq!(conventions(&store).len(), 2);
    home.assert_no_litter();
}

#[test]
fn a_defect_in_one_change_stops_that_one_only() {
    let home = home();
    let store = home.open();
    let held = hold(&home.memory());
    let (asked, asks) = channel();
    let asking = move |number: usize| {
        let asked = asked.clone();
        let cancel = Cancel::polling(move || {
            let _ = asked.send(number);
            false
        });
        at_most(Duration::from_secs(600)).cancel(&cancel)
    };
    let writers: Vec<_> = (0..3)
        .map(|number| {
            let (store, path) = (store.with(asking(number)), home.memory());
            std::thread::spawn(move || match number {
                1 => DocumentFile::<MemorySchema>::new(loopmem::testing::home(&store).disk(), path, Duration::ZERO)
                    .update::<()>(loopmem::testing::home(&store).wait(), |_| panic!("a defect")),
                _ => upsert(&store, &format!("c{number}"), "new"),
            })
        })
        .collect();
    let mut waiting = [false; 3];
    while waiting.contains(&false) {
        waiting[asks.recv().unwrap()] = true;
    }
    drop(held);
    let kinds: Vec<_> = writers.into_iter().map(|it| it.join().unwrap().err().map(|refused| refused.kind())).collect();
    assert_eq!(kinds, [None, Some(ErrorKind::Internal), None]);
    assert_eq!(conventions(&home.open()).len(), 3);
}
