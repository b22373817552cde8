//! What a text says without the noise that logs put into it: colours, zero-width characters, escapes of JSON and Markdown,
//! line breaks of a terminal with the gutters behind them. Each view knows where its bytes stand in the text.

use std::ops::Range;

use memchr::{memchr, memchr3};

use super::bytes::{run_end, slice};
use super::wraps::{Joint, joints};

/// Part of a text without noise.
#[derive(Debug, Default)]
pub(super) struct View {
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

/// Bytes of the view, and those of the text that they stand for. Lengths are equal but for an escape.
#[derive(Debug, Clone, Copy)]
struct Piece {
    at: usize,
    length: usize,
    origin: usize,
    origin_length: usize,
}

impl View {
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// What `place` of the view stands for in the text.
    pub(super) fn origin(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let last = place.end.checked_sub(1).filter(|last| *last >= place.start)?;
        let piece = |at: usize| self.pieces.get(self.pieces.partition_point(|piece| piece.at <= at).checked_sub(1)?);
        let (from, to) = (piece(place.start)?, piece(last)?);
        let start = if from.length == from.origin_length { from.origin + place.start - from.at } else { from.origin };
        let end =
            if to.length == to.origin_length { to.origin + last - to.at + 1 } else { to.origin + to.origin_length };
        Some(start..end)
    }

    fn copy(&mut self, text: &[u8], range: Range<usize>) {
        let bytes = slice(text, range.clone());
        if bytes.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.length == last.origin_length && last.origin + last.length == range.start => {
                last.length += bytes.len();
                last.origin_length += bytes.len();
            }
            _ => self.pieces.push(Piece {
                at: self.text.len(),
                length: bytes.len(),
                origin: range.start,
                origin_length: bytes.len(),
            }),
        }
        self.text.extend_from_slice(bytes);
    }

    /// Leaves out what stands at `end` of the text or behind it.
    fn cut(&mut self, end: usize) {
        while let Some(last) = self.pieces.last_mut().filter(|last| last.origin + last.origin_length > end) {
            if last.origin < end && last.length == last.origin_length {
                last.length = end - last.origin;
                last.origin_length = last.length;
            } else {
                self.pieces.pop();
            }
            self.text.truncate(self.pieces.last().map_or(0, |last| last.at + last.length));
        }
    }

    fn put(&mut self, bytes: &[u8], range: Range<usize>) {
        self.pieces.push(Piece {
            at: self.text.len(),
            length: bytes.len(),
            origin: range.start,
            origin_length: range.len(),
        });
        self.text.extend_from_slice(bytes);
    }
}

/// The views of those lines of `text` that hold noise; lines that follow each other are one view.
pub(super) fn of(text: &[u8]) -> Vec<View> {
    let noisy = noisy_lines(text);
    let mut views: Vec<View> = Vec::new();
    let mut end = None;
    for Line { place, joint, is_noisy } in noisy {
        if end != Some(place.start) {
            views.push(View::default());
        }
        end = Some(place.end);
        let Some(view) = views.last_mut() else { continue };
        let from = match joint {
            Some(Joint { tail, head, .. }) => {
                view.cut(tail);
                head
            }
            None => place.start,
        };
        match is_noisy {
            true => strip(text, from..place.end, view),
            false => view.copy(text, from..place.end),
        }
    }
    views
}

/// A line with its line break.
struct Line {
    place: Range<usize>,
    /// How it goes on from the line before, if it does.
    joint: Option<Joint>,
    is_noisy: bool,
}

fn noisy_lines(text: &[u8]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut joints = joints(text).into_iter().peekable();
    let mut noises = noises(text).into_iter().peekable();
    loop {
        let at = match (noises.peek(), joints.peek()) {
            (None, None) => return lines,
            (Some(noise), None) => *noise,
            (None, Some(joint)) => joint.newline,
            (Some(noise), Some(joint)) => joint.newline.min(*noise),
        };
        let place = whole_line(text, at);
        let mut is_noisy = false;
        while noises.next_if(|next| *next < place.end).is_some() {
            is_noisy = true;
        }
        match lines.last_mut() {
            Some(last) if last.place == place => last.is_noisy |= is_noisy,
            _ => lines.push(Line { place: place.clone(), joint: None, is_noisy }),
        }
        if let Some(joint) = joints.next_if(|joint| joint.newline < place.end) {
            lines.push(Line { place: whole_line(text, place.end), joint: Some(joint), is_noisy: false });
        }
    }
}

fn whole_line(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', slice(text, 0..at)).map_or(0, |newline| newline + 1);
    let end = memchr(b'\n', text.get(at..).unwrap_or_default()).map_or(text.len(), |newline| at + newline + 1);
    start..end
}

/// Where noise stands, the first of each line at least.
fn noises(text: &[u8]) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    let mut at = 0;
    // One of a line is enough.
    while let Some(step) = text.get(at..).and_then(|rest| memchr3(b'\\', 0x1b, b'%', rest)) {
        let place = at + step;
        if text.get(place) == Some(&b'%') && percent(text, place).is_none() {
            at = place + 1;
            continue;
        }
        places.push(place);
        at = memchr(b'\n', text.get(place..).unwrap_or_default()).map_or(text.len(), |newline| place + newline + 1);
    }
    places.extend(memchr::memchr_iter(b'&', text).filter(|place| entity(text, *place).is_some()));
    places.sort_unstable();
    if !text.is_ascii() {
        places.extend(memchr::memchr3_iter(0xe2, 0xef, 0xc2, text).filter(|place| invisible(text, *place) > 0));
        places.sort_unstable();
    }
    places
}

/// The length of the character at `at` if it has no width.
fn invisible(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0..=0xa4, ..]
        | [0xef, 0xbb, 0xbf, ..]
        | [0xef, 0xb8, 0x80..=0x8f, ..] => 3,
        [0xc2, 0xad, ..] => 2,
        _ => 0,
    }
}

/// Writes the line of `text` in `range` to `view` without its noise.
fn strip(text: &[u8], range: Range<usize>, view: &mut View) {
    let line = slice(text, 0..range.end);
    let mut copied = range.start;
    let mut at = range.start;
    while let Some(&byte) = line.get(at) {
        if byte == b'\\'
            && let Some((length, letter)) = wide_escape(line, at)
        {
            view.copy(text, copied..at);
            view.put(letter.encode_utf8(&mut [0; 4]).as_bytes(), at..at + length);
            at += length;
            copied = at;
            continue;
        }
        let (length, stands_for) = match byte {
            0x1b => (control(line, at), None),
            b'\\' => escape(line, at),
            b'%' => percent(line, at).map_or((0, None), |byte| (3, Some(byte))),
            b'&' => entity(line, at).map_or((0, None), |(length, byte)| (length, Some(byte))),
            0xc2.. => (invisible(line, at), None),
            _ => (0, None),
        };
        if length == 0 {
            at += if byte == b'\\' { run_end(line, at, usize::MAX, |byte| byte == b'\\') - at } else { 1 };
            continue;
        }
        view.copy(text, copied..at);
        let end = (at + length).min(range.end);
        match stands_for {
            // A colour that was escaped.
            Some(0x1b) => at = run_end_of_colour(line, end),
            Some(plain) => {
                view.put(&[plain], at..end);
                at = end;
            }
            None => at = end,
        }
        copied = at;
    }
    view.copy(text, copied..range.end);
}

/// The byte that `%2F` stands for.
fn percent(text: &[u8], at: usize) -> Option<u8> {
    let digits = text.get(at + 1..at + 3)?;
    let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (text.get(at) == Some(&b'%') && digits.iter().all(u8::is_ascii_hexdigit)).then_some(value)
}

/// The length of `&quot;` and the mark that it stands for.
fn entity(text: &[u8], at: usize) -> Option<(usize, u8)> {
    const ENTITIES: [(&[u8], u8); 10] = [
        (b"&quot;", b'"'),
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&apos;", b'\''),
        (b"&#39;", b'\''),
        (b"&#34;", b'"'),
        (b"&#x27;", b'\''),
        (b"&#x2F;", b'/'),
        (b"&#61;", b'='),
    ];
    let rest = text.get(at..)?;
    ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity)).map(|(entity, mark)| (entity.len(), *mark))
}

/// The length of `\\u041f` and the letter that it stands for, which is not one of ASCII.
fn wide_escape(line: &[u8], at: usize) -> Option<(usize, char)> {
    let escaped = run_end(line, at, 64, |byte| byte == b'\\');
    let digits = (escaped > at && line.get(escaped) == Some(&b'u')).then(|| line.get(escaped + 1..escaped + 5))??;
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let letter = char::from_u32(code).filter(|letter| !letter.is_ascii())?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some((escaped + 5 - at, letter))
}

/// The length of the terminal's control sequence at `at`.
fn control(line: &[u8], at: usize) -> usize {
    match line.get(at + 1) {
        Some(b'[') => run_end_of_colour(line, at + 1) - at,
        Some(b']') => {
            let body = run_end(line, at + 2, 256, |byte| byte != 0x07 && byte != 0x1b);
            run_end(line, body, 2, |byte| matches!(byte, 0x07 | 0x1b | b'\\')) - at
        }
        Some(b'(' | b')') => 3,
        _ => 1,
    }
}

/// Behind `[32;1m`.
fn run_end_of_colour(line: &[u8], at: usize) -> usize {
    if line.get(at) != Some(&b'[') {
        return at;
    }
    let parameters = run_end(line, at + 1, 32, |byte| matches!(byte, b'0'..=b'9' | b';' | b'?' | b':'));
    run_end(line, parameters, 1, |byte| byte.is_ascii_alphabetic())
}

/// The length of the escape at `at` and what it stands for, however often it was escaped again; 0 when it is none.
fn escape(line: &[u8], at: usize) -> (usize, Option<u8>) {
    let escaped = run_end(line, at, 64, |byte| byte == b'\\');
    match line.get(escaped) {
        Some(b'n') => (escaped + 1 - at, Some(b'\n')),
        Some(b'r') => (escaped + 1 - at, Some(b'\r')),
        Some(b't') => (escaped + 1 - at, Some(b'\t')),
        Some(b'u') => {
            let digits = slice(line, escaped + 1..escaped + 5);
            let code = std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
            match code.filter(|code| code.is_ascii() && digits.len() == 4) {
                Some(code) => (escaped + 5 - at, Some(code)),
                None => (0, None),
            }
        }
        Some(b'x') if slice(line, escaped + 1..escaped + 3).eq_ignore_ascii_case(b"1b") => {
            (escaped + 3 - at, Some(0x1b))
        }
        Some(b'0') if slice(line, escaped + 1..escaped + 3) == b"33" => (escaped + 3 - at, Some(0x1b)),
        Some(b'e') if line.get(escaped + 1) == Some(&b'[') => (escaped + 1 - at, Some(0x1b)),
        Some(mark) if mark.is_ascii_punctuation() => (escaped + 1 - at, Some(*mark)),
        _ => (0, None),
    }
}
