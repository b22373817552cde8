//! `repo.json`: what a repository's hash identifies.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::identity::{On, hash_of};
use super::{Identity, Repo};
use crate::disk::{Json, RecordFile, refuse_newer};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::git::Ancestry;
use crate::home::{BranchScope, Home, RepoHash};
use crate::safety::GeneratedId;
use crate::warning::Warning;

const VERSION: u64 = 1;

/// The file `repo.json`, which records the inputs of a hash for people and for `repo.list`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RepoFile {
    schema_version: u64,
    repo_hash: RepoHash,
    #[serde(flatten)]
    names: Names,
}

/// The inputs of a hash, and what tells its repository from others.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    pub(crate) path: Option<String>,
    pub(crate) remote_url: Option<String>,
    pub(crate) branch: Option<String>,
    /// The git directory that linked work trees share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) git_dir: Option<String>,
    /// The commit of HEAD when something was last stored.
    #[serde(default, skip_serializing)]
    pub(crate) commit: Option<String>,
    /// The first commit of the history.
    #[serde(default, skip_serializing)]
    pub(crate) first_commit: Option<String>,
    /// When git made the repository, in nanoseconds since 1970, which stays the same when it is moved.
    #[serde(default, skip_serializing)]
    pub(crate) git_created: Option<u64>,
    /// Whether HEAD was detached, so that the hash is of the commit.
    #[serde(default, skip_serializing)]
    pub(crate) detached: bool,
    /// The hash under which everything was stored when the folder was moved.
    #[serde(default, skip_serializing)]
    pub(crate) moved_to: Option<RepoHash>,
}

impl Names {
    /// The hash of this repository if its folder were at `path`.
    pub(crate) fn hash_at(&self, path: &Path) -> RepoHash {
        let on = match (&self.branch, &self.commit) {
            (Some(branch), _) => On::Branch(branch),
            (None, Some(commit)) if self.detached => On::Commit(commit),
            _ => On::Nothing,
        };
        hash_of(path, self.remote_url.as_deref(), on)
    }

    /// Whether `hash` is that of this repository.
    pub(crate) fn are_of(&self, hash: &RepoHash) -> bool {
        self.path.as_ref().is_some_and(|path| self.hash_at(Path::new(path)) == *hash)
    }

    /// Those in a `repo.json` that is in the archive at `path`.
    ///
    /// # Errors
    /// `FormatTooNew`; `ParseError` for anything else.
    pub(crate) fn in_archive(path: &Path, json: &RawValue) -> Result<Self> {
        let invalid = |_| Error::parse(path, "a repo.json in it is not valid");
        let stored: RepoFile = serde_json::from_str(json.get()).map_err(invalid)?;
        refuse_newer(path, "schemaVersion", &stored.schema_version.to_string(), VERSION)?;
        Ok(stored.names)
    }
}

impl Repo {
    /// The contents of `repo.json`, for an archive; `None` if there is none.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub(crate) fn names_as_stored(&self) -> Result<Option<Json>> {
        file(&self.home, &self.hash).read_json()
    }

    /// Writes `repo.json`, unless it says all this already. One that cannot be read stays for the doctor.
    pub(super) fn remember(&self, identity: &Identity) -> Result<()> {
        let shared = identity.branch_scope == BranchScope::SharedRepo;
        let common_dir = self.location().and_then(|location| location.common_dir.as_deref());
        let names = Names {
            path: Some(identity.path.clone()),
            remote_url: identity.remote_url.clone(),
            branch: identity.branch.clone().filter(|_| !shared),
            git_dir: self.git_dir(),
            commit: identity.commit.clone(),
            first_commit: None,
            git_created: self.git_created(),
            detached: identity.detached && identity.branch.is_none() && !shared,
            moved_to: None,
        };
        let check = self.home.cancel_check();
        let first = |commit: &str| common_dir.map_or(Ok(None), |folder| Ancestry::open(folder, &check).first(commit));
        match write(&self.home, &self.hash, &names, first) {
            Err(error) if matches!(error.kind(), ErrorKind::Parse | ErrorKind::FormatTooNew) => Ok(()),
            written => written,
        }
    }

    /// Notes that something is stored under this hash after its folder was moved, so that it is not taken for a copy.
    pub(super) fn is_back(&self) -> Result<()> {
        match stored_names(&self.home, &self.hash) {
            Ok(names) if names.moved_to.is_some() => {
                describe(&self.home, &self.hash, &Names { moved_to: None, ..names })
            }
            // One that cannot be read stays for the doctor.
            _ => Ok(()),
        }
    }

    /// Removes `repo.json`, so that nothing of it is left.
    pub(crate) fn forget_names(&self) -> Result<()> {
        file(&self.home, &self.hash).erase(self.home.wait_options())
    }

    /// Checks `repo.json`; with `fix`, quarantines a damaged one, and the next write recreates it.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        file(&self.home, &self.hash).examine::<RepoFile>(self.home.wait_options(), fix)
    }
}

/// Writes the `repo.json` of a hash, unless it says so already.
///
/// # Errors
/// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`, `RenameError`.
pub(crate) fn describe(home: &Home, hash: &RepoHash, names: &Names) -> Result<()> {
    write(home, hash, names, |_| Ok(names.first_commit.clone()))
}

/// As [`describe`]. `first` looks up the first commit of a history, unless that is known.
fn write(
    home: &Home,
    hash: &RepoHash,
    names: &Names,
    first: impl FnOnce(&str) -> Result<Option<String>>,
) -> Result<()> {
    let is_current = |old: &RepoFile| {
        old.names.path.is_some()
            && (&old.names.commit, old.names.git_created, &old.names.moved_to)
                == (&names.commit, names.git_created, &names.moved_to)
    };
    file(home, hash).refresh(home.wait_options(), is_current, |mut record| {
        record.set("schemaVersion", &VERSION)?;
        record.set("repoHash", hash.id())?;
        record.overlay(home.seal(&names, &["path", "remoteUrl", "branch", "gitDir"])?);
        if let Some(commit) = &names.commit {
            let known: Option<String> = record.read("firstCommit");
            let first_commit = known.map_or_else(|| first(commit), |known| Ok(Some(known)))?;
            record.set("commit", &GeneratedId::hex(commit))?;
            record.set("firstCommit", &first_commit.and_then(|first| GeneratedId::hex(&first)))?;
        }
        if names.detached {
            record.set("detached", &true)?;
        }
        if let Some(created) = &names.git_created {
            record.set("gitCreated", created)?;
        }
        record.take("movedTo");
        if let Some(hash) = &names.moved_to {
            record.set("movedTo", hash.id())?;
        }
        Ok(record.record::<RepoFile>()?)
    })
}

/// The contents of `repo.json`; empty if it is missing, or with a warning if it cannot be read.
pub(crate) fn names(home: &Home, hash: &RepoHash) -> Names {
    stored_names(home, hash).unwrap_or_else(|error| {
        Warning::new("could not read a repository's name").because(&error).emit(home.redactor());
        Names::default()
    })
}

/// The contents of `repo.json`; empty if it is missing.
///
/// # Errors
/// `ParseError`, `FormatTooNew`, `IOError`.
pub(crate) fn stored_names(home: &Home, hash: &RepoHash) -> Result<Names> {
    let stored: Option<RepoFile> = file(home, hash).read()?;
    Ok(stored.map(|stored| stored.names).unwrap_or_default())
}

fn file<'h>(home: &'h Home, hash: &RepoHash) -> RecordFile<'h> {
    let path = home.layout().repo_file(hash);
    RecordFile::new(home.disk(), path, home.config().lock_timeout, VERSION)
}
