//! The words of a sentence, and whether one of them is a password: what looks like one and like nothing else.

use std::ops::Range;

use crate::classify::names::{self, Strength};
use crate::classify::plausibility;
use crate::classify::stand_ins;
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::detect::other_uses;
use crate::text::bytes::{run_start, slice};

/// A word without the punctuation around it.
pub(crate) struct Word {
    pub(crate) place: Range<usize>,
    /// Whether a sentence or clause may end after it.
    pub(crate) ends: bool,
    /// Whether it ends with a colon, or other punctuation that introduces a value.
    pub(crate) introduces: bool,
    pub(crate) is_quoted: bool,
}

pub(crate) fn word_at(text: &[u8], raw: Range<usize>) -> Word {
    let bytes = slice(text, raw.clone());
    let opening =
        bytes.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'(' | b'[' | b'<' | b'*' | b'_')).count();
    let opened = opening + typographic_quotes(slice(bytes, opening..bytes.len()));
    let mut end = bytes.len();
    let mut is_quoted = false;
    // Quoted text is taken unchanged.
    if let Some(quote @ (b'"' | b'\'' | b'`')) = opening.checked_sub(1).and_then(|last| bytes.get(last)).copied()
        && let Some(length) = memchr::memchr(quote, slice(bytes, opening..bytes.len())).filter(|length| *length > 0)
    {
        (end, is_quoted) = (opening + length, true);
    } else {
        while end > opened
            && matches!(
                bytes.get(end - 1),
                Some(b'"' | b'\'' | b'`' | b')' | b']' | b'>' | b'*' | b'_' | b'.' | b',' | b';' | b':')
            )
        {
            end -= 1;
        }
    }
    end = end.max(opened) - closing_quotes(slice(bytes, opened.min(end)..end));
    let tail = slice(bytes, end..bytes.len());
    let ends = tail.contains(&b'.') || tail.contains(&b';') || bytes.ends_with(b"?");
    Word { place: raw.start + opened.min(end)..raw.start + end, ends, introduces: tail.contains(&b':'), is_quoted }
}

/// The length of the typographic quotation marks at the start.
fn typographic_quotes(bytes: &[u8]) -> usize {
    const MARKS: [&str; 10] = ["“", "„", "‘", "‚", "«", "»", "「", "『", "”", "‹"];
    MARKS.iter().find(|mark| bytes.starts_with(mark.as_bytes())).map_or(0, |mark| mark.len())
}

/// The length of the typographic quotation marks at the end.
fn closing_quotes(bytes: &[u8]) -> usize {
    const MARKS: [&str; 9] = ["”", "“", "’", "‘", "»", "«", "」", "』", "›"];
    MARKS.iter().find(|mark| bytes.ends_with(mark.as_bytes())).map_or(0, |mark| mark.len())
}

/// The word that ends before `end`, and where it starts.
pub(crate) fn word_before(text: &[u8], end: usize) -> Option<(Range<usize>, usize)> {
    let stop = run_start(text, end, 8, |byte| byte.is_ascii_whitespace());
    let start = run_start(text, stop, 128, |byte| !byte.is_ascii_whitespace());
    (start < stop && stop < end).then_some((start..stop, start))
}

/// Whether the word at `place` is a password of `name`. `is_expected`: the sentence leads to one here. `is_explicit`: a
/// verb, a sign or quotation marks say that it is one.
pub(crate) fn is_password(
    text: &[u8],
    place: &Range<usize>,
    name: &Name,
    is_expected: bool,
    is_explicit: bool,
) -> bool {
    let word = slice(text, place.clone());
    if stand_ins::is_reference(word) || is_numbered(word) {
        return false;
    }
    let noun = slice(text, name.place.clone());
    let is_password = name.strength == Strength::Strong
        || [&b"pass"[..], b"pwd", b"pw"].iter().any(|word| noun.eq_ignore_ascii_case(word));
    // A key or token is generated; a password may be anything.
    if keyed::is_of_key(noun) {
        return is_explicit
            && ((plausibility::is_stated_password(word, true)
                && plausibility::is_key(word)
                && !(name.strength < Strength::Strong && is_id(word))
                && !is_of_table(text, name))
                || (name.strength == Strength::Strong && plausibility::is_phrase(word)));
    }
    is_password
        && (plausibility::is_stated_password(word, is_expected) || (is_explicit && plausibility::is_phrase(word)))
}

/// Whether the key is that of a cache or of a table, as the words before it say.
fn is_of_table(text: &[u8], name: &Name) -> bool {
    name.strength < Strength::Strong
        && other_uses::is_of_table(slice(text, name.place.start.saturating_sub(48)..name.place.start))
}

/// `key-15`: one of several.
fn is_numbered(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = slice(word, letters..word.len());
    rest.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
        && names::strength(slice(word, 0..letters)) > Strength::None
}

/// Whether `word` is a UUID or a short hash: what a key of a cache or of a table looks like.
fn is_id(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-') && (word.len() < 32 || word.contains(&b'-'))
}
