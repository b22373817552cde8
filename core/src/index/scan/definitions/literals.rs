//! Where literals on one line end.

/// The end of a string on one line; the end of the line if it is not closed.
pub(super) fn string_end(line: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    line.len()
}

/// The end of the character at `at`, or the byte after the quote of a lifetime.
pub(super) fn char_end(line: &[u8], at: usize) -> usize {
    let rest = line.get(at + 1..).unwrap_or(&[]);
    match rest.first() {
        Some(b'\\') => {
            // The longest is '\u{10FFFF}'.
            let window = rest.get(2..rest.len().min(14)).unwrap_or(&[]);
            memchr::memchr(b'\'', window).map_or(at + 1, |end| at + end + 4)
        }
        Some(first) => {
            let length = match first {
                0..0xc0 => 1,
                0xc0..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            if rest.get(length) == Some(&b'\'') { at + length + 2 } else { at + 1 }
        }
        None => at + 1,
    }
}

/// The end of the regular expression whose body starts at `from`.
pub(super) fn regex_end(line: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut class = false;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    line.len()
}
