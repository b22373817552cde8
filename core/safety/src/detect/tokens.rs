//! Provider tokens, JWTs and base64: secrets that are one long run of characters, recognized by their format alone.
//!
//! In a run of at least sixteen characters, every start of a word is looked up by its first three bytes. A match is
//! extended as far as its alphabet goes, so that prose may end a token with any punctuation and a provider may make its
//! tokens longer.

use std::ops::Range;

use once_cell::race::OnceBox;

use crate::classify::placeholders;
use crate::classify::words::CharStats;
use crate::detect::encoded;
use crate::detect::key_bodies;
use crate::detect::keys_in_context;
use crate::detect::otp_seeds;
use crate::lazy::lazily;
use crate::mark::found::Found;
use crate::rules::general::{JWT, KEYED_VALUE, PREFIXED, PRIVATE_KEY, STORAGE_KEY};
use crate::rules::providers::{PROVIDERS, Provider};
use crate::rules::shapes;
use crate::text::base64;
use crate::text::bytes::{is_of_base64, peek, run_end, run_start, slice, starts_word};
use crate::text::masks;

/// The rule for Microsoft Entra client secrets.
pub(crate) const ENTRA_SECRET: &str = "azure-client-secret";
/// The rule for Twitter bearer tokens.
pub(crate) const TWITTER_BEARER: &str = "twitter-bearer-token";
/// The rule for AWS access key ids.
const AWS_ACCESS_KEY: &str = "aws-access-key";
/// The digits of base62.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The number of alphabets, plus one for JSON Web Tokens.
const ALPHABETS: usize = 16;
/// How many punctuation characters may follow a token.
const MAX_PUNCTUATION: usize = 64;
/// How much of a token's body is examined, in bytes.
const SAMPLE_BYTES: usize = 128;
/// The longest header of a JSON Web Token, in bytes.
const MAX_HEADER: usize = 4096;
/// The longest word that may be glued to a token.
const MAX_GLUED: usize = 24;
/// Prefixes are looked up by a hash of three bytes with this many bits.
const HASH_BITS: u32 = 12;

/// The bytes of a run, which ends at a `=`, or every setting would be one run with its name. Without branches, so that
/// it is vectorized.
const fn is_of_run(byte: u8) -> bool {
    let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    let is_hyphen_to_nine = byte.wrapping_sub(b'-') < 13;
    is_letter | is_hyphen_to_nine | (byte == b'_') | (byte == b'+') | (byte == b'%') | (byte == b'~')
}

/// The same as a table, which is faster for a byte at a time, and of which kinds the byte is.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => OF_RUN | DIGIT,
            b'A'..=b'Z' => OF_RUN | UPPER,
            b'a'..=b'z' => OF_RUN | LOWER,
            _ if is_of_run(byte) => OF_RUN,
            _ => 0,
        };
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    kinds
};
const OF_RUN: u8 = 1;
const DIGIT: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;

/// Returns the rule of a secret in a decoded text, and the secret.
pub(crate) type FindHidden<'f, 'r> = dyn Fn(&[u8]) -> Option<(&'r str, Vec<u8>)> + 'f;

/// Adds the tokens in `text`. `find_hidden` searches what was decoded.
pub(crate) fn find<'r>(text: &[u8], find_hidden: &FindHidden<'_, 'r>, found: &mut Vec<Found<'r>>) {
    masks::long_runs(text, is_of_run, |start| {
        let mut kinds = 0;
        let length = slice(text, start..text.len())
            .iter()
            .map(|byte| KINDS[usize::from(*byte)])
            .take_while(|kind| *kind != 0)
            .fold(0, |length, kind| {
                kinds |= kind;
                length + 1
            });
        inspect(text, start..start + length, kinds, find_hidden, found);
        start + length
    });
}

/// Examines `run`, whose bytes are of these `kinds`.
fn inspect<'r>(
    text: &[u8],
    run: Range<usize>,
    kinds: u8,
    find_hidden: &FindHidden<'_, 'r>,
    found: &mut Vec<Found<'r>>,
) {
    // Most long runs are names and paths: random ones mix digits, capitals and lower-case letters.
    let bytes = slice(text, run.clone());
    let (has_digit, has_upper, has_lower) = (kinds & DIGIT != 0, kinds & UPPER != 0, kinds & LOWER != 0);
    if has_digit {
        let mut start = run.start;
        while start < run.end {
            let end = run_end(text, start, run.end - start, |byte| !matches!(byte, b'/' | b'+' | b'%' | b'~'));
            if let Some(shape) = shapes::find(text, start..end) {
                found.push(Found::new(shape.rule, shape.place));
            }
            start = end + 1;
        }
    }
    if has_digit && let Some((rule, place)) = keys_in_context::find_in(text, &run) {
        found.push(Found::new(rule, place));
    }
    if has_digit && has_upper && has_lower {
        let add = |rule, place: Option<Range<usize>>| place.map(|place| Found::new(rule, place));
        found.extend(add(STORAGE_KEY, storage_key(text, &run)));
        found.extend(add(ENTRA_SECRET, entra_secret(text, &run)));
        found.extend(add(TWITTER_BEARER, twitter_bearer(text, &run)));
        found.extend(add(PREFIXED, prefixed(text, &run)));
        found.extend(add(PRIVATE_KEY, key_bodies::at(text, run.start)));
    }
    if has_upper != has_lower
        && let Some(seed) = otp_seeds::at(text, run.clone())
    {
        found.push(Found::new(KEYED_VALUE, seed));
    }
    if has_upper && has_lower && base64::is_likely(bytes) {
        let end = run_end(text, run.start, usize::MAX, is_of_base64);
        let hidden = base64::decoded(slice(text, run.start..end)).and_then(|plain| find_hidden(&plain));
        if let Some((rule, secret)) = hidden {
            found.push(Found::new(rule, run.start..end).with_secret(secret));
            return;
        }
    }
    if has_digit
        && let Some((plain, end)) = encoded::hex(text, run.start + 2 * usize::from(bytes.starts_with(b"0x"))..run.end)
        && let Some((rule, secret)) = find_hidden(&plain)
    {
        found.push(Found::new(rule, run.start..end).with_secret(secret));
        return;
    }
    let is_mixed = has_digit || (has_upper && (has_lower || is_id_of_letters(bytes)));
    if !is_mixed {
        return;
    }
    let prefixes = prefixes();
    // The known ends of the runs of each alphabet, so that each is walked once.
    let mut ends = RunEnds([0; ALPHABETS]);
    // `sha256~…`, `oauth:…`: a character outside the run may separate a prefix from its body.
    let lead = run_start(text, run.start, 32, |byte| is_of_run(byte) || matches!(byte, b':' | b'$'));
    // The letter of an escaped line break is not part of the word after it.
    let is_escaped = matches!(slice(text, lead.saturating_sub(1)..run.end), [b'\\', b'n' | b't' | b'r', ..]);
    let mut at = lead;
    // Text glued to a token starts a word, as it will when the token is gone.
    let mut glued = lead + usize::from(is_escaped);
    let mut is_inside = !starts_word(text, lead);
    while at + 3 <= run.end {
        let starts = !std::mem::replace(&mut is_inside, text.get(at).is_some_and(u8::is_ascii_alphanumeric));
        if !starts && at != glued {
            let is_joiner = matches!(text.get(at), Some(b'_' | b'-'));
            match is_joiner.then(|| prefixed_inside(text, run.start, at, &mut ends)).flatten() {
                Some((rule, start, end)) => {
                    found.push(Found::new(rule, start..end));
                    (at, glued, is_inside) = (end, end, true);
                }
                None => at += 1,
            }
            continue;
        }
        at = match prefixes.token_at(text, at, &mut ends) {
            Some((rule, end)) => {
                found.push(Found::new(rule, at..end));
                if rule == AWS_ACCESS_KEY {
                    found.extend(aws_secret_after(text, end).map(|place| Found::new(KEYED_VALUE, place)));
                }
                glued = end.max(at + 1);
                is_inside = true;
                glued
            }
            None => at + 1,
        };
    }
}

/// Keys of Azure storage, Cosmos DB and Batch accounts: 88 characters of base64 with a marker near the end.
fn storage_key(text: &[u8], run: &Range<usize>) -> Option<Range<usize>> {
    let key = text.get(run.start..run.start + 88)?;
    let is_marked = matches!(key.get(76..80), Some(b"+ASt" | b"ACDb" | b"+ABa"));
    (run.len() == 86 && key.ends_with(b"==") && is_marked).then(|| run.start..run.start + 88)
}

/// Whether `run` is an AWS access key id without digits. A word in capitals may start like one.
fn is_id_of_letters(run: &[u8]) -> bool {
    let is_prefixed = matches!(run, [b'A', b'K' | b'S' | b'B', b'I', b'A', ..] | [b'A', b'C', b'C', b'A', ..]);
    let body = peek(run, 4, 16);
    is_prefixed
        && body.iter().all(u8::is_ascii_uppercase)
        && !run.get(20).is_some_and(u8::is_ascii_alphanumeric)
        && is_body_random(body)
}

/// The secret of the AWS access key id that ends at `end`, if only punctuation is between them: the next argument of a
/// call, or the next cell of a table.
fn aws_secret_after(text: &[u8], end: usize) -> Option<Range<usize>> {
    let is_between = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b',' | b':' | b';' | b'|')
    };
    let start = run_end(text, end, 48, is_between);
    let stop = run_end(text, start, 48, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+'));
    let secret = slice(text, start..stop);
    let has = |class: fn(&u8) -> bool| secret.iter().any(class);
    (start > end
        && secret.len() == 40
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && is_body_random(secret)
        && !is_stand_in(secret))
    .then_some(start..stop)
}

/// Microsoft Entra client secrets: three characters, a digit, `Q~` and 31 to 34 characters, which may include tildes.
fn entra_secret(text: &[u8], run: &Range<usize>) -> Option<Range<usize>> {
    let bytes = slice(text, run.clone());
    let mark = memchr::memmem::find_iter(bytes, b"Q~")
        .find(|mark| *mark >= 4 && bytes.get(mark - 1).is_some_and(u8::is_ascii_digit))?;
    let end = run_end(bytes, mark + 2, 34, |byte| is_of_base64url(byte) || matches!(byte, b'.' | b'~'));
    let is_whole = end >= mark + 33
        && slice(bytes, mark - 4..mark).iter().all(|byte| is_of_base64url(*byte) || matches!(byte, b'.' | b'~'));
    is_whole.then(|| run.start + mark - 4..run.start + end)
}

/// Twitter bearer tokens: `A` twenty times, followed by URL characters.
fn twitter_bearer(text: &[u8], run: &Range<usize>) -> Option<Range<usize>> {
    let bytes = slice(text, run.clone());
    let end = run_end(bytes, 0, usize::MAX, |byte| byte.is_ascii_alphanumeric() || byte == b'%');
    let is_one = bytes.starts_with(&[b'A'; 20])
        && end >= 80
        && !matches!(text.get(run.start + end), Some(b'+' | b'/' | b'=' | b'_'));
    (is_one && is_body_random(slice(bytes, 20..end.min(20 + SAMPLE_BYTES)))).then(|| run.start..run.start + end)
}

/// A short word, `_` or `-`, and at least thirty random letters and digits: the format of providers that are not in the
/// table yet.
fn prefixed(text: &[u8], run: &Range<usize>) -> Option<Range<usize>> {
    // The letter of an escaped line break is not part of what follows it.
    let is_escaped = matches!(slice(text, run.start.saturating_sub(1)..run.end), [b'\\', b'n' | b't' | b'r', ..]);
    let run = run.start + usize::from(is_escaped)..run.end;
    let bytes = slice(text, run.clone());
    let word = run_end(bytes, 0, 13, |byte| byte.is_ascii_lowercase());
    let second = match bytes.get(word) {
        Some(b'_' | b'-') if (2..=12).contains(&word) => word + 1,
        _ => return None,
    };
    let part = run_end(bytes, second, 7, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let start = if matches!(bytes.get(part), Some(b'_' | b'-')) { part + 1 } else { second };
    let end = run_end(bytes, start, usize::MAX, |byte| byte.is_ascii_alphanumeric());
    let body = slice(bytes, start..end.min(start + SAMPLE_BYTES));
    let has = |class: fn(&u8) -> bool| body.iter().filter(|byte| class(byte)).count() >= 3;
    let is_random = body.len() >= 30
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && is_body_random(body);
    (is_random && starts_word(text, run.start) && !matches!(bytes.get(end), Some(b'/' | b'+')) && !is_stand_in(body))
        .then(|| run.start..run.start + end)
}

const fn is_of_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// All prefixes, by the hash of their first three bytes.
struct Prefixes {
    /// For every hash, the index in `rows` of its first prefix; one more for the end.
    starts: Vec<u16>,
    /// Prefix and provider; `None` is a JWT.
    rows: Vec<(&'static [u8], Option<&'static Provider>)>,
}

/// The known ends of the runs of each alphabet, so that each is walked once however many prefixes it contains.
/// Positions must be ascending.
struct RunEnds([usize; ALPHABETS]);

impl RunEnds {
    /// The end of the run of `class` that contains `from`; `walk` computes it.
    fn of(&mut self, class: usize, from: usize, walk: impl Fn(usize) -> usize) -> usize {
        let Some(end) = self.0.get_mut(class) else { return walk(from) };
        if *end <= from {
            *end = walk(from);
        }
        *end
    }
}

fn hash(head: [u8; 3]) -> usize {
    let [a, b, c] = head;
    let mixed = u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1);
    usize::try_from(mixed >> (32 - HASH_BITS)).unwrap_or_default()
}

/// For every hash, how many of `hashes`, which are in ascending order, are less; one more for the end.
fn starts_of(hashes: impl Iterator<Item = usize>) -> Vec<u16> {
    let mut starts = Vec::with_capacity((1 << HASH_BITS) + 1);
    let mut count = 0_u16;
    for hash in hashes {
        starts.resize(starts.len().max(hash + 1), count);
        count = count.saturating_add(1);
    }
    starts.resize((1 << HASH_BITS) + 1, count);
    starts
}

fn first_three(text: &[u8], at: usize) -> Option<[u8; 3]> {
    text.get(at..at + 3)?.try_into().ok()
}

fn prefixes() -> &'static Prefixes {
    static PREFIXES: OnceBox<Prefixes> = OnceBox::new();
    lazily(&PREFIXES, Prefixes::build)
}

impl Prefixes {
    fn build() -> Self {
        let of_provider = |provider: &'static Provider| {
            provider.prefixes.iter().map(move |prefix| (prefix.as_bytes(), Some(provider)))
        };
        let mut rows: Vec<_> = PROVIDERS.iter().flat_map(of_provider).chain([(&b"eyJ"[..], None)]).collect();
        let hash_of = |prefix: &[u8]| first_three(prefix, 0).map_or(0, hash);
        // The longest prefix comes first; among equal ones, the provider that is listed first.
        rows.sort_by_key(|(prefix, _)| (hash_of(prefix), std::cmp::Reverse(prefix.len())));
        Prefixes { starts: starts_of(rows.iter().map(|(prefix, _)| hash_of(prefix))), rows }
    }

    /// The rule and the end of the token that starts at `at`.
    fn token_at(&self, text: &[u8], at: usize, ends: &mut RunEnds) -> Option<(&'static str, usize)> {
        let hash = hash(first_three(text, at)?);
        let (from, to) = (*self.starts.get(hash)?, *self.starts.get(hash + 1)?);
        let rest = text.get(at..)?;
        let rows = self.rows.get(usize::from(from)..usize::from(to))?;
        // Inside base64, letters alone are not a prefix.
        let is_inside = || is_inside_base64(text, at);
        let fits =
            |prefix: &[u8]| rest.starts_with(prefix) && !(prefix.iter().all(u8::is_ascii_alphanumeric) && is_inside());
        rows.iter().filter(|(prefix, _)| fits(prefix)).find_map(|(prefix, provider)| match provider {
            Some(provider) => token(text, at, prefix.len(), provider, ends),
            None => json_web_token(text, at, ends),
        })
    }
}

/// The shortest text before a `+` or `/` that is taken for base64, and how much of it is looked at.
const MIN_BASE64: usize = 16;
const BASE64_SAMPLE: usize = 64;

/// Whether a `+` or `/` before `at` is a digit of base64, and does not separate the parts of a path.
fn is_inside_base64(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).filter(|before| matches!(text.get(*before), Some(b'+' | b'/'))) else {
        return false;
    };
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let start = run_start(text, before, BASE64_SAMPLE, is_digit);
    before - start >= MIN_BASE64 && is_body_random(slice(text, start..before))
}

/// The unmistakable prefixes that end in a joiner, by the hash of their last three bytes.
struct Endings {
    starts: Vec<u16>,
    rows: Vec<(&'static [u8], &'static Provider)>,
}

impl Endings {
    fn build() -> Self {
        let ends = |prefix: &&&str| prefix.ends_with(['_', '-']);
        let of_provider = |provider: &'static Provider| {
            provider.prefixes.iter().filter(ends).map(move |prefix| (prefix.as_bytes(), provider))
        };
        let mut rows: Vec<_> = PROVIDERS.iter().filter(|provider| provider.firm).flat_map(of_provider).collect();
        let hash_of = |prefix: &[u8]| first_three(prefix, prefix.len().saturating_sub(3)).map_or(0, hash);
        rows.sort_by_key(|(prefix, _)| (hash_of(prefix), std::cmp::Reverse(prefix.len())));
        Endings { starts: starts_of(rows.iter().map(|(prefix, _)| hash_of(prefix))), rows }
    }
}

/// The token whose prefix ends at `joiner`, after letters that are glued to it: `tokenghp_…`. Its rule, start and end.
/// The letters look like a word, or this may be base64.
fn prefixed_inside(
    text: &[u8],
    from: usize,
    joiner: usize,
    ends: &mut RunEnds,
) -> Option<(&'static str, usize, usize)> {
    static ENDINGS: OnceBox<Endings> = OnceBox::new();
    let endings = lazily(&ENDINGS, Endings::build);
    let hash = hash(first_three(text, (joiner + 1).checked_sub(3)?)?);
    let (first, last) = (*endings.starts.get(hash)?, *endings.starts.get(hash + 1)?);
    let rows = endings.rows.get(usize::from(first)..usize::from(last))?;
    let before = text.get(from..=joiner)?;
    let (prefix, provider) = rows.iter().find(|(prefix, _)| before.ends_with(prefix))?;
    let start = joiner + 1 - prefix.len();
    let word_start = run_start(text, start, MAX_GLUED, |byte| byte.is_ascii_alphabetic());
    let word = slice(text, word_start..start);
    let is_word = word.iter().skip(1).all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase);
    let (rule, end) = token(text, start, prefix.len(), provider, ends)
        .filter(|_| is_word && !word.is_empty() && starts_word(text, word_start))?;
    let body = slice(text, joiner + 1..end.min(joiner + 1 + SAMPLE_BYTES));
    is_body_random(body).then_some((rule, start, end))
}

/// A provider's prefix in a text, whether or not a token follows it.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    pub(crate) start: usize,
    /// Where what follows the prefix starts.
    pub(crate) body: usize,
    pub(crate) provider: &'static Provider,
}

/// Whether a prefix may start at `at`, judged by three bytes, of which two may be followed by a blank.
pub(crate) fn may_begin(text: &[u8], at: usize) -> bool {
    let prefixes = prefixes();
    let row = first_three(text, at).map(hash);
    row.is_some_and(|row| prefixes.starts.get(row) != prefixes.starts.get(row + 1))
}

/// The first prefix at the start of a word in `run` after which only bytes of its provider's tokens follow.
pub(crate) fn begun_in(text: &[u8], run: Range<usize>) -> Option<Begun> {
    let prefixes = prefixes();
    run.clone().filter(|at| starts_word(text, *at)).find_map(|start| {
        let hash = hash(first_three(text, start)?);
        let (from, to) = (*prefixes.starts.get(hash)?, *prefixes.starts.get(hash + 1)?);
        let rest = slice(text, start..run.end);
        prefixes.rows.get(usize::from(from)..usize::from(to))?.iter().find_map(|(prefix, provider)| {
            let (provider, body) = ((*provider)?, rest.strip_prefix(*prefix)?);
            let is_one = body.iter().all(|byte| provider.alphabet.contains(*byte));
            is_one.then_some(Begun { start, body: start + prefix.len(), provider })
        })
    })
}

fn token(
    text: &[u8],
    at: usize,
    prefix: usize,
    provider: &Provider,
    ends: &mut RunEnds,
) -> Option<(&'static str, usize)> {
    let body = at + prefix;
    let run = ends.of(provider.alphabet as usize, body, |from| {
        run_end(text, from, usize::MAX, |byte| provider.alphabet.contains(byte))
    });
    // Prose ends a token with a full stop, which is not part of it; a hyphen may be.
    let without = |is_mark: fn(u8) -> bool| run_start(text, run, MAX_PUNCTUATION, is_mark).max(body) - body;
    let longest = without(|byte| matches!(byte, b'.' | b':' | b'?' | b'&'));
    let trimmed = without(|byte| matches!(byte, b'.' | b':' | b'?' | b'&' | b'-'));
    let length = if trimmed >= provider.minimum { trimmed } else { longest };
    let written = peek(text, body, length);
    let sample = slice(written, 0..length.min(SAMPLE_BYTES));
    let is_likely = !is_stand_in(sample) && (provider.firm || is_body_random(sample));
    let is_taken = length >= provider.minimum && (is_likely || has_checksum(provider.rule, written));
    is_taken.then_some((provider.rule, body + length))
}

/// Whether the last six characters are the CRC-32 of the thirty before them in base62, as GitHub and npm generate them.
/// No stand-in has that, so a match is a token whatever it looks like; without it, it may still be one.
pub(crate) fn has_checksum(rule: &str, body: &[u8]) -> bool {
    let Some((random, check)) = body.split_at_checked(30).filter(|(_, check)| check.len() == 6) else { return false };
    let mut crc = u32::MAX;
    for byte in random {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    let mut rest = !crc;
    let digits = check.iter().rev().all(|digit| {
        let expected = BASE62.get(usize::try_from(rest % 62).unwrap_or_default());
        rest /= 62;
        expected == Some(digit)
    });
    digits && (rule.starts_with("github-") || rule == "npm-token")
}

pub(crate) fn is_body_random(body: &[u8]) -> bool {
    let stats = CharStats::of(body);
    stats.is_random() || (stats.letters() == 0 && stats.digits >= 16)
}

/// `xxxxxxxx`, `EXAMPLE`, `your-key-here`.
fn is_stand_in(body: &[u8]) -> bool {
    let mut kinds = [false; 256];
    let count = body.iter().filter(|byte| !std::mem::replace(&mut kinds[usize::from(**byte)], true)).count();
    (count <= 3 && body.len() > 8) || placeholders::contains_word(body)
}

/// Three parts of base64, of which the first, and unless the token is encrypted the second, is a JSON object.
fn json_web_token(text: &[u8], at: usize, ends: &mut RunEnds) -> Option<(&'static str, usize)> {
    let is_of_jwt = |byte: u8| is_of_base64url(byte) || matches!(byte, b'.' | b'=');
    let end = ends.of(ALPHABETS - 1, at, |from| run_end(text, from, usize::MAX, is_of_jwt));
    let end = run_start(text, end, MAX_PUNCTUATION, |byte| byte == b'.').max(at);
    let token = slice(text, at..end);
    let header = memchr::memchr(b'.', slice(token, 0..token.len().min(MAX_HEADER)))?;
    let rest = slice(token, header + 1..token.len());
    let is_signed = rest.starts_with(b"eyJ") || memchr::memchr(b'.', rest).is_some();
    (header >= 10 && end - at >= 30 && is_signed).then_some((JWT, end))
}
