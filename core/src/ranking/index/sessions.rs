//! What is said in the same session: a term of a neighbouring document counts too, at a discount, and so does how well the
//! session as a whole matches.

use std::collections::HashMap;

use super::Index;
use super::delta::Posting;
use super::search::{Parameters, Sparse, Statistics};

/// How far neighbours in a session count, on each side.
pub(super) const WINDOW: i32 = 4;
/// What a term in the document just before counts; one just behind counts half of it.
const NEIGHBOUR: f32 = 0.6;
/// How much less a neighbour counts with each step.
const STEP: f32 = 0.8;
/// What the score of a session counts.
const SESSION: f32 = 0.6;
/// How quickly repetitions of a term in a session stop counting, and how strongly its length counts.
const PARAMETERS: Parameters = Parameters { k1: 1.2, b: 0.5 };

/// What a document counts for another one in its session, which is this far behind it.
pub(super) fn discount(distance: i32) -> f32 {
    let side = if distance > 0 { NEIGHBOUR } else { NEIGHBOUR / 2.0 };
    side * STEP.powi(distance.abs() - 1)
}

/// The scores of the sessions of one index, and what neighbours contribute to its documents.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    /// How often the current term occurs in each session.
    counts: HashMap<u64, u32>,
    /// The score of each session.
    scores: HashMap<u64, f32>,
    /// What neighbours contribute to each document for the current term.
    credits: Sparse,
}

impl Sessions {
    /// Counts the current term by session; returns in how many it occurs.
    pub(super) fn count(&mut self, index: &Index, postings: &[Posting]) -> u64 {
        self.counts.clear();
        for posting in postings {
            let session = index.session_of(posting.document);
            if session != 0 {
                *self.counts.entry(session).or_default() += u32::from(posting.count);
            }
        }
        self.counts.len() as u64
    }

    /// Adds the current term, with its rarity among sessions, to the scores of the sessions.
    pub(super) fn add(&mut self, index: &Index, rarity: f32, statistics: &Statistics) {
        for (session, count) in &self.counts {
            let words = index.session_words.get(session).map_or(0, |(words, _)| *words) as f32;
            let saturation = PARAMETERS.saturation(*count as f32, words, statistics.mean_session_words);
            *self.scores.entry(*session).or_default() += rarity * saturation;
        }
    }

    /// Remembers what a document with the current term counts for those around it. Of several, the best one counts.
    pub(super) fn credit(&mut self, index: &Index, document: u32, weight: f32) {
        index.each_neighbour(document, WINDOW, |neighbour, distance| {
            if index.is_searchable(neighbour) {
                self.credits.raise(neighbour, weight * discount(distance));
            }
        });
    }

    /// Adds what was remembered for the current term.
    pub(super) fn add_credits(&mut self, scores: &mut [f32]) {
        self.credits.drain(|document, credit| {
            if let Some(score) = scores.get_mut(document as usize) {
                *score += credit;
            }
        });
    }

    /// Adds the scores of the sessions to their documents that were found.
    pub(super) fn add_scores(&self, index: &Index, scores: &mut [f32]) {
        if self.scores.is_empty() {
            return;
        }
        for (document, score) in (0..).zip(scores).filter(|(_, score)| **score > 0.0) {
            *score += self.scores.get(&index.session_of(document)).map_or(0.0, |of_session| SESSION * of_session);
        }
    }
}
