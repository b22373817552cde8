//! `repo.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Method, Room, Row, workspace_of};
use crate::error::{Error, Result};
use crate::home::{BranchScope, RepoHash};
use crate::repo::{Identity, MAX_URL_BYTES, sanitize_remote_url};
use crate::repos::{KnownRepo, Migration};
use crate::store::Store;

pub(super) const ROOM: Room = Room {
    name: "repo",
    about: "Repository identities, and what is stored for each",
    rows: &[Row::of::<Identify>(), Row::of::<SanitizeRemoteUrl>(), Row::of::<List>(), Row::of::<Migrate>()],
};

/// Identifies the repository that a folder belongs to: the hash under which its memory is stored, and what the hash is
/// computed from.
///
/// A folder outside of any repository is identified by its path. Such a hash is only valid on one machine.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct IdentifyParams {
    /// A folder in the repository. Default: the current folder.
    #[schemars(extend("format" = "path"))]
    workspace: Option<String>,
    /// Whether each branch has a separate memory or all branches share one. Default: as configured.
    branch_scope: Option<BranchScope>,
    /// The branch to identify, instead of the one that HEAD is on.
    branch: Option<String>,
}

/// See [`IdentifyParams`].
pub(super) struct Identify;

impl Method for Identify {
    const NAME: &'static str = "repo.identify";
    type Params = IdentifyParams;
    type Output = Identity;
    const LOCKS: bool = false;

    fn run(store: &Store, params: IdentifyParams) -> Result<Identity> {
        let mut workspace = workspace_of(params.workspace.as_deref()).branch_scope(params.branch_scope);
        if let Some(branch) = params.branch {
            workspace = workspace.branch(branch);
        }
        store.repos().identify(workspace)
    }
}

/// Removes credentials, default ports, the query and the fragment from a remote URL, and normalizes the form of SSH
/// URLs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SanitizeRemoteUrlParams {
    /// The URL, in any form that git accepts; at most 16,384 bytes.
    url: String,
}

/// A remote URL without credentials.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SanitizedUrl {
    /// The URL.
    url: String,
}

/// See [`SanitizeRemoteUrlParams`].
pub(super) struct SanitizeRemoteUrl;

impl Method for SanitizeRemoteUrl {
    const NAME: &'static str = "repo.sanitizeRemoteUrl";
    type Params = SanitizeRemoteUrlParams;
    type Output = SanitizedUrl;
    const LOCKS: bool = false;

    fn run(_: &Store, params: SanitizeRemoteUrlParams) -> Result<SanitizedUrl> {
        if params.url.len() > MAX_URL_BYTES {
            return Err(Error::validation(format!("url must be at most {MAX_URL_BYTES} bytes long")));
        }
        Ok(SanitizedUrl { url: sanitize_remote_url(&params.url) })
    }
}

/// Lists the repositories that have stored data, most recently modified first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListParams {}

/// See [`ListParams`].
pub(super) struct List;

impl Method for List {
    const NAME: &'static str = "repo.list";
    type Params = ListParams;
    type Output = Vec<KnownRepo>;
    const LOCKS: bool = false;

    fn run(store: &Store, _: ListParams) -> Result<Vec<KnownRepo>> {
        store.repos().list()
    }
}

/// Copies the memory stored under one repository hash to another, after a branch was renamed, a folder moved or a
/// remote changed.
///
/// The source is not changed, nor is any record that the target already has: one with the same id, or a summary with
/// the same run, step and time. The target's limits still apply: the oldest summaries beyond them are not copied, or
/// are removed from the target, and are counted. If anything prevents the migration, nothing is copied.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MigrateParams {
    /// The hash to copy from, as `repo.identify` or `repo.list` returns it.
    from_repo_hash: RepoHash,
    /// The hash to copy to.
    to_repo_hash: RepoHash,
    /// Only count what would be copied. Default: false.
    dry_run: Option<bool>,
}

/// See [`MigrateParams`].
pub(super) struct Migrate;

impl Method for Migrate {
    const NAME: &'static str = "repo.migrate";
    type Params = MigrateParams;
    type Output = Migration;
    const WRITES: bool = true;

    fn run(store: &Store, params: MigrateParams) -> Result<Migration> {
        let (from, to) = (&params.from_repo_hash, &params.to_repo_hash);
        let repos = store.repos();
        if params.dry_run.unwrap_or(false) { repos.preview_migration(from, to) } else { repos.migrate(from, to) }
    }
}
