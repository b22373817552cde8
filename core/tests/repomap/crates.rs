//! Tasks from the documentation of functions in the dependencies that are on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Task, git};

/// Crates with so many bytes of source are repositories of a usual size.
const SIZES: std::ops::Range<u64> = 300_000..3_000_000;
/// How many crates are put under git.
const CRATES: usize = 4;

/// Calls `measure` with the work tree of a crate, and each of its tasks.
pub(crate) fn each_task(folder: &Path, most: usize, mut measure: impl FnMut(&Path, &Task)) {
    let crates = crates();
    let step = (crates.len() / CRATES).max(1);
    for source in crates.iter().step_by(step).take(CRATES) {
        let top = folder.join(source.file_name().unwrap_or_default());
        let mut tasks = Vec::new();
        copy(source, source, &top, &mut tasks);
        if git(&top, &["init", "-q"]).is_none() || git(&top, &["add", "-A"]).is_none() {
            continue;
        }
        let step = (tasks.len() * CRATES / most).max(1);
        tasks.iter().step_by(step).take(most / CRATES).for_each(|task| measure(&top, task));
    }
}

/// The crates of a usual size, by name.
fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let Some(registry) = home.map(|home| home.join("registry").join("src")) else { return Vec::new() };
    let folders = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let mut crates: Vec<PathBuf> = folders(&registry).iter().flat_map(|it| folders(it)).collect();
    crates.retain(|path| SIZES.contains(&size(path)));
    crates.sort();
    crates
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(_) if entry.path().extension().is_some_and(|it| it == "rs") => entry.metadata().map_or(0, |it| it.len()),
        _ => 0,
    };
    entries.map(of).sum()
}

/// Copies the sources without their comments, and adds the tasks that those are.
fn copy(root: &Path, source: &Path, target: &Path, tasks: &mut Vec<Task>) {
    std::fs::create_dir_all(target).unwrap();
    let mut entries: Vec<_> = std::fs::read_dir(source).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, target) = (entry.path(), target.join(entry.file_name()));
        if path.is_dir() {
            copy(root, &path, &target, tasks);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let file = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            tasks.extend(functions(&text).into_iter().map(|(name, prompt)| Task {
                prompt,
                files: BTreeSet::from([file.clone()]),
                symbols: BTreeSet::from([(file.clone(), name)]),
            }));
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            std::fs::write(target, text.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect::<String>())
                .unwrap();
        }
    }
}

/// The public functions of a file with the first sentences of their documentation.
fn functions(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(more) = line.strip_prefix("///") {
            comment.push_str(more);
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let name = line.strip_prefix("pub fn ").and_then(|rest| rest.split(['(', '<']).next());
        let sentence = comment.split(". ").next().unwrap_or_default().trim();
        if let Some(name) = name.filter(|_| sentence.split_whitespace().count() >= 6) {
            found.push((name.to_owned(), sentence.to_owned()));
        }
        comment.clear();
    }
    found
}
