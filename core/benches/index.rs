//! What the index of a repository and a pack with its map cost, in CPU time, beside `git status` and the `lstat` of each file
//! in the same run.
//!
//! `cargo bench -p loopmem --bench index` prints a table and fails nothing. `LOOPMEM_BENCH_REPOSITORY=FOLDER` measures a
//! repository of your own instead of a generated one; it appends a line to one of its files and removes it again.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use loopmem::items::{ItemDraft, ItemType, Scope};
use loopmem::memory::{Convention, Note};
use loopmem::{Options, Store};

use measure::{Times, children_cpu, ms, row, verdict};

/// The generated repository: as many files, of about 8 kB each.
const FILES: usize = 5_000;
const FUNCTIONS: usize = 60;
const REPEATS: u32 = 10;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let top = std::env::var_os("LOOPMEM_BENCH_REPOSITORY").map_or_else(|| generated(folder.path()), PathBuf::from);
    row("what (Rust)", "measured", "target", "");
    let files = tracked(&top);
    println!("{} tracked files", files.len());
    let lstat = of_process(REPEATS, || files.iter().for_each(|file| drop(std::fs::symlink_metadata(top.join(file)))));
    let status = of_children(REPEATS, || git(&top, &["status", "--porcelain"]));
    row("lstat of each tracked file", &ms(lstat), "", "");
    row("git status", &ms(status), "", "");
    let home = folder.path().join("home");
    let cold = of_process(1, || drop(map(&store(&home), &top, "retry uploads when the connection drops")));
    row("first map", &ms(cold), "aider's / 150", "");
    let mut prompt = 0;
    let mut warm = || {
        prompt += 1;
        drop(map(&store(&home), &top, &format!("retry upload{prompt} when the parser of tokens fails")));
    };
    let warm = of_process(REPEATS, &mut warm);
    let target = (lstat * 2).min(status / 2);
    row(
        "another prompt, fresh handle",
        &ms(warm),
        &format!("2 x lstat, status / 2: {}", ms(target)),
        verdict(warm <= target),
    );
    let touched =
        touched(&home, &top, files.iter().find(|file| file.ends_with(".rs") || file.ends_with(".ts")).unwrap());
    let target = warm + Duration::from_millis(5);
    row("one file touched", &ms(touched), &format!("warm + 5 ms: {}", ms(target)), verdict(touched <= target));
    pack(&home, &top);
}

/// A pack of 8,000 characters from 1,000 records, 10,000 items and the index.
fn pack(home: &Path, top: &Path) {
    let codex = home.join("codex");
    let store = Store::open(Options::at(home).codex_home(&codex)).unwrap();
    let repo = store.repo(top).unwrap();
    for number in 0..400 {
        let title = format!("Convention {number}");
        repo.memory()
            .upsert(Convention::draft(title, format!("Rule {number} about parsers of kind {}", number % 37)))
            .unwrap();
    }
    for number in 0..600 {
        repo.memory()
            .upsert(Note::draft(format!("Note {number}: the upload of part {} was slow", number % 91)))
            .unwrap();
    }
    let items = store.items(top);
    for number in 0..10_000 {
        let content = format!("Item {number}: retry {} waits for lock {}", number % 211, number % 97);
        items.add(ItemDraft::new(Scope::Global, ItemType::Note, content)).unwrap();
    }
    let build = || {
        let pack = repo.context(8_000).prompt("retry the upload when the lock is held").build().unwrap();
        assert!(pack.text.len() > 6_000, "{}", pack.text.len());
    };
    build();
    let with_map = of_process(REPEATS, build);
    let lstat = of_process(REPEATS, || assert!(repo.index().refresh().unwrap().files > 0));
    row("pack of 8,000 characters", &ms(with_map), "5 ms", verdict(with_map <= Duration::from_millis(5)));
    row("of this, whether the index is current", &ms(lstat), "", "");
}

fn store(home: &Path) -> Store {
    Store::open(Options::at(home)).unwrap()
}

fn map(store: &Store, top: &Path, prompt: &str) -> String {
    store.repo(top).unwrap().index().map(4_096, Some(prompt), &[]).unwrap().text
}

/// The map after a line was added to a file.
fn touched(home: &Path, top: &Path, file: &str) -> Duration {
    let path = top.join(file);
    let before = std::fs::read(&path).unwrap();
    let mut total = Duration::ZERO;
    for number in 0..REPEATS {
        std::fs::write(&path, [before.as_slice(), format!("\n// line {number}\n").as_bytes()].concat()).unwrap();
        // Until the stamp of the file is certain.
        std::thread::sleep(Duration::from_millis(50));
        total += of_process(1, || drop(map(&store(home), top, "retry uploads")));
    }
    std::fs::write(&path, before).unwrap();
    total / REPEATS
}

fn generated(folder: &Path) -> PathBuf {
    let top = folder.join("generated");
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{}_{}", WORDS[(state % 16) as usize], WORDS[(state / 16 % 16) as usize])
    };
    for number in 0..FILES {
        let path = top.join(format!("module{}/part{}/file{number}.rs", number % 50, number % 7));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let function = |_| {
            format!(
                "pub fn {0}_{number}(input: &str) -> usize {{\n    let {1} = {2}(input);\n    {1} + {3}.len()\n}}\n\n",
                word(),
                word(),
                word(),
                word()
            )
        };
        std::fs::write(path, (0..FUNCTIONS).map(function).collect::<String>()).unwrap();
    }
    git(&top, &["init", "-q"]);
    git(&top, &["add", "-A"]);
    git(&top, &["-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "all"]);
    top
}

const WORDS: [&str; 16] = [
    "retry", "upload", "parser", "token", "lock", "journal", "append", "server", "proxy", "client", "buffer", "index",
    "query", "session", "lease", "cache",
];

fn tracked(top: &Path) -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(top).output().unwrap();
    String::from_utf8_lossy(&output.stdout).split('\0').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn git(top: &Path, args: &[&str]) {
    assert!(Command::new("git").args(args).current_dir(top).output().unwrap().status.success(), "{args:?}");
}

/// The median CPU time of a run.
fn of_process(runs: u32, mut run: impl FnMut()) -> Duration {
    let mut times = Times::default();
    (0..runs).for_each(|_| times.cpu(&mut run));
    times.median()
}

/// The mean CPU time of the processes that a run starts.
fn of_children(runs: u32, mut run: impl FnMut()) -> Duration {
    let begun = children_cpu();
    (0..runs).for_each(|_| run());
    (children_cpu() - begun) / runs
}
