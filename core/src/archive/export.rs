//! Writing an archive.

use std::collections::BTreeMap;
use std::path::Path;

use super::format::{OfRoom, REPO, of_repos, write};
use super::report::{Exported, ExportedRoom};
use crate::adopt::adopted;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, RepoHash};
use crate::repo::{self, Repo};
use crate::room::{Export, KeepsJobs, Owner, Portable, Source};
use crate::rooms;

/// The kinds of records that a repository has in every room.
pub(super) const NAMES: &str = "names";
pub(super) const TRASH: &str = "trash";
pub(super) const ADOPTED: &str = "adopted";

/// Refuses a repository of which nothing is stored.
///
/// # Errors
/// `NotFound`; `IOError`.
pub(super) fn refuse_unknown(home: &Home, hash: &RepoHash) -> Result<()> {
    if rooms::records_usage(&Repo::at(home, hash))?.modified.is_some() {
        return Ok(());
    }
    let message = "nothing is stored for this repository; `loopmem repo list` shows those in use";
    Err(Error::new(ErrorKind::NotFound, message).about(hash.as_str()))
}

/// Writes an archive of these repositories and, if it `is_whole`, of what belongs to none.
pub(super) fn export(
    home: &Home,
    jobs: &dyn KeepsJobs,
    path: &Path,
    mut hashes: Vec<RepoHash>,
    is_whole: bool,
) -> Result<Exported> {
    hashes.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    hashes.dedup();
    let repos: Vec<Repo> = hashes.iter().map(|hash| Repo::at(home, hash)).collect();
    let folders = repo::folders(home, &hashes);
    let from = Source { home, repos: &repos, folders: &folders, is_whole, jobs, scopes: None, with_trash: true };
    let (mut all, mut counts, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for room in rooms::archived() {
        let export = room.export(&from)?;
        counts.push(ExportedRoom { room: room.name().into(), records: export.records.len(), skipped: export.skipped });
        faults.extend(export.faults);
        all.push(OfRoom { room: room.name().into(), version: room.version(), records: export.records });
    }
    let (mut modified, mut of_shared) = (BTreeMap::new(), Export::default());
    for repo in &repos {
        modified.insert(repo.hash().to_string(), rooms::records_usage(repo)?.modified);
    }
    let mut of_repo = Vec::new();
    for repo in &repos {
        home.wait_options().cancel.check()?;
        let owner = || Owner::Repo(repo.hash().clone());
        for entry in of_shared.readable(repo.trash().entries())?.into_iter().flatten() {
            of_repo.push(Portable::of(owner(), TRASH, &entry)?);
        }
        let adopted = adopted::for_archive(repo, |hash| Ok(modified.get(hash.as_str()).copied().flatten()));
        if let Some(adopted) = of_shared.readable(adopted)?.flatten() {
            of_repo.push(Portable::of(owner(), ADOPTED, &adopted)?);
        }
    }
    let records = || all.iter().flat_map(|of_room| &of_room.records).chain(&of_repo);
    let has_some = |repo: &&Repo| records().any(|it| matches!(&it.owner, Owner::Repo(hash) if hash == repo.hash()));
    let in_it: Vec<&Repo> = repos.iter().filter(has_some).collect();
    for repo in &in_it {
        if let Some(names) = of_shared.readable(repo.names_as_stored())?.flatten() {
            of_repo.push(Portable::of(Owner::Repo(repo.hash().clone()), NAMES, &names)?);
        }
    }
    faults.extend(of_shared.faults);
    let repositories = in_it.len();
    counts.push(ExportedRoom { room: REPO.into(), records: of_repo.len(), skipped: 0 });
    all.push(of_repos(of_repo));
    let bytes = write(home, path, &all)?;
    home.disk().write_private(path, &bytes)?;
    let path = path.to_string_lossy().into_owned();
    Ok(Exported { path, bytes: bytes.len() as u64, repositories, rooms: counts, faults })
}
