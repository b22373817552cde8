//! Passwords among the arguments of commands: `curl -u user:password`, `mysql -p…`, `zip -P …`, in a shell or in a list
//! such as `["curl", "-u", "user:password"]`.
//!
//! What an option of one letter means depends on the program, so each is listed with the programs that take a password
//! after it. A program is searched for in the same command before the option, at a bounded distance.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::classify::plausibility::{self, Evidence};
use crate::mark::tag;
use crate::text::bytes::{is_blank, is_quote, line_around, peek, run_end, run_start, slice};

/// How far before an option its program may be, in bytes.
const MAX_COMMAND: usize = 300;
/// The longest option, in bytes.
const MAX_OPTION: usize = 24;
/// The longest argument, in bytes.
const MAX_ARGUMENT: usize = 1024;

/// Which part of an option's argument is the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// All of it, if it looks chosen: without an argument, the program asks for the password.
    Likely,
    /// What follows this sign, after a user or the name of a kind.
    After(u8),
    /// What follows `pass:`.
    AfterPass,
    /// All of it, if it is a number of four digits or more: a smaller one may be that of a pin on a board.
    Pin,
}

/// Options, the part of their argument that is the password, and the programs. `*` at the end matches any ending.
const OPTIONS: &[(&[u8], Part, &[&str])] = &[
    (b"-u", Part::After(b':'), &["curl", "wget", "git", "xh", "http*", "ldap*"]),
    (b"-user", Part::After(b':'), &["curl", "wget", "git", "xh", "http*", "ldap*"]),
    (b"--user", Part::After(b':'), &["curl", "wget"]),
    (b"--proxy-user", Part::After(b':'), &["curl", "wget"]),
    (b"-U", Part::After(b':'), &["curl"]),
    (b"-U", Part::After(b'%'), &["smbclient", "rpcclient", "smbget", "net"]),
    (b"-u", Part::After(b','), &["lftp"]),
    (b"-a", Part::After(b':'), &["http", "https", "xh", "xhs"]),
    (b"--auth", Part::After(b':'), &["http", "https", "xh", "xhs"]),
    (b"-a", Part::Whole, &["redis*", "valkey*"]),
    (b"--pass", Part::Whole, &["redis*", "valkey*"]),
    (
        b"-p",
        Part::Likely,
        &[
            "mysql*",
            "mariadb*",
            "mongo*",
            "az",
            "rabbitmq*",
            "openssl",
            "rdesktop",
            "evil-winrm",
            "psexec*",
            "steghide",
            "hydra",
            "crackmapexec",
            "netexec",
            "nxc",
            "smbmap",
            "veracrypt",
            "snowsql",
            "ncftp*",
            "nuget",
        ],
    ),
    (b"-p", Part::Whole, &["sshpass", "login", "twine", "cqlsh", "vncdo*", "7z*", "unrar", "rar"]),
    (b"-pw", Part::Whole, &["plink*", "pscp*", "psftp*", "nodetool", "winscp*"]),
    (b"-upw", Part::Whole, &["pdf*"]),
    (b"-opw", Part::Whole, &["pdf*"]),
    (b"-ap", Part::Whole, &["swaks"]),
    (b"-xp", Part::Whole, &["sendemail", "sendEmail"]),
    (b"-gp", Part::Whole, &["vmrun"]),
    (b"--creds", Part::After(b':'), &["skopeo", "buildah", "podman", "crane"]),
    (b"--src-creds", Part::After(b':'), &["skopeo"]),
    (b"--dest-creds", Part::After(b':'), &["skopeo"]),
    (b"-P", Part::Whole, &["zip", "unzip", "zipcloak", "mosquitto*", "sqlcmd", "bcp", "tsql", "ipmitool"]),
    (b"-p", Part::Whole, &["usermod", "useradd"]),
    (b"-N", Part::Whole, &["ssh-keygen"]),
    (b"-P", Part::Whole, &["ssh-keygen"]),
    (
        b"--pin",
        Part::Pin,
        &[
            "pkcs11*",
            "pkcs15*",
            "p11*",
            "softhsm2*",
            "opensc*",
            "ykman",
            "yubico*",
            "nitropy",
            "fido2*",
            "tpm2*",
            "mmcli",
            "qmicli",
        ],
    ),
    (b"--user-pin", Part::Pin, &["*"]),
    (b"--so-pin", Part::Pin, &["*"]),
    (b"--new-pin", Part::Pin, &["*"]),
    (b"-w", Part::Whole, &["ldap*"]),
    (b"-k", Part::Whole, &["openssl"]),
    (b"-pass", Part::AfterPass, &["openssl"]),
    (b"-passin", Part::AfterPass, &["openssl"]),
    (b"-passout", Part::AfterPass, &["openssl"]),
    (b"-storepass", Part::Whole, &["keytool", "jarsigner", "apksigner"]),
    (b"-keypass", Part::Whole, &["keytool", "jarsigner", "apksigner"]),
    (b"-srcstorepass", Part::Whole, &["keytool"]),
    (b"-deststorepass", Part::Whole, &["keytool"]),
    (b"-destkeypass", Part::Whole, &["keytool"]),
];
/// Programs whose option `-p` is joined with the password.
const JOINED: &[&str] = &["mysql*", "mariadb*", "sshpass", "7z*", "unrar", "rar", "zip", "unzip"];

/// An argument, and how it is written.
struct Argument {
    place: Range<usize>,
    /// In quotes or in a list, so that it is not a word of a sentence.
    is_delimited: bool,
}

/// The password of the option whose first hyphen is at `at`.
pub(crate) fn option(text: &[u8], at: usize) -> Option<Range<usize>> {
    let quote = at.checked_sub(1).and_then(|before| text.get(before)).copied().filter(|byte| is_quote(*byte));
    let end = run_end(text, at, MAX_OPTION, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let written = slice(text, at..end);
    // Options of one letter may be joined: `-fsSLu`.
    let is_joined = written.len() > 2 && written.len() <= 8 && !written.starts_with(b"--");
    let last = [b'-', written.last().copied().unwrap_or_default()];
    let is_known = |(option, part, programs): &&(&'static [u8], Part, &[&str])| {
        *option == written
            || (is_joined && **option == last && *part == Part::After(b':') && programs.contains(&"curl"))
            || (is_joined && **option == last && programs.contains(&"zip"))
    };
    // Most options end in another letter than those of the table.
    let may_be_known = matches!(
        written.last(),
        Some(b'u' | b'U' | b'a' | b'p' | b'P' | b'w' | b'k' | b'r' | b'h' | b's' | b'n' | b't' | b'N')
    );
    if may_be_known
        && OPTIONS.iter().any(|row| is_known(&row))
        && let Some(argument) = argument_after(text, end, quote)
    {
        let command = Command::before(text, at, quote.is_some());
        let mut rows = OPTIONS.iter().filter(is_known);
        return rows.find_map(|(_, part, programs)| command.password(text, &argument, *part, programs));
    }
    // `-psecret`, and `-hpsecret` of rar
    let letters = match written {
        // `curl -ualice:…`
        [b'-', b'u', ..] => {
            let argument = joined_argument(text, at + 2, quote)?;
            return Command::before(text, at, quote.is_some()).password(text, &argument, Part::After(b':'), &["curl"]);
        }
        // `zip -P'…'`
        [b'-', b'P'] => 2,
        [b'-', b'p', ..] => 2,
        [b'-', b'h', b'p', ..] => 3,
        _ => return None,
    };
    let argument = joined_argument(text, at + letters, quote)?;
    Command::before(text, at, quote.is_some()).password(text, &argument, Part::Whole, JOINED)
}

/// The value of `--from-literal=name=value` in a command about a Kubernetes secret, all of whose values are secrets.
pub(crate) fn literal(text: &[u8], at: usize) -> Option<Range<usize>> {
    let option = slice(text, at..text.len()).strip_prefix(b"--from-literal").map(|_| at + b"--from-literal".len())?;
    let argument = argument_after(text, option, None)?;
    let written = slice(text, argument.place.clone());
    let start = argument.place.start + memchr::memchr(b'=', written)? + 1;
    // `--from-literal=name='value'`
    let place = match quoted(text, start) {
        Some(quoted) => quoted.place,
        None => start..argument.place.end,
    };
    let value = slice(text, place.clone());
    let is_of_secret = Command::before(text, at, false).program(&["secret"]).is_some();
    (is_of_secret && !tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data))
        .then_some(place)
}

/// Where the cookies of `curl -b 'a=b; c=d'` start.
pub(crate) fn cookies(text: &[u8], at: usize) -> Option<usize> {
    let rest = slice(text, at..text.len());
    let end =
        [&b"-b"[..], b"--cookie"].iter().find(|option| rest.starts_with(option)).map(|option| at + option.len())?;
    let is_list = at.checked_sub(1).and_then(|before| text.get(before)).copied().filter(|byte| is_quote(*byte));
    let argument = argument_after(text, end, is_list)?;
    let is_of_curl = slice(text, argument.place.clone()).contains(&b'=')
        && Command::before(text, at, is_list.is_some()).program(&["curl"]).is_some();
    is_of_curl.then_some(argument.place.start)
}

/// The argument after the option that ends at `end`. `quote`: the option is in quotes, in a list.
fn argument_after(text: &[u8], end: usize, quote: Option<u8>) -> Option<Argument> {
    let escaped = run_end(text, end, 4, |byte| byte == b'\\');
    if let Some(quote) = quote {
        let closed = (text.get(escaped) == Some(&quote)).then_some(escaped + 1)?;
        let gap = run_end(text, closed, 64, |byte| byte.is_ascii_whitespace());
        let rest = slice(text, gap..text.len());
        let next = match rest.first()? {
            b',' => run_end(text, gap + 1, 64, |byte| byte.is_ascii_whitespace()),
            // `.arg("-u").arg("…")`
            b')' => {
                let call = run_end(text, gap + 1, 64, |byte| byte.is_ascii_whitespace());
                call + slice(text, call..text.len()).starts_with(b".arg(").then_some(b".arg(".len())?
            }
            // `("curl" "-u" "…")`
            _ if gap > closed => gap,
            _ => return None,
        };
        return quoted(text, next);
    }
    let start = run_end(text, end, 2, |byte| is_blank(byte) || byte == b'=');
    if start > end {
        return quoted(text, start).or_else(|| bare(text, start));
    }
    // `- -u` and `- user:password` in a list of YAML.
    let line = line_around(text, end);
    let next = run_end(text, end + 1, 64, is_blank);
    let is_listed = text.get(end) == Some(&b'\n')
        && slice(text, line.start..end).trim_ascii_start().starts_with(b"- -")
        && peek(text, next, 2) == b"- ";
    let argument = is_listed.then(|| quoted(text, next + 2).or_else(|| bare(text, next + 2))).flatten()?;
    Some(Argument { is_delimited: true, ..argument })
}

/// The argument that is joined with an option and starts at `start`.
fn joined_argument(text: &[u8], start: usize, quote: Option<u8>) -> Option<Argument> {
    let Some(quote) = quote else { return quoted(text, start).or_else(|| bare(text, start)) };
    let end = run_end(text, start, MAX_ARGUMENT, |byte| byte != quote && byte != b'\n' && byte != b'\\');
    (end > start).then_some(Argument { place: start..end, is_delimited: true })
}

fn quoted(text: &[u8], at: usize) -> Option<Argument> {
    let escaped = run_end(text, at, 4, |byte| byte == b'\\');
    let quote = text.get(escaped).copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let start = escaped + 1;
    let is_inside = |byte: u8| byte != quote && byte != b'\n' && (byte != b'\\' || escaped == at);
    let end = run_end(text, start, MAX_ARGUMENT, is_inside);
    (end > start && text.get(end).is_some_and(|byte| *byte == quote || *byte == b'\\'))
        .then_some(Argument { place: start..end, is_delimited: true })
}

fn bare(text: &[u8], start: usize) -> Option<Argument> {
    let is_inside = |byte: u8| {
        !byte.is_ascii_whitespace() && !is_quote(byte) && !matches!(byte, b';' | b'|' | b')' | b'\\' | b'<' | b'>')
    };
    let end = run_end(text, start, MAX_ARGUMENT, is_inside);
    (end > start && text.get(start) != Some(&b'-')).then_some(Argument { place: start..end, is_delimited: false })
}

/// The words of a command before one of its options.
struct Command<'t> {
    words: &'t [u8],
}

impl<'t> Command<'t> {
    fn before(text: &'t [u8], at: usize, is_list: bool) -> Self {
        let window = slice(text, at.saturating_sub(MAX_COMMAND)..at);
        let ends = |(place, byte): (usize, &u8)| match byte {
            b';' | b'|' => true,
            // A line that ends in a backslash continues.
            b'\n' => !is_list && !slice(window, 0..place).trim_ascii_end().ends_with(b"\\"),
            _ => false,
        };
        let is_yaml = slice(window, 0..window.len()).trim_ascii_end().ends_with(b"-");
        let start = window.iter().enumerate().rev().find(|it| !is_yaml && ends(*it)).map_or(0, |(place, _)| place + 1);
        Command { words: slice(window, start..window.len()) }
    }

    /// Where the first of `programs` is; of `login`, the program whose command it is.
    fn program(&self, programs: &[&str]) -> Option<usize> {
        let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_one = |word: &[u8]| {
            programs.iter().any(|program| match program.strip_suffix('*') {
                Some(start) => word.starts_with(start.as_bytes()),
                None => word == program.as_bytes(),
            })
        };
        let mut at = 0;
        while at < self.words.len() {
            let end = run_end(self.words, at, MAX_COMMAND, is_of_word);
            let word = slice(self.words, at..end);
            // Part of a path of files is no program, unless it is the last.
            if is_one(word) && self.words.get(end) != Some(&b'/') {
                let before = run_start(self.words, at, 4, |byte| is_blank(byte) || is_quote(byte) || byte == b',');
                let outer = run_start(self.words, before, 24, is_of_word);
                return Some(if word == b"login" { outer } else { at });
            }
            at = end + 1;
        }
        None
    }

    /// Whether a command starts at `program`, and not a word in a sentence.
    fn starts_at(&self, program: usize) -> bool {
        let path = run_start(self.words, program, 64, |byte| !byte.is_ascii_whitespace() && !is_quote(byte));
        let before = slice(self.words, 0..path).trim_ascii_end();
        before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b',' | b'.'))
            || [&b"sudo"[..], b"exec", b"run", b"RUN", b"CMD", b"then", b"do"].iter().any(|word| before.ends_with(word))
    }

    fn password(&self, text: &[u8], argument: &Argument, part: Part, programs: &[&str]) -> Option<Range<usize>> {
        let written = slice(text, argument.place.clone());
        let lead = match part {
            Part::Whole | Part::Likely | Part::Pin => 0,
            Part::After(sign) => memchr::memchr(sign, written)? + 1,
            Part::AfterPass => written.strip_prefix(b"pass:").map(|_| 5)?,
        };
        let place = argument.place.start + lead..argument.place.end;
        let value = slice(text, place.clone());
        let is_chosen = plausibility::looks_like(value, Evidence::Chosen, argument.is_delimited)
            || plausibility::is_stated_password(value, true);
        let is_number = value.iter().all(u8::is_ascii_digit);
        let is_port = value.len() <= 5 && is_number && part != Part::Pin;
        let is_other = part == Part::Pin && !(is_number && (4..=12).contains(&value.len()));
        if tag::starts_placeholder(value)
            || is_port
            || is_other
            || (part == Part::Likely && !is_chosen)
            || !judgement::is_secret(value, Strength::Strong, Form::Data)
        {
            return None;
        }
        let program = self.program(programs)?;
        // A word without digits and signs may be one of a sentence about the option.
        let is_word = value.iter().all(u8::is_ascii_lowercase);
        (argument.is_delimited || !is_word || self.starts_at(program)).then_some(place)
    }
}
