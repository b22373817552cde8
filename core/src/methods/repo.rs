//! `repo.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Method, Room, Row, named};
use crate::error::{Error, Result};
use crate::home::{BranchScope, RepoHash};
use crate::repo::{Identity, MAX_URL_BYTES, sanitize_remote_url};
use crate::repos::{KnownRepo, Migration};
use crate::store::Store;

pub(super) const ROOM: Room = Room {
    name: "repo",
    about: "Which repository a folder is, and what is stored for which",
    rows: &[Row::of::<Identify>(), Row::of::<SanitizeRemoteUrl>(), Row::of::<List>(), Row::of::<Migrate>()],
};

/// Tells which repository a folder belongs to: the hash under which its memory is kept, and what went into it.
///
/// Outside a repository a folder is identified by its path. Memory that is kept by path does not travel between
/// machines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct IdentifyParams {
    /// A folder in the repository. Default: the current folder.
    #[schemars(extend("format" = "path"))]
    workspace: Option<String>,
    /// Whose memory a branch reads and writes. Default: as configured.
    branch_scope: Option<BranchScope>,
    /// Identifies another branch than the one HEAD is on.
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
        let mut workspace = named(params.workspace.as_deref()).branch_scope(params.branch_scope);
        if let Some(branch) = params.branch {
            workspace = workspace.branch(branch);
        }
        store.repos().identify(workspace)
    }
}

/// Takes credentials, default ports, query and fragment out of a remote's URL and gives every SSH URL one form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SanitizeRemoteUrlParams {
    /// The URL, as git takes it, at most 16,384 bytes long.
    url: String,
}

/// A remote's URL without credentials.
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

/// Lists the repositories that something is stored for, the last changed first.
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

/// Copies what one repository hash remembers to another: after a branch was renamed, a folder moved or a remote changed.
///
/// Records whose id, and summaries whose run, step and time are there already stay as they are there. The source stays
/// as it was. The target keeps its limits: of all summaries the oldest beyond them are left behind or go, and are counted.
/// When anything is in the way, nothing is copied.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MigrateParams {
    /// Where it is, as `repo.identify` or `repo.list` tells it.
    from_repo_hash: RepoHash,
    /// Where it is to be.
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
