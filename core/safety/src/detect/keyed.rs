//! Values of a secret's name: `NAME=value`, `name: value`, JSON, YAML, TOML, INI, XML, headers, command options, table
//! cells, call arguments, pairs of `name` and `value`.
//!
//! A parser starts at a word that may end a name and looks a bounded distance around it, so that the time is linear in
//! the text. The value must look like a secret ([`plausibility`]). Only the value is taken; the text around it stays.

use std::ops::Range;

use crate::classify::names::{MAX_NAME, NameClass, classify_name};
use crate::classify::plausibility;
use crate::mark::tag;
use crate::text::bytes::{is_blank, is_of_token, is_quote, line_around, run_end, run_start, slice};
use crate::text::invisible;

/// How much white space may surround a separator.
const MAX_GAP: usize = 32;
/// How much of an unquoted value is examined, in bytes; an accepted one is taken as a whole.
const MAX_BARE: usize = 1024;
/// The longest quoted value, in bytes.
const MAX_QUOTED: usize = 16 << 10;
/// How far after a `name` its `value` may be, in bytes.
const MAX_PAIR: usize = 160;

/// Whether `text`, the value of the record field `name`, is a secret. A record is not prose: under a name that can mean
/// nothing else, any text is the secret.
pub(crate) fn is_secret_under(name: &str, text: &str) -> bool {
    let (name, text) = (&*invisible::without(name), &*invisible::without(text));
    match classify_name(name.as_bytes()) {
        NameClass::Unrelated => false,
        NameClass::Ambiguous => plausibility::is_secret(text.as_bytes(), NameClass::Ambiguous, true),
        // A list under `client_secrets` may hold their names.
        class if name.ends_with(['s', 'S']) && !name.ends_with("pass") => {
            plausibility::is_secret(text.as_bytes(), class, true)
        }
        NameClass::Secret | NameClass::Password => !text.trim().is_empty(),
    }
}

/// Whether even a number under this name is a secret. Under `max_tokens` it is not.
pub(crate) fn names_a_password(name: &str) -> bool {
    classify_name(invisible::without(name).as_bytes()) == NameClass::Password
}

/// A name in a text, and what it suggests.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) place: Range<usize>,
    pub(crate) class: NameClass,
}

/// The name around the word at `hit`, classified.
pub(crate) fn name_around(text: &[u8], hit: Range<usize>) -> Name {
    let hit =
        run_end(text, hit.start, 1, |byte| !is_of_token(byte))..run_start(text, hit.end, 1, |byte| !is_of_token(byte));
    let mut start = run_start(text, hit.start, MAX_NAME, is_of_token);
    let mut end = run_end(text, hit.end, MAX_NAME, is_of_token);
    // The letter of an escaped line break is not part of the name after it.
    if start > 0 && text.get(start - 1) == Some(&b'\\') && matches!(text.get(start), Some(b'n' | b't' | b'r')) {
        start += 1;
    }
    while end > hit.end && matches!(text.get(end - 1), Some(b'.' | b'-')) {
        end -= 1;
    }
    // `Type::Token` is a path in code.
    let is_path = start > 1 && slice(text, start - 2..start) == b"::";
    let mut class = if is_path { NameClass::Unrelated } else { classify_name(slice(text, start..end)) };
    if class < NameClass::Secret
        && !is_path
        && matches!(end - start, 3..=5)
        && let Some(longer) = with_word_before(text, start, end)
    {
        let longer_class = classify_name(&longer);
        if longer_class > class {
            class = longer_class;
        }
    }
    Name { place: start..end, class }
}

/// `API key` as `API_key`: prose and tables write names as separate words.
fn with_word_before(text: &[u8], start: usize, end: usize) -> Option<Vec<u8>> {
    if end - start > 12 || text.get(start.checked_sub(1)?) != Some(&b' ') {
        return None;
    }
    let before = run_start(text, start - 1, 16, |byte| byte.is_ascii_alphanumeric());
    let word = slice(text, before..start - 1);
    (!word.is_empty()).then(|| [word, b"_", slice(text, start..end)].concat())
}

/// What separates a name from its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `=`, `:`, `:=`, `=>`
    Assignment,
    /// `==`, `!=`
    Comparison,
    /// `|` in a table.
    Cell,
    /// `, ` or `(` before quoted text.
    Argument,
    /// `->`, and headings of blocks.
    Arrow,
    /// `>` of a tag.
    Tag,
    /// White space only.
    Blank,
}

/// The value assigned to `name`, if it looks like a secret.
pub(crate) fn assigned(text: &[u8], name: &Name) -> Option<Range<usize>> {
    if name.class == NameClass::Unrelated {
        return None;
    }
    let end = name.place.end;
    let closed = run_end(text, end, 6, |byte| is_quote(byte) || matches!(byte, b'*' | b']' | b'?' | b'\\'));
    let is_closed = slice(text, end..closed).iter().any(|byte| is_quote(*byte));
    if let Some(value) = value_of_pair(text, name, closed) {
        return Some(value);
    }
    let gap = run_end(text, closed, MAX_GAP, is_blank);
    let (separator, at) = separator(text, name, closed, gap, is_closed)?;
    let value = value_at(text, at)?;
    if let Some(taken) = accepted(text, name, separator, &value) {
        let is_longer = !value.is_quoted && taken.len() + 4 >= MAX_BARE;
        let end = if is_longer { bare_end(text, taken.start, usize::MAX) } else { taken.end };
        return Some(taken.start..end.max(taken.end));
    }
    // `password: env.PASSWORD ?? "…"`
    let gap = run_end(text, value.place.end, MAX_GAP, is_blank);
    if let Some(rest) = text.get(gap..)
        && let Some(sign) = [&b"??"[..], b"||", b"or "].into_iter().find(|sign| rest.starts_with(sign))
    {
        let value = value_at(text, gap + sign.len())?;
        return accepted(text, name, Separator::Argument, &value);
    }
    // `password: str = "…"`: after the colon there is a type.
    let after = run_end(text, value.place.end, MAX_GAP, |byte| is_blank(byte) || matches!(byte, b'>' | b']' | b'?'));
    let is_typed = separator == Separator::Assignment
        && !value.is_quoted
        && text.get(after) == Some(&b'=')
        && text.get(after + 1) != Some(&b'=');
    let value = is_typed.then(|| value_at(text, after + 1)).flatten()?;
    accepted(text, name, separator, &value)
}

fn separator(text: &[u8], name: &Name, closed: usize, gap: usize, is_closed: bool) -> Option<(Separator, usize)> {
    let rest = text.get(gap..)?;
    Some(match rest {
        [b':', b':', ..] | [b'=', b'~', ..] => return None,
        // `arn:…:secret:name`
        [b':', ..]
            if gap == closed && name.place.start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b':') =>
        {
            return None;
        }
        [b'|', b'|', ..] => (Separator::Argument, gap + 2),
        [b'=', b'=', b'=', ..] | [b'!', b'=', b'=', ..] => (Separator::Comparison, gap + 3),
        [b'=', b'=', ..] | [b'!', b'=', ..] => (Separator::Comparison, gap + 2),
        [b':', b'=', ..] | [b'=', b'>', ..] | [b'?', b'=', ..] => (Separator::Assignment, gap + 2),
        [b':' | b'=', ..] => (Separator::Assignment, gap + 1),
        [0xef, 0xbc, 0x9a | 0x9d, ..] => (Separator::Assignment, gap + 3),
        [b'|', ..] => (Separator::Cell, gap + 1),
        // A heading before a block of code.
        [b'\n', b'`', b'`', b'`', ..] => {
            let fence = line_around(text, gap + 1);
            (fence.end < text.len()).then_some((Separator::Arrow, fence.end + 1))?
        }
        [b',', ..] if is_closed => (Separator::Argument, gap + 1),
        [b'(', ..] if gap == closed => (Separator::Argument, gap + 1),
        [b'-', b'>', ..] if gap > closed => (Separator::Arrow, gap + 2),
        [0xe2, 0x86, 0x92, ..] => (Separator::Arrow, gap + 3),
        [b'>', ..] if gap == name.place.end && is_tag(text, name.place.start) => (Separator::Tag, gap + 1),
        // `<entry key="password">…`
        [b'>', ..] if gap == closed && is_closed => (Separator::Tag, gap + 1),
        // `<key>password</key><string>…`
        [b'<', b'/', b'k', b'e', b'y', b'>', ..] => {
            let tag = run_end(text, gap + 6, MAX_GAP, |byte| byte.is_ascii_whitespace());
            text.get(tag..)?.starts_with(b"<string>").then_some((Separator::Tag, tag + 8))?
        }
        [b'?', b'?', ..] | [b'o', b'r', b' ', ..] if gap > closed => (Separator::Argument, gap + 2),
        // "Set `API_KEY` to `…`"
        [b't', b'o', b' ', ..] if gap > closed && (is_closed || is_compound(text, name)) => (Separator::Arrow, gap + 3),
        [quote, ..] if gap > closed && is_quote(*quote) && may_precede_quotes(text, name) => (Separator::Blank, gap),
        _ if gap > closed && (is_option(text, name) || is_compound(text, name)) => (Separator::Blank, gap),
        _ => return None,
    })
}

/// Whether quoted text after the name and a space may be its value; not after a verb.
fn may_precede_quotes(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let is_plain = word.iter().skip(1).all(u8::is_ascii_lowercase);
    name.class >= NameClass::Secret
        && (!is_plain || (name.class == NameClass::Password && !word.eq_ignore_ascii_case(b"pass")))
}

/// Whether the name consists of several words, like names of settings and unlike words of sentences.
fn is_compound(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    name.class >= NameClass::Secret
        && (word.contains(&b'_')
            || memchr::memchr_iter(b'-', word).count() > 1
            || matches!(word, b"requirepass" | b"masterauth"))
}

/// Whether `<` opens the tag with the name that starts here: `<db:password>`.
fn is_tag(text: &[u8], start: usize) -> bool {
    let start = run_start(text, start, 16, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'<')
}

/// `--password`, `DB_PASSWORD`, or the `password` of a netrc file: a value may follow after a space.
fn is_option(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let before = slice(text, name.place.start.saturating_sub(8)..name.place.start);
    let is_set =
        [&b"ENV "[..], b"ARG ", b"set ", b"setx ", b"-x ", b"export "].into_iter().any(|verb| before.ends_with(verb));
    let is_variable = (word.contains(&b'_') || is_set)
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    word.starts_with(b"-") || is_variable || is_of_netrc(text, name)
}

/// Whether a login precedes the name: `machine h login u password p`.
pub(crate) fn is_of_netrc(text: &[u8], name: &Name) -> bool {
    let before = slice(text, name.place.start.saturating_sub(120)..name.place.start);
    slice(text, name.place.clone()) == b"password"
        && memchr::memmem::rfind(before, b"login ").is_some_and(|at| {
            slice(before, at + 6..before.len()).split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
                == 1
        })
}

/// A value in a text.
#[derive(Debug, Clone)]
struct Value {
    place: Range<usize>,
    is_quoted: bool,
    /// Whether it is on the line after its name.
    is_below: bool,
}

/// The value after the separator that ends at `at`.
fn value_at(text: &[u8], at: usize) -> Option<Value> {
    let mut start = run_end(text, at, MAX_GAP, is_blank);
    let mut is_below = false;
    if let Some(next) = below(text, start) {
        (start, is_below) = (next, true);
    }
    start = skip_yaml_tag(text, start);
    start = run_end(text, start, 2, |byte| byte == b'*');
    start = run_end(text, start, MAX_GAP, is_blank);
    start = skip_wrapper(text, start);
    let bracket = run_end(text, start, 1, |byte| matches!(byte, b'(' | b'[' | b'{'));
    for opening in [start, run_end(text, bracket, MAX_GAP, is_blank)] {
        // `b"…"`, `r'…'`, `@"…"`, `\"…\"`
        let prefix =
            run_end(text, opening, 2, |byte| matches!(byte, b'b' | b'B' | b'r' | b'u' | b'f' | b'L' | b'@' | b'$'));
        for opening in [opening, prefix] {
            let escaped = run_end(text, opening, 8, |byte| byte == b'\\');
            let Some(quote) = text.get(escaped).copied().filter(|byte| is_quote(*byte)) else { continue };
            let inner = run_end(text, escaped, 3, |byte| byte == quote);
            let inner = if inner == escaped + 2 { escaped + 1 } else { inner };
            let end = quoted_end(text, inner, quote, escaped > opening);
            return Some(Value { place: inner..end, is_quoted: true, is_below });
        }
    }
    let end = bare_end(text, start, MAX_BARE);
    (end > start).then_some(Value { place: start..end, is_quoted: false, is_below })
}

/// Skips `Some(` and the like before quoted text.
fn skip_wrapper(text: &[u8], at: usize) -> usize {
    const WRAPPERS: [&[u8]; 9] = [
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
    let wrapper = WRAPPERS.iter().find(|wrapper| rest.starts_with(wrapper)).map_or(0, |wrapper| wrapper.len());
    if text.get(at + wrapper).is_some_and(|byte| is_quote(*byte)) { at + wrapper } else { at }
}

/// Skips an anchor or type of YAML: `&name value`, `!!str value`.
fn skip_yaml_tag(text: &[u8], at: usize) -> usize {
    if !matches!(text.get(at), Some(b'&' | b'!')) {
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
        .then(|| run_end(text, line_end + 1, MAX_GAP, is_blank))
        .filter(|next| *next > line_end + 1)
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
fn bare_end(text: &[u8], start: usize, limit: usize) -> usize {
    let word = run_end(text, start, limit, |byte| !byte.is_ascii_whitespace());
    let mut end = start;
    while end < word {
        let Some(&byte) = text.get(end) else { break };
        // The first byte is never the end.
        let stops = end > start
            && match byte {
                b',' => !continues(text, end + 1),
                b'&' => is_pair(text, end + 1),
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

/// Whether `name=` or `name:` starts at `at`.
fn is_pair(text: &[u8], at: usize) -> bool {
    let end = run_end(text, at, MAX_NAME, is_of_token);
    end > at && matches!(text.get(end), Some(b'=' | b':'))
}

/// The range of `value`, if it is accepted as the secret of `name`.
fn accepted(text: &[u8], name: &Name, separator: Separator, value: &Value) -> Option<Range<usize>> {
    let Value { place, is_quoted, is_below } = value;
    let mut place = place.clone();
    let needs_quotes = matches!(separator, Separator::Comparison | Separator::Argument);
    let written = slice(text, place.clone());
    if written.is_empty() || tag::starts_placeholder(written) {
        return None;
    }
    if separator == Separator::Tag && text.get(place.end) != Some(&b'<') {
        return None;
    }
    if needs_quotes && !is_quoted {
        // In `password==…`, the second `=` belongs to the secret.
        let is_glued = separator == Separator::Comparison && text.get(place.start - 1) == Some(&b'=');
        return (is_glued && plausibility::is_random(written) && plausibility::is_secret(written, name.class, true))
            .then_some(place);
    }
    if separator == Separator::Arrow
        && !(plausibility::is_random(written) && plausibility::is_secret(written, name.class, *is_quoted))
    {
        return None;
    }
    // In a list of names, the next one is not a value.
    if needs_quotes && (*is_below || !plausibility::is_stated_password(written, true)) {
        return None;
    }
    if separator == Separator::Blank && is_of_netrc(text, name) {
        let is_plain = plausibility::is_stand_in(written) || written.starts_with(b"$");
        return (!is_plain).then_some(place);
    }
    if separator == Separator::Blank
        && !is_quoted
        && (written.starts_with(b"-") || written.contains(&b'=') && !plausibility::is_random(written))
    {
        return None;
    }
    if separator == Separator::Blank && !is_quoted && !is_option(text, name) && !plausibility::is_random(written) {
        return None;
    }
    if separator == Separator::Blank && !is_quoted && slice(text, name.place.clone()).starts_with(b"-") {
        // An option's value ends with the word.
        let end = run_end(text, place.start, MAX_BARE, |byte| !byte.is_ascii_whitespace() && !is_quote(byte));
        let end = end.max(place.end);
        if plausibility::is_secret(slice(text, place.start..end), name.class, true) {
            place.end = end;
        }
    }
    if separator == Separator::Assignment && !is_quoted && !is_below {
        place = extended_to_line_end(text, name, &place).unwrap_or(place);
    }
    let written = slice(text, place.clone());
    if written.iter().any(u8::is_ascii_whitespace) {
        if needs_quotes {
            return None;
        }
        return is_passphrase(written, name).then_some(place);
    }
    let is_secret = plausibility::is_secret(written, name.class, *is_quoted)
        && (!is_below || *is_quoted || plausibility::is_random(written) || name.class == NameClass::Password);
    is_secret.then_some(place)
}

/// In a settings file, the value extends to the end of the line, whatever punctuation it contains.
fn extended_to_line_end(text: &[u8], name: &Name, value: &Range<usize>) -> Option<Range<usize>> {
    let line = line_around(text, name.place.start);
    let lead = slice(text, line.start..name.place.start);
    let is_alone = lead.len() <= 48
        && lead.iter().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b' ' | b'\t' | b'-' | b'$' | b':' | b'|' | b'+' | b'_' | b'.' | b'>')
        });
    let rest = slice(text, value.start..line.end);
    let word = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    let after = slice(rest, word..rest.len()).trim_ascii_start();
    let is_last = after.is_empty() || after.starts_with(b"#") || after.starts_with(b"//");
    let is_expression =
        rest.iter().take(word).any(|byte| is_quote(*byte) || matches!(byte, b'(' | b'{' | b'[' | b'<' | b'\\' | 0x1b));
    let mut end = value.start + word;
    while end > value.start && matches!(text.get(end - 1), Some(b';' | b',' | b'\r')) {
        end -= 1;
    }
    // Several settings on one line, as in a connection string, are separated by what ended the value above.
    let is_list = slice(text, value.end..end).windows(2).any(|pair| matches!(pair, [b';' | b'&' | b',', _]))
        && slice(text, value.end..end).contains(&b'=');
    (is_alone && is_last && !is_list && (!is_expression || !lead.trim_ascii().contains(&b' ')) && end > value.end)
        .then_some(value.start..end)
}

/// Quoted words under a name that asks for several: `"correct horse battery staple"`.
fn is_passphrase(value: &[u8], name: &Name) -> bool {
    if name.class != NameClass::Password || value.len() > 120 || plausibility::is_stand_in(value) {
        return false;
    }
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_plain = words.clone().all(|word| word.iter().all(u8::is_ascii_lowercase));
    let marks = value.iter().filter(|byte| byte.is_ascii_punctuation()).count();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    (is_plain && words.clone().count() >= 4 && name.place.len() >= 10)
        || (words.count() <= 3 && marks > 0 && digits > 1 && value.len() <= 40)
}

/// The value in a pair of `name` and `value`: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="Password"
/// value="…"/>`, `variable "db_password" { default = "…" }`.
fn value_of_pair(text: &[u8], name: &Name, closed: usize) -> Option<Range<usize>> {
    let between = run_end(text, closed, MAX_PAIR, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'-' | b'{')
    });
    if between == closed {
        return None;
    }
    let rest = text.get(between..)?;
    let word =
        [&b"value"[..], b"Value", b"VALUE", b"default", b"type"].into_iter().find(|word| rest.starts_with(word))?;
    let mut end = between + word.len();
    if word == b"type" {
        let block = slice(text, end..text.len().min(end + MAX_PAIR));
        let inner = memchr::memchr(b'}', block).unwrap_or(block.len());
        end += memchr::memmem::find(slice(block, 0..inner), b"default")? + b"default".len();
    }
    let sign = run_end(text, end, MAX_GAP, |byte| is_blank(byte) || is_quote(byte) || byte == b'\\');
    if !matches!(text.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let value = value_at(text, sign + 1)?;
    accepted(text, name, Separator::Assignment, &value)
}
