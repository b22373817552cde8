//! Redaction of a text as it arrives.

use crate::redact::redactor::Redactor;
use crate::text::blocks::{Walk, window_start};
use crate::text::bytes::slice;

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

    /// Returns the complete lines so far. To be called when the text pauses, so that its reader need not wait for the
    /// rest of a block.
    ///
    /// A last line without a line break is not returned. Neither are lines that the following ones may show to be part
    /// of a secret: lines that end in what may be the beginning of a wrapped or cut token, lines after the beginning of
    /// a private key that has not ended, and values of what may be a Kubernetes secret or a JSON Web Key. At most the
    /// last 32 KiB are held back for this reason. A later call returns them, or [`push`](Self::push) or
    /// [`finish`](Self::finish).
    ///
    /// Later lines are judged together with those that were returned. A secret of several lines, such as a private key,
    /// becomes a placeholder per call. So the result may differ from that for the whole text, but nothing is returned
    /// that would be redacted in the whole text, with these exceptions: a match of the user's patterns that spans
    /// lines, a wrapped secret whose first line looks like ordinary words, and a secret whose first lines are the words
    /// of a seed phrase, rows of a hexdump or of a list of bytes, or a value on the line before its name.
    ///
    /// A call takes about as long as redacting 32 KiB. While text flows, [`push`](Self::push) alone is faster.
    pub fn flush_lines(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let end = memchr::memrchr(b'\n', &self.held).map_or(0, |newline| newline + 1);
        if end > self.walk.at {
            self.redactor.write_lines(slice(&self.held, 0..end), &mut self.walk, &mut out);
            self.forget_passed();
        }
        out
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
        self.forget_passed();
        out
    }

    /// Drops what is no longer part of a window. The text before the next block still is.
    fn forget_passed(&mut self) {
        let passed = window_start(&self.held, self.walk.at).saturating_sub(4);
        self.held.drain(..passed);
        self.walk.at -= passed;
        self.walk.needed = self.walk.needed.saturating_sub(passed);
    }
}
