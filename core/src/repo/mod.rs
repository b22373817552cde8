//! A workspace and its identity: which repository, which remote, which branch, and the hash of it all (spec 000,
//! "Repo identity").
//!
//! Nothing is written and nothing is asked of the network. Credentials in a remote's URL never leave this room.

mod identity;
mod known;
mod remote;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

pub use known::KnownRepo;
pub use remote::{MAX_URL_BYTES, sanitize_remote_url};

use crate::disk::Wait;
use crate::error::Result;
use crate::home::{BranchScope, Home, RepoHash};

/// What a workspace is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepoIdentity")]
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

/// Identities of workspaces.
#[derive(Debug, Clone, Copy)]
pub struct Repo<'h> {
    home: &'h Home,
}

impl<'h> Repo<'h> {
    /// The room over `home`.
    pub fn new(home: &'h Home) -> Self {
        Repo { home }
    }

    /// What `workspace` (default: the current folder) is, on `branch` (default: the one HEAD is on).
    ///
    /// # Errors
    /// `ValidationError` when there is no such folder or `branch` can be no branch's name, `SecretRefused` when the path
    /// or `branch` looks like a secret, `GitError` when the repository is broken, claims a place that does not confirm it,
    /// belongs to another user, or takes longer to read than `wait` allows (`lockTimeoutMs` where it has no time-out of its
    /// own); `Cancelled`.
    pub fn identify(
        &self,
        wait: &Wait,
        workspace: Option<&Path>,
        scope: Option<BranchScope>,
        branch: Option<&str>,
    ) -> Result<Identity> {
        let scope = scope.unwrap_or(self.home.config().branch_scope);
        // Only what a caller names is refused: the branch that a repository is on is its own affair, and is redacted
        // wherever it is noted.
        if let Some(branch) = branch {
            self.home.redactor().admit("branch", branch)?;
        }
        if let Some(workspace) = workspace {
            self.home.admit_path("workspace", workspace)?;
        }
        let identity = identity::identify(self.home, wait, workspace, scope, branch)?;
        self.home.admit_path("workspace", Path::new(&identity.path))?;
        Ok(identity)
    }
}
