//! A line for people about memory that has been lost from sight: what it is, and the command that brings it back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adopted::versions;
use super::relatives::{Search, find, retain_unknown, without_adopted};
use crate::error::Result;
use crate::home::RepoHash;
use crate::repo::Repo;

/// How many identities are returned.
const MOST: usize = 20;

/// Memory that is stored under another hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MemoryElsewhere")]
#[non_exhaustive]
pub struct Elsewhere {
    /// The hash under which it is stored, for `repo.adopt`.
    pub repo_hash: RepoHash,
    /// Its branch; null if it has none or all branches share the memory.
    pub branch: Option<String>,
    /// Its folder.
    pub path: Option<String>,
    /// The URL of its remote, without credentials; null if it has none.
    pub remote_url: Option<String>,
}

/// The line, and the memory that it is about, the most important first; both empty if there is none, or if where the repository
/// is is not known. If nothing `is_here`, every other identity counts, otherwise those that nothing leads to any more. What was
/// adopted does not count.
///
/// # Errors
/// `IOError` if the home cannot be read; `Cancelled`.
pub(crate) fn notice(repo: &Repo, is_here: bool) -> Result<(String, Vec<Elsewhere>)> {
    if repo.identity().is_none() {
        return Ok((String::new(), Vec::new()));
    }
    let mut found = find(repo, if is_here { Search::Lost } else { Search::Latest })?;
    found = without_adopted(repo.home(), found);
    retain_unknown(repo, &mut found);
    // It may have nothing that is not here. Not all of them are read for each pack.
    let versions = versions(repo).unwrap_or_default();
    for _ in 0..MOST {
        match found.first() {
            Some(first) if first.described(repo, &found, &versions)?.is_none() => drop(found.remove(0)),
            _ => break,
        }
    }
    let Some(first) = found.first() else { return Ok((String::new(), Vec::new())) };
    let (reason, command) = (first.reason(), first.command(&found));
    let others = match found.len() - 1 {
        0 => String::new(),
        more => format!("; `loopmem repo adopt` lists {more} more"),
    };
    let line = format!("Memory of {reason} is not read here; to bring it: `{command}`{others}");
    let elsewhere = found.into_iter().take(MOST).map(|it| Elsewhere {
        repo_hash: it.hash,
        branch: it.names.branch,
        path: it.names.path,
        remote_url: it.names.remote_url,
    });
    Ok((line, elsewhere.collect()))
}
