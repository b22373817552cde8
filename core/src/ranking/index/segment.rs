//! An immutable part of an index, as bytes that are used as they are: mapped from a file, or in memory.
//!
//! ```text
//! magic, version, checksum of what follows up to the vectors, counts of documents, terms and postings, checksum of the
//! vectors, the end of each section, then the sections of `Section`
//! ```
//!
//! All numbers are little-endian. A segment is a cache: one with another version or a wrong checksum is not used. The
//! vectors may be many times as long as the rest; they are checked when they are first needed.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_64;

use super::delta::{Entry, Posting};
use super::document::ATTRIBUTES;
use super::vectors::{Rows, Vectors};

const MAGIC: &[u8; 8] = b"lm-index";
/// Changed whenever the bytes, or the terms of a text, change.
const VERSION: u32 = 5;
/// The length of magic, version and checksum.
const PREFIX_BYTES: usize = 8 + 4 + 8;
/// The words of a document that cannot be found by them.
const UNSEARCHABLE: u32 = u32::MAX;

/// Bytes that a segment is read from.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The sections in their order.
#[derive(Debug, Clone, Copy)]
enum Section {
    /// The terms, sorted, one after the other.
    Terms,
    /// The end of each term, u32.
    TermEnds,
    /// The end of the postings of each term, u32.
    PostingEnds,
    /// The document of each posting, u32.
    PostingDocuments,
    /// The count of each posting, u8.
    PostingCounts,
    /// The key of each document, u64.
    Keys,
    /// The id of each document, u64.
    Ids,
    /// The attributes of each document, u64.
    Attributes,
    /// The number of words of each document, u32.
    Words,
    /// The session of each document, u64.
    Sessions,
    /// The position of each document in its session, u64.
    Seqs,
    /// The documents by id, u32.
    ById,
    /// The documents with a session, by session, position and key, u32.
    BySession,
    /// Each dimension of vectors and the number of its rows, u32, with the rows in `Rows` one dimension after the other.
    Dimensions,
    /// The document of each row, u32.
    RowDocuments,
    /// The signs of each row.
    RowSigns,
    /// The numbers of each row, f32.
    RowValues,
}

const SECTIONS: usize = Section::RowValues as usize + 1;
/// Where the counts end, and the checksum of the vectors begins.
const COUNTS_END: usize = PREFIX_BYTES + 3 * 4;
/// Where the checksum of the vectors ends, and the ends of the sections begin.
const VECTOR_CHECKSUM_END: usize = COUNTS_END + 8;
const HEADER_BYTES: usize = VECTOR_CHECKSUM_END + SECTIONS * 8;

/// An immutable part of an index.
pub struct Segment {
    bytes: Bytes,
    documents: u32,
    terms: u32,
    sections: [Range<usize>; SECTIONS],
    /// The rows of each dimension, by their number; `None` if they are damaged.
    vectors: OnceLock<Option<Vec<Dimension>>>,
}

/// The rows of the vectors of one dimension.
#[derive(Debug, Clone)]
struct Dimension {
    dimension: usize,
    documents: Range<usize>,
    signs: Range<usize>,
    values: Range<usize>,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("documents", &self.documents)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}

impl Segment {
    /// The segment in these bytes; `None` if they are damaged or of another version.
    pub fn read(bytes: Bytes) -> Option<Self> {
        let all = (*bytes).as_ref();
        let header = all.get(..HEADER_BYTES)?;
        let is_ours = header.starts_with(MAGIC) && header[8..12] == VERSION.to_le_bytes();
        let mut sections: [Range<usize>; SECTIONS] = std::array::from_fn(|_| 0..0);
        let mut start = HEADER_BYTES;
        for (section, end) in sections.iter_mut().zip(header[VECTOR_CHECKSUM_END..].chunks_exact(8)) {
            let end = usize::try_from(u64::from_le_bytes(end.try_into().ok()?)).ok()?;
            if end < start || end > all.len() {
                return None;
            }
            *section = start..end;
            start = end;
        }
        let checked = &all[PREFIX_BYTES..sections[Section::Dimensions as usize].start];
        if !is_ours || start != all.len() || xxh3_64(checked).to_le_bytes() != header[12..PREFIX_BYTES] {
            return None;
        }
        let counts = &header[PREFIX_BYTES..COUNTS_END];
        let (documents, terms) = (u32_at(counts, 0), u32_at(counts, 1));
        let lengths = [(Section::Keys, documents, 8), (Section::Words, documents, 4), (Section::TermEnds, terms, 4)];
        if lengths.iter().any(|(of, count, bytes)| sections[*of as usize].len() != *count as usize * bytes) {
            return None;
        }
        Some(Segment { bytes, documents, terms, sections, vectors: OnceLock::new() })
    }

    fn section(&self, section: Section) -> &[u8] {
        (*self.bytes).as_ref().get(self.sections[section as usize].clone()).unwrap_or_default()
    }

    /// The number of documents, which are numbered from 0.
    pub(super) fn documents(&self) -> u32 {
        self.documents
    }

    /// What is kept of a document besides its terms.
    pub(super) fn entry(&self, document: u32) -> Entry {
        let at = document as usize;
        let attribute = |index: usize| u64_at(self.section(Section::Attributes), at * ATTRIBUTES + index);
        Entry {
            key: self.key(document),
            id: self.id(document),
            attributes: std::array::from_fn(attribute),
            words: self.words(document),
            session: self.session(document),
            seq: u64_at(self.section(Section::Seqs), at),
        }
    }

    /// The key of a document.
    pub(super) fn key(&self, document: u32) -> u64 {
        u64_at(self.section(Section::Keys), document as usize)
    }

    /// The id of a document.
    pub(super) fn id(&self, document: u32) -> u64 {
        u64_at(self.section(Section::Ids), document as usize)
    }

    /// What documents of a session are sorted by.
    pub(super) fn session_order(&self, document: u32) -> (u64, u64) {
        (u64_at(self.section(Section::Seqs), document as usize), self.key(document))
    }

    /// The number of words of a document; `None` if it cannot be found by them.
    pub(super) fn words(&self, document: u32) -> Option<u32> {
        Some(u32_at(self.section(Section::Words), document as usize)).filter(|words| *words != UNSEARCHABLE)
    }

    /// The attributes of a document.
    pub(super) fn attribute(&self, document: u32, index: usize) -> u64 {
        u64_at(self.section(Section::Attributes), document as usize * ATTRIBUTES + index)
    }

    /// The session of a document; 0 for none.
    pub(super) fn session(&self, document: u32) -> u64 {
        u64_at(self.section(Section::Sessions), document as usize)
    }

    /// The documents with a session, by session and position.
    pub(super) fn by_session(&self) -> Vec<u32> {
        self.section(Section::BySession).as_chunks().0.iter().map(|it| u32::from_le_bytes(*it)).collect()
    }

    /// The documents with an id.
    pub(super) fn with_id(&self, id: u64) -> impl Iterator<Item = u32> + '_ {
        let (order, ids) = (self.section(Section::ById), self.section(Section::Ids));
        let count = order.len() / 4;
        let id_at = move |at: usize| u64_at(ids, u32_at(order, at) as usize);
        let start = partition_point(count, |at| id_at(at) < id);
        (start..count).take_while(move |at| id_at(*at) == id).map(move |at| u32_at(order, at))
    }

    /// The ids that several documents have.
    pub(super) fn repeated_ids(&self) -> Vec<u64> {
        let (order, ids) = (self.section(Section::ById), self.section(Section::Ids));
        let id_at = |at: usize| u64_at(ids, u32_at(order, at) as usize);
        let mut repeated: Vec<u64> = (1..order.len() / 4).filter(|at| id_at(*at) == id_at(at - 1)).map(id_at).collect();
        repeated.dedup();
        repeated
    }

    /// The number of a term.
    pub(super) fn find(&self, term: &str) -> Option<u32> {
        let count = self.terms as usize;
        let at = partition_point(count, |at| self.term(at).cmp(term.as_bytes()) == Ordering::Less);
        (at < count && self.term(at) == term.as_bytes()).then(|| u32::try_from(at).unwrap_or(0))
    }

    /// The term with this number.
    pub(super) fn term(&self, number: usize) -> &[u8] {
        let ends = self.section(Section::TermEnds);
        self.section(Section::Terms).get(range(ends, number)).unwrap_or_default()
    }

    /// The number of terms.
    pub(super) fn terms(&self) -> usize {
        self.terms as usize
    }

    /// The vectors by their dimension; `None` if they are damaged.
    pub(super) fn vectors(&self) -> Option<impl Iterator<Item = Rows<'_>>> {
        let dimensions = self.vectors.get_or_init(|| self.check_vectors()).as_ref()?;
        Some(dimensions.iter().map(|it| Rows {
            dimension: it.dimension,
            documents: &self.section(Section::RowDocuments)[it.documents.clone()],
            signs: &self.section(Section::RowSigns)[it.signs.clone()],
            values: &self.section(Section::RowValues)[it.values.clone()],
        }))
    }

    fn check_vectors(&self) -> Option<Vec<Dimension>> {
        let all = (*self.bytes).as_ref();
        let start = self.sections[Section::Dimensions as usize].start;
        if xxh3_64(&all[start..]).to_le_bytes() != all[COUNTS_END..VECTOR_CHECKSUM_END] {
            return None;
        }
        let mut ends = [0; 3];
        let mut dimensions = Vec::new();
        for pair in self.section(Section::Dimensions).chunks_exact(8) {
            let (dimension, rows) = (u32_at(pair, 0) as usize, u32_at(pair, 1) as usize);
            if dimension == 0 {
                return None;
            }
            let starts = ends;
            for (end, bytes) in ends.iter_mut().zip([4, Rows::sign_bytes(dimension), dimension * 4]) {
                *end = rows.checked_mul(bytes).and_then(|length| length.checked_add(*end))?;
            }
            let [documents, signs, values] = std::array::from_fn(|at| starts[at]..ends[at]);
            dimensions.push(Dimension { dimension, documents, signs, values });
        }
        let lengths = [Section::RowDocuments, Section::RowSigns, Section::RowValues].map(|it| self.section(it).len());
        (lengths == ends).then_some(dimensions)
    }

    /// The postings of a term, in the order of the documents.
    pub(super) fn postings(&self, term: u32) -> impl Iterator<Item = Posting> + '_ {
        let range = range(self.section(Section::PostingEnds), term as usize);
        let documents = self.section(Section::PostingDocuments).get(range.start * 4..range.end * 4).unwrap_or_default();
        let counts = self.section(Section::PostingCounts).get(range).unwrap_or_default();
        let documents = documents.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it));
        documents.zip(counts).map(|(document, count)| Posting { document, count: *count })
    }
}

/// Writes a segment: first all entries, then all terms in order.
#[derive(Debug, Default)]
pub(super) struct Writer {
    sections: [Vec<u8>; SECTIONS],
    entries: Vec<Entry>,
    documents: u32,
    terms: u32,
    postings: u32,
    /// The highest end of a term and of postings.
    most: u32,
}

impl Writer {
    /// A writer of a segment of these documents, with at most so many bytes of terms and as many postings: `u32::MAX`, except
    /// in tests. `None` if there are too many documents.
    pub(super) fn new(entries: Vec<Entry>, most: u32) -> Option<Self> {
        let documents = u32::try_from(entries.len()).ok()?;
        let mut writer = Writer { entries, documents, most, ..Writer::default() };
        for entry in &writer.entries {
            let mut put = |section: Section, bytes: &[u8]| writer.sections[section as usize].extend_from_slice(bytes);
            put(Section::Keys, &entry.key.to_le_bytes());
            put(Section::Ids, &entry.id.to_le_bytes());
            entry.attributes.iter().for_each(|attribute| put(Section::Attributes, &attribute.to_le_bytes()));
            put(Section::Words, &entry.words.unwrap_or(UNSEARCHABLE).to_le_bytes());
            put(Section::Sessions, &entry.session.to_le_bytes());
            put(Section::Seqs, &entry.seq.to_le_bytes());
        }
        let entry = |number: &u32| &writer.entries[*number as usize];
        let mut by_id: Vec<u32> = (0..documents).collect();
        by_id.sort_unstable_by_key(|number| (entry(number).id, *number));
        let mut by_session: Vec<u32> = (0..documents).filter(|number| entry(number).session != 0).collect();
        by_session.sort_unstable_by_key(|number| (entry(number).session, entry(number).seq, entry(number).key));
        for (section, numbers) in [(Section::ById, by_id), (Section::BySession, by_session)] {
            let bytes = &mut writer.sections[section as usize];
            numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        }
        Some(writer)
    }

    /// Adds a term that sorts after all before; ignored if it has no postings. `None` if there is no room for it: the segment
    /// cannot be written.
    pub(super) fn add(&mut self, term: &[u8], postings: impl Iterator<Item = Posting>) -> Option<()> {
        let before = self.postings;
        for posting in postings {
            self.sections[Section::PostingDocuments as usize].extend_from_slice(&posting.document.to_le_bytes());
            self.sections[Section::PostingCounts as usize].push(posting.count);
            self.postings = self.postings.checked_add(1).filter(|postings| *postings <= self.most)?;
        }
        if self.postings == before {
            return Some(());
        }
        self.terms += 1;
        self.sections[Section::Terms as usize].extend_from_slice(term);
        let end = u32::try_from(self.sections[Section::Terms as usize].len()).ok().filter(|end| *end <= self.most)?;
        self.sections[Section::TermEnds as usize].extend_from_slice(&end.to_le_bytes());
        self.sections[Section::PostingEnds as usize].extend_from_slice(&self.postings.to_le_bytes());
        Some(())
    }

    /// Adds the vectors; `None` if there are too many.
    pub(super) fn add_vectors(&mut self, vectors: &Vectors) -> Option<()> {
        for rows in vectors.all() {
            for count in [rows.dimension, rows.len()] {
                let count = u32::try_from(count).ok()?;
                self.sections[Section::Dimensions as usize].extend_from_slice(&count.to_le_bytes());
            }
            self.sections[Section::RowDocuments as usize].extend_from_slice(rows.documents);
            self.sections[Section::RowSigns as usize].extend_from_slice(rows.signs);
            self.sections[Section::RowValues as usize].extend_from_slice(rows.values);
        }
        Some(())
    }

    /// The bytes of the segment.
    pub(super) fn finish(self) -> Vec<u8> {
        let length = HEADER_BYTES + self.sections.iter().map(Vec::len).sum::<usize>();
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 8]);
        for count in [self.documents, self.terms, self.postings] {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 8]);
        let mut end = HEADER_BYTES as u64;
        for section in &self.sections {
            end += section.len() as u64;
            bytes.extend_from_slice(&end.to_le_bytes());
        }
        let mut vectors = 0;
        for (number, section) in self.sections.iter().enumerate() {
            if number == Section::Dimensions as usize {
                vectors = bytes.len();
            }
            bytes.extend_from_slice(section);
        }
        let checksum = xxh3_64(&bytes[vectors..]);
        bytes[COUNTS_END..VECTOR_CHECKSUM_END].copy_from_slice(&checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[PREFIX_BYTES..vectors]);
        bytes[12..PREFIX_BYTES].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

fn u32_at(bytes: &[u8], index: usize) -> u32 {
    bytes.get(index * 4..index * 4 + 4).and_then(|it| it.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], index: usize) -> u64 {
    bytes.get(index * 8..index * 8 + 8).and_then(|it| it.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// What belongs to the item with this number, given the ends of all items.
fn range(ends: &[u8], number: usize) -> Range<usize> {
    let start = if number == 0 { 0 } else { u32_at(ends, number - 1) as usize };
    start..(u32_at(ends, number) as usize).max(start)
}

/// The first number below `count` for which `is_before`, which is true for all smaller ones, is false.
fn partition_point(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
