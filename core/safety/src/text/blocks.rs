//! How a long text is walked: in blocks, each looked at together with what stands around it.
//!
//! A block ends at a fixed distance, wherever that is; what begins in it is found in a window that reaches further on both
//! sides than any detector looks. So a cut changes nothing, a text that comes in pieces is walked as one that comes whole,
//! and what is held at a time does not grow with the text.

use std::ops::Range;

use crate::text::bytes::slice;
use crate::text::invisible;

/// How much of a text is one block, in bytes.
pub(crate) const BLOCK: usize = 512 << 10;
/// How much around a block is looked at too, in bytes. Those of invisible characters do not count.
pub(crate) const AROUND: usize = 32 << 10;
/// How much around a block is looked at at most, however much of it is invisible.
const MOST_AROUND: usize = 1 << 20;

/// Where a walk stands.
#[derive(Debug, Default)]
pub(crate) struct Walk<'r> {
    /// Where the next block begins.
    pub(crate) at: usize,
    /// The rule of a secret that reached to the end of the last window, and goes on.
    pub(crate) open: Option<&'r str>,
    /// How much of the text must be known before the next block ends, as far as that is known.
    pub(crate) needed: usize,
}

/// A block and the window in which its secrets are found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) end: usize,
    pub(crate) window: Range<usize>,
    /// Whether the text ends with it.
    pub(crate) is_last: bool,
}

/// The block of `text` that begins at `at`. `is_whole`: nothing more comes.
///
/// # Errors
/// How much of the text must be known before it is worth asking again.
pub(crate) fn block(text: &[u8], at: usize, is_whole: bool) -> Result<Block, usize> {
    let start = window_start(text, at);
    match window_end(text, at + BLOCK) {
        Ok(window_end) => {
            Ok(Block { end: boundary(text, at + BLOCK), window: start..boundary(text, window_end), is_last: false })
        }
        Err(_) if is_whole && at < text.len() => {
            Ok(Block { end: text.len(), window: start..text.len(), is_last: true })
        }
        Err(needed) => Err(needed),
    }
}

/// Where the window of a block that begins at `at` begins.
pub(crate) fn window_start(text: &[u8], at: usize) -> usize {
    let (mut start, mut invisible) = (at, 0);
    loop {
        let wanted = at.saturating_sub((AROUND + invisible).min(MOST_AROUND));
        if wanted >= start {
            return boundary(text, start);
        }
        invisible += invisible::count(slice(text, wanted..start));
        start = wanted;
    }
}

/// Where the window of a block ends that ends at `at`. What is known so far of a text decides as the whole of it does.
///
/// # Errors
/// When the text ends before: as [`block`].
fn window_end(text: &[u8], at: usize) -> Result<usize, usize> {
    let (mut end, mut invisible) = (at, 0);
    loop {
        let wanted = at + (AROUND + invisible).min(MOST_AROUND);
        // The byte behind it is known too: it shows whether a character ends there.
        if wanted >= text.len() {
            return Err(wanted + 1);
        }
        if wanted <= end {
            return Ok(end);
        }
        invisible += invisible::count(slice(text, end..wanted));
        end = wanted;
    }
}

/// Behind the beginning of `text` that ends within the first `least` bytes, not counting those of invisible characters.
pub(crate) fn visible_end(text: &[u8], least: usize) -> usize {
    let (mut end, mut invisible) = (0, 0);
    loop {
        let wanted = text.len().min((least + invisible).min(MOST_AROUND));
        if wanted <= end {
            return end;
        }
        invisible += invisible::count(slice(text, end..wanted));
        end = wanted;
    }
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
        assert_eq!(block(&text, 0, false), Err(text.len() + 2));
        assert_eq!(block(&text, 0, true), Ok(Block { end: text.len(), window: 0..text.len(), is_last: true }));
        assert!(block(&text, text.len(), true).is_err());
    }

    #[test]
    fn invisible_characters_do_not_count_for_what_is_around_a_block_up_to_a_limit() {
        for (count, around) in [(1000, AROUND + 3000), (1 << 20, MOST_AROUND)] {
            let text = [vec![b'x'; BLOCK], "\u{200b}".repeat(count).into(), vec![b'x'; BLOCK]].concat();
            let found = block(&text, 0, true).unwrap();
            assert!(found.window.end.abs_diff(found.end + around) < 4, "{found:?}");
            // However little more is known at a time, it is asked a few times for the block.
            let mut known = 0;
            let mut asked = 0;
            while let Err(needed) = block(&text[..known], 0, false) {
                (known, asked) = (needed, asked + 1);
            }
            assert!(asked < 50, "{asked}");
            assert_eq!(block(&text[..known], 0, false), Ok(found));
            let at = BLOCK + 3 * count;
            assert!(window_start(&text, at).abs_diff(at.saturating_sub(around)) < 4);
        }
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
