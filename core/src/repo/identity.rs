//! Reading a repository's identity and computing its hash.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::remote::sanitized;
use super::{Identity, Location, Parent, Workspace};
use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::git::{Config, Files, Head, Repository, shown};
use crate::home::{BranchScope, DEFAULT_BRANCH, DetachedHead, Home, RepoHash, check_path};
use crate::warning::Warning;

/// Identifies the hash's input format; a new format gets a new name.
const RECIPE: &[u8] = b"loopmem repo 1";

/// The longest branch name, in bytes. Longer names cannot be file names, as git requires.
const MAX_BRANCH_BYTES: usize = 1 << 10;

/// The identity of `workspace`, and where it is; with the branch from which it inherits, if that is wanted.
pub(super) fn identify(home: &Home, workspace: &Workspace, with_parent: bool) -> Result<(Identity, Location)> {
    let scope = workspace.branch_scope.unwrap_or(home.config().branch_scope);
    let branch = workspace.branch.as_deref();
    let files = git_files(home);
    let (folder, repository) = open(home, &files, workspace)?;
    let Some(repository) = repository else {
        // Outside a repository, the identity is the path.
        let head = Head { branch: branch.map(Into::into), commit: None, detached: false };
        return Ok((identity(&folder, None, head, scope), Location::new(folder, None)));
    };
    let head = repository.head(&files)?;
    let config = Config::of_repository(&files, &repository, head.branch.as_deref())?;
    let head = match branch {
        Some(branch) => {
            Head { branch: Some(branch.into()), commit: repository.commit_of_branch(&files, branch)?, detached: false }
        }
        None => {
            let of_job = || home.git_environment().branch_of_job().filter(|branch| check_branch(branch).is_ok());
            let is_wanted = head.detached && home.config().detached == DetachedHead::Branch;
            match is_wanted.then(of_job).flatten() {
                Some(branch) => Head { branch: Some(branch.into()), ..head },
                None => head,
            }
        }
    };
    let path = match scope {
        BranchScope::SharedRepo => repository.main_work_tree(&files)?,
        BranchScope::PerBranch => repository.work_tree().unwrap_or(repository.git_dir()).to_owned(),
    };
    let remote = remote_url(&config, head.branch.as_deref());
    let mut location = Location::new(folder, Some(&repository));
    if with_parent && scope == BranchScope::PerBranch {
        location.parent = match parent(home, &files, &repository, &head, &path) {
            // What is stored for the branch itself can be read all the same.
            Err(error) if error.kind() == ErrorKind::Git => {
                let warning = Warning::new("the memory of the default branch is not read");
                warning.because(&error).emit(home.redactor());
                None
            }
            parent => parent?,
        };
    }
    Ok((identity(&path, remote, head, scope), location))
}

/// The branch from which the branch of `head` inherits, in the work tree at `path`.
fn parent(home: &Home, files: &Files<'_>, repository: &Repository, head: &Head, path: &Path) -> Result<Option<Parent>> {
    let Some(configured) = &home.config().inherit_from else { return Ok(None) };
    let branch = match configured.as_str() {
        DEFAULT_BRANCH => repository.default_branch(files)?,
        branch => branch.to_owned(),
    };
    if head.branch.as_deref() == Some(branch.as_bytes()) {
        return Ok(None);
    }
    let config = Config::of_repository(files, repository, Some(branch.as_bytes()))?;
    let remote = remote_url(&config, Some(branch.as_bytes()));
    let head = Head { branch: Some(branch.clone().into()), commit: None, detached: false };
    let hash = |path: &Path| identity(path, remote.clone(), head.clone(), BranchScope::PerBranch).repo_hash;
    let mut hashes = vec![hash(path)];
    // In a linked work tree, the memory of the branch is more likely to be that of the main one. Where that is cannot
    // always be proven, which matters only if it is asked for.
    if let Ok(main) = repository.main_work_tree(files)
        && main != path
    {
        hashes.push(hash(&main));
    }
    Ok(Some(Parent { branch, hashes }))
}

/// Where `workspace` is, for which less of the repository is read than for its identity.
pub(super) fn locate(home: &Home, workspace: &Workspace) -> Result<Location> {
    let files = git_files(home);
    let (folder, repository) = open(home, &files, workspace)?;
    let mut location = Location::new(folder, repository.as_ref());
    if let Some(linked) = repository.filter(|it| it.common_dir() != it.git_dir()) {
        location.main = match linked.main_work_tree(&files) {
            // That of a bare repository is git's own folder.
            Ok(main) => Some(main).filter(|main| main != linked.common_dir()),
            Err(error) if error.kind() == ErrorKind::Git => None,
            Err(error) => return Err(error),
        };
    }
    Ok(location)
}

/// Access to the files of git, for at most the time of the call.
pub(crate) fn git_files(home: &Home) -> Files<'_> {
    let disk = home.disk();
    Files::new(disk, disk.work_deadline(home.wait_options(), home.config().lock_timeout), home.git_environment())
}

/// The canonical folder of `workspace`, and the repository that it belongs to, if any.
fn open(home: &Home, files: &Files<'_>, workspace: &Workspace) -> Result<(PathBuf, Option<Repository>)> {
    let (path, branch) = (workspace.path.as_deref(), workspace.branch.as_deref());
    path.map(|path| check_path("workspace", path)).transpose()?;
    branch.map(check_branch).transpose()?;
    // git's environment variables apply only if the caller names no workspace.
    let (folder, repository) = match path {
        Some(path) => {
            let folder = canonical(home.disk(), path)?;
            let repository = Repository::discover(files, &folder)?;
            (folder, repository)
        }
        None => {
            let folder = canonical(home.disk(), &home.current_folder()?)?;
            let repository = Repository::of_current_folder(files, &folder)?;
            (folder, repository)
        }
    };
    Ok((folder, repository))
}

impl Location {
    fn new(folder: PathBuf, repository: Option<&Repository>) -> Self {
        let top = repository.map_or(&*folder, |it| it.work_tree().unwrap_or(it.git_dir())).to_owned();
        let git_dir = repository.map(|it| it.git_dir().to_owned());
        let common_dir = repository.map(|it| it.common_dir().to_owned());
        Location { top, folder, git_dir, common_dir, main: None, parent: None }
    }
}

/// Validates a branch name, less strictly than git, whose rules may change.
fn check_branch(branch: &str) -> Result<()> {
    if branch.is_empty() || branch.len() > MAX_BRANCH_BYTES || branch.chars().any(char::is_control) {
        return Err(Error::validation(format!(
            "branch must be 1 to {MAX_BRANCH_BYTES} bytes of text without control characters"
        )));
    }
    Ok(())
}

fn identity(path: &Path, remote_url: Option<String>, head: Head, branch_scope: BranchScope) -> Identity {
    let on = match (branch_scope, &head) {
        (BranchScope::SharedRepo, _) => None,
        (BranchScope::PerBranch, Head { branch: Some(branch), .. }) => Some((b'b', &**branch)),
        (BranchScope::PerBranch, Head { commit: Some(commit), detached: true, .. }) => Some((b'c', commit.as_bytes())),
        (BranchScope::PerBranch, _) => None,
    };
    let mut fields = vec![(b'p', path.as_os_str().as_encoded_bytes())];
    fields.extend(remote_url.as_deref().map(|url| (b'r', url.as_bytes())));
    fields.extend(on);
    Identity {
        repo_hash: hash(&fields),
        path: path.to_string_lossy().into_owned(),
        remote_url,
        branch: head.branch.map(|branch| String::from_utf8_lossy(&branch).into_owned()),
        commit: head.commit,
        detached: head.detached,
        branch_scope,
    }
}

/// What a hash is of, besides a folder and a remote.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On<'n> {
    Nothing,
    Branch(&'n str),
    Commit(&'n str),
}

/// The hash of an identity.
pub(crate) fn hash_of(path: &Path, remote_url: Option<&str>, on: On<'_>) -> RepoHash {
    let mut fields = vec![(b'p', path.as_os_str().as_encoded_bytes())];
    fields.extend(remote_url.map(|url| (b'r', url.as_bytes())));
    match on {
        On::Nothing => {}
        On::Branch(branch) => fields.push((b'b', branch.as_bytes())),
        On::Commit(commit) => fields.push((b'c', commit.as_bytes())),
    }
    hash(&fields)
}

/// SHA-256 of [`RECIPE`] and, for each field, its letter, its length (64 bits, big-endian) and its bytes. See
/// `docs/FORMAT.md`.
fn hash(fields: &[(u8, &[u8])]) -> RepoHash {
    let mut hasher = Sha256::new();
    hasher.update(RECIPE);
    for (letter, bytes) in fields {
        hasher.update([*letter]);
        hasher.update((bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    }
    RepoHash::from_digest(&hasher.finalize().into())
}

/// The URL of `origin`, else of the branch's upstream, else of the first remote by name; as configured, ignoring
/// `insteadOf`.
fn remote_url(config: &Config, branch: Option<&[u8]>) -> Option<String> {
    let url = |remote: &[u8]| config.get(&key(b"remote", remote, b"url")).filter(|url| !url.is_empty());
    let upstream = || url(config.get(&key(b"branch", branch?, b"remote"))?);
    let first = || config.by_subsection("remote", "url").into_values().find(|url| !url.is_empty());
    let url = url(b"origin").or_else(upstream).or_else(first)?;
    Some(sanitized(&String::from_utf8_lossy(url)))
}

fn key(section: &[u8], subsection: &[u8], name: &[u8]) -> Vec<u8> {
    [section, subsection, name].join(&b'.')
}

/// The canonical path of the folder `path`.
fn canonical(disk: &Disk, path: &Path) -> Result<PathBuf> {
    let folder = disk.canonical(path).map_err(|cause| {
        Error::validation(format!("workspace {} not found; use an existing folder", shown(path)))
            .at(path)
            .because_of(&cause)
    })?;
    match disk.kind_of(&folder)? {
        Some(Kind::Folder) => Ok(folder),
        _ => Err(Error::validation(format!("workspace {} is not a folder; use a folder", shown(path))).at(path)),
    }
}
