//! Passwords in the sentence after one about a password: "What is the password? – It's …", "The password was wrong. Try
//! … instead", "I changed it to …".

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::classify::password_cues::{Cue, Cues};
use crate::classify::word_lists::Words;
use crate::detect::announced;
use crate::detect::keyed;
use crate::detect::name::Name;
use crate::detect::preceding;
use crate::detect::stated;
use crate::mark::tag;
use crate::text::bytes::{is_blank, line_around, peek, run_end, slice};

/// How far after its noun the sentence about a password may end, and how long the next one is, in bytes.
const MAX_REST: usize = 80;
const MAX_NEXT: usize = 120;
/// How many words of the next sentence are read.
const MAX_WORDS: usize = 9;
/// The longest name of a speaker, in bytes.
const MAX_SPEAKER: usize = 24;

/// Words that refer to the password of the sentence before.
#[rustfmt::skip]
static PRONOUNS: Words = Words::new(
    "it it's its that's that this one try use new es das neue neues nimm versuch probier c'est le l'ai nouveau essaie utilise lo la \
    esto nueva prueba usa questo l'ho nuova prova isso ele ela nova tente use het dat nieuwe probeer jej je nowe spróbuj użyj \
    nové ho zkus použij det den nya nye nytt prøv prova bruk använd brug se sen uusi kokeile käytä его он это новый \
    попробуй його він це новий спробуй onu yeni dene τον νέος δοκίμασε",
);
/// Verbs whose object is the password.
#[rustfmt::skip]
static VERBS: Words = Words::new(
    "try use nimm versuch probier essaie utilise prueba usa prova tente probeer spróbuj użyj zkus použij prøv bruk använd brug \
    kokeile käytä попробуй спробуй dene δοκίμασε",
);
/// Words that may follow the password in its clause.
#[rustfmt::skip]
static AFTER: Words = Words::new(
    "instead now again please then for and but with today yesterday mate statt stattdessen geändert à maintenant ahora adesso agora",
);

/// The value in the sentence after the one with `name`, a word for a password.
pub(crate) fn value(text: &[u8], name: &Name, is_foreign: bool) -> Option<Range<usize>> {
    let noun = slice(text, name.place.clone());
    let is_short = || noun.eq_ignore_ascii_case(b"pw") || noun.eq_ignore_ascii_case(b"pwd");
    if (name.strength != Strength::Strong && !is_short()) || keyed::is_of_key(noun) {
        return None;
    }
    let rest = slice(text, name.place.end..text.len().min(name.place.end + MAX_REST));
    let (length, is_question) = clause(rest)?;
    let start = next_sentence(text, name.place.end + length)?;
    let next = slice(text, start..text.len().min(start + MAX_NEXT));
    let next = slice(next, 0..memchr::memchr(b'\n', next).unwrap_or(next.len()));
    // Most sentences have neither a number nor a quotation.
    if !next.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'"' | b'`' | b'-')) {
        return None;
    }
    let is_noun = preceding::is_last_noun(text, name.place.end, is_foreign)
        || is_foreign && text.get(name.place.end) >= Some(&0x80)
        || is_described(rest);
    let is_question = is_question || asks(text, name);
    is_noun.then(|| in_answer(text, start..start + next.len(), name, is_question)).flatten()
}

/// "the password was …", "the password expired", but not "the password manager …"
fn is_described(rest: &[u8]) -> bool {
    static AUXILIARIES: Words = Words::new(
        "is was has had will would does doesn't didn't isn't wasn't hasn't won't should should've must can't got no never",
    );
    let end = run_end(rest, 1, 12, |byte| byte.is_ascii_alphabetic() || byte == b'\'');
    let word = rest.get(1..end).unwrap_or_default();
    AUXILIARIES.has(word) || word.ends_with(b"ed")
}

/// Whether the line with `name` is a question without its mark: "whats the wifi password"
fn asks(text: &[u8], name: &Name) -> bool {
    static QUESTIONS: Words =
        Words::new("what what's whats which can could wie was quel cuál cual qual wat jakie jaké vad hva hvad mikä");
    let line = line_around(text, name.place.start);
    let line = slice(text, line.start.max(name.place.start.saturating_sub(MAX_REST))..name.place.start);
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| word.iter().any(u8::is_ascii_alphabetic));
    // Perhaps after a speaker
    words.by_ref().take(2).any(|word| QUESTIONS.has(word))
}

/// The length of the rest of a clause with the mark that ends it, and whether it is a question.
fn clause(rest: &[u8]) -> Option<(usize, bool)> {
    let at =
        rest.iter().position(|byte| matches!(byte, b'?' | b'.' | b'!' | b'\n' | b';' | b':' | b'=' | 0xef | 0xe3))?;
    let mark = slice(rest, at..rest.len());
    match mark {
        [b'?', ..] => Some((at + 1, true)),
        // A question mark in Greek
        [b';', ..] => Some((at + 1, at > 0 && rest.get(at - 1) >= Some(&0x80))),
        [b'.' | b'!', next, ..] if next.is_ascii_whitespace() => Some((at + 1, false)),
        [b'\n', ..] => Some((at, false)),
        _ if mark.starts_with("？".as_bytes()) => Some((at + 3, true)),
        _ if mark.starts_with("。".as_bytes()) => Some((at + 3, false)),
        // A letter of a script without spaces
        [0xe3 | 0xef, ..] => {
            let (length, is_question) = clause(slice(mark, 1..mark.len()))?;
            Some((at + 1 + length, is_question))
        }
        _ => None,
    }
}

/// The start of the sentence after `at`, without the speaker of a dialogue.
fn next_sentence(text: &[u8], at: usize) -> Option<usize> {
    let is_between = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'-' | b'"' | b'*' | b'?' | b')');
    let start = run_end(text, at, 12, is_between);
    let lines = memchr::memchr_iter(b'\n', slice(text, at..start)).count();
    if start == at || lines > 2 {
        return None;
    }
    if lines == 0 {
        return Some(start);
    }
    let speaker =
        run_end(text, start, MAX_SPEAKER, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..));
    match peek(text, speaker, 2) {
        [b':', b' '] if speaker > start => Some(run_end(text, speaker + 1, 4, is_blank)),
        _ => Some(start),
    }
}

fn in_answer(text: &[u8], answer: Range<usize>, name: &Name, is_question: bool) -> Option<Range<usize>> {
    let (mut refers, mut is_introduced) = (is_question, is_question);
    let mut at = answer.start;
    for _ in 0..MAX_WORDS {
        at = run_end(text, at, 4, is_blank);
        // Particles follow the value in scripts without spaces.
        let is_wide = text.get(at) >= Some(&0xe3);
        let is_inside = |byte: u8| !byte.is_ascii_whitespace() && (byte >= 0xe3) <= is_wide;
        let end = run_end(text, at, answer.end.saturating_sub(at), is_inside);
        if end == at {
            return None;
        }
        let word = stated::word_at(text, at..end);
        let written = &*String::from_utf8_lossy(slice(text, word.place.clone())).to_lowercase();
        let written = written.as_bytes();
        if refers && is_introduced && is_value(text, &word, name, end..answer.end) {
            return Some(word.place);
        }
        // "yes, …"
        let cues = Cues::of(written);
        refers |= PRONOUNS.has(written);
        is_introduced = cues.has(Cue::Introduces) || cues.has(Cue::IntroducesForeign) || VERBS.has(written);
        is_introduced |= word.introduces || Cues::of(slice(text, at..end)).has(Cue::Sign);
        // "i think …": only what a verb announces, after the first word.
        if word.ends || cues.has(Cue::Redirects) {
            return None;
        }
        at = end;
    }
    None
}

fn is_value(text: &[u8], word: &stated::Word, name: &Name, rest: Range<usize>) -> bool {
    let value = slice(text, word.place.clone());
    let rest = slice(text, rest).trim_ascii_start();
    let next = slice(rest, 0..run_end(rest, 0, 12, |byte| byte.is_ascii_alphabetic() || byte >= 0x80));
    let is_last = word.ends
        || text.get(word.place.end) == Some(&b',')
        || rest.is_empty()
        || rest.first() >= Some(&0xe3)
        || AFTER.has(next);
    if !is_last || tag::starts_placeholder(value) {
        return false;
    }
    if word.is_quoted {
        return announced::accepts(text, name, &word.place);
    }
    let name = Name { place: name.place.clone(), strength: Strength::Strong };
    stated::is_password(text, &word.place, &name, true, true)
        && judgement::is_secret(value, Strength::Strong, Form::Data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<&str> {
        let at = text.find("password").unwrap();
        let name = Name { place: at..at + 8, strength: Strength::Strong };
        value(text.as_bytes(), &name, false).map(|place| &text[place])
    }

    #[test]
    fn the_sentence_after_one_about_a_password_may_state_it() {
        for text in [
            "what's the password? it's Kestrel47x",
            "Q: What is the wifi password?\nA: Kestrel47x",
            "what was the password again?\n> bob: it is `Kestrel47x`",
            "I forgot the password. Try Kestrel47x instead.",
            "They reset the password. The new one is Kestrel47x, by the way",
            "That is not the password. I changed it to Kestrel47x yesterday",
        ] {
            assert_eq!(of(text), Some("Kestrel47x"), "{text}");
        }
        for text in [
            "what's the password? it's on page12 of the book",
            "Did you forget the password?\nA: yes, twice",
            "Enter the password. Then wait for step3x to end.",
            "What is the password policy? it's Kestrel47x",
            "Is there a password? See docs/auth2.md for more",
            "I forgot the password.\n\n\n\nTry Kestrel47x",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
