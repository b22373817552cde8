//! Line breaks at which a terminal, a box or a mail program wrapped a run of characters.
//!
//! A wrapped line is at least as wide as its neighbours, and the text before and after the break looks like one run.
//! Most other lines end at a word, which tells them apart.

use std::ops::Range;

use crate::classify::names::strength;
use crate::classify::plausibility;
use crate::detect::line_hints::LineHints;
use crate::text::bytes::{is_blank, is_of_token, peek, run_end, run_start, slice};
use crate::text::gutters;

/// The widths at which lines are wrapped, in characters.
pub(crate) const WRAP_WIDTHS: Range<usize> = 40..241;
/// The minimum length of a run across a line break.
const MIN_JOINED: usize = 12;
/// The right edges of boxes.
const EDGES: [&[u8]; 4] = ["│".as_bytes(), b"|", "║".as_bytes(), "┃".as_bytes()];

/// A line break inside a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrapPoint {
    pub(crate) newline: usize,
    /// The end of the run's first part.
    pub(crate) tail: usize,
    /// The start of its second part.
    pub(crate) head: usize,
}

/// The line breaks of `text` that may split a secret. Adds to `hints` what the other line breaks say.
pub(crate) fn wrap_points(text: &[u8], hints: &mut LineHints) -> Vec<WrapPoint> {
    let mut wrap_points = Vec::new();
    let is_ascii = text.is_ascii();
    let width = |line: Range<usize>| match is_ascii {
        true => line.len(),
        false => slice(text, line).iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count(),
    };
    // The width of the line before, and the line that a further one may continue.
    let (mut before, mut line) = (0, 0..0);
    let mut is_wide = false;
    let ends = memchr::memchr_iter(b'\n', text).chain((text.last() != Some(&b'\n')).then_some(text.len()));
    hints.start(text);
    for (index, end) in ends.enumerate() {
        hints.line_break(text, end);
        let next = if index == 0 { 0 } else { line.end + 1 }..end;
        let width = width(next.clone());
        if is_wide && width <= before {
            wrap_points.extend(wrap_point(text, line, next.clone()));
        }
        is_wide = WRAP_WIDTHS.contains(&width) && width >= before;
        (before, line) = (width, next);
    }
    wrap_points
}

fn wrap_point(text: &[u8], line: Range<usize>, next: Range<usize>) -> Option<WrapPoint> {
    let is_solid = |byte: u8| byte.is_ascii_graphic();
    let newline = line.end;
    let end = line.end - usize::from(text.get(line.end - 1) == Some(&b'\r'));
    let end = without_edge(slice(text, line.start..end)).map_or(end, |length| line.start + length);
    let tail = run_start(text, end, end - line.start, is_solid);
    // Code continues after such punctuation, and no secret does.
    let is_code = |last: &u8| {
        matches!(last, b',' | b';' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'|' | b'"' | b'\'' | b'`')
    };
    if slice(text, tail..end).last().is_none_or(is_code) {
        return None;
    }
    let following = slice(text, next.clone());
    // Most lines end with a word, and the next one starts with one.
    let is_word =
        slice(text, tail..end).iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'.' | b',' | b'\''));
    if is_word && !slice(following, 0..following.len().min(64)).iter().any(u8::is_ascii_digit) {
        return None;
    }
    let indent = run_end(following, 0, 32, is_blank);
    let is_indented = run_end(text, line.start, 32, is_blank) - line.start == indent;
    let gutter = gutters::width(following);
    let gutter = if gutter == 0 && is_indented { indent } else { gutter };
    let head = run_end(following, gutter, 512, is_solid);
    // A line with an assignment is not a continuation.
    if matches!(peek(following, head, 3), [b' ', b'=' | b':', b' ']) {
        return None;
    }
    let (before, after) = (slice(text, tail..end), slice(following, gutter..head));
    let joined = || before.iter().chain(after);
    let is_mixed = joined().any(u8::is_ascii_digit) && joined().any(u8::is_ascii_alphabetic);
    let is_one = !after.is_empty()
        && before.len() + after.len() >= MIN_JOINED
        && (is_mixed || is_case_mixed(joined()))
        && continues(before, after, following.get(head).is_some_and(|byte| is_blank(*byte)));
    is_one.then(|| WrapPoint { newline, tail: end, head: next.start + gutter })
}

/// The length of `line` without the right edge of a box and the white space before it.
pub(crate) fn without_edge(line: &[u8]) -> Option<usize> {
    let trimmed = line.trim_ascii_end();
    let inner = EDGES.iter().find_map(|edge| trimmed.strip_suffix(*edge))?;
    Some(inner.trim_ascii_end().len()).filter(|length| *length < inner.len())
}

/// Whether `head` may continue `tail`: it is neither a word nor a setting. `is_followed`: more words follow it.
fn continues(tail: &[u8], head: &[u8], is_followed: bool) -> bool {
    let name = run_end(head, 0, head.len(), is_of_token);
    let is_name = head.first().is_some_and(u8::is_ascii_alphabetic) && !plausibility::is_random(slice(head, 0..name));
    if is_name
        && name > 1
        && matches!(head.get(name), Some(b':' | b'='))
        && head.get(name + 1).is_none_or(|byte| *byte != b'=')
    {
        // `DB_PASS` and `WORD=`.
        let start = run_start(tail, tail.len(), 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        return start < tail.len()
            && strength(&[slice(tail, start..tail.len()), slice(head, 0..name)].concat())
                > strength(slice(head, 0..name));
    }
    let solid = slice(head, 0..run_end(head, 0, head.len(), |byte| byte.is_ascii_alphanumeric()));
    let rest = solid.get(1..).unwrap_or_default();
    // `RUN make`
    let is_instruction = is_followed && solid.len() == head.len() && solid.iter().all(u8::is_ascii_uppercase);
    let is_word = solid.len() >= 2
        && solid.iter().all(u8::is_ascii_alphabetic)
        && (rest.iter().all(u8::is_ascii_lowercase) || is_instruction);
    // `$ make`, `C:\\work> make`
    let is_prompt = matches!(head, [b'$'] | [b'.', b'/', ..] | [b'A'..=b'Z', b':', b'\\', ..]);
    !is_word
        && !is_prompt
        && !matches!(
            head,
            [b'*' | b'#' | b'/' | b'}' | b']' | b')' | b'-' | b'<' | b'`' | b'|' | b'!' | b'+']
                | [b'O', b'K']
                | [b'=', b'>', ..]
                | [b'*', b':', ..]
                | [b'/', b'/' | b'*', ..]
                | [b'`', b'`', ..]
                | [b'-', b'-', ..]
        )
}

fn is_case_mixed<'b>(bytes: impl Iterator<Item = &'b u8>) -> bool {
    let mut changes = 0;
    let mut was_lower = false;
    for byte in bytes {
        changes += usize::from(was_lower && byte.is_ascii_uppercase());
        was_lower = byte.is_ascii_lowercase();
    }
    changes >= 3
}
