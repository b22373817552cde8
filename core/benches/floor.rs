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

#[path = "../tests/promises/file_systems/mod.rs"]
#[allow(dead_code, unused_imports, reason = "only the recording is needed here")]
mod file_systems;
mod measure;

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use loopmem::RepoHash;
use loopmem::memory::{Convention, ConventionDraft};
use loopmem::summary::Summary;
use loopmem::{Options, Store};

use file_systems::{Recording, Step};
use measure::{Times, ms, ratio, row, us, verdict};

const RECORDS: usize = 100;
const MANY_RECORDS: usize = 5_000;
const RECORD_BYTES: usize = 400;
const WRITES: usize = 400;
const LATE_WRITES: usize = 100;
/// Longer than a file counts as just written.
const LATE: Duration = Duration::from_millis(50);
const BATCHES: usize = 200;
const THREADS: usize = 64;

fn main() {
    // Below the build's folder: what `tempfile` takes by default is memory on many machines, which syncs for nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let repo = RepoHash::parse(&"a".repeat(64)).unwrap();
    let open = |name: &str| Store::open(Options::at(folder.path().join(name))).unwrap();
    let (store, large) = (open("home"), open("large"));
    let document = fill(&store, &repo, RECORDS);
    row("what (Rust, medians)", "measured", "target", "");
    upsert(&store, &repo, &document, RECORDS, Duration::from_micros(60));
    upsert(&large, &repo, &fill(&large, &repo, MANY_RECORDS), MANY_RECORDS, Duration::from_micros(1_500));
    late_upsert(&large, &repo);
    syncs(folder.path(), &repo);
    at_once(folder.path(), &repo);
    warm_get(&store, &repo, &document);
    identify(&store);
}

/// An upsert into so many records, and a bare durable replacement of as many bytes in the same folder.
fn upsert(store: &Store, repo: &RepoHash, document: &Path, records: usize, most: Duration) {
    let bytes = fs::read(document).unwrap();
    let (mut ours, mut floor) = (Times::default(), Times::default());
    let (mut our_wall, mut floor_wall) = (Times::default(), Times::default());
    for round in 0..WRITES {
        let call = || store.repo_at(repo).memory().upsert(draft(round, records)).unwrap();
        let mut one = || our_wall.wall(|| ours.cpu(call));
        let mut other = || floor_wall.wall(|| floor.cpu(|| bare_replace(document, &bytes)));
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
        &format!("upsert, {records} records, CPU"),
        &format!("{} = floor {} + {} ({})", ms(ours), ms(floor), ms(more), ratio(ours, floor)),
        &format!("floor + {}", ms(most)),
        verdict(more <= most),
    );
    let (ours, floor) = (our_wall.median(), floor_wall.median());
    row(
        &format!("upsert, {records} records, wall time"),
        &format!("{} ({} its floor of {})", ms(ours), ratio(ours, floor), ms(floor)),
        "1.25× its floor",
        verdict(ours.as_secs_f64() <= 1.25 * floor.as_secs_f64()),
    );
}

/// An upsert into many records a while after the last one, when what the last one left in memory is no longer trusted
/// without a look at the file, and a bare replacement after the same pause.
fn late_upsert(store: &Store, repo: &RepoHash) {
    let document = loopmem::testing::home(store).layout().memory(repo);
    let bytes = fs::read(&document).unwrap();
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for round in 0..LATE_WRITES {
        thread::sleep(LATE);
        ours.wall(|| store.repo_at(repo).memory().upsert(draft(round, MANY_RECORDS)).unwrap());
        thread::sleep(LATE);
        floor.wall(|| bare_replace(&document, &bytes));
    }
    let (ours, floor) = (ours.median(), floor.median());
    row(
        &format!("upsert, {MANY_RECORDS} records, late"),
        &format!("{} ({} its floor of {})", ms(ours), ratio(ours, floor), ms(floor)),
        "1.20× its floor",
        verdict(ours.as_secs_f64() <= 1.2 * floor.as_secs_f64()),
    );
}

/// What an upsert and an append sync, once folders and files are there.
fn syncs(folder: &Path, repo: &RepoHash) {
    let recording = Recording::default();
    let store = loopmem::testing::open_on(Options::at(folder.join("recorded")), recording.fs(), []).unwrap();
    let told = |what: &str, (files, folders): (usize, usize), most: (usize, usize)| {
        let measured = format!("{files} of a file, {folders} of a folder");
        row(
            &format!("{what}, syncs"),
            &measured,
            &format!("{} and {}", most.0, most.1),
            verdict((files, folders) == most),
        );
    };
    let upsert = |round| drop(store.repo_at(repo).memory().upsert(draft(round, RECORDS)).unwrap());
    told("upsert", synced_by_the_second(&recording, upsert), (1, 1));
    let append = |round: usize| {
        drop(store.repo_at(repo).summaries().append(Summary::draft("run", round.to_string(), "Done.")).unwrap());
    };
    told("append", synced_by_the_second(&recording, append), (1, 0));
}

/// How many files and folders the second call syncs.
fn synced_by_the_second(recording: &Recording, call: impl Fn(usize)) -> (usize, usize) {
    call(0);
    recording.take();
    call(1);
    let steps = recording.take();
    let count = |is: fn(&Step) -> bool| steps.iter().filter(|step| is(step)).count();
    (count(|step| matches!(step, Step::Sync(..))), count(|step| matches!(step, Step::SyncFolder(_))))
}

/// How many commits `THREADS` upserts make that come at once: how often the document is replaced.
fn at_once(folder: &Path, repo: &RepoHash) {
    let recording = Recording::default();
    let store = loopmem::testing::open_on(Options::at(folder.join("at-once")), recording.fs(), []).unwrap();
    let document = fill(&store, repo, RECORDS);
    recording.take();
    let together = Barrier::new(THREADS);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, together) = (&store, &together);
            scope.spawn(move || {
                together.wait();
                store.repo_at(repo).memory().upsert(draft(thread, RECORDS)).unwrap();
            });
        }
    });
    let is_commit = |step: &&Step| matches!(step, Step::Rename(_, to) if *to == document);
    let commits = recording.take().iter().filter(is_commit).count();
    row(
        &format!("{THREADS} threads upsert at once"),
        &format!("{commits} commits"),
        "4 commits",
        verdict(commits <= 4),
    );
}

/// A warm `get`, and the locks and looks it takes, bare.
fn warm_get(store: &Store, repo: &RepoHash, document: &Path) {
    let beside = |suffix: &str| PathBuf::from(format!("{}{suffix}", document.display()));
    let lock_path = beside(".lock");
    let open = |path: &Path| OpenOptions::new().read(true).write(true).open(path).unwrap();
    let (gate, lock) = (open(&beside(".gate")), open(&lock_path));
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    thread::sleep(Duration::from_millis(50));
    let memory = store.repo_at(repo).memory();
    assert_eq!(memory.get().unwrap().conventions().unwrap().len(), RECORDS);
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..BATCHES {
        ours.batch(|| memory.get().unwrap());
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

/// Identifying the repository that this crate lies in, and reading the two files of it that say where HEAD is.
fn identify(store: &Store) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let top = here.parent().unwrap();
    let (mut ours, mut floor) = (Times::default(), Times::default());
    for _ in 0..BATCHES {
        ours.wall(|| store.repos().identify(here).unwrap());
        floor.wall(|| ["HEAD", "config"].map(|name| std::fs::read(top.join(".git").join(name))).map(drop));
    }
    let (ours, floor) = (ours.median(), floor.median());
    row(
        "repo.identify",
        &format!("{} ({} reading HEAD and config)", ms(ours), ratio(ours, floor)),
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

/// A document of so many conventions: one stored through loopmem, the others its copies. Returns where.
fn fill(store: &Store, repo: &RepoHash, records: usize) -> PathBuf {
    let one = store.repo_at(repo).memory().upsert(draft(0, records)).unwrap();
    let (one, first) = (one.json().get(), id(0));
    assert_eq!(one.len(), RECORD_BYTES);
    let copies: Vec<String> = (0..records).map(|index| one.replace(&first, &id(index))).collect();
    let document = loopmem::testing::home(store).layout().memory(repo);
    let text = fs::read_to_string(&document).unwrap().replace(one, &copies.join(",\n"));
    fs::write(&document, text).unwrap();
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    thread::sleep(Duration::from_millis(50));
    assert_eq!(store.repo_at(repo).memory().get().unwrap().conventions().unwrap().len(), records);
    document
}

fn id(index: usize) -> String {
    format!("convention-{index:04}")
}

/// A draft whose record is `RECORD_BYTES` long as JSON, for one of so many ids.
fn draft(round: usize, records: usize) -> ConventionDraft {
    let said = format!("Said in round {round:05}: all packages live under packages/ with NodeNext ESM. ");
    let content: String = said.chars().cycle().take(225).collect();
    Convention::draft("Use pnpm workspaces", content).id(id(round % records)).tags(["tooling", "packages"])
}
