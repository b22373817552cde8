//! Texts inside a text that tools write in other forms: hexadecimal digits, hexdumps and quoted-printable. They are
//! decoded and searched; what is no text, such as a digest, is recognized by its first bytes.

use std::ops::Range;

use memchr::memmem::{self, Finder};
use once_cell::race::OnceBox;

use crate::detect::normalize::NormalizedText;
use crate::lazy::lazily;
use crate::text::bytes::{is_blank, peek, run_end, run_start, slice};

/// The shortest text in hexadecimal digits that is decoded, in digits.
const MIN_DIGITS: usize = 24;
/// The longest, in bytes.
const MAX_DECODED: usize = 64 << 10;
/// The number of bytes in a line of a hexdump.
const MAX_ROW: usize = 32;
/// The longest word in the header of a mail, in bytes.
const MAX_HEADER_WORD: usize = 512;
/// The most lines of one encoded text.
const MAX_LINES: usize = 4096;

/// The text that the hexadecimal digits at the start of `run` stand for, and where they end. They may continue in the
/// next lines, as `xxd -p` writes them.
pub(crate) fn hex(text: &[u8], run: Range<usize>) -> Option<(Vec<u8>, usize)> {
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    let mut end = run_end(text, run.start, run.len(), is_digit);
    let first = end - run.start;
    if first < MIN_DIGITS || first % 2 == 1 || end != run.end {
        return None;
    }
    let mut bytes = decoded(slice(text, run.start..end))?;
    // The lines after the first were decoded with it.
    let indent = run_start(text, run.start, 32, is_blank);
    let continues = matches!(text.get(..indent), Some([.., digit, b'\n']) if is_digit(*digit));
    while !continues && text.get(end) == Some(&b'\n') && bytes.len() < MAX_DECODED {
        let start = run_end(text, end + 1, 32, is_blank);
        let next = run_end(text, start, first + 1, is_digit);
        let more = decoded(slice(text, start..next)).filter(|more| !more.is_empty() && next - start <= first);
        let Some(more) = more.filter(|_| text.get(next).is_none_or(u8::is_ascii_whitespace)) else { break };
        bytes.extend_from_slice(&more);
        end = next;
    }
    Some((bytes, end))
}

/// The printable text that `digits` stand for.
fn decoded(digits: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        (byte == b'\n' || byte == b'\r' || byte == b'\t' || (b' '..0x7f).contains(&byte)).then_some(byte)
    };
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// The hexdumps in `text` that start at one of `starts`: their bytes, at the places of the digits.
pub(crate) fn hexdumps(text: &[u8], starts: &[usize]) -> Vec<NormalizedText> {
    let mut dumps = Vec::new();
    let mut done = 0;
    for start in starts.iter().copied() {
        if start < done {
            continue;
        }
        let (mut dump, mut at, mut rows) = (NormalizedText::default(), start, 0);
        while let Some(row) = row(text, at).filter(|_| rows < MAX_LINES) {
            rows += 1;
            for (index, (byte, place)) in row.bytes.iter().enumerate() {
                // The text beside the digits is part of what they stand for.
                let shown = row.shown + index + 1;
                let end = if index + 1 == row.bytes.len() { row.end } else { shown.min(row.end) };
                dump.push_replacement(&[*byte], *place..end.max(place + 2));
            }
            at = row.next;
        }
        done = at;
        if rows > 0 {
            dumps.push(dump);
        }
    }
    dumps
}

/// A line of a hexdump.
struct Row {
    /// The bytes, and where their digits are.
    bytes: Vec<(u8, usize)>,
    /// Where the bytes are shown as text, if they are.
    shown: usize,
    /// The end of the line, without the line break and what closes the text.
    end: usize,
    next: usize,
}

/// The line at `at`: an offset, bytes or pairs of bytes, and perhaps the bytes as text.
fn row(text: &[u8], at: usize) -> Option<Row> {
    let at = run_end(text, at, 16, is_blank);
    let at = at + 2 * usize::from(peek(text, at, 2) == b"0x");
    let line_end = run_end(text, at, 256, |byte| byte != b'\n' && byte != b'\r');
    let offset = run_end(text, at, 17, |byte| byte.is_ascii_hexdigit());
    let mut digits = offset + usize::from(text.get(offset) == Some(&b':'));
    if !(4..=16).contains(&(offset - at)) || text.get(digits) != Some(&b' ') {
        return None;
    }
    let mut bytes = Vec::new();
    loop {
        let gap = run_end(text, digits, 3, |byte| byte == b' ');
        let end = run_end(text, gap, 9, |byte| byte.is_ascii_hexdigit());
        let is_group = matches!(end - gap, 2 | 4 | 8)
            && (gap - digits <= 2 || bytes.is_empty())
            && gap > digits
            && text.get(end).is_none_or(u8::is_ascii_whitespace)
            && bytes.len() < MAX_ROW;
        if !is_group {
            break;
        }
        for place in (gap..end).step_by(2) {
            let pair = std::str::from_utf8(peek(text, place, 2)).ok()?;
            bytes.push((u8::from_str_radix(pair, 16).ok()?, place));
        }
        digits = end;
    }
    if bytes.is_empty() {
        digits = characters(text, digits, &mut bytes);
    }
    let shown = run_end(text, digits, 128, |byte| byte == b' ');
    let is_marked = matches!(text.get(shown), Some(b'|' | b'>'));
    let shown = shown + usize::from(is_marked);
    let next = line_end
        + slice(text, line_end..text.len().min(line_end + 2))
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
    let end = (shown + bytes.len()).min(line_end);
    (!bytes.is_empty()).then_some(Row { bytes, shown, end: end.max(digits), next })
}

/// The words of a mail's header in `text` that are in quoted-printable, as in `=?utf-8?Q?key=5Fname?=`.
pub(crate) fn header_words(text: &[u8]) -> Vec<NormalizedText> {
    static WORD: OnceBox<Finder<'static>> = OnceBox::new();
    let starts = lazily(&WORD, || Finder::new(b"=?")).find_iter(text);
    starts.filter_map(|start| header_word(text, start)).take(MAX_LINES).collect()
}

fn header_word(text: &[u8], start: usize) -> Option<NormalizedText> {
    let charset = run_end(text, start + 2, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let [b'?', b'Q' | b'q', b'?'] = peek(text, charset, 3) else { return None };
    let from = charset + 3;
    let end = run_end(text, from, MAX_HEADER_WORD, |byte| byte != b'?' && !byte.is_ascii_whitespace());
    let (mut plain, mut at) = (NormalizedText::default(), from);
    while at < end {
        let (byte, next) = match text.get(at)? {
            b'=' => (hex_byte(text.get(at + 1..at + 3)?)?, at + 3),
            b'_' => (b' ', at + 1),
            byte => (*byte, at + 1),
        };
        plain.push_replacement(&[byte], at..next);
        at = next;
    }
    Some(plain)
}

/// Reads the characters of a line that `od -c` writes, which are four columns wide; returns where they end.
fn characters(text: &[u8], from: usize, bytes: &mut Vec<(u8, usize)>) -> usize {
    let mut at = from;
    while let Some(cell) = text.get(at..at + 4).filter(|_| bytes.len() < MAX_ROW) {
        let byte = match cell {
            [b' ', b' ', b' ', byte] if byte.is_ascii_graphic() || *byte == b' ' => *byte,
            [b' ', b' ', b'\\', b'n'] => b'\n',
            [b' ', b' ', b'\\', b'r'] => b'\r',
            [b' ', b' ', b'\\', b't'] => b'\t',
            // Other bytes, in octal digits.
            [b' ', b'0'..=b'3', b'0'..=b'7', b'0'..=b'7'] | [b' ', b' ', b'\\', _] => 0,
            _ => break,
        };
        bytes.push((byte, at + 2));
        at += 4;
    }
    at
}

/// The byte that two digits of quoted-printable stand for.
fn hex_byte(digits: &[u8]) -> Option<u8> {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| digits.iter().all(is_digit))?, 16).ok()
}

/// `text` without quoted-printable, if it looks like that: soft line breaks, or bytes such as `=3D`.
pub(crate) fn quoted_printable(text: &[u8]) -> Option<NormalizedText> {
    let escape = |at: usize| hex_byte(text.get(at + 1..at + 3)?);
    let is_declared = memmem::find(text, b"uoted-printable").is_some() || memmem::find(text, b"=3D").is_some();
    if !is_declared {
        return None;
    }
    let (mut plain, mut copied) = (NormalizedText::default(), 0);
    for at in memchr::memchr_iter(b'=', text).filter(|at| *at < text.len()) {
        if at < copied {
            continue;
        }
        let (length, byte) = match slice(text, at + 1..text.len().min(at + 3)) {
            [b'\n', ..] => (2, None),
            [b'\r', b'\n'] => (3, None),
            _ => match escape(at) {
                Some(byte) => (3, Some(byte)),
                None => continue,
            },
        };
        plain.copy(text, copied..at);
        if let Some(byte) = byte {
            plain.push_replacement(&[byte], at..at + 3);
        }
        copied = at + length;
    }
    plain.copy(text, copied..text.len());
    (copied > 0).then_some(plain)
}
