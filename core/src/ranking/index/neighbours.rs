//! The influence of a session on its documents: a term of a neighbouring document counts too, at a discount, and so does how well the
//! session as a whole matches.

use super::Index;
use super::bm25::{Bm25, Statistics};
use super::delta::Posting;
use super::sessions::{WINDOW, WINDOW_CELLS};

/// The weight of a document for those from the fourth before it to the fourth after it. Earlier documents count more.
pub(super) const DISCOUNTS: [f32; WINDOW_CELLS] =
    [0.3 * 0.512, 0.3 * 0.64, 0.3 * 0.8, 0.3, 0.0, 0.6, 0.6 * 0.8, 0.6 * 0.64, 0.6 * 0.512];
/// The weight of the score of a session.
const SESSION: f32 = 0.45;
/// How quickly repetitions of a term in a session stop counting, and how strongly its length counts.
const PARAMETERS: Bm25 = Bm25 { k1: 1.2, b: 0.5 };

/// The scores of the sessions of one index, and what neighbours contribute to its documents.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// How often the current term occurs in each session.
    counts: Vec<u32>,
    /// The sessions with the current term, in no order.
    with_term: Vec<usize>,
    /// The score of each session.
    scores: Vec<f32>,
    /// The contribution of neighbours to the document in each cell for the current term.
    credits: Vec<f32>,
    /// The same for all terms.
    sums: Vec<f32>,
}

impl Neighbours {
    pub(super) fn new(index: &Index) -> Self {
        let (sessions, cells) = (index.sessions().words().len(), index.sessions().cells());
        Neighbours {
            counts: vec![0; sessions],
            with_term: Vec::new(),
            scores: vec![0.0; sessions],
            credits: vec![0.0; cells],
            sums: vec![0.0; cells],
        }
    }

    /// Counts the current term by session; returns in how many it occurs.
    pub(super) fn count(&mut self, index: &Index, postings: &[Posting]) -> u64 {
        let sessions = index.sessions();
        for (cell, posting) in in_sessions(index, postings) {
            let owner = sessions.owner(cell);
            if let Some(count) = self.counts.get_mut(owner) {
                if *count == 0 {
                    self.with_term.push(owner);
                }
                *count += u32::from(posting.value);
            }
        }
        self.with_term.len() as u64
    }

    /// Adds the current term, with its rarity among sessions, to the scores of the sessions.
    pub(super) fn add(&mut self, index: &Index, rarity: f32, statistics: &Statistics) {
        let all = index.sessions().words();
        for owner in self.with_term.drain(..) {
            let words = all.get(owner).copied().unwrap_or(0) as f32;
            let count = std::mem::take(&mut self.counts[owner]) as f32;
            self.scores[owner] += rarity * PARAMETERS.saturation(count, words, statistics.mean_session_words);
        }
    }

    /// Adds what documents with the current term count for those around them, given the weights of all documents and those that
    /// have one. Of several, the best one counts.
    pub(super) fn credit(&mut self, index: &Index, weights: &[f32], with: &[u32]) {
        let sessions = index.sessions();
        let in_sessions = || with.iter().filter_map(|document| Some((sessions.cell_of(*document)?, *document)));
        for (cell, document) in in_sessions() {
            let weight = weights.get(document as usize).copied().unwrap_or(0.0);
            if let Some(around) = around(&mut self.credits, cell) {
                for (credit, discount) in around.iter_mut().zip(DISCOUNTS) {
                    *credit = credit.max(weight * discount);
                }
            }
        }
        for (cell, _) in in_sessions() {
            if let (Some(sums), Some(credits)) = (around(&mut self.sums, cell), around(&mut self.credits, cell)) {
                for (sum, credit) in sums.iter_mut().zip(credits) {
                    *sum += std::mem::take(credit);
                }
            }
        }
    }

    /// Adds what neighbours and sessions contribute to the scores of documents.
    pub(super) fn add_to(&self, index: &Index, scores: &mut [f32]) {
        let sessions = index.sessions();
        for (document, cell) in sessions.iter() {
            if let (Some(score), Some(sum)) = (scores.get_mut(document as usize), self.sums.get(cell)) {
                *score += sum;
                if *score > 0.0 {
                    *score += SESSION * self.scores[sessions.owner(cell)];
                }
            }
        }
    }
}

/// The cells around one: an array, which the compiler keeps in vector registers.
fn around(cells: &mut [f32], cell: usize) -> Option<&mut [f32; WINDOW_CELLS]> {
    cells.get_mut(cell - WINDOW..)?.first_chunk_mut()
}

/// The postings of documents in sessions, with their cells.
fn in_sessions<'p>(index: &'p Index, postings: &'p [Posting]) -> impl Iterator<Item = (usize, &'p Posting)> {
    let sessions = index.sessions();
    postings.iter().filter_map(|posting| Some((sessions.cell_of(posting.document)?, posting)))
}
