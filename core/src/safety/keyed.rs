//! Values that stand under a secret's name: `NAME=value`, `name: value`, a URL's password, an Authorization
//! header, a field of a record.
//!
//! A name decides by its *ending* (`DB_PASSWORD` does, `PASSWORD_MIN_LENGTH` does not), and a value in a text must look
//! like one: no placeholder, path, number, code reference or plain word. A field of a record is no prose: under a name
//! that can mean nothing else, any text is the secret.
//!
//! Every look around a mark is bounded or goes on behind what it took, so that time grows with the text and no faster.

use std::ops::Range;

use super::tokens::starts_word;

/// The rule that finds them.
pub(super) const RULE: &str = "keyed-value";
const PLACEHOLDER: &str = "[REDACTED:";
/// The longest name, in bytes. A name of absurd length is a blob, not a name.
const MAX_NAME: usize = 128;
/// How many blanks, quotes and colons may stand between a name and its `=`.
const MAX_GAP: usize = 32;
/// By how much of its beginning a value in a text is judged, in bytes.
const JUDGED: usize = 256;

/// What a name says of the value under it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Nothing,
    /// A secret, if it looks like one: `sshKey`, `client_secrets`.
    Perhaps,
    /// A secret: `apiToken`.
    Secret,
    /// A secret that may be a number: `pin_password`.
    Password,
}

/// Does this name say that its value is a secret? Takes `snake_case`, `kebab-case`, `dotted.names` and `camelCase`.
pub(super) fn names_a_secret(name: &str) -> bool {
    said_by(name) > Says::Nothing
}

/// Is even a number under this name a secret? Under `max_tokens` it is none.
pub(super) fn names_a_password(name: &str) -> bool {
    said_by(name) == Says::Password
}

/// Is `text` a secret, as the field `name` of a record?
pub(super) fn is_secret_under(name: &str, text: &str) -> bool {
    match said_by(name) {
        Says::Nothing => false,
        Says::Perhaps => looks_secret(text),
        Says::Secret | Says::Password => !text.trim().is_empty(),
    }
}

fn said_by(name: &str) -> Says {
    if name.len() > MAX_NAME {
        return Says::Nothing;
    }
    let words = words_of(name);
    let Some((last, before)) = words.split_last() else { return Says::Nothing };
    let before = before.last().map(String::as_str);
    match last.strip_suffix('s') {
        // Most `tokens` are counted, and no secrets.
        Some("token") if !matches!(before, Some("api" | "auth" | "access" | "refresh" | "bearer")) => Says::Nothing,
        Some(one) if last != "credentials" && said_by_word(one, before) > Says::Nothing => Says::Perhaps,
        _ => said_by_word(last, before),
    }
}

fn said_by_word(word: &str, before: Option<&str>) -> Says {
    match (word, before) {
        ("password" | "passwd" | "passphrase" | "passcode" | "secret", _) => Says::Password,
        ("token" | "credential" | "credentials" | "authtoken" | "accesstoken", _) => Says::Secret,
        ("apikey" | "secretkey" | "accesskey" | "privatekey", _) => Says::Secret,
        ("key", Some("api" | "secret" | "access" | "private")) => Says::Secret,
        ("key", None | Some("public" | "primary" | "foreign" | "sort" | "partition" | "cache")) => Says::Nothing,
        ("key" | "pwd" | "pass" | "auth", Some(_)) => Says::Perhaps,
        _ => Says::Nothing,
    }
}

fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_upper = false;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        // `clientSecret`, and the last capital of an acronym that a word follows: `DBPassword`.
        let starts_word = character.is_uppercase()
            && (!after_upper || characters.peek().is_some_and(|following| following.is_lowercase()));
        if !character.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        after_upper = character.is_uppercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Could this value of a secret's name be the secret itself?
pub(super) fn looks_secret(value: &str) -> bool {
    if value.len() < 6 || value.starts_with(PLACEHOLDER) || value.contains(char::is_whitespace) {
        return false;
    }
    let is_path = value.starts_with(['/', '~', '.']) || value.starts_with("file:") || value.matches('/').count() > 2;
    let is_code = value.contains("::") || value.contains("](") || value.contains("()") || value.ends_with(['(', '{']);
    let lower = value.to_ascii_lowercase();
    let is_stand_in = ["example", "placeholder", "changeme", "your-", "your_", "xxxx", "...", "****", "redacted"]
        .iter()
        .any(|word| lower.contains(word));
    if is_code || is_stand_in || is_reference(value) || (is_path && !is_scrambled(value)) {
        return false;
    }
    let count = |is: fn(char) -> bool| value.chars().filter(|c| is(*c)).count();
    let letters = count(char::is_alphabetic);
    let digits = count(char::is_numeric);
    let marks = count(|c| !c.is_alphanumeric());
    // A number, a duration, a plain word or an identifier is not a secret; letters mixed with digits, or a
    // value with marks that no identifier has, is taken for one.
    let is_number = letters <= 2 && digits > 0 && value.starts_with(char::is_numeric) && marks <= 2;
    let odd_marks = value.contains(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | ':'));
    !is_number && ((letters > 0 && digits > 0) || (digits >= 12) || (odd_marks && letters > 0))
}

/// `$NAME`, `${name}`, `&self.token`, `%NAME%`, `*anchor`, `<stand-in>`; but `$ecr3t-77` is a value.
fn is_reference(value: &str) -> bool {
    let is_opening = |c: char| matches!(c, '<' | '{' | '(' | '[');
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '[' | ']' | '(' | ')' | '/' | '%');
    match value.strip_prefix(['$', '&', '%', '@', '*']) {
        // A variable's name in capitals, and whatever is put behind it.
        Some(rest) if value.starts_with('$') && rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') => true,
        Some(rest) => rest.starts_with(is_opening) || rest.chars().all(is_of_name),
        None => value.starts_with(is_opening),
    }
}

/// Do capitals, small letters and digits take turns as in a random key (there three times of five)? A path, which is
/// made of words, does not look so.
fn is_scrambled(value: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let bytes = value.as_bytes();
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'=' | b'-' | b'_');
    let turns = bytes
        .windows(2)
        .filter(|pair| matches!((class(pair[0]), class(pair[1])), (Some(one), Some(other)) if one != other))
        .count();
    bytes.len() >= 20 && bytes.iter().all(is_base64) && turns * 5 >= bytes.len() * 2
}

/// Calls `found` with the place of every keyed value in `text`.
pub(super) fn find(text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
    let bytes = text.as_bytes();
    let mut resume = 0;
    for at in memchr::memchr3_iter(b'=', b':', b' ', bytes) {
        if at < resume {
            continue;
        }
        match bytes[at] {
            b' ' => authorization(text, at, &mut found),
            b':' if bytes[at..].starts_with(b"://") => url_password(text, at + 3, &mut found),
            _ => {
                if let Some(value) = assignment(text, at) {
                    resume = value.end;
                    found("keyed-value", value);
                }
            }
        }
    }
}

/// The value of `NAME=value`, `"name": "value"`, `--name=value`: the name ends before `at`, the value begins after it.
fn assignment(text: &str, at: usize) -> Option<Range<usize>> {
    let before = &text.as_bytes()[..at];
    let is_gap = |byte: &&u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'\\' | b':');
    let name_end = at - before.iter().rev().take(MAX_GAP).take_while(is_gap).count();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let run = before[..name_end].iter().rev().take(MAX_NAME + 1).take_while(is_of_name).count();
    let name = &text[name_end - run..name_end];
    // The `n` of an escaped line break is no part of the name behind it.
    let is_named =
        names_a_secret(name) || (starts_word(text.as_bytes(), name_end - run + 1) && names_a_secret(name.get(1..)?));
    if !is_named {
        return None;
    }
    let rest = &text[at + 1..];
    let lead = rest.len() - rest.trim_start_matches([' ', '\t', '"', '\'', '`', '\\', '=', '>']).len();
    let start = at + 1 + lead;
    let quote = text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    let value = &text[start..];
    let judged = value_within(&value[..value.floor_char_boundary(JUDGED)], quote);
    looks_secret(judged).then(|| start..start + value_within(value, quote).len())
}

/// The value that `text` begins with, up to its closing quote or, without one, to what ends a word.
fn value_within(text: &str, quote: Option<char>) -> &str {
    let end = text.char_indices().find(|(place, c)| match quote {
        Some(quote) => *c == quote || matches!(c, '\n' | '\\'),
        None if *c == ',' => !goes_on(&text[place + 1..]),
        None => c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ';' | '\\' | '<' | '>' | ')' | ']' | '}' | '|'),
    });
    text[..end.map_or(text.len(), |(place, _)| place)].trim_end_matches(['.', ','])
}

/// Is what follows a comma still the value? Not a blank, something in quotes or brackets, or the next `name=`.
fn goes_on(after: &str) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name = after.bytes().take(MAX_NAME).take_while(is_of_name).count();
    after.starts_with(|c: char| !c.is_whitespace() && !matches!(c, ',' | '"' | '\'' | '`' | '\\' | '{' | '[' | '('))
        && !matches!(after.as_bytes().get(name), Some(b'=' | b':'))
}

/// `scheme://user:password@host`: only the password goes.
fn url_password(text: &str, authority: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    let rest = &text[authority..];
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    let end = rest.find(|c: char| c == '/' || is_end(c)).unwrap_or(rest.len());
    let Some(userinfo_end) = rest[..end].rfind('@').or_else(|| slashed_userinfo(rest, end, is_end)) else { return };
    let userinfo = &rest[..userinfo_end];
    let (start, secret) = match userinfo.find(':') {
        Some(colon) => (authority + colon + 1, &userinfo[colon + 1..]),
        // A token in the user's place; a plain user such as `git` stays.
        None if looks_secret(userinfo) && userinfo.len() >= 16 => (authority, userinfo),
        None => return,
    };
    let is_stand_in = secret.is_empty() || secret.starts_with(PLACEHOLDER) || secret.starts_with(['$', '<', '{', '*']);
    if !is_stand_in {
        found("url-password", start..start + secret.len());
    }
}

/// The end of a userinfo whose password holds the slash at `slash`: `app:s3/cr3t9@db`. `host:8080/a@b` has none, nor
/// has a list of URLs.
fn slashed_userinfo(rest: &str, slash: usize, is_end: impl Fn(char) -> bool) -> Option<usize> {
    let (_, before) = rest[..slash].split_once(':')?;
    let seen = &rest[..rest.floor_char_boundary(slash + JUDGED)];
    let at =
        slash + seen[slash..].find(|c: char| c == '@' || is_end(c)).filter(|at| seen[slash + at..].starts_with('@'))?;
    let is_port = before.bytes().all(|byte| byte.is_ascii_digit());
    let userinfo = &rest[..at];
    (!is_port && !userinfo.contains("://") && userinfo.contains(|c: char| c.is_ascii_digit())).then_some(at)
}

/// `Bearer …` and `Basic …`: the credential behind the scheme's name, which ends at `at`.
fn authorization(text: &str, at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    let before = &text.as_bytes()[..at];
    let is_scheme = |name: &str| {
        let start = at.saturating_sub(name.len());
        before[start..].eq_ignore_ascii_case(name.as_bytes()) && starts_word(before, start)
    };
    if !is_scheme("bearer") && !is_scheme("basic") {
        return;
    }
    let start = at + 1;
    let run = text.as_bytes()[start..]
        .iter()
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'.' | b'~')
        })
        .count();
    let value = text[start..start + run].trim_end_matches('.');
    if value.len() >= 12 && looks_secret(value) {
        found("authorization", start..start + value.len());
    }
}
