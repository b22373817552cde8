//! The other identities of a repository, found by what `repo.json` says of each.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adopted::Sources;
use crate::disk::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::git::{Repository, shell_word};
use crate::home::{Home, RepoHash};
use crate::repo::{self, Identity, Lineage, Location, Names, Repo, git_files, is_same_remote};
use crate::room::{Counts, Versions, line as one_line};
use crate::rooms;

/// How many identities of a home are looked at, the latest first.
const MAX_SCANNED: usize = 2_000;
/// How many of them are looked up in the history of the repository, unless everything is wanted.
const MAX_COMPARED: usize = 50;
/// The fewest digits of a hash that name it, and how many a command shows.
const MIN_DIGITS: usize = 6;
const SHOWN_DIGITS: usize = 12;
/// The digits of a commit that are shown.
const COMMIT_DIGITS: usize = 8;

/// How another identity is related to a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Relation {
    /// Another branch.
    Branch,
    /// A commit at which HEAD was detached.
    Commit,
    /// The same folder, with another remote, another URL of it, or none.
    Remote,
    /// A folder that is no longer there.
    Moved,
    /// Another clone.
    Clone,
}

/// Another identity of a repository, with memory that is not here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Relative {
    /// The hash under which its memory is stored.
    pub repo_hash: RepoHash,
    /// Its folder.
    pub path: Option<String>,
    /// Its remote URL without credentials; null if it has none.
    pub remote_url: Option<String>,
    /// Its branch; null if it has none, or all branches share the memory.
    pub branch: Option<String>,
    /// How it is related.
    pub relation: Relation,
    /// What it is, for people: `branch feature (merged on 2026-03-01)`.
    pub reason: String,
    /// The number of records of each kind that are new here, or newer than here.
    pub counts: Counts,
    /// The command that brings them.
    pub command: String,
    /// Why they cannot be read, if they cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// What is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// Every other identity.
    Everything,
    /// The latest of them.
    Latest,
    /// Only those whose memory has been lost from sight.
    Lost,
}

/// Another identity.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) hash: RepoHash,
    pub(super) names: Names,
    relation: Relation,
    reason: String,
    /// Whether nothing leads to it any more: a branch that was merged or deleted, a folder that was moved or got a remote.
    pub(super) is_lost: bool,
    /// When its records were last changed, in nanoseconds since the Unix epoch.
    pub(super) modified: i128,
}

/// Finds the other identities of a repository that have records, the most important first.
///
/// # Errors
/// `Unsupported` if only its hash is known; `IOError` if the home cannot be read; `GitError`, `Cancelled`.
pub(super) fn find(repo: &Repo, search: Search) -> Result<Vec<Found>> {
    let (Some(identity), Some(location)) = (repo.identity(), repo.location()) else { return Err(without_folder()) };
    let home = repo.home();
    let check = home.cancel_check();
    let (repository, lineage) = (OnceCell::new(), Lineage::of(repo, &check));
    let mut here = Here { repo, identity, location, search, compared: 0, repository, lineage };
    let mut folders = home.disk().entries(&home.layout().repos())?;
    folders.sort_by_key(|(name, stat)| (Reverse(stat.modified), name.clone()));
    let mut found = Vec::new();
    let most = if search == Search::Everything { usize::MAX } else { MAX_SCANNED };
    for (name, stat) in folders.into_iter().take(most) {
        check()?;
        let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
        let Some(hash) = hash.filter(|hash| stat.kind == Kind::Folder && hash != repo.hash()) else { continue };
        // The doctor names a damaged one.
        let Ok(names) = repo::stored_names(home, &hash) else { continue };
        // It is found by its new hash.
        if names.moved_to.is_some() {
            continue;
        }
        let Some(relation) = here.relation_of(&names)? else { continue };
        let modified = match rooms::records_usage(&Repo::at(home, &hash)) {
            Ok(usage) => usage.modified,
            // Its fault is named when it is described.
            Err(_) => Some(stat.modified),
        };
        let Some(modified) = modified else { continue };
        let (reason, is_lost) = here.reason(relation, &names)?;
        if is_lost || search != Search::Lost {
            found.push(Found { hash, names, relation, reason, is_lost, modified });
        }
    }
    found.sort_by_key(|it| (!it.is_lost, it.names.branch != identity.branch, Reverse(it.modified)));
    Ok(found)
}

/// Those that no other one of them has adopted: with that one, they come along.
pub(super) fn without_adopted(home: &Home, mut found: Vec<Found>) -> Vec<Found> {
    let mut sources: Vec<Option<Sources>> =
        found.iter().map(|it| Some(Sources::adopted(&Repo::at(home, &it.hash))).filter(|it| !it.is_empty())).collect();
    let mut is_kept = Vec::with_capacity(found.len());
    for (at, one) in found.iter().enumerate() {
        let is_adopted = sources.iter().flatten().any(|other| other.has(&one.hash, one.modified));
        if is_adopted && let Some(own) = sources.get_mut(at) {
            // Of two that have adopted each other, one stays.
            *own = None;
        }
        is_kept.push(!is_adopted);
    }
    let mut is_kept = is_kept.into_iter();
    found.retain(|_| is_kept.next().unwrap_or(true));
    found
}

/// Removes those whose memory was adopted, here or by the branch whose memory is read here too, or is read here anyway.
pub(super) fn retain_unknown(repo: &Repo, found: &mut Vec<Found>) {
    let parents = repo.parent().map(|parent| &*parent.hashes).unwrap_or_default();
    let sources = [repo.hash()].into_iter().chain(parents).map(|hash| Sources::of(&Repo::at(repo.home(), hash)));
    let sources: Vec<Sources> = sources.collect();
    let is_known = |it: &Found| parents.contains(&it.hash) || sources.iter().any(|own| own.has(&it.hash, it.modified));
    found.retain(|it| !is_known(it));
}

/// A repository, for comparisons with what `repo.json` says of others.
struct Here<'r> {
    repo: &'r Repo,
    identity: &'r Identity,
    location: &'r Location,
    search: Search,
    compared: usize,
    repository: OnceCell<Option<Repository>>,
    lineage: Lineage<'r>,
}

impl<'r> Here<'r> {
    /// How another identity is related; `None` if it is not.
    fn relation_of(&mut self, names: &Names) -> Result<Option<Relation>> {
        let (own, other) = (self.identity.remote_url.as_deref(), names.remote_url.as_deref());
        let Some(path) = names.path.as_deref() else { return Ok(None) };
        let common_dir = self.location.common_dir.as_deref().map(Path::to_string_lossy);
        let is_of_work_tree = common_dir.is_some() && names.git_dir.as_deref() == common_dir.as_deref();
        if path == self.identity.path || is_of_work_tree {
            let is_before_git = names.git_dir.is_none() && names.branch.is_none() && common_dir.is_some();
            return Ok(match own == other && !is_before_git {
                true if names.detached => Some(Relation::Commit),
                true => Some(Relation::Branch),
                // Another project may have been put into the folder of an old one.
                false if self.lineage.differs(names)? => None,
                false => Some(Relation::Remote),
            });
        }
        let is_gone = self.repo.home().disk().kind_of(Path::new(path)).is_ok_and(|kind| kind.is_none());
        let is_plain = |git_dir: Option<&str>, remote: Option<&str>| git_dir.is_none() && remote.is_none();
        let has_same_name = || Path::new(path).file_name() == Path::new(&self.identity.path).file_name();
        let is_same_folder = names.git_created.is_some() && names.git_created == self.repo.git_created();
        let is_plain = is_plain(common_dir.as_deref(), own) && is_plain(names.git_dir.as_deref(), other);
        let is_renamed = is_gone && (is_same_folder || is_plain && has_same_name());
        let has_same_remote = own.zip(other).is_some_and(|(own, other)| is_same_remote(own, other));
        let is_related = is_renamed
            // Somebody else's repository may have the same remote.
            || (has_same_remote && !self.lineage.differs(names)?)
            || ((is_gone || self.search != Search::Lost) && self.shares_history(names)?);
        let relation = if is_gone { Relation::Moved } else { Relation::Clone };
        Ok(is_related.then_some(relation))
    }

    /// Whether both have a commit in common, as far as that can be told.
    fn shares_history(&mut self, names: &Names) -> Result<bool> {
        if names.commit.is_none() {
            return Ok(false);
        }
        self.compared += 1;
        if self.search != Search::Everything && self.compared > MAX_COMPARED {
            return Ok(false);
        }
        self.lineage.shares(names)
    }

    /// What another identity is, for people, and whether nothing leads to it any more.
    fn reason(&mut self, relation: Relation, names: &Names) -> Result<(String, bool)> {
        let redactor = self.repo.home().redactor();
        let shown = |text: &str| one_line(&redactor.scrub(text)).into_owned();
        let branch = names.branch.as_deref().map(|branch| format!("branch {}", shown(branch)));
        let path = shown(names.path.as_deref().unwrap_or_default());
        let remote = match names.remote_url.as_deref() {
            Some(url) => format!("with the remote {}", shown(url)),
            None => "without a remote".to_owned(),
        };
        let is_own_branch = names.branch == self.identity.branch
            || names.branch.is_none()
            || self.repo.parent().is_some_and(|parent| names.branch.as_deref() == Some(&*parent.branch));
        let of = |place: String| branch.as_ref().map_or_else(|| place.clone(), |branch| format!("{branch} of {place}"));
        Ok(match relation {
            Relation::Branch => match names.branch.as_deref() {
                Some(name) => self.reason_of_branch(names, name, &format!("branch {}", shown(name)))?,
                None if names.commit.is_some() => ("all branches of this repository together".to_owned(), false),
                None => ("this repository before its first commit".to_owned(), self.identity.commit.is_some()),
            },
            Relation::Commit => {
                let commit = names.commit.as_deref().unwrap_or_default();
                let digits = commit.get(..COMMIT_DIGITS).unwrap_or(commit);
                let is_contained = self.lineage.contained(commit)?.is_some();
                let where_it_is = if is_contained { " (in the history of HEAD)" } else { "" };
                (format!("the detached commit {digits}{where_it_is}"), true)
            }
            Relation::Remote if names.git_dir.is_none() && names.branch.is_none() && names.remote_url.is_none() => {
                ("this folder before it was a repository".to_owned(), true)
            }
            Relation::Remote => (of(format!("this folder {remote}")), is_own_branch),
            Relation::Moved => (of(format!("{path} (no longer there)")), is_own_branch),
            Relation::Clone if names.remote_url == self.identity.remote_url => (of(format!("the clone {path}")), false),
            Relation::Clone => (of(format!("the clone {path} {remote}")), false),
        })
    }

    fn reason_of_branch(&mut self, names: &Names, name: &str, branch: &str) -> Result<(String, bool)> {
        let path = names.path.as_deref().filter(|path| *path != self.identity.path);
        if let (true, Some(path)) = (names.branch == self.identity.branch, path) {
            let path = self.repo.home().redactor().scrub(path);
            return Ok((format!("{branch} in the work tree {}", one_line(&path)), true));
        }
        let files = git_files(self.repo.home());
        let repository =
            self.repository.get_or_init(|| Repository::discover(&files, &self.location.folder).ok().flatten());
        let tip = match repository {
            Some(repository) => {
                let local = repository.commit_of_branch(&files, name);
                let tip = local.and_then(|tip| match tip {
                    Some(tip) => Ok(Some(tip)),
                    None => repository.commit_of_fetched_branch(&files, name),
                });
                match tip {
                    Ok(tip) => tip,
                    Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                    // A power failure may have emptied it, which is for git to mend.
                    Err(_) => return Ok((format!("{branch} (git cannot read it)"), false)),
                }
            }
            None => None,
        };
        let is_deleted = tip.is_none();
        let contained = match tip.as_deref().or(names.commit.as_deref()) {
            Some(commit) => self.lineage.contained(commit)?,
            None => None,
        };
        let merged = contained.and_then(|contained| contained.merged);
        let date = merged.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        let reason = match date {
            Some(date) => format!("{branch} (merged on {})", date.format("%Y-%m-%d")),
            None if is_deleted && names.commit.is_none() => format!("{branch} (not in this clone)"),
            None if is_deleted && contained.is_some() => format!("{branch} (gone; its last known commit is merged)"),
            None if is_deleted => format!("{branch} (gone)"),
            None => branch.to_owned(),
        };
        // Every branch reads the default branch anyway.
        let is_read = self.repo.parent().is_some_and(|parent| parent.branch == name);
        Ok((reason, !is_read && (is_deleted || merged.is_some())))
    }
}

impl Found {
    /// It with its counts and the command, for a list of `all`; `None` if there is nothing to bring.
    pub(super) fn described(&self, repo: &Repo, all: &[Found], versions: &Arc<Versions>) -> Result<Option<Relative>> {
        let source = Repo::at(repo.home(), &self.hash);
        let read = rooms::import(&source, repo, true, Some(Arc::clone(versions)));
        let (counts, fault) = match read {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => (rooms::no_records(), Some(error.message().to_owned())),
            Ok(migration) => {
                let mut counts = migration.copied;
                counts.add_all(&migration.merged);
                for aside in migration.kept_aside.iter().filter(|aside| aside.is_theirs) {
                    counts.add(format!("{}s", aside.kind), 1);
                }
                (counts, None)
            }
        };
        if fault.is_none() && counts.total() == 0 {
            return Ok(None);
        }
        let Names { path, remote_url, branch, .. } = self.names.clone();
        let (reason, command) = (self.reason.clone(), self.command(all));
        let (repo_hash, relation) = (self.hash.clone(), self.relation);
        Ok(Some(Relative { repo_hash, path, remote_url, branch, relation, reason, counts, command, fault }))
    }

    /// What it is, for people.
    pub(super) fn reason(&self) -> &str {
        &self.reason
    }

    /// The shortest command that brings it.
    pub(super) fn command(&self, all: &[Found]) -> String {
        if let (Relation::Moved, Some(path)) = (self.relation, &self.names.path) {
            return format!("loopmem repo move {}", shell_word(Path::new(path)));
        }
        let is_alone = |name: &&String| matches!(&*named(all, name), [one] if one.hash == self.hash);
        let branch = self.names.branch.as_ref().filter(|_| self.relation == Relation::Branch);
        let name = branch.filter(|name| !name.starts_with('-')).filter(is_alone);
        let digits = self.hash.as_str().get(..SHOWN_DIGITS).unwrap_or_default();
        format!("loopmem repo adopt {}", name.map_or_else(|| digits.to_owned(), |name| shell_word(Path::new(name))))
    }
}

/// Those that a name stands for: a hash or its first digits, a branch of this repository, a branch of another place, a folder.
fn named<'f>(all: &'f [Found], name: &str) -> Vec<&'f Found> {
    let is_hash = name.len() >= MIN_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = name.to_ascii_lowercase();
    let has_branch = |it: &&Found| it.names.branch.as_deref() == Some(name);
    let has_path = |it: &&Found| it.names.path.as_deref() == Some(name.trim_end_matches('/'));
    let tiers: [&dyn Fn(&&Found) -> bool; 4] =
        [&|it| has_branch(it) && it.relation == Relation::Branch, &has_branch, &has_path, &|it| {
            is_hash && it.hash.as_str().starts_with(&*digits)
        }];
    tiers
        .iter()
        .map(|tier| all.iter().filter(tier).collect::<Vec<_>>())
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The other identity that a name stands for.
///
/// # Errors
/// `NotFound` if there is none; `Conflict` if there are several; those of [`find`], and of a name with a secret in it.
pub(super) fn choose(repo: &Repo, name: &str) -> Result<Found> {
    repo.home().redactor().admit("from", name)?;
    let all = find(repo, Search::Everything)?;
    let absolute = repo.home().current_folder().map(|here| here.join(name)).unwrap_or_default();
    let absolute = repo.home().disk().canonical(&absolute).unwrap_or(absolute);
    let mut found = named(&all, name);
    if found.is_empty() {
        found = named(&all, &absolute.to_string_lossy());
    }
    // A command in a notice means one of these.
    let lost: Vec<&Found> = found.iter().copied().filter(|it| it.is_lost).collect();
    if lost.len() == 1 {
        found = lost;
    }
    // With one that has adopted the others, these come along.
    let mut found: Vec<Found> = found.into_iter().cloned().collect();
    if found.len() > 1 {
        found = without_adopted(repo.home(), found);
    }
    match &*found {
        [one] => Ok(one.clone()),
        [] => {
            let message = "no related memory has this branch, folder or hash; `loopmem repo adopt` lists all related memory, and \
                           `loopmem repo migrate` copies between any two hashes";
            Err(Error::new(ErrorKind::NotFound, message).about(repo.home().redactor().quote(name)))
        }
        several => {
            let one =
                |it: &Found| format!("{} ({})", it.hash.as_str().get(..SHOWN_DIGITS).unwrap_or_default(), it.reason);
            let list = several.iter().map(one).collect::<Vec<_>>().join(", ");
            let message = format!("this name fits several memories: {list}; pass the first digits of one hash");
            Err(Error::new(ErrorKind::Conflict, message))
        }
    }
}

/// The error for a repository of which only the hash is known.
fn without_folder() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "what else belongs to a repository is found by its folder; pass workspace instead of repoHash",
    )
}
