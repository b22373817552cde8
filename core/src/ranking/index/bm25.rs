//! How much the terms of a text count: BM25.

#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

use super::Index;

/// What the scores of all documents depend on.
pub(super) struct Statistics {
    pub(super) documents: u64,
    pub(super) mean_words: f32,
    pub(super) parameters: Parameters,
    pub(super) sessions: u64,
    pub(super) mean_session_words: f32,
}

impl Statistics {
    pub(super) fn of(indexes: &[&Index]) -> Self {
        let sum = |of: fn(&Index) -> u64| indexes.iter().map(|index| of(index)).sum::<u64>();
        let mean = |words: u64, all: u64| (words as f32 / all.max(1) as f32).max(1.0);
        let (documents, words) = (sum(|index| index.searchable), sum(|index| index.words));
        let sessions = sum(|index| index.sessions().len());
        let session_words = sum(|index| index.sessions().all().iter().map(|session| session.words).sum());
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

/// The weight of a term in `with` of `all` documents: the inverse document frequency, in its non-negative form.
pub fn rarity(with: u64, all: u64) -> f32 {
    let (with, without) = (with as f64, all.saturating_sub(with) as f64);
    (1.0 + (without + 0.5) / (with + 0.5)).ln() as f32
}
