//! `adopted.json`: what was adopted from other identities, so that it is merged by changes, and named only once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::disk::RecordFile;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::RepoHash;
use crate::repo::Repo;
use crate::room::Versions;
use crate::safety::{GeneratedId, Sealed, SealedObject};

const VERSION: u64 = 1;
/// The most versions of records that are remembered. Without them, an adoption goes by time alone.
const MAX_VERSIONS: usize = 40_000;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Adopted {
    schema_version: u64,
    #[serde(default)]
    sources: Vec<Source>,
    /// Hashes of the adopted versions of records.
    #[serde(default)]
    versions: Vec<String>,
}

/// An identity as it was when it was adopted.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    repo_hash: RepoHash,
    /// When its records had last been changed, in nanoseconds since the Unix epoch.
    modified: u64,
    /// Whether its records are not wanted, and none was adopted.
    #[serde(default)]
    declined: bool,
}

/// What was adopted before.
///
/// # Errors
/// `ParseError`, `FormatTooNew`, `IOError`.
pub(super) fn versions(repo: &Repo) -> Result<Arc<Versions>> {
    let mut versions = Versions::default();
    versions.extend(read(repo)?.versions);
    Ok(Arc::new(versions))
}

/// The identities that were adopted, by their hashes, each with the time until which it was.
#[derive(Debug, Default)]
pub(crate) struct Sources(HashMap<String, u64>);

impl Sources {
    /// Those that `repo` has adopted, of which it has everything; none if that cannot be read.
    pub(crate) fn adopted(repo: &Repo) -> Self {
        Sources::read(repo, |source| !source.declined)
    }

    /// Those that `repo` has adopted or declined; none if that cannot be read, which is named when something is adopted.
    pub(crate) fn of(repo: &Repo) -> Self {
        Sources::read(repo, |_| true)
    }

    fn read(repo: &Repo, is_meant: impl FnMut(&Source) -> bool) -> Self {
        let sources = read(repo).unwrap_or_default().sources.into_iter().filter(is_meant);
        Sources(sources.map(|source| (source.repo_hash.to_string(), source.modified)).collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether what was stored under `hash` until `modified` is among them.
    pub(crate) fn has(&self, hash: &RepoHash, modified: i128) -> bool {
        self.0.get(hash.as_str()).is_some_and(|until| i128::from(*until) >= modified)
    }
}

/// What an archive says of the identities that one of its repositories has adopted.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct InArchive {
    /// Those of which it has everything.
    sources: Vec<RepoHash>,
    versions: Vec<String>,
}

/// What an archive says of what `repo` has adopted; `None` if that is nothing. `modified` is when the records of another
/// repository in the archive were last changed.
///
/// # Errors
/// Those of [`versions`].
pub(crate) fn for_archive(
    repo: &Repo,
    modified: impl Fn(&RepoHash) -> Result<Option<i128>>,
) -> Result<Option<SealedObject>> {
    let Adopted { sources, versions, .. } = read(repo)?;
    let mut whole = Vec::new();
    for source in sources {
        if !source.declined
            && modified(&source.repo_hash)?.is_some_and(|modified| i128::from(source.modified) >= modified)
        {
            whole.push(source.repo_hash.id().clone());
        }
    }
    let versions: Vec<GeneratedId> = versions.iter().filter_map(|hash| GeneratedId::hex(hash)).collect();
    if whole.is_empty() && versions.is_empty() {
        return Ok(None);
    }
    let mut record = SealedObject::default();
    record.set("sources", &*whole)?;
    record.set("versions", &*versions)?;
    Ok(Some(record))
}

/// What is remembered of an identity.
#[derive(Debug, Default)]
pub(crate) struct Memento {
    sources: BTreeMap<String, u64>,
    versions: Versions,
    is_declined: bool,
}

impl Memento {
    /// What was stored under `hash` until `modified`.
    pub(crate) fn of(hash: &RepoHash, modified: i128) -> Self {
        let modified = u64::try_from(modified).unwrap_or_default();
        Memento { sources: [(hash.to_string(), modified)].into(), ..Memento::default() }
    }

    /// As [`of`](Self::of), of an identity whose records are not wanted.
    pub(crate) fn declined(hash: &RepoHash, modified: i128) -> Self {
        Memento { is_declined: true, ..Memento::of(hash, modified) }
    }

    /// What an archive has: that all of these identities were adopted, and these versions.
    pub(crate) fn of_archive(
        adopted: InArchive,
        mut modified: impl FnMut(&RepoHash) -> Result<Option<(RepoHash, i128)>>,
    ) -> Result<Self> {
        let mut memento = Memento::default();
        memento.versions.extend(adopted.versions);
        for source in &adopted.sources {
            if let Some((hash, modified)) = modified(source)? {
                memento.sources.extend(Memento::of(&hash, modified).sources);
            }
        }
        Ok(memento)
    }

    /// Whether `repo` remembers all of it.
    ///
    /// # Errors
    /// Those of [`versions`].
    pub(crate) fn is_known(&self, repo: &Repo) -> Result<bool> {
        let known = read(repo)?;
        let of_source = |hash: &str| known.sources.iter().find(|source| source.repo_hash.as_str() == hash);
        let is_known = |(hash, modified): (&String, &u64)| {
            hash == repo.hash().as_str() || of_source(hash).is_some_and(|source| source.modified >= *modified)
        };
        let mut versions = Versions::default();
        versions.extend(known.versions.iter().cloned());
        Ok(self.sources.iter().all(is_known) && versions.has_all(&self.versions))
    }

    /// With these versions of records, and with what it has adopted itself.
    ///
    /// # Errors
    /// Those of [`versions`].
    pub(super) fn whole(mut self, source: &Repo, versions: Versions) -> Result<Self> {
        self.versions = versions;
        let Adopted { sources, versions, .. } = read(source)?;
        self.versions.extend(versions);
        for Source { repo_hash, modified, .. } in sources.into_iter().filter(|source| !source.declined) {
            self.sources.entry(repo_hash.to_string()).or_insert(modified);
        }
        Ok(self)
    }
}

/// Remembers that `repo` has this.
///
/// # Errors
/// Those of [`versions`]; `LockAcquisitionError`, `RenameError`.
pub(crate) fn remember(repo: &Repo, memento: Memento) -> Result<()> {
    let Memento { sources, versions: mut known, is_declined } = memento;
    let mut sources: BTreeMap<String, (u64, bool)> =
        sources.into_iter().map(|(hash, modified)| (hash, (modified, is_declined))).collect();
    sources.remove(repo.hash().as_str());
    file(repo).refresh(
        repo.home().wait_options(),
        |_: &Adopted| false,
        |mut record| {
            for Source { repo_hash, modified, declined } in record.read::<Vec<Source>>("sources").unwrap_or_default() {
                let known = sources.entry(repo_hash.to_string()).or_insert((modified, declined));
                known.0 = modified.max(known.0);
            }
            let sources = sources.iter().filter_map(|(hash, source)| Some((GeneratedId::hex(hash)?, source)));
            let sources = sources.map(|(hash, (modified, declined))| {
                let mut members = SealedObject::default();
                members.set("repoHash", &hash)?;
                members.set("modified", modified)?;
                if *declined {
                    members.set("declined", declined)?;
                }
                Ok(members.value()?)
            });
            let sources: Vec<Sealed<()>> = sources.collect::<Result<_>>()?;
            known.extend(record.read::<Vec<String>>("versions").unwrap_or_default());
            let known = known.into_hashes();
            let known: Vec<GeneratedId> = match known.len() {
                ..=MAX_VERSIONS => known.iter().filter_map(|hash| GeneratedId::hex(hash)).collect(),
                _ => Vec::new(),
            };
            record.set("schemaVersion", &VERSION)?;
            record.set("sources", &*sources)?;
            record.set("versions", &*known)?;
            Ok(record.record()?)
        },
    )
}

/// Remembers in `to` what `from` has declined.
///
/// # Errors
/// Those of [`remember`].
pub(crate) fn remember_declined(from: &Repo, to: &Repo) -> Result<()> {
    let declined = read(from)?.sources.into_iter().filter(|source| source.declined);
    let mut mementos = declined.map(|source| Memento::declined(&source.repo_hash, source.modified.into()));
    mementos.try_for_each(|memento| remember(to, memento))
}

/// Removes the file, so that nothing of it is left.
///
/// # Errors
/// `LockAcquisitionError`, `Cancelled`, `IOError`.
pub(crate) fn erase(repo: &Repo) -> Result<()> {
    file(repo).erase(repo.home().wait_options())
}

/// Checks the file; with `fix`, sets a damaged one aside: the next adoption goes by time alone.
///
/// # Errors
/// `Cancelled`.
pub(crate) fn examine(repo: &Repo, fix: bool) -> Result<Examination> {
    file(repo).examine::<Adopted>(repo.home().wait_options(), fix)
}

fn read(repo: &Repo) -> Result<Adopted> {
    Ok(file(repo).read()?.unwrap_or_default())
}

fn file(repo: &Repo) -> RecordFile<'_> {
    let home = repo.home();
    RecordFile::new(home.disk(), home.layout().adopted(repo.hash()), home.config().lock_timeout, VERSION)
}
