//! Brings the index of a work tree up to date: only what has changed is read, and only contents that no repository of this
//! home has had are parsed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::compaction;
use super::contents::{Contents, Counts, Unread};
use super::history::{COMMITS, History};
use super::place::Place;
use super::repo_map;
use super::structure::{self, Structure, WorkTree, is_unchanged};
use super::table::{ContentRow, FileRow, Rules, Snapshot, Table};
use crate::disk::{Epoch, Kind, Mode, Moment, Stamp};
use crate::error::{ErrorKind, Result};
use crate::git::recent_changes;
use crate::home::{Home, Steps};
use crate::repo::{Location, Repo};
use crate::warning::Warning;

/// What a refresh did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RefreshedIndex")]
#[non_exhaustive]
pub struct Refreshed {
    /// The files of the work tree, including those that are not read: binary and large ones.
    pub files: usize,
    /// Contents that were parsed.
    pub parsed: usize,
    /// Contents that were known already.
    pub reused: usize,
    /// Files that are gone since the last refresh.
    pub removed: usize,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// The index of the last refresh, compared with the work tree.
enum Last {
    /// Nothing has changed since.
    Current(Snapshot),
    /// The same files are there, and these are their stamps and the rules now.
    Changed(Snapshot, Vec<Option<Stamp>>, Rules),
    /// There may be other files, or there was no index.
    Unknown(Option<Snapshot>),
}

impl Last {
    /// The index, whether it is up to date or not.
    fn into_old(self) -> Option<Snapshot> {
        match self {
            Last::Current(snapshot) | Last::Changed(snapshot, ..) => Some(snapshot),
            Last::Unknown(snapshot) => snapshot,
        }
    }
}

/// One refresh.
pub(super) struct Refresh<'r> {
    home: &'r Home,
    top: &'r Path,
    /// The folder that the repository was opened by.
    folder: &'r Path,
    tree: WorkTree<'r>,
    /// That of the stamps that it takes.
    epoch: Epoch,
    place: Place<'r>,
}

impl<'r> Refresh<'r> {
    pub(super) fn new(repo: &'r Repo, location: &'r Location) -> Self {
        let (home, top) = (repo.home(), location.top.as_path());
        Refresh {
            home,
            top,
            folder: &location.folder,
            tree: WorkTree::new(home, top),
            epoch: home.disk().epoch(top),
            place: Place::new(home, repo.hash()),
        }
    }

    /// The index, brought up to date. `check` is called often, and may end it.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn run(&self, check: &dyn Fn() -> Result<()>) -> Result<(Snapshot, Refreshed)> {
        self.place.sweep();
        let seen = self.place.stamp();
        let mut last = match self.last(check)? {
            Last::Current(snapshot) => return Ok(unchanged(snapshot)),
            last => last,
        };
        // Of two processes, one works; the other one then finds the index up to date. Without the lock, as in a home that
        // cannot be written to, both work.
        let timeout = self.home.config().lock_timeout;
        let guard = self.home.disk().lock(&self.place.table, Mode::Exclusive, self.home.wait_options(), timeout);
        let _guard = match guard {
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // Another process works for longer than this call waits: the old index will do. Without one, both build it.
            Err(error) if error.retryable() => match last.into_old() {
                Some(old) => return Ok(unchanged(old)),
                None => {
                    last = Last::Unknown(None);
                    None
                }
            },
            guard => guard.ok(),
        };
        let last = if self.place.stamp() == seen { last } else { self.last(check)? };
        match last {
            Last::Current(snapshot) => Ok(unchanged(snapshot)),
            Last::Changed(snapshot, stamps, rules) => {
                let paths = snapshot.table.files.iter().map(|file| file.path.to_vec()).collect();
                let (folders, is_cut) = (snapshot.table.folders.clone(), snapshot.table.is_cut);
                self.update(Some(snapshot), Structure { paths, folders, rules, is_cut }, stamps, check)
            }
            Last::Unknown(snapshot) => {
                let since = self.home.disk().moment();
                let structure = self.tree.walk(check)?;
                let stamps = self.stamps(structure.paths.iter().map(Vec::as_slice), since, check)?;
                self.update(snapshot, structure, stamps, check)
            }
        }
    }

    /// Writes the map for people and other programs, if that is not what it says.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn keep_map(&self, snapshot: &Snapshot, check: &dyn Fn() -> Result<()>) -> Result<()> {
        let map = repo_map::written(snapshot, check)?;
        if self.place.map().is_none_or(|written| written != map) {
            self.place.keep_map(&map);
        }
        Ok(())
    }

    /// Forgets the index of the last refresh, which is damaged.
    pub(super) fn forget(&self) {
        self.place.forget();
    }

    /// The last commits, as far as they can be read.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn history(&self, check: &dyn Fn() -> Result<()>) -> Result<History> {
        let Some((git, head)) = self.tree.head() else { return Ok(History::default()) };
        let last = self.place.history();
        if last.head() == Some(&head) {
            return Ok(last);
        }
        let paths: HashMap<&str, &Vec<Vec<u8>>> =
            last.changes.iter().map(|change| (change.commit.as_str(), &change.paths)).collect();
        let known = |commit: &str| paths.get(commit).map(|paths| (*paths).clone());
        let mut changes = recent_changes(&git, &head, COMMITS, &known, check)?.unwrap_or_default();
        let is_clean =
            |path: &[u8]| matches!(self.home.redactor().scrub(&String::from_utf8_lossy(path)), Cow::Borrowed(_));
        for change in changes.iter_mut().filter(|change| !paths.contains_key(change.commit.as_str())) {
            change.paths.retain(|path| is_clean(path));
        }
        let history = History { changes };
        self.place.keep_history(&history);
        Ok(history)
    }

    fn last(&self, check: &dyn Fn() -> Result<()>) -> Result<Last> {
        let Some(snapshot) = self.load() else { return Ok(Last::Unknown(None)) };
        let table = &snapshot.table;
        let since = self.home.disk().moment();
        let stamps = self.stamps(table.files.iter().map(|file| &*file.path), since, check)?;
        let Some(rules) = self.tree.rules_if_same(table, &stamps, since, check)? else {
            return Ok(Last::Unknown(Some(snapshot)));
        };
        if table.files.iter().zip(&stamps).all(|(file, stamp)| is_unchanged(file.stamp, *stamp)) {
            return Ok(Last::Current(snapshot));
        }
        Ok(Last::Changed(snapshot, stamps, rules))
    }

    /// The index of the last refresh; `None` if there is none, or it is damaged.
    fn load(&self) -> Option<Snapshot> {
        // With other options, other files may be there and others may be read.
        let mut table = self.place.table().filter(|table| table.settings == self.settings())?;
        table.enter(&self.epoch);
        let segments = table.segments.iter().map(|name| self.place.segment(name)).collect::<Option<Vec<_>>>()?;
        let postings = if table.ordinals == 0 { None } else { Some(self.place.lists(&table)?) };
        Some(Snapshot { top: self.top.to_owned(), below: self.below(), table, segments, postings })
    }

    fn settings(&self) -> u64 {
        structure::settings(&self.home.config().index, self.home.own_rules())
    }

    /// The folder whose files are shown, relative to the top level; empty for all.
    fn below(&self) -> Vec<u8> {
        let folder = self.folder.strip_prefix(self.top).ok().filter(|_| self.home.config().index.subtree);
        folder.map(|folder| folder.as_os_str().as_encoded_bytes().to_vec()).unwrap_or_default()
    }

    fn stamps<'p>(
        &self,
        paths: impl Iterator<Item = &'p [u8]>,
        since: Moment,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Option<Stamp>>> {
        self.home.disk().stamps(self.top, Kind::File, paths, since, check)
    }

    /// Makes the index of the files that there are from the one of the last refresh.
    fn update(
        &self,
        last: Option<Snapshot>,
        structure: Structure,
        stamps: Vec<Option<Stamp>>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<(Snapshot, Refreshed)> {
        let (table, segments, postings) = match last {
            Some(last) => (last.table, last.segments, last.postings),
            None => (Table::default(), Vec::new(), None),
        };
        let known: HashMap<Box<[u8]>, (Stamp, Option<ContentRow>)> =
            table.files.into_iter().map(|file| (file.path, (file.stamp, file.content))).collect();
        let is_known = |path: &[u8], stamp| known.get(path).is_some_and(|(old, _)| is_unchanged(*old, Some(stamp)));
        let is_read = |path: &[u8], stamp: Option<Stamp>| stamp.is_some_and(|stamp| !is_known(path, stamp));
        let to_read = structure.paths.iter().zip(&stamps).filter(|(path, stamp)| is_read(path, **stamp)).count();
        let mut steps = Steps::new(self.home, to_read);
        let mut contents = Contents::new(&self.place, segments);
        let mut files = Vec::with_capacity(structure.paths.len());
        for (path, stamp) in structure.paths.into_iter().zip(stamps) {
            check()?;
            let Some(stamp) = stamp else { continue };
            let before = known.get(&*path).copied();
            let (content, stamp) = match before {
                Some((old, content)) if is_unchanged(old, Some(stamp)) => {
                    contents.counts.reused += usize::from(content.is_some());
                    (content, stamp)
                }
                before => {
                    let read = contents.of_file(self.top, &path, stamp, check)?;
                    steps.advance();
                    match read {
                        Ok(content) => {
                            // A file that was only touched stays in the lists.
                            let old = before.and_then(|(_, old)| old);
                            let old = old.filter(|old| Some(old.key) == content.map(|it| it.key));
                            let ordinal = old.and_then(|old| old.ordinal);
                            (content.map(|content| ContentRow { ordinal, ..content }), stamp)
                        }
                        Err(Unread) => (None, stamp.uncertain()),
                    }
                }
            };
            files.push(FileRow { path: path.into(), stamp, content });
        }
        let Counts { parsed, reused } = contents.counts;
        let kept = files.iter().filter(|file| known.contains_key(&file.path)).count();
        let refreshed =
            Refreshed { files: files.len(), parsed, reused, removed: known.len().saturating_sub(kept), elapsed_ms: 0 };
        let (lists, ordinals) = (table.lists, table.ordinals);
        let mut segments = contents.finish();
        compaction::drop_unused(&mut segments, &mut files);
        let (folders, rules, is_cut) = (structure.folders, structure.rules, structure.is_cut);
        let settings = self.settings();
        let names = segments.iter().map(|segment| segment.name.clone()).collect();
        let table = Table {
            epoch: self.epoch.clone(),
            files,
            folders,
            rules,
            settings,
            segments: names,
            lists,
            ordinals,
            is_cut,
        };
        let mut snapshot = Snapshot { top: self.top.to_owned(), below: self.below(), table, segments, postings };
        let is_merged = compaction::merge_segments(&self.place, &mut snapshot, check)?;
        let mut map = None;
        if compaction::is_due(&snapshot) {
            map = Some(repo_map::written(&snapshot, check)?);
            compaction::list(&self.place, &mut snapshot, check)?;
        }
        // The table belongs to the lists: nothing ends the refresh from here on.
        self.place.keep_table(&snapshot.table);
        if is_merged {
            compaction::remove_unused(&self.place, &snapshot);
        }
        if snapshot.table.is_cut {
            let most = self.home.config().index.max_files;
            let warning = Warning::new("there are more files than index.maxFiles; the others are not indexed");
            warning.at(self.top).counting(most).emit(self.home.redactor());
        }
        if let Some(map) = map {
            self.place.keep_map(&map);
        }
        Ok((snapshot, refreshed))
    }
}

/// The index as it was, and what that refresh did.
fn unchanged(snapshot: Snapshot) -> (Snapshot, Refreshed) {
    let files = &snapshot.table.files;
    let reused = files.iter().filter(|file| file.content.is_some()).count();
    let refreshed = Refreshed { files: files.len(), reused, ..Refreshed::default() };
    (snapshot, refreshed)
}
