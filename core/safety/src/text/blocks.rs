//! Splits a long text into blocks, each searched together with its surroundings.
//!
//! A block ends at a fixed distance. Secrets that start in it are found in a window that extends further on both sides
//! than any detector looks. So a block boundary changes nothing, a text in chunks is processed like a whole one, and
//! memory use does not grow with the text.

use std::ops::Range;

use crate::text::bytes::{peek, slice};
use crate::text::invisible;

/// The size of a block, in bytes.
pub(crate) const BLOCK: usize = 512 << 10;
/// How far the window extends around a block, in bytes, not counting invisible characters.
pub(crate) const CONTEXT: usize = 32 << 10;
/// The maximum extent of the window around a block, however many invisible characters it contains.
const MAX_CONTEXT: usize = 1 << 20;

/// The state of a pass over a text.
#[derive(Debug, Default)]
pub(crate) struct Walk<'r> {
    /// Where the next block starts.
    pub(crate) at: usize,
    /// The rule of a secret that reached the end of the last window and continues.
    pub(crate) open: Option<&'r str>,
    /// How much of the text is needed before the next block can be processed, as far as known.
    pub(crate) needed: usize,
}

/// A block, and the window in which its secrets are found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) end: usize,
    pub(crate) window: Range<usize>,
    /// Whether it is the end of the text.
    pub(crate) is_last: bool,
}

/// The block of `text` that starts at `at`. `is_whole`: nothing more follows.
///
/// # Errors
/// How much of the text is needed before it is worth trying again.
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

/// The start of the window of a block that starts at `at`.
pub(crate) fn window_start(text: &[u8], at: usize) -> usize {
    let (mut start, mut invisible) = (at, 0);
    loop {
        let wanted = at.saturating_sub((CONTEXT + invisible).min(MAX_CONTEXT));
        if wanted >= start {
            return boundary(text, start);
        }
        invisible += invisible::count(slice(text, wanted..start));
        start = wanted;
    }
}

/// The end of the window of a block that ends at `at`. The result does not depend on how much of the text is known
/// beyond it.
///
/// # Errors
/// If the text ends before that: as [`block`].
fn window_end(text: &[u8], at: usize) -> Result<usize, usize> {
    let (mut end, mut invisible) = (at, 0);
    loop {
        let wanted = at + (CONTEXT + invisible).min(MAX_CONTEXT);
        // One byte more is needed, to see whether a character ends there.
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

/// The end of a prefix of `text` with `least` bytes, not counting those of invisible characters.
pub(crate) fn visible_end(text: &[u8], least: usize) -> usize {
    let (mut end, mut invisible) = (0, 0);
    loop {
        let wanted = text.len().min((least + invisible).min(MAX_CONTEXT));
        if wanted <= end {
            return end;
        }
        invisible += invisible::count(slice(text, end..wanted));
        end = wanted;
    }
}

/// The start of the character at `at`, or of what might be one.
fn boundary(text: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| matches!(peek(text, at, 1), [0x80..=0xbf]);
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(*at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_block_once_it_is_complete() {
        let text = vec![b'x'; BLOCK + CONTEXT - 1];
        assert_eq!(block(&text, 0, false), Err(text.len() + 2));
        assert_eq!(block(&text, 0, true), Ok(Block { end: text.len(), window: 0..text.len(), is_last: true }));
        assert!(block(&text, text.len(), true).is_err());
    }

    #[test]
    fn invisible_characters_extend_the_window_up_to_a_limit() {
        for (count, around) in [(1000, CONTEXT + 3000), (1 << 20, MAX_CONTEXT)] {
            let text = [vec![b'x'; BLOCK], "\u{200b}".repeat(count).into(), vec![b'x'; BLOCK]].concat();
            let found = block(&text, 0, true).unwrap();
            assert!(found.window.end.abs_diff(found.end + around) < 4, "{found:?}");
            // However slowly more becomes known, a block takes only a few attempts.
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
    fn a_block_ends_at_a_character_boundary_and_has_a_window_around_it() {
        let text = "é".repeat(BLOCK);
        let found = block(text.as_bytes(), 1 + CONTEXT, false).unwrap();
        assert!(text.is_char_boundary(found.end) && text.is_char_boundary(found.window.end), "{found:?}");
        assert_eq!((found.window.start, found.is_last), (0, false));
        assert_eq!(found.window.end, boundary(text.as_bytes(), found.end + CONTEXT));
    }
}
