//! `repo.*`

use schemars::JsonSchema;
use serde::Serialize;

use super::{MethodGroup, method, methods, params, workspace_of};
use crate::home::{BranchScope, RepoHash};
use crate::repo::{Identity, Repo, SANITIZE_REMOTE_URL, sanitize_remote_url};
use crate::repos::{KnownRepo, Migration, Repos};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "repo",
    about: "Repository identities, and what is stored for each",
    entries: methods! { Identify, SanitizeRemoteUrl, List, Migrate },
};

params! {
    /// Identifies the repository that a folder belongs to: the hash under which its memory is stored, and what the hash
    /// is computed from.
    ///
    /// A folder outside of any repository is identified by its path. Such a hash is only valid on one machine.
    struct Identify {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
        /// The branch to identify, instead of the one that HEAD is on.
        branch: Option<String>,
    }
}

method! {
    Identify = Repo::IDENTIFY => Identity, LOCK_FREE |self, store| {
        let mut workspace = workspace_of(self.workspace.as_deref()).branch_scope(self.branch_scope);
        if let Some(branch) = self.branch {
            workspace = workspace.branch(branch);
        }
        store.repos().identify(workspace)
    }
}

params! {
    /// Removes credentials, default ports, the query and the fragment from a remote URL, and normalizes the form of SSH
    /// URLs.
    struct SanitizeRemoteUrl {
        /// The URL, in any form that git accepts; at most 16,384 bytes.
        url: String,
    }
}

/// A remote URL without credentials.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SanitizedUrl {
    /// The URL.
    url: String,
}

method! {
    SanitizeRemoteUrl = SANITIZE_REMOTE_URL => SanitizedUrl, LOCK_FREE |self, _| {
        Ok(SanitizedUrl { url: sanitize_remote_url(&self.url)? })
    }
}

params! {
    /// Lists the repositories that have stored data, most recently modified first.
    struct List {}
}

method! { List = Repos::LIST => Vec<KnownRepo>, LOCK_FREE |self, store| store.repos().list() }

params! {
    /// Copies the memory stored under one repository hash to another, after a branch was renamed, a folder moved or a
    /// remote changed.
    ///
    /// The source is not changed, nor is any record that the target already has: one with the same id, or a summary
    /// with the same run, step and time. The target's limits still apply: the oldest summaries beyond them are not
    /// copied, or are removed from the target, and are counted. If anything prevents the migration, nothing is copied.
    struct Migrate {
        /// The hash to copy from, as `repo.identify` or `repo.list` returns it.
        from_repo_hash: RepoHash,
        /// The hash to copy to.
        to_repo_hash: RepoHash,
        /// Only count what would be copied. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Migrate = Repos::MIGRATE => Migration, WRITES |self, store| {
        let (from, to) = (&self.from_repo_hash, &self.to_repo_hash);
        let repos = store.repos();
        if self.dry_run.unwrap_or(false) { repos.preview_migration(from, to) } else { repos.migrate(from, to) }
    }
}
