//! What one look at each line break says about the lines around it, so that rarer things are searched for only there.

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
        if text.starts_with(b"0000") {
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
            // The first line, or the last.
            self.cuts.push(newline);
            return;
        };
        let last = around.first_chunk().map_or(0, |last| u64::from_le_bytes(*last));
        let next = around.last_chunk().map_or(0, |next| u64::from_le_bytes(*next));
        if may_end_token(last) {
            self.cuts.push(newline);
        }
        self.has_soft_break |= last >> 56 == u64::from(b'=') || last >> 48 == SOFT_BREAK;
        if may_start_dump(next) {
            self.dumps.push(newline + 1);
        }
        if may_start_spaced(next.to_le_bytes()) {
            self.spaced.push(newline + 1);
        }
    }
}

/// Whether a line may end inside a token, judged by its last eight bytes: one is a digit, a capital, `\` or `=`, and none
/// is a blank. A token of which this is not true is rare, and so is a line of prose of which it is.
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
const fn may_start_dump(bytes: u64) -> bool {
    // The first six bytes. A blank is 0x20 and a zero is 0x30.
    let start = bytes & 0xffff_ffff_ffff;
    let is_prefixed = matches!(
        bytes.to_le_bytes(),
        [b'0', b'x', b'0', b'0', ..] | [b'\t', b'0', b'x', b'0', ..] | [b' ', b' ', b' ', b' ', b'0', b'x', ..]
    );
    (start | 0x1010_1010_1010 == 0x3030_3030_3030 && start != 0x2020_2020_2020) || is_prefixed
}

/// Whether a list whose elements have blanks between them may start with these bytes, judged by its first blanks.
const fn may_start_spaced(bytes: [u8; 8]) -> bool {
    match bytes {
        [a, b' ', b, b' ', c, b' ', _, _] => a.is_ascii_graphic() && b.is_ascii_graphic() && c.is_ascii_graphic(),
        [a, b, b' ', c, _, b' ', _, _] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit() && c.is_ascii_hexdigit(),
        [b'0', b'x', _, _, b' ', ..] => true,
        _ => false,
    }
}
