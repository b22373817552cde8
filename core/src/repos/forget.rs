//! Forgets a repository: removes its records from every room, and for good also everything else that is kept of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Repos;
use crate::adopt::adopted;
use crate::error::Result;
use crate::home::{Home, RepoHash};
use crate::repo::{self, Names, On, Repo, hash_of};
use crate::room::{Counts, Forget};
use crate::rooms;

/// What a repository's memory is removed of, and how.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Forgetting {
    all: bool,
    purge: bool,
    dry_run: bool,
}

impl Forgetting {
    setters! {
        /// Whether everything that is stored of the same repository is removed: of every branch, and of every folder with the
        /// same path or the same remote. Default: only what is stored under the one hash.
        all(all: bool) => all = all;
        /// Whether it is removed for good, with the trash, the index and the names. Default: the trash keeps it.
        purge(purge: bool) => purge = purge;
        /// Whether it is only counted.
        dry_run(dry_run: bool) => dry_run = dry_run;
    }
}

/// What was removed of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Forgotten {
    /// The identities of which something was stored.
    pub identities: Vec<ForgottenRepo>,
    /// The number of records that were removed, of all identities.
    pub removed: Counts,
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
            let mut forgotten = Forgotten { identities: Vec::new(), removed: rooms::no_records() };
            for (hash, names) in repo::identities(home, repo, forgetting.all)? {
                let before = forgotten.removed.total();
                let removed = forget(&Repo::at(home, &hash), how)
                    .map_err(|failed| failed.after_some(before, "records of other identities were removed"))?;
                removed.iter().for_each(|(kind, count)| forgotten.removed.add(kind.to_owned(), count));
                if how == Forget::Purge {
                    forget_synced(home, &names)?;
                }
                let Names { path, remote_url, branch, .. } = names;
                forgotten.identities.push(ForgottenRepo { repo_hash: hash, path, remote_url, branch, removed });
            }
            Ok(forgotten)
        })
    }
}

/// Removes the copy of what is synchronized with the remote, and the switch: otherwise the next run would bring it back.
fn forget_synced(home: &Home, names: &Names) -> Result<()> {
    let Some((path, remote)) = names.path.as_deref().zip(names.remote_url.as_deref()) else { return Ok(()) };
    home.disk().remove_tree(&home.layout().sync(&hash_of(Path::new(path), Some(remote), On::Nothing)))
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
