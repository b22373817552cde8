//! Scans a source file: its definitions, and the terms of its identifiers.
//!
//! Nothing is parsed. Definitions are found line by line with the keywords and shapes of the language, outside comments and
//! strings; see [`finder`]. Terms are counted over every identifier of the file, in code, comments and strings alike; see
//! [`terms`]. Both take time linear in the text, whatever its bytes are.

mod bytes;
mod candidate;
mod definition;
mod finder;
mod languages;
mod lexer;
mod line;
mod signature;
mod steps;
mod strings;
mod table;
mod terms;
#[cfg(test)]
mod tests;
mod words;

pub use definition::{Definition, Kind};
pub use table::Language;
pub use terms::{Split, Term, WITHIN, term_hash};

use crate::error::Result;

/// What a scan found in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scanned {
    /// The definitions, by line; at most one per line and at most [`u16::MAX`].
    pub definitions: Vec<Definition>,
    /// The terms of the identifiers, by hash.
    pub terms: Vec<Term>,
    /// How many identifiers the text contains; those that are skipped do not count.
    pub words: u32,
    /// Whether a program made the text.
    pub is_generated: bool,
}

/// Scans files, and remembers how identifiers are split.
#[derive(Debug)]
pub struct Scanner<S: Split> {
    terms: terms::Counter<S>,
}

impl<S: Split> Scanner<S> {
    /// A scanner that turns identifiers into terms with `split`. It must be deterministic: each identifier is split once, and
    /// its terms are remembered.
    pub fn new(split: S) -> Self {
        Self { terms: terms::Counter::new(split) }
    }

    /// The terms of `text` and the definitions that a map shows of it. The text need not be UTF-8.
    ///
    /// # Errors
    /// Those of `check`, which is called now and then and stays with an error.
    pub fn scan(&mut self, language: Language, text: &[u8], check: &dyn Fn() -> Result<()>) -> Result<Scanned> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let candidate::Found { definitions, starts } = finder::find(language, text, false, check)?;
        let parents = definition::parents(&definitions);
        let (terms, words) = self.terms.count(text, &starts, &parents);
        Ok(Scanned { definitions, terms, words, is_generated: false })
    }

    /// Appends the hashes of the terms of a name to `found`.
    pub fn terms_of(&mut self, name: &str, found: &mut Vec<u32>) {
        self.terms.terms_of(name, found);
    }
}

/// All definitions of `text`, in its order: also those that a map leaves out.
///
/// # Errors
/// Those of `check`, which is called now and then and stays with an error.
pub fn definitions(language: Language, text: &[u8], check: &dyn Fn() -> Result<()>) -> Result<Vec<Definition>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    Ok(finder::find(language, text, true, check)?.definitions)
}
