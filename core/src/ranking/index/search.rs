//! Scores the documents of indexes against a query.
//!
//! The text is scored by BM25, together with its [session](super::neighbours) and [fused](super::fusion) with its vector. Files,
//! packages and languages are scored [apart from it](super::hints). A document that matches in none of these is not returned.

use super::Index;
use super::bm25::{Statistics, rarity};
use super::confidence::{Evidence, Weights};
use super::delta::{Posting, is_in, term_hash};
use super::document::Query;
use super::fields::{Field, date_term, field_of, speaker_term};
use super::fusion::{fuse, height};
use super::hints::{add_hints, hints_of};
use super::matches::{Hit, Matches, OWN};
use super::neighbours::Neighbours;
use super::spread::Spread;
use super::vectors::Unit;
use crate::ranking::Prompt;
use crate::ranking::near::{Near, near};

/// The ways in which a document matches a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matched {
    /// The words of the query that its text has, whatever their forms.
    pub words: Vec<String>,
    /// Other words of the query, each with the nearest word that its text has.
    pub near: Vec<(String, String)>,
    /// The words of the query that name its date.
    pub date: Vec<String>,
    /// Matches in its fields, the most specific first.
    pub fields: Vec<(Field, String)>,
    /// Words that only neighbours of the same session contain.
    pub neighbouring: Vec<String>,
    /// The cosine of the vectors.
    pub cosine: Option<f32>,
    /// How sure it is that this is what the query asks for, from 0 to 1: it means the same for all queries and documents.
    pub confidence: f32,
}

impl Matched {
    /// Whether it is more than a coincidence.
    pub fn is_reason(&self) -> bool {
        self.confidence > 0.0 || !self.neighbouring.is_empty()
    }
}

/// The documents of `indexes` that match. They are scored together, as if they were in one index.
pub fn search(indexes: &[&Index], query: &Query<'_>) -> Matches {
    let statistics = Statistics::of(indexes);
    let mut found: Vec<Found> = indexes.iter().map(|index| Found::new(index, query.with_near_words)).collect();
    let terms = query.prompt.map(Prompt::terms).unwrap_or_default();
    // Sorted, so that the sums are the same to the last bit whatever the order of the words.
    for term in terms {
        let own = add_list(indexes, &mut found, term_hash(term), &statistics, |rarity| rarity).1;
        if statistics.sessions > 0 {
            let count = |(found, index): (&mut Found, &&Index)| found.neighbours.count(index, &found.postings);
            let in_sessions = found.iter_mut().zip(indexes).map(count).sum();
            let rarity = self::rarity(in_sessions, statistics.sessions);
            for (found, index) in found.iter_mut().zip(indexes) {
                found.neighbours.add(index, rarity, &statistics);
            }
        }
        if let Some(date) = date_term(term) {
            add_list(indexes, &mut found, term_hash(&date), &statistics, |rarity| rarity);
        }
        if query.with_near_words {
            found.iter_mut().for_each(Found::end_own);
        }
        let mut nearest = 0;
        for near in near_words(term, query) {
            let factor = weight_of_near(terms.len()) * near.cosine;
            let weight = |rarity: f32| factor * rarity.min(own);
            nearest += usize::from(add_list(indexes, &mut found, term_hash(near.stem), &statistics, weight).0 > 0);
            if nearest == MAX_NEAR {
                break;
            }
        }
        found.iter_mut().zip(indexes).for_each(|(found, index)| found.end_term(index));
    }
    for (found, index) in found.iter_mut().zip(indexes) {
        if query.with_near_words {
            found.leave_coincidences_out(index, terms.len());
        }
        found.neighbours.add_to(index, &mut found.scores);
        terms.iter().for_each(|term| found.prefer_speaker(index, term));
    }
    let (mut scores, near_terms): (Vec<_>, Vec<_>) = found.into_iter().map(|it| (it.scores, it.near_terms)).unzip();
    scale(&mut scores, statistics.documents);
    let other_cosines = fuse(indexes, &mut scores, query);
    add_hints(indexes, &mut scores, query, statistics.documents);
    Matches { scores, near_terms, other_cosines }
}

/// How many words near a term count, the nearest that documents contain.
const MAX_NEAR: usize = 12;

/// The weight of a word near a term in relation to the term itself. In a long query, what it is about is said by its own words.
fn weight_of_near(terms: usize) -> f32 {
    const WEIGHT: f32 = 0.8;
    const SHORT: f32 = 6.0;
    WEIGHT * (SHORT / terms as f32).min(1.0)
}

/// The words near a term, the nearest first, if they count.
fn near_words(term: &str, query: &Query<'_>) -> Vec<Near> {
    if query.with_near_words { near(term) } else { Vec::new() }
}

/// Raises the weights of the current term by those of a list of documents. Returns how many there are, and how rare that is.
fn add_list(
    indexes: &[&Index],
    found: &mut [Found],
    term: u64,
    statistics: &Statistics,
    weight: impl Fn(f32) -> f32,
) -> (u64, f32) {
    found.iter_mut().zip(indexes).for_each(|(found, index)| index.postings_of(term, &mut found.postings));
    let with = found.iter().map(|found| found.postings.len() as u64).sum();
    let rarity = rarity(with, statistics.documents);
    let weight = weight(rarity);
    found.iter_mut().zip(indexes).for_each(|(found, index)| found.add_list(index, weight, statistics));
    (with, rarity)
}

/// The ways in which each of `hits`, which are some of the `matches` in `indexes`, matches.
pub fn matched(indexes: &[&Index], matches: &Matches, hits: &[Hit], query: &Query<'_>) -> Vec<Matched> {
    let mut matched: Vec<Matched> = hits.iter().map(|_| Matched::default()).collect();
    let mut evidence = vec![Evidence::default(); hits.len()];
    let documents = indexes.iter().map(|index| index.searchable).sum();
    let mut weights = Weights::among(documents);
    let mut with = With::new(indexes);
    for (term, word) in query.prompt.into_iter().flat_map(Prompt::words) {
        let weight = weights.add(term, with.read(term_hash(term)));
        // Where the hits without the term itself may have it otherwise: in a neighbour, by its date, or by a word near it.
        let mut others: Vec<(usize, bool)> = Vec::new();
        for (at, hit) in hits.iter().enumerate() {
            if with.has(hit) {
                matched[at].words.push(word.to_owned());
                evidence[at].has(term_hash(term), weight);
            } else {
                others.push((at, with.has_near_by(hit)));
            }
        }
        if let Some(date) = date_term(term).filter(|_| !others.is_empty()) {
            with.read(term_hash(&date));
            others.retain(|(at, _)| {
                let is_on_date = with.has(&hits[*at]);
                if is_on_date {
                    matched[*at].date.push(word.to_owned());
                    evidence[*at].has(term_hash(term), weight);
                }
                !is_on_date
            });
        }
        let mut nearest = 0;
        for near in near_words(term, query) {
            if others.is_empty() || nearest == MAX_NEAR {
                break;
            }
            nearest += usize::from(with.read(term_hash(near.stem)) > 0);
            others.retain(|(at, _)| {
                let is_near = with.has(&hits[*at]);
                if is_near {
                    matched[*at].near.push((word.to_owned(), near.word()));
                    evidence[*at].has_near(term_hash(near.stem), weight, near.cosine);
                }
                !is_near
            });
        }
        for (at, _) in others.into_iter().filter(|(_, has_near_by)| *has_near_by) {
            matched[at].neighbouring.push(word.to_owned());
        }
    }
    for (field, hints) in hints_of(query) {
        for terms in hints {
            let (mut shared, mut whole) = (vec![0.0; hits.len()], 0.0);
            for term in terms {
                let rarity = rarity(with.read(term_hash(&term)), documents);
                whole += rarity;
                let Some((field, name)) = field_of(&term) else { continue };
                for (at, _) in hits.iter().enumerate().filter(|(_, hit)| with.has(hit)) {
                    matched[at].fields.push((field, name.to_owned()));
                    shared[at] += rarity;
                }
            }
            // To be in the same language is no reason by itself.
            if field != Field::Lang {
                evidence.iter_mut().zip(shared).for_each(|(evidence, shared)| evidence.shares_hints(shared / whole));
            }
        }
    }
    let vector = query.embedding.and_then(Unit::of);
    for ((matched, hit), mut evidence) in matched.iter_mut().zip(hits).zip(evidence) {
        matched.fields.sort_by(|(one, a), (other, b)| one.cmp(other).then(b.len().cmp(&a.len())).then(a.cmp(b)));
        matched.fields.dedup();
        matched.cosine = vector.as_ref().and_then(|vector| {
            let row = indexes.get(hit.index)?.vector_of(hit.document, vector.dimension())?;
            Some(vector.cosine(row))
        });
        if let Some(cosine) = matched.cosine {
            evidence.has_vector(matches.other_cosines.map(|others| height(cosine, others)));
        }
        matched.confidence = evidence.confidence(&weights);
    }
    matched
}

/// The documents of several indexes that have a term.
struct With<'i> {
    indexes: &'i [&'i Index],
    postings: Vec<Vec<Posting>>,
}

impl<'i> With<'i> {
    fn new(indexes: &'i [&'i Index]) -> Self {
        With { indexes, postings: indexes.iter().map(|_| Vec::new()).collect() }
    }

    /// Reads the documents with a term, and returns how many there are.
    fn read(&mut self, term: u64) -> u64 {
        self.indexes.iter().zip(&mut self.postings).for_each(|(index, postings)| index.postings_of(term, postings));
        self.postings.iter().map(|postings| postings.len() as u64).sum()
    }

    fn has(&self, hit: &Hit) -> bool {
        self.postings.get(hit.index).is_some_and(|postings| is_in(postings, hit.document))
    }

    /// Whether a neighbour of the document in its session has the term.
    fn has_near_by(&self, hit: &Hit) -> bool {
        let (Some(index), Some(postings)) = (self.indexes.get(hit.index), self.postings.get(hit.index)) else {
            return false;
        };
        index.sessions().neighbours(hit.document).any(|neighbour| is_in(postings, neighbour))
    }
}

/// The scores of the documents of one index.
struct Found {
    scores: Vec<f32>,
    /// The postings of the current term.
    postings: Vec<Posting>,
    /// The weight of the current term in each document, and the documents that have one, in no order.
    weights: Vec<f32>,
    with_term: Vec<u32>,
    /// How many terms of the query each document has words near, if these count; `OWN` if it has one of the terms itself.
    near_terms: Vec<u8>,
    neighbours: Neighbours,
}

/// How many terms of the query a document must at least have words near if it has none of them: one is a coincidence.
const MIN_NEAR_TERMS: u8 = 2;

impl Found {
    fn new(index: &Index, with_near_words: bool) -> Self {
        Found {
            scores: vec![0.0; index.lengths.len()],
            postings: Vec::new(),
            weights: vec![0.0; index.lengths.len()],
            with_term: Vec::new(),
            near_terms: if with_near_words { vec![0; index.lengths.len()] } else { Vec::new() },
            neighbours: Neighbours::new(index),
        }
    }

    /// Raises the weights of the current term by those of the documents in the postings.
    fn add_list(&mut self, index: &Index, weight: f32, statistics: &Statistics) {
        let Statistics { parameters, mean_words, .. } = *statistics;
        for posting in &self.postings {
            let words = index.lengths.get(posting.document as usize).copied().unwrap_or(0) as f32;
            let weight = weight * parameters.saturation(f32::from(posting.value), words, mean_words);
            if let Some(best) = self.weights.get_mut(posting.document as usize) {
                if *best == 0.0 {
                    self.with_term.push(posting.document);
                }
                // Of a word and those near it, the best one counts.
                *best = best.max(weight);
            }
        }
    }

    /// Notes the documents that have the current term itself.
    fn end_own(&mut self) {
        for document in &self.with_term {
            if let Some(count) = self.near_terms.get_mut(*document as usize) {
                *count = OWN;
            }
        }
    }

    /// Raises the scores of what somebody said whom the query names.
    fn prefer_speaker(&mut self, index: &Index, term: &str) {
        const FACTOR: f32 = 1.15;
        index.postings_of(term_hash(&speaker_term(term)), &mut self.postings);
        for posting in &self.postings {
            if let Some(score) = self.scores.get_mut(posting.document as usize) {
                *score *= FACTOR;
            }
        }
    }

    /// Leaves out the documents that have words near too few terms.
    fn leave_coincidences_out(&mut self, index: &Index, terms: usize) {
        let least = MIN_NEAR_TERMS.min(u8::try_from(terms).unwrap_or(OWN));
        let is_coincidence = |score: f32, count: u8| (score > 0.0) & (count < least);
        let sessions = index.sessions();
        for (document, (score, count)) in (0..).zip(self.scores.iter_mut().zip(&self.near_terms)) {
            if is_coincidence(*score, *count) && sessions.cell_of(document).is_none() {
                *score = 0.0;
            }
        }
    }

    /// Adds the weights of the current term to the scores, also to those of neighbours.
    fn end_term(&mut self, index: &Index) {
        if !index.sessions().is_empty() {
            self.neighbours.credit(index, &self.weights, &self.with_term);
        }
        for document in self.with_term.drain(..) {
            let at = document as usize;
            if let (Some(score), Some(weight)) = (self.scores.get_mut(at), self.weights.get_mut(at)) {
                *score += std::mem::take(weight);
            }
            if let Some(count) = self.near_terms.get_mut(at) {
                *count = count.saturating_add(1);
            }
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
