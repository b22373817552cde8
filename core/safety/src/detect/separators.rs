//! Values of names, found by the punctuation between them: `=`, `:`, the comma and the bracket of a call, the closing
//! tag of an element, the bars of a table. The name may be in any language; the table of names decides.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::detect::columns;
use crate::detect::connections;
use crate::detect::inputs;
use crate::detect::keyed::assigned;
use crate::detect::last_pair::LastPair;
use crate::detect::name::name_after;
use crate::detect::terminals;
use crate::mark::tag;
use crate::text::bytes::{is_quote, run_end, run_start, slice};

/// The longest content of an element, and its longest opening tag, in bytes.
const MAX_ELEMENT: usize = 1024;
/// The longest tag of a cell or its name, and the most white space between two cells, in bytes.
const MAX_TAG: usize = 96;
const MAX_INDENT: usize = 32;

/// Whether `byte` is a sign that may be between a name and its value. Without branches, so that it is vectorized.
pub(crate) const fn is_separator(byte: u8) -> bool {
    let is_colon_to_equals = byte.wrapping_sub(b':') < 4;
    is_colon_to_equals | (byte == b'(') | (byte == b',') | (byte == b'|') | (byte == b'\t')
}

/// Finds the values beside the sign at `at`. `done` is the end of the last value that a name before a sign has; nothing
/// before it is searched again. Inlined, since most signs have none, and one look at two bytes says so.
#[inline(always)]
pub(crate) fn find(
    text: &[u8],
    at: usize,
    done: &mut usize,
    pair: &mut LastPair,
    found: &mut impl FnMut(Range<usize>),
) {
    match (text.get(at), text.get(at + 1)) {
        // Calls without a text, signs of other operators, and addresses.
        (Some(b'('), next) if !next.is_some_and(|byte| is_quote(*byte)) => {}
        (Some(b':'), Some(b':' | b'/')) => {}
        (Some(b'=' | b':' | b'('), _) => {
            if at >= *done
                && let Some(value) = pair.value_before(text, at)
            {
                *done = value.end;
                found(value);
            }
        }
        (Some(b'<'), Some(b'/')) => {
            let value = element(text, at).or_else(|| cell_after(text, at));
            value.into_iter().for_each(&mut *found);
        }
        (Some(b'<'), Some(b'-')) => pair.value_before(text, at).into_iter().for_each(&mut *found),
        (Some(b'<'), Some(b'<')) => inputs::here(text, at).into_iter().for_each(&mut *found),
        (Some(b'|'), _) => beside_bar(text, at, pair, found),
        // After the comma of a sentence is a blank, and before it no quotation mark.
        (Some(b','), Some(next)) => match at.checked_sub(1).and_then(|before| text.get(before)) {
            Some(before) if is_quote(*before) => beside_comma(text, at, *next, pair, found),
            before if is_in_cell(Some(next)) && is_in_cell(before) => columns::below_headings(text, at, found),
            _ => {}
        },
        (Some(b'\t'), _) if terminals::wireguard_dump(text, at).into_iter().map(&mut *found).count() > 0 => {}
        (Some(b'\t' | b';'), next)
            if is_in_cell(next) && is_in_cell(at.checked_sub(1).and_then(|before| text.get(before))) =>
        {
            columns::below_headings(text, at, found);
        }
        _ => {}
    }
}

/// Finds the passwords beside signs that are rare: those of Redis after `>`, and those of Oracle before `@`.
pub(crate) fn find_rare(text: &[u8], found: &mut impl FnMut(Range<usize>)) {
    for at in memchr::memchr2_iter(b'>', b'@', text) {
        let before = at.checked_sub(1).and_then(|before| text.get(before)).copied();
        let value = match (text.get(at), before) {
            (Some(b'>'), Some(before)) if (before == b' ' || is_quote(before)) && is_in_cell(text.get(at + 1)) => {
                terminals::redis_rule(text, at)
            }
            (Some(b'@'), Some(b'+' | b'-')) => terminals::redis_hash(text, at),
            (Some(b'@'), _) => connections::oracle_login(text, at),
            _ => None,
        };
        value.into_iter().for_each(&mut *found);
    }
}

/// The value of the option or variable that starts at `at`: `--password …`, `ENV NAME …`.
pub(crate) fn after_verb(text: &[u8], at: usize) -> Option<Range<usize>> {
    assigned(text, &name_after(text, at)?)
}

/// Whether a byte beside the separator of two cells may be of a cell.
fn is_in_cell(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || is_quote(*byte) || *byte >= 0x80)
}

/// `<th>password</th><td>…</td>`, where the closing tag of the name is at `at`.
fn cell_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let tag = run_end(text, text.len().min(at + 2), 8, |byte| byte.is_ascii_alphanumeric());
    let is_of_name = matches!(
        text.get(at + 2..tag).unwrap_or_default(),
        b"th" | b"td" | b"dt" | b"b" | b"strong" | b"label" | b"TH" | b"TD"
    );
    let open = run_end(text, text.len().min(tag + 1), MAX_INDENT, |byte| byte.is_ascii_whitespace() || byte == b':');
    let rest = slice(text, open..text.len().min(open + MAX_TAG));
    let is_cell = is_of_name && [&b"<td"[..], b"<dd", b"<TD", b"<code"].iter().any(|cell| rest.starts_with(cell));
    let start = open + memchr::memchr(b'>', rest).filter(|_| is_cell)? + 1;
    let name_start = run_start(text, at, MAX_TAG, |byte| !matches!(byte, b'>' | b'<'));
    let name = slice(text, name_start..at).trim_ascii();
    let name = name.strip_suffix(b":").unwrap_or(name);
    let strength = names::strength(name);
    let end = run_end(text, start, MAX_ELEMENT, |byte| byte != b'<' && byte != b'\n');
    let value = slice(text, start..end).trim_ascii();
    let is_secret = strength > Strength::None
        && text.get(end) == Some(&b'<')
        && !tag::starts_placeholder(value)
        && judgement::is_secret(value, strength, Form::Data);
    let lead = slice(text, start..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    is_secret.then_some(start + lead..start + lead + value.len())
}

/// `set("password", "…")`, `["--password", "…"]`, and the heading of a table with quotes.
#[inline(never)]
fn beside_comma(text: &[u8], at: usize, next: u8, pair: &mut LastPair, found: &mut impl FnMut(Range<usize>)) {
    match pair.value_before(text, at) {
        Some(value) => found(value),
        None if is_in_cell(Some(&next)) => columns::below_headings(text, at, found),
        None => {}
    }
}

/// `… | docker login --password-stdin`, and `| password | … |`: a row of settings, or a heading.
#[inline(never)]
fn beside_bar(text: &[u8], at: usize, pair: &mut LastPair, found: &mut impl FnMut(Range<usize>)) {
    inputs::piped(text, at).into_iter().for_each(&mut *found);
    let Some(name) = pair.name_before(text, at) else { return };
    if columns::is_heading(text, at) {
        columns::below(text, &name, found);
    } else {
        pair.value_of(text, &name).into_iter().for_each(found);
    }
}

/// `<password>…</password>`, whose closing tag is at `at`.
#[inline(never)]
fn element(text: &[u8], at: usize) -> Option<Range<usize>> {
    let name = name_after(text, at + 2).filter(|name| text.get(name.place.end) == Some(&b'>'))?;
    let start = run_start(text, at, MAX_ELEMENT, |byte| !matches!(byte, b'>' | b'<'));
    let tag = slice(text, start.saturating_sub(MAX_ELEMENT)..start);
    let open = memchr::memrchr(b'<', tag).filter(|_| tag.last() == Some(&b'>'));
    let opened = open.map_or(0, |open| start - tag.len() + open + 1);
    let is_opened = open.is_some() && slice(text, opened..start).starts_with(slice(text, name.place.clone()));
    let opened = opened..opened + name.place.len();
    let is_password = name.strength == Strength::Weak && connections::is_beside_user(text, &opened);
    let strength = if is_password { Strength::Strong } else { name.strength };
    let value = slice(text, start..at);
    let leading = value.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let place = start + leading.min(value.len())..start + leading + value.trim_ascii().len();
    let value = slice(text, place.clone());
    let is_secret = is_opened && !tag::starts_placeholder(value) && judgement::is_secret(value, strength, Form::Data);
    is_secret.then_some(place)
}
