//! The words and brackets at the start of a text, and what follows them.

/// A set of words, fewer than 64.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// The words, separated by blanks.
    text: &'static str,
    /// Where each word starts and how many bytes it has, at its hash or after it.
    slots: [(u16, u8); SLOTS],
}

const SLOTS: usize = 128;

impl Words {
    // The indexes are within the text and below the number of slots, and words are short.
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
    pub(super) const fn new(text: &'static str) -> Self {
        let bytes = text.as_bytes();
        let mut slots = [(0, 0); SLOTS];
        let mut from = 0;
        while from < bytes.len() {
            let mut end = from;
            while end < bytes.len() && bytes[end] != b' ' {
                end += 1;
            }
            let mut slot = Self::hash(bytes[from], bytes[end - 1], end - from);
            while slots[slot].1 > 0 {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = (from as u16, (end - from) as u8);
            from = end + 1;
        }
        Words { text, slots }
    }

    const fn hash(first: u8, last: u8, length: usize) -> usize {
        (first as usize * 7 + last as usize * 29 + length * 11) % SLOTS
    }

    pub(super) fn contains(&self, word: &[u8]) -> bool {
        let (Some(first), Some(last)) = (word.first(), word.last()) else { return false };
        let mut slot = Self::hash(*first, *last, word.len());
        while let Some((from, length)) = self.slots.get(slot).filter(|(_, length)| *length > 0) {
            let (from, length) = (usize::from(*from), usize::from(*length));
            if self.text.as_bytes().get(from..from + length) == Some(word) {
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        false
    }

    /// `code` without the words at its start that are among these, and what they have in parentheses.
    pub(super) fn strip<'t>(&self, mut code: &'t [u8]) -> &'t [u8] {
        loop {
            let (first, rest) = word(code);
            if rest.is_empty() || !self.contains(first) {
                return code;
            }
            code = if rest.first() == Some(&b'(') { after_brackets(rest).unwrap_or(&[]) } else { rest };
        }
    }
}

/// Whether `byte` belongs to a word.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether `name` may be one: it is not empty and no number.
pub(super) fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|byte| !byte.is_ascii_digit())
}

/// What follows an attribute such as `@Test(…)`, if `code` starts with one.
pub(super) fn after_attribute(code: &[u8]) -> Option<&[u8]> {
    let (_, rest) = path(code.strip_prefix(b"@")?, b".:");
    if rest.first() == Some(&b'(') { after_brackets(rest) } else { Some(rest) }
}

/// Without leading blanks and tabs.
pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    let blank = text.iter().position(|byte| !matches!(byte, b' ' | b'\t' | 0x0c)).unwrap_or(text.len());
    text.get(blank..).unwrap_or(&[])
}

/// Without trailing blanks and line ends.
pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or(&[])
}

/// The word at the start of `text`, and what follows it without leading blanks. The word is empty if there is none.
pub(super) fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !is_word(*byte)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    (word, trim_start(rest))
}

/// The word at the start of `text` with those that follow after any byte of `joints`, such as `a.b`.
pub(super) fn path<'t>(text: &'t [u8], joints: &[u8]) -> (&'t [u8], &'t [u8]) {
    let end = text.iter().position(|byte| !is_word(*byte) && !joints.contains(byte)).unwrap_or(text.len());
    let (path, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    (path, trim_start(rest))
}

/// The word at the end of `text`.
pub(super) fn last_word(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|byte| !is_word(*byte)).map_or(0, |before| before + 1);
    text.get(start..).unwrap_or(&[])
}

/// What follows the bracket that opens `text` once it is closed, without leading blanks and line ends; `None` if it is not
/// closed in `text`. Strings on one line are skipped.
pub(super) fn after_brackets(text: &[u8]) -> Option<&[u8]> {
    let open = *text.first()?;
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        _ => return None,
    };
    let mut depth = 0_usize;
    let mut before = 0;
    let mut bytes = text.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match *byte {
            b'"' => skip_string(&mut bytes),
            // A character, and no lifetime.
            b'\'' if text.get(at + 2) == Some(&b'\'') => drop(bytes.nth(1)),
            byte if byte == open => depth += 1,
            // `->` and `=>` close nothing.
            byte if byte == close && !(close == b'>' && matches!(before, b'-' | b'=')) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(at + 1..).map(skip_space);
                }
            }
            _ => {}
        }
        before = *byte;
    }
    None
}

fn skip_string<'t>(bytes: &mut impl Iterator<Item = (usize, &'t u8)>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'"' | b'\n' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// Without leading whitespace and comments.
pub(super) fn skip_space(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    loop {
        let after = if rest.starts_with(b"//") {
            memchr::memchr(b'\n', rest).and_then(|end| rest.get(end..))
        } else if rest.starts_with(b"/*") {
            memchr::memmem::find(rest, b"*/").and_then(|end| rest.get(end + 2..))
        } else {
            return rest;
        };
        rest = after.unwrap_or(&[]).trim_ascii_start();
    }
}

/// Whether `text` starts with `word` and no longer word.
pub(super) fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.first().copied().is_some_and(is_word))
}

/// Whether `name` has a capital letter, and only capitals, digits and `_`.
pub(super) fn is_upper_case(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase)
        && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
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
