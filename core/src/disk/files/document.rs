//! A JSON document of records, one per line, replaced as a whole.
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
//! A file is validated once. From then on an update copies the bytes of the other records unchanged and in order, including
//! fields and members unknown to this version.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::cache::Parsed;
use super::commit::{Contents, DataFile};
use super::stored::{MAX_CACHED_BYTES, Reader, Recorded, Row};
use super::text::{damaged_at, describe, is_object, push_members, refuse_newer, too_long};
use crate::disk::Disk;
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};
use crate::safety::{BorrowedFields, Fields};

/// The schema of a document: its sections, records and version.
pub trait DocumentSchema: Send + Sync + 'static {
    /// The type of the document's records, in all sections.
    type Record: Recorded + Send + Sync + 'static;
    /// The newest `schemaVersion` that this code reads, and the one that it writes.
    const VERSION: u64;
    /// The maximum size of such a document in bytes.
    const MAX_BYTES: u64 = 256 << 20;
    /// The members that contain records, in the order of a new document.
    const SECTIONS: &'static [&'static str];

    /// The function that reads a record of the section with this index in [`SECTIONS`](Self::SECTIONS).
    fn reader(section: usize) -> Reader<Self::Record>;

    /// The record's id.
    fn id(record: &Self::Record) -> &str;
}

/// A parsed document.
#[derive(Debug)]
pub struct Document<S: DocumentSchema> {
    sections: Vec<Vec<Row<S::Record>>>,
    /// The length of the lines of all records.
    record_bytes: usize,
    /// Members unknown to this version.
    pub(in crate::disk) other: Fields,
    state: DocumentState,
}

/// How a document differs from its file, and whether the layout of the file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentState {
    /// It does not differ, but the file's layout may be another program's.
    Parsed,
    /// It does not differ, and the file is exactly the output of [`Document::to_bytes`].
    Written,
    /// Only the record at this index differs.
    RecordChanged(RecordIndex),
    /// More than one record differs.
    Changed,
}

/// The position of a record in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordIndex {
    /// The index of its section in [`DocumentSchema::SECTIONS`].
    pub section: usize,
    /// Its index in the section.
    pub index: usize,
}

/// One change of a document. Indexes are those of the document against which it was decided.
#[derive(Debug)]
pub enum Edit<R> {
    /// Replaces the record at this index by one with the same id.
    Change(RecordIndex, Row<R>),
    /// Appends a record to the section with this index in [`DocumentSchema::SECTIONS`]. Its id must not be in the document yet.
    Add(usize, Row<R>),
    /// Removes the record at this index.
    Remove(RecordIndex),
}

/// A record and its index.
pub type Found<'d, S> = (RecordIndex, &'d Row<<S as DocumentSchema>::Record>);

impl<S: DocumentSchema> Default for Document<S> {
    fn default() -> Self {
        Document {
            sections: S::SECTIONS.iter().map(|_| Vec::new()).collect(),
            record_bytes: 0,
            other: Fields::default(),
            state: DocumentState::Parsed,
        }
    }
}

impl<S: DocumentSchema> Document<S> {
    /// The records of the section with this index in [`DocumentSchema::SECTIONS`], oldest first.
    pub fn section(&self, section: usize) -> &[Row<S::Record>] {
        self.sections.get(section).map_or(&[], Vec::as_slice)
    }

    /// A document with these records, each in the section with its index. Their ids must differ.
    pub(crate) fn of(records: impl IntoIterator<Item = (usize, Row<S::Record>)>) -> Self {
        let mut document = Document::default();
        records.into_iter().for_each(|(section, row)| document.apply(Edit::Add(section, row)));
        document
    }

    /// The record with this id, and its index.
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

    /// Replaces the record at `at` in `text`, which is `before` as it was written, without serializing the other records.
    /// `None` if it is not that text.
    fn spliced(&self, mut text: Vec<u8>, before: &Self, at: RecordIndex) -> Option<Vec<u8>> {
        let json = |document: &Self| Some(document.section(at.section).get(at.index)?.clone());
        let (old, new) = (json(before)?, json(self)?);
        let start = before.offset(at);
        let range = start..start + old.json().get().len();
        if text.get(range.clone())? != old.json().get().as_bytes() {
            return None;
        }
        let new = new.json().get().as_bytes();
        if range.len() == new.len() {
            text[range].copy_from_slice(new);
        } else {
            text.splice(range, new.iter().copied());
        }
        Some(text)
    }

    /// The offset of the record at `at` in the output of [`to_bytes`](Self::to_bytes).
    fn offset(&self, at: RecordIndex) -> usize {
        let mut offset = Self::beginning().len();
        for (section, (name, records)) in S::SECTIONS.iter().zip(&self.sections).enumerate().take(at.section + 1) {
            let contains_it = section == at.section;
            let before = if contains_it { at.index.min(records.len()) } else { records.len() };
            let length = |(index, stored): (usize, &Row<S::Record>)| separator(index).len() + stored.json().get().len();
            offset += opening(name).len() + records[..before].iter().enumerate().map(length).sum::<usize>();
            offset += if contains_it { separator(at.index).len() } else { closing(records.len()).len() };
        }
        offset
    }

    fn beginning() -> String {
        format!("{{\n\"schemaVersion\": {}", S::VERSION)
    }

    /// The section and index of the first record whose id is already used by an earlier one.
    fn first_duplicate(&self) -> Result<Option<(&'static str, usize)>> {
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

    /// Parses the document without checking that ids are unique.
    pub(in crate::disk) fn records(path: &Path, bytes: &[u8]) -> Result<Self> {
        let mut members: BorrowedFields<'_> =
            serde_json::from_slice(bytes).map_err(|cause| damaged_at(path, bytes, &cause))?;
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
        for (section, name) in S::SECTIONS.iter().enumerate() {
            let Some(member) = members.remove(name) else { continue };
            let records: Vec<&RawValue> = serde_json::from_str(member.get())
                .map_err(|cause| Error::parse(path, format!("{name}: {}", describe(&cause))))?;
            document.sections[section].reserve_exact(records.len());
            for (index, json) in records.into_iter().enumerate() {
                if !is_object(json) {
                    return Err(Error::parse(path, format!("{name}[{index}] is not an object")));
                }
                let stored = Row::read(json, is_kept, S::reader(section))
                    .map_err(|cause| Error::parse(path, format!("{name}[{index}]: {}", describe(&cause))))?;
                document.record_bytes += line_bytes(&stored);
                document.sections[section].push(stored);
            }
        }
        document.other = members.to_owned();
        Ok(document)
    }

    /// The length of the output of [`to_bytes`](Self::to_bytes).
    fn length(&self) -> usize {
        let sections: usize = S::SECTIONS.iter().map(|name| opening(name).len() + closing(0).len()).sum();
        let mut others = Vec::new();
        push_members(&mut others, &self.other);
        Self::beginning().len() + sections + self.record_bytes + others.len() + END.len()
    }

    /// How many bytes an edit adds, and how many it removes.
    fn change_of(&self, edit: &Edit<S::Record>) -> (usize, usize) {
        let removed = |at: &RecordIndex| self.section(at.section).get(at.index).map_or(0, line_bytes);
        match edit {
            Edit::Change(at, stored) => (line_bytes(stored), removed(at)),
            Edit::Add(_, stored) => (line_bytes(stored), 0),
            Edit::Remove(at) => (0, removed(at)),
        }
    }

    pub(in crate::disk) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.length());
        out.extend_from_slice(Self::beginning().as_bytes());
        for (name, records) in S::SECTIONS.iter().zip(&self.sections) {
            out.extend_from_slice(opening(name).as_bytes());
            for (index, stored) in records.iter().enumerate() {
                out.extend_from_slice(separator(index));
                out.extend_from_slice(stored.json().get().as_bytes());
            }
            out.extend_from_slice(closing(records.len()));
        }
        push_members(&mut out, &self.other);
        out.extend_from_slice(END);
        out
    }
}

/// The text after all members.
const END: &[u8] = b"\n}\n";

/// The text before the records of a section.
fn opening(name: &str) -> String {
    format!(",\n\"{name}\": [")
}

/// The text before the record with this index in its section.
fn separator(index: usize) -> &'static [u8] {
    if index == 0 { b"\n" } else { b",\n" }
}

/// The text after a section of `records` records.
fn closing(records: usize) -> &'static [u8] {
    if records == 0 { b"]" } else { b"\n]" }
}

/// By how much a record makes its document longer: with the separator before it, or the line ends around a first record.
fn line_bytes<R: Recorded>(stored: &Row<R>) -> usize {
    stored.json().get().len() + 2
}

impl<S: DocumentSchema> Parsed for Document<S> {
    const MAX_BYTES: u64 = S::MAX_BYTES;

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let document = Document::records(path, bytes)?;
        match document.first_duplicate()? {
            None => Ok(document),
            Some((name, index)) => {
                Err(Error::parse(path, format!("{name}[{index}] has the same id as an earlier record")))
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
        let (sections, other) = (self.sections.clone(), self.other.clone());
        Document { sections, record_bytes: self.record_bytes, other, state: self.state }
    }

    fn check(&self, path: &Path, edits: &[Edit<S::Record>]) -> Result<()> {
        let (added, removed) = edits
            .iter()
            .map(|edit| self.change_of(edit))
            .fold((0, 0), |sum, change| (sum.0 + change.0, sum.1 + change.1));
        let length = (self.length() + added).saturating_sub(removed);
        if length as u64 > S::MAX_BYTES { Err(too_long(path, length, S::MAX_BYTES)) } else { Ok(()) }
    }

    fn apply(&mut self, edit: Edit<S::Record>) {
        let (added, removed) = self.change_of(&edit);
        self.record_bytes = (self.record_bytes + added).saturating_sub(removed);
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

    fn apply_all(&mut self, mut edits: Vec<Edit<S::Record>>) {
        // A removal moves the records after it: it comes after all other edits, and the last one of a section first.
        edits.sort_by_key(|edit| match edit {
            Edit::Remove(at) => Some((at.section, Reverse(at.index))),
            Edit::Change(..) | Edit::Add(..) => None,
        });
        edits.into_iter().for_each(|edit| self.apply(edit));
    }

    fn write(self, before: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        let spliced = match self.state {
            DocumentState::RecordChanged(at) => {
                disk.cache.take_text(path, before).and_then(|text| self.spliced(text, before, at))
            }
            _ => None,
        };
        let bytes = spliced.unwrap_or_else(|| self.to_bytes());
        let handle = disk.replace(guard, path, &bytes)?;
        let written = Arc::new(Document { state: DocumentState::Written, ..self });
        disk.cache.keep_written(&*disk.fs, path, handle, bytes, &written);
        Ok(())
    }
}

/// A document file.
pub type DocumentFile<'d, S> = DataFile<'d, Document<S>>;

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
        const MAX_BYTES: u64 = 1_000;
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
            let spliced = after.spliced(before.to_bytes(), &before, at).unwrap();
            prop_assert_eq!(&spliced, &after.to_bytes());
            prop_assert_eq!([&before, &after].map(Document::length), [before.to_bytes().len(), spliced.len()]);
            // A text with another layout is not mistaken for it.
            let other = before.to_bytes()[1..].to_vec();
            prop_assert!(after.spliced(other, &before, at).is_none());
            after.apply(Edit::Remove(at));
            prop_assert_eq!(after.length(), after.to_bytes().len());
        }
    }

    #[test]
    fn the_indexes_of_edits_that_were_decided_together_are_those_before_all_of_them() {
        let mut document = Document::<Garden>::default();
        document.apply_all(["ash", "elm", "oak", "yew"].map(|name| Edit::Add(0, plant(name))).into());
        let at = |index| RecordIndex { section: 0, index };
        document.apply_all(vec![
            Edit::Remove(at(0)),
            Edit::Add(0, plant("fir")),
            Edit::Remove(at(2)),
            Edit::Change(at(3), plant("box")),
        ]);
        let left: Vec<_> = document.section(0).iter().map(|row| row.json().get().to_owned()).collect();
        assert_eq!(left, ["elm", "box", "fir"].map(|name| plant(name).json().get().to_owned()));
        assert_eq!(document.length(), document.to_bytes().len());
    }

    #[test]
    fn a_document_may_become_exactly_as_long_as_is_read_again() {
        let mut document = Document::<Garden>::default();
        document.apply(Edit::Add(0, plant("oak")));
        let path = Path::new("garden.json");
        let limit = usize::try_from(Garden::MAX_BYTES).unwrap();
        let left = limit - document.length() - line_bytes(&plant(""));
        let [fits, is_too_long] = [left, left + 1].map(|length| Edit::Add(1, plant(&"x".repeat(length))));
        let refused = document.check(path, &[is_too_long]).unwrap_err();
        let message = "garden.json would grow to 1001 bytes; the limit is 1000; remove what is no longer needed";
        assert_eq!(refused.message(), message);
        document.check(path, std::slice::from_ref(&fits)).unwrap();
        document.apply(fits);
        assert_eq!(document.to_bytes().len(), limit);
        document.check(path, &[Edit::Change(RecordIndex { section: 0, index: 0 }, plant("elm"))]).unwrap();
        document
            .check(path, &[Edit::Remove(RecordIndex { section: 0, index: 0 }), Edit::Add(0, plant("ash"))])
            .unwrap();
    }
}
