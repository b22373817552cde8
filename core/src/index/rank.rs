//! Ranks the files of a work tree, and the definitions in them, for a prompt and the files in focus.
//!
//! A file is scored by the terms that it shares with the prompt (BM25), more where they name a definition or are in its path,
//! and by what the files in focus refer to in it. The scores depend on the contents and paths alone, not on how the index is
//! stored: the same state has the same order in any process and work tree.

use std::collections::HashMap;

use super::entry::Entry;
use super::postings::{Damaged, Posting};
use super::scan::{Definition, Language, term_hash};
use super::snapshot::Snapshot;
use crate::ranking::{Analyzer, rarity};

/// How quickly repetitions of a term stop counting, and how strongly the length of a file counts.
const K1: f32 = 1.2;
const B: f32 = 0.7;
/// What it counts that a term names a definition, or is in the path, relative to the text.
const IN_NAME: f32 = 1.2;
const IN_PATH: f32 = 1.6;
/// What it counts that a file in focus refers to a definition.
const REFERRED: f32 = 0.25;
/// Terms that a file in focus refers to, rarest first.
const MAX_REFERENCES: usize = 200;

/// A file with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranked {
    /// Its row in the table.
    pub(super) row: usize,
    pub(super) score: f32,
}

/// What files are ranked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// The hashes of the prompt's terms, each with how rare it is.
    pub(super) terms: Vec<(u32, f32)>,
}

/// The postings of all files, whether they are in the lists or came later.
pub(super) struct Search<'s> {
    snapshot: &'s Snapshot,
    /// The row of each ordinal; `u32::MAX` for a file that is gone.
    rows: Vec<u32>,
    /// The files that are not in the lists, with their entries.
    unlisted: Vec<(u32, Entry<'s>)>,
    /// Files with a content.
    count: u64,
    mean_words: f32,
    listed: Vec<Posting>,
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
        Ok(Search { snapshot, rows, unlisted, count, mean_words, listed: Vec::new() })
    }

    /// The files with a term, in the order of their rows: how often, and whether in the name of a definition.
    fn with_term(&mut self, hash: u32, found: &mut Vec<(u32, f32, bool)>) -> Result<(), Damaged> {
        found.clear();
        self.listed.clear();
        if let Some(postings) = &self.snapshot.postings {
            postings.read(hash, &mut self.listed)?;
        }
        for posting in &self.listed {
            match self.rows.get(posting.file as usize) {
                Some(row) if *row != u32::MAX => found.push((*row, f32::from(posting.count), posting.is_defined)),
                _ => {}
            }
        }
        for (row, entry) in &self.unlisted {
            let term = entry.term(hash).ok_or(Damaged)?;
            if term.count > 0 {
                let count = term.count.min(u32::from(super::postings::MAX_COUNT));
                found.push((*row, count as f32, term.is_defined));
            }
        }
        Ok(())
    }

    /// How many files have a term.
    pub(super) fn spread(&mut self, hash: u32) -> Result<u64, Damaged> {
        let mut found = Vec::new();
        self.with_term(hash, &mut found)?;
        Ok(found.len() as u64)
    }

    /// The rows of the files in which a term occurs in the name of a definition.
    pub(super) fn defining(&mut self, hash: u32) -> Result<Vec<usize>, Damaged> {
        let mut found = Vec::new();
        self.with_term(hash, &mut found)?;
        Ok(found.into_iter().filter(|(_, _, is_defined)| *is_defined).map(|(row, ..)| row as usize).collect())
    }

    /// The files that match, the best first, and what they were ranked for.
    pub(super) fn rank(&mut self, prompt: &str, focus: &[usize]) -> Result<(Vec<Ranked>, Wanted), Damaged> {
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let mut wanted = Wanted::default();
        let (mut found, mut analyzer) = (Vec::new(), Analyzer::default());
        let terms = analyzer.distinct(prompt);
        for term in &terms {
            let hash = term_hash(term);
            self.with_term(hash, &mut found)?;
            let rarity = rarity(found.len() as u64, self.count);
            wanted.terms.push((hash, rarity));
            for (row, count, is_defined) in &found {
                let words = self.words(*row);
                let saturation = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * words / self.mean_words));
                let name = if *is_defined { IN_NAME } else { 0.0 };
                *scores.entry(*row).or_default() += rarity * (saturation + name);
            }
        }
        self.add_paths(&terms, &wanted, &mut analyzer, &mut scores);
        self.add_references(focus, &mut scores, &mut found)?;
        let best = scores.values().copied().fold(0.0, f32::max).max(1.0);
        for row in focus {
            *scores.entry(u32::try_from(*row).unwrap_or(u32::MAX)).or_default() += best;
        }
        let mut ranked: Vec<Ranked> = scores
            .into_iter()
            .filter_map(|(row, score)| {
                let file =
                    self.snapshot.table.files.get(row as usize).filter(|file| self.snapshot.shows(&file.path))?;
                Some(Ranked { row: row as usize, score: score * weight_of_path(&file.path) })
            })
            .collect();
        // The rows are in the order of the paths.
        ranked.sort_unstable_by(|one, other| other.score.total_cmp(&one.score).then(one.row.cmp(&other.row)));
        Ok((ranked, wanted))
    }

    fn words(&self, row: u32) -> f32 {
        let content = self.snapshot.table.files.get(row as usize).and_then(|file| file.content);
        content.map_or(0.0, |content| content.words as f32)
    }

    /// Adds the terms that are in the paths.
    fn add_paths(&self, terms: &[String], wanted: &Wanted, analyzer: &mut Analyzer, scores: &mut HashMap<u32, f32>) {
        let searched: Vec<_> = terms.iter().map(|term| memchr::memmem::Finder::new(term.as_bytes())).collect();
        let mut lower = Vec::new();
        for (row, file) in (0_u32..).zip(&self.snapshot.table.files) {
            if file.content.is_none() {
                continue;
            }
            lower.clear();
            lower.extend(file.path.iter().map(u8::to_ascii_lowercase));
            if !searched.iter().any(|term| term.find(&lower).is_some()) {
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
    }

    /// Adds what the files in focus refer to: definitions whose names they use.
    fn add_references(
        &mut self,
        focus: &[usize],
        scores: &mut HashMap<u32, f32>,
        found: &mut Vec<(u32, f32, bool)>,
    ) -> Result<(), Damaged> {
        for row in focus {
            let content = self.snapshot.table.files.get(*row).and_then(|file| file.content);
            let Some(content) = content else { continue };
            let snapshot = self.snapshot;
            let entry = snapshot.entry(&content).ok_or(Damaged)?;
            for hash in entry.hashes().take(MAX_REFERENCES * 8) {
                self.with_term(hash, found)?;
                // What many files define or use says nothing about one of them.
                if found.len() > MAX_REFERENCES {
                    continue;
                }
                let rarity = rarity(found.len() as u64, self.count);
                for (other, _, is_defined) in found.iter() {
                    if *is_defined && *other as usize != *row {
                        *scores.entry(*other).or_default() += REFERRED * rarity;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Ranks the definitions of a file: their indexes, the best first. Of equal ones, the outer and earlier ones come first.
pub(super) fn definitions(entry: &Entry<'_>, all: &[Definition], wanted: &Wanted) -> Option<Vec<(usize, f32)>> {
    let mut scores = vec![0.0_f32; all.len()];
    let mut analyzer = Analyzer::default();
    for (hash, rarity) in &wanted.terms {
        let term = entry.term(*hash)?;
        for definition in term.within {
            if let Some(score) = scores.get_mut(usize::from(definition)) {
                *score += rarity;
            }
        }
    }
    for (at, score) in scores.iter_mut().enumerate() {
        *score /= 1.0 + 0.35 * (1.0 + lines(all, at) as f32).ln();
        if *score > 0.0 || !wanted.terms.is_empty() {
            analyzer.each_term(&all[at].name, |term| {
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

/// How much a file counts by its path: tests, generated and foreign code, and what is not code, count less.
pub(super) fn weight_of_path(path: &[u8]) -> f32 {
    let lower = path.to_ascii_lowercase();
    let steps: Vec<&[u8]> = lower.split(|byte| *byte == b'/').collect();
    let is_any = |names: &[&[u8]]| steps.iter().any(|step| names.contains(step));
    let name = steps.last().copied().unwrap_or_default();
    let is_in_name = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    let mut weight = if Language::of_path(path).is_code() { 1.0 } else { 0.5 };
    if is_any(&[b"vendor", b"third_party", b"node_modules", b"dist", b"generated"]) || is_in_name(b".min.") {
        weight *= 0.3;
    }
    if is_any(&[b"test", b"tests", b"testdata", b"__tests__", b"spec", b"fixtures", b"testing", b"bench", b"benches"])
        || is_in_name(b"_test.")
        || name.starts_with(b"test_")
        || is_in_name(b".test.")
        || is_in_name(b".spec.")
    {
        weight *= 0.6;
    }
    if is_in_name(b"changelog") || is_in_name(b"changes") || name.ends_with(b".lock") || name == b"package-lock.json" {
        weight *= 0.2;
    }
    weight
}
