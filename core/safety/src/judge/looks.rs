//! Whether a value that stands where a secret may stand looks like one: it is no stand-in, no reference in code, no path,
//! no number and no plain word.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

use crate::judge::names::Says;
use crate::judge::words::Makeup;
use crate::lazy::lazily;
use crate::text::base64;
use crate::text::bytes::{is_quote, slice};

/// By how much of its beginning a value is judged, in bytes.
pub(crate) const JUDGED: usize = 256;
/// A shorter value hides nothing, or could be anything.
const LEAST: usize = 6;

/// Words within a value that say that it stands for another.
static STAND_INS: Words = Words::new(
    "example placeholder changeme change-me change_me change_this change-this your xxxx redacted ... **** \
    replace dummy sample foobar todo …",
);
/// Words that name a secret and so are none. In a value of random characters they mean nothing.
static NAMES: Words =
    Words::new("password passwd passphrase secret token apikey api_key api-key credential username private_key");
/// Where references begin that look up a secret somewhere else.
#[rustfmt::skip]
const LOOKUPS: &[&str] = &[
    "process.env", "os.environ", "os.getenv", "env.", "env:", "env(", "getenv", "secrets.", "vars.", "var.",
    "local.", "self.", "this.", "config.", "settings.", "vault:", "arn:", "ref+", "file:", "params.", "args.",
    "data.",
];
/// Algorithms and formats whose names hold digits, in small letters without hyphens, and sorted.
#[rustfmt::skip]
const ALGORITHMS: &[&str] = &[
    "aes128", "aes256", "argon2", "argon2i", "argon2id", "base32", "base58", "base64", "blake2b", "blake3",
    "chacha20", "crc32", "ed25519", "es256", "hs256", "hs512", "http2", "md5", "md5sum", "oauth2", "pbkdf2",
    "ps256", "ripemd160", "rs256", "rsa2048", "rsa4096", "secp256k1", "sha1", "sha224", "sha256", "sha3", "sha384",
    "sha512", "totp30", "utf16", "utf8", "x25519", "x509",
];

/// Words that are looked for within a value, whatever the case of their letters.
struct Words {
    words: &'static str,
    search: OnceLock<Option<AhoCorasick>>,
}

impl Words {
    const fn new(words: &'static str) -> Self {
        Words { words, search: OnceLock::new() }
    }

    /// Where they stand.
    fn places(&self, value: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.search().into_iter().flat_map(move |search| search.find_iter(value).map(|hit| hit.range()))
    }

    fn is_in(&self, value: &[u8]) -> bool {
        self.search().is_some_and(|search| search.is_match(value))
    }

    /// The lists are our own: a test builds each.
    fn search(&self) -> Option<&AhoCorasick> {
        let builder = || AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).clone();
        lazily(&self.search, || builder().build(self.words.split(' ')).ok()).as_ref()
    }
}

/// Whether the value of a name that says `says` is its secret. `quoted`: it stood in quotes, so that it is no code.
pub(crate) fn is_secret(value: &[u8], says: Says, quoted: bool) -> bool {
    let judged = slice(value, 0..value.len().min(JUDGED));
    // Without its colours the value is seen by itself.
    if judged.contains(&0x1b) {
        return false;
    }
    if judged.len() < LEAST || says == Says::Nothing {
        return false;
    }
    let makeup = Makeup::of(judged);
    // A plain word, as most values are.
    if makeup.digits + makeup.marks == 0 && !makeup.is_random() {
        return false;
    }
    if is_stand_in(judged) || is_reference(judged) || (!quoted && is_code(judged)) {
        return false;
    }
    if is_number(judged, &makeup) || is_place(judged, &makeup) {
        return false;
    }
    if !quoted && is_identifier(judged, &makeup) && judged.len() < 40 {
        return false;
    }
    if makeup.is_random() {
        let is_basic = || base64::decoded(judged).is_some_and(|plain| plain.contains(&b':'));
        return says > Says::Perhaps || is_very_random(&makeup) || is_basic();
    }
    // A long number is an account's or a key's.
    if makeup.letters() == 0 && makeup.digits >= 12 && makeup.marks + makeup.joints == 0 {
        return says >= Says::Secret;
    }
    if NAMES.is_in(judged) || is_algorithm(judged) {
        return false;
    }
    let has_letters = makeup.letters() + makeup.foreign > 0;
    let is_mixed = has_letters && makeup.digits > 0;
    match says {
        // People choose words and put digits and marks behind them.
        Says::Password if is_mixed => {
            let is_shuffled = 10 * makeup.worded < 6 * makeup.solid() || (makeup.uppers >= 2 && makeup.lowers > 0);
            quoted || makeup.digits >= 2 || makeup.marks > 0 || is_shuffled
        }
        Says::Password => {
            is_marked(&makeup, judged.len())
                || has_letters
                    && makeup.marks > 0
                    && makeup.marks < 8
                    && judged.len() >= 8
                    && (makeup.uppers > 0 || quoted)
        }
        Says::Secret if is_marked(&makeup, judged.len()) => true,
        // `UINT32`
        Says::Secret if !quoted && makeup.pieces == 2 && makeup.digits == 2 && makeup.marks == 0 => false,
        Says::Secret => is_mixed && makeup.digits >= 2 && (makeup.marks > 0 || 10 * makeup.worded < 7 * makeup.solid()),
        Says::Perhaps | Says::Nothing => false,
    }
}

/// Several marks among letters that make no words.
fn is_marked(makeup: &Makeup, length: usize) -> bool {
    let is_varied = makeup.digits > 0 || (makeup.uppers > 0 && makeup.lowers > 0);
    let is_shuffled = makeup.marks >= 3 || 2 * makeup.worded < makeup.solid().max(1);
    makeup.marks >= 1 && makeup.marks + makeup.joints >= 2 && length >= 8 && is_varied && is_shuffled
}

/// Under a name that may mean something else a value must be long besides.
fn is_very_random(makeup: &Makeup) -> bool {
    makeup.solid() >= 20 || (makeup.solid() >= 16 && makeup.digits >= 2)
}

/// Whether `value` stands for a secret that is not told.
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
    ) && !Makeup::of(value).is_random();
    let is_counted = value.len() >= 6
        && (b"12345678901234567890".starts_with(value) || b"abcdefghijklmnopqrstuvwxyz".starts_with(value));
    is_one_of_few || is_bracketed || is_counted || stands_for_another(value) || is_filled_in(value)
}

/// Whether `value` holds a word such as `example` that says so, and not by chance in the midst of other letters and digits.
pub(crate) fn stands_for_another(value: &[u8]) -> bool {
    let is_solid = |at: Option<usize>| at.and_then(|at| value.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    STAND_INS.places(value).any(|place| {
        let is_word = slice(value, place.clone()).iter().all(u8::is_ascii_alphabetic);
        let is_within = is_solid(place.start.checked_sub(1)) && is_solid(Some(place.end));
        !(is_word && is_within && value.len() >= 12)
    })
}

/// `x-${NAME}`: a random text may hold `${`, but hardly a name behind it.
fn is_filled_in(value: &[u8]) -> bool {
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

/// `$NAME`, `${name}`, `&self.token`, `%NAME%`, `*anchor`, `<stand-in>`, `process.env.NAME`; but `$ecr3t-77` is a value.
pub(crate) fn is_reference(value: &[u8]) -> bool {
    let is_opening = |byte: &u8| matches!(byte, b'<' | b'{' | b'(' | b'[');
    let is_of_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'[' | b']' | b'(' | b')' | b'/' | b'%')
    };
    let rest = value.get(1..).unwrap_or_default();
    let is_sign = match value.first() {
        // A variable's name in capitals, and whatever is put behind it.
        Some(b'$') if rest.first().is_some_and(|byte| byte.is_ascii_uppercase() || *byte == b'_') => {
            let name =
                rest.iter().take_while(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9')).count();
            name >= 3 || name == rest.len()
        }
        Some(b'%') => rest.last() == Some(&b'%') && rest.iter().all(is_of_name),
        Some(b'$' | b'&' | b'@' | b'*') => {
            let makeup = Makeup::of(rest);
            let is_name = !makeup.is_random() && (makeup.digits < 2 || 2 * makeup.worded >= makeup.solid());
            rest.first().is_some_and(is_opening) || (rest.iter().all(is_of_name) && is_name)
        }
        Some(first) => {
            is_opening(first)
                && matches!(value.last(), Some(b'>' | b'}' | b')' | b']'))
                && !Makeup::of(rest).is_random()
        }
        None => false,
    };
    let begins = |word: &&str| value.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    is_sign || LOOKUPS.iter().any(begins) || value.windows(3).any(|signs| signs == b"://")
}

/// An expression: `parse(`, `self.token.clone()`, `map[key]`, `Type::new`, `user.token`.
fn is_code(value: &[u8]) -> bool {
    let name =
        value.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':')).count();
    let called = Makeup::of(slice(value, 0..name));
    let is_worded = 2 * called.worded >= called.letters() || (called.digits == 0 && called.pieces <= 2);
    let is_name = name > 1 && !called.is_random() && is_worded && called.digits <= 2;
    let rest = slice(value, name..value.len());
    let is_applied = match rest.first() {
        // What closes it may stand behind the value.
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
    rest.iter().all(is_of_code) && !Makeup::of(rest).is_random()
}

/// `user.token`, `T.Y.Name`; not `a.8` or a random text with dots.
fn is_dotted_name(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'.');
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && !Makeup::of(part).is_random()
    };
    let makeup = Makeup::of(value);
    let has_word = |part: &[u8]| part.windows(3).any(|run| run.iter().all(u8::is_ascii_lowercase));
    let words = value.split(|byte| *byte == b'.').filter(|part| has_word(part)).count();
    let is_worded = 2 * makeup.worded >= makeup.letters() || makeup.worded >= 4 || words > 1;
    is_worded && parts.clone().count() > 1 && parts.all(is_name)
}

/// A number, a date, a time, a version, a size, an address.
fn is_number(value: &[u8], makeup: &Makeup) -> bool {
    let starts =
        value.first().is_some_and(|first| first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'#' | b'v'));
    let digits = value.strip_prefix(b"0x").unwrap_or_default();
    let hex = digits.iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'_').count();
    let suffix = slice(digits, hex..digits.len());
    let is_suffix =
        matches!(suffix, b"" | b"u8" | b"u16" | b"u32" | b"u64" | b"i32" | b"i64" | b"U" | b"L" | b"UL" | b"ULL");
    let is_hex = hex > 0 && makeup.solid() < 34 && is_suffix;
    let is_long = makeup.solid() >= 12 && makeup.joints + makeup.marks == 0 && !is_typed_number(value);
    (starts && makeup.letters() <= 2 && makeup.marks <= 2 && makeup.foreign == 0 && !is_long)
        || is_hex
        || is_date(value)
        || is_version(value, makeup)
        || is_typed_number(value)
        || is_colour(value)
}

/// `2150859177u32`, `0xffffffffUL`, `1_000_000`
fn is_typed_number(value: &[u8]) -> bool {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let suffix = slice(value, digits..value.len());
    digits > 0
        && matches!(
            suffix,
            b"" | b"u8"
                | b"u16"
                | b"u32"
                | b"u64"
                | b"usize"
                | b"i32"
                | b"i64"
                | b"f32"
                | b"f64"
                | b"L"
                | b"UL"
                | b"ULL"
                | b"n"
        )
        && digits < 12
}

/// `#d8dee9`
fn is_colour(value: &[u8]) -> bool {
    value.first() == Some(&b'#')
        && matches!(value.len(), 4 | 5 | 7 | 9)
        && value.iter().skip(1).all(u8::is_ascii_hexdigit)
}

/// `v4.20.48-rc.3`, `^1.2`, `10.0.0.0/8`
fn is_version(value: &[u8], makeup: &Makeup) -> bool {
    let start = value.iter().take_while(|byte| matches!(byte, b'v' | b'^' | b'~' | b'=' | b'<' | b'>')).count();
    let rest = slice(value, start..value.len());
    let digits = |from: usize| slice(rest, from..rest.len()).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let major = digits(0);
    let is_dotted = major > 0 && major <= 4 && rest.get(major) == Some(&b'.') && digits(major + 1) > 0;
    is_dotted && makeup.marks <= start + 1 && makeup.foreign == 0 && value.len() <= 32
}

/// `2026-01-31T…`
fn is_date(value: &[u8]) -> bool {
    let digits = |range| slice(value, range).iter().all(u8::is_ascii_digit);
    value.len() >= 10
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && matches!((value.get(4), value.get(7)), (Some(b'-' | b'/'), Some(b'-' | b'/')))
}

/// A path, or an e-mail address.
fn is_place(value: &[u8], makeup: &Makeup) -> bool {
    let starts = matches!(value, [b'/' | b'~', ..] | [b'.', b'/' | b'.', ..] | [_, b':', b'\\' | b'/', ..]);
    let slashes = memchr::memchr_iter(b'/', value).count();
    let is_folder = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    let folders = value.split(|byte| *byte == b'/').filter(|part| is_folder(part)).count();
    let is_path = (starts || slashes > 1) && (!makeup.is_random() || folders > usize::from(!starts));
    is_path || is_email(value) || is_host_and_port(value)
}

/// `localhost:22`
fn is_host_and_port(value: &[u8]) -> bool {
    let Some(colon) = memchr::memrchr(b':', value) else { return false };
    let (host, port) = (slice(value, 0..colon), slice(value, colon + 1..value.len()));
    let is_port = (2..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit);
    is_port
        && host.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
        && !Makeup::of(host).is_random()
}

fn is_email(value: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'@', value) else { return false };
    let (user, host) = (slice(value, 0..at), slice(value, at + 1..value.len()));
    let is_of_host = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    let is_of_user = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'+');
    let top = memchr::memrchr(b'.', host).map_or(&b""[..], |dot| slice(host, dot + 1..host.len()));
    !user.is_empty()
        && user.iter().all(is_of_user)
        && host.iter().all(is_of_host)
        && top.len() >= 2
        && top.iter().all(u8::is_ascii_lowercase)
}

fn is_algorithm(value: &[u8]) -> bool {
    // `sha256-hashed`
    if let Some(hyphen) = memchr::memchr(b'-', value)
        .filter(|hyphen| slice(value, hyphen + 1..value.len()).iter().all(u8::is_ascii_lowercase))
    {
        return is_algorithm(slice(value, 0..hyphen));
    }
    let mut small = [0; 16];
    let mut letters = value.iter().filter(|byte| !matches!(byte, b'-' | b'_')).map(u8::to_ascii_lowercase);
    let length = small.iter_mut().zip(&mut letters).map(|(place, letter)| *place = letter).count();
    letters.next().is_none()
        && ALGORITHMS.binary_search_by(|name| name.as_bytes().cmp(slice(&small, 0..length))).is_ok()
}

/// Whether `word`, with the marks around it, may be a password that a sentence tells.
pub(crate) fn may_be_told(word: &[u8]) -> bool {
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b'.' | b',' | b';' | b':' | b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'<' | b'>' | b'*' | b'_'
        )
    };
    let start = word.iter().position(|byte| !is_mark(byte)).unwrap_or(word.len());
    let end = word.iter().rposition(|byte| !is_mark(byte)).map_or(start, |last| last + 1);
    let bare = slice(word, start..end);
    // Most words are told from passwords by their letters alone.
    let is_telling =
        |byte: &u8| !byte.is_ascii_alphabetic() && !matches!(byte, b'.' | b',' | b'\'' | b'/' | b'_') && *byte < 0x80;
    let is_camel = |pair: &[u8]| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']);
    if bare.len() < LEAST || !(bare.iter().any(is_telling) || bare.windows(2).any(is_camel)) {
        return false;
    }
    is_told(bare, true) || is_phrase(bare)
}

/// Whether a word of a sentence that tells a password is the password. `told`: the sentence says so with a verb or a sign.
pub(crate) fn is_told(word: &[u8], told: bool) -> bool {
    // An escape is read in the text that it stands for.
    let is_escaped = |at: &[u8]| matches!(at, [b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
    if word.windows(3).any(is_escaped) || word.contains(&0x1b) {
        return false;
    }
    if word.len() < LEAST || word.len() > 128 || word.iter().any(|byte| is_quote(*byte) || *byte == b'\\') {
        return false;
    }
    let makeup = Makeup::of(word);
    if makeup.digits + makeup.marks == 0 && !makeup.is_random() {
        return false;
    }
    let is_variable =
        word.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9')) && word.contains(&b'_');
    if is_variable || is_number(word, &makeup) || is_code(word) || is_reference(word) {
        return false;
    }
    if is_place(word, &makeup) || is_algorithm(word) || is_file(word) || is_stand_in(word) {
        return false;
    }
    let is_mixed = makeup.letters() + makeup.foreign > 0 && makeup.digits > 0;
    if is_assignment(word) {
        return false;
    }
    if is_identifier(word, &makeup) {
        return false;
    }
    if makeup.is_random() {
        // A hash or an id is none unless somebody says so.
        return told || !word.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    }
    if NAMES.is_in(word) {
        return false;
    }
    let has_marks = makeup.marks > 0;
    match told {
        true => {
            let is_chosen = is_mixed && (makeup.digits >= 2 || has_marks || makeup.uppers > 0);
            !is_identifier(word, &makeup) && (is_chosen || is_marked(&makeup, word.len()))
        }
        false => is_mixed && has_marks && makeup.digits >= 2,
    }
}

/// `ifreq_ty_2`, `WIN32_ERROR`
fn is_identifier(word: &[u8], makeup: &Makeup) -> bool {
    let is_of_name = word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_named = makeup.digits <= 4 || (makeup.digits <= 6 && 2 * makeup.worded >= makeup.letters());
    is_of_name && word.contains(&b'_') && (makeup.uppers == 0 || makeup.lowers == 0) && is_named
}

/// `--name=value`, `size=12`: a name that is told, and no password with a `=` in it.
fn is_assignment(word: &[u8]) -> bool {
    let Some(sign) = memchr::memchr2(b'=', b':', word) else { return word.starts_with(b"--") };
    let name = slice(word, 0..sign);
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    is_name && name.len() >= 3 && !Makeup::of(name).is_random() && Makeup::of(name).worded >= 3
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

/// `config2.yaml`
fn is_file(word: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', word) else { return false };
    let ending = slice(word, dot + 1..word.len());
    (2..=5).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_lowercase)
        && !Makeup::of(slice(word, 0..dot)).is_random()
}

/// Whether the letters and digits of `value` look drawn by chance.
pub(crate) fn is_random(value: &[u8]) -> bool {
    Makeup::of(slice(value, 0..value.len().min(JUDGED))).is_random()
}

/// Whether `word` may be a token or key that a sentence tells: random, or words with a number and marks.
pub(crate) fn is_key(word: &[u8]) -> bool {
    let makeup = Makeup::of(slice(word, 0..word.len().min(JUDGED)));
    makeup.is_random()
        || (makeup.digits >= 2 && word.len() >= 10 && (makeup.marks > 0 || (makeup.uppers > 0 && makeup.lowers > 0)))
}

/// Whether the value of an environment variable whose name says that it is a secret is one: what it is is known, so only
/// numbers, paths and plain words are none.
pub(crate) fn is_of_environment(value: &[u8]) -> bool {
    let makeup = Makeup::of(slice(value, 0..value.len().min(JUDGED)));
    let is_phrase = value.iter().any(u8::is_ascii_whitespace);
    let is_path = matches!(value, [b'/' | b'~', ..] | [b'.', b'/' | b'.', ..]) && is_place(value, &makeup);
    let is_plain = makeup.digits + makeup.marks + makeup.foreign == 0 && !makeup.is_random() && !is_phrase;
    let is_counted = makeup.letters() <= 1 && makeup.marks == 0 && makeup.foreign == 0;
    !is_path && !is_plain && !is_counted && !is_date(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_can_be_searched() {
        assert!(STAND_INS.search().is_some() && NAMES.search().is_some());
        assert!(ALGORITHMS.is_sorted());
    }

    #[test]
    fn a_stand_in_is_a_word_of_its_own() {
        for value in ["your-api-key-1a2b3c", "EXAMPLE-9fK2", "xK9mexample", "dummy", "ab...cd"] {
            assert!(stands_for_another(value.as_bytes()), "{value}");
        }
        assert!(!stands_for_another(b"RutlZdummyfOj72k"));
    }

    #[test]
    fn a_value_of_the_environment_needs_no_look_of_a_secret() {
        for value in [
            "Todo9$kLmq2",
            "hunter2example!",
            "secretpass77",
            "[x9Kd82mQzz]",
            "correct horse battery",
            "config.8Kd92mX0a",
        ] {
            assert!(is_of_environment(value.as_bytes()), "{value}");
        }
        for value in ["86400000", "/usr/lib/key1.pem", "plainword", "some-plain-words", "2026-01-31", "10.0.0.1"] {
            assert!(!is_of_environment(value.as_bytes()), "{value}");
        }
    }
}
