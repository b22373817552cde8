//! The byte classes that secrets consist of, and small steps through them. Works on bytes rather than characters: a
//! token between two Chinese characters is found as well as one between two spaces.

use std::ops::Range;

/// How much of a line is examined on either side of a position, in bytes.
const MAX_LINE_SIDE: usize = 1024;

/// The classes of each byte, a bit each. For one byte at a time, a table is faster than comparisons.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        let is_word = byte.is_ascii_alphanumeric();
        let is_of_token = is_word || matches!(byte, b'_' | b'-' | b'.');
        if is_of_token {
            classes[byte as usize] |= OF_TOKEN;
        }
        if is_of_token || byte >= 0x80 {
            classes[byte as usize] |= OF_NAME;
        }
        if is_of_token || matches!(byte, b'/' | b'+' | b'%' | b'~' | b'=') {
            classes[byte as usize] |= OF_RUN;
        }
        if is_word || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_') {
            classes[byte as usize] |= OF_BASE64;
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};
const OF_TOKEN: u8 = 1;
const OF_NAME: u8 = 2;
const OF_RUN: u8 = 4;
const OF_BASE64: u8 = 8;

#[inline]
const fn has_class(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// The bytes of tokens: letters, digits, `_`, `-` and `.`.
#[inline]
pub(crate) const fn is_of_token(byte: u8) -> bool {
    has_class(byte, OF_TOKEN)
}

/// The bytes of names in any language: those of tokens, and all that are not ASCII.
#[inline]
pub(crate) const fn is_of_name(byte: u8) -> bool {
    has_class(byte, OF_NAME)
}

/// The bytes of long secrets: those of tokens, base64 and URL escapes.
#[inline]
pub(crate) const fn is_of_run(byte: u8) -> bool {
    has_class(byte, OF_RUN)
}

/// The bytes of base64 in either alphabet.
#[inline]
pub(crate) const fn is_of_base64(byte: u8) -> bool {
    has_class(byte, OF_BASE64)
}

/// A space or a tab.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// A quotation mark in code.
pub(crate) const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The bytes of `text` in `range`. A range out of bounds is a bug, which tests find; in release builds it is empty.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn slice(text: &[u8], range: Range<usize>) -> &[u8] {
    debug_assert!(range.start <= range.end && range.end <= text.len(), "{range:?} of {}", text.len());
    text.get(range).unwrap_or_default()
}

/// The `count` bytes of `text` at `at`; empty if it ends before.
pub(crate) fn peek(text: &[u8], at: usize, count: usize) -> &[u8] {
    text.get(at..at + count).unwrap_or_default()
}

/// The end of the run of `class` bytes that starts at `from`, limited to `limit` bytes. After a separator that is missing at
/// the end of the text, it is empty.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn run_end(text: &[u8], from: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
    debug_assert!(from <= text.len() + 1, "{from} of {}", text.len());
    let rest = text.get(from..).unwrap_or_default();
    let rest = rest.get(..limit).unwrap_or(rest);
    from + rest.iter().position(|byte| !class(*byte)).unwrap_or(rest.len())
}

/// The start of the run of `class` bytes that ends at `to`, limited to `limit` bytes.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn run_start(text: &[u8], to: usize, limit: usize, class: impl Fn(u8) -> bool) -> usize {
    debug_assert!(to <= text.len(), "{to} of {}", text.len());
    let before = text.get(to.saturating_sub(limit)..to).unwrap_or_default();
    to - before.len() + before.iter().rposition(|byte| !class(*byte)).map_or(0, |last| last + 1)
}

/// Whether a word starts at `at`. The letter of an escape (`\n` in text that was escaped again) is not part of the word
/// after it.
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    match text.get(..at) {
        Some([.., b'\\', b'n' | b't' | b'r']) => true,
        Some([.., last]) => !last.is_ascii_alphanumeric(),
        _ => true,
    }
}

/// Where `word` first is in `text`. For short texts and words: nothing is prepared before the search.
pub(crate) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let first = *word.first()?;
    memchr::memchr_iter(first, text).find(|at| slice(text, *at..text.len()).starts_with(word))
}

/// Whether `text` contains `word`, which is in lower case, ignoring case.
pub(crate) fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Whether `text` starts with `word`, ignoring case.
pub(crate) fn starts_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Whether `text` ends with `word`, ignoring case.
pub(crate) fn ends_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.len()
        .checked_sub(word.len())
        .and_then(|start| text.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// The position of the quotation mark that ends the string whose contents start at `start`, or the
/// length of `json` if there is none.
pub(crate) fn json_string_end(json: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(step) = memchr::memchr2(b'"', b'\\', slice(json, at..json.len())) {
        at += step;
        if json.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    json.len()
}

/// The line around `at`, without its line break. Of a very long line, only the part near `at`.
pub(crate) fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let from = at.saturating_sub(MAX_LINE_SIDE);
    let to = text.len().min(at + MAX_LINE_SIDE);
    let start = memchr::memrchr(b'\n', slice(text, from..at)).map_or(from, |newline| from + newline + 1);
    let end = memchr::memchr(b'\n', slice(text, at..to)).map_or(to, |newline| at + newline);
    start..end
}
