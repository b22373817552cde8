//! Brings the memory of a folder along after it was moved: that of every branch and work tree in it.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Repos;
use crate::adopt::adopt_from;
use crate::adopt::adopted::{self, Memento, Sources};
use crate::disk::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, RepoHash, check_path};
use crate::repo::{self, Names, Repo, identify};
use crate::room::{Counts, KeptAside};
use crate::rooms;

/// What was stored for one branch or work tree of a folder that was moved.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MovedRepo {
    /// The hash under which it was stored.
    pub from_repo_hash: RepoHash,
    /// The one under which it is stored now; null if that is not known.
    pub repo_hash: Option<RepoHash>,
    /// The folder now.
    pub path: String,
    /// Its branch; null if it has none, or all branches share the memory.
    pub branch: Option<String>,
    /// The number of records of each kind that were copied.
    pub copied: Counts,
    /// Records of which both had a version: the newer one is there now, and the other one in the trash.
    pub kept_aside: Vec<KeptAside>,
    /// Summaries that were not copied because the limits exclude them as too old.
    pub left: usize,
    /// Summaries that were removed there to make room for newer ones.
    pub pruned: usize,
    /// Damaged records, if any, which were not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
    /// Why it was not moved, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Everything that was stored for a folder that was moved.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Moving {
    /// Its branches and work trees, by their hashes.
    pub identities: Vec<MovedRepo>,
}

impl Repos {
    pub(crate) const MOVE: &str = "repo.move";

    /// Copies what is stored for the folder `old`, and for every folder below it, to the hashes that they have at `new`: each
    /// branch, each work tree, each detached commit. `new` is the folder to which `old` was moved; by default the repository
    /// of the current folder. Records that are there already are merged as by [`Repo::adopt`], and the trash comes along. What was
    /// stored for the old folder stays as it was. With `dry_run`, nothing is written.
    ///
    /// # Errors
    /// `NotFound` if nothing is stored for the folder; `ValidationError` if `new` is no folder, or the same one;
    /// `LockAcquisitionError`, `IOError`, `Cancelled`. What cannot be moved is named in the result.
    pub fn move_folder(&self, old: &Path, new: Option<&Path>, dry_run: bool) -> Result<Moving> {
        self.home.call(Self::MOVE, |home| move_folder(home, old, new, dry_run))
    }
}

fn move_folder(home: &Home, old: &Path, new: Option<&Path>, dry_run: bool) -> Result<Moving> {
    check_path("oldPath", old)?;
    home.admit_path("oldPath", old)?;
    let old = repo::real_path(home, old)?;
    let new = match new {
        Some(new) => {
            check_path("newPath", new)?;
            home.admit_path("newPath", new)?;
            repo::real_path(home, new)?
        }
        None => identify(home, &repo::Workspace::current())?.path.into(),
    };
    if !matches!(home.disk().kind_of(&new)?, Some(Kind::Folder)) {
        return Err(Error::validation("newPath is not a folder; move the folder first").at(&new));
    }
    if new == old {
        return Err(Error::validation("oldPath and newPath are the same folder").at(&new));
    }
    // What is still there was copied, or is another one.
    if home.disk().kind_of(&old)?.is_some() {
        let message = "oldPath is still there, so it was not moved; loopmem repo adopt brings the memory of a copy";
        return Err(Error::new(ErrorKind::Conflict, message).at(&old));
    }
    let mut sources = Vec::new();
    for hash in repo::stored(home)? {
        let names = repo::names(home, &hash);
        let Some(rest) = names.path.as_deref().and_then(|path| Path::new(path).strip_prefix(&old).ok()) else {
            continue;
        };
        let place = if rest.as_os_str().is_empty() { new.clone() } else { new.join(rest) };
        if let Some(modified) = rooms::records_usage(&Repo::at(home, &hash))?.modified {
            sources.push((hash, names, place, modified));
        }
    }
    if sources.is_empty() {
        let message = "nothing is stored for this folder or one below it; `loopmem repo list` shows the folders";
        return Err(Error::new(ErrorKind::NotFound, message).at(&old));
    }
    sources.sort_by(|(one, ..), (other, ..)| one.as_str().cmp(other.as_str()));
    let mut moving = Moving::default();
    let mut targets = Vec::new();
    for (hash, names, place, modified) in sources {
        home.wait_options().cancel.check()?;
        let mut moved = MovedRepo {
            from_repo_hash: hash.clone(),
            repo_hash: None,
            path: place.to_string_lossy().into_owned(),
            branch: names.branch.clone(),
            copied: rooms::no_records(),
            kept_aside: Vec::new(),
            left: 0,
            pruned: 0,
            skipped: None,
            fault: None,
        };
        match one(home, &hash, names, &old, (&new, &place), modified, dry_run) {
            Ok((target, adoption)) => {
                targets.push((hash.clone(), modified, target.clone()));
                moved.repo_hash = Some(target);
                (moved.copied, moved.kept_aside) = (adoption.copied, adoption.kept_aside);
                (moved.left, moved.pruned, moved.skipped) = (adoption.left, adoption.pruned, adoption.skipped);
                moved.copied.add_all(&adoption.merged);
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error.maybe_stored()),
            Err(error) => moved.fault = Some(error.message().to_owned()),
        }
        moving.identities.push(moved);
    }
    if !dry_run {
        // What one of them has adopted from another is known by its new hash too.
        for (_, _, target) in &targets {
            let target = Repo::at(home, target);
            let (known, adopted) = (Sources::of(&target), Sources::adopted(&target));
            for (from, before, now) in targets.iter().filter(|(_, _, now)| now != target.hash()) {
                if known.has(from, *before)
                    && let Some(modified) = rooms::records_usage(&Repo::at(home, now))?.modified
                {
                    let is_adopted = adopted.has(from, *before);
                    let memento = if is_adopted { Memento::of } else { Memento::declined };
                    adopted::remember(&target, memento(now, modified))?;
                }
            }
        }
    }
    Ok(moving)
}

/// Copies one identity to the hash that it has at `place`, which is `new` or below it.
fn one(
    home: &Home,
    hash: &RepoHash,
    mut names: Names,
    old: &Path,
    (new, place): (&Path, &Path),
    modified: i128,
    dry_run: bool,
) -> Result<(RepoHash, crate::adopt::Adoption)> {
    if !names.are_of(hash) {
        let message =
            "its hash is not that of the folder, remote and branch in its repo.json; loopmem repo migrate copies it";
        return Err(Error::new(ErrorKind::Unsupported, message).about(hash.as_str()));
    }
    let target = names.hash_at(place);
    let adoption = adopt_from(&Repo::at(home, &target), hash, modified, dry_run)?;
    let before = Names { moved_to: Some(target.clone()), ..names.clone() };
    names.path = Some(place.to_string_lossy().into_owned());
    let git_dir = names.git_dir.as_deref().map(Path::new);
    let moved = git_dir.and_then(|folder| folder.strip_prefix(old).ok()).map(|rest| new.join(rest));
    names.git_dir = moved.map(|folder| folder.to_string_lossy().into_owned()).or(names.git_dir);
    if !dry_run {
        let (from, to) = (Repo::at(home, hash), Repo::at(home, &target));
        to.trash().add(from.trash().entries()?, false)?;
        adopted::remember_declined(&from, &to)?;
        repo::describe(home, &target, &names)?;
        repo::describe(home, hash, &before)?;
    }
    Ok((target, adoption))
}
