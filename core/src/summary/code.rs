//! Text with code in it, as people and models write it, on one line: prose, and code in backticks.
//!
//! Code stays as it is: its spaces are kept and nothing is added to it. A fenced block becomes one piece of code for each of its
//! lines, so that no line runs into the next.

use crate::safety::beginning;

/// What marks that something was left out.
pub(super) const CUT: char = '…';
/// How many backticks or tildes begin a block.
const FENCE: usize = 3;
/// A fence that is indented by more spaces is part of something else.
const MAX_INDENT: usize = 3;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Words with single spaces between them, and one at either end if there was white space.
    Prose(String),
    /// Code with the backticks around it.
    Code(String),
}

/// The parts of a text, without white space at its ends.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let (mut parts, mut prose, mut lines) = (Vec::new(), String::new(), text.lines());
    while let Some(line) = lines.next() {
        let Some(fence) = fence(line) else {
            prose.push_str(line);
            prose.push('\n');
            continue;
        };
        // A block without an end goes on to that of the text.
        let body = lines.by_ref().take_while(|line| !closes(line, fence)).map(str::trim_end);
        let body: Vec<&str> = body.filter(|code| !code.is_empty()).collect();
        let behind = line.trim().trim_start_matches(fence.0).trim();
        // A language says nothing without the code, and nothing else is one.
        if body.is_empty() || !is_language(behind) {
            prose.push_str(behind);
            prose.push('\n');
        }
        add_prose(&mut parts, &std::mem::take(&mut prose));
        for code in body {
            parts.extend([Part::Prose(" ".to_owned()), in_backticks(code), Part::Prose(" ".to_owned())]);
        }
    }
    add_prose(&mut parts, &prose);
    trimmed(merged(parts))
}

/// The parts of a text on one line, in which all code is in backticks.
pub(super) fn spans(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    add_prose(&mut parts, text);
    trimmed(merged(parts))
}

/// Whether what is behind a fence may be the name of a language: `sh`, `c++`.
fn is_language(behind: &str) -> bool {
    behind.chars().all(|it| it.is_alphanumeric() || "+#-_.".contains(it))
}

/// The character and the length of the fence that a line is.
fn fence(line: &str) -> Option<(char, usize)> {
    let rest = line.trim_start_matches(' ');
    let sign = rest.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
    let count = rest.chars().take_while(|it| *it == sign).count();
    let is_span = sign == '`' && rest.get(count..).is_some_and(|rest| rest.contains('`'));
    (count >= FENCE && line.len() - rest.len() <= MAX_INDENT && !is_span).then_some((sign, count))
}

fn closes(line: &str, (sign, count): (char, usize)) -> bool {
    let rest = line.trim();
    rest.len() >= count && rest.chars().all(|it| it == sign)
}

/// Code in more backticks than it has in a row.
fn in_backticks(code: &str) -> Part {
    let longest = code.split(|it| it != '`').map(str::len).max().unwrap_or_default();
    let ticks = "`".repeat(longest + 1);
    let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    Part::Code(format!("{ticks}{space}{code}{space}{ticks}"))
}

/// Adds the words and the code in backticks of `text`.
fn add_prose(parts: &mut Vec<Part>, text: &str) {
    let (mut begin, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['`', '\\'])) {
        at += found;
        let rest = &text[at..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            // A backtick behind it is one of the text.
            at += 1 + usize::from(escaped.starts_with('`'));
            continue;
        }
        let count = ticks(rest);
        let Some(length) = span(&rest[count..], count) else {
            at += count;
            continue;
        };
        add_words(parts, &text[begin..at]);
        at += count + length;
        parts.push(Part::Code(rest[..count + length].replace(['\n', '\r'], " ")));
        begin = at;
    }
    add_words(parts, &text[begin..]);
}

fn ticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The length of the code up to and with the `count` backticks that end it.
fn span(text: &str, count: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        at += found;
        let here = ticks(&text[at..]);
        at += here;
        if here == count {
            return Some(at);
        }
    }
    None
}

fn add_words(parts: &mut Vec<Part>, text: &str) {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let edge = |at: Option<char>| if at.is_some_and(char::is_whitespace) { " " } else { "" };
    let (before, after) = (edge(text.chars().next()), edge(text.chars().next_back()));
    match (words.is_empty(), text.is_empty()) {
        (true, true) => {}
        (true, false) => parts.push(Part::Prose(" ".to_owned())),
        _ => parts.push(Part::Prose(format!("{before}{words}{after}"))),
    }
}

/// Prose beside prose as one, with single spaces.
fn merged(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(Part::Prose(before)), Part::Prose(words)) => {
                let words = if before.ends_with(' ') { words.trim_start() } else { &words };
                before.push_str(words);
            }
            (_, part) => merged.push(part),
        }
    }
    merged
}

fn trimmed(mut parts: Vec<Part>) -> Vec<Part> {
    if let Some(Part::Prose(words)) = parts.first_mut() {
        *words = words.trim_start().to_owned();
    }
    if let Some(Part::Prose(words)) = parts.last_mut() {
        words.truncate(words.trim_end().len());
    }
    parts.retain(|part| !matches!(part, Part::Prose(words) if words.is_empty()));
    parts
}

/// The text of these parts.
pub(super) fn joined(parts: &[Part]) -> String {
    parts.iter().map(|(Part::Prose(text) | Part::Code(text))| text.as_str()).collect()
}

/// The text of these parts in at most `limit` bytes, with `…` at the cut. Code that does not fit is left out as a whole, unless
/// the text begins with it.
pub(super) fn shortened(parts: &[Part], limit: usize) -> String {
    let whole = joined(parts);
    if whole.len() <= limit {
        return whole;
    }
    let Some(room) = limit.checked_sub(CUT.len_utf8()) else { return String::new() };
    let mut out = String::new();
    for part in parts {
        let left = room - out.len();
        match part {
            Part::Prose(text) | Part::Code(text) if text.len() <= left => out.push_str(text),
            Part::Prose(words) => {
                out.push_str(beginning(words, left));
                break;
            }
            Part::Code(code) if out.is_empty() => {
                let count = ticks(code);
                if let (Some(most), Some(inner)) =
                    (left.checked_sub(2 * count + 1), code.get(count..code.len() - count))
                {
                    let edge = "`".repeat(count);
                    out = format!("{edge}{}{edge}", beginning(inner, most + 1));
                }
                break;
            }
            Part::Code(_) => break,
        }
    }
    out.push(CUT);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_with_words_is_never_empty(text in "[ab`~ \t\n.]{0,40}") {
            let shown = joined(&parts(&text));
            // The name of a language alone may be left out, before its code.
            prop_assert!(!text.contains(['a', 'b']) || shown.contains(['a', 'b', '`']), "{shown:?}");
        }
    }

    #[test]
    fn what_is_behind_a_fence_is_kept_unless_it_is_a_language() {
        for (text, expected) in [
            ("~~~ done with it", "done with it"),
            ("Log:\n```error: boom\nx\n```", "Log: error: boom `x`"),
            ("```sh\nls\n```", "`ls`"),
            ("```sh", "sh"),
        ] {
            assert_eq!(on_one_line(text), expected, "{text}");
        }
    }

    fn on_one_line(text: &str) -> String {
        joined(&parts(text))
    }

    #[test]
    fn prose_is_put_on_one_line_and_code_stays_as_it_is() {
        for (text, expected) in [
            ("  Ran  the\n tests ", "Ran the tests"),
            ("Ran `cargo  test  --all`  twice", "Ran `cargo  test  --all` twice"),
            ("``a ` b`` and `c`", "``a ` b`` and `c`"),
            ("A \\` and  a lone ` too", "A \\` and a lone ` too"),
            ("Wrote `a\nb`", "Wrote `a b`"),
            ("Ran\n```sh\ncargo test\n```\nwith  success", "Ran `cargo test` with success"),
            ("```\necho `date`\n```", "`` echo `date` ``"),
            ("Ran ```cargo test``` again", "Ran ```cargo test``` again"),
            ("~~~\na\n~~~", "`a`"),
            ("Nothing:\n```\n\n```\nat all", "Nothing: at all"),
        ] {
            assert_eq!(on_one_line(text), expected, "{text}");
        }
    }

    #[test]
    fn a_block_keeps_its_lines_whether_it_is_closed_or_not() {
        let block = "```python\nfor x in y:\n    run(x)\n\n```";
        let code = "`for x in y:` `    run(x)`";
        assert_eq!(
            on_one_line(&format!("Added  this:\n{block}\n\nand  ran it")),
            format!("Added this: {code} and ran it")
        );
        assert_eq!(on_one_line(block), code);
        assert_eq!(on_one_line("Begun:\n```\na\nb"), "Begun: `a` `b`");
    }

    #[test]
    fn a_cut_leaves_code_whole_or_out() {
        let cut = |text: &str, limit| shortened(&parts(text), limit);
        assert_eq!(cut("Ran `cargo test --workspace`", 14), "Ran …");
        assert_eq!(cut("`cargo test --workspace`", 14), "`cargo tes`…");
        assert_eq!(cut("Added\n```\none\ntwo\nthree\n```", 20), "Added `one` `two`…");
        assert_eq!(cut("Ran all of the tests", 10), "Ran all…");
    }

    proptest! {
        #[test]
        fn a_text_is_put_on_one_line_once_and_shortened_to_its_limit(
            text in "([a-z .\n]{0,9}|`{1,4}|~~~|```sh\n|\n```\n|é|漢){0,30}",
            limit in 0..120_usize,
        ) {
            let whole = on_one_line(&text);
            prop_assert!(!whole.contains('\n'), "{whole:?}");
            prop_assert_eq!(whole.trim(), &whole);
            let short = shortened(&parts(&text), limit);
            prop_assert!(short.len() <= limit, "{} of {limit}: {short:?}", short.len());
        }
    }
}
