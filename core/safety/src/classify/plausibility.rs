//! Whether a value in the place of a secret looks like one: not a stand-in, a reference in code, a path, a number or a
//! plain word.

use crate::classify::formats::{is_algorithm, is_date, is_file, is_location, is_number};
use crate::classify::placeholders;
use crate::classify::word_lists::Parts;
use crate::classify::words::CharStats;
use crate::text::base64;
use crate::text::bytes::{is_quote, slice};

/// How much of the beginning of a value is examined, in bytes.
pub(crate) const SAMPLE_BYTES: usize = 256;
/// A shorter value could be anything.
const MIN_BYTES: usize = 6;
/// A shorter value with characters of all kinds may be a pattern.
const MIN_NOISE: usize = 32;

/// Words that name a secret, and so are not one. In a value of random characters they mean nothing.
static NAMES: Parts =
    Parts::new("password passwd passphrase secret token apikey api_key api-key credential username private_key");

/// What a value must look like to be taken for a secret, in ascending order of what else suggests that it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// A credential and nothing else: long and random.
    Credential,
    /// Something that a program generated.
    Generated,
    /// Something that a person chose.
    Chosen,
}

/// Whether `value` is long and has characters of all kinds in no order, as keys that a program generates from all
/// printable characters: its brackets and quotation marks mean nothing.
pub(crate) fn is_noise(value: &[u8]) -> bool {
    // What SOPS encrypted is no secret.
    if value.len() < MIN_NOISE || value.contains(&b'\n') || value.starts_with(b"ENC[") {
        return false;
    }
    let stats = CharStats::of(value);
    stats.digits >= 4
        && stats.uppercase >= 4
        && stats.lowercase >= 4
        && stats.symbols >= 8
        && 3 * stats.in_words < stats.letters()
        && stats.symbols < stats.alphanumerics()
}

/// Whether `value` looks like a secret of this kind. `quoted`: it was in quotes, so it is not code.
pub(crate) fn looks_like(value: &[u8], evidence: Evidence, quoted: bool) -> bool {
    let sample = slice(value, 0..value.len().min(SAMPLE_BYTES));
    // It is examined again without its colours.
    if sample.contains(&0x1b) {
        return false;
    }
    if sample.len() < MIN_BYTES {
        return false;
    }
    let stats = CharStats::of(sample);
    // What the characters say is asked first, since it takes the least time.
    is_mixed_enough(sample, &stats, evidence, quoted)
        && !is_number(sample, &stats)
        && !is_location(sample, &stats)
        && (quoted || sample.len() >= 40 || !is_identifier(sample, &stats))
        && (is_generated(&stats) || !(is_algorithm(sample) || NAMES.is_in(sample)))
        && !is_stand_in(sample)
        && !is_reference(sample)
        && (quoted || !is_code(sample))
}

/// Whether the characters of `value` are random, or a long number, which is that of an account or a key.
fn is_generated(stats: &CharStats) -> bool {
    stats.is_random() || is_long_number(stats)
}

fn is_long_number(stats: &CharStats) -> bool {
    stats.letters() == 0 && stats.digits >= 12 && stats.symbols + stats.joiners == 0
}

/// Whether the characters of `value` are those of a secret of this kind.
fn is_mixed_enough(value: &[u8], stats: &CharStats, evidence: Evidence, quoted: bool) -> bool {
    if stats.is_random() {
        let is_basic = || base64::decoded(value).is_some_and(|plain| plain.contains(&b':'));
        return evidence > Evidence::Credential || is_very_random(stats) || is_basic();
    }
    // A plain word, like most values.
    if stats.digits + stats.symbols == 0 {
        return false;
    }
    if is_long_number(stats) {
        return evidence >= Evidence::Generated;
    }
    let has_letters = stats.letters() + stats.non_ascii > 0;
    let is_mixed = has_letters && stats.digits > 0;
    match evidence {
        // People choose words and append digits and symbols.
        Evidence::Chosen if is_mixed => {
            let is_shuffled =
                10 * stats.in_words < 6 * stats.alphanumerics() || (stats.uppercase >= 2 && stats.lowercase > 0);
            quoted || stats.digits >= 2 || stats.symbols > 0 || is_shuffled
        }
        Evidence::Chosen => {
            has_varied_symbols(stats, value.len())
                || has_letters
                    && stats.symbols > 0
                    && stats.symbols < 8
                    && value.len() >= 8
                    && (stats.uppercase > 0 || quoted)
        }
        Evidence::Generated if has_varied_symbols(stats, value.len()) => true,
        // `UINT32`
        Evidence::Generated if !quoted && stats.pieces == 2 && stats.digits == 2 && stats.symbols == 0 => false,
        Evidence::Generated => {
            is_mixed && stats.digits >= 2 && (stats.symbols > 0 || 10 * stats.in_words < 7 * stats.alphanumerics())
        }
        Evidence::Credential => false,
    }
}

/// Several symbols among letters that form no words.
fn has_varied_symbols(stats: &CharStats, length: usize) -> bool {
    let is_varied = stats.digits > 0 || (stats.uppercase > 0 && stats.lowercase > 0);
    let is_shuffled = stats.symbols >= 3 || 2 * stats.in_words < stats.alphanumerics().max(1);
    stats.symbols >= 1 && stats.symbols + stats.joiners >= 2 && length >= 8 && is_varied && is_shuffled
}

/// Under an ambiguous name, the value must also be long.
fn is_very_random(stats: &CharStats) -> bool {
    let is_mixed = stats.digits > 0 && stats.uppercase > 0 && stats.lowercase > 0;
    stats.alphanumerics() >= 20
        || (stats.alphanumerics() >= 16 && stats.digits >= 2)
        || (stats.alphanumerics() >= 10 && is_mixed)
        || (stats.digits >= 3 && stats.pieces >= 6 && stats.symbols + stats.joiners == 0)
}

/// Whether `value` is a stand-in for a secret.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    let is_one_of_few = {
        let mut kinds = [0_u8; 3];
        let mut count = 0;
        value.iter().all(|byte| {
            let is_known = kinds.iter().take(count).any(|kind| kind == byte);
            if !is_known && let Some(place) = kinds.get_mut(count) {
                *place = *byte;
            }
            count += usize::from(!is_known);
            count <= 2
        })
    };
    let is_bracketed = matches!(
        (value.first(), value.last()),
        (Some(b'<'), Some(b'>')) | (Some(b'['), Some(b']')) | (Some(b'{'), Some(b'}'))
    ) && !CharStats::of(value).is_random();
    let is_sequence = value.len() >= 6
        && (b"12345678901234567890".starts_with(value) || b"abcdefghijklmnopqrstuvwxyz".starts_with(value));
    is_one_of_few || is_bracketed || is_sequence || placeholders::contains_word(value) || has_interpolation(value)
}

/// `x-${NAME}`: random text may contain `${`, but hardly a name after it.
pub(crate) fn has_interpolation(value: &[u8]) -> bool {
    value.windows(2).enumerate().any(|(at, opening)| {
        if !matches!(opening, b"${" | b"{{" | b"#{" | b"%(" | b"$(") {
            return false;
        }
        let rest = slice(value, at + 2..value.len());
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let name = rest.iter().take_while(is_of_name).count();
        let is_closed = name >= 2 && matches!(rest.get(name), Some(b'}' | b')' | b':' | b' '));
        is_closed || rest.is_empty() || rest.starts_with(b" ")
    })
}

/// `$NAME`, `${name}`, `&self.token`, `%NAME%`, `*anchor`, `<stand-in>`, `process.env.NAME`; but `$ecr3t-77` is a
/// value.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    let is_opening = |byte: &u8| matches!(byte, b'<' | b'{' | b'(' | b'[');
    let is_of_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']' | b'(' | b')' | b'/' | b'%')
    };
    let rest = value.get(1..).unwrap_or_default();
    let is_sign = match value.first() {
        // A variable in capitals, and whatever is appended to it.
        Some(b'$') if rest.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_') => {
            let name =
                rest.iter().take_while(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9')).count();
            name >= 3 || name == rest.len()
        }
        Some(b'%') => rest.last() == Some(&b'%') && rest.iter().all(is_of_name),
        Some(b'$' | b'&' | b'@' | b'*') => {
            let stats = CharStats::of(rest);
            let is_name = !stats.is_random() && (stats.digits < 2 || 2 * stats.in_words >= stats.alphanumerics());
            rest.first().is_some_and(is_opening) || (rest.iter().all(is_of_name) && is_name)
        }
        Some(first) => {
            is_opening(first)
                && matches!(value.last(), Some(b'>' | b'}' | b')' | b']'))
                && !CharStats::of(rest).is_random()
        }
        None => false,
    };
    is_sign
        || placeholders::is_lookup(value)
        || placeholders::is_marked_name(value)
        || value.windows(3).any(|signs| signs == b"://")
}

/// An expression: `parse(`, `self.token.clone()`, `map[key]`, `Type::new`, `user.token`.
fn is_code(value: &[u8]) -> bool {
    let name = value
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'!'))
        .count();
    let called = CharStats::of(slice(value, 0..name));
    let is_worded = 2 * called.in_words >= called.letters() || (called.digits == 0 && called.pieces <= 2);
    let is_name = name > 1 && !called.is_random() && is_worded && called.digits <= 2;
    let rest = slice(value, name..value.len());
    let is_applied = match rest.first() {
        // The closing bracket may come after the value.
        Some(b'(' | b'[') => rest.iter().any(|byte| matches!(byte, b')' | b']')) || is_argument(rest),
        Some(b'{' | b'<') => true,
        _ => false,
    };
    let is_ended = rest.len() == 1 && matches!(rest, [b'(' | b'{' | b'[' | b',']);
    let is_sign = |signs: &[u8]| matches!(signs, b"->" | b"](" | b"()" | b"=>");
    let has_sign = value.windows(2).any(is_sign);
    let is_path = value.windows(2).any(|signs| signs == b"::");
    (is_name && (is_applied || is_ended || has_sign)) || is_path || is_dotted_name(value)
}

/// `(name`, `[:16`, `(&self.x`
fn is_argument(rest: &[u8]) -> bool {
    let is_of_code = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'&' | b'*' | b'(' | b'[' | b'-')
    };
    rest.iter().all(is_of_code) && !CharStats::of(rest).is_random()
}

/// `user.token`, `T.Y.Name`; not `a.8` or random text with dots.
fn is_dotted_name(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'.');
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && !CharStats::of(part).is_random()
    };
    let stats = CharStats::of(value);
    let has_word = |part: &[u8]| part.windows(3).any(|run| run.iter().all(u8::is_ascii_lowercase));
    let words = value.split(|byte| *byte == b'.').filter(|part| has_word(part)).count();
    let is_worded = 2 * stats.in_words >= stats.letters() || stats.in_words >= 4 || words > 1;
    is_worded && parts.clone().count() > 1 && parts.all(is_name)
}

/// Whether `word`, including the punctuation around it, may be a password stated in a sentence.
pub(crate) fn may_be_stated_password(word: &[u8]) -> bool {
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b'.' | b','
                | b';'
                | b':'
                | b'"'
                | b'\''
                | b'`'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'<'
                | b'>'
                | b'*'
                | b'_'
                | b'}'
        )
    };
    let start = word.iter().position(|byte| !is_mark(byte)).unwrap_or(word.len());
    let end = word.iter().rposition(|byte| !is_mark(byte)).map_or(start, |last| last + 1);
    let bare = slice(word, start..end);
    // Most words can be told from passwords by their characters alone.
    let is_distinctive =
        |byte: &u8| !byte.is_ascii_alphabetic() && !matches!(byte, b'.' | b',' | b'\'' | b'/' | b'_') && *byte < 0x80;
    let is_camel = |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']);
    if bare.len() < MIN_BYTES || !(bare.iter().any(is_distinctive) || bare.windows(2).any(is_camel)) {
        return false;
    }
    is_stated_password(bare, true) || is_phrase(bare)
}

/// Whether a word of a sentence is a password. `is_explicit`: a verb or punctuation announces it.
pub(crate) fn is_stated_password(word: &[u8], is_explicit: bool) -> bool {
    // An escape is examined in its decoded form.
    let is_escaped = |at: &[u8]| matches!(at, [b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
    if word.windows(3).any(is_escaped) || word.contains(&0x1b) {
        return false;
    }
    if word.len() < MIN_BYTES || word.len() > 128 || word.iter().any(|byte| is_quote(*byte) || *byte == b'\\') {
        return false;
    }
    let stats = CharStats::of(word);
    // What the characters say is asked first, since it takes the least time.
    is_mixed_as_stated(word, &stats, is_explicit)
        && !is_identifier(word, &stats)
        && !is_number(word, &stats)
        && !is_assignment(word)
        && !is_location(word, &stats)
        && !is_algorithm(word)
        && !is_file(word)
        && !is_anchor(word)
        && (stats.is_random() || !NAMES.is_in(word))
        && !is_stand_in(word)
        && !is_reference(word)
        && !is_code(word)
}

/// `#section-8`
fn is_anchor(word: &[u8]) -> bool {
    let Some(name) = word.strip_prefix(b"#") else { return false };
    name.contains(&b'-')
        && name.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
        && name.iter().filter(|byte| byte.is_ascii_digit()).count() < 2
}

/// Whether the characters of `word` are those of a password in a sentence.
fn is_mixed_as_stated(word: &[u8], stats: &CharStats, is_explicit: bool) -> bool {
    let is_variable =
        word.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9')) && word.contains(&b'_');
    if is_variable {
        return false;
    }
    if stats.is_random() {
        // A bare hash or id is not treated as a secret unless something announces one.
        return is_explicit || !word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    }
    let is_mixed = stats.letters() + stats.non_ascii > 0 && stats.digits > 0;
    let has_marks = stats.symbols > 0;
    match is_explicit {
        true => {
            let is_chosen = is_mixed && (stats.digits >= 2 || has_marks || stats.uppercase > 0);
            is_chosen || has_varied_symbols(stats, word.len())
        }
        false => is_mixed && has_marks && stats.digits >= 2,
    }
}

/// Whether a word of letters and digits may be a password, and is no version, file or name of an algorithm.
pub(crate) fn may_be_chosen(word: &[u8]) -> bool {
    let stats = CharStats::of(word);
    word.len() >= MIN_BYTES
        && !word.contains(&b'\\')
        && !is_number(word, &stats)
        && !is_code(word)
        && !is_reference(word)
        && !is_location(word, &stats)
        && !is_algorithm(word)
        && !is_file(word)
        && !is_stand_in(word)
        && !is_identifier(word, &stats)
        && !is_assignment(word)
        && !NAMES.is_in(word)
}

/// `ifreq_ty_2`, `WIN32_ERROR`
fn is_identifier(word: &[u8], stats: &CharStats) -> bool {
    let is_of_name = word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_named = stats.digits <= 4 || (stats.digits <= 6 && 2 * stats.in_words >= stats.letters());
    is_of_name && word.contains(&b'_') && (stats.uppercase == 0 || stats.lowercase == 0) && is_named
}

/// `--name=value`, `size=12`: an assignment, not a password that contains `=`.
fn is_assignment(word: &[u8]) -> bool {
    let Some(sign) = memchr::memchr2(b'=', b':', word) else { return word.starts_with(b"--") };
    let name = slice(word, 0..sign);
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    is_name && name.len() >= 3 && !CharStats::of(name).is_random() && CharStats::of(name).in_words >= 3
}

/// `correct-horse-battery-staple`
pub(crate) fn is_phrase(word: &[u8]) -> bool {
    let word = word.strip_suffix(b"!").unwrap_or(word);
    let parts = word.split(|byte| *byte == b'-').filter(|part| part.len() >= 3).count();
    parts >= 3
        && word.len() >= 14
        && word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        && !is_stand_in(word)
        && !NAMES.is_in(word)
}

/// Whether `value` consists of four or more plain words, which no expression of code subtracts from each other.
pub(crate) fn is_plain_phrase(value: &[u8]) -> bool {
    let is_word = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    value.split(|byte| *byte == b'-').all(is_word) && memchr::memchr_iter(b'-', value).count() >= 3 && is_phrase(value)
}

/// Whether the letters and digits of `value` look random.
pub(crate) fn is_random(value: &[u8]) -> bool {
    CharStats::of(slice(value, 0..value.len().min(SAMPLE_BYTES))).is_random()
}

/// Whether `word` may be a token or key stated in a sentence: random, or words with a number and symbols.
pub(crate) fn is_key(word: &[u8]) -> bool {
    let stats = CharStats::of(slice(word, 0..word.len().min(SAMPLE_BYTES)));
    (stats.is_random() && stats.digits > 0)
        || (stats.digits >= 2
            && word.len() >= 10
            && (stats.symbols > 0 || (stats.uppercase > 0 && stats.lowercase > 0)))
}

/// Whether the value of an environment variable with a secret's name is a secret. The name settles most of it, so only
/// numbers, paths and plain words are excluded.
pub(crate) fn is_environment_secret(value: &[u8]) -> bool {
    let stats = CharStats::of(slice(value, 0..value.len().min(SAMPLE_BYTES)));
    let is_phrase = value.iter().any(u8::is_ascii_whitespace);
    let is_path = matches!(value, [b'/' | b'~', ..] | [b'.', b'/' | b'.', ..]) && is_location(value, &stats);
    let is_plain = stats.digits + stats.symbols + stats.non_ascii == 0 && !stats.is_random() && !is_phrase;
    let is_sequence = stats.letters() <= 1 && stats.symbols == 0 && stats.non_ascii == 0;
    !is_path && !is_plain && !is_sequence && !is_date(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_can_be_searched() {
        assert!(NAMES.search().is_some());
    }

    #[test]
    fn an_environment_value_need_not_look_like_a_secret() {
        for value in [
            "Todo9$kLmq2",
            "hunter2example!",
            "secretpass77",
            "[x9Kd82mQzz]",
            "correct horse battery",
            "config.8Kd92mX0a",
        ] {
            assert!(is_environment_secret(value.as_bytes()), "{value}");
        }
        for value in ["86400000", "/usr/lib/key1.pem", "plainword", "some-plain-words", "2026-01-31", "10.0.0.1"] {
            assert!(!is_environment_secret(value.as_bytes()), "{value}");
        }
    }
}
