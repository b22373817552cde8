//! Tasks from the commits of a repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Task, definitions, git, store};

/// Commits that change more files are about more than one task.
const MAX_FILES: usize = 12;
/// The first commits made what later ones changed.
const FIRST: usize = 60;
/// Every so many commits are a task.
const STRIDE: usize = 4;

/// Calls `measure` with the work tree before each of some commits, and the task that it was. They are counted from the first
/// one, so that new commits change no result.
pub(crate) fn each_task(folder: &Path, most: usize, mut measure: impl FnMut(&Path, &Task)) {
    let source = std::env::var_os("LOOPMEM_REPOMAP_REPOSITORY")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), PathBuf::from);
    let top = folder.join("work");
    let (from, to) = (source.to_string_lossy().into_owned(), top.to_string_lossy().into_owned());
    if git(folder, &["clone", "-q", "--no-checkout", &from, &to]).is_none() {
        return;
    }
    let Some(commits) = git(&top, &["rev-list", "--no-merges", "--topo-order", "--reverse", "HEAD"]) else { return };
    let mut found = 0;
    for commit in commits.lines().skip(FIRST).step_by(STRIDE) {
        if found == most {
            return;
        }
        let before = format!("{commit}^");
        let Some(task) = task(folder, &top, commit, &before) else { continue };
        found += 1;
        measure(&top, &task);
    }
}

/// The task of a commit, with the work tree in the state before it; `None` if that cannot be told.
fn task(folder: &Path, top: &Path, commit: &str, before: &str) -> Option<Task> {
    let changed = git(top, &["diff", "--name-only", "--diff-filter=M", before, commit])?;
    let files: BTreeSet<String> = changed.lines().map(str::to_owned).collect();
    if files.is_empty() || files.len() > MAX_FILES {
        return None;
    }
    git(top, &["checkout", "-q", "--force", before])?;
    let prompt = git(top, &["log", "-1", "--format=%B", commit])?;
    let index = store(folder).repo(top).ok()?.index();
    let mut symbols = BTreeSet::new();
    for file in &files {
        let definitions = definitions(&index, file);
        for line in changed_lines(&git(top, &["diff", "-U0", before, commit, "--", file])?) {
            let enclosing = definitions.iter().rev().find(|(of_definition, _)| *of_definition <= line);
            symbols.extend(enclosing.map(|(_, name)| (file.clone(), name.clone())));
        }
    }
    (prompt.split_whitespace().count() > 3 && !symbols.is_empty()).then_some(Task { prompt, files, symbols })
}

/// The lines that a diff changes, in the old state.
fn changed_lines(diff: &str) -> Vec<u32> {
    let hunks = diff.lines().filter_map(|line| line.strip_prefix("@@ -"));
    hunks.filter_map(|hunk| hunk.split([',', ' ']).next()?.parse().ok()).collect()
}
