//! Credentials of HTTP and its tools: Authorization, cookies, `curl -u user:password`, `mysql -p…`.

use std::ops::Range;

use crate::classify::names::{Strength, strength};
use crate::classify::plausibility::{self, Evidence};
use crate::mark::tag;
use crate::rules::general::COOKIE;
use crate::text::base64;
use crate::text::bytes::{
    contains_ignoring_case, ends_ignoring_case, is_blank, is_of_base64, is_quote, line_around, run_end, run_start,
    slice, starts_word,
};

/// The shortest credential.
const MIN_BYTES: usize = 8;
/// How much of the beginning of a credential is examined, in bytes; an accepted one is taken as a whole.
const MAX_CREDENTIAL: usize = 512;
/// How much of a line of cookies is read, in bytes.
const MAX_COOKIES: usize = 16 << 10;

/// Whether the name at `place` is that of the header `Authorization`.
pub(crate) fn is_authorization(text: &[u8], place: &Range<usize>) -> bool {
    let is_path = slice(text, 0..place.start).ends_with(b"::");
    !is_path && ends_ignoring_case(slice(text, place.clone()), b"authorization")
}

const fn is_of_credential(byte: u8) -> bool {
    is_of_base64(byte) || matches!(byte, b'.' | b'~' | b':' | b'!' | b'$' | b'%')
}

/// The credential after `Authorization`: a scheme and a credential, or a credential alone.
pub(crate) fn authorization(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_sign = |byte: u8| {
        is_blank(byte)
            || is_quote(byte)
            || matches!(byte, b':' | b'=' | b'\\' | b',' | b'>' | b']' | b'*' | b'(' | b'[')
    };
    let start = run_end(text, at, 16, is_sign);
    if !slice(text, at..start).iter().any(|byte| matches!(byte, b':' | b'=' | b',')) {
        return None;
    }
    let end = run_end(text, start, MAX_CREDENTIAL, is_of_credential);
    let first = slice(text, start..end);
    let blanks = run_end(text, end, 4, is_blank);
    let is_scheme =
        first.len() <= 20 && first.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let (start, end) = if is_scheme && blanks > end {
        (blanks, run_end(text, blanks, MAX_CREDENTIAL, is_of_credential))
    } else {
        (start, end)
    };
    accepted(text, start, end)
}

fn accepted(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let value = slice(text, start..end);
    let is_basic = base64::decoded(value).is_some_and(|plain| plain.contains(&b':'));
    if value.len() < MIN_BYTES
        || tag::starts_placeholder(value)
        || !(is_basic || plausibility::looks_like(value, Evidence::Generated, false))
    {
        return None;
    }
    let whole = if value.len() < MAX_CREDENTIAL { end } else { run_end(text, end, usize::MAX, is_of_credential) };
    let length = slice(text, start..whole).iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    Some(start..start + length)
}

/// The credential after `Bearer ` or `Basic `, a separate word that ends at `at`.
pub(crate) fn credential(text: &[u8], from: usize, at: usize) -> Option<Range<usize>> {
    let start = run_start(text, from, 8, |byte| byte.is_ascii_alphabetic());
    let scheme = slice(text, start..at - 1);
    if !starts_word(text, start) || !(scheme.eq_ignore_ascii_case(b"bearer") || scheme.eq_ignore_ascii_case(b"basic")) {
        return None;
    }
    let end = run_end(text, at, MAX_CREDENTIAL, is_of_credential);
    accepted(text, at, end)
}

/// The values of `Cookie: a=b; c=d` and `Set-Cookie: a=b; Path=/`, starting after that word; returns where to continue.
pub(crate) fn cookies(text: &[u8], at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) -> usize {
    let colon = run_end(text, at, 3, |byte| is_quote(byte) || matches!(byte, b'\\' | b'2'));
    let is_header = matches!(text.get(colon), Some(b':' | b'=' | b' '))
        && run_start(text, at, 1, |byte| byte == b'e' || byte == b'E') < at;
    if !is_header {
        return at;
    }
    let line_end = line_around(text, at).end.min(at + MAX_COOKIES);
    let mut from =
        run_end(text, colon, 8, |byte| is_blank(byte) || is_quote(byte) || matches!(byte, b':' | b'=' | b'\\'));
    while from < line_end {
        let name_end =
            run_end(text, from, 128, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        if name_end == from || text.get(name_end) != Some(&b'=') {
            break;
        }
        let start = name_end + 1;
        let end = run_end(text, start, line_end - start.min(line_end), |byte| {
            !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b';' | b',' | b'\\')
        });
        if is_session(slice(text, from..name_end), slice(text, start..end)) {
            found(COOKIE, start..end);
        }
        from = run_end(text, end, 8, |byte| is_blank(byte) || byte == b';');
        if from == end {
            break;
        }
    }
    from.max(at)
}

fn is_session(name: &[u8], value: &[u8]) -> bool {
    const SESSIONS: [&[u8]; 10] =
        [b"sess", b"sid", b"auth", b"jwt", b"remember", b"csrf", b"xsrf", b"login", b"token", b"ticket"];
    const ATTRIBUTES: [&[u8]; 7] = [b"path", b"domain", b"expires", b"max-age", b"samesite", b"secure", b"httponly"];
    if value.len() < MIN_BYTES
        || tag::starts_placeholder(value)
        || ATTRIBUTES.iter().any(|word| name.eq_ignore_ascii_case(word))
    {
        return false;
    }
    let is_session_name =
        SESSIONS.iter().any(|word| contains_ignoring_case(name, word)) || strength(name) > Strength::None;
    plausibility::looks_like(value, if is_session_name { Evidence::Generated } else { Evidence::Credential }, true)
}

/// The password of `-u user:password` and of `-p password`, if the line is a command that takes one.
pub(crate) fn option(text: &[u8], from: usize, end: usize) -> Option<Range<usize>> {
    let line = line_around(text, from);
    let command = slice(text, line.start.max(from.saturating_sub(400))..from);
    let is_of = |names: &[&[u8]]| names.iter().any(|name| memchr::memmem::find(command, name).is_some());
    let start = run_end(text, end, 2, |byte| is_blank(byte) || byte == b'=');
    let quote = text.get(start).copied().filter(|byte| is_quote(*byte));
    let start = start + usize::from(quote.is_some());
    let stop = run_end(text, start, line.end - start.min(line.end), |byte| match quote {
        Some(quote) => byte != quote,
        None => !byte.is_ascii_whitespace() && !matches!(byte, b'`' | b';' | b'|' | b')' | b'"'),
    });
    let word = slice(text, start..stop);
    let option = slice(text, from..end);
    if option == b" -u" || option.starts_with(b"-user") {
        let colon = memchr::memchr(b':', word)?;
        let password = start + colon + 1..stop;
        let value = slice(text, password.clone());
        let is_numeric = value.iter().all(u8::is_ascii_digit);
        let is_taken = is_of(&[b"curl", b"http", b"wget", b"git", b"ldap"])
            && !value.is_empty()
            && !is_numeric
            && !plausibility::is_stand_in(value)
            && !value.starts_with(b"$");
        return (is_taken || plausibility::looks_like(value, Evidence::Chosen, quote.is_some())).then_some(password);
    }
    let is_asked = match option {
        b" -p" => is_of(&[
            b"mysql",
            b"mariadb",
            b"sshpass",
            b"login",
            b"mongo",
            b"7z",
            b"unzip",
            b"zip",
            b"twine",
            b"smbclient",
            b"openssl",
            b"psql",
            b"az ",
            b"rabbitmq",
        ]),
        b" -a " => is_of(&[b"redis"]),
        _ => is_of(&[b"ldap"]),
    };
    (is_asked && plausibility::looks_like(word, Evidence::Chosen, quote.is_some() || option == b" -p"))
        .then_some(start..stop)
}

/// The password of `basic_auth("user", "password")` and `auth=("user", "password")`.
pub(crate) fn pair_of_arguments(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    if !ends_ignoring_case(slice(text, name.clone()), b"auth") {
        return None;
    }
    let open = run_end(text, name.end, 8, |byte| is_blank(byte) || byte == b'=');
    let user = (text.get(open) == Some(&b'(')).then(|| run_end(text, open + 1, 2, is_blank))?;
    let quote = *text.get(user).filter(|byte| is_quote(**byte))?;
    let user_end = run_end(text, user + 1, 128, |byte| byte != quote && byte != b'\n');
    let between = run_end(text, user_end + 1, 16, |byte| {
        is_blank(byte) || matches!(byte, b',' | b'S' | b'o' | b'm' | b'e' | b'(')
    });
    let quote = *text.get(between).filter(|byte| is_quote(**byte))?;
    let end = run_end(text, between + 1, 512, |byte| byte != quote && byte != b'\n');
    let is_pair = memchr::memchr(b',', slice(text, user_end..between)).is_some();
    (is_pair && plausibility::looks_like(slice(text, between + 1..end), Evidence::Chosen, true))
        .then_some(between + 1..end)
}

/// The input piped into a command that reads a secret: `echo … | gh secret set NAME`, `printf … | docker login
/// --password-stdin`.
pub(crate) fn piped(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let is_set = slice(text, 0..name.start).ends_with(b"secret set ");
    if !is_set && !slice(text, name.clone()).ends_with(b"-stdin") {
        return None;
    }
    let line = line_around(text, name.start);
    let before = slice(text, line.start.max(name.start.saturating_sub(600))..name.start);
    let pipe = memchr::memrchr(b'|', before)?;
    let command = slice(before, 0..pipe).trim_ascii_end();
    let end = name.start - before.len() + command.len();
    let (start, end) = match command.last().filter(|last| is_quote(**last)) {
        Some(quote) => {
            let open = memchr::memrchr(*quote, slice(command, 0..command.len() - 1))?;
            (end - command.len() + open + 1, end - 1)
        }
        None => (run_start(text, end, command.len(), |byte| !byte.is_ascii_whitespace()), end),
    };
    plausibility::looks_like(slice(text, start..end), Evidence::Chosen, true).then_some(start..end)
}

/// Whether `at` follows an SQL statement about a user.
pub(crate) fn is_statement(text: &[u8], at: usize) -> bool {
    let before = slice(text, at.saturating_sub(200)..at);
    contains_ignoring_case(before, b"user")
        || contains_ignoring_case(before, b"grant")
        || contains_ignoring_case(before, b"role")
}
