//! Scores documents by the files, packages and languages that they share with a query, as the part of a hint that they
//! share, in which rare names count more.

use super::Index;
use super::bm25::rarity;
use super::delta::is_in;
use super::document::Query;
use super::fields::{Field, MAX_HINTS, Side, crate_term, each_path_term, lang_term};

/// The weight of a full match in a field, in relation to the text that matches best.
fn weight(field: Field) -> f32 {
    match field {
        Field::File | Field::Folder => 1.0,
        Field::Crate => 0.5,
        Field::Lang => 0.2,
    }
}

/// The hints of a query by field, each with the terms that it consists of.
pub(super) fn hints_of(query: &Query<'_>) -> [(Field, Vec<Vec<String>>); 3] {
    let path_terms = |path: &String| {
        let mut terms = Vec::new();
        each_path_term(path, Side::Query, |term| terms.push(term.to_owned()));
        terms
    };
    [
        (Field::File, query.files.iter().take(MAX_HINTS).map(path_terms).collect()),
        (Field::Crate, query.crates.iter().take(MAX_HINTS).map(|it| crate_term(it).into_iter().collect()).collect()),
        (Field::Lang, query.langs.iter().take(MAX_HINTS).map(|it| lang_term(it).into_iter().collect()).collect()),
    ]
}

/// Adds what documents share with the hints of `query`. Of several hints of a field, the one that a document shares most of
/// counts.
pub(super) fn add_hints(indexes: &[&Index], scores: &mut [Vec<f32>], query: &Query<'_>, documents: u64) {
    let mut postings = Vec::new();
    let mut shared: Vec<Sparse> = indexes.iter().map(|_| Sparse::default()).collect();
    for (field, hints) in hints_of(query) {
        let mut best: Vec<Sparse> = indexes.iter().map(|_| Sparse::default()).collect();
        for terms in hints {
            let mut all = 0.0;
            for term in terms {
                let mut with = Vec::with_capacity(indexes.len());
                for index in indexes {
                    index.postings(&term, &mut postings);
                    with.push(postings.iter().map(|posting| posting.document).collect::<Vec<_>>());
                }
                let rarity = rarity(with.iter().map(|with| with.len() as u64).sum(), documents);
                all += rarity;
                for (shared, with) in shared.iter_mut().zip(with) {
                    with.into_iter().for_each(|document| shared.add(document, rarity));
                }
            }
            for (best, shared) in best.iter_mut().zip(&mut shared) {
                shared.drain(|document, share| best.raise(document, share / all));
            }
        }
        for (mut best, scores) in best.into_iter().zip(scores.iter_mut()) {
            best.drain(|document, share| match scores.get_mut(document as usize) {
                // To be in the same language is no reason by itself.
                Some(score) if field != Field::Lang || *score > 0.0 => *score += weight(field) * share,
                _ => {}
            });
        }
    }
}

/// Of these documents, those that share a file, a folder, a package or a language with the query.
pub fn with_hints(index: &Index, documents: Vec<u32>, query: &Query<'_>) -> Vec<u32> {
    let mut shared = vec![false; documents.len()];
    let mut postings = Vec::new();
    for term in hints_of(query).into_iter().flat_map(|(_, hints)| hints).flatten() {
        index.postings(&term, &mut postings);
        for (shared, document) in shared.iter_mut().zip(&documents) {
            *shared |= is_in(&postings, *document);
        }
    }
    documents.into_iter().zip(shared).filter(|(_, shared)| *shared).map(|(document, _)| document).collect()
}

/// Numbers for some of the documents, which can be taken out without a look at the others.
#[derive(Debug, Default)]
struct Sparse {
    numbers: Vec<f32>,
    /// The documents with a number, in no order.
    with: Vec<u32>,
}

impl Sparse {
    fn of(&mut self, document: u32) -> &mut f32 {
        let at = document as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, 0.0);
        }
        if self.numbers[at] == 0.0 {
            self.with.push(document);
        }
        &mut self.numbers[at]
    }

    /// Adds to the number of a document.
    fn add(&mut self, document: u32, number: f32) {
        *self.of(document) += number;
    }

    /// Raises the number of a document, if it is lower.
    fn raise(&mut self, document: u32, number: f32) {
        let own = self.of(document);
        *own = own.max(number);
    }

    /// Calls `each` with all numbers, and forgets them.
    fn drain(&mut self, mut each: impl FnMut(u32, f32)) {
        for document in self.with.drain(..) {
            each(document, std::mem::take(&mut self.numbers[document as usize]));
        }
    }
}
