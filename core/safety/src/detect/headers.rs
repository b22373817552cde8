//! Credentials of HTTP and its tools: Authorization, cookies, pairs of a user and a password.

use std::ops::Range;

use crate::classify::names::{Strength, strength};
use crate::classify::plausibility::{self, Evidence};
use crate::detect::collections;
use crate::mark::tag;
use crate::rules::general::COOKIE;
use crate::text::base64;
use crate::text::bytes::{
    contains_ignoring_case, ends_ignoring_case, is_blank, is_of_base64, is_quote, line_around, peek, run_end,
    run_start, slice, starts_word,
};
use crate::text::gutters;

/// The shortest credential.
const MIN_BYTES: usize = 8;
/// How much of the beginning of a credential is examined, in bytes; an accepted one is taken as a whole.
const MAX_CREDENTIAL: usize = 512;
/// How much of a line of cookies is read, in bytes.
const MAX_COOKIES: usize = 16 << 10;

/// The most bytes between two literals that are joined.
const MAX_JOIN: usize = 48;
/// The maximum number of lines of a file of cookies.
const MAX_FILE_LINES: usize = 200;

/// Whether the name at `place` is that of the header `Authorization`.
pub(crate) fn is_authorization(text: &[u8], place: &Range<usize>) -> bool {
    let is_path = slice(text, 0..place.start).ends_with(b"::");
    !is_path && ends_ignoring_case(slice(text, place.clone()), b"authorization")
}

const fn is_of_credential(byte: u8) -> bool {
    is_of_base64(byte) || matches!(byte, b'.' | b'~' | b':' | b'!' | b'$' | b'%')
}

/// The credential after `Authorization`: a scheme and a credential, or a credential alone.
pub(crate) fn authorization(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_sign = |byte: u8| {
        is_blank(byte)
            || is_quote(byte)
            || matches!(byte, b':' | b'=' | b'\\' | b',' | b'>' | b']' | b'*' | b'(' | b'[')
    };
    let start = past_break(text, run_end(text, at, 16, is_sign));
    let start = start + 2 * usize::from(matches!(peek(text, start, 2), [b'f' | b'b', b'"' | b'\'']));
    if !slice(text, at..start).iter().any(|byte| matches!(byte, b':' | b'=' | b',')) {
        return None;
    }
    let end = run_end(text, start, MAX_CREDENTIAL, is_of_credential);
    let first = slice(text, start..end);
    let joined = past_join(text, end);
    let blanks = if joined > end { joined } else { past_break(text, run_end(text, end, 4, is_blank)) };
    let is_scheme =
        first.len() <= 20 && first.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let (start, end) = if is_scheme && blanks > end {
        (blanks, run_end(text, blanks, MAX_CREDENTIAL, is_of_credential))
    } else {
        (start, end)
    };
    accepted(text, start, end).map(|place| place.start..folded_end(text, place.end))
}

/// The end of a credential that ends at `end`, or on the next line, if a long header was folded there.
fn folded_end(text: &[u8], end: usize) -> usize {
    let newline = run_end(text, end, 1, |byte| byte == b'\r');
    if text.get(newline) != Some(&b'\n') {
        return end;
    }
    let start = run_end(text, newline + 1, 16, is_blank);
    if start == newline + 1 {
        return end;
    }
    let next = run_end(text, start, MAX_CREDENTIAL, is_of_credential);
    let rest = slice(text, start..next);
    let is_last = text.get(next).is_none_or(|byte| byte.is_ascii_whitespace() || is_quote(*byte));
    let is_rest = rest.len() >= MIN_BYTES && is_last && (plausibility::is_random(rest) || rest.ends_with(b"="));
    if is_rest { next } else { end }
}

fn accepted(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let value = slice(text, start..end);
    let is_basic = base64::decoded(value).is_some_and(|plain| plain.contains(&b':'));
    if value.len() < MIN_BYTES
        || tag::starts_placeholder(value)
        || !(is_basic || plausibility::looks_like(value, Evidence::Generated, false))
    {
        return None;
    }
    let whole = if value.len() < MAX_CREDENTIAL { end } else { run_end(text, end, usize::MAX, is_of_credential) };
    let length = slice(text, start..whole).iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    Some(start..start + length)
}

/// The credential after `Bearer ` or `Basic `, a separate word that ends at `at`.
pub(crate) fn credential(text: &[u8], from: usize, at: usize) -> Option<Range<usize>> {
    let start = run_start(text, from, 8, |byte| byte.is_ascii_alphabetic());
    let scheme = slice(text, start..at - 1);
    if !starts_word(text, start) || !(scheme.eq_ignore_ascii_case(b"bearer") || scheme.eq_ignore_ascii_case(b"basic")) {
        return None;
    }
    let start = past_break(text, at);
    let end = run_end(text, start, MAX_CREDENTIAL, is_of_credential);
    accepted(text, start, end)
}

/// Where the next line starts if this one ends at `at`, as it is or with a backslash.
fn past_break(text: &[u8], at: usize) -> usize {
    let escape = run_end(text, at, 1, |byte| byte == b'\\');
    let line_end = run_end(text, escape, 1, |byte| byte == b'\r');
    if text.get(line_end) == Some(&b'\n') { run_end(text, line_end + 1, 32, is_blank) } else { at }
}

/// Where the credential starts if literals are joined at `at`, between it and its scheme: `"Bearer " + "…"`, or if a
/// log or a diff starts the next line.
fn past_join(text: &[u8], at: usize) -> usize {
    let is_of_join =
        |byte: u8| byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b'+' | b'.' | b'=' | b'\\');
    let joined = run_end(text, at, MAX_JOIN, is_of_join);
    let newline = memchr::memrchr(b'\n', slice(text, at..joined));
    let joined = newline.map_or(joined, |newline| {
        let line = at + newline + 1;
        let gutter = gutters::width(slice(text, line..text.len().min(line + MAX_JOIN)));
        run_end(text, line + gutter, MAX_JOIN, is_of_join).max(joined)
    });
    let is_literal = joined > at && text.get(joined - 1).is_some_and(|byte| is_quote(*byte));
    // `f"…"`
    let prefix = usize::from(matches!(peek(text, joined, 2), [b'f' | b'b' | b'r', b'"' | b'\'']));
    match prefix {
        1 => joined + 2,
        _ if is_literal || newline.is_some() => joined,
        _ => at,
    }
}

/// The values of `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`, starting after that word; returns where to continue.
pub(crate) fn cookies(text: &[u8], at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let colon = run_end(text, at, 3, |byte| is_quote(byte) || matches!(byte, b'\\' | b'2'));
    if slice(text, 0..at).ends_with(b"HTTP Cookie") && peek(text, at, 5) == b" File" {
        return cookie_file(text, at, found);
    }
    // `"cookies": [{"name": …, "value": …}]`
    let plural = run_end(text, at, 1, |byte| byte == b's');
    let list = run_end(text, plural, 8, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'=' | b'\\'));
    if text.get(list) == Some(&b'[') && list > plural {
        return collections::pairs(text, list, &mut |name, value| {
            if is_session(slice(text, name), slice(text, value.clone())) {
                found(COOKIE, value);
            }
        });
    }
    let is_header = matches!(text.get(colon), Some(b':' | b'=' | b' '))
        && run_start(text, at, 1, |byte| byte == b'e' || byte == b'E') < at;
    if !is_header {
        return at;
    }
    let from = run_end(text, colon, 8, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'=' | b'\\'));
    cookie_list(text, from, found).max(at)
}

/// The values of the sessions in `a=b; c=d`; returns where the list ends.
pub(crate) fn cookie_list(text: &[u8], from: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let line_end = line_around(text, from).end.min(from + MAX_COOKIES);
    let mut from = from;
    while from < line_end {
        let name_end =
            run_end(text, from, 128, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        if name_end == from || text.get(name_end) != Some(&b'=') {
            break;
        }
        let start = name_end + 1;
        let end = run_end(text, start, line_end - start.min(line_end), |byte| {
            !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b';' | b',' | b'\\')
        });
        if is_session(slice(text, from..name_end), slice(text, start..end)) {
            found(COOKIE, start..end);
        }
        from = run_end(text, end, 8, |byte| is_blank(byte) || byte == b';');
        if from == end {
            break;
        }
    }
    from
}

/// The values in a file of cookies, whose first line calls it that: the last of seven cells in each line.
fn cookie_file(text: &[u8], from: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let mut end = line_around(text, from).end;
    for _ in 0..MAX_FILE_LINES {
        if end >= text.len() {
            break;
        }
        let line = line_around(text, end + 1);
        let written = slice(text, line.clone()).trim_ascii_end();
        let mut cells = written.rsplitn(3, |byte| *byte == b'\t');
        let (value, name) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let is_cookie = written.iter().filter(|byte| **byte == b'\t').count() == 6;
        if !is_cookie && !written.is_empty() && !written.starts_with(b"#") {
            break;
        }
        let stop = line.start + written.len();
        if is_cookie && is_session(name, value) {
            found(COOKIE, stop - value.len()..stop);
        }
        end = line.end;
    }
    end
}

fn is_session(name: &[u8], value: &[u8]) -> bool {
    const SESSIONS: [&[u8]; 10] =
        [b"sess", b"sid", b"auth", b"jwt", b"remember", b"csrf", b"xsrf", b"login", b"token", b"ticket"];
    const ATTRIBUTES: [&[u8]; 7] = [b"path", b"domain", b"expires", b"max-age", b"samesite", b"secure", b"httponly"];
    if value.len() < MIN_BYTES
        || tag::starts_placeholder(value)
        || ATTRIBUTES.iter().any(|word| name.eq_ignore_ascii_case(word))
    {
        return false;
    }
    let is_session_name =
        SESSIONS.iter().any(|word| contains_ignoring_case(name, word)) || strength(name) > Strength::None;
    plausibility::looks_like(value, if is_session_name { Evidence::Generated } else { Evidence::Credential }, true)
}

/// The password of `basic_auth("user", "password")` and `auth=("user", "password")`.
pub(crate) fn pair_of_arguments(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !ends_ignoring_case(slice(text, name.clone()), b"auth") {
        return None;
    }
    let open = run_end(text, name.end, 8, |byte| is_blank(byte) || byte == b'=');
    let user = (text.get(open) == Some(&b'(')).then(|| run_end(text, open + 1, 2, is_blank))?;
    let quote = *text.get(user).filter(|byte| is_quote(**byte))?;
    let user_end = run_end(text, user + 1, 128, |byte| byte != quote && byte != b'\n');
    let between = run_end(text, user_end + 1, 16, |byte| {
        is_blank(byte) || matches!(byte, b',' | b'S' | b'o' | b'm' | b'e' | b'(')
    });
    let quote = *text.get(between).filter(|byte| is_quote(**byte))?;
    let end = run_end(text, between + 1, 512, |byte| byte != quote && byte != b'\n');
    let is_pair = memchr::memchr(b',', slice(text, user_end..between)).is_some();
    (is_pair && plausibility::looks_like(slice(text, between + 1..end), Evidence::Chosen, true))
        .then_some(between + 1..end)
}

/// Whether `at` follows an SQL statement about a user.
pub(crate) fn is_statement(text: &[u8], at: usize) -> bool {
    let before = slice(text, at.saturating_sub(200)..at);
    contains_ignoring_case(before, b"user")
        || contains_ignoring_case(before, b"grant")
        || contains_ignoring_case(before, b"role")
}
