//! Finds the bytes that matter to a scan, 64 at a time.

use crate::safety::byte_mask;

/// Whether `byte` belongs to identifiers.
pub(super) const fn is_of_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether `byte` may start a string, a comment or a block in some language; a few others are among them.
const fn is_mark(byte: u8) -> bool {
    matches!(byte, b'"'..=b')' | b'-' | b'/' | b';'..=b'<' | b'['..=b']' | b'`' | b'{'..=b'}')
}

/// Which of the first 64 bytes of `text` belong to identifiers.
#[inline(always)]
pub(super) fn block_mask(text: &[u8]) -> u64 {
    byte_mask(text, is_of_identifier)
}

/// Finds the marks of a text in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The offset of the block that was looked at last, plus one, or 0.
    block: usize,
    bits: u64,
    /// Whether commas are marks too.
    commas: bool,
}

impl Marks {
    pub(super) fn new(commas: bool) -> Self {
        Marks { commas, ..Marks::default() }
    }

    /// The offset of the first mark in `text` from `from` on, or `end` if that is smaller.
    #[inline]
    pub(super) fn next(&mut self, text: &[u8], from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end {
            let base = at & !63;
            if self.block != base + 1 {
                self.block = base + 1;
                let commas = self.commas;
                let is_mark = |byte| is_mark(byte) || commas && byte == b',';
                self.bits = byte_mask(text.get(base..).unwrap_or(&[]), is_mark);
            }
            let bits = self.bits & (u64::MAX << (at - base));
            if bits != 0 {
                return end.min(base + bits.trailing_zeros() as usize);
            }
            at = base + 64;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::{Marks, block_mask};

    #[test]
    fn every_byte_has_its_class_in_every_position() {
        for byte in 0..=u8::MAX {
            for at in 0..64 {
                let mut block = [b' '; 64];
                block[at] = byte;
                let identifier = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
                assert_eq!(block_mask(&block), u64::from(identifier) << at, "{byte}");
                assert_eq!(block_mask(&block[..=at]), u64::from(identifier) << at, "{byte}");
                let mark = b"\"#$%&'()-/;<`{|}[\\]".contains(&byte);
                let expected = if mark { at } else { 64 };
                let mut marks = Marks::default();
                assert_eq!(marks.next(&block, 0, 64), expected, "{byte}");
                assert_eq!(marks.next(&block, at, 64), expected, "{byte}");
                assert_eq!(marks.next(&block, at + 1, 64), 64, "{byte}");
                let long = [[b' '; 64], block].concat();
                assert_eq!(Marks::default().next(&long, 3, 128), 64 + expected, "{byte}");
            }
        }
    }
}
