//! What a text says without the noise that logs put into it: colours, zero-width characters, escapes of JSON and Markdown,
//! line breaks of a terminal with the gutters behind them. Each view knows where its bytes stand in the text.

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::detect::wraps::{Joint, joints};
use crate::text::bytes::{run_end, slice};
use crate::text::invisible::{self, Seen};

/// Part of a text without noise.
#[derive(Debug, Default)]
pub(crate) struct View {
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
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// What `place` of the view stands for in the text.
    pub(crate) fn origin(&self, place: &Range<usize>) -> Option<Range<usize>> {
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

    /// Copies a part of another view. What one escape stands for is copied whole.
    fn take(&mut self, other: &View, range: Range<usize>) {
        let first = other.pieces.partition_point(|piece| piece.at + piece.length <= range.start);
        for piece in other.pieces.iter().skip(first).take_while(|piece| piece.at < range.end) {
            let mut piece = *piece;
            if piece.length == piece.origin_length {
                let skipped = range.start.saturating_sub(piece.at);
                piece.length = (piece.at + piece.length).min(range.end) - piece.at - skipped;
                (piece.at, piece.origin, piece.origin_length) =
                    (piece.at + skipped, piece.origin + skipped, piece.length);
            }
            let bytes = slice(&other.text, piece.at..piece.at + piece.length);
            self.pieces.push(Piece { at: self.text.len(), ..piece });
            self.text.extend_from_slice(bytes);
        }
    }

    /// The view without the invisible characters that were written as escapes.
    fn without_invisible(self) -> View {
        let mut hit = invisible::next(&self.text, 0);
        if hit.is_none() {
            return self;
        }
        let (mut view, mut at) = (View::default(), 0);
        while let Some(start) = hit {
            view.take(&self, at..start);
            at = invisible::run_end(&self.text, start);
            hit = invisible::next(&self.text, at);
        }
        view.take(&self, at..self.text.len());
        view
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

/// The whole of `text` without its invisible characters; `None` unless they were seen to hide something. One of them may
/// be in the first line of a private key, and none in its other lines.
pub(crate) fn bare(text: &[u8], seen: Seen) -> Option<View> {
    if seen != Seen::Hiding {
        return None;
    }
    let (mut view, mut at) = (View::default(), 0);
    while let Some(start) = invisible::next(text, at) {
        view.copy(text, at..start);
        at = invisible::run_end(text, start);
    }
    view.copy(text, at..text.len());
    Some(view)
}

/// As [`bare`], of JSON, which may have them as escapes.
pub(crate) fn bare_json(json: &[u8]) -> Option<View> {
    let mut view = View::default();
    let mut copied = 0;
    let mut escapes = memchr::memmem::find_iter(json, b"\\u");
    let mut hits =
        std::iter::from_fn(|| escapes.by_ref().find_map(|at| escaped_invisible(json, at).map(|end| at..end)))
            .peekable();
    if hits.peek().is_none() {
        return bare(json, invisible::seen_in(json));
    }
    for hit in hits.filter(|hit| !slice(json, 0..hit.start).ends_with(b"\\")) {
        view.copy(json, copied..hit.start);
        copied = hit.end;
    }
    view.copy(json, copied..json.len());
    Some(view.without_invisible())
}

/// The views of those lines of `text` that hold noise; lines that follow each other are one view. Invisible characters
/// are noise, but for those that hide something: the whole text is looked at without them besides.
pub(crate) fn of(text: &[u8], seen: Seen) -> Vec<View> {
    let noisy = noisy_lines(text, seen);
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
    views.into_iter().map(View::without_invisible).collect()
}

/// A line with its line break.
struct Line {
    place: Range<usize>,
    /// How it goes on from the line before, if it does.
    joint: Option<Joint>,
    is_noisy: bool,
}

fn noisy_lines(text: &[u8], seen: Seen) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut joints = joints(text).into_iter().peekable();
    let mut noises = noises(text, seen).into_iter().peekable();
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
fn noises(text: &[u8], seen: Seen) -> Vec<usize> {
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
    let mut at = if seen == Seen::Usual { 0 } else { text.len() };
    while let Some(place) = invisible::next(text, at) {
        places.push(place);
        at = memchr(b'\n', slice(text, place..text.len())).map_or(text.len(), |newline| place + newline + 1);
    }
    places.sort_unstable();
    places
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
        if byte == b'\\'
            && let Some(end) = escaped_bytes(line, at)
        {
            view.copy(text, copied..at);
            (at, copied) = (end, end);
            continue;
        }
        let (length, stands_for) = match byte {
            0x1b => (control(line, at), None),
            b'\\' => escape(line, at),
            b'%' => percent(line, at).map_or((0, None), |byte| (3, Some(byte))),
            b'&' => entity(line, at).unwrap_or_default(),
            0xc2.. => (invisible::length(line, at), None),
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

/// The length of `&quot;` and the mark that it stands for; of an invisible character, such as `&#8203;`, the length alone.
fn entity(text: &[u8], at: usize) -> Option<(usize, Option<u8>)> {
    const INVISIBLE: [&[u8]; 7] =
        [b"&shy;", b"&zwj;", b"&zwnj;", b"&lrm;", b"&rlm;", b"&NoBreak;", b"&ZeroWidthSpace;"];
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
    let known = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
    let known = known.map(|(entity, mark)| (entity.len(), Some(*mark)));
    let unseen = || INVISIBLE.iter().find(|entity| rest.starts_with(entity)).map(|entity| (entity.len(), None));
    known.or_else(unseen).or_else(|| numbered_entity(rest))
}

/// As [`entity`], for `&#8203;` and `&#x200b;`.
fn numbered_entity(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    let (start, radix) = match rest.get(..3)? {
        [b'&', b'#', b'x' | b'X'] => (3, 16),
        [b'&', b'#', _] => (2, 10),
        _ => return None,
    };
    let end = run_end(rest, start, 8, |byte| byte.is_ascii_hexdigit());
    let letter = letter(slice(rest, start..end), radix)?;
    (rest.get(end) == Some(&b';') && invisible::is_one(letter)).then_some((end + 1, None))
}

/// The character with the code `digits`.
fn letter(digits: &[u8], radix: u32) -> Option<char> {
    char::from_u32(code(digits, radix)?)
}

fn code(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}

/// The length of `\\u041f` and the letter that it stands for, which is not one of ASCII. Two of them may be one letter, and
/// languages have forms of their own: `\\u{e0041}`, `\\U000e0041`, `\\x{200b}`.
fn wide_escape(line: &[u8], at: usize) -> Option<(usize, char)> {
    let escaped = run_end(line, at, 64, |byte| byte == b'\\');
    let kind = *line.get(escaped).filter(|_| escaped > at)?;
    let digits =
        |from: usize, count: usize| line.get(from..from + count).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
    let (end, code) = match (kind, line.get(escaped + 1)?) {
        (b'u' | b'x', b'{') => {
            let end = run_end(line, escaped + 2, 8, |byte| byte.is_ascii_hexdigit());
            (line.get(end) == Some(&b'}')).then_some(())?;
            (end + 1, code(slice(line, escaped + 2..end), 16)?)
        }
        (b'U', _) => (escaped + 9, code(digits(escaped + 1, 8)?, 16)?),
        (b'u', _) => {
            let first = code(digits(escaped + 1, 4)?, 16)?;
            let end = escaped + 5;
            // The second half of what does not fit into four digits has as many backslashes.
            let next = end + escaped - at;
            let is_pair = (0xd800..0xdc00).contains(&first)
                && slice(line, end..next) == slice(line, at..escaped)
                && line.get(next) == Some(&b'u');
            let second = is_pair.then(|| code(digits(next + 1, 4)?, 16)).flatten();
            match second.filter(|second| (0xdc00..0xe000).contains(second)) {
                Some(second) => (next + 5, 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)),
                None => (end, first),
            }
        }
        _ => return None,
    };
    let letter = char::from_u32(code).filter(|letter| !letter.is_ascii())?;
    Some((end - at, letter))
}

/// Behind the escape of an invisible character at `at`.
fn escaped_invisible(line: &[u8], at: usize) -> Option<usize> {
    let (length, letter) = wide_escape(line, at)?;
    invisible::is_one(letter).then_some(at + length)
}

/// Behind the escaped bytes of an invisible character at `at`: `\\xe2\\x80\\x8b` or `\\342\\200\\213`.
fn escaped_bytes(line: &[u8], at: usize) -> Option<usize> {
    let mut bytes = [0; 4];
    let mut end = at;
    for count in 1..=bytes.len() {
        let escaped = run_end(line, end, 64, |byte| byte == b'\\');
        let (start, radix) = match line.get(escaped)? {
            b'x' => (escaped + 1, 16),
            b'0'..=b'3' => (escaped, 8),
            _ => return None,
        };
        let next = start + if radix == 16 { 2 } else { 3 };
        let value = code(line.get(start..next).filter(|_| escaped > end)?, radix)?;
        *bytes.get_mut(count - 1)? = u8::try_from(value).ok().filter(|byte| !byte.is_ascii())?;
        end = next;
        if invisible::length(slice(&bytes, 0..count), 0) == count {
            return Some(end);
        }
    }
    None
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
            let code = code(digits, 16).and_then(|code| u8::try_from(code).ok());
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
