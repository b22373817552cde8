//! Passwords that are told in a sentence: "the password is …", "use … as the password", "das Passwort lautet …", "密码是…".
//!
//! What a sentence may say is not parsed. From the word for a password on, the words of the sentence are read; a verb, a
//! preposition or a sign says that a value comes, others that none does; and a word is taken that looks like a password
//! and like nothing else.

use std::ops::Range;

use super::bytes::{run_start, slice};
use super::keyed::Name;
use super::looks;
use super::names::Says;

/// The rule that finds them.
pub(super) const RULE: &str = "told-password";
/// How far behind its word a password is looked for, in bytes, and in words.
const REACH: usize = 200;
const MAX_WORDS: usize = 14;
/// How many words a connecting one may stand before the password.
const MAX_BETWEEN: usize = 3;

/// Words behind which the password follows, in the languages whose words for it are known.
const TELLS: &[&[u8]] = &[
    b"is",
    b"was",
    b"are",
    b"be",
    b"to",
    b"equals",
    b"now",
    b"as",
    b"becomes",
    b"became",
    b"it's",
    b"remains",
    b"reads",
    b"being",
    b"changed",
    b"set",
    b"ist",
    b"lautet",
    b"lautete",
    b"war",
    b"auf",
    b"zu",
    b"nun",
    b"jetzt",
    "heißt".as_bytes(),
    b"est",
    "était".as_bytes(),
    b"devient",
    b"sera",
    b"c'est",
    "à".as_bytes(),
    b"es",
    b"era",
    b"fue",
    "será".as_bytes(),
    b"ahora",
    "é".as_bytes(),
    b"foi",
    b"agora",
    b"para",
    "è".as_bytes(),
    "sarà".as_bytes(),
    b"ora",
    b"adesso",
    b"diventa",
    b"luidt",
    b"naar",
    b"nu",
    b"wordt",
    b"jest",
    b"brzmi",
    b"na",
    b"teraz",
    "это".as_bytes(),
    "теперь".as_bytes(),
    "на".as_bytes(),
    "це".as_bytes(),
    "тепер".as_bytes(),
    b"je",
    "zní".as_bytes(),
    "nyní".as_bytes(),
    "är".as_bytes(),
    b"lyder",
    b"till",
    b"er",
    b"til",
    b"on",
    "là".as_bytes(),
    "thành".as_bytes(),
    b"adalah",
    b"menjadi",
    b"ke",
    b"olarak",
    "هي".as_bytes(),
    "هو".as_bytes(),
    "है".as_bytes(),
    b"=",
    b":",
    b"->",
    b"=>",
    "→".as_bytes(),
    "–".as_bytes(),
    "—".as_bytes(),
    b"-",
];
/// Words that say that something else follows.
const TURNS: &[&[u8]] = &[
    b"in",
    b"with",
    b"by",
    b"until",
    b"at",
    b"via",
    b"using",
    b"from",
    b"stored",
    b"hashed",
    b"required",
    b"not",
    b"never",
    b"than",
    b"after",
    b"before",
    b"when",
    b"if",
    b"because",
    b"since",
    b"encrypted",
    b"expired",
    b"invalid",
    b"longer",
    b"least",
    b"every",
    b"through",
    b"against",
    b"under",
    b"and",
    b"or",
    b"but",
];
/// Words that stand between "as" or "is" and the word for a password.
const BACK_TELLS: &[&[u8]] = &[
    b"as",
    b"is",
    b"was",
    b"als",
    b"comme",
    b"como",
    b"come",
    b"jako",
    "как".as_bytes(),
    "як".as_bytes(),
    b"som",
    b"sebagai",
];

/// The password that the sentence around `name` tells.
pub(super) fn told(text: &[u8], name: &Name, is_foreign: bool) -> Option<Range<usize>> {
    ahead(text, name, is_foreign).or_else(|| behind(text, name))
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

fn is_one_of(word: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn ahead(text: &[u8], name: &Name, is_foreign: bool) -> Option<Range<usize>> {
    let window = slice(text, name.place.end..text.len().min(name.place.end + REACH));
    let paragraph = memchr::memmem::find(window, b"\n\n").unwrap_or(window.len());
    let mut told_at = None;
    let mut at = name.place.end;
    let end = name.place.end + paragraph;
    let mut count = 0;
    while at < end && count < MAX_WORDS {
        let start = at + slice(text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let raw = raw_word(text, start, end, is_foreign);
        if raw.is_empty() {
            break;
        }
        at = raw.end;
        let is_first = count == 0 && start == name.place.end;
        let word = word_at(text, raw.clone());
        let written = slice(text, word.place.clone());
        let bare = slice(text, raw);
        // `password,` and `password's` and `password:`
        if is_first && !is_foreign && !bare.first().is_some_and(|first| *first >= 0x80) {
            if bare.contains(&b':') || bare.contains(&b'=') {
                told_at = Some(count);
            } else if word.ends {
                break;
            }
            count += 1;
            continue;
        }
        let is_told = told_at.is_some_and(|told| count <= told + MAX_BETWEEN) || (is_foreign && count < 3);
        if is_taken(written, name.says, is_told, word.is_quoted) {
            return Some(word.place);
        }
        if word.leads || is_one_of(written, TELLS) || is_one_of(bare, TELLS) {
            told_at = Some(count);
        } else if is_one_of(written, TURNS) {
            told_at = None;
        }
        if word.ends {
            break;
        }
        count += 1;
    }
    None
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

fn is_taken(word: &[u8], says: Says, is_told: bool, is_quoted: bool) -> bool {
    match says {
        Says::Password => looks::is_told(word, is_told || is_quoted),
        Says::Secret => is_told && looks::is_told(word, true) && looks::is_random(word),
        Says::Perhaps | Says::Nothing => false,
    }
}

/// "use … as the password", "… is my new password"
fn behind(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let mut end = name.place.start;
    for _ in 0..4 {
        let (raw, start) = word_before(text, end)?;
        let word = slice(text, raw.clone());
        if is_one_of(word, BACK_TELLS) {
            let (raw, _) = word_before(text, start)?;
            let told = word_at(text, raw);
            let is_secret = is_taken(slice(text, told.place.clone()), name.says, true, told.is_quoted);
            return is_secret.then_some(told.place);
        }
        if word.len() > 14 || !word.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'\'') {
            return None;
        }
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
