//! A name that is itself a value: `{"value": "…", "name": "DB_PASSWORD"}`, `{"title": "API key", "text": "…"}`. The
//! value may be before its name or after it.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::mark::tag;
use crate::text::bytes::{is_blank, is_of_token, is_quote, run_end, run_start, slice};

/// Keys of a name.
#[rustfmt::skip]
const NAMES: [&[u8]; 15] = [
    b"name", b"key", b"label", b"title", b"subject", b"variable", b"field", b"id", b"envvar", b"env", b"k", b"topic",
    b"heading", b"summary", b"prompt",
];
/// Keys of a value.
#[rustfmt::skip]
const VALUES: [&[u8]; 13] = [
    b"value", b"content", b"text", b"default", b"body", b"data", b"val", b"v", b"details", b"note", b"new", b"answer",
    b"new_value",
];
/// How far apart the parts of a pair may be, in bytes.
const MAX_GAP: usize = 64;
/// The longest value, in bytes.
const MAX_VALUE: usize = 512;
/// How many other members may be between the two.
const MAX_MEMBERS: usize = 3;

/// The value of the name around `place`, if that is the value of a member that names something.
pub(crate) fn value_of(text: &[u8], place: &Range<usize>) -> Option<Range<usize>> {
    // `"prompt": "Password:"`
    let colon = place.end
        + usize::from(text.get(place.end) == Some(&b':') && text.get(place.end + 1).is_some_and(|byte| is_mark(*byte)));
    let place = &(place.start..colon);
    if !matches!(text.get(place.end), None | Some(b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r')) {
        return None;
    }
    // Words of a title: "database password".
    let start = run_start(text, place.start, 64, |byte| is_of_token(byte) || byte == b' ' || byte >= 0x80);
    let title = start + slice(text, start..place.start).iter().take_while(|byte| **byte == b' ').count();
    let is_quoted = start.checked_sub(1).and_then(|before| text.get(before)).is_some_and(|byte| is_quote(*byte));
    let (start, end) = if is_quoted {
        let closed = text.get(place.end).is_some_and(|byte| is_quote(*byte) || *byte == b'\\');
        (start, closed.then_some(place.end)?)
    } else {
        let is_last = matches!(text.get(place.end), None | Some(b'\n' | b'\r'));
        (title, is_last.then_some(place.end)?)
    };
    let key = key_before(text, start)?;
    if !NAMES.iter().any(|known| slice(text, key.clone()).eq_ignore_ascii_case(known)) {
        return None;
    }
    let title = slice(text, start..end).trim_ascii();
    let strength = names::strength(title.strip_suffix(b":").unwrap_or(title));
    if strength < Strength::Weak {
        return None;
    }
    let place = before(text, key.start).or_else(|| after(text, end))?;
    let value = slice(text, place.clone());
    let is_secret = !value.iter().any(u8::is_ascii_whitespace)
        && !tag::starts_placeholder(value)
        && judgement::is_secret(value, strength, Form::Data);
    is_secret.then_some(place)
}

const fn is_mark(byte: u8) -> bool {
    is_quote(byte) || byte == b'\\'
}

/// The key of the value that starts at `start`.
fn key_before(text: &[u8], start: usize) -> Option<Range<usize>> {
    let colon = run_start(text, start, 16, |byte| is_blank(byte) || is_mark(byte));
    let colon = colon.checked_sub(1).filter(|at| matches!(text.get(*at), Some(b':' | b'=')))?;
    let end = run_start(text, colon, 16, |byte| is_blank(byte) || is_mark(byte));
    let start = run_start(text, end, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (start < end).then_some(start..end)
}

/// The value in the same object whose key is before `at`, the start of another key.
fn before(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = at;
    for _ in 0..=MAX_MEMBERS {
        let end = run_start(text, at, MAX_GAP, |byte| byte.is_ascii_whitespace() || is_mark(byte));
        let gap = slice(text, end..at);
        let is_after_comma = end.checked_sub(1).and_then(|before| text.get(before)) == Some(&b',');
        let place = if is_after_comma {
            let end = run_start(text, end - 1, MAX_GAP, |byte| byte.is_ascii_whitespace());
            let quote = end.checked_sub(1).and_then(|last| text.get(last)).copied().filter(|byte| is_quote(*byte))?;
            let close = run_start(text, end - 1, 4, |byte| byte == b'\\');
            let start = run_start(text, close, MAX_VALUE, |byte| byte != quote && byte != b'\n');
            start..close
        } else if is_mark(gap.first().copied().unwrap_or_default()) && !gap.contains(&b'\n') {
            // `<property value="…" name="…"/>`
            let close = at - gap.len();
            let quote = *gap.first()?;
            let start = run_start(text, close, MAX_VALUE, |byte| byte != quote && byte != b'\n');
            start..close
        } else if gap.contains(&b'\n') {
            // The line above, in YAML
            let end = at - gap.len();
            let start = run_start(text, end, MAX_VALUE, |byte| !byte.is_ascii_whitespace() && !is_mark(byte));
            start..end
        } else {
            return None;
        };
        let key = key_before(text, place.start)?;
        if VALUES.iter().any(|known| slice(text, key.clone()).eq_ignore_ascii_case(known)) {
            return Some(place);
        }
        // `- ` starts an item of a list.
        if slice(text, 0..key.start).ends_with(b"- ") {
            return None;
        }
        at = key.start;
    }
    None
}

/// The value of one of the members after the one that ends at `at`.
fn after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let mut at = at;
    for _ in 0..=MAX_MEMBERS {
        let comma = run_end(text, at, 4, is_mark);
        let key = (text.get(comma) == Some(&b','))
            .then(|| run_end(text, comma + 1, MAX_GAP, |byte| byte.is_ascii_whitespace() || is_mark(byte)))?;
        let end = run_end(text, key, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let colon = run_end(text, end, 8, |byte| is_blank(byte) || is_mark(byte));
        let open = (text.get(colon) == Some(&b':'))
            .then(|| run_end(text, colon + 1, 8, |byte| is_blank(byte) || byte == b'\\'))?;
        let is_value = VALUES.iter().any(|known| slice(text, key..end).eq_ignore_ascii_case(known));
        let quote = text.get(open).copied().filter(|byte| is_quote(*byte));
        at = match quote {
            Some(quote) => {
                let end = run_end(text, open + 1, MAX_VALUE, |byte| byte != quote && byte != b'\\' && byte != b'\n');
                if is_value {
                    return text.get(end).is_some_and(|byte| is_mark(*byte)).then_some(open + 1..end);
                }
                end
            }
            // A list of texts, a number or a literal.
            None if text.get(open) == Some(&b'[') => {
                run_end(text, open, MAX_VALUE, |byte| !matches!(byte, b']' | b'{' | b'\n')) + 1
            }
            None => run_end(text, open, MAX_GAP, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')),
        };
    }
    None
}
