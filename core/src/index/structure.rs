//! Which files a work tree has, and how to tell cheaply that they are the same ones as before.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::table::{FileRow, Rules, Table};
use crate::disk::{Kind, Stamp};
use crate::error::Result;
use crate::git::{Files, Repository, tracked_paths};
use crate::home::{Home, IndexConfig};

/// The length of an object id of git, in bytes.
const SHA1_BYTES: usize = 20;
const SHA256_BYTES: usize = 32;
/// The largest index of git that is read.
const MAX_GIT_INDEX_BYTES: u64 = 256 << 20;

/// Which files and folders a work tree has.
pub(super) struct Structure {
    pub(super) paths: Vec<Vec<u8>>,
    pub(super) folders: Vec<(Box<[u8]>, Stamp)>,
    pub(super) rules: Rules,
    pub(super) is_cut: bool,
}

/// A work tree.
pub(super) struct WorkTree<'h> {
    home: &'h Home,
    top: &'h Path,
}

impl<'h> WorkTree<'h> {
    pub(super) fn new(home: &'h Home, top: &'h Path) -> Self {
        WorkTree { home, top }
    }

    /// The rules if the work tree has the files of `table`, whatever their contents; `stamps` are those of its files.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn rules_if_same(
        &self,
        table: &Table,
        stamps: &[Option<Stamp>],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Rules>> {
        let is_exclude = |file: &FileRow| file.path.rsplit(|byte| *byte == b'/').next() == Some(b".gitignore");
        let mut excludes = table.files.iter().zip(stamps).filter(|(file, _)| is_exclude(file));
        if !excludes.all(|(file, stamp)| is_unchanged(file.stamp, *stamp)) {
            return Ok(None);
        }
        let rules = self.rules(Some(&table.rules));
        if (rules.tracked, &rules.excludes) != (table.rules.tracked, &table.rules.excludes) {
            return Ok(None);
        }
        let paths = table.folders.iter().map(|(path, _)| &**path);
        let stamps = self.home.disk().stamps(self.top, Kind::Folder, paths, check)?;
        let is_same = table.folders.iter().zip(&stamps).all(|((_, old), new)| is_unchanged(*old, *new));
        Ok(is_same.then_some(rules))
    }

    /// Walks the work tree.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn walk(&self, check: &dyn Fn() -> Result<()>) -> Result<Structure> {
        let disk = self.home.disk();
        // Looked at before the walk, so that a change meanwhile is noticed the next time.
        let rules = self.rules(None);
        let tracked = self.git_dir().and_then(|git| self.tracked(&git)).unwrap_or_default();
        let rules = Rules { tracked: hash(&tracked), ..rules };
        let config = &self.home.config().index;
        let walked = disk.walk(self.top, config.max_files, config.submodules, check)?;
        let folders = walked.folders.iter().map(Vec::as_slice);
        let stamps = disk.stamps(self.top, Kind::Folder, folders, check)?;
        let folders = walked.folders.into_iter().zip(stamps);
        let mut structure = Structure {
            folders: folders.filter_map(|(path, stamp)| Some((path.into(), stamp?))).collect(),
            paths: with_tracked(walked.files, tracked, config.max_files),
            rules,
            is_cut: walked.is_cut,
        };
        self.retain_admitted(&mut structure);
        Ok(structure)
    }

    /// The rules. Git's index is not read if its stamp is that of `last`.
    fn rules(&self, last: Option<&Rules>) -> Rules {
        let git = self.git_dir();
        let excludes = self.excludes(git.as_deref());
        let git_index = git.as_deref().and_then(|git| self.home.disk().stamp_of(&git.join("index")));
        let tracked = match last.filter(|last| git_index.is_none_or(|index| is_unchanged(index, last.git_index))) {
            Some(last) if git_index.is_some() == last.git_index.is_some() => last.tracked,
            _ => hash(&git.and_then(|git| self.tracked(&git)).unwrap_or_default()),
        };
        Rules { git_index, tracked, excludes }
    }

    /// The excludes outside the work tree.
    fn excludes(&self, git: Option<&Path>) -> Vec<Option<Stamp>> {
        let environment = self.home.git_environment();
        let user = environment.user_folder();
        let configured = environment.get_nonempty("XDG_CONFIG_HOME").map(PathBuf::from);
        let configured = configured.or_else(|| Some(user.as_ref()?.join(".config")));
        let of_user = user.map(|user| user.join(".gitconfig")).into_iter();
        let of_user = of_user.chain(configured.map(|folder| folder.join("git").join("ignore")));
        let of_repository = git.map(|git| git.join("info").join("exclude"));
        of_repository.into_iter().chain(of_user).map(|path| self.home.disk().stamp_of(&path)).collect()
    }

    /// The git directory of the work tree, if there is one.
    fn git_dir(&self) -> Option<PathBuf> {
        let disk = self.home.disk();
        let deadline = disk.work_deadline(self.home.wait_options(), self.home.config().lock_timeout);
        let files = Files::new(disk, deadline, self.home.git_environment());
        // The repository was identified before, so that an error here is no news.
        let repository = Repository::discover(&files, self.top).ok()??;
        Some(repository.git_dir().to_owned())
    }

    /// The paths that git tracks, sorted.
    fn tracked(&self, git: &Path) -> Option<Vec<Vec<u8>>> {
        let index = self.home.disk().read_foreign(&git.join("index"), MAX_GIT_INDEX_BYTES).ok()??;
        tracked_paths(&index, SHA1_BYTES).or_else(|| tracked_paths(&index, SHA256_BYTES))
    }

    /// Leaves out paths with secrets, or with what the user's patterns match: they cannot be stored.
    fn retain_admitted(&self, structure: &mut Structure) {
        let redactor = self.home.redactor();
        let is_clean = |text: &str| matches!(redactor.scrub(text), Cow::Borrowed(_));
        let all: Vec<_> = structure.paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        if is_clean(&all.join("\n")) {
            return;
        }
        structure.paths.retain(|path| is_clean(&String::from_utf8_lossy(path)));
        structure.folders.retain(|(path, _)| is_clean(&String::from_utf8_lossy(path)));
    }
}

/// The options that decide which files there are and which of them are read, as a hash.
pub(super) fn settings(config: &IndexConfig) -> u64 {
    let IndexConfig { submodules, subtree: _, max_files, max_file_bytes } = config;
    xxh3_64(format!("{submodules} {max_files} {max_file_bytes}").as_bytes())
}

/// Whether an entry is certainly what it was.
pub(super) fn is_unchanged(old: Stamp, new: Option<Stamp>) -> bool {
    new.is_some_and(|new| new == old && new.is_certain())
}

/// The files and those that git tracks although it would ignore them, sorted.
fn with_tracked(files: Vec<Vec<u8>>, tracked: Vec<Vec<u8>>, limit: usize) -> Vec<Vec<u8>> {
    let mut all = files;
    let tracked: Vec<_> = tracked.into_iter().filter(|path| all.binary_search(path).is_err()).collect();
    if !tracked.is_empty() && all.len() + tracked.len() <= limit {
        all.extend(tracked);
        all.sort_unstable();
        all.dedup();
    }
    all
}

fn hash(paths: &[Vec<u8>]) -> u64 {
    let mut hasher = Xxh3::new();
    for path in paths {
        hasher.update(path);
        hasher.update(&[0]);
    }
    hasher.digest()
}
