//! What git ignores in a work tree: by the patterns of its `.gitignore` files, of `info/exclude` and of the user.
//!
//! A work tree may be anyone's. Git does not follow a `.gitignore` that is a link, and neither is it followed here; only regular
//! files are read, and of all of them a bounded number of patterns: each takes some kilobytes of memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::disk::fs::seam::{Fs, Kind, Open};
use crate::mutex::lock;

/// The most bytes that are read of one file.
const MAX_BYTES: usize = 256 << 10;
/// The most patterns that count at once: those of the folders on one path, of the repository and of the user. And their bytes.
const MAX_PATTERNS: usize = 10_000;
const MAX_PATTERN_BYTES: usize = 512 << 10;
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
    of_user: Patterns,
    /// The folders on the way, from the top level on.
    folders: Vec<Folder>,
    /// The files that have patterns which are not used.
    cut: Vec<PathBuf>,
}

struct Folder {
    path: PathBuf,
    patterns: Patterns,
    /// Those of the repository whose top level it is.
    of_repository: Option<Patterns>,
}

/// The patterns of a file, with their number and bytes.
#[derive(Default)]
struct Patterns {
    matcher: Option<Gitignore>,
    count: usize,
    bytes: usize,
}

impl Patterns {
    fn matched(&self, path: &Path, is_folder: bool) -> Option<bool> {
        match self.matcher.as_ref()?.matched(path, is_folder) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

impl Walk {
    /// What counts already, in patterns and bytes.
    fn used(&self) -> (usize, usize) {
        let of_folders = self.folders.iter().flat_map(|folder| [Some(&folder.patterns), folder.of_repository.as_ref()]);
        let all = of_folders.flatten().chain([&self.of_user]);
        all.fold((0, 0), |(count, bytes), patterns| (count + patterns.count, bytes + patterns.bytes))
    }
}

impl Ignores {
    /// Those of the work tree at `top`, for a user with the file `of_user`.
    pub(super) fn new(fs: &Arc<dyn Fs>, top: &Path, of_user: Option<&Path>) -> Self {
        let walk = Walk { of_user: Patterns::default(), folders: Vec::new(), cut: Vec::new() };
        let ignores = Ignores { fs: Arc::clone(fs), top: top.to_owned(), walk: Mutex::new(walk) };
        if let Some(file) = of_user {
            let mut walk = lock(&ignores.walk);
            walk.of_user = ignores.patterns(file, Open::ReadTarget, top, &mut walk);
            drop(walk);
        }
        ignores
    }

    /// Returns whether an entry is ignored. Entries have to come as a walk meets them: after the folders above them.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let Some(parent) = path.parent().filter(|parent| parent.starts_with(&self.top)) else { return false };
        let mut walk = lock(&self.walk);
        while walk.folders.last().is_some_and(|folder| !parent.starts_with(&folder.path)) {
            walk.folders.pop();
        }
        if walk.folders.last().is_none_or(|folder| folder.path != parent) {
            self.enter(parent, &mut walk);
        }
        let mut of_repository = None;
        for folder in walk.folders.iter().rev() {
            if let Some(verdict) = folder.patterns.matched(path, is_folder) {
                return verdict;
            }
            of_repository = folder.of_repository.as_ref();
            // The patterns above a repository are of another one.
            if of_repository.is_some() {
                break;
            }
        }
        let verdict = of_repository.and_then(|patterns| patterns.matched(path, is_folder));
        verdict.or_else(|| walk.of_user.matched(path, is_folder)).unwrap_or(false)
    }

    /// The files of which not all patterns were used.
    pub(super) fn cut(&self) -> Vec<PathBuf> {
        std::mem::take(&mut lock(&self.walk).cut)
    }

    fn enter(&self, folder: &Path, walk: &mut Walk) {
        let exclude = self.common_dir(folder).map(|common| common.join("info/exclude"));
        let of_repository = exclude.map(|exclude| self.patterns(&exclude, Open::ReadTarget, folder, walk));
        let path = folder.to_owned();
        walk.folders.push(Folder { path, patterns: Patterns::default(), of_repository });
        let patterns = self.patterns(&folder.join(".gitignore"), Open::Read, folder, walk);
        if let Some(folder) = walk.folders.last_mut() {
            folder.patterns = patterns;
        }
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

    /// The patterns of a file for what is below `folder`; none if it is no regular file.
    fn patterns(&self, file: &Path, open: Open, folder: &Path, walk: &mut Walk) -> Patterns {
        let Ok((text, mut is_cut)) = self.first(file, open, MAX_BYTES) else { return Patterns::default() };
        let (used, used_bytes) = walk.used();
        let mut patterns = Patterns::default();
        let mut builder = GitignoreBuilder::new(folder);
        let text = String::from_utf8_lossy(&text);
        for line in text.trim_start_matches('\u{feff}').lines() {
            if line.is_empty() || line.starts_with('#') || line.len() > MAX_PATTERN {
                continue;
            }
            if used + patterns.count == MAX_PATTERNS || used_bytes + patterns.bytes + line.len() > MAX_PATTERN_BYTES {
                is_cut = true;
                break;
            }
            (patterns.count, patterns.bytes) = (patterns.count + 1, patterns.bytes + line.len());
            // Git skips a pattern that is invalid, too.
            let _ = builder.add_line(None, line);
        }
        if is_cut && !walk.cut.iter().any(|cut| cut == file) {
            walk.cut.push(file.to_owned());
        }
        patterns.matcher = builder.build().ok().filter(|matcher| !matcher.is_empty());
        patterns
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

    fn ignores(top: &Path) -> Ignores {
        let fs: Arc<dyn Fs> = Arc::new(RealFs);
        Ignores::new(&fs, top, None)
    }

    #[test]
    fn patterns_beyond_the_limits_do_not_count_and_their_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        std::fs::create_dir_all(top.join("sub/deep")).unwrap();
        let many = |first: usize, count: usize| (first..first + count).map(|n| format!("/p{n}\n")).collect::<String>();
        std::fs::write(top.join(".gitignore"), many(0, MAX_PATTERNS - 2)).unwrap();
        std::fs::write(top.join("sub/.gitignore"), "/last\n# a comment\n\n!kept\n/beyond\n").unwrap();
        let found = ignores(top);
        for (path, is_ignored) in [
            ("p0", true),
            ("q", false),
            ("sub/p0", false),
            ("sub/last", true),
            ("sub/kept", false),
            ("sub/beyond", false),
        ] {
            assert_eq!(found.ignores(&top.join(path), false), is_ignored, "{path}");
        }
        assert_eq!(found.cut(), [top.join("sub/.gitignore")]);
        // Those of a folder that was left make room for others.
        std::fs::write(top.join(".gitignore"), "").unwrap();
        std::fs::write(top.join("sub/deep/.gitignore"), many(0, MAX_PATTERNS + 5)).unwrap();
        let found = ignores(top);
        assert!(found.ignores(&top.join("sub/deep/p1"), false) && found.ignores(&top.join("sub/last"), false));
        assert!(!found.ignores(&top.join("sub/deep").join(format!("p{}", MAX_PATTERNS + 1)), false));
        assert_eq!(found.cut(), [top.join("sub/deep/.gitignore")]);
        // More bytes than are read: whole lines only.
        std::fs::write(top.join(".gitignore"), format!("/first\n{}\n/x\n", "#".repeat(MAX_BYTES))).unwrap();
        let found = ignores(top);
        assert!(found.ignores(&top.join("first"), false) && !found.ignores(&top.join("x"), false));
        assert_eq!(found.cut(), [top.join(".gitignore")]);
    }
}
