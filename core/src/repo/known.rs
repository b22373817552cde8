//! The repositories that a home knows.

use std::path::{Path, PathBuf};

use super::Repo;
use super::lineage::Lineage;
use super::remote::is_same_place;
use super::repo_file::{Names, names};
use crate::disk::Kind;
use crate::error::Result;
use crate::home::{Home, RepoHash};

/// The hashes under which something is stored, sorted.
///
/// # Errors
/// `IOError` if the home cannot be read.
pub(crate) fn stored(home: &Home) -> Result<Vec<RepoHash>> {
    let entries = home.disk().entries(&home.layout().repos())?;
    let hashes = entries
        .into_iter()
        .filter(|(_, stat)| stat.kind == Kind::Folder)
        .filter_map(|(name, _)| RepoHash::parse(name.to_str()?).ok().filter(|hash| *hash.as_str() == *name));
    let mut hashes: Vec<_> = hashes.collect();
    hashes.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    Ok(hashes)
}

/// The folders of these repositories that exist, sorted.
pub(crate) fn folders(home: &Home, hashes: &[RepoHash]) -> Vec<PathBuf> {
    let folders = hashes.iter().filter_map(|hash| names(home, hash).path.map(PathBuf::from));
    let is_there =
        |folder: &PathBuf| folder.is_absolute() && matches!(home.disk().kind_of(folder), Ok(Some(Kind::Folder)));
    let mut folders: Vec<PathBuf> = folders.filter(is_there).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// The hash of `repo`, and if `all` every one of the same project, of which something is stored: in the same folder or in one
/// that was moved to it, and wherever the remote is the same and the commits show that it is the same project.
///
/// # Errors
/// Those of [`stored`]; `Cancelled`.
pub(crate) fn identities(home: &Home, repo: &Repo, all: bool) -> Result<Vec<(RepoHash, Names)>> {
    let known = names(home, repo.hash());
    let own = match repo.identity() {
        Some(identity) => Names {
            path: Some(identity.path.clone()),
            remote_url: identity.remote_url.clone(),
            branch: identity.branch.clone(),
            git_dir: repo.git_dir(),
            ..known
        },
        None => known,
    };
    let check = home.cancel_check();
    let mut lineage = Lineage::of(repo, &check);
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for hash in stored(home)? {
        check()?;
        if hash == *repo.hash() {
            found.push((hash, own.clone()));
            continue;
        }
        if !all {
            continue;
        }
        let other = names(home, &hash);
        let is_same = |own: &Option<String>, other: &Option<String>| own.is_some() && own == other;
        let is_same_folder = is_same(&own.path, &other.path) || is_same(&own.git_dir, &other.git_dir);
        // Another project may have been in the same folder.
        let is_other = is_other_project(&own, &other) || is_same_folder && lineage.differs(&other)?;
        let has_same_remote = || {
            own.remote_url
                .as_deref()
                .zip(other.remote_url.as_deref())
                .is_some_and(|(own, other)| is_same_place(own, other))
        };
        // A remote alone proves nothing: anybody can name it.
        let is_of_it = is_same_folder
            || has_same_remote() && (is_same(&own.first_commit, &other.first_commit) || lineage.shares(&other)?);
        if is_of_it && !is_other {
            found.push((hash, other));
        } else {
            others.push((hash, other));
        }
    }
    // Each hash from which one of them was moved, and those before.
    loop {
        let is_moved = |(_, names): &(RepoHash, Names)| {
            names.moved_to.as_ref().is_some_and(|now| found.iter().any(|(hash, _)| hash == now) || now == repo.hash())
        };
        let (moved, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(is_moved);
        others = rest;
        if moved.is_empty() {
            break;
        }
        found.extend(moved);
    }
    found.sort_by_key(|(hash, _)| (hash != repo.hash(), hash.to_string()));
    Ok(found)
}

/// Whether both histories are known, and each begins with another commit.
fn is_other_project(own: &Names, other: &Names) -> bool {
    own.first_commit.is_some() && other.first_commit.is_some() && own.first_commit != other.first_commit
}

/// A folder as it is in hashes, as far as it exists.
///
/// # Errors
/// `IOError` if the current folder no longer exists.
pub(crate) fn real_path(home: &Home, path: &Path) -> Result<PathBuf> {
    let path = home.current_folder()?.join(path);
    let path: PathBuf = path.components().collect();
    if let Ok(real) = home.disk().canonical(&path) {
        return Ok(real);
    }
    // The folder above it may be behind a link.
    let above = path.parent().and_then(|above| home.disk().canonical(above).ok());
    Ok(above.zip(path.file_name()).map_or(path.clone(), |(above, name)| above.join(name)))
}
