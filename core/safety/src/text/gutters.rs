//! Gutters: what programs print before each line, such as line numbers, diff markers, container names and timestamps.

use crate::text::bytes::{is_blank, is_of_token, peek, run_end, slice};

/// The longest gutter, in bytes.
const MAX_BYTES: usize = 80;

/// The length of the gutter at the start of `line`, including the white space after it; 0 if there is none.
pub(crate) fn width(line: &[u8]) -> usize {
    let mut at = 0;
    // A container name may precede a timestamp, which may precede a line number.
    for depth in 0..3 {
        match one(line, at, depth == 0) {
            Some(end) if end <= MAX_BYTES => at = end,
            _ => break,
        }
    }
    at
}

fn one(line: &[u8], from: usize, is_first: bool) -> Option<usize> {
    let start = run_end(line, from, 16, is_blank);
    numbered(line, start)
        .or_else(|| sign(line, start, is_first))
        .or_else(|| container(line, start))
        .or_else(|| time(line, start))
}

/// `12 | `, `12: `, `L12: `, `12→`, `12<tab>`, `12  `
fn numbered(line: &[u8], start: usize) -> Option<usize> {
    let start = run_end(line, start, 1, |byte| byte == b'L');
    let digits = run_end(line, start, 7, |byte| byte.is_ascii_digit());
    if digits == start {
        return None;
    }
    let gap = run_end(line, digits, 4, |byte| byte == b' ');
    match line.get(gap..)? {
        [0xe2, 0x86, 0x92, ..] | [0xe2, 0x94, 0x82, ..] => Some(run_end(line, gap + 3, 1, is_blank)),
        [b'|' | b':' | b')', b' ', ..] | [b'|', ..] => Some(run_end(line, gap + 1, 1, is_blank)),
        [b'\t', ..] => Some(gap + 1),
        _ if gap > digits + 1 => Some(gap),
        _ => None,
    }
}

/// `+`, `-`, `>` and `| ` of diffs, quotations and boxes.
fn sign(line: &[u8], start: usize, is_first: bool) -> Option<usize> {
    match line.get(start..)? {
        [b'+' | b'-' | b'<', b' ' | b'\t', ..] | [b'>' | b'|', ..] => Some(run_end(line, start + 1, 1, is_blank)),
        // The first line of a private key starts with hyphens too.
        [b'+', next, ..] if is_first && *next != b'+' => Some(start + 1),
        [b'-', next, ..] if is_first && *next != b'-' => Some(start + 1),
        [0xe2, 0x94, 0x82, ..] => Some(run_end(line, start + 3, 1, is_blank)),
        _ => None,
    }
}

/// `web_1  | `, `[web] `
fn container(line: &[u8], start: usize) -> Option<usize> {
    let is_of_name = |byte: u8| is_of_token(byte) || byte == b'/';
    if line.get(start) == Some(&b'[') {
        let end = run_end(line, start + 1, 48, |byte| is_of_name(byte) || matches!(byte, b' ' | b':'));
        return (end > start + 1 && peek(line, end, 2) == b"] ").then_some(end + 2);
    }
    let name = run_end(line, start, 48, is_of_name);
    let gap = run_end(line, name, 24, is_blank);
    (name > start && gap > name && line.get(gap) == Some(&b'|')).then(|| run_end(line, gap + 1, 1, is_blank))
}

/// `2026-01-31T12:00:00.000Z stdout F `, `12:00:00 `
fn time(line: &[u8], start: usize) -> Option<usize> {
    let end = run_end(line, start, 40, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z' | b'+' | b',')
    });
    // `2026-01-31 12:00:00,000`
    let is_day = end == start + 10 && line.get(start + 4) == Some(&b'-') && line.get(end) == Some(&b' ');
    let end = if is_day {
        run_end(line, end + 1, 24, |byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b',' | b'Z'))
    } else {
        end
    };
    let stamp = slice(line, start..end);
    let is_time = stamp.len() >= 8
        && stamp.iter().filter(|byte| **byte == b':').count() >= 2
        && line.get(end).is_some_and(|byte| is_blank(*byte));
    if !is_time {
        return None;
    }
    let after = run_end(line, end, 2, is_blank);
    let stream = [&b"stdout F "[..], b"stderr F ", b"stdout P ", b"stderr P "]
        .into_iter()
        .find(|stream| line.get(after..).is_some_and(|rest| rest.starts_with(stream)));
    Some(after + stream.map_or(0, <[u8]>::len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gutters_are_recognized_and_text_is_not() {
        for (line, rest) in [
            ("  12 | abc", "abc"),
            ("12: abc", "abc"),
            ("  12→abc", "abc"),
            ("    12\tabc", "abc"),
            ("+abc", "abc"),
            ("- abc", "abc"),
            ("> abc", "abc"),
            ("web_1  | abc", "abc"),
            ("[web] abc", "abc"),
            ("2026-01-31T12:00:00.5Z stdout F abc", "abc"),
            ("web-1 | 12 | abc", "abc"),
            ("abc def", "abc def"),
            ("-----BEGIN", "-----BEGIN"),
            ("12abc", "12abc"),
            ("", ""),
        ] {
            assert_eq!(&line[width(line.as_bytes())..], rest, "{line}");
        }
    }
}
