//! Scores documents by the files, packages and languages that they share with a query, as the part of a hint that they
//! share, in which rare names count more.

use super::Index;
use super::bm25::rarity;
use super::fields::{Field, MAX_HINTS, Side, crate_term, each_path_term, lang_term};
use super::query::Query;
use super::sparse::Sparse;

/// What a full match in a field counts, in relation to the text that matches best.
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
