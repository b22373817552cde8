//! Texts in the JSON of a transcript. Of a long one, only its beginning and its end are decoded.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::shortening::left_out;

/// How much of a text is kept beyond what may be shown, in bytes: a secret that begins within what is shown is found as a
/// whole.
const MARGIN: usize = 8 << 10;
/// How far a cut is moved to find a place between two characters: the length of two escaped surrogates.
const MAX_ESCAPE: usize = 12;

/// A record as text. What is not UTF-8 and halves of characters are replaced; checking first is faster where nothing is.
pub(super) fn of_record(json: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(json) {
        Ok(json) => with_whole_characters(json),
        Err(_) => Cow::Owned(with_whole_characters(&String::from_utf8_lossy(json)).into_owned()),
    }
}

/// JSON in which U+FFFD stands for each half of a character: programs that cut a text within an emoji write one half of its
/// escape.
pub(crate) fn with_whole_characters(json: &str) -> Cow<'_, str> {
    let is_there = |escape: &[u8]| memchr::memmem::find(json.as_bytes(), escape).is_some();
    if !is_there(b"\\ud") && !is_there(b"\\uD") {
        return Cow::Borrowed(json);
    }
    // The unit of an escape at this place.
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
    };
    let (mut whole, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(skipped) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        at += skipped;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                whole.push_str(&json[copied..at]);
                whole.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            (Some(_), _) => 6,
            // Of another escape, the character behind it is no beginning of one.
            (None, _) => 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    whole.push_str(&json[copied..]);
    Cow::Owned(whole)
}

/// Redacts a part of a text.
pub(crate) type Redact<'r> = &'r dyn Fn(&str, Range<usize>) -> String;

/// A text, or its beginning and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Window {
    /// The text, or its beginning.
    pub(super) head: String,
    /// Its end, if something between them was left out.
    pub(super) tail: Option<String>,
    /// About how many bytes were left out.
    pub(super) skipped: usize,
}

/// How much of a text is shown, in bytes: of its beginning and of its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    pub(super) head: usize,
    pub(super) tail: usize,
}

impl Limit {
    /// The most that is kept of a text.
    fn most(self) -> usize {
        self.head + self.tail + 2 * MARGIN
    }
}

impl Window {
    /// The parts of `text` that may be shown.
    pub(super) fn of(text: &str, limit: Limit) -> Self {
        if text.len() <= limit.most() {
            return Window { head: text.to_owned(), tail: None, skipped: 0 };
        }
        let head = &text[..text.floor_char_boundary(limit.head + MARGIN)];
        let tail = &text[text.ceil_char_boundary(text.len() - limit.tail - MARGIN)..];
        let middle = &text[head.len()..text.len() - tail.len()];
        let skipped = middle.len() + left_out(middle.as_bytes());
        Window { head: head.to_owned(), tail: Some(tail.to_owned()), skipped }
    }

    /// As [`of`](Self::of), for a JSON string; `None` if this is none.
    pub(super) fn of_json(json: &str, limit: Limit) -> Option<Self> {
        let inner = json.strip_prefix('"')?.strip_suffix('"')?;
        if inner.len() <= limit.most() {
            return Some(Window::of(&decoded(json)?, limit));
        }
        let cut = limit.head + MARGIN;
        let head = (0..MAX_ESCAPE).find_map(|less| decoded_part(inner.get(..cut - less)?))?;
        let from = inner.len() - limit.tail - MARGIN;
        let tail = (0..MAX_ESCAPE).find_map(|more| decoded_part(inner.get(from + more..)?))?;
        let middle = &inner.as_bytes()[cut..from];
        Some(Window { skipped: middle.len() + left_out(middle), head, tail: Some(tail) })
    }

    pub(super) fn is_blank(&self) -> bool {
        self.tail.is_none() && self.head.trim().is_empty()
    }

    /// The maximum length that is shown of it, in bytes.
    pub(super) fn shown(&self, limit: Limit) -> usize {
        match &self.tail {
            None => self.head.len().min(limit.head + limit.tail),
            Some(_) => limit.head + limit.tail,
        }
    }

    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.head.len() + self.tail.as_ref().map_or(0, String::len)
    }

    /// The parts of the text that are shown, each redacted as a part of what is known around it: what is next to a cut of the
    /// window, where a secret may be cut too, is never shown. What was said `before` it is known too, and not shown.
    pub(super) fn render(&self, before: &str, limit: Limit, redact: Redact<'_>) -> String {
        let end = self.tail.as_ref().unwrap_or(&self.head);
        let beginning = |most: usize| {
            // By itself first: on a line with something else, it may look like something else.
            let alone = redact(&self.head, 0..most);
            if before.is_empty() {
                return alone;
            }
            let joined = format!("{before} {alone}");
            redact(&joined, before.len() + 1..joined.len())
        };
        if self.tail.is_none() && self.head.len() <= limit.head + limit.tail {
            return beginning(self.head.len());
        }
        let head = beginning(limit.head.min(self.head.len()));
        let tail = redact(end, end.len().saturating_sub(limit.tail)..end.len());
        let all = self.head.len() + self.skipped + self.tail.as_ref().map_or(0, String::len);
        let skipped = all.saturating_sub(limit.head + limit.tail);
        format!("{}\n[... {skipped} bytes left out ...]\n{}", head.trim_end(), tail.trim_start())
    }
}

/// The text of a JSON string.
pub(super) fn decoded(json: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
    serde_json::from_str(json).ok().map(|Text(text)| text)
}

/// The text of a part of a JSON string, if that is one by itself.
fn decoded_part(part: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{part}\"")).ok()
}

/// The parts of `content` that may be shown: a string, or a list of blocks with texts; anything else as JSON.
pub(super) fn of_content(content: &RawValue, limit: Limit) -> Window {
    #[derive(Deserialize)]
    struct Block<'t> {
        #[serde(borrow)]
        text: Option<&'t RawValue>,
    }
    let json = content.get();
    if let Some(window) = Window::of_json(json, limit) {
        return window;
    }
    if json.starts_with('[')
        && let Ok(blocks) = serde_json::from_str::<Vec<Block<'_>>>(json)
    {
        let mut texts = blocks.iter().filter_map(|block| Window::of_json(block.text?.get(), limit));
        // Nearly all have one.
        let Some(first) = texts.next() else { return Window::default() };
        let rest: Vec<Window> = texts.collect();
        if rest.is_empty() {
            return first;
        }
        let all = std::iter::once(first).chain(rest);
        let joined = all
            .map(|it| it.render("", limit_of_parts(&it), &|text, part| text.get(part).unwrap_or_default().to_owned()))
            .collect::<Vec<_>>()
            .join("\n");
        return Window::of(&joined, limit);
    }
    Window::of(json, limit)
}

/// Shows all of a window.
fn limit_of_parts(window: &Window) -> Limit {
    Limit { head: window.head.len(), tail: window.tail.as_ref().map_or(0, String::len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit { head: 20, tail: 10 };

    #[test]
    fn a_long_text_is_cut_between_characters_wherever_its_escapes_are() {
        for unit in ["a", "\u{e9}", "\n", "\u{1f600}", "\"\\", "x\u{1}"] {
            for shift in 0..13 {
                let text = format!("{}{}", "s".repeat(shift), unit.repeat(40_000));
                let plain = serde_json::to_string(&text).unwrap();
                let escaped: String = text.encode_utf16().map(|it| format!("\\u{it:04x}")).collect();
                for json in [plain, format!("\"{escaped}\"")] {
                    let window = Window::of_json(&json, LIMIT).unwrap();
                    assert!(text.starts_with(&window.head), "{unit:?} {shift}");
                    assert!(window.tail.is_some() && window.bytes() <= LIMIT.most(), "{unit:?} {shift}");
                }
            }
        }
    }

    #[test]
    fn half_a_character_is_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\uDE00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""a\ud83d\ud83d\ude00b""#, "a\u{fffd}\u{1f600}b"),
            (r#""\ud83d\u0041\n""#, "\u{fffd}A\n"),
            (r#""\\ud83d\\\ud83d""#, "\\ud83d\\\u{fffd}"),
            (r#""\ud83d\ude00\u00e9é""#, "\u{1f600}éé"),
        ] {
            assert_eq!(serde_json::from_str::<String>(&with_whole_characters(json)).unwrap(), expected, "{json}");
        }
        for text in [r"\ud", r"\ud83", r"\", r"\ud83é", r"é\uD+00", r"\ud83d\ud"] {
            let whole = with_whole_characters(text);
            assert_eq!(whole.replace(r"\ufffd", r"\ud83d"), text);
        }
    }

    #[test]
    fn a_text_is_shown_whole_or_by_its_beginning_and_its_end() {
        let show = |text: &str| Window::of(text, LIMIT).render("", LIMIT, &|text, part| text[part].to_owned());
        assert_eq!(show("short"), "short");
        assert_eq!(show(&"0123456789".repeat(4)), "01234567890123456789\n[... 10 bytes left out ...]\n0123456789");
        assert!(show(&"0123456789".repeat(9_000)).contains("[... 89970 bytes left out ...]"));
    }

    #[test]
    fn no_piece_of_a_secret_at_a_cut_is_shown_however_many_others_are_before_it() {
        let redactor = crate::safety::Redactor::new(&[], []).unwrap();
        let texts: String = (0..3_000).map(|at| format!("ghp_{at:04}{}\n", "a1B2".repeat(8))).collect();
        let key = format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n", "q8W9e7R6".repeat(8) + "\n");
        for (text, piece) in [(texts, "a1B2"), (key.repeat(400), "q8W9")] {
            for head in (0..2_000).step_by(37) {
                let limit = Limit { head, tail: head / 2 };
                let shown = Window::of(&text, limit).render("", limit, &|text, part| redactor.redact_part(text, part));
                assert!(!shown.contains(piece), "{head}: {shown}");
            }
        }
    }

    #[test]
    fn the_texts_of_blocks_are_joined() {
        let content = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            of_content(&raw, Limit { head: 100, tail: 0 }).head
        };
        assert_eq!(content(r#""a\nb""#), "a\nb");
        assert_eq!(content(r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#), "a\nb");
        assert_eq!(content(r#"{"exit_code":1}"#), r#"{"exit_code":1}"#);
        assert_eq!(content(r#"[{"type":"image"}]"#), "");
    }
}
