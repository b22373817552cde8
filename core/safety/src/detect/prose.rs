//! Passwords stated in a sentence: "the password is …", "use … as the password", "das Passwort lautet …", "密码是…".
//!
//! The sentence is not parsed. Starting at the word for a password, its words are read one by one: a verb, a
//! preposition or punctuation indicates that a value follows, other words that none does. A word that looks like a
//! password and like nothing else is taken.

use std::ops::Range;

use crate::classify::password_cues::{Cue, Cues};
use crate::classify::plausibility;
use crate::detect::announced;
use crate::detect::answered;
use crate::detect::code::{is_argument_of_call, is_line_of_code};
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::detect::preceding;
use crate::detect::stated::{is_password, word_at, word_before};
use crate::text::bytes::{find, line_around, run_end, slice, starts_ignoring_case};

/// The longest word that may be a password, in bytes, and how many candidates are remembered.
const MAX_WORD: usize = 256;
const MAX_PLACES: usize = 64;
/// How far from the word for it a password is searched for, in bytes and in words.
const REACH: usize = 200;
const MAX_WORDS: usize = 14;
/// How far before the word for it a password in quotes is searched for, in bytes.
const QUOTED_REACH: usize = 64;
/// How many words may be between a cue and the password.
const MAX_BETWEEN: usize = 3;

/// Finds the passwords stated in the sentence around `name`; there are two if one was changed to the other.
pub(crate) fn stated_passwords(
    text: &[u8],
    name: &Name,
    is_foreign: bool,
    candidates: &mut Candidates,
    found: &mut impl FnMut(Range<usize>),
) {
    let word = slice(text, name.place.clone());
    // `passwordField` and `DB_PASSWORD` are identifiers, and "pass" is a verb.
    let is_plain = |part: &[u8]| part.iter().skip(1).all(u8::is_ascii_lowercase);
    let is_word =
        is_foreign || word.split(|byte| *byte == b'-').all(is_plain) || word.iter().all(u8::is_ascii_uppercase);
    let is_word = is_word && !word.ends_with(b"-pass");
    if !is_word {
        return;
    }
    // A script without spaces continues with any letter.
    let is_wide = word.first().is_some_and(|first| *first >= 0xe3)
        && text.get(name.place.end).is_some_and(u8::is_ascii_alphanumeric);
    if !is_wide && !may_continue_sentence(text, name.place.end) {
        return;
    }
    // The surroundings are examined only if there is a candidate.
    let mut places = Vec::new();
    let after = name.place.end..sentence_end(text, name.place.end);
    let reach = name.place.start.saturating_sub(REACH);
    let line = memchr::memrchr(b'\n', slice(text, reach..name.place.start)).map_or(reach, |newline| reach + newline);
    let before = line..name.place.start;
    candidates.examine(text, before.start..after.end);
    let last = match is_foreign {
        true => last_candidate(slice(text, after.clone())).map(|last| after.start + last),
        false => candidates.last_in(&after),
    };
    if let Some(last) = last {
        passwords_after(text, name, is_foreign, last, &mut |place| places.push(place));
    }
    let is_after_candidate = is_foreign || candidates.last_in(&before).is_some();
    let is_after_quotes = || {
        let near = slice(text, before.start.max(before.end.saturating_sub(QUOTED_REACH))..before.end);
        preceding::is_last_noun(text, name.place.end, is_foreign) && memchr::memchr3(b'"', b'\'', b'`', near).is_some()
    };
    if places.is_empty() && (is_after_candidate || is_after_quotes()) {
        let stated = preceding::stated(text, name, is_foreign).or_else(|| preceding::commented(text, name));
        places.extend(stated.or_else(|| if is_after_candidate { password_after_verb(text, name) } else { None }));
    }
    // A key or token is generated, and so one of the candidates.
    let may_be_announced = last.is_some() || !keyed::is_of_key(word);
    if places.is_empty()
        && may_be_announced
        && let Some(value) = announced::value(text, name, is_foreign)
        && !Context::of(text, name).is_code
    {
        places.push(value);
    }
    if places.is_empty()
        && let Some(words) = announced::phrase(text, name)
    {
        places.push(words);
    }
    if places.is_empty() {
        places.extend(answered::value(text, name, is_foreign));
    }
    places.into_iter().for_each(found);
}

/// Whether a sentence may continue at `at`, after a word: no brackets, no operators.
fn may_continue_sentence(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b',' | b'?' | b'!') => text.get(at + 1).is_some_and(u8::is_ascii_whitespace),
        Some(b' ' | b':' | b'.' | b'(' | b'\'' | b'\n' | b'\r' | b'`' | b'*' | b'"' | b')' | b'-' | 0x80..) | None => {
            true
        }
        Some(_) => false,
    }
}

/// The end of the line around `at`, or of the next one if little of this one is left.
fn sentence_end(text: &[u8], at: usize) -> usize {
    let reach = text.len().min(at + REACH);
    match memchr::memchr(b'\n', slice(text, at..reach)).map(|step| at + step) {
        Some(newline) if newline < at + 24 => {
            memchr::memchr(b'\n', slice(text, newline + 1..reach)).map_or(reach, |step| newline + 1 + step)
        }
        Some(newline) => newline,
        None => reach,
    }
}

/// The words of a text that may be passwords, each examined once however many words for a password surround it. Queries
/// must be in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// How far the words have been examined.
    until: usize,
    places: Vec<Range<usize>>,
}

impl Candidates {
    /// Examines the words of `range`.
    fn examine(&mut self, text: &[u8], range: Range<usize>) {
        if range.start > self.until || self.places.len() > MAX_PLACES {
            self.places.clear();
            self.until = range.start;
        }
        while self.until < range.end {
            let start = run_end(text, self.until, usize::MAX, |byte| byte.is_ascii_whitespace());
            let end = run_end(text, start, MAX_WORD, |byte| !byte.is_ascii_whitespace());
            if is_candidate(slice(text, start..end)) {
                self.places.push(start..end);
            }
            self.until = end.max(self.until + 1);
        }
    }

    /// The end of the last candidate that starts in `range`, whose words have been examined.
    fn last_in(&self, range: &Range<usize>) -> Option<usize> {
        let before = self.places.iter().rev().find(|place| place.start < range.end);
        before.filter(|place| place.start >= range.start).map(|place| place.end)
    }
}

/// As [`Candidates::last_in`], for a script without spaces.
fn last_candidate(text: &[u8]) -> Option<usize> {
    let mut end = text.len();
    for word in text.rsplit(|byte| byte.is_ascii_whitespace() || *byte >= 0xe0) {
        if is_candidate(word) {
            return Some(end);
        }
        end = (end - word.len()).saturating_sub(1);
    }
    None
}

fn is_candidate(word: &[u8]) -> bool {
    word.len() >= 6 && (plausibility::may_be_stated_password(word) || has_parts(word))
}

/// `user/password`, `user:password`
fn has_parts(word: &[u8]) -> bool {
    memchr::memchr2(b'/', b':', word)
        .is_some_and(|sign| plausibility::may_be_stated_password(slice(word, sign + 1..word.len())))
}

/// The surroundings of a word for a password.
struct Context {
    /// The end of the text that contains the word.
    end: usize,
    is_code: bool,
    line_end: usize,
}

impl Context {
    fn of(text: &[u8], name: &Name) -> Self {
        let window = slice(text, name.place.end..text.len().min(name.place.end + REACH));
        let end = name.place.end + find(window, b"\n\n").unwrap_or(window.len());
        let line = line_around(text, name.place.start);
        // Quoted text ends at the closing quote and is not code, whatever surrounds it.
        let quotes = open_quote(text, name.place.start);
        let closing = quotes.and_then(|quote| memchr::memchr(quote, slice(text, name.place.end..end)));
        Context {
            end: closing.map_or(end, |step| name.place.end + step),
            is_code: is_argument_of_call(slice(
                text,
                line.start.max(name.place.start.saturating_sub(REACH))..name.place.start,
            )) || (quotes.is_none() && is_line_of_code(text, name.place.start)),
            line_end: line_around(text, name.place.end).end,
        }
    }
}

/// Whether the sentence is in another language although its word for a password is English.
pub(crate) fn is_foreign(text: &[u8], name: &Name) -> bool {
    let noun = slice(text, name.place.clone());
    if noun.ends_with(b"passe") || [&b"passwort"[..], b"passord"].iter().any(|word| starts_ignoring_case(noun, word)) {
        return true;
    }
    let before = word_before(text, name.place.start).map(|(word, _)| word);
    // The first word of a text in quotes
    let letters = |word: Range<usize>| run_end(text, word.start, 2, |byte| byte == b'"' || byte == b'\\')..word.end;
    before.is_some_and(|word| Cues::of(slice(text, letters(word))).has(Cue::Article))
}

/// The quotation mark that was opened before `at` in its line, if any.
fn open_quote(text: &[u8], at: usize) -> Option<u8> {
    let line = line_around(text, at);
    let before = slice(text, line.start.max(at.saturating_sub(4 * REACH))..at);
    [b'"', b'`'].into_iter().find(|quote| {
        let opened = memchr::memchr_iter(*quote, before)
            .filter(|place| *place == 0 || before.get(place - 1) != Some(&b'\\'))
            .count();
        opened % 2 == 1
    })
}

/// Whether the sentence so far indicates that a password follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expectation {
    /// It does not.
    Nothing,
    /// The password may be the next word: `password hunter22`.
    Next,
    /// It follows within a few words after the word with this number.
    Since(usize),
}

fn passwords_after(text: &[u8], name: &Name, is_foreign: bool, last: usize, found: &mut impl FnMut(Range<usize>)) {
    let Context { end, is_code, line_end } = Context::of(text, name);
    let is_verb = slice(text, name.place.clone()).eq_ignore_ascii_case(b"pass");
    let mut expectation = match () {
        () if is_code => Expectation::Nothing,
        () if is_verb => Expectation::Nothing,
        () if is_foreign => Expectation::Since(0),
        () => Expectation::Next,
    };
    // "user root, password …", "with password …"
    let is_key = keyed::is_of_key(slice(text, name.place.clone()));
    let is_paired = !is_key
        && word_before(text, name.place.start).is_some_and(|(word, _)| {
            slice(text, word.clone()).ends_with(b",") || Cues::of(slice(text, word)).has(Cue::Pairs)
        })
        || slice(text, name.place.clone()).eq_ignore_ascii_case(b"pw");
    let mut is_introduced = false;
    let mut has_found = false;
    let mut at = name.place.end;
    for count in 0..MAX_WORDS {
        let start = at + slice(text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let raw = raw_word(text, start, end, is_foreign);
        // A sentence may continue on the next line once it has announced the password.
        if raw.is_empty()
            || start > last
            || (start > line_end && !(is_introduced && expectation == Expectation::Since(count.saturating_sub(1))))
        {
            return;
        }
        at = raw.end;
        let word = word_at(text, raw.clone());
        let (written, bare) = (slice(text, word.place.clone()), slice(text, raw));
        // `password,` and `password's` and `password:`
        if count == 0 && start == name.place.end && !is_foreign && bare.first().is_some_and(|first| *first < 0x80) {
            if bare.contains(&b':') || bare.contains(&b'=') || bare.starts_with(b"'s") {
                expectation = Expectation::Since(count);
                is_introduced = true;
            } else if word.ends {
                return;
            }
            continue;
        }
        let is_expected = match expectation {
            Expectation::Nothing => false,
            Expectation::Next => true,
            Expectation::Since(cue) => count <= cue + MAX_BETWEEN,
        };
        let is_delimited = !is_code && !is_verb && (word.is_quoted || bare.starts_with(b"("));
        let is_explicit = is_expected && (matches!(expectation, Expectation::Since(_)) || is_paired);
        let place = credential(text, name, &word.place);
        // In code, only what a sign announces is a password: not the next argument.
        let may_be_one = !is_code || is_expected;
        if may_be_one && is_password(text, &place, name, is_expected || is_delimited, is_explicit || is_delimited) {
            found(place);
            has_found = true;
            expectation = Expectation::Nothing;
            continue;
        }
        let cues = Cues::of(written);
        expectation = match expectation {
            // `read(secret, 4) as u64`
            _ if is_code && !word.introduces => expectation,
            _ if word.introduces || cues.has(Cue::Introduces) => Expectation::Since(count),
            _ if !is_code && Cues::of(bare).has(Cue::Sign) => Expectation::Since(count),
            _ if has_found => return,
            _ if is_foreign && cues.has(Cue::IntroducesForeign) => Expectation::Since(count),
            _ if cues.has(Cue::Redirects) => Expectation::Nothing,
            Expectation::Next => Expectation::Nothing,
            expectation => expectation,
        };
        is_introduced |= expectation == Expectation::Since(count);
        if word.ends {
            return;
        }
    }
}

/// The password in `user/password` or `user:password` after "credentials".
fn credential(text: &[u8], name: &Name, place: &Range<usize>) -> Range<usize> {
    let is_pair = matches!(
        slice(text, name.place.clone()).to_ascii_lowercase().as_slice(),
        b"creds" | b"credentials" | b"credential" | b"zugangsdaten"
    );
    let word = slice(text, place.clone());
    match memchr::memchr2(b'/', b':', word).filter(|sign| is_pair && *sign > 0 && sign + 1 < word.len()) {
        Some(sign) => place.start + sign + 1..place.end,
        None => place.clone(),
    }
}

/// The word that starts at `start`: up to white space, and in a script without spaces up to a change of script.
fn raw_word(text: &[u8], start: usize, end: usize, is_foreign: bool) -> Range<usize> {
    let rest = slice(text, start..end);
    let is_wide = is_foreign && rest.first().is_some_and(|first| *first >= 0xe0);
    let length = if is_wide {
        rest.iter().position(|byte| *byte < 0x80)
    } else {
        rest.iter().position(|byte| byte.is_ascii_whitespace() || (is_foreign && *byte >= 0xe0))
    };
    start..start + length.unwrap_or(rest.len())
}

/// "enter … when asked for the password"
fn password_after_verb(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let mut end = name.place.start;
    let mut after_word: Option<Range<usize>> = None;
    for _ in 0..8 {
        let (raw, start) = word_before(text, end)?;
        let word = slice(text, raw.clone());
        if word.ends_with(b".") {
            return None;
        }
        if Cues::of(word).has(Cue::AsksToEnter) {
            let word = word_at(text, after_word?);
            return is_password(text, &word.place, name, true, true).then_some(word.place);
        }
        after_word = Some(raw);
        end = start;
    }
    None
}
