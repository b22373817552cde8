//! What a call costs in Rust, beside the bare system calls that nobody can do without, measured in the same run.
//!
//! `cargo bench -p loopmem --bench floor` prints a table and fails nothing: a slow machine is no defect. Rounds of
//! loopmem and of its floor take turns, and medians are compared. Durable writes are compared by the CPU time of the
//! thread, since other processes' syncs make wall time mean nothing.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loopmem::disk::{Recording, Step, Stored, Wait};
use loopmem::home::RepoHash;
use loopmem::memory::{ConventionDraft, Record};
use loopmem::{Options, Store};

use measure::{Times, ms, ratio, row, us, verdict};

const RECORDS: usize = 100;
const RECORD_BYTES: usize = 400;
const WRITES: usize = 400;
const BATCHES: usize = 200;

fn main() {
    // Below the build's folder: what `tempfile` takes by default is memory on many machines, which syncs for nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let repo = RepoHash::parse(&"a".repeat(64)).unwrap();
    let store = Store::open(Options::at(folder.path().join("home"))).unwrap();
    let document = fill(&store, &repo);
    row("what (Rust, medians)", "measured", "target", "");
    upsert(&store, &repo, &document);
    syncs(folder.path(), &repo);
    warm_get(&store, &repo, &document);
    identify(&store);
}

/// An upsert into `RECORDS` records, and a bare durable replacement of as many bytes in the same folder.
fn upsert(store: &Store, repo: &RepoHash, document: &Path) {
    let bytes = fs::read(document).unwrap();
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for round in 0..WRITES {
        let mut one = || ours.cpu(|| store.memory(repo).upsert_convention(&Wait::default(), draft(round)).unwrap());
        let mut other = || floor.cpu(|| bare_replace(document, &bytes));
        // Whoever comes second may find the journal warmer.
        if round % 2 == 0 {
            one();
            other();
        } else {
            other();
            one();
        }
    }
    let (ours, floor) = (ours.median(), floor.median());
    let more = ours.saturating_sub(floor);
    row(
        &format!("upsert, {RECORDS} records, CPU"),
        &format!("{} = floor {} + {} ({})", ms(ours), ms(floor), ms(more), ratio(ours, floor)),
        "floor + 0.060 ms",
        verdict(more <= Duration::from_micros(60)),
    );
}

/// What the upsert syncs, once the folders are there.
fn syncs(folder: &Path, repo: &RepoHash) {
    let recording = Recording::default();
    let store = Store::open_on(Options::at(folder.join("recorded")), recording.fs(), []).unwrap();
    fill(&store, repo);
    recording.take();
    store.memory(repo).upsert_convention(&Wait::default(), draft(0)).unwrap();
    let steps = recording.take();
    let files = steps.iter().filter(|step| matches!(step, Step::Sync(..))).count();
    let folders = steps.iter().filter(|step| matches!(step, Step::SyncFolder(_))).count();
    row(
        "upsert, syncs",
        &format!("{files} of a file, {folders} of a folder"),
        "1 and 1",
        verdict((files, folders) == (1, 1)),
    );
}

/// A warm `get`, and the locks and looks it takes, bare.
fn warm_get(store: &Store, repo: &RepoHash, document: &Path) {
    let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", document.display()));
    let lock_path = beside(".lock");
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path).unwrap();
    let (gate, lock) = (open(&beside(".gate")), open(&lock_path));
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    std::thread::sleep(Duration::from_millis(50));
    let memory = store.memory(repo);
    assert_eq!(memory.get(&Wait::default()).unwrap().conventions().len(), RECORDS);
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..BATCHES {
        ours.batch(|| memory.get(&Wait::default()).unwrap());
        floor.batch(|| {
            fs2::FileExt::try_lock_exclusive(&gate).unwrap();
            fs2::FileExt::try_lock_shared(&lock).unwrap();
            black_box(fs::symlink_metadata(&lock_path).unwrap());
            fs2::FileExt::unlock(&gate).unwrap();
            black_box(fs::symlink_metadata(document).unwrap());
            fs2::FileExt::unlock(&lock).unwrap();
        });
    }
    let (ours, floor) = (ours.median(), floor.median());
    row(
        "memory.get, warm",
        &format!("{} ({} its bare locks and stats)", us(ours), ratio(ours, floor)),
        "10 µs",
        verdict(ours < Duration::from_micros(10)),
    );
}

/// Identifying the repository that this crate lies in, and opening it with libgit2 without more.
fn identify(store: &Store) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..BATCHES {
        ours.wall(|| store.repo().identify(Some(here), None, None).unwrap());
        floor.wall(|| git2::Repository::discover(here).map(drop));
    }
    let (ours, floor) = (ours.median(), floor.median());
    row(
        "repo.identify",
        &format!("{} ({} opening it)", ms(ours), ratio(ours, floor)),
        "0.300 ms",
        verdict(ours < Duration::from_micros(300)),
    );
}

/// Temp, write, fsync, rename, fsync of the folder: what no durable replacement can do without.
fn bare_replace(document: &Path, bytes: &[u8]) {
    let (folder, target) = (document.parent().unwrap(), document.with_file_name("bare.json"));
    let temp = document.with_file_name("bare.json.new");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temp).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    fs::rename(&temp, &target).unwrap();
    File::open(folder).unwrap().sync_all().unwrap();
}

/// Stores `RECORDS` conventions; returns where.
fn fill(store: &Store, repo: &RepoHash) -> PathBuf {
    for index in 0..RECORDS {
        store.memory(repo).upsert_convention(&Wait::default(), draft(index)).unwrap();
    }
    let memory = store.memory(repo).get(&Wait::default()).unwrap();
    let length = |stored: &Arc<Stored<Record>>| stored.json().get().len();
    assert_eq!(memory.conventions().iter().map(length).max(), Some(RECORD_BYTES));
    store.home().layout().memory(repo)
}

/// A draft whose record is `RECORD_BYTES` long as JSON, for one of `RECORDS` ids.
fn draft(round: usize) -> ConventionDraft {
    let said = format!("Said in round {round:05}: all packages live under packages/ with NodeNext ESM. ");
    ConventionDraft {
        id: Some(format!("convention-{:03}", round % RECORDS)),
        title: Some("Use pnpm workspaces".into()),
        content: Some(said.chars().cycle().take(226).collect()),
        tags: Some(vec!["tooling".into(), "packages".into()]),
        ..ConventionDraft::default()
    }
}
