//! Distinguishes code from settings and sentences: an unquoted word is a variable or a type in code, and a value or
//! text elsewhere.

use std::ops::{ControlFlow, Range};

use crate::detect::name::Name;
use crate::text::bytes::{is_blank, line_around, slice};
use crate::text::masks;

/// How much of a line is read before and after a position, in bytes.
const REACH: usize = 200;

/// Whether the unquoted value of `name`, at `value`, is an expression in code.
pub(crate) fn is_code(text: &[u8], name: &Name, value: &Range<usize>) -> bool {
    let line = line_around(text, name.place.start);
    let lead = slice(text, line.start.max(name.place.start.saturating_sub(REACH))..name.place.start);
    let rest = slice(text, value.end..line.end.min(value.end + REACH).max(value.end));
    let after = rest.trim_ascii();
    // A variable rarely has digits.
    let has_digit = || slice(text, value.clone()).iter().any(u8::is_ascii_digit);
    if is_flow_mapping(slice(text, line.clone()), name.place.start - line.start) && has_digit() {
        return false;
    }
    let is_tight = text.get(name.place.end) == Some(&b'=') && value.start == name.place.end + 1;
    if is_argument_of_call(lead) || is_declared(lead) {
        return true;
    }
    if is_tight {
        // `a.token=b;` in minified code
        return matches!(after.first(), Some(b';'))
            && slice(text, name.place.clone()).contains(&b'.')
            && after.len() > 1;
    }
    let is_alone = is_alone(lead) || is_title(lead, slice(text, name.place.clone()));
    if !is_alone && is_line_of_code(text, name.place.start) || has_signs(lead) || has_signs(rest) {
        return true;
    }
    // `secret: something that nobody knows` is a sentence, and its words are not values.
    let is_sentence = slice(text, name.place.end..value.start).contains(&b':')
        && after.first().is_some_and(u8::is_ascii_alphabetic)
        && rest.first() == Some(&b' ')
        && after.split(|byte| *byte == b' ').next().is_none_or(|word| memchr::memchr2(b'=', b':', word).is_none());
    if is_sentence {
        return true;
    }
    // `password: password,` in a literal of Rust, Go or JavaScript
    let is_listed = matches!(after, [b',', ..]) && lead.trim_ascii().is_empty();
    is_listed || (is_alone && after.is_empty() && is_among_code(text, &line))
}

/// Whether a line is a mapping of YAML in one line, such as `db: {user: app, port: 5432}`, and `at` is inside.
fn is_flow_mapping(line: &[u8], at: usize) -> bool {
    let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'-')).count();
    let is_of_key = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let key = slice(line, indent..line.len()).iter().take_while(is_of_key).count();
    let rest = slice(line, indent + key..line.len());
    let is_opened = match key {
        0 => rest.starts_with(b"{"),
        _ => rest.starts_with(b": {"),
    };
    is_opened
        && indent + key < at
        && rest.trim_ascii_end().ends_with(b"}")
        // In JavaScript, `{user, password: word}`, and calls.
        && !rest.iter().any(|byte| matches!(byte, b'(' | b';' | b'=' | b'"'))
        && slice(rest, 1..rest.len()).split(|byte| *byte == b',').all(|member| memchr::memmem::find(member, b": ").is_some())
}

/// Whether the text beside an assignment contains the punctuation of code.
fn has_signs(part: &[u8]) -> bool {
    let part = part.trim_ascii();
    matches!(part.last(), Some(b'{' | b'}' | b';' | b'(' | b'['))
        || part.windows(2).any(|signs| matches!(signs, b"=>" | b"->" | b"::" | b"()" | b");" | b"&&" | b"||" | b"+="))
}

/// Whether `lead`, the text before a name, begins with a keyword of declarations: `pub password: `, `let password = `.
fn is_declared(lead: &[u8]) -> bool {
    const WORDS: [&[u8]; 14] = [
        b"pub",
        b"let",
        b"const",
        b"var",
        b"val",
        b"final",
        b"public",
        b"private",
        b"protected",
        b"static",
        b"readonly",
        b"mut",
        b"def",
        b"type",
    ];
    let first = lead.trim_ascii_start().split(|byte| !byte.is_ascii_lowercase()).next();
    first.is_some_and(|first| WORDS.contains(&first))
}

/// Whether `lead`, the text before a name, ends inside the arguments of a call: `connect(user=user, `.
pub(crate) fn is_argument_of_call(lead: &[u8]) -> bool {
    let mut depth = 0_usize;
    for (at, byte) in lead.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                return at
                    .checked_sub(1)
                    .and_then(|before| lead.get(before))
                    .is_some_and(|before| before.is_ascii_alphanumeric() || matches!(before, b'_' | b'!' | b'>'));
            }
            _ => {}
        }
    }
    false
}

/// Whether only an indent, a list mark or a gutter precedes the name.
fn is_alone(lead: &[u8]) -> bool {
    let lead = lead.trim_ascii_start();
    // `- [x] `
    let mark = lead.strip_prefix(b"- [").and_then(|rest| rest.get(1..)).and_then(|rest| rest.strip_prefix(b"] "));
    mark.unwrap_or(lead).iter().all(|byte| is_blank(*byte) || matches!(byte, b'-' | b'+' | b'|' | b'>'))
}

/// Whether the words of `lead` and `name` are those of a title: `Backup Password`.
fn is_title(lead: &[u8], name: &[u8]) -> bool {
    let is_word = |word: &[u8]| {
        word.first().is_some_and(u8::is_ascii_uppercase) && word.iter().skip(1).all(u8::is_ascii_lowercase)
    };
    lead.last() == Some(&b' ') && lead.trim_ascii().split(|byte| *byte == b' ').chain([name]).all(is_word)
}

/// Whether the line before or after `line` is code.
fn is_among_code(text: &[u8], line: &Range<usize>) -> bool {
    let above = line.start.checked_sub(1).map(|end| line_around(text, end));
    let below = (line.end < text.len()).then(|| line_around(text, line.end + 1));
    [above, below].into_iter().flatten().any(|line| {
        let line = slice(text, line).trim_ascii();
        let is_opened = matches!(line.last(), Some(b'{' | b'(' | b';'));
        let is_closed = matches!(line.first(), Some(b'}' | b')'));
        is_opened || is_closed
    })
}

/// Whether a sign of code or of a comment may start with `byte`. Without branches, so that it is vectorized.
const fn may_start_sign(byte: u8) -> bool {
    let is_exclamation_to_slash = byte.wrapping_sub(b'!') < 15;
    let is_colon_to_equals = byte.wrapping_sub(b':') < 4;
    let is_bar_or_brace = byte.wrapping_sub(b'|') < 2;
    is_exclamation_to_slash | is_colon_to_equals | is_bar_or_brace | (byte == b']')
}

/// Whether the line that contains `at` is code, and `at` is not in a comment.
pub(crate) fn is_line_of_code(text: &[u8], at: usize) -> bool {
    let line = line_around(text, at);
    let start = line.start.max(at.saturating_sub(REACH));
    let whole = slice(text, start..line.end.min(at + REACH));
    let mut is_code = matches!(whole.trim_ascii_end().last(), Some(b'{' | b'}' | b';' | b'(' | b'['));
    let search = masks::each_position(whole, may_start_sign, |place| {
        let before = place.checked_sub(1).and_then(|before| whole.get(before));
        match slice(whole, place..whole.len()) {
            [b'/', b'/' | b'*', _, ..]
            | [b'#' | b'*', b' ', _, ..]
            | [b'-', b'-', b' ', ..]
            | [b'<', b'!', b'-', ..]
                if start + place < at =>
            {
                return ControlFlow::Break(());
            }
            [b':', b':', _, ..] | [b'=', b'>' | b'=', _, ..] | [b'!', b'=', _, ..] | [b'#', b'[', _, ..] => {
                is_code = true
            }
            [b'(', b'{', _, ..] | [b'}', b')', _, ..] | [b'&', b'&', _, ..] | [b'|', b'|', _, ..] => is_code = true,
            [b']', b'(', _, ..] | [b')', b';', _, ..] | [b')', b' ', b'{', ..] => is_code = true,
            [b'=', b' ', ..] if before == Some(&b' ') => is_code = true,
            _ => {}
        }
        ControlFlow::Continue(())
    });
    search.is_continue() && (is_code || whole.ends_with(b");"))
}
