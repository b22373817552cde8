//! The files of a work tree, and a cheap check that they are still the same ones.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::table::{FileRow, Rules, Table};
use crate::disk::{Disk, Kind, Moment, Stamp};
use crate::error::Result;
use crate::git::{Files, Repository, tracked_files};
use crate::home::{Home, IndexConfig};

/// The files and folders of a work tree.
pub(super) struct Structure {
    pub(super) paths: Vec<Vec<u8>>,
    pub(super) folders: Vec<(Box<[u8]>, Stamp)>,
    pub(super) rules: Rules,
    pub(super) is_cut: bool,
}

/// Where git keeps what belongs to a work tree.
struct Git {
    folder: PathBuf,
    /// Of a linked work tree, the folder of the main one; otherwise the same.
    common: PathBuf,
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
        since: Moment,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Rules>> {
        let is_exclude = |file: &FileRow| file.path.rsplit(|byte| *byte == b'/').next() == Some(b".gitignore");
        let mut excludes = table.files.iter().zip(stamps).filter(|(file, _)| is_exclude(file));
        if !excludes.all(|(file, stamp)| is_unchanged(file.stamp, *stamp)) {
            return Ok(None);
        }
        let rules = self.rules(&table.rules);
        let stamp = |path: &[u8]| self.home.disk().stamp_of(&self.top.join(OsStr::from_bytes(path)));
        if !rules.hidden.iter().all(|(path, old)| is_unchanged(*old, stamp(path))) {
            return Ok(None);
        }
        if (rules.tracked, &rules.excludes) != (table.rules.tracked, &table.rules.excludes) {
            return Ok(None);
        }
        let paths = table.folders.iter().map(|(path, _)| &**path);
        let stamps = self.home.disk().stamps(self.top, Kind::Folder, paths, since, check)?;
        let is_same = table.folders.iter().zip(&stamps).all(|((_, old), new)| is_unchanged(*old, *new));
        Ok(is_same.then_some(rules))
    }

    /// Walks the work tree.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn walk(&self, check: &dyn Fn() -> Result<()>) -> Result<Structure> {
        let disk = self.home.disk();
        let git = self.git();
        // Looked at before the walk, so that a change meanwhile is noticed the next time.
        let (since, excludes) = (disk.moment(), self.excludes(git.as_ref()));
        let git_index = git.as_ref().and_then(|git| self.git_index(git));
        let tracked = git.as_ref().and_then(|git| tracked_files(disk, &git.folder)).unwrap_or_default();
        let rules = Rules { git_index, tracked: hash(&tracked), excludes, hidden: Vec::new() };
        if git.is_some_and(|git| git.folder == self.top) {
            // A bare repository has no files.
            return Ok(Structure { paths: Vec::new(), folders: Vec::new(), rules, is_cut: false });
        }
        let config = &self.home.config().index;
        // The home changes with each index that is written to it.
        let root = self.home.layout().root();
        let home = disk.canonical(root).unwrap_or_else(|_| root.to_owned());
        let walked = disk.walk(self.top, config.max_files, config.submodules, &home, &tracked, check)?;
        let mut folders = Vec::with_capacity(walked.folders.len());
        let paths = walked.folders.iter().map(Vec::as_slice);
        for (path, stamp) in walked.folders.iter().zip(disk.stamps(self.top, Kind::Folder, paths, since, check)?) {
            folders.extend(stamp.map(|stamp| (path.as_slice().into(), stamp)));
        }
        let mut structure = Structure { paths: walked.files, folders, rules, is_cut: walked.is_cut };
        self.add_tracked(&mut structure, tracked, since, check)?;
        if home.starts_with(self.top) {
            let is_of_home = |path: &[u8]| self.top.join(OsStr::from_bytes(path)).starts_with(&home);
            structure.paths.retain(|path| !is_of_home(path));
        }
        self.add_hidden_excludes(&mut structure);
        self.retain_admitted(&mut structure);
        Ok(structure)
    }

    /// Adds the files that git tracks although it would ignore them, and the folders that they are in. What is below a link
    /// is left out.
    fn add_tracked(
        &self,
        structure: &mut Structure,
        tracked: Vec<Vec<u8>>,
        since: Moment,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let is_new = |path: &Vec<u8>| structure.paths.binary_search(path).is_err();
        let tracked: Vec<Vec<u8>> = tracked.into_iter().filter(is_new).collect();
        let is_walked = |path: &[u8]| structure.folders.binary_search_by(|(folder, _)| (**folder).cmp(path)).is_ok();
        let mut parents: Vec<&[u8]> = new_ancestors(&tracked).filter(|folder| !is_walked(folder)).collect();
        parents.sort_unstable();
        parents.dedup();
        let stamps = self.home.disk().stamps(self.top, Kind::Folder, parents.iter().copied(), since, check)?;
        let found: Vec<(Box<[u8]>, Stamp)> =
            parents.iter().zip(stamps).filter_map(|(path, stamp)| Some(((*path).into(), stamp?))).collect();
        structure.folders.extend(found);
        structure.folders.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let is_folder = |path: &[u8]| structure.folders.binary_search_by(|(folder, _)| (**folder).cmp(path)).is_ok();
        let tracked = in_folders(tracked, is_folder);
        let limit = self.home.config().index.max_files;
        let room = limit.saturating_sub(structure.paths.len());
        let before = structure.paths.len();
        structure.paths.extend(tracked.take(room + 1));
        structure.is_cut |= structure.paths.len() > limit;
        structure.paths.truncate(limit.max(before));
        structure.paths.sort_unstable();
        structure.paths.dedup();
        Ok(())
    }

    /// Adds the stamps of `.gitignore` files that are no files of the work tree themselves, such as one that ignores itself.
    fn add_hidden_excludes(&self, structure: &mut Structure) {
        for (folder, _) in &structure.folders {
            let separator: &[u8] = if folder.is_empty() { b"" } else { b"/" };
            let path = [&**folder, separator, b".gitignore"].concat();
            if structure.paths.binary_search(&path).is_err()
                && let Some(stamp) = self.home.disk().stamp_of(&self.top.join(OsStr::from_bytes(&path)))
            {
                structure.rules.hidden.push((path.into(), stamp));
            }
        }
    }

    /// The rules now. Git's index is not read if its stamp is that of `last`.
    fn rules(&self, last: &Rules) -> Rules {
        let git = self.git();
        let excludes = self.excludes(git.as_ref());
        let git_index = git.as_ref().and_then(|git| self.git_index(git));
        let is_same_index = match git_index {
            Some(index) => is_unchanged(index, last.git_index),
            None => last.git_index.is_none(),
        };
        let tracked = if is_same_index {
            last.tracked
        } else {
            hash(&git.and_then(|git| tracked_files(self.home.disk(), &git.folder)).unwrap_or_default())
        };
        Rules { git_index, tracked, excludes, hidden: last.hidden.clone() }
    }

    /// The excludes outside the work tree.
    fn excludes(&self, git: Option<&Git>) -> Vec<Option<Stamp>> {
        let environment = self.home.git_environment();
        let user = environment.user_folder();
        let configured = environment.get_nonempty("XDG_CONFIG_HOME").map(PathBuf::from);
        let configured = configured.or_else(|| Some(user.as_ref()?.join(".config"))).map(|folder| folder.join("git"));
        let of_git = configured.into_iter().flat_map(|git| [git.join("ignore"), git.join("config")]);
        let of_user = user.map(|user| user.join(".gitconfig")).into_iter().chain(of_git).chain(Disk::global_excludes());
        let of_repository = git.map(|git| git.common.join("info").join("exclude"));
        of_repository.into_iter().chain(of_user).map(|path| self.home.disk().stamp_of(&path)).collect()
    }

    /// The folders of git, if there are any.
    fn git(&self) -> Option<Git> {
        self.repository(|repository, _| {
            Some(Git { folder: repository.git_dir().to_owned(), common: repository.common_dir().to_owned() })
        })
    }

    /// The stamp of git's index.
    fn git_index(&self, git: &Git) -> Option<Stamp> {
        self.home.disk().stamp_of(&git.folder.join("index"))
    }

    /// The folder with the objects of the repository and the commit of HEAD, if there is one.
    pub(super) fn head(&self) -> Option<(PathBuf, String)> {
        self.repository(|repository, files| {
            Some((repository.common_dir().to_owned(), repository.head(files).ok()?.commit?))
        })
    }

    fn repository<T>(&self, read: impl FnOnce(&Repository, &Files<'_>) -> Option<T>) -> Option<T> {
        let disk = self.home.disk();
        let deadline = disk.work_deadline(self.home.wait_options(), self.home.config().lock_timeout);
        let files = Files::new(disk, deadline, self.home.git_environment());
        // The repository was identified before, so that an error here is no news.
        let repository = Repository::discover(&files, self.top).ok()??;
        read(&repository, &files)
    }

    /// Leaves out paths with secrets, or with what the user's patterns match: they cannot be stored.
    fn retain_admitted(&self, structure: &mut Structure) {
        let redactor = self.home.redactor();
        let is_clean = |text: &str| matches!(redactor.scrub(text), Cow::Borrowed(_));
        let all: Vec<_> = structure.paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        // The built-in rules find in the paths together what they find in each; a pattern of the user's may not.
        if self.home.own_rules() == 0 && is_clean(&all.join("\n")) {
            return;
        }
        structure.paths.retain(|path| is_clean(&String::from_utf8_lossy(path)));
        structure.folders.retain(|(path, _)| is_clean(&String::from_utf8_lossy(path)));
    }
}

/// The options that decide which files there are and which of them are read, as a hash.
pub(super) fn settings(config: &IndexConfig, own_rules: u64) -> u64 {
    let IndexConfig { submodules, subtree: _, max_files, max_file_bytes } = config;
    // The number changes with what is left out.
    xxh3_64(format!("2 {submodules} {max_files} {max_file_bytes} {own_rules}").as_bytes())
}

/// True if an entry is certainly what it was.
pub(super) fn is_unchanged(old: Stamp, new: Option<Stamp>) -> bool {
    new.is_some_and(|new| new == old && new.is_certain())
}

/// The folders that these paths are in, without those that the path before is in too: of sorted paths, there may be a thousand.
fn new_ancestors(paths: &[Vec<u8>]) -> impl Iterator<Item = &[u8]> {
    let before = std::iter::once(&[][..]).chain(paths.iter().map(Vec::as_slice));
    paths.iter().zip(before).flat_map(|(path, before)| ends_of_folders(path, before).filter_map(|end| path.get(..end)))
}

/// Those of the paths that are in folders only, as `is_folder` says.
fn in_folders(paths: Vec<Vec<u8>>, is_folder: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = Vec<u8>> {
    // Of the last path, and the length of the first of its folders that is not one.
    let (mut before, mut missing) = (Vec::new(), None);
    paths.into_iter().filter(move |path| {
        let common = common_length(path, &before);
        if missing.is_none_or(|end| end >= common) {
            missing = ends_of_folders(path, &before).find(|end| !path.get(..*end).is_some_and(&is_folder));
        }
        before.clone_from(path);
        missing.is_none()
    })
}

/// The lengths of the folders that a path is in and the one before it is not, from the top level down.
fn ends_of_folders<'p>(path: &'p [u8], before: &[u8]) -> impl Iterator<Item = usize> + use<'p> {
    let common = common_length(path, before);
    memchr::memchr_iter(b'/', path.get(common..).unwrap_or_default()).map(move |end| common + end)
}

fn common_length(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn hash(paths: &[Vec<u8>]) -> u64 {
    let mut hasher = Xxh3::new();
    for path in paths {
        hasher.update(path);
        hasher.update(&[0]);
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_kept_if_all_its_folders_are_there() {
        let is_folder = |path: &[u8]| [&b"a"[..], b"a/b", b"ab", b"c/d"].contains(&path);
        let paths = ["a/b/x", "a/b/y", "a/bc/d/x", "a/bc/d/y", "a/bc/x", "a/x", "ab/x", "abc/x", "b", "c/d/x"];
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let new: Vec<_> = new_ancestors(&paths).map(String::from_utf8_lossy).collect();
        assert_eq!(new, ["a", "a/b", "a/bc", "a/bc/d", "ab", "abc", "c", "c/d"]);
        let kept: Vec<_> = in_folders(paths, is_folder).map(|path| String::from_utf8(path).unwrap()).collect();
        assert_eq!(kept, ["a/b/x", "a/b/y", "a/x", "ab/x", "b"]);
    }
}
