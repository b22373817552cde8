//! Finding the `.git` of a folder, and the git directory that it leads to.

use std::path::{Path, PathBuf};

use super::config::{self, Config};
use super::repository::Repository;
use super::{Files, MAX_LINE_FILE_BYTES, bool, path_of, refused, trim_line_ends, trust};
use crate::disk::{Kind, Stat};
use crate::error::{Error, ErrorKind, Result};

/// The mode bits of a shared folder such as `/tmp`: sticky and world-writable.
const SHARED_MODE: u32 = 0o1002;

/// A folder with a `.git`, and the git directory that it leads to.
#[derive(Debug)]
pub(super) struct Holder {
    /// The folder's canonical path.
    pub(super) folder: PathBuf,
    /// The git directory's canonical path.
    pub(super) git_dir: PathBuf,
    /// Whether `.git` is that directory itself rather than a file or a link.
    pub(super) is_own: bool,
}

impl Repository {
    /// The repository that the canonical folder `workspace` belongs to, if any. See the [module](super) for the rules.
    ///
    /// # Errors
    /// `GitError` for a repository that is broken, inconsistent or another user's; `Cancelled`.
    pub(crate) fn discover(files: &Files<'_>, workspace: &Path) -> Result<Option<Repository>> {
        if let Some(folder) = holder_above(files, workspace)? {
            return Repository::open(files, Holder::at(files, folder)?, workspace).map(Some);
        }
        if is_bare(files, workspace)? {
            return Repository::open_bare(files, workspace).map(Some);
        }
        Ok(None)
    }
}

/// The first folder from `workspace` upwards that has an entry `.git` of any kind.
pub(super) fn holder_above<'w>(files: &Files<'_>, workspace: &'w Path) -> Result<Option<&'w Path>> {
    let ceiling = ceiling(files, workspace)?;
    let crosses = config::is_set(files, "GIT_DISCOVERY_ACROSS_FILESYSTEM")?;
    let device = |folder: &Path| Ok::<_, Error>(files.stat_entry(folder)?.map(|stat| stat.device));
    let start = if crosses { None } else { device(workspace)? };
    for folder in workspace.ancestors() {
        if ceiling.as_deref() == Some(folder) {
            break;
        }
        if !crosses && folder != workspace && device(folder)? != start {
            break;
        }
        if let Some(entry) = files.stat_entry(&folder.join(".git"))?
            && !is_planted(files, folder, &entry, workspace)?
        {
            return Ok(Some(folder));
        }
    }
    Ok(None)
}

/// Whether another user created this `.git` in a world-writable `folder` such as `/tmp`. It is ignored, since it would
/// affect everything below, unless `safe.directory` allows it.
fn is_planted(files: &Files<'_>, folder: &Path, entry: &Stat, workspace: &Path) -> Result<bool> {
    if files.environment.is_own(entry.owner) {
        return Ok(false);
    }
    let is_shared = |folder: &Stat| folder.mode & SHARED_MODE == SHARED_MODE && folder.owner != entry.owner;
    Ok(files.stat_entry(folder)?.is_some_and(|folder| is_shared(&folder)) && !trust::is_safe(files, folder, workspace)?)
}

/// The nearest parent of `workspace` in `GIT_CEILING_DIRECTORIES`, at which the search stops.
fn ceiling(files: &Files<'_>, workspace: &Path) -> Result<Option<PathBuf>> {
    let Some(value) = files.environment.get("GIT_CEILING_DIRECTORIES") else { return Ok(None) };
    let mut nearest: Option<PathBuf> = None;
    // The entries after an empty one are not resolved.
    let mut has_links = true;
    for entry in value.as_encoded_bytes().split(|byte| *byte == b':') {
        if entry.is_empty() {
            has_links = false;
            continue;
        }
        let folder = path_of(entry);
        if folder.is_relative() {
            continue;
        }
        let folder =
            if has_links { files.canonical(&folder)?.unwrap_or(folder) } else { folder.components().collect() };
        let is_above = folder != workspace && workspace.starts_with(&folder);
        if is_above && nearest.as_ref().is_none_or(|nearest| folder.starts_with(nearest)) {
            nearest = Some(folder);
        }
    }
    Ok(nearest)
}

/// Whether the folder is the top of a bare repository according to its own configuration.
fn is_bare(files: &Files<'_>, folder: &Path) -> Result<bool> {
    let is = |name: &str, wanted: Kind| {
        let kind = files.stat(&folder.join(name))?.map(|stat| stat.kind);
        Ok::<_, Error>(kind == Some(wanted))
    };
    if !is("objects", Kind::Folder)? || !is("refs", Kind::Folder)? || !is("HEAD", Kind::File)? {
        return Ok(false);
    }
    let file = folder.join("config");
    // Only a regular file is read.
    if !is("config", Kind::File)? {
        return Ok(false);
    }
    let config = Config::of_file(files, &file)?.unwrap_or_default();
    Ok(config.flag("core.bare", &file)?.unwrap_or(false))
}

impl Holder {
    /// Resolves the `.git` of `folder`.
    ///
    /// # Errors
    /// `GitError` if it does not lead to a folder.
    pub(super) fn at(files: &Files<'_>, folder: &Path) -> Result<Holder> {
        let entry = folder.join(".git");
        let kind = |is_target: bool| {
            let stat = if is_target { files.stat(&entry)? } else { files.stat_entry(&entry)? };
            Ok::<_, Error>(stat.map(|stat| stat.kind))
        };
        let git_dir = match kind(true)? {
            Some(Kind::Folder) => files.canonical(&entry)?,
            Some(Kind::File) => Some(named(files, &entry)?),
            Some(_) => return Err(refused(&entry, "it is neither a folder nor a regular file; remove or replace it")),
            None => None,
        };
        let git_dir = git_dir
            .ok_or_else(|| refused(&entry, "the target of this link does not exist; correct or remove the link"))?;
        let is_own = kind(false)? == Some(Kind::Folder);
        Ok(Holder { folder: folder.to_owned(), git_dir, is_own })
    }

    /// Whether the `.git` of `folder` leads to `git_dir`; false if it is broken.
    pub(super) fn leads_to(files: &Files<'_>, folder: &Path, git_dir: &Path) -> Result<bool> {
        if files.stat_entry(&folder.join(".git"))?.is_none() {
            return Ok(false);
        }
        match Holder::at(files, folder) {
            Ok(holder) => Ok(holder.git_dir == git_dir),
            Err(broken) if broken.kind() == ErrorKind::Git && !broken.retryable() => Ok(false),
            Err(other) => Err(other),
        }
    }
}

/// The folder that a `.git` file names. The path is untrusted and not quoted in errors.
pub(super) fn named(files: &Files<'_>, file: &Path) -> Result<PathBuf> {
    let text = files.read(file, MAX_LINE_FILE_BYTES)?.unwrap_or_default();
    let path = text.strip_prefix(b"gitdir: ").map(trim_line_ends).filter(|path| !path.is_empty() && !path.contains(&0));
    let Some(path) = path else {
        return Err(refused(file, "it does not begin with `gitdir: ` and a path; correct or remove it"));
    };
    let beside = file.parent().unwrap_or(Path::new("/"));
    let path = beside.join(path_of(path));
    let git_dir = files.canonical(&path)?;
    let is_folder =
        |git_dir: &PathBuf| Ok::<_, Error>(files.stat(git_dir)?.is_some_and(|stat| stat.kind == Kind::Folder));
    match git_dir {
        Some(git_dir) if is_folder(&git_dir)? => Ok(git_dir),
        _ if may_be_repaired(files, &path)? => Err(refused(
            file,
            "the git directory that it names does not exist; if its repository was moved, run `git worktree repair` there; \
             otherwise correct or remove it",
        )),
        _ => Err(refused(file, "the git directory that it names does not exist; correct or remove it")),
    }
}

/// Whether the missing `git_dir` is that of a linked work tree whose repository may have been moved: git repairs nothing else.
fn may_be_repaired(files: &Files<'_>, git_dir: &Path) -> Result<bool> {
    let Some(list) = git_dir.parent().filter(|list| list.ends_with("worktrees")) else { return Ok(false) };
    let repository = list.parent().map(|repository| files.canonical(repository)).transpose()?;
    Ok(repository.flatten().is_none())
}

/// The path in a file of one line, relative to the folder `base`; `None` if there is no such file.
pub(super) fn path_in(files: &Files<'_>, file: &Path, base: &Path) -> Result<Option<PathBuf>> {
    let Some(text) = files.read(file, MAX_LINE_FILE_BYTES)? else { return Ok(None) };
    let path = trim_line_ends(&text);
    if path.is_empty() || path.contains(&0) {
        let is_back = file.ends_with("gitdir");
        return Err(refused(
            file,
            match is_back {
                true => "it does not contain a path; run `git worktree repair` with the path of its work tree",
                false => "it does not contain a path; correct it",
            },
        ));
    }
    Ok(Some(base.join(path_of(path))))
}
