//! Values that a sentence or a comment states before the word for them: "… is the password of the admin", »… ist das
//! Passwort«, "… (API key of the scheduler)", `login(user, "…")  # password`.
//!
//! A word of the language is taken only from quotes or code marks.

use std::ops::Range;

use crate::classify::formats;
use crate::classify::judgement::{self, Form};
use crate::classify::labels;
use crate::classify::names::{self, Strength};
use crate::classify::password_cues::{Cue, Cues};
use crate::classify::plausibility::{self, Evidence};
use crate::detect::announced;
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::detect::stated;
use crate::mark::tag;
use crate::text::bytes::{is_blank, is_quote, line_around, run_end, run_start, slice};

/// How many words may be between a value and its word.
const MAX_BETWEEN: usize = 5;
/// The longest text between a value and its word in a script without spaces, in bytes.
const MAX_WIDE: usize = 60;
/// The longest comment that names a value, in bytes.
const MAX_COMMENT: usize = 48;

/// The value before `name`, in a sentence.
pub(crate) fn stated(text: &[u8], name: &Name, is_foreign: bool) -> Option<Range<usize>> {
    let is_wide = text.get(name.place.start).is_some_and(|first| *first >= 0xe3);
    if is_wide {
        return wide(text, name);
    }
    if !is_last_noun(text, name.place.end, is_foreign) || is_negated(text, name.place.end) {
        return None;
    }
    let mut end = name.place.start;
    // "… (password)"
    if slice(text, 0..end).ends_with(b" (") {
        return candidate(text, end - 1, name);
    }
    // "… salasanana", "…'i şifre olarak"
    let noun = slice(text, name.place.clone());
    let follows = |words: &[&str]| {
        let after = slice(text, name.place.end..text.len());
        words.iter().any(|word| after.starts_with(word.as_bytes()))
    };
    // "… şifresiyle"
    let is_instrumental = noun.ends_with(b"siyle") || noun.ends_with("sıyla".as_bytes());
    let is_essive = noun.ends_with(b"sanana") || is_instrumental || follows(&[" olarak ", " ile "]);
    if is_foreign && is_essive {
        return candidate(text, end, name);
    }
    // "lösenordsfritt" is another word.
    if is_foreign && names::strength(noun) == Strength::None && !noun.ends_with(b"passe") {
        return None;
    }
    for count in 0..MAX_BETWEEN {
        let (raw, start) = stated::word_before(text, end)?;
        let word = slice(text, raw);
        if let [b'(', rest @ ..] = word {
            return (count < 3 && rest.iter().all(u8::is_ascii_alphabetic))
                .then(|| candidate(text, start, name))
                .flatten();
        }
        let cues = Cues::of(word);
        if cues.has(Cue::IntroducesBackwards) || (is_foreign && cues.has(Cue::IntroducesBackwardsForeign)) {
            let before = past_pronoun(text, start);
            return candidate(text, before, name);
        }
        let is_word = word.len() <= 32
            && !is_negation(word)
            && word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'\'');
        if !is_word {
            return None;
        }
        end = start;
    }
    None
}

/// Whether the noun that ends at `at` is the last of its group: "the password", but not "the password hash".
pub(crate) fn is_last_noun(text: &[u8], at: usize, is_foreign: bool) -> bool {
    const FUNCTION_WORDS: [&[u8]; 40] = [
        b"of",
        b"for",
        b"to",
        b"on",
        b"in",
        b"at",
        b"from",
        b"with",
        b"by",
        b"and",
        b"or",
        b"now",
        b"here",
        b"too",
        b"then",
        b"there",
        b"again",
        b"which",
        b"that",
        b"when",
        b"where",
        b"as",
        b"until",
        b"since",
        b"please",
        b"not",
        b"but",
        b"so",
        b"if",
        b"because",
        b"we",
        b"i",
        b"you",
        b"it",
        b"they",
        b"everywhere",
        b"today",
        b"only",
        b"we're",
        b"you'll",
    ];
    match text.get(at) {
        None | Some(b'.' | b',' | b';' | b'!' | b'?' | b')' | b'\n' | b'\r' | b'"' | b'\\') => true,
        Some(b' ') => {
            let end = run_end(text, at + 1, 16, |byte| byte.is_ascii_alphabetic() || byte == b'\'');
            let word = slice(text, at + 1..end);
            is_foreign || word.is_empty() || FUNCTION_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
        }
        _ => false,
    }
}

/// Whether a negation follows the noun that ends at `at`.
fn is_negated(text: &[u8], at: usize) -> bool {
    let end = run_end(text, at + 1, 16, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    text.get(at + 1..end).is_some_and(is_negation)
}

fn is_negation(word: &[u8]) -> bool {
    const NEGATIONS: [&str; 16] = [
        "not", "no", "kein", "keine", "nicht", "pas", "non", "não", "niet", "geen", "nie", "inte", "ikke", "ei", "не",
        "δεν",
    ];
    NEGATIONS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// The end of what is before a pronoun that ends at `at`: "…, that is the password".
fn past_pronoun(text: &[u8], at: usize) -> usize {
    const PRONOUNS: [&[u8]; 16] = [
        b"that",
        b"this",
        b"it",
        b"which",
        b"das",
        b"dies",
        b"ce",
        b"esto",
        b"eso",
        b"isso",
        b"questo",
        b"dat",
        b"to",
        b"det",
        b"se",
        b"\xd0\xb2",
    ];
    match stated::word_before(text, at) {
        Some((word, start)) if PRONOUNS.iter().any(|known| slice(text, word.clone()).eq_ignore_ascii_case(known)) => {
            start
        }
        _ => at,
    }
}

/// The value whose word, with the marks around it, ends before `end`.
fn candidate(text: &[u8], end: usize, name: &Name) -> Option<Range<usize>> {
    let (mut raw, mut start) = stated::word_before(text, end).or_else(|| {
        // Directly before a bracket or a line end.
        let stop = run_start(text, end, 1, |byte| byte == b' ');
        let start = run_start(text, stop, 128, |byte| !byte.is_ascii_whitespace());
        (start < stop).then_some((start..stop, start))
    })?;
    // A dash between
    if matches!(slice(text, raw.clone()), b"-" | [0xe2, 0x80, 0x93 | 0x94]) {
        (raw, start) = stated::word_before(text, start)?;
    }
    // « … »
    if [&b"\xc2\xbb"[..], b"\xe2\x80\xba"].contains(&slice(text, raw.clone())) {
        let (inner, _) = stated::word_before(text, start)?;
        let opened = slice(text, 0..inner.start).trim_ascii_end();
        let is_opened = opened.ends_with(b"\xc2\xab") || opened.ends_with(b"\xe2\x80\xb9");
        return is_opened.then_some(inner).filter(|inner| announced::accepts(text, name, inner));
    }
    let (place, is_quoted) = unquoted(text, raw);
    let value = slice(text, place.clone());
    if is_quoted {
        return (!value.starts_with(b"-") && !value.is_empty() && announced::accepts(text, name, &place))
            .then_some(place);
    }
    // "secret" often means something else.
    let is_vague = slice(text, name.place.clone()).eq_ignore_ascii_case(b"secret") && !plausibility::is_key(value);
    (!is_ticket(value) && !is_vague && stated::is_password(text, &place, name, true, true)).then_some(place)
}

/// The word at `raw` without the marks around it, and whether it was in quotes or code marks.
fn unquoted(text: &[u8], raw: Range<usize>) -> (Range<usize>, bool) {
    let bytes = slice(text, raw.clone());
    // `\"…\"` in JSON
    let escape = bytes.iter().take_while(|byte| **byte == b'\\').count();
    let comma = usize::from(bytes.ends_with(b","));
    let rest = slice(bytes, escape..bytes.len() - comma);
    if let Some(quote @ (b'"' | b'\'' | b'`')) = rest.first().copied()
        && let Some(length) = memchr::memchr(quote, slice(rest, 1..rest.len())).filter(|length| *length > 0)
    {
        let start = raw.start + escape + 1;
        let end = start + length;
        // An argument of a call
        if slice(rest, 1 + length..rest.len()).contains(&b')') {
            return (start..start, true);
        }
        let end = run_start(text, end, end - start, |byte| byte == b'\\');
        // A suffix may follow in Turkish and Korean.
        return (start..end, true);
    }
    let word = stated::word_at(text, raw.clone());
    let is_quoted =
        word.is_quoted || (word.place.start >= raw.start + 2 && text.get(word.place.start - 1) >= Some(&0x80));
    let mut place = word.place;
    // "…'i", "…'yi"
    let written = slice(text, place.clone());
    let is_suffix = |sign: &usize| {
        written.len() - sign <= 4 && slice(written, sign + 1..written.len()).iter().all(u8::is_ascii_alphabetic)
    };
    if let Some(sign) = memchr::memrchr(b'\'', written).filter(is_suffix) {
        place.end = place.start + sign;
    }
    (place, is_quoted)
}

/// `CVE-2024-1234`, `RFC6749`, `PROJ-12`: the number of a document.
fn is_ticket(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let rest = slice(value, letters..value.len());
    letters >= 2 && !rest.is_empty() && rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
}

/// As [`stated`], in a script without spaces: `用 … 作为密码`, `… がパスワードです`, `… 를 비밀번호로`.
fn wide(text: &[u8], name: &Name) -> Option<Range<usize>> {
    #[rustfmt::skip]
    const CUES: [&str; 24] = [
        "是", "就是", "即", "为", "為", "作为", "作為", "当作", "當作", "当", "做", "设为", "設為", "设置为", "改为", "成",
        "が", "は", "を", "가", "이", "를", "을", "은",
    ];
    #[rustfmt::skip]
    const AFTER: [&str; 26] = [
        "。", "，", "、", "！", "？", "；", "）", "」", "』", "吧", "了", "来", "です", "だ", "として", "に", "と", "で",
        "입니다", "이에요", "예요", "이다", "로", "으로", "이고", "이며",
    ];
    let after = slice(text, name.place.end..text.len());
    let is_last =
        after.first().is_none_or(|next| *next < 0x80) || AFTER.iter().any(|it| after.starts_with(it.as_bytes()));
    // "… 비밀번호 해시": another noun follows.
    let is_followed = matches!(after, [b' ', 0xe3..=0xed, ..]);
    if !is_last || is_followed || labels::continues_noun(after) {
        return None;
    }
    let from = run_start(text, name.place.start, MAX_WIDE, |byte| byte == b' ' || byte >= 0x80);
    let between = slice(text, from..name.place.start);
    // Up to the last mark that closes a quotation or a clause.
    const MARKS: [&str; 7] = ["」", "』", "”", "’", "。", "，", "、"];
    let mark = MARKS
        .iter()
        .filter_map(|mark| Some((memchr::memmem::rfind(between, mark.as_bytes())?, mark)))
        .max_by_key(|(at, _)| *at);
    let (place, rest) = match mark {
        Some((_, &("。" | "，" | "、"))) => return None,
        Some((at, mark)) => {
            let open = match *mark {
                "」" => "「",
                "』" => "『",
                "”" => "“",
                _ => "‘",
            };
            let close = from + at;
            let lead = slice(text, close.saturating_sub(MAX_WIDE)..close);
            let start = close - lead.len() + memchr::memmem::rfind(lead, open.as_bytes())? + open.len();
            (start..close, slice(text, close + mark.len()..name.place.start))
        }
        None => {
            let end = from;
            let start = run_start(text, end, 128, |byte| !byte.is_ascii_whitespace() && byte < 0x80);
            let (place, is_quoted) = unquoted(text, start..end);
            let is_likely = is_quoted
                || !is_ticket(slice(text, place.clone())) && stated::is_password(text, &place, name, true, true);
            (is_likely.then_some(place)?, between)
        }
    };
    let rest = rest.trim_ascii_start();
    let is_stated = CUES.iter().any(|cue| rest.starts_with(cue.as_bytes()));
    (is_stated && !place.is_empty() && announced::accepts(text, name, &place)).then_some(place)
}

/// The value before a comment that consists of `name`: `login(user, "…")  # database password`.
pub(crate) fn commented(text: &[u8], name: &Name) -> Option<Range<usize>> {
    if !matches!(
        slice(text, name.place.end..text.len()),
        [] | [b'\n' | b'\r', ..] | [b'\\', b'n', ..] | [b'"', b'}' | b',', ..]
    ) {
        return None;
    }
    let line = line_around(text, name.place.start);
    let from = line.start.max(name.place.start.saturating_sub(MAX_COMMENT));
    let lead = slice(text, from..name.place.start);
    let is_of_comment = |byte: u8| byte.is_ascii_alphabetic() || byte == b' ' || byte == b'_';
    let sign = run_start(lead, lead.len(), MAX_COMMENT, is_of_comment);
    let lead = slice(lead, 0..sign);
    let length = [&b"#"[..], b"//", b"--", b"/*"].iter().find(|sign| lead.ends_with(sign)).map(|sign| sign.len())?;
    let phrase = slice(text, from + sign..name.place.end).trim_ascii();
    let is_negated = phrase
        .split(|byte| *byte == b' ')
        .any(|word| [&b"not"[..], b"no", b"wrong", b"invalid", b"bad", b"fake", b"hashed", b"old"].contains(&word));
    if is_negated || phrase.split(|byte| *byte == b' ').count() > 4 || names::strength(phrase) < Strength::Strong {
        return None;
    }
    let end = from + lead.len() - length;
    let start = row_start(text, line.start, end);
    let code = slice(text, start..end).trim_ascii();
    let is_blank_before = text.get(end.wrapping_sub(1)).is_some_and(|byte| is_blank(*byte));
    let end = start + slice(text, start..end).trim_ascii_end().len();
    let close = code.iter().rposition(|byte| is_quote(*byte));
    let place = match close {
        Some(close) => {
            let quote = *code.get(close)?;
            let close = end - code.len() + close;
            let open = memchr::memrchr(quote, slice(text, start..close)).map(|at| start + at)?;
            // Only brackets and punctuation follow the text.
            let is_end =
                slice(text, close + 1..end).iter().all(|byte| matches!(byte, b')' | b']' | b'}' | b';' | b',' | b' '));
            let inner_end = run_start(text, close, 4, |byte| byte == b'\\');
            (is_end && open < inner_end).then_some(open + 1..inner_end)?
        }
        // The last argument of a command, or all of the line
        None => run_start(text, end, code.len(), |byte| !byte.is_ascii_whitespace())..end,
    };
    let value = slice(text, place.clone());
    let is_digest = value.len() >= 32 && value.iter().all(u8::is_ascii_hexdigit);
    // `bcrypt>=4.0`, `pbkdf2_sha256`
    let is_requirement = value.windows(2).any(|pair| matches!(pair, b">=" | b"==" | b"~=" | b"<="));
    let is_algorithm = || value.split(|byte| matches!(byte, b'_' | b'-' | b':')).any(formats::is_algorithm);
    let is_likely = plausibility::is_stated_password(value, true)
        || close.is_some() && plausibility::looks_like(value, Evidence::Generated, true);
    let is_secret = is_blank_before
        && is_likely
        && !is_digest
        && !is_requirement
        && !is_algorithm()
        && !is_ticket(value)
        && (!keyed::is_of_key(phrase) || plausibility::is_key(value))
        && !tag::starts_placeholder(value)
        && judgement::is_secret(value, Strength::Strong, Form::Data);
    is_secret.then_some(place)
}

/// Where the line of code starts that ends at `end`, if its line breaks are escaped in a text of JSON.
fn row_start(text: &[u8], line: usize, end: usize) -> usize {
    let before = slice(text, line..end);
    let step = memchr::memmem::rfind(before, b"\\n").map(|at| at + 2);
    line + step
        .or_else(|| memchr::memmem::rfind(before, b"\": \"").filter(|_| before.starts_with(b"{")).map(|at| at + 4))
        .unwrap_or_default()
}
