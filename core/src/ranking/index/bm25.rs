//! How much the terms of a text count: BM25.

#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

use super::Index;

/// The statistics that all scores depend on.
pub(super) struct Statistics {
    pub(super) documents: u64,
    pub(super) mean_words: f32,
    pub(super) parameters: Bm25,
    pub(super) sessions: u64,
    pub(super) mean_session_words: f32,
}

impl Statistics {
    pub(super) fn of(indexes: &[&Index]) -> Self {
        let sum = |of: fn(&Index) -> u64| indexes.iter().map(|index| of(index)).sum::<u64>();
        let mean = |words: u64, all: u64| (words as f32 / all.max(1) as f32).max(1.0);
        let (documents, words) = (sum(|index| index.searchable), sum(|index| index.words));
        let sessions = sum(|index| index.sessions().words().len() as u64);
        let session_words = sum(|index| index.sessions().words().iter().sum());
        let mean_words = mean(words, documents);
        let parameters = Bm25::for_mean(mean_words);
        Statistics { documents, mean_words, parameters, sessions, mean_session_words: mean(session_words, sessions) }
    }
}

/// The parameters of BM25.
#[derive(Debug, Clone, Copy)]
pub struct Bm25 {
    /// How quickly repetitions of a term stop counting.
    pub k1: f32,
    /// How strongly the length of a text counts, from 0 to 1.
    pub b: f32,
}

impl Bm25 {
    /// The parameters for texts of `mean` words: in sentences, repetitions and lengths say less than in pages.
    fn for_mean(mean: f32) -> Self {
        const SENTENCE: f32 = 10.0;
        const PAGE: f32 = 60.0;
        let x = ((mean / SENTENCE).ln() / (PAGE / SENTENCE).ln()).clamp(0.0, 1.0);
        Bm25 { k1: 0.6 + 0.6 * x, b: 0.3 + 0.45 * x }
    }

    /// The weight of `count` occurrences in a text of `words` words, where texts have `mean` words on average.
    pub fn saturation(self, count: f32, words: f32, mean: f32) -> f32 {
        count * (self.k1 + 1.0) / (count + self.k1 * (1.0 - self.b + self.b * words / mean))
    }
}

/// The weight of a term in `with` of `all` documents: the inverse document frequency, in its non-negative form.
pub fn rarity(with: u64, all: u64) -> f32 {
    let (with, without) = (with as f64, all.saturating_sub(with) as f64);
    (1.0 + (without + 0.5) / (with + 0.5)).ln() as f32
}
