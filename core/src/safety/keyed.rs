//! Values that stand under a secret's name: `NAME=value`, `name: value`, a URL's password, an Authorization
//! header, a field of a record.
//!
//! A name decides by its *ending* (`DB_PASSWORD` does, `PASSWORD_MIN_LENGTH` does not), and a value must look like
//! one: no placeholder, path, number, code reference or plain word.

use std::ops::Range;

/// Does this name say that its value is a secret? Takes `snake_case`, `kebab-case`, `dotted.names` and `camelCase`.
pub(super) fn names_a_secret(name: &str) -> bool {
    let words = words_of(name);
    let Some(last) = words.last() else { return false };
    match last.as_str() {
        "password" | "passwd" | "passphrase" | "secret" | "token" | "credential" | "credentials" | "apikey"
        | "secretkey" | "accesskey" | "privatekey" | "authtoken" | "accesstoken" => true,
        "pwd" | "pass" | "auth" => words.len() > 1,
        "key" => {
            words.len() > 1
                && !matches!(
                    words[words.len() - 2].as_str(),
                    "public" | "primary" | "foreign" | "sort" | "partition" | "cache"
                )
        }
        _ => false,
    }
}

fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let starts_word = after_lower && character.is_uppercase();
        if !character.is_alphanumeric() || starts_word {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Could this value of a secret's name be the secret itself?
pub(super) fn looks_secret(value: &str) -> bool {
    if value.len() < 6 || value.starts_with("[REDACTED:") || value.contains(char::is_whitespace) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let is_path = value.starts_with(['/', '~', '.']) || value.starts_with("file:") || value.matches('/').count() > 2;
    let is_reference = value.starts_with(['$', '<', '{', '%', '&', '@', '*', '(', '['])
        || value.contains("::")
        || value.contains("](")
        || value.contains("()")
        || (value.ends_with(['(', '{']));
    let is_placeholder = ["example", "placeholder", "changeme", "your-", "your_", "xxxx", "...", "****", "redacted"]
        .iter()
        .any(|word| lower.contains(word));
    if is_path || is_reference || is_placeholder {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let marks = value.len() - letters - digits;
    // A number, a duration, a plain word or an identifier is not a secret; letters mixed with digits, or a
    // value with marks that no identifier has, is taken for one.
    let is_number = letters <= 2 && digits > 0 && value.starts_with(|c: char| c.is_ascii_digit()) && marks <= 2;
    let odd_marks =
        value.bytes().any(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'-' | b'.' | b':'));
    !is_number && ((letters > 0 && digits > 0) || (digits >= 12) || (odd_marks && letters > 0))
}

/// Calls `found` with the place of every keyed value in `text`.
pub(super) fn find(text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
    let bytes = text.as_bytes();
    for at in memchr::memchr3_iter(b'=', b':', b' ', bytes) {
        match bytes[at] {
            b' ' => authorization(text, at, &mut found),
            b':' if bytes[at..].starts_with(b"://") => url_password(text, at + 3, &mut found),
            _ => assignment(text, at, &mut found),
        }
    }
}

/// `NAME=value`, `"name": "value"`, `--name=value`: the name ends before `at`, the value begins after it.
fn assignment(text: &str, at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    let before = text[..at].trim_end_matches([' ', '"', '\'', '`', '\\', ':']);
    let name_start = before
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')))
        .map_or(0, |place| place + before[place..].chars().next().map_or(1, char::len_utf8));
    // A name of absurd length is a blob, not a name.
    if before.len() - name_start > 128 || !names_a_secret(&before[name_start..]) {
        return;
    }
    let rest = &text[at + 1..];
    let lead = rest.len() - rest.trim_start_matches([' ', '\t', '"', '\'', '`', '\\', '=', '>']).len();
    let start = at + 1 + lead;
    let quote = text[..start].chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'));
    let run = text[start..].find(|c: char| match quote {
        Some(quote) => c == quote || c == '\n' || c == '\\',
        None => {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\\' | '<' | '>' | ')' | ']' | '}' | '|')
        }
    });
    let end = start + run.unwrap_or(text.len() - start);
    let value = text[start..end].trim_end_matches(['.', ',']);
    if looks_secret(value) {
        found("keyed-value", start..start + value.len());
    }
}

/// `scheme://user:password@host`: only the password goes.
fn url_password(text: &str, authority: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    let rest = &text[authority..];
    let end =
        rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>' | '`')).unwrap_or(rest.len());
    let Some(userinfo_end) = rest[..end].rfind('@') else { return };
    let userinfo = &rest[..userinfo_end];
    let (start, secret) = match userinfo.find(':') {
        Some(colon) => (authority + colon + 1, &userinfo[colon + 1..]),
        // A token in the user's place; a plain user such as `git` stays.
        None if looks_secret(userinfo) && userinfo.len() >= 16 => (authority, userinfo),
        None => return,
    };
    let is_stand_in = secret.is_empty() || secret.starts_with("[REDACTED:") || secret.starts_with(['$', '<', '{', '*']);
    if !is_stand_in {
        found("url-password", start..start + secret.len());
    }
}

/// `Bearer …` and `Basic …`: the credential behind the scheme's name, which ends at `at`.
fn authorization(text: &str, at: usize, found: &mut impl FnMut(&'static str, Range<usize>)) {
    let scheme = text.as_bytes()[..at].rsplit(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case(b"bearer") && !scheme.eq_ignore_ascii_case(b"basic") {
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
