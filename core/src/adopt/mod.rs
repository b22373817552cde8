//! Memory of the other identities of a repository: of another branch, of its folder before that was moved or had a remote, of
//! another clone. It is found by `repo.json`, named to people, and brought here when they ask for it.

pub(crate) mod adopted;
mod notice;
mod relatives;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use notice::Elsewhere;
pub(crate) use notice::notice;
pub use relatives::{Relation, Relative};

use crate::error::{Error, Result};
use crate::home::RepoHash;
use crate::repo::Repo;
use crate::room::{Counts, KeptAside};
use crate::rooms;
use adopted::{Memento, Sources};
use relatives::Search;

/// The most identities that are listed.
const MAX_LISTED: usize = 100;

/// What was brought from another identity, or what there is to bring.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Adoption {
    /// The other identities that have memory which is not here, the most important first; none if one of them was adopted.
    pub relatives: Vec<Relative>,
    /// The one that was adopted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_repo_hash: Option<RepoHash>,
    /// Records that were not here.
    pub copied: Counts,
    /// Records of which it has a newer version, which is here now.
    pub merged: Counts,
    /// Records that are the same, that were changed only here, or that were adopted before and removed here since.
    pub deduplicated: Counts,
    /// Records that both sides changed: the newer version is here, the other one in the trash; `undo` brings it back.
    pub kept_aside: Vec<KeptAside>,
    /// Summaries that were not copied because the limits exclude them as too old.
    pub left: usize,
    /// Summaries that were removed here to make room for newer ones.
    pub pruned: usize,
    /// Damaged records, if any, which were not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

impl Adoption {
    /// A list of what there is to adopt, of which nothing was.
    pub fn listing(relatives: Vec<Relative>) -> Self {
        let [copied, merged, deduplicated] = [(); 3].map(|()| rooms::no_records());
        Adoption { relatives, copied, merged, deduplicated, ..Adoption::default() }
    }
}

impl Repo {
    pub(crate) const ADOPT: &str = "repo.adopt";

    /// Lists the other identities of this repository, at most 100, that have memory which is not here, and how to bring it: branches, the
    /// folder before it had a remote or was moved, the same remote by another URL, other clones, commits of a detached HEAD.
    ///
    /// # Errors
    /// `Unsupported` for a repository that was opened by its hash; `IOError`, `Cancelled`.
    pub fn relatives(&self) -> Result<Vec<Relative>> {
        self.call(Self::ADOPT, |repo| {
            let found = relatives::find(repo, Search::Everything)?;
            let found = relatives::without_adopted(repo.home(), found);
            let versions = adopted::versions(repo)?;
            let own = Sources::adopted(repo);
            let mut all = Vec::new();
            let check = repo.home().cancel_check();
            for one in found.iter().filter(|one| !own.has(&one.hash, one.modified)) {
                check()?;
                all.extend(one.described(repo, &found, &versions)?);
                if all.len() == MAX_LISTED {
                    break;
                }
            }
            Ok(all)
        })
    }

    /// Brings what another identity learned into this one. `from` is its branch, its folder or its hash, of which some digits
    /// do. A record of which both have a version is merged: what was changed on one side only is taken from there, of two
    /// changes the newer stays, and the other is kept in the trash and named. What was adopted before and removed since stays
    /// away. The other identity is not changed. With `dry_run`, nothing is written.
    ///
    /// # Errors
    /// `NotFound` if there is no such identity with memory; `Conflict` if there are several; `Unsupported` for a repository
    /// that was opened by its hash; `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`, `RenameError`,
    /// `Cancelled`.
    pub fn adopt(&self, from: &str, dry_run: bool) -> Result<Adoption> {
        let run = |repo: &Repo| {
            let chosen = relatives::choose(repo, from)?;
            adopt_from(repo, &chosen.hash, chosen.modified, dry_run)
        };
        if dry_run { self.call(Self::ADOPT, run) } else { self.call_write(Self::ADOPT, run) }
    }

    /// Says that the memory of another identity is not wanted here, so that no notice names it until it changes again.
    ///
    /// # Errors
    /// Those of [`adopt`](Self::adopt).
    pub fn decline(&self, from: &str) -> Result<Adoption> {
        self.call_write(Self::ADOPT, |repo| {
            let chosen = relatives::choose(repo, from)?;
            adopted::remember(repo, Memento::declined(&chosen.hash, chosen.modified))?;
            Ok(Adoption { from_repo_hash: Some(chosen.hash), ..Adoption::listing(Vec::new()) })
        })
    }
}

/// Brings the records stored under `hash`, last changed at `modified`, to `repo`.
pub(crate) fn adopt_from(repo: &Repo, hash: &RepoHash, modified: i128, dry_run: bool) -> Result<Adoption> {
    let versions = adopted::versions(repo)?;
    let source = Repo::at(repo.home(), hash);
    let migration = rooms::import(&source, repo, dry_run, Some(versions))?;
    let mut adoption = Adoption {
        from_repo_hash: Some(hash.clone()),
        kept_aside: migration.kept_aside,
        left: migration.left,
        pruned: migration.pruned,
        skipped: migration.skipped,
        ..Adoption::listing(Vec::new())
    };
    adoption.copied.add_all(&migration.copied);
    adoption.merged.add_all(&migration.merged);
    adoption.deduplicated.add_all(&migration.deduplicated);
    if !dry_run {
        // What was copied is durable. If this is not, the next adoption compares times alone.
        let memento = Memento::of(hash, modified).whole(&source, migration.versions);
        memento.and_then(|memento| adopted::remember(repo, memento)).map_err(Error::maybe_stored)?;
    }
    Ok(adoption)
}
