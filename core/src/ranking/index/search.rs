//! Scores the documents of indexes against a query.
//!
//! The text is scored by BM25. In a session, a term of a neighbouring document counts too, at a discount, and so does how well
//! the session as a whole matches. Files, packages and languages are scored apart from the text, as the part of a hint that a
//! document shares, in which rare names count more. A document that matches in none of these is not returned.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scores are small and not negative")]

use std::collections::HashMap;

use super::Index;
use super::delta::Posting;
use super::fields::{Field, crate_term, each_query_path_term, field_of, lang_term};
use crate::ranking::terms::Analyzer;

/// How far neighbours in a session count, on each side.
const WINDOW: i32 = 4;
/// What a term in the document just before counts; one just behind counts half of it.
const NEIGHBOUR: f32 = 0.6;
/// How much less a neighbour counts with each step.
const STEP: f32 = 0.8;
/// What the score of a session counts.
const SESSION: f32 = 0.6;
/// How quickly repetitions of a term in a session stop counting, and how strongly its length counts.
const SESSION_PARAMETERS: Parameters = Parameters { k1: 1.2, b: 0.5 };

/// What a full match in a field counts, in relation to the text that matches best.
fn weight(field: Field) -> f32 {
    match field {
        Field::File | Field::Folder => 1.0,
        Field::Crate => 0.5,
        Field::Lang => 0.2,
    }
}

/// A query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// What the text is compared with.
    pub text: &'q str,
    /// The files at hand.
    pub files: &'q [String],
    /// The packages at hand.
    pub crates: &'q [String],
    /// The languages at hand.
    pub langs: &'q [String],
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

/// In what a document matches a query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matched {
    /// Terms of its text.
    pub terms: Vec<String>,
    /// What it shares in its fields, the most specific first.
    pub fields: Vec<(Field, String)>,
    /// Terms that only neighbours of the same session contain.
    pub neighbouring: Vec<String>,
}

/// The documents of `indexes` that match, in the order of the indexes. They are scored together, as if they were in one index.
pub fn search(indexes: &[&Index], query: &Query<'_>) -> Vec<Hit> {
    let statistics = Statistics::of(indexes);
    let mut found: Vec<Found> = indexes.iter().map(|index| Found::new(index)).collect();
    // Sorted, so that the sums are the same to the last bit whatever the order of the words.
    for term in Analyzer::default().distinct(query.text) {
        let rarity = rarity(find(indexes, &mut found, &term), statistics.documents);
        let in_sessions: u64 = found.iter_mut().zip(indexes).map(|(it, index)| it.count_sessions(index)).sum();
        let session_rarity = self::rarity(in_sessions, statistics.sessions);
        for (found, index) in found.iter_mut().zip(indexes) {
            found.add_text(index, rarity, &statistics);
            found.add_sessions(index, session_rarity, &statistics);
        }
    }
    found.iter_mut().zip(indexes).for_each(|(found, index)| found.add_session_scores(index));
    scale(&mut found, statistics.documents);
    for (field, hints) in hints_of(query) {
        add_hints(indexes, &mut found, field, &hints, statistics.documents);
    }
    let hits = |(index, found): (usize, Found)| {
        let Found { scores, mut touched, .. } = found;
        touched.sort_unstable();
        touched.into_iter().map(move |document| Hit { index, document, score: scores[document as usize] })
    };
    found.into_iter().enumerate().flat_map(hits).collect()
}

/// In what a document of `index` matches.
pub fn matched(index: &Index, document: u32, query: &Query<'_>) -> Matched {
    let mut matched = Matched::default();
    for term in Analyzer::default().distinct(query.text) {
        if index.contains(&term, document) {
            matched.terms.push(term);
            continue;
        }
        let mut is_near = false;
        if index.has_sessions() {
            index.each_neighbour(document, WINDOW, |neighbour, _| is_near |= index.contains(&term, neighbour));
        }
        if is_near {
            matched.neighbouring.push(term);
        }
    }
    for term in hints_of(query).into_iter().flat_map(|(_, hints)| hints).flatten() {
        if let Some((field, name)) = field_of(&term).filter(|_| index.contains(&term, document)) {
            matched.fields.push((field, name.to_owned()));
        }
    }
    matched.fields.sort_by(|(one, a), (other, b)| one.cmp(other).then(b.len().cmp(&a.len())).then(a.cmp(b)));
    matched.fields.dedup();
    matched
}

/// The hints of a query by field, each with the terms that it consists of.
fn hints_of(query: &Query<'_>) -> [(Field, Vec<Vec<String>>); 3] {
    let path_terms = |path: &String| {
        let mut terms = Vec::new();
        each_query_path_term(path, |term| terms.push(term.to_owned()));
        terms
    };
    [
        (Field::File, query.files.iter().map(path_terms).collect()),
        (Field::Crate, query.crates.iter().map(|package| vec![crate_term(package)]).collect()),
        (Field::Lang, query.langs.iter().map(|lang| vec![lang_term(lang)]).collect()),
    ]
}

/// What the scores of all documents depend on.
struct Statistics {
    documents: u64,
    mean_words: f32,
    parameters: Parameters,
    sessions: u64,
    mean_session_words: f32,
}

impl Statistics {
    fn of(indexes: &[&Index]) -> Self {
        let sum = |of: fn(&Index) -> u64| indexes.iter().map(|index| of(index)).sum::<u64>();
        let mean = |words: u64, all: u64| (words as f32 / all.max(1) as f32).max(1.0);
        let (documents, words) = (sum(|index| index.searchable), sum(|index| index.words));
        let sessions = sum(|index| index.session_words.len() as u64);
        let session_words = sum(|index| index.session_words.values().map(|(words, _)| *words).sum());
        let mean_words = mean(words, documents);
        let parameters = Parameters::for_mean(mean_words);
        Statistics { documents, mean_words, parameters, sessions, mean_session_words: mean(session_words, sessions) }
    }
}

/// The parameters of BM25.
#[derive(Debug, Clone, Copy)]
struct Parameters {
    /// How quickly repetitions of a term stop counting.
    k1: f32,
    /// How strongly the length of a text counts, from 0 to 1.
    b: f32,
}

impl Parameters {
    /// The parameters for texts of `mean` words: in sentences, repetitions and lengths say less than in pages.
    fn for_mean(mean: f32) -> Self {
        const SENTENCE: f32 = 10.0;
        const PAGE: f32 = 60.0;
        let x = ((mean / SENTENCE).ln() / (PAGE / SENTENCE).ln()).clamp(0.0, 1.0);
        Parameters { k1: 0.6 + 0.6 * x, b: 0.3 + 0.45 * x }
    }

    /// How much `count` occurrences count in a text of `words` words.
    fn saturation(self, count: f32, words: f32, mean: f32) -> f32 {
        count * (self.k1 + 1.0) / (count + self.k1 * (1.0 - self.b + self.b * words / mean))
    }
}

/// The scores of the documents of one index.
struct Found {
    scores: Vec<f32>,
    /// The documents with a score, in no order.
    touched: Vec<u32>,
    /// The postings of the current term.
    postings: Vec<Posting>,
    /// What neighbours contribute to each document for the current term.
    credits: Vec<f32>,
    credited: Vec<u32>,
    /// How often the current term occurs in each session.
    session_counts: HashMap<u64, u32>,
    /// The score of each session.
    session_scores: HashMap<u64, f32>,
}

impl Found {
    fn new(index: &Index) -> Self {
        let documents = index.numbers().len();
        Found {
            scores: vec![0.0; documents],
            touched: Vec::new(),
            postings: Vec::new(),
            credits: if index.has_sessions() { vec![0.0; documents] } else { Vec::new() },
            credited: Vec::new(),
            session_counts: HashMap::new(),
            session_scores: HashMap::new(),
        }
    }

    fn add(&mut self, document: u32, score: f32) {
        if let Some(sum) = self.scores.get_mut(document as usize) {
            if *sum == 0.0 {
                self.touched.push(document);
            }
            *sum += score;
        }
    }

    /// Adds the current term, in the documents that contain it and in their neighbours.
    fn add_text(&mut self, index: &Index, rarity: f32, statistics: &Statistics) {
        let postings = std::mem::take(&mut self.postings);
        for posting in &postings {
            let words = index.words_of(posting.document).unwrap_or(0) as f32;
            let count = f32::from(posting.count);
            let weight = rarity * statistics.parameters.saturation(count, words, statistics.mean_words);
            self.add(posting.document, weight);
            if index.has_sessions() {
                index.each_neighbour(posting.document, WINDOW, |neighbour, distance| {
                    // The neighbour is behind this document, so this document is before it.
                    let side = if distance > 0 { NEIGHBOUR } else { NEIGHBOUR / 2.0 };
                    self.credit(neighbour, weight * side * STEP.powi(distance.abs() - 1));
                });
            }
        }
        for document in std::mem::take(&mut self.credited) {
            let credit = std::mem::take(&mut self.credits[document as usize]);
            if index.is_searchable(document) {
                self.add(document, credit);
            }
        }
        self.postings = postings;
    }

    /// Of several neighbours with a term, the best one counts.
    fn credit(&mut self, document: u32, credit: f32) {
        if let Some(best) = self.credits.get_mut(document as usize) {
            if *best == 0.0 {
                self.credited.push(document);
            }
            *best = best.max(credit);
        }
    }

    /// Counts the current term by session; returns in how many it occurs.
    fn count_sessions(&mut self, index: &Index) -> u64 {
        self.session_counts.clear();
        if index.has_sessions() {
            for posting in &self.postings {
                let session = index.session_of(posting.document);
                if session != 0 {
                    *self.session_counts.entry(session).or_default() += u32::from(posting.count);
                }
            }
        }
        self.session_counts.len() as u64
    }

    /// Adds the current term to the scores of the sessions.
    fn add_sessions(&mut self, index: &Index, rarity: f32, statistics: &Statistics) {
        for (session, count) in &self.session_counts {
            let words = index.session_words.get(session).map_or(0, |(words, _)| *words) as f32;
            let saturation = SESSION_PARAMETERS.saturation(*count as f32, words, statistics.mean_session_words);
            *self.session_scores.entry(*session).or_default() += rarity * saturation;
        }
    }

    /// Adds the scores of the sessions to their documents that were found.
    fn add_session_scores(&mut self, index: &Index) {
        if self.session_scores.is_empty() {
            return;
        }
        for document in &self.touched {
            if let Some(score) = self.session_scores.get(&index.session_of(*document)) {
                self.scores[*document as usize] += SESSION * score;
            }
        }
    }
}

/// Finds the postings of a term; returns in how many documents it occurs.
fn find(indexes: &[&Index], found: &mut [Found], term: &str) -> u64 {
    let mut with = 0_u64;
    for (found, index) in found.iter_mut().zip(indexes) {
        found.postings.clear();
        index.each_posting(term, |posting| found.postings.push(posting));
        with += found.postings.len() as u64;
    }
    with
}

/// Scales the scores of the texts so that the best one is about 1 above the mean, whatever the length of the query.
fn scale(found: &mut [Found], documents: u64) {
    let scores = || found.iter().flat_map(|found| found.touched.iter().map(|at| found.scores[*at as usize]));
    let best = scores().fold(0.0, f32::max);
    // Summed up as whole numbers: the sum of fractions would depend on the order.
    const UNIT: f64 = (1_u64 << 24) as f64;
    let sum: u64 = scores().map(|score| (f64::from(score) * UNIT) as u64).sum();
    let mean = (sum as f64 / UNIT / documents.max(1) as f64) as f32;
    // If all documents match equally well, they are all the best.
    let range = if best - mean > best * 1e-3 { best - mean } else { best };
    for found in found.iter_mut().filter(|_| range > 0.0) {
        for document in &found.touched {
            found.scores[*document as usize] /= range;
        }
    }
}

/// Adds what documents share with the hints of a field: the part of a hint's terms, by their rarity. Of several hints, the one that
/// a document shares most of counts.
fn add_hints(indexes: &[&Index], found: &mut [Found], field: Field, hints: &[Vec<String>], documents: u64) {
    let mut best: Vec<HashMap<u32, f32>> = found.iter().map(|_| HashMap::new()).collect();
    for terms in hints {
        let mut shared: Vec<HashMap<u32, f32>> = found.iter().map(|_| HashMap::new()).collect();
        let mut all = 0.0;
        for term in terms {
            let rarity = rarity(find(indexes, found, term), documents);
            all += rarity;
            for (shared, found) in shared.iter_mut().zip(found.iter()) {
                for posting in &found.postings {
                    *shared.entry(posting.document).or_default() += rarity;
                }
            }
        }
        for (best, shared) in best.iter_mut().zip(shared) {
            for (document, share) in shared {
                let best = best.entry(document).or_default();
                *best = best.max(share / all);
            }
        }
    }
    for (best, found) in best.into_iter().zip(found) {
        for (document, share) in best {
            // To be in the same language is no reason by itself.
            if field != Field::Lang || found.scores[document as usize] > 0.0 {
                found.add(document, weight(field) * share);
            }
        }
    }
}

/// The weight of a term in `with` of `all` documents: the inverse document frequency, in its non-negative form.
fn rarity(with: u64, all: u64) -> f32 {
    let (with, without) = (with as f64, all.saturating_sub(with) as f64);
    (1.0 + (without + 0.5) / (with + 0.5)).ln() as f32
}
