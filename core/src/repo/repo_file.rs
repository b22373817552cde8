//! `repo.json`: what a repository's hash identifies.

use serde::{Deserialize, Serialize};

use super::{Identity, Repo};
use crate::disk::RecordFile;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::{BranchScope, Home, RepoHash};
use crate::safety::SealedObject;
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

/// The inputs of a hash.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    pub(crate) path: Option<String>,
    pub(crate) remote_url: Option<String>,
    pub(crate) branch: Option<String>,
}

impl Repo {
    /// Creates `repo.json` if it does not exist yet.
    pub(super) fn remember(&self, identity: &Identity) -> Result<()> {
        let shared = identity.branch_scope == BranchScope::SharedRepo;
        let names = Names {
            path: Some(identity.path.clone()),
            remote_url: identity.remote_url.clone(),
            branch: identity.branch.clone().filter(|_| !shared),
        };
        file(&self.home, &self.hash).create(self.home.wait_options(), || {
            let mut record = SealedObject::default();
            record.set("schemaVersion", &VERSION)?;
            record.set("repoHash", self.hash.id())?;
            record.overlay(self.home.seal(&names, &["path", "remoteUrl", "branch"])?);
            Ok(record.record::<RepoFile>()?)
        })
    }

    /// Checks `repo.json`; with `fix`, quarantines a damaged one, and the next write recreates it.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        file(&self.home, &self.hash).examine::<RepoFile>(self.home.wait_options(), fix)
    }
}

/// The contents of `repo.json`; empty if it is missing, or with a warning if it cannot be read.
pub(crate) fn names(home: &Home, hash: &RepoHash) -> Names {
    let stored: Option<RepoFile> = file(home, hash).read().unwrap_or_else(|error| {
        Warning::new("could not read a repository's name").because(&error).emit(home.redactor());
        None
    });
    stored.map(|stored| stored.names).unwrap_or_default()
}

fn file<'h>(home: &'h Home, hash: &RepoHash) -> RecordFile<'h> {
    let path = home.layout().repo_file(hash);
    RecordFile::new(home.disk(), path, home.config().lock_timeout, VERSION)
}
