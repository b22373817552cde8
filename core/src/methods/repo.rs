//! `repo.*`

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Method};
use crate::error::{Error, Result};
use crate::home::BranchScope;
use crate::repo::{Identity, MAX_URL_BYTES, sanitize_remote_url};

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
