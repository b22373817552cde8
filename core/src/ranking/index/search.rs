//! Scores the documents of indexes against a query.
//!
//! The text is scored by BM25, together with its [session](super::neighbours) and [fused](super::fusion) with its vector. Files,
//! packages and languages are scored [apart from it](super::hints). A document that matches in none of these is not returned.

use super::Index;
use super::bm25::{Statistics, rarity};
use super::delta::Posting;
use super::document::Query;
use super::fields::{Field, field_of};
use super::fusion::fuse;
use super::hints::{add_hints, hints_of};
use super::matches::Matches;
use super::neighbours::Neighbours;
use super::spread::Spread;
use super::vectors::Unit;
use crate::ranking::Prompt;

/// The ways in which a document matches a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matched {
    /// The words of the query that its text has, whatever their forms.
    pub words: Vec<String>,
    /// Matches in its fields, the most specific first.
    pub fields: Vec<(Field, String)>,
    /// Words that only neighbours of the same session contain.
    pub neighbouring: Vec<String>,
    /// The cosine of the vectors.
    pub cosine: Option<f32>,
}

/// The documents of `indexes` that match. They are scored together, as if they were in one index.
pub fn search(indexes: &[&Index], query: &Query<'_>) -> Matches {
    let statistics = Statistics::of(indexes);
    let mut found: Vec<Found> = indexes.iter().map(|index| Found::new(index)).collect();
    // Sorted, so that the sums are the same to the last bit whatever the order of the words.
    for term in query.prompt.map(Prompt::terms).unwrap_or_default() {
        found.iter_mut().zip(indexes).for_each(|(found, index)| index.postings(term, &mut found.postings));
        let with = found.iter().map(|found| found.postings.len() as u64).sum();
        let rarity = rarity(with, statistics.documents);
        for (found, index) in found.iter_mut().zip(indexes) {
            found.add_text(index, rarity, &statistics);
        }
        if statistics.sessions > 0 {
            let count = |(found, index): (&mut Found, &&Index)| found.neighbours.count(index, &found.postings);
            let in_sessions = found.iter_mut().zip(indexes).map(count).sum();
            let rarity = self::rarity(in_sessions, statistics.sessions);
            for (found, index) in found.iter_mut().zip(indexes) {
                found.neighbours.add(index, rarity, &statistics);
            }
        }
    }
    for (found, index) in found.iter_mut().zip(indexes) {
        found.neighbours.add_to(index, &mut found.scores);
    }
    let mut scores: Vec<_> = found.into_iter().map(|found| found.scores).collect();
    scale(&mut scores, statistics.documents);
    fuse(indexes, &mut scores, query);
    add_hints(indexes, &mut scores, query, statistics.documents);
    Matches { scores }
}

/// The ways in which each of `documents` of `index` matches.
pub fn matched(index: &Index, documents: &[u32], query: &Query<'_>) -> Vec<Matched> {
    let mut matched: Vec<Matched> = documents.iter().map(|_| Matched::default()).collect();
    let mut postings = Vec::new();
    for (term, word) in query.prompt.into_iter().flat_map(Prompt::words) {
        index.postings(term, &mut postings);
        for (matched, document) in matched.iter_mut().zip(documents) {
            if is_in(&postings, *document) {
                matched.words.push(word.to_owned());
            } else if index.sessions().neighbours(*document).any(|neighbour| is_in(&postings, neighbour)) {
                matched.neighbouring.push(word.to_owned());
            }
        }
    }
    for term in hints_of(query).into_iter().flat_map(|(_, hints)| hints).flatten() {
        let Some((field, name)) = field_of(&term) else { continue };
        index.postings(&term, &mut postings);
        for (matched, document) in matched.iter_mut().zip(documents) {
            if is_in(&postings, *document) {
                matched.fields.push((field, name.to_owned()));
            }
        }
    }
    let vector = query.embedding.and_then(Unit::of);
    for (matched, document) in matched.iter_mut().zip(documents) {
        matched.fields.sort_by(|(one, a), (other, b)| one.cmp(other).then(b.len().cmp(&a.len())).then(a.cmp(b)));
        matched.fields.dedup();
        matched.cosine = vector.as_ref().and_then(|vector| {
            let row = index.vector_of(*document, vector.dimension())?;
            Some(vector.cosine(row))
        });
    }
    matched
}

fn is_in(postings: &[Posting], document: u32) -> bool {
    postings.binary_search_by_key(&document, |posting| posting.document).is_ok()
}

/// The scores of the documents of one index.
struct Found {
    scores: Vec<f32>,
    /// The postings of the current term.
    postings: Vec<Posting>,
    neighbours: Neighbours,
}

impl Found {
    fn new(index: &Index) -> Self {
        Found { scores: vec![0.0; index.lengths.len()], postings: Vec::new(), neighbours: Neighbours::new(index) }
    }

    /// Adds the current term, in the documents that contain it and in their neighbours.
    fn add_text(&mut self, index: &Index, rarity: f32, statistics: &Statistics) {
        let Statistics { parameters, mean_words, .. } = *statistics;
        let weight = |posting: &Posting| {
            let words = index.lengths.get(posting.document as usize).copied().unwrap_or(0) as f32;
            rarity * parameters.saturation(f32::from(posting.value), words, mean_words)
        };
        for posting in &self.postings {
            if let Some(score) = self.scores.get_mut(posting.document as usize) {
                *score += weight(posting);
            }
        }
        if !index.sessions().is_empty() {
            self.neighbours.credit(index, &self.postings, weight);
        }
    }
}

/// Scales the scores of the texts so that the best one is about 1 above the mean, whatever the length of the query.
fn scale(scores: &mut [Vec<f32>], documents: u64) {
    let spread = Spread::of(scores);
    // Removed documents have no score, and do not count.
    let (best, mean) = (spread.most, spread.mean_of(documents));
    // If all documents match equally well, they are all the best.
    let range = if best - mean > best * 1e-3 { best - mean } else { best };
    if range > 0.0 {
        scores.iter_mut().flatten().for_each(|score| *score /= range);
    }
}
