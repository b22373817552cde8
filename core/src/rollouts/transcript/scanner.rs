//! Follows the brackets and strings of a JSON object as its bytes arrive, to find where it ends, or where it breaks off.
//!
//! That a record has the structure of an object does not say that it is valid JSON: that shows when it is parsed.

/// The deepest nesting of a record.
const MAX_DEPTH: usize = 1_000;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Key,
    KeyOrEnd,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

/// The last token before what comes next, without spaces behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A string, from its first quotation mark to behind its last one.
    String(usize, usize),
    /// An object in another one, from its first brace to behind its last one.
    Object(usize, usize),
    Other,
}

/// The state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It ends here.
    Whole(usize),
    /// It has no meaning from here on.
    Broken(usize),
    /// It is not over.
    Open,
}

/// A record that is followed. Places are counted from its first byte.
#[derive(Debug)]
pub(super) struct Scanner {
    at: usize,
    /// The brackets that are open, each with its place.
    open: Vec<(u8, usize)>,
    expected: Expected,
    last: Token,
    /// The place behind the last bracket that was opened, or of the last comma.
    separator: usize,
    /// Where the string begins that is open.
    string: Option<usize>,
    /// What is missing of an escape in it: 1 after the backslash, and 1 more for each hex digit.
    escape: u8,
    /// True within a number or a word.
    is_in_word: bool,
}

impl Scanner {
    /// At the beginning of a record.
    pub(super) fn new() -> Self {
        Scanner {
            at: 0,
            open: Vec::new(),
            expected: Expected::Value,
            last: Token::Other,
            separator: 0,
            string: None,
            escape: 0,
            is_in_word: false,
        }
    }

    pub(super) fn last(&self) -> Token {
        self.last
    }

    /// Where a record that is open can end: behind the last whole value before this place, with the brackets to add there.
    pub(super) fn end(&self) -> (usize, Vec<u8>) {
        let is_in_value = self.string.is_some() || self.is_in_word || self.expected != Expected::CommaOrEnd;
        let brackets = self.open.iter().rev().map(|(bracket, _)| if *bracket == b'{' { b'}' } else { b']' });
        (if is_in_value { self.separator } else { self.at }, brackets.collect())
    }

    /// Goes on with a record, of which this is everything so far.
    pub(super) fn follow(&mut self, record: &[u8]) -> Step {
        use Expected::{Colon, CommaOrEnd, Key, KeyOrEnd, Value, ValueOrEnd};
        loop {
            if self.at > 0 && self.open.is_empty() {
                return Step::Whole(self.at);
            }
            if let Some(from) = self.string
                && let Some(step) = self.follow_string(record, from)
            {
                return step;
            }
            let Some(&byte) = record.get(self.at) else { return Step::Open };
            let is_word = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
            let was_in_word = std::mem::replace(&mut self.is_in_word, is_word);
            match (self.expected, byte) {
                (_, b' ' | b'\t' | b'\r') => {
                    self.at += 1;
                    continue;
                }
                (Key | KeyOrEnd | Value | ValueOrEnd, b'"') => {
                    self.string = Some(self.at);
                    self.expected = if matches!(self.expected, Key | KeyOrEnd) { Colon } else { CommaOrEnd };
                }
                (Value | ValueOrEnd, b'{' | b'[') if self.open.len() < MAX_DEPTH => {
                    self.open.push((byte, self.at));
                    self.separator = self.at + 1;
                    self.expected = if byte == b'{' { KeyOrEnd } else { ValueOrEnd };
                }
                (KeyOrEnd | CommaOrEnd, b'}') | (ValueOrEnd | CommaOrEnd, b']') => match self.open.pop() {
                    Some((bracket, from)) if (bracket == b'{') == (byte == b'}') => {
                        self.at += 1;
                        self.expected = CommaOrEnd;
                        self.last = if byte == b'}' { Token::Object(from, self.at) } else { Token::Other };
                        continue;
                    }
                    _ => return Step::Broken(self.at),
                },
                (Colon, b':') => self.expected = Value,
                (CommaOrEnd, b',') => {
                    self.separator = self.at;
                    let is_object = self.open.last().is_some_and(|(bracket, _)| *bracket == b'{');
                    self.expected = if is_object { Key } else { Value };
                }
                (Value | ValueOrEnd, _) if is_word => self.expected = CommaOrEnd,
                (CommaOrEnd, _) if is_word && was_in_word => {}
                _ => return Step::Broken(self.at),
            }
            self.last = Token::Other;
            self.at += 1;
        }
    }

    /// Goes on with a string; `None` at its end.
    fn follow_string(&mut self, record: &[u8], from: usize) -> Option<Step> {
        loop {
            let Some(&byte) = record.get(self.at) else { return Some(Step::Open) };
            match (self.escape, byte) {
                (0, _) => match memchr::memchr2(b'"', b'\\', &record[self.at..]) {
                    None => self.at = record.len(),
                    Some(skipped) => {
                        self.at += skipped + 1;
                        if record[self.at - 1] == b'"' {
                            (self.string, self.last) = (None, Token::String(from, self.at));
                            return None;
                        }
                        self.escape = 1;
                    }
                },
                (1, b'u') => (self.escape, self.at) = (5, self.at + 1),
                (1, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                    (self.escape, self.at) = (0, self.at + 1);
                }
                (2.., _) if byte.is_ascii_hexdigit() => {
                    // The last digit ends it.
                    self.escape = if self.escape == 2 { 0 } else { self.escape - 1 };
                    self.at += 1;
                }
                _ => return Some(Step::Broken(self.at)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_can_end_at_every_place() {
        let whole = r#"{"a":[1.5,"x\u00e9,]",{"b":{},"c":[]},[[true],null] ],"d" : {"e":-2e3 , "f":"}"},"g":7}"#;
        let mut longest = 0;
        for at in 1..whole.len() {
            let mut scanner = Scanner::new();
            assert_eq!(scanner.follow(&whole.as_bytes()[..at]), Step::Open);
            let (length, brackets) = scanner.end();
            let ended = format!("{}{}", &whole[..length], String::from_utf8(brackets).unwrap());
            assert!(serde_json::from_str::<serde_json::Value>(&ended).is_ok(), "{ended}");
            // With every value before this place.
            assert!(length >= longest && at - length < 20, "{at} {length}");
            longest = length;
        }
    }
}
