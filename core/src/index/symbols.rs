//! Symbols: the definitions of the repository by name, or those of one file.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contents::redact_and_cut;
use super::postings::{Damaged, Unfinished};
use super::rank::Search;
use super::scan::{self, Definition, Kind, Language, term_hash};
use super::segment::content_key;
use super::table::{FileRow, Snapshot};
use crate::error::{Error, Result};
use crate::home::Home;
use crate::ranking::Analyzer;

/// The most symbols that are returned.
const MAX_LIMIT: usize = 1_000;
/// How many are returned by default.
const LIMIT: usize = 50;
/// How many files are read for one call.
const MAX_READ: usize = 64;

/// A definition in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RepoSymbol")]
#[non_exhaustive]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its file, relative to the repository.
    pub path: String,
    /// The number of its line, from 1.
    pub line: u32,
    /// Its declaration on one line, without a body.
    pub signature: String,
}

optional_fields! {
    /// Which symbols to return.
    #[derive(Debug, Clone, Default)]
    pub struct SymbolQuery {
        /// A name, or words of one. The best matches come first.
        query: String,
        /// Only symbols of this file, or of the files below this folder.
        path: String,
        /// Only symbols of this kind.
        kind: Kind,
        /// The maximum number of symbols, at most 1,000. Default: 50.
        limit: usize,
    }
}

impl SymbolQuery {
    /// All symbols, up to the limit.
    pub fn new() -> Self {
        SymbolQuery::default()
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.limit.is_some_and(|limit| limit > MAX_LIMIT) {
            return Err(Error::validation(format!("limit must be at most {MAX_LIMIT}")));
        }
        Ok(())
    }
}

/// How well a name matches the words of a query; smaller is better.
type Match = (u8, usize);
/// How well a definition matches, the row of its file, its index there, and itself.
type Found = (Match, usize, usize, Definition);

/// The symbols that `query` asks for.
///
/// # Errors
/// `Damaged` if the index is; those of `check`.
pub(super) fn find(
    home: &Home,
    snapshot: &Snapshot,
    query: &SymbolQuery,
    check: &dyn Fn() -> Result<()>,
) -> std::result::Result<Vec<Symbol>, Unfinished> {
    let limit = query.limit.unwrap_or(LIMIT);
    let text = query.query.as_deref().map(|text| home.redactor().scrub(text).into_owned());
    let mut analyzer = Analyzer::default();
    let terms = text.as_deref().map(|text| analyzer.distinct(text)).unwrap_or_default();
    let mut found: Vec<Found> = Vec::new();
    let mut add = |row: usize, definitions: Vec<Definition>, found: &mut Vec<Found>| -> Result<()> {
        for (at, definition) in definitions.into_iter().enumerate() {
            check()?;
            let rank = rank(&definition, text.as_deref(), &terms, &mut analyzer);
            found.extend(rank.map(|rank| (rank, row, at, definition)));
        }
        Ok(())
    };
    let is_wanted = |definition: &Definition| query.kind.is_none_or(|kind| definition.kind == kind);
    let rows = rows(snapshot, query, text.as_deref(), &terms)?;
    for row in &rows {
        check()?;
        let Some(content) = snapshot.table.files.get(*row).and_then(|file| file.content) else { continue };
        add(*row, snapshot.definitions(&content).ok_or(Damaged)?, &mut found)?;
        // In the order of the files, those behind cannot be among the first.
        if text.is_none() && found.iter().filter(|(.., definition)| is_wanted(definition)).count() >= limit {
            break;
        }
    }
    sort(&mut found);
    // The index has the definitions that maps show. The others of a file are found in its text.
    let mut read: Vec<usize> = Vec::new();
    let wanted: Vec<usize> =
        found.iter().filter(|(.., definition)| is_wanted(definition)).take(limit).map(|(_, row, ..)| *row).collect();
    let is_listed = rows.len() == 1 || text.is_none() && wanted.len() < limit;
    let others: &[usize] = if is_listed { &rows } else { &[] };
    for row in wanted.iter().chain(others) {
        if read.len() == MAX_READ {
            break;
        }
        if !read.contains(row) {
            read.push(*row);
        }
    }
    // What is named so may be in a file that has the words.
    let is_named = |found: &[Found]| found.iter().any(|((rank, _), .., it)| *rank <= 1 && is_wanted(it));
    if let Some(name) = text.as_deref().filter(|text| is_name(text) && !is_named(&found)) {
        let more = mentioning(snapshot, query, name, &terms)?;
        let room = MAX_READ.saturating_sub(read.len());
        read.extend(more.into_iter().filter(|row| !rows.contains(row)).take(room).collect::<Vec<_>>());
    }
    for row in read {
        check()?;
        let Some(file) = snapshot.table.files.get(row) else { continue };
        let Some(definitions) = all_of(home, snapshot, file, check)? else { continue };
        found.retain(|(_, other, ..)| *other != row);
        add(row, definitions, &mut found)?;
    }
    found.retain(|(.., definition)| is_wanted(definition));
    sort(&mut found);
    found.truncate(limit);
    let symbol = |(_, row, _, definition): Found| {
        let path = snapshot.table.files.get(row).map(|file| String::from_utf8_lossy(&file.path).into_owned());
        Symbol {
            name: definition.name,
            kind: definition.kind,
            path: path.unwrap_or_default(),
            line: definition.line,
            signature: definition.signature,
        }
    };
    Ok(found.into_iter().map(symbol).collect())
}

/// All definitions of a file, in the order of its text; `None` if it has changed since it was indexed.
///
/// # Errors
/// Those of `check`.
fn all_of(
    home: &Home,
    snapshot: &Snapshot,
    file: &FileRow,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Vec<Definition>>> {
    let language = Language::of_path(&file.path);
    // Its size may not be known.
    let limit = u64::from(home.config().index.max_file_bytes);
    let Ok(text) = home.disk().read_in_work_tree(&snapshot.top, &file.path, limit) else { return Ok(None) };
    let key = content_key(language.name(), home.own_rules(), &text);
    if file.content.is_none_or(|content| content.key != key) {
        return Ok(None);
    }
    let mut definitions = scan::definitions(language, &text, check)?;
    redact_and_cut(home, &mut definitions, check)?;
    Ok(Some(definitions))
}

/// The best matches first, in the order of the files.
fn sort(found: &mut [Found]) {
    found.sort_by(|(one, a, b, _), (other, c, d, _)| (one, a, b).cmp(&(other, c, d)));
}

/// The files that may have such symbols.
fn rows(
    snapshot: &Snapshot,
    query: &SymbolQuery,
    text: Option<&str>,
    terms: &[String],
) -> std::result::Result<Vec<usize>, Damaged> {
    let mut rows: Vec<usize> = match text {
        // A word that is no term, such as `is`, may be a name all the same, and so may a letter, which is not indexed.
        Some(text) if !terms.is_empty() && compact(text).chars().nth(1).is_some() => {
            let search = Search::new(snapshot)?;
            let mut rows = Vec::new();
            for term in terms {
                rows.extend(search.defining(term_hash(term))?);
            }
            // A name in lower case is one word, of which the index knows no stem.
            rows.extend(search.defining(term_hash(&compact(text)))?);
            rows.sort_unstable();
            rows.dedup();
            rows
        }
        _ => (0..snapshot.table.files.len()).collect(),
    };
    rows.retain(|row| is_inside(snapshot, query, *row));
    Ok(rows)
}

/// Whether a text may be the name of a definition, and not several words.
fn is_name(text: &str) -> bool {
    !compact(text).is_empty() && !text.trim().contains(char::is_whitespace)
}

/// The files that have all of the terms of a name, or it as a whole; those that have them most often first.
fn mentioning(
    snapshot: &Snapshot,
    query: &SymbolQuery,
    name: &str,
    terms: &[String],
) -> std::result::Result<Vec<usize>, Damaged> {
    let search = Search::new(snapshot)?;
    let mut rows: Option<HashMap<usize, f32>> = None;
    for term in terms {
        let with_term = search.mentioning(term_hash(term))?;
        rows = Some(match rows {
            None => with_term.into_iter().collect(),
            Some(rows) => {
                with_term.into_iter().filter_map(|(row, count)| Some((row, count + rows.get(&row)?))).collect()
            }
        });
    }
    let mut rows = rows.unwrap_or_default();
    // A name in lower case is one word, of which the index knows no stem.
    for (row, count) in search.mentioning(term_hash(&compact(name)))? {
        rows.entry(row).or_insert(count);
    }
    let mut rows: Vec<(usize, f32)> = rows.into_iter().collect();
    rows.retain(|(row, _)| is_inside(snapshot, query, *row));
    rows.sort_unstable_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    Ok(rows.into_iter().map(|(row, _)| row).collect())
}

/// Whether a file is one of those that the query is about.
fn is_inside(snapshot: &Snapshot, query: &SymbolQuery, row: usize) -> bool {
    let Some(file) = snapshot.table.files.get(row).filter(|file| snapshot.shows(&file.path)) else { return false };
    query.path.as_deref().is_none_or(|path| {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let path = if path == "." { b"" } else { path.as_bytes() };
        let rest = file.path.strip_prefix(path);
        path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.first() == Some(&b'/'))
    })
}

/// How well a definition matches; `None` if not at all.
fn rank(definition: &Definition, text: Option<&str>, terms: &[String], analyzer: &mut Analyzer) -> Option<Match> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Some((0, 0)) };
    let name = &definition.name;
    if name == text {
        return Some((0, 0));
    }
    if compact(name) == compact(text) {
        return Some((1, 0));
    }
    let of_name = analyzer.distinct(name);
    let missing = terms.iter().filter(|term| of_name.binary_search(term).is_err()).count();
    if missing == terms.len() {
        return None;
    }
    Some((2, missing * 100 + of_name.len()))
}

/// A name in lower case, without what connects its parts.
fn compact(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
