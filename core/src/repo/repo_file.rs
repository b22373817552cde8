//! What a repository's hash stands for: `repo.json`.

use serde::{Deserialize, Serialize};

use super::{Identity, Repo};
use crate::disk::RecordFile;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::{BranchScope, Home, RepoHash};
use crate::safety::SealedObject;
use crate::warning::Warning;

const VERSION: u64 = 1;

/// `repo.json`: what a hash was made of, for people and for `repo.list`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RepoFile {
    schema_version: u64,
    repo_hash: RepoHash,
    #[serde(flatten)]
    names: Names,
}

/// What a hash was made of.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Names {
    pub(crate) path: Option<String>,
    pub(crate) remote_url: Option<String>,
    pub(crate) branch: Option<String>,
}

impl Repo {
    /// Notes what the hash stands for, if that is not noted yet.
    pub(super) fn remember(&self, identity: &Identity) -> Result<()> {
        let shared = identity.branch_scope == BranchScope::SharedRepo;
        let names = Names {
            path: Some(identity.path.clone()),
            remote_url: identity.remote_url.clone(),
            branch: identity.branch.clone().filter(|_| !shared),
        };
        file(&self.home, &self.hash).create(self.home.wait(), || {
            let mut record = SealedObject::default();
            record.set("schemaVersion", &VERSION)?;
            record.set("repoHash", self.hash.id())?;
            record.overlay(self.home.redactor().seal(&names, &["path", "remoteUrl", "branch"])?);
            Ok(record.record::<RepoFile>()?)
        })
    }

    /// Looks at `repo.json`; with `fix` a damaged one is set aside, and the next write that knows what it said writes it.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        file(&self.home, &self.hash).examine::<RepoFile>(self.home.wait(), fix)
    }
}

/// What `repo.json` says of a repository; nothing when it is missing or, with a warning, when it cannot be read.
pub(crate) fn names(home: &Home, hash: &RepoHash) -> Names {
    let noted: Option<RepoFile> = file(home, hash).read().unwrap_or_else(|unreadable| {
        Warning::new("a repository has no name").because(&unreadable).tell(home.redactor());
        None
    });
    noted.map(|noted| noted.names).unwrap_or_default()
}

fn file<'h>(home: &'h Home, hash: &RepoHash) -> RecordFile<'h> {
    let path = home.layout().repo_file(hash);
    RecordFile::new(home.disk(), path, home.config().lock_timeout, VERSION)
}
