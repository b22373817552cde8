//! The repositories that a home remembers something of, and what each hash stands for: `repo.json`.

use chrono::{DateTime, SecondsFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Identity, Repo, Repos};
use crate::disk::{Kind, RecordFile, Stat};
use crate::error::Result;
use crate::finding::Examination;
use crate::home::{BranchScope, Home, RepoHash};
use crate::safety::SealedObject;
use crate::warning::Warning;

const VERSION: u64 = 1;

/// `repo.json`: what a hash was made of, for people and for `repo.list`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    schema_version: u64,
    repo_hash: RepoHash,
    #[serde(flatten)]
    names: Names,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Names {
    path: Option<String>,
    remote_url: Option<String>,
    branch: Option<String>,
}

/// A repository that something is stored for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnownRepo {
    /// The key of its memory.
    pub repo_hash: RepoHash,
    /// Its folder; null when it was only ever written to by its hash.
    pub path: Option<String>,
    /// Its remote's URL without credentials; null when there is none or it is not known.
    pub remote_url: Option<String>,
    /// Its branch; null when it has none, when all branches share the memory, or when it is not known.
    pub branch: Option<String>,
    /// When something was last stored, RFC 3339 in UTC.
    pub modified_at: String,
    /// How much is stored, in bytes.
    pub bytes: u64,
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
            let mut told = SealedObject::default();
            told.set("schemaVersion", &VERSION)?;
            told.set("repoHash", self.hash.id())?;
            told.overlay(self.home.redactor().seal(&names, &["path", "remoteUrl", "branch"])?);
            Ok(told.record::<Told>()?)
        })
    }

    /// Looks at `repo.json`; with `fix` a damaged one is set aside, and the next write that knows what it said writes it.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        file(&self.home, &self.hash).examine::<Told>(self.home.wait(), fix)
    }

    /// Whether anything is stored for it.
    ///
    /// # Errors
    /// `IOError` when its folder cannot be read.
    pub(crate) fn is_known(&self) -> Result<bool> {
        Ok(!stored(&self.home, &self.hash)?.is_empty())
    }
}

impl Repos {
    /// Every repository that something is stored for, the last changed first.
    ///
    /// A `repo.json` that cannot be read makes its repository nameless, with a warning, and hides no other.
    ///
    /// # Errors
    /// `IOError` when the home cannot be read.
    pub fn list(&self) -> Result<Vec<KnownRepo>> {
        self.home.call("repo.list", |home| {
            let mut known = Vec::new();
            for (name, stat) in home.disk().entries(&home.layout().repos())? {
                let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
                if let Some(hash) = hash.filter(|_| stat.kind == Kind::Folder) {
                    known.extend(look_up(home, hash)?);
                }
            }
            known.sort_by(|(a_at, a), (b_at, b)| {
                b_at.cmp(a_at).then_with(|| a.repo_hash.as_str().cmp(b.repo_hash.as_str()))
            });
            Ok(known.into_iter().map(|(_, repo)| repo).collect())
        })
    }
}

/// The files that hold what is stored.
fn stored(home: &Home, hash: &RepoHash) -> Result<Vec<Stat>> {
    let layout = home.layout();
    let files = home.disk().entries(&layout.repo(hash))?;
    let data = [layout.memory(hash), layout.summaries(hash)];
    let is_data = |name: &std::ffi::OsStr| data.iter().any(|path| path.file_name() == Some(name));
    Ok(files.into_iter().filter(|(name, _)| is_data(name)).map(|(_, stat)| stat).collect())
}

/// What is known of a hash, and when it was changed last; `None` when nothing is stored under it.
fn look_up(home: &Home, hash: RepoHash) -> Result<Option<(i128, KnownRepo)>> {
    let stored = stored(home, &hash)?;
    let Some(modified) = stored.iter().map(|stat| stat.modified).max() else { return Ok(None) };
    let told: Option<Told> = file(home, &hash).read().unwrap_or_else(|unreadable| {
        Warning::new("a repository has no name").because(&unreadable).tell(home.redactor());
        None
    });
    let Names { path, remote_url, branch } = told.map(|told| told.names).unwrap_or_default();
    let modified_at = DateTime::from_timestamp_nanos(i64::try_from(modified).unwrap_or(i64::MAX))
        .to_rfc3339_opts(SecondsFormat::Millis, true);
    let bytes = stored.iter().map(|stat| stat.size).sum();
    Ok(Some((modified, KnownRepo { repo_hash: hash, path, remote_url, branch, modified_at, bytes })))
}

fn file<'h>(home: &'h Home, hash: &RepoHash) -> RecordFile<'h> {
    let path = home.layout().repo_file(hash);
    RecordFile::new(home.disk(), path, home.config().lock_timeout, VERSION)
}
