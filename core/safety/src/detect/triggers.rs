//! Where to look: words and punctuation near which secrets occur, found in a few passes over the text. Each hit starts
//! a small parser that examines its surroundings.
//!
//! A word is searched for by the part that is the same whether or not its first letter is a capital. ASCII words are
//! found by a packed search, the shortest by one of their own, and those of other scripts by one that only runs on text
//! that is not ASCII. Punctuation is found by its first byte.

use std::convert::Infallible;
use std::ops::{ControlFlow, Range};

use once_cell::race::OnceBox;

use crate::classify::names::{self, Strength};
use crate::detect::announced;
use crate::detect::api_keys;
use crate::detect::collections;
use crate::detect::commands;
use crate::detect::connections;
use crate::detect::cuts;
use crate::detect::headers;
use crate::detect::inputs;
use crate::detect::keyed::assigned;
use crate::detect::last_pair::LastPair;
use crate::detect::line_hints;
use crate::detect::name::{Name, place_around};
use crate::detect::options;
use crate::detect::otp_seeds;
use crate::detect::pairs;
use crate::detect::prose;
use crate::detect::rows;
use crate::detect::seed_phrases::{Scan, Spacing};
use crate::detect::separators;
use crate::detect::spelled;
use crate::detect::sql;
use crate::detect::structures;
use crate::detect::terminals;
use crate::detect::urls;
use crate::detect::wifi;
use crate::lazy::lazily;
use crate::mark::found::Found;
use crate::rules::general;
use crate::text::bytes::{ends_ignoring_case, is_blank, is_of_token, is_quote, run_end, run_start, slice};
use crate::text::masks;
use crate::text::word_search::WordSearch;

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
    /// `codes`, if they are recovery codes.
    Codes,
    /// `"kty"` of a JSON Web Key.
    Jwk,
    /// `API`, beside a word for a key in another language.
    Api,
}

/// The shortest words that end names in English.
const SHORT_NAMES: &[&str] = &["key", "Key", "KEY", "pwd", "Pwd", "PWD", "psk", "Psk", "PSK", "pw ", "Pw ", "PW "];

/// Other ASCII words, without a first letter that may be a capital.
#[rustfmt::skip]
const ASCII_WORDS: &[(&str, Trigger)] = {
    use Trigger::*;
    &[
        ("pass", Name), ("Pass", Name), ("PASS", Name), ("ecret", Name), ("ECRET", Name), ("oken", Name),
        ("OKEN", Name), ("auth", Name), ("Auth", Name), ("AUTH", Name), ("redential", Name),
        ("REDENTIAL", Name), ("gnature", Name), ("sig=", Name), ("emonic", Name), ("creds", Name),
        ("cureString", Name),
        ("earer ", Scheme), ("asic ", Scheme), ("ookie", Cookie), ("IFIED BY ", Sql), ("ified by ", Sql),
        ("\"kty\"", Jwk), ("ontrase", Foreign), ("enha", Foreign), ("lave ", Foreign), ("lave:", Foreign),
        ("chave", Foreign), ("ennwort", Foreign), ("arola", Foreign), ("achtwoord", Foreign), ("ifre", Foreign),
        ("dgangskode", Foreign), ("odeord", Foreign), ("alasana", Foreign), ("eslo", Foreign), ("ata sandi", Foreign),
        ("ozinka", Foreign), ("ugangsdaten", Foreign), ("ENV ", Verb), ("ARG ", Verb), ("#define ", Verb),
        ("form-data; name=", Verb), ("PIN ", Pin), (" pin ", Pin), ("ode ", Pin),
        ("OTP ", Pin), ("PIN:", Pin), ("odes", Codes),
    ]
};

/// Words of languages with non-ASCII letters, for texts that contain such letters.
#[rustfmt::skip]
const NON_ASCII_WORDS: &[&str] = &[
    "asło", "asła", "asłem", "eslem", "esla ", "арол", "密码", "密碼", "口令", "スワード", "暗証番号", "비밀번호", "암호",
    "패스워드", "كلمة", "ासवर्ड", "ösenord", "elszó", "ωδικ", "סיסמ", "ật khẩu",
    "รหัสผ่าน", "υνθηματικ", "ecrèt",
];

/// What follows `API` beside a word for a key, as in [`Trigger::Api`].
const NON_ASCII_APIS: &[&str] = &["API ", "API密", "API金", "APIキ"];

/// Words for a code, as in [`Trigger::Pin`], in languages whose texts hardly ever are ASCII.
const NON_ASCII_CODES: &[&str] = &["код ", "Код ", "ПИН-код ", "digo ", "odice ", "kod ", "Kod ", "koodi "];

/// The state of one search, so that nothing is read twice.
#[derive(Default)]
struct PassState {
    /// How far manifests have been read.
    manifest: usize,
    /// How far collections have been read.
    collection: usize,
    /// How far tokens with blanks in them have been looked for.
    spaced: usize,
    candidates: prose::Candidates,
}

/// The words of one search, in ascending order.
struct Words<'s> {
    search: Option<&'s WordSearch>,
    trigger: fn(usize) -> Trigger,
    next: Option<(usize, Range<usize>)>,
    state: PassState,
}

impl<'s> Words<'s> {
    fn new(text: &[u8], search: &'s Option<WordSearch>, trigger: fn(usize) -> Trigger) -> Self {
        let search = search.as_ref();
        Words { search, trigger, next: search.and_then(|words| words.next(text, 0)), state: PassState::default() }
    }

    /// The start of the next word, or `usize::MAX` if there is no further word.
    fn next_start(&self) -> usize {
        self.next.as_ref().map_or(usize::MAX, |(_, place)| place.start)
    }

    /// Examines the next word.
    fn step<'r>(&mut self, text: &[u8], pair: &mut LastPair, found: &mut Vec<Found<'r>>) {
        let Some((word, Range { start, end })) = self.next.take() else { return };
        let at = inspect(text, (self.trigger)(word), start, end, &mut self.state, pair, found).max(end);
        self.next = self.search.and_then(|words| words.next(text, at));
    }
}

/// Adds what is found near the words and the signs, in the order of the text: a sign often follows the word that names
/// its value. Building the searchers cannot fail: the lists are constants, and a test builds them.
pub(crate) fn find<'r>(text: &[u8], found: &mut Vec<Found<'r>>) {
    static SEARCHES: OnceBox<[Option<WordSearch>; 3]> = OnceBox::new();
    let [short_names, ascii, non_ascii] = lazily(&SEARCHES, searches);
    let non_ascii = if text.is_ascii() { &None } else { non_ascii };
    let mut words = [
        Words::new(text, short_names, |_| Trigger::Name),
        Words::new(text, ascii, |word| ASCII_WORDS.get(word).map_or(Trigger::Name, |(_, trigger)| *trigger)),
        Words::new(text, non_ascii, non_ascii_trigger),
    ];
    let mut signs = Signs::default();
    let mut pair = LastPair::default();
    let mut next_word = words.iter().map(Words::next_start).min().unwrap_or(usize::MAX);
    let mut step_until = |limit: usize, pair: &mut LastPair, found: &mut Vec<Found<'r>>| {
        while next_word < limit {
            let nearest = words.iter_mut().min_by_key(|words| words.next_start());
            nearest.into_iter().for_each(|words| words.step(text, pair, found));
            next_word = words.iter().map(Words::next_start).min().unwrap_or(usize::MAX);
        }
    };
    let is_sign = |byte| separators::is_separator(byte) | (byte == b'-');
    let ControlFlow::Continue(()) = masks::each_position(text, is_sign, |at| -> ControlFlow<Infallible> {
        step_until(at, &mut pair, found);
        signs.examine(text, at, &mut pair, found);
        ControlFlow::Continue(())
    });
    step_until(usize::MAX, &mut pair, found);
    signs.end(text, found);
    separators::find_rare(text, &mut |value| found.push(Found::new(general::KEYED_VALUE, value)));
}

/// What the word with this number starts, of those of languages with non-ASCII letters.
fn non_ascii_trigger(word: usize) -> Trigger {
    match word.checked_sub(NON_ASCII_WORDS.len()) {
        None => Trigger::Foreign,
        Some(code) if code < NON_ASCII_CODES.len() => Trigger::Pin,
        Some(_) => Trigger::Api,
    }
}

fn searches() -> [Option<WordSearch>; 3] {
    let ascii = ASCII_WORDS.iter().map(|(word, _)| word);
    [
        WordSearch::of(SHORT_NAMES.iter()),
        WordSearch::of(ascii),
        WordSearch::of(NON_ASCII_WORDS.iter().chain(NON_ASCII_CODES).chain(NON_ASCII_APIS)),
    ]
}

/// How far the surroundings of signs have been read.
#[derive(Default)]
struct Signs {
    done: usize,
    done_beside: usize,
    done_spelled: usize,
    state: PassState,
    /// How the separators so far are spaced, and where seed phrases were looked for.
    spacing: Spacing,
    seeds: Scan,
}

impl Signs {
    /// Searches what extends to the end of the text.
    fn end(&mut self, text: &[u8], found: &mut Vec<Found<'_>>) {
        if let Some(part) = self.spacing.next(text.len()) {
            self.seeds.scan(text, part, found);
        }
    }

    /// Finds the trigger that starts with the sign at `at`, and the values beside it if it separates them from their
    /// names.
    #[inline]
    fn examine<'r>(&mut self, text: &[u8], at: usize, pair: &mut LastPair, found: &mut Vec<Found<'r>>) {
        if let Some(part) = self.spacing.next(at) {
            self.seeds.scan(text, part, found);
        }
        let add = &mut |value| found.push(Found::new(general::KEYED_VALUE, value));
        separators::find(text, at, &mut self.done_beside, pair, add);
        if matches!(text.get(at), Some(b',' | b':' | b'-' | b'|' | b'\t')) {
            spelled::find(text, at, &mut self.done_spelled, found);
        }
        // `bytes: 67 68 70 …`
        if let [b':' | b'=', b' ', rest @ ..] = slice(text, at..text.len())
            && rest.first_chunk().is_some_and(|start| line_hints::may_start_spaced(*start))
        {
            spelled::find_spaced(text, at + 2, &mut self.done_spelled, found);
        }
        if text.get(at) == Some(&b'(') {
            found.extend(connections::go_login(text, at).map(|value| Found::new(general::URL_PASSWORD, value)));
            let joined = cuts::joined_arguments(text, at);
            found.extend(joined.map(|(rule, place, token)| Found::new(rule, place).with_secret(token)));
        }
        if let Some(b':' | b'-') = text.get(at)
            && let [next, rest @ ..] = slice(text, at + 1..text.len())
            && (!is_blank(*next) || matches!(rest, [b'$' | b'{', ..]))
            && at >= self.done
        {
            self.done = inspect_sign(text, at, &mut self.state, pair, found).unwrap_or(self.done);
        }
    }
}

/// Examines the trigger that starts with the colon or hyphen at `at`, if any; returns where to continue.
fn inspect_sign<'r>(
    text: &[u8],
    at: usize,
    state: &mut PassState,
    pair: &mut LastPair,
    found: &mut Vec<Found<'r>>,
) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|before| text.get(before));
    let is_after_blank = before == Some(&b' ');
    let starts_argument = is_after_blank || before.is_some_and(|byte| is_quote(*byte));
    let (trigger, start, end) = match slice(text, at..text.len()) {
        [b':', b'/', b'/', ..] => (Trigger::Url, at, at + 3),
        [b':', b'*', b':', ..] => (Trigger::PgPass, at, at + 3),
        [b':', b'1'..=b'9', rest @ ..] if is_port(rest) => (Trigger::PgPass, at, at + 3),
        [b':', ..] if before == Some(&b'r') && slice(text, 0..at).ends_with(b" /user") => {
            let value = terminals::share(text, at)?;
            let end = value.end.max(at + 1);
            found.push(Found::new(general::KEYED_VALUE, value));
            return Some(end);
        }
        [b':', b':', b'a', b'd', b'd', b'-', b'm', b'a', b's', b'k', b':', b':', ..] => {
            let value = terminals::masked(text, at + 12)?;
            return Some(add(general::KEYED_VALUE, value, found));
        }
        [b':', ..] if before == Some(&b'p') && slice(text, 0..at).ends_with(b" /p") => {
            let value = terminals::remote_desktop(text, at)?;
            return Some(add(general::KEYED_VALUE, value, found));
        }
        [b':', b':', ..] if before.is_some_and(u8::is_ascii_alphanumeric) => {
            let value = terminals::step_output(text, at)?;
            return Some(add(general::KEYED_VALUE, value, found));
        }
        [b':', b'$' | b'{', ..] | [b':', b' ', b'$' | b'{', ..] => {
            let hash = connections::hashed(text, at)?;
            return Some(add(general::PASSWORD_FILE, hash, found));
        }
        [b':', b't', b'h', b'i', b'n', b':', ..]
        | [b':', b'o', b'c', b'i', b':' | b'8', ..]
        | [b':', b'k', b'p', b'r', b'b', b':', ..] => {
            let login = run_end(text, at + 1, 8, |byte| byte != b':') + 1;
            let password = connections::oracle(text, login)?;
            return Some(add(general::URL_PASSWORD, password, found));
        }
        [b'-', b'b', ..] | [b'-', b'-', b'c', b'o', ..] if starts_argument && commands::cookies(text, at).is_some() => {
            let list = commands::cookies(text, at)?;
            return Some(headers::cookie_list(text, list, &mut |rule, place| found.push(Found::new(rule, place))));
        }
        [b'-', b'a'..=b'z' | b'A'..=b'Z', ..] if starts_argument => {
            let value = commands::option(text, at)?;
            return Some(add(general::KEYED_VALUE, value, found));
        }
        [b'-', b'-', b'a'..=b'z' | b'A' | b'C'..=b'Z' | 0x80.., ..] if starts_argument => {
            let of_name = || if is_after_blank { separators::after_verb(text, at) } else { None };
            let value = commands::literal(text, at).or_else(|| commands::option(text, at)).or_else(of_name)?;
            return Some(add(general::KEYED_VALUE, value, found));
        }
        [b'-', b'-', b'B', b'E', b'G', b'I', b'N', b' ', ..] => (Trigger::Pem, at, at + 8),
        [b'-', b'U', b's', b'e', b'r', ..] if slice(text, 0..at).ends_with(b"PuTTY") => (Trigger::Putty, at, at + 5),
        // `WIFI:` and `API-`
        _ if matches!(before, Some(b'I' | b'i')) => {
            let value = match text.get(at) {
                Some(b':') => wifi::password(text, at)?,
                _ => api_keys::joined(text, at)?,
            };
            return Some(add(general::KEYED_VALUE, value, found));
        }
        _ => return None,
    };
    Some(inspect(text, trigger, start, end, state, pair, found))
}

/// Adds the value at `place`; returns where to continue.
fn add<'r>(rule: &'static str, place: Range<usize>, found: &mut Vec<Found<'r>>) -> usize {
    let end = place.end;
    found.push(Found::new(rule, place));
    end
}

/// Whether three or four digits and a colon follow.
fn is_port(rest: &[u8]) -> bool {
    let digits = rest.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    matches!(digits, 3 | 4) && rest.get(digits) == Some(&b':')
}

/// Examines the surroundings of the hit from `start` to `end`; returns where to continue.
fn inspect<'r>(
    text: &[u8],
    trigger: Trigger,
    start: usize,
    end: usize,
    state: &mut PassState,
    pair: &mut LastPair,
    found: &mut Vec<Found<'r>>,
) -> usize {
    let mut add = |rule: &'static str, place: Range<usize>| found.push(Found::new(rule, place));
    match trigger {
        Trigger::Name => {
            let is_noun = matches!(text.get(end), Some(b' ' | b':' | b',' | b'\n' | b'\r' | b'='));
            let spaced = is_noun.then(|| cuts::spaced(text, end, &mut state.spaced)).flatten();
            found.extend(spaced.map(|(rule, place, token)| Found::new(rule, place).with_secret(token)));
            let seed = is_noun.then(|| otp_seeds::stated(text, end)).flatten();
            found.extend(seed.map(|seed| Found::new(general::KEYED_VALUE, seed)));
            return inspect_name(text, start, end, state, pair, found);
        }
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
            if let Some(value) = rows::value_before(text, &name).or_else(|| rows::value_after(text, &name)) {
                add(general::KEYED_VALUE, value);
                return place.end;
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
        Trigger::Codes if !matches!(text.get(start.wrapping_sub(1)), Some(b'c' | b'C')) => {}
        Trigger::Codes => otp_seeds::recovery_codes(text, end, &mut |place| add(general::KEYED_VALUE, place)),
        Trigger::Api => {
            if let Some(key) = api_keys::stated(text, start..start + 3) {
                add(general::KEYED_VALUE, key);
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
        b"eslo" | b"eslem" | b"esla " => (b"hg", false),
        b"ata sandi" => (b"k", false),
        b"ozinka" => (b"l", false),
        b"ugangsdaten" => (b"z", true),
        // `phrase secrète`
        b"ecr\xc3\xa8t" => {
            let before = slice(text, start.saturating_sub(8)..start);
            return ends_ignoring_case(before, b"phrase s") || ends_ignoring_case(before, "clé s".as_bytes());
        }
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

fn inspect_name<'r>(
    text: &[u8],
    start: usize,
    end: usize,
    state: &mut PassState,
    pair: &mut LastPair,
    found: &mut Vec<Found<'r>>,
) -> usize {
    // The name must end soon after the word, or the word does not end it.
    let place = place_around(text, start..end);
    let next = place.end.max(end);
    if headers::is_authorization(text, &place) {
        if let Some(credential) = headers::authorization(text, place.end) {
            found.push(Found::new(general::AUTHORIZATION, credential));
        }
        return next;
    }
    let add = &mut |value| found.push(Found::new(general::KEYED_VALUE, value));
    state.collection = collections::find(text, &place, state.collection, add);
    pairs::value_of(text, &place).into_iter().for_each(add);
    let of_session = terminals::redis_auth(text, &place)
        .or_else(|| terminals::wireguard_key(text, &place))
        .or_else(|| terminals::positional(text, &place))
        .or_else(|| structures::generated_password(text, &place));
    found.extend(of_session.map(|value| Found::new(general::KEYED_VALUE, value)));
    let of_command = headers::pair_of_arguments(text, &place)
        .or_else(|| inputs::of_option(text, &place))
        .or_else(|| inputs::written(text, &place));
    let is_command = of_command.is_some();
    found.extend(of_command.map(|value| Found::new(general::KEYED_VALUE, value)));
    // What is assigned was judged by the sign between them, and in other code there is no value.
    let is_code = match text.get(place.end) {
        Some(b'=') => text.get(place.end + 1) != Some(&b'='),
        Some(b'[' | b';' | b'>' | b'&' | b'/' | b'$') => true,
        // But for `password{"…"}` in C++.
        Some(b'{') => !text.get(place.end + 1).is_some_and(|byte| is_quote(*byte)),
        // `token.clone()`
        Some(b'.') => text.get(place.end + 1).is_some_and(u8::is_ascii_alphanumeric),
        _ => false,
    };
    if is_code || is_command {
        return next;
    }
    let (name, _) = pair.name_in(text, place);
    let is_called = matches!(text.get(name.place.end), Some(b'(' | b')'));
    if name.strength == Strength::None || (is_called && name.strength < Strength::Strong) {
        return next;
    }
    let known = found.len();
    sql::inserted(text, &name, &mut |value| found.push(Found::new(general::KEYED_VALUE, value)));
    found.extend(sql::password_set_for(text, &name.place).map(|value| Found::new(general::KEYED_VALUE, value)));
    state.manifest =
        structures::kubernetes(text, &name, state.manifest, &mut |rule, place| found.push(Found::new(rule, place)));
    if let Some(value) = pair.value_of(text, &name) {
        let rule = if options::is_of_netrc(text, &name) { general::PASSWORD_FILE } else { general::KEYED_VALUE };
        found.push(Found::new(rule, value));
    } else if let Some(value) = rows::value_before(text, &name).or_else(|| rows::value_after(text, &name)) {
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
    fn all_searches_can_be_built() {
        assert!(searches().iter().all(Option::is_some));
        // More words cannot be packed, and shorter ones would make the search slower.
        assert!(ASCII_WORDS.len() <= 64 && ASCII_WORDS.iter().all(|(word, _)| word.len() >= 4 && word.is_ascii()));
    }
}
