//! Which complete lines of a stream may be written at a pause, before more of the text is known.
//!
//! Most lines are judged the same whatever follows. A line is held back if it may be wrapped inside a token, if it ends
//! in the beginning of one, or if a part of it would be a secret should the text continue as some records do.

use std::ops::Range;

use crate::detect::cuts;
use crate::detect::line_wrap::{WRAP_WIDTHS, without_edge};
use crate::mark::found::{Found, gaps};
use crate::redact::redactor::{Redactor, continued};
use crate::text::blocks::{CONTEXT, Walk, window_start};
use crate::text::bytes::{run_start, slice};
use crate::text::gutters;
use crate::text::invisible::{self, Presence};

/// The rest of a Kubernetes secret, of a JSON Web Key and of a private key: whatever would be secret if the text
/// continued like this is not written yet. The line of base64 is no key.
const CONTINUATION: &[u8] = b"kind: Secret\n\
    \"kty\":\"RSA\"}\n\
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n\
    -----END PRIVATE KEY-----\n";
/// A shorter beginning reveals next to nothing of a secret.
const MIN_BEGUN: usize = 4;
/// A longer word is not one of a language.
const MAX_WORD: usize = 20;

impl Redactor {
    /// Redacts those of the complete `lines` of a stream that later lines cannot show to be part of a secret.
    pub(super) fn write_lines<'r>(&'r self, lines: &[u8], walk: &mut Walk<'r>, out: &mut Vec<u8>) {
        let start = walk.at;
        if let Some(found) = continued(lines, walk) {
            self.write(lines, start..walk.at, vec![found], out);
        }
        let start = walk.at;
        let window = window_start(lines, start);
        let mut found = self.find_from(lines, start, window..lines.len(), None);
        let end = self.safe_end(lines, start, window, &found);
        if end > start {
            found.retain(|found| found.place.start < end);
            walk.at = end;
            self.write(lines, start..end, found, out);
        }
    }

    /// The end of the lines from `start` on that may be written. `found`: the secrets in them.
    fn safe_end(&self, lines: &[u8], start: usize, window: usize, found: &[Found<'_>]) -> usize {
        let begun = self.begun_value(slice(lines, start..lines.len()));
        let valueless = if begun < MIN_BEGUN { lines.len() } else { line_start(lines, lines.len() - begun) };
        let whole = self.unwrapped_end(lines, start, found).min(uncut_end(lines, start, found));
        let mut end = self.undisputed_end(lines, start, window, found).min(whole).min(valueless).max(start);
        // Only whole lines are written, and only whole findings.
        for Found { place, .. } in found.iter().rev() {
            if place.start < end && place.end > end {
                end = line_start(lines, place.start).max(start);
            }
        }
        end
    }

    /// The end of the lines in which nothing else becomes a secret if the text continues as [`CONTINUATION`].
    fn undisputed_end(&self, lines: &[u8], start: usize, window: usize, found: &[Found<'_>]) -> usize {
        let known = slice(lines, window..lines.len());
        if !may_be_disputed(known) {
            return lines.len();
        }
        let continued = [known, CONTINUATION].concat();
        let first_visible = |gap: Range<usize>| {
            let visible = slice(lines, gap.clone()).iter().position(|byte| !byte.is_ascii_whitespace());
            visible.map(|step| gap.start + step)
        };
        let disputed = self.search().find_in_window(&continued, None).into_iter().filter_map(|disputed| {
            let place = disputed.shifted_by(window).place;
            let known = place.start.max(start)..place.end.min(lines.len());
            let inside = found.iter().map(|found| &found.place);
            let inside = inside.filter(|taken| taken.start < known.end && taken.end > known.start).cloned();
            (!known.is_empty()).then(|| gaps(known.clone(), inside).into_iter().find_map(first_visible))?
        });
        disputed.min().map_or(lines.len(), |at| line_start(lines, at))
    }

    /// The end of the lines without those at the end that may be the beginning of a wrapped token.
    fn unwrapped_end(&self, lines: &[u8], start: usize, found: &[Found<'_>]) -> usize {
        // What follows a finding is a word by itself.
        let found_end = |tail: &Range<usize>| {
            let inside = found.iter().map(|found| &found.place);
            inside.filter(|place| place.start < tail.end && place.end > tail.start).map(|place| place.end).max()
        };
        let Some(mut first) = Wrappable::ending_at(lines, lines.len()) else { return lines.len() };
        let tail = found_end(&first.tail).unwrap_or(first.tail.start)..first.tail.end;
        let is_begun = || self.begun_value(slice(lines, first.line.start..tail.end)) >= MIN_BEGUN;
        if tail.is_empty() || !(is_token_like(slice(lines, tail.clone())) || is_begun()) {
            return lines.len();
        }
        // A token may have begun several lines ago.
        let least = start.max(lines.len().saturating_sub(CONTEXT));
        while first.is_one_run(lines) && first.line.start > least {
            match Wrappable::ending_at(lines, first.line.start) {
                Some(before) if before.line.start >= least && found_end(&before.tail).is_none() => first = before,
                _ => break,
            }
        }
        first.line.start
    }
}

/// The end of the lines from `start` on without those at the end that have the pieces of a token, which may continue.
fn uncut_end(lines: &[u8], start: usize, found: &[Found<'_>]) -> usize {
    let recent = start.max(lines.len().saturating_sub(CONTEXT));
    let begun = cuts::begun_at_end(slice(lines, recent..lines.len()));
    let begun = begun.map(|begun| begun.start + recent..begun.end + recent);
    // What is redacted already reveals nothing.
    let is_found =
        |begun: &Range<usize>| found.iter().any(|it| it.place.start < begun.end && it.place.end > begun.start);
    begun
        .filter(|begun| begun.len() >= MIN_BEGUN && !is_found(begun))
        .map_or(lines.len(), |begun| line_start(lines, begun.start))
}

/// A line that a terminal may have wrapped inside a word; see [`line_wrap`](crate::detect::line_wrap).
struct Wrappable {
    line: Range<usize>,
    /// Its last word, which may continue on the next line.
    tail: Range<usize>,
}

impl Wrappable {
    /// The line whose line break ends at `end`, unless it cannot be wrapped.
    fn ending_at(text: &[u8], end: usize) -> Option<Wrappable> {
        let newline = end.checked_sub(1)?;
        let line = line_start(text, newline)..newline;
        let width = |line: &[u8]| line.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count();
        let wide = width(slice(text, line.clone()));
        let before = line.start.checked_sub(1).map_or(0..0, |newline| line_start(text, newline)..newline);
        if !WRAP_WIDTHS.contains(&wide) || wide < width(slice(text, before)) {
            return None;
        }
        let written = slice(text, line.clone());
        let written = without_colours(written.strip_suffix(b"\r").unwrap_or(written));
        let length = without_edge(written).unwrap_or(written.len());
        let tail = run_start(written, length, length, |byte| byte.is_ascii_graphic());
        (tail < length).then(|| Wrappable { tail: line.start + tail..line.start + length, line })
    }

    /// Whether the line is a single word, after whatever a program prints before each line.
    fn is_one_run(&self, text: &[u8]) -> bool {
        let line = slice(text, self.line.start..self.tail.end);
        let content = slice(line, gutters::width(line)..line.len()).trim_ascii_start();
        content.len() <= self.tail.len()
    }
}

/// `line` without the colour sequences at its end.
fn without_colours(line: &[u8]) -> &[u8] {
    let mut line = line;
    while let Some(escape) = memchr::memrchr(0x1b, line) {
        let is_colour = matches!(slice(line, escape + 1..line.len()), [b'[', codes @ .., b'm' | b'K']
            if codes.iter().all(|byte| byte.is_ascii_digit() || *byte == b';'));
        if !is_colour {
            break;
        }
        line = slice(line, 0..escape);
    }
    line
}

/// Whether a word at the edge of a line may be the beginning of a token, a setting or a URL with a password, rather
/// than words and punctuation.
fn is_token_like(word: &[u8]) -> bool {
    let is_closed = matches!(
        word.last(),
        Some(b',' | b';' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'|' | b'"' | b'\'' | b'`')
    );
    if word.len() < MIN_BEGUN || is_closed {
        return false;
    }
    let has_value = word.iter().rposition(|byte| matches!(byte, b'=' | b':')).is_some_and(|sign| {
        let value = slice(word, sign + 1..word.len());
        !value.is_empty() && !value.starts_with(b"/")
    });
    let is_in_url =
        memchr::memmem::find(word, b"://").is_some_and(|at| slice(word, at + 3..word.len()).contains(&b':'));
    has_value || is_in_url || !word.split(|byte| !byte.is_ascii_alphanumeric()).all(is_plain)
}

/// Whether a run of letters and digits is a word, an abbreviation or a small number.
fn is_plain(part: &[u8]) -> bool {
    let (first, rest) = part.split_at(part.len().min(1));
    let is_word = first.iter().all(u8::is_ascii_alphabetic) && rest.iter().all(u8::is_ascii_lowercase);
    let is_abbreviation = part.len() <= 8 && part.iter().all(u8::is_ascii_uppercase);
    part.len() < MIN_BEGUN || (is_word && part.len() <= MAX_WORD) || is_abbreviation
}

/// Whether there may be the beginning of a record that [`CONTINUATION`] continues.
fn may_be_disputed(text: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    memchr::memrchr(b'{', text) > memchr::memrchr(b'}', text)
        || has(b"PRIVATE")
        || has(b"ata:")
        || invisible::presence_in(text) == Presence::Hiding
}

/// The start of the line that contains `at`.
fn line_start(text: &[u8], at: usize) -> usize {
    memchr::memrchr(b'\n', slice(text, 0..at)).map_or(0, |newline| newline + 1)
}
