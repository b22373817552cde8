//! Reads strings, characters, here documents and regular expressions.

use super::candidate::Block;
use super::lexer::{Lexer, Mode};
use super::table::{Language, Single};
use super::words::{is_word, last_word, trim_start};

/// The digits at the end of `text`, with the separators in them.
fn number(text: &[u8]) -> &[u8] {
    // A look back over more digits than a number has would take quadratic time.
    let text = text.get(text.len().saturating_sub(64)..).unwrap_or(text);
    let start = text.iter().rposition(|byte| !(is_word(*byte) || *byte == b'\'')).map_or(0, |before| before + 1);
    text.get(start..).unwrap_or(&[])
}

impl Lexer {
    /// Reads the quote at `at`. Returns where it ends, or enters another mode and returns where to go on.
    pub(super) fn quote(&mut self, line: &[u8], at: usize, quote: u8) -> usize {
        let rest = line.get(at..).unwrap_or(&[]);
        let before = line.get(..at).unwrap_or(&[]);
        let language = self.table.language;
        let triple = rest.len() >= 3 && rest.iter().take(3).all(|byte| *byte == quote);
        let verbatim = language == Language::CSharp && (before.ends_with(b"@") || before.ends_with(b"@$"));
        if triple && !verbatim && self.table.triple.contains(&quote) {
            let raw = matches!(language, Language::Kotlin | Language::Scala | Language::CSharp);
            self.mode = Mode::Text { quote, ends: (3, 0), escapes: !raw };
            return at + 3;
        }
        match quote {
            b'`' if self.is_ecma() => {
                self.mode = Mode::Template;
                at + 1
            }
            b'`' if language == Language::Go => {
                self.mode = Mode::Text { quote, ends: (1, 0), escapes: false };
                at + 1
            }
            b'\'' if self.table.single == Single::Char => char_end(line, at),
            b'\'' if self.table.single == Single::Long => {
                let dollar = before.last() == Some(&b'$');
                self.mode = Mode::Text { quote, ends: (1, 0), escapes: dollar };
                at + 1
            }
            // A separator of digits.
            b'\''
                if language == Language::Cpp
                    && number(before).first().is_some_and(u8::is_ascii_digit)
                    && rest.get(1).is_some_and(u8::is_ascii_hexdigit) =>
            {
                at + 1
            }
            b'"' if language == Language::Rust => {
                let hashes = before.iter().rev().take_while(|byte| **byte == b'#').count();
                let prefix = before.get(..before.len() - hashes).unwrap_or(&[]);
                let raw = matches!(last_word(prefix), b"r" | b"br" | b"cr");
                self.mode = Mode::Text { quote, ends: (1, if raw { hashes } else { 0 }), escapes: !raw };
                at + 1
            }
            b'"' if language == Language::Cpp && matches!(last_word(before), b"R" | b"LR" | b"uR" | b"UR" | b"u8R") => {
                let Some(open) = memchr::memchr(b'(', rest).filter(|open| *open <= 17) else { return at + 1 };
                self.tag.clear();
                self.tag.extend_from_slice(rest.get(1..open).unwrap_or(&[]));
                self.mode = Mode::Tagged { first: b')', last: b'"' };
                at + open + 1
            }
            b'"' if verbatim => {
                self.mode = Mode::Text { quote, ends: (1, 0), escapes: false };
                at + 1
            }
            b'"' if self.table.long_strings => {
                self.mode = Mode::Text { quote, ends: (1, 0), escapes: true };
                at + 1
            }
            _ => string_end(line, at + 1, quote),
        }
    }

    pub(super) fn text(&mut self, line: &[u8], from: usize, quote: u8, ends: (usize, usize), escapes: bool) -> usize {
        let (count, hashes) = ends;
        let mut at = from;
        while let Some(rest) = line.get(at..) {
            let found = if escapes { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) };
            let Some(found) = found else { break };
            at += found;
            if line.get(at) != Some(&quote) {
                at += 2;
                continue;
            }
            let rest = line.get(at..).unwrap_or(&[]);
            // A verbatim string of C# doubles its quotes.
            if self.table.language == Language::CSharp && count == 1 && !escapes && rest.get(1) == Some(&quote) {
                at += 2;
                continue;
            }
            let closes = rest.len() >= count + hashes
                && rest.iter().take(count).all(|byte| *byte == quote)
                && rest.iter().skip(count).take(hashes).all(|byte| *byte == b'#');
            if closes {
                self.mode = Mode::Code;
                self.last = quote;
                return at + count + hashes;
            }
            at += 1;
        }
        line.len()
    }

    pub(super) fn template(&mut self, line: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(found) = line.get(at..).and_then(|rest| memchr::memchr3(b'`', b'\\', b'$', rest)) {
            at += found;
            match line.get(at) {
                Some(b'`') => {
                    self.mode = Mode::Code;
                    self.last = b'`';
                    return at + 1;
                }
                Some(b'$') if line.get(at + 1) == Some(&b'{') => {
                    self.open(Block::Template);
                    // Deeper than the lexer remembers, an expression is read as text.
                    if self.deeper > 0 {
                        self.deeper -= 1;
                        at += 2;
                        continue;
                    }
                    self.mode = Mode::Code;
                    return at + 2;
                }
                Some(b'\\') => at += 2,
                _ => at += 1,
            }
        }
        line.len()
    }

    /// Enters a Lua string in brackets, if `rest` starts with one.
    pub(super) fn brackets(&mut self, rest: &[u8]) -> bool {
        let Some(inner) = rest.strip_prefix(b"[") else { return false };
        let level = inner.iter().take_while(|byte| **byte == b'=').count();
        if inner.get(level) != Some(&b'[') {
            return false;
        }
        self.tag.clear();
        self.tag.resize(level, b'=');
        self.mode = Mode::Tagged { first: b']', last: b']' };
        true
    }

    pub(super) fn tagged(&mut self, line: &[u8], from: usize, first: u8, last: u8) -> usize {
        let mut at = from;
        while let Some(found) = line.get(at..).and_then(|rest| memchr::memchr(first, rest)) {
            at += found + 1;
            let rest = line.get(at..).and_then(|rest| rest.strip_prefix(self.tag.as_slice()));
            if rest.is_some_and(|rest| rest.first() == Some(&last)) {
                self.mode = Mode::Code;
                return at + self.tag.len() + 1;
            }
        }
        line.len()
    }

    /// Keeps the tag of the here document that starts at `at`, if one does.
    pub(super) fn starts_heredoc(&mut self, line: &[u8], at: usize) {
        let Some(rest) = line.get(at..).and_then(|rest| rest.strip_prefix(b"<<")) else { return };
        let before = at.checked_sub(1).and_then(|at| line.get(at)).copied().unwrap_or(b' ');
        let language = self.table.language;
        let rest = match language {
            Language::Php => match rest.strip_prefix(b"<") {
                Some(rest) => trim_start(rest),
                None => return,
            },
            Language::Ruby => match rest.strip_prefix(b"~").or_else(|| rest.strip_prefix(b"-")) {
                Some(rest) => rest,
                None if rest.first().is_some_and(u8::is_ascii_uppercase) && before == b' ' => rest,
                None => return,
            },
            _ => trim_start(rest.strip_prefix(b"-").unwrap_or(rest)),
        };
        if before == b'<' || self.heredoc {
            return;
        }
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        let rest = rest.strip_prefix(b"'").or_else(|| rest.strip_prefix(b"\"")).unwrap_or(rest);
        let length = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let tag = rest.get(..length).unwrap_or(&[]);
        if tag.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            self.tag.clear();
            self.tag.extend_from_slice(tag);
            self.heredoc = true;
        }
    }

    pub(super) fn heredoc_line(&mut self, line: &[u8]) {
        let rest = trim_start(line).strip_prefix(self.tag.as_slice());
        if rest.is_some_and(|rest| !rest.first().copied().is_some_and(is_word)) {
            self.mode = Mode::Code;
        }
    }

    pub(super) fn starts_regex(&self, line: &[u8], at: usize) -> bool {
        if !self.is_ecma() {
            return false;
        }
        // A look back over more blanks than code has would take quadratic time.
        let before = line.get(at.saturating_sub(32)..at).unwrap_or(&[]).trim_ascii_end();
        match before.last() {
            None => !is_word(self.last) && !matches!(self.last, b')' | b']'),
            Some(b'(' | b',' | b'=' | b':' | b'[' | b'!' | b'&' | b'|' | b'?' | b'{' | b'}' | b';' | b'+' | b'~') => {
                true
            }
            Some(b'>') => before.ends_with(b"=>"),
            Some(byte) if is_word(*byte) => matches!(last_word(before), b"return" | b"typeof" | b"case" | b"in"),
            Some(_) => false,
        }
    }
}

/// The end of a string on one line; the end of the line if it is not closed.
fn string_end(line: &[u8], from: usize, quote: u8) -> usize {
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
fn char_end(line: &[u8], at: usize) -> usize {
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
