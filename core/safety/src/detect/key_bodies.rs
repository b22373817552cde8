//! Private keys without their header: base64 whose first bytes are those of a key in DER or in the format of OpenSSH, on
//! one line or several.

use std::ops::Range;

use crate::text::bytes::{is_blank, is_quote, line_around, peek, run_end, slice};
use crate::text::gutters;

/// The shortest body, in characters: that of an Ed25519 key has 64.
const MIN_BODY: usize = 60;
/// The longest line after the first, in characters.
const MAX_LINE: usize = 80;
/// The maximum number of lines to read.
const MAX_LINES: usize = 200;

const fn is_of_body(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The body of a private key that starts at `at`.
pub(crate) fn at(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !is_beginning(peek(text, at, 40)) {
        return None;
    }
    let first = run_end(text, at, usize::MAX, is_of_body);
    let width = first - at;
    // Read together with the line above.
    if text.get(at.wrapping_sub(1)) == Some(&b'\n')
        && at.checked_sub(width + 1).is_some_and(|above| is_beginning(peek(text, above, 40)))
    {
        return None;
    }
    let (mut end, mut last) = (first, width);
    for _ in 0..MAX_LINES {
        // The last line is the one that is shorter than the others.
        let Some(starts) = next_line(text, end).filter(|_| last == width && width <= MAX_LINE) else { break };
        let lines = starts.map(|start| start..run_end(text, start, MAX_LINE + 1, is_of_body));
        let is_body = |line: &Range<usize>| {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte) || *byte == b'\\';
            !line.is_empty() && line.len() <= width && text.get(line.end).is_none_or(is_end)
        };
        let Some(line) = lines.into_iter().find(is_body) else { break };
        (end, last) = (line.end, line.len());
    }
    (end - at >= MIN_BODY).then_some(at..end)
}

/// Where the line after the one that ends at `end` may start: at its beginning, or after what a log prints there. Its
/// line break may be escaped.
fn next_line(text: &[u8], end: usize) -> Option<[usize; 2]> {
    let tail = run_end(text, end, 8, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b'+' | b',' | b'\r'));
    let is_lead = |byte: u8| is_blank(byte) || is_quote(byte);
    if text.get(tail) == Some(&b'\n') {
        let line = line_around(text, tail + 1);
        // A plus sign may be that of a patch or belong to the key.
        return Some(
            [0, gutters::width(slice(text, line.clone()))]
                .map(|gutter| run_end(text, line.start + gutter, 32, is_lead)),
        );
    }
    let mut start = end;
    for letter in [b'r', b'n'] {
        let escape = run_end(text, start, 4, |byte| byte == b'\\');
        if escape > start && text.get(escape) == Some(&letter) {
            start = escape + 1;
        }
    }
    (start > end).then(|| [start, run_end(text, start, 32, is_lead)])
}

/// Whether a private key starts with `head` in base64: a sequence whose first member is a version. Certificates and
/// public keys start with another sequence.
fn is_beginning(head: &[u8]) -> bool {
    let is_low = |byte: u8| matches!(byte, b'A' | b'Q' | b'g' | b'w');
    match head {
        // RSA, DSA, and PKCS #8 with a length of two bytes
        [b'M', b'I', b'I', _, _, low, b'I', b'B', b'A', b'A', b'J' | b'K', ..]
        | [b'M', b'I', b'I', _, _, low, b'I', b'B', b'A', b'D', b'A', ..] => is_low(*low),
        // Elliptic curves, and PKCS #8 with a length of one byte
        [b'M', b'I', b'G' | b'H', _, b'A', b'g', b'E', b'A' | b'B', ..]
        | [b'M', b'H', _, b'C', b'A', b'Q', b'E', b'E', ..]
        | [b'M', _, _, b'C', b'A', b'Q', b'A', b'w', ..] => true,
        // Encrypted with a password
        [b'M', b'I', ..] => memchr::memmem::find(head, b"kqhkiG9w0BBQ").is_some(),
        _ => head.starts_with(b"b3BlbnNzaC1rZXktdj"),
    }
}
