//! Where to look: words and punctuation near which secrets occur, found in a few passes over the text. Each hit starts
//! a small parser that examines its surroundings.
//!
//! A word is searched for by the part that is the same whether or not its first letter is a capital. ASCII words are
//! found by one packed searcher, the others by a second one that only runs on text that is not ASCII. Words of three
//! letters would slow the searcher down; they are found by their rarest letter, and punctuation by its first byte.

use std::sync::OnceLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Span};

use crate::classify::names::{self, Strength};
use crate::detect::announced;
use crate::detect::headers;
use crate::detect::keyed::{self, assigned};
use crate::detect::name::{Name, name_around};
use crate::detect::prose;
use crate::detect::separators;
use crate::detect::structures;
use crate::detect::urls;
use crate::lazy::lazily;
use crate::mark::found::Found;
use crate::rules::general;
use crate::text::bytes::{is_blank, is_of_token, is_quote, run_end, run_start, slice};

/// If a value starts further after its name than this, the words between them are searched too.
const MAX_AHEAD: usize = 16;

/// What a hit starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trigger {
    /// The end of a name in English.
    Name,
    /// A word for a password in another language.
    Foreign,
    /// `Bearer `, `Basic `
    Scheme,
    Cookie,
    /// `://`
    Url,
    /// `-u `, `-p `: options of some commands.
    Option,
    /// `-----BEGIN `
    Pem,
    Putty,
    /// `:5432:` of a pgpass file.
    PgPass,
    /// `IDENTIFIED BY `
    Sql,
    /// `ENV `, before a name and its value.
    Verb,
    /// `PIN `, `code `, if a sentence says what it opens.
    Pin,
    /// `"kty"` of a JSON Web Key.
    Jwk,
}

/// ASCII words and punctuation. Words of other languages omit their first letter, which may be a capital.
#[rustfmt::skip]
const ASCII_WORDS: &[(&str, Trigger)] = {
    use Trigger::*;
    &[
        ("pass", Name), ("Pass", Name), ("PASS", Name), ("ecret", Name), ("ECRET", Name), ("oken", Name),
        ("OKEN", Name), ("auth", Name), ("Auth", Name), ("AUTH", Name), ("redential", Name),
        ("REDENTIAL", Name), ("gnature", Name), ("sig=", Name), ("emonic", Name), ("creds", Name),
        ("cureString", Name), ("earer ", Scheme), ("asic ", Scheme), ("ookie", Cookie), ("IFIED BY ", Sql),
        ("ified by ", Sql), ("\"kty\"", Jwk), ("ontrase", Foreign), ("enha", Foreign), ("lave ", Foreign),
        ("lave:", Foreign), ("chave", Foreign), ("ennwort", Foreign), ("arola", Foreign),
        ("achtwoord", Foreign), ("ifre", Foreign), ("dgangskode", Foreign), ("odeord", Foreign),
        ("alasana", Foreign), ("eslo", Foreign), ("ata sandi", Foreign), ("ozinka", Foreign),
        ("ugangsdaten", Foreign), ("ENV ", Verb), ("ARG ", Verb), ("#define ", Verb), ("PIN ", Pin), (" pin ", Pin), ("ode ", Pin),
        ("form-data; name=", Verb),
    ]
};

/// Words of other languages with non-ASCII letters, for texts that contain such letters.
#[rustfmt::skip]
const NON_ASCII_WORDS: &[&str] = &[
    "asło", "asła", "арол", "密码", "密碼", "口令", "スワード", "暗証番号", "비밀번호", "암호",
    "패스워드", "كلمة", "ासवर्ड", "ösenord", "elszó", "ωδικ", "סיסמ", "ật khẩu",
    "รหัสผ่าน",
];

/// The state of one pass, so that nothing is read twice.
#[derive(Default)]
struct PassState {
    /// How far manifests have been read.
    manifest: usize,
    candidates: prose::Candidates,
}

/// A multi-word search: packed if the processor supports it.
enum Search {
    Packed(Searcher),
    Automaton(AhoCorasick),
}

impl Search {
    fn of(words: impl Iterator<Item = &'static str> + Clone) -> Option<Search> {
        let texts = || words.clone();
        let packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(texts()).build();
        packed.map(Search::Packed).or_else(|| AhoCorasick::new(texts()).ok().map(Search::Automaton))
    }

    fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize, usize)> {
        let span = Span { start: from, end: text.len() };
        match self {
            Search::Packed(searcher) => {
                searcher.find_in(text, span).map(|hit| (hit.pattern().as_usize(), hit.start(), hit.end()))
            }
            Search::Automaton(automaton) => automaton
                .find(aho_corasick::Input::new(text).span(span))
                .map(|hit| (hit.pattern().as_usize(), hit.start(), hit.end())),
        }
    }
}

/// Adds what is found near the words. Building the searchers cannot fail: the lists are constants, and a test builds
/// both.
pub(crate) fn find<'r>(text: &[u8], found: &mut Vec<Found<'r>>) {
    static SEARCHES: OnceLock<[Option<Search>; 2]> = OnceLock::new();
    let [ascii, non_ascii] =
        lazily(&SEARCHES, || [Search::of(ascii_words()), Search::of(NON_ASCII_WORDS.iter().copied())]);
    find_short_words(text, [b'y', b'w', b'k'], &mut PassState::default(), found);
    find_short_words(text, [b'Y', b'W', b'K'], &mut PassState::default(), found);
    find_signs(text, &mut PassState::default(), found);
    separators::find(text, &mut |value| found.push(Found::new(general::KEYED_VALUE, value)));
    let mut state = PassState::default();
    let mut at = 0;
    while let Some((word, start, end)) = ascii.as_ref().and_then(|search| search.next(text, at)) {
        let trigger = ASCII_WORDS.get(word).map_or(Trigger::Name, |(_, trigger)| *trigger);
        at = inspect(text, trigger, start, end, &mut state, found).max(end);
    }
    at = if text.is_ascii() { text.len() } else { 0 };
    while let Some((_, start, end)) = non_ascii.as_ref().and_then(|search| search.next(text, at)) {
        at = inspect(text, Trigger::Foreign, start, end, &mut state, found).max(end);
    }
}

/// `key`, `pwd`, `pw` and `psk`: too short for the searcher, so found by their rarest letter.
fn find_short_words<'r>(text: &[u8], [y, w, k]: [u8; 3], state: &mut PassState, found: &mut Vec<Found<'r>>) {
    let mut done = 0;
    for at in memchr::memchr3_iter(y, w, k, text) {
        let before =
            |back: usize| at.checked_sub(back).and_then(|place| text.get(place)).map_or(0, u8::to_ascii_lowercase);
        let next = text.get(at + 1).copied().unwrap_or(b' ');
        let word = match text.get(at).map(u8::to_ascii_lowercase) {
            Some(b'y') if before(1) == b'e' && before(2) == b'k' => at - 2..at + 1,
            Some(b'w') if before(1) == b'p' && next.eq_ignore_ascii_case(&b'd') => at - 1..at + 2,
            Some(b'w') if before(1) == b'p' && !next.is_ascii_alphanumeric() => at - 1..at + 1,
            Some(b'k') if before(1) == b's' && before(2) == b'p' => at - 2..at + 1,
            _ => continue,
        };
        if word.start >= done {
            done = inspect(text, Trigger::Name, word.start, word.end, state, found);
        }
    }
}

/// Triggers that start with a colon or a hyphen.
fn find_signs<'r>(text: &[u8], state: &mut PassState, found: &mut Vec<Found<'r>>) {
    let mut done = 0;
    for at in memchr::memchr2_iter(b':', b'-', text).filter(|at| text.get(at + 1).is_some_and(|next| !is_blank(*next)))
    {
        let rest = text.get(at..).unwrap_or_default();
        let is_after_blank = at > 0 && text.get(at - 1) == Some(&b' ');
        let (trigger, start, end) = match rest {
            [b':', b'/', b'/', ..] => (Trigger::Url, at, at + 3),
            [b':', b'*', b':', ..] => (Trigger::PgPass, at, at + 3),
            [b':', b'1'..=b'9', rest @ ..] if is_port(rest) => (Trigger::PgPass, at, at + 3),
            [b'-', b'u' | b'p', ..] if is_after_blank => (Trigger::Option, at - 1, at + 2),
            [b'-', b'a' | b'w', b' ', ..] if is_after_blank => (Trigger::Option, at - 1, at + 3),
            [b'-', b'u', b's', b'e', b'r', b' ' | b'=', ..] => (Trigger::Option, at, at + 6),
            [b'-', b'-', b'a'..=b'z' | b'A' | b'C'..=b'Z' | 0x80.., ..] if is_after_blank => {
                let value = separators::after_verb(text, at);
                done = value.as_ref().map_or(done, |value| value.end);
                found.extend(value.map(|value| Found::new(general::KEYED_VALUE, value)));
                continue;
            }
            [b'-', b'-', b'B', b'E', b'G', b'I', b'N', b' ', ..] => (Trigger::Pem, at, at + 8),
            [b'-', b'U', b's', b'e', b'r', ..] if slice(text, 0..at).ends_with(b"PuTTY") => {
                (Trigger::Putty, at, at + 5)
            }
            _ => continue,
        };
        if start >= done {
            done = inspect(text, trigger, start, end, state, found);
        }
    }
}

/// Whether three or four digits and a colon follow.
fn is_port(rest: &[u8]) -> bool {
    let digits = rest.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(digits, 3 | 4) && rest.get(digits) == Some(&b':')
}

fn ascii_words() -> impl Iterator<Item = &'static str> + Clone {
    ASCII_WORDS.iter().map(|(word, _)| *word)
}

/// Examines the surroundings of the hit from `start` to `end`; returns where to continue.
fn inspect<'r>(
    text: &[u8],
    trigger: Trigger,
    start: usize,
    end: usize,
    state: &mut PassState,
    found: &mut Vec<Found<'r>>,
) -> usize {
    let mut add = |rule: &'static str, place: std::ops::Range<usize>| found.push(Found::new(rule, place));
    match trigger {
        Trigger::Name => return inspect_name(text, start, end, state, found),
        Trigger::Foreign if !is_foreign_word(text, start, end) => return end,
        Trigger::Foreign => {
            let place = word_start(text, start)..word_end(text, end);
            // `contraseña_admin`
            let whole = place.start..run_end(text, place.end, 64, |byte| is_of_token(byte) || byte >= 0x80);
            let is_name = whole.len() > place.len() && names::strength(slice(text, whole.clone())) == Strength::Strong;
            let place = if is_name { whole } else { place };
            let name = Name { place: place.clone(), strength: Strength::Strong };
            if let Some(value) = assigned(text, &name) {
                let end = value.end;
                add(general::KEYED_VALUE, value);
                return end.max(place.end);
            }
            prose::stated_passwords(text, &name, true, &mut state.candidates, &mut |value| {
                add(general::PASSWORD_IN_TEXT, value)
            });
            return place.end;
        }
        Trigger::Scheme => {
            if let Some(credential) = headers::credential(text, start, end) {
                add(general::AUTHORIZATION, credential);
            }
        }
        Trigger::Cookie => return headers::cookies(text, end, &mut add),
        Trigger::Url => urls::find(text, end, &mut add),
        Trigger::Option => {
            if let Some(password) = headers::option(text, start, end) {
                add(general::KEYED_VALUE, password);
            }
        }
        Trigger::Pem => return structures::pem(text, start, end, &mut add),
        Trigger::Putty => return structures::putty(text, end, &mut add),
        Trigger::Sql if !headers::is_statement(text, start) => {}
        Trigger::Sql => {
            let name = Name { place: start..end - 1, strength: Strength::Strong };
            if let Some(value) = assigned(text, &name) {
                add(general::KEYED_VALUE, value);
            }
        }
        Trigger::Verb => {
            let quoted = usize::from(text.get(end).is_some_and(|byte| is_quote(*byte)));
            if let Some(value) = separators::after_verb(text, end + quoted) {
                add(general::KEYED_VALUE, value);
            }
        }
        Trigger::Pin => {
            if let Some(value) = announced::pin(text, start..end) {
                add(general::PASSWORD_IN_TEXT, value);
            }
        }
        Trigger::Jwk => return structures::json_web_key(text, start, &mut add).max(end),
        Trigger::PgPass => {
            if let Some(password) = structures::pgpass(text, start) {
                add(general::PASSWORD_FILE, password);
            }
        }
    }
    end
}

/// Whether an ASCII fragment is part of the intended word: "senha" and not "enhancement".
fn is_foreign_word(text: &[u8], start: usize, end: usize) -> bool {
    let first = start.checked_sub(1).and_then(|before| text.get(before)).map_or(0, u8::to_ascii_lowercase);
    let before = start.checked_sub(2).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
    let (expected, may_be_compound): (&[u8], bool) = match slice(text, start..end) {
        b"ontrase" | b"lave " | b"lave:" => (b"c", false),
        b"enha" => (b"s", false),
        b"ennwort" => (b"k", true),
        b"arola" => (b"p", false),
        b"achtwoord" => (b"w", true),
        // The first letter of "şifre" is not ASCII.
        b"ifre" => return first == b's' || first >= 0x80,
        b"dgangskode" => (b"a", false),
        b"odeord" => (b"k", true),
        b"alasana" => (b"s", true),
        b"eslo" => (b"hg", false),
        b"ata sandi" => (b"k", false),
        b"ozinka" => (b"l", false),
        b"ugangsdaten" => (b"z", true),
        b"chave" => return !first.is_ascii_alphabetic(),
        _ => return true,
    };
    expected.contains(&first) && (may_be_compound || !before.is_ascii_alphabetic())
}

/// The start of the word that contains a fragment; in a script without spaces, the fragment itself.
fn word_start(text: &[u8], from: usize) -> usize {
    let is_wide = text.get(from).is_some_and(|byte| *byte >= 0xe0);
    if is_wide { from } else { run_start(text, from, 16, is_of_word) }
}

/// The end of the word, for inflected forms: `Passwortes`, `пароля`.
fn word_end(text: &[u8], from: usize) -> usize {
    let is_wide = text.get(from.saturating_sub(3)).is_some_and(|byte| *byte >= 0xe0);
    if is_wide { from } else { run_end(text, from, 16, is_of_word) }
}

/// An ASCII letter, or a byte of a Latin, Greek or Cyrillic one.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, 0xc3..=0xd1 | 0x80..=0xbf)
}

fn inspect_name<'r>(text: &[u8], start: usize, end: usize, state: &mut PassState, found: &mut Vec<Found<'r>>) -> usize {
    // The name must end soon after the word, or the word does not end it.
    let name = name_around(text, start..end);
    let next = name.place.end.max(end);
    if headers::is_authorization(text, &name) {
        if let Some(credential) = headers::authorization(text, name.place.end) {
            found.push(Found::new(general::AUTHORIZATION, credential));
        }
        return next;
    }
    if name.strength == Strength::None {
        if let Some(value) = headers::pair_of_arguments(text, &name).or_else(|| headers::piped(text, &name)) {
            found.push(Found::new(general::KEYED_VALUE, value));
        }
        return next;
    }
    // What is assigned was judged by the sign between them, and in other code there is no value.
    let is_code = match text.get(name.place.end) {
        Some(b'=') => text.get(name.place.end + 1) != Some(&b'='),
        Some(b'[' | b';' | b'{' | b'>' | b'&' | b'/' | b'$') => true,
        Some(b'(' | b')') => name.strength < Strength::Strong,
        // `token.clone()`
        Some(b'.') => text.get(name.place.end + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    };
    if is_code {
        if let Some(value) = headers::pair_of_arguments(text, &name) {
            found.push(Found::new(general::KEYED_VALUE, value));
        }
        return next;
    }
    let known = found.len();
    if let Some(value) = headers::piped(text, &name) {
        found.push(Found::new(general::KEYED_VALUE, value));
    }
    state.manifest =
        structures::kubernetes(text, &name, state.manifest, &mut |rule, place| found.push(Found::new(rule, place)));
    if let Some(value) = assigned(text, &name) {
        let rule = if keyed::is_of_netrc(text, &name) { general::PASSWORD_FILE } else { general::KEYED_VALUE };
        found.push(Found::new(rule, value));
    } else if let Some(value) = headers::pair_of_arguments(text, &name) {
        found.push(Found::new(general::KEYED_VALUE, value));
    } else {
        let is_foreign = prose::is_foreign(text, &name);
        prose::stated_passwords(text, &name, is_foreign, &mut state.candidates, &mut |value| {
            found.push(Found::new(general::PASSWORD_IN_TEXT, value))
        });
    }
    // What has been taken is not searched again.
    let taken = found.get(known..).unwrap_or_default().iter().filter(|found| found.place.start <= next + MAX_AHEAD);
    taken.map(|found| found.place.end).fold(next, usize::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_can_be_built() {
        assert!(Search::of(ascii_words()).is_some() && Search::of(NON_ASCII_WORDS.iter().copied()).is_some());
        assert!(ascii_words().all(|word| word.len() >= 4 && word.is_ascii()) && ascii_words().count() <= 64);
    }
}
