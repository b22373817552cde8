//! Removes the noise that logs add to a text: colours, zero-width characters, escapes of JSON and Markdown, and line
//! breaks of a terminal with the gutters after them. A normalized text maps its bytes back to the original.

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::detect::line_hints::LineHints;
use crate::detect::line_wrap::{WrapPoint, wrap_points};
use crate::text::bytes::{peek, run_end, slice};
use crate::text::invisible::{self, Presence};

/// A part of a text, without noise.
#[derive(Debug, Default)]
pub(crate) struct NormalizedText {
    text: Vec<u8>,
    segments: Vec<Segment>,
}

/// Bytes of the normalized text, and the bytes of the original that they stand for. The lengths are equal except for an
/// escape.
#[derive(Debug, Clone, Copy)]
struct Segment {
    at: usize,
    length: usize,
    origin: usize,
    origin_length: usize,
}

impl NormalizedText {
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// `part` of a text without `seams`, which are sorted and disjoint.
    pub(crate) fn joined(text: &[u8], part: Range<usize>, seams: &[Range<usize>]) -> Self {
        let (mut joined, mut copied) = (NormalizedText::default(), part.start);
        for seam in seams {
            joined.copy(text, copied..seam.start);
            copied = seam.end;
        }
        joined.copy(text, copied..part.end);
        joined
    }

    /// Appends bytes that stand for `range` of the original.
    pub(crate) fn push_replacement(&mut self, bytes: &[u8], range: Range<usize>) {
        self.segments.push(Segment {
            at: self.text.len(),
            length: bytes.len(),
            origin: range.start,
            origin_length: range.len(),
        });
        self.text.extend_from_slice(bytes);
    }

    /// The range in the original that corresponds to `place`.
    pub(crate) fn origin(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let last = place.end.checked_sub(1).filter(|last| *last >= place.start)?;
        let segment =
            |at: usize| self.segments.get(self.segments.partition_point(|segment| segment.at <= at).checked_sub(1)?);
        let (from, to) = (segment(place.start)?, segment(last)?);
        let start = if from.length == from.origin_length { from.origin + place.start - from.at } else { from.origin };
        let end =
            if to.length == to.origin_length { to.origin + last - to.at + 1 } else { to.origin + to.origin_length };
        Some(start..end)
    }

    /// Appends `range` of the original.
    pub(crate) fn copy(&mut self, text: &[u8], range: Range<usize>) {
        let bytes = slice(text, range.clone());
        if bytes.is_empty() {
            return;
        }
        match self.segments.last_mut() {
            Some(last) if last.length == last.origin_length && last.origin + last.length == range.start => {
                last.length += bytes.len();
                last.origin_length += bytes.len();
            }
            _ => self.segments.push(Segment {
                at: self.text.len(),
                length: bytes.len(),
                origin: range.start,
                origin_length: bytes.len(),
            }),
        }
        self.text.extend_from_slice(bytes);
    }

    /// Drops everything at or after `end` of the original.
    fn truncate_at(&mut self, end: usize) {
        while let Some(last) = self.segments.last_mut().filter(|last| last.origin + last.origin_length > end) {
            if last.origin < end && last.length == last.origin_length {
                last.length = end - last.origin;
                last.origin_length = last.length;
            } else {
                self.segments.pop();
            }
            self.text.truncate(self.segments.last().map_or(0, |last| last.at + last.length));
        }
    }

    /// Copies a part of another normalized text. What an escape stands for is copied as a whole.
    fn copy_from(&mut self, other: &NormalizedText, range: Range<usize>) {
        let first = other.segments.partition_point(|segment| segment.at + segment.length <= range.start);
        for segment in other.segments.iter().skip(first).take_while(|segment| segment.at < range.end) {
            let mut segment = *segment;
            if segment.length == segment.origin_length {
                let skipped = range.start.saturating_sub(segment.at);
                segment.length = (segment.at + segment.length).min(range.end) - segment.at - skipped;
                (segment.at, segment.origin, segment.origin_length) =
                    (segment.at + skipped, segment.origin + skipped, segment.length);
            }
            let bytes = slice(&other.text, segment.at..segment.at + segment.length);
            self.segments.push(Segment { at: self.text.len(), ..segment });
            self.text.extend_from_slice(bytes);
        }
    }

    /// This text without invisible characters that were written as escapes.
    fn without_escaped_invisible(self) -> NormalizedText {
        let mut hit = invisible::next(&self.text, 0);
        if hit.is_none() {
            return self;
        }
        let (mut normalized, mut at) = (NormalizedText::default(), 0);
        while let Some(start) = hit {
            normalized.copy_from(&self, at..start);
            at = invisible::run_end(&self.text, start);
            hit = invisible::next(&self.text, at);
        }
        normalized.copy_from(&self, at..self.text.len());
        normalized
    }
}

/// The whole of `text` without its invisible characters; `None` unless they may hide something. One may be in the first
/// line of a private key and none in its other lines, so it is not done line by line.
pub(crate) fn without_invisible(text: &[u8], presence: Presence) -> Option<NormalizedText> {
    if presence != Presence::Hiding {
        return None;
    }
    let (mut normalized, mut at) = (NormalizedText::default(), 0);
    while let Some(start) = invisible::next(text, at) {
        normalized.copy(text, at..start);
        at = invisible::run_end(text, start);
    }
    normalized.copy(text, at..text.len());
    Some(normalized)
}

/// As [`without_invisible`], for JSON, which may contain them as escapes.
pub(crate) fn json_without_invisible(json: &[u8]) -> Option<NormalizedText> {
    let mut normalized = NormalizedText::default();
    let mut copied = 0;
    let mut escapes = memchr::memchr_iter(b'\\', json).filter(|at| json.get(at + 1) == Some(&b'u'));
    let mut hits =
        std::iter::from_fn(|| escapes.by_ref().find_map(|at| escaped_invisible(json, at).map(|end| at..end)))
            .peekable();
    if hits.peek().is_none() {
        return without_invisible(json, invisible::presence_in(json));
    }
    for hit in hits.filter(|hit| !slice(json, 0..hit.start).ends_with(b"\\")) {
        normalized.copy(json, copied..hit.start);
        copied = hit.end;
    }
    normalized.copy(json, copied..json.len());
    Some(normalized.without_escaped_invisible())
}

/// The lines of `text` that contain noise, normalized; consecutive lines are one part. Invisible characters count as
/// noise unless they may hide something: then the whole text is searched without them anyway. Adds to `hints` what the
/// line breaks say.
pub(crate) fn noisy_parts(text: &[u8], presence: Presence, hints: &mut LineHints) -> Vec<NormalizedText> {
    let noisy = noisy_lines(text, presence, hints);
    let mut texts: Vec<NormalizedText> = Vec::new();
    let mut end = None;
    for Line { place, wrap_point, is_noisy } in noisy {
        if end != Some(place.start) {
            texts.push(NormalizedText::default());
        }
        end = Some(place.end);
        let Some(normalized) = texts.last_mut() else { continue };
        let from = match wrap_point {
            Some(WrapPoint { tail, head, .. }) => {
                normalized.truncate_at(tail);
                head
            }
            None => place.start,
        };
        match is_noisy {
            true => copy_without_noise(text, from..place.end, normalized),
            false => normalized.copy(text, from..place.end),
        }
    }
    texts.into_iter().map(NormalizedText::without_escaped_invisible).collect()
}

/// A line with its line break.
struct Line {
    place: Range<usize>,
    /// How it continues the line before, if it does.
    wrap_point: Option<WrapPoint>,
    is_noisy: bool,
}

fn noisy_lines(text: &[u8], presence: Presence, hints: &mut LineHints) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut wrap_points = wrap_points(text, hints).into_iter().peekable();
    let mut noise_positions = noise_positions(text, presence).into_iter().peekable();
    loop {
        let at = match (noise_positions.peek(), wrap_points.peek()) {
            (None, None) => return lines,
            (Some(noise), None) => *noise,
            (None, Some(wrap_point)) => wrap_point.newline,
            (Some(noise), Some(wrap_point)) => wrap_point.newline.min(*noise),
        };
        let place = whole_line(text, at);
        let mut is_noisy = false;
        while noise_positions.next_if(|next| *next < place.end).is_some() {
            is_noisy = true;
        }
        match lines.last_mut() {
            Some(last) if last.place == place => last.is_noisy |= is_noisy,
            _ => lines.push(Line { place: place.clone(), wrap_point: None, is_noisy }),
        }
        if let Some(wrap_point) = wrap_points.next_if(|wrap_point| wrap_point.newline < place.end) {
            lines.push(Line { place: whole_line(text, place.end), wrap_point: Some(wrap_point), is_noisy: false });
        }
    }
}

fn whole_line(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', slice(text, 0..at)).map_or(0, |newline| newline + 1);
    let end = memchr(b'\n', text.get(at..).unwrap_or_default()).map_or(text.len(), |newline| at + newline + 1);
    start..end
}

/// The positions of noise, at least the first of each line.
fn noise_positions(text: &[u8], presence: Presence) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    let mut at = 0;
    // One per line is enough.
    while let Some(step) = text.get(at..).and_then(|rest| memchr3(b'\\', 0x1b, b'%', rest)) {
        let place = at + step;
        if text.get(place) == Some(&b'%') && percent_escape(text, place).is_none() {
            at = place + 1;
            continue;
        }
        places.push(place);
        at = memchr(b'\n', text.get(place..).unwrap_or_default()).map_or(text.len(), |newline| place + newline + 1);
    }
    places.extend(memchr::memchr_iter(b'&', text).filter(|place| entity(text, *place).is_some()));
    // Chinese and Japanese have full-width punctuation, but rarely letters and digits.
    let is_letter = |place: &usize| full_width(text, *place).is_some_and(|byte| byte.is_ascii_alphanumeric());
    places.extend(memchr::memchr_iter(0xef, text).filter(is_letter));
    let mut at = if presence == Presence::Benign { 0 } else { text.len() };
    while let Some(place) = invisible::next(text, at) {
        places.push(place);
        at = memchr(b'\n', slice(text, place..text.len())).map_or(text.len(), |newline| place + newline + 1);
    }
    places.sort_unstable();
    places
}

/// Appends the line of `text` in `range` to `normalized`, without its noise.
fn copy_without_noise(text: &[u8], range: Range<usize>, normalized: &mut NormalizedText) {
    let line = slice(text, 0..range.end);
    let mut copied = range.start;
    let mut at = range.start;
    loop {
        at = run_end(line, at, usize::MAX, |byte| !may_be_noise(byte));
        let Some(&byte) = line.get(at) else { break };
        if byte == b'\\'
            && let Some((length, letter)) = unicode_escape(line, at)
        {
            normalized.copy(text, copied..at);
            normalized.push_replacement(letter.encode_utf8(&mut [0; 4]).as_bytes(), at..at + length);
            at += length;
            copied = at;
            continue;
        }
        if byte == b'\\'
            && let Some(end) = escaped_invisible_bytes(line, at)
        {
            normalized.copy(text, copied..at);
            (at, copied) = (end, end);
            continue;
        }
        let (length, stands_for) = match byte {
            0x1b => (control_sequence(line, at), None),
            b'\\' => escape(line, at),
            b'%' => repeated_percent_escape(line, at).map_or((0, None), |(length, byte)| (length, Some(byte))),
            b'&' => entity(line, at).unwrap_or_default(),
            0xef if full_width(line, at).is_some() => (3, full_width(line, at)),
            0xc2.. => (invisible::length_at(line, at), None),
            _ => (0, None),
        };
        if length == 0 {
            at += if byte == b'\\' { run_end(line, at, usize::MAX, |byte| byte == b'\\') - at } else { 1 };
            continue;
        }
        normalized.copy(text, copied..at);
        let end = (at + length).min(range.end);
        match stands_for {
            // An escaped colour sequence.
            Some(0x1b) => at = colour_end(line, end),
            Some(plain) => {
                normalized.push_replacement(&[plain], at..end);
                at = end;
            }
            None => at = end,
        }
        copied = at;
    }
    normalized.copy(text, copied..range.end);
}

/// The ASCII character that a full-width one at `at` stands for.
fn full_width(text: &[u8], at: usize) -> Option<u8> {
    match *peek(text, at, 3) {
        [0xef, 0xbc, last @ 0x81..=0xbf] => Some(last - 0x60),
        [0xef, 0xbd, last @ 0x80..=0x9e] => Some(last - 0x20),
        _ => None,
    }
}

/// Whether noise may start with `byte`.
#[inline]
fn may_be_noise(byte: u8) -> bool {
    static MAY_BE_NOISE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0xc2;
        while byte < table.len() {
            table[byte] = true;
            byte += 1;
        }
        table[0x1b] = true;
        table[b'\\' as usize] = true;
        table[b'%' as usize] = true;
        table[b'&' as usize] = true;
        table
    };
    MAY_BE_NOISE[usize::from(byte)]
}

/// The byte that `%2F` stands for. One that is not ASCII is part of a character, so another one is beside it:
/// `%DB_HOST%` is a variable.
fn percent_escape(text: &[u8], at: usize) -> Option<u8> {
    let digits = text.get(at + 1..at + 3)?;
    let value = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    let is_sign = |place: usize| text.get(place) == Some(&b'%');
    let is_character = || value.is_ascii() || is_sign(at + 3) || at.checked_sub(3).is_some_and(is_sign);
    (is_sign(at) && digits.iter().all(u8::is_ascii_hexdigit) && is_character()).then_some(value)
}

/// The length of `%2F`, whose percent sign may itself be escaped (`%252F`), and the byte it stands for.
fn repeated_percent_escape(text: &[u8], at: usize) -> Option<(usize, u8)> {
    let is_hex = |from: usize| text.get(from..from + 2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let mut digits = at + 1;
    while peek(text, digits, 2) == b"25" && is_hex(digits + 2) {
        digits += 2;
    }
    let value = code_point(text.get(digits..digits + 2).filter(|_| is_hex(digits))?, 16)?;
    Some((digits + 2 - at, u8::try_from(value).ok()?))
}

/// The length of `&quot;` and the character it stands for; for an invisible character, such as `&#8203;`, only the
/// length.
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
    known.or_else(unseen).or_else(|| numeric_entity(rest))
}

/// As [`entity`], for `&#8203;`, `&#x67;` and `&#103;`.
fn numeric_entity(rest: &[u8]) -> Option<(usize, Option<u8>)> {
    let (start, radix) = match rest.get(..3)? {
        [b'&', b'#', b'x' | b'X'] => (3, 16),
        [b'&', b'#', _] => (2, 10),
        _ => return None,
    };
    let end = run_end(rest, start, 8, |byte| byte.is_ascii_hexdigit());
    let letter = character(slice(rest, start..end), radix).filter(|_| rest.get(end) == Some(&b';'))?;
    match u8::try_from(letter) {
        Ok(plain) if plain.is_ascii_graphic() || plain == b' ' => Some((end + 1, Some(plain))),
        _ => invisible::is_invisible(letter).then_some((end + 1, None)),
    }
}

/// The character with the code point `digits`.
fn character(digits: &[u8], radix: u32) -> Option<char> {
    char::from_u32(code_point(digits, radix)?)
}

fn code_point(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}

/// The length of `\\u041f` and the character it stands for, which is not ASCII. Two escapes may form one character, and
/// some languages have other forms: `\\u{e0041}`, `\\U000e0041`, `\\x{200b}`.
fn unicode_escape(line: &[u8], at: usize) -> Option<(usize, char)> {
    let escaped = run_end(line, at, 64, |byte| byte == b'\\');
    let kind = *line.get(escaped).filter(|_| escaped > at)?;
    let digits =
        |from: usize, count: usize| line.get(from..from + count).filter(|it| it.iter().all(u8::is_ascii_hexdigit));
    let (end, code) = match (kind, line.get(escaped + 1)?) {
        (b'u' | b'x', b'{') => {
            let end = run_end(line, escaped + 2, 8, |byte| byte.is_ascii_hexdigit());
            (line.get(end) == Some(&b'}')).then_some(())?;
            (end + 1, code_point(slice(line, escaped + 2..end), 16)?)
        }
        (b'U', _) => (escaped + 9, code_point(digits(escaped + 1, 8)?, 16)?),
        (b'u', _) => {
            let first = code_point(digits(escaped + 1, 4)?, 16)?;
            let end = escaped + 5;
            // The second half of a surrogate pair has the same number of backslashes.
            let next = end + escaped - at;
            let is_pair = (0xd800..0xdc00).contains(&first)
                && slice(line, end..next) == slice(line, at..escaped)
                && line.get(next) == Some(&b'u');
            let second = is_pair.then(|| code_point(digits(next + 1, 4)?, 16)).flatten();
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

/// The end of the escape of an invisible character at `at`.
fn escaped_invisible(line: &[u8], at: usize) -> Option<usize> {
    let (length, letter) = unicode_escape(line, at)?;
    invisible::is_invisible(letter).then_some(at + length)
}

/// The end of the escaped bytes of an invisible character at `at`: `\\xe2\\x80\\x8b` or `\\342\\200\\213`.
fn escaped_invisible_bytes(line: &[u8], at: usize) -> Option<usize> {
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
        let value = code_point(line.get(start..next).filter(|_| escaped > end)?, radix)?;
        *bytes.get_mut(count - 1)? = u8::try_from(value).ok().filter(|byte| !byte.is_ascii())?;
        end = next;
        if invisible::length_at(slice(&bytes, 0..count), 0) == count {
            return Some(end);
        }
    }
    None
}

/// The length of the terminal control sequence at `at`.
fn control_sequence(line: &[u8], at: usize) -> usize {
    match line.get(at + 1) {
        Some(b'[') => colour_end(line, at + 1) - at,
        Some(b']') => {
            let body = run_end(line, at + 2, 256, |byte| byte != 0x07 && byte != 0x1b);
            run_end(line, body, 2, |byte| matches!(byte, 0x07 | 0x1b | b'\\')) - at
        }
        Some(b'(' | b')') => 3,
        _ => 1,
    }
}

/// The end of `[32;1m`.
fn colour_end(line: &[u8], at: usize) -> usize {
    if line.get(at) != Some(&b'[') {
        return at;
    }
    let parameters = run_end(line, at + 1, 32, |byte| matches!(byte, b'0'..=b'9' | b';' | b'?' | b':'));
    run_end(line, parameters, 1, |byte| byte.is_ascii_alphabetic())
}

/// The length of the escape at `at` and the byte it stands for, however many times it was escaped; 0 if it is not one.
fn escape(line: &[u8], at: usize) -> (usize, Option<u8>) {
    let escaped = run_end(line, at, 64, |byte| byte == b'\\');
    match line.get(escaped) {
        Some(b'n') => (escaped + 1 - at, Some(b'\n')),
        Some(b'r') => (escaped + 1 - at, Some(b'\r')),
        Some(b't') => (escaped + 1 - at, Some(b'\t')),
        Some(b'u') => {
            let digits = peek(line, escaped + 1, 4);
            let code = code_point(digits, 16).and_then(|code| u8::try_from(code).ok());
            match code.filter(|code| code.is_ascii() && digits.len() == 4) {
                Some(code) => (escaped + 5 - at, Some(code)),
                None => (0, None),
            }
        }
        Some(b'x') => {
            let digits = peek(line, escaped + 1, 2);
            let byte = code_point(digits, 16).and_then(|code| u8::try_from(code).ok());
            match byte.filter(|byte| digits.len() == 2 && (*byte == 0x1b || byte.is_ascii_graphic() || *byte == b' ')) {
                Some(byte) => (escaped + 3 - at, Some(byte)),
                None => (0, None),
            }
        }
        Some(b'0'..=b'3') => {
            let digits = peek(line, escaped, 3);
            let byte = code_point(digits, 8).and_then(|code| u8::try_from(code).ok());
            match byte.filter(|byte| digits.len() == 3 && (*byte == 0x1b || byte.is_ascii_graphic() || *byte == b' ')) {
                Some(byte) => (escaped + 3 - at, Some(byte)),
                None => (0, None),
            }
        }
        Some(b'e') if line.get(escaped + 1) == Some(&b'[') => (escaped + 1 - at, Some(0x1b)),
        Some(mark) if mark.is_ascii_punctuation() => (escaped + 1 - at, Some(*mark)),
        _ => (0, None),
    }
}
