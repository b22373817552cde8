//! Scores the documents of indexes against a query.
//!
//! The text is scored by BM25, together with its [session](super::neighbours) and [fused](super::fusion) with its vector. Files,
//! packages and languages are scored [apart from it](super::hints). A document that matches in none of these is not returned.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scores are small and not negative")]

use super::Index;
use super::delta::Posting;
use super::fields::{Field, field_of};
use super::fusion::fuse;
use super::hints::{add_hints, hints_of};
use super::matches::Matches;
use super::neighbours::Neighbours;
use super::vectors::Unit;
use crate::ranking::terms::Analyzer;

/// A query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// What the text is compared with.
    pub text: &'q str,
    /// The files in use.
    pub files: &'q [String],
    /// The packages in use.
    pub crates: &'q [String],
    /// The languages in use.
    pub langs: &'q [String],
    /// What the vectors are compared with.
    pub embedding: Option<&'q [f32]>,
}

/// In what a document matches a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matched {
    /// Terms of its text.
    pub terms: Vec<String>,
    /// What it shares in its fields, the most specific first.
    pub fields: Vec<(Field, String)>,
    /// Terms that only neighbours of the same session contain.
    pub neighbouring: Vec<String>,
    /// The cosine of the vectors.
    pub cosine: Option<f32>,
}

/// The documents of `indexes` that match. They are scored together, as if they were in one index.
pub fn search(indexes: &[&Index], query: &Query<'_>) -> Matches {
    let statistics = Statistics::of(indexes);
    let mut found: Vec<Found> = indexes.iter().map(|index| Found::new(index)).collect();
    // Sorted, so that the sums are the same to the last bit whatever the order of the words.
    for term in Analyzer::default().distinct(query.text) {
        found.iter_mut().zip(indexes).for_each(|(found, index)| index.postings(&term, &mut found.postings));
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

/// In what each of `documents` of `index` matches.
pub fn matched(index: &Index, documents: &[u32], query: &Query<'_>) -> Vec<Matched> {
    let mut matched: Vec<Matched> = documents.iter().map(|_| Matched::default()).collect();
    let mut postings = Vec::new();
    for term in Analyzer::default().distinct(query.text) {
        index.postings(&term, &mut postings);
        for (matched, document) in matched.iter_mut().zip(documents) {
            if is_in(&postings, *document) {
                matched.terms.push(term.clone());
            } else if index.sessions.neighbours(*document).any(|neighbour| is_in(&postings, neighbour)) {
                matched.neighbouring.push(term.clone());
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

/// What the scores of all documents depend on.
pub(super) struct Statistics {
    documents: u64,
    mean_words: f32,
    parameters: Parameters,
    sessions: u64,
    pub(super) mean_session_words: f32,
}

impl Statistics {
    fn of(indexes: &[&Index]) -> Self {
        let sum = |of: fn(&Index) -> u64| indexes.iter().map(|index| of(index)).sum::<u64>();
        let mean = |words: u64, all: u64| (words as f32 / all.max(1) as f32).max(1.0);
        let (documents, words) = (sum(|index| index.searchable), sum(|index| index.words));
        let sessions = sum(|index| index.sessions.len());
        let session_words = sum(|index| index.sessions.all().iter().map(|session| session.words).sum());
        let mean_words = mean(words, documents);
        let parameters = Parameters::for_mean(mean_words);
        Statistics { documents, mean_words, parameters, sessions, mean_session_words: mean(session_words, sessions) }
    }
}

/// The parameters of BM25.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    /// How quickly repetitions of a term stop counting.
    pub(super) k1: f32,
    /// How strongly the length of a text counts, from 0 to 1.
    pub(super) b: f32,
}

impl Parameters {
    /// The parameters for texts of `mean` words: in sentences, repetitions and lengths say less than in pages.
    fn for_mean(mean: f32) -> Self {
        const SENTENCE: f32 = 10.0;
        const PAGE: f32 = 60.0;
        let x = ((mean / SENTENCE).ln() / (PAGE / SENTENCE).ln()).clamp(0.0, 1.0);
        Parameters { k1: 0.6 + 0.6 * x, b: 0.3 + 0.45 * x }
    }

    /// How much `count` occurrences count in a text of `words` words.
    pub(super) fn saturation(self, count: f32, words: f32, mean: f32) -> f32 {
        count * (self.k1 + 1.0) / (count + self.k1 * (1.0 - self.b + self.b * words / mean))
    }
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
            rarity * parameters.saturation(f32::from(posting.count), words, mean_words)
        };
        for posting in &self.postings {
            if let Some(score) = self.scores.get_mut(posting.document as usize) {
                *score += weight(posting);
            }
        }
        if !index.sessions.is_empty() {
            self.neighbours.credit(index, &self.postings, weight);
        }
    }
}

/// Numbers for some of the documents.
#[derive(Debug, Default)]
pub(super) struct Sparse {
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
    pub(super) fn add(&mut self, document: u32, number: f32) {
        *self.of(document) += number;
    }

    /// Raises the number of a document, if it is lower.
    pub(super) fn raise(&mut self, document: u32, number: f32) {
        let own = self.of(document);
        *own = own.max(number);
    }

    /// Calls `each` with all numbers, and forgets them.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u32, f32)) {
        for document in self.with.drain(..) {
            each(document, std::mem::take(&mut self.numbers[document as usize]));
        }
    }
}

/// Scales the scores of the texts so that the best one is about 1 above the mean, whatever the length of the query.
fn scale(scores: &mut [Vec<f32>], documents: u64) {
    let best = scores.iter().flatten().copied().fold(0.0, f32::max);
    let mean = mean(scores.iter().flatten().copied(), documents);
    // If all documents match equally well, they are all the best.
    let range = if best - mean > best * 1e-3 { best - mean } else { best };
    if range > 0.0 {
        scores.iter_mut().flatten().for_each(|score| *score /= range);
    }
}

/// The mean of `numbers`, of which there are `count`, whatever their order.
fn mean(numbers: impl Iterator<Item = f32>, count: u64) -> f32 {
    // Summed up as whole numbers: the sum of fractions would depend on the order.
    const UNIT: f32 = (1_u32 << 24) as f32;
    let sum: i64 = numbers.map(|number| (number * UNIT) as i64).sum();
    (sum as f64 / f64::from(UNIT) / count.max(1) as f64) as f32
}

/// The weight of a term in `with` of `all` documents: the inverse document frequency, in its non-negative form.
pub(super) fn rarity(with: u64, all: u64) -> f32 {
    let (with, without) = (with as f64, all.saturating_sub(with) as f64);
    (1.0 + (without + 0.5) / (with + 0.5)).ln() as f32
}
