//! What loopmem promises about its files; each test is named after its promise.
//!
//! This is one binary, so that it is linked once. Tests that need another process start this binary with the name of
//! one of its ignored tests, which contains the code of that process.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests look at files from outside")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod adopt;
mod archive;
mod blocking_repositories;
mod branch;
mod cache;
mod calls;
mod commits;
mod context_pack;
mod copying;
mod crash;
mod crash_fallback;
mod crash_sequences;
mod crash_states;
mod crash_trial;
mod credentials;
mod cuts;
mod doctor;
mod doctor_scopes;
mod doctor_table;
mod documents;
mod durability;
mod fallback;
mod faults;
mod file_systems;
mod forks;
mod formats;
mod git_environment;
mod git_leniency;
mod hostile_files;
mod hostile_repositories;
mod identity;
mod index;
mod introduction;
mod invisible;
mod items;
mod items_environment;
mod items_files;
mod items_legacy;
mod items_processes;
mod items_standing;
mod locks;
mod model;
mod operations;
mod ownership;
mod redaction_key;
mod redactions;
mod redis;
mod redis_answers;
mod redis_cluster;
mod redis_fake;
mod redis_hostile;
mod redis_server;
mod redis_tls;
mod rollouts;
mod scope_files;
mod seam;
mod secret_fates;
mod secret_walk;
mod secrets;
mod several_stores;
mod simulated_disk;
mod sqlite;
mod sqlite_doctor;
mod sqlite_hostile;
mod sqlite_processes;
mod sync;
mod torture;
mod trash;
mod working;
mod working_host;

use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use loopmem::RepoHash;
use loopmem::doctor::Report;
use loopmem::memory::Convention;
use loopmem::summary::Summary;
use loopmem::testing::disk::{Fs, Handle, Open, RealFs};
use loopmem::{CallOptions, Options, Result, Store};

use crate::file_systems::MemoryFs;

/// The environment variable with the home of a process that a test started.
const HOME: &str = "LOOPMEM_PROMISES_HOME";

/// A home below a folder of its own; it does not exist until something is written.
struct TestHome {
    top: PathBuf,
    place: Place,
}

/// The file system of a home.
enum Place {
    /// The real one: the folder is removed when this is dropped.
    Folder {
        _folder: tempfile::TempDir,
    },
    Memory(MemoryFs),
}

impl TestHome {
    /// In a temporary folder.
    fn new() -> Self {
        TestHome::below(tempfile::tempdir().unwrap())
    }

    /// In a temporary folder where a sync costs nothing, if there is one. For tests that open many homes and look at
    /// them from outside.
    fn on_tmpfs() -> Self {
        TestHome::below(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn below(folder: tempfile::TempDir) -> Self {
        TestHome { top: folder.path().to_owned(), place: Place::Folder { _folder: folder } }
    }

    /// In a file system of its own. For tests that open thousands of homes.
    fn in_memory() -> Self {
        let (fs, top) = (MemoryFs::new(), PathBuf::from("/top"));
        fs.create_folder(&top).unwrap();
        TestHome { top, place: Place::Memory(fs) }
    }

    /// Another home with the same files.
    fn copy(&self) -> Self {
        match &self.place {
            Place::Memory(fs) => TestHome { top: self.top.clone(), place: Place::Memory(fs.snapshot()) },
            Place::Folder { .. } => crash_trial::home_of(&crash_trial::tree_of(self), self.is_real()),
        }
    }

    /// Whether its system calls are those of the kernel.
    fn is_real(&self) -> bool {
        matches!(self.place, Place::Folder { .. })
    }

    fn fs(&self) -> Arc<dyn Fs> {
        match &self.place {
            Place::Folder { .. } => Arc::new(RealFs),
            Place::Memory(fs) => Arc::new(fs.clone()),
        }
    }

    /// The folder above everything that loopmem creates.
    fn top(&self) -> &Path {
        &self.top
    }

    fn root(&self) -> PathBuf {
        self.top.join("user").join("home")
    }

    /// The Codex home.
    fn codex(&self) -> PathBuf {
        codex_of(&self.root())
    }

    fn folder(&self) -> PathBuf {
        self.root().join("repos").join(repo().as_str())
    }

    fn memory(&self) -> PathBuf {
        self.folder().join("memory.json")
    }

    fn summaries(&self) -> PathBuf {
        self.folder().join("summaries.jsonl")
    }

    /// A store as another process would open it: nothing of it is shared.
    fn open(&self) -> Store {
        open(&self.root(), self.fs())
    }

    /// The bytes of a file.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        let fs = self.fs();
        fs.open(path, Open::Read).and_then(|file| fs.read(&file, u64::MAX))
    }

    /// Writes a file, as another program would.
    fn write(&self, path: &Path, bytes: impl AsRef<[u8]>) {
        self.write_as(path, Open::Overwrite, bytes.as_ref());
    }

    fn write_as(&self, path: &Path, how: Open, bytes: &[u8]) {
        let fs = self.fs();
        let file = fs.open(path, how).unwrap();
        assert_eq!(fs.write(&file, bytes).unwrap(), bytes.len());
    }

    /// Creates a folder and the folders above it, if necessary.
    fn create_folders(&self, folder: &Path) {
        let fs = self.fs();
        let missing: Vec<_> = folder.ancestors().take_while(|folder| fs.stat_path(folder).is_err()).collect();
        missing.iter().rev().for_each(|folder| fs.create_folder(folder).unwrap());
    }

    /// Puts a file into the repository's folder, as somebody else may have left it.
    fn put(&self, path: &Path, bytes: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.folder()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Every file and folder below the home.
    fn entries(&self) -> Vec<PathBuf> {
        self.entries_below(&self.root())
    }

    fn entries_below(&self, folder: &Path) -> Vec<PathBuf> {
        fn collect(fs: &dyn Fs, folder: &Path, found: &mut Vec<PathBuf>) {
            for name in fs.list(folder).unwrap_or_default() {
                let path = folder.join(name);
                collect(fs, &path, found);
                found.push(path);
            }
        }
        let mut found = Vec::new();
        collect(&*self.fs(), folder, &mut found);
        found
    }

    #[track_caller]
    fn assert_no_litter(&self) {
        let litter = self.entries().into_iter().find(|path| path.extension().is_some_and(|it| it == "tmp"));
        assert_eq!(litter, None);
    }
}

fn open(home: &Path, fs: Arc<dyn Fs>) -> Store {
    loopmem::testing::open_on(Options::at(home).codex_home(codex_of(home)), fs, []).unwrap()
}

/// The Codex home of a home.
fn codex_of(home: &Path) -> PathBuf {
    home.join("codex")
}

/// The one repository of these tests.
fn repo() -> RepoHash {
    RepoHash::parse(&"5e".repeat(32)).unwrap()
}

/// Call options with this time-out.
fn at_most(timeout: Duration) -> CallOptions {
    CallOptions::new().timeout(timeout)
}

/// The doctor's report, with or without `fix`.
fn look(store: &Store, fix: bool) -> Result<Report> {
    let doctor = store.doctor();
    if fix { doctor.fix() } else { doctor.check() }
}

fn upsert(store: &Store, id: &str, content: &str) -> Result<()> {
    let draft = Convention::draft("A title", content).id(id);
    store.repo_at(&repo()).memory().upsert(draft).map(drop)
}

fn append(store: &Store, step: &str) -> Result<()> {
    store.repo_at(&repo()).summaries().append(Summary::draft("run", step, "What the step did.")).map(drop)
}

/// Id and content of every convention, in the order of the file.
fn conventions(store: &Store) -> Vec<(String, String)> {
    let memory = store.repo_at(&repo()).memory().get().unwrap();
    memory.conventions().unwrap().iter().map(|it| (it.id.clone(), it.content.clone())).collect()
}

/// The steps that were summarized, oldest first.
fn steps(store: &Store) -> Vec<String> {
    let newest = store.repo_at(&repo()).summaries().list(loopmem::summary::Filter::default()).unwrap();
    newest.iter().rev().map(|stored| stored.step_id.clone()).collect()
}

/// Another process, which is killed when the test ends.
struct Ending(Child);

impl Deref for Ending {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Ending {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Most have ended by themselves.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts this binary as another process that runs the ignored test `part` on `home`, and reads its output.
fn start(part: &str, home: &Path) -> (Ending, Lines<BufReader<ChildStdout>>) {
    start_as(part, home, Stdio::inherit())
}

fn start_as(part: &str, home: &Path, input: Stdio) -> (Ending, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", part, "--ignored", "--nocapture"])
        .env(HOME, home)
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    (Ending(child), said)
}

/// As [`start`]; the process can wait for `stdin` to be dropped.
fn start_with_input(part: &str, home: &Path) -> (Ending, Lines<BufReader<ChildStdout>>) {
    start_as(part, home, Stdio::piped())
}

/// The home passed by [`start`]; `None` if the ignored tests were started by hand.
fn started_on() -> Option<PathBuf> {
    // The test runner may have begun a line.
    println!();
    std::env::var_os(HOME).map(PathBuf::from)
}

/// Holds the lock of `data` until it is dropped, as another process would.
fn hold(data: &Path) -> File {
    let path = format!("{}.lock", data.display());
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap();
    fs2::FileExt::lock_exclusive(&file).unwrap();
    file
}

/// As [`hold`], on any file system.
fn hold_on(fs: &dyn Fs, data: &Path) -> Handle {
    let file = fs.open(Path::new(&format!("{}.lock", data.display())), Open::CreateLock).unwrap();
    while !fs.try_lock(&file, true).unwrap() {
        std::thread::yield_now();
    }
    file
}
