//! The store in `items.jsonl`: one item per line, in a file that may be kept in git.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLockReadGuard, RwLockWriteGuard};

use super::backend::{Backend, Change, Decide, Listing, Records};
use super::collection::{Collection, State};
use super::place::Place;
use super::record::{Item, Scope};
use crate::disk::{Disk, Json, LineEdit, LineFile, LineSnapshot, Stored, read_record};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::mutex::lock;

/// How often a read is repeated if another program changes the file meanwhile.
const TRIES: usize = 5;
/// What git should ignore beside the file.
const IGNORED: &[u8] = b"# Locks and temporary files of loopmem; items.jsonl may be committed.\n\
    /*.lock*\n/*.gate\n/*.tmp\n/*.torn\n/*.copying\n/*.damaged*\n/items.sqlite*\n/.gitignore\n";

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

    /// Reads until no other program interferes.
    fn retrying<T>(&self, mut read: impl FnMut() -> Result<T>) -> Result<T> {
        for _ in 1..TRIES {
            match read() {
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                read => return read,
            }
        }
        read()
    }

    fn at(&self, snapshot: &Arc<LineSnapshot>) -> Result<RwLockReadGuard<'_, State>> {
        let Place { disk, file, .. } = &self.place;
        self.collection.at(&self.home, disk, file, &self.place.index_file(), snapshot)
    }

    /// Creates the file that tells git what to ignore, with the first item in a repository.
    fn prepare(&self) {
        let ignored: Option<PathBuf> = self.place.file.parent().map(|folder| folder.join(".gitignore"));
        if let Some(ignored) = ignored.filter(|_| self.place.folder.is_some())
            && !self.place.disk.has_entry(&ignored)
        {
            // The items are stored in any case.
            let _ = self.place.disk.write_derived(&ignored, IGNORED);
        }
    }
}

impl Backend for JsonlBackend {
    fn place(&self) -> &Place {
        &self.place
    }

    fn state(&self) -> Result<RwLockReadGuard<'_, State>> {
        self.retrying(|| self.at(&self.file().read(self.home.wait_options())?))
    }

    fn fetch(&self, state: &State, documents: &[u32]) -> Result<Vec<Stored<Item>>> {
        let read = |document: &u32| item_at(&self.place.disk, &self.place, &state.snapshot, state, *document);
        documents.iter().map(read).collect()
    }

    fn list(&self) -> Result<Listing> {
        self.retrying(|| {
            let snapshot = self.file().read(self.home.wait_options())?;
            let state = self.at(&snapshot)?;
            let mut items = Vec::with_capacity(state.index.len());
            for (chunk, documents) in state.chunks().enumerate() {
                if documents.iter().all(Option::is_none) {
                    continue;
                }
                let texts = snapshot.texts(&self.place.disk, chunk)?;
                for (line, (document, text)) in documents.iter().zip(texts).enumerate() {
                    if let (Some(_), Some(text)) = (document, text) {
                        items.push(read_record::<Item>(&self.place.file, line + 1, &text)?);
                    }
                }
            }
            Ok(Listing { items, damaged: state.damaged(), superseded: state.superseded() })
        })
    }

    fn edit(&self, decide: Decide) -> Result<()> {
        self.prepare();
        let (backend, decided) = (self.clone(), Arc::new(Mutex::new(Some(decide))));
        self.file().update(self.home.wait_options(), move |draft| {
            let decide = lock(&decided).take().ok_or_else(|| Error::internal("a change was decided twice"))?;
            let mut records = Draft { backend: &backend, draft, state: None };
            let changes = decide(&mut records)?;
            let mut edits = Vec::with_capacity(changes.len());
            for change in changes {
                match change {
                    Change::Add(item) => edits.push(LineEdit::Append(Json::from(item))),
                    Change::Set(id, item) => {
                        let state = records.state()?;
                        let line = state.find(&id).and_then(|document| state.line_of(document));
                        let json = Json::from(item);
                        edits.push(line.map_or(LineEdit::Append(json.clone()), |line| LineEdit::Change(line, json)));
                    }
                    Change::Remove(id) => {
                        let state = records.state()?;
                        let lines = state.find_all(&id).into_iter().filter_map(|document| state.line_of(document));
                        edits.extend(lines.map(LineEdit::Remove));
                    }
                }
            }
            Ok((edits, ()))
        })
    }

    fn examine(&self, fix: bool) -> Result<Examination> {
        let read = |number: usize, line: &[u8]| read_record::<Item>(&self.place.file, number, line).map(drop);
        self.file().examine(self.home.wait_options(), fix, &read)
    }
}

/// The items of a draft, under the lock.
struct Draft<'d> {
    backend: &'d JsonlBackend,
    draft: &'d LineSnapshot,
    state: Option<RwLockWriteGuard<'d, State>>,
}

impl<'d> Draft<'d> {
    /// What is known of the draft. Not needed for an addition, which does not depend on the other items.
    fn state(&mut self) -> Result<&State> {
        if self.state.is_none() {
            let JsonlBackend { home, place, collection } = self.backend;
            let state = collection.in_draft(home, &place.disk, &place.file, &place.index_file(), self.draft)?;
            self.state = Some(state);
        }
        self.state.as_deref().ok_or_else(|| Error::internal("a draft without a state"))
    }
}

impl Records for Draft<'_> {
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>> {
        let (place, draft) = (self.backend.place.clone(), self.draft);
        let state = self.state()?;
        let document = state.find(id);
        document.map(|document| item_at(&place.disk, &place, draft, state, document)).transpose()
    }

    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>> {
        let (place, draft) = (self.backend.place.clone(), self.draft);
        let state = self.state()?;
        let items = state.expired(now).map(|document| item_at(&place.disk, &place, draft, state, document));
        items.collect()
    }
}

/// The item on the line of a document of `snapshot`.
fn item_at(disk: &Disk, place: &Place, snapshot: &LineSnapshot, state: &State, document: u32) -> Result<Stored<Item>> {
    let lost = || Error::internal("an indexed item is on no line; please report it").at(&place.file);
    let at = state.line_of(document).ok_or_else(lost)?;
    let text = snapshot.text(disk, at)?.ok_or_else(lost)?;
    read_record::<Item>(&place.file, at.line + 1, &text)
}

impl Place {
    /// Whether an item of `scope` belongs here: items of the repository and of its top-level folder share a file.
    pub(super) fn holds(&self, scope: Scope) -> bool {
        self.scope == scope || self.scope == Scope::Repo && scope == Scope::Dir
    }
}
