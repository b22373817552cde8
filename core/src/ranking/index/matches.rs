//! The documents that match a query, with their scores.

/// In the place of a number of terms that a document has words near: it has one of the terms itself.
pub(super) const OWN: u8 = u8::MAX;
/// How many scores are compared at once.
const CHUNK: usize = 32;

/// The documents of several indexes that match a query.
#[derive(Debug, Default)]
pub struct Matches {
    /// The score of each document of each index; 0 for those that do not match.
    pub(super) scores: Vec<Vec<f32>>,
    /// For each of them, how many terms of the query it has words near, if it has none of the terms. Empty if these do not count.
    pub(super) near_terms: Vec<Vec<u8>>,
    /// The mean of the other cosines than the best one, if there are vectors to compare.
    pub(super) other_cosines: Option<f32>,
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

    /// How many have at least this score.
    pub fn count(&self, least: f32) -> usize {
        self.scores.iter().map(|scores| scores.iter().filter(|score| is_match(**score, least)).count()).sum()
    }

    /// Whether at least `count` match by more than near words.
    pub fn has_strict(&self, count: usize) -> bool {
        let none = Vec::new();
        let near = self.near_terms.iter().chain(std::iter::repeat(&none));
        let strict = self.scores.iter().zip(near).flat_map(|(scores, near)| {
            let near = near.iter().copied().chain(std::iter::repeat(OWN));
            scores.iter().zip(near).filter(|(score, near)| **score > 0.0 && (*near == 0 || *near == OWN))
        });
        strict.take(count).count() == count
    }

    /// The score of the `count`th best; 0 if there are less.
    pub fn nth_best(&self, count: usize) -> f32 {
        nth_best(&self.scores, count)
    }

    /// Those with at least this score, in the order of the indexes and their documents.
    pub fn at_least(&self, least: f32) -> Vec<Hit> {
        at_least(&self.scores, least)
    }
}

/// The `count` best, the best first; of equal ones, in the order of the indexes and their documents.
pub(super) fn best(scores: &[Vec<f32>], count: usize) -> Vec<Hit> {
    let mut best = at_least(scores, nth_best(scores, count));
    best.sort_by(|one, other| other.score.total_cmp(&one.score));
    best.truncate(count);
    best
}

fn nth_best(scores: &[Vec<f32>], count: usize) -> f32 {
    if count == 0 {
        return 0.0;
    }
    // The best so far, and some that may be; cut to the best when they are twice as many.
    let mut best: Vec<f32> = Vec::with_capacity(2 * count);
    let mut least = 0.0;
    for chunk in scores.iter().flat_map(|scores| scores.chunks(CHUNK)) {
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

fn at_least(scores: &[Vec<f32>], least: f32) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (index, scores) in scores.iter().enumerate() {
        for (first, chunk) in (0_u32..).step_by(CHUNK).zip(scores.chunks(CHUNK)) {
            if chunk.iter().fold(false, |any, score| any | is_match(*score, least)) {
                let scored = (first..).zip(chunk).filter(|(_, score)| is_match(**score, least));
                hits.extend(scored.map(|(document, score)| Hit { index, document, score: *score }));
            }
        }
    }
    hits
}

/// Without a branch: this is asked of all documents.
fn is_match(score: f32, least: f32) -> bool {
    (score > 0.0) & (score >= least)
}

/// Keeps the `count` highest of at least as many scores, and returns the least of them.
fn cut_to_best(scores: &mut Vec<f32>, count: usize) -> f32 {
    let (_, least, _) = scores.select_nth_unstable_by(count - 1, |one, other| other.total_cmp(one));
    let least = *least;
    scores.truncate(count);
    least
}
