//! What git ignores in a work tree: by the patterns of its `.gitignore` files, of `info/exclude` and of the user.
//!
//! A work tree may be anyone's. Git does not follow a `.gitignore` that is a link, and neither is it followed here; only regular
//! files are read, and of all of them a bounded number of patterns: each takes some kilobytes of memory and some microseconds to
//! compile. Files with the same patterns share a matcher, as those of the packages of one repository often do.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::fs::seam::{Fs, Kind, Open};
use crate::error::Result;
use crate::mutex::lock;

/// The most bytes that are read of one file.
const MAX_BYTES: usize = 256 << 10;
/// The most patterns that count at once: those of the folders on one path, of the repository and of the user. And their bytes.
const MAX_PATTERNS: usize = 10_000;
const MAX_PATTERN_BYTES: usize = 512 << 10;
/// The most folders with patterns on one path: the path of an entry is compared with the patterns of each of them.
const MAX_FOLDERS: usize = 64;
/// The most patterns that are compiled for one walk, and their bytes.
const MAX_COMPILED: usize = 10 * MAX_PATTERNS;
const MAX_COMPILED_BYTES: usize = 10 * MAX_PATTERN_BYTES;
/// The most patterns that are compiled at once, and their bytes: in between, a call may be cancelled.
const MAX_PART: usize = 500;
const MAX_PART_BYTES: usize = 16 << 10;
/// A longer pattern matches no path.
const MAX_PATTERN: usize = 4_096;
/// The size of a file that leads to another folder.
const MAX_LINE_FILE: usize = 8 << 10;

/// The patterns of a work tree, for a walk that enters each folder once.
pub(super) struct Ignores {
    fs: Arc<dyn Fs>,
    top: PathBuf,
    walk: Mutex<Walk>,
}

/// The patterns that count where the walk is.
struct Walk {
    of_user: Arc<Patterns>,
    /// The folders on the way that have patterns or a repository, from the top level on. There may be a thousand others.
    folders: Vec<Folder>,
    /// The files that have patterns which are not used.
    cut: Vec<PathBuf>,
    /// Patterns by their text, for other files with the same.
    known: HashMap<String, Arc<Patterns>>,
    /// How many patterns were compiled, and their bytes.
    compiled: (usize, usize),
}

struct Folder {
    path: PathBuf,
    patterns: Arc<Patterns>,
    /// Those of the repository whose top level it is.
    of_repository: Option<Arc<Patterns>>,
}

/// The patterns of a file, with their number and bytes.
#[derive(Default)]
struct Patterns {
    /// In parts; the last pattern that matches counts.
    matchers: Vec<Gitignore>,
    count: usize,
    bytes: usize,
}

impl Patterns {
    /// Returns whether they say that a path below their folder is ignored, or is not.
    fn matched(&self, path: &Path, is_folder: bool) -> Option<bool> {
        self.matchers.iter().rev().find_map(|matcher| match matcher.matched(path, is_folder) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
    }

    /// Compiles these lines.
    fn compile(text: &str, check: &dyn Fn() -> Result<()>) -> Result<Self> {
        let (mut patterns, mut lines) = (Patterns::default(), text.lines().peekable());
        while lines.peek().is_some() {
            check()?;
            // Paths are passed relative to the folder of the file.
            let mut builder = GitignoreBuilder::new(".");
            let (mut count, mut bytes) = (0, 0);
            while count < MAX_PART && bytes < MAX_PART_BYTES {
                let Some(line) = lines.next() else { break };
                (count, bytes) = (count + 1, bytes + line.len());
                // Git skips a pattern that is invalid, too.
                let _ = builder.add_line(None, line);
            }
            (patterns.count, patterns.bytes) = (patterns.count + count, patterns.bytes + bytes);
            patterns.matchers.extend(builder.build().ok().filter(|matcher| !matcher.is_empty()));
        }
        Ok(patterns)
    }
}

impl Walk {
    /// Leaves the folders in which `path` is not.
    fn leave(&mut self, path: &Path) {
        while self.folders.last().is_some_and(|folder| !path.starts_with(&folder.path)) {
            self.folders.pop();
        }
    }

    /// What counts already, in patterns and bytes.
    fn used(&self) -> (usize, usize) {
        let of_folders = self.folders.iter().flat_map(|folder| [Some(&folder.patterns), folder.of_repository.as_ref()]);
        let all = of_folders.flatten().chain([&self.of_user]);
        all.fold((0, 0), |(count, bytes), patterns| (count + patterns.count, bytes + patterns.bytes))
    }
}

impl Ignores {
    /// Those of the work tree at `top`, for a user with the file `of_user`.
    ///
    /// # Errors
    /// That of `check`, which is called between some patterns.
    pub(super) fn new(
        fs: &Arc<dyn Fs>,
        top: &Path,
        of_user: Option<&Path>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Self> {
        let walk = Walk {
            of_user: Arc::default(),
            folders: Vec::new(),
            cut: Vec::new(),
            known: HashMap::new(),
            compiled: (0, 0),
        };
        let ignores = Ignores { fs: Arc::clone(fs), top: top.to_owned(), walk: Mutex::new(walk) };
        if let Some(file) = of_user {
            let mut walk = lock(&ignores.walk);
            walk.of_user = ignores.patterns(file, Open::ReadTarget, &mut walk, check)?;
            drop(walk);
        }
        Ok(ignores)
    }

    /// Reads the patterns of a folder. A walk does that before it looks at the entries of the folder, and after it did it for
    /// the folders above it.
    ///
    /// # Errors
    /// That of `check`, which is called between some patterns.
    pub(super) fn enter(&self, folder: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
        let mut walk = lock(&self.walk);
        walk.leave(folder);
        let exclude = self.common_dir(folder).map(|common| common.join("info/exclude"));
        let of_repository =
            exclude.map(|exclude| self.patterns(&exclude, Open::ReadTarget, &mut walk, check)).transpose()?;
        walk.folders.extend(of_repository.map(|patterns| {
            let of_repository = Some(patterns);
            Folder { path: folder.to_owned(), patterns: Arc::default(), of_repository }
        }));
        let file = folder.join(".gitignore");
        let patterns = self.patterns(&file, Open::Read, &mut walk, check)?;
        if patterns.matchers.is_empty() {
            return Ok(());
        }
        let is_full = walk.folders.len() >= MAX_FOLDERS;
        match walk.folders.last_mut().filter(|last| last.path == folder) {
            Some(last) => last.patterns = patterns,
            None if is_full => walk.cut.push(file),
            None => walk.folders.push(Folder { path: folder.to_owned(), patterns, of_repository: None }),
        }
        Ok(())
    }

    /// Returns whether an entry of a folder that was entered is ignored.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let Some(parent) = path.parent().filter(|parent| parent.starts_with(&self.top)) else { return false };
        let mut walk = lock(&self.walk);
        walk.leave(parent);
        let verdict =
            |patterns: &Patterns, folder: &Path| patterns.matched(path.strip_prefix(folder).unwrap_or(path), is_folder);
        for folder in walk.folders.iter().rev() {
            let of_repository = || verdict(folder.of_repository.as_ref()?, &folder.path);
            if let Some(verdict) = verdict(&folder.patterns, &folder.path).or_else(of_repository) {
                return verdict;
            }
            // The patterns above a repository are of another one.
            if folder.of_repository.is_some() {
                break;
            }
        }
        verdict(&walk.of_user, &self.top).unwrap_or(false)
    }

    /// The files of which not all patterns were used.
    pub(super) fn cut(&self) -> Vec<PathBuf> {
        std::mem::take(&mut lock(&self.walk).cut)
    }

    /// The folder of the repository whose top level this is.
    fn common_dir(&self, folder: &Path) -> Option<PathBuf> {
        let git = folder.join(".git");
        self.fs.stat_path(&git).ok()?;
        if self.fs.stat_target(&git).is_ok_and(|stat| stat.kind != Kind::File) {
            return Some(git);
        }
        let line = |path: &Path, prefix: &str| {
            let text = self.first(path, Open::ReadTarget, MAX_LINE_FILE).ok()?.0;
            Some(String::from_utf8(text).ok()?.strip_prefix(prefix)?.trim().to_owned())
        };
        // Without a folder, there are no patterns.
        let Some(git) = line(&git, "gitdir:").map(|named| folder.join(named)) else { return Some(git) };
        Some(line(&git.join("commondir"), "").map_or_else(|| git.clone(), |named| git.join(named)))
    }

    /// The patterns of a file; none if it is no regular file.
    fn patterns(
        &self,
        file: &Path,
        open: Open,
        walk: &mut Walk,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Arc<Patterns>> {
        let Ok((text, mut is_cut)) = self.first(file, open, MAX_BYTES) else { return Ok(Arc::default()) };
        let (mut count, mut bytes) = walk.used();
        let (text, mut used) = (String::from_utf8_lossy(&text), String::new());
        let mut added = (0, 0);
        for line in text.trim_start_matches('\u{feff}').lines() {
            if line.is_empty() || line.starts_with('#') || line.len() > MAX_PATTERN {
                continue;
            }
            (count, bytes) = (count + 1, bytes + line.len());
            if count > MAX_PATTERNS || bytes > MAX_PATTERN_BYTES {
                is_cut = true;
                break;
            }
            added = (added.0 + 1, added.1 + line.len());
            used.push_str(line);
            used.push('\n');
        }
        let known = walk.known.get(&used).cloned();
        let compiled = (walk.compiled.0 + added.0, walk.compiled.1 + added.1);
        let patterns = match known {
            Some(patterns) => patterns,
            None if compiled.0 > MAX_COMPILED || compiled.1 > MAX_COMPILED_BYTES => {
                is_cut = true;
                Arc::default()
            }
            None => {
                walk.compiled = compiled;
                let patterns = Arc::new(Patterns::compile(&used, check)?);
                let kept = walk.known.values().fold((0, 0), |(count, bytes), it| (count + it.count, bytes + it.bytes));
                if kept.0 + added.0 > MAX_PATTERNS || kept.1 + added.1 > MAX_PATTERN_BYTES {
                    walk.known.clear();
                }
                walk.known.insert(used, Arc::clone(&patterns));
                patterns
            }
        };
        if is_cut && !walk.cut.iter().any(|cut| cut == file) {
            walk.cut.push(file.to_owned());
        }
        Ok(patterns)
    }

    /// The first bytes of a regular file, in whole lines if it has more; and whether it has more.
    fn first(&self, path: &Path, open: Open, limit: usize) -> io::Result<(Vec<u8>, bool)> {
        let file = self.fs.open(path, open)?;
        let mut bytes = Vec::new();
        let mut block = vec![0; MAX_LINE_FILE];
        while bytes.len() <= limit {
            match self.fs.read_at(&file, &mut block, bytes.len() as u64)? {
                0 => return Ok((bytes, false)),
                count => bytes.extend_from_slice(block.get(..count).unwrap_or_default()),
            }
        }
        let end = bytes.get(..limit).and_then(|kept| kept.iter().rposition(|byte| *byte == b'\n'));
        bytes.truncate(end.unwrap_or_default());
        Ok((bytes, true))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the tests write files in a folder of their own")]
mod tests {
    use super::*;
    use crate::disk::RealFs;

    /// Those of a work tree of which these folders were entered.
    fn entered(top: &Path, folders: &[&str]) -> Ignores {
        let fs: Arc<dyn Fs> = Arc::new(RealFs);
        let ignores = Ignores::new(&fs, top, None, &|| Ok(())).unwrap();
        folders.iter().for_each(|folder| ignores.enter(&top.join(folder), &|| Ok(())).unwrap());
        ignores
    }

    #[test]
    fn patterns_beyond_the_limits_do_not_count_and_their_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        std::fs::create_dir_all(top.join("sub/deep")).unwrap();
        let many = |first: usize, count: usize| (first..first + count).map(|n| format!("/p{n}\n")).collect::<String>();
        std::fs::write(top.join(".gitignore"), many(0, MAX_PATTERNS - 2)).unwrap();
        std::fs::write(top.join("sub/.gitignore"), "/last\n# a comment\n\n!kept\n/beyond\n").unwrap();
        let found = entered(top, &["", "sub"]);
        for (path, is_ignored) in [
            ("sub/p0", false),
            ("sub/last", true),
            ("sub/kept", false),
            ("sub/beyond", false),
            ("p0", true),
            ("q", false),
        ] {
            assert_eq!(found.ignores(&top.join(path), false), is_ignored, "{path}");
        }
        assert_eq!(found.cut(), [top.join("sub/.gitignore")]);
        // Those of a folder that was left make room for others.
        std::fs::write(top.join(".gitignore"), "").unwrap();
        std::fs::write(top.join("sub/deep/.gitignore"), many(0, MAX_PATTERNS + 5)).unwrap();
        let found = entered(top, &["", "sub", "sub/deep"]);
        assert!(found.ignores(&top.join("sub/deep/p1"), false) && found.ignores(&top.join("sub/last"), false));
        assert!(!found.ignores(&top.join("sub/deep").join(format!("p{}", MAX_PATTERNS + 1)), false));
        assert_eq!(found.cut(), [top.join("sub/deep/.gitignore")]);
        // More bytes than are read: whole lines only.
        std::fs::write(top.join(".gitignore"), format!("/first\n{}\n/x\n", "#".repeat(MAX_BYTES))).unwrap();
        let found = entered(top, &[""]);
        assert!(found.ignores(&top.join("first"), false) && !found.ignores(&top.join("x"), false));
        assert_eq!(found.cut(), [top.join(".gitignore")]);
    }

    #[test]
    fn files_with_the_same_patterns_are_compiled_once_and_of_others_a_bounded_number() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let names: Vec<String> = (0..100).map(|name| format!("{name}")).collect();
        for name in &names {
            std::fs::create_dir(top.join(name)).unwrap();
            std::fs::write(top.join(name).join(".gitignore"), "/a*\n!/ab\n".repeat(600)).unwrap();
        }
        let found = entered(top, &[""]);
        for name in &names {
            found.enter(&top.join(name), &|| Ok(())).unwrap();
            for (path, is_ignored) in [("a", true), ("ab", false), ("sub/a", false), ("b", false)] {
                assert_eq!(found.ignores(&top.join(name).join(path), false), is_ignored, "{name}/{path}");
            }
        }
        let compiled = lock(&found.walk).compiled.0;
        assert_eq!((compiled, found.cut()), (1_200, vec![]));
        lock(&found.walk).compiled.0 = MAX_COMPILED - 1;
        std::fs::write(top.join("0/.gitignore"), "/x\n").unwrap();
        std::fs::write(top.join("1/.gitignore"), "/y\n").unwrap();
        ["0", "1", "2"].iter().for_each(|name| found.enter(&top.join(name), &|| Ok(())).unwrap());
        assert!(found.ignores(&top.join("2/a"), false));
        assert_eq!(found.cut(), [top.join("1/.gitignore")]);
    }

    #[test]
    fn folders_without_patterns_cost_nothing_and_those_with_patterns_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (top, mut path) = (folder.path(), folder.path().to_owned());
        std::fs::write(top.join(".gitignore"), "/d/**/x\n").unwrap();
        let found = entered(top, &[""]);
        for depth in 0..2 * MAX_FOLDERS {
            path.push("d");
            std::fs::create_dir(&path).unwrap();
            if depth % 2 == 0 {
                found.enter(&path, &|| Ok(())).unwrap();
                assert!(found.ignores(&path.join("x"), false) && !found.ignores(&path.join("y"), false));
                assert_eq!(lock(&found.walk).folders.len(), 1, "{}", path.display());
            }
        }
        while path != top {
            std::fs::write(path.join(".gitignore"), "y\n").unwrap();
            assert!(path.pop());
        }
        let found = entered(top, &[""]);
        for depth in 1..=2 * MAX_FOLDERS {
            path.push("d");
            found.enter(&path, &|| Ok(())).unwrap();
            assert!(found.ignores(&path.join("y"), false));
            assert_eq!(lock(&found.walk).folders.len(), MAX_FOLDERS.min(depth + 1));
        }
        assert_eq!(found.cut().len(), MAX_FOLDERS + 1);
    }

    #[test]
    fn compiling_the_patterns_of_one_file_can_be_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".gitignore"), "*.x\n".repeat(4 * MAX_PART)).unwrap();
        let left = std::cell::Cell::new(3);
        let check = || match left.get() {
            0 => Err(crate::error::Error::new(crate::error::ErrorKind::Cancelled, "cancelled")),
            more => {
                left.set(more - 1);
                Ok(())
            }
        };
        assert!(entered(folder.path(), &[]).enter(folder.path(), &check).is_err());
    }
}
