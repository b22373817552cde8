//! The identity of a workspace: its repository, remote and branch, and their hash (spec 000, "Repo identity").
//!
//! Nothing is written and the network is not used. Credentials in a remote's URL never leave this module.

mod identity;
mod known;
mod lineage;
mod remote;
mod repo_file;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use identity::{On, git_files, hash_of};
pub(crate) use known::{folders, identities, real_path, stored};
pub(crate) use lineage::Lineage;
pub(crate) use remote::OPERATION as SANITIZE_REMOTE_URL;
pub(crate) use remote::is_same_place as is_same_remote;
pub use remote::{MAX_URL_BYTES, sanitize_remote_url};
pub(crate) use repo_file::{Names, describe, names, stored_names};

use crate::error::{Error, ErrorKind, Result};
use crate::home::{BranchScope, Home, RepoHash};
use crate::trash::Trash;
use crate::warning::Warning;

/// The identity of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepoIdentity")]
#[non_exhaustive]
pub struct Identity {
    /// The hash under which its memory is stored: SHA-256 in hex.
    pub repo_hash: RepoHash,
    /// The top level of the work tree, or the folder itself outside a repository. In `sharedRepo` scope, that of the
    /// main work tree, or the git directory if the repository is bare or its git directory is separate.
    pub path: String,
    /// The remote's URL without credentials; null if there is none.
    pub remote_url: Option<String>,
    /// The branch, without secrets; null if HEAD is detached or this is not a repository.
    pub branch: Option<String>,
    /// The commit of HEAD; null before the first commit or if this is not a repository.
    pub commit: Option<String>,
    /// Whether HEAD is detached.
    pub detached: bool,
    /// The scope of the memory that `repoHash` identifies.
    pub branch_scope: BranchScope,
}

/// Where a workspace is, without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    /// The top level of its work tree, or the folder itself outside a repository.
    pub(crate) top: PathBuf,
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The git directory, which belongs to git alone; `None` outside a repository.
    pub(crate) git_dir: Option<PathBuf>,
    /// The git directory that linked work trees share; `None` outside a repository.
    pub(crate) common_dir: Option<PathBuf>,
    /// The top level of the main work tree, if this is a linked one and that is known.
    pub(crate) main: Option<PathBuf>,
    /// The branch whose memory its branch reads too.
    parent: Option<Parent>,
}

/// A branch from which another one inherits: see `memory.inheritFrom`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    /// Its name.
    pub(crate) branch: String,
    /// Where its memory may be stored: under the hash of the same work tree, or of the main one. The first that has any
    /// records counts.
    pub(crate) hashes: Vec<RepoHash>,
}

/// A folder and optionally a branch. Any path converts into one.
///
/// ```
/// use loopmem::BranchScope;
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
    /// This folder or one of its parents.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Workspace { path: Some(path.into()), ..Workspace::default() }
    }

    /// The current folder, or the repository that git's environment variables name.
    pub fn current() -> Self {
        Workspace::default()
    }

    /// Whether it is that of the current folder.
    pub(crate) fn is_current(&self) -> bool {
        self.path.is_none()
    }

    setters! {
        /// Overrides the configured branch scope.
        branch_scope(scope: impl Into<Option<BranchScope>>) => branch_scope = scope.into();
        /// Uses this branch instead of HEAD's.
        branch(branch: impl Into<String>) => branch = Some(branch.into());
    }
}

impl<P: Into<PathBuf>> From<P> for Workspace {
    fn from(path: P) -> Self {
        Workspace::at(path)
    }
}

/// A handle to a repository's memory, returned by [`Store::repo`](crate::Store::repo). Cheap to clone; everything that is stored
/// for a repository is reached through it.
#[derive(Debug, Clone)]
pub struct Repo {
    home: Home,
    hash: RepoHash,
    /// Known if it was opened by folder.
    identity: Option<Arc<Identity>>,
    /// As [`identity`](Self::identity).
    location: Option<Arc<Location>>,
}

impl Repo {
    pub(crate) const IDENTIFY: &str = "repo.identify";

    /// The repository whose memory is stored under `hash`. Nothing is read or created yet.
    pub(crate) fn at(home: &Home, hash: &RepoHash) -> Self {
        Repo { home: home.clone(), hash: hash.clone(), identity: None, location: None }
    }

    /// The repository of `workspace`.
    ///
    /// # Errors
    /// `ValidationError` if there is no such folder or the branch name is invalid; `SecretRefused` if the path or the
    /// branch looks like a secret; `GitError` if the repository is broken, refers to a place that does not refer back
    /// to it, belongs to another user, or takes longer to read than the call's time-out (by default `lockTimeoutMs`);
    /// `Cancelled`.
    pub(crate) fn of(home: &Home, workspace: &Workspace) -> Result<Self> {
        let (identity, location) = locate(home, workspace, true)?;
        let hash = identity.repo_hash.clone();
        let (identity, location) = (Some(Arc::new(identity)), Some(Arc::new(location)));
        Ok(Repo { home: home.clone(), hash, identity, location })
    }

    /// The same repository for a part of a long call: see [`Home::renewed`].
    #[must_use]
    pub(crate) fn renewed(&self) -> Self {
        Repo { home: self.home.renewed(), ..self.clone() }
    }

    /// The hash under which the memory of this repository, and branch, is stored.
    pub fn hash(&self) -> &RepoHash {
        &self.hash
    }

    /// The path, remote, branch and commit that identify it; `None` if it was opened by hash.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_deref()
    }

    /// Where it is; `None` if it was opened by hash.
    pub(crate) fn location(&self) -> Option<&Location> {
        self.location.as_deref()
    }

    /// The branch from which it inherits. `None` if none is configured, if it is that branch, if all branches share one
    /// memory, and if it was opened by hash, which names one memory and no other.
    pub(crate) fn parent(&self) -> Option<&Parent> {
        self.location.as_ref()?.parent.as_ref()
    }

    /// The git directory that its work trees share; `None` outside a repository.
    fn git_dir(&self) -> Option<String> {
        Some(self.location()?.common_dir.as_deref()?.to_string_lossy().into_owned())
    }

    /// When git made it, in nanoseconds since 1970, by a file that is written then and never changed; `None` if that is missing.
    pub(crate) fn git_created(&self) -> Option<u64> {
        let file = self.location()?.common_dir.as_deref()?.join("description");
        u64::try_from(self.home.disk().stat(&file).ok()??.modified).ok()
    }

    /// What was removed or replaced of its records.
    pub(crate) fn trash(&self) -> Trash {
        Trash::at(&self.home, self.home.layout().trash(&self.hash))
    }

    /// Its home.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Runs `body` as the operation of this name: see [`Home::call`].
    pub(crate) fn call<T>(&self, operation: &str, body: impl FnOnce(&Repo) -> Result<T>) -> Result<T> {
        self.home.call(operation, |home| body(&Repo { home: home.clone(), ..self.clone() }))
    }

    /// Refuses a hash under which nothing was ever stored, if the store was opened so.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn refuse_unknown(&self) -> Result<()> {
        let is_known = || self.home.disk().has_entry(&self.home.layout().repo(&self.hash));
        if !self.home.config().known_repos_only || self.identity.is_some() || is_known() {
            return Ok(());
        }
        let message = "nothing was ever stored under this repoHash, which may be mistyped: `loopmem repo list` shows those in use; \
                       --create stores under it all the same";
        Err(Error::new(ErrorKind::NotFound, message).about(self.hash.as_str()))
    }

    /// As [`call`](Self::call), for an operation that stores something: afterwards, `repo.json` records what the hash
    /// identifies.
    pub(crate) fn call_write<T>(&self, operation: &str, body: impl FnOnce(&Repo) -> Result<T>) -> Result<T> {
        self.call(operation, |repo| {
            repo.refuse_unknown()?;
            let stored = body(repo)?;
            let remembered = match &repo.identity {
                Some(identity) => repo.remember(identity),
                None => repo.is_back(),
            };
            if let Err(error) = remembered {
                // The write itself is durable; the next one tries again.
                Warning::new("repo.json could not be written").because(&error).emit(repo.home.redactor());
            }
            Ok(stored)
        })
    }
}

/// Returns the identity of `workspace`.
pub(crate) fn identify(home: &Home, workspace: &Workspace) -> Result<Identity> {
    locate(home, workspace, false).map(|(identity, _)| identity)
}

fn locate(home: &Home, workspace: &Workspace, with_parent: bool) -> Result<(Identity, Location)> {
    home.call(Repo::IDENTIFY, |home| {
        admit(home, workspace)?;
        let (mut identity, location) = identity::identify(home, workspace, with_parent)?;
        home.admit_path("workspace", Path::new(&identity.path))?;
        for text in [&mut identity.remote_url, &mut identity.branch].into_iter().flatten() {
            if let Cow::Owned(redacted) = home.redactor().scrub(text) {
                *text = redacted;
            }
        }
        Ok((identity, location))
    })
}

/// Rejects secrets in names supplied by the caller. The repository's current branch and its remote are not under the caller's
/// control; they are redacted.
fn admit(home: &Home, workspace: &Workspace) -> Result<()> {
    if let Some(branch) = &workspace.branch {
        home.redactor().admit("branch", branch)?;
    }
    workspace.path.as_ref().map_or(Ok(()), |path| home.admit_path("workspace", path))
}

impl Location {
    /// Where `workspace` is. It takes less time than [`Repo::of`], since nothing is hashed.
    ///
    /// # Errors
    /// As [`Repo::of`], except for what only the identity is read from: the current branch and the configuration.
    pub(crate) fn of(home: &Home, workspace: &Workspace) -> Result<Self> {
        home.call(Repo::IDENTIFY, |home| {
            admit(home, workspace)?;
            let location = identity::locate(home, workspace)?;
            home.admit_path("workspace", &location.top)?;
            Ok(location)
        })
    }
}
