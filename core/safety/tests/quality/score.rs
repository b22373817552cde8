//! What a redactor did to a record: which secrets are still there, and how much of the other text is gone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use loopmem_safety::Redactor;
use regex::Regex;

// Markers in a text under construction. They are private-use characters, which no record contains otherwise.
const SECRET: char = '\u{e000}';
const EITHER: char = '\u{e001}';
const END: char = '\u{e002}';

/// Marks a secret.
pub(crate) fn secret(value: &str) -> String {
    format!("{SECRET}{value}{END}")
}

/// Marks text that may be redacted with a secret or kept: the `BEGIN` line of a key, the id in a webhook address.
pub(crate) fn either(text: &str) -> String {
    format!("{EITHER}{text}{END}")
}

pub(crate) fn is_mark(character: char) -> bool {
    [SECRET, EITHER, END].contains(&character)
}

/// The text without its markers.
pub(crate) fn unmarked(marked: &str) -> String {
    marked.replace(is_mark, "")
}

/// The marked secrets.
pub(crate) fn secrets(marked: &str) -> Vec<String> {
    marked.split(SECRET).skip(1).filter_map(|rest| rest.split(END).next()).map(str::to_owned).collect()
}

/// A text, and which parts of it are secret.
#[derive(Clone)]
pub(crate) struct Record {
    /// The names it is counted under in the report: its token, its place, its language.
    pub(crate) kinds: Vec<String>,
    pub(crate) marked: String,
    /// The secrets without what an evasion inserted.
    pub(crate) secrets: Vec<String>,
    /// What an evasion inserted between the characters of the secrets.
    pub(crate) noise: Vec<String>,
}

impl Record {
    pub(crate) fn new(kinds: &[&str], marked: String) -> Self {
        let secrets = secrets(&marked);
        Record { kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(), marked, secrets, noise: Vec::new() }
    }

    pub(crate) fn text(&self) -> String {
        unmarked(&self.marked)
    }

    /// For each byte of the text, whether a character that must be kept starts there.
    fn plain(&self) -> Vec<bool> {
        let mut plain = Vec::new();
        let mut stays = true;
        for character in self.marked.chars() {
            match character {
                SECRET | EITHER => stays = false,
                END => stays = true,
                _ => plain.extend((0..character.len_utf8()).map(|byte| stays && byte == 0)),
            }
        }
        plain
    }

    /// The output of a perfect redactor, which also redacts the optional parts if `greedy`.
    fn ideal(&self, greedy: bool) -> String {
        let mut output = String::new();
        let mut left_out = false;
        for character in self.marked.chars() {
            match character {
                SECRET => left_out = true,
                EITHER => left_out = greedy,
                END => left_out = false,
                _ if !left_out => output.push(character),
                _ => continue,
            }
            if left_out {
                output.push_str("[REDACTED:ideal:0123456789]");
            }
        }
        output
    }

    /// The text that is not secret, with a marker in place of each secret.
    fn rest(&self) -> String {
        let mut parts = self.marked.split(SECRET);
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.map(|part| part.split_once(END).map_or("", |(_, rest)| rest));
        rest.fold(first, |all, part| all + "\0" + part)
    }

    fn without_noise(&self, text: &str) -> String {
        self.noise.iter().fold(text.to_owned(), |text, noise| text.replace(noise, ""))
    }

    /// A secret of which a sizeable piece is left.
    pub(crate) fn leak(&self, output: &str) -> Option<&str> {
        let left = PLACEHOLDER.replace_all(output, "\0");
        let lefts = [self.without_noise(&left), left.into_owned()];
        let rests = [self.without_noise(&self.rest()), self.rest()];
        self.secrets.iter().map(String::as_str).find(|secret| {
            let characters: Vec<char> = self.without_noise(secret).chars().collect();
            let sizeable = if characters.len() < 16 { characters.len().div_ceil(2) } else { 8 };
            characters.windows(sizeable.max(1)).any(|piece| {
                let piece: String = piece.iter().collect();
                lefts.iter().any(|left| left.contains(&piece)) && !rests.iter().any(|rest| rest.contains(&piece))
            })
        })
    }
}

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[REDACTED:[^\]\s]*\]").unwrap());

/// How many characters that must be kept are gone. The output consists of pieces of the text in order; if a piece may
/// have come from several places, the redactor gets the benefit of the doubt.
fn lost(text: &str, plain: &[bool], output: &str) -> usize {
    let all = plain.iter().filter(|stays| **stays).count();
    let pieces: Vec<&str> = PLACEHOLDER.split(output).collect();
    // For each place where the pieces so far may end, how many kept characters they contain.
    let mut ends = vec![(0, 0)];
    for (number, piece) in pieces.iter().enumerate() {
        if piece.is_empty() {
            continue;
        }
        let starts: Vec<usize> = match number {
            0 if text.starts_with(piece) => vec![0],
            0 => Vec::new(),
            _ if number + 1 == pieces.len() && text.ends_with(piece) => vec![text.len() - piece.len()],
            _ => text.match_indices(piece).map(|(start, _)| start).collect(),
        };
        let place = |start: usize| {
            let held = plain[start..start + piece.len()].iter().filter(|stays| **stays).count();
            let before = ends.iter().filter(|(end, _)| *end <= start).map(|(_, held)| held).max()?;
            Some((start + piece.len(), before + held))
        };
        ends = starts.into_iter().filter_map(place).collect();
    }
    // If anything else in a text was changed, all of it counts as lost.
    ends.iter().map(|(_, held)| held).max().map_or(all, |held| all - held)
}

/// The result of one kind of records.
#[derive(Default)]
struct Tally {
    records: usize,
    missed: usize,
    /// Characters that must be kept.
    plain: usize,
    lost: usize,
    examples: Vec<String>,
}

impl Tally {
    fn count(&mut self, missed: bool, plain: usize, lost: usize) {
        self.records += 1;
        self.missed += usize::from(missed);
        self.plain += plain;
        self.lost += lost;
    }
}

/// The result of all records of a category.
#[derive(Default)]
pub(crate) struct Score {
    total: Tally,
    kinds: BTreeMap<String, Tally>,
    unstable: usize,
}

/// How many examples of a kind are kept.
const MOST_EXAMPLES: usize = 3;

impl Score {
    pub(crate) fn add(&mut self, record: &Record, redactor: &Redactor) {
        let text = record.text();
        let output = redactor.redact(&text);
        self.unstable += usize::from(redactor.redact(&output) != output);
        self.judge(record, &text, &output);
    }

    /// A record with secrets is missed if one of them is left; one without, if anything is changed.
    fn judge(&mut self, record: &Record, text: &str, output: &str) {
        let plain = record.plain();
        let all = plain.iter().filter(|stays| **stays).count();
        let (missed, lost) = if record.secrets.is_empty() {
            (output != text, 0)
        } else {
            (record.leak(output).is_some(), lost(text, &plain, output))
        };
        let short = missed || lost * 10 > all;
        let example = || format!("{text:?}\n      -> {output:?}");
        for kind in &record.kinds {
            let tally = self.kinds.entry(kind.clone()).or_default();
            tally.count(missed, all, lost);
            if short && tally.examples.len() < MOST_EXAMPLES {
                tally.examples.push(example());
            }
        }
        self.total.count(missed, all, lost);
    }

    pub(crate) fn records(&self) -> usize {
        self.total.records
    }

    /// The fraction of records that is missed.
    #[allow(clippy::cast_precision_loss, reason = "there are not that many")]
    pub(crate) fn missed(&self) -> f64 {
        self.total.missed as f64 / self.total.records.max(1) as f64
    }

    /// The fraction of other characters that is lost.
    #[allow(clippy::cast_precision_loss, reason = "there are not that many")]
    pub(crate) fn lost(&self) -> f64 {
        self.total.lost as f64 / self.total.plain.max(1) as f64
    }

    /// How many outputs change when redacted again.
    pub(crate) fn unstable(&self) -> usize {
        self.unstable
    }

    /// A table by kind, of those that fell short or of all; with texts only on request.
    pub(crate) fn table(&self, all: bool, show: bool) -> String {
        let mut table = String::new();
        let Tally { records, missed, plain, lost, .. } = &self.total;
        let _ = writeln!(table, "  {missed} of {records} missed, {lost} of {plain} other characters lost");
        let mut kinds: Vec<_> = self.kinds.iter().filter(|(_, it)| all || it.missed > 0 || it.lost > 0).collect();
        kinds.sort_by_key(|(kind, it)| (kind.split(':').next(), usize::MAX - it.missed * 1000 / it.records, *kind));
        for (kind, Tally { records, missed, plain, lost, examples }) in kinds {
            let _ = writeln!(table, "  {kind:<44} {missed:>5} of {records:>5} missed  {lost:>6} of {plain:>7} lost");
            for example in examples.iter().filter(|_| show) {
                let _ = writeln!(table, "      {example}");
            }
        }
        table
    }
}

/// Checks the scoring: a redactor that knows the secrets misses none and loses nothing, and one that does nothing
/// misses them all.
#[track_caller]
pub(crate) fn check_scoring(records: &[Record]) {
    for record in records {
        let text = record.text();
        let mut ideal = Score::default();
        ideal.judge(record, &text, &record.ideal(false));
        ideal.judge(record, &text, &record.ideal(true));
        assert_eq!((ideal.total.missed, ideal.total.lost), (0, 0), "{text:?} {:?}", record.ideal(false));
        let mut idle = Score::default();
        idle.judge(record, &text, &text);
        assert_eq!(idle.total.missed, usize::from(!record.secrets.is_empty()), "{text:?} {:?}", record.secrets);
    }
}

mod a_record {
    use super::*;

    fn record() -> Record {
        Record::new(&[], format!("a b {} c {}, a", secret("0123456789abcdefg"), either("id")))
    }

    #[test]
    fn leaks_when_a_sizeable_piece_is_left() {
        let leaks = |output: &str| record().leak(output).is_some();
        assert!(leaks("a b 0123456789abcdefg c id, a"));
        assert!(leaks("a b [REDACTED:x:1]9abcdefg c id, a"));
        assert!(!leaks("a b [REDACTED:x:1]abcdefg c id, a"));
        assert!(!leaks("a b [REDACTED:9abcdefg:9abcdefg] c id, a"));
    }

    #[test]
    fn leaks_through_noise() {
        let noisy = Record { noise: vec!["\n+".to_owned()], ..record() };
        assert!(noisy.leak("a b 01234\n+56789 c").is_some());
        assert!(record().leak("a b 01234\n+56789 c").is_none());
    }

    #[test]
    fn loses_text_that_must_be_kept() {
        let record = record();
        let lost = |output: &str| lost(&record.text(), &record.plain(), output);
        assert_eq!(lost(&record.text()), 0);
        assert_eq!(lost("a b [REDACTED:x:1] c id, a"), 0);
        assert_eq!(lost("a b [REDACTED:x:1] c [REDACTED:y:1], a"), 0);
        assert_eq!(lost("a [REDACTED:x:1] c id, a"), 2);
        assert_eq!(lost("[REDACTED:x:1]a"), 9);
        assert_eq!(lost("something else"), 10);
    }
}
