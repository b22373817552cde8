//! Where to look: the words and signs near which secrets stand, found in a few sweeps over the text. Each hit starts a small
//! parser that looks around it.
//!
//! Words are searched by the part of them that is the same in every case of the first letter: those in ASCII by one packed
//! searcher, the others by a second that only a text with other letters is searched by. A word of three letters would slow
//! the searcher down; it is found by its rarest letter, and a sign by its first byte.

use std::sync::OnceLock;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Span};

use crate::detect::columns;
use crate::detect::headers;
use crate::detect::keyed::{self, Name, assigned, name_around};
use crate::detect::prose;
use crate::detect::structures;
use crate::detect::urls;
use crate::judge::names::Says;
use crate::lazy::lazily;
use crate::mark::found::Found;
use crate::rules::general;
use crate::text::bytes::{is_blank, run_end, run_start, slice};

/// A value that begins further behind its name leaves the words between them to be looked at.
const MAX_AHEAD: usize = 16;

/// What a hit starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
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
    /// `"kty"` of a JSON Web Key.
    Jwk,
}

/// The words in ASCII, and signs. Those of other languages leave out their first letter, which may be a capital.
#[rustfmt::skip]
const PLAIN: &[(&str, Anchor)] = {
    use Anchor::*;
    &[
        ("pass", Name), ("Pass", Name), ("PASS", Name), ("ecret", Name), ("ECRET", Name), ("oken", Name),
        ("OKEN", Name), ("auth", Name), ("Auth", Name), ("AUTH", Name), ("redential", Name),
        ("REDENTIAL", Name), ("gnature", Name), ("sig=", Name), ("emonic", Name), ("creds", Name),
        ("cureString", Name), ("earer ", Scheme), ("asic ", Scheme), ("ookie", Cookie), ("IFIED BY ", Sql),
        ("ified by ", Sql), ("\"kty\"", Jwk), ("ontrase", Foreign), ("enha", Foreign), ("lave ", Foreign),
        ("lave:", Foreign), ("chave", Foreign), ("ennwort", Foreign), ("arola", Foreign),
        ("achtwoord", Foreign), ("ifre", Foreign), ("dgangskode", Foreign), ("odeord", Foreign),
        ("alasana", Foreign), ("eslo", Foreign), ("ata sandi", Foreign), ("ozinka", Foreign),
        ("ugangsdaten", Foreign),
    ]
};

/// The words of other languages that are not all ASCII, for texts that are not.
#[rustfmt::skip]
const WIDE: &[&str] = &[
    "asło", "asła", "арол", "密码", "密碼", "口令", "スワード", "暗証番号", "비밀번호", "암호",
    "패스워드", "كلمة", "ासवर्ड", "ösenord", "elszó", "ωδικ", "סיסמ", "ật khẩu",
    "รหัสผ่าน",
];

/// What one sweep keeps in mind, so that it reads nothing twice.
#[derive(Default)]
struct Memo {
    /// How far a manifest was read whole.
    manifest: usize,
    candidates: prose::Candidates,
}

/// A search for words: the packed one where the processor has it.
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

/// Adds what stands near the words. Nothing here fails to be built: the lists are our own, and a test builds both.
pub(crate) fn find<'r>(text: &[u8], found: &mut Vec<Found<'r>>) {
    static SEARCHES: OnceLock<[Option<Search>; 2]> = OnceLock::new();
    let [plain, wide] = lazily(&SEARCHES, || [Search::of(plain_words()), Search::of(WIDE.iter().copied())]);
    letters(text, [b'y', b'w', b'k'], &mut Memo::default(), found);
    letters(text, [b'Y', b'W', b'K'], &mut Memo::default(), found);
    marks(text, &mut Memo::default(), found);
    let mut memo = Memo::default();
    let mut at = 0;
    while let Some((word, start, end)) = plain.as_ref().and_then(|search| search.next(text, at)) {
        let anchor = PLAIN.get(word).map_or(Anchor::Name, |(_, anchor)| *anchor);
        at = follow(text, anchor, start, end, &mut memo, found).max(end);
    }
    at = if text.is_ascii() { text.len() } else { 0 };
    while let Some((_, start, end)) = wide.as_ref().and_then(|search| search.next(text, at)) {
        at = follow(text, Anchor::Foreign, start, end, &mut memo, found).max(end);
    }
}

/// `key`, `pwd`, `pw` and `psk`: words too short for the search, found by the rarest of their letters.
fn letters<'r>(text: &[u8], [y, w, k]: [u8; 3], memo: &mut Memo, found: &mut Vec<Found<'r>>) {
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
            done = follow(text, Anchor::Name, word.start, word.end, memo, found);
        }
    }
}

/// What begins with a colon or a hyphen.
fn marks<'r>(text: &[u8], memo: &mut Memo, found: &mut Vec<Found<'r>>) {
    let mut done = 0;
    for at in memchr::memchr2_iter(b':', b'-', text).filter(|at| text.get(at + 1).is_some_and(|next| !is_blank(*next)))
    {
        let rest = text.get(at..).unwrap_or_default();
        let is_after_blank = at > 0 && text.get(at - 1) == Some(&b' ');
        let (anchor, start, end) = match rest {
            [b':', b'/', b'/', ..] => (Anchor::Url, at, at + 3),
            [b':', b'*', b':', ..] => (Anchor::PgPass, at, at + 3),
            [b':', b'1'..=b'9', rest @ ..] if is_port(rest) => (Anchor::PgPass, at, at + 3),
            [b'-', b'u' | b'p', ..] if is_after_blank => (Anchor::Option, at - 1, at + 2),
            [b'-', b'a' | b'w', b' ', ..] if is_after_blank => (Anchor::Option, at - 1, at + 3),
            [b'-', b'u', b's', b'e', b'r', b' ' | b'=', ..] => (Anchor::Option, at, at + 6),
            [b'-', b'-', b'B', b'E', b'G', b'I', b'N', b' ', ..] => (Anchor::Pem, at, at + 8),
            [b'-', b'U', b's', b'e', b'r', ..] if slice(text, 0..at).ends_with(b"PuTTY") => (Anchor::Putty, at, at + 5),
            _ => continue,
        };
        if start >= done {
            done = follow(text, anchor, start, end, memo, found);
        }
    }
}

/// Whether three or four digits and a colon follow.
fn is_port(rest: &[u8]) -> bool {
    let digits = rest.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(digits, 3 | 4) && rest.get(digits) == Some(&b':')
}

fn plain_words() -> impl Iterator<Item = &'static str> + Clone {
    PLAIN.iter().map(|(word, _)| *word)
}

/// Looks around the hit from `start` to `end`; where to go on.
fn follow<'r>(
    text: &[u8],
    anchor: Anchor,
    start: usize,
    end: usize,
    memo: &mut Memo,
    found: &mut Vec<Found<'r>>,
) -> usize {
    let mut add = |rule: &'static str, place: std::ops::Range<usize>| found.push(Found::new(rule, place));
    match anchor {
        Anchor::Name => return follow_name(text, start, end, memo, found),
        Anchor::Foreign if !is_foreign_word(text, start, end) => return end,
        Anchor::Foreign => {
            let place = word_start(text, start)..word_end(text, end);
            let name = Name { place: place.clone(), says: Says::Password };
            if let Some(value) = assigned(text, &name) {
                add(general::KEYED_VALUE, value);
            } else {
                prose::told(text, &name, true, &mut memo.candidates, &mut |value| add(general::TOLD_PASSWORD, value));
            }
            return place.end;
        }
        Anchor::Scheme => {
            if let Some(credential) = headers::credential(text, start, end) {
                add(general::AUTHORIZATION, credential);
            }
        }
        Anchor::Cookie => return headers::cookies(text, end, &mut add),
        Anchor::Url => urls::find(text, end, &mut add),
        Anchor::Option => {
            if let Some(password) = headers::option(text, start, end) {
                add(general::KEYED_VALUE, password);
            }
        }
        Anchor::Pem => return structures::pem(text, start, end, &mut add),
        Anchor::Putty => return structures::putty(text, end, &mut add),
        Anchor::Sql if !headers::is_statement(text, start) => {}
        Anchor::Sql => {
            let name = Name { place: start..end - 1, says: Says::Password };
            if let Some(value) = assigned(text, &name) {
                add(general::KEYED_VALUE, value);
            }
        }
        Anchor::Jwk => return structures::json_web_key(text, start, &mut add).max(end),
        Anchor::PgPass => {
            if let Some(password) = structures::pgpass(text, start) {
                add(general::PASSWORD_FILE, password);
            }
        }
    }
    end
}

/// Whether the part of a word in ASCII that was found is of the word that is meant: "senha" and not "enhancement".
fn is_foreign_word(text: &[u8], start: usize, end: usize) -> bool {
    let first = start.checked_sub(1).and_then(|before| text.get(before)).map_or(0, u8::to_ascii_lowercase);
    let before = start.checked_sub(2).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
    let (expected, may_be_compound): (&[u8], bool) = match slice(text, start..end) {
        b"ontrase" | b"lave " | b"lave:" => (b"c", false),
        b"enha" => (b"s", false),
        b"ennwort" => (b"k", true),
        b"arola" => (b"p", false),
        b"achtwoord" => (b"w", true),
        // The first letter of "şifre" is none of ASCII.
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

/// Where the word begins of which a part was found; a script without blanks has no such place.
fn word_start(text: &[u8], from: usize) -> usize {
    let is_wide = text.get(from).is_some_and(|byte| *byte >= 0xe0);
    if is_wide { from } else { run_start(text, from, 16, is_of_word) }
}

/// A name in small letters goes on to its end: `Passwortes`, `пароля`.
fn word_end(text: &[u8], from: usize) -> usize {
    let is_wide = text.get(from.saturating_sub(3)).is_some_and(|byte| *byte >= 0xe0);
    if is_wide { from } else { run_end(text, from, 16, is_of_word) }
}

/// A letter of ASCII, or a byte of one in Latin, Greek or Cyrillic.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, 0xc3..=0xd1 | 0x80..=0xbf)
}

fn follow_name<'r>(text: &[u8], start: usize, end: usize, memo: &mut Memo, found: &mut Vec<Found<'r>>) -> usize {
    // The name must end soon behind the word, or the word does not end it.
    let name = name_around(text, start..end);
    let next = name.place.end.max(end);
    if headers::is_authorization(text, &name) {
        if let Some(credential) = headers::authorization(text, name.place.end) {
            found.push(Found::new(general::AUTHORIZATION, credential));
        }
        return next;
    }
    if name.says == Says::Nothing {
        if let Some(value) = headers::pair_of_arguments(text, &name).or_else(|| headers::piped(text, &name)) {
            found.push(Found::new(general::KEYED_VALUE, value));
        }
        return next;
    }
    let known = found.len();
    columns::below(text, &name, &mut |place| found.push(Found::new(general::KEYED_VALUE, place)));
    if let Some(value) = headers::piped(text, &name) {
        found.push(Found::new(general::KEYED_VALUE, value));
    }
    memo.manifest =
        structures::kubernetes(text, &name, memo.manifest, &mut |rule, place| found.push(Found::new(rule, place)));
    if let Some(value) = assigned(text, &name) {
        let rule = if keyed::is_of_netrc(text, &name) { general::PASSWORD_FILE } else { general::KEYED_VALUE };
        found.push(Found::new(rule, value));
    } else if let Some(value) = headers::pair_of_arguments(text, &name) {
        found.push(Found::new(general::KEYED_VALUE, value));
    } else {
        let is_foreign = prose::is_foreign(text, &name);
        prose::told(text, &name, is_foreign, &mut memo.candidates, &mut |value| {
            found.push(Found::new(general::TOLD_PASSWORD, value))
        });
    }
    // What is taken is not looked at again.
    let taken = found.get(known..).unwrap_or_default().iter().filter(|found| found.place.start <= next + MAX_AHEAD);
    taken.map(|found| found.place.end).fold(next, usize::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_searches_can_be_built() {
        assert!(Search::of(plain_words()).is_some() && Search::of(WIDE.iter().copied()).is_some());
        assert!(plain_words().all(|word| word.len() >= 4 && word.is_ascii()) && plain_words().count() <= 64);
    }
}
