//! Reading a repository's identity, and its hash.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{Config, ErrorCode, Repository, RepositoryOpenFlags};
use sha2::{Digest, Sha256};

use super::Identity;
use super::remote::sanitize_remote_url;
use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{BranchScope, RepoHash};

/// Names the recipe of the hash; a new recipe gets a new name.
const RECIPE: &[u8] = b"loopmem repo 1";

pub(super) fn identify(disk: &Disk, workspace: &Path, scope: BranchScope, branch: Option<&str>) -> Result<Identity> {
    if workspace.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::validation("workspace holds a NUL character"));
    }
    if let Ok(Some(kind)) = disk.kind_of(workspace)
        && kind != Kind::Folder
    {
        return Err(
            Error::validation(format!("workspace {} is no folder; name one", workspace.display())).at(workspace)
        );
    }
    let Some(repository) = open(disk, workspace)? else { return folder(disk, workspace, scope, branch) };
    let head = Head::read(&repository)?;
    let path = match (scope, repository.workdir()) {
        (BranchScope::SharedRepo, _) => main_work_tree(&repository),
        (BranchScope::PerBranch, Some(work_tree)) => work_tree.to_owned(),
        (BranchScope::PerBranch, None) => repository.path().to_owned(),
    };
    let path = canonical(disk, &path)?;
    let head = match branch {
        Some(branch) => {
            Head { branch: Some(branch.to_owned()), commit: commit_of(&repository, branch), detached: false }
        }
        None => head,
    };
    let remote = remote_url(&repository, head.branch.as_deref())?;
    Ok(identity(path, remote, head, scope))
}

/// A folder that is no repository has its path only.
fn folder(disk: &Disk, workspace: &Path, scope: BranchScope, branch: Option<&str>) -> Result<Identity> {
    let head = Head { branch: branch.map(str::to_owned), commit: None, detached: false };
    Ok(identity(canonical(disk, workspace)?, None, head, scope))
}

fn identity(path: PathBuf, remote_url: Option<String>, head: Head, branch_scope: BranchScope) -> Identity {
    let on = match (branch_scope, &head) {
        (BranchScope::SharedRepo, _) => None,
        (BranchScope::PerBranch, Head { branch: Some(branch), .. }) => Some((b'b', branch.as_bytes())),
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
        branch: head.branch,
        commit: head.commit,
        detached: head.detached,
        branch_scope,
    }
}

/// SHA-256 of the recipe's name and, for each field, its letter, its length (64 bits, big-endian) and its bytes. See
/// `docs/FORMAT.md`.
fn hash(fields: &[(u8, &[u8])]) -> RepoHash {
    let mut hasher = Sha256::new();
    hasher.update(RECIPE);
    for (letter, bytes) in fields {
        hasher.update([*letter]);
        hasher.update((bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    }
    RepoHash::from_digest(&hasher.finalize())
}

struct Head {
    branch: Option<String>,
    commit: Option<String>,
    detached: bool,
}

impl Head {
    fn read(repository: &Repository) -> Result<Head> {
        let head = repository.find_reference("HEAD").map_err(|cause| broken(repository.path(), &cause))?;
        if let Some(target) = head.symbolic_target_bytes() {
            let name = String::from_utf8_lossy(target);
            let branch = name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned();
            let commit = match head.resolve() {
                Ok(resolved) => resolved.target().map(|commit| commit.to_string()),
                // A branch without a commit: the repository is new.
                Err(cause) if cause.code() == ErrorCode::NotFound => None,
                Err(cause) => return Err(broken(repository.path(), &cause)),
            };
            return Ok(Head { branch: Some(branch), commit, detached: false });
        }
        Ok(Head { branch: None, commit: head.target().map(|commit| commit.to_string()), detached: true })
    }
}

fn commit_of(repository: &Repository, branch: &str) -> Option<String> {
    repository.find_reference(&format!("refs/heads/{branch}")).ok()?.target().map(|commit| commit.to_string())
}

/// The repository that `workspace` lies in, `None` when it lies in none; a broken one is an error, never a folder.
fn open(disk: &Disk, workspace: &Path) -> Result<Option<Repository>> {
    static ANY_OWNER: Once = Once::new();
    #[allow(unsafe_code, reason = "libgit2's options are global; this one is set once, before its first use here")]
    ANY_OWNER.call_once(|| {
        // SAFETY: `Once` keeps other threads out until it is set. Only names are read from the repository: no hook and
        // no program of it runs, which is what the check of the owner guards against.
        let _ = unsafe { git2::opts::set_verify_owner_validation(false) };
    });
    match Repository::open_ext(workspace, RepositoryOpenFlags::CROSS_FS, std::iter::empty::<&Path>()) {
        Ok(repository) => Ok(Some(repository)),
        Err(cause) if cause.code() == ErrorCode::NotFound => {
            // git calls a `.git` that leads nowhere "not found" too.
            let canonical = canonical(disk, workspace)?;
            match canonical.ancestors().map(|folder| folder.join(".git")).find(|git| disk.has_entry(git)) {
                Some(git) => Err(broken(&git, &cause)),
                None => Ok(None),
            }
        }
        Err(cause) => Err(broken(workspace, &cause)),
    }
}

/// Linked work trees share the main one's memory; a bare repository has no work tree but itself.
fn main_work_tree(repository: &Repository) -> PathBuf {
    let common = repository.commondir();
    match common.file_name() {
        Some(name) if name == ".git" => common.parent().unwrap_or(common).to_owned(),
        _ if repository.is_worktree() => common.to_owned(),
        _ => repository.workdir().unwrap_or(common).to_owned(),
    }
}

/// The URL of `origin`, else of the branch's upstream, else of the first remote by name; as configured, without
/// `insteadOf`.
fn remote_url(repository: &Repository, branch: Option<&str>) -> Result<Option<String>> {
    let config = repository
        .config()
        .and_then(|mut config| config.snapshot())
        .map_err(|cause| broken(repository.path(), &cause))?;
    let url = |remote: &str| text(&config, &format!("remote.{remote}.url"));
    let upstream =
        || branch.and_then(|branch| text(&config, &format!("branch.{branch}.remote"))).and_then(|remote| url(&remote));
    let first = || -> Option<String> {
        let mut names: Vec<String> =
            repository.remotes().ok()?.iter_bytes().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort();
        names.iter().find_map(|name| url(name))
    };
    Ok(url("origin").or_else(upstream).or_else(first).map(|url| sanitize_remote_url(&url)))
}

fn text(config: &Config, key: &str) -> Option<String> {
    let bytes = config.get_bytes(key).ok()?;
    Some(String::from_utf8_lossy(bytes).into_owned()).filter(|value| !value.is_empty())
}

fn canonical(disk: &Disk, path: &Path) -> Result<PathBuf> {
    disk.canonical(path).map_err(|cause| {
        Error::validation(format!("workspace {} cannot be found; name an existing folder", path.display()))
            .at(path)
            .because(cause)
    })
}

fn broken(path: &Path, cause: &git2::Error) -> Error {
    Error::new(ErrorKind::Git, format!("the repository at {} cannot be read; see `git -C PATH status`", path.display()))
        .at(path)
        .because(cause.message())
}
