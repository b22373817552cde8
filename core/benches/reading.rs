//! What reading much costs: packs and lists of thousands of records, their memory, and a repository of many branches.
//!
//! `cargo bench -p loopmem --bench reading` prints a table and fails nothing: a slow machine is no defect.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use loopmem::RepoHash;
use loopmem::methods::dispatch;
use loopmem::summary::Summary;
use loopmem::{Options, Store};

use measure::{Times, ms, row, verdict};

const ROUNDS: usize = 200;
const BRANCHES: usize = 10_000;
/// Tells the process that [`peak`] starts which store it is to read.
const HOME: &str = "LOOPMEM_BENCH_HOME";

fn main() {
    if let Some(home) = std::env::var_os(HOME) {
        return read_and_tell_peak(Path::new(&home));
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    row("what (Rust, medians)", "measured", "target", "");
    pack(&folder.path().join("pack"));
    list(&folder.path().join("list"));
    peak(&folder.path().join("list"));
    identify(&folder.path().join("repository"));
}

fn repo() -> RepoHash {
    RepoHash::parse(&"a".repeat(64)).unwrap()
}

/// A home with so many records of 400 bytes, of the three kinds in turn, and so many summaries.
fn fill(home: &Path, records: usize, summaries: usize) -> Store {
    let store = Store::open(Options::at(home)).unwrap();
    let layout = loopmem::testing::home(&store).layout();
    let times = r#""createdAt":"2026-01-31T12:00:00.000Z","updatedAt":"2026-01-31T12:00:00.000Z""#;
    let said: String = "All packages live under packages/ with NodeNext ESM. ".chars().cycle().take(240).collect();
    let mut sections = [String::new(), String::new(), String::new()];
    for index in 0..records {
        let record = match index % 3 {
            0 => format!(r#"{{"id":"c-{index:05}","title":"Use pnpm","content":"{said}","tags":["tooling"],{times}}}"#),
            1 => format!(
                r#"{{"id":"d-{index:05}","summary":"Use pnpm","rationale":"{said}","impactedPaths":["src/{index}/"],{times}}}"#
            ),
            _ => format!(r#"{{"id":"n-{index:05}","content":"{said}","source":"agent",{times}}}"#),
        };
        let section = &mut sections[index % 3];
        section.push_str(if section.is_empty() { "" } else { ",\n" });
        section.push_str(&record);
    }
    let [conventions, decisions, notes] = sections;
    let document = format!(
        "{{\"schemaVersion\":1,\"conventions\":[{conventions}],\"decisions\":[{decisions}],\"notes\":[{notes}]}}\n"
    );
    std::fs::create_dir_all(layout.repo(&repo())).unwrap();
    std::fs::write(layout.memory(&repo()), document).unwrap();
    for step in 0..summaries {
        store.repo_at(&repo()).summaries().append(Summary::draft("run", step.to_string(), &said)).unwrap();
    }
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    std::thread::sleep(Duration::from_millis(50));
    store
}

/// A pack of 8,000 characters from 1,000 records and 100 summaries.
fn pack(home: &Path) {
    let store = fill(home, 1_000, 100);
    let params = format!(r#"{{"repoHash":"{}","maxChars":8000}}"#, repo());
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        times.wall(|| dispatch(&store, "context.build", &params).unwrap());
    }
    let time = times.median();
    row("pack of 1,000 + 100, warm", &ms(time), "1.000 ms", verdict(time < Duration::from_millis(1)));
}

/// Lists of 5,000 records, by each filter.
fn list(home: &Path) {
    let store = fill(home, 5_000, 0);
    for (what, filter) in [
        ("tag", r#""tag":"tooling""#),
        ("path", r#""path":"src/1000/main.rs""#),
        ("text, found", r#""text":"nodenext""#),
        ("text, not found", r#""text":"yarn berry""#),
        ("text, not ASCII", r#""text":"straße""#),
    ] {
        let params = format!(r#"{{"repoHash":"{}",{filter}}}"#, repo());
        let mut times = Times::default();
        for _ in 0..ROUNDS {
            times.wall(|| dispatch(&store, "memory.list", &params).unwrap());
        }
        let time = times.median();
        row(&format!("list of 5,000 by {what}"), &ms(time), "2.000 ms", verdict(time < Duration::from_millis(2)));
    }
}

/// The most memory that opening and reading 5,000 records takes, beside the size of their file.
fn peak(home: &Path) {
    let file = std::fs::metadata(home.join("repos").join(repo().as_str()).join("memory.json")).unwrap().len();
    let child = Command::new(std::env::current_exe().unwrap()).env(HOME, home).output().unwrap();
    let peak: u64 = String::from_utf8(child.stdout).unwrap().trim().parse().unwrap();
    let mut measured = String::new();
    write!(measured, "{} KiB of {} KiB ({:.1}×)", peak / 1024, file / 1024, peak as f64 / file as f64).unwrap();
    row("memory, 5,000 records", &measured, "6.0× the file", verdict(peak < 6 * file));
}

/// Prints by how many bytes this process grew.
fn read_and_tell_peak(home: &Path) {
    let most = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    };
    let before = most();
    let store = Store::open(Options::at(home)).unwrap();
    assert!(!store.repo_at(&repo()).memory().get().unwrap().notes().unwrap().is_empty());
    println!("{}", most() - before);
}

/// Identifying a repository with many branches, all of them packed.
fn identify(folder: &Path) {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-C"]).arg(folder).args(arguments);
        String::from_utf8(git.output().unwrap().stdout).unwrap()
    };
    std::fs::create_dir_all(folder).unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["remote", "add", "origin", "https://example.org/owner/repo"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let mut packed = String::from("# pack-refs with: peeled fully-peeled sorted \n");
    for branch in 0..BRANCHES {
        writeln!(packed, "{} refs/heads/branch-{branch:05}", commit.trim()).unwrap();
    }
    writeln!(packed, "{} refs/heads/main", commit.trim()).unwrap();
    std::fs::write(folder.join(".git/packed-refs"), packed).unwrap();
    std::fs::remove_file(folder.join(".git/refs/heads/main")).unwrap();
    let store = Store::open(Options::at(folder.join("home"))).unwrap();
    let mut times = Times::default();
    for _ in 0..ROUNDS {
        times.wall(|| assert!(store.repos().identify(folder).unwrap().commit.is_some()));
    }
    let time = times.median();
    row("repo.identify, 10,000 branches", &ms(time), "0.300 ms", verdict(time < Duration::from_micros(300)));
}
