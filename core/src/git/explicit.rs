//! The repository that `GIT_DIR`, `GIT_WORK_TREE` and `GIT_COMMON_DIR` name, as git sets them for hooks and aliases.
//!
//! They apply only to the current folder, and only if the resulting work tree contains it. If a caller names a
//! workspace, they are ignored.

use std::path::{Path, PathBuf};

use super::Files;
use super::discovery::named;
use super::repository::{Main, Repository, Settings, common_dir_of, has_git_folders, resolve};
use crate::disk::Kind;
use crate::error::{Error, ErrorKind, Result};

const GIT_DIR: &str = "GIT_DIR";
const GIT_WORK_TREE: &str = "GIT_WORK_TREE";
const GIT_COMMON_DIR: &str = "GIT_COMMON_DIR";

impl Repository {
    /// The repository of the canonical current folder, according to the environment. Without `GIT_DIR` and
    /// `GIT_WORK_TREE` this is [`discover`](Repository::discover); `GIT_COMMON_DIR` applies only together with
    /// `GIT_DIR`.
    ///
    /// # Errors
    /// As [`discover`](Repository::discover); `GitError` if a variable does not name a repository, or names one whose
    /// work tree does not contain the current folder.
    pub(crate) fn of_current_folder(files: &Files<'_>, current: &Path) -> Result<Option<Repository>> {
        let folder = |name: &'static str| {
            let value = files.environment.get_nonempty(name).map(|value| current.join(value));
            value.map(|path| files.canonical(&path)?.ok_or_else(|| nothing(name))).transpose()
        };
        let work_tree = folder(GIT_WORK_TREE)?;
        if let Some(work_tree) = &work_tree
            && !current.starts_with(work_tree)
        {
            return Err(outside(GIT_WORK_TREE));
        }
        let Some(git_dir) = folder(GIT_DIR)? else {
            let found = Repository::discover(files, current)?;
            return Ok(match work_tree {
                Some(work_tree) => found.map(|repository| repository.with_work_tree(work_tree)),
                None => found,
            });
        };
        let git_dir = match files.stat(&git_dir)?.map(|stat| stat.kind) {
            Some(Kind::Folder) => git_dir,
            Some(Kind::File) => named(files, &git_dir)?,
            _ => return Err(nothing(GIT_DIR)),
        };
        let common_dir = folder(GIT_COMMON_DIR)?;
        if work_tree.is_none() && common_dir.is_none() {
            // A hook running in a subfolder uses the same memory as the rest of the work tree. git itself would treat
            // the current folder as the top.
            match Repository::discover(files, current) {
                Ok(Some(found)) if found.git_dir() == git_dir => return Ok(Some(found)),
                Err(broken) if broken.kind() != ErrorKind::Git || broken.retryable() => return Err(broken),
                Ok(_) | Err(_) => {}
            }
        }
        named_by_environment(files, current, git_dir, common_dir, work_tree).map(Some)
    }
}

/// The repository at `git_dir`, which discovery would not find. As in git, its owner does not matter, since the user
/// named it.
fn named_by_environment(
    files: &Files<'_>,
    current: &Path,
    git_dir: PathBuf,
    common_dir: Option<PathBuf>,
    work_tree: Option<PathBuf>,
) -> Result<Repository> {
    let linked_to = common_dir_of(files, &git_dir)?;
    let common = common_dir.or_else(|| linked_to.clone()).unwrap_or_else(|| git_dir.clone());
    if !has_git_folders(files, &common)? {
        return Err(nothing(GIT_DIR));
    }
    let settings = Settings::read(files, &git_dir, &common)?;
    let is_linked = linked_to.as_ref() == Some(&common) && git_dir.parent() == Some(&common.join("worktrees"));
    let is_bare = !is_linked && settings.is_bare()?;
    let configured = if is_linked { settings.linked_work_tree() } else { settings.work_tree() };
    let work_tree = match (work_tree, configured) {
        (Some(work_tree), _) => Some(work_tree),
        (None, Some((value, file))) => Some(resolve(files, &git_dir, value, file)?),
        (None, None) if is_bare => None,
        // The current folder is the top of the work tree, as git documents.
        (None, None) => Some(current.to_owned()),
    };
    if !current.starts_with(work_tree.as_deref().unwrap_or(&git_dir)) {
        return Err(outside(GIT_DIR));
    }
    let main = match (is_linked, is_bare) {
        (true, _) => Main::OfCommon,
        (false, true) if common == git_dir => Main::Known(git_dir.clone()),
        (false, _) => Main::Unproven { is_bare },
    };
    Ok(Repository::explicit(git_dir, common, work_tree, main, settings))
}

fn nothing(variable: &str) -> Error {
    let what = format!("the environment variable {variable} does not name a repository or folder; correct or unset it");
    Error::new(ErrorKind::Git, what)
}

fn outside(variable: &str) -> Error {
    let what = format!(
        "the environment variable {variable} names a repository whose work tree does not contain the current folder; \
         unset it, or pass the workspace explicitly"
    );
    Error::new(ErrorKind::Git, what)
}
