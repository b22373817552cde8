//! What a name says about its value: how strongly it suggests a secret. One table holds the words of names; texts,
//! records, tables and command lines all ask it.
//!
//! The *ending* of a name decides: `DB_PASSWORD` names a secret, `PASSWORD_MIN_LENGTH` and `tokenStorage` do not.

mod table;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::packed::{Config, Searcher};

use crate::lazy::lazily;
use crate::text::bytes::slice;
pub(crate) use table::Strength;
use table::{ABOUT, ENDINGS, GLUED, LEADING, LEADING_PARTS, OPENED, OPENED_BY_CODE, OPENED_WIDE, VARIANTS};

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
    of_name(name, true).unwrap_or(Strength::None)
}

/// As [`strength`], for separate words of which the first ones may not belong to the name; `None` if the table does not
/// have them.
pub(crate) fn strength_of_phrase(name: &[u8]) -> Option<Strength> {
    of_name(name, false)
}

/// `is_whole`: all of it is the name, so that `*` matches the word before the last.
fn of_name(name: &[u8], is_whole: bool) -> Option<Strength> {
    if name.len() > MAX_NAME {
        return None;
    }
    if !may_end_at(name, name.len()) || !is_known_at(name, name.len()) {
        return is_whole.then(|| of_beginning(name)).flatten();
    }
    let lower = &Lowered::of(name);
    let mut words = lower.words(name);
    let mut last = words.next()?;
    for stripped in 0..=MAX_VARIANTS {
        let before = words.clone().next();
        // In `passValue`, "pass" is a verb.
        if stripped > 0 && before.is_none() && last == b"pass" {
            return None;
        }
        if let Some(strength) = of_ending(last, words.clone(), is_whole) {
            return Some(strength);
        }
        if !is_variant(last) {
            return is_whole.then(|| of_beginning(name)).flatten();
        }
        last = before?;
        words.next();
    }
    None
}

/// The strength of a name in a language that puts the word for a secret first.
fn of_beginning(name: &[u8]) -> Option<Strength> {
    let index = index();
    // `--contraseña-admin`, `setContraseñaAdmin`
    let start = name.iter().position(|byte| is_solid(*byte))?;
    let name = slice(name, start..name.len());
    let name = [&b"set"[..], b"Set"].iter().find_map(|verb| name.strip_prefix(*verb)).unwrap_or(name);
    // Most names begin with other letters.
    if !index.leading_heads.contains(&name.first()?.to_ascii_lowercase()) {
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

/// The strength of the longest ending that the table has, of a name whose last word is `last`.
fn of_ending<'l>(last: &[u8], before: impl Iterator<Item = &'l [u8]>, is_whole: bool) -> Option<Strength> {
    let index = index();
    let mut ending = Ending::of(last);
    let entry = index.entry(ending);
    let mut known = entry.strength;
    let mut is_opened = false;
    for (count, word) in before.take(MAX_WORDS - 1).enumerate() {
        if count == 0 {
            // `*` is decided by any other word.
            known = entry.general.filter(|_| is_whole).or(known);
            is_opened = match last {
                b"code" => OPENED_BY_CODE.split_ascii_whitespace().any(|opened| opened.as_bytes() == word),
                _ => is_opener(last) && opens(word),
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
    index().entry(Ending::of(word)).is_opened
        || (!word.is_ascii()
            && OPENED_WIDE
                .split_ascii_whitespace()
                .any(|opened| memchr::memmem::find(word, opened.as_bytes()).is_some()))
}

/// Whether one of the words of `text` is something that a PIN or a code opens: "the PIN for the front door".
pub(crate) fn says_what_it_opens(text: &[u8]) -> bool {
    text.split(|byte| !is_solid(*byte)).filter(|word| !word.is_empty() && word.len() <= MAX_NAME).any(|word| {
        let lower = Lowered::of(word);
        lower.words(word).any(opens)
    })
}

/// Whether a name with a strength may end at `end` of `text`. Most words do not, so this is asked first.
pub(crate) fn may_end_at(text: &[u8], end: usize) -> bool {
    let is_separator = |byte: u8| matches!(byte, b'_' | b'-' | b'.' | b' ');
    let last = |end: usize| end.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or_default();
    // `API_KEY_V2`, `key2`
    let mut stem = end;
    while end - stem < 2 && last(stem).is_ascii_digit() {
        stem -= 1;
    }
    if matches!(last(stem), b'v' | b'V' | b'b' | b'B') && is_separator(last(stem - 1)) {
        stem -= 1;
    }
    if stem < end && is_separator(last(stem)) {
        stem -= 1;
    }
    let index = index();
    match *slice(text, stem.saturating_sub(3)..stem) {
        [a, b, c] => index.has_tail([a, b, c]) || index.has_tail([b'_', b, c]),
        [b, c] => index.has_tail([b'_', b, c]),
        _ => false,
    }
}

/// Whether the table has the last word of the name that ends at `end` of `text`; true of names that are not ASCII.
pub(crate) fn is_known_at(text: &[u8], end: usize) -> bool {
    let Some(word) = word_before(text, end) else { return false };
    let is_option = word.start.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'-');
    let word = slice(text, word);
    let index = index();
    // `-Dkey=…`
    let is_known = |word: &[u8]| {
        index.endings.contains_key(&Ending::NONE.with(word.iter().rev().map(u8::to_ascii_lowercase)).0)
            || index.may_be_glued(word)
    };
    !word.is_ascii()
        || (word.len() <= 2 && word.iter().all(u8::is_ascii_digit))
        || is_known(word)
        || (is_option && word.strip_prefix(b"D").is_some_and(is_known))
}

/// Whether `text` may have a name that begins with a word of the table, in a language that puts it first.
pub(crate) fn may_have_beginnings(text: &[u8]) -> bool {
    static SEARCH: OnceLock<Option<Searcher>> = OnceLock::new();
    let search = lazily(&SEARCH, || {
        let titled =
            |part: &str| part.chars().take(1).flat_map(char::to_uppercase).chain(part.chars().skip(1)).collect();
        let cases = |part: &str| [part.to_owned(), part.to_uppercase(), titled(part)];
        Config::new().builder().extend(LEADING_PARTS.split_ascii_whitespace().flat_map(cases)).build()
    });
    match search {
        Some(search) => search.find(text).is_some(),
        // Without a packed searcher, every name is looked at.
        None => true,
    }
}

/// All words of the table, by their hashes.
struct Index {
    endings: HashMap<u64, Entry, BuildHasherDefault<Identity>>,
    glued: Vec<(&'static [u8], Strength)>,
    /// The last three bytes of those.
    glued_tails: Vec<[u8; 3]>,
    /// The first bytes of words that begin names.
    leading_heads: Vec<u8>,
    /// A set of the last three bytes of all words, as bits; of a word of two, after `_`.
    tails: Vec<u64>,
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

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    lazily(&INDEX, Index::build)
}

impl Index {
    fn build() -> Self {
        let mut index = Index {
            endings: HashMap::default(),
            glued: entries(GLUED).map(|(strength, word)| (word.as_bytes(), strength)).collect(),
            glued_tails: Vec::new(),
            leading_heads: Vec::new(),
            tails: vec![0; TAILS / 64],
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
            index.leading_heads.extend(ending.bytes().next());
            index.leading_heads.extend(ending.to_uppercase().bytes().next());
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
        let tail = match *lower.trim_start_matches(['*', '-']).as_bytes() {
            [.., a, b, c] => [a, b, c],
            [b, c] => [b'_', b, c],
            _ => return,
        };
        let place = tail_place(tail);
        if let Some(bits) = self.tails.get_mut(place / 64) {
            *bits |= 1 << (place % 64);
        }
    }

    fn has_tail(&self, tail: [u8; 3]) -> bool {
        let place = tail_place(tail);
        self.tails.get(place / 64).is_some_and(|bits| bits & 1 << (place % 64) != 0)
    }
}

/// How many places the set of tails has.
const TAILS: usize = 1 << 16;

fn tail_place(tail: [u8; 3]) -> usize {
    let [a, b, c] = tail.map(|byte| byte.to_ascii_lowercase());
    let mixed = u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> 16;
    usize::try_from(mixed).unwrap_or_default()
}

/// The hash of the words that end a name, from the last to the first.
#[derive(Debug, Clone, Copy)]
struct Ending(u64);

impl Ending {
    const NONE: Ending = Ending(0xcbf2_9ce4_8422_2325);

    fn of(word: &[u8]) -> Self {
        Ending::NONE.and(word)
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

    /// The words, from the last to the first. Case marks those of ASCII names; other names are split at punctuation only
    /// if their lower case has another length.
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
    let end = name.get(..end)?.iter().rposition(|byte| is_solid(*byte))? + 1;
    let start = (0..end).rev().find(|at| starts_word(name, *at))?;
    // An apostrophe is inside of a word, and a quotation mark before it.
    let start = start + slice(name, start..end).iter().take_while(|byte| **byte == b'\'').count();
    Some(start.min(end - 1)..end)
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
