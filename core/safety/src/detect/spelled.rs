//! Tokens that are written as a list of their bytes or characters: `0x67, 0x68, …`, `67:68:70:5f`, `103,104,112`,
//! `g-h-p-_`. A sign between two elements, or the beginning of a line, starts the search.

use std::ops::Range;

use crate::detect::tokens;
use crate::mark::found::Found;
use crate::rules;
use crate::text::bytes::{is_blank, is_quote, peek, run_end, run_start, slice};

/// The shortest list that may be a token, and the longest, in elements.
const MIN_ELEMENTS: usize = 16;
const MAX_ELEMENTS: usize = 1024;
/// The most white space between two elements, in bytes; it may contain a line break.
const MAX_GAP: usize = 32;

/// How the elements of a list are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    /// `0x67`
    Prefixed,
    /// `67`
    Hex,
    /// `103`
    Decimal,
    /// `g`, `'g'`
    Character,
}

/// What separates the elements of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Sign(u8),
    Blanks,
}

/// Finds the tokens in the list whose first separator is at `at`. Lists before `done` have been read. Hardly any sign
/// is one, which takes a few instructions to see.
#[inline]
pub(crate) fn find(text: &[u8], at: usize, done: &mut usize, found: &mut Vec<Found<'_>>) {
    if at >= *done && may_separate(text, at) {
        find_list(text, at, done, found);
    }
}

#[inline(never)]
fn find_list(text: &[u8], at: usize, done: &mut usize, found: &mut Vec<Found<'_>>) {
    let Some(&sign) = text.get(at) else { return };
    let next = run_end(text, at + 1, 2, is_blank);
    let again = run_end(text, next, 6, |byte| byte != sign);
    let next = slice(text, next..again).trim_ascii_end();
    let (element, length) = match next {
        [b'0', b'x' | b'X', ..] => (Element::Prefixed, 4),
        [a, b]
            if a.is_ascii_hexdigit()
                && b.is_ascii_hexdigit()
                && (sign != b',' || !(a.is_ascii_digit() && b.is_ascii_digit())) =>
        {
            (Element::Hex, 2)
        }
        [_, _] | [_, _, _] if next.iter().all(u8::is_ascii_digit) => (Element::Decimal, 3),
        [open, _, close] if is_quote(*open) && open == close => (Element::Character, 3),
        [byte] if byte.is_ascii_graphic() => (Element::Character, 1),
        _ => return,
    };
    // Except for decimal numbers, all elements have the same length.
    let is_even = |count: usize| text.get(at + count * (again - at)) == Some(&sign);
    if element != Element::Decimal && !(2..5).all(is_even) {
        return;
    }
    let end = run_start(text, at, 2, is_blank);
    let is_of_element = |byte: u8| match element {
        Element::Decimal => byte.is_ascii_digit(),
        _ => byte.is_ascii_graphic() && byte != sign,
    };
    let start = run_start(text, end, length, is_of_element);
    *done = list(text, start, element, Separator::Sign(sign), found).max(*done);
}

/// Finds the tokens in the list that starts at `start` and whose elements have blanks between them. Lists before `done`
/// have been read.
pub(crate) fn find_spaced(text: &[u8], start: usize, done: &mut usize, found: &mut Vec<Found<'_>>) {
    if start < *done {
        return;
    }
    for element in [Element::Prefixed, Element::Hex, Element::Character] {
        *done = list(text, start, element, Separator::Blanks, found).max(*done);
    }
}

/// Whether the sign at `at` stands once more after a few bytes, as it does after a byte or a character.
#[inline]
fn may_separate(text: &[u8], at: usize) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // The bytes at the distances two to six.
    const NEAR: u64 = 0x0000_8080_8080_8000;
    let Some([sign, next @ ..]) = text.get(at..).and_then(|rest| rest.first_chunk::<9>()) else { return false };
    let differs = u64::from_le_bytes(*next) ^ (EACH * u64::from(*sign));
    differs.wrapping_sub(EACH) & !differs & NEAR != 0
}

/// Finds the tokens in the list that starts at `start`; returns where it ends.
fn list(text: &[u8], start: usize, element: Element, separator: Separator, found: &mut Vec<Found<'_>>) -> usize {
    let elements = || {
        let mut at = Some(start);
        std::iter::from_fn(move || {
            let (byte, place) = read(text, at?, element)?;
            at = after_separator(text, place.end, separator);
            Some((byte, place))
        })
        .take(MAX_ELEMENTS)
    };
    // Most lists are short.
    let (count, end) = elements().fold((0, start), |(count, _), (_, place)| (count + 1, place.end));
    if count < MIN_ELEMENTS {
        return end;
    }
    let (bytes, places): (Vec<u8>, Vec<Range<usize>>) = elements().unzip();
    let mut hits = Vec::new();
    tokens::find(&bytes, &|_| None, &mut hits);
    for hit in hits {
        let token = slice(&bytes, hit.place.clone());
        if rules::precedence(hit.rule) == 0
            && tokens::is_body_random(token)
            && let (Some(first), Some(last)) = (places.get(hit.place.start), places.get(hit.place.end - 1))
        {
            found.push(Found::new(hit.rule, first.start..last.end).with_secret(token.to_vec()));
        }
    }
    end
}

/// The byte that the element at `at` stands for, and its place. Only bytes of a text count.
fn read(text: &[u8], at: usize, element: Element) -> Option<(u8, Range<usize>)> {
    let number = |from: usize, to: usize, radix: u32| {
        let digits = std::str::from_utf8(slice(text, from..to)).ok()?;
        u8::from_str_radix(digits, radix).ok().map(|byte| (byte, at..to))
    };
    let digits = |from: usize, is: fn(&u8) -> bool| run_end(text, from, 4, |byte| is(&byte));
    let (byte, place) = match element {
        Element::Prefixed if matches!(peek(text, at, 2), [b'0', b'x' | b'X']) => {
            number(at + 2, digits(at + 2, u8::is_ascii_hexdigit), 16)?
        }
        Element::Hex if digits(at, u8::is_ascii_hexdigit) == at + 2 => number(at, at + 2, 16)?,
        Element::Decimal => number(at, digits(at, u8::is_ascii_digit), 10)?,
        Element::Character => match slice(text, at..text.len().min(at + 3)) {
            [open, byte, close] if is_quote(*open) && close == open => (*byte, at..at + 3),
            [byte, ..] => (*byte, at..at + 1),
            [] => return None,
        },
        _ => return None,
    };
    (byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).then_some((byte, place))
}

/// The start of the element after the separator at `at`.
fn after_separator(text: &[u8], at: usize, separator: Separator) -> Option<usize> {
    let gap = run_end(text, at, 4, is_blank);
    let from = match separator {
        Separator::Sign(sign) => gap + usize::from(text.get(gap) == Some(&sign)),
        Separator::Blanks => gap,
    };
    let next = run_end(text, from, MAX_GAP, |byte| byte.is_ascii_whitespace());
    let is_one = match separator {
        Separator::Sign(_) => from > gap,
        Separator::Blanks => next > at,
    };
    is_one.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::line_hints::LineHints;

    fn found(text: &str) -> Vec<String> {
        let (bytes, mut done, mut found) = (text.as_bytes(), 0, Vec::new());
        for at in (0..bytes.len()).filter(|at| matches!(bytes[*at], b',' | b':' | b'-' | b'|' | b'\t')) {
            find(bytes, at, &mut done, &mut found);
        }
        let mut done = 0;
        LineHints::of(bytes).spaced.iter().for_each(|start| find_spaced(bytes, *start, &mut done, &mut found));
        found.into_iter().map(|found| text[found.place].to_owned()).collect()
    }

    #[test]
    fn a_token_is_found_in_the_list_of_its_bytes_or_characters() {
        let token = format!("ghp_{}", "a1B2c3D4e".repeat(4));
        let list = |each: fn(char) -> String, between: &str| token.chars().map(each).collect::<Vec<_>>().join(between);
        for written in [
            list(|letter| format!("0x{:02x}", u32::from(letter)), ", "),
            list(|letter| format!("0x{:02X}", u32::from(letter)), ", ").replace("0x61, ", "0x61,\n    "),
            list(|letter| format!("{:02x}", u32::from(letter)), ":"),
            list(|letter| format!("{:02X}", u32::from(letter)), "-"),
            list(|letter| format!("{:02x}", u32::from(letter)), " "),
            list(|letter| u32::from(letter).to_string(), ","),
            list(|letter| letter.to_string(), "-"),
            list(|letter| letter.to_string(), ", "),
            list(|letter| letter.to_string(), " "),
            list(|letter| format!("'{letter}'"), ", "),
        ] {
            assert_eq!(found(&written), [&*written], "{written}");
            if !written.contains(' ') || written.contains(", ") {
                assert_eq!(found(&format!("let key = [{written}];")), [&*written], "{written}");
            }
        }
    }

    #[test]
    fn other_lists_hold_no_token() {
        for text in [
            "12:34:56, 01:23:45 and 00:11:22:33:44:55",
            "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
            "f(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)",
            "a b c d e f g h i j k l m n o p q r s t u v w x y z",
            "de ad be ef de ad be ef de ad be ef de ad be ef de ad be ef",
            "- a\n- b\n- c",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }
}
