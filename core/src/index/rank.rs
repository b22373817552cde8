//! Ranks the files of a work tree, and the definitions in them, for a prompt and the files in focus.
//!
//! A file is scored by the terms that it shares with the prompt (BM25), more where they name a definition or are in its path,
//! and by what the files in focus refer to in it. The scores depend on the contents and paths alone, not on how the index is
//! stored: the same state has the same order in any process and work tree.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use foldhash::fast::RandomState;

use super::entry::Entry;
use super::history::History;
use super::postings::{Damaged, Hit, Unfinished};
use super::scan::{Definition, Language, WITHIN, term_hash};
use super::table::Snapshot;
use crate::ranking::{Analyzer, Bm25, rarity};

/// How quickly repetitions of a term stop counting, and how strongly the length of a file counts.
const BM25: Bm25 = Bm25 { k1: 1.2, b: 0.7 };
/// The weight of a term that names a definition, or is in the path, relative to the text.
const IN_NAME: f32 = 1.2;
const IN_PATH: f32 = 2.0;
/// The weight of a reference from a file in focus to a definition.
const REFERRED: f32 = 0.25;
/// A term in more files than this does not count as a reference.
const MAX_REFERENCES: usize = 200;

/// The most that a file gains because it changed together with a file in focus, or with one of the best.
const COMPANION: f32 = 0.2;
const LEADERS: usize = 5;
/// The weight of frequent changes.
const CHURN: f32 = 0.2;

/// The weight of a file by how often it changes.
pub(super) fn prior(churn: &HashMap<&[u8], f32>, path: &[u8]) -> f32 {
    1.0 + CHURN * churn.get(path).copied().unwrap_or_default().ln_1p()
}

/// The score of each row that has one. In no order: what depends on one is sorted first.
type Scores = HashMap<u32, f32, RandomState>;

/// A file with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranked {
    /// Its row in the table.
    pub(super) row: usize,
    pub(super) score: f32,
}

/// The terms that files are ranked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// The hashes of the prompt's terms, each with how rare it is.
    pub(super) terms: Vec<(u32, f32)>,
    /// Finds what may be one of the terms.
    beginnings: Option<AhoCorasick>,
}

impl Wanted {
    fn new(terms: &[String]) -> Self {
        // A word has all letters of its stem but the last: those of `memory`, `sizing` and `visibility` are `memori`, `size`
        // and `visibl`. Of `tying` it is `tie`.
        let beginning = |term: &String| match term.char_indices().next_back() {
            Some((last, _)) if last > 2 => term[..last].to_owned(),
            _ => term.chars().take(1).collect(),
        };
        let beginnings = terms.iter().map(beginning);
        let beginnings = AhoCorasick::builder().ascii_case_insensitive(true).build(beginnings).ok();
        Wanted { terms: Vec::with_capacity(terms.len()), beginnings }
    }

    /// True if `text` may have one of the terms. Most names and paths have none, and need not be split and stemmed.
    fn may_be_in(&self, text: &[u8]) -> bool {
        let Some(beginnings) = self.beginnings.as_ref().filter(|_| text.is_ascii()) else { return true };
        // `hash_map` has the term `hashmap`.
        let is_whole = || text.contains(&b'_') && beginnings.is_match(&without_underscores(text));
        beginnings.is_match(text) || is_whole()
    }
}

fn without_underscores(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| *byte != b'_').collect()
}

/// The postings of all files, whether they are in the lists or came later.
pub(super) struct Search<'s> {
    snapshot: &'s Snapshot,
    /// The row of each ordinal; `u32::MAX` for a file that is gone.
    rows: Vec<u32>,
    /// The files that are not in the lists, with the bytes of their entries.
    unlisted: Vec<(u32, Vec<u8>)>,
    /// The postings of those files by term, once they are listed for a search of very many terms.
    newly_listed: Option<HashMap<u32, Vec<Hit>, RandomState>>,
    /// Files with a content.
    count: u64,
    mean_words: f32,
}

impl<'s> Search<'s> {
    /// A search in all files; an error if an entry is damaged.
    pub(super) fn new(snapshot: &'s Snapshot) -> Result<Self, Damaged> {
        let mut rows = vec![u32::MAX; snapshot.table.ordinals as usize];
        let (mut unlisted, mut count, mut words) = (Vec::new(), 0, 0_u64);
        for (row, file) in (0_u32..).zip(&snapshot.table.files) {
            let Some(content) = &file.content else { continue };
            count += 1;
            words += u64::from(content.words);
            match content.ordinal.and_then(|ordinal| rows.get_mut(ordinal as usize)) {
                Some(of_ordinal) => *of_ordinal = row,
                None => unlisted.push((row, snapshot.entry(content).ok_or(Damaged)?)),
            }
        }
        let mean_words = (words as f32 / count.max(1) as f32).max(1.0);
        Ok(Search { snapshot, rows, unlisted, newly_listed: None, count, mean_words })
    }

    /// Puts the files with a term into `found`, by their rows and in the order of these.
    fn with_term(&self, hash: u32, found: &mut Vec<Hit>) -> Result<(), Damaged> {
        found.clear();
        if let Some(postings) = &self.snapshot.postings {
            let in_row = |hit: Hit| {
                let row = self.rows.get(hit.file as usize).copied().filter(|row| *row != u32::MAX)?;
                Some(Hit { file: row, ..hit })
            };
            found.extend(postings.read(hash)?.filter_map(in_row));
        }
        if let Some(postings) = &self.newly_listed {
            found.extend(postings.get(&hash).into_iter().flatten());
            return Ok(());
        }
        for (row, bytes) in &self.unlisted {
            let term = Entry::read(bytes).and_then(|entry| entry.term(hash)).ok_or(Damaged)?;
            if term.count > 0 {
                found.push(Hit::new(*row, term.count, term.is_defined));
            }
        }
        Ok(())
    }

    /// The files with a term, by their rows and in the order of these.
    pub(super) fn hits(&self, hash: u32) -> Result<Vec<Hit>, Damaged> {
        let mut found = Vec::new();
        self.with_term(hash, &mut found)?;
        Ok(found)
    }

    /// Lists the files that are not in the lists, before a search of thousands of terms.
    pub(super) fn list_all(&mut self, check: &dyn Fn() -> crate::error::Result<()>) -> Result<(), Unfinished> {
        if self.newly_listed.is_some() {
            return Ok(());
        }
        let mut postings: HashMap<u32, Vec<Hit>, RandomState> = HashMap::default();
        for (row, bytes) in &self.unlisted {
            check()?;
            for term in Entry::read(bytes).ok_or(Damaged)?.counts() {
                let (hash, count, is_defined) = term.ok_or(Damaged)?;
                postings.entry(hash).or_default().push(Hit::new(*row, count, is_defined));
            }
        }
        self.newly_listed = Some(postings);
        Ok(())
    }

    /// The rows of the files with a term, and how often they have it.
    pub(super) fn mentioning(&self, hash: u32) -> Result<Vec<(usize, f32)>, Damaged> {
        Ok(self.hits(hash)?.into_iter().map(|hit| (hit.file as usize, hit.count as f32)).collect())
    }

    /// The rows of the files in which a term occurs in the name of a definition.
    pub(super) fn defining(&self, hash: u32) -> Result<Vec<usize>, Damaged> {
        Ok(self.hits(hash)?.into_iter().filter(|hit| hit.is_defined).map(|hit| hit.file as usize).collect())
    }

    /// The files that match, the best first, and what they were ranked for.
    pub(super) fn rank(
        &mut self,
        terms: &[String],
        focus: &[usize],
        history: &History,
        check: &dyn Fn() -> crate::error::Result<()>,
    ) -> Result<(Vec<Ranked>, Wanted), Unfinished> {
        let mut scores = Scores::default();
        let (mut found, mut analyzer) = (Vec::new(), Analyzer::default());
        let mut wanted = Wanted::new(terms);
        for term in terms {
            check()?;
            let hash = term_hash(term);
            self.with_term(hash, &mut found)?;
            let rarity = rarity(found.len() as u64, self.count);
            wanted.terms.push((hash, rarity));
            for Hit { file: row, count, is_defined } in &found {
                let (words, count) = (self.words(*row), *count as f32);
                let name = if *is_defined { IN_NAME } else { 0.0 };
                *scores.entry(*row).or_default() += rarity * (BM25.saturation(count, words, self.mean_words) + name);
            }
        }
        self.add_paths(terms, &wanted, &mut analyzer, &mut scores, check)?;
        self.add_references(focus, &mut scores, &mut found, check)?;
        self.add_companions(focus, history, &mut scores);
        for row in focus {
            scores.entry(u32::try_from(*row).unwrap_or(u32::MAX)).or_default();
        }
        let churn = history.churn();
        let mut ranked: Vec<Ranked> = scores
            .into_iter()
            .filter_map(|(row, score)| {
                let file =
                    self.snapshot.table.files.get(row as usize).filter(|file| self.snapshot.shows(&file.path))?;
                Some(Ranked {
                    row: row as usize,
                    score: score * weight_of_path(&file.path) * prior(&churn, &file.path),
                })
            })
            .collect();
        // Files in focus come first, in the order in which they were given.
        let best = ranked.iter().map(|it| it.score).fold(0.0, f32::max);
        let places: HashMap<usize, u32> = focus.iter().rev().copied().zip(1..).collect();
        for it in &mut ranked {
            if let Some(place) = places.get(&it.row) {
                it.score = best + *place as f32;
            }
        }
        // The rows are in the order of the paths.
        ranked.sort_unstable_by(|one, other| other.score.total_cmp(&one.score).then(one.row.cmp(&other.row)));
        Ok((ranked, wanted))
    }

    fn words(&self, row: u32) -> f32 {
        let content = self.snapshot.table.files.get(row as usize).and_then(|file| file.content);
        content.map_or(0.0, |content| content.words as f32)
    }

    /// Adds the terms that are in the paths.
    fn add_paths(
        &self,
        terms: &[String],
        wanted: &Wanted,
        analyzer: &mut Analyzer,
        scores: &mut Scores,
        check: &dyn Fn() -> crate::error::Result<()>,
    ) -> Result<(), Unfinished> {
        for (row, file) in (0_u32..).zip(&self.snapshot.table.files) {
            check()?;
            if file.content.is_none() || !wanted.may_be_in(&file.path) {
                continue;
            }
            let of_path = analyzer.distinct(&String::from_utf8_lossy(&file.path));
            let steps = file.path.iter().filter(|byte| **byte == b'/').count() + 1;
            for (term, (_, rarity)) in terms.iter().zip(&wanted.terms) {
                if of_path.binary_search(term).is_ok() {
                    *scores.entry(row).or_default() += rarity * IN_PATH / (steps as f32).sqrt();
                }
            }
        }
        Ok(())
    }

    /// Adds the files that changed together with those in focus and with the best ones.
    fn add_companions(&self, focus: &[usize], history: &History, scores: &mut Scores) {
        if history.changes.is_empty() {
            return;
        }
        let files = &self.snapshot.table.files;
        let best = scores.values().copied().fold(0.0, f32::max).max(1.0);
        let in_focus = focus.iter().map(|row| (*row, best));
        let mut leaders: Vec<(usize, f32)> = scores.iter().map(|(row, score)| (*row as usize, *score)).collect();
        leaders.sort_unstable_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
        leaders.truncate(LEADERS);
        let mut added: Vec<(usize, f32)> = Vec::new();
        for (row, score) in in_focus.chain(leaders) {
            let Some(file) = files.get(row) else { continue };
            for (path, part) in history.changed_with(&file.path) {
                let found = files.binary_search_by(|file| (*file.path).cmp(path));
                added.extend(
                    found.ok().filter(|at| files[*at].content.is_some()).map(|at| (at, COMPANION * score * part)),
                );
            }
        }
        // In an order that does not depend on the process.
        added.sort_unstable_by(|(one, a), (other, b)| one.cmp(other).then(a.total_cmp(b)));
        for (row, score) in added {
            *scores.entry(u32::try_from(row).unwrap_or(u32::MAX)).or_default() += score;
        }
    }

    /// Adds what the files in focus refer to: definitions whose names they use.
    fn add_references(
        &mut self,
        focus: &[usize],
        scores: &mut Scores,
        found: &mut Vec<Hit>,
        check: &dyn Fn() -> crate::error::Result<()>,
    ) -> Result<(), Unfinished> {
        if !focus.is_empty() {
            self.list_all(check)?;
        }
        for row in focus {
            let content = self.snapshot.table.files.get(*row).and_then(|file| file.content);
            let Some(content) = content else { continue };
            let bytes = self.snapshot.entry(&content).ok_or(Damaged)?;
            for hash in Entry::read(&bytes).ok_or(Damaged)?.hashes() {
                check()?;
                self.with_term(hash, found)?;
                // What many files define or use says nothing about one of them.
                if found.len() > MAX_REFERENCES {
                    continue;
                }
                let rarity = rarity(found.len() as u64, self.count);
                for other in found.iter().filter(|hit| hit.is_defined && hit.file as usize != *row) {
                    *scores.entry(other.file).or_default() += REFERRED * rarity;
                }
            }
        }
        Ok(())
    }
}

/// Ranks the definitions of a file: their indexes, the best first. Of equal ones, the outer and earlier ones come first.
pub(super) fn definitions(
    entry: &Entry<'_>,
    all: &[Definition],
    wanted: &Wanted,
    analyzer: &mut Analyzer,
) -> Option<Vec<(usize, f32)>> {
    let mut scores = vec![0.0_f32; all.len()];
    // Whether the name of a definition may have one of the terms: it is part of the definition.
    let mut may_be_named = vec![false; all.len()];
    for (hash, rarity) in &wanted.terms {
        let term = entry.term(*hash)?;
        if term.is_defined && term.within.len() >= WITHIN {
            may_be_named.fill(true);
        }
        for definition in term.within.into_iter().map(usize::from).filter(|definition| *definition < all.len()) {
            scores[definition] += rarity;
            may_be_named[definition] |= term.is_defined;
        }
    }
    for (at, score) in scores.iter_mut().enumerate() {
        if *score > 0.0 {
            *score /= 1.0 + 0.35 * (1.0 + lines(all, at) as f32).ln();
        }
        let name = &all[at].name;
        if may_be_named[at] && wanted.may_be_in(name.as_bytes()) {
            analyzer.each_term(name, |term| {
                let hash = term_hash(term);
                if let Some((_, rarity)) = wanted.terms.iter().find(|(wanted, _)| *wanted == hash) {
                    *score += rarity;
                }
            });
        }
        *score += 0.01 / (1.0 + f32::from(all[at].depth));
    }
    let mut ranked: Vec<(usize, f32)> = scores.into_iter().enumerate().collect();
    ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    Some(ranked)
}

/// How many lines a definition has: up to the next one that is not inside it.
fn lines(all: &[Definition], at: usize) -> u32 {
    let Some(definition) = all.get(at) else { return 0 };
    let next = all.iter().skip(at + 1).find(|next| next.depth <= definition.depth);
    next.map_or(40, |next| next.line.saturating_sub(definition.line))
}

/// Folders of tests, and of code that others wrote or that was generated.
const TESTS: &[&[u8]] =
    &[b"test", b"tests", b"testdata", b"__tests__", b"spec", b"fixtures", b"testing", b"bench", b"benches"];
const FOREIGN: &[&[u8]] = &[b"vendor", b"third_party", b"node_modules", b"dist", b"generated"];

/// How much a file counts by its path: tests, generated and foreign code, and what is not code, count less.
pub(super) fn weight_of_path(path: &[u8]) -> f32 {
    let is_any = |step: &[u8], names: &[&[u8]]| names.iter().any(|name| step.eq_ignore_ascii_case(name));
    let (mut is_test, mut is_foreign) = (false, false);
    let mut name: &[u8] = b"";
    for step in path.split(|byte| *byte == b'/') {
        is_test |= is_any(step, TESTS);
        is_foreign |= is_any(step, FOREIGN);
        name = step;
    }
    let mut lower = [0; 64];
    let name = name.get(name.len().saturating_sub(lower.len())..).unwrap_or_default();
    let lower = &mut lower[..name.len()];
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let contains = |part: &[u8]| memchr::memmem::find(lower, part).is_some();
    let mut weight = if Language::of_path(path).is_code() { 1.0 } else { 0.65 };
    if is_foreign || contains(b".min.") {
        weight *= 0.3;
    }
    if is_test || lower.starts_with(b"test_") || [&b"_test."[..], b".test.", b".spec."].into_iter().any(contains) {
        weight *= 0.7;
    }
    if contains(b"changelog") || contains(b"changes") || lower.ends_with(b".lock") || lower == b"package-lock.json" {
        weight *= 0.2;
    }
    weight
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words whose stems are not their beginnings, and names that are written in several ways.
    const NAMES: &[&str] = &[
        "visibility",
        "visible",
        "setVisible",
        "capabilities",
        "capable",
        "reliability",
        "reliable",
        "memory",
        "memories",
        "sizing",
        "size",
        "hoping",
        "hope",
        "hopping",
        "hop",
        "tying",
        "tie",
        "ties",
        "skies",
        "sky",
        "conflated",
        "conflate",
        "relational",
        "relate",
        "hash_map",
        "HashMap",
        "hashmap",
        "HASH_MAP",
        "update_context",
        "updatecontext",
        "happiness",
        "happy",
        "possibly",
        "possible",
        "callousness",
        "callous",
        "analogies",
        "analogy",
        "formality",
        "formal",
        "gr\u{f6}\u{df}e",
    ];

    #[test]
    fn no_name_that_has_a_term_of_the_prompt_is_passed_over() {
        let mut analyzer = Analyzer::default();
        for prompt in NAMES {
            let terms = analyzer.distinct(prompt);
            let wanted = Wanted::new(&terms);
            for name in NAMES {
                let has_term = analyzer.distinct(name).iter().any(|term| terms.contains(term));
                assert!(!has_term || wanted.may_be_in(name.as_bytes()), "{prompt}: {name}");
            }
        }
        let wanted = Wanted::new(&analyzer.distinct("visibility of the context"));
        assert!(!wanted.may_be_in(b"retry_upload") && !wanted.may_be_in(b"parser"));
    }
}
