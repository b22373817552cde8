//! Finds the name of a value: the word or the words around a hit, before a sign, or after a verb.

use std::ops::Range;

use memchr::memmem;

use crate::classify::names::{self, MAX_NAME, Strength};
use crate::text::bytes::{is_blank, is_of_name, is_of_token, is_quote, run_end, run_start, slice};

/// How much white space may be between a name and a separator.
pub(crate) const MAX_GAP: usize = 32;
/// How far after a `name` its `value` may be, in bytes.
pub(crate) const MAX_PAIR: usize = 160;

/// A name in a text, and what it suggests.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) place: Range<usize>,
    pub(crate) strength: Strength,
}

/// Where the name around the word at `hit` is.
pub(crate) fn place_around(text: &[u8], hit: Range<usize>) -> Range<usize> {
    let hit =
        run_end(text, hit.start, 1, |byte| !is_of_token(byte))..run_start(text, hit.end, 1, |byte| !is_of_token(byte));
    let start = run_start(text, hit.start, MAX_NAME, is_of_token);
    let mut end = run_end(text, hit.end, MAX_NAME, is_of_token);
    while end > hit.end && matches!(text.get(end - 1), Some(b'.' | b'-')) {
        end -= 1;
    }
    start..end
}

/// The name before the separator at `at`, unless it says nothing about its value. `name_in` is that of this module, or
/// remembers what it answered.
#[inline]
pub(crate) fn name_before(text: &[u8], at: usize, name_in: impl FnOnce(Range<usize>) -> (Name, usize)) -> Option<Name> {
    likely_before(text, at).and_then(|place| judged(text, place, name_in))
}

/// The name at `place`, as [`name_before`].
#[inline(never)]
fn judged(text: &[u8], place: Range<usize>, name_in: impl FnOnce(Range<usize>) -> (Name, usize)) -> Option<Name> {
    let end = place.end;
    let (name, phrase) = name_in(place);
    let name = Name { place: whole_name(text, phrase..end), ..name };
    if let Some(strength) = strength_of_pair(text, &name) {
        return Some(Name { strength, ..name });
    }
    (name.strength > Strength::None).then_some(name)
}

/// Where the name before the separator at `at` is, if the table may have its last word or its first one. This is asked
/// at most signs, and it rarely is so.
#[inline]
fn likely_before(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_last = |last: &u8| is_of_name(*last) && *last != b'_';
    let is_end = |at: usize| at.checked_sub(1).and_then(|last| text.get(last)).is_some_and(is_last);
    let mut end = at;
    if !is_end(end) {
        end = run_start(text, end, MAX_GAP, is_blank);
        end = run_start(text, end, 6, |byte| is_quote(byte) || matches!(byte, b'*' | b']' | b'?' | b'\\' | b'_'));
        if !is_end(end) {
            return None;
        }
    }
    let start = run_start(text, end, MAX_NAME, is_of_name);
    (names::is_ending_at(text, end) || names::may_begin(slice(text, start..end))).then_some(start..end)
}

/// The strength of the name that a `value` belongs to, as in `{"name": "DB_PASSWORD", "value": "…"}`, if `name` is that
/// word.
fn strength_of_pair(text: &[u8], name: &Name) -> Option<Strength> {
    const NAMES: [&[u8]; 5] = [b"name", b"key", b"variable", b"field", b"id"];
    let word = slice(text, name.place.clone());
    if !names::VALUES.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())) {
        return None;
    }
    let before = slice(text, name.place.start.saturating_sub(MAX_PAIR)..name.place.start);
    // The first member of an item of a list does not belong to a name before it.
    if before.ends_with(b"- ") {
        return None;
    }
    // Only within the same object, element or block.
    let open = before.iter().rposition(|byte| matches!(byte, b'}' | b'<' | b']')).map_or(0, |at| at + 1);
    let before = slice(before, open..before.len());
    let (at, known) = NAMES
        .iter()
        .filter_map(|known| Some((rfind_ignoring_case(before, known)?, known)))
        .max_by_key(|(at, _)| *at)?;
    let rest = slice(before, at + known.len()..before.len());
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte) || matches!(byte, b':' | b'=' | b'\\');
    let lead = rest.iter().take_while(|byte| is_mark(byte)).count();
    let rest = slice(rest, lead..rest.len());
    let end = rest
        .iter()
        .position(|byte| is_quote(*byte) || matches!(byte, b'\n' | b'\\' | b',' | b';'))
        .unwrap_or(rest.len());
    Some(names::strength(slice(rest, 0..end).trim_ascii())).filter(|strength| *strength > Strength::None)
}

fn rfind_ignoring_case(text: &[u8], word: &[u8]) -> Option<usize> {
    let is_solid = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let is_word = |at: usize| !is_solid(at.checked_sub(1)) && !is_solid(Some(at + word.len()));
    let mut places = text.windows(word.len()).enumerate().rev();
    places.find(|(at, window)| window.eq_ignore_ascii_case(word) && is_word(*at)).map(|(at, _)| at)
}

/// The name that starts at `at`, unless it says nothing about its value.
pub(crate) fn name_after(text: &[u8], at: usize) -> Option<Name> {
    let end = run_end(text, at, MAX_NAME, |byte| is_of_name(byte) || byte == b':');
    let end = run_start(text, end, 1, |byte| byte == b':').max(at);
    if end < at + 2 {
        return None;
    }
    let strength = names::strength(slice(text, at..end));
    (strength > Strength::None).then_some(Name { place: at..end, strength })
}

/// The name at `place`, and where it starts if the words before it belong to it.
pub(crate) fn name_in(text: &[u8], place: Range<usize>) -> (Name, usize) {
    let Range { mut start, end } = place;
    // The letter of an escaped line break is not part of the name after it.
    if start > 0 && text.get(start - 1) == Some(&b'\\') && matches!(text.get(start), Some(b'n' | b't' | b'r')) {
        start += 1;
    }
    // An arrow or a vertical line separates the name from a line number, as editors print it.
    if let Some(sign) =
        [b"\xe2\x86\x92", b"\xe2\x94\x82"].iter().filter_map(|sign| memmem::rfind(slice(text, start..end), *sign)).max()
    {
        start += sign + 3;
    }
    // `-Dspring.password=…`
    if slice(text, start..end).starts_with(b"-D") {
        start += 2;
    }
    let place = start..end;
    // `Type::Token` is a path in code.
    if start > 1 && slice(text, start - 2..start) == b"::" {
        return (Name { place, strength: Strength::None }, start);
    }
    let mut phrase = start;
    let (strength, of_phrase) = names::strength_in_phrase(slice(text, place.clone()), || {
        phrase = start_of_phrase(text, &place);
        (phrase < start).then(|| slice(text, phrase..end))
    });
    match of_phrase {
        Some(strength) => (Name { place, strength }, phrase),
        None => (Name { place, strength }, start),
    }
}

/// Where the words before a name start, which may belong to it: prose and tables write `API key` and `mot de passe`.
fn start_of_phrase(text: &[u8], place: &Range<usize>) -> usize {
    let mut start = place.start;
    if place.len() > 32 || text.get(start) == Some(&b'-') {
        return start;
    }
    for _ in 0..3 {
        let Some(b' ') = start.checked_sub(1).and_then(|before| text.get(before)) else { break };
        let before =
            run_start(text, start - 1, 24, |byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'\'');
        // An apostrophe is inside of a word: `clé d'accès`.
        let before = before + usize::from(text.get(before) == Some(&b'\''));
        if before >= start - 1 {
            break;
        }
        start = before;
    }
    start
}

/// All the words of a name in quotes: `"my service password"`.
fn whole_name(text: &[u8], place: Range<usize>) -> Range<usize> {
    let is_quoted = text.get(place.end).is_some_and(|byte| is_quote(*byte));
    let start = run_start(text, place.start, 64, |byte| is_of_name(byte) || byte == b' ');
    let opens = start.checked_sub(1).and_then(|before| text.get(before)) == text.get(place.end);
    if is_quoted && opens { start..place.end } else { place }
}
