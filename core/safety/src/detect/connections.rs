//! Connection strings and password files: `Server=…;Uid=…;Pwd=…`, `jdbc:oracle:thin:user/password@host`, `sqlplus
//! user/password@name`, the hashes of htpasswd and shadow files.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::classify::plausibility;
use crate::mark::tag;
use crate::text::bytes::{
    contains_ignoring_case, ends_ignoring_case, is_blank, is_quote, line_around, run_end, run_start, slice,
};

/// How far from a password its user may be in a list of settings, in bytes.
const MAX_LIST: usize = 256;
/// How many settings may be between a password and its user.
const MAX_PAIRS: usize = 6;
/// How many lines before a password its user may be.
const MAX_LINES: usize = 3;
/// The longest password of an Oracle login, in bytes.
const MAX_PASSWORD: usize = 128;
/// How far before an Oracle login its program may be, in bytes.
const MAX_LEAD: usize = 64;

/// Whether the weak name `pwd` or `pass` at `place` is that of a password and not of a folder or a count, since a user
/// is beside it: `Uid=alice;Pwd=…`, `user=a&pwd=…`, `<user>a</user><pass>…`, or on a line before it.
pub(crate) fn is_beside_user(text: &[u8], place: &Range<usize>) -> bool {
    const USERS: [&[u8]; 7] = [b"uid", b"user", b"username", b"user id", b"userid", b"login", b"email"];
    let name = slice(text, place.clone());
    let is_pwd = name.eq_ignore_ascii_case(b"pwd");
    if matches!(text.get(place.end), Some(b'>' | b' ')) && (is_pwd || name.eq_ignore_ascii_case(b"pass")) {
        return follows_element_of_user(slice(text, place.start.saturating_sub(MAX_LIST)..place.start), &USERS);
    }
    if (is_pwd || name.eq_ignore_ascii_case(b"pass")) && follows_line_of_user(text, place, &USERS) {
        return true;
    }
    if text.get(place.end) != Some(&b'=') || !is_pwd {
        return false;
    }
    let line = line_around(text, place.start);
    let before = slice(text, line.start.max(place.start.saturating_sub(MAX_LIST))..place.start);
    let after = slice(text, place.end..line.end.min(place.end + MAX_LIST));
    let is_list = |byte: &u8| matches!(byte, b';' | b'&');
    let is_user = |pair: &[u8]| {
        let name = slice(pair, 0..memchr::memchr(b'=', pair).unwrap_or_default()).trim_ascii_start();
        USERS.iter().any(|user| ends_ignoring_case(name, user))
    };
    before.rsplit(is_list).take(MAX_PAIRS).any(is_user) && before.trim_ascii_end().last().is_some_and(is_list)
        || after.split(is_list).take(MAX_PAIRS).skip(1).any(is_user)
}

/// Whether a setting of a user is on one of the lines before that of the password at `place`: `user=…`, `login: …`.
fn follows_line_of_user(text: &[u8], place: &Range<usize>, users: &[&[u8]]) -> bool {
    let indent = run_start(text, place.start, 32, is_blank);
    let sign = run_end(text, place.end, 4, is_blank);
    let before = slice(text, indent.saturating_sub(MAX_LIST)..indent);
    let Some(before) = before.strip_suffix(b"\n").filter(|_| matches!(text.get(sign), Some(b'=' | b':'))) else {
        return false;
    };
    let is_of_user = |line: &[u8]| {
        let name = slice(line, 0..memchr::memchr2(b'=', b':', line).unwrap_or_default()).trim_ascii();
        users.iter().any(|user| name.eq_ignore_ascii_case(user))
    };
    before.rsplit(|byte| *byte == b'\n').take(MAX_LINES).any(is_of_user)
}

/// `<user>…</user>`, before the bracket that opens the element of the password.
fn follows_element_of_user(before: &[u8], users: &[&[u8]]) -> bool {
    let Some(before) = before.strip_suffix(b"<") else { return false };
    let before = before.trim_ascii_end();
    let Some(tag) = before.strip_suffix(b">").and_then(|tag| tag.get(memchr::memrchr(b'<', tag)? + 1..)) else {
        return false;
    };
    tag.strip_prefix(b"/").is_some_and(|name| users.iter().any(|user| ends_ignoring_case(name, user)))
}

/// The password before the bracket at `bracket` in `user:password@tcp(host:3306)`, as Go writes it.
pub(crate) fn go_login(text: &[u8], bracket: usize) -> Option<Range<usize>> {
    let before = slice(text, bracket.saturating_sub(8)..bracket);
    let at = bracket - [&b"@tcp"[..], b"@tcp6", b"@unix"].iter().find(|network| before.ends_with(network))?.len();
    let start = run_start(text, at, 64 + MAX_PASSWORD, |byte| !byte.is_ascii_whitespace() && !is_quote(byte));
    let colon = start + memchr::memchr(b':', slice(text, start..at))? + 1;
    let value = slice(text, colon..at);
    (!tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)).then_some(colon..at)
}

/// The password of an Oracle login that starts at `at`: `scott/password@host`.
pub(crate) fn oracle(text: &[u8], at: usize) -> Option<Range<usize>> {
    login(text, at).filter(|place| {
        let closed = run_end(text, place.end, 2, |byte| byte == b'"' || byte == b'\\');
        text.get(closed) == Some(&b'@')
    })
}

/// The password after the user and the slash at `at`: up to `@`, or to the end of the argument.
fn login(text: &[u8], at: usize) -> Option<Range<usize>> {
    let is_of_user = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'.');
    let is_mark = |byte: u8| is_quote(byte) || byte == b'\\';
    let user = run_end(text, at, 2, is_mark);
    let slash = run_end(text, user, 64, is_of_user);
    let slash = if slash > user { run_end(text, slash, 2, is_mark) } else { slash };
    if slash == user || text.get(slash) != Some(&b'/') {
        return None;
    }
    let start = run_end(text, slash + 1, 2, is_mark);
    let end = run_end(text, start, MAX_PASSWORD, |byte| !byte.is_ascii_whitespace() && !is_mark(byte) && byte != b'@');
    let value = slice(text, start..end);
    (!tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)).then_some(start..end)
}

/// The password of `scott/password@name` before the sign at `at`, in a command, in a call of `connect`, or before a
/// host with the port of Oracle.
pub(crate) fn oracle_login(text: &[u8], at: usize) -> Option<Range<usize>> {
    #[rustfmt::skip]
    const PROGRAMS: [&[u8]; 12] = [
        b"sqlplus", b"sqlcl", b"sql ", b"expdp", b"impdp", b"sqlldr", b"exp ", b"imp ", b"rman", b"connect", b"conn ", b"userid=",
    ];
    let start =
        run_start(text, at, 64 + MAX_PASSWORD, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b'='));
    let password = oracle(text, start).filter(|place| place.end <= at && at - place.end <= 2)?;
    let lead = slice(text, line_around(text, start).start.max(start.saturating_sub(MAX_LEAD))..start);
    let port = run_end(text, at + 1, 128, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let is_login = PROGRAMS.iter().any(|word| contains_ignoring_case(lead, word))
        || slice(text, port..text.len()).starts_with(b":152");
    is_login.then_some(password)
}

/// The hash of a password after the colon at `colon`: `alice:$apr1$…`, `root:$6$…`, `alice:{SHA}…`.
pub(crate) fn hashed(text: &[u8], colon: usize) -> Option<Range<usize>> {
    let start = run_end(text, colon + 1, 1, is_blank);
    let user =
        run_start(text, colon, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'));
    let is_of_hash =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'+' | b'=' | b'$' | b',' | b'-');
    let body = match slice(text, start..text.len()) {
        [b'$', ..] => {
            let id = run_end(text, start, 2, |byte| byte == b'$');
            let id_end =
                run_end(text, id, 12, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
            (id_end > id && text.get(id_end) == Some(&b'$')).then_some(id_end)?
        }
        [b'{', ..] => {
            let scheme =
                run_end(text, start + 1, 12, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
            let is_scheme = ends_ignoring_case(slice(text, start + 1..scheme), b"SHA")
                || slice(text, start + 1..scheme).starts_with(b"S")
                || slice(text, start + 1..scheme) == b"CRYPT";
            (is_scheme && text.get(scheme) == Some(&b'}')).then_some(scheme + 1)?
        }
        _ => return None,
    };
    let end = run_end(text, body, 256, is_of_hash);
    (user < colon && end >= body + 20 && plausibility::is_random(slice(text, body..end))).then_some(start..end)
}
