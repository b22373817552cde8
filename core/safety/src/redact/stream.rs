//! Redaction of a text as it arrives.

use crate::redact::redactor::Redactor;
use crate::text::blocks::{Walk, window_start};

/// Redacts a text that arrives in chunks; see [`Redactor::stream`]. It holds back a little more than half a mebibyte,
/// and up to two more if the text is full of invisible characters.
#[derive(Debug)]
pub struct Stream<'r> {
    redactor: &'r Redactor,
    held: Vec<u8>,
    walk: Walk<'r>,
}

impl Redactor {
    /// Redacts a text that arrives in chunks, with the same result as for the whole text.
    pub fn stream(&self) -> Stream<'_> {
        Stream { redactor: self, held: Vec::new(), walk: Walk::default() }
    }
}

impl Stream<'_> {
    /// Takes the next chunk, split anywhere, even inside a character, and returns what is ready by now.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.walk_on(false)
    }

    /// Returns the rest, at the end of the text.
    pub fn finish(mut self) -> Vec<u8> {
        self.walk_on(true)
    }

    fn walk_on(&mut self, is_whole: bool) -> Vec<u8> {
        let mut out = Vec::new();
        if !is_whole && self.held.len() < self.walk.needed {
            return out;
        }
        while self.redactor.write_step(&self.held, &mut self.walk, is_whole, &mut out) {}
        // The text before the next block is still part of its window.
        let passed = window_start(&self.held, self.walk.at).saturating_sub(4);
        self.held.drain(..passed);
        self.walk.at -= passed;
        self.walk.needed = self.walk.needed.saturating_sub(passed);
        out
    }
}
