//! Makes control characters visible in text that may reach a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character controls a terminal or changes the order in which text is read: C0 and C1 controls, DEL, the
/// bidirectional formatting characters, and the separators that some programs treat as line breaks.
pub fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// `text` with every [control character](is_steering) written as an escape, such as `\u{1b}`, so that a hostile file
/// name or key cannot clear a terminal, change its title or disguise a message. Line breaks and tabs are kept.
///
/// ```
/// use loopmem_safety::escape_controls;
///
/// assert_eq!(escape_controls("a\u{1b}[2Jb\u{202e}c\td"), "a\\u{1b}[2Jb\\u{202e}c\td");
/// ```
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    escape(text, |character| is_steering(character) && character != '\n' && character != '\t')
}

/// As [`escape_controls`], for text that must stay on one line: line breaks and tabs are escaped too.
pub fn escape_controls_on_one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_steering)
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_terminal_control_is_left() {
        assert_eq!(
            escape_controls("\u{1b}]0;x\u{7}\r\n\t\u{9b}31m\u{7f}\u{202e}\u{2069}\u{61c}\u{2028}\0"),
            "\\u{1b}]0;x\\u{7}\\u{d}\n\t\\u{9b}31m\\u{7f}\\u{202e}\\u{2069}\\u{61c}\\u{2028}\\u{0}"
        );
        assert_eq!(escape_controls_on_one_line("a\nb\tc"), "a\\u{a}b\\u{9}c");
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in ["", "/tmp/日本語 – café", "👨‍👩‍👧 \\u{1b}", "a\nb\tc"] {
            assert!(matches!(escape_controls(text), Cow::Borrowed(same) if same == text));
        }
    }
}
