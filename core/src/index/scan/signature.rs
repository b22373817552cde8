//! Takes the declaration of a definition from the text, on one line and without its body.

use super::definition::Kind;
use super::words::{is_word, trim_end, word};
use crate::safety::whole_words;

/// The most bytes that are kept of a signature or a name until secrets in them are redacted: a part of a secret would not be found.
const KEPT: usize = 500;
/// The most lines that are joined for a map.
const LINES: usize = 5;

/// Where signatures end in a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// What starts a comment up to the end of the line.
    pub(super) comment: &'static [u8],
    /// What starts a body: `{`, `:`, `=` after a function, or `>` for `=>`.
    pub(super) ends: &'static [u8],
    /// Whether `'` starts a string.
    pub(super) quotes: bool,
    /// Whether `:` starts the initializers of a constructor.
    pub(super) initializers: bool,
}

/// As much of `text` as is kept, without blanks at the end.
pub(super) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(whole_words(text, KEPT)).trim_end().to_owned()
}

/// The signature that starts at `from`. It ends where the body starts, at `;`, or at the first line break after `through`
/// outside parentheses. With `all` it is one of a symbol, else one of a map. `out` is a buffer.
pub(super) fn collect(
    text: &[u8],
    from: usize,
    through: usize,
    style: &Style,
    kind: Kind,
    all: bool,
    out: &mut Vec<u8>,
) -> String {
    let rest = text.get(from..).unwrap_or(&[]);
    let ends = |byte: u8| style.ends.contains(&byte);
    let function = matches!(kind, Kind::Function | Kind::Method);
    out.clear();
    let (mut round, mut square, mut curly, mut lines) = (0_usize, 0_usize, 0_usize, 1);
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        if out.len() > KEPT || at > KEPT * 8 {
            out.truncate(whole_words(out, out.len() - 1).len());
            break;
        }
        // Copy words at once.
        if is_word(byte) {
            let word = word(rest.get(at..).unwrap_or(&[])).0;
            let word = word.get(..KEPT).unwrap_or(word);
            out.extend_from_slice(word);
            at += word.len();
            continue;
        }
        let next = rest.get(at + 1).copied().unwrap_or_default();
        let outside = round == 0 && square == 0 && curly == 0;
        let comment =
            style.comment.first() == Some(&byte) && rest.get(at..).is_some_and(|rest| rest.starts_with(style.comment));
        match byte {
            _ if comment && kind != Kind::Selector => {
                let line = rest.get(at..).unwrap_or(&[]);
                at += memchr::memchr(b'\n', line).unwrap_or(line.len());
                continue;
            }
            b'\n' => {
                if round == 0 && from + at >= through || lines == LINES && !all {
                    break;
                }
                lines += 1;
                space(out);
            }
            b'/' if next == b'*' => {
                let line = rest.get(at..).unwrap_or(&[]);
                let window = line.get(..line.len().min(KEPT)).unwrap_or(line);
                let Some(end) = memchr::memmem::find(window, b"*/") else { break };
                at += end + 2;
                space(out);
                continue;
            }
            b'"' | b'\'' if byte == b'"' || style.quotes => {
                let end = string_end(rest, at, byte);
                out.extend_from_slice(rest.get(at..end).unwrap_or(&[]));
                at = end;
                continue;
            }
            b'{' if outside && ends(b'{') => break,
            b';' if outside => break,
            // The end of a block on the same line.
            b'}' if outside && all => break,
            b':' if outside && all && function && style.initializers && next != b':' && !out.ends_with(b":") => break,
            b':' if outside && ends(b':') && !matches!(kind, Kind::Constant | Kind::Variable | Kind::Field) => break,
            b'=' if outside && next == b'>' && ends(b'>') => break,
            b'=' if outside && ends(b'=') && function && next != b'=' => break,
            byte if byte.is_ascii_whitespace() || byte == 0 => space(out),
            _ => {
                match byte {
                    b'(' => round += 1,
                    b'[' => square += 1,
                    b'{' => curly += 1,
                    b')' => round = round.saturating_sub(1),
                    b']' => square = square.saturating_sub(1),
                    b'}' => curly = curly.saturating_sub(1),
                    _ => {}
                }
                if matches!(byte, b')' | b']') {
                    close(out, lines > 1);
                }
                out.push(byte);
            }
        }
        at += 1;
    }
    if all && matches!(kind, Kind::Constant | Kind::Variable | Kind::Field) {
        // What introduces a value on several lines.
        for end in [&b"= ["[..], b"= ("] {
            out.truncate(out.strip_suffix(end).map_or(out.len(), <[u8]>::len));
        }
    }
    finish(out)
}

/// A single space, but none at the start and none after an opening parenthesis.
fn space(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b' ' | b'(' | b'[')) {
        out.push(b' ');
    }
}

/// Removes what is left before a parenthesis that closes on a line of its own.
fn close(out: &mut Vec<u8>, joined: bool) {
    if out.last() == Some(&b' ') {
        out.pop();
        if joined && out.last() == Some(&b',') {
            out.pop();
        }
    }
}

/// The end of the string that starts at `at`, at most the end of its line.
fn string_end(text: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = text.get(end) {
        match byte {
            b'\n' => return end,
            b'\\' if text.get(end + 1).is_some_and(|byte| *byte != b'\n') => end += 2,
            _ if byte == quote => return end + 1,
            _ => end += 1,
        }
        if end - at > KEPT {
            break;
        }
    }
    end.min(text.len())
}

fn finish(out: &[u8]) -> String {
    let mut out = trim_end(out);
    // What introduces a body is not part of the signature.
    loop {
        let shorter = [&b"{"[..], b":", b"=", b",", b";", b" do", b" then", b" where", b" begin", b"\\"]
            .iter()
            .find_map(|end| out.strip_suffix(*end).filter(|rest| !rest.is_empty()));
        match shorter {
            Some(shorter) => out = trim_end(shorter),
            None => break,
        }
    }
    lossy(out)
}
