//! What second factors are made of: the seeds of one-time passwords in base32, whole or in groups of four, and lists of
//! recovery codes.

use std::ops::Range;

use crate::classify::names::Strength;
use crate::classify::words::CharStats;
use crate::text::bytes::{contains_ignoring_case, is_blank, is_quote, line_around, peek, run_end, run_start, slice};

/// The fewest characters of a seed.
const MIN_SEED: usize = 16;
/// The most groups of four characters.
const MAX_GROUPS: usize = 16;
/// How far before a seed or after it a word may say what it is, in bytes.
const BEFORE: usize = 96;
const AFTER: usize = 48;
/// Words that say that a text in base32 is a seed.
const WORDS: [&[u8]; 14] = [
    b"totp",
    b"hotp",
    b"otp",
    b"2fa",
    b"mfa",
    b"base32",
    b"authenticator",
    b"oathtool",
    b"two-factor",
    b"two factor",
    b"two_factor",
    b"twofactor",
    b"zwei-faktor",
    b"2-step",
];
/// What the codes are for that replace a second factor: the words before `codes`.
const KINDS: [&[u8]; 6] = [b"recovery", b"backup", b"scratch", b"emergency", b"rescue", b"one-time"];
/// How many codes are read.
const MAX_CODES: usize = 32;

/// The characters of base32, all in upper case or all in lower case.
fn is_base32(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'2'..=b'7');
    text.iter().all(|byte| byte.is_ascii_uppercase() || is_digit(byte))
        || text.iter().all(|byte| byte.is_ascii_lowercase() || is_digit(byte))
}

/// The seed in `run`, if a word beside it says that it is one.
pub(crate) fn at(text: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    let seed = slice(text, run.clone());
    if !is_base32(seed) || !is_varied(seed) {
        return None;
    }
    let line = line_around(text, run.end);
    let after = slice(text, run.end..line.end.min(run.end + AFTER));
    (is_named_before(text, run.start) || says_seed(after)).then_some(run)
}

/// Whether a word before `at` says that a seed follows.
fn is_named_before(text: &[u8], at: usize) -> bool {
    says_seed(slice(text, at.saturating_sub(BEFORE)..at))
}

/// Whether `text` has one of [`WORDS`], and not inside another word.
fn says_seed(text: &[u8]) -> bool {
    let is_letter = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let is_at = |word: &[u8], at: usize| {
        peek(text, at, word.len()).eq_ignore_ascii_case(word)
            && !is_letter(at.checked_sub(1))
            && !is_letter(Some(at + word.len()))
    };
    (0..text.len()).any(|at| WORDS.iter().any(|word| is_at(word, at)))
}

/// Whether the characters are not those of a word, or of a number.
fn is_varied(seed: &[u8]) -> bool {
    let digits = seed.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_alphabet = contains_ignoring_case(seed, b"abcdefgh");
    seed.len() >= MIN_SEED && !is_alphabet && digits < seed.len() && (digits > 1 || CharStats::of(seed).is_random())
}

/// The seed in groups of four characters that starts at `start`, the value of a name.
pub(crate) fn value_in_groups(text: &[u8], start: usize, strength: Strength) -> Option<Range<usize>> {
    grouped(text, start).filter(|_| strength >= Strength::Likely || is_named_before(text, start))
}

fn grouped(text: &[u8], start: usize) -> Option<Range<usize>> {
    let is_group = |at: usize| {
        let group = peek(text, at, 4);
        group.len() == 4 && is_base32(group)
    };
    if !is_group(start) || !matches!(text.get(start + 4), Some(b' ' | b'-')) {
        return None;
    }
    let joiner = text.get(start + 4);
    let mut end = start + 4;
    for _ in 1..MAX_GROUPS {
        if text.get(end) != joiner || !is_group(end + 1) {
            break;
        }
        end += 5;
    }
    // The last group may be shorter.
    let next = text.len().min(end + 1);
    let last = run_end(text, next, 4, |byte| byte.is_ascii_alphanumeric());
    let is_whole = !text.get(end).is_some_and(u8::is_ascii_alphanumeric);
    let rest = slice(text, next..last);
    if text.get(end) == joiner && !rest.is_empty() && rest.iter().any(u8::is_ascii_digit) && is_base32(rest) {
        end = last;
    }
    let solid: Vec<u8> = slice(text, start..end).iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    (is_whole && is_base32(&solid) && is_varied(&solid)).then_some(start..end)
}

/// The seed in groups that is stated after a name that ends at `end`.
pub(crate) fn stated(text: &[u8], end: usize) -> Option<Range<usize>> {
    let start = if peek(text, end, 4) == b" is " { end + 4 } else { end + 1 };
    grouped(text, start).filter(|seed| is_named_before(text, seed.start))
}

/// The recovery codes after the word `codes` that ends at `end`.
pub(crate) fn recovery_codes(text: &[u8], end: usize, found: &mut impl FnMut(Range<usize>)) {
    let word = run_start(text, end, 8, |byte| byte.is_ascii_alphabetic());
    let kind = slice(text, word.saturating_sub(24)..end).to_ascii_lowercase();
    let kind = kind.strip_suffix(b"codes").unwrap_or_default();
    let kind =
        kind.strip_suffix(b" ").or_else(|| kind.strip_suffix(b"_")).or_else(|| kind.strip_suffix(b"-")).unwrap_or(kind);
    if !KINDS.iter().any(|known| kind.ends_with(known)) {
        return;
    }
    let sign =
        run_end(text, end, 32, |byte| is_blank(byte) || is_quote(byte) || byte.is_ascii_alphabetic() || byte == b'\\');
    if !matches!(text.get(sign), Some(b':' | b'=' | b'\n')) {
        return;
    }
    let mut at = sign + 1;
    let mut codes: Vec<Range<usize>> = Vec::new();
    for _ in 0..MAX_CODES {
        let start = gap_end(text, at);
        let stop = run_end(text, start, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        // `1234 5678`
        let second = run_end(text, stop + 1, 8, |byte| byte.is_ascii_digit());
        let is_pair = (3..=6).contains(&(stop - start))
            && second - (stop + 1).min(second) == stop - start
            && text.get(stop) == Some(&b' ')
            && slice(text, start..stop).iter().all(u8::is_ascii_digit);
        let stop = if is_pair { second } else { stop };
        // Among codes, one may have no digit.
        let code = slice(text, start..stop);
        let is_one = is_code(code) || codes.first().is_some_and(|first| is_like(code, slice(text, first.clone())));
        if !is_one {
            break;
        }
        codes.push(start..stop);
        at = stop;
    }
    codes.into_iter().for_each(found);
}

/// Whether `code` consists of as many groups of letters and digits as `other`, of the same lengths.
fn is_like(code: &[u8], other: &[u8]) -> bool {
    let lengths = |code: &[u8]| code.split(|byte| *byte == b'-').map(<[u8]>::len).collect::<Vec<_>>();
    let is_of_code = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    code.contains(&b'-') && code.iter().all(is_of_code) && lengths(code) == lengths(other)
}

/// The end of what separates two codes: white space, punctuation, and their numbers.
fn gap_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < from + 24 {
        let digits = run_end(text, at, 2, |byte| byte.is_ascii_digit());
        at = match peek(text, at, 2) {
            [b'\\', b'n' | b't' | b'r'] => at + 2,
            _ if digits > at && matches!(text.get(digits), Some(b'.' | b')' | b':')) => digits + 1,
            [byte, ..] if byte.is_ascii_alphanumeric() => return at,
            [_, ..] => at + 1,
            [] => return at,
        };
    }
    at
}

/// Whether `code` is one of those that a service lists: digits, or letters and digits, perhaps in groups.
fn is_code(code: &[u8]) -> bool {
    let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
    (6..=32).contains(&code.len())
        && (digits >= 2 || (digits == 1 && code.len() >= 8))
        && code.first().zip(code.last()).is_some_and(|(first, last)| *first != b'-' && *last != b'-')
        && code.split(|byte| *byte == b'-').all(|group| group.len() >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_a_seed_only_if_they_are_base32_throughout() {
        let text = ["JBSW", "Y3DP", "EHPK", "3PXP"].join(" ");
        assert_eq!(grouped(text.as_bytes(), 0), Some(0..19));
        assert_eq!(grouped(text.to_lowercase().replace(' ', "-").as_bytes(), 0), Some(0..19));
        for other in ["when your code runs", "1020 3040 5060 7080", "ABCD EF23 GH45", "JBSW y3dp EHPK 3pxp"] {
            assert_eq!(grouped(other.as_bytes(), 0), None, "{other}");
        }
    }
}
