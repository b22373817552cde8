//! A line of code as the detectors see it.

use super::candidate::{Block, Candidate};
use super::definition::Kind;
use super::lexer::Lexer;
use super::table::{Language, Table};
use super::words::{is_word, trim_end, trim_start};

/// How far a detector looks past the start of a line, in bytes.
const WINDOW: usize = 2048;
/// The same where all symbols are looked for.
const LONG_WINDOW: usize = 8192;

/// The definitions that enclose a line of a language that nests by indentation, and what else a detector keeps from line to
/// line.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// The open definitions, by column.
    pub(super) open: Vec<(usize, Block)>,
    /// The column of the members of each open class, by its column, once one was seen.
    members: Vec<(usize, usize)>,
    /// The column of the statements in the last `if` or `try` of a module: 0 until one was seen, or none in other statements.
    pub(super) suite: Option<usize>,
    /// What the parentheses of Go's `const (`, `var (` or `type (` define.
    pub(super) group: Option<Kind>,
}

impl Nesting {
    /// Closes the definitions that end before a line at `column`.
    pub(super) fn leave(&mut self, column: usize) {
        while self.open.last().is_some_and(|(open, _)| *open >= column) {
            self.open.pop();
        }
    }

    /// Opens a definition and returns its depth.
    pub(super) fn enter(&mut self, column: usize, candidate: &Candidate<'_>) -> usize {
        self.leave(column);
        let depth = self.open.len();
        if matches!(candidate.opens, Block::Class | Block::Function | Block::Namespace) {
            self.open.push((column, candidate.opens));
        }
        depth
    }

    /// The block that encloses a line at `column`.
    pub(super) fn block(&self, column: usize) -> Block {
        self.open.iter().rev().find(|(open, _)| *open < column).map_or(Block::Namespace, |(_, block)| *block)
    }

    /// Whether a line at `column` is a member of the innermost class, and not of a statement in it.
    pub(super) fn is_member(&mut self, column: usize) -> bool {
        let Some((class, _)) = self.open.iter().rev().find(|(open, _)| *open < column) else { return false };
        while self.members.last().is_some_and(|(open, _)| open > class) {
            self.members.pop();
        }
        match self.members.last() {
            Some((open, members)) if open == class => *members == column,
            _ => {
                self.members.push((*class, column));
                true
            }
        }
    }
}

/// A line of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) number: usize,
    pub(super) from: usize,
    pub(super) end: usize,
    /// The offset of the line before.
    pub(super) previous: usize,
}

/// A line that starts in code and is not blank.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// From the first byte that is not blank to the end of the line.
    pub(super) code: &'t [u8],
    pub(super) table: &'static Table,
    /// The same start, with the lines that follow.
    pub(super) tail: &'t [u8],
    /// The offset of `code` in the text.
    start: usize,
    text: &'t [u8],
    /// The offset of the line.
    from: usize,
    /// The offset of the previous line.
    previous: usize,
    /// The blanks before `code`; a tab counts as one.
    pub(super) column: usize,
    /// The innermost block.
    pub(super) block: Block,
    /// Whether a function encloses the line.
    pub(super) in_function: bool,
    /// How many braces enclose the line.
    pub(super) depth: usize,
    /// How many parentheses and brackets are open since the innermost brace.
    pub(super) parens: usize,
    /// The last byte of code before the line that is not blank, or 0.
    pub(super) last: u8,
    /// The block that was closed last.
    pub(super) closed: Block,
    /// Whether the symbols are looked for, and not only what a map shows.
    pub(super) all: bool,
}

impl<'t> Line<'t> {
    /// The line of `text` from `column` on.
    pub(super) fn new(text: &'t [u8], at: At, column: usize, lexer: &Lexer) -> Option<Self> {
        let At { from, end, previous, .. } = at;
        let start = from + column;
        let window = if lexer.all { LONG_WINDOW } else { WINDOW };
        // A long line may have as many statements as bytes.
        let end = if lexer.all { end.min(start + WINDOW) } else { end };
        let code = text.get(start..end)?;
        let first = *code.first()?;
        if !lexer.table.may_start(first) || first == b'\r' {
            return None;
        }
        Some(Self {
            code: trim_end(code),
            table: lexer.table,
            tail: text.get(start..text.len().min(start + window))?,
            start,
            text,
            from,
            previous,
            column,
            block: lexer.block(),
            in_function: lexer.in_function(),
            depth: lexer.depth(),
            parens: lexer.parens,
            last: lexer.last,
            closed: lexer.closed,
            all: lexer.all,
        })
    }

    /// The offset of `code` in the text.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The text from where `rest` starts, which is a part of it.
    pub(super) fn tail_at(&self, rest: &[u8]) -> &'t [u8] {
        let from = (rest.as_ptr() as usize).saturating_sub(self.tail.as_ptr() as usize);
        self.tail.get(from..).unwrap_or(&[])
    }

    /// Whether the line continues the one before: that ended in the middle of a declaration.
    pub(super) fn continues(&self) -> bool {
        is_word(self.last) || matches!(self.last, b'*' | b'&' | b'>')
    }

    /// Where the signature of `candidate` starts, and the offset before which a line break does not end it.
    pub(super) fn span(&self, candidate: &Candidate<'_>) -> (usize, usize) {
        // A C function whose type is on the line before.
        let joins = matches!(self.table.language, Language::C | Language::Cpp);
        let through = self.start + usize::from(candidate.opens == Block::Function);
        let split = joins && self.column == 0 && self.continues() && candidate.opens == Block::Function;
        let previous = self.text.get(self.previous..self.from).map_or(0, |line| line.len() - trim_start(line).len());
        let previous = self.previous + previous;
        (if split && self.start.saturating_sub(previous) < 120 { previous } else { self.start }, through)
    }
}
