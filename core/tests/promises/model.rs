//! Any sequence of operations has the same results as a model in memory: through two handles, reopened, interrupted
//! anywhere, and from two threads at once.
//!
//! An interrupted operation leaves the old state or the new one (a migration may also leave only its first file new);
//! the model then continues with what is found. Two concurrent operations behave like one of the two serial orders.

use loopmem::RepoHash;
use loopmem::memory::{Convention, Decision, Filter, Kind, Note, Record};
use loopmem::methods::dispatch;
use loopmem::summary::Summary;
use loopmem::{ErrorKind, Options, Result, Store, summary};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, RngSeed, TestRng, TestRunner};

use crate::TestHome;
use crate::file_systems::{Fault, Faulty};
use crate::torture::torture_as_configured;

/// The maximum number of summaries.
const MOST: usize = 4;
const KINDS: [Kind; 3] = [Kind::Convention, Kind::Decision, Kind::Note];

/// Id and text of each record, kind by kind, oldest first.
type Records = [Vec<(String, String)>; 3];

/// The memory of one repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Remembered {
    records: Records,
    /// Oldest first.
    steps: Vec<String>,
}

type Model = [Remembered; 2];

#[derive(Debug, Clone)]
enum Operation {
    Upsert {
        repo: usize,
        kind: usize,
        id: u8,
        text: u8,
    },
    Remove {
        repo: usize,
        id: u8,
    },
    Append {
        repo: usize,
    },
    Get {
        repo: usize,
    },
    /// From this repository to the other.
    Migrate {
        repo: usize,
    },
}

#[derive(Debug, Clone)]
enum Turn {
    One {
        operation: Operation,
        handle: usize,
    },
    /// Stopped at this system call, if it makes as many; then the handle is opened again.
    Stopped {
        operation: Operation,
        handle: usize,
        call: usize,
    },
    /// From two threads: the first through the first handle, the other through this one, which may be the same.
    AtOnce(Operation, Operation, usize),
    Reopen {
        handle: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Done,
    Removed(bool),
    Seen(Records),
    Refused(ErrorKind),
}

fn hash(repo: usize) -> RepoHash {
    RepoHash::parse(&["5e", "0a"][repo].repeat(32)).unwrap()
}

/// Applies an operation to the model; `number` is its turn.
fn expect(model: &mut Model, operation: &Operation, number: usize) -> Outcome {
    match operation {
        Operation::Upsert { repo, kind, id, text } => {
            let (id, text) = (id.to_string(), text.to_string());
            let records = &mut model[*repo].records;
            if (0..3).any(|other| other != *kind && records[other].iter().any(|it| it.0 == id)) {
                return Outcome::Refused(ErrorKind::Conflict);
            }
            match records[*kind].iter_mut().find(|it| it.0 == id) {
                Some(old) => old.1 = text,
                None => records[*kind].push((id, text)),
            }
            Outcome::Done
        }
        Operation::Remove { repo, id } => {
            let id = id.to_string();
            let count = |records: &Records| records.iter().map(Vec::len).sum::<usize>();
            let records = &mut model[*repo].records;
            let before = count(records);
            records.iter_mut().for_each(|kind| kind.retain(|it| it.0 != id));
            Outcome::Removed(count(records) < before)
        }
        Operation::Append { repo } => {
            model[*repo].steps.push(number.to_string());
            prune(&mut model[*repo].steps);
            Outcome::Done
        }
        Operation::Get { repo } => Outcome::Seen(model[*repo].records.clone()),
        Operation::Migrate { repo } => migrate(model, *repo),
    }
}

fn prune(steps: &mut Vec<String>) {
    steps.drain(..steps.len().saturating_sub(MOST));
}

fn migrate(model: &mut Model, from: usize) -> Outcome {
    let source = model[from].clone();
    let target = &mut model[1 - from];
    let kind_of = |records: &Records, id: &str| records.iter().position(|kind| kind.iter().any(|it| it.0 == id));
    let mut records = target.records.clone();
    for (kind, lacking) in source.records.iter().enumerate() {
        for record in lacking {
            match kind_of(&target.records, &record.0) {
                None => records[kind].push(record.clone()),
                Some(other) if other == kind => {}
                Some(_) => return Outcome::Refused(ErrorKind::Conflict),
            }
        }
    }
    target.records = records;
    // All are of one time: those that come over stand before those that are here.
    let lacking: Vec<_> = source.steps.iter().filter(|step| !target.steps.contains(step)).cloned().collect();
    let mut steps = [&lacking[..], &target.steps].concat();
    prune(&mut steps);
    if steps.iter().any(|step| lacking.contains(step)) {
        target.steps = steps;
    }
    Outcome::Done
}

/// Applies it to the library.
fn perform(store: &Store, operation: &Operation, number: usize) -> Outcome {
    let done: Result<Outcome> = match operation {
        Operation::Upsert { repo, kind, id, text } => {
            let (memory, id, text) = (store.repo_at(&hash(*repo)).memory(), id.to_string(), text.to_string());
            match KINDS[*kind] {
                Kind::Convention => memory.upsert(Convention::draft("T", text).id(id)).map(|_| Outcome::Done),
                Kind::Decision => memory.upsert(Decision::draft("T", text).id(id)).map(|_| Outcome::Done),
                Kind::Note => memory.upsert(Note::draft(text).id(id)).map(|_| Outcome::Done),
                other => panic!("the model knows no {other:?}"),
            }
        }
        Operation::Remove { repo, id } => {
            store.repo_at(&hash(*repo)).memory().remove(&id.to_string()).map(Outcome::Removed)
        }
        Operation::Append { repo } => {
            let appended =
                store.repo_at(&hash(*repo)).summaries().append(Summary::draft("run", number.to_string(), "S"));
            appended.map(|_| Outcome::Done)
        }
        Operation::Get { repo } => Ok(Outcome::Seen(records(store, *repo))),
        Operation::Migrate { repo } => {
            let params = serde_json::json!({ "fromRepoHash": hash(*repo), "toRepoHash": hash(1 - repo) });
            let migrated = dispatch(store, "repo.migrate", &params.to_string());
            migrated.map(|_| Outcome::Done)
        }
    };
    done.unwrap_or_else(|refused| Outcome::Refused(refused.kind()))
}

fn records(store: &Store, repo: usize) -> Records {
    let memory = store.repo_at(&hash(repo)).memory().get().unwrap();
    [
        memory.conventions().unwrap().into_iter().map(|it| said(&Record::Convention(it))).collect(),
        memory.decisions().unwrap().into_iter().map(|it| said(&Record::Decision(it))).collect(),
        memory.notes().unwrap().into_iter().map(|it| said(&Record::Note(it))).collect(),
    ]
}

fn said(record: &Record) -> (String, String) {
    let text = match record {
        Record::Convention(it) => &it.content,
        Record::Decision(it) => &it.rationale,
        Record::Note(it) => &it.content,
        other => panic!("the model knows no {other:?}"),
    };
    (record.id().to_owned(), text.clone())
}

/// Everything that is stored, as read by `store`.
fn found(store: &Store) -> Model {
    [0, 1].map(|repo| {
        let records = records(store, repo);
        let hash = hash(repo);
        for (kind, records) in KINDS.into_iter().zip(&records) {
            let filter = Filter::all().kind(kind);
            let listed = store.repo_at(&hash).memory().list(filter).unwrap();
            assert_eq!(&listed.iter().map(said).collect::<Vec<_>>(), records, "list and get agree");
        }
        let newest = store.repo_at(&hash).summaries().list(summary::Filter::default()).unwrap();
        Remembered { records, steps: newest.iter().rev().map(|it| it.step_id.clone()).collect() }
    })
}

/// A handle whose system calls can be interrupted.
struct Stoppable {
    store: Store,
    faulty: Faulty,
}

impl Stoppable {
    fn open(home: &TestHome) -> Self {
        let faulty = Faulty::default();
        let most = u32::try_from(MOST).unwrap();
        let options = Options::at(home.root()).clock("2026-01-31T12:00:00Z").summaries_max_entries(most);
        Stoppable { store: loopmem::testing::open_on(options, faulty.on(home.fs()), []).unwrap(), faulty }
    }
}

/// Runs `turns`, some on the real file system, and compares with the model.
fn play(turns: &[Turn]) {
    let home = if turns.len().is_multiple_of(4) { TestHome::on_tmpfs() } else { TestHome::in_memory() };
    let mut handles = [Stoppable::open(&home), Stoppable::open(&home)];
    let mut model = Model::default();
    for (number, turn) in turns.iter().enumerate() {
        match turn {
            Turn::One { operation, handle } => {
                let outcome = perform(&handles[*handle].store, operation, number);
                let old = model.clone();
                let expected = expect(&mut model, operation, number);
                // A source that never remembered anything is not found.
                let is_empty = |repo: &usize| old[*repo] == Remembered::default();
                let unknown = matches!(operation, Operation::Migrate { repo } if is_empty(repo));
                assert!(
                    outcome == expected || (unknown && outcome == Outcome::Refused(ErrorKind::NotFound)),
                    "{operation:?}: {outcome:?}, not {expected:?}"
                );
            }
            Turn::Stopped { operation, handle, call } => {
                let handle = &mut handles[*handle];
                handle.faulty.arm(*call, Fault::Stop);
                // A read may be stopped anywhere, and there is nothing to see of it.
                let outcome = match operation {
                    Operation::Get { .. } => Outcome::Refused(ErrorKind::Io),
                    _ => perform(&handle.store, operation, number),
                };
                let was_stopped = handle.faulty.disarm();
                *handle = Stoppable::open(&home);
                let old = model.clone();
                expect(&mut model, operation, number);
                let between = [0, 1].map(|repo| Remembered { steps: old[repo].steps.clone(), ..model[repo].clone() });
                let left = found(&handle.store);
                let is_whole = left == model
                    || (was_stopped && matches!(outcome, Outcome::Refused(_)) && (left == old || left == between));
                assert!(is_whole, "{operation:?}, which ended with {outcome:?}, left {left:?} of {old:?}");
                model = left;
            }
            Turn::AtOnce(one, other, handle) => {
                let outcomes = std::thread::scope(|threads| {
                    let thread = threads.spawn(|| perform(&handles[0].store, one, number));
                    let outcome = perform(&handles[*handle].store, other, number + turns.len());
                    (thread.join().unwrap(), outcome)
                });
                let left = found(&handles[0].store);
                let serial = [true, false].map(|one_first| {
                    let mut after = model.clone();
                    let mut first = one_first.then(|| expect(&mut after, one, number));
                    let second = expect(&mut after, other, number + turns.len());
                    let first = first.take().unwrap_or_else(|| expect(&mut after, one, number));
                    ((first, second), after)
                });
                assert!(
                    serial.contains(&(outcomes.clone(), left.clone())),
                    "{outcomes:?} and {left:?}, of {serial:#?}"
                );
                model = left;
            }
            Turn::Reopen { handle } => handles[*handle] = Stoppable::open(&home),
        }
        for handle in &handles {
            assert_eq!(found(&handle.store), model, "after {turn:?}");
        }
    }
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        4 => (0..2_usize, 0..3_usize, 0..5_u8, any::<u8>())
            .prop_map(|(repo, kind, id, text)| Operation::Upsert { repo, kind, id, text }),
        2 => (0..2_usize, 0..5_u8).prop_map(|(repo, id)| Operation::Remove { repo, id }),
        3 => (0..2_usize).prop_map(|repo| Operation::Append { repo }),
        1 => (0..2_usize).prop_map(|repo| Operation::Get { repo }),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    let any_operation =
        || prop_oneof![8 => operation(), 1 => (0..2_usize).prop_map(|repo| Operation::Migrate { repo })];
    prop_oneof![
        6 => (any_operation(), 0..2_usize).prop_map(|(operation, handle)| Turn::One { operation, handle }),
        3 => (any_operation(), 0..2_usize, 1..60_usize)
            .prop_map(|(operation, handle, call)| Turn::Stopped { operation, handle, call }),
        // A migration is no single step for others: it writes two files.
        2 => (operation(), operation(), 0..2_usize)
            .prop_map(|(one, other, handle)| Turn::AtOnce(one, other, handle)),
        1 => (0..2_usize).prop_map(|handle| Turn::Reopen { handle }),
    ]
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec(turn(), 1..40)
}

proptest! {
    // The same ones each time: torture is for others.
    #![proptest_config(ProptestConfig {
        cases: 40,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(40),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_sequence_of_operations_leaves_what_the_model_says(turns in turns()) {
        play(&turns);
    }
}

#[test]
#[ignore = "takes as long as configured"]
fn torture_of_the_model() {
    torture_as_configured(|seed| {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let outcome = runner.run(&turns(), |turns| {
            play(&turns);
            Ok(())
        });
        outcome.unwrap_or_else(|fault| panic!("{fault}"));
    });
}
