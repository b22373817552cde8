//! The documents that were added since the segment was made, indexed in memory.

use foldhash::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::document::{ATTRIBUTES, Document, session_number, sortable};
use super::fields::{self, MAX_HINTS, Side};
use super::vectors::Vectors;
use crate::ranking::terms::Analyzer;

/// A document that contains a term; the value is how often.
pub(super) use crate::segments::Posting;

/// The number of words of a document that cannot be found by them, where it is stored.
pub(super) const UNSEARCHABLE: u32 = u32::MAX;

/// A document without its terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: u64,
    pub(super) id: u64,
    pub(super) attributes: [u64; ATTRIBUTES],
    /// The number of terms of its text; `None` if it cannot be found by them.
    pub(super) words: Option<u32>,
    /// The number of its session; 0 for none.
    pub(super) session: u64,
    /// Its position in the session, as a number that sorts.
    pub(super) seq: u64,
}

impl Entry {
    /// The length of its bytes.
    pub(super) const BYTES: usize = 4 + 8 * (4 + ATTRIBUTES);

    /// Appends its bytes.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.words.unwrap_or(UNSEARCHABLE).to_le_bytes());
        for number in [self.key, self.id, self.session, self.seq].into_iter().chain(self.attributes) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// The entry with these bytes.
    #[inline]
    pub(super) fn read(bytes: &[u8; Entry::BYTES]) -> Self {
        let (words, numbers) = bytes.split_first_chunk().unwrap_or((&[0; 4], &[]));
        let words = Some(u32::from_le_bytes(*words)).filter(|words| *words != UNSEARCHABLE);
        let numbers = numbers.as_chunks().0;
        let number = |at: usize| numbers.get(at).map_or(0, |number| u64::from_le_bytes(*number));
        let attributes = std::array::from_fn(|at| number(4 + at));
        Entry { key: number(0), id: number(1), attributes, words, session: number(2), seq: number(3) }
    }
}

/// Identifies a term.
pub(super) fn term_hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

/// Whether a document is among postings.
pub(super) fn is_in(postings: &[Posting], document: u32) -> bool {
    postings.binary_search_by_key(&document, |posting| posting.document).is_ok()
}

/// Documents in memory, numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Delta {
    /// The postings of each term, in the order of the documents.
    pub(super) terms: HashMap<u64, Vec<Posting>>,
    /// The documents with an id.
    pub(super) ids: HashMap<u64, Vec<u32>>,
    pub(super) vectors: Vectors,
    analyzer: Analyzer,
}

impl Delta {
    /// Adds the document with the next number.
    pub(super) fn insert(&mut self, number: u32, document: &Document<'_>) -> Entry {
        let Delta { terms, analyzer, .. } = self;
        let mut words = None;
        let (mut session, mut seq) = (0, 0);
        if let Some(content) = &document.content {
            let mut count = 0_u32;
            let mut add = |term: &str| {
                let postings = terms.entry(term_hash(term)).or_default();
                match postings.last_mut().filter(|last| last.document == number) {
                    Some(last) => last.value = last.value.saturating_add(1),
                    None => postings.push(Posting { document: number, value: 1 }),
                }
            };
            for text in std::iter::once(content.text).chain(content.tags.iter().map(String::as_str)) {
                analyzer.each_term(text, |term| {
                    count = count.saturating_add(1);
                    add(term);
                });
            }
            if let Some(speaker) = fields::speaker_of(content.text) {
                analyzer.each_term(speaker, |term| add(&fields::speaker_term(term)));
            }
            if let Some(time) = content.time {
                fields::each_date_term(time, &mut add);
            }
            for file in content.files.iter().take(MAX_HINTS) {
                fields::each_path_term(file, Side::Document, &mut add);
            }
            let langs = content.langs.iter().take(MAX_HINTS).filter_map(|lang| fields::lang_term(lang));
            let crates = content.crates.iter().take(MAX_HINTS).filter_map(|package| fields::crate_term(package));
            langs.chain(crates).chain(content.mark.map(fields::mark_term)).for_each(|term| add(&term));
            if let Some(vector) = content.embedding {
                self.vectors.insert(number, vector);
            }
            words = Some(count);
            if let Some((name, position)) = content.session {
                (session, seq) = (session_number(name), sortable(position));
            }
        }
        let (key, id, attributes) = (document.key, document.id, document.attributes);
        self.ids.entry(id).or_default().push(number);
        Entry { key, id, attributes, words, session, seq }
    }
}
