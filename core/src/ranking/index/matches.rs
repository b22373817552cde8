//! The documents that match a query, with their scores.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
        let mut best = BinaryHeap::with_capacity(count);
        let mut least = 0.0;
        for scores in &self.scores {
            for score in scores.iter().copied() {
                if score > least {
                    // The bits of numbers that are not negative are sorted like them.
                    best.push(Reverse(score.to_bits()));
                    if best.len() > count {
                        best.pop();
                    }
                    if best.len() == count {
                        least = best.peek().map_or(0.0, |it| f32::from_bits(it.0));
                    }
                }
            }
        }
        least
    }

    /// Those with at least this score, in the order of the indexes and their documents.
    pub fn at_least(&self, least: f32) -> impl Iterator<Item = Hit> + '_ {
        self.scores.iter().enumerate().flat_map(move |(index, scores)| {
            let scored = (0..).zip(scores).filter(move |(_, score)| **score > 0.0 && **score >= least);
            scored.map(move |(document, score)| Hit { index, document, score: *score })
        })
    }
}
