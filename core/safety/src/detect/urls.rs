//! Passwords in URLs and DSNs, tokens in place of a user, and the secret parts of webhook addresses.

use std::ops::Range;

use crate::classify::plausibility::{self, Evidence};
use crate::mark::tag;
use crate::rules::general::{URL_PASSWORD, WEBHOOK_URL};
use crate::text::bytes::{is_of_token, run_end, slice};

/// The longest authority that is read, in bytes.
const MAX_AUTHORITY: usize = 1024;
/// Passwords used in examples.
const STAND_INS: [&[u8]; 14] = [
    b"pass",
    b"password",
    b"passwd",
    b"pwd",
    b"pw",
    b"secret",
    b"token",
    b"user",
    b"test",
    b"bar",
    b"psw",
    b"passw",
    b"p",
    b"pas",
];
/// Hosts, or suffixes of hosts, and the paths on them that precede a webhook's secret.
const WEBHOOKS: [(&[u8], &[u8]); 8] = [
    (b"hooks.slack.com", b"/services/"),
    (b"hooks.slack.com", b"/workflows/"),
    (b"discord.com", b"/api/webhooks/"),
    (b"discordapp.com", b"/api/webhooks/"),
    (b"hooks.zapier.com", b"/hooks/catch/"),
    (b"maker.ifttt.com", b"/trigger/"),
    (b"webhook.office.com", b"/webhookb2/"),
    (b"api.telegram.org", b"/bot"),
];

/// Examines the URL whose authority starts at `at`, after `://`.
pub(crate) fn find(text: &[u8], at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    if let Some(secret) = cloudinary(text, at) {
        found(URL_PASSWORD, secret);
    } else if let Some(secret) = password(text, at) {
        found(URL_PASSWORD, secret);
    } else if let Some(secret) = webhook(text, at) {
        found(WEBHOOK_URL, secret);
    }
}

/// `cloudinary://KEY:SECRET`, where the host may be missing.
fn cloudinary(text: &[u8], at: usize) -> Option<Range<usize>> {
    let colon = run_end(text, at, 20, |byte| byte.is_ascii_digit());
    let end = run_end(text, colon + 1, 64, is_of_token);
    let is_one = slice(text, 0..at).ends_with(b"cloudinary://")
        && colon >= at + 12
        && text.get(colon) == Some(&b':')
        && end > colon + 20;
    is_one.then_some(colon + 1..end)
}

const fn ends(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`')
}

fn password(text: &[u8], at: usize) -> Option<Range<usize>> {
    let authority_end = run_end(text, at, MAX_AUTHORITY, |byte| !ends(byte) && byte != b'/');
    let authority = slice(text, at..authority_end);
    let userinfo_end = match memchr::memrchr(b'@', authority) {
        Some(sign) => at + sign,
        None => slashed_userinfo(text, at, authority_end)?,
    };
    let userinfo = slice(text, at..userinfo_end);
    let (start, is_alone) = match memchr::memchr(b':', userinfo) {
        Some(colon) => (at + colon + 1, false),
        None => (at, true),
    };
    let secret = slice(text, start..userinfo_end);
    let is_refused = secret.is_empty()
        || tag::starts_placeholder(secret)
        || plausibility::is_reference(secret)
        || (matches!(secret.first(), Some(b'<' | b'{' | b'*' | b'[' | b'$' | b'%'))
            && !plausibility::is_random(secret));
    let is_taken = match is_alone {
        // A token in place of the user; a plain user such as `git` stays.
        true => secret.len() >= 16 && plausibility::looks_like(secret, Evidence::Generated, true),
        false => {
            !STAND_INS.iter().any(|word| secret.eq_ignore_ascii_case(word))
                && !plausibility::is_stand_in(secret)
                && !is_example(slice(userinfo, 0..start - at - 1), secret)
        }
    };
    (!is_refused && is_taken).then_some(start..userinfo_end)
}

/// A single letter, or more lower-case letters than a password has.
fn is_example(user: &[u8], secret: &[u8]) -> bool {
    secret.len() < 4 && secret.iter().all(u8::is_ascii_alphabetic) || (user == b"foo" && secret.len() < 6)
}

/// The end of a userinfo whose password contains the slash at `slash`: `app:s3/cr3t9@db`. There is none in
/// `host:8080/a@b` or in a list of URLs.
fn slashed_userinfo(text: &[u8], at: usize, slash: usize) -> Option<usize> {
    let colon = at + memchr::memchr(b':', slice(text, at..slash))?;
    let stop = run_end(text, slash, plausibility::SAMPLE_BYTES, |byte| !ends(byte) && byte != b'@');
    let is_port = slice(text, colon + 1..slash).iter().all(u8::is_ascii_digit);
    let userinfo = slice(text, at..stop);
    let is_one = text.get(stop) == Some(&b'@')
        && !userinfo.windows(3).any(|signs| signs == b"://")
        && userinfo.iter().any(u8::is_ascii_digit);
    (!is_port && is_one).then_some(stop)
}

fn webhook(text: &[u8], at: usize) -> Option<Range<usize>> {
    let host_end = run_end(text, at, 96, is_of_token);
    let (host, path) = (slice(text, at..host_end), text.get(host_end..)?);
    let (_, lead) = WEBHOOKS.iter().find(|(known, lead)| host.ends_with(known) && path.starts_with(lead))?;
    let start = host_end + lead.len();
    // A method follows the token of a bot.
    let is_path = *lead != b"/bot";
    let end =
        run_end(text, start, 512, |byte| is_of_token(byte) || matches!(byte, b':' | b'@') || (is_path && byte == b'/'));
    let end = start + slice(text, start..end).iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    let secret = slice(text, start..end);
    (secret.len() >= 20 && plausibility::is_random(secret) && !plausibility::is_stand_in(secret)).then_some(start..end)
}
