//! How well the map of a repository shows what a task is about: `tests/repomap/README.md` tells how that is measured.

#![allow(clippy::disallowed_methods, reason = "the repositories are not part of a home")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

mod baselines;
mod crates;
mod history;

use std::collections::BTreeSet;
use std::path::Path;

use loopmem::index::{Map, SymbolQuery};
use loopmem::{Options, Store};

/// The sizes of the maps, in tokens of [`TOKEN_CHARS`] each.
const TOKENS: [usize; 3] = [1_024, 2_048, 4_096];
const TOKEN_CHARS: usize = 4;

/// What an agent is asked for, and what it turned out to be about.
struct Task {
    prompt: String,
    /// The files and definitions that are answers.
    files: BTreeSet<String>,
    symbols: BTreeSet<(String, String)>,
}

/// The parts of the tasks whose answers are shown, for each size.
#[derive(Debug, Default, Clone)]
struct Score {
    tasks: usize,
    shown: [usize; 3],
    symbol: [usize; 3],
}

impl Score {
    fn add(&mut self, task: &Task, map: impl Fn(usize) -> Map) {
        self.tasks += 1;
        for (at, tokens) in TOKENS.into_iter().enumerate() {
            let map = map(tokens * TOKEN_CHARS);
            assert!(map.text.chars().count() <= tokens * TOKEN_CHARS, "a map exceeds its budget");
            let shown = |file: &&loopmem::index::MappedFile| !file.symbols.is_empty();
            let files: Vec<_> = map.files.iter().filter(shown).collect();
            self.shown[at] += usize::from(files.iter().any(|file| task.files.contains(&file.path)));
            let is_named = |file: &&loopmem::index::MappedFile| {
                file.symbols.iter().any(|name| task.symbols.contains(&(file.path.clone(), name.clone())))
            };
            self.symbol[at] += usize::from(files.into_iter().any(|file| is_named(&file)));
        }
    }

    fn part(&self, counts: [usize; 3]) -> [f64; 3] {
        counts.map(|count| count as f64 / (self.tasks as f64).max(1.0))
    }

    fn shown(&self) -> f64 {
        self.part(self.shown)[0]
    }

    fn symbol(&self) -> f64 {
        self.part(self.symbol)[0]
    }
}

/// The scores of one set of tasks.
#[derive(Default)]
struct Scores {
    ours: Score,
    without_history: Score,
    alphabetical: Score,
    bm25: Score,
}

impl Scores {
    /// Adds a task in the state in which the work tree at `top` is.
    fn add(&mut self, store: &Store, top: &Path, task: &Task) {
        let index = store.repo(top).unwrap().index();
        let prompt = Some(task.prompt.as_str());
        self.ours.add(task, |chars| index.map(chars, prompt, &[]).unwrap());
        self.without_history.add(task, |chars| loopmem::testing::map_without_history(&index, chars, prompt).unwrap());
        let files = baselines::Files::of(&index, top);
        let (alphabetical, bm25) = (files.alphabetical(), files.by_words(&task.prompt));
        self.alphabetical.add(task, |chars| files.map(&alphabetical, chars));
        self.bm25.add(task, |chars| files.map(&bm25, chars));
    }

    fn report(&self, set: &str) {
        if std::env::var_os("LOOPMEM_REPORT").is_none() {
            return;
        }
        for (name, score) in [
            ("ours", &self.ours),
            ("no history", &self.without_history),
            ("plain BM25", &self.bm25),
            ("alphabetical", &self.alphabetical),
        ] {
            let cells = |parts: [f64; 3]| parts.map(|part| format!("{part:.2}")).join(" ");
            let (shown, symbol) = (cells(score.part(score.shown)), cells(score.part(score.symbol)));
            println!("{set:8} {name:14} {:4} tasks  shown {shown}  symbol {symbol}", score.tasks);
        }
    }

    #[track_caller]
    fn assert_better(&self, set: &str) {
        for (name, other) in [("plain BM25", &self.bm25), ("alphabetical order", &self.alphabetical)] {
            assert!(self.ours.shown() >= other.shown(), "{set}: {name} shows more: {:?}, {other:?}", self.ours);
            assert!(self.ours.symbol() >= other.symbol(), "{set}: {name} names more: {:?}, {other:?}", self.ours);
        }
    }
}

/// How many tasks of a set are measured; each takes half a second.
fn most_tasks(usual: usize) -> usize {
    std::env::var("LOOPMEM_REPOMAP_TASKS").ok().and_then(|most| most.parse().ok()).unwrap_or(usual)
}

fn store(folder: &Path) -> Store {
    Store::open(Options::at(folder.join("home")).codex_home(folder.join("codex"))).unwrap()
}

/// The names of the definitions of a file, each with its line, by line.
fn definitions(index: &loopmem::index::Index, path: &str) -> Vec<(u32, String)> {
    let query = SymbolQuery::new().path(path.to_owned()).limit(1_000);
    let mut found: Vec<_> = index.symbols(&query).unwrap().into_iter().map(|it| (it.line, it.name)).collect();
    found.sort();
    found
}

fn git(folder: &Path, args: &[&str]) -> Option<String> {
    let who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "core.quotePath=false"];
    let output = std::process::Command::new("git").args(who).args(args).current_dir(folder).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Some twenty seconds: forty commits are checked out and indexed. They differ from one commit to the next.
#[test]
#[ignore = "`scripts/torture map`"]
fn the_map_shows_what_commits_of_this_project_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut scores = Scores::default();
    history::each_task(folder.path(), most_tasks(40), |top, task| scores.add(&store(folder.path()), top, task));
    scores.report("history");
    scores.assert_better("history");
}

/// Some seconds: forty maps, each with its alternatives.
#[test]
fn the_map_shows_the_functions_that_documentation_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut scores = Scores::default();
    crates::each_task(folder.path(), most_tasks(40), |top, task| scores.add(&store(folder.path()), top, task));
    scores.report("crates");
    scores.assert_better("crates");
}
