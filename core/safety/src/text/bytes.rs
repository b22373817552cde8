//! The classes of bytes that secrets are made of, and small steps through them. Bytes and no Unicode: a token stands as
//! well between two Chinese characters as between two blanks.

use std::ops::Range;

/// How much of a line is looked at on either side of a place, in bytes.
const NEAR: usize = 1024;

/// What tokens are made of: letters, digits, `_`, `-` and `.`.
pub(crate) const fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// What long secrets are made of: tokens, base64 and what a URL escapes.
pub(crate) const fn is_of_run(byte: u8) -> bool {
    is_of_token(byte) || matches!(byte, b'/' | b'+' | b'%' | b'~' | b'=')
}

/// What base64 of either alphabet is made of.
pub(crate) const fn is_of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// A blank within a line.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A quotation mark of code.
pub(crate) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The bytes of `text` in `range`; none where it reaches out of it.
pub(crate) fn slice(text: &[u8], range: Range<usize>) -> &[u8] {
    text.get(range).unwrap_or_default()
}

/// Behind the bytes of `class` that stand at `from`, of which at most `most` are taken.
pub(crate) fn run_end(text: &[u8], from: usize, most: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| class(**byte)).count()
}

/// The first of the bytes of `class` that end at `to`, of which at most `most` are taken.
pub(crate) fn run_start(text: &[u8], to: usize, most: usize, class: impl Fn(u8) -> bool) -> usize {
    let before = text.get(..to).unwrap_or_default();
    to - before.iter().rev().take(most).take_while(|byte| class(**byte)).count()
}

/// Does a word begin at `at`? The letter of an escape (`\n` in text that was escaped once more) is no part of it.
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    match text.get(..at) {
        Some([.., b'\\', b'n' | b't' | b'r']) => true,
        Some([.., last]) => !last.is_ascii_alphanumeric(),
        _ => true,
    }
}

/// Whether `text` holds `word`, whatever the case of its letters; `word` is in small ones.
pub(crate) fn holds(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// The line around `at`, without its end. Of a line that goes on for ever only what is near.
pub(crate) fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let from = at.saturating_sub(NEAR);
    let to = text.len().min(at + NEAR);
    let start = memchr::memrchr(b'\n', slice(text, from..at)).map_or(from, |newline| from + newline + 1);
    let end = memchr::memchr(b'\n', slice(text, at..to)).map_or(to, |newline| at + newline);
    start..end
}
