//! The store in `items.jsonl`: one item per line, in a file that may be kept in git.

use std::sync::{Arc, Mutex, RwLockReadGuard};

use super::backend::{Backend, Change, Decide, OddRecords, Records, retrying};
use super::collection::{Collection, Lines, State, is_whole};
use super::place::Place;
use super::record::Item;
use crate::disk::{Disk, Json, LineEdit, LineFile, LineIndex, LineSnapshot, Stored, read_record};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::mutex::lock;

/// The items of one file.
#[derive(Debug, Clone)]
pub(super) struct JsonlBackend {
    home: Home,
    place: Place,
    collection: Arc<Collection>,
}

impl JsonlBackend {
    pub(super) fn new(home: &Home, place: Place) -> Self {
        let collection = Collection::of(&place.file);
        JsonlBackend { home: home.clone(), place, collection }
    }

    fn file(&self) -> LineFile<'_> {
        LineFile::new(&self.place.disk, self.place.file.clone(), self.home.config().lock_timeout)
    }

    fn lines(&self, snapshot: Arc<LineSnapshot>) -> Arc<dyn Lines> {
        Arc::new(FileLines { disk: Arc::clone(&self.place.disk), snapshot })
    }
}

impl Backend for JsonlBackend {
    fn place(&self) -> &Place {
        &self.place
    }

    fn state(&self) -> Result<RwLockReadGuard<'_, State>> {
        retrying(|| {
            let snapshot = match self.place.may_be_opened(&self.home) {
                true => self.file().read(self.home.wait_options())?,
                false => Arc::default(),
            };
            let lines = self.lines(snapshot);
            self.collection.at(&self.home, &self.place, &lines)
        })
    }

    fn edit(&self, decide: Decide) -> Result<()> {
        self.place.claim(&self.home)?;
        let (backend, decided) = (self.clone(), Arc::new(Mutex::new(Some(decide))));
        self.file().update(self.home.wait_options(), move |draft| {
            let decide = lock(&decided).take().ok_or_else(|| Error::internal("a change was decided twice"))?;
            let mut records = Draft { backend: &backend, draft, lines: None };
            let changes = decide(&mut records)?;
            records.edits(changes).map(|edits| (edits, ()))
        })
    }

    fn clear(&self) -> Result<()> {
        self.collection.clear(&self.home, &self.place);
        self.file().clear_beside(self.home.wait_options())
    }

    fn reindex(&self) {
        self.collection.reindex();
    }

    fn examine(&self, fix: bool) -> Result<Examination> {
        if !self.place.may_be_opened(&self.home) {
            return Ok(Examination::default());
        }
        let (file, odd) = (&self.place.file, OddRecords::default());
        let read = |number: usize, line: &[u8]| {
            if line.trim_ascii().is_empty() {
                return Ok(());
            }
            let item = read_record::<Item>(file, number, line)?;
            if !is_whole(&item) {
                let message = format!("line {number}: the item has no id, or a key twice");
                return Err(Error::new(ErrorKind::Parse, message).at(file));
            }
            odd.add(number as u64, &item);
            Ok(())
        };
        let mut found = self.file().examine(self.home.wait_options(), fix, &read)?;
        found.findings.extend(odd.findings(file, "line"));
        Ok(found)
    }
}

/// The lines of a file.
#[derive(Debug)]
struct FileLines {
    disk: Arc<Disk>,
    snapshot: Arc<LineSnapshot>,
}

impl Lines for FileLines {
    fn chunks(&self) -> Vec<u64> {
        self.snapshot.chunks().iter().map(|chunk| chunk.id()).collect()
    }

    fn hashes(&self, chunk: usize) -> Vec<Option<u64>> {
        let lines = self.snapshot.chunks().get(chunk).map(|chunk| chunk.lines()).unwrap_or_default();
        lines.iter().map(|line| Some(line.hash).filter(|_| !line.is_removed() && !line.is_blank())).collect()
    }

    fn texts(&self, chunk: usize) -> Result<Vec<Option<Vec<u8>>>> {
        self.snapshot.texts(&self.disk, chunk)
    }

    fn text(&self, at: LineIndex) -> Result<Option<Vec<u8>>> {
        self.snapshot.text(&self.disk, at)
    }
}

/// The items of a draft, under the lock.
struct Draft<'d> {
    backend: &'d JsonlBackend,
    draft: &'d LineSnapshot,
    /// Read when they are first needed.
    lines: Option<Arc<dyn Lines>>,
}

impl Draft<'_> {
    fn with_state<T>(&mut self, read: impl FnOnce(&State) -> Result<T>) -> Result<T> {
        let JsonlBackend { home, place, collection } = self.backend;
        let lines = self.lines.get_or_insert_with(|| self.backend.lines(Arc::new(self.draft.snapshot())));
        read(&*collection.in_draft(home, place, lines)?)
    }

    /// Refuses to change a file without any item but with other lines, which the user has named by mistake.
    fn refuse_another_file(&mut self) -> Result<()> {
        let Place { disk, file, .. } = &self.backend.place;
        let mut start = [0; 4096];
        let handle = disk.open_foreign(file).map_err(|cause| Error::io("open", file, &cause))?;
        let read = handle.map_or(Ok(0), |handle| disk.read_foreign_at(&handle, &mut start, 0));
        let read = read.map_err(|cause| Error::io("read", file, &cause))?;
        let first = start.get(..read).unwrap_or_default().trim_ascii_start().first();
        // The first item may have been cut off by a power failure.
        if first.is_none_or(|first| *first == b'{') && self.with_state(|state| Ok(state.damaged() == 0))? {
            return Ok(());
        }
        let message = format!("{} is not a file of items, and was left as it is; name another file", file.display());
        Err(Error::validation(message).at(file))
    }

    fn edits(&mut self, changes: Vec<Change>) -> Result<Vec<LineEdit>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        // A file of a newer format is not changed, not even by an addition.
        let is_empty = self.with_state(|state| Ok(state.index.is_empty()))?;
        if is_empty && !self.backend.place.is_default {
            self.refuse_another_file()?;
        }
        self.backend.place.hide_from_git();
        let mut edits = Vec::with_capacity(changes.len());
        for change in changes {
            match change {
                Change::Add(item) => edits.push(LineEdit::Append(Json::from(&item))),
                Change::Set(item) => {
                    let line = self.with_state(|state| Ok(state.find(&item.id).and_then(|it| state.line_of(it))))?;
                    let json = Json::from(&item);
                    edits.push(match line {
                        Some(line) => LineEdit::Change(line, json),
                        None => LineEdit::Append(json),
                    });
                }
                Change::Remove(id) => {
                    let lines = self.with_state(|state| {
                        Ok(state.find_all(&id).into_iter().filter_map(|it| state.line_of(it)).collect::<Vec<_>>())
                    })?;
                    edits.extend(lines.into_iter().map(LineEdit::Remove));
                }
            }
        }
        Ok(edits)
    }
}

impl Records for Draft<'_> {
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>> {
        let path = &self.backend.place.file;
        self.with_state(|state| state.find_item(path, id))
    }

    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>> {
        let path = &self.backend.place.file;
        self.with_state(|state| state.expired(now).map(|document| state.item(path, document)).collect())
    }
}
