//! What a reader of an unknown repository wants to see first: entry points, and the files with the definitions that most others
//! refer to.

use super::history::History;
use super::postings::{Damaged, Unfinished};
use super::rank::{Ranked, Search, prior, weight_of_path};
use super::scan::{Language, term_hash};
use super::snapshot::Snapshot;
use crate::ranking::Analyzer;

/// How many files the definitions of are looked at, at most; the others are ranked by their paths.
const MAX_FILES: usize = 10_000;
/// The names of entry points, without extensions.
const ENTRY_POINTS: &[&[u8]] =
    &[b"main", b"lib", b"mod", b"index", b"app", b"cli", b"server", b"__init__", b"__main__", b"setup"];

/// The files of a work tree, the most important first.
///
/// # Errors
/// `Damaged` if the index is; those of `check`.
pub(super) fn ranked(
    snapshot: &Snapshot,
    history: &History,
    search: &mut Search<'_>,
    check: &dyn Fn() -> crate::error::Result<()>,
) -> Result<Vec<Ranked>, Unfinished> {
    search.list_all(check)?;
    let churn = history.churn();
    let mut ranked = Vec::new();
    let mut analyzer = Analyzer::default();
    for (row, file) in snapshot.table.files.iter().enumerate() {
        let Some(content) = file.content.as_ref().filter(|_| snapshot.shows(&file.path)) else { continue };
        check()?;
        let mut score = 0.0;
        if row < MAX_FILES && Language::of_path(&file.path).is_code() {
            let entry = snapshot.entry(content).ok_or(Damaged)?;
            let mut references = 0.0;
            for outline in entry.outlines() {
                let outline = outline.ok_or(Damaged)?;
                if outline.depth == 0 {
                    references += importance(&outline.name(), search, &mut analyzer)?;
                }
            }
            score = references / (4.0 + entry.definition_count() as f32).sqrt();
        }
        let depth = file.path.iter().filter(|byte| **byte == b'/').count();
        score = (score + entry_point(&file.path)) * weight_of_path(&file.path) / (1.0 + 0.25 * depth as f32);
        score *= prior(&churn, &file.path);
        ranked.push(Ranked { row, score });
    }
    ranked.sort_unstable_by(|one, other| other.score.total_cmp(&one.score).then(one.row.cmp(&other.row)));
    Ok(ranked)
}

/// How important a definition with this name is: in how many other files it occurs, if it is a name and not a common word.
pub(super) fn importance(name: &str, search: &mut Search<'_>, analyzer: &mut Analyzer) -> Result<f32, Damaged> {
    let mut terms = Vec::new();
    analyzer.each_term(name, |term| terms.push(term_hash(term)));
    // The last term of several is the whole name.
    let Some(whole) = terms.last() else { return Ok(0.0) };
    let spread = search.spread(*whole)? as f32;
    let certainty = if terms.len() > 1 { 1.0 } else { 0.3 };
    Ok(certainty * (1.0 + (spread - 1.0).max(0.0)).ln())
}

fn entry_point(path: &[u8]) -> f32 {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or(name).to_ascii_lowercase();
    if stem == b"readme" {
        4.0
    } else if ENTRY_POINTS.contains(&&*stem) && Language::of_path(path).is_code() {
        1.5
    } else {
        0.0
    }
}
