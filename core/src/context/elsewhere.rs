//! Memory that a workspace does not read: of another branch, of the folder that it was moved from, of another clone.

use std::cmp::Reverse;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::Kind;
use crate::error::Result;
use crate::home::{BranchScope, RepoHash};
use crate::repo::{self, Identity, Names, Repo};
use crate::room::line as one_line;
use crate::rooms;

/// How many repositories of a home are looked at, the latest first.
const MOST_SCANNED: usize = 2_000;
/// How many are returned.
const MOST: usize = 20;
/// How many the text names.
const MOST_NAMED: usize = 3;

/// Memory that is stored under another hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MemoryElsewhere")]
#[non_exhaustive]
pub struct Elsewhere {
    /// The hash under which it is stored, for `repo.migrate`.
    pub repo_hash: RepoHash,
    /// Its branch; null if it has none or all branches share the memory.
    pub branch: Option<String>,
    /// Its folder.
    pub path: Option<String>,
    /// The URL of its remote, without credentials; null if it has none.
    pub remote_url: Option<String>,
}

/// What is stored for the same repository under other hashes; nothing if something is stored for `repo` itself, or if
/// where it is is not known.
///
/// # Errors
/// `IOError` if the home cannot be read.
pub(super) fn find(repo: &Repo) -> Result<Vec<Elsewhere>> {
    let Some(identity) = repo.identity() else { return Ok(Vec::new()) };
    if rooms::usage(repo)?.modified.is_some() {
        return Ok(Vec::new());
    }
    let home = repo.home();
    let mut folders = home.disk().entries(&home.layout().repos())?;
    folders.sort_by_key(|(name, stat)| (Reverse(stat.modified), name.clone()));
    let mut found = Vec::new();
    for (name, stat) in folders.into_iter().take(MOST_SCANNED) {
        let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
        let Some(repo_hash) = hash.filter(|hash| stat.kind == Kind::Folder && hash != repo.hash()) else { continue };
        let Names { path, remote_url, branch } = repo::names(home, &repo_hash);
        let is_same = is_same(repo, identity, path.as_deref(), remote_url.as_deref())?;
        if is_same && rooms::usage(&Repo::at(home, &repo_hash))?.modified.is_some() {
            found.push(Elsewhere { repo_hash, branch, path, remote_url });
        }
        if found.len() == MOST {
            break;
        }
    }
    Ok(found)
}

/// Whether a stored path and remote may be those of the same repository.
fn is_same(repo: &Repo, identity: &Identity, path: Option<&str>, remote: Option<&str>) -> Result<bool> {
    let own = identity.remote_url.as_deref();
    if path == Some(identity.path.as_str()) || (own.is_some() && remote == own) {
        return Ok(true);
    }
    // Moved without a remote: the folder of this name is no longer there.
    let Some(path) = path.map(Path::new).filter(|_| own.is_none() && remote.is_none()) else { return Ok(false) };
    let has_same_name = path.file_name().is_some() && path.file_name() == Path::new(&identity.path).file_name();
    Ok(has_same_name && repo.home().disk().kind_of(path)?.is_none())
}

/// One line about it: where it is, and how to read it here. Empty if there is none.
pub(super) fn line(repo: &Repo, elsewhere: &[Elsewhere]) -> String {
    let Some(identity) = repo.identity().filter(|_| !elsewhere.is_empty()) else { return String::new() };
    let shown = |text: &str| {
        let text = repo.home().redactor().scrub(text);
        one_line(&text).into_owned()
    };
    let here = match &identity.branch {
        _ if identity.branch_scope == BranchScope::SharedRepo => "this repository".to_owned(),
        Some(branch) => format!("branch {}", shown(branch)),
        None if identity.detached => "this commit".to_owned(),
        None => "this folder".to_owned(),
    };
    let is_of_remote = |it: &Elsewhere| it.remote_url == identity.remote_url;
    let here = match &identity.remote_url {
        _ if elsewhere.iter().all(is_of_remote) => here,
        Some(url) => format!("{here} with the remote {}", shown(url)),
        None => format!("{here} without a remote"),
    };
    let is_here = |it: &Elsewhere| it.path.as_deref() == Some(identity.path.as_str());
    let named = elsewhere.iter().take(MOST_NAMED).map(|it| {
        let branch = it.branch.as_deref().map(|branch| format!("branch {}", shown(branch)));
        let named = match (branch, it.path.as_deref().filter(|_| !is_here(it))) {
            (Some(branch), None) => format!("{branch} of this repository"),
            (None, None) => "this repository without a branch".to_owned(),
            (Some(branch), Some(path)) => format!("{branch} of {}", shown(path)),
            (None, Some(path)) => shown(path),
        };
        // Of the same folder and branch, only the remote is another one.
        match &it.remote_url {
            _ if !is_here(it) || is_of_remote(it) => named,
            Some(url) => format!("{named} with the remote {}", shown(url)),
            None => format!("{named} without a remote"),
        }
    });
    let mut list = named.collect::<Vec<_>>().join(", ");
    if elsewhere.len() > MOST_NAMED {
        list.push_str(&format!(" and {} more", elsewhere.len() - MOST_NAMED));
    }
    // Branches of one remote can share their memory.
    let other_ways = match elsewhere.iter().any(is_of_remote) {
        true => ", branchScope sharedRepo, or memory.inheritFrom",
        false => "",
    };
    format!("No memory is stored for {here}. Memory exists for {list}: see repo migrate{other_ways}.")
}
