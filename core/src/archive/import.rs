//! Bringing what an archive has.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::export::{ADOPTED, NAMES, TRASH};
use super::format::{REPO, read};
use super::path_map::PathMap;
use super::report::{Imported, ImportedRepo};
use crate::adopt::adopted::{self, InArchive, Memento};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, RepoHash};
use crate::redactions;
use crate::repo::{self, Names, Repo, sanitize_remote_url};
use crate::room::{Archived, Arrival, Brought, KeepsJobs, Owner, Portable};
use crate::{rooms, trash};

/// Brings the archive at `path`, whose folders are where `map` says.
pub(super) fn import(home: &Home, jobs: &dyn KeepsJobs, path: &Path, map: &PathMap, dry_run: bool) -> Result<Imported> {
    let contents = read(home, path)?;
    let mut arrival = Arrival { home, archive: path, jobs, dry_run: true };
    let moving = Moving::new(contents.rooms, map, path)?;
    // A dry run first, to find anything that prevents the import before the first file is written.
    let (counted, _) = redactions::set_aside(|| moving.run(&arrival));
    let counted = counted?;
    arrival.dry_run = dry_run;
    let rooms = if dry_run { counted } else { moving.run(&arrival)? };
    let identities = moving.repos.into_iter().map(|(from, it)| {
        let Names { path, branch, .. } = it.names.unwrap_or_default();
        // They are what the archive says.
        let [path, branch] = [path, branch].map(|it| it.map(|text| home.redactor().scrub(&text).into_owned()));
        ImportedRepo { from_repo_hash: from.0, repo_hash: it.hash, path, branch }
    });
    Ok(Imported { rooms, identities: identities.collect(), skipped: contents.skipped })
}

/// A hash, in the order of its digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Digits(RepoHash);

impl Ord for Digits {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.as_str().cmp(other.0.as_str())
    }
}

impl PartialOrd for Digits {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What a repository is here.
#[derive(Debug)]
struct Moved {
    hash: RepoHash,
    /// `None` if they are not known.
    names: Option<Names>,
}

/// The records of an archive, with the owners that they have here.
struct Moving {
    repos: BTreeMap<Digits, Moved>,
    /// The records of each room, by their owners.
    groups: Vec<(&'static str, Vec<Group>)>,
}

/// Records of one owner.
struct Group {
    owner: Owner,
    records: Vec<Portable>,
}

impl Moving {
    fn new(mut rooms: BTreeMap<&'static str, Vec<Portable>>, map: &PathMap, archive: &Path) -> Result<Self> {
        let mut names: BTreeMap<Digits, Names> = BTreeMap::new();
        let (mut hashes, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for portable in rooms.values().flatten() {
            match &portable.owner {
                Owner::Repo(hash) => drop(hashes.insert(Digits(hash.clone()))),
                Owner::Folder(folder) => drop(folders.insert(folder.clone())),
                Owner::Home => {}
            }
        }
        for portable in rooms.get(REPO).into_iter().flatten().filter(|portable| portable.kind == NAMES) {
            let Owner::Repo(hash) = &portable.owner else { continue };
            match Names::in_archive(archive, &portable.record) {
                // Others would name a repository what it is not.
                Ok(stored) if stored.are_of(hash) && is_sanitized(&stored) => {
                    folders.extend(stored.path.as_ref().map(PathBuf::from));
                    names.insert(Digits(hash.clone()), stored);
                }
                Err(error) if error.kind() == ErrorKind::FormatTooNew => return Err(error),
                _ => {}
            }
        }
        map.refuse_to_join(folders.iter().map(PathBuf::as_path))?;
        let mut repos = BTreeMap::new();
        for from in hashes {
            let known = names.remove(&from).map(|names| moved(names, map));
            let hash = known.as_ref().map_or_else(
                || from.0.clone(),
                |names| names.hash_at(Path::new(names.path.as_deref().unwrap_or_default())),
            );
            repos.insert(from, Moved { hash, names: known });
        }
        let mut targets = BTreeMap::new();
        for (from, Moved { hash, .. }) in &repos {
            if let Some(other) = targets.insert(Digits(hash.clone()), from) {
                let message = format!("{} and {} of the archive would both be {hash} here", other.0, from.0);
                return Err(Error::new(ErrorKind::Conflict, message).about(hash.as_str()));
            }
        }
        let known = |hash: &RepoHash| repos.get(&Digits(hash.clone())).map(|moved| moved.hash.clone());
        let mut here = BTreeMap::new();
        for (from, moved) in &repos {
            let to = moved.names.as_ref().and_then(|names| names.moved_to.clone());
            here.extend(to.map(|to| (from.clone(), known(&to).unwrap_or(to))));
        }
        for (from, to) in here {
            if let Some(names) = repos.get_mut(&from).and_then(|moved| moved.names.as_mut()) {
                names.moved_to = Some(to);
            }
        }
        let mut groups = Vec::new();
        for name in rooms::archived().map(Archived::name).chain([REPO]) {
            let mut of_room: Vec<Group> = Vec::new();
            let mut places = HashMap::new();
            for portable in rooms.remove(name).unwrap_or_default() {
                let owner = match &portable.owner {
                    Owner::Home => Owner::Home,
                    Owner::Folder(folder) => Owner::Folder(map.now(folder)),
                    // As in the archive for what every room shares, which needs both hashes.
                    Owner::Repo(hash) if name == REPO => Owner::Repo(hash.clone()),
                    Owner::Repo(hash) => {
                        Owner::Repo(repos.get(&Digits(hash.clone())).map_or(hash, |moved| &moved.hash).clone())
                    }
                };
                let place = *places.entry(owner.clone()).or_insert(of_room.len());
                match of_room.get_mut(place) {
                    Some(group) => group.records.push(portable),
                    None => of_room.push(Group { owner, records: vec![portable] }),
                }
            }
            groups.push((name, of_room));
        }
        Ok(Moving { repos, groups })
    }

    /// Brings everything.
    fn run(&self, into: &Arrival<'_>) -> Result<Vec<Brought>> {
        let mut all: Vec<Brought> = Vec::new();
        for (name, groups) in &self.groups {
            let mut sum = Brought { room: (*name).into(), ..Brought::default() };
            for Group { owner, records } in groups {
                into.home.wait_options().cancel.check()?;
                let room = rooms::archived().find(|room| room.name() == *name);
                let brought = match room {
                    Some(room) => room.import(owner, records, into),
                    None => self.bring_shared(owner, records, into),
                };
                let before = all.iter().map(Brought::written).sum::<usize>() + sum.written();
                sum.absorb(brought.map_err(|failed| match into.dry_run {
                    true => failed,
                    false => failed.after_some(before, "other records were imported; importing again completes it"),
                })?);
            }
            all.push(sum);
        }
        if !into.dry_run {
            for Moved { hash, names } in self.repos.values() {
                let Some(names) = names else { continue };
                if repo::names(into.home, hash).path.is_none() && is_admitted(into.home, names) {
                    repo::describe(into.home, hash, names)?;
                }
            }
        }
        Ok(all)
    }

    /// Brings what every room shares of a repository.
    fn bring_shared(&self, owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
        let mut brought = Brought::default();
        let moved = match owner {
            Owner::Repo(hash) => self.repos.get(&Digits(hash.clone())),
            _ => None,
        };
        let Some(moved) = moved else { return Ok(Brought { skipped: records.len(), ..brought }) };
        let repo = Repo::at(into.home, &moved.hash);
        let (check, mut removed) = (into.home.cancel_check(), Vec::new());
        for portable in records {
            check()?;
            match &*portable.kind {
                TRASH => match trash::foreign(into.home, into.archive, &portable.record, None) {
                    Ok(entry) => removed.push(entry),
                    Err(error) => brought.skip(error)?,
                },
                NAMES if moved.names.is_none() => brought.skipped += 1,
                NAMES => match repo::names(into.home, &moved.hash).path {
                    Some(_) => brought.deduplicated += 1,
                    None => brought.copied += 1,
                },
                ADOPTED => match serde_json::from_str::<InArchive>(portable.record.get()) {
                    Ok(adopted) => match self.bring_adopted(&repo, adopted, into)? {
                        true => brought.copied += 1,
                        false => brought.deduplicated += 1,
                    },
                    Err(_) => brought.skipped += 1,
                },
                _ => brought.skipped += 1,
            }
        }
        brought.joined(removed.len(), repo.trash().add(removed, into.dry_run)?);
        Ok(brought)
    }

    /// Remembers what a repository has adopted, so that it is not offered again. Returns whether anything of it is new.
    fn bring_adopted(&self, repo: &Repo, adopted: InArchive, into: &Arrival<'_>) -> Result<bool> {
        let memento = Memento::of_archive(adopted, |source| {
            let Some(moved) = self.repos.get(&Digits(source.clone())) else { return Ok(None) };
            let modified = rooms::records_usage(&Repo::at(into.home, &moved.hash))?.modified;
            // In a dry run, it is not here yet.
            let modified = modified.or_else(|| into.dry_run.then_some(i128::from(u64::MAX)));
            Ok(modified.map(|modified| (moved.hash.clone(), modified)))
        })?;
        if memento.is_known(repo)? {
            return Ok(false);
        }
        if !into.dry_run {
            adopted::remember(repo, memento)?;
        }
        Ok(true)
    }
}

/// What a repository is called where it is now.
fn moved(names: Names, map: &PathMap) -> Names {
    let now = |path: String| map.now(Path::new(&path)).to_string_lossy().into_owned();
    Names { path: names.path.map(now), git_dir: names.git_dir.map(now), ..names }
}

/// Whether its remote is what loopmem would have stored.
fn is_sanitized(names: &Names) -> bool {
    names.remote_url.as_ref().is_none_or(|url| sanitize_remote_url(url).is_ok_and(|clean| clean == *url))
}

/// Whether nothing in these names looks like a secret.
fn is_admitted(home: &Home, names: &Names) -> bool {
    let path = |path: &Option<String>| path.as_ref().is_none_or(|it| home.admit_path("path", Path::new(it)).is_ok());
    path(&names.path) && path(&names.git_dir)
}
