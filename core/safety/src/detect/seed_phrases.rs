//! Seed phrases of wallets: twelve to twenty-four words of BIP-39, in a line, in several, numbered, in a list of code
//! or in a table. With a valid checksum they are a secret wherever they stand, without one only beside a name for it.
//!
//! Seed phrases are rare, so the check must be cheap. A phrase has either no separators such as commas or one after
//! each word, which rules out most text. In the rest, only one word every few dozen
//! bytes is looked up, and the words around it are read only if it may be in the list.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use once_cell::race::OnceBox;

use crate::classify::seed_words::{self, LENGTHS, MAX_WORD, MIN_WORD};
use crate::lazy::lazily;
use crate::mark::found::Found;
use crate::rules::general::SEED_PHRASE;
use crate::text::bytes::{peek, run_end, run_start, slice};

/// How long a phrase is at least, in bytes, except for one in a thousand.
const SHORTEST: usize = 60;
/// How many words that follow each other are looked at.
const WORDS: usize = 3;
/// How far apart the first of these are, in bytes. All but the last three words of a phrase are longer, except for one
/// phrase in a thousand.
const STRIDE: usize = 44;
/// The most bytes between two words of a phrase: `" |\n| 12 | "`.
const MAX_GAP: usize = 24;
/// The fewest words of a phrase.
const FEWEST: usize = 12;
/// How far before a phrase its name may end, and how far after it one may start, in bytes.
const BEFORE: usize = 120;
const AFTER: usize = 48;
/// The same bit of each of eight bytes.
const EACH: u64 = 0x0101_0101_0101_0101;

/// Parts of names for a seed phrase in the languages of the engine, without the first letter where its capital is not
/// ASCII.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "mnem", "bip39", "bip-39", "seed phrase", "seed-phrase", "seed_phrase", "seedphrase", "seed word", "seed_word", "seedword",
    "recovery phrase", "recovery-phrase", "recovery_phrase", "recoveryphrase", "recovery word", "recovery_word",
    "recoveryword", "recovery seed", "recovery_seed", "backup phrase", "backup_phrase", "backupphrase", "backup word", "wallet word",
    "wallet_word", "walletword", "wallet phrase", "wallet seed", "wallet_seed", "walletseed", "secret phrase", "secret_phrase", "secret words",
    "secret recovery", "restore phrase", "seed of ",
    "wiederherstellungsphrase", "wiederherstellungsw", "wiederherstellungss", "seed-w", "seed-satz", "merkphrase",
    "geheime phrase", "geheime wörter",
    "phrase de r", "phrase secr", "phrase seed", "mots de r", "mots secrets", "mots du portefeuille", "phrase de sauvegarde",
    "frase semilla", "frase de recup", "frase de resp", "frase secreta", "frase seed", "palabras semilla", "palabras de recup",
    "palabras de la", "palabras secretas",
    "frase di recup", "frase di ripristino", "frase segreta", "frase del seed", "parole di recup", "parole seed", "parole del",
    "parole segrete",
    "frase semente", "frase-semente", "palavras de recup", "palavras-semente", "palavras da carteira", "palavras secretas",
    "herstelzin", "herstelwoorden", "herstelfrase", "seed-zin", "seedzin", "geheime zin", "geheime woorden",
    "fraza odzysk", "fraza seed", "fraza zapasowa", "odzyskiwania", "tajna fraza", "frazę odzysk", "frazy odzysk",
    "obnovovac", "seed fráz", "fráze pro obnov", "fráze obnov", "tajná fráze", "slova pro obnov", "slova peněženky",
    "terställningsfras", "terställningsord", "terhämtningsfras", "seedfras", "seed-fras", "hemliga ord", "plånboksord",
    "gendannelsesfras", "gendannelsesord", "gendannelsess", "seed-sætning", "gjenopprettingsfras", "gjenopprettingsord",
    "frøfras", "hemmelige ord",
    "palautuslause", "palautussan", "palautusfraas", "siemenlause", "siemensan", "siemenfraas", "salaiset sanat",
    "мнем", "ид-фраз", "ид фраз", "ід-фраз", "ід фраз", "seed-фраз", "seed фраз", "фраза восстан", "фразу восстан",
    "фразы восстан", "слова восстан", "слова для восстан", "фраза для восстан", "слова кошел", "екретная фраза", "екретные слова",
    "фраза відновл", "фразу відновл", "слова відновл", "слова для відновл", "фраза для відновл", "слова гаманця", "екретна фраза",
    "kurtarma ifade", "kurtarma kelime", "kurtarma cümle", "tohum ifade", "tohum kelime", "tohum cümle", "gizli kelime",
    "gizli ifade", "cüzdan kelime", "anımsatıcı",
    "φράση ανάκτησης", "φράση επαναφοράς", "φράση αποκατάστασης", "λέξεις ανάκτησης", "λέξεις επαναφοράς", "φράση σπόρου", "φράση seed",
    "μνημονικ", "λέξεις του πορτοφολιού", "μυστική φράση",
    "助记", "助記", "助忆", "恢复短语", "恢復短語", "恢复词", "種子短語", "种子短语", "种子词", "種子詞", "还原短语", "钱包单词", "备份短语",
    "シードフレーズ", "シード フレーズ", "リカバリーフレーズ", "リカバリフレーズ", "ニーモニック", "復元フレーズ", "復旧フレーズ",
    "回復フレーズ", "復元用", "シークレットフレーズ", "ウォレットの単語", "秘密のフレーズ",
    "시드 구문", "시드구문", "시드 문구", "시드문구", "시드 단어", "복구 구문", "복구구문", "복구 문구", "복구문구", "복구 단어", "니모닉", "지갑 단어",
    "비밀 구문", "비밀 문구",
];

/// A word of the list in a text.
struct Word {
    place: Range<usize>,
    /// Its place in the list.
    index: u16,
    /// What separates it from the word before it.
    gap: Gap,
}

/// What is between two words, but for blanks, quotation marks and marks at the start of a line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Gap {
    /// The punctuation, a bit each.
    signs: u64,
    /// The last number, as in a numbered list.
    number: Option<usize>,
    has_line_break: bool,
    /// Whether a quotation mark was opened or closed.
    has_quote: bool,
}

impl Gap {
    /// Whether this gap and `other` are both of one list.
    fn is_like(&self, other: &Gap) -> bool {
        self.signs == other.signs && self.number.is_some() == other.number.is_some()
    }
}

/// How the separators of a text are spaced: where there is none for long enough, or where they are as regular as in a
/// list, there may be a phrase.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spacing {
    /// Where the last separator is.
    at: usize,
    /// How many of them are close to each other.
    count: usize,
}

impl Spacing {
    /// The text that may contain a phrase, if the next separator is at `at`: this takes a few instructions.
    #[inline(always)]
    pub(crate) fn next(&mut self, at: usize) -> Option<Range<usize>> {
        let before = std::mem::replace(&mut self.at, at);
        if at - before <= MAX_GAP + MAX_WORD {
            // No word is between two that follow each other.
            self.count += usize::from(at - before > MIN_WORD);
            if self.count < FEWEST - WORDS {
                return None;
            }
            self.count = 0;
            // Among several, each is where to look.
            return Some(at..at);
        }
        self.count = 0;
        (at - before >= SHORTEST).then_some(before..at)
    }
}

/// The state of one pass, so that nothing is read twice.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The end of the last run that was read.
    done: usize,
}

impl Scan {
    /// Scan for phrases in `part`, or in the list around it if it is empty.
    #[cold]
    #[inline(never)]
    pub(crate) fn scan<'r>(&mut self, text: &[u8], part: Range<usize>, found: &mut Vec<Found<'r>>) {
        if part.is_empty() {
            if gap_end(text, part.start).is_some_and(|start| likely_end(text, start).is_some()) {
                self.scan_at(text, part.start, found);
            }
            return;
        }
        // After the first look, a phrase of the shortest length has that many more words.
        let mut at = part.start + SHORTEST - WORDS * MAX_WORD;
        while at + MAX_WORD < part.end {
            at = self.scan_at(text, at, found) + STRIDE;
        }
    }

    /// Scan at the words after `at`, and reads the run of words around them if the list may have all; returns where
    /// there is no phrase.
    #[inline]
    fn scan_at<'r>(&mut self, text: &[u8], at: usize, found: &mut Vec<Found<'r>>) -> usize {
        let probe_at = |at: usize| text.get(at..).and_then(|rest| rest.first_chunk()).map_or(Probe::Signs, probe);
        let mut start = at;
        // The first of the words.
        let mut first = None;
        for _ in 0..WORDS {
            match probe_at(start) {
                Probe::Other(step) => return start + step,
                Probe::Word(step) => start += step,
                Probe::Signs => {
                    start = word_after_signs(text, start);
                    if likely_end(text, start).is_none() {
                        return start;
                    }
                }
            }
            first.get_or_insert(start);
        }
        let first = first.unwrap_or(start);
        if first >= self.done {
            self.done = run_around(text, first, self.done, found);
        }
        self.done.max(start)
    }
}

/// What a few bytes of a text say about the word after the first separator.
enum Probe {
    /// The list has no such word.
    Other(usize),
    /// It may have the word that starts here.
    Word(usize),
    /// Something else than a blank separates the words.
    Signs,
}

#[inline(always)]
fn probe(window: &[u8; 24]) -> Probe {
    const BIT: u64 = EACH << 6;
    let load = |at: usize| window.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |it| u64::from_le_bytes(*it));
    // Of ASCII, letters have this bit, and blanks, digits and most punctuation do not.
    let ends = !load(0) & BIT;
    // Up to the last of several separators.
    let ends = ends & !(ends >> 8);
    let step = ends.trailing_zeros() as usize / 8 + 1;
    let bytes = load(step);
    let ends = !bytes & BIT;
    let is_of_word = ((ends & ends.wrapping_neg()) >> 6).wrapping_sub(1);
    let word = (bytes | EACH << 5) & is_of_word;
    if seed_words::may_be_one(word) {
        Probe::Word(step)
    } else if word == 0 || word.wrapping_add(EACH * 5) & EACH << 7 != 0 {
        // `\\`, `|` and `_` have that bit too.
        Probe::Signs
    } else {
        Probe::Other(step)
    }
}

/// The start of the word after the one at `at`, whatever separates them.
#[inline(never)]
fn word_after_signs(text: &[u8], at: usize) -> usize {
    let bytes = text.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let word_end = at + (!letters(bytes) & (EACH << 7)).trailing_zeros() as usize / 8;
    match text.get(word_end) {
        Some(byte) if !byte.is_ascii_alphabetic() => gap_end(text, word_end).unwrap_or(word_end),
        _ => word_end,
    }
}

/// Reads the words of the list around the one that may start at `start`, but none before `done`, and adds the phrases
/// among them; returns where reading stopped.
#[inline(never)]
fn run_around<'r>(text: &[u8], start: usize, done: usize, found: &mut Vec<Found<'r>>) -> usize {
    let start = label_end(text, start).and_then(|end| gap_end(text, end)).unwrap_or(start);
    let Some(mut end) = likely_end(text, start) else { return start };
    let (mut first, mut count) = (start, 1);
    while let Some(next) = gap_end(text, end)
        && let Some(word_end) = likely_end(text, next)
    {
        (end, count) = (word_end, count + 1);
    }
    while let Some(before) = word_before(text, first).filter(|before| *before >= done) {
        (first, count) = (before, count + 1);
    }
    // What the list may have it need not have.
    let mut at = first;
    while count >= FEWEST && at < end {
        let words = words_from(text, at);
        let known = found.len();
        phrases(text, &words, found);
        if found.len() == known && words.len() >= FEWEST && !is_excerpt(&words) {
            found.extend(named(text, &words));
        }
        let next = words.last().map_or_else(|| likely_end(text, at), |last| Some(last.place.end));
        at = next.and_then(|next| gap_end(text, next)).unwrap_or(end);
    }
    end
}

/// The end of the word at `start`, if the list may have it.
fn likely_end(text: &[u8], start: usize) -> Option<usize> {
    let mut bytes = [0; MAX_WORD];
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(chunk) => bytes = *chunk,
        None => bytes.iter_mut().zip(slice(text, start..text.len())).for_each(|(to, byte)| *to = *byte),
    }
    let bytes = u64::from_le_bytes(bytes);
    let ends = !letters(bytes) & (EACH << 7);
    let is_of_word = ((ends & ends.wrapping_neg()) >> 7).wrapping_sub(1);
    let end = start + ends.trailing_zeros() as usize / 8;
    (seed_words::may_be_one((bytes | EACH << 5) & is_of_word) && !text.get(end).is_some_and(u8::is_ascii_alphanumeric))
        .then_some(end)
}

/// The highest bit of each byte that is an ASCII letter.
const fn letters(bytes: u64) -> u64 {
    let lower = (bytes | EACH << 5) & (EACH * 0x7f);
    let from_a = lower + EACH * (0x80 - b'a' as u64);
    let past_z = lower + EACH * (0x7f - b'z' as u64);
    from_a & !past_z & !bytes & (EACH << 7)
}

/// The place in the list of the word at `start`, and its end.
fn word_at(text: &[u8], start: usize) -> Option<(u16, usize)> {
    let end = run_end(text, start, MAX_WORD + 1, |byte| byte.is_ascii_alphabetic());
    let is_whole = end >= start + MIN_WORD && end <= start + MAX_WORD && !text.get(end).is_some_and(u8::is_ascii_digit);
    let index = is_whole.then(|| seed_words::place(slice(text, start..end))).flatten()?;
    Some((index, end))
}

/// The start of the word after the gap at `from`.
fn gap_end(text: &[u8], from: usize) -> Option<usize> {
    // Most words are between blanks.
    if let [b' ', b'a'..=b'v' | b'x'..=b'z', ..] = peek(text, from, 2) {
        return Some(from + 1);
    }
    let mut at = from;
    while at <= from + MAX_GAP {
        match peek(text, at, 3) {
            // Words are not numbered that far.
            [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9'] => return None,
            [b'\\', b'n' | b't' | b'r', ..] => at += 2,
            [byte, ..] if byte.is_ascii_alphabetic() => match label_end(text, at) {
                Some(end) => at = end,
                None => return (at > from && !slice(text, at - 1..at).iter().any(u8::is_ascii_digit)).then_some(at),
            },
            [] => return None,
            _ => at += 1,
        }
    }
    None
}

/// The end of `word 1` before a colon and the word itself.
fn label_end(text: &[u8], at: usize) -> Option<usize> {
    let is_inside = at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(u8::is_ascii_alphabetic);
    let is_label = !is_inside && peek(text, at, 4).eq_ignore_ascii_case(b"word");
    let digits = is_label.then(|| run_end(text, at + 4, 1, |byte| matches!(byte, b' ' | b'_' | b'#' | b'-')))?;
    let end = run_end(text, digits, 2, |byte| byte.is_ascii_digit());
    // In `2. word 3. …` it is a word of the phrase.
    let before = run_start(text, at, 4, |byte| matches!(byte, b' ' | b'\t' | b'.' | b')' | b':' | b'|' | b'#'));
    let is_numbered = before.checked_sub(1).and_then(|before| text.get(before)).is_some_and(u8::is_ascii_digit);
    (end > digits && !is_numbered).then_some(end)
}

/// The start of the word of the list before the gap that ends at `to`.
fn word_before(text: &[u8], to: usize) -> Option<usize> {
    let mut end = to;
    loop {
        let before = end.checked_sub(1)?;
        match slice(text, end.saturating_sub(2)..end) {
            [b'\\', b'n' | b't' | b'r'] => end -= 2,
            [.., last] if last.is_ascii_alphabetic() => {
                match end.checked_sub(4).filter(|at| label_end(text, *at).is_some()) {
                    Some(label) => end = label,
                    None => break,
                }
            }
            _ => end = before,
        }
        if end + MAX_GAP < to {
            return None;
        }
    }
    let mut start = run_start(text, end, MAX_WORD + 2, |byte| byte.is_ascii_alphabetic());
    let before = start.checked_sub(1).and_then(|before| text.get(before));
    let is_escaped = before == Some(&b'\\') && matches!(text.get(start), Some(b'n' | b't' | b'r'));
    start += usize::from(is_escaped);
    let is_whole = end < to && (is_escaped || !before.is_some_and(u8::is_ascii_digit));
    (is_whole && likely_end(text, start) == Some(end)).then_some(start)
}

/// The words of the list from the one at `first` on.
fn words_from(text: &[u8], first: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let first = label_end(text, first).and_then(|end| gap_end(text, end)).unwrap_or(first);
    let (mut next, mut gap) = (Some(first), Gap::default());
    while let Some(start) = next
        && let Some((index, end)) = word_at(text, start)
    {
        words.push(Word { place: start..end, index, gap });
        next = gap_end(text, end);
        gap = next.map_or(gap, |next| gap_of(slice(text, end..next)));
    }
    words
}

fn gap_of(bytes: &[u8]) -> Gap {
    let mut gap = Gap::default();
    let mut before = 0_u8;
    for &byte in bytes {
        match byte {
            b'0'..=b'9' => {
                let digits = gap.number.filter(|_| before.is_ascii_digit()).unwrap_or(0);
                gap.number = Some(10 * digits + usize::from(byte - b'0'));
            }
            b'\n' => gap.has_line_break = true,
            b'n' if before == b'\\' => gap.has_line_break = true,
            b'"' | b'\'' | b'`' => gap.has_quote = !gap.has_quote,
            b'\\' | b'+' | b'>' => {}
            _ if byte.is_ascii_whitespace() || byte.is_ascii_alphabetic() => {}
            _ => gap.signs |= 1 << (byte & 63),
        }
        before = byte;
    }
    gap
}

/// Adds the phrases among `words`, which follow each other.
fn phrases<'r>(text: &[u8], words: &[Word], found: &mut Vec<Found<'r>>) {
    let mut rest = words;
    while rest.len() >= FEWEST {
        let gap = rest.get(1).map(|word| word.gap).unwrap_or_default();
        let length = 1 + rest.iter().skip(1).take_while(|word| word.gap.is_like(&gap)).count();
        let (list, after) = rest.split_at(length);
        let known = found.len();
        if is_valid(list) {
            found.extend(finding(text, list));
        } else if length >= FEWEST && !is_excerpt(list) {
            if gap.number.is_none() {
                let lines = list.chunk_by(|_, next| !next.gap.has_line_break);
                found.extend(lines.filter(|line| is_valid(line)).filter_map(|line| finding(text, line)));
                // `--phrase '…'`, where the name is a word of the list too
                let quoted = list.chunk_by(|_, next| !next.gap.has_quote);
                let is_part = |part: &&[Word]| part.len() < list.len() && is_valid(part);
                if found.len() == known {
                    found.extend(quoted.filter(is_part).filter_map(|part| finding(text, part)));
                }
            }
            if found.len() == known {
                found.extend(named(text, list));
            }
        }
        // The last word of a list may be the first of the next: what separates them belongs to both.
        rest = if found.len() > known || length == 1 { after } else { rest.split_at(length - 1).1 };
    }
}

/// Whether all of `words` are a phrase with a valid checksum.
fn is_valid(words: &[Word]) -> bool {
    let is_next = |pair: &[Word]| match pair {
        [before, next] => before.gap.number.is_none_or(|number| next.gap.number == Some(number + 1)),
        _ => true,
    };
    LENGTHS.contains(&words.len())
        && !is_excerpt(words)
        && words.get(1..).unwrap_or_default().windows(2).all(is_next)
        && seed_words::is_phrase(words.iter().map(|word| word.index))
}

/// Whether `words` are a part of the list itself, or the phrase of examples, which repeats one word.
fn is_excerpt(words: &[Word]) -> bool {
    let Some(first) = words.first() else { return true };
    let others = words.iter().filter(|word| word.index != first.index).count();
    others < 3 || words.is_sorted_by(|before, next| before.index < next.index)
}

/// The phrase among `words` that a name before or after it announces. Its checksum may be wrong: it was mistyped, or
/// read aloud.
fn named<'r>(text: &[u8], words: &[Word]) -> Option<Found<'r>> {
    let (first, last) = (words.first()?, words.last()?);
    // The name may consist of words of the list too.
    let from = first.place.start.saturating_sub(BEFORE);
    let to = words.get(3).map_or(first.place.start, |word| word.place.start);
    let name = names()?.last_end(slice(text, from..to)).map(|end| from + end);
    let begin = name.map(|end| words.iter().take_while(|word| word.place.start < end).count());
    let phrase = match begin {
        Some(begin) => {
            let words = words.get(begin..)?;
            let fits = |length: &&usize| **length <= words.len();
            let is_valid = |length: &&usize| is_valid(words.get(..**length).unwrap_or_default());
            let lengths = || LENGTHS.iter().filter(fits);
            let exact = LENGTHS.iter().find(|length| **length == words.len());
            let length = exact.or_else(|| lengths().find(is_valid)).or_else(|| lengths().next())?;
            words.get(..*length)?
        }
        None => {
            let after = slice(text, last.place.end..text.len().min(last.place.end + AFTER));
            let is_named = LENGTHS.contains(&words.len()) && names()?.last_end(after).is_some();
            is_named.then_some(words)?
        }
    };
    finding(text, phrase)
}

struct Names(AhoCorasick);

impl Names {
    /// The end of the last name in `text`.
    fn last_end(&self, text: &[u8]) -> Option<usize> {
        self.0.find_iter(text).last().map(|hit| hit.end())
    }
}

/// The list is a constant, and a test builds the search.
fn names() -> Option<&'static Names> {
    static SEARCH: OnceBox<Option<Names>> = OnceBox::new();
    let build = || AhoCorasick::builder().ascii_case_insensitive(true).build(NAMES).ok().map(Names);
    lazily(&SEARCH, build).as_ref()
}

/// The finding of a phrase. Its tag is made of the words, however they are separated.
fn finding<'r>(text: &[u8], words: &[Word]) -> Option<Found<'r>> {
    let place = words.first()?.place.start..words.last()?.place.end;
    let spellings: Vec<Vec<u8>> =
        words.iter().map(|word| slice(text, word.place.clone()).to_ascii_lowercase()).collect();
    let plain = spellings.join(&b' ');
    let found = Found::new(SEED_PHRASE, place.clone());
    Some(if slice(text, place) == plain { found } else { found.with_secret(plain) })
}
