//! The speed of memories on git branches, measured in one run with a shell script of plain git commands for the same work.
//!
//! `cargo bench -p loopmem --bench branch` prints a table and fails nothing. Rounds of loopmem and of its floor take turns, and
//! medians are compared.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use loopmem::branch::{Branches, Memory, PushOptions, Source};
use loopmem::{Options, Store};
use serde_json::json;

use measure::{Times, children_cpu, ms, process_cpu, ratio, row, verdict};

const ROUNDS: usize = 21;
/// The files on the branch, and how many of them an agent changes.
const FILES: usize = 100;
const CHANGED: usize = 10;
/// The files that are validated, and the size of each in bytes.
const VALIDATED: usize = 1_000;
const SIZE: usize = 10_000;

/// Clones the branch, copies the agent's files over it, and pushes them, as the original does.
const SCRIPT: &str = r#"
set -e
git clone --quiet --depth 1 --single-branch --branch "$2" "file://$1" "$3"
cp -r "$4/." "$3"
cd "$3"
git add -A
git commit --quiet -m 'Update repo memory from workflow run 1'
git pull --quiet --no-rebase -X ours origin "$2"
git push --quiet origin "HEAD:$2"
"#;

fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    row("what (Rust, medians)", "measured", "target", "");
    round_trip(folder.path());
    nothing_to_say(folder.path());
    validate(folder.path());
}

fn open(folder: &Path, config: serde_json::Value) -> (Branches, Memory) {
    let options = Options::at(folder.join("home")).branch_memory_root(folder.join("memories"));
    let branches = Store::open(options).unwrap().branches();
    let memory = branches.parse_entry(config).unwrap();
    (branches, memory)
}

/// A bare repository, the folder of the agent's files, and a branch that has them.
fn repository(folder: &Path, name: &str) -> Source {
    git(folder, &["init", "--quiet", "--bare", name]);
    let source = Source::new().remote(folder.join(name).to_str().unwrap());
    let (branches, memory) = open(folder, json!(true));
    let first = folder.join(format!("first-{name}"));
    write(&first, FILES, 0);
    branches.push(&memory, Some(&first), &PushOptions::new().source(source.clone())).unwrap();
    source
}

fn git(folder: &Path, arguments: &[&str]) {
    assert!(Command::new("git").args(arguments).current_dir(folder).status().unwrap().success());
}

fn write(folder: &Path, count: usize, round: usize) {
    fs::create_dir_all(folder.join("notes")).unwrap();
    for number in 0..count {
        let text = format!("# Note {number} of round {round}\n\n{}", "The CI box is slow on Mondays.\n".repeat(30));
        fs::write(folder.join(format!("notes/{number:03}.md")), text).unwrap();
    }
}

fn round_trip(folder: &Path) {
    let ours = repository(folder, "ours.git");
    repository(folder, "theirs.git");
    let (branches, memory) = open(folder, json!(true));
    let agent = folder.join("agent");
    write(&agent, FILES, 0);
    fs::write(folder.join("script"), SCRIPT).unwrap();
    git(folder, &["config", "--file", "gitconfig", "user.name", "t"]);
    git(folder, &["config", "--file", "gitconfig", "user.email", "t@localhost"]);
    let (mut loopmem, mut script) = (Times::default(), Times::default());
    let (mut loopmem_wall, mut script_wall) = (Times::default(), Times::default());
    let mut requests = Requests::new(folder);
    for round in 1..=ROUNDS {
        let directory = folder.join(format!("memory-{round}"));
        loopmem_wall.wall(|| {
            loopmem.add(cpu(|| {
                branches.checkout(&memory, Some(&directory), &ours).unwrap();
                write(&directory, CHANGED, round);
                assert!(branches.validate(&memory, Some(&directory)).unwrap().ok);
                let push = branches.push(&memory, Some(&directory), &PushOptions::new().source(ours.clone()));
                assert_eq!(push.unwrap().changed.len(), CHANGED);
            }));
        });
        script_wall.wall(|| {
            script.add(cpu(|| {
                write(&agent, CHANGED, round);
                let done = Command::new("sh")
                    .arg(folder.join("script"))
                    .arg(folder.join("theirs.git"))
                    .arg("memory/default")
                    .arg(folder.join(format!("clone-{round}")))
                    .arg(&agent)
                    .env("GIT_CONFIG_GLOBAL", folder.join("gitconfig"))
                    .status();
                assert!(done.unwrap().success());
            }));
        });
        requests.round(folder, round);
    }
    let (measured, floor) = (loopmem.median(), script.median());
    let told = format!("{}, {} the script's {}", ms(measured), ratio(measured, floor), ms(floor));
    row("checkout, validate, push, CPU", &told, "0.5×", verdict(measured * 2 <= floor));
    let requests = requests.times.median();
    row(
        "git fetch and git push alone, CPU",
        &format!("{}, {} the script's", ms(requests), ratio(requests, floor)),
        "",
        "",
    );
    let (measured, floor) = (loopmem_wall.median(), script_wall.median());
    let told = format!("{}, {} the script's {}", ms(measured), ratio(measured, floor), ms(floor));
    row("the same, wall time", &told, "", "");
}

/// One shallow fetch into a new repository and one push of as many changes, by themselves: what loopmem has git do.
struct Requests {
    times: Times,
}

impl Requests {
    fn new(folder: &Path) -> Self {
        git(folder, &["init", "--quiet", "--bare", "floor.git"]);
        git(folder, &["init", "--quiet", "work"]);
        write(&folder.join("work"), FILES, 0);
        commit(folder);
        git(folder, &["-C", "work", "push", "--quiet", "../floor.git", "HEAD:memory/default"]);
        Requests { times: Times::default() }
    }

    fn round(&mut self, folder: &Path, round: usize) {
        let fetched = format!("fetched-{round}.git");
        git(folder, &["init", "--quiet", "--bare", &fetched]);
        let fetch =
            ["--git-dir", &fetched, "fetch", "--quiet", "--no-tags", "--depth=1", "floor.git", "memory/default"];
        let fetching = cpu(|| git(folder, &fetch));
        write(&folder.join("work"), CHANGED, round);
        commit(folder);
        let push = ["-C", "work", "push", "--quiet", "../floor.git", "HEAD:memory/default"];
        self.times.add(fetching + cpu(|| git(folder, &push)));
    }
}

fn commit(folder: &Path) {
    git(folder, &["-C", "work", "add", "-A"]);
    let who = ["-C", "work", "-c", "user.name=t", "-c", "user.email=t@localhost"];
    git(folder, &[&who[..], &["commit", "--quiet", "-m", "Notes"]].concat());
}

fn nothing_to_say(folder: &Path) {
    let (branches, memory) = open(folder, json!(true));
    let source = Source::new().remote(folder.join("ours.git").to_str().unwrap());
    let directory = folder.join("idle");
    branches.checkout(&memory, Some(&directory), &source).unwrap();
    let (mut push, mut look_up) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        push.add(cpu(|| {
            let push = branches.push(&memory, Some(&directory), &PushOptions::new().source(source.clone()));
            assert_eq!(push.unwrap().commit, None);
        }));
        look_up.add(cpu(|| {
            let listed = Command::new("git").args(["ls-remote", "--quiet"]).arg(folder.join("ours.git")).output();
            assert!(listed.unwrap().status.success());
        }));
    }
    let (measured, floor) = (push.median(), look_up.median());
    let told = format!("{}, {} one git ls-remote", ms(measured), ratio(measured, floor));
    row("push with nothing to say, CPU", &told, "one look-up", "");
}

fn validate(folder: &Path) {
    let config = json!({"max-file-count": VALIDATED, "file-glob": ["**/*.json", "*.json"]});
    let (branches, memory) = open(folder, config);
    let directory = folder.join("many");
    fs::create_dir_all(&directory).unwrap();
    for number in 0..VALIDATED {
        fs::write(directory.join(format!("{number:04}.json")), "x".repeat(SIZE)).unwrap();
    }
    let (mut ours, mut reading) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        ours.wall(|| assert!(branches.validate(&memory, Some(&directory)).unwrap().ok));
        reading.wall(|| {
            let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
            names.map(|path| fs::read(path).unwrap().len()).sum::<usize>()
        });
    }
    let (measured, floor) = (ours.median(), reading.median());
    let told = format!("{}, {} reading them", ms(measured), ratio(measured, floor));
    row("validate 1,000 files of 10 KB", &told, "1.5×", verdict(measured * 2 <= floor * 3));
}

/// The CPU time of a call, with that of the processes that it started.
fn cpu(call: impl FnOnce()) -> Duration {
    let before = process_cpu() + children_cpu();
    call();
    (process_cpu() + children_cpu()).saturating_sub(before)
}
