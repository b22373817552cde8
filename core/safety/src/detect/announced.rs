//! Passwords that a sentence announces by its punctuation: in quotes, behind a colon, or as a number. Such a value may
//! be an ordinary word.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::labels;
use crate::classify::names::{self, Strength};
use crate::classify::password_cues::{Cue, Cues};
use crate::classify::plausibility;
use crate::classify::stand_ins;
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::detect::other_uses;
use crate::mark::tag;
use crate::text::bytes::{
    contains_ignoring_case, ends_ignoring_case, find, is_blank, run_end, run_start, slice, starts_ignoring_case,
};

/// How far after its word a value is searched for, in bytes and in words.
const REACH: usize = 160;
const MAX_WORDS: usize = 8;
/// How many words may be between a verb and the value.
const MAX_BETWEEN: usize = 3;
/// The longest text in quotes, in bytes.
const MAX_QUOTED: usize = 128;

/// Opening quotation marks, and the marks that close them.
const QUOTES: [(&str, &[&str]); 14] = [
    ("\"", &["\""]),
    ("'", &["'"]),
    ("`", &["`"]),
    ("“", &["”", "“"]),
    ("„", &["“", "”"]),
    ("”", &["”"]),
    ("‘", &["’", "‘"]),
    ("‚", &["‘", "’"]),
    ("’", &["’"]),
    ("«", &["»"]),
    ("»", &["«", "»"]),
    ("‹", &["›"]),
    ("「", &["」"]),
    ("『", &["』"]),
];

/// What in the sentence so far says that a value follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Announced {
    No,
    /// A verb or a dash, so many words ago.
    By(usize),
    /// A colon.
    Colon,
}

/// The value that the sentence announces after `name`, a word for a password.
pub(crate) fn value(text: &[u8], name: &Name, is_foreign: bool) -> Option<Range<usize>> {
    let noun = slice(text, name.place.clone());
    if name.strength != Strength::Strong && !keyed::is_of_key(noun) {
        return None;
    }
    // What is glued to the word belongs to code or to a setting, which was examined as such.
    if !matches!(text.get(name.place.end), Some(b' ' | 0x80..)) {
        return None;
    }
    let end = run_end(text, name.place.end, REACH, |byte| byte != b'\n');
    if !slice(text, name.place.end..end).iter().any(|byte| is_of_announcement(*byte)) {
        return None;
    }
    if labels::continues_noun(slice(text, name.place.end..end)) {
        return None;
    }
    let asks = asks_to_use(text, name);
    let mut announced = if asks { Announced::By(0) } else { Announced::No };
    let mut at = name.place.end;
    for count in 0..MAX_WORDS {
        at = run_end(text, at, 4, is_blank);
        if at >= end || text.get(at) == Some(&b'|') {
            return None;
        }
        // `「…」` may follow a particle of a script without spaces.
        let rest = slice(text, at..end);
        if let Some(inner) = quoted(rest) {
            let inner = at + inner.start..at + inner.end;
            let is_mark = text.get(at) == Some(&b'`') || text.get(at) == Some(&b'\'');
            let is_announced = announced != Announced::No || (!is_mark && count == 0) || is_foreign;
            return (is_announced && accepts(text, name, &inner)).then_some(inner);
        }
        if let Some(sign) = sign(rest) {
            at += sign;
            announced = Announced::By(count);
            continue;
        }
        if let Some(colon) = [":", "："].into_iter().find(|colon| rest.starts_with(colon.as_bytes())) {
            // `vault:path`, and `password:`, which was examined as a setting.
            if colon.len() == 1 && (count == 0 || !rest.get(1).is_some_and(u8::is_ascii_whitespace)) {
                return None;
            }
            at += colon.len();
            announced = Announced::Colon;
            continue;
        }
        let word = word_at(rest, is_foreign);
        if word.is_empty() {
            return None;
        }
        let place = at..at + word.len();
        at = place.end;
        let is_near = match announced {
            Announced::No => is_foreign && count < MAX_BETWEEN,
            Announced::By(since) => count <= since + MAX_BETWEEN,
            Announced::Colon => true,
        };
        // `パスワードは"…"`: a quotation mark opens.
        let opens = matches!(text.get(at), Some(b'"' | b'\\')) && is_topic(slice(text, place.clone()));
        let is_last = !opens && is_end_of_clause(slice(text, at..end));
        if is_near && is_value(text, name, &place, announced, is_last) {
            return Some(place);
        }
        if announced == Announced::Colon {
            return None;
        }
        let written = slice(text, place);
        let cues = Cues::of(written);
        // "password policy", "secret manager": something else than a password.
        if count == 0 && !is_foreign && !asks && !cues.has(Cue::Introduces) && !is_preposition(written) {
            return None;
        }
        if cues.has(Cue::Introduces) {
            announced = Announced::By(count);
        } else if cues.has(Cue::Redirects) && (announced != Announced::No || !is_preposition(written)) {
            return None;
        }
        if is_last && !slice(text, at..end).trim_ascii_start().starts_with(b":") {
            return None;
        }
    }
    None
}

/// Bytes of quotation marks, colons, dashes and values, without one of which nothing is announced.
const fn is_of_announcement(byte: u8) -> bool {
    byte.is_ascii_digit() || byte >= 0x80 || matches!(byte, b':' | b'-' | b'=' | b'"' | b'\'' | b'`')
}

/// Whether a word of a script without spaces ends in a particle or verb that a value follows.
fn is_topic(word: &[u8]) -> bool {
    ["是", "为", "為", "は", "が", "는", "은", "가", "이"].iter().any(|end| word.ends_with(end.as_bytes()))
}

/// `for`, `to`, `on`: words between a password and what it opens.
fn is_preposition(word: &[u8]) -> bool {
    const OTHERS: [&[u8]; 14] = [
        b"del", b"della", b"dello", b"de", b"du", b"des", b"do", b"da", b"der", b"per", b"van", b"voor", b"von",
        b"till",
    ];
    matches!(word, b"for" | b"of" | b"to" | b"on" | b"at" | b"in") || OTHERS.contains(&word)
}

/// "use the password …"
fn asks_to_use(text: &[u8], name: &Name) -> bool {
    let before = slice(text, name.place.start.saturating_sub(24)..name.place.start);
    let words: Vec<_> = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    words
        .iter()
        .rev()
        .take(3)
        .any(|word| matches!(word.to_ascii_lowercase().as_slice(), b"use" | b"try" | b"enter" | b"with"))
}

/// The inside of the quoted text that `rest` starts with.
fn quoted(rest: &[u8]) -> Option<Range<usize>> {
    let escaped = run_end(rest, 0, 8, |byte| byte == b'\\');
    let opened = slice(rest, escaped..rest.len());
    let (open, closing) = QUOTES.iter().find(|(open, _)| opened.starts_with(open.as_bytes()))?;
    let mut start = escaped + open.len();
    // « … »
    start += [" ", "\u{a0}", "\u{202f}"]
        .iter()
        .find(|space| slice(rest, start..rest.len()).starts_with(space.as_bytes()))
        .map_or(0, |space| space.len());
    let inner = slice(rest, start..rest.len().min(start + MAX_QUOTED));
    let length = closing.iter().filter_map(|mark| find(inner, mark.as_bytes())).min()?;
    let text = slice(inner, 0..length);
    let bare = text.trim_ascii_end();
    let bare = ["\u{a0}", "\u{202f}", "\\"]
        .iter()
        .fold(bare, |bare, space| bare.strip_suffix(space.as_bytes()).unwrap_or(bare));
    (!bare.is_empty()).then_some(start..start + bare.len())
}

/// The length of a dash or an arrow.
fn sign(rest: &[u8]) -> Option<usize> {
    ["—", "–", "→", "->", "=>", "= ", "- "].iter().find(|sign| rest.starts_with(sign.as_bytes())).map(|sign| sign.len())
}

/// The word that `rest` starts with: up to white space, a quotation mark, or in a script without spaces a change of
/// script.
fn word_at(rest: &[u8], is_foreign: bool) -> &[u8] {
    let is_wide = is_foreign && rest.first().is_some_and(|first| *first >= 0xe3);
    let ends = |byte: &u8| match is_wide {
        true => *byte < 0x80,
        false => {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b',' | b';' | b':') || (is_foreign && *byte >= 0xe3)
        }
    };
    let mut length = rest.iter().position(ends).unwrap_or(rest.len());
    if is_wide {
        // Up to the quotation mark inside.
        let run = slice(rest, 0..length);
        let is_mark = |at: &usize| {
            let rest = slice(run, *at..run.len());
            rest.starts_with("：".as_bytes()) || QUOTES.iter().any(|(open, _)| rest.starts_with(open.as_bytes()))
        };
        // These marks start with a byte that letters of such a script rarely start with.
        let mut marks = (1..run.len()).filter(|at| matches!(run.get(*at), Some(0xc2 | 0xe2 | 0xe3 | 0xef)));
        length = marks.find(is_mark).unwrap_or(length);
    }
    let mut word = slice(rest, 0..length);
    while let [before @ .., b'.' | b'!' | b'?' | b')' | b'}' | b']' | b'\''] = word {
        word = before;
    }
    word
}

/// Whether nothing of the clause follows a value but punctuation.
fn is_end_of_clause(rest: &[u8]) -> bool {
    // After a space, a quotation mark opens.
    let is_closed = matches!(rest.first(), Some(b'"' | b'\\'));
    let rest = rest.trim_ascii_start();
    is_closed || matches!(rest.first(), None | Some(b'.' | b',' | b';' | b'!' | b'?' | b')' | b'}' | b'<' | b'|'))
        // Including the verbs and particles that follow a value in Korean and Japanese.
        || ["。", "，", "、", "！", "」", "입니다", "이다", "예요", "이에요", "이니", "이고", "이며", "인데", "로 ", "으로", "です", "だ", "に"].iter().any(|mark| rest.starts_with(mark.as_bytes()))
}

/// Whether the text in quotes is a value of `name`.
pub(crate) fn accepts(text: &[u8], name: &Name, place: &Range<usize>) -> bool {
    let value = slice(text, place.clone());
    if tag::starts_placeholder(value) {
        return false;
    }
    // A key or token is generated.
    let is_key = keyed::is_of_key(slice(text, name.place.clone()));
    // These words often mean something else than a password.
    let is_vague = [&b"secret"[..], b"clave", b"chave", b"parola"]
        .iter()
        .any(|word| slice(text, name.place.clone()).eq_ignore_ascii_case(word));
    let is_likely = match () {
        () if is_key => {
            let is_stated = || plausibility::is_phrase(value) || plausibility::is_stated_password(value, true);
            plausibility::is_key(value) || (name.strength == Strength::Strong && is_stated())
        }
        () if is_vague => plausibility::is_stated_password(value, true) || plausibility::is_phrase(value),
        () => true,
    };
    let lead = || slice(text, name.place.start.saturating_sub(48)..name.place.start);
    is_likely
        && !(is_key && name.strength < Strength::Strong && other_uses::is_of_table(lead()))
        && judgement::is_secret(value, Strength::Strong, Form::Data)
}

fn is_value(text: &[u8], name: &Name, place: &Range<usize>, announced: Announced, is_last: bool) -> bool {
    let word = slice(text, place.clone());
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = digits == word.len();
    let is_mixed = digits > 0 && word.iter().any(u8::is_ascii_alphabetic);
    let noun = slice(text, name.place.clone());
    let (is_key, is_foreign_key) = (keyed::is_of_key(noun), is_foreign_key(noun));
    let is_likely = match announced {
        // In a language of which only this name is known, the verb may be missing or unknown.
        _ if is_key || is_foreign_key => {
            let is_stated = || is_last && plausibility::is_stated_password(word, true);
            match announced {
                Announced::No => is_foreign_key && is_stated(),
                _ => plausibility::is_key(word) || (name.strength == Strength::Strong && is_stated()),
            }
        }
        Announced::Colon => is_last && !is_interjection(text, place),
        _ if is_number => digits >= 6 || (digits >= 4 && is_last),
        _ if is_mixed => is_last && plausibility::may_be_chosen(word),
        Announced::By(_) => plausibility::is_phrase(word),
        Announced::No => false,
    };
    is_likely && accepts(text, name, place)
}

/// Whether `noun` is one for an API key in another language: `Ключ API`, `API-Schlüssel`.
fn is_foreign_key(noun: &[u8]) -> bool {
    noun.len() > 3
        && (starts_ignoring_case(noun, b"API") || ends_ignoring_case(noun, b"API"))
        && !keyed::is_of_key(noun)
}

/// "Sorry, try again": a word before a comma and a further clause, after a prompt.
fn is_interjection(text: &[u8], place: &Range<usize>) -> bool {
    let rest = slice(text, place.end..text.len().min(place.end + 3));
    slice(text, place.clone()).iter().all(u8::is_ascii_alphabetic)
        && matches!(rest, [b',', b' ', next] if next.is_ascii_lowercase())
}

/// The PIN or code in a sentence that says what it opens: "the PIN for the front door is …".
pub(crate) fn pin(text: &[u8], noun: Range<usize>) -> Option<Range<usize>> {
    let start = run_start(text, noun.start, 48, |byte| !matches!(byte, b'\n' | b'.' | b';'));
    let end = run_end(text, noun.end, 80, |byte| !matches!(byte, b'\n' | b';'));
    let after = slice(text, noun.end..end);
    let Some(first) = after.iter().position(u8::is_ascii_digit) else { return pin_before(text, start, noun) };
    let digits = slice(after, first..after.len()).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let between = slice(after, 0..first);
    // "unlock the tablet with PIN 4821"
    let is_direct = digits >= 4 && between.iter().all(|byte| is_blank(*byte));
    let is_announced = is_direct
        || between.contains(&b':')
        || between
            .split(u8::is_ascii_whitespace)
            .rev()
            .filter(|word| !word.is_empty())
            .take(2)
            .any(|word| Cues::of(word).has(Cue::Introduces));
    let is_whole = (3..=10).contains(&digits)
        && !after.get(first + digits).is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'%' | b'-'))
        && (noun.end + first)
            .checked_sub(1)
            .and_then(|before| text.get(before))
            .is_some_and(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'#'));
    // "zip code", "exit code"
    let word = run_start(text, noun.start, 8, |byte| byte.is_ascii_alphabetic());
    let before = slice(text, start.min(word)..word).trim_ascii_end();
    let previous = before.split(u8::is_ascii_whitespace).next_back().unwrap_or_default();
    // "my phone's PIN"
    let previous = [&b"'s"[..], "’s".as_bytes()].iter().find_map(|end| previous.strip_suffix(*end)).unwrap_or(previous);
    let phrase = [previous, b" ", slice(text, word..noun.end).trim_ascii()].concat();
    let is_other = names::strength_of_phrase(&phrase) == Some(Strength::None);
    let rest = slice(after, first + digits..after.len());
    let opens_it = [&b" opens "[..], b" unlocks ", b" disarms "].iter().any(|verb| rest.starts_with(verb));
    let is_last = is_end_of_clause(rest) || (is_direct && opens_it);
    let says = |part: &[u8]| names::says_what_it_opens(part);
    let whole = slice(text, word..noun.end).trim_ascii_end();
    // `Türcode`, `Ovikoodi`
    let is_compound = [&b"code"[..], b"kode", b"kod", b"koodi"]
        .iter()
        .any(|end| ends_ignoring_case(whole, end) && says(slice(whole, 0..whole.len() - end.len())));
    let mut words = between.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    // "login code changed in 2024", "vault code coverage is 8500"
    let is_redirected = words.clone().next_back().is_some_and(|word| Cues::of(word).has(Cue::Redirects));
    let is_followed = words.next().is_some_and(|word| {
        word.iter().all(u8::is_ascii_lowercase) && !Cues::of(word).has(Cue::Introduces) && !is_preposition(word)
    });
    let opens = !is_other
        && !is_redirected
        && is_last
        && (is_compound || (says(previous) && !is_followed) || says(between) || (is_direct && says(before)));
    let place = noun.end + first..noun.end + first + digits;
    (is_announced && is_whole && opens).then_some(place)
}

/// "4821 is your verification code": the code in the clause that starts at `start` and ends with `noun`.
fn pin_before(text: &[u8], start: usize, noun: Range<usize>) -> Option<Range<usize>> {
    let word = run_start(text, noun.start, 8, |byte| byte.is_ascii_alphabetic());
    let clause = slice(text, start..word);
    let first = clause.iter().position(u8::is_ascii_digit)?;
    let digits = slice(clause, first..clause.len()).iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = slice(clause, first + digits..clause.len());
    let before = (start + first).checked_sub(1).and_then(|before| text.get(before));
    let is_whole = (4..=8).contains(&digits)
        && before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'#'));
    let mut words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_announced = rest.first().is_some_and(|byte| is_blank(*byte))
        && words.next().is_some_and(|word| Cues::of(word).has(Cue::Introduces));
    let opens = words.next_back().is_some_and(|word| names::says_what_it_opens(word) || word == b"one-time");
    (is_whole && is_announced && opens).then(|| start + first..start + first + digits)
}

/// The words of a passphrase in a sentence: "the passphrase is correct horse battery staple".
pub(crate) fn phrase(text: &[u8], name: &Name) -> Option<Range<usize>> {
    if name.strength != Strength::Strong || text.get(name.place.end) != Some(&b' ') {
        return None;
    }
    let noun = slice(text, name.place.clone());
    let is_of_phrase =
        [&b"phrase"[..], b"frase", b"satz", b"fras", b"fraza"].iter().any(|end| ends_ignoring_case(noun, end));
    // `phrase de passe`
    let before = slice(text, name.place.start.saturating_sub(12)..name.place.start);
    let is_of_phrase =
        is_of_phrase || (noun.eq_ignore_ascii_case(b"passe") && contains_ignoring_case(before, b"phrase"));
    if !is_of_phrase {
        return None;
    }
    // `Enter passphrase for key '/home/…/id_ed25519': …`
    let line = run_end(text, name.place.end, REACH, |byte| byte != b'\n');
    let rest = slice(text, name.place.end..line);
    if rest.starts_with(b" for ")
        && let Some(colon) = find(rest, b"': ")
    {
        let words = slice(rest, colon + 3..rest.len()).trim_ascii();
        let start = line - slice(rest, colon + 3..rest.len()).trim_ascii_start().len();
        return stand_ins::is_plain_phrase(words).then_some(start..start + words.len());
    }
    let end = run_end(text, name.place.end, REACH, |byte| !matches!(byte, b'\n' | b'"' | b'.' | b',' | b';' | b'\\'));
    let mut at = name.place.end;
    for _ in 0..MAX_WORDS {
        at = run_end(text, at, 4, is_blank);
        let word = at..run_end(text, at, 32, |byte| !byte.is_ascii_whitespace());
        at = word.end;
        let written = slice(text, word);
        if at >= end {
            return None;
        }
        if Cues::of(written).has(Cue::Introduces) || written.ends_with(b":") {
            let start = run_end(text, at, 4, is_blank);
            let words = slice(text, start..end).trim_ascii_end();
            // "is never written down", "is kept elsewhere"
            let first = words.split(|byte| *byte == b' ').next().unwrap_or_default();
            let is_description = [&b"ed"[..], b"ly", b"ing"].iter().any(|ending| first.ends_with(ending))
                || matches!(
                    first,
                    b"never" | b"always" | b"still" | b"just" | b"too" | b"very" | b"known" | b"already"
                );
            let place = start..start + words.len();
            return (!is_description && stand_ins::is_plain_phrase(words)).then_some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin_in(sentence: &str) -> Option<&str> {
        let at = sentence.find("PIN ").or_else(|| sentence.find("ode ")).unwrap();
        pin(sentence.as_bytes(), at..at + 4).map(|place| &sentence[place])
    }

    #[test]
    fn a_pin_is_a_secret_where_the_sentence_says_what_it_opens() {
        assert_eq!(pin_in("The PIN for the front door is 4821."), Some("4821"));
        assert_eq!(pin_in("The alarm code is 6866, please write it down."), Some("6866"));
        assert_eq!(pin_in("Die PIN für die Karte ist 7238"), Some("7238"));
        for sentence in
            ["The PIN is 4821.", "The status code is 4040", "GPIO PIN 17 drives the lamp", "exit code was 1371"]
        {
            assert_eq!(pin_in(sentence), None, "{sentence}");
        }
    }

    #[test]
    fn quoted_text_ends_at_its_own_mark() {
        for (text, inner) in [
            ("\"a b\" c", "a b"),
            ("“sun” x", "sun"),
            ("„Sonne“.", "Sonne"),
            ("« soleil »", "soleil"),
            ("「太陽」です", "太陽"),
        ] {
            assert_eq!(quoted(text.as_bytes()).map(|place| &text[place]), Some(inner), "{text}");
        }
        assert_eq!(quoted(b"\"open"), None);
        assert_eq!(quoted(b"plain"), None);
    }
}
