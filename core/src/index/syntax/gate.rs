//! Texts that are refused before they reach a parser, because it would take too long or fail in C code.
//!
//! Both checks read the bytes once and know nothing of strings or comments. They are far from what source text
//! contains, so a refused text is data or an attack, and the scanner's definitions do for it.

use super::super::scan::Language;

/// Brackets that may be open at a time. Error recovery is cubic in the depth for some grammars. The deepest of 2,300
/// files of published source text has 194, generated, and the second deepest 89, from strings.
const MAX_DEPTH: usize = 400;

/// The longest heredoc word, and all of a line together. tree-sitter-ruby 0.23 keeps the length of a word in a byte and
/// asserts that it was not cut; its state of all open heredocs has to fit in 1,024 bytes.
const MAX_HEREDOC_WORD: usize = 200;
const MAX_HEREDOC_LINE: usize = 600;

/// Whether `text` may be given to the parser of `language`.
pub(super) fn admits(language: Language, text: &[u8]) -> bool {
    shallow(text) && (language != Language::Ruby || short_heredocs(text))
}

fn shallow(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return false;
        }
    }
    true
}

fn short_heredocs(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| {
        let mut rest = line;
        let mut total = 0;
        while let Some(at) = memchr::memmem::find(rest, b"<<") {
            rest = rest.get(at + 2..).unwrap_or_default();
            let word = match rest {
                [b'~' | b'-', word @ ..] => word,
                word => word,
            };
            let length = match word {
                // A quoted word may continue on further lines; it is too long if it does not end on this one.
                [quote @ (b'"' | b'\'' | b'`'), word @ ..] => {
                    memchr::memchr(*quote, word).unwrap_or(MAX_HEREDOC_WORD + 1)
                }
                word => word.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_' || **b >= 0x80).count(),
            };
            if length > 0 {
                total += length + 4;
            }
            if length > MAX_HEREDOC_WORD || total > MAX_HEREDOC_LINE {
                return false;
            }
        }
        true
    })
}
