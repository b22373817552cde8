//! Searches a text for many words at once.

use std::ops::Range;

use aho_corasick::packed::{Config, MatchKind, Searcher};
use aho_corasick::{AhoCorasick, Input, Span};

/// A search for the words of a list: packed if the processor supports that.
pub(crate) enum WordSearch {
    Packed(Searcher),
    Automaton(AhoCorasick),
}

impl WordSearch {
    /// A search for `words`; `None` if they are too many for an automaton. A packed search has at most 64 words.
    pub(crate) fn of<W: AsRef<[u8]>>(words: impl Iterator<Item = W> + Clone) -> Option<WordSearch> {
        let packed = Config::new().match_kind(MatchKind::LeftmostFirst).builder().extend(words.clone()).build();
        packed.map(WordSearch::Packed).or_else(|| AhoCorasick::new(words).ok().map(WordSearch::Automaton))
    }

    /// The first hit at or after `from`: the index of the word, and its place.
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        let span = Span { start: from, end: text.len() };
        match self {
            WordSearch::Packed(searcher) => {
                searcher.find_in(text, span).map(|hit| (hit.pattern().as_usize(), hit.start()..hit.end()))
            }
            WordSearch::Automaton(automaton) => automaton
                .find(Input::new(text).span(span))
                .map(|hit| (hit.pattern().as_usize(), hit.start()..hit.end())),
        }
    }
}
