//! How sure it is that a document is what a query asks for: a number from 0 to 1 that means the same whatever the query and the
//! other documents.
//!
//! A word of the query weighs by how rare it is in the language and among the documents. Of the share of the query's weight that a
//! document matches, and of how many documents there are, among which one may match by coincidence, a logistic function makes a
//! probability; a vector adds to it or takes away. Its constants were fitted to questions about sets of several kinds, and to
//! questions about something else.

use super::bm25::rarity;
use crate::ranking::near::rarity as rarity_in_language;

/// What the terms of a query weigh.
#[derive(Debug)]
pub(super) struct Weights {
    documents: u64,
    sum: f32,
    terms: usize,
}

impl Weights {
    /// Those among so many documents. Which words are common is not known from a few.
    pub(super) fn among(documents: u64) -> Self {
        const FEW: u64 = 30;
        Weights { documents: documents.max(FEW), sum: 0.0, terms: 0 }
    }

    /// Counts a term that so many documents have, and returns its weight, up to 1.
    pub(super) fn add(&mut self, term: &str, with: u64) -> f32 {
        let weight = rarity_in_language(term) * (rarity(with, self.documents) / rarity(0, self.documents)).sqrt();
        self.sum += weight;
        self.terms += 1;
        weight
    }
}

/// What speaks for a document.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// The terms of the query that it has, by their hashes, and what these weigh.
    terms: Vec<(u64, f32)>,
    /// The terms that it has near others of the query.
    near: Vec<(u64, f32)>,
    /// How high the cosine of its vector is above the others, if it has one, and if there are enough others.
    vector: Option<Option<f32>>,
    /// How much its files and packages share with those of the query, from 0 to 1.
    hints: f32,
}

impl Evidence {
    /// The document has this term of the query.
    pub(super) fn has(&mut self, term: u64, weight: f32) {
        self.terms.push((term, weight));
    }

    /// The document has a term near one of the query with this weight.
    pub(super) fn has_near(&mut self, term: u64, weight: f32, cosine: f32) {
        const NEAR: f32 = 0.7;
        self.near.push((term, NEAR * cosine * weight));
    }

    /// The document shares so much with the hints of the query, from 0 to 1.
    pub(super) fn shares_hints(&mut self, share: f32) {
        self.hints = self.hints.max(share);
    }

    /// It has a vector, whose cosine is so high above the others, from 0 to 1, if there are enough others.
    pub(super) fn has_vector(&mut self, height: Option<f32>) {
        self.vector = Some(height);
    }

    /// How sure it is that the document is what the query asks for.
    pub(super) fn confidence(mut self, of: &Weights) -> f32 {
        const BASE: f32 = -1.7;
        const SHARE: f32 = 8.0;
        const DOCUMENTS: f32 = -0.2;
        let documents = (of.documents as f32).ln();
        let share = self.share(of);
        let by_vector = self.vector.map(|height| by_vector(height, documents));
        let by_text = if share > 0.0 || by_vector.is_some() {
            let odds = BASE + SHARE * share + DOCUMENTS * documents + by_vector.unwrap_or(0.0);
            1.0 / (1.0 + (-odds).exp())
        } else {
            0.0
        };
        1.0 - (1.0 - by_text) * (1.0 - self.hints)
    }

    /// The share of the query's weight that its words match; 0 for a coincidence.
    fn share(&mut self, of: &Weights) -> f32 {
        /// A word that weighs less is too common to be a match by itself, unless it is so much of the query.
        const COMMON: f32 = 0.2;
        const MUCH: f32 = 0.25;
        // A word of the document that is near several of the query says no more than once.
        self.near.retain(|(near, _)| self.terms.iter().all(|(term, _)| term != near));
        self.near.sort_by(|(one, a), (other, b)| one.cmp(other).then(b.total_cmp(a)));
        self.near.dedup_by_key(|(near, _)| *near);
        let sum: f32 = self.terms.iter().chain(&self.near).map(|(_, weight)| weight).sum();
        let share = sum / of.sum.max(f32::MIN_POSITIVE);
        let is_coincidence = match (self.terms.len(), self.near.len()) {
            (1, 0) => sum < COMMON && share < MUCH,
            (0, 1) => of.terms > 1,
            _ => false,
        };
        if is_coincidence { 0.0 } else { share }
    }
}

/// What the height of a cosine adds, among so many documents, as the logarithm of their number. It takes away less than it can add:
/// names and numbers are not in vectors.
fn by_vector(height: Option<f32>, documents: f32) -> f32 {
    /// What a vector adds that cannot be compared with others: enough to be found by it.
    const UNKNOWN: f32 = 0.8;
    const SLOPE: f32 = 25.0;
    const UNRELATED: f32 = 0.09;
    const DOCUMENTS: f32 = 0.0225;
    const LEAST: f32 = -2.5;
    let Some(height) = height else { return UNKNOWN };
    (SLOPE * (height - UNRELATED - DOCUMENTS * documents)).max(LEAST)
}

/// How many of the best matches decide how sure it is that one of them answers the query.
pub const JUDGED: usize = 10;

/// The scale on which scores are reported, from 0 to 1. That of the best match is the confidence of the surest one, and those of the
/// others are less, by up to a tenth.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    confidence: f64,
    best: f64,
}

/// What is reported for a match that scores next to nothing, in relation to the best one.
const LAST: f64 = 0.9;

impl Scale {
    /// The scale of matches of which the best one has this score, with the confidences of the best [`JUDGED`].
    pub fn of(best: f32, confidences: impl Iterator<Item = f32>) -> Self {
        let confidence = confidences.fold(0.0, f32::max);
        Scale { confidence: confidence.into(), best: best.max(f32::MIN_POSITIVE).into() }
    }

    /// What is reported for a score.
    pub fn reported(&self, score: f32) -> f64 {
        self.confidence * (LAST + (1.0 - LAST) * f64::from(score) / self.best)
    }

    /// The score for which this is reported.
    #[allow(clippy::cast_possible_truncation, reason = "a score needs no more digits")]
    pub fn score(&self, reported: f64) -> f32 {
        let share = (reported / self.confidence - LAST) / (1.0 - LAST);
        // Below what is reported for the last one, all of them; so too if nothing is sure.
        if share > 0.0 { (share * self.best) as f32 } else { 0.0 }
    }
}
