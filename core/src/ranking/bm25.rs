//! BM25: how well texts fit a query, by the words they share with it.
//!
//! A word counts the more, the fewer texts have it; that a text repeats it counts less each time; and a long text has
//! to say it more often than a short one.

use super::{Scored, Words};

/// How soon repeating a word stops to count.
const K1: f64 = 1.2;
/// How much the length of a text counts, from 0 to 1.
const B: f64 = 0.75;

/// A text that has words of the query.
struct Match {
    index: usize,
    words: usize,
    /// How often it has which word of the query: the word's place among them, and the count.
    counts: Vec<(usize, usize)>,
}

/// Scores `texts` against `query`, in their order. A text that has none of its words is not in the answer. A word that
/// the query repeats counts once.
///
/// ```
/// use loopmem::ranking::{best, bm25};
///
/// let logs = ["ran the tests", "the lock was held", "the lock was held by a process that holds every lock"];
/// let found = best(bm25("held lock", logs.into_iter()), 1);
/// assert_eq!(found[0].index, 1);
/// ```
pub fn bm25<'t>(query: &str, texts: impl Iterator<Item = &'t str>) -> Vec<Scored> {
    let query = Words::of(query);
    // In one order, whatever the query's: the sums come out the same to the last bit.
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
        // A text that matches has a word, so the mean is no zero.
        let length = K1 * (1.0 - B + B * found.words as f64 / mean_words);
        let weigh = |&(word, count): &(usize, usize)| {
            let count = count as f64;
            rarity[word] * count * (K1 + 1.0) / (count + length)
        };
        found.counts.iter().map(weigh).sum()
    };
    matches.iter().map(|found| Scored { index: found.index, score: score(found) }).collect()
}

/// Counts the words of `wanted`, which are sorted, in a text.
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

/// What a word weighs that so many texts of all have: inverse document frequency, in the form that is never negative.
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
    fn a_text_without_a_word_of_the_query_is_not_in_the_answer() {
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
    fn a_text_that_says_it_more_often_or_more_briefly_comes_first() {
        assert_eq!(order("lock", &["lock a b", "lock lock b", "a b c"]), [1, 0]);
        assert_eq!(order("lock", &["lock", "lock and much else besides", "a b c"]), [0, 1]);
    }

    #[test]
    fn of_texts_that_fit_alike_the_newer_comes_first_however_they_put_it() {
        assert_eq!(order("a b c", &["a b c", "c, b, a", "B a C", "d"]), [2, 1, 0]);
        assert_eq!(bm25("a b b A", ["a b", "b"].into_iter()), bm25("b a", ["a b", "b"].into_iter()));
    }

    #[test]
    fn a_word_that_every_text_has_still_counts_for_a_match() {
        let scored = bm25("the", ["the", "the", "the"].into_iter());
        assert_eq!(scored.len(), 3);
        assert!(scored.iter().all(|it| it.score > 0.0));
    }

    #[test]
    fn a_score_is_the_number_that_the_formula_gives() {
        // idf = ln(1 + (3 - 1 + 0.5) / (1 + 0.5)); tf 2, 4 words of 3 on average.
        let expected = (8.0_f64 / 3.0).ln() * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 4.0 / 3.0));
        let scored = bm25("lock", ["lock a lock b", "c d", "e f g"].into_iter());
        assert_eq!(scored.len(), 1);
        assert!((scored[0].score - expected).abs() < 1e-12, "{scored:?}");
    }

    /// The formula as it is printed, text by text and word by word.
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
            // Sums in another order may differ in their last bits, and then nobody comes before the other.
            prop_assert!(ranked.windows(2).all(|pair| expected[&pair[0].index] > expected[&pair[1].index] - 1e-9));
        }

        #[test]
        fn every_score_is_a_number_above_zero(
            query in "\\PC{0,40}",
            texts in prop::collection::vec("\\PC{0,60}", 0..12),
        ) {
            // The query is one of the texts too, so that there are matches.
            for it in bm25(&query, texts.iter().map(String::as_str).chain([query.as_str()])) {
                prop_assert!(it.score.is_finite() && it.score > 0.0, "{:?}", it);
            }
        }
    }
}
