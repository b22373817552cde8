//! The documents that were added since the segment was made, indexed in memory.

use foldhash::HashMap;

use super::document::{ATTRIBUTES, Document, session_number, sortable};
use super::fields::{self, MAX_HINTS, Side};
use super::vectors::Vectors;
use crate::ranking::terms::Analyzer;

/// A document that contains a term, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) document: u32,
    pub(super) count: u8,
}

/// What is kept of a document besides its terms.
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

/// Documents in memory, numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Delta {
    pub(super) entries: Vec<Entry>,
    /// The postings of each term, in the order of the documents.
    pub(super) terms: HashMap<Box<str>, Vec<Posting>>,
    /// The documents with an id.
    pub(super) ids: HashMap<u64, Vec<u32>>,
    pub(super) vectors: Vectors,
    analyzer: Analyzer,
}

impl Delta {
    /// Adds a document and returns its number.
    pub(super) fn insert(&mut self, document: &Document<'_>) -> u32 {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let Delta { terms, analyzer, .. } = self;
        let mut words = None;
        let (mut session, mut seq) = (0, 0);
        if let Some(content) = &document.content {
            let mut count = 0_u32;
            let mut add = |term: &str| match terms.get_mut(term) {
                Some(postings) => match postings.last_mut() {
                    Some(last) if last.document == number => last.count = last.count.saturating_add(1),
                    _ => postings.push(Posting { document: number, count: 1 }),
                },
                None => drop(terms.insert(term.into(), vec![Posting { document: number, count: 1 }])),
            };
            for text in std::iter::once(content.text).chain(content.tags.iter().map(String::as_str)) {
                analyzer.each_term(text, |term| {
                    count = count.saturating_add(1);
                    add(term);
                });
            }
            for file in content.files.iter().take(MAX_HINTS) {
                fields::each_path_term(file, Side::Document, &mut add);
            }
            let langs = content.langs.iter().take(MAX_HINTS).filter_map(|lang| fields::lang_term(lang));
            let crates = content.crates.iter().take(MAX_HINTS).filter_map(|package| fields::crate_term(package));
            langs.chain(crates).for_each(|term| add(&term));
            if let Some(vector) = content.embedding {
                self.vectors.insert(number, vector);
            }
            words = Some(count);
            if let Some((name, position)) = content.session {
                (session, seq) = (session_number(name), sortable(position));
            }
        }
        let (key, id, attributes) = (document.key, document.id, document.attributes);
        self.entries.push(Entry { key, id, attributes, words, session, seq });
        self.ids.entry(id).or_default().push(number);
        number
    }
}
