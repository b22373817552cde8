//! Finds classes of bytes, eight at a time.
//!
//! With bit 7 of each byte clear, adding `0x80 - low` sets it from `low` on, and adding `0x7f - high` sets it above `high`; no
//! carry leaves its byte.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// Sets bit 7 of the bytes from `low` to `high`, all of which must be below 0x80. Other bits have no meaning.
fn between(bytes: u64, low: u8, high: u8) -> u64 {
    (bytes + ONES * (0x80 - u64::from(low))) & !(bytes + ONES * (0x7f - u64::from(high)))
}

/// Bit 7 of each byte as one bit each, the least significant byte first.
fn gather(bytes: u64) -> u64 {
    ((bytes & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The first eight bytes of `text`, with zeros where it ends.
#[inline(always)]
pub(super) fn load(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            for (byte, from) in word.iter_mut().zip(text) {
                *byte = *from;
            }
            u64::from_le_bytes(word)
        }
    }
}

/// Which bytes of `word` belong to identifiers.
#[inline(always)]
fn identifier_bytes(word: u64) -> u64 {
    let ascii = word & !HIGH;
    let letters = between(ascii | (0x20 * ONES), b'a', b'z');
    gather(word | letters | between(ascii, b'0', b'9') | between(ascii, b'_', b'_'))
}

/// Which bytes of `word` may start a string, a comment or a block in some language; a few others are among them.
#[inline(always)]
fn mark_bytes(word: u64) -> u64 {
    let ascii = word & !HIGH;
    let found = between(ascii, b'"', b')')
        | between(ascii, b'-', b'-')
        | between(ascii, b'/', b'/')
        | between(ascii, b';', b'<')
        | between(ascii, b'`', b'`')
        | between(ascii | (0x20 * ONES), b'{', b'}');
    gather(found & !word)
}

/// The bits of up to 64 bytes.
#[inline(always)]
fn block(block: &[u8], bits: impl Fn(u64) -> u64) -> u64 {
    let (words, rest) = block.as_chunks::<8>();
    let mut mask = 0;
    for (at, word) in words.iter().enumerate().take(8) {
        mask |= bits(u64::from_le_bytes(*word)) << (8 * at);
    }
    if !rest.is_empty() {
        mask |= bits(load(rest)) << (8 * words.len());
    }
    mask
}

/// Which bytes of `text`, up to 64, belong to identifiers.
#[inline(always)]
pub(super) fn block_mask(text: &[u8]) -> u64 {
    block(text, identifier_bytes)
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
                let rest = text.get(base..).unwrap_or(&[]);
                let rest = rest.get(..64).unwrap_or(rest);
                self.bits = block(rest, mark_bytes);
                if self.commas {
                    self.bits |= block(rest, |word| gather(between(word & !HIGH, b',', b',') & !word));
                }
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
