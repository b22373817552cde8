//! Values in a known format, which are no secrets: numbers, dates, versions, addresses, paths, algorithms.

use crate::classify::word_lists::Words;
use crate::classify::words::CharStats;
use crate::text::bytes::slice;

/// Algorithms and formats whose names contain digits, in lower case without hyphens, and sorted.
#[rustfmt::skip]
const ALGORITHMS: &[&str] = &[
    "aes128", "aes128cbc", "aes128gcm", "aes192", "aes256", "aes256cbc", "aes256gcm", "argon2", "argon2i", "argon2id",
    "base32", "base58", "base64", "base64url", "bigint64array", "blake2b", "blake3", "chacha20", "chacha20poly1305",
    "crc32", "ed25519", "ed448", "es256", "es384", "es512", "float32", "float32array", "float64", "float64array",
    "hmacsha1", "hmacsha256", "hmacsha512", "hs256", "hs384", "hs512", "http2", "int16array", "int32", "int32array",
    "int64", "int8array", "ipv4", "ipv6", "md5", "md5sum", "oauth2", "p256", "p384", "p521", "pbkdf2", "pkcs1",
    "pkcs12", "pkcs8", "ps256", "ps384", "ps512", "rc4", "ripemd160", "rs256", "rs384", "rs512", "rsa2048", "rsa4096",
    "secp256k1", "sha1", "sha224", "sha256", "sha3", "sha384", "sha512", "sha512224", "totp30", "uint16array",
    "uint32", "uint32array", "uint64", "uint8array", "utf16", "utf32", "utf8", "x25519", "x448", "x509",
];

/// A number, a date, a time, a version, a size, an address.
pub(crate) fn is_number(value: &[u8], stats: &CharStats) -> bool {
    let starts =
        value.first().is_some_and(|first| first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'#' | b'v'));
    let digits = value.strip_prefix(b"0x").unwrap_or_default();
    let hex = digits.iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'_').count();
    let suffix = slice(digits, hex..digits.len());
    let is_suffix =
        matches!(suffix, b"" | b"u8" | b"u16" | b"u32" | b"u64" | b"i32" | b"i64" | b"U" | b"L" | b"UL" | b"ULL");
    let is_hex = hex > 0 && stats.alphanumerics() < 34 && is_suffix;
    let is_long = stats.alphanumerics() >= 12 && stats.joiners + stats.symbols == 0 && !is_typed_number(value);
    (starts && stats.letters() <= 2 && stats.symbols <= 2 && stats.non_ascii == 0 && !is_long)
        || is_hex
        || is_date(value)
        || is_version(value, stats)
        || is_typed_number(value)
        || is_colour(value)
        || is_fingerprint(value)
        || is_measure(value)
}

/// `12-digit`, `90-day`
fn is_measure(value: &[u8]) -> bool {
    static UNITS: Words = Words::new(
        "digit digits char chars character characters letter letters word words bit bits byte bytes second seconds \
        minute minutes hour hours day days week weeks month months year years factor step time",
    );
    let Some(hyphen) = memchr::memchr(b'-', value) else { return false };
    slice(value, 0..hyphen).iter().all(u8::is_ascii_digit) && UNITS.has(slice(value, hyphen + 1..value.len()))
}

/// `3F:A2:…`: bytes in hex, as fingerprints and addresses are written.
fn is_fingerprint(value: &[u8]) -> bool {
    value.len() >= 17
        && value.split(|byte| *byte == b':').all(|pair| pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit))
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
fn is_version(value: &[u8], stats: &CharStats) -> bool {
    let start = value.iter().take_while(|byte| matches!(byte, b'v' | b'^' | b'~' | b'=' | b'<' | b'>')).count();
    let rest = slice(value, start..value.len());
    let digits = |from: usize| slice(rest, from..rest.len()).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let major = digits(0);
    let is_dotted = major > 0 && major <= 4 && rest.get(major) == Some(&b'.') && digits(major + 1) > 0;
    is_dotted && stats.symbols <= start + 1 && stats.non_ascii == 0 && value.len() <= 32
}

/// `2026-01-31T…`
pub(crate) fn is_date(value: &[u8]) -> bool {
    let digits = |range| slice(value, range).iter().all(u8::is_ascii_digit);
    value.len() >= 10
        && digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && matches!((value.get(4), value.get(7)), (Some(b'-' | b'/'), Some(b'-' | b'/')))
}

/// `/run/secrets/db`, `~/.ssh/id_ed25519`, `./key.pem`
pub(crate) fn is_path_of_files(value: &[u8]) -> bool {
    let stats = CharStats::of(value);
    let folders = memchr::memchr_iter(b'/', value).count();
    match value {
        [b'~' | b'.', b'/', ..] | [b'.', b'.', b'/', ..] => true,
        [b'/' | b'~', ..] => folders > 0 && is_location(value, &stats),
        [_, b':', b'\\' | b'/', ..] => is_location(value, &stats),
        _ => false,
    }
}

/// A path, or an e-mail address.
pub(crate) fn is_location(value: &[u8], stats: &CharStats) -> bool {
    let starts = matches!(value, [b'/' | b'~', ..] | [b'.', b'/' | b'.', ..] | [_, b':', b'\\' | b'/', ..]);
    let slashes = memchr::memchr_iter(b'/', value).count();
    let is_folder = |part: &[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    let folders = value.split(|byte| *byte == b'/').filter(|part| is_folder(part)).count();
    let is_path = (starts || slashes > 1) && (!stats.is_random() || folders > usize::from(!starts));
    is_path || is_email(value) || is_host_and_port(value)
}

/// `localhost:22`
fn is_host_and_port(value: &[u8]) -> bool {
    let Some(colon) = memchr::memrchr(b':', value) else { return false };
    let (host, port) = (slice(value, 0..colon), slice(value, colon + 1..value.len()));
    let is_port = (2..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit);
    is_port
        && host.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
        && !CharStats::of(host).is_random()
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

pub(crate) fn is_algorithm(value: &[u8]) -> bool {
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

/// `config2.yaml`
pub(crate) fn is_file(word: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', word) else { return false };
    let ending = slice(word, dot + 1..word.len());
    (2..=5).contains(&ending.len())
        && ending.iter().all(u8::is_ascii_lowercase)
        && !CharStats::of(slice(word, 0..dot)).is_random()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_can_be_searched() {
        assert!(ALGORITHMS.is_sorted());
    }
}
