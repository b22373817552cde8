//! The terms of a text: what is indexed and what is searched for.
//!
//! A text is split into words of any script. An identifier is a term as a whole and in its parts: `updateContext`,
//! `update_context` and `UPDATE_CONTEXT` are all `updat`, `context` and `updatecontext`. Words are lower-cased, without
//! accents, reduced to their stem if they may be English, and omitted if they are stop words. Scripts that are written
//! without spaces are indexed by characters and pairs of them.

use std::borrow::Cow;

use foldhash::{HashMap, HashMapExt as _};
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::decompose_canonical;

use super::stop_words::is_stop_word;
use crate::safety::placeholders;

/// The maximum length of a term, in bytes. Longer words are cut: they are data rather than words.
const MAX_TERM_BYTES: usize = 64;
/// How many stems are remembered.
const MAX_STEMS: usize = 1 << 16;

/// Finds the terms of texts, and remembers the stems of words that it has seen.
pub struct Analyzer {
    stemmer: Stemmer,
    /// The term of each part of a word, in the case of the text; empty for a stop word.
    known: HashMap<Box<str>, Box<str>>,
    whole: String,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Analyzer").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Analyzer { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new(), whole: String::new() }
    }
}

/// The role of a character in the splitting of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Of a script that is written without spaces.
    Unspaced,
    /// Connects the parts of an identifier.
    Underscore,
    /// Inside a word, it is ignored.
    Apostrophe,
    Other,
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '_' => Class::Underscore,
        '\'' | '\u{2019}' => Class::Apostrophe,
        _ if character.is_ascii() => Class::Other,
        _ if is_unspaced(character) => Class::Unspaced,
        _ if character.is_uppercase() => Class::Upper,
        _ if character.is_numeric() => Class::Digit,
        _ if character.is_alphabetic() => Class::Lower,
        _ => Class::Other,
    }
}

/// Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Burmese letters.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
        && character.is_alphanumeric()
}

impl Analyzer {
    /// Calls `emit` with each term of `text`, in order and with repetitions. A placeholder for a secret is none.
    pub fn each_term(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        self.each_word(text, |term, _| emit(term));
    }

    /// Calls `emit` with each term of `text` and the word that it stands for, as it is in the text but for accents.
    fn each_word(&mut self, text: &str, mut emit: impl FnMut(&str, &str)) {
        // Most texts that an index asks for are single identifiers.
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return self.word(text, &mut emit);
        }
        let mut start = 0;
        for placeholder in placeholders(text.as_bytes()) {
            self.each_word_of(text.get(start..placeholder.start).unwrap_or_default(), &mut emit);
            start = placeholder.end;
        }
        self.each_word_of(text.get(start..).unwrap_or_default(), &mut emit);
    }

    /// As [`each_word`](Self::each_word), of a text without placeholders.
    fn each_word_of(&mut self, text: &str, emit: &mut impl FnMut(&str, &str)) {
        let text = folded(text);
        let mut characters = text.char_indices().peekable();
        while let Some((start, first)) = characters.next() {
            let is_wanted: fn(Class) -> bool = match class(first) {
                Class::Other | Class::Apostrophe | Class::Underscore => continue,
                Class::Unspaced => |class| class == Class::Unspaced,
                Class::Lower | Class::Upper | Class::Digit => |class| !matches!(class, Class::Other | Class::Unspaced),
            };
            let mut end = start + first.len_utf8();
            while let Some((at, next)) = characters.next_if(|(_, next)| is_wanted(class(*next))) {
                end = at + next.len_utf8();
            }
            let run = &text[start..end];
            if class(first) == Class::Unspaced {
                unspaced(run, emit);
            } else {
                self.word(run, emit);
            }
        }
    }

    /// The terms of `text`, sorted and without repetitions.
    pub fn distinct(&mut self, text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        self.each_term(text, |term| terms.push(term.to_owned()));
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// The terms of `text`, sorted and without repetitions, each with the first word that it stands for.
    pub fn distinct_words(&mut self, text: &str) -> Vec<(String, String)> {
        let mut words = Vec::new();
        self.each_word(text, |term, word| words.push((term.to_owned(), word.to_owned())));
        words.sort_by(|(one, _), (other, _)| one.cmp(other));
        words.dedup_by(|(later, _), (first, _)| later == first);
        words
    }

    /// The terms of a run of letters, digits, underscores and apostrophes.
    fn word(&mut self, run: &str, emit: &mut impl FnMut(&str, &str)) {
        let mut whole = std::mem::take(&mut self.whole);
        whole.clear();
        let mut parts = 0;
        let mut rest = run;
        while !rest.is_empty() {
            let (part, behind) = rest.split_at(part_end(rest));
            rest = behind;
            let letters = part.trim_matches(['_', '\'', '\u{2019}']);
            if !letters.is_empty() {
                parts += 1;
                whole.push_str(letters);
                self.part(letters, emit);
            }
        }
        if parts > 1 {
            let lower = cut(&whole).to_lowercase();
            emit(&lower, cut(&whole));
        }
        self.whole = whole;
    }

    /// The term of one part of a word, if it is not a stop word.
    fn part(&mut self, part: &str, emit: &mut impl FnMut(&str, &str)) {
        if let Some(term) = self.known.get(part) {
            if !term.is_empty() {
                emit(term, cut(part));
            }
            return;
        }
        let term = self.term(part);
        if !term.is_empty() {
            emit(&term, cut(part));
        }
        if self.known.len() < MAX_STEMS && part.len() <= MAX_TERM_BYTES {
            self.known.insert(part.into(), term.into());
        }
    }

    fn term(&self, part: &str) -> String {
        let mut word: String = cut(part).to_lowercase();
        word.retain(|character| !matches!(character, '\'' | '\u{2019}'));
        if is_stop_word(&word) {
            return String::new();
        }
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return self.stemmer.stem(&word).into_owned();
        }
        word
    }
}

/// Where the first part of an identifier ends: before an underscore's other side, an upper-case letter after a lower-case
/// one, the last of several upper-case letters before a lower-case one, and where letters and digits meet.
fn part_end(run: &str) -> usize {
    if run.is_ascii() {
        return border(run.bytes().map(|byte| class(byte.into())).enumerate()).unwrap_or(run.len());
    }
    border(run.char_indices().map(|(at, character)| (at, class(character)))).unwrap_or(run.len())
}

fn border(characters: impl Iterator<Item = (usize, Class)>) -> Option<usize> {
    let mut characters = characters.peekable();
    let mut before = Class::Underscore;
    while let Some((at, now)) = characters.next() {
        if now == Class::Apostrophe {
            continue;
        }
        let next = characters.peek().map_or(Class::Other, |(_, next)| *next);
        let is_border = match (before, now) {
            (Class::Underscore, _) => false,
            (_, Class::Underscore) => true,
            (Class::Lower, Class::Upper) => true,
            (Class::Upper, Class::Upper) => next == Class::Lower,
            (Class::Digit, Class::Lower | Class::Upper) | (Class::Lower | Class::Upper, Class::Digit) => true,
            _ => false,
        };
        if is_border {
            return Some(at);
        }
        before = now;
    }
    None
}

/// The characters of a run and each pair of neighbours.
fn unspaced(run: &str, emit: &mut impl FnMut(&str, &str)) {
    let mut before = None;
    for (at, character) in run.char_indices() {
        let end = at + character.len_utf8();
        emit(&run[at..end], &run[at..end]);
        if let Some(before) = before {
            emit(&run[before..end], &run[before..end]);
        }
        before = Some(at);
    }
}

/// The first [`MAX_TERM_BYTES`] bytes, without a part of a character.
fn cut(part: &str) -> &str {
    &part[..part.floor_char_boundary(MAX_TERM_BYTES)]
}

/// `text` in compatibility form, without accents and invisible characters.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.nfkc() {
        match character {
            '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => {}
            // These are composed of letters, or are letters of their own with marks.
            _ if is_unspaced(character) => out.push(character),
            _ => decompose_canonical(character, |part| {
                if !matches!(part, '\u{300}'..='\u{36F}') {
                    out.push(part);
                }
            }),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Analyzer::default().each_term(text, |term| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn each_term_is_shown_as_the_word_that_it_stands_for() {
        let words = Analyzer::default().distinct_words("Which ports do the Proxies use? portOf, PORT, \u{7aef}");
        let shown: Vec<_> = words.iter().map(|(term, word)| (term.as_str(), word.as_str())).collect();
        let expected = [("port", "ports"), ("portof", "portOf"), ("proxi", "Proxies"), ("\u{7aef}", "\u{7aef}")];
        assert_eq!(shown, expected);
    }

    #[test]
    fn placeholders_for_secrets_are_no_terms() {
        assert_eq!(terms("token=[REDACTED:github-pat:9f3ac2d1b0] of [REDACTED:jwt]bots"), ["token", "bot"]);
        assert_eq!(terms("[REDACTED] soon"), ["redact", "soon"]);
    }

    #[test]
    fn words_are_stemmed_and_stop_words_are_omitted() {
        assert_eq!(terms("The locks are held while we're waiting"), ["lock", "held", "wait"]);
        assert_eq!(terms("the user's files don't exist"), ["user", "file", "exist"]);
        assert_eq!(terms("  …!?  a I "), [""; 0]);
    }

    #[test]
    fn identifiers_are_terms_as_a_whole_and_in_parts_however_they_are_written() {
        for identifier in ["updateContext", "UpdateContext", "update_context", "UPDATE_CONTEXT", "__update_context"] {
            assert_eq!(terms(identifier), ["updat", "context", "updatecontext"], "{identifier}");
        }
        assert_eq!(terms("HTTPServer2"), ["http", "server", "2", "httpserver2"]);
        assert_eq!(terms("sha256"), ["sha", "256", "sha256"]);
        assert_eq!(terms("git-2.43 src/main.rs"), ["git", "2", "43", "src", "main", "rs"]);
    }

    #[test]
    fn scripts_without_spaces_are_indexed_by_characters_and_pairs() {
        assert_eq!(terms("数据库"), ["数", "据", "数据", "库", "据库"]);
        assert_eq!(terms("DBの接続"), ["db", "の", "接", "の接", "続", "接続"]);
        assert_eq!(terms("로그"), ["로", "그", "로그"]);
    }

    #[test]
    fn accents_width_and_invisible_characters_make_no_difference() {
        for (one, other) in
            [("café", "cafe\u{301}"), ("Ｄａｔａ", "data"), ("zero\u{200B}width", "zerowidth"), ("ÄRGER", "arger")]
        {
            assert_eq!(terms(one), terms(other));
        }
    }

    proptest! {
        #[test]
        fn no_term_is_empty_or_long_and_case_makes_no_difference(text in "\\PC{0,200}") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty() && term.len() <= 3 * MAX_TERM_BYTES, "{term}");
            }
            let ascii: String = text.chars().filter(|it| it.is_ascii_lowercase() || *it == ' ').collect();
            prop_assert_eq!(terms(&ascii), terms(&ascii.to_uppercase()));
        }
    }
}
