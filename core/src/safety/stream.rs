//! A text that is redacted while it comes in.

use super::Redactor;
use super::blocks::cut;

/// Redacts a text that comes in pieces; see [`Redactor::stream`]. It holds back one block at most, which is a mebibyte.
#[derive(Debug)]
pub struct Stream<'r> {
    redactor: &'r Redactor,
    held: Vec<u8>,
    looked: usize,
    /// The rule of the secret within which the last block ended.
    open: Option<&'r str>,
}

impl<'r> Stream<'r> {
    pub(super) fn new(redactor: &'r Redactor) -> Self {
        Stream { redactor, held: Vec::new(), looked: 0, open: None }
    }

    /// Takes the next piece, cut anywhere, even within a character, and gives what can be told by now.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let mut out = Vec::new();
        let mut done = 0;
        while let Some(found) = self.held.get(done..).and_then(|rest| cut(rest, &mut self.looked)) {
            let block = self.held.get(done..done + found.end).unwrap_or_default();
            self.redactor.write_block(block, &mut self.open, found.in_run, &mut out);
            done += found.end;
            self.looked = 0;
        }
        self.held.drain(..done);
        out
    }

    /// The rest, when nothing more comes.
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        self.redactor.write_block(&self.held, &mut self.open, false, &mut out);
        out
    }
}
