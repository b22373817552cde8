//! Values of SQL statements that name their columns first: `INSERT INTO users (name, password) VALUES ('a', '…')`.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::detect::name::Name;
use crate::mark::tag;
use crate::text::bytes::{
    contains_ignoring_case, ends_ignoring_case, is_quote, peek, run_end, run_start, slice, starts_ignoring_case,
};

/// The longest list of columns on either side of a name, in bytes.
const MAX_COLUMNS: usize = 400;
/// The longest user in a statement about one, in bytes.
const MAX_USER: usize = 128;
/// The maximum number of rows to read, and how much of each, in bytes.
const MAX_ROWS: usize = 50;
const MAX_ROW: usize = 2048;

/// The password of `SET PASSWORD FOR 'user'@'host' = '…'`, whose second word is at `name`.
pub(crate) fn password_set_for(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let rest = slice(text, name.end..text.len().min(name.end + MAX_USER));
    let is_statement = slice(text, name.clone()).eq_ignore_ascii_case(b"password")
        && starts_ignoring_case(rest, b" for ")
        && ends_ignoring_case(slice(text, 0..name.start), b"set ");
    let sign = memchr::memchr(b'=', rest).filter(|_| is_statement)?;
    let open = sign + memchr::memchr2(b'\'', b'"', slice(rest, sign..rest.len().min(sign + 24)))?;
    let start = name.end + open + 1;
    let quote = *rest.get(open)?;
    let end = run_end(text, start, MAX_ROW, |byte| byte != quote && byte != b'\n');
    let value = slice(text, start..end);
    (!tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)).then_some(start..end)
}

/// The values of the column `name` of an `INSERT`.
pub(crate) fn inserted(text: &[u8], name: &Name, found: &mut impl FnMut(Range<usize>)) {
    let end = run_end(text, name.place.end, 4, |byte| {
        byte.is_ascii_whitespace() || is_quote(byte) || matches!(byte, b']' | b'\\')
    });
    if name.strength == Strength::None || !matches!(text.get(end), Some(b',' | b')')) {
        return;
    }
    let Some((column, close)) = column(text, &name.place) else { return };
    let mut at = run_end(text, close + 1, 32, |byte| byte.is_ascii_whitespace());
    if !starts_ignoring_case(peek(text, at, 6), b"values") {
        return;
    }
    at += 6;
    for _ in 0..MAX_ROWS {
        let open = run_end(text, at, 32, |byte| byte.is_ascii_whitespace() || byte == b',');
        if text.get(open) != Some(&b'(') {
            return;
        }
        at = row(text, open + 1, column, &mut |place| {
            let value = slice(text, place.clone());
            if !tag::starts_placeholder(value) && judgement::is_secret(value, name.strength, Form::Data) {
                found(place);
            }
        });
    }
}

/// The number of the column at `place`, and where the list of columns closes.
fn column(text: &[u8], place: &Range<usize>) -> Option<(usize, usize)> {
    let rest = slice(text, place.end..text.len().min(place.end + MAX_COLUMNS));
    let close = memchr::memchr3(b'(', b')', b';', rest).filter(|close| rest.get(*close) == Some(&b')'))?;
    let from = place.start.saturating_sub(MAX_COLUMNS);
    let before = slice(text, from..place.start);
    let open = memchr::memrchr3(b'(', b')', b';', before).filter(|open| before.get(*open) == Some(&b'('))?;
    let table = run_start(before, open, 8, |byte| byte.is_ascii_whitespace());
    let table = run_start(before, table, 128, |byte| !byte.is_ascii_whitespace());
    let verb = slice(before, 0..table).trim_ascii_end();
    let is_insert = ends_ignoring_case(verb, b"into") && contains_ignoring_case(verb, b"in")
        || ends_ignoring_case(verb, b"insert")
        || ends_ignoring_case(verb, b"replace");
    let column = slice(before, open..before.len()).iter().filter(|byte| **byte == b',').count();
    is_insert.then_some((column, place.end + close))
}

/// Calls `found` with the text that is the value of the `column` in the row that starts at `from`; returns the end of
/// the row.
fn row(text: &[u8], from: usize, column: usize, found: &mut impl FnMut(Range<usize>)) -> usize {
    let limit = text.len().min(from + MAX_ROW);
    let (mut at, mut number) = (from, 0);
    while at < limit {
        match text.get(at) {
            Some(quote) if is_quote(*quote) => {
                let end = run_end(text, at + 1, limit - at, |byte| byte != *quote && byte != b'\\' && byte != b'\n');
                if number == column {
                    found(at + 1..end);
                }
                at = end;
            }
            Some(b',') => number += 1,
            Some(b')') => return at + 1,
            _ => {}
        }
        at += 1;
    }
    limit
}
