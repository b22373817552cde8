//! The part of a transcript that is shown, by importance: messages of people and answers first, then the actions in
//! between, as far as it fits. The result is in the order of the transcript.

use std::collections::BTreeMap;

use super::entry::{Entry, Kind};
use super::text::{Limit, Redact};

/// The most that entries take before the least important of them are dropped, as a multiple of what is shown.
const KEPT: usize = 3;
/// They may take this much in any case, in bytes.
const MIN_KEPT: usize = 4 << 20;
/// The shortest part of an entry that is worth showing, in bytes.
const MIN_SHOWN: usize = 40;
/// The shortest limit for an entry, in bytes.
const MIN_LIMIT: usize = 200;
/// The length of what is before and behind the text of an entry, in bytes: its heading, without the name of a tool, and how many
/// entries were left out before it.
const AROUND: usize = 70;

/// The length of the line that says how many entries were left out, at most, in bytes.
const GAP: usize = 30;

/// The part of a transcript that is shown.
#[derive(Debug)]
pub(crate) struct Excerpt {
    /// The text.
    pub(crate) text: String,
    /// The number of entries that were left out, and of parts that could not be read.
    pub(crate) omitted: u64,
    /// True if the history of another session was left out that the transcript repeats.
    pub(crate) is_fork: bool,
}

/// Entries of a transcript, from which an excerpt is made.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The most bytes that are shown.
    budget: usize,
    kept: Vec<Entry>,
    bytes: usize,
    /// The number of entries, and of parts that could not be read.
    count: u64,
    /// True if the transcript repeats the history of another session.
    pub(super) is_fork: bool,
}

impl Selection {
    /// For an excerpt of at most `budget` bytes.
    pub(crate) fn new(budget: usize) -> Self {
        Selection { budget, kept: Vec::new(), bytes: 0, count: 0, is_fork: false }
    }

    /// The maximum length that is shown of an entry.
    pub(super) fn limit(&self, kind: Kind) -> Limit {
        let Limit { head, tail } = kind.limit();
        let most = (self.budget / 4).max(MIN_LIMIT);
        if head + tail <= most {
            Limit { head, tail }
        } else {
            Limit { head: most * head / (head + tail), tail: most * tail / (head + tail) }
        }
    }

    /// Adds an entry.
    pub(super) fn push(&mut self, entry: Entry) {
        self.count += 1;
        self.bytes += entry.bytes();
        self.kept.push(entry);
        let most = (self.budget * KEPT).max(MIN_KEPT);
        if self.bytes > most {
            // By what is shown of them, twice as much as is shown in the end: a secret may become shorter when it is redacted.
            self.sort();
            let (mut shown, mut bytes) = (0, 0);
            let (budget, limits) = (2 * self.budget, Kind::ALL.map(|kind| self.limit(kind)));
            let is_kept = |entry: &Entry| {
                shown += entry.text.shown(limits[entry.kind as usize]) + AROUND;
                bytes += entry.bytes();
                shown <= budget && bytes <= most / 2
            };
            let kept = self.kept.iter().map(is_kept).take_while(|is_kept| *is_kept).count();
            self.kept.truncate(kept.max(1));
            self.bytes = self.kept.iter().map(Entry::bytes).sum();
        }
    }

    /// Counts a part that could not be read.
    pub(super) fn lose(&mut self) {
        self.count += 1;
    }

    /// The most important entries first, and of these the newest.
    fn sort(&mut self) {
        self.kept.sort_unstable_by_key(|entry| (entry.kind.rank(), std::cmp::Reverse(entry.order)));
    }

    /// The excerpt, with `redact` applied to everything before it is cut.
    pub(crate) fn excerpt(mut self, redact: Redact<'_>) -> Excerpt {
        self.sort();
        let mut chosen = BTreeMap::new();
        // There may be a gap at the end.
        let mut left = self.budget.saturating_sub(GAP);
        for entry in &self.kept {
            let Limit { head, tail } = self.limit(entry.kind);
            let around = AROUND + entry.tool.len();
            let Some(room) = left.checked_sub(around).filter(|room| *room >= MIN_SHOWN) else { break };
            // An important entry that does not fit is shortened; others are left out.
            let limit = match head + tail <= room || entry.text.shown(Limit { head, tail }) <= room {
                true => Limit { head, tail },
                false if entry.kind.rank() <= Kind::Answer.rank() => Limit { head: room, tail: 0 },
                false => continue,
            };
            let text = entry.render(limit, redact);
            // Redaction may make a text longer.
            let (gaps, closed) = gaps(&chosen, entry.order);
            let Some(rest) = (left + closed * GAP).checked_sub(text.len() + gaps * GAP) else { continue };
            left = rest;
            chosen.insert(entry.order, text);
        }
        let omitted = self.count - chosen.len() as u64;
        let mut text = String::with_capacity(self.budget - left);
        let mut next = 0;
        let end = (self.count, String::new());
        for (order, entry) in chosen.iter().chain([(&end.0, &end.1)]) {
            if *order > next {
                text.push_str(&format!("[{} entries left out]\n\n", order - next));
            }
            next = order + 1;
            text.push_str(entry);
        }
        Excerpt { text, omitted, is_fork: self.is_fork }
    }
}

/// How many gaps there are beside an entry that is added to the chosen ones, and how many were there that it fills.
fn gaps(chosen: &BTreeMap<u64, String>, order: u64) -> (usize, usize) {
    let from = chosen.range(..order).next_back().map_or(0, |(before, _)| before + 1);
    let before = usize::from(order > from);
    match chosen.range(order + 1..).next() {
        None => (before, 0),
        Some((next, _)) => (before + usize::from(*next > order + 1), usize::from(*next > from)),
    }
}
