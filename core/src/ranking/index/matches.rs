//! The documents that match a query, with their scores.

/// How many scores are compared at once.
const CHUNK: usize = 32;

/// The documents of several indexes that match a query.
#[derive(Debug, Default)]
pub struct Matches {
    /// The score of each document of each index; 0 for those that do not match.
    pub(super) scores: Vec<Vec<f32>>,
}

/// A document that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The position of its index among those searched.
    pub index: usize,
    /// Its number in there.
    pub document: u32,
    /// How well it matches; above 0.
    pub score: f32,
}

impl Matches {
    /// Leaves out a document.
    pub fn exclude(&mut self, index: usize, document: u32) {
        if let Some(score) = self.scores.get_mut(index).and_then(|scores| scores.get_mut(document as usize)) {
            *score = 0.0;
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.scores.iter().map(|scores| scores.iter().filter(|score| **score > 0.0).count()).sum()
    }

    /// The score of the `count`th best; 0 if there are less.
    pub fn nth_best(&self, count: usize) -> f32 {
        if count == 0 {
            return 0.0;
        }
        // The best so far, and some that may be; cut to the best when they are twice as many.
        let mut best: Vec<f32> = Vec::with_capacity(2 * count);
        let mut least = 0.0;
        for chunk in self.scores.iter().flat_map(|scores| scores.chunks(CHUNK)) {
            // Without a branch for each score: most chunks have none that is high enough.
            if !chunk.iter().fold(false, |any, score| any | (*score > least)) {
                continue;
            }
            for score in chunk.iter().copied() {
                if score > least {
                    best.push(score);
                    if best.len() == 2 * count {
                        least = cut_to_best(&mut best, count);
                    }
                }
            }
        }
        if best.len() < count { 0.0 } else { cut_to_best(&mut best, count) }
    }

    /// Those with at least this score, in the order of the indexes and their documents.
    pub fn at_least(&self, least: f32) -> Vec<Hit> {
        let is_high = |score: f32| (score > 0.0) & (score >= least);
        let mut hits = Vec::new();
        for (index, scores) in self.scores.iter().enumerate() {
            for (first, chunk) in (0_u32..).step_by(CHUNK).zip(scores.chunks(CHUNK)) {
                if chunk.iter().fold(false, |any, score| any | is_high(*score)) {
                    let scored = (first..).zip(chunk).filter(|(_, score)| is_high(**score));
                    hits.extend(scored.map(|(document, score)| Hit { index, document, score: *score }));
                }
            }
        }
        hits
    }
}

/// Keeps the `count` highest of at least as many scores, and returns the least of them.
fn cut_to_best(scores: &mut Vec<f32>, count: usize) -> f32 {
    let (_, least, _) = scores.select_nth_unstable_by(count - 1, |one, other| other.total_cmp(one));
    let least = *least;
    scores.truncate(count);
    least
}
