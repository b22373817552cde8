//! Passwords that are told in a sentence: "the password is …", "use … as the password", "das Passwort lautet …", "密码是…".
//!
//! What a sentence may say is not parsed. From the word for a password on, the words of the sentence are read; a verb, a
//! preposition or a sign says that a value comes, others that none does; and a word is taken that looks like a password
//! and like nothing else.

use std::ops::Range;

use crate::detect::keyed::Name;
use crate::judge::looks;
use crate::judge::names::Says;
use crate::judge::telling::{Role, Roles};
use crate::text::bytes::{line_around, run_end, run_start, slice};

/// The longest word that may be a password, in bytes, and how many are kept in mind.
const MAX_WORD: usize = 256;
const MAX_PLACES: usize = 64;
/// How far behind its word a password is looked for, in bytes, and in words.
const REACH: usize = 200;
const MAX_WORDS: usize = 14;
/// How many words a connecting one may stand before the password.
const MAX_BETWEEN: usize = 3;

/// Finds the passwords that the sentence around `name` tells; there are two where one was changed to the other.
pub(crate) fn told(
    text: &[u8],
    name: &Name,
    is_foreign: bool,
    candidates: &mut Candidates,
    found: &mut impl FnMut(Range<usize>),
) {
    let word = slice(text, name.place.clone());
    // `passwordField` and `DB_PASSWORD` are words of code, and "pass" is a verb.
    let is_plain = |part: &[u8]| part.iter().skip(1).all(u8::is_ascii_lowercase);
    let is_word =
        is_foreign || word.split(|byte| *byte == b'-').all(is_plain) || word.iter().all(u8::is_ascii_uppercase);
    let is_word = is_word && !word.ends_with(b"-pass");
    if !is_word {
        return;
    }
    if !is_foreign && !may_be_of_sentence(text, name.place.end) {
        return;
    }
    // What surrounds the word is looked at only where something may be found.
    let mut places = Vec::new();
    let ahead_of = name.place.end..lines_end(text, name.place.end);
    let reach = name.place.start.saturating_sub(REACH);
    let line = memchr::memrchr(b'\n', slice(text, reach..name.place.start)).map_or(reach, |newline| reach + newline);
    let behind_it = line..name.place.start;
    candidates.judge(text, behind_it.start..ahead_of.end);
    let last = match is_foreign {
        true => last_candidate(slice(text, ahead_of.clone())).map(|last| ahead_of.start + last),
        false => candidates.last_in(&ahead_of),
    };
    if let Some(last) = last {
        ahead(text, name, is_foreign, last, &mut |place| places.push(place));
    }
    if places.is_empty()
        && (is_foreign || candidates.last_in(&behind_it).is_some())
        && let Some(place) = behind(text, name).or_else(|| entered(text, name))
    {
        places.push(place);
    }
    places.into_iter().for_each(found);
}

/// Whether a sentence may go on at `at`, behind a word: no brackets, no operators.
fn may_be_of_sentence(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b' ' | b':' | b',' | b'.' | b'(' | b'\'' | b'\n' | b'\r' | b'`' | b'*' | b'"' | b')' | b'-' | 0x80..)
        | None => true,
        Some(_) => false,
    }
}

/// The end of the line around `at`, or of the next one where little is left of this.
fn lines_end(text: &[u8], at: usize) -> usize {
    let reach = text.len().min(at + REACH);
    match memchr::memchr(b'\n', slice(text, at..reach)).map(|step| at + step) {
        Some(newline) if newline < at + 24 => {
            memchr::memchr(b'\n', slice(text, newline + 1..reach)).map_or(reach, |step| newline + 1 + step)
        }
        Some(newline) => newline,
        None => reach,
    }
}

/// The words of a text that may be passwords, each judged once however many words for a password stand around it. Asked
/// about places that go forward.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// How far the words were judged.
    until: usize,
    places: Vec<Range<usize>>,
}

impl Candidates {
    /// Judges the words of `range`.
    fn judge(&mut self, text: &[u8], range: Range<usize>) {
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

    /// Where the last candidate ends that begins in `range`, whose words were judged.
    fn last_in(&self, range: &Range<usize>) -> Option<usize> {
        let before = self.places.iter().rev().find(|place| place.start < range.end);
        before.filter(|place| place.start >= range.start).map(|place| place.end)
    }
}

/// As [`Candidates::last_in`], for a script without blanks.
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
    word.len() >= 6 && (looks::may_be_told(word) || has_parts(word))
}

/// `user/password`, `user:password`
fn has_parts(word: &[u8]) -> bool {
    memchr::memchr2(b'/', b':', word).is_some_and(|sign| looks::may_be_told(slice(word, sign + 1..word.len())))
}

/// What stands around a word for a password.
struct Surroundings {
    /// Where the text ends in which the word stands.
    end: usize,
    is_code: bool,
    line_end: usize,
}

impl Surroundings {
    fn of(text: &[u8], name: &Name) -> Self {
        let window = slice(text, name.place.end..text.len().min(name.place.end + REACH));
        let end = name.place.end + memchr::memmem::find(window, b"\n\n").unwrap_or(window.len());
        // A text in quotes ends with them, and is no code whatever stands around it.
        let quotes = quotes_around(text, name.place.start);
        let closing = quotes.and_then(|quote| memchr::memchr(quote, slice(text, name.place.end..end)));
        Surroundings {
            end: closing.map_or(end, |step| name.place.end + step),
            is_code: quotes.is_none() && is_code(text, name.place.start),
            line_end: line_around(text, name.place.end).end,
        }
    }
}

/// Whether the sentence is of another language although its word for a password is not.
pub(crate) fn is_foreign(text: &[u8], name: &Name) -> bool {
    let before = word_before(text, name.place.start).map(|(word, _)| word);
    slice(text, name.place.clone()).ends_with(b"passe")
        || before.is_some_and(|word| Roles::of(slice(text, word)).has(Role::Article))
}

/// A word without the marks around it.
struct Word {
    place: Range<usize>,
    /// Whether a sentence or clause may end behind it.
    ends: bool,
    /// Whether it ends with a colon or another sign that a value comes.
    leads: bool,
    is_quoted: bool,
}

fn word_at(text: &[u8], raw: Range<usize>) -> Word {
    let bytes = slice(text, raw.clone());
    let opening =
        bytes.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'(' | b'[' | b'<' | b'*' | b'_')).count();
    let opened = opening + foreign_marks(slice(bytes, opening..bytes.len()));
    let mut end = bytes.len();
    let mut is_quoted = false;
    // What is in quotes is taken as it is.
    if let Some(quote @ (b'"' | b'\'' | b'`')) = opening.checked_sub(1).and_then(|last| bytes.get(last)).copied()
        && let Some(length) = memchr::memchr(quote, slice(bytes, opening..bytes.len())).filter(|length| *length > 0)
    {
        (end, is_quoted) = (opening + length, true);
    } else {
        while end > opened
            && matches!(
                bytes.get(end - 1),
                Some(b'"' | b'\'' | b'`' | b')' | b']' | b'>' | b'*' | b'_' | b'.' | b',' | b';' | b':')
            )
        {
            end -= 1;
        }
    }
    let tail = slice(bytes, end..bytes.len());
    let ends = tail.contains(&b'.') || tail.contains(&b';') || bytes.ends_with(b"?");
    Word { place: raw.start + opened.min(end)..raw.start + end, ends, leads: tail.contains(&b':'), is_quoted }
}

/// How many bytes of typographic quotation marks stand first.
fn foreign_marks(bytes: &[u8]) -> usize {
    const MARKS: [&str; 10] = ["“", "„", "‘", "‚", "«", "»", "「", "『", "”", "‹"];
    MARKS.iter().find(|mark| bytes.starts_with(mark.as_bytes())).map_or(0, |mark| mark.len())
}

/// The quotation mark that opened before `at` in its line, if one did.
fn quotes_around(text: &[u8], at: usize) -> Option<u8> {
    let line = line_around(text, at);
    let before = slice(text, line.start.max(at.saturating_sub(4 * REACH))..at);
    [b'"', b'`'].into_iter().find(|quote| {
        let opened = memchr::memchr_iter(*quote, before)
            .filter(|place| *place == 0 || before.get(place - 1) != Some(&b'\\'))
            .count();
        opened % 2 == 1
    })
}

/// Whether the line around `at` is of a program, and no comment of one.
fn is_code(text: &[u8], at: usize) -> bool {
    let line = line_around(text, at);
    let start = line.start.max(at.saturating_sub(REACH));
    let whole = slice(text, start..line.end.min(at + REACH));
    let mut is_code = matches!(whole.trim_ascii_end().last(), Some(b'{' | b'}' | b';' | b'(' | b'['));
    for (place, window) in whole.windows(3).enumerate() {
        match window {
            [b'/', b'/' | b'*', _] | [b'#' | b'*', b' ', _] | [b'-', b'-', b' '] | [b'<', b'!', b'-']
                if start + place < at =>
            {
                return false;
            }
            [b':', b':', _]
            | [b'=', b'>' | b'=', _]
            | [b'!', b'=', _]
            | [b'#', b'[', _]
            | [b'(', b'{', _]
            | [b'}', b')', _] => is_code = true,
            [b'&', b'&', _]
            | [b'|', b'|', _]
            | [b']', b'(', _]
            | [b')', b';', _]
            | [b' ', b'=', b' ']
            | [b')', b' ', b'{'] => is_code = true,
            _ => {}
        }
    }
    is_code || whole.ends_with(b");")
}

/// How far a sentence has told that a password comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Telling {
    /// Not at all.
    Not,
    /// The password may be the next word: `password hunter22`.
    Next,
    /// It comes within a few words behind the one of this number.
    Since(usize),
}

fn ahead(text: &[u8], name: &Name, is_foreign: bool, last: usize, found: &mut impl FnMut(Range<usize>)) {
    let Surroundings { end, is_code, line_end } = Surroundings::of(text, name);
    let is_verb = slice(text, name.place.clone()).eq_ignore_ascii_case(b"pass");
    let mut telling = match () {
        () if is_code => Telling::Not,
        () if is_verb => Telling::Not,
        () if is_foreign => Telling::Since(0),
        () => Telling::Next,
    };
    // "user root, password …", "with password …"
    let is_paired = word_before(text, name.place.start).is_some_and(|(word, _)| {
        slice(text, word.clone()).ends_with(b",") || Roles::of(slice(text, word)).has(Role::Joins)
    }) || slice(text, name.place.clone()).eq_ignore_ascii_case(b"pw");
    let mut has_found = false;
    let mut at = name.place.end;
    for count in 0..MAX_WORDS {
        let start = at + slice(text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let raw = raw_word(text, start, end, is_foreign);
        // A sentence may go on in the next line when it has told that the password comes.
        if raw.is_empty() || start > last || (start > line_end && telling != Telling::Since(count.saturating_sub(1))) {
            return;
        }
        at = raw.end;
        let word = word_at(text, raw.clone());
        let (written, bare) = (slice(text, word.place.clone()), slice(text, raw));
        // `password,` and `password's` and `password:`
        if count == 0 && start == name.place.end && !is_foreign && bare.first().is_some_and(|first| *first < 0x80) {
            if bare.contains(&b':') || bare.contains(&b'=') || bare.starts_with(b"'s") {
                telling = Telling::Since(count);
            } else if word.ends {
                return;
            }
            continue;
        }
        let is_told = match telling {
            Telling::Not => false,
            Telling::Next => true,
            Telling::Since(told) => count <= told + MAX_BETWEEN,
        };
        let is_marked = !is_code && !is_verb && (word.is_quoted || bare.starts_with(b"("));
        let is_explicit = is_told && (matches!(telling, Telling::Since(_)) || is_paired);
        let place = credential(text, name, &word.place);
        if is_taken(slice(text, place.clone()), name.says, is_told || is_marked, is_explicit || is_marked) {
            found(place);
            has_found = true;
            telling = Telling::Not;
            continue;
        }
        let roles = Roles::of(written);
        telling = match telling {
            _ if word.leads || roles.has(Role::Tells) => Telling::Since(count),
            _ if !is_code && Roles::of(bare).has(Role::Sign) => Telling::Since(count),
            _ if has_found => return,
            _ if is_foreign && roles.has(Role::TellsAbroad) => Telling::Since(count),
            _ if roles.has(Role::Turns) => Telling::Not,
            Telling::Next => Telling::Not,
            telling => telling,
        };
        if word.ends {
            return;
        }
    }
}

/// Of `user/password` and `user:password` behind "credentials" the password.
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

/// The word that begins at `start`: up to a blank, and in a script without blanks up to where the script changes.
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

fn is_taken(word: &[u8], says: Says, is_told: bool, is_explicit: bool) -> bool {
    match says {
        Says::Password => looks::is_told(word, is_told) || (is_explicit && looks::is_phrase(word)),
        Says::Secret => is_explicit && ((looks::is_told(word, true) && looks::is_key(word)) || looks::is_phrase(word)),
        Says::Perhaps | Says::Nothing => false,
    }
}

/// "use … as the password", "… is my new password"
fn behind(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let mut end = name.place.start;
    for _ in 0..4 {
        let (raw, start) = word_before(text, end)?;
        let word = slice(text, raw.clone());
        if Roles::of(word).has(Role::TellsBack) {
            let (raw, _) = word_before(text, start)?;
            let told = word_at(text, raw);
            let is_secret = is_taken(slice(text, told.place.clone()), name.says, true, true);
            return is_secret.then_some(told.place);
        }
        if word.len() > 14 || !word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'\'') {
            return None;
        }
        end = start;
    }
    None
}

/// "enter … when asked for the password"
fn entered(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let mut end = name.place.start;
    let mut behind: Option<Range<usize>> = None;
    for _ in 0..8 {
        let (raw, start) = word_before(text, end)?;
        let word = slice(text, raw.clone());
        if word.ends_with(b".") {
            return None;
        }
        if Roles::of(word).has(Role::Enters) {
            let word = word_at(text, behind?);
            return is_taken(slice(text, word.place.clone()), name.says, true, true).then_some(word.place);
        }
        behind = Some(raw);
        end = start;
    }
    None
}

/// The word that ends before `end`, and where it starts.
fn word_before(text: &[u8], end: usize) -> Option<(Range<usize>, usize)> {
    let stop = run_start(text, end, 8, |byte| byte.is_ascii_whitespace());
    let start = run_start(text, stop, 128, |byte| !byte.is_ascii_whitespace());
    (start < stop && stop < end).then_some((start..stop, start))
}
