//! A run of token characters, the text around it, and the classes of its bytes.

use std::ops::Range;

/// How far a shape looks around its run, in bytes.
pub(crate) const MAX_CONTEXT: usize = 128;

/// A run of token characters and the text around it.
pub(crate) struct Run<'t> {
    pub(crate) text: &'t [u8],
    /// Where it starts, and where it ends without trailing punctuation.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The run without punctuation at both ends.
    pub(crate) word: &'t [u8],
    pub(crate) word_start: usize,
}

impl<'t> Run<'t> {
    pub(crate) fn new(text: &'t [u8], run: Range<usize>) -> Option<Self> {
        let bytes = text.get(run.clone())?;
        let trailing = bytes.iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
        let first = bytes.iter().position(u8::is_ascii_alphanumeric)?;
        let last = bytes.iter().rposition(u8::is_ascii_alphanumeric)?;
        let word = bytes.get(first..=last)?;
        Some(Run { text, start: run.start, end: run.end - trailing, word, word_start: run.start + first })
    }

    /// The run from its first byte.
    pub(crate) fn bytes(&self) -> &'t [u8] {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// The text before the run, as far as a shape looks.
    pub(crate) fn before(&self) -> &'t [u8] {
        self.text.get(self.start.saturating_sub(MAX_CONTEXT)..self.start).unwrap_or_default()
    }

    /// The text after the run, as far as a shape looks.
    pub(crate) fn after(&self) -> &'t [u8] {
        self.text.get(self.end..self.text.len().min(self.end + MAX_CONTEXT)).unwrap_or_default()
    }

    pub(crate) fn word_place(&self) -> Range<usize> {
        self.word_start..self.word_start + self.word.len()
    }

    /// The whole run, and `before` bytes of the text before it.
    pub(crate) fn with_before(&self, before: usize) -> Range<usize> {
        self.start.saturating_sub(before)..self.end
    }

    /// The range of `part`, which starts `at` bytes after the start of the word.
    pub(crate) fn part(&self, at: usize, part: &[u8]) -> Range<usize> {
        self.word_start + at..self.word_start + at + part.len()
    }

    /// The first of the word's pieces, split at `_`, `-` and `.`, that has `length` bytes, for all of which `is` holds.
    pub(crate) fn piece(&self, length: usize, is: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
        if self.word.len() < length {
            return None;
        }
        let mut at = 0;
        for piece in self.word.split(|byte| !byte.is_ascii_alphanumeric()) {
            if piece.len() == length && is(piece) {
                return Some(self.part(at, piece));
            }
            at += piece.len() + 1;
        }
        None
    }
}

pub(crate) fn all(bytes: &[u8], is: impl Fn(u8) -> bool) -> bool {
    bytes.iter().all(|byte| is(*byte))
}

pub(crate) fn lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

pub(crate) fn lower_alnum(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

pub(crate) fn upper_alnum(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(crate) fn alnum(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(crate) fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

pub(crate) fn base64url(byte: u8) -> bool {
    alnum(byte) || matches!(byte, b'_' | b'-')
}

/// The longest suffix of `bytes` for which `is` holds.
pub(crate) fn ending(bytes: &[u8], is: impl Fn(u8) -> bool) -> &[u8] {
    let from = bytes.iter().rposition(|byte| !is(*byte)).map_or(0, |at| at + 1);
    bytes.get(from..).unwrap_or_default()
}

/// The longest prefix of `bytes` for which `is` holds.
pub(crate) fn beginning(bytes: &[u8], is: impl Fn(u8) -> bool) -> &[u8] {
    let to = bytes.iter().position(|byte| !is(*byte)).unwrap_or(bytes.len());
    bytes.get(..to).unwrap_or_default()
}

/// Whether it contains upper case, lower case and digits.
pub(crate) fn mixed(bytes: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}
