//! Reading a repository's identity, and its hash.

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{Config, ErrorCode, Repository, RepositoryOpenFlags};
use sha2::{Digest, Sha256};

use super::Identity;
use super::remote::sanitize_remote_url;
use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{BranchScope, RepoHash, check_path};

/// Names the recipe of the hash; a new recipe gets a new name.
const RECIPE: &[u8] = b"loopmem repo 1";

/// The longest branch name, in bytes: longer ones are no file names, which is what git keeps branches as.
const MAX_BRANCH_BYTES: usize = 1 << 10;

pub(super) fn identify(disk: &Disk, workspace: &Path, scope: BranchScope, branch: Option<&str>) -> Result<Identity> {
    check_path("workspace", workspace)?;
    if let Some(branch) = branch {
        check_branch(branch)?;
    }
    let workspace = &canonical(disk, workspace)?;
    if disk.kind_of(workspace)? != Some(Kind::Folder) {
        return Err(
            Error::validation(format!("workspace {} is no folder; name one", workspace.display())).at(workspace)
        );
    }
    let Some(repository) = open(disk, workspace)? else {
        // A folder that is no repository has its path only.
        let head = Head { branch: branch.map(Into::into), commit: None, detached: false };
        return Ok(identity(workspace, None, head, scope));
    };
    let head = Head::read(&repository)?;
    let path = match (scope, repository.workdir()) {
        (BranchScope::SharedRepo, _) => main_work_tree(&repository),
        (BranchScope::PerBranch, Some(work_tree)) => work_tree.to_owned(),
        (BranchScope::PerBranch, None) => repository.path().to_owned(),
    };
    let path = canonical(disk, &path)?;
    let head = match branch {
        Some(branch) => Head { branch: Some(branch.into()), commit: commit_of(&repository, branch), detached: false },
        None => head,
    };
    let remote = remote_url(&repository, head.branch.as_deref())?;
    Ok(identity(&path, remote, head, scope))
}

/// Looser than git, which may learn to allow more.
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
    /// As git has it: names that are no text differ in bytes that would all be shown as the same mark.
    branch: Option<Vec<u8>>,
    commit: Option<String>,
    detached: bool,
}

impl Head {
    fn read(repository: &Repository) -> Result<Head> {
        let head = repository.find_reference("HEAD").map_err(|cause| broken(repository.path(), &cause))?;
        if let Some(target) = head.symbolic_target_bytes() {
            let branch = target.strip_prefix(b"refs/heads/").unwrap_or(target).to_owned();
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

/// The repository that the canonical `workspace` lies in, `None` when it lies in none; a broken one is an error, never a folder.
fn open(disk: &Disk, workspace: &Path) -> Result<Option<Repository>> {
    static ANY_REPOSITORY: Once = Once::new();
    #[allow(unsafe_code, reason = "libgit2's options are global; these are set once, before their first use here")]
    ANY_REPOSITORY.call_once(|| {
        // SAFETY: `Once` keeps other threads out until they are set. Only names are read from the repository: no hook
        // and no program of it runs, which is what the check of the owner guards against.
        unsafe {
            let _ = git2::opts::set_verify_owner_validation(false);
            // A partial clone lacks objects, which are not read either.
            let _ = set_more_extensions(&["partialclone"]);
        }
    });
    match Repository::open_ext(workspace, RepositoryOpenFlags::CROSS_FS, std::iter::empty::<&Path>()) {
        Ok(repository) => Ok(Some(repository)),
        Err(cause) if cause.code() == ErrorCode::NotFound => {
            // git calls a `.git` that leads nowhere "not found" too.
            match workspace.ancestors().map(|folder| folder.join(".git")).find(|git| disk.has_entry(git)) {
                Some(git) => Err(broken(&git, &cause)),
                None => Ok(None),
            }
        }
        Err(cause) => Err(broken(workspace, &cause)),
    }
}

/// Adds to the extensions of git's format that libgit2 opens a repository with.
///
/// # Safety
/// No other thread may set or get libgit2's options meanwhile.
#[allow(unsafe_code, reason = "libgit2's options are global")]
unsafe fn set_more_extensions(more: &[&str]) -> std::result::Result<(), git2::Error> {
    // SAFETY: the caller keeps others out.
    let known = unsafe { git2::opts::get_extensions() }?;
    let mut all: Vec<&str> = known.iter().filter_map(|name| name.ok().flatten()).collect();
    all.extend(more);
    // SAFETY: as above.
    unsafe { git2::opts::set_extensions(&all) }
}

/// What a repository and its linked work trees have in common: the main work tree. A submodule's is named by its
/// configuration; where nothing leads from the git folder to it (`--separate-git-dir`), or there is none (bare), the git
/// folder itself, as git does.
fn main_work_tree(repository: &Repository) -> PathBuf {
    let common = repository.commondir();
    let work_tree = Repository::open(common).ok().and_then(|main| {
        let is_told = || main.config().is_ok_and(|config| config.get_entry("core.worktree").is_ok());
        // Without being told, libgit2 would take whatever the git folder lies in.
        let is_beside = common.file_name().is_some_and(|name| name == ".git");
        main.workdir().filter(|_| is_beside || is_told()).map(Path::to_owned)
    });
    work_tree.unwrap_or_else(|| common.to_owned())
}

/// The URL of `origin`, else of the branch's upstream, else of the first remote by name; as configured, without
/// `insteadOf`.
fn remote_url(repository: &Repository, branch: Option<&[u8]>) -> Result<Option<String>> {
    let config = repository
        .config()
        .and_then(|mut config| config.snapshot())
        .map_err(|cause| broken(repository.path(), &cause))?;
    let url = |remote: &str| text(&config, &format!("remote.{remote}.url"));
    let upstream = || {
        // libgit2 takes no other keys than text.
        let branch = std::str::from_utf8(branch?).ok()?;
        url(&text(&config, &format!("branch.{branch}.remote"))?)
    };
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
        .because(without_values(cause.message()))
}

/// What libgit2 says without what it quotes: values of the configuration, where a URL's password may stand too.
fn without_values(message: &str) -> String {
    match (message.find('\''), message.rfind('\'')) {
        (Some(first), Some(last)) if first < last => format!("{}…{}", &message[..=first], &message[last..]),
        _ => message.to_owned(),
    }
}
