//! How a long text is walked: in blocks, each looked at together with what stands around it.
//!
//! A block ends at a fixed distance, wherever that is; what begins in it is found in a window that reaches further on both
//! sides than any detector looks. So a cut changes nothing, a text that comes in pieces is walked as one that comes whole,
//! and what is held at a time does not grow with the text.

use super::bytes::slice;

/// How much of a text is one block, in bytes.
pub(super) const BLOCK: usize = 512 << 10;
/// How much around a block is looked at too, in bytes.
pub(super) const AROUND: usize = 32 << 10;

/// Where a walk stands.
#[derive(Debug, Default)]
pub(super) struct Walk<'r> {
    /// Where the next block begins.
    pub(super) at: usize,
    /// The rule of a secret that reached to the end of the last window, and goes on.
    pub(super) open: Option<&'r str>,
}

/// A block and the window in which its secrets are found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) end: usize,
    pub(super) window: std::ops::Range<usize>,
    /// Whether the text ends with it.
    pub(super) is_last: bool,
}

/// The block of `text` that begins at `at`; `None` when more of the text must be known first. `is_whole`: nothing more comes.
pub(super) fn block(text: &[u8], at: usize, is_whole: bool) -> Option<Block> {
    let start = boundary(text, at.saturating_sub(AROUND));
    if text.len() < at + BLOCK + AROUND {
        return (is_whole && at < text.len()).then_some(Block {
            end: text.len(),
            window: start..text.len(),
            is_last: true,
        });
    }
    let end = boundary(text, at + BLOCK);
    Some(Block { end, window: start..boundary(text, end + AROUND), is_last: false })
}

/// The beginning of the character at `at`, or of what might be one.
fn boundary(text: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| matches!(slice(text, at..at + 1), [0x80..=0xbf]);
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_block_once_it_is_whole() {
        let text = vec![b'x'; BLOCK + AROUND - 1];
        assert_eq!(block(&text, 0, false), None);
        assert_eq!(block(&text, 0, true), Some(Block { end: text.len(), window: 0..text.len(), is_last: true }));
        assert_eq!(block(&text, text.len(), true), None);
    }

    #[test]
    fn a_block_ends_between_two_characters_and_is_seen_with_what_is_around() {
        let text = "é".repeat(BLOCK);
        let found = block(text.as_bytes(), 1 + AROUND, false).unwrap();
        assert!(text.is_char_boundary(found.end) && text.is_char_boundary(found.window.end), "{found:?}");
        assert_eq!((found.window.start, found.is_last), (0, false));
        assert_eq!(found.window.end, boundary(text.as_bytes(), found.end + AROUND));
    }
}
