//! Fuses the scores of texts with the cosines of vectors.
//!
//! Both are put on a scale on which the mean of all documents is 0 and the best one is 1, and averaged. With files in the query,
//! the vectors count less: a cosine knows nothing of the changes that were made to a file.

#![allow(clippy::cast_possible_truncation, reason = "scores are small")]

use super::Index;
use super::matches::Matches;
use super::search::{Query, mean};
use super::sessions::{WINDOW, discount};
use super::vectors::Unit;

/// What the vectors count in relation to the text.
const WEIGHT: f32 = 1.0;
/// The same if the query has files.
const WEIGHT_WITH_FILES: f32 = 0.35;
/// What the cosines of neighbours in a session count.
const NEIGHBOURS: f32 = 0.4;
/// From where on the scale a document matches by its vector alone.
const MATCHING: f32 = 0.5;
/// What the text counts if the fused score is below the mean: such documents come last, but they do match.
const REST: f32 = 1e-3;
/// Up to how many vectors all cosines are computed.
const MAX_EXACT: usize = 20_000;
/// Of how many documents the cosines are computed otherwise: those with the best estimates.
const CANDIDATES: usize = 1_000;

/// Fuses `scores`, which are those of the texts, with the cosines to the vector of the query.
pub(super) fn fuse(indexes: &[&Index], scores: &mut [Vec<f32>], query: &Query<'_>) {
    let Some(vector) = query.embedding.and_then(Unit::of) else { return };
    let rows = |index: &&Index| index.vectors(vector.dimension()).map(|(_, rows)| rows.len()).sum::<usize>();
    let total: usize = indexes.iter().map(rows).sum();
    if total == 0 {
        return;
    }
    let weight = if query.files.is_empty() { WEIGHT } else { WEIGHT_WITH_FILES };
    let fused = |texts: &[Vec<f32>], cosines: &[Vec<f32>]| {
        let mean = mean_of(cosines);
        let near = indexes.iter().zip(cosines).map(|(index, cosines)| with_neighbours(index, cosines, mean)).collect();
        fused(texts, near, weight)
    };
    if total <= MAX_EXACT {
        let cosines: Vec<_> = indexes.iter().map(|index| all_cosines(index, &vector)).collect();
        let fused = fused(scores, &cosines);
        scores.iter_mut().zip(fused).for_each(|(scores, fused)| *scores = fused);
        return;
    }
    let mut cosines: Vec<_> = indexes.iter().map(|index| estimates(index, &vector)).collect();
    let estimated = Matches { scores: fused(scores, &cosines) };
    let least = estimated.nth_best(CANDIDATES);
    for hit in estimated.at_least(least) {
        if let Some(row) = indexes[hit.index].vector_of(hit.document, vector.dimension()) {
            cosines[hit.index][hit.document as usize] = vector.cosine(row);
        }
    }
    let fused = fused(scores, &cosines);
    for ((scores, fused), estimated) in scores.iter_mut().zip(fused).zip(estimated.scores) {
        for ((score, fused), estimated) in scores.iter_mut().zip(fused).zip(estimated) {
            // By an estimate alone, nothing matches.
            if *score > 0.0 || estimated >= least {
                *score = fused;
            }
        }
    }
}

/// The cosine of each document; NaN if it has no vector.
fn all_cosines(index: &Index, vector: &Unit) -> Vec<f32> {
    of_vectors(index, vector, |_, values| vector.cosine(values))
}

/// As [`all_cosines`], estimated.
fn estimates(index: &Index, vector: &Unit) -> Vec<f32> {
    let by_differences = vector.estimates();
    of_vectors(index, vector, |signs, _| by_differences.get(vector.differences(signs)).copied().unwrap_or(f32::NAN))
}

fn of_vectors(index: &Index, vector: &Unit, cosine: impl Fn(&[u8], &[u8]) -> f32) -> Vec<f32> {
    let mut cosines = vec![f32::NAN; index.lengths.len()];
    for (first, rows) in index.vectors(vector.dimension()) {
        for (document, signs, values) in rows.iter() {
            if !index.is_removed(document + first)
                && let Some(place) = cosines.get_mut((document + first) as usize)
            {
                *place = cosine(signs, values);
            }
        }
    }
    cosines
}

/// The cosines with those of the neighbours in sessions, as far as these differ from the mean.
fn with_neighbours(index: &Index, cosines: &[f32], mean: f32) -> Vec<f32> {
    let mut sums = cosines.to_vec();
    if index.has_sessions() {
        for (document, sum) in (0..).zip(&mut sums).filter(|(_, sum)| !sum.is_nan()) {
            index.each_neighbour(document, WINDOW, |neighbour, distance| {
                let cosine = cosines.get(neighbour as usize).filter(|cosine| !cosine.is_nan());
                // Seen from the neighbour, the document is on the other side.
                *sum += cosine.map_or(0.0, |cosine| NEIGHBOURS * discount(-distance) * (cosine - mean));
            });
        }
    }
    sums
}

fn present(cosines: &[Vec<f32>]) -> impl Iterator<Item = f32> + '_ {
    cosines.iter().flatten().copied().filter(|cosine| !cosine.is_nan())
}

fn mean_of(cosines: &[Vec<f32>]) -> f32 {
    mean(present(cosines), present(cosines).count() as u64)
}

/// The fused scores of all documents.
fn fused(texts: &[Vec<f32>], mut cosines: Vec<Vec<f32>>, weight: f32) -> Vec<Vec<f32>> {
    let mean = mean_of(&cosines);
    let range = present(&cosines).fold(f32::MIN, f32::max) - mean;
    for (text, cosine) in texts.iter().zip(&mut cosines).flat_map(|(texts, cosines)| texts.iter().zip(cosines)) {
        // A document without a vector is as near as the mean. So are all of them, if they are equally near.
        let near = if cosine.is_nan() || range <= f32::EPSILON { 0.0 } else { (*cosine - mean) / range };
        let fused = (text + weight * near) / (1.0 + weight);
        *cosine = match text {
            text if *text > 0.0 => fused.max(text * REST),
            _ if near >= MATCHING => fused,
            _ => 0.0,
        };
    }
    cosines
}
