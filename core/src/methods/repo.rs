//! `repo.*`

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Method};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{BranchScope, RepoHash};
use crate::memory::Counts;
use crate::repo::{Identity, KnownRepo, MAX_URL_BYTES, sanitize_remote_url};

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

    fn run(call: &Call<'_>, params: IdentifyParams) -> Result<Identity> {
        call.store().repo().identify(
            call.wait(),
            params.workspace.as_deref().map(Path::new),
            params.branch_scope,
            params.branch.as_deref(),
        )
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

    fn run(_: &Call<'_>, params: SanitizeRemoteUrlParams) -> Result<SanitizedUrl> {
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

    fn run(call: &Call<'_>, _: ListParams) -> Result<Vec<KnownRepo>> {
        call.store().repo().list()
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

/// How much was there, by kind.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MigrationCounts {
    /// Conventions.
    conventions: usize,
    /// Decisions.
    decisions: usize,
    /// Notes.
    notes: usize,
    /// Step summaries.
    summaries: usize,
}

/// What a migration did, or with `dryRun` would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Migration {
    /// What came over.
    copied: MigrationCounts,
    /// What was in the target already.
    deduplicated: MigrationCounts,
    /// Summaries of the source that were left behind: older than all that the target may keep.
    left: usize,
    /// Summaries of the target that had to go for newer ones.
    pruned: usize,
    /// Damaged lines in the source's file of summaries, if any, which cannot be copied; they stay there.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<usize>,
}

/// See [`MigrateParams`].
pub(super) struct Migrate;

impl Method for Migrate {
    const NAME: &'static str = "repo.migrate";
    type Params = MigrateParams;
    type Output = Migration;
    const WRITES: bool = true;

    fn run(call: &Call<'_>, params: MigrateParams) -> Result<Migration> {
        let (from, to) = (&params.from_repo_hash, &params.to_repo_hash);
        if from == to {
            return Err(Error::validation("fromRepoHash and toRepoHash are the same; name two repositories"));
        }
        if !call.store().repo().is_known(from)? {
            let message = "nothing is stored under fromRepoHash; see repo.list for what is";
            return Err(Error::new(ErrorKind::NotFound, message).about(from.as_str()));
        }
        let adopt = |dry_run: bool| {
            let memory = call.store().memory(to).adopt(call.wait(), from, dry_run)?;
            let summaries = call.store().summary(to).adopt(call.wait(), from, dry_run);
            let is_begun = !dry_run && memory.copied != Counts::default();
            // Copying once more adds what is missing, and nothing twice.
            let summaries = summaries.map_err(|failed| if is_begun { failed.maybe_stored() } else { failed })?;
            Ok::<_, Error>((memory, summaries))
        };
        // Once to see whether anything is in the way, before the first of the two files is written.
        let mut adopted = adopt(true)?;
        if !params.dry_run.unwrap_or(false) {
            adopted = adopt(false)?;
        }
        let (memory, summaries) = adopted;
        let counts = |records: Counts, summaries| MigrationCounts {
            conventions: records.conventions,
            decisions: records.decisions,
            notes: records.notes,
            summaries,
        };
        Ok(Migration {
            copied: counts(memory.copied, summaries.copied),
            deduplicated: counts(memory.deduplicated, summaries.deduplicated),
            left: summaries.left,
            pruned: summaries.pruned,
            skipped: (summaries.skipped > 0).then_some(summaries.skipped),
        })
    }
}
