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
/// Words that tell only behind a word of another language: in English they say where.
const FOREIGN_TELLS: &[&[u8]] = &[b"a", b"en", b"in", b"em", b"da", b"di"];
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

/// Finds the passwords that the sentence around `name` tells; there are two where one was changed to the other.
pub(super) fn told(text: &[u8], name: &Name, is_foreign: bool, found: &mut impl FnMut(Range<usize>)) {
    let mut count = 0;
    ahead(text, name, is_foreign, &mut |place| {
        count += 1;
        found(place);
    });
    if count == 0
        && let Some(place) = behind(text, name).or_else(|| entered(text, name))
    {
        found(place);
    }
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

fn ahead(text: &[u8], name: &Name, is_foreign: bool, found: &mut impl FnMut(Range<usize>)) {
    let window = slice(text, name.place.end..text.len().min(name.place.end + REACH));
    let end = name.place.end + memchr::memmem::find(window, b"\n\n").unwrap_or(window.len());
    let mut telling = if is_foreign { Telling::Since(0) } else { Telling::Next };
    let mut has_found = false;
    let mut at = name.place.end;
    for count in 0..MAX_WORDS {
        let start = at + slice(text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let raw = raw_word(text, start, end, is_foreign);
        if raw.is_empty() {
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
        let is_marked = word.is_quoted || bare.starts_with(b"(");
        let is_explicit = matches!(telling, Telling::Since(_)) && is_told;
        let place = credential(text, name, &word.place);
        if is_taken(slice(text, place.clone()), name.says, is_told || is_marked, is_explicit || is_marked) {
            found(place);
            has_found = true;
            telling = Telling::Not;
            continue;
        }
        telling = match telling {
            _ if word.leads || is_one_of(written, TELLS) || is_one_of(bare, TELLS) => Telling::Since(count),
            _ if has_found => return,
            _ if is_foreign && is_one_of(written, FOREIGN_TELLS) => Telling::Since(count),
            _ if is_one_of(written, TURNS) => Telling::Not,
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
        Says::Secret => is_explicit && looks::is_told(word, true) && looks::is_key(word),
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
        if is_one_of(word, &[b"enter", b"type", b"paste"]) {
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
