//! Objects whose members are secrets because of the name of the object: `"passwords": {"alice": "…"}`,
//! `"apiKey": {"value": "…"}`, the section `[credentials]`, a block of YAML below `secrets:`.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::classify::plausibility;
use crate::mark::tag;
use crate::text::bytes::{ends_ignoring_case, is_blank, is_of_token, is_quote, line_around, peek, run_end, slice};

/// How much of a collection is read, in bytes.
const MAX_BYTES: usize = 4 << 10;
/// The maximum number of lines of a section or a block.
const MAX_LINES: usize = 64;
/// Members of an object with a secret's name that hold the secret.
const VALUES: [&[u8]; 8] = [b"value", b"default", b"plain", b"plaintext", b"current", b"text", b"data", b"content"];
/// Names of several secrets.
const PLURALS: [&[u8]; 9] = [
    b"secrets",
    b"passwords",
    b"passphrases",
    b"credentials",
    b"creds",
    b"apikeys",
    b"api_keys",
    b"api-keys",
    b"access_tokens",
];
/// Last words of members that describe a secret and are not one.
#[rustfmt::skip]
const DESCRIPTIONS: [&[u8]; 48] = [
    b"user", b"username", b"login", b"email", b"name", b"type", b"kind", b"id", b"host", b"hostname", b"url", b"uri",
    b"endpoint", b"path", b"file", b"filename", b"provider", b"backend", b"source", b"region", b"zone", b"scope",
    b"version", b"description", b"role", b"project", b"account", b"at", b"date", b"time", b"format", b"algorithm",
    b"status", b"ref", b"label", b"title", b"mount", b"store", b"driver", b"namespace", b"environment", b"port",
    b"count", b"length", b"issuer", b"audience", b"hash", b"image",
];

/// What a name says about the members of the object after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All but descriptions are passwords.
    Passwords,
    /// Those that look like a secret are.
    Secrets,
    /// The one with the value is.
    Single,
}

/// The members of the object, section or block whose name is at `place`. Collections before `done` have been read;
/// returns the new value.
pub(crate) fn find(text: &[u8], place: &Range<usize>, done: usize, found: &mut impl FnMut(Range<usize>)) -> usize {
    if place.start < done {
        return done;
    }
    let closed = run_end(text, place.end, 4, |byte| is_quote(byte) || byte == b'\\');
    let gap = run_end(text, closed, 8, is_blank);
    let mut end = done;
    match peek(text, gap, 2) {
        [b']', ..] if closed == place.end => {
            let line = line_around(text, place.start);
            let is_section = slice(text, line.start..place.start).trim_ascii() == b"["
                && text.get(gap + 1..line.end).unwrap_or_default().trim_ascii().is_empty();
            if let Some(kind) = kind(slice(text, place.clone())).filter(|_| is_section) {
                end = lines(text, line.end, None, kind, found);
            }
        }
        [b':' | b'=', next] => {
            let sign = gap + 1 + usize::from(*next == b'>');
            let open = run_end(text, sign, 8, is_blank);
            match text.get(open) {
                Some(b'{') => {
                    if let Some(kind) = kind(slice(text, place.clone())) {
                        end = members(text, open, &mut |name, value| {
                            if is_secret(kind, slice(text, name), slice(text, value.clone())) {
                                found(value);
                            }
                        });
                    }
                }
                Some(b'[') => {
                    if let Some(kind) = kind(slice(text, place.clone())).filter(|kind| *kind != Kind::Single) {
                        end = elements(text, open, kind, found);
                    }
                }
                Some(b'\n') if text.get(gap) == Some(&b':') => {
                    let line = line_around(text, place.start);
                    let is_alone = slice(text, line.start..place.start).iter().all(|byte| matches!(byte, b' ' | b'"'));
                    if let Some(kind) = kind(slice(text, place.clone())).filter(|_| is_alone) {
                        end = lines(text, line.end, Some(place.start - line.start), kind, found);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
    end
}

fn kind(name: &[u8]) -> Option<Kind> {
    if PLURALS.iter().any(|plural| ends_ignoring_case(name, plural)) {
        let is_of_passwords = ends_ignoring_case(name, b"passwords") || ends_ignoring_case(name, b"passphrases");
        return Some(if is_of_passwords { Kind::Passwords } else { Kind::Secrets });
    }
    (names::strength(name) >= Strength::Likely).then_some(Kind::Single)
}

fn is_secret(kind: Kind, name: &[u8], value: &[u8]) -> bool {
    let is_word = !value.iter().any(u8::is_ascii_whitespace);
    let is_likely = || {
        plausibility::is_random(value)
            || plausibility::is_stated_password(value, true)
            || plausibility::is_phrase(value)
            || is_chosen(value)
    };
    let is_taken = match kind {
        Kind::Single => VALUES.iter().any(|known| name.eq_ignore_ascii_case(known)) && is_word,
        Kind::Passwords => is_word && !is_description(name),
        Kind::Secrets => is_word && !is_description(name) && is_likely(),
    };
    is_taken && !tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)
}

/// A word with digits, like no name of an entry: `correcthorse9`.
fn is_chosen(value: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    value.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && plausibility::may_be_chosen(value)
}

fn is_description(name: &[u8]) -> bool {
    let word = name.iter().rposition(|byte| matches!(byte, b'_' | b'-' | b'.')).map_or(0, |at| at + 1);
    let camel = name.iter().rposition(u8::is_ascii_uppercase).filter(|_| name.iter().any(u8::is_ascii_lowercase));
    let last = slice(name, word.max(camel.unwrap_or(0))..name.len());
    DESCRIPTIONS.iter().any(|known| last.eq_ignore_ascii_case(known))
}

/// Calls `found` with the name and the value of each text that is a member of the object that opens at `open`, but not
/// of an object inside it; returns where reading stopped.
pub(crate) fn members(text: &[u8], open: usize, found: &mut impl FnMut(Range<usize>, Range<usize>)) -> usize {
    let limit = text.len().min(open + MAX_BYTES);
    let is_gap = |byte: u8| byte.is_ascii_whitespace() || byte == b',';
    let mut at = open + 1;
    while at < limit {
        at = escaped_gap(text, at, is_gap);
        let Some(name) = word(text, at, limit) else { return at };
        let sign =
            escaped_gap(text, name.end + usize::from(text.get(name.end).is_some_and(|byte| is_quote(*byte))), |byte| {
                byte.is_ascii_whitespace() || is_quote(byte)
            });
        if !matches!(text.get(sign), Some(b':' | b'=')) {
            return at;
        }
        let start = escaped_gap(text, sign + 1 + usize::from(text.get(sign + 1) == Some(&b'>')), |byte| {
            byte.is_ascii_whitespace()
        });
        let escape = run_end(text, start, 8, |byte| byte == b'\\');
        at = match text.get(escape) {
            Some(b'{' | b'[') => past_object(text, escape, limit),
            Some(quote) if is_quote(*quote) => {
                let Some(value) = word(text, start, limit) else { return start };
                let end = run_end(text, value.end, 8, |byte| byte == b'\\') + 1;
                found(name, value);
                end
            }
            _ => {
                let end = run_end(text, start, limit - start.min(limit), |byte| !matches!(byte, b',' | b'}' | b'\n'));
                // `{alice: hunter22}` in YAML; elsewhere such a word is a variable.
                let value = slice(text, start..end).trim_ascii_end();
                if plausibility::is_stated_password(value, true) {
                    found(name, start..start + value.len());
                }
                end
            }
        };
    }
    limit
}

/// The secrets in the list that opens at `open`: texts, and the values of objects such as `{"name": …, "value": …}`.
fn elements(text: &[u8], open: usize, kind: Kind, found: &mut impl FnMut(Range<usize>)) -> usize {
    let limit = text.len().min(open + MAX_BYTES);
    let mut at = open + 1;
    while at < limit {
        at = escaped_gap(text, at, |byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}'));
        if text.get(at) == Some(&b'{') {
            let end = members(text, at, &mut |name, value| {
                let is_value = VALUES.iter().any(|known| slice(text, name.clone()).eq_ignore_ascii_case(known));
                if is_value && is_secret(kind, b"", slice(text, value.clone())) {
                    found(value);
                }
            });
            at = end.max(at + 1);
            continue;
        }
        let escape = run_end(text, at, 8, |byte| byte == b'\\');
        let Some(value) = word(text, at, limit).filter(|value| value.start == escape + 1) else { return at };
        at = run_end(text, value.end, 8, |byte| byte == b'\\') + 1;
        if is_secret(Kind::Secrets, b"", slice(text, value.clone())) {
            found(value);
        }
    }
    limit
}

/// Calls `found` with each `name` and `value` of the objects in the list that opens at `open`; returns where reading
/// stopped.
pub(crate) fn pairs(text: &[u8], open: usize, found: &mut impl FnMut(Range<usize>, Range<usize>)) -> usize {
    let limit = text.len().min(open + MAX_BYTES);
    let mut at = open + 1;
    loop {
        at = escaped_gap(text, at, |byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}'));
        if at >= limit || text.get(at) != Some(&b'{') {
            return at.min(limit).max(open + 1);
        }
        let (mut name, mut value) = (None, None);
        let end = members(text, at, &mut |key, member| match slice(text, key) {
            b"name" => name = Some(member),
            b"value" => value = Some(member),
            _ => {}
        });
        name.into_iter().zip(value).for_each(|(name, value)| found(name, value));
        at = end.max(at + 1);
    }
}

/// The end of a gap, in which white space may be escaped.
fn escaped_gap(text: &[u8], from: usize, is_gap: impl Fn(u8) -> bool) -> usize {
    let mut at = run_end(text, from, MAX_BYTES, &is_gap);
    while matches!(peek(text, at, 2), [b'\\', b'n' | b't' | b'r']) {
        at = run_end(text, at + 2, MAX_BYTES, &is_gap);
    }
    at
}

/// A text in quotes, which may be escaped, or a bare word.
fn word(text: &[u8], at: usize, limit: usize) -> Option<Range<usize>> {
    let escape = run_end(text, at, 8, |byte| byte == b'\\');
    let Some(quote) = text.get(escape).copied().filter(|byte| is_quote(*byte)) else {
        let end = run_end(text, at, limit - at.min(limit), is_of_token);
        return (end > at).then_some(at..end);
    };
    let start = escape + 1;
    let end = run_end(text, start, limit - start.min(limit), |byte| byte != quote && byte != b'\\' && byte != b'\n');
    // A text with other escapes is examined in its decoded form.
    let close = run_end(text, end, 8, |byte| byte == b'\\');
    (text.get(close) == Some(&quote) && close - end == escape - at).then_some(start..end)
}

/// The end of the object or list that opens at `open`.
fn past_object(text: &[u8], open: usize, limit: usize) -> usize {
    let mut depth = 0_usize;
    for (step, byte) in slice(text, open..limit).iter().enumerate() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return open + step + 1;
                }
            }
            _ => {}
        }
    }
    limit
}

/// The values of the lines `name = value` or `name: value` after the line that ends at `from`, as far as they belong to
/// the section, or to the block whose name has this `indent`.
fn lines(text: &[u8], from: usize, indent: Option<usize>, kind: Kind, found: &mut impl FnMut(Range<usize>)) -> usize {
    let mut end = from;
    let mut depth = None;
    for _ in 0..MAX_LINES {
        if end >= text.len() {
            break;
        }
        let line = line_around(text, end + 1);
        let start = run_end(text, line.start, 64, is_blank);
        // The first member of an item of a list
        let start = start + 2 * usize::from(indent.is_some() && peek(text, start, 2) == b"- ");
        let own = start - line.start;
        let is_outside = match indent {
            Some(indent) => own <= indent,
            None => text.get(start) == Some(&b'['),
        };
        if start >= line.end || is_outside {
            break;
        }
        end = line.end;
        // Only the first level.
        if own != *depth.get_or_insert(own) {
            continue;
        }
        let Some(name) = word(text, start, line.end) else { continue };
        let sign = run_end(text, name.end, 8, |byte| is_blank(byte) || is_quote(byte));
        if !matches!(text.get(sign), Some(b':' | b'=')) || indent.is_some() && text.get(sign + 1) != Some(&b' ') {
            continue;
        }
        let value = run_end(text, sign + 1, 16, is_blank);
        let place = if text.get(value).is_some_and(|byte| is_quote(*byte)) {
            word(text, value, line.end)
        } else {
            let stop = run_end(text, value, line.end - value.min(line.end), |byte| !byte.is_ascii_whitespace());
            let rest = slice(text, stop..line.end).trim_ascii();
            (stop > value && (rest.is_empty() || rest.starts_with(b"#"))).then_some(value..stop)
        };
        if let Some(place) = place.filter(|place| is_secret(kind, slice(text, name), slice(text, place.clone()))) {
            found(place);
        }
    }
    end
}
