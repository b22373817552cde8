//! A workspace and its identity: which repository, which remote, which branch, and the hash of it all (spec 000,
//! "Repo identity").
//!
//! Nothing is written and nothing is asked of the network. Credentials in a remote's URL never leave this room.

mod identity;
mod remote;
mod repo_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

pub use remote::{MAX_URL_BYTES, sanitize_remote_url};
pub(crate) use repo_file::{Names, names};

use crate::error::Result;
use crate::home::{BranchScope, Home, RepoHash};
use crate::warning::Warning;

/// What a workspace is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepoIdentity")]
#[non_exhaustive]
pub struct Identity {
    /// The key of its memory: SHA-256 in hex.
    pub repo_hash: RepoHash,
    /// The work tree's top level, or the folder itself outside a repository. In `sharedRepo` scope the main work tree's,
    /// or the git folder where that is bare or lies apart.
    pub path: String,
    /// The remote's URL without credentials; null when there is none.
    pub remote_url: Option<String>,
    /// The branch; null when HEAD is detached or this is no repository.
    pub branch: Option<String>,
    /// The commit of HEAD; null before the first commit or when this is no repository.
    pub commit: Option<String>,
    /// Whether HEAD names a commit and no branch.
    pub detached: bool,
    /// Whose memory `repoHash` stands for.
    pub branch_scope: BranchScope,
}

/// Which folder, on which branch, is meant. A path converts into one.
///
/// ```
/// use loopmem::home::BranchScope;
/// use loopmem::repo::Workspace;
///
/// let shared = Workspace::at("packages/parser").branch_scope(BranchScope::SharedRepo);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    path: Option<PathBuf>,
    branch_scope: Option<BranchScope>,
    branch: Option<String>,
}

impl Workspace {
    /// This folder, or one that holds it.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Workspace { path: Some(path.into()), ..Workspace::default() }
    }

    /// The current folder, and the repository that git's environment names, if it does.
    pub fn current() -> Self {
        Workspace::default()
    }

    /// Whose memory a branch reads and writes, instead of what is configured.
    #[must_use]
    pub fn branch_scope(mut self, scope: impl Into<Option<BranchScope>>) -> Self {
        self.branch_scope = scope.into();
        self
    }

    /// Another branch than the one HEAD is on.
    #[must_use]
    pub fn branch(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }
}

impl<P: Into<PathBuf>> From<P> for Workspace {
    fn from(path: P) -> Self {
        Workspace::at(path)
    }
}

/// A repository whose memory is read and written. Cheap to clone; every room that keeps something for a repository hangs
/// on it.
#[derive(Debug, Clone)]
pub struct Repo {
    home: Home,
    hash: RepoHash,
    /// Known when it was found by a folder.
    identity: Option<Arc<Identity>>,
}

impl Repo {
    /// The repository whose memory is kept under `hash`; nothing is read or created yet.
    pub(crate) fn at(home: &Home, hash: &RepoHash) -> Self {
        Repo { home: home.clone(), hash: hash.clone(), identity: None }
    }

    /// The repository that `workspace` is.
    ///
    /// # Errors
    /// `ValidationError` when there is no such folder or its branch can be no branch's name, `SecretRefused` when the path
    /// or the branch looks like a secret, `GitError` when the repository is broken, claims a place that does not confirm it,
    /// belongs to another user, or takes longer to read than the call may wait (`lockTimeoutMs` where it has no time-out of
    /// its own); `Cancelled`.
    pub(crate) fn of(home: &Home, workspace: &Workspace) -> Result<Self> {
        let identity = identify(home, workspace)?;
        let hash = identity.repo_hash.clone();
        Ok(Repo { home: home.clone(), hash, identity: Some(Arc::new(identity)) })
    }

    /// The key of its memory.
    pub fn hash(&self) -> &RepoHash {
        &self.hash
    }

    /// What it is; `None` when it was named by its hash alone.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_deref()
    }

    /// Where it is kept.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Runs `body` as the operation of this name: see [`Home::call`].
    pub(crate) fn call<T>(&self, operation: &str, body: impl FnOnce(&Repo) -> Result<T>) -> Result<T> {
        let Repo { home, hash, identity } = self;
        home.call(operation, |home| body(&Repo { home: home.clone(), hash: hash.clone(), identity: identity.clone() }))
    }

    /// As [`call`](Self::call), for one that stores something: after it the home tells what the hash stands for.
    pub(crate) fn store<T>(&self, operation: &str, body: impl FnOnce(&Repo) -> Result<T>) -> Result<T> {
        self.call(operation, |repo| {
            let stored = body(repo)?;
            if let Some(identity) = &repo.identity
                && let Err(unnoted) = repo.remember(identity)
            {
                // The write itself is durable, and the next one tries again.
                Warning::new("repo.json could not be written").because(&unnoted).emit(repo.home.redactor());
            }
            Ok(stored)
        })
    }
}

/// What `workspace` is.
///
/// # Errors
/// As [`Repo::of`].
pub(crate) fn identify(home: &Home, workspace: &Workspace) -> Result<Identity> {
    home.call("repo.identify", |home| {
        // Only what a caller names is refused: the branch that a repository is on is its own affair, and is redacted
        // wherever it is noted.
        if let Some(branch) = &workspace.branch {
            home.redactor().admit("branch", branch)?;
        }
        if let Some(path) = &workspace.path {
            home.admit_path("workspace", path)?;
        }
        let identity = identity::identify(home, workspace)?;
        home.admit_path("workspace", Path::new(&identity.path))?;
        Ok(identity)
    })
}
