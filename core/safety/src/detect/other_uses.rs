//! What else a secret's name may be: an attribute of a form, a key of a cache, the user of an address, a scope.

use std::ops::Range;

use crate::classify::names::Strength;
use crate::classify::plausibility;
use crate::detect::name::{MAX_GAP, Name};
use crate::detect::value::Value;
use crate::text::bytes::{ends_ignoring_case, is_quote, line_around, run_start, slice};

/// Where the value at `value` ends: in the address `https://token:…@host/path`, before the host.
pub(crate) fn userinfo_end(text: &[u8], name: &Name, value: Range<usize>) -> usize {
    let is_address = slice(text, 0..name.place.start).ends_with(b"://");
    let written = slice(text, value.clone());
    let host = if is_address { memchr::memrchr(b'@', written).filter(|sign| *sign > 0) } else { None };
    host.map_or(value.end, |sign| value.start + sign)
}

/// Whether the name is the value of an attribute, and no value follows: `input[type="password"]:focus`, `<input
/// type="password" :rules="…">`. `gap`: between its quotation mark and the sign.
pub(crate) fn is_attribute(text: &[u8], name: &Name, gap: Range<usize>) -> bool {
    let quote = run_start(text, name.place.start, 2, |byte| is_quote(byte) || byte == b'\\');
    let is_value = quote < name.place.start && text.get(quote.wrapping_sub(1)) == Some(&b'=');
    is_value
        && matches!(text.get(gap.end), Some(b':' | b'='))
        && (!gap.is_empty() || slice(text, name.place.end..gap.start).contains(&b']'))
}

/// Whether `key` is that of a cache or a table: "cache hit, key: …", "key session:…". In a list of external secrets,
/// `secretKey` is the name of an entry, whose place follows.
pub(crate) fn is_key_of_table(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let lead = slice(text, name.place.start.saturating_sub(48)..name.place.start);
    match word {
        [b'k' | b'K', b'e', b'y'] | [.., b' ', b'k', b'e', b'y'] if name.strength == Strength::Weak => {
            is_of_table(lead) || is_of_table(word)
        }
        b"secretKey" => {
            let line = line_around(text, name.place.start);
            let next = slice(text, line.end..text.len().min(line.end + MAX_GAP)).trim_ascii_start();
            next.starts_with(b"remoteRef")
        }
        _ => {
            name.strength == Strength::Weak
                && text.get(name.place.end) == Some(&b':')
                && (lead.ends_with(b" key ") || lead == b"key ")
        }
    }
}

/// Whether the words of `lead` before "key" are about a cache or a table.
pub(crate) fn is_of_table(lead: &[u8]) -> bool {
    let lead = slice(lead, memchr::memrchr(b'\n', lead).map_or(0, |at| at + 1)..lead.len());
    [&b"ache"[..], b"edis", b"index", b"partition", b"lookup", b"object with", b"row with"]
        .iter()
        .any(|word| memchr::memmem::find(lead, word).is_some())
}

/// Whether `value` is another kind of key than a secret: that of a cache, such as `repo:3f78…`, or the id of a key of
/// PGP that signs.
pub(crate) fn is_other_key(name: &[u8], strength: Strength, value: &[u8]) -> bool {
    let is_hex = value.iter().all(u8::is_ascii_hexdigit);
    let is_id = is_hex && matches!(value.len(), 8 | 16 | 40) && !value.iter().any(u8::is_ascii_lowercase);
    let kind = value.iter().take_while(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_')).count();
    let is_of_cache =
        strength == Strength::Weak && ends_ignoring_case(name, b"key") && kind >= 2 && value.get(kind) == Some(&b':');
    is_of_cache || (is_id && (ends_ignoring_case(name, b"signingkey") || ends_ignoring_case(name, b"signing_key")))
}

/// `secret:read`: what may be done with it.
pub(crate) fn is_scope(text: &[u8], name: &Name, value: &Range<usize>) -> bool {
    const DEEDS: [&[u8]; 24] = [
        b"read",
        b"write",
        b"delete",
        b"create",
        b"update",
        b"list",
        b"get",
        b"view",
        b"edit",
        b"manage",
        b"rotate",
        b"reset",
        b"change",
        b"revoke",
        b"verify",
        b"issue",
        b"refresh",
        b"generate",
        b"import",
        b"export",
        b"decrypt",
        b"encrypt",
        b"sign",
        b"use",
    ];
    text.get(name.place.end) == Some(&b':')
        && value.start == name.place.end + 1
        && DEEDS.contains(&slice(text, value.clone()))
}

/// Whether the quotation mark before `value` closes the text that the name ends: `parse("password=").is_err()`.
pub(crate) fn is_end_of_text(text: &[u8], name: &Name, closed: usize, value: &Value) -> bool {
    let quote = name.place.start.checked_sub(1).and_then(|before| text.get(before)).filter(|byte| is_quote(**byte));
    value.is_quoted
        && quote.is_some()
        && closed == name.place.end
        && text.get(closed + 1) == quote
        && value.place.start == closed + 2
        && matches!(text.get(closed + 2), Some(b')' | b',' | b']' | b'}' | b';' | b'.'))
}

/// The password of `user:password` after "credentials".
pub(crate) fn without_user(text: &[u8], name: &Name, value: Range<usize>) -> Range<usize> {
    let word = slice(text, name.place.clone());
    let is_pair = [&b"creds"[..], b"credentials", b"credential", b"zugangsdaten"]
        .iter()
        .any(|known| ends_ignoring_case(word, known));
    if !is_pair {
        return value;
    }
    let written = slice(text, value.clone());
    let user = written
        .iter()
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-'))
        .count();
    let is_user = (2..=24).contains(&user) && written.get(user) == Some(&b':') && written.len() >= user + 5;
    if is_user && !plausibility::is_random(slice(written, 0..user)) { value.start + user + 1..value.end } else { value }
}
