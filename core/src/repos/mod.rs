//! The repositories of a home: identifying, listing and migrating them.

mod forget;
mod migration;
mod moving;

use chrono::{DateTime, SecondsFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::adopt::{Adoption, Relation, Relative};
pub use crate::room::{Counts, KeptAside, Migration};
pub use forget::{Forgetting, Forgotten, ForgottenRepo};
pub use moving::{MovedRepo, Moving};

use crate::error::Result;
use crate::home::{Home, RepoHash};
use crate::repo::{self, Identity, Names, Repo, Workspace};
use crate::room::{Usage, or_fault};
use crate::rooms;

/// A repository that has stored data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KnownRepo {
    /// The hash under which its memory is stored.
    pub repo_hash: RepoHash,
    /// Its folder; null if data was only ever stored by hash.
    pub path: Option<String>,
    /// Its remote URL without credentials; null if it has none or the URL is not known.
    pub remote_url: Option<String>,
    /// Its branch; null if it has none, if all branches share the memory, or if it is not known.
    pub branch: Option<String>,
    /// When something was last stored, RFC 3339 in UTC.
    pub modified_at: String,
    /// The size of the stored data, in bytes.
    pub bytes: u64,
    /// The number of records by kind; null if they cannot be read.
    pub counts: Option<Counts>,
}

/// The repositories of a home.
#[derive(Debug, Clone)]
pub struct Repos {
    home: Home,
}

impl Repos {
    pub(crate) const LIST: &str = "repo.list";
    pub(crate) const MIGRATE: &str = "repo.migrate";
    pub(crate) const FORGET: &str = "repo.forget";

    /// The repositories of `home`.
    pub(crate) fn new(home: &Home) -> Self {
        Repos { home: home.clone() }
    }

    /// Identifies the repository that a folder belongs to: the hash under which its memory is stored, and what the hash
    /// is computed from.
    ///
    /// # Errors
    /// Those of [`Store::repo`](crate::Store::repo).
    pub fn identify(&self, workspace: impl Into<Workspace>) -> Result<Identity> {
        repo::identify(&self.home, &workspace.into())
    }

    /// Returns every repository that has stored data, most recently modified first.
    ///
    /// If a `repo.json` cannot be read, its repository is listed without a name and a warning is logged.
    ///
    /// # Errors
    /// `IOError` if the home cannot be read.
    pub fn list(&self) -> Result<Vec<KnownRepo>> {
        self.home.call(Self::LIST, |home| {
            let mut known = Vec::new();
            for hash in repo::stored(home)? {
                known.extend(look_up(home, hash)?);
            }
            known.sort_by(|(a_at, a), (b_at, b)| {
                b_at.cmp(a_at).then_with(|| a.repo_hash.as_str().cmp(b.repo_hash.as_str()))
            });
            Ok(known.into_iter().map(|(_, repo)| repo).collect())
        })
    }
}

/// What is known about a hash, and when it was last modified; `None` if nothing is stored under it.
fn look_up(home: &Home, hash: RepoHash) -> Result<Option<(i128, KnownRepo)>> {
    let repo = Repo::at(home, &hash);
    // What can be brought back is stored, too.
    let usage = rooms::usage(&repo)?.and(Usage::of_file(home, repo.trash().path())?);
    let Some(modified) = usage.modified else { return Ok(None) };
    let Names { path, remote_url, branch, .. } = repo::names(home, &hash);
    // The doctor says what cannot be read.
    let counts = or_fault(rooms::counts(&repo), &mut Vec::new())?;
    let modified_at = DateTime::from_timestamp_nanos(i64::try_from(modified).unwrap_or(i64::MAX))
        .to_rfc3339_opts(SecondsFormat::Millis, true);
    Ok(Some((
        modified,
        KnownRepo { repo_hash: hash, path, remote_url, branch, modified_at, bytes: usage.bytes, counts },
    )))
}
