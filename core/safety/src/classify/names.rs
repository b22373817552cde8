//! What a name says about its value: how strongly it suggests a secret. One table holds the words of names; texts,
//! records, tables and command lines all ask it.
//!
//! The *ending* of a name decides: `DB_PASSWORD` names a secret, `PASSWORD_MIN_LENGTH` and `tokenStorage` do not.

mod table;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use crate::lazy::lazily;
use crate::text::bytes::{find, run_end, run_start, slice};
use once_cell::race::OnceBox;
pub(crate) use table::Strength;
use table::{ABOUT, ENDINGS, GLUED, LEADING, OPENED, OPENED_BY_CODE, OPENED_BY_PIN, OPENED_WIDE, VARIANTS};

/// The longest name, in bytes. Anything longer is data, not a name.
pub(crate) const MAX_NAME: usize = 128;
/// The most words of an ending in the table.
const MAX_WORDS: usize = 3;
/// How many endings that only indicate a variant are skipped: `API_KEY_PROD_2`.
const MAX_VARIANTS: usize = 3;
/// Keys of a value whose name is the value of another key: `{"name": …, "value": …}`.
pub(crate) const VALUES: [&str; 3] = ["value", "default", "content"];

/// The strength of `name`, written as `snake_case`, `kebab-case`, `dotted.names`, `camelCase` or separate words.
pub(crate) fn strength(name: &[u8]) -> Strength {
    let is_known = name.len() <= MAX_NAME && is_ending_at(name, name.len());
    let strength = if is_known { of_known(name, true) } else { of_beginning(name) };
    strength.unwrap_or(Strength::None)
}

/// The strength of a `name`, and of the `phrase` that ends with it, whose first words may not belong to the name: that
/// of the phrase is `None` if the table does not have it.
pub(crate) fn strength_in_phrase<'t>(
    name: &[u8],
    phrase: impl FnOnce() -> Option<&'t [u8]>,
) -> (Strength, Option<Strength>) {
    if name.len() > MAX_NAME || !is_ending_at(name, name.len()) {
        return (of_beginning(name).unwrap_or(Strength::None), None);
    }
    let strength = of_known(name, true).unwrap_or(Strength::None);
    let phrase = if strength == Strength::Strong { None } else { phrase() };
    (strength, phrase.filter(|phrase| phrase.len() <= MAX_NAME).and_then(|phrase| of_known(phrase, false)))
}

/// As [`strength`], for separate words of which the first ones may not belong to the name; `None` if the table does not
/// have them.
pub(crate) fn strength_of_phrase(name: &[u8]) -> Option<Strength> {
    (name.len() <= MAX_NAME && is_ending_at(name, name.len())).then(|| of_known(name, false)).flatten()
}

/// The strength of a name whose last word the table has. `is_whole`: all of it is the name, so that `*` matches the
/// word before the last.
fn of_known(name: &[u8], is_whole: bool) -> Option<Strength> {
    let lower = &Lowered::of(name);
    let mut places: [&[u8]; MAX_WORDS + MAX_VARIANTS] = Default::default();
    let count = places.iter_mut().zip(lower.words(name)).map(|(place, word)| *place = word).count();
    let words = places.get(..count)?;
    for stripped in 0..=MAX_VARIANTS {
        let (&last, before) = words.get(stripped..)?.split_first()?;
        // In `passValue`, "pass" is a verb.
        if stripped > 0 && before.is_empty() && last == b"pass" {
            return None;
        }
        if let Some(strength) = of_ending(last, before, is_whole) {
            return Some(strength);
        }
        if !is_variant(last) {
            return is_whole.then(|| of_beginning(name)).flatten();
        }
    }
    None
}

/// The strength of a name in a language that puts the word for a secret first.
fn of_beginning(name: &[u8]) -> Option<Strength> {
    if name.len() > MAX_NAME {
        return None;
    }
    let index = index();
    let name = without_verb(name);
    // Most names begin with other letters.
    if !index.has_head(*name.first_chunk()?) {
        return None;
    }
    let lower = Lowered::of(name);
    // From the last to the first, as an ending is.
    let words: Vec<&[u8]> = lower.words(name).collect();
    if words.iter().any(|word| index.entry(Ending::of(word)).is_about) {
        return None;
    }
    let is_known = |count: usize| {
        let beginning = words.iter().skip(words.len() - count).fold(Ending::NONE, |ending, word| ending.and(word));
        index.entry(beginning).is_leading
    };
    (1..=MAX_WORDS.min(words.len())).any(is_known).then_some(Strength::Strong)
}

/// `contraseña-admin` of `--contraseña-admin`, and `ContraseñaAdmin` of `setContraseñaAdmin`.
fn without_verb(name: &[u8]) -> &[u8] {
    let start = name.iter().position(|byte| is_solid(*byte)).unwrap_or(name.len());
    let name = slice(name, start..name.len());
    [&b"set"[..], b"Set"].iter().find_map(|verb| name.strip_prefix(*verb)).unwrap_or(name)
}

/// Whether `name` may begin with a word of the table that names begin with.
#[inline(always)]
pub(crate) fn may_begin(name: &[u8]) -> bool {
    match *name {
        [b's' | b'S', b'e', b't', _, ..] => may_begin_after_verb(name),
        [a, b, c, d, ..] if is_solid(a) => index().has_head([a, b, c, d]),
        [_, _, _, _, ..] => may_begin_after_verb(name),
        _ => false,
    }
}

#[inline(never)]
fn may_begin_after_verb(name: &[u8]) -> bool {
    without_verb(name).first_chunk().is_some_and(|head| index().has_head(*head))
}

/// The strength of the longest ending that the table has, of a name whose last word is `last`.
fn of_ending(last: &[u8], before: &[&[u8]], is_whole: bool) -> Option<Strength> {
    let index = index();
    let mut ending = Ending::of(last);
    let entry = index.entry(ending);
    let mut known = entry.strength;
    let mut is_opened = false;
    for (count, &word) in before.iter().take(MAX_WORDS - 1).enumerate() {
        if count == 0 {
            // `*` is decided by any other word.
            known = entry.general.filter(|_| is_whole).or(known);
            is_opened = match last {
                b"code" => OPENED_BY_CODE.split_ascii_whitespace().any(|opened| opened.as_bytes() == word),
                _ => {
                    is_opener(last)
                        && (opens(word) || OPENED_BY_PIN.split_ascii_whitespace().any(|it| it.as_bytes() == word))
                }
            };
        }
        ending = ending.and(word);
        known = index.entry(ending).strength.or(known);
    }
    if is_opened {
        return Some(Strength::Strong);
    }
    known.or_else(|| index.glued_end(last))
}

fn is_variant(word: &[u8]) -> bool {
    let is_number = word.len() <= 2 && word.iter().all(u8::is_ascii_digit);
    is_number || index().entry(Ending::of(word)).is_variant
}

/// Whether a PIN or a code of something is meant.
fn is_opener(word: &[u8]) -> bool {
    matches!(word, b"pin" | b"pincode" | b"otp" | b"puk")
}

/// Whether `word`, in lower case, is something that a PIN or a code opens.
fn opens(word: &[u8]) -> bool {
    // `Firmenkarte`, `voordeur`
    let is_compound =
        |opened: &str| opened.len() >= 4 && word.len() > opened.len() + 2 && word.ends_with(opened.as_bytes());
    index().entry(Ending::of(word)).is_opened
        || OPENED.split_ascii_whitespace().any(is_compound)
        || (!word.is_ascii()
            && OPENED_WIDE.split_ascii_whitespace().any(|opened| find(word, opened.as_bytes()).is_some()))
}

/// Whether one of the words of `text` is something that a PIN or a code opens: "the PIN for the front door".
pub(crate) fn says_what_it_opens(text: &[u8]) -> bool {
    text.split(|byte| !is_solid(*byte)).filter(|word| !word.is_empty() && word.len() <= MAX_NAME).any(|word| {
        let lower = Lowered::of(word);
        lower.words(word).any(opens)
    })
}

/// Whether the table has the last word before `end` of `text`; true of names that are not ASCII. Most words are not in
/// it.
#[inline(always)]
pub(crate) fn is_ending_at(text: &[u8], end: usize) -> bool {
    may_end_at(text, end) && is_known_at(slice(text, end.saturating_sub(MAX_NAME)..end), end.min(MAX_NAME))
}

/// Whether a name with a strength may end at `end` of `text`, which takes less time to answer.
#[inline(always)]
fn may_end_at(text: &[u8], end: usize) -> bool {
    match slice(text, 0..end) {
        [.., a, b, c, d] if d.is_ascii_alphabetic() && !matches!(d, b'v' | b'V' | b'b' | b'B') => {
            index().has_tail([*a, *b, *c, *d])
        }
        before => may_end_in_variant(before),
    }
}

/// As [`may_end_at`], for the end of a text that may be a number or a version: `API_KEY_V2`, `key2`.
#[inline(never)]
fn may_end_in_variant(text: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'_' | b'-' | b'.' | b' ');
    let digits = match text {
        [.., b'0'..=b'9', b'0'..=b'9'] => 2,
        [.., b'0'..=b'9'] => 1,
        _ => 0,
    };
    let mut stem = slice(text, 0..text.len() - digits);
    if let [rest @ .., separator, b'v' | b'V' | b'b' | b'B'] = stem
        && is_separator(separator)
    {
        stem = slice(stem, 0..rest.len() + 1);
    }
    if let [rest @ .., separator] = stem
        && stem.len() < text.len()
        && is_separator(separator)
    {
        stem = rest;
    }
    match *stem {
        [.., a, b, c, d] => index().has_tail([a, b, c, d]),
        [b, c, d] => index().has_tail([b'_', b, c, d]),
        [c, d] => index().has_tail([b'_', b'_', c, d]),
        _ => false,
    }
}

#[inline(never)]
fn is_known_at(text: &[u8], end: usize) -> bool {
    let Some(word) = word_before(text, end) else { return false };
    let is_option = word.start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'-');
    let word = slice(text, word);
    let index = index();
    let is_known = |word: &[u8]| index.endings.contains_key(&Ending::of_any_case(word).0) || index.may_be_glued(word);
    is_known(word)
        || !word.is_ascii()
        || (word.len() <= 2 && word.iter().all(u8::is_ascii_digit))
        // `-Dkey=…`
        || (is_option && word.strip_prefix(b"D").is_some_and(is_known))
}

/// All words of the table, by their hashes.
struct Index {
    endings: HashMap<u64, Entry, BuildHasherDefault<Identity>>,
    glued: Vec<(&'static [u8], Strength)>,
    /// The last three bytes of those.
    glued_tails: Vec<[u8; 3]>,
    /// The first four bytes of the words that begin names.
    heads: Quads,
    /// The last four bytes of all words; of shorter ones, after `_`.
    tails: Quads,
}

/// What the table says about a word, or about several that end a name.
#[derive(Debug, Default, Clone, Copy)]
struct Entry {
    strength: Option<Strength>,
    /// After any other word.
    general: Option<Strength>,
    is_variant: bool,
    is_opened: bool,
    is_leading: bool,
    is_about: bool,
}

#[inline(always)]
fn index() -> &'static Index {
    static INDEX: OnceBox<Index> = OnceBox::new();
    lazily(&INDEX, Index::build)
}

impl Index {
    fn build() -> Self {
        let mut index = Index {
            endings: HashMap::default(),
            glued: entries(GLUED).map(|(strength, word)| (word.as_bytes(), strength)).collect(),
            glued_tails: Vec::new(),
            heads: Quads::new(),
            tails: Quads::new(),
        };
        index.glued_tails = index.glued.iter().filter_map(|(word, _)| word.last_chunk().copied()).collect();
        index.glued_tails.sort_unstable();
        index.glued_tails.dedup();
        for (strength, ending) in entries(ENDINGS) {
            match ending.strip_prefix("*-") {
                Some(word) => index.at(Ending::of(word.as_bytes())).general = Some(strength),
                None => {
                    let lower = Lowered::of(ending.as_bytes());
                    let words = lower.words(ending.as_bytes()).fold(Ending::NONE, Ending::and);
                    index.at(words).strength = Some(strength);
                    // A name is looked up by its last word first.
                    lower.words(ending.as_bytes()).next().into_iter().for_each(|last| _ = index.at(Ending::of(last)));
                }
            }
        }
        VALUES.iter().for_each(|word| _ = index.at(Ending::of(word.as_bytes())));
        for word in VARIANTS.split_ascii_whitespace() {
            index.at(Ending::of(word.as_bytes())).is_variant = true;
        }
        for word in ABOUT.split_ascii_whitespace() {
            index.at(Ending::of(word.as_bytes())).is_about = true;
        }
        for ending in LEADING.split_ascii_whitespace() {
            let lower = Lowered::of(ending.as_bytes());
            let words = lower.words(ending.as_bytes()).fold(Ending::NONE, Ending::and);
            index.at(words).is_leading = true;
            let title = ending.chars().take(1).flat_map(char::to_uppercase).chain(ending.chars().skip(1)).collect();
            let cases: [String; 3] = [ending.to_owned(), ending.to_uppercase(), title];
            cases.iter().filter_map(|word| word.as_bytes().first_chunk()).for_each(|head| index.heads.insert(*head));
        }
        for word in OPENED.split_ascii_whitespace() {
            index.at(Ending::of(word.as_bytes())).is_opened = true;
        }
        let words = entries(ENDINGS).chain(entries(GLUED)).map(|(_, word)| word);
        for word in words.chain(VARIANTS.split_ascii_whitespace()).chain(VALUES) {
            // Letters that are not ASCII have their capitals elsewhere.
            [word.to_lowercase(), word.to_uppercase()].iter().for_each(|word| index.add_tail(word));
        }
        index
    }

    fn at(&mut self, ending: Ending) -> &mut Entry {
        self.endings.entry(ending.0).or_default()
    }

    fn entry(&self, ending: Ending) -> Entry {
        self.endings.get(&ending.0).copied().unwrap_or_default()
    }

    /// Whether a word that begins names may start with `head`.
    fn has_head(&self, head: [u8; 4]) -> bool {
        self.heads.has(head)
    }

    /// Whether `word` may end in another word of the table.
    fn may_be_glued(&self, word: &[u8]) -> bool {
        word.last_chunk::<3>().is_some_and(|tail| {
            word.len() > 5 && self.glued_tails.binary_search(&tail.map(|byte| byte.to_ascii_lowercase())).is_ok()
        })
    }

    /// The strength of the word that `word`, in lower case, ends in.
    fn glued_end(&self, word: &[u8]) -> Option<Strength> {
        let known = self.may_be_glued(word).then(|| self.glued.iter().find(|(glued, _)| word.ends_with(glued)))?;
        known.map(|(_, strength)| *strength)
    }

    fn add_tail(&mut self, word: &str) {
        let lower = word.to_ascii_lowercase();
        let last = lower.rsplit('-').next().unwrap_or_default();
        match *last.as_bytes() {
            [.., a, b, c, d] => self.tails.insert([a, b, c, d]),
            [b, c, d] => self.tails.insert([b'_', b, c, d]),
            [c, d] => self.tails.insert([b'_', b'_', c, d]),
            _ => {}
        }
    }

    /// Whether a word of the table may end in `tail`, or in its last two or three bytes if a word starts there.
    #[inline]
    fn has_tail(&self, tail: [u8; 4]) -> bool {
        let [a, b, c, d] = tail;
        let starts = |before: u8, first: u8| !before.is_ascii_lowercase() || !first.is_ascii_lowercase();
        self.tails.has(tail)
            || (starts(a, b) && self.tails.has([b'_', b, c, d]))
            || (starts(b, c) && self.tails.has([b'_', b'_', c, d]))
    }
}

/// A set of four bytes each, ignoring case. It may say that it has what it has not.
struct Quads(Box<[u64; Quads::PLACES / 64]>);

impl Quads {
    /// How many places there are; each is a bit.
    const PLACES: usize = 1 << 16;

    fn new() -> Self {
        Quads(Box::new([0; Quads::PLACES / 64]))
    }

    /// Which of the words has the bit of `bytes`, and the bit.
    #[inline]
    fn place(bytes: [u8; 4]) -> (usize, u64) {
        // All letters in lower case; other bytes may become equal to others.
        let mixed = (u32::from_le_bytes(bytes) | 0x2020_2020).wrapping_mul(0x9E37_79B1) >> 16;
        (usize::try_from(mixed / 64).unwrap_or_default(), 1 << (mixed % 64))
    }

    fn insert(&mut self, bytes: [u8; 4]) {
        let (word, bit) = Quads::place(bytes);
        self.0.iter_mut().skip(word).take(1).for_each(|bits| *bits |= bit);
    }

    #[inline]
    fn has(&self, bytes: [u8; 4]) -> bool {
        let (word, bit) = Quads::place(bytes);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

/// The hash of the words that end a name, from the last to the first.
#[derive(Debug, Clone, Copy)]
struct Ending(u64);

impl Ending {
    const NONE: Ending = Ending(0xcbf2_9ce4_8422_2325);

    fn of(word: &[u8]) -> Self {
        Ending::NONE.and(word)
    }

    /// As [`of`](Self::of), for a word of ASCII letters in any case.
    fn of_any_case(word: &[u8]) -> Self {
        Ending::NONE.with(word.iter().rev().map(u8::to_ascii_lowercase))
    }

    /// This ending with `word` before it.
    fn and(self, word: &[u8]) -> Self {
        self.with(word.iter().rev().copied())
    }

    fn with(self, reversed: impl Iterator<Item = u8>) -> Self {
        let bytes = reversed.chain(std::iter::once(b'-'));
        Ending(bytes.fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }
}

/// A hasher for keys that are hashes.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A name in lower case.
enum Lowered {
    Ascii([u8; MAX_NAME], usize),
    Other(String),
}

impl Lowered {
    /// `name` has at most [`MAX_NAME`] bytes.
    fn of(name: &[u8]) -> Self {
        if !name.is_ascii() {
            return Lowered::Other(String::from_utf8_lossy(name).to_lowercase());
        }
        let mut lower = [0; MAX_NAME];
        lower.iter_mut().zip(name).for_each(|(place, byte)| *place = byte.to_ascii_lowercase());
        Lowered::Ascii(lower, name.len())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Lowered::Ascii(bytes, length) => slice(bytes, 0..*length),
            Lowered::Other(text) => text.as_bytes(),
        }
    }

    /// The words, from the last to the first. Case marks those of ASCII names; other names are split at punctuation
    /// only if their lower case has another length.
    fn words<'l>(&'l self, name: &'l [u8]) -> impl Iterator<Item = &'l [u8]> + Clone {
        let lower = self.bytes();
        let cased = if name.len() == lower.len() { name } else { lower };
        let mut end = lower.len();
        std::iter::from_fn(move || {
            let word = word_before(cased, end)?;
            end = word.start;
            lower.get(word)
        })
    }
}

/// The last word before `end`. Digits at the end of a word are a separate word.
fn word_before(name: &[u8], end: usize) -> Option<Range<usize>> {
    let end = run_start(name, end, end, |byte| !is_solid(byte));
    let last = end.checked_sub(1)?;
    // Most words are in lower case, perhaps after a capital.
    let mut start = run_start(name, end, end, |byte| byte.is_ascii_lowercase()).min(last);
    while !starts_word(name, start) {
        start -= 1;
    }
    // An apostrophe is inside of a word, and a quotation mark before it.
    let start = run_end(name, start, last - start, |byte| byte == b'\'');
    Some(start..end)
}

fn starts_word(name: &[u8], at: usize) -> bool {
    let byte = name.get(at).copied().unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| name.get(before)).copied().unwrap_or(b'_');
    let next = name.get(at + 1).copied().unwrap_or_default();
    match () {
        () if !is_solid(before) => true,
        () if byte.is_ascii_digit() => !before.is_ascii_digit() && ends_in_digits(name, at),
        // `clientSecret`, and the last capital of an acronym before a word: `DBPassword`.
        () => byte.is_ascii_uppercase() && (before.is_ascii_lowercase() || next.is_ascii_lowercase()),
    }
}

/// A byte of a word: a letter, a digit or an apostrophe.
const fn is_solid(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'\''
}

/// Whether the digits at `at` end a word: those of `key2`, not those of `i18n`.
fn ends_in_digits(name: &[u8], at: usize) -> bool {
    let digits = name.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    !name.get(at + digits).is_some_and(u8::is_ascii_alphabetic)
}

fn entries(table: &'static [(Strength, &'static str)]) -> impl Iterator<Item = (Strength, &'static str)> {
    table.iter().flat_map(|(strength, words)| words.split_ascii_whitespace().map(|word| (*strength, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_decides() {
        for (expected, names) in [
            (
                Strength::Strong,
                "DB_PASSWORD dbPassword DBPassword pin_password db.password mysql-passwd Password PASSWORD_2 password2 \
                SMTP_PASS dbpassword MYSQL_PWD PGPASSWORD userPwd JWT_SECRET apiToken API_KEY APIKey apikey X-Api-Key \
                AWS_SECRET_ACCESS_KEY SECRET_KEY_BASE client-key-data API_TOKEN_PROD_2 _authToken passPhrase \
                password_confirmation POP3_PASS sim_pin doorCode Datenbankpasswort mot_de_passe motDePasse db_contraseña \
                пароль БД_ПАРОЛЬ пароль_бд contraseña_admin mot_de_passe_base 数据库密码 Lösenord",
            ),
            (
                Strength::Weak,
                "token key auth pass pwd session cookie code pin cursor nonce signature STRIPE_KEY_PROD sshKey _auth \
                api_tokens client_secrets firstPass clave",
            ),
            (Strength::Likely, "AccountKey encryption_key GITHUB_TOKEN deployToken sessionKey"),
            (Strength::Digest, "hash password_hash"),
            (
                Strength::None,
                "PASSWORD_MIN_LENGTH private_key_path secretName tokenStorage monkey public_key max_tokens compass token_id \
                primaryKey OLDPWD OLD_PWD nextPageToken next_page_token continuationToken hashKey cacheKey i18n_key \
                S3_KEY statusCode status-code color contraseña_longitud senha_id __",
            ),
        ] {
            for name in names.split_ascii_whitespace() {
                assert_eq!(strength(name.as_bytes()), expected, "{name}");
            }
        }
        assert_eq!(strength(b""), Strength::None);
    }

    #[test]
    fn an_ending_is_in_the_table_once() {
        let mut seen = std::collections::HashSet::new();
        for (_, ending) in entries(ENDINGS) {
            assert!(seen.insert(ending), "{ending} is in the table twice");
            assert!(ending.split('-').count() <= MAX_WORDS, "{ending} has more words than are compared");
        }
    }
}
