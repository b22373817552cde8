//! Ranking of texts and vectors. Pure functions without I/O.
//!
//! An [`Index`] scores texts by the terms that they share with a query, [`cosine`] scores vectors by their direction, and
//! [`best`] sorts by score. The same input produces the same order whenever it is ranked by the same build; the logarithms of
//! another platform may differ in the last bit.

mod cosine;
mod index;
mod near;
mod prompt;
mod stop_words;
mod terms;

use std::cmp::Ordering;

pub use cosine::cosine;
pub use index::{
    ATTRIBUTES, Bm25, Content, Document, Field, Hit, Index, JUDGED, Matched, Matches, Query, Scale, Segment,
    crate_term, lang_term, matched, path_steps, rarity, search, sortable, with_hints,
};
pub use prompt::Prompt;
#[cfg(feature = "testing")]
pub use stop_words::is_stop_word;
pub use terms::Analyzer;

/// The score of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The index of the item.
    pub index: usize,
    /// How well it matches; higher is better.
    pub score: f64,
}

impl Scored {
    /// Higher scores first; of equal scores the later item, which is the newer.
    fn before(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.index.cmp(&self.index))
    }
}

/// The `limit` items with the highest scores, best first. Of equal scores, the later item comes first. Items with a
/// score of NaN are omitted.
pub fn best(mut scored: Vec<Scored>, limit: usize) -> Vec<Scored> {
    scored.retain(|it| !it.score.is_nan());
    // Only sort the items that are returned.
    if limit < scored.len() {
        scored.select_nth_unstable_by(limit, Scored::before);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(Scored::before);
    scored
}

/// Scores `texts` against the words of `prompt`, in the order of the texts. Texts without any of them are omitted.
pub fn lexical<'t>(prompt: &Prompt, texts: impl Iterator<Item = &'t str>) -> Vec<Scored> {
    rank(&Query { prompt: Some(prompt), ..Query::default() }, texts.map(|text| Content { text, ..Content::default() }))
}

/// Scores documents against `query`, in their order. Those that do not match are omitted.
pub fn rank<'t>(query: &Query<'_>, documents: impl Iterator<Item = Content<'t>>) -> Vec<Scored> {
    let mut index = Index::default();
    for content in documents {
        index.insert(&Document { content: Some(content), ..Document::default() });
    }
    let matches = search(&[&index], query);
    let scored = |hit: Hit| Scored { index: hit.document as usize, score: f64::from(hit.score) };
    matches.at_least(0.0).into_iter().map(scored).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scored(scores: &[f64]) -> Vec<Scored> {
        scores.iter().enumerate().map(|(index, &score)| Scored { index, score }).collect()
    }

    fn indexes(scored: &[Scored]) -> Vec<usize> {
        scored.iter().map(|it| it.index).collect()
    }

    #[test]
    fn the_best_comes_first_and_of_equal_scores_the_newer() {
        let all = scored(&[1.0, 3.0, 2.0, 3.0, 1.0]);
        assert_eq!(indexes(&best(all.clone(), 5)), [3, 1, 2, 4, 0]);
        assert_eq!(indexes(&best(all.clone(), 2)), [3, 1]);
        assert_eq!(indexes(&best(all.clone(), usize::MAX)), [3, 1, 2, 4, 0]);
        assert_eq!(best(all, 0), []);
        assert_eq!(best(Vec::new(), 7), []);
    }

    #[test]
    fn a_score_of_nan_is_omitted() {
        assert_eq!(indexes(&best(scored(&[f64::NAN, 0.5, -f64::NAN, 0.7]), 2)), [3, 1]);
    }

    proptest! {
        #[test]
        fn a_limit_returns_the_first_of_all_in_order(
            scores in prop::collection::vec(0..8_u8, 0..60),
            limit in 0..70_usize,
        ) {
            let all = scored(&scores.into_iter().map(f64::from).collect::<Vec<_>>());
            // A stable sort of the reversed items: of equal scores, the later item comes first.
            let mut expected: Vec<Scored> = all.iter().rev().copied().collect();
            expected.sort_by(|a, b| b.score.total_cmp(&a.score));
            expected.truncate(limit);
            prop_assert_eq!(best(all, limit), expected);
        }
    }
}
