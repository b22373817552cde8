//! Lists of words in lower case, ignoring the case of what is compared with them.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use once_cell::race::OnceBox;

use crate::lazy::lazily;

/// The longest word of a [`Words`], in bytes.
const MAX_WORD: usize = 32;

/// Words to compare whole values with.
pub(crate) struct Words {
    lists: [&'static str; 2],
    /// Those of each length, in ascending order: most words are of no length that many have.
    sorted: OnceBox<[Vec<&'static [u8]>; MAX_WORD + 1]>,
}

impl Words {
    /// The words of `list`, separated by white space.
    pub(crate) const fn new(list: &'static str) -> Self {
        Words::of_two([list, ""])
    }

    /// The words of two lists.
    pub(crate) const fn of_two(lists: [&'static str; 2]) -> Self {
        Words { lists, sorted: OnceBox::new() }
    }

    /// Whether `value` is one of the words.
    pub(crate) fn has(&self, value: &[u8]) -> bool {
        let sorted = lazily(&self.sorted, || {
            let mut sorted = [const { Vec::new() }; MAX_WORD + 1];
            for word in words(self.lists).map(str::as_bytes) {
                sorted.get_mut(word.len()).into_iter().for_each(|words: &mut Vec<_>| words.push(word));
            }
            sorted.iter_mut().for_each(|words| words.sort_unstable());
            sorted
        });
        let Some(sorted) = sorted.get(value.len()).filter(|words| !words.is_empty()) else { return false };
        let mut lower = [0; MAX_WORD];
        let Some(lower) = lower.get_mut(..value.len()) else { return false };
        lower.iter_mut().zip(value).for_each(|(place, byte)| *place = byte.to_ascii_lowercase());
        sorted.binary_search(&&*lower).is_ok()
    }
}

/// Words to search for in values.
pub(crate) struct Parts {
    lists: [&'static str; 2],
    search: OnceBox<Option<AhoCorasick>>,
}

impl Parts {
    /// The words of `list`, separated by white space.
    pub(crate) const fn new(list: &'static str) -> Self {
        Parts::of_two([list, ""])
    }

    /// The words of two lists.
    pub(crate) const fn of_two(lists: [&'static str; 2]) -> Self {
        Parts { lists, search: OnceBox::new() }
    }

    /// The places of the words in `value`.
    pub(crate) fn places(&self, value: &[u8]) -> impl Iterator<Item = Range<usize>> {
        self.search().into_iter().flat_map(move |search| search.find_iter(value).map(|hit| hit.range()))
    }

    /// Whether one of the words is in `value`.
    pub(crate) fn is_in(&self, value: &[u8]) -> bool {
        self.search().is_some_and(|search| search.is_match(value))
    }

    /// The lists are constants, and a test builds the searcher of each.
    pub(crate) fn search(&self) -> Option<&AhoCorasick> {
        let builder = || AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).clone();
        lazily(&self.search, || builder().build(words(self.lists)).ok()).as_ref()
    }
}

fn words(lists: [&'static str; 2]) -> impl Iterator<Item = &'static str> {
    lists.into_iter().flat_map(|list| list.split_ascii_whitespace())
}
