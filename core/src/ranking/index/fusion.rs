//! Fuses the scores of texts with the cosines of vectors.
//!
//! Both are put on a scale on which the mean of all documents is 0 and the best one is 1, and averaged. The vectors count the more,
//! the higher the best cosine stands above the others, and less with many words, which say by themselves what is meant. A document
//! without a vector keeps the place that its words give it.

use multiversion::multiversion;

use super::Index;
use super::document::Query;
use super::matches::{Hit, Matches, best};
use super::neighbours::DISCOUNTS;
use super::sessions::WINDOW;
use super::spread::Spread;
use super::vectors::{Rows, Unit};

/// The weight of the vectors in relation to a short text, if the best cosine were 1 and the others 0 (`recall.vectorWeight`).
const WEIGHT: f32 = 3.0;
/// How many vectors say what an ordinary cosine is.
const FEW: usize = 10;
/// How many words say by themselves what is meant.
const MANY_WORDS: f32 = 8.0;
/// The weight of the cosines of neighbours in a session.
const NEIGHBOURS: f32 = 0.4;
/// From where on the scale a document matches by its vector alone.
const MATCHING: f32 = 0.5;
/// The weight of the text if the fused score is below the mean: such documents come last, but they do match.
const REST: f32 = 1e-3;
/// Up to how many numbers all cosines are computed: those of 20,000 vectors of 384 dimensions. Signs estimate the better, the more
/// dimensions there are.
const MAX_EXACT: usize = 20_000 * 384;
/// Of how many documents the cosines are computed otherwise: those with the best scores by their estimates.
const CANDIDATES: usize = 1_000;

/// Fuses `scores`, which are those of the texts, with the cosines to the vector of the query. Returns the mean of the other cosines
/// than the best one; `None` if there are too few to compare.
pub(super) fn fuse(indexes: &[&Index], scores: &mut [Vec<f32>], query: &Query<'_>) -> Option<f32> {
    let vector = query.embedding.and_then(Unit::of)?;
    let total: usize = indexes.iter().map(|index| index.count_vectors(vector.dimension())).sum();
    if total == 0 {
        return None;
    }
    let most = most(query);
    let places = Places::of(indexes, scores, vector.dimension());
    let others;
    if total * vector.dimension() <= MAX_EXACT {
        let mut cosines: Vec<_> = indexes.iter().map(|index| all_cosines(index, &vector)).collect();
        others = Spread::of(&cosines).mean_of_others();
        add_all_neighbours(indexes, &mut cosines);
        add(scores, &cosines, most, &cosines, f32::MIN);
    } else {
        let mut cosines: Vec<_> = indexes.iter().map(|index| estimates(index, &vector)).collect();
        let (candidates, least) = candidates(indexes, scores, &cosines, most);
        for hit in candidates.at_least(least) {
            if let Some(row) = indexes[hit.index].vector_of(hit.document, vector.dimension()) {
                cosines[hit.index][hit.document as usize] = vector.cosine(row);
            }
        }
        others = Spread::of(&cosines).mean_of_others();
        add_all_neighbours(indexes, &mut cosines);
        add(scores, &cosines, most, &candidates.scores, least);
    }
    places.keep(scores);
    (total >= FEW).then_some(others)
}

/// How high a cosine stands above the mean of others, as the part of what is possible.
pub(super) fn height(cosine: f32, others: f32) -> f32 {
    ((cosine - others) / (1.0 - others).max(f32::EPSILON)).clamp(0.0, 1.0)
}

/// The weight of the vectors in relation to the text of `query`, if the best cosine were 1 and the others 0.
fn most(query: &Query<'_>) -> f32 {
    let terms = query.prompt.map_or(0, |prompt| prompt.terms().len());
    let words = (MANY_WORDS / terms.max(1) as f32).min(1.0);
    query.vector_weight.unwrap_or(WEIGHT) * words * words
}

/// The weight of vectors whose cosines spread so, if it is at most `most`.
fn weight(spread: &Spread, most: f32) -> f32 {
    most * height(spread.most, spread.mean_of_others())
}

/// The documents without a vector that are among the best by their words, each with its place.
struct Places(Vec<(Hit, usize)>);

impl Places {
    /// Beyond so many, no place is kept.
    const MOST: usize = 1_000;

    fn of(indexes: &[&Index], scores: &[Vec<f32>], dimension: usize) -> Self {
        let has_all = |index: &&Index| index.count_vectors(dimension) as u64 == index.searchable();
        if indexes.iter().all(has_all) {
            return Places(Vec::new());
        }
        let is_without =
            |hit: &Hit| indexes.get(hit.index).is_some_and(|index| index.vector_of(hit.document, dimension).is_none());
        let best = best(scores, Places::MOST);
        Places(best.into_iter().zip(0..).filter(|(hit, _)| is_without(hit)).collect())
    }

    /// Raises the scores of those that others were put before.
    fn keep(self, scores: &mut [Vec<f32>]) {
        if self.0.is_empty() {
            return;
        }
        let now = best(scores, Places::MOST);
        for (hit, place) in self.0 {
            let own = scores.get_mut(hit.index).and_then(|scores| scores.get_mut(hit.document as usize));
            if let (Some(own), Some(there)) = (own, now.get(place)) {
                *own = own.max(there.score);
            }
        }
    }
}

/// The expected scores of the documents by the estimates, above 0, and the least of those whose cosines are computed.
fn candidates(indexes: &[&Index], texts: &[Vec<f32>], estimates: &[Vec<f32>], most: f32) -> (Matches, f32) {
    let mut near = estimates.to_vec();
    add_all_neighbours(indexes, &mut near);
    let spread = Spread::of(&near);
    let mean = spread.mean();
    let range = (spread.most - mean).max(f32::EPSILON);
    let weight = weight(&spread, most);
    // Enough to be above 0, whatever the cosine.
    let base = 1.0 + weight * (2.0 + mean.abs()) / range * 2.0;
    let factor = weight / range;
    for (texts, near) in texts.iter().zip(&mut near) {
        for (text, near) in texts.iter().zip(near) {
            *near = if near.is_nan() { 0.0 } else { base + text + factor * (*near - mean) };
        }
    }
    let candidates = Matches { scores: near, ..Matches::default() };
    let least = candidates.nth_best(CANDIDATES);
    (candidates, least)
}

/// The cosine of each document; NaN if it has no vector.
fn all_cosines(index: &Index, vector: &Unit) -> Vec<f32> {
    of_vectors(index, vector, |rows| rows.iter().map(|(.., values)| vector.cosine(values)).collect())
}

/// As [`all_cosines`], estimated.
fn estimates(index: &Index, vector: &Unit) -> Vec<f32> {
    let by_differences = vector.estimates();
    let estimate = |differences: u32| by_differences.get(differences as usize).copied().unwrap_or(f32::NAN);
    of_vectors(index, vector, |rows| vector.differences(&rows).into_iter().map(estimate).collect())
}

/// The cosines that `cosines_of` gives for rows, each at the place of its document.
fn of_vectors(index: &Index, vector: &Unit, cosines_of: impl Fn(Rows<'_>) -> Vec<f32>) -> Vec<f32> {
    let mut cosines = vec![f32::NAN; index.lengths.len()];
    for (first, rows) in index.vectors(vector.dimension()) {
        for (document, cosine) in rows.documents().zip(cosines_of(rows)) {
            if !index.is_removed(document + first)
                && let Some(place) = cosines.get_mut((document + first) as usize)
            {
                *place = cosine;
            }
        }
    }
    cosines
}

/// Adds the cosines of the neighbours in sessions, as far as these differ from the mean.
fn add_neighbours(index: &Index, cosines: &mut [f32], mean: f32) {
    if index.sessions().is_empty() {
        return;
    }
    let mut in_cells = vec![0.0; index.sessions().cells()];
    for (document, cell) in index.sessions().iter() {
        let cosine = cosines.get(document as usize).filter(|cosine| !cosine.is_nan());
        in_cells[cell] = cosine.map_or(0.0, |cosine| cosine - mean);
    }
    for (document, cell) in index.sessions().iter() {
        let around = in_cells.get(cell - WINDOW..cell + WINDOW + 1).unwrap_or_default();
        // Those before a document count as much for it as it counts for those after it.
        let sum: f32 = around.iter().zip(DISCOUNTS.iter().rev()).map(|(cosine, discount)| cosine * discount).sum();
        if let Some(cosine) = cosines.get_mut(document as usize) {
            *cosine += NEIGHBOURS * sum;
        }
    }
}

fn add_all_neighbours(indexes: &[&Index], cosines: &mut [Vec<f32>]) {
    if indexes.iter().any(|index| !index.sessions().is_empty()) {
        let mean = Spread::of(cosines).mean();
        indexes.iter().zip(cosines).for_each(|(index, cosines)| add_neighbours(index, cosines, mean));
    }
}

/// Fuses the scores of texts with cosines, whose weight is at most `most`. A document matches by its cosine alone if it has at least `least` in `candidates`.
fn add(scores: &mut [Vec<f32>], cosines: &[Vec<f32>], most: f32, candidates: &[Vec<f32>], least: f32) {
    let spread = Spread::of(cosines);
    let mean = spread.mean();
    let range = spread.most - mean;
    let weight = weight(&spread, most);
    // If all are equally near, they are all the nearest.
    let (factor, nearest) = if range > f32::EPSILON { (range.recip(), 0.0) } else { (0.0, 1.0) };
    let scale = Scale { mean, factor, nearest, weight, share: (1.0 + weight).recip(), least };
    for ((scores, cosines), candidates) in scores.iter_mut().zip(cosines).zip(candidates) {
        add_to(scores, cosines, candidates, &scale);
    }
}

/// The scale on which scores and cosines are fused.
struct Scale {
    mean: f32,
    factor: f32,
    nearest: f32,
    weight: f32,
    share: f32,
    least: f32,
}

/// Fuses the scores of one index. Without branches, and compiled for wide vector registers, too: the result is the same.
#[multiversion(targets("x86_64+avx2"))]
fn add_to(scores: &mut [f32], cosines: &[f32], candidates: &[f32], scale: &Scale) {
    for ((score, cosine), candidate) in scores.iter_mut().zip(cosines).zip(candidates) {
        // A document without a vector is ranked by its words: as if its vector said the same.
        let near = if cosine.is_nan() { *score } else { scale.nearest + (*cosine - scale.mean) * scale.factor };
        let fused = (*score + scale.weight * near) * scale.share;
        let rest = *score * REST;
        let by_text = if fused > rest { fused } else { rest };
        let matches = (near >= MATCHING) & (*cosine > 0.0) & (*candidate >= scale.least);
        let by_vector = if matches { fused } else { 0.0 };
        *score = if *score > 0.0 { by_text } else { by_vector };
    }
}
