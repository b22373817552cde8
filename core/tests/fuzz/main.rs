//! Bad input: URLs, stored files, the configuration and params that nobody meant to write.
//!
//! A target takes any bytes and tells what was not kept: no panic, no hang, the right code, no loss. The inputs of
//! `tests/fuzz/corpus` are replayed here; `scripts/torture` makes new ones of them (`engine`), guided by what they reach
//! in the core (`coverage`).

#![allow(clippy::disallowed_methods, reason = "tests look at files from outside")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod config;
mod coverage;
mod engine;
mod memory;
mod mutation;
mod params;
mod reference;
mod summaries;
mod url;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loopmem::methods::{dispatch, guard};
use loopmem::testing::disk::RealFs;
use loopmem::{ErrorKind, Options, Store};
use serde_json::{Value, json};

use engine::{Target, judge, replay, torture};
use mutation::Rng;

const TARGETS: &[Target] = &[url::TARGET, memory::TARGET, summaries::TARGET, config::TARGET, params::TARGET];

/// What was not kept, if anything.
type Verdict<T = ()> = Result<T, String>;

fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The repository of every input.
const REPO: &str = "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

/// A home of its own for each input; in memory, where there is such a folder, since a sync costs nothing there.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        // Calls without a workspace must not write into the folder of the sources.
        static ELSEWHERE: std::sync::LazyLock<tempfile::TempDir> = std::sync::LazyLock::new(|| {
            let folder = tempfile::tempdir().unwrap();
            std::env::set_current_dir(folder.path()).unwrap();
            folder
        });
        std::sync::LazyLock::force(&ELSEWHERE);
        let in_memory = tempfile::tempdir_in("/dev/shm");
        Home(in_memory.or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn options(&self) -> Options {
        // Whoever waits for a lock here would wait for ever: nobody else is there.
        Options::at(self.0.path())
            .codex_home(self.0.path().join("codex"))
            .lock_timeout(std::time::Duration::from_millis(500))
            .append_timeout(std::time::Duration::from_millis(500))
    }

    /// A store as another process would open it.
    fn open(&self, options: Options) -> loopmem::Result<Store> {
        guard(|| loopmem::testing::open_on(options, Arc::new(RealFs), []))
    }

    /// A file of the repository.
    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join("repos").join(REPO).join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Empty when there is none.
    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).unwrap_or_default()
    }
}

/// The result or the refusal, which must be of one of these kinds.
fn call(store: &Store, method: &str, params: &Value, may_be: &[ErrorKind]) -> Verdict<Result<String, ErrorKind>> {
    match dispatch(store, method, &params.to_string()) {
        Ok(result) => Ok(Ok(result)),
        Err(error) if may_be.contains(&error.kind()) => Ok(Err(error.kind())),
        Err(error) => Err(format!("{method} fails with {}", error.to_json())),
    }
}

/// Lets the doctor mend a file that was refused. Whether it kept what was in it; otherwise that is too new, and still there.
fn is_set_aside(home: &Home, store: &Store, file: &str, input: &[u8]) -> Verdict<bool> {
    let check = |params: Value| call(store, "doctor.check", &params, &[])?.map_err(|kind| format!("{kind:?}"));
    check(json!({ "fix": true }))?;
    if home.read(&format!("{file}.damaged")) == input {
        return Ok(true);
    }
    let report = check(json!({}))?;
    must(report.contains("\"tooNew\""), || format!("a fix lost {report}"))?;
    must(home.read(file) == input, || "a fix changed what is too new".to_owned())?;
    Ok(false)
}

#[test]
fn urls_of_the_corpus_keep_no_credential() {
    replay(&url::TARGET);
}

#[test]
fn documents_of_the_corpus_lose_nothing() {
    replay(&memory::TARGET);
}

#[test]
fn journals_of_the_corpus_lose_nothing() {
    replay(&summaries::TARGET);
}

#[test]
fn configurations_of_the_corpus_hold_or_are_refused() {
    replay(&config::TARGET);
}

#[test]
fn params_of_the_corpus_are_taken_or_refused() {
    replay(&params::TARGET);
}

#[test]
fn no_generated_input_breaks_a_promise() {
    for target in TARGETS {
        // The same inputs every time: what fails here fails for everybody.
        let mut rng = Rng::new(7);
        for _ in 0..30 {
            let input = (target.begin)(&mut rng);
            judge(target, &input).unwrap_or_else(|fault| panic!("{}: {fault}\n{}", target.name, input.escape_ascii()));
        }
    }
}

#[test]
#[ignore = "takes as long as configured; scripts/torture runs it"]
fn torture_as_configured() {
    let wanted = std::env::var("LOOPMEM_TORTURE_TARGET").unwrap_or_default();
    let setting = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let seconds = setting("LOOPMEM_TORTURE_SECONDS").unwrap_or(1);
    let seed = setting("LOOPMEM_TORTURE_SEED").unwrap_or_else(|| RandomState::new().hash_one(std::process::id()));
    println!("LOOPMEM_TORTURE_SEED={seed}");
    let targets: Vec<_> = TARGETS.iter().filter(|it| wanted.is_empty() || it.name == wanted).collect();
    assert!(!targets.is_empty(), "there is no target {wanted:?}");
    let faults: Vec<_> =
        targets.iter().filter_map(|it| torture(it, seed, Duration::from_secs(seconds)).err()).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
