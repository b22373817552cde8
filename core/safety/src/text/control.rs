//! Makes control characters and invisible ones visible in text that may reach a terminal or a model.

use std::borrow::Cow;
use std::fmt::Write;

use super::invisible::is_invisible;

/// Whether a character controls a terminal or changes the order in which text is read: C0 and C1 controls, DEL, the
/// bidirectional formatting characters, and the separators that some programs treat as line breaks. Or whether people do not
/// see it although programs read it, as the tag characters, in which a whole text can be hidden. Joiners and the selectors of
/// emoji belong to ordinary text.
pub fn is_steering(character: char) -> bool {
    // Part of emoji and of words.
    let is_ordinary = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}');
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}')
        || (is_invisible(character) && !is_ordinary)
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

/// `text` with the characters for which `is_escaped` returns true written as escapes.
pub fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
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
    fn text_that_nobody_sees_is_shown() {
        let hidden: String = "run".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
        assert_eq!(
            escape_controls(&format!("a{hidden}\u{200b}\u{feff}")),
            "a\\u{e0072}\\u{e0075}\\u{e006e}\\u{200b}\\u{feff}"
        );
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in ["", "/tmp/日本語 – café", "👨‍👩‍👧 ❤️ نمی‌خواهم \\u{1b}", "a\nb\tc"]
        {
            assert!(matches!(escape_controls(text), Cow::Borrowed(same) if same == text));
        }
    }
}
