//! The items of one file as the process knows them: an index of their content, brought up to date whenever the file has changed,
//! and which line each item is on.
//!
//! Lines are recognized by their hash, so after a change by any program only the lines that changed are parsed. The index is kept in
//! a file under the home for the next process; if that is missing, damaged or stale, it is made again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use xxhash_rust::xxh3::xxh3_64;

use super::place::Place;
use super::record::{Item, Status};
use crate::disk::{LineIndex, Recent, Stored, read_record};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::ranking::{ATTRIBUTES, Content, Document, Index, Segment, sortable};
use crate::safety::{Redactor, SealedObject};
use crate::warning::Warning;

/// How many collections a process keeps. The least recently used one is dropped first.
const CAPACITY: usize = 64;
/// The number of a line that is blank.
const BLANK: u32 = u32::MAX;
/// The number of a line that is not an item.
const DAMAGED: u32 = u32::MAX - 1;
/// The mark of items that apply to every prompt.
pub(super) const STANDING: &str = "standing";
/// The mark of those that apply where their hints fit.
pub(super) const BOUND: &str = "bound";
/// How far a line is searched for after its expected place.
const LOOKAHEAD: usize = 8;

/// The attributes of an item in the index.
pub(super) mod attribute {
    /// When it expires, in milliseconds since 1970; the maximum if never.
    pub(crate) const EXPIRES: usize = 0;
    /// When it was last changed, in milliseconds since 1970.
    pub(crate) const CHANGED: usize = 1;
    /// The first eight bytes of its id, which sort like it.
    pub(crate) const ID: usize = 2;
    /// The next eight bytes. Ids of loopmem begin with the time, which ends in them.
    pub(crate) const ID_REST: usize = 3;
}

/// The records of a storage at one moment, in their order, in chunks.
pub(super) trait Lines: Debug + Send + Sync {
    /// The ids of the chunks. In one process, chunks with the same id have the same records.
    fn chunks(&self) -> Vec<u64>;

    /// The hashes of the records of a chunk; `None` where there is none.
    fn hashes(&self, chunk: usize) -> Vec<Option<u64>>;

    /// The records of a chunk; `None` where there is none.
    ///
    /// # Errors
    /// `Conflict` if the storage has changed since; `IOError`.
    fn texts(&self, chunk: usize) -> Result<Vec<Option<Vec<u8>>>>;

    /// One record; `None` if there is none.
    ///
    /// # Errors
    /// As [`texts`](Self::texts).
    fn text(&self, at: LineIndex) -> Result<Option<Vec<u8>>>;
}

/// The items of one file.
#[derive(Debug, Default)]
pub(super) struct Collection {
    state: RwLock<State>,
}

/// The index of one file, and the lines of its documents.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) index: Index,
    /// The lines of each chunk as documents of the index, in the order of the file.
    chunks: Vec<(u64, Vec<u32>)>,
    /// The chunk of each document.
    chunk_of: Vec<u64>,
    /// The records that it is up to date with.
    lines: Option<Arc<dyn Lines>>,
    /// Documents with the id of another one that was changed later.
    superseded: HashSet<u32>,
    /// The items that expire, with their time in milliseconds.
    expiring: BTreeSet<(u64, u32)>,
    /// Ids whose documents have changed, so that it is not known yet which of them is current.
    unsettled: BTreeSet<u64>,
    is_loaded: bool,
}

/// The collections of the process.
static KEPT: Recent<Arc<Collection>> = Recent::new(CAPACITY);

/// Forgets all collections.
#[cfg(feature = "testing")]
pub(super) fn forget() {
    KEPT.clear();
}

impl Collection {
    /// The collection of the file at `path`, which all handles of the process share.
    pub(super) fn of(path: &Path) -> Arc<Self> {
        KEPT.get_or(path, || Some(Arc::default())).unwrap_or_default()
    }

    /// The state of the items in `lines`, brought up to date.
    ///
    /// # Errors
    /// `Conflict` if another program is writing to the storage; `FormatTooNew`, `IOError`.
    pub(super) fn at(&self, home: &Home, place: &Place, lines: &Arc<dyn Lines>) -> Result<RwLockReadGuard<'_, State>> {
        if let Ok(state) = self.state.read()
            && state.is_of(&**lines)
        {
            return Ok(state);
        }
        let mut state = self.write();
        state.load(home, place);
        state.sync(home, place, lines)?;
        if state.superseded.len() + state.damaged() > 0 {
            state.warn(home, &place.file);
        }
        if state.index.is_outgrown() {
            // A new segment would lose the vectors.
            if !state.index.has_intact_vectors() {
                *state = State { is_loaded: true, ..State::default() };
                state.sync(home, place, lines)?;
            }
            state.compact(home, place);
        }
        // Another store of the process may have other lines, and would change it again.
        Ok(RwLockWriteGuard::downgrade(state))
    }

    /// As [`at`](Self::at), for a writer, which sees a draft.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub(super) fn in_draft(
        &self,
        home: &Home,
        place: &Place,
        draft: &Arc<dyn Lines>,
    ) -> Result<RwLockWriteGuard<'_, State>> {
        let mut state = self.write();
        state.load(home, place);
        state.sync(home, place, draft)?;
        Ok(state)
    }

    /// As [`reindex`](Self::reindex), and removes the file.
    pub(super) fn clear(&self, home: &Home, place: &Place) {
        let mut state = self.write();
        home.disk().remove_derived(&place.index_file());
        *state = State { is_loaded: true, ..State::default() };
    }

    /// Forgets the index, including the one in the file, so that it is made again.
    pub(super) fn reindex(&self) {
        *self.write() = State { is_loaded: true, ..State::default() };
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(|poisoned| {
            // A panic may have left it half changed.
            let mut state = poisoned.into_inner();
            *state = State::default();
            self.state.clear_poison();
            state
        })
    }
}

/// A line that is not known yet.
struct Unknown {
    chunk: usize,
    line: usize,
    hash: u64,
}

impl State {
    /// True if it is up to date with `lines`.
    fn is_of(&self, lines: &dyn Lines) -> bool {
        self.lines.is_some() && self.chunks.iter().map(|(id, _)| *id).eq(lines.chunks())
    }

    /// Reads the index that another process has left.
    fn load(&mut self, home: &Home, place: &Place) {
        if self.is_loaded {
            return;
        }
        if let Some(segment) = home.disk().open_derived(&place.index_file()).and_then(Segment::read) {
            self.take(Index::of(segment));
        }
        self.is_loaded = true;
    }

    /// Uses `index`, whose documents are on no line yet.
    fn take(&mut self, index: Index) {
        let numbers = index.numbers();
        self.chunk_of = vec![0; numbers.len()];
        let expires = |number| Some((index.attribute(number, attribute::EXPIRES), number)).filter(|it| it.0 < u64::MAX);
        self.expiring = numbers.clone().filter_map(expires).collect();
        self.chunks = vec![(0, numbers.collect())];
        self.superseded.clear();
        self.unsettled = index.repeated_ids().into_iter().collect();
        self.index = index;
    }

    /// Brings it up to date with `lines`.
    fn sync(&mut self, home: &Home, place: &Place, lines: &Arc<dyn Lines>) -> Result<()> {
        let synced = self.sync_lines(home, &place.file, &**lines);
        match synced {
            Ok(()) => self.lines = Some(Arc::clone(lines)),
            // It starts again from the storage.
            Err(_) => *self = State::default(),
        }
        synced
    }

    fn sync_lines(&mut self, home: &Home, path: &Path, lines: &dyn Lines) -> Result<()> {
        if self.is_of(lines) {
            return Ok(());
        }
        let ids: HashSet<u64> = lines.chunks().into_iter().collect();
        let (mut same, mut changed) = (HashMap::new(), Vec::new());
        for (id, documents) in std::mem::take(&mut self.chunks) {
            if ids.contains(&id) {
                same.insert(id, documents);
            } else {
                changed.extend(documents.into_iter().filter(|document| *document < DAMAGED));
            }
        }
        let check = home.cancel_check();
        let unknown = self.assign(lines, same, &changed, &check)?;
        self.insert(home.redactor(), path, lines, unknown, &check)?;
        // Of versions that were changed at the same time, the last line counts, so the order of lines matters too.
        let repeated: Vec<u64> = self.superseded.iter().map(|document| self.index.id(*document)).collect();
        self.unsettled.extend(repeated);
        for id in std::mem::take(&mut self.unsettled) {
            check()?;
            self.settle(id);
        }
        Ok(())
    }

    /// Finds the documents of `lines`, removes those without a line, and returns the lines without a document.
    fn assign(
        &mut self,
        lines: &dyn Lines,
        mut same: HashMap<u64, Vec<u32>>,
        changed: &[u32],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Unknown>> {
        let (mut unknown, mut orphans) = (Vec::new(), Vec::new());
        let mut next = 0;
        for (at, id) in lines.chunks().into_iter().enumerate() {
            check()?;
            if let Some(documents) = same.remove(&id) {
                self.chunks.push((id, documents));
                continue;
            }
            let hashes = lines.hashes(at);
            let mut documents = Vec::with_capacity(hashes.len());
            for (line, hash) in hashes.into_iter().enumerate() {
                let Some(hash) = hash else {
                    documents.push(BLANK);
                    continue;
                };
                let window = &changed[next..changed.len().min(next + LOOKAHEAD)];
                match window.iter().position(|document| self.index.key(*document) == hash) {
                    Some(skipped) => {
                        orphans.extend_from_slice(&window[..skipped]);
                        documents.push(window[skipped]);
                        self.chunk_of[window[skipped] as usize] = id;
                        next += skipped + 1;
                    }
                    None => {
                        unknown.push(Unknown { chunk: at, line, hash });
                        documents.push(DAMAGED);
                    }
                }
            }
            self.chunks.push((id, documents));
        }
        orphans.extend_from_slice(&changed[next..]);
        let mut by_key: HashMap<u64, Vec<u32>> = HashMap::new();
        for document in orphans.into_iter().rev() {
            by_key.entry(self.index.key(document)).or_default().push(document);
        }
        unknown.retain(|Unknown { chunk, line, hash }| match by_key.get_mut(hash).and_then(Vec::pop) {
            Some(document) => {
                self.chunks[*chunk].1[*line] = document;
                self.chunk_of[document as usize] = self.chunks[*chunk].0;
                false
            }
            None => true,
        });
        for document in by_key.into_values().flatten() {
            check()?;
            self.remove(document);
        }
        Ok(unknown)
    }

    fn remove(&mut self, document: u32) {
        let id = self.index.id(document);
        self.expiring.remove(&(self.index.attribute(document, attribute::EXPIRES), document));
        self.index.remove(document);
        self.superseded.remove(&document);
        self.unsettled.insert(id);
    }

    /// Parses and indexes lines.
    fn insert(
        &mut self,
        redactor: &Redactor,
        path: &Path,
        lines: &dyn Lines,
        unknown: Vec<Unknown>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let mut unknown = unknown.into_iter().peekable();
        while let Some(first) = unknown.peek().map(|it| it.chunk) {
            let texts = lines.texts(first)?;
            while let Some(Unknown { chunk, line, hash }) = unknown.next_if(|it| it.chunk == first) {
                check()?;
                let Some(Some(text)) = texts.get(line) else { continue };
                // As in a file whose lines end with CR and LF.
                if text.trim_ascii().is_empty() {
                    self.chunks[chunk].1[line] = BLANK;
                    continue;
                }
                let number = self.number_of(LineIndex { chunk, line });
                let Some(item) = read_line(path, number, text)? else { continue };
                // A secret may have been written into the file by hand. The index must not have its words.
                let content = redactor.scrub(&item.content);
                let document = self.index.insert(&document(&item, &content, hash));
                self.chunk_of.resize(document as usize + 1, 0);
                self.chunk_of[document as usize] = self.chunks[chunk].0;
                self.chunks[chunk].1[line] = document;
                let expires = self.index.attribute(document, attribute::EXPIRES);
                if expires < u64::MAX {
                    self.expiring.insert((expires, document));
                }
                self.unsettled.insert(xxh3_64(item.id.as_bytes()));
            }
        }
        Ok(())
    }

    /// Finds out which of the documents with an id is the current one: the one that was changed last, or else the last one.
    fn settle(&mut self, id: u64) {
        let documents = self.index.with_id(id);
        if documents.len() < 2 {
            for document in &documents {
                self.superseded.remove(document);
            }
            return;
        }
        let order = |document: &u32| (self.index.attribute(*document, attribute::CHANGED), self.line_of(*document));
        let current = documents.iter().copied().max_by_key(|document| {
            let (changed, at) = order(document);
            (changed, at.map(|at| (at.chunk, at.line)))
        });
        for document in documents {
            if Some(document) == current {
                self.superseded.remove(&document);
            } else {
                self.superseded.insert(document);
            }
        }
    }

    /// The item of a document.
    ///
    /// # Errors
    /// `Conflict` if the storage has changed since; `IOError`.
    pub(super) fn item(&self, path: &Path, document: u32) -> Result<Stored<Item>> {
        let lost = || Error::internal("an indexed item is on no line; please report it").at(path);
        let (at, lines) = (self.line_of(document).ok_or_else(lost)?, self.lines.as_ref().ok_or_else(lost)?);
        let text = lines.text(at)?.ok_or_else(lost)?;
        read_record::<Item>(path, self.number_of(at), &text)
    }

    /// The current item with an id.
    ///
    /// # Errors
    /// As [`item`](Self::item).
    pub(super) fn find_item(&self, path: &Path, id: &str) -> Result<Option<Stored<Item>>> {
        self.find(id).map(|document| self.item(path, document)).transpose()
    }

    /// How many documents there are, superseded ones too.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// All current items, in their order.
    ///
    /// # Errors
    /// As [`item`](Self::item).
    pub(super) fn items(&self, path: &Path) -> Result<Vec<Stored<Item>>> {
        self.items_with(path, |_| true)
    }

    /// As [`items`](Self::items), of those for whose text, as it is stored, `has_text` is true.
    ///
    /// # Errors
    /// As [`item`](Self::item).
    pub(super) fn items_with(&self, path: &Path, has_text: impl Fn(&[u8]) -> bool) -> Result<Vec<Stored<Item>>> {
        let mut items = Vec::new();
        let Some(lines) = &self.lines else { return Ok(items) };
        for (chunk, (_, documents)) in self.chunks.iter().enumerate() {
            let is_wanted = |document: u32| document < DAMAGED && self.is_current(document);
            if !documents.iter().any(|document| is_wanted(*document)) {
                continue;
            }
            for (line, (document, text)) in documents.iter().zip(lines.texts(chunk)?).enumerate() {
                if let Some(text) = text.filter(|text| is_wanted(*document) && has_text(text)) {
                    items.push(read_record::<Item>(path, self.number_of(LineIndex { chunk, line }), &text)?);
                }
            }
        }
        Ok(items)
    }

    /// The line of a document.
    pub(super) fn line_of(&self, document: u32) -> Option<LineIndex> {
        let id = *self.chunk_of.get(document as usize)?;
        let chunk = self.chunks.iter().position(|(chunk, _)| *chunk == id)?;
        let line = self.chunks[chunk].1.iter().position(|number| *number == document)?;
        Some(LineIndex { chunk, line })
    }

    /// The number of a line in the file, from 1.
    fn number_of(&self, at: LineIndex) -> usize {
        self.chunks.iter().take(at.chunk).map(|(_, documents)| documents.len()).sum::<usize>() + at.line + 1
    }

    /// The current document with an id.
    pub(super) fn find(&self, id: &str) -> Option<u32> {
        self.index.with_id(xxh3_64(id.as_bytes())).into_iter().find(|document| !self.superseded.contains(document))
    }

    /// All documents with an id, including superseded ones.
    pub(super) fn find_all(&self, id: &str) -> Vec<u32> {
        self.index.with_id(xxh3_64(id.as_bytes()))
    }

    /// True if a document is the current one with its id.
    pub(super) fn is_current(&self, document: u32) -> bool {
        !self.superseded.contains(&document)
    }

    /// How many lines are not items.
    pub(super) fn damaged(&self) -> usize {
        self.chunks.iter().flat_map(|(_, documents)| documents).filter(|document| **document == DAMAGED).count()
    }

    /// How many lines have the id of another one that was changed later.
    pub(super) fn superseded(&self) -> usize {
        self.superseded.len()
    }

    /// How many items can be recalled at this time, in milliseconds since 1970.
    pub(super) fn recallable(&self, now: i64) -> u64 {
        let is_searchable = |document: &u32| self.index.is_searchable(*document);
        self.index.searchable().saturating_sub(self.unavailable(now).filter(is_searchable).count() as u64)
    }

    /// The current items that expired before this time, in milliseconds since 1970.
    pub(super) fn expired(&self, now: i64) -> impl Iterator<Item = u32> + '_ {
        let expired = self.expiring.range(..=(expiry(now), u32::MAX)).map(|(_, document)| *document);
        expired.filter(|document| self.is_current(*document))
    }

    /// The documents that are not recalled at this time although they are in the index: expired and superseded ones.
    pub(super) fn unavailable(&self, now: i64) -> impl Iterator<Item = u32> + '_ {
        self.expired(now).chain(self.superseded.iter().copied())
    }

    fn warn(&self, home: &Home, path: &Path) {
        if self.damaged() > 0 {
            let message = "damaged lines were skipped; doctor.check (loopmem doctor) lists them";
            Warning::new(message).at(path).counting(self.damaged()).emit(home.redactor());
        }
        if self.superseded() > 0 {
            let message = "an id occurs on several lines; the one that was changed last counts";
            Warning::new(message).at(path).counting(self.superseded()).emit(home.redactor());
        }
    }

    /// Makes a new segment of the index, and keeps it in a file for the next process.
    fn compact(&mut self, home: &Home, place: &Place) {
        let Some((bytes, numbers)) = self.index.compacted() else { return };
        // A home that cannot be written to has no index on disk.
        let is_written = home.disk().write_derived(&place.index_file(), &bytes).is_ok();
        let written = is_written.then(|| home.disk().open_derived(&place.index_file())).flatten();
        let Some(segment) = written.and_then(Segment::read).or_else(|| Segment::read(Box::new(bytes))) else { return };
        let renumbered = |document: u32| numbers.get(document as usize).copied().flatten();
        for document in self.chunks.iter_mut().flat_map(|(_, documents)| documents) {
            if *document < DAMAGED {
                *document = renumbered(*document).unwrap_or(DAMAGED);
            }
        }
        self.superseded = self.superseded.iter().filter_map(|document| renumbered(*document)).collect();
        self.expiring =
            self.expiring.iter().filter_map(|(expires, document)| Some((*expires, renumbered(*document)?))).collect();
        self.index = Index::of(segment);
        self.chunk_of = vec![0; self.index.numbers().len()];
        for (id, documents) in &self.chunks {
            documents.iter().filter(|it| **it < DAMAGED).for_each(|it| self.chunk_of[*it as usize] = *id);
        }
    }
}

/// A number that sorts like `millis`; never the maximum, which means never.
fn expiry(millis: i64) -> u64 {
    sortable(millis).min(u64::MAX - 1)
}

/// The document of an item, given its content without secrets.
fn document<'i>(item: &'i Item, content: &'i str, key: u64) -> Document<'i> {
    let mut first = [[0; 8]; 2];
    first.as_flattened_mut().iter_mut().zip(item.id.bytes()).for_each(|(byte, of_id)| *byte = of_id);
    let mut attributes = [0; ATTRIBUTES];
    let expires = item.expires_at().filter(|_| item.status == Status::Active);
    attributes[attribute::EXPIRES] = expires.map_or(u64::MAX, expiry);
    attributes[attribute::CHANGED] = sortable(item.changed_at());
    attributes[attribute::ID] = u64::from_be_bytes(first[0]);
    attributes[attribute::ID_REST] = u64::from_be_bytes(first[1]);
    let content = item.is_recallable().then(|| Content {
        text: content,
        tags: &item.tags,
        files: &item.relevance_hints.files,
        crates: &item.relevance_hints.crates,
        langs: &item.relevance_hints.langs,
        session: item.session.as_deref().map(|session| (session, item.seq.unwrap_or_else(|| item.created_at()))),
        embedding: item.embedding.as_deref(),
        time: Some(item.created_at()),
        mark: item.is_standing().then(|| if item.relevance_hints.is_empty() { STANDING } else { BOUND }),
    });
    Document { key, id: xxh3_64(item.id.as_bytes()), attributes, content }
}

/// True if a record that parses is an item: it has an id, and no key twice, of which a change would lose one.
pub(super) fn is_whole(item: &Stored<Item>) -> bool {
    !item.id.is_empty() && SealedObject::of(item).is_ok()
}

/// The item on the line of this number; `None` if it is not one.
///
/// # Errors
/// `FormatTooNew`.
fn read_line(path: &Path, number: usize, line: &[u8]) -> Result<Option<Stored<Item>>> {
    match read_record::<Item>(path, number, line) {
        Ok(item) if is_whole(&item) => Ok(Some(item)),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::FormatTooNew => Err(error),
        Err(_) => Ok(None),
    }
}
