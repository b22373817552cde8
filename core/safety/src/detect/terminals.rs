//! Secrets in the input and output of programs, where neither a name nor an option announces them: `AUTH` and `ACL
//! SETUSER` of Redis, `::add-mask::` of GitHub Actions, what `wg genkey` prints, arguments that a program knows by
//! their position.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::classify::plausibility::{self, Evidence};
use crate::mark::tag;
use crate::text::bytes::{find, is_blank, is_of_token, is_quote, line_around, peek, run_end, run_start, slice};

/// How far before `AUTH` the name of Redis may be, in bytes.
const MAX_SESSION: usize = 300;
/// The longest prompt or command before `AUTH` in its line, in bytes.
const MAX_PROMPT: usize = 80;
/// The longest rule of a user of Redis, in bytes.
const MAX_RULE: usize = 256;
/// The length of a key of WireGuard, in base64.
const WIREGUARD_KEY: usize = 44;

fn accepted(text: &[u8], place: Range<usize>) -> Option<Range<usize>> {
    let value = slice(text, place.clone());
    (!tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data)).then_some(place)
}

const fn is_of_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'\\'
}

/// The password after `AUTH` in a session with Redis, or in its protocol.
pub(crate) fn redis_auth(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    const MECHANISMS: [&[u8]; 7] = [b"PLAIN", b"LOGIN", b"TLS", b"SSL", b"CRAM-MD5", b"XOAUTH2", b"NTLM"];
    if !slice(text, name.clone()).eq_ignore_ascii_case(b"auth") {
        return None;
    }
    // `*2\r\n$4\r\nAUTH\r\n$8\r\npassword\r\n`
    let before = slice(text, name.start.saturating_sub(6)..name.start);
    if before.ends_with(b"$4\r\n") || before.ends_with(b"$4\\r\\n") {
        let is_break =
            |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'r' | b'n' | b'$' | b'0'..=b'9');
        let length = run_end(text, name.end, 12, is_break);
        let start = run_start(text, length, 12, |byte| byte.is_ascii_digit());
        let start = if slice(text, 0..start).ends_with(b"\n") || slice(text, 0..start).ends_with(b"\\n") {
            start
        } else {
            length
        };
        return accepted(text, start..run_end(text, start, 256, is_of_word));
    }
    if text.get(name.end) != Some(&b' ') {
        return None;
    }
    let line = line_around(text, name.start);
    let lead = slice(text, line.start..name.start);
    let is_prompt = lead.ends_with(b"> ") && lead.iter().rev().skip(2).take(2).all(u8::is_ascii_digit);
    let names_redis = |part: &[u8]| [&b"redis"[..], b"REDIS"].iter().any(|word| find(part, word).is_some());
    let is_session = || {
        names_redis(slice(text, name.start.saturating_sub(MAX_SESSION)..name.start))
            || peek(text, name.end, 9) == b" default "
    };
    // `HELLO 3 AUTH user password`
    let is_prompt = is_prompt
        || matches!(
            lead,
            [.., b'H' | b'h', b'E' | b'e', b'L' | b'l', b'L' | b'l', b'O' | b'o', b' ', b'2' | b'3', b' ']
        );
    let is_first = lead.len() <= MAX_PROMPT && (lead.is_empty() || lead.contains(&b'>') || names_redis(lead));
    if !(is_prompt || is_first && is_session()) {
        return None;
    }
    let first = text.len().min(name.end + 1);
    let first = first..run_end(text, first, 256, is_of_word);
    let is_mechanism = MECHANISMS.iter().any(|known| slice(text, first.clone()).eq_ignore_ascii_case(known));
    let second = first.end + 1..run_end(text, first.end + 1, 256, is_of_word);
    let has_second = text.get(first.end) == Some(&b' ') && second.end > second.start;
    // The space before a placeholder follows a user.
    if text.get(first.end) == Some(&b' ') && !has_second {
        return None;
    }
    let last = if has_second { second } else { first };
    // More words are those of a sentence.
    let is_last = text
        .get(last.end..line.end)
        .unwrap_or_default()
        .trim_ascii()
        .first()
        .is_none_or(|byte| is_quote(*byte) || *byte == b'\\');
    // "Auth failed"
    let is_command = is_prompt || lead.contains(&b'>') || slice(text, name.clone()) == b"AUTH";
    let password = if is_command { accepted(text, last) } else { chosen(text, last) };
    password.filter(|_| !is_mechanism && is_last)
}

/// The value after `::add-mask::`, which ends at `at`, or the argument that a format puts there.
pub(crate) fn masked(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = line_around(text, at);
    let is_inside = |byte: u8| !is_quote(byte) && !matches!(byte, b'\n' | b'\r' | b'\\');
    let end = run_end(text, at, 1024, is_inside);
    if !slice(text, at..end).starts_with(b"%s") {
        let length = slice(text, at..end).trim_ascii_end().len();
        return accepted(text, at..at + length);
    }
    let open = end + memchr::memchr2(b'"', b'\'', slice(text, end..line.end))?;
    let start = run_end(text, open + 1, 8, |byte| is_blank(byte) || is_quote(byte));
    accepted(text, start..run_end(text, start, 1024, is_inside))
}

/// Whether a key of WireGuard is at `at`.
fn is_wireguard_key(text: &[u8], at: usize) -> bool {
    let key = peek(text, at, WIREGUARD_KEY);
    let (body, padding) = key.split_at(key.len().saturating_sub(1));
    padding == b"="
        && body.len() + 1 == WIREGUARD_KEY
        && body.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && plausibility::is_random(body)
}

/// What `wg genkey` and `wg genpsk` printed, if that command is at `name`.
pub(crate) fn wireguard_key(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let is_command =
        matches!(slice(text, name.clone()), b"genkey" | b"genpsk") && slice(text, 0..name.start).ends_with(b"wg ");
    let start = run_end(text, name.end, 4, |byte| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'n'));
    (is_command && is_wireguard_key(text, start)).then_some(start..start + WIREGUARD_KEY)
}

/// The secret key beside the tab at `tab` in what `wg show … dump` prints: the private one of an interface is before
/// the public one, and the shared one of a peer after it.
pub(crate) fn wireguard_dump(text: &[u8], tab: usize) -> Option<Range<usize>> {
    let first = tab.checked_sub(WIREGUARD_KEY)?;
    let second = tab + 1;
    let end = second + WIREGUARD_KEY;
    let is_pair = text.get(tab - 1) == Some(&b'=') && text.get(end - 1) == Some(&b'=') && text.get(end) == Some(&b'\t');
    if !is_pair || !is_wireguard_key(text, first) || !is_wireguard_key(text, second) {
        return None;
    }
    let next = run_end(text, end + 1, 64, |byte| byte.is_ascii_digit());
    Some(if next > end + 1 && text.get(next) == Some(&b'\t') { first..tab } else { second..end })
}

/// The password at its place among the arguments of a command, such as `htpasswd -b file user password` and
/// `rabbitmqctl change_password user password`, or in a line of settings, after the word at `name`.
pub(crate) fn positional(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let word = slice(text, name.clone());
    match word {
        b"htpasswd" | b"change_password" | b"auth-pass" | b"wpa_passphrase" => {}
        b"add-authtoken" | b"authtoken" => {}
        b"password" | b"secret" => return of_router(text, name),
        _ if word.eq_ignore_ascii_case(b"issecret") => {
            // `##vso[task.setvariable variable=name;issecret=true]…`
            let close = peek(text, name.end, 8).strip_prefix(b"=true]").map(|_| name.end + 6)?;
            return masked(text, close);
        }
        _ => return None,
    }
    let rest = slice(text, name.end..line_around(text, name.end).end);
    let mut words = Words { text: rest, at: 0 };
    let before = match word {
        b"htpasswd" => {
            let options = words
                .next()
                .map(|place| slice(rest, place))
                .filter(|word| word.starts_with(b"-") && word.contains(&b'b'))?;
            // Without `-n`, the file comes first.
            if options.contains(&b'n') { 1 } else { 2 }
        }
        b"change_password" => {
            let lead = slice(text, name.start.saturating_sub(64)..name.start);
            find(lead, b"rabbitmqctl").map(|_| 1)?
        }
        b"add-authtoken" | b"authtoken" => {
            find(slice(text, name.start.saturating_sub(32)..name.start), b"ngrok ").map(|_| 0)?
        }
        // `sentinel auth-pass mymaster password`, `wpa_passphrase network password`
        _ => 1,
    };
    let place = words.nth(before)?;
    let place = name.end + place.start..name.end + place.end;
    // "wpa_passphrase utility generates …"
    if word == b"htpasswd" { accepted(text, place) } else { chosen(text, place) }
}

/// The password in a line of a router's settings, such as `username admin privilege 15 password 0 …`: after the number
/// of its encoding.
fn of_router(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let [b' ', b'0' | b'5' | b'7' | b'8' | b'9', b' '] = peek(text, name.end, 3) else { return None };
    let line = line_around(text, name.start);
    let lead = slice(text, line.start..name.start).trim_ascii_start();
    let is_setting =
        lead.is_empty() || [&b"username "[..], b"enable ", b"neighbor "].iter().any(|word| lead.starts_with(word));
    let start = name.end + 3;
    let end = run_end(text, start, 256, |byte| !byte.is_ascii_whitespace());
    let is_last = slice(text, end..line.end).trim_ascii().is_empty();
    let password = if lead.is_empty() { chosen(text, start..end) } else { accepted(text, start..end) };
    password.filter(|_| is_setting && is_last)
}

/// The password of `xfreerdp /u:user /p:…` after the colon at `at`.
pub(crate) fn remote_desktop(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = line_around(text, at);
    find(slice(text, line.start..at), b"freerdp")?;
    accepted(text, at + 1..run_end(text, at + 1, 256, is_of_word))
}

/// The value of `::set-output name=password::…` and `::save-state name=token::…` after the colons at `at`.
pub(crate) fn step_output(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = run_start(text, at, 64, is_of_token);
    let lead = slice(text, 0..start);
    // Most such colons are those of a path in code.
    if !lead.ends_with(b"=")
        || ![&b"::set-output name="[..], b"::save-state name="].iter().any(|command| lead.ends_with(command))
    {
        return None;
    }
    let strength = names::strength(slice(text, start..at));
    let place = masked(text, at + 2)?;
    judgement::is_secret(slice(text, place.clone()), strength, Form::Data).then_some(place)
}

/// The password after `>` at `at`, in a rule of a user of Redis: after `ACL SETUSER name`, or after `user name` in a
/// file of users.
pub(crate) fn redis_rule(text: &[u8], at: usize) -> Option<Range<usize>> {
    let place = at + 1..run_end(text, at + 1, MAX_RULE, is_of_word);
    if place.len() < 3 || !is_redis_user(redis_rules_before(text, at)) {
        return None;
    }
    accepted(text, place)
}

/// The hash of a password, `#…`, in the rules of a user of Redis before `+@` at `at`.
pub(crate) fn redis_hash(text: &[u8], at: usize) -> Option<Range<usize>> {
    let lead = redis_rules_before(text, at);
    let start = at - lead.len() + memchr::memchr(b'#', lead)? + 1;
    let end = run_end(text, start, MAX_RULE, |byte| byte.is_ascii_hexdigit());
    (end - start == 64 && is_redis_user(lead)).then_some(start..end)
}

fn redis_rules_before(text: &[u8], at: usize) -> &[u8] {
    slice(text, line_around(text, at).start.max(at.saturating_sub(MAX_SESSION))..at)
}

fn is_redis_user(lead: &[u8]) -> bool {
    let has = |word: &[u8]| find(lead, word).is_some();
    has(b"SETUSER") || has(b"setuser") || lead.trim_ascii_start().starts_with(b"user ") && has(b" on ")
}

/// The password of `net use device \\\\host\\share password /user:name`, whose colon is at `at`; it may follow the
/// user.
pub(crate) fn share(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = line_around(text, at);
    let lead = slice(text, line.start..at);
    let command = find(lead, b"net use ")?;
    let share = command + find(slice(lead, command..lead.len()), b"\\\\")?;
    let end = run_end(text, line.start + share, MAX_RULE, |byte| !byte.is_ascii_whitespace());
    let mut words = Words { text: slice(text, 0..line.end), at: end }.take(3);
    let is_option = |word: &Range<usize>| slice(text, word.clone()).starts_with(b"/");
    chosen(text, words.find(|word| !is_option(word))?)
}

/// The argument at `place`, unless it is a plain word.
fn chosen(text: &[u8], place: Range<usize>) -> Option<Range<usize>> {
    let value = slice(text, place.clone());
    let is_likely =
        plausibility::looks_like(value, Evidence::Chosen, true) || plausibility::is_stated_password(value, true);
    accepted(text, place).filter(|_| is_likely)
}

/// The words of a command, without quotes.
struct Words<'t> {
    text: &'t [u8],
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = run_end(self.text, self.at, 8, |byte| is_blank(byte) || is_quote(byte));
        let end = run_end(self.text, start, 256, |byte| is_of_word(byte) && !matches!(byte, b';' | b'|' | b'&'));
        self.at = end;
        (end > start).then_some(start..end)
    }
}
