//! Tables with a secret's name as a heading: the cells below it, in Markdown, in CSV and in the output of databases.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::classify::plausibility;
use crate::detect::name::Name;
use crate::mark::tag;
use crate::text::bytes::{line_around, run_end, slice};

/// The maximum number of columns.
const MAX_COLUMNS: usize = 64;
/// The most blanks after a heading, in bytes.
const MAX_PADDING: usize = 160;
/// The maximum number of rows to read.
const MAX_ROWS: usize = 200;

/// The cells below the heading `name`, if it is one.
pub(crate) fn below(text: &[u8], name: &Name, found: &mut impl FnMut(Range<usize>)) {
    // Most names are not a cell.
    let after = run_end(text, name.place.end, MAX_PADDING, |byte| byte == b' ' || matches!(byte, b'"' | b'*' | b'`'));
    if !matches!(text.get(after), None | Some(b'|' | b',' | b'\t' | b';' | b'\n' | b'\r')) {
        return;
    }
    let heading = line_around(text, name.place.start);
    let line = slice(text, heading.clone());
    let rule = line_around(text, text.len().min(heading.end + 1));
    // `psql` draws no bars at the edges.
    let is_ruled = || is_rule(slice(text, rule.clone())) && line.contains(&b'|');
    let Some(separator) = separator(line).or_else(|| is_ruled().then_some(b'|')) else { return };
    let is_separator = |byte: &&u8| **byte == separator;
    let column = slice(text, heading.start..name.place.start).iter().filter(is_separator).count();
    let columns = line.iter().filter(is_separator).count();
    // A row below similar rows is not a heading.
    let above = heading.start.checked_sub(1).map_or(0..0, |end| line_around(text, end));
    // Neither is one with a value, or what is left of one, in another cell.
    let is_data = |cell: &[u8]| {
        let cell = slice(cell, trimmed(cell, 0..cell.len()));
        let digits = cell.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = cell.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80).count();
        digits + letters == 0 || digits > letters || digits > 1 && plausibility::is_stated_password(cell, true)
    };
    if separator != b'|' && line.split(|byte| *byte == separator).any(is_data) {
        return;
    }
    if columns > MAX_COLUMNS || slice(text, above).iter().filter(is_separator).count() == columns {
        return;
    }
    // The cell as a whole names the column.
    let cell = trimmed(text, cell(text, &heading, separator, column));
    let strength = names::strength(slice(text, cell.clone()));
    if cell.end < name.place.end || strength == Strength::None {
        return;
    }
    // The first column names what the rows describe, as a list of secrets of Kubernetes does.
    let is_first = slice(text, heading.start..cell.start).iter().all(|byte| matches!(byte, b'|' | b' ' | b'`' | b'"'));
    let may_be_names = is_first && slice(text, cell.clone()).eq_ignore_ascii_case(b"secret");
    let mut at = heading.end + 1;
    for _ in 0..MAX_ROWS {
        if at >= text.len() {
            return;
        }
        let row = line_around(text, at);
        at = row.end + 1;
        if is_rule(slice(text, row.clone())) {
            continue;
        }
        if slice(text, row.clone()).iter().filter(is_separator).count() != columns {
            return;
        }
        let cell = trimmed(text, self::cell(text, &row, separator, column));
        let value = slice(text, cell.clone());
        let is_name = may_be_names
            && value.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
            && !plausibility::is_random(value);
        let is_secret =
            !is_name && !tag::starts_placeholder(value) && judgement::is_secret(value, strength, Form::Data);
        if is_secret {
            found(cell);
        }
    }
}

/// The cells below all headings of the line whose first separator is at `at`.
pub(crate) fn below_headings(text: &[u8], at: usize, found: &mut impl FnMut(Range<usize>)) {
    let line = line_around(text, at);
    let Some(&sign) = text.get(at) else { return };
    if slice(text, line.start..at).contains(&sign) || separator(slice(text, line.clone())) != Some(sign) {
        return;
    }
    let mut start = line.start;
    while start <= line.end {
        let end = memchr::memchr(sign, slice(text, start..line.end)).map_or(line.end, |step| start + step);
        let cell = trimmed(text, start..end);
        if !cell.is_empty() {
            let strength = names::strength(slice(text, cell.clone()));
            if strength > Strength::None {
                below(text, &Name { place: cell, strength }, found);
            }
        }
        start = end + 1;
    }
}

/// Whether the line around `at` is the heading of a Markdown table.
pub(crate) fn is_heading(text: &[u8], at: usize) -> bool {
    let below = line_around(text, at).end + 1;
    is_rule(slice(text, line_around(text, below.min(text.len()))))
}

/// Whether `line` separates the heading of a table from its rows, or is the edge of a box.
fn is_rule(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'=' | b'\r')) && line.contains(&b'-')
}

/// Whether the line around the bar at `at` is a row of a table, and not two commands.
pub(crate) fn is_row(text: &[u8], at: usize) -> bool {
    let line = line_around(text, at);
    // No more than three matter, and a line may be long.
    let bars = |line: Range<usize>| memchr::memchr_iter(b'|', slice(text, line)).take(3).count();
    let own = bars(line.clone());
    // A row within other text, such as a string of JSON, has bars at both ends.
    if own >= 3 || slice(text, line.clone()).trim_ascii_start().starts_with(b"|") {
        return true;
    }
    let above = line.start.checked_sub(1).map(|end| line_around(text, end));
    let below = (line.end < text.len()).then(|| line_around(text, line.end + 1));
    let is_rule = |line: &Range<usize>| slice(text, line.clone()).windows(3).any(|it| matches!(it, b"-+-" | b"-|-"));
    [above, below].into_iter().flatten().any(|beside| is_rule(&beside) || bars(beside) == own)
}

/// The separator of the cells in `line`: `|` in Markdown, or a comma, semicolon or tab between plain words.
fn separator(line: &[u8]) -> Option<u8> {
    if line.trim_ascii_start().starts_with(b"|") {
        return Some(b'|');
    }
    let is_of_heading = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-' | b',' | b';' | b'\t' | b'\r' | b'"' | b' ' | b'.' | b'\'' | 0x80..)
    };
    let is_heading = line.iter().all(is_of_heading)
        && line.first().is_some_and(|first| first.is_ascii_alphanumeric() || *first == b'"' || *first >= 0x80)
        && !line.windows(2).any(|pair| pair == b", ");
    let parts = |separator: &u8| {
        line.split(|byte| byte == separator).count() >= 2
            && line.split(|byte| byte == separator).all(|cell| !cell.trim_ascii().is_empty())
    };
    [b',', b'\t', b';'].into_iter().find(|separator| is_heading && parts(separator))
}

fn cell(text: &[u8], row: &Range<usize>, separator: u8, column: usize) -> Range<usize> {
    let mut start = row.start;
    for _ in 0..column {
        start = memchr::memchr(separator, slice(text, start..row.end)).map_or(row.end, |step| start + step + 1);
    }
    let end = memchr::memchr(separator, slice(text, start..row.end)).map_or(row.end, |step| start + step);
    start..end
}

fn trimmed(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'`' | b'"' | b'\'');
    let value = slice(text, cell.clone());
    let start = value.iter().position(|byte| !is_mark(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_mark(byte)).map_or(start, |last| last + 1);
    // The row may be the last of a text in JSON.
    let value = slice(value, start..end);
    let end = start + value.strip_suffix(b"\"}").map_or(value.len(), |value| value.trim_ascii_end().len());
    cell.start + start..cell.start + end
}
