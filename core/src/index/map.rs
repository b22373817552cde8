//! The map: the files that matter, each with the signatures of its most relevant definitions, within a number of characters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::generated;
use super::history::History;
use super::postings::{Damaged, Unfinished};
use super::rank::{self, Ranked, Search, Wanted, prior, weight_of_path};
use super::scan::{Definition, Language, term_hash};
use super::table::Snapshot;
use crate::ranking::Analyzer;
use crate::safety::beginning;

/// A signature in a map is cut after so many characters.
const MAX_SIGNATURE: usize = 96;
/// How many definitions of a file are passed over because their lines are too long for the space that is left.
const MAX_MISSES: usize = 16;
/// The indentation of a signature.
const INDENT: &str = "  ";
/// How many characters a line of a map has on average.
const LINE: usize = 52;
/// How many of the ranked files are looked at for each that is shown: those without definitions are passed over.
const MAX_EXAMINED: usize = 12;
/// The most files of which definitions are shown.
const MAX_FILES: usize = 60;

/// How many files the definitions of are looked at, at most; the others are ranked by their paths.
const MAX_REFERRED: usize = 10_000;
/// The names of entry points, without extensions.
const ENTRY_POINTS: &[&[u8]] =
    &[b"main", b"lib", b"mod", b"index", b"app", b"cli", b"server", b"__init__", b"__main__", b"setup"];

/// A map of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepoMap")]
#[non_exhaustive]
pub struct Map {
    /// The map: for each file a line with its path and a colon, then a line for each definition, after two blanks.
    pub text: String,
    /// The files of the map, the most relevant first.
    pub files: Vec<MappedFile>,
}

/// A file of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MappedFile")]
#[non_exhaustive]
pub struct MappedFile {
    /// Its path, relative to the repository.
    pub path: String,
    /// How relevant it is; higher is better. Scores of different maps cannot be compared.
    pub score: f64,
    /// The names of the definitions that the map shows.
    pub symbols: Vec<String>,
    /// Its lines of the map.
    #[serde(skip)]
    pub(crate) text: String,
}

/// A file with the definitions that are shown of it.
struct Shown {
    row: usize,
    is_generated: bool,
    score: f32,
    definitions: Vec<Definition>,
    /// The indexes of the definitions, the best first.
    order: Vec<usize>,
    shown: Vec<usize>,
}

/// The map of a work tree for the terms of a prompt and the files in focus, without files that are generated or `is_marked` as such; without either, or if none of the best files has definitions,
/// an overview.
///
/// # Errors
/// `Damaged` if the index is; those of `check`.
pub(super) fn build(
    snapshot: &Snapshot,
    history: &History,
    terms: &[String],
    focus: &[usize],
    max_chars: usize,
    is_marked: &dyn Fn(&[u8]) -> bool,
    check: &dyn Fn() -> crate::error::Result<()>,
) -> Result<Map, Unfinished> {
    let mut search = Search::new(snapshot)?;
    let (ranked, wanted) = search.rank(terms, focus, history, check)?;
    let lines = max_chars / LINE;
    let files = (lines / 4).clamp(1, MAX_FILES);
    let mut analyzer = Analyzer::default();
    let mut choose = |ranked: &[Ranked], references: Option<&Search<'_>>| -> Result<_, Unfinished> {
        let mut chosen = Vec::new();
        let may_win = |candidate: &&Ranked| {
            let path = snapshot.table.files.get(candidate.row).map_or(&[][..], |file| &file.path);
            focus.contains(&candidate.row) || !generated::is_by_path(path) && !is_marked(path)
        };
        for candidate in ranked.iter().filter(may_win).take(files * MAX_EXAMINED) {
            if chosen.len() == files * 2 {
                break;
            }
            check()?;
            let found = candidate_of(snapshot, candidate, &wanted, references, &mut analyzer)?;
            chosen.extend(found.filter(|found| !found.is_generated || focus.contains(&candidate.row)));
        }
        Ok(chosen)
    };
    let mut chosen = choose(&ranked, None)?;
    if chosen.is_empty() {
        let ranked = overview(snapshot, history, &mut search, check)?;
        chosen = choose(&ranked, Some(&search))?;
    }
    // Each line takes a line break too, but for the last one.
    let mut left = max_chars.saturating_add(1);
    // First each file gets its share of the lines, then what is left goes to them in order.
    let total: f32 = (0..files).map(share).sum();
    for (position, file) in chosen.iter_mut().enumerate().take(files) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
        let most = (lines as f32 * share(position) / total).ceil().max(2.0) as usize;
        show(snapshot, file, most, &mut left);
    }
    for file in chosen.iter_mut().skip(files) {
        show(snapshot, file, 2, &mut left);
    }
    for file in &mut chosen {
        let most = file.shown.len() + 8;
        if !file.shown.is_empty() {
            show(snapshot, file, most, &mut left);
        }
    }
    chosen.retain(|file| !file.shown.is_empty());
    Ok(rendered(snapshot, &chosen))
}

/// The part of the lines that the file at a position gets, relative to the first one.
fn share(position: usize) -> f32 {
    1.0 / (1.0 + 0.35 * position as f32)
}

/// A file as it may be shown; `None` if it has no definitions.
fn candidate_of(
    snapshot: &Snapshot,
    ranked: &Ranked,
    wanted: &Wanted,
    references: Option<&Search<'_>>,
    analyzer: &mut Analyzer,
) -> Result<Option<Shown>, Damaged> {
    let Some(content) = snapshot.table.files.get(ranked.row).and_then(|file| file.content) else { return Ok(None) };
    let bytes = snapshot.entry(&content).ok_or(Damaged)?;
    let entry = Entry::read(&bytes).ok_or(Damaged)?;
    if entry.definition_count() == 0 {
        return Ok(None);
    }
    let definitions = entry.definitions().ok_or(Damaged)?;
    let order = match references {
        None => rank::definitions(&entry, &definitions, wanted, analyzer).ok_or(Damaged)?,
        Some(search) => {
            let mut ranked = Vec::with_capacity(definitions.len());
            for (at, definition) in definitions.iter().enumerate() {
                let score = importance(&definition.name, search, analyzer)?;
                ranked.push((at, score / (1.0 + f32::from(definition.depth))));
            }
            ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
            ranked
        }
    };
    let order = order.into_iter().map(|(at, _)| at).collect();
    let is_generated = entry.is_generated();
    Ok(Some(Shown { row: ranked.row, is_generated, score: ranked.score, definitions, order, shown: Vec::new() }))
}

/// Shows definitions of a file until it has `most`, or there is no room.
fn show(snapshot: &Snapshot, file: &mut Shown, most: usize, left: &mut usize) {
    let mut misses = 0;
    let head = head_of(snapshot, file.row).chars().count() + 1;
    let order: Vec<usize> = file.order.iter().copied().filter(|at| !file.shown.contains(at)).collect();
    for at in order {
        if file.shown.len() >= most || *left <= INDENT.len() || misses == MAX_MISSES {
            return;
        }
        let Some(definition) = file.definitions.get(at) else { continue };
        // It is indented once for each definition around it that is shown, so at most so often.
        let mut needed = line_of(definition, definition.depth.into()).chars().count() + 1;
        if file.shown.is_empty() {
            needed += head;
        }
        if needed > *left {
            // A shorter one may fit, but not a file with the second best.
            if file.shown.is_empty() {
                return;
            }
            misses += 1;
            continue;
        }
        *left -= needed;
        file.shown.push(at);
    }
}

fn head_of(snapshot: &Snapshot, row: usize) -> String {
    let path = snapshot.table.files.get(row).map(|file| String::from_utf8_lossy(&file.path));
    format!("{}:", on_one_line(&path.unwrap_or_default()))
}

fn line_of(definition: &Definition, depth: usize) -> String {
    let indent = INDENT.repeat(1 + depth);
    let signature = Some(&definition.signature).filter(|signature| !signature.is_empty());
    let signature = on_one_line(signature.unwrap_or(&definition.name));
    match signature.char_indices().nth(MAX_SIGNATURE) {
        None => format!("{indent}{signature}"),
        Some((end, _)) => format!("{indent}{}…", beginning(&signature, end)),
    }
}

/// Text of a file, which may contain anything, without control characters.
fn on_one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// How many of the definitions around the one at `at` are shown.
fn shown_around(file: &Shown, at: usize) -> usize {
    let before = file.definitions.get(..at).unwrap_or_default();
    let mut depth = file.definitions.get(at).map_or(0, |definition| definition.depth);
    let mut count = 0;
    for (index, definition) in before.iter().enumerate().rev() {
        if definition.depth < depth {
            depth = definition.depth;
            count += usize::from(file.shown.contains(&index));
        }
    }
    count
}

fn rendered(snapshot: &Snapshot, chosen: &[Shown]) -> Map {
    let mut map = Map::default();
    for file in chosen {
        let mut shown = file.shown.clone();
        shown.sort_unstable();
        let mut text = head_of(snapshot, file.row);
        let mut symbols = Vec::with_capacity(shown.len());
        for at in shown {
            let Some(definition) = file.definitions.get(at) else { continue };
            text.push('\n');
            text.push_str(&line_of(definition, shown_around(file, at)));
            symbols.push(definition.name.clone());
        }
        if !map.text.is_empty() {
            map.text.push('\n');
        }
        map.text.push_str(&text);
        let path = snapshot.table.files.get(file.row).map(|row| String::from_utf8_lossy(&row.path).into_owned());
        let path = path.unwrap_or_default();
        map.files.push(MappedFile { path, score: f64::from(file.score), symbols, text });
    }
    map
}

/// The overview of a work tree: its files, the most important first. These are entry points, and the files with the definitions
/// that most others refer to.
///
/// # Errors
/// `Damaged` if the index is; those of `check`.
fn overview(
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
        if row < MAX_REFERRED && Language::of_path(&file.path).is_code() {
            let bytes = snapshot.entry(content).ok_or(Damaged)?;
            let entry = Entry::read(&bytes).ok_or(Damaged)?;
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
fn importance(name: &str, search: &Search<'_>, analyzer: &mut Analyzer) -> Result<f32, Damaged> {
    let mut terms = Vec::new();
    analyzer.each_term(name, |term| terms.push(term_hash(term)));
    // The last term of several is the whole name.
    let Some(whole) = terms.last() else { return Ok(0.0) };
    let spread = search.hits(*whole)?.len() as f32;
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
