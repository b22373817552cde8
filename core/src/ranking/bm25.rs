//! BM25: ranks texts by the words that they share with a query.
//!
//! Rare words count more than frequent ones, each repetition in a text counts less than the one before, and words count
//! less in long texts than in short ones.

use super::{Scored, Words};

/// How quickly repetitions of a word stop counting.
const K1: f64 = 1.2;
/// How strongly the length of a text counts, from 0 to 1.
const B: f64 = 0.75;

/// A text that contains words of the query.
struct Match {
    index: usize,
    words: usize,
    /// The words of the query in the text: the index of the word, and its number of occurrences.
    counts: Vec<(usize, usize)>,
}

/// Scores `texts` against `query`, in the order of the texts. Texts without any word of the query are omitted. A
/// repeated word of the query counts once.
pub fn bm25<'t>(query: &str, texts: impl Iterator<Item = &'t str>) -> Vec<Scored> {
    let query = Words::of(query);
    // Sorted, so that the sums are the same to the last bit whatever the order of the words in the query.
    let mut wanted: Vec<&str> = query.iter().collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Vec::new();
    }
    let (mut matches, mut all_texts, mut all_words) = (Vec::new(), 0_usize, 0_usize);
    let mut texts_with = vec![0_usize; wanted.len()];
    for (index, text) in texts.enumerate() {
        let found = find(&wanted, index, text);
        all_texts += 1;
        all_words += found.words;
        for (word, _) in &found.counts {
            texts_with[*word] += 1;
        }
        if !found.counts.is_empty() {
            matches.push(found);
        }
    }
    let rarity: Vec<f64> = texts_with.iter().map(|with| rarity(*with, all_texts)).collect();
    let mean_words = all_words as f64 / all_texts.max(1) as f64;
    let score = |found: &Match| -> f64 {
        // A matching text has a word, so the mean is not zero.
        let length = K1 * (1.0 - B + B * found.words as f64 / mean_words);
        let weigh = |&(word, count): &(usize, usize)| {
            let count = count as f64;
            rarity[word] * count * (K1 + 1.0) / (count + length)
        };
        found.counts.iter().map(weigh).sum()
    };
    matches.iter().map(|found| Scored { index: found.index, score: score(found) }).collect()
}

/// Counts the words of `wanted`, which is sorted, in a text.
fn find(wanted: &[&str], index: usize, text: &str) -> Match {
    let mut found = Match { index, words: 0, counts: Vec::new() };
    let mut places = Vec::new();
    for word in Words::of(text).iter() {
        found.words += 1;
        places.extend(wanted.binary_search(&word));
    }
    places.sort_unstable();
    found.counts.extend(places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())));
    found
}

/// The weight of a word that occurs in `with` of `all` texts: the inverse document frequency, in its non-negative form.
fn rarity(with: usize, all: usize) -> f64 {
    let (with, without) = (with as f64, all.saturating_sub(with) as f64);
    (1.0 + (without + 0.5) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;
    use crate::ranking::best;

    fn order(query: &str, texts: &[&str]) -> Vec<usize> {
        best(bm25(query, texts.iter().copied()), texts.len()).iter().map(|it| it.index).collect()
    }

    #[test]
    fn a_text_without_a_word_of_the_query_is_omitted() {
        assert_eq!(order("lock", &["the lock", "blocks", "", "Lock, held"]), [3, 0]);
        assert_eq!(order("lock", &[]), [0; 0]);
        for nothing in ["", " …, ", "unheard"] {
            assert_eq!(order(nothing, &["the lock", ""]), [0; 0]);
        }
    }

    #[test]
    fn a_rare_word_counts_more_than_a_frequent_one() {
        assert_eq!(order("the journal", &["the end", "a journal", "the start", "the rest"])[0], 1);
    }

    #[test]
    fn a_text_with_more_occurrences_or_fewer_words_comes_first() {
        assert_eq!(order("lock", &["lock a b", "lock lock b", "a b c"]), [1, 0]);
        assert_eq!(order("lock", &["lock", "lock and much else besides", "a b c"]), [0, 1]);
    }

    #[test]
    fn of_texts_with_equal_scores_the_newer_comes_first() {
        assert_eq!(order("a b c", &["a b c", "c, b, a", "B a C", "d"]), [2, 1, 0]);
        assert_eq!(bm25("a b b A", ["a b", "b"].into_iter()), bm25("b a", ["a b", "b"].into_iter()));
    }

    #[test]
    fn a_word_that_occurs_in_every_text_still_counts() {
        let scored = bm25("the", ["the", "the", "the"].into_iter());
        assert_eq!(scored.len(), 3);
        assert!(scored.iter().all(|it| it.score > 0.0));
    }

    #[test]
    fn a_score_is_the_result_of_the_formula() {
        // idf = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)); tf 2, 4 words of 3 on average.
        let expected = (8.0_f64 / 3.0).ln() * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 4.0 / 3.0));
        let scored = bm25("lock", ["lock a lock b", "c d", "e f g"].into_iter());
        assert_eq!(scored.len(), 1);
        assert!((scored[0].score - expected).abs() < 1e-12, "{scored:?}");
    }

    /// The formula as published, text by text and word by word.
    fn naive(query: &str, texts: &[String]) -> HashMap<usize, f64> {
        let words = |text: &str| Words::of(text).iter().map(str::to_owned).collect::<Vec<String>>();
        let all = texts.len() as f64;
        let mean = texts.iter().map(|text| words(text).len() as f64).sum::<f64>() / all;
        let mut scores = HashMap::new();
        for word in words(query).into_iter().collect::<BTreeSet<_>>() {
            let with = texts.iter().filter(|text| words(text).contains(&word)).count() as f64;
            let idf = ((all - with + 0.5) / (with + 0.5) + 1.0).ln();
            for (index, text) in texts.iter().enumerate() {
                let tf = words(text).iter().filter(|it| **it == word).count() as f64;
                if tf > 0.0 {
                    let length = words(text).len() as f64 / mean;
                    *scores.entry(index).or_insert(0.0) += idf * (tf * 2.2) / (tf + 1.2 * (0.25 + 0.75 * length));
                }
            }
        }
        scores
    }

    proptest! {
        #[test]
        fn order_and_scores_are_those_of_a_naive_implementation(
            query in "[a-e ]{0,12}",
            texts in prop::collection::vec("([a-g]{1,2} ?){0,12}", 0..20),
        ) {
            let expected = naive(&query, &texts);
            let ranked = best(bm25(&query, texts.iter().map(String::as_str)), usize::MAX);
            prop_assert_eq!(ranked.len(), expected.len());
            for it in &ranked {
                prop_assert!((it.score - expected[&it.index]).abs() < 1e-9);
            }
            // Sums in another order may differ in their last bits, so equal scores may come in either order.
            prop_assert!(ranked.windows(2).all(|pair| expected[&pair[0].index] > expected[&pair[1].index] - 1e-9));
        }

        #[test]
        fn every_score_is_a_number_above_zero(
            query in "\\PC{0,40}",
            texts in prop::collection::vec("\\PC{0,60}", 0..12),
        ) {
            // The query is one of the texts, so that there are matches.
            for it in bm25(&query, texts.iter().map(String::as_str).chain([query.as_str()])) {
                prop_assert!(it.score.is_finite() && it.score > 0.0, "{:?}", it);
            }
        }
    }
}
