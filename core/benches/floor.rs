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

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loopmem::disk::{Recording, Step, Stored, Wait};
use loopmem::home::RepoHash;
use loopmem::memory::{ConventionDraft, Record};
use loopmem::{Options, Store};

const RECORDS: usize = 100;
const RECORD_BYTES: usize = 400;
const WRITES: usize = 400;
const BATCHES: usize = 200;
/// Calls too short for the clock are timed so many at once.
const BATCH: u32 = 100;

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

/// One measurement a round.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn cpu<T>(&mut self, call: impl FnOnce() -> T) {
        let before = thread_cpu();
        black_box(call());
        self.0.push(thread_cpu().saturating_sub(before));
    }

    fn wall<T>(&mut self, call: impl FnOnce() -> T) {
        let before = Instant::now();
        black_box(call());
        self.0.push(before.elapsed());
    }

    fn batch<T>(&mut self, call: impl Fn() -> T) {
        let before = Instant::now();
        for _ in 0..BATCH {
            black_box(call());
        }
        self.0.push(before.elapsed() / BATCH);
    }

    fn median(mut self) -> Duration {
        self.0.sort_unstable();
        self.0[self.0.len() / 2]
    }
}

/// The CPU time of this thread, in the kernel and out of it.
#[allow(unsafe_code, reason = "std has no clock of CPU time")]
fn thread_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours, and the clock is one that every Unix here has.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn us(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

fn ratio(ours: Duration, floor: Duration) -> String {
    format!("{:.2}×", ours.as_secs_f64() / floor.as_secs_f64())
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "ok" } else { "MISSED" }
}

/// The columns are those of the other languages' benches: `scripts/bench` prints them as one table.
fn row(what: &str, measured: &str, target: &str, verdict: &str) {
    println!("{what:<32} | {measured:<56} | {target:<20} | {verdict}");
}
