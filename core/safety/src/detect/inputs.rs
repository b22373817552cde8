//! Secrets on the standard input of a command that reads one there, or in a file that is named after one: `echo … |
//! docker login --password-stdin`, `… | sudo -S`, `gh auth login --with-token <<< …`, `echo … > db_password.txt`.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::classify::plausibility::{self, Evidence};
use crate::mark::tag;
use crate::text::bytes::{is_blank, is_quote, line_around, run_end, run_start, slice, starts_word};

/// The longest command on either side of a pipe, in bytes.
const MAX_COMMAND: usize = 400;
/// The longest name of a program, in bytes.
const MAX_PROGRAM: usize = 24;
/// The most words of a command.
const MAX_WORDS: usize = 24;
/// The longest secret on one line, in bytes.
const MAX_VALUE: usize = 1024;

/// Programs that read a secret from their standard input, and the words that must follow. An empty list: always.
const READERS: &[(&[u8], &[&[u8]])] = &[
    (b"az", &[b"login"]),
    (b"gh", &[b"secret", b"set"]),
    (b"gh", &[b"auth", b"login"]),
    (b"glab", &[b"auth", b"login"]),
    (b"sudo", &[b"-S"]),
    (b"sudo", &[b"-kS"]),
    (b"sudo", &[b"-Sk"]),
    (b"sudo", &[b"-nS"]),
    (b"sudo", &[b"--stdin"]),
    (b"su", &[]),
    (b"passwd", &[]),
    (b"chpasswd", &[]),
    (b"smbpasswd", &[]),
    (b"mkpasswd", &[]),
    (b"vncpasswd", &[]),
    (b"htpasswd", &[]),
    (b"cryptsetup", &[]),
    (b"kinit", &[]),
    (b"wrangler", &[b"secret"]),
    (b"vercel", &[b"env", b"add"]),
    (b"firebase", &[b"functions:secrets:set"]),
    (b"gcloud", &[b"secrets"]),
    (b"docker", &[b"secret", b"create"]),
    (b"docker", &[b"--password-stdin"]),
    (b"podman", &[b"secret", b"create"]),
    (b"podman", &[b"--password-stdin"]),
    (b"helm", &[b"--password-stdin"]),
    (b"pass", &[b"insert"]),
    (b"secret-tool", &[b"store"]),
    (b"systemd-creds", &[b"encrypt"]),
    (b"ansible-vault", &[b"encrypt_string"]),
    (b"vault", &[b"login"]),
    (b"bw", &[b"login"]),
    (b"bw", &[b"unlock"]),
    (b"doctl", &[b"auth"]),
    (b"huggingface-cli", &[b"login"]),
    (b"hf", &[b"auth", b"login"]),
    (b"wandb", &[b"login"]),
    (b"pulumi", &[b"config", b"set"]),
    (b"doppler", &[b"secrets", b"set"]),
    (b"argocd", &[b"login"]),
    (b"caddy", &[b"hash-password"]),
    (b"argon2", &[]),
    (b"wg", &[b"pubkey"]),
    (b"openssl", &[b"stdin"]),
    (b"openssl", &[b"-stdin"]),
    (b"veracrypt", &[b"--stdin"]),
    (b"rclone", &[b"obscure", b"-"]),
];
/// Options after which any program reads a secret.
const OPTIONS: [&[u8]; 6] = [
    b"--password-stdin",
    b"--pass-stdin",
    b"--passphrase-stdin",
    b"--token-stdin",
    b"--with-token",
    b"--passphrase-fd",
];
/// Commands that print their last argument.
const PRINTERS: [&[u8]; 4] = [b"echo ", b"printf ", b"print ", b"Write-Output "];

/// What the command before the bar at `bar` gives to one that reads a secret.
pub(crate) fn piped(text: &[u8], bar: usize) -> Option<Range<usize>> {
    let start = bar + 1 + usize::from(text.get(bar + 1) == Some(&b' '));
    let [first, second] = *text.get(start..start + 2)?.first_chunk()?;
    if !may_read(first, second) || !is_reader(text, start) {
        return None;
    }
    let command = slice(text, start..run_end(text, start, MAX_COMMAND, |byte| !ends_command(byte)));
    reads_secret(command).then(|| printed(text, bar)).flatten()
}

/// The second letters of the programs that start with each letter.
static SECOND_LETTERS: [u32; 32] = {
    let mut letters = [0; 32];
    let mut at = 0;
    while at < READERS.len() {
        let name = READERS[at].0;
        letters[(name[0] & 31) as usize] |= 1 << (name[1] & 31);
        at += 1;
    }
    letters
};

/// Whether a program whose name starts with these letters may be one of [`READERS`]. Most bars are those of a table.
fn may_read(first: u8, second: u8) -> bool {
    first == b'/'
        || SECOND_LETTERS.get(usize::from(first & 31)).is_some_and(|letters| letters >> (second & 31) & 1 == 1)
}

/// Whether the name of one of [`READERS`] is at `at`, or a path to a program. As a pattern, this takes the least time.
#[rustfmt::skip]
fn is_reader(text: &[u8], at: usize) -> bool {
    let end = run_end(text, at, MAX_PROGRAM, |byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'/' | b'2'));
    matches!(
        slice(text, at..end),
        [b'/', ..] | b"az" | b"gh" | b"glab" | b"sudo" | b"su" | b"passwd" | b"chpasswd" | b"smbpasswd" | b"mkpasswd" |
            b"vncpasswd" | b"htpasswd" | b"cryptsetup" | b"kinit" | b"wrangler" | b"vercel" | b"firebase" |
            b"gcloud" | b"docker" | b"podman" | b"helm" | b"pass" | b"secret-tool" | b"systemd-creds" |
            b"ansible-vault" | b"vault" | b"bw" | b"doctl" | b"huggingface-cli" | b"hf" | b"wandb" |
            b"pulumi" | b"doppler" | b"argocd" | b"caddy" | b"argon2" | b"wg" | b"openssl" | b"veracrypt" |
            b"rclone"
    )
}

/// What the command before an option such as `--password-stdin`, at `option`, is given: through a pipe, or as a
/// here-string.
pub(crate) fn of_option(text: &[u8], option: &Range<usize>) -> Option<Range<usize>> {
    if !OPTIONS.contains(&slice(text, option.clone())) {
        return None;
    }
    let line = line_around(text, option.start);
    let from = line.start.max(option.start.saturating_sub(MAX_COMMAND));
    if let Some(bar) = memchr::memrchr(b'|', slice(text, from..option.start)) {
        return printed(text, from + bar);
    }
    let after = slice(text, option.end..line.end.min(option.end + MAX_COMMAND));
    let sign = memchr::memmem::find(after, b"<<")?;
    redirected(text, option.end + sign)
}

/// The text that the redirection at `at`, `<<<` or `<<`, gives to a command that reads a secret.
pub(crate) fn here(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at + 1) != Some(&b'<') || at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'<') {
        return None;
    }
    let start = run_start(text, at, MAX_COMMAND, |byte| !ends_command(byte));
    let command = slice(text, start..at);
    // A command in a text of JSON
    let inner = memchr::memrchr(b'"', command).map_or(0, |quote| quote + 1);
    let reads = reads_secret(command) || reads_secret(slice(command, inner..command.len()));
    reads.then(|| redirected(text, at)).flatten()
}

/// The text after `<<<`, or the only line of the document after `<<WORD`.
fn redirected(text: &[u8], at: usize) -> Option<Range<usize>> {
    if text.get(at + 2) == Some(&b'<') {
        return accepted(text, argument(text, run_end(text, at + 3, 4, is_blank)), true);
    }
    let open = run_end(text, at + 2, 4, |byte| is_blank(byte) || is_quote(byte) || byte == b'-');
    let close = run_end(text, open, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let line = line_around(text, at);
    if close == open || line.end >= text.len() {
        return None;
    }
    let body = line_around(text, line.end + 1);
    let next = line_around(text, (body.end + 1).min(text.len()));
    let is_only = slice(text, next).trim_ascii() == slice(text, open..close);
    accepted(text, trimmed(text, body).filter(|_| is_only), true)
}

/// The value in `echo value > …/db_password.txt` or `echo value | tee …/db_password`, whose file is at `name`.
pub(crate) fn written(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    // Most names are in code or in sentences.
    let file = slice(text, name.clone());
    let is_redirected = matches!(
        slice(text, 0..name.start),
        [.., b'>' | b'/'] | [.., b'>', b' ' | b'"' | b'\''] | [.., b'>', b' ', b'"' | b'\''] | [.., b'e', b'e', b' ']
    );
    if !is_redirected {
        return None;
    }
    let is_of_path = |byte: u8| !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b'>' | b'|' | b';');
    let path = run_start(text, name.start, 128, is_of_path);
    let path = run_start(text, path, 1, is_quote);
    let blank = run_start(text, path, 2, is_blank);
    let sign = match slice(text, 0..blank) {
        [.., b'>', b'>'] => blank - 2,
        [.., b'>'] => blank - 1,
        [.., b't', b'e', b'e'] if blank < path => memchr::memrchr(b'|', slice(text, blank.saturating_sub(16)..blank))
            .map(|step| blank.saturating_sub(16) + step)?,
        _ => return None,
    };
    let stem = slice(file, 0..memchr::memrchr(b'.', file).filter(|dot| *dot > 0).unwrap_or(file.len()));
    let place = (names::strength(stem) == Strength::Strong).then(|| printed(text, sign)).flatten()?;
    // Texts about passwords are written to files too.
    let value = slice(text, place.clone());
    let is_likely =
        plausibility::looks_like(value, Evidence::Chosen, true) && !value.iter().any(u8::is_ascii_whitespace);
    is_likely.then_some(place)
}

const fn ends_command(byte: u8) -> bool {
    matches!(byte, b'\n' | b'|' | b';' | b'&')
}

/// Whether `command` reads a secret from its standard input.
fn reads_secret(command: &[u8]) -> bool {
    let is_of_word = |byte: u8| !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'\\';
    let start = run_end(command, 0, MAX_COMMAND, |byte| !is_of_word(byte));
    let end = run_end(command, start, MAX_COMMAND, is_of_word);
    let path = slice(command, start..end);
    let name = slice(path, memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..path.len());
    let words = || slice(command, end..command.len()).split(|byte| !is_of_word(*byte)).take(MAX_WORDS);
    let has = |needed: &&[u8]| words().any(|word| word == *needed);
    READERS.iter().any(|(program, needed)| *program == name && needed.iter().all(has))
        // `sudo docker login`
        || (name == b"sudo" && reads_secret(slice(command, end..command.len())))
}

/// What the command before the sign at `at` prints: the last argument of `echo`, or a text alone as in PowerShell.
fn printed(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = line_around(text, at);
    let from = line.start.max(at.saturating_sub(MAX_COMMAND));
    let command = slice(text, from..at).trim_ascii_end();
    let command = command.strip_suffix(b";").unwrap_or(command);
    let command = match command {
        [inner @ .., b')' | b'}'] => inner.trim_ascii_end(),
        command => command,
    };
    let command = command.strip_suffix(b";").unwrap_or(command);
    let printers = PRINTERS.iter().filter_map(|word| {
        let at = memchr::memmem::rfind(command, word).filter(|at| starts_word(command, *at))?;
        Some(at + word.len())
    });
    match printers.max() {
        Some(after) => {
            // Another command follows.
            if slice(command, after..command.len()).iter().any(|byte| matches!(byte, b'|' | b'&')) {
                return None;
            }
            accepted(text, last_argument(command, after).map(|it| from + it.start..from + it.end), true)
        }
        None => {
            let quote = *command.last().filter(|last| is_quote(**last))?;
            let open = memchr::memrchr(quote, slice(command, 0..command.len() - 1))?;
            let lead = slice(command, 0..open).trim_ascii_end();
            let is_alone = lead.is_empty() || matches!(lead.last(), Some(b'>' | b'$' | b'"' | b'`' | b':'));
            accepted(text, is_alone.then_some(from + open + 1..from + command.len() - 1), false)
        }
    }
}

/// The last argument of the command from `after` on: in quotes, or a word.
fn last_argument(command: &[u8], after: usize) -> Option<Range<usize>> {
    let last = *command.last()?;
    let place = if is_quote(last) {
        let close = command.len() - 1;
        let open = memchr::memrchr(last, slice(command, 0..close)).filter(|open| *open >= after)?;
        open + 1..close
    } else {
        let start = run_start(command, command.len(), MAX_VALUE, |byte| !byte.is_ascii_whitespace());
        start.max(after)..command.len()
    };
    // `\n` at the end of a format, and the mark of a quotation mark in JSON.
    let mut end = place.end;
    while end > place.start && slice(command, place.start..end).ends_with(b"\\") {
        end -= 1;
    }
    let value = slice(command, place.start..end);
    let value = value.strip_suffix(b"n").map_or(value, |rest| rest.strip_suffix(b"\\").unwrap_or(value));
    let value = value.strip_suffix(b"\\").unwrap_or(value);
    (!value.is_empty()).then_some(place.start..place.start + value.len())
}

/// The argument at `at`: in quotes, or a word.
fn argument(text: &[u8], at: usize) -> Option<Range<usize>> {
    let escaped = run_end(text, at, 2, |byte| byte == b'\\');
    let place = match text.get(escaped).copied().filter(|byte| is_quote(*byte)) {
        Some(quote) => {
            let inside = |byte: u8| byte != quote && byte != b'\n' && (byte != b'\\' || escaped == at);
            escaped + 1..run_end(text, escaped + 1, MAX_VALUE, inside)
        }
        None => {
            at..run_end(text, at, MAX_VALUE, |byte| {
                !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b';' | b'\\' | b')')
            })
        }
    };
    (!place.is_empty()).then_some(place)
}

fn trimmed(text: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let value = slice(text, line.clone());
    let start = line.start + value.len() - value.trim_ascii_start().len();
    let end = line.start + value.trim_ascii_end().len();
    (start < end).then_some(start..end)
}

/// The value at `place`, if it is a secret. `is_printed`: a command prints it, so that it may be any word.
fn accepted(text: &[u8], place: Option<Range<usize>>, is_printed: bool) -> Option<Range<usize>> {
    let mut place = place?;
    // `user:password`, as `chpasswd` reads it
    let value = slice(text, place.clone());
    let is_of_users =
        memchr::memmem::find(slice(text, place.end..text.len().min(place.end + 24)), b"chpasswd").is_some();
    if is_of_users {
        place.start += memchr::memchr(b':', value)? + 1;
    }
    let value = slice(text, place.clone());
    let is_secret = value.len() <= MAX_VALUE
        && !tag::starts_placeholder(value)
        && judgement::is_secret(value, Strength::Strong, Form::Data)
        && (is_printed || plausibility::looks_like(value, Evidence::Chosen, true));
    is_secret.then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_that_reads_secrets_is_recognized() {
        for (program, _) in READERS {
            let may_begin = may_read(program.first().copied().unwrap(), program.get(1).copied().unwrap());
            assert!(may_begin && is_reader(program, 0), "{}", program.escape_ascii());
        }
        assert!(!is_reader(b"grep", 0) && !is_reader(b"", 0));
    }
}
