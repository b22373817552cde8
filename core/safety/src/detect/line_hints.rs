//! What one look at each line break says about the lines around it, so that rarer things are searched for only there.

use crate::text::bytes::slice;

/// `=` and a carriage return, as two bytes of a number.
const SOFT_BREAK: u64 = 0x0d3d;

/// The positions of which something may be true.
#[derive(Debug, Default)]
pub(crate) struct LineHints {
    /// Line breaks before which a token may be cut.
    pub(crate) cuts: Vec<usize>,
    /// Lines that may be the first of a hexdump.
    pub(crate) dumps: Vec<usize>,
    /// Starts of lines that may be a list of bytes or characters with blanks between them.
    pub(crate) spaced: Vec<usize>,
    /// Whether a line ends in `=`, as in quoted-printable.
    pub(crate) has_soft_break: bool,
}

impl LineHints {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut hints = LineHints::default();
        hints.start(text);
        memchr::memchr_iter(b'\n', text).for_each(|newline| hints.line_break(text, newline));
        hints
    }

    /// Looks at the first line of `text`.
    pub(crate) fn start(&mut self, text: &[u8]) {
        if text.starts_with(b"0000") || text.first_chunk().is_some_and(|start| may_start_dump(*start)) {
            self.dumps.push(0);
        }
        if text.first_chunk().is_some_and(|start| may_start_spaced(*start)) {
            self.spaced.push(0);
        }
    }

    /// Looks at the line break at `newline`, for each line of a text: this takes a few instructions.
    #[inline]
    pub(crate) fn line_break(&mut self, text: &[u8], newline: usize) {
        let around: Option<&[u8; 17]> =
            newline.checked_sub(8).and_then(|from| text.get(from..)).and_then(|rest| rest.first_chunk());
        let Some(around) = around else {
            self.line_break_at_edge(text, newline);
            return;
        };
        if may_end_token(last_eight(around)) {
            self.cuts.push(newline);
        }
        self.add(around, newline);
    }

    /// As [`line_break`](Self::line_break), with fewer bytes before or after the line break than that looks at.
    /// `newline` may be the end of the text.
    #[cold]
    fn line_break_at_edge(&mut self, text: &[u8], newline: usize) {
        // Rarely the end of a token, but there are only a few of these.
        self.cuts.push(newline);
        let from = newline.saturating_sub(8);
        let present = slice(text, from..text.len().min(newline + 9));
        let mut around = [0; 17];
        around.iter_mut().skip(8 + from - newline).zip(present).for_each(|(to, from)| *to = *from);
        if newline < text.len() {
            self.add(&around, newline);
        }
    }

    /// Adds what the eight bytes before a line break and the eight after it say.
    #[inline]
    fn add(&mut self, around: &[u8; 17], newline: usize) {
        let last = last_eight(around);
        self.has_soft_break |= last >> 56 == u64::from(b'=') || last >> 48 == SOFT_BREAK;
        let next = *around.last_chunk().unwrap_or(&[0; 8]);
        // Most lines start with a word.
        if matches!(next, [b'1'..=0xff, b'!'..=0xff, b'!'..=0xff, ..]) {
            return;
        }
        if may_start_dump(next) {
            self.dumps.push(newline + 1);
        }
        if may_start_spaced(next) {
            self.spaced.push(newline + 1);
        }
    }
}

/// The bytes before the line break in the middle of `around`.
fn last_eight(around: &[u8; 17]) -> u64 {
    around.first_chunk().map_or(0, |last| u64::from_le_bytes(*last))
}

/// Whether the line break at `newline` may be inside a token: whether [`LineHints::cuts`] has it in a longer text.
pub(crate) fn may_cut_token(text: &[u8], newline: usize) -> bool {
    let last = newline.checked_sub(8).and_then(|from| slice(text, from..newline).first_chunk());
    last.is_none_or(|last| may_end_token(u64::from_le_bytes(*last)))
}

/// Whether a line may end inside a token, judged by its last eight bytes: one is a digit, a capital, `\` or `=`, and
/// none is a blank. A token of which this is not true is rare, and so is a line of prose of which it is.
const fn may_end_token(bytes: u64) -> bool {
    // Capitals and `\` are 010x_xxxx, digits and `=` are 0011_xxxx.
    let capitals = bytes & !(bytes << 1);
    let digits = !bytes & (bytes << 1) & (bytes << 2);
    (capitals | digits) & 0x4040_4040_4040_4040 != 0 && !has_blank(bytes)
}

/// Whether one of eight bytes is a blank.
const fn has_blank(bytes: u64) -> bool {
    let differs = bytes ^ 0x2020_2020_2020_2020;
    differs.wrapping_sub(0x0101_0101_0101_0101) & !differs & 0x8080_8080_8080_8080 != 0
}

/// Whether a line starts with blanks and zeros, at least one, as the offsets of a hexdump do, or with `0x` after them.
const fn may_start_dump(bytes: [u8; 8]) -> bool {
    // The first six bytes. A blank is 0x20 and a zero is 0x30.
    let start = u64::from_le_bytes(bytes) & 0xffff_ffff_ffff;
    let is_prefixed = matches!(
        bytes,
        [b'0', b'x', b'0', b'0', ..] | [b'\t', b'0', b'x', b'0', ..] | [b' ', b' ', b' ', b' ', b'0', b'x', ..]
    );
    (start | 0x1010_1010_1010 == 0x3030_3030_3030 && start != 0x2020_2020_2020) || is_prefixed
}

/// Whether a list whose elements have blanks between them may start with these bytes, judged by its first blanks.
pub(crate) const fn may_start_spaced(bytes: [u8; 8]) -> bool {
    match bytes {
        [a, b' ', b, b' ', c, b' ', _, _] => a.is_ascii_graphic() && b.is_ascii_graphic() && c.is_ascii_graphic(),
        [a, b, b' ', c, _, b' ', _, _] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit() && c.is_ascii_hexdigit(),
        [b'0', b'x', _, _, b' ', ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_near_an_edge_of_the_text_says_the_same_as_any_other() {
        let long = "another line\n";
        for line in
            ["k=\n", "k=\r\n", "12345678=\n", "123456=\r\n", "x\n0000: 41\n", "\n00000000  41\n", "plain\n", "a=b\n"]
        {
            let alone = LineHints::of(line.as_bytes());
            let (before, after) = (format!("{long}{line}"), format!("{line}{long}"));
            let within = LineHints::of(format!("{long}{line}{long}").as_bytes());
            let dumps = |hints: &LineHints, shift: usize| hints.dumps.iter().map(|at| at - shift).collect::<Vec<_>>();
            for (text, shift) in [(line, 0), (&before, long.len()), (&after, 0)] {
                let hints = LineHints::of(text.as_bytes());
                assert_eq!(hints.has_soft_break, within.has_soft_break, "{text:?}");
                assert_eq!(dumps(&hints, shift), dumps(&within, long.len()), "{text:?}");
            }
            assert_eq!(alone.has_soft_break, line.contains("=\n") || line.contains("=\r"), "{line:?}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_no_soft_line_break() {
        let mut hints = LineHints::default();
        for text in ["a=", "a longer line that ends in ="] {
            hints.line_break(text.as_bytes(), text.len());
        }
        assert!(!hints.has_soft_break);
    }
}
