//! A JSON document of records, replaced as a whole, one record a line.
//!
//! ```json
//! {
//! "schemaVersion": 1,
//! "conventions": [
//! {"id":"…","title":"…"}
//! ],
//! "notes": []
//! }
//! ```
//!
//! A file is validated once; after that an update copies the other records as the bytes they were, in their order,
//! with fields and members that this version does not know.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::cache::Parsed;
use super::commit::Contents;
use super::stored::{MAX_CACHED_BYTES, Reader, Recorded, Row};
use super::text::{describe, is_object, refuse_newer, too_long};
use crate::disk::Disk;
use crate::disk::locks::lock::{Guard, Mode};
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::safety::{BorrowedFields, Fields};

/// The size that a document may have, in bytes.
pub const MAX_DOCUMENT_BYTES: u64 = 256 << 20;

/// What a document's records are.
pub trait DocumentSchema: Send + Sync + 'static {
    /// Any of the document's records.
    type Record: Recorded + Send + Sync + 'static;
    /// The newest `schemaVersion` this code reads; it writes this one.
    const VERSION: u64;
    /// The members that hold records, in the order in which a new document has them.
    const SECTIONS: &'static [&'static str];

    /// What reads one record of the section with this place in [`SECTIONS`](Self::SECTIONS).
    fn reader(section: usize) -> Reader<Self::Record>;

    /// The record's id.
    fn id(record: &Self::Record) -> &str;
}

/// A parsed document.
#[derive(Debug)]
pub struct Document<S: DocumentSchema> {
    sections: Vec<Vec<Row<S::Record>>>,
    /// Members that this version does not know.
    pub(in crate::disk) other: Fields,
    state: DocumentState,
}

/// How a document differs from its file, and how that is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentState {
    /// Not at all; somebody else may have laid it out.
    Parsed,
    /// Not at all; the file is what [`Document::to_bytes`] makes of it.
    Written,
    /// In the record that stands here, and nothing else.
    RecordChanged(RecordIndex),
    /// In more.
    Changed,
}

/// Where a record stands in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordIndex {
    /// The place of its section in [`DocumentSchema::SECTIONS`].
    pub section: usize,
    /// Its place in the section.
    pub index: usize,
}

/// One change of a document, with indexes in the document on which it was decided.
#[derive(Debug)]
pub enum Edit<R> {
    /// Puts a record in the place of the one that stands here; both have the same id.
    Change(RecordIndex, Row<R>),
    /// Puts a record behind the others of the section with this place in [`DocumentSchema::SECTIONS`]. Its id must be nowhere yet.
    Add(usize, Row<R>),
    /// Takes the record out that stands here.
    Remove(RecordIndex),
}

/// A record and where it stands.
pub type Found<'d, S> = (RecordIndex, &'d Row<<S as DocumentSchema>::Record>);

impl<S: DocumentSchema> Default for Document<S> {
    fn default() -> Self {
        Document {
            sections: S::SECTIONS.iter().map(|_| Vec::new()).collect(),
            other: Fields::default(),
            state: DocumentState::Parsed,
        }
    }
}

impl<S: DocumentSchema> Document<S> {
    /// The records of the section with this place in [`DocumentSchema::SECTIONS`], oldest first.
    pub fn section(&self, section: usize) -> &[Row<S::Record>] {
        self.sections.get(section).map_or(&[], Vec::as_slice)
    }

    /// The record with this id, and where it stands.
    ///
    /// # Errors
    /// As [`Row::record`].
    pub fn find(&self, id: &str) -> Result<Option<Found<'_, S>>> {
        for (section, records) in self.sections.iter().enumerate() {
            for (index, stored) in records.iter().enumerate() {
                if S::id(&*stored.record()?) == id {
                    return Ok(Some((RecordIndex { section, index }, stored)));
                }
            }
        }
        Ok(None)
    }

    /// `text`, which is `before` as it was written, with the one record changed that stands at `at`. Thousands of others
    /// need not be put together for that. `None` when it is not that text.
    fn spliced(&self, mut text: Vec<u8>, before: &Self, at: RecordIndex) -> Option<Vec<u8>> {
        let json = |document: &Self| Some(document.section(at.section).get(at.index)?.clone());
        let (old, new) = (json(before)?, json(self)?);
        let start = before.offset(at);
        let place = start..start + old.json().get().len();
        if text.get(place.clone())? != old.json().get().as_bytes() {
            return None;
        }
        let new = new.json().get().as_bytes();
        if place.len() == new.len() {
            text[place].copy_from_slice(new);
        } else {
            text.splice(place, new.iter().copied());
        }
        Some(text)
    }

    /// Where in [`to_bytes`](Self::to_bytes) the record begins that stands at `at`.
    fn offset(&self, at: RecordIndex) -> usize {
        let mut offset = Self::beginning().len();
        for (section, (name, records)) in S::SECTIONS.iter().zip(&self.sections).enumerate().take(at.section + 1) {
            let is_its = section == at.section;
            let before = if is_its { at.index.min(records.len()) } else { records.len() };
            let length = |(index, stored): (usize, &Row<S::Record>)| separator(index).len() + stored.json().get().len();
            offset += opening(name).len() + records[..before].iter().enumerate().map(length).sum::<usize>();
            offset += if is_its { separator(at.index).len() } else { closing(records.len()).len() };
        }
        offset
    }

    fn beginning() -> String {
        format!("{{\n\"schemaVersion\": {}", S::VERSION)
    }

    /// The section and the place in it of the first record whose id stands before it.
    fn first_twice(&self) -> Result<Option<(&'static str, usize)>> {
        let mut seen: HashSet<Cow<'_, str>> = HashSet::new();
        for (name, records) in S::SECTIONS.iter().zip(&self.sections) {
            for (index, stored) in records.iter().enumerate() {
                let id = match stored.record()? {
                    Cow::Borrowed(record) => Cow::Borrowed(S::id(record)),
                    Cow::Owned(record) => Cow::Owned(S::id(&record).to_owned()),
                };
                if !seen.insert(id) {
                    return Ok(Some((*name, index)));
                }
            }
        }
        Ok(None)
    }

    /// The document, though an id may stand in it twice.
    pub(in crate::disk) fn records(path: &Path, bytes: &[u8]) -> Result<Self> {
        let damaged = |cause: serde_json::Error| {
            Error::parse(path, format!("{} (line {}, column {})", describe(&cause), cause.line(), cause.column()))
        };
        let mut members: BorrowedFields<'_> = serde_json::from_slice(bytes).map_err(damaged)?;
        match members.remove("schemaVersion") {
            Some(version) => refuse_newer(path, "schemaVersion", version.get(), S::VERSION)?,
            // A file written by hand may have none. But an object with nothing of a document in it is not an empty one.
            None if !S::SECTIONS.iter().any(|name| members.has(name)) => {
                return Err(Error::parse(path, "a field is missing: `schemaVersion`"));
            }
            None => {}
        }
        let is_kept = bytes.len() <= MAX_CACHED_BYTES;
        let mut document = Document::default();
        for (place, name) in S::SECTIONS.iter().enumerate() {
            let Some(member) = members.remove(name) else { continue };
            let records: Vec<&RawValue> = serde_json::from_str(member.get())
                .map_err(|cause| Error::parse(path, format!("{name}: {}", describe(&cause))))?;
            document.sections[place].reserve_exact(records.len());
            for (index, json) in records.into_iter().enumerate() {
                if !is_object(json) {
                    return Err(Error::parse(path, format!("{name}[{index}] is not an object")));
                }
                let stored = Row::read(json, is_kept, S::reader(place))
                    .map_err(|cause| Error::parse(path, format!("{name}[{index}]: {}", describe(&cause))))?;
                document.sections[place].push(stored);
            }
        }
        document.other = members.to_owned();
        Ok(document)
    }

    pub(in crate::disk) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let length: usize = self.sections.iter().flatten().map(|stored| stored.json().get().len() + 2).sum();
        let mut out = Vec::with_capacity(length + 256);
        out.extend_from_slice(Self::beginning().as_bytes());
        for (name, records) in S::SECTIONS.iter().zip(&self.sections) {
            out.extend_from_slice(opening(name).as_bytes());
            for (index, stored) in records.iter().enumerate() {
                out.extend_from_slice(separator(index));
                out.extend_from_slice(stored.json().get().as_bytes());
            }
            out.extend_from_slice(closing(records.len()));
        }
        for (key, value) in self.other.iter() {
            out.extend_from_slice(b",\n");
            serde_json::to_writer(&mut out, key)?;
            // Writing to a Vec cannot fail.
            let _ = write!(out, ": {}", value.get());
        }
        out.extend_from_slice(b"\n}\n");
        Ok(out)
    }
}

/// What stands before the records of a section.
fn opening(name: &str) -> String {
    format!(",\n\"{name}\": [")
}

/// What stands before the record with this place in its section.
fn separator(index: usize) -> &'static [u8] {
    if index == 0 { b"\n" } else { b",\n" }
}

/// What stands behind so many records of a section.
fn closing(records: usize) -> &'static [u8] {
    if records == 0 { b"]" } else { b"\n]" }
}

impl<S: DocumentSchema> Parsed for Document<S> {
    const MAX_BYTES: u64 = MAX_DOCUMENT_BYTES;

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let document = Document::records(path, bytes)?;
        match document.first_twice()? {
            None => Ok(document),
            Some((name, index)) => {
                Err(Error::parse(path, format!("{name}[{index}] has the id of a record that stands before it")))
            }
        }
    }
}

impl<S: DocumentSchema> Contents for Document<S> {
    type Edit = Edit<S::Record>;

    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>> {
        disk.settled(guard, path)
    }

    fn is_empty(&self) -> bool {
        self.sections.iter().all(Vec::is_empty) && self.other.iter().next().is_none()
    }

    fn draft(&self) -> Self {
        Document { sections: self.sections.clone(), other: self.other.clone(), state: self.state }
    }

    fn apply(&mut self, edit: Edit<S::Record>) {
        self.state = match (self.state, &edit) {
            (DocumentState::Written, Edit::Change(at, _)) => DocumentState::RecordChanged(*at),
            _ => DocumentState::Changed,
        };
        match edit {
            Edit::Change(RecordIndex { section, index }, stored) => {
                if let Some(old) = self.sections.get_mut(section).and_then(|records| records.get_mut(index)) {
                    *old = stored;
                }
            }
            Edit::Add(section, stored) => {
                if let Some(records) = self.sections.get_mut(section) {
                    records.push(stored);
                }
            }
            Edit::Remove(RecordIndex { section, index }) => {
                if let Some(records) = self.sections.get_mut(section).filter(|records| index < records.len()) {
                    records.remove(index);
                }
            }
        }
    }

    fn write(self, before: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        let spliced = match self.state {
            DocumentState::RecordChanged(at) => {
                disk.cache.take_text(path, before).and_then(|text| self.spliced(text, before, at))
            }
            _ => None,
        };
        let bytes = match spliced {
            Some(bytes) => bytes,
            None => self
                .to_bytes()
                .map_err(|cause| Error::validation("the document cannot be written as JSON").because(cause).at(path))?,
        };
        if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
            return Err(too_long(path, bytes.len(), MAX_DOCUMENT_BYTES));
        }
        let handle = disk.replace(guard, path, &bytes)?;
        let written = Arc::new(Document { state: DocumentState::Written, ..self });
        disk.cache.keep_written(&*disk.fs, path, handle, bytes, &written);
        Ok(())
    }
}

/// A document at its path.
#[derive(Debug)]
pub struct DocumentFile<'d, S> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    pub(in crate::disk) default_timeout: Duration,
    schema: std::marker::PhantomData<S>,
}

impl<'d, S: DocumentSchema> DocumentFile<'d, S> {
    /// The document at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        DocumentFile { disk, path, default_timeout, schema: std::marker::PhantomData }
    }

    /// The document as it stands, empty when there is no file. Warm, this is a lock and a `stat`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read(&self, wait: &WaitOptions) -> Result<Arc<Document<S>>> {
        let guard = self.disk.locks.acquire(&self.path, Mode::Shared, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        self.disk.load(&self.path, Some(guard))
    }

    /// The document as it stands, without its lock: a replaced file is read consistently. For early refusals, which leave
    /// a call's turn to the write that follows, and an empty home empty. `None` when a call of this process that was
    /// submitted before may still change it: then only the lock's holder can tell.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub fn peek(&self, wait: &WaitOptions) -> Result<Option<Arc<Document<S>>>> {
        if self.disk.locks.is_awaited(&self.path, wait) {
            return Ok(None);
        }
        self.disk.check_folders_of(&self.path)?;
        self.disk.load(&self.path, None).map(Some)
    }

    /// Makes the edits that `change` decides on under the exclusive lock, perhaps on another thread, and returns the
    /// answer that comes with them; when `Ok` returns, they are durable. Without edits nothing is written.
    ///
    /// # Errors
    /// What `change` returns, then nothing of it is written; or as [`read`](Self::read), and `RenameError`.
    pub fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&Document<S>) -> Result<(Vec<Edit<S::Record>>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, change)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::stored::Stored;
    use super::*;

    struct Garden;

    impl DocumentSchema for Garden {
        type Record = Stored<Value>;
        const VERSION: u64 = 12;
        const SECTIONS: &'static [&'static str] = &["trees", "herbs", "weeds"];

        fn reader(_: usize) -> Reader<Stored<Value>> {
            Stored::read
        }

        fn id(record: &Stored<Value>) -> &str {
            record["id"].as_str().unwrap()
        }
    }

    fn plant(text: &str) -> Row<Stored<Value>> {
        let json = serde_json::json!({ "id": text }).to_string();
        Row::read(&RawValue::from_string(json).unwrap(), true, Garden::reader(0)).unwrap()
    }

    proptest! {
        #[test]
        fn a_changed_record_in_the_old_text_makes_the_new_text(
            sections in prop::array::uniform3(prop::collection::vec(".{0,12}", 0..5)),
            pick in any::<prop::sample::Index>(),
            new in ".{0,12}",
        ) {
            let mut before = Document::<Garden>::default();
            let indexes: Vec<RecordIndex> = sections
                .iter()
                .enumerate()
                .flat_map(|(section, plants)| (0..plants.len()).map(move |index| RecordIndex { section, index }))
                .collect();
            for (section, text) in sections.iter().enumerate().flat_map(|(at, plants)| plants.iter().map(move |it| (at, it))) {
                before.apply(Edit::Add(section, plant(text)));
            }
            before.other.set("later", RawValue::from_string("[1e400]".to_owned()).unwrap());
            prop_assume!(!indexes.is_empty());
            let at = *pick.get(&indexes);
            let mut after = before.draft();
            after.apply(Edit::Change(at, plant(&new)));
            let spliced = after.spliced(before.to_bytes().unwrap(), &before, at).unwrap();
            prop_assert_eq!(spliced, after.to_bytes().unwrap());
            // A text that somebody else laid out is not taken for it.
            let other = before.to_bytes().unwrap()[1..].to_vec();
            prop_assert!(after.spliced(other, &before, at).is_none());
        }
    }
}
