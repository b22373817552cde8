//! An immutable part of an index, in a [file](crate::segments). Its vectors may be many times as long as the rest, so they are
//! checked when they are first needed.

use super::delta::Entry;
use super::vectors::{Rows, Vectors};
use crate::segments::{Bytes, Lists, ListsWriter, Magic, Sections};

/// Changed whenever the bytes, or the terms of a text, change.
const MAGIC: &Magic = b"loopmem recall 9";

/// The sections of the file.
#[derive(Debug, Clone, Copy)]
enum Section {
    /// The postings of the terms.
    Lists,
    /// The entries of the documents.
    Entries,
    /// The documents by id, u32.
    ById,
    /// The documents with a session, by session, position and key, u32.
    BySession,
    /// The rows of the vectors, one dimension after the other.
    Vectors,
}

const SECTIONS: usize = Section::Vectors as usize + 1;

/// An immutable part of an index.
#[derive(Debug)]
pub struct Segment {
    file: Sections<SECTIONS>,
}

impl Segment {
    /// The segment in these bytes; `None` if they are damaged or of another version.
    pub fn read(bytes: Bytes) -> Option<Self> {
        let file = Sections::open(bytes, MAGIC)?;
        for section in [Section::Lists, Section::Entries, Section::ById, Section::BySession] {
            file.get(section as usize)?;
        }
        Some(Segment { file })
    }

    fn section(&self, section: Section) -> &[u8] {
        self.file.get(section as usize).unwrap_or_default()
    }

    /// The entries of the documents, which are numbered from 0.
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.section(Section::Entries).as_chunks::<{ Entry::BYTES }>().0.iter().map(Entry::read).collect()
    }

    /// The documents with a session, by session and position.
    pub(super) fn by_session(&self) -> Vec<u32> {
        numbers(self.section(Section::BySession)).iter().map(|it| u32::from_le_bytes(*it)).collect()
    }

    /// The documents with an id, given the entries of all.
    pub(super) fn with_id<'s>(&'s self, entries: &'s [Entry], id: u64) -> impl Iterator<Item = u32> + 's {
        let order = numbers(self.section(Section::ById));
        let id_of = |number: &[u8; 4]| entries.get(u32::from_le_bytes(*number) as usize).map_or(0, |entry| entry.id);
        let start = order.partition_point(|number| id_of(number) < id);
        let same = order.get(start..).unwrap_or_default().iter().take_while(move |number| id_of(number) == id);
        same.map(|number| u32::from_le_bytes(*number))
    }

    /// The ids that several documents have, given the entries of all.
    pub(super) fn repeated_ids(&self, entries: &[Entry]) -> Vec<u64> {
        let order = numbers(self.section(Section::ById)).iter();
        let ids: Vec<u64> = order.filter_map(|it| Some(entries.get(u32::from_le_bytes(*it) as usize)?.id)).collect();
        ids.chunk_by(u64::eq).filter(|same| same.len() > 1).map(|same| same[0]).collect()
    }

    /// The postings of the terms, in the order of the documents.
    pub(super) fn lists(&self) -> Option<Lists<'_, 8>> {
        Lists::read(self.section(Section::Lists))
    }

    /// The vectors by their dimension; `None` if they are damaged.
    pub(super) fn vectors(&self) -> Option<impl Iterator<Item = Rows<'_>>> {
        self.file.get(Section::Vectors as usize).map(Rows::all)
    }
}

/// Numbers of 32 bits.
fn numbers(section: &[u8]) -> &[[u8; 4]] {
    section.as_chunks().0
}

/// The bytes of a segment; `None` if there are too many documents or vectors.
pub(super) fn written(entries: &[Entry], lists: ListsWriter<8>, vectors: &Vectors) -> Option<Vec<u8>> {
    let entry = |number: &u32| &entries[*number as usize];
    let mut by_id: Vec<u32> = (0..u32::try_from(entries.len()).ok()?).collect();
    let mut by_session: Vec<u32> = by_id.iter().copied().filter(|number| entry(number).session != 0).collect();
    by_id.sort_unstable_by_key(|number| (entry(number).id, *number));
    by_session.sort_unstable_by_key(|number| (entry(number).session, entry(number).seq, entry(number).key));
    let numbers = |numbers: Vec<u32>| numbers.into_iter().flat_map(u32::to_le_bytes).collect();
    let mut of_entries = Vec::with_capacity(entries.len() * Entry::BYTES);
    entries.iter().for_each(|entry| entry.write(&mut of_entries));
    let sections = [lists.finish(), of_entries, numbers(by_id), numbers(by_session), vectors.written()?];
    Some(Sections::written(MAGIC, &sections))
}
