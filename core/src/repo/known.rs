//! The repositories that a home knows.

use std::path::{Path, PathBuf};

use super::Repo;
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

/// The hash of `repo`, and if `all` every one of the same repository, of which something is stored.
///
/// # Errors
/// Those of [`stored`].
pub(crate) fn identities(home: &Home, repo: &Repo, all: bool) -> Result<Vec<(RepoHash, Names)>> {
    let known = names(home, repo.hash());
    let own = match repo.identity() {
        Some(identity) => Names {
            path: Some(identity.path.clone()),
            remote_url: identity.remote_url.clone(),
            branch: identity.branch.clone(),
            ..known
        },
        None => known,
    };
    let mut found = Vec::new();
    for hash in stored(home)? {
        if hash == *repo.hash() {
            found.insert(0, (hash, own.clone()));
        } else if all {
            let other = names(home, &hash);
            let is_same = |own: &Option<String>, other: &Option<String>| own.is_some() && own == other;
            let is_of_it = is_same(&own.path, &other.path)
                || is_same(&own.remote_url, &other.remote_url)
                || is_same(&own.git_dir, &other.git_dir)
                || other.moved_to.as_ref().is_some_and(|now| now == repo.hash());
            // Another project may have been in the same folder.
            let is_other =
                own.first_commit.is_some() && other.first_commit.is_some() && own.first_commit != other.first_commit;
            if is_of_it && !is_other {
                found.push((hash, other));
            }
        }
    }
    Ok(found)
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
