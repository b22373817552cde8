//! Values of a secret's name: `NAME=value`, `name: value`, JSON, YAML, TOML, INI, XML, headers, command options, table
//! cells, call arguments, pairs of `name` and `value`.
//!
//! A parser starts at a word that may end a name and looks a bounded distance around it, so that the time is linear in
//! the text. The value must look like a secret ([`plausibility`]). Only the value is taken; the text around it stays.

use std::ops::Range;

use crate::classify::formats;
use crate::classify::judgement::{self, Form};
use crate::classify::labels;
use crate::classify::names::{self, Strength};
use crate::classify::plausibility::{self, Evidence};
use crate::classify::stand_ins;
use crate::detect::code;
use crate::detect::columns;
use crate::detect::connections;
use crate::detect::name::{MAX_GAP, MAX_PAIR, Name};
pub(crate) use crate::detect::options::{
    is_assigned, is_compound, is_listed_option, is_of_netrc, is_option, is_switch,
};
use crate::detect::other_uses::{
    is_attribute, is_end_of_text, is_key_of_table, is_other_key, is_scope, userinfo_end, without_user,
};
use crate::detect::otp_seeds;
use crate::detect::rows;
use crate::detect::value::{MAX_BARE, Value, bare_end, value_at};
use crate::mark::tag;
use crate::text::bytes::{
    ends_ignoring_case, find, is_blank, is_quote, line_around, peek, run_end, run_start, slice, starts_ignoring_case,
};
use crate::text::invisible;

/// Whether `text`, the value of the record field `name`, is a secret, or begins with one: `Xk29fjs8aaQ for prod`. Then the
/// range is that of its first word.
pub(crate) fn secret_under(name: &str, text: &str) -> Option<Range<usize>> {
    let name = &*invisible::without(name);
    let strength = names::strength(name.as_bytes());
    let form = form_under(name.as_bytes());
    let visible = invisible::without(text);
    let whole = visible.trim().as_bytes();
    if is_other_key(name.as_bytes(), strength, whole) {
        return None;
    }
    if judgement::is_secret(whole, strength, form) {
        return Some(0..text.len());
    }
    let start = text.len() - text.trim_start().len();
    let (first, _) = text[start..].split_once(char::is_whitespace)?;
    let value = invisible::without(first);
    begins_with_value(value.as_bytes(), whole, name.as_bytes(), b"=", strength).then(|| start..start + first.len())
}

/// Whether even a number under this name may be a secret. Under `token` it is not.
pub(crate) fn may_be_number(name: &str) -> bool {
    names::strength(invisible::without(name).as_bytes()) == Strength::Strong
}

/// The longest type between a name and its value, in bytes.
const MAX_TYPE: usize = 32;
/// The shortest value in capitals, in bytes: a shorter word may begin a title.
const MIN_CAPITALS: usize = 6;
/// The shortest beginning of a secret before an ellipsis that is redacted, in bytes.
const MIN_CUT: usize = 12;

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
    if name.strength == Strength::None {
        return None;
    }
    if let Some(value) = after_short_noun(text, name) {
        return Some(value);
    }
    let is_password = name.strength == Strength::Weak
        && (connections::is_beside_user(text, &name.place) || is_switch(text, &name.place));
    let name = &Name { strength: if is_password { Strength::Strong } else { name.strength }, ..name.clone() };
    let end = name.place.end;
    let closed = run_end(text, end, 6, |byte| is_quote(byte) || matches!(byte, b'*' | b']' | b'?' | b'\\' | b'_'));
    let is_closed = slice(text, end..closed).iter().any(|byte| is_quote(*byte));
    if let Some(value) = value_of_pair(text, name, closed) {
        return Some(value);
    }
    let gap = run_end(text, closed, MAX_GAP, is_blank);
    let (separator, at) = separator(text, name, closed, gap, is_closed)?;
    if is_closed && is_attribute(text, name, closed..gap) {
        return None;
    }
    let value = value_at(text, at).filter(|value| !is_end_of_text(text, name, closed, value))?;
    // A longer value is not one of groups alone.
    let seed = otp_seeds::value_in_groups(text, value.place.start, name.strength);
    if let Some(seed) = seed.filter(|seed| seed.end >= value.place.end) {
        return Some(seed);
    }
    if let Some(taken) = accepted(text, name, separator, &value, false) {
        let is_longer = !value.is_quoted && taken.len() + 4 >= MAX_BARE;
        let end = if is_longer { bare_end(text, taken.start, usize::MAX) } else { taken.end };
        return Some(taken.start..userinfo_end(text, name, taken.start..end.max(taken.end)));
    }
    // `password: env.PASSWORD ?? "…"`
    let gap = run_end(text, value.place.end, MAX_GAP, is_blank);
    if let Some(rest) = text.get(gap..)
        && let Some(sign) = [&b"??"[..], b"||", b"or "].into_iter().find(|sign| rest.starts_with(sign))
    {
        let value = value_at(text, gap + sign.len())?;
        return accepted(text, name, Separator::Argument, &value, false);
    }
    // `password: str = "…"`: after the colon there is a type.
    let after = run_end(text, value.place.end, MAX_GAP, |byte| is_blank(byte) || matches!(byte, b'>' | b']' | b'?'));
    let is_typed = separator == Separator::Assignment
        && !value.is_quoted
        && text.get(after) == Some(&b'=')
        && text.get(after + 1) != Some(&b'=');
    let value = is_typed.then(|| value_at(text, after + 1)).flatten()?;
    accepted(text, name, separator, &value, true)
}

/// The password after `pw: ` in a sentence, where it looks like one. In code, the name means other things too.
fn after_short_noun(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let noun = slice(text, name.place.clone());
    let is_signed = matches!(peek(text, name.place.end, 2), [b':', b' '] | [b'=', _]);
    let is_short =
        is_signed && [&b"pw"[..], b"pwd"].iter().any(|end| ends_ignoring_case(noun, end) && !noun.contains(&b'_'));
    let value = is_short.then(|| value_at(text, name.place.end + 1)).flatten()?;
    let written = slice(text, value.place.clone());
    let is_likely = plausibility::is_stated_password(written, true) || plausibility::is_phrase(written);
    (!value.is_below && is_likely && judgement::is_secret(written, Strength::Strong, Form::Data)).then_some(value.place)
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
        // The assignment of R, and the initializer of C++: `std::string password{"…"}`.
        [b'<', b'-', ..] if gap > closed => (Separator::Assignment, gap + 2),
        [b'{', quote, ..] if gap == name.place.end && is_quote(*quote) => (Separator::Assignment, gap + 1),
        // `Dim password As String = "…"`
        [b'A', b's', b' ', ..] if gap > closed => {
            let sign = run_end(text, gap + 3, MAX_TYPE, |byte| byte.is_ascii_alphanumeric() || is_blank(byte));
            (text.get(sign) == Some(&b'=')).then_some((Separator::Assignment, sign + 1))?
        }
        [b':', b'=', ..] | [b'=', b'>', ..] | [b'?', b'=', ..] => (Separator::Assignment, gap + 2),
        [b':' | b'=', ..] => (Separator::Assignment, gap + 1),
        [0xef, 0xbc, 0x9a | 0x9d, ..] => (Separator::Assignment, gap + 3),
        [b'|', ..] if columns::is_heading(text, gap) || !columns::is_row(text, gap) => return None,
        [b'|', ..] => (Separator::Cell, gap + 1),
        // A part of a form: its value follows the headers.
        [b'\r' | b'\n', ..] if is_closed && is_part_of_form(text, name) => {
            (Separator::Assignment, run_end(text, gap, 4, |byte| byte.is_ascii_whitespace()))
        }
        // `- --password` and `- …`, in a list of arguments.
        [b'\n', ..] if gap == name.place.end && is_listed_option(text, name) => {
            let next = run_end(text, gap + 1, MAX_GAP, is_blank);
            peek(text, next, 2).starts_with(b"- ").then_some((Separator::Blank, next + 2))?
        }
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
        [quote, ..] if is_quote(*quote) && is_label_of_block(text, name) => return None,
        [quote, ..] if gap > closed && is_quote(*quote) && may_precede_quotes(text, name) => (Separator::Blank, gap),
        _ if gap > closed && (is_option(text, name) || is_compound(text, name)) => (Separator::Blank, gap),
        _ => return None,
    })
}

/// `Content-Disposition: form-data; name="password"`
fn is_part_of_form(text: &[u8], name: &Name) -> bool {
    slice(text, name.place.start.saturating_sub(64)..name.place.start).ends_with(b"form-data; name=\"")
}

/// Whether quoted text after the name and a space may be its value; not after a verb.
fn may_precede_quotes(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let is_plain = word.iter().skip(1).all(u8::is_ascii_lowercase);
    name.strength >= Strength::Weak && (!is_plain || (name.strength == Strength::Strong && !is_of_key(word)))
}

/// Whether the name is the kind of a block that has a label too: `resource "random_password" "db" {`.
fn is_label_of_block(text: &[u8], name: &Name) -> bool {
    let before = slice(text, name.place.start.saturating_sub(12)..name.place.start);
    [&b"resource \""[..], b"data \"", b"ephemeral \""].iter().any(|block| before.ends_with(block))
}

/// Whether `<` opens the tag with the name that starts here: `<db:password>`.
fn is_tag(text: &[u8], start: usize) -> bool {
    let start = run_start(text, start, 16, |byte| byte.is_ascii_alphanumeric() || byte == b':');
    start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'<')
}

/// The range of `value`, if it is accepted as the secret of `name`.
fn accepted(text: &[u8], name: &Name, separator: Separator, value: &Value, is_typed: bool) -> Option<Range<usize>> {
    let Value { place, is_quoted, is_below } = value;
    let mut place = place.clone();
    let mut written = slice(text, place.clone());
    if written.is_empty() || tag::starts_placeholder(written) {
        return None;
    }
    // Shown in part, it is still most of the secret.
    let cut = written.strip_suffix("…".as_bytes()).filter(|cut| cut.len() >= MIN_CUT && plausibility::is_random(cut));
    if let Some(cut) = cut {
        (place.end, written) = (place.start + cut.len(), cut);
    }
    let is_before_bracket = text.get(place.end) == Some(&b'<');
    if separator == Separator::Tag && !is_before_bracket {
        return None;
    }
    // `password: Option<String>`
    if separator == Separator::Assignment
        && is_before_bracket
        && !is_quoted
        && text.get(place.end + 1) != Some(&b'/')
        && written.first().is_some_and(u8::is_ascii_uppercase)
        && written.iter().all(u8::is_ascii_alphabetic)
    {
        return None;
    }
    if matches!(separator, Separator::Comparison | Separator::Argument) {
        return is_argument(text, name, separator, value).then_some(place);
    }
    if separator == Separator::Arrow {
        let is_secret = plausibility::is_random(written) && is_secret(written, name, *is_quoted);
        return is_secret.then_some(place);
    }
    if separator == Separator::Blank {
        return accepted_after_blank(text, name, value);
    }
    let form = form_under(slice(text, name.place.clone()));
    let mut is_before_words = false;
    if matches!(separator, Separator::Cell | Separator::Assignment) && !is_quoted && !is_below {
        let rest = rest_of_line(text, &place, separator);
        // `password=Mot de passe` in a file of labels; in a sentence, what follows the value is not part of it.
        let line = line_around(text, name.place.start);
        let lead = slice(text, line.start..name.place.start);
        // Inside of quotes or of a text with escaped line breaks
        let quote = lead.last().copied().filter(|last| is_quote(*last));
        let end = match quote {
            Some(quote) => memchr::memchr2(quote, b'\\', rest),
            None if lead.ends_with(b"\\n") => memchr::memchr2(b'"', b'\\', rest),
            None => None,
        };
        let is_first = (end.is_some() || quote.is_none() && lead.iter().all(|byte| is_blank(*byte)))
            && !slice(text, name.place.clone()).contains(&b' ');
        let label = without_comment(slice(rest, 0..end.unwrap_or(rest.len())));
        // `DB password: see the vault`
        if rest.get(written.len()) == Some(&b' ') && stand_ins::begins_sentence(written) {
            return None;
        }
        if (is_first || form == Form::Variable) && label.contains(&b' ') {
            let word = slice(text, name.place.clone());
            let sign = slice(text, name.place.end..place.start).trim_ascii_end();
            is_before_words = begins_with_value(written, label, word, sign, name.strength);
            let is_variable = form == Form::Variable && sign == b"=";
            if is_first && !is_before_words && (is_variable || stand_ins::is_stand_in(label)) {
                return None;
            }
        }
        if separator == Separator::Cell
            && !plausibility::looks_like(written, Evidence::Chosen, true)
            && rows::is_of_other_column(text, &place)
        {
            return None;
        }
        // Of several words in a cell, none is the value.
        if separator == Separator::Cell && rest.contains(&b' ') {
            let is_phrase = stand_ins::is_plain_phrase(rest) && name.strength == Strength::Strong;
            return is_phrase.then_some(place.start..place.start + rest.len());
        }
    }
    if is_list(text, name, &place) {
        return None;
    }
    place = without_user(text, name, place);
    if separator == Separator::Assignment
        && !is_quoted
        && let Some(phrase) = plain_phrase(text, name, &place)
    {
        return Some(phrase);
    }
    if separator == Separator::Assignment && !is_quoted && !is_below {
        place = extended_to_line_end(text, name, &place).unwrap_or(place);
    }
    let written = slice(text, place.clone());
    if *is_below && !is_quoted {
        let is_likely = plausibility::is_random(written) || name.strength == Strength::Strong;
        return (is_likely && is_secret(written, name, false)).then_some(place);
    }
    // A text that is not closed is the rest of an expression: `"&password=" + password`.
    let is_open = *is_quoted && !text.get(place.end).is_some_and(|byte| is_quote(*byte) || *byte == b'\\');
    if !judgement::is_secret(written, name.strength, form) || (is_open && written.iter().any(u8::is_ascii_whitespace)) {
        return None;
    }
    // A number is one in code too, unless a type before it says that it counts something.
    let is_number = is_number(written) && !is_typed;
    // Whether this is code is asked last, since it takes the longest.
    // So is a whole argument in quotes: `"password=…"`.
    let quote = name.place.start.checked_sub(1).and_then(|before| text.get(before)).filter(|byte| is_quote(**byte));
    let is_whole = quote.is_some() && text.get(place.end) == quote && name.strength == Strength::Strong;
    let is_data = *is_quoted || is_whole || is_number || is_before_words || is_secret(written, name, false) || !code::is_code(text, name, &place)
        // "luks passphrase = …"
        || (name.strength == Strength::Strong && plausibility::is_plain_phrase(written));
    let is_other = || is_key_of_table(text, name) || is_scope(text, name, &place);
    let word = slice(text, name.place.clone());
    (is_data && !is_other_key(word, name.strength, written) && !is_other()).then_some(place)
}

/// How the value of `name` is written. The name of an environment variable is in capitals.
fn form_under(name: &[u8]) -> Form {
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    if name.iter().all(is_capital) { Form::Variable } else { Form::Data }
}

/// Whether a line has a value and words after it, as in `DB_PASSWORD=hunter22 works on staging`, and no text about the
/// secret: `password=Mot de passe`, `DB_PASSWORD=set by CI`. `sign`: what is between the name and the value.
fn begins_with_value(value: &[u8], line: &[u8], name: &[u8], sign: &[u8], strength: Strength) -> bool {
    let rest = slice(line, value.len()..line.len());
    let has_letter = |word: &&[u8]| word.iter().any(u8::is_ascii_alphanumeric);
    let next = rest.split(u8::is_ascii_whitespace).find(has_letter).unwrap_or_default();
    let is_title = labels::is_title(line)
        && !matches!(next, b"is" | b"was")
        && !(value.len() >= MIN_CAPITALS && value.iter().all(u8::is_ascii_uppercase));
    let may_be_word = !is_title && !stand_ins::begins_sentence(value);
    let is_word =
        value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'(' | b'[' | b'<' | b'.' | b','));
    if form_under(name) == Form::Variable {
        // Elsewhere, a description may follow: `DB_PASSWORD: database password`.
        let is_followed = match sign.first() {
            Some(b'=') => true,
            Some(b':') => stand_ins::continues_subject(next),
            // In code, these are operators.
            _ => stand_ins::continues_subject(next) && !matches!(next, b"is" | b"in" | b"and" | b"or" | b"if" | b"not"),
        };
        // `${DB_PASSWORD:?required}`
        let is_operator = sign == b":" && value.first().is_some_and(|first| matches!(first, b'?' | b'-' | b'+' | b'='));
        if is_followed || !is_word && !is_operator {
            return (may_be_word || !is_word) && judgement::is_secret(value, strength, Form::Variable);
        }
    }
    // `password=OpenTheGates, then log in`, `password=sunshine works`; a label begins with a capital letter.
    let humps = value.windows(2).filter(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z'])).count();
    let is_label = value.first().is_some_and(u8::is_ascii_uppercase) && humps < 2;
    if is_word && sign == b"=" && !is_label && stand_ins::continues_subject(next) {
        return may_be_word && judgement::is_secret(value, strength, Form::Data);
    }
    // A label has no word with digits, except for those of formats and units.
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_long = letters >= 3 || value.len() >= 8;
    let is_subject = is_long && stand_ins::continues_subject(next) && !formats::is_algorithm(value);
    value.iter().any(u8::is_ascii_digit)
        && judgement::is_secret(value, strength, if is_subject { Form::Data } else { Form::Code })
}

/// A value without the comment after it: `… # for the staging database`
fn without_comment(value: &[u8]) -> &[u8] {
    let marks = [&b" #"[..], b"\t#", b" //", b" ;", b" --"];
    let end = marks.iter().filter_map(|mark| find(value, mark)).min();
    slice(value, 0..end.unwrap_or(value.len())).trim_ascii_end()
}

/// The value and the words after it, to the end of its cell or line.
fn rest_of_line<'t>(text: &'t [u8], value: &Range<usize>, separator: Separator) -> &'t [u8] {
    let line = line_around(text, value.start);
    let rest = slice(text, value.start..line.end);
    let cell = memchr::memchr(b'|', rest).filter(|_| separator == Separator::Cell);
    slice(rest, 0..cell.unwrap_or(rest.len())).trim_ascii()
}

/// Whether the value consists of parts that are judged by themselves: cookies, or a user and a password.
fn is_list(text: &[u8], name: &Name, value: &Range<usize>) -> bool {
    let word = slice(text, name.place.clone());
    let written = slice(text, value.clone());
    let is_pair = [&b"creds"[..], b"credentials", b"credential", b"zugangsdaten"]
        .iter()
        .any(|known| ends_ignoring_case(word, known))
        && (memchr::memchr2(b'/', b':', written).is_some_and(|at| at > 0)
            || text.get(value.end) == Some(&b':')
            || slice(text, value.end..text.len()).starts_with(b" / "));
    let is_pair = is_pair && !plausibility::is_random(written);
    is_pair || (ends_ignoring_case(word, b"cookie") && written.contains(&b'='))
}

fn is_secret(value: &[u8], name: &Name, is_data: bool) -> bool {
    judgement::is_secret(value, name.strength, if is_data { Form::Data } else { Form::Code })
}

/// Whether `value` is a number long enough to be a PIN.
fn is_number(value: &[u8]) -> bool {
    value.len() >= 4 && value.iter().all(u8::is_ascii_digit)
}

/// Whether `value` is a secret after `==` or as an argument: in a list of names, the next one is not a value.
fn is_argument(text: &[u8], name: &Name, separator: Separator, value: &Value) -> bool {
    let written = slice(text, value.place.clone());
    if !value.is_quoted {
        // In `password==…`, the second `=` belongs to the secret.
        let is_glued = separator == Separator::Comparison && text.get(value.place.start - 1) == Some(&b'=');
        let is_value =
            (is_glued && plausibility::is_random(written)) || (is_number(written) && sets(text, name, &value.place));
        return is_value && is_secret(written, name, true);
    }
    if value.is_below {
        return false;
    }
    // In a list of names, the next one is not a value.
    let is_value = sets(text, name, &value.place)
        || plausibility::is_stated_password(written, true) && !written.iter().any(u8::is_ascii_whitespace);
    is_value && is_secret(written, name, true)
}

/// Verbs of calls that do not set what they are given.
const READERS: [&[u8]; 6] = [b"get", b"read", b"ask", b"prompt", b"find", b"validate"];

/// Whether the name is an option in a list of arguments, or an argument of a call that sets it, or that call itself.
fn sets(text: &[u8], name: &Name, value: &Range<usize>) -> bool {
    const VERBS: &[&str] = &[
        "set", "put", "define", "add", "append", "insert", "with", "header", "env", "property", "arg", "field", "fill",
        "type", "keys",
    ];
    let word = slice(text, name.place.clone());
    if word.starts_with(b"--") {
        let written = slice(text, value.clone());
        return !written.starts_with(b"-") && !written.starts_with(b"id=");
    }
    let lead = slice(text, name.place.start.saturating_sub(64)..name.place.start);
    // `fill("#password", "…")`
    let opened = lead.iter().rposition(|byte| !is_quote(*byte) && !is_blank(*byte) && *byte != b'#');
    if let Some(open) = opened.filter(|open| lead.get(*open) == Some(&b'(')) {
        let called = run_start(lead, open, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let called = slice(lead, called..open).to_ascii_lowercase();
        return VERBS.iter().any(|verb| find(&called, verb.as_bytes()).is_some());
    }
    // `ds.setPassword("…")`, `builder.password("…")`
    let is_called = text.get(name.place.end) == Some(&b'(') && text.get(value.end + 1) == Some(&b')');
    let method = memchr::memrchr(b'.', word).map_or(word, |dot| slice(word, dot + 1..word.len()));
    let is_verb = |verb: &&[u8]| starts_ignoring_case(method, verb);
    is_called
        && (word.starts_with(b"set")
            || word.starts_with(b"with")
            || word.contains(&b'.') && !READERS.iter().any(is_verb) && !word.starts_with(b"get"))
}

/// As [`accepted`], after white space only: the value of an option or variable.
fn accepted_after_blank(text: &[u8], name: &Name, value: &Value) -> Option<Range<usize>> {
    let Value { place, is_quoted, .. } = value;
    let mut place = place.clone();
    let written = slice(text, place.clone());
    if is_of_netrc(text, name) {
        let is_plain = plausibility::is_stand_in(written) || written.starts_with(b"$");
        return (!is_plain).then_some(place);
    }
    let is_looked_up = name
        .place
        .start
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|before| matches!(before, b'$' | b'{' | b'%'));
    if is_looked_up {
        return None;
    }
    if !is_quoted {
        if written.starts_with(b"-") || (written.contains(&b'=') && !plausibility::is_random(written)) {
            return None;
        }
        if !is_option(text, name) && !plausibility::is_random(written) {
            return None;
        }
        if slice(text, name.place.clone()).starts_with(b"-") {
            if is_mentioned(text, name, &place) {
                return None;
            }
            // An option's value ends with the word.
            let end = run_end(text, place.start, MAX_BARE, |byte| !byte.is_ascii_whitespace() && !is_quote(byte));
            place.end = end.max(place.end);
            while matches!(text.get(place.end - 1), Some(b']' | b')')) && place.end > place.start + 1 {
                place.end -= 1;
            }
        } else if !is_assigned(text, name) {
            let is_likely = plausibility::looks_like(written, Evidence::Chosen, false);
            return (is_likely && is_secret(written, name, true)).then_some(place);
        }
    }
    // "secret 'db-credentials' not found": the name of a secret
    let is_of_kubernetes = *is_quoted
        && slice(text, name.place.clone()).eq_ignore_ascii_case(b"secret")
        && written.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
        && written.contains(&b'-')
        && !plausibility::is_random(written);
    if is_of_kubernetes {
        return None;
    }
    // In documentation, back quotes mark a word of code.
    let is_word = *is_quoted && text.get(place.end) == Some(&b'`');
    let written = slice(text, place.clone());
    let is_likely = !is_word || plausibility::looks_like(written, Evidence::Chosen, true);
    (is_likely && is_secret(written, name, true)).then_some(place)
}

/// Whether an option is only mentioned in a sentence or in help, so that the next word is not its value.
fn is_mentioned(text: &[u8], name: &Name, value: &Range<usize>) -> bool {
    const NOUNS: [&[u8]; 12] = [
        b"option",
        b"options",
        b"flag",
        b"flags",
        b"argument",
        b"arguments",
        b"parameter",
        b"switch",
        b"value",
        b"prompt",
        b"file",
        b"instead",
    ];
    let written = slice(text, value.clone());
    let rest = slice(text, value.end..text.len().min(value.end + 2));
    let is_word = written.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'.');
    let is_followed = matches!(rest, [b' ', next] if next.is_ascii_alphabetic()) || matches!(rest, [b' ', b' ']);
    let is_closed = text.get(name.place.end).is_some_and(|byte| is_quote(*byte));
    is_closed
        || (is_word && (is_followed || NOUNS.iter().any(|noun| written.strip_suffix(b".").unwrap_or(written) == *noun)))
        || (is_of_key(slice(text, name.place.clone())) && formats::is_file(written))
}

/// Whether a name is one of keys or tokens, which in prose are things as often as texts.
pub(crate) fn is_of_key(name: &[u8]) -> bool {
    [&b"key"[..], b"keys", b"token", b"tokens"].iter().any(|word| ends_ignoring_case(name, word))
}

/// The words of a passphrase in a settings file: `passphrase: correct horse battery staple`.
fn plain_phrase(text: &[u8], name: &Name, value: &Range<usize>) -> Option<Range<usize>> {
    let noun = slice(text, name.place.clone());
    let is_other = is_of_key(noun) || ends_ignoring_case(noun, b"secret") || ends_ignoring_case(noun, b"s");
    if name.strength < Strength::Strong || is_other {
        return None;
    }
    // `NAME=value command` ends with the word.
    if !value.start.checked_sub(1).and_then(|before| text.get(before)).is_some_and(|before| is_blank(*before)) {
        return None;
    }
    let line = line_around(text, value.start);
    let rest = slice(text, value.start..line.end);
    // Most lines need not be read to their end.
    let word = run_end(rest, 0, rest.len(), |byte| byte.is_ascii_lowercase());
    if word < 3 || rest.get(word) != Some(&b' ') {
        return None;
    }
    // The line may be in a string of JSON, an element or a cell.
    let end = rest.iter().position(|byte| is_quote(*byte) || matches!(byte, b'\\' | b'<' | b'|' | b'#'));
    let rest = slice(rest, 0..end.unwrap_or(rest.len())).trim_ascii_end();
    stand_ins::is_plain_phrase(rest).then(|| value.start..value.start + rest.len())
}

/// In a settings file, the value extends to the end of the line, whatever punctuation it contains.
fn extended_to_line_end(text: &[u8], name: &Name, value: &Range<usize>) -> Option<Range<usize>> {
    // In Chinese and Japanese, a sentence follows.
    if text.get(value.end).is_some_and(|next| *next >= 0xe3) {
        return None;
    }
    let line = line_around(text, name.place.start);
    let lead = slice(text, line.start..name.place.start);
    let is_alone = lead.len() <= 48
        && lead.iter().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b' ' | b'\t' | b'-' | b'$' | b':' | b'|' | b'+' | b'_' | b'.' | b'>')
        });
    if !is_alone {
        return None;
    }
    let rest = text.get(value.start..line.end)?;
    let word = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
    let after = slice(rest, word..rest.len()).trim_ascii_start();
    let is_last = after.is_empty() || after.starts_with(b"#") || after.starts_with(b"//");
    let is_expression =
        rest.iter().take(word).any(|byte| is_quote(*byte) || matches!(byte, b'(' | b'{' | b'[' | b'<' | b'\\' | 0x1b));
    let mut end = value.start + word;
    while end > value.start && matches!(text.get(end - 1), Some(b';' | b',' | b'\r')) {
        end -= 1;
    }
    // In a shell, another command or a file may follow.
    let tail = text.get(value.end..end)?;
    if tail.contains(&b'|') || tail.contains(&b'>') || find(tail, b"&&").is_some() {
        return None;
    }
    // The end of an emphasis: `**…**`
    if tail.iter().all(|byte| *byte == b'*') && text.get(value.start.wrapping_sub(1)) == Some(&b'*') {
        return None;
    }
    // The end of a text in JSON: `…"}`
    let is_mark = |byte: &u8| is_quote(*byte) || matches!(byte, b'}' | b']' | b')' | b',');
    if tail.len() > 1 && tail.first().is_some_and(|first| is_quote(*first)) && tail.iter().all(is_mark) {
        return None;
    }
    // Several settings on one line, as in a connection string, are separated by what ended the value above.
    let is_list = tail.windows(2).any(|pair| matches!(pair, [b';' | b'&' | b',', _])) && tail.contains(&b'=');
    (is_last && !is_list && (!is_expression || !lead.trim_ascii().contains(&b' ')) && end > value.end)
        .then_some(value.start..end)
}

/// The value in a pair of `name` and `value`: `{"name": "DB_PASSWORD", "value": "…"}`, `<add key="Password"
/// value="…"/>`, `variable "db_password" { default = "…" }`.
fn value_of_pair(text: &[u8], name: &Name, closed: usize) -> Option<Range<usize>> {
    let between = run_end(text, closed, MAX_PAIR, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b'\\' | b'-' | b'{')
    });
    if between == closed || slice(text, closed..between).ends_with(b"- ") {
        return None;
    }
    let rest = text.get(between..)?;
    let word =
        [&b"value"[..], b"Value", b"VALUE", b"default", b"type"].into_iter().find(|word| rest.starts_with(word))?;
    let mut end = between + word.len();
    if word == b"type" {
        let block = slice(text, end..text.len().min(end + MAX_PAIR));
        let inner = memchr::memchr(b'}', block).unwrap_or(block.len());
        end += find(slice(block, 0..inner), b"default")? + b"default".len();
    }
    let sign = run_end(text, end, MAX_GAP, |byte| is_blank(byte) || is_quote(byte) || byte == b'\\');
    if !matches!(text.get(sign), Some(b':' | b'=')) {
        return None;
    }
    let value = value_at(text, sign + 1)?;
    accepted(text, name, Separator::Assignment, &value, false)
}
