//! Where an index is kept: its files under the home, all of which may be removed at any time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::history::History;
use super::postings::Postings;
use super::segment::{self, Segment};
use super::table::Table;
use crate::disk::{Mode, Stamp, WaitOptions};
use crate::error::Result;
use crate::home::{Home, RepoHash};
use crate::segments::Bytes;

/// A file beside the segments, of versions that kept symbols.
const OUTDATED_SYMBOLS: &str = "symbols";

/// The files of an index. A home that cannot be written to has none; what is kept then lasts as long as its handle.
pub(super) struct Place<'h> {
    pub(super) home: &'h Home,
    /// The file with the table. Its lock is that of the index.
    pub(super) table: PathBuf,
    lists: PathBuf,
    history: PathBuf,
    map: PathBuf,
    segments: PathBuf,
}

impl<'h> Place<'h> {
    pub(super) fn new(home: &'h Home, repo: &RepoHash) -> Self {
        let folder = home.layout().indexes(repo);
        Place {
            home,
            table: folder.join("files"),
            lists: folder.join("terms"),
            history: folder.join("history"),
            map: folder.join("repo-map.json"),
            segments: home.layout().segments(),
        }
    }

    /// Identifies what is kept: it changes with each refresh that finds a change.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.home.disk().stamp_of(&self.table)
    }

    /// The table; `None` if there is none, or it is damaged.
    pub(super) fn table(&self) -> Option<Table> {
        Table::read(self.home.disk().open_derived(&self.table)?)
    }

    /// The tables of the other repositories of the home, as far as they are intact.
    pub(super) fn other_tables(&self) -> impl Iterator<Item = Table> {
        let disk = self.home.disk();
        let repos = disk.entries(&self.home.layout().repos()).unwrap_or_default().into_iter();
        let tables = repos.map(|(repo, _)| self.home.layout().repos().join(repo).join("indexes").join("files"));
        tables.filter(|table| *table != self.table).filter_map(|table| Table::read(disk.open_derived(&table)?))
    }

    /// The lists that the ordinals of `table` belong to; `None` if they are missing or damaged.
    pub(super) fn lists(&self, table: &Table) -> Option<Postings> {
        let lists = Postings::of(self.home.disk().open_derived(&self.lists)?)?;
        (lists.digest() == table.lists).then_some(lists)
    }

    /// The names of all segments of the home.
    pub(super) fn segment_names(&self) -> Vec<String> {
        let entries = self.home.disk().entries(&self.segments).unwrap_or_default();
        let names = entries.into_iter().filter_map(|(name, _)| name.into_string().ok());
        names.filter(|name| name.ends_with(segment::EXTENSION) && !segment::is_outdated(name)).collect()
    }

    pub(super) fn segment(&self, name: &str) -> Option<Segment> {
        Segment::of(name, self.home.disk().open_derived(&self.segments.join(name))?)
    }

    /// Writes a segment, and returns it as it is used.
    pub(super) fn keep_segment(&self, name: &str, bytes: Vec<u8>) -> Option<Segment> {
        // Without the lock, which a home that cannot be written to lacks, the segment is at worst lost.
        let timeout = self.home.config().lock_timeout;
        let _guard = self.home.disk().lock(&self.all_segments(), Mode::Shared, self.home.wait_options(), timeout).ok();
        self.keep(&self.segments.join(name), bytes, |bytes| Segment::of(name, bytes))
    }

    /// Writes a file, and returns it as `open` opens it, in memory if it cannot be written.
    fn keep<T>(&self, path: &Path, bytes: Vec<u8>, open: impl Fn(Bytes) -> Option<T>) -> Option<T> {
        let disk = self.home.disk();
        let is_written = disk.write_derived(path, &bytes).is_ok();
        let written = is_written.then(|| disk.open_derived(path)).flatten();
        written.and_then(&open).or_else(|| open(Box::new(bytes)))
    }

    pub(super) fn remove_segment(&self, name: &str) {
        self.home.disk().remove_derived(&self.segments.join(name));
    }

    /// Writes the lists, and returns them as they are used.
    pub(super) fn keep_lists(&self, bytes: Vec<u8>) -> Option<Postings> {
        self.keep(&self.lists, bytes, Postings::of)
    }

    /// Writes the table.
    pub(super) fn keep_table(&self, table: &Table) {
        let _ = self.home.disk().write_derived(&self.table, &table.written());
    }

    /// The history; the default if there is none, or it is damaged.
    pub(super) fn history(&self) -> History {
        self.home.disk().open_derived(&self.history).and_then(History::read).unwrap_or_default()
    }

    /// Writes the history.
    pub(super) fn keep_history(&self, history: &History) {
        let _ = self.home.disk().write_derived(&self.history, &history.written());
    }

    /// The map for people and other programs, as it is written.
    pub(super) fn map(&self) -> Option<Vec<u8>> {
        let file = self.home.disk().open_derived(&self.map)?;
        file.read(0..file.len())
    }

    /// Writes the map for people and other programs.
    pub(super) fn keep_map(&self, bytes: &[u8]) {
        let _ = self.home.disk().write_derived(&self.map, bytes);
    }

    /// What the lock of the segments is named after: those who write one share it.
    fn all_segments(&self) -> PathBuf {
        self.segments.join("entries")
    }

    /// Removes what crashes and earlier versions left in the folders of the index, except while somebody writes there.
    pub(super) fn sweep(&self) {
        let disk = self.home.disk();
        let is_left = |name: &str| name.ends_with(".tmp") || segment::is_outdated(name) || name == OUTDATED_SYMBOLS;
        for locked in [&self.all_segments(), &self.table] {
            let Some(folder) = locked.parent() else { continue };
            let names = disk.list_foreign(folder).ok().flatten().unwrap_or_default();
            let left: Vec<PathBuf> =
                names.iter().filter(|name| name.to_str().is_some_and(is_left)).map(|name| folder.join(name)).collect();
            if left.is_empty() {
                continue;
            }
            let at_once = WaitOptions::at_most(Duration::ZERO);
            if let Ok(_guard) = disk.lock(locked, Mode::Exclusive, &at_once, Duration::ZERO) {
                left.iter().for_each(|path| disk.remove_derived(path));
            }
        }
    }

    /// Removes every file of the index, and the segments of all indexes of the home.
    pub(super) fn clear(&self) -> Result<()> {
        let disk = self.home.disk();
        for locked in [&self.all_segments(), &self.table] {
            let Some(folder) = locked.parent() else { continue };
            let is_kept = |name: &str| name.ends_with(".lock") || name.ends_with(".gate") || name.contains(".lock.");
            let names = disk.list_foreign(folder).ok().flatten().unwrap_or_default();
            let names = names.iter().filter(|name| !name.to_str().is_some_and(is_kept));
            let files: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
            if files.is_empty() {
                continue;
            }
            let _guard =
                disk.lock(locked, Mode::Exclusive, self.home.wait_options(), self.home.config().lock_timeout)?;
            files.iter().for_each(|path| disk.remove_derived(path));
        }
        Ok(())
    }

    /// Forgets the table, and the segments that are damaged.
    pub(super) fn forget(&self) {
        let disk = self.home.disk();
        let _ = disk.write_derived(&self.table, &[]);
        for name in self.segment_names() {
            if self.segment(&name).is_none_or(|segment| !segment.is_intact()) {
                let _ = disk.write_derived(&self.segments.join(name), &[]);
            }
        }
    }
}
