//! Reads a value: quoted text with its prefixes and escapes, text in brackets, or an unquoted word, and where it ends.

use std::ops::Range;

use crate::classify::names::MAX_NAME;
use crate::detect::name::MAX_GAP;
use crate::text::bytes::{is_blank, is_of_token, is_quote, peek, run_end, slice};

/// How much of an unquoted value is examined, in bytes; an accepted one is taken as a whole.
pub(crate) const MAX_BARE: usize = 256;
/// The longest quoted value, in bytes.
const MAX_QUOTED: usize = 16 << 10;

/// A value in a text.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) place: Range<usize>,
    pub(crate) is_quoted: bool,
    /// Whether it is on the line after its name.
    pub(crate) is_below: bool,
}

/// The value after the separator that ends at `at`.
pub(crate) fn value_at(text: &[u8], at: usize) -> Option<Value> {
    let mut start = run_end(text, at, MAX_GAP, is_blank);
    let mut is_below = false;
    let continues_below = !matches!(at.checked_sub(1).and_then(|before| text.get(before)), Some(b'=' | b'|'));
    if let Some(next) = below(text, start).filter(|_| continues_below) {
        (start, is_below) = (next, true);
    }
    start = skip_yaml_tag(text, start);
    start = run_end(text, start, 2, |byte| byte == b'*');
    start = run_end(text, start, MAX_GAP, is_blank);
    start = skip_wrapper(text, start);
    let bracket = run_end(text, start, 1, |byte| matches!(byte, b'(' | b'['));
    for opening in [start, run_end(text, bracket, MAX_GAP, is_blank)] {
        // `b"…"`, `r'…'`, `@"…"`, `\"…\"`
        let prefix =
            run_end(text, opening, 2, |byte| matches!(byte, b'b' | b'B' | b'r' | b'u' | b'f' | b'L' | b'@' | b'$'));
        for opening in [opening, prefix] {
            let escaped = run_end(text, opening, 8, |byte| byte == b'\\');
            let Some(quote) = text.get(escaped).copied().filter(|byte| is_quote(*byte)) else { continue };
            // ``NAME=`command` ``
            if quote == b'`' && escaped == at && text.get(at - 1) == Some(&b'=') {
                return None;
            }
            let inner = run_end(text, escaped, 3, |byte| byte == quote);
            let inner = if inner == escaped + 2 { escaped + 1 } else { inner };
            let end = quoted_end(text, inner, quote, escaped > opening);
            return Some(Value { place: inner..end, is_quoted: true, is_below });
        }
    }
    if let Some(place) = in_typographic_quotes(text, start) {
        return Some(Value { place, is_quoted: true, is_below });
    }
    // Between `=` and the next pair there is nothing.
    if matches!(text.get(start), Some(b'&' | b';' | b',')) && start == at && is_pair(text, start + 1) {
        return None;
    }
    // `<your password>` and `{password}` stand in for a value, and objects and lists are none.
    if is_bracketed(text, start) {
        return None;
    }
    // `password = (user + rest)`, `password= host=db`
    let is_expression = start > at && text.get(start) == Some(&b'(');
    let is_empty = start > at && text.get(at - 1) == Some(&b'=') && is_next_pair(text, start) && !is_below;
    if is_expression || is_empty {
        return None;
    }
    let end = bare_end(text, start, MAX_BARE);
    (end > start).then_some(Value { place: start..end, is_quoted: false, is_below })
}

/// What is between the quotation marks of a sentence that open at `start`: `«…»`.
fn in_typographic_quotes(text: &[u8], start: usize) -> Option<Range<usize>> {
    const QUOTES: [(&str, [&str; 2]); 10] = [
        ("“", ["”", "“"]),
        ("„", ["“", "”"]),
        ("”", ["”", "”"]),
        ("‘", ["’", "‘"]),
        ("‚", ["‘", "’"]),
        ("’", ["’", "’"]),
        ("«", ["»", "»"]),
        ("»", ["«", "»"]),
        ("「", ["」", "」"]),
        ("『", ["』", "』"]),
    ];
    if *text.get(start)? < 0xc2 {
        return None;
    }
    let (open, closing) = QUOTES.iter().find(|(open, _)| peek(text, start, 3).starts_with(open.as_bytes()))?;
    let inner = start + open.len();
    let rest = slice(text, inner..run_end(text, inner, MAX_BARE, |byte| byte != b'\n'));
    let end = closing.iter().filter_map(|mark| memchr::memmem::find(rest, mark.as_bytes())).min()?;
    (end > 0).then_some(inner..inner + end)
}

/// Whether text in brackets starts at `start`, and ends soon and in the same line.
fn is_bracketed(text: &[u8], start: usize) -> bool {
    let closing = match text.get(start) {
        Some(b'<') => b'>',
        Some(b'{') => b'}',
        Some(b'[') => b']',
        _ => return false,
    };
    let end = run_end(text, start, 64, |byte| byte != closing && byte != b'\n');
    text.get(end) == Some(&closing)
}

/// Skips `Some(` and the like before quoted text.
fn skip_wrapper(text: &[u8], at: usize) -> usize {
    const WRAPPERS: [&[u8]; 13] = [
        b"(ConvertTo-SecureString ",
        b"(ConvertTo-SecureString -String ",
        b"ConvertTo-SecureString ",
        b"ConvertTo-SecureString -String ",
        b"Some(",
        b"Ok(",
        b"String::from(",
        b"Secret::new(",
        b"SecretString::new(",
        b"SecretString::from(",
        b"Secret(",
        b"Just(",
        b"Cow::Borrowed(",
    ];
    let rest = text.get(at..).unwrap_or_default();
    // `string(8) "…"`, as PHP dumps it.
    if let Some(count) = rest.strip_prefix(b"string(") {
        let digits = run_end(count, 0, 6, |byte| byte.is_ascii_digit());
        return if peek(count, digits, 3) == b") \"" { at + b"string(".len() + digits + 2 } else { at };
    }
    let mut wrappers = WRAPPERS.iter().filter(|wrapper| rest.starts_with(wrapper)).map(|wrapper| wrapper.len());
    let wrapper = wrappers.find(|length| text.get(at + length).is_some_and(|byte| is_quote(*byte))).unwrap_or(0);
    if text.get(at + wrapper).is_some_and(|byte| is_quote(*byte)) { at + wrapper } else { at }
}

/// Skips an anchor or type of YAML: `&name value`, `!!str value`.
fn skip_yaml_tag(text: &[u8], at: usize) -> usize {
    // Other tags look a value up: `!Ref`, `!vault`.
    if !matches!(text.get(at..), Some([b'&', ..] | [b'!', b'!', ..])) {
        return at;
    }
    let end = run_end(text, at + 1, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'!'));
    let gap = run_end(text, end, MAX_GAP, is_blank);
    if gap > end && end > at + 1 && text.get(gap) != Some(&b'=') { gap } else { at }
}

/// The start of a value on the next line, if this line has nothing more than a YAML block indicator.
fn below(text: &[u8], at: usize) -> Option<usize> {
    let sign = run_end(text, at, 3, |byte| matches!(byte, b'|' | b'>' | b'-' | b'+'));
    let line_end = run_end(text, sign, 1, |byte| byte == b'\r');
    (text.get(line_end) == Some(&b'\n'))
        .then(|| {
            // In Markdown, a blank line and four spaces begin a block of code.
            let is_block = text.get(line_end + 1..)?.starts_with(b"\n    ");
            let line = line_end + 1 + usize::from(is_block);
            Some(run_end(text, line, MAX_GAP, is_blank)).filter(|next| *next > line)
        })
        .flatten()
}

fn quoted_end(text: &[u8], start: usize, quote: u8, is_escaped: bool) -> usize {
    let mut at = start;
    let limit = text.len().min(start + MAX_QUOTED);
    while let Some(step) = memchr::memchr3(quote, b'\n', b'\\', slice(text, at..limit)) {
        at += step;
        if text.get(at) == Some(&b'\\') && !is_escaped {
            at = (at + 2).min(limit);
            continue;
        }
        return at;
    }
    limit
}

/// The end of an unquoted value, of which at most `limit` bytes are read.
pub(crate) fn bare_end(text: &[u8], start: usize, limit: usize) -> usize {
    let limit = start.saturating_add(limit);
    let mut end = start;
    while end < limit {
        end = run_end(text, end, limit - end, |byte| IS_INSIDE_OF_BARE[usize::from(byte)]);
        let Some(&byte) = text.get(end).filter(|byte| end < limit && !byte.is_ascii_whitespace()) else { break };
        // The first byte is never the end.
        let stops = end > start
            && match byte {
                b',' => !continues(text, end + 1),
                // `。`, `、`, `，` and `；`
                0xe3 => matches!(peek(text, end, 3), [_, 0x80, 0x81 | 0x82]),
                0xef => matches!(peek(text, end, 3), [_, 0xbc, 0x8c | 0x9b]),
                b'&' => is_pair(text, end + 1) || text.get(end + 1) == Some(&b'&'),
                b'"' | b'\'' | b'`' | b';' | b'\\' | b'<' | b'>' | b')' | b']' | b'}' | b'|' | 0x1b => true,
                _ => false,
            };
        if stops || (end == start && matches!(byte, b'"' | b'\'' | b'`' | b'\\' | 0x1b)) {
            break;
        }
        end += 1;
    }
    trimmed_end(text, start, end)
}

/// Whether an unquoted value never ends at `byte`.
const fn is_inside_of_bare(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(
            byte,
            b',' | b'&'
                | b'"'
                | b'\''
                | b'`'
                | b';'
                | b'\\'
                | b'<'
                | b'>'
                | b')'
                | b']'
                | b'}'
                | b'|'
                | 0x1b
                | 0xe3
                | 0xef
        )
}

/// The same as a table: a value may be long, and a name with another value may be after each of its signs.
static IS_INSIDE_OF_BARE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = is_inside_of_bare(byte);
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

/// Excludes punctuation that ends a sentence or an emphasis.
fn trimmed_end(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && matches!(text.get(end - 1), Some(b'.' | b',' | b':')) {
        end -= 1;
    }
    if slice(text, start..end).ends_with(b"**") { end - 2 } else { end }
}

/// Whether the text after a comma still belongs to the value: not white space, a quote, a bracket, or the next `name=`.
fn continues(text: &[u8], at: usize) -> bool {
    let is_opening =
        |byte: &u8| byte.is_ascii_whitespace() || is_quote(*byte) || matches!(byte, b',' | b'\\' | b'{' | b'[' | b'(');
    text.get(at).is_some_and(|byte| !is_opening(byte)) && !is_pair(text, at)
}

/// As [`is_pair`]; at the end of a word, `=` is padding.
fn is_next_pair(text: &[u8], at: usize) -> bool {
    let sign = run_end(text, at, MAX_NAME, is_of_token);
    is_pair(text, at)
        && !text.get(sign + 1).is_none_or(|byte| byte.is_ascii_whitespace() && text.get(sign) == Some(&b'='))
}

/// Whether `name=` or `name:` starts at `at`.
fn is_pair(text: &[u8], at: usize) -> bool {
    let end = run_end(text, at, MAX_NAME, is_of_token);
    end > at && matches!(text.get(end), Some(b'=' | b':'))
}
