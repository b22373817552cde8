//! Invisible characters: the code points with Unicode's property `Default_Ignorable_Code_Point`, such as zero-width
//! spaces, soft hyphens, variation selectors and tags. A secret with some of them inside looks the same to a reader.

use std::borrow::Cow;

use crate::text::bytes::slice;

/// How many bytes are examined at once.
const STEP: usize = 64;

/// What the invisible characters of a text mean for its secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// There are none.
    None,
    /// There are only those used by some scripts and emoji, which have no ASCII next to them except white space after
    /// them.
    Benign,
    /// There are others, which may hide a secret.
    Hiding,
}

/// The length of the invisible character at `at`; 0 if there is none.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn length_at(text: &[u8], at: usize) -> usize {
    debug_assert!(at <= text.len(), "{at} of {}", text.len());
    match text.get(at..).unwrap_or_default() {
        // U+00AD, U+034F, U+061C.
        [0xc2, 0xad, ..] | [0xcd, 0x8f, ..] | [0xd8, 0x9c, ..] => 2,
        // U+115F to U+1160, U+17B4 to U+17B5, U+180B to U+180F.
        [0xe1, 0x85, 0x9f..=0xa0, ..] | [0xe1, 0x9e, 0xb4..=0xb5, ..] | [0xe1, 0xa0, 0x8b..=0x8f, ..] => 3,
        // U+200B to U+200F, U+202A to U+202E, U+2060 to U+206F.
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..] | [0xe2, 0x81, 0xa0..=0xaf, ..] => 3,
        // U+3164.
        [0xe3, 0x85, 0xa4, ..] => 3,
        // U+FE00 to U+FE0F, U+FEFF, U+FFA0, U+FFF0 to U+FFF8.
        [0xef, 0xb8, 0x80..=0x8f, ..]
        | [0xef, 0xbb, 0xbf, ..]
        | [0xef, 0xbe, 0xa0, ..]
        | [0xef, 0xbf, 0xb0..=0xb8, ..] => 3,
        // U+1BCA0 to U+1BCA3, U+1D173 to U+1D17A, U+E0000 to U+E0FFF.
        [0xf0, 0x9b, 0xb2, 0xa0..=0xa3, ..]
        | [0xf0, 0x9d, 0x85, 0xb3..=0xba, ..]
        | [0xf3, 0xa0, 0x80..=0xbf, 0x80..=0xbf, ..] => 4,
        _ => 0,
    }
}

/// Whether `letter` is invisible.
pub(crate) fn is_invisible(letter: char) -> bool {
    length_at(letter.encode_utf8(&mut [0; 4]).as_bytes(), 0) > 0
}

/// The position of the first invisible character of `text` at or after `from`.
pub(crate) fn next(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let step = match rest.split_first_chunk::<STEP>() {
            Some((step, [next, ..])) => {
                if !may_begin_in(step, *next) {
                    at += STEP;
                    continue;
                }
                STEP
            }
            _ if rest.is_ascii() => return None,
            _ => rest.len(),
        };
        if let Some(found) = (at..at + step).find(|at| length_at(text, *at) > 0) {
            return Some(found);
        }
        at += step;
        if step < STEP {
            return None;
        }
    }
}

/// Whether `step`, followed by the byte `next`, contains the first two bytes of an invisible character. Branch-free, so
/// that it is vectorized: every text passes through here.
fn may_begin_in(step: &[u8; STEP], next: u8) -> bool {
    if step.is_ascii() {
        return false;
    }
    let is = |byte: u8, other: u8| u8::from(byte == other);
    let mut second = [next; STEP];
    if let (Some(to), Some(from)) = (second.get_mut(..STEP - 1), step.get(1..)) {
        to.copy_from_slice(from);
    }
    let begins = |a: u8, b: u8| {
        is(a, 0xe2) & is(b & 0xfe, 0x80)
            | is(a, 0xef) & (is(b, 0xb8) | is(b, 0xbb) | is(b & 0xfe, 0xbe))
            | is(a, 0xe1) & (is(b, 0x85) | is(b, 0x9e) | is(b, 0xa0))
            | is(a, 0xf0) & (is(b, 0x9b) | is(b, 0x9d))
            | is(a, 0xc2) & is(b, 0xad)
            | is(a, 0xcd) & is(b, 0x8f)
            | is(a, 0xd8) & is(b, 0x9c)
            | is(a, 0xe3) & is(b, 0x85)
            | is(a, 0xf3) & is(b, 0xa0)
    };
    step.iter().zip(&second).fold(0, |any, (a, b)| any | begins(*a, *b)) > 0
}

/// The end of the run of invisible characters at `at`.
pub(crate) fn run_end(text: &[u8], mut at: usize) -> usize {
    loop {
        match length_at(text, at) {
            0 => return at,
            length => at += length,
        }
    }
}

/// The total length of the invisible characters of `text`, in bytes.
pub(crate) fn count(text: &[u8]) -> usize {
    let (mut bytes, mut at) = (0, 0);
    while let Some(start) = next(text, at) {
        at = run_end(text, start);
        bytes += at - start;
    }
    bytes
}

/// What the invisible characters of `text` mean.
pub(crate) fn presence_in(text: &[u8]) -> Presence {
    let (mut presence, mut at) = (Presence::None, 0);
    while let Some(start) = next(text, at) {
        at = run_end(text, start);
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        let is_usual = before.is_none_or(|byte| !byte.is_ascii())
            && text.get(at).is_none_or(|byte| !byte.is_ascii() || byte.is_ascii_whitespace());
        if !is_usual {
            return Presence::Hiding;
        }
        presence = Presence::Benign;
    }
    presence
}

/// `text` without its invisible characters.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    match next(text.as_bytes(), 0) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().filter(|letter| !is_invisible(*letter)).collect()),
    }
}

/// The bytes of `text` without its invisible characters; `None` if there are none.
pub(crate) fn stripped(text: &[u8]) -> Option<Vec<u8>> {
    let mut hit = Some(next(text, 0)?);
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(start) = hit {
        out.extend_from_slice(slice(text, at..start));
        at = run_end(text, start);
        hit = next(text, at);
    }
    out.extend_from_slice(slice(text, at..text.len()));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Default_Ignorable_Code_Point` in Unicode 16.
    const IGNORABLE: [std::ops::RangeInclusive<u32>; 17] = [
        0xad..=0xad,
        0x34f..=0x34f,
        0x61c..=0x61c,
        0x115f..=0x1160,
        0x17b4..=0x17b5,
        0x180b..=0x180f,
        0x200b..=0x200f,
        0x202a..=0x202e,
        0x2060..=0x206f,
        0x3164..=0x3164,
        0xfe00..=0xfe0f,
        0xfeff..=0xfeff,
        0xffa0..=0xffa0,
        0xfff0..=0xfff8,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0000..=0xe0fff,
    ];

    #[test]
    fn every_default_ignorable_code_point_is_invisible_and_no_other_is() {
        for letter in '\0'..=char::MAX {
            let expected = IGNORABLE.iter().any(|range| range.contains(&u32::from(letter)));
            assert_eq!(is_invisible(letter), expected, "U+{:04X}", u32::from(letter));
            if expected {
                assert_eq!(length_at(letter.to_string().as_bytes(), 0), letter.len_utf8());
            }
        }
    }

    #[test]
    fn the_first_one_is_found_wherever_it_is() {
        for filler in ["", "x", "é", "日", "😀", "x日"] {
            for count in 0..150 {
                let before = filler.repeat(count);
                for hidden in ['\u{ad}', '\u{3164}', '\u{e0041}'] {
                    let text = format!("{before}{hidden}{before}");
                    assert_eq!(next(text.as_bytes(), 0), Some(before.len()), "{text:?}");
                    assert_eq!(next(text.as_bytes(), before.len() + 1), None, "{text:?}");
                    assert_eq!(super::count(text.as_bytes()), hidden.len_utf8());
                    assert_eq!(without(&text), before.repeat(2));
                    assert_eq!(stripped(text.as_bytes()).unwrap(), before.repeat(2).as_bytes());
                }
                assert_eq!(next(before.as_bytes(), 0), None);
            }
        }
    }

    #[test]
    fn the_invisible_characters_of_scripts_and_emoji_are_benign() {
        for text in ["⚠\u{fe0f} careful", "👩\u{200d}👧", "می\u{200c}خواهم", "ᠮᠣᠩ\u{180b} ᠭᠣᠯ", "✔\u{fe0f}"]
        {
            assert_eq!(presence_in(text.as_bytes()), Presence::Benign, "{text}");
        }
        for text in ["\u{feff}user,password", "pass\u{ad}word", "a\u{200b}é", "é\u{200b}a", "\n\u{200b}\n"] {
            assert_eq!(presence_in(text.as_bytes()), Presence::Hiding, "{text}");
        }
    }
}
