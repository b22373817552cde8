//! Where a long text is cut into blocks that are looked at one by one.
//!
//! A cut depends on nothing but the bytes before it and the two behind it, so a text that comes in pieces is cut as one
//! that comes whole, and both are redacted alike. It falls on a blank line where there is one, never within a private key
//! or where a line may have been wrapped; and a block has an end, however long a line is.

use memchr::{memchr, memmem, memrchr};

use super::bytes::is_of_token;

/// A block is not cut before it has this many bytes.
const LEAST: usize = 64 << 10;
/// From here on the end of any line that goes on in no other will do.
const ENOUGH: usize = 256 << 10;
/// Where a block is cut, whatever stands there.
const MOST: usize = 1 << 20;
/// How far back from [`MOST`] a better place is looked for.
const BACK: usize = 64 << 10;
/// A private key is no longer than this.
const LONGEST_KEY: usize = 16 << 10;
/// The widths at which programs wrap lines.
const WRAPPED: std::ops::RangeInclusive<usize> = 40..=240;

/// The end of a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) end: usize,
    /// Whether a run without a blank goes on behind it: a secret at the end of the block then does too.
    pub(super) in_run: bool,
}

/// The end of the first block of `text`; `None` when more of the text must be known, or all of it is one block. `looked` is
/// how far earlier calls with less of the text have come; 0 at first.
pub(super) fn cut(text: &[u8], looked: &mut usize) -> Option<Cut> {
    let mut at = (*looked).max(LEAST);
    let reach = text.get(..MOST).unwrap_or(text);
    while let Some(step) = reach.get(at..).and_then(|rest| memchr(b'\n', rest)) {
        let newline = at + step;
        let Some(&[first, second]) = text.get(newline + 1..newline + 3) else {
            *looked = newline;
            return None;
        };
        let is_blank = first == b'\n' || (first == b'\r' && second == b'\n');
        let is_quiet = is_blank || (newline >= ENOUGH && first > b' ' && !may_go_on(reach, newline));
        if is_quiet && !in_private_key(reach, newline) {
            return Some(Cut { end: newline + 1, in_run: false });
        }
        at = newline + 1;
    }
    *looked = reach.len().max(at);
    // A character has at most four bytes.
    (text.len() >= MOST + 4).then(|| cut_anyway(text))
}

fn cut_anyway(text: &[u8]) -> Cut {
    let tail = text.get(MOST - BACK..MOST).unwrap_or_default();
    let blank = memrchr(b'\n', tail).or_else(|| tail.iter().rposition(u8::is_ascii_whitespace));
    if let Some(blank) = blank {
        return Cut { end: MOST - BACK + blank + 1, in_run: false };
    }
    let is_inside = |at: &usize| text.get(*at).is_some_and(|byte| matches!(byte, 0x80..=0xbf));
    let mut end = MOST;
    while end > MOST - 4 && is_inside(&end) {
        end -= 1;
    }
    Cut { end, in_run: true }
}

/// Whether the line that ends at `newline` may have been wrapped there.
fn may_go_on(text: &[u8], newline: usize) -> bool {
    let before = text.get(..newline).unwrap_or_default();
    let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
    let line = before.get(start..).unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    WRAPPED.contains(&line.len()) && line.last().is_some_and(|byte| is_of_token(*byte))
}

fn in_private_key(text: &[u8], newline: usize) -> bool {
    let recent = text.get(newline.saturating_sub(LONGEST_KEY)..newline).unwrap_or_default();
    memmem::rfind(recent, b"-----BEGIN ")
        .and_then(|begin| recent.get(begin..))
        .is_some_and(|opened| memmem::find(opened, b"-----END ").is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_whole(text: &[u8]) -> Option<Cut> {
        cut(text, &mut 0)
    }

    #[test]
    fn a_blank_line_ends_a_block_and_one_within_a_private_key_does_not() {
        let head = "x\n".repeat(LEAST / 2);
        let text = format!("{head}a\n\nb\n\nc");
        assert_eq!(of_whole(text.as_bytes()), Some(Cut { end: LEAST + 2, in_run: false }));
        let text = format!("{head}-----BEGIN X-----\n\nb\n-----END X-----\n\nc");
        assert_eq!(of_whole(text.as_bytes()), Some(Cut { end: text.len() - 2, in_run: false }));
    }

    #[test]
    fn a_line_that_never_ends_is_cut_between_two_characters() {
        let text = "é".repeat(MOST);
        let Some(Cut { end, in_run: true }) = of_whole(&text.as_bytes()[1..]) else { panic!("no cut") };
        assert!(text.is_char_boundary(end + 1) && end <= MOST);
        let text = format!("{} {}", "x".repeat(MOST - 9), "y".repeat(MOST));
        assert_eq!(of_whole(text.as_bytes()), Some(Cut { end: MOST - 8, in_run: false }));
    }

    #[test]
    fn a_cut_is_the_same_however_much_of_the_text_is_known() {
        let texts = [
            "some words\nand more\n\n".repeat(5000),
            "a line of a log that has no blank line behind it 1234567\n".repeat(20_000),
            "x".repeat(MOST + 9),
        ];
        for text in texts {
            let whole = of_whole(text.as_bytes()).expect("text is longer than a block");
            let mut looked = 0;
            let first = (0..text.len()).step_by(1009).find_map(|known| cut(&text.as_bytes()[..known], &mut looked));
            assert_eq!(first.unwrap_or_else(|| cut(text.as_bytes(), &mut looked).unwrap()), whole);
        }
    }
}
