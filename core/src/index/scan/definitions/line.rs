//! A line of code as the detectors see it.

use super::At;
use super::candidate::{Block, Candidate};
use super::lexer::Lexer;
use super::words::{is_word, trim_end, trim_start};

/// How far a detector looks past the start of a line, in bytes.
const WINDOW: usize = 2048;
/// The same where all symbols are looked for.
const LONG_WINDOW: usize = 8192;

/// A line that starts in code and is not blank.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// From the first byte that is not blank to the end of the line.
    pub(super) code: &'t [u8],
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
    pub(super) fn new(text: &'t [u8], at: At, column: usize, lexer: &Lexer, all: bool) -> Option<Self> {
        let At { from, end, previous, .. } = at;
        let start = from + column;
        let window = if all { LONG_WINDOW } else { WINDOW };
        let code = text.get(start..end)?;
        let first = *code.first()?;
        if !lexer.may_start(first) || first == b'\r' {
            return None;
        }
        Some(Self {
            code: trim_end(code),
            tail: text.get(start..text.len().min(start + window))?,
            start,
            text,
            from,
            previous,
            column,
            block: lexer.block(),
            in_function: lexer.in_function(),
            depth: lexer.depth(),
            parens: lexer.parens(),
            last: lexer.last(),
            closed: lexer.closed,
            all,
        })
    }

    /// The offset of `code` in the text.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Whether the line continues the one before: that ended in the middle of a declaration.
    pub(super) fn continues(&self) -> bool {
        is_word(self.last) || matches!(self.last, b'*' | b'&' | b'>')
    }

    /// Where the signature of `candidate` starts, and the offset before which a line break does not end it. With `joins` it may
    /// start on the line before.
    pub(super) fn span(&self, candidate: &Candidate<'_>, joins: bool) -> (usize, usize) {
        // A C function whose type is on the line before.
        let through = self.start + usize::from(candidate.opens == Block::Function);
        let split = joins && self.column == 0 && self.continues() && candidate.opens == Block::Function;
        let previous = self.text.get(self.previous..self.from).map_or(0, |line| line.len() - trim_start(line).len());
        let previous = self.previous + previous;
        (if split && self.start.saturating_sub(previous) < 120 { previous } else { self.start }, through)
    }
}
