//! Finds definitions, line by line.
//!
//! A [`Lexer`] keeps what a line cannot know by itself: whether it starts in a comment or a string, and the braces that
//! enclose it. Every line that starts in code is shown to the detector of the language, which decides by its first words and
//! its shape. Documents, configuration and style sheets have scanners in [`languages::document`].

use std::collections::HashSet;

use foldhash::fast::FixedState;

use super::candidate::{Block, Candidate, Found, Shown};
use super::definition::Kind;
use super::languages;
use super::lexer::Lexer;
use super::line::{At, Line, Nesting};
use super::signature;
use super::steps::Steps;
use super::table::{Language, Table};
use super::words::{is_word, trim_start};
use crate::error::Result;

/// The definitions of `text` in its order: with `all` those that the symbols show, else those of a map, one a line at most.
///
/// # Errors
/// Those of `check`, which stays with an error.
pub(super) fn find(language: Language, text: &[u8], all: bool, check: &dyn Fn() -> Result<()>) -> Result<Found> {
    let mut steps = Steps::new(check);
    let found = match languages::document(language, text, &mut steps) {
        Some(found) => found,
        None => Finder::new(language.table(), text, all, steps).find(),
    };
    check().map(|()| found)
}

/// Finds the definitions of a language that has a lexer.
struct Finder<'t> {
    table: &'static Table,
    text: &'t [u8],
    all: bool,
    nesting: Nesting,
    /// What the names after the next commas are, as in `int a, b`.
    declared: Option<Declared>,
    /// The variables outside of everything: those of a script are defined where they are first assigned.
    variables: HashSet<&'t [u8], FixedState>,
    buffer: Vec<u8>,
    found: Found,
    steps: Steps<'t>,
}

/// A declaration that may go on after a comma.
#[derive(Debug, Clone, Copy)]
struct Declared {
    kind: Kind,
    depth: usize,
    parens: usize,
    /// The offset after its name.
    after: usize,
}

impl<'t> Finder<'t> {
    fn new(table: &'static Table, text: &'t [u8], all: bool, steps: Steps<'t>) -> Self {
        Self {
            table,
            text,
            all,
            nesting: Nesting::default(),
            declared: None,
            variables: HashSet::default(),
            buffer: Vec::new(),
            found: Found::default(),
            steps,
        }
    }

    fn find(mut self) -> Found {
        let text = self.text;
        let mut lexer = Lexer::new(self.table, self.all);
        let mut at = At { number: 0, from: 0, end: 0, previous: 0 };
        while at.from < text.len() && self.steps.go_on() {
            at.number += 1;
            let rest = text.get(at.from..).unwrap_or(&[]);
            at.end = memchr::memchr(b'\n', rest).map_or(text.len(), |length| at.from + length);
            let line = text.get(at.from..at.end).unwrap_or(&[]);
            let column = line.len() - trim_start(line).len();
            let in_code = lexer.in_code();
            if !(in_code && lexer.skips(line.get(column..).unwrap_or(&[]))) {
                if in_code {
                    self.visit(&mut lexer, at, column);
                }
                lexer.line(text, (at.from, at.end), column, |lexer, column| self.visit(lexer, at, column));
            }
            at.previous = at.from;
            at.from = at.end + 1;
        }
        self.found
    }

    /// Looks for a definition that starts at `column`.
    fn visit(&mut self, lexer: &mut Lexer, at: At, column: usize) {
        if lexer.in_macro() || !self.steps.go_on() {
            return;
        }
        if lexer.parens > 0 && !self.table.in_parens {
            return;
        }
        let Some(line) = Line::new(self.text, at, column, lexer) else { return };
        let by_indent = self.table.by_indent;
        let shown = if self.all { Shown::Map } else { Shown::Symbols };
        let Some(candidate) = self.detect(&line).filter(|it| self.all || it.shown != shown) else {
            if by_indent && line.parens == 0 {
                self.nesting.leave(line.column);
            }
            return;
        };
        let depth = if by_indent { self.nesting.enter(line.column, &candidate) } else { lexer.depth() };
        lexer.announce(candidate.opens);
        if candidate.shown == shown {
            return;
        }
        let is_variable = self.all && depth == 0 && matches!(candidate.kind, Kind::Constant | Kind::Variable);
        if is_variable && !self.variables.insert(candidate.name) {
            return;
        }
        let (from, through) = line.span(&candidate);
        let signature =
            signature::collect(self.text, from, through, &self.table.style, candidate.kind, self.all, &mut self.buffer);
        // `typedef struct { … } name;`: the name follows the body.
        let contains = |name: &[u8]| memchr::memmem::find(signature.as_bytes(), name).is_some();
        let signature = if self.all && signature.starts_with("typedef") && !contains(candidate.name) {
            signature::lossy(&[signature.as_bytes(), b" { .. } ", candidate.name].concat())
        } else {
            signature
        };
        // A name may be on a later line than its declaration starts.
        let declares = self.all && matches!(candidate.kind, Kind::Constant | Kind::Variable | Kind::Field);
        let before = self.offset_after(candidate.name).and_then(|end| self.text.get(line.start()..end));
        let breaks = before.filter(|_| declares).map_or(0, |it| memchr::memchr_iter(b'\n', it).count());
        let number = at.number + breaks;
        if self.all && !candidate.also.is_empty() {
            self.found.push(candidate.also, candidate.kind, at.number, depth, at.from, signature.clone());
        }
        self.found.push(candidate.name, candidate.kind, number, depth, at.from, signature);
    }

    fn detect(&mut self, line: &Line<'t>) -> Option<Candidate<'t>> {
        let ends = |it: &Declared| {
            line.depth < it.depth
                || line.depth == it.depth
                    && line.start() >= it.after
                    && line.parens <= it.parens
                    && (is_word(line.last) || matches!(line.last, b';' | b'{' | b'}' | b')' | b']'))
                    && line.code.first().copied().is_some_and(is_word)
        };
        self.declared = self.declared.filter(|it| !ends(it));
        let Some(candidate) = languages::detect(line, &mut self.nesting) else {
            let same = |it: &&mut Declared| line.last == b',' && (line.depth, line.parens) == (it.depth, it.parens);
            let declared = self.declared.as_mut().filter(same)?;
            let name = line.declarator(self.text.get(declared.after..line.start())?)?;
            declared.after = line.start() + name.len();
            return Candidate::minor(name, declared.kind, Block::Other);
        };
        let declares = self.all
            && matches!(candidate.kind, Kind::Constant | Kind::Variable | Kind::Field)
            && candidate.opens == Block::Other;
        if declares {
            let after = self.offset_after(candidate.name).unwrap_or_else(|| line.start());
            let Candidate { kind, .. } = candidate;
            self.declared = Some(Declared { kind, depth: line.depth, parens: line.parens, after });
        }
        Some(candidate)
    }

    /// The offset where `name` ends, if it is part of the text.
    fn offset_after(&self, name: &[u8]) -> Option<usize> {
        let end = (name.as_ptr_range().end as usize).checked_sub(self.text.as_ptr() as usize)?;
        (end <= self.text.len()).then_some(end)
    }
}
