//! Forgets a repository: removes its records from every room, and for good also everything else that is kept of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Repos;
use crate::adopt::adopted;
use crate::error::Result;
#[cfg(not(feature = "branch"))]
use crate::home::Home;
use crate::home::RepoHash;
use crate::repo::{self, Names, Repo};
use crate::room::{Counts, Forget};
use crate::rooms;
#[cfg(feature = "branch")]
use crate::sync::stop as stop_sync;

/// Options of [`Repos::forget`].
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Forgetting {
    all: bool,
    purge: bool,
    dry_run: bool,
}

impl Forgetting {
    setters! {
        /// Whether everything that is stored of the same project is removed: of every branch, of the folders that it was moved
        /// from, and of its other clones. Default: only what is stored under the one hash.
        all(all: bool) => all = all;
        /// Whether it is removed for good, with the trash, the index and the names. Default: the trash keeps it.
        purge(purge: bool) => purge = purge;
        /// Whether it is only counted.
        dry_run(dry_run: bool) => dry_run = dry_run;
    }
}

/// What was removed of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Forgotten {
    /// The identities of which something was stored.
    pub identities: Vec<ForgottenRepo>,
    /// The number of records that were removed, of all identities.
    pub removed: Counts,
    /// Whether `sync` was on, and is off now: otherwise its next run would have brought the records back.
    pub was_synchronized: bool,
}

/// What was removed under one hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ForgottenRepo {
    /// The hash.
    pub repo_hash: RepoHash,
    /// Its folder, if it is known.
    pub path: Option<String>,
    /// Its remote URL, if it is known.
    pub remote_url: Option<String>,
    /// Its branch, if it is known.
    pub branch: Option<String>,
    /// The number of records that were removed.
    pub removed: Counts,
}

impl Repos {
    /// Removes the records of a repository from every room. The trash keeps them for `trash.keepDays`, unless they are purged.
    ///
    /// The items and the sessions of a repository are not part of its memory and stay.
    ///
    /// # Errors
    /// `ValidationError` if there are more records than a trash keeps; `LockAcquisitionError`, `ParseError`, `FormatTooNew`,
    /// `IOError`, `RenameError`.
    pub fn forget(&self, repo: &Repo, forgetting: Forgetting) -> Result<Forgotten> {
        self.home.call(Self::FORGET, |home| {
            let how = match forgetting {
                Forgetting { dry_run: true, .. } => Forget::DryRun,
                Forgetting { purge: true, .. } => Forget::Purge,
                _ => Forget::ToTrash,
            };
            let mut forgotten =
                Forgotten { identities: Vec::new(), removed: rooms::no_records(), was_synchronized: false };
            for (hash, names) in repo::identities(home, repo, forgetting.all)? {
                let before = forgotten.removed.total();
                let removed = forget(&Repo::at(home, &hash), how)
                    .map_err(|failed| failed.after_some(before, "records of other identities were removed"))?;
                removed.iter().for_each(|(kind, count)| forgotten.removed.add(kind.to_owned(), count));
                if how != Forget::DryRun {
                    // Otherwise the next run would bring it back.
                    forgotten.was_synchronized |= stop_sync(home, &names, how == Forget::Purge)?;
                }
                let Names { path, remote_url, branch, .. } = names;
                forgotten.identities.push(ForgottenRepo { repo_hash: hash, path, remote_url, branch, removed });
            }
            Ok(forgotten)
        })
    }
}

/// Without the feature, nothing is synchronized.
#[cfg(not(feature = "branch"))]
fn stop_sync(_: &Home, _: &Names, _: bool) -> Result<bool> {
    Ok(false)
}

fn forget(repo: &Repo, how: Forget) -> Result<Counts> {
    let mut removed = Counts::default();
    for room in rooms::with_records() {
        let before = removed.total();
        let counts = room.forget(repo, how).map_err(|failed| match how {
            Forget::DryRun => failed,
            _ => failed.after_some(before, "records of other kinds were removed"),
        })?;
        counts.iter().for_each(|(kind, count)| removed.add(kind.to_owned(), count));
    }
    if how == Forget::Purge {
        rooms::ROOMS.iter().try_for_each(|room| room.purge(repo))?;
        repo.trash().erase()?;
        adopted::erase(repo)?;
        repo.forget_names()?;
    }
    Ok(removed)
}
