//! What the memory tool does with the text of a file, word for word as Anthropic's SDKs do.

use std::ops::Range;

use super::path::ToolPath;
use super::sdk::Sdk;
use crate::error::{Error, Result};

/// The maximum number of lines of a file that is shown.
const MAX_LINES: usize = 999_999;
/// The width of the number of a line.
const NUMBER_WIDTH: usize = 6;
/// How many lines of context are shown before and behind a change.
const CONTEXT: usize = 2;

/// A change of a file, and what is answered to it.
pub(super) struct Edited {
    /// The new text.
    pub(super) text: String,
    /// The line of the change that is shown in the answer, from 0.
    shown: Option<usize>,
}

impl Edited {
    /// The answer, when `text` was stored.
    pub(super) fn answer(&self, path: &ToolPath<'_>, text: &str) -> String {
        let Some(line) = self.shown else { return format!("The file {path} has been edited.") };
        let lines: Vec<&str> = text.split('\n').collect();
        let shown = line.saturating_sub(CONTEXT)..lines.len().min(line + CONTEXT + 1);
        let snippet = with_numbers(&lines, shown);
        format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )
    }
}

/// A file with the numbers of its lines.
///
/// # Errors
/// `ValidationError` for more lines than are shown.
pub(super) fn numbered(sdk: Sdk, path: &ToolPath<'_>, text: &str, range: Option<[i64; 2]>) -> Result<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MAX_LINES {
        return Err(Error::validation(match sdk {
            Sdk::Python => format!("File {path} exceeds maximum line limit of 999,999 lines."),
            Sdk::TypeScript => {
                format!("File {path} has too many lines ({}). Maximum is 999,999 lines.", lines.len())
            }
        }));
    }
    let shown = range.map_or(0..lines.len(), |range| slice(range, lines.len()));
    Ok(format!("Here's the content of {path} with line numbers:\n{}", with_numbers(&lines, shown)))
}

/// The indexes of the lines of a range, as a slice of a list in Python or JavaScript has them: a negative end counts from the end
/// of the list.
fn slice([first, last]: [i64; 2], count: usize) -> Range<usize> {
    let start = usize::try_from(first.max(1) - 1).unwrap_or(usize::MAX).min(count);
    let end = match usize::try_from(last) {
        Ok(end) => end.min(count),
        Err(_) if last == -1 => count,
        Err(_) => count.saturating_sub(usize::try_from(last.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    start..end.max(start)
}

fn with_numbers(lines: &[&str], shown: Range<usize>) -> String {
    let first = shown.start + 1;
    let shown = lines.get(shown).unwrap_or_default().iter().enumerate();
    let numbered: Vec<_> = shown.map(|(at, line)| format!("{:>NUMBER_WIDTH$}\t{line}", first + at)).collect();
    numbered.join("\n")
}

/// A text with another one in the place of `old`.
///
/// # Errors
/// `ValidationError` unless `old` is in it once.
pub(super) fn replaced(sdk: Sdk, path: &ToolPath<'_>, text: &str, old: &str, new: &str) -> Result<Edited> {
    let lines = match sdk {
        Sdk::Python if text.matches(old).nth(1).is_none() => {
            text.find(old).map(|at| line_of(text, at)).into_iter().collect()
        }
        Sdk::Python => occurrences(text, old),
        // Line by line, so that a text with a line break is not found, and two in one line count once.
        Sdk::TypeScript => {
            text.split('\n').enumerate().filter(|(_, line)| line.contains(old)).map(|(at, _)| at).collect()
        }
    };
    match *lines {
        [line] => Ok(Edited { text: text.replacen(old, new, 1), shown: Some(line) }),
        [] => {
            let message = format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}.");
            Err(Error::validation(message))
        }
        _ => {
            let lines: Vec<_> = lines.iter().map(|line| (line + 1).to_string()).collect();
            Err(Error::validation(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                lines.join(", ")
            )))
        }
    }
}

/// The lines in which a text begins, from 0, also where it overlaps itself.
fn occurrences(text: &str, of: &str) -> Vec<usize> {
    let (mut lines, mut line) = (Vec::new(), 0);
    for (at, character) in text.char_indices().map(|(at, it)| (at, Some(it))).chain([(text.len(), None)]) {
        if text.get(at..).is_some_and(|rest| rest.starts_with(of)) {
            lines.push(line);
        }
        line += usize::from(character == Some('\n'));
    }
    lines
}

/// The line of a place in a text, from 0.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// A text with another one behind the line with this number.
///
/// # Errors
/// `ValidationError` if there is no such line.
pub(super) fn inserted(sdk: Sdk, text: &str, line: i64, new: &str) -> Result<Edited> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    // The SDK for Python does not count the end of the last line as a line, and ends every file with one.
    if sdk == Sdk::Python && lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let Some(at) = usize::try_from(line).ok().filter(|at| *at <= lines.len()) else {
        let count = lines.len();
        let expected = match sdk {
            Sdk::Python => format!("within the range [0, {count}]."),
            Sdk::TypeScript => format!("within the range of lines of the file: [0, {count}]"),
        };
        return Err(Error::validation(format!("Invalid `insert_line` parameter: {line}. It should be {expected}")));
    };
    lines.insert(
        at,
        match sdk {
            Sdk::Python => new.trim_end_matches('\n'),
            Sdk::TypeScript => new.strip_suffix('\n').unwrap_or(new),
        },
    );
    let mut text = lines.join("\n");
    if sdk == Sdk::Python && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Edited { text, shown: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_that_of_a_slice() {
        let cases = [
            ([1, -1], 0..3),
            ([2, 2], 1..2),
            ([0, 9], 0..3),
            ([-4, 1], 0..1),
            ([3, 1], 2..2),
            ([1, -2], 0..1),
            ([9, -1], 3..3),
        ];
        for (range, expected) in cases {
            assert_eq!(slice(range, 3), expected, "{range:?}");
        }
        assert_eq!(slice([i64::MAX, i64::MIN], 3), 3..3);
    }

    #[test]
    fn occurrences_overlap_and_are_counted_by_line() {
        assert_eq!(occurrences("aaa\naa", "aa"), [0, 0, 1]);
        assert_eq!(occurrences("é\n", ""), [0, 0, 1]);
    }
}
