//! Rows of tables whose value is in the cell before its name: `| … | DB_PASSWORD |`, `"…","DB_PASSWORD"`, below
//! headings such as `value;name` or without any; and rows of CSV whose value is in the cell after it.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::{self, Strength};
use crate::classify::plausibility::{self, Evidence};
use crate::detect::name::Name;
use crate::mark::tag;
use crate::text::bytes::{is_quote, line_around, run_end, run_start, slice};

/// The longest row that is read, in bytes, and how many rows above it.
const MAX_ROW: usize = 512;
const MAX_ROWS: usize = 40;
/// The longest name, in bytes.
const MAX_NAME: usize = 64;

/// Headings of a column of values, in lower case.
#[rustfmt::skip]
const VALUES: [&str; 36] = [
    "value", "values", "val", "secret", "content", "wert", "werte", "inhalt", "valor", "valores", "valeur", "valeurs",
    "contenu", "valore", "valori", "waarde", "wartość", "wartosc", "hodnota", "värde", "værdi", "verdi", "arvo",
    "значение", "значення", "değer", "τιμή", "值", "値", "값", "内容", "current value", "default", "data", "setting value",
    "actual value",
];

/// The signs between cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Byte(u8),
    /// Two or more spaces.
    Spaces,
}

/// The value in the cell before the one that ends with the word at `name`, if that is the last cell of a row.
pub(crate) fn value_before(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let word = name.place.clone();
    if !is_last(text, word.end) {
        return None;
    }
    let is_of_cell =
        |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b' ' | b'_' | b'-' | b'.');
    let from = run_start(text, word.start, MAX_NAME, |byte| is_of_cell(byte) || is_mark(byte));
    let lead = slice(text, from..word.start);
    let indent = lead.iter().take_while(|byte| **byte == b' ').count();
    let spaces = memchr::memmem::rfind(lead, b"  ").map(|at| at + 2);
    let (sign, start) = match from.checked_sub(1).and_then(|before| text.get(before)) {
        Some(byte @ (b'|' | b',' | b';' | b'\t')) if spaces.is_none_or(|at| at <= indent) => (Sign::Byte(*byte), from),
        _ => (Sign::Spaces, from + spaces?),
    };
    // In a sentence, a space follows a comma.
    if matches!(sign, Sign::Byte(b',' | b';')) && indent > 0 {
        return None;
    }
    let cell = trimmed(text, start..word.end)?;
    let strength = if cell.start < word.start { names::strength(slice(text, cell.clone())) } else { name.strength };
    let line = row_around(text, cell.start).filter(|_| strength >= Strength::Likely)?;
    let end = match sign {
        Sign::Byte(_) => from - 1,
        Sign::Spaces => start - 2,
    };
    let before = match sign {
        Sign::Byte(byte) => memchr::memrchr(byte, slice(text, line.start..end)).map(|at| at + 1),
        Sign::Spaces => memchr::memmem::rfind(slice(text, line.start..end).trim_ascii_end(), b"  ").map(|at| at + 2),
    };
    let place = trimmed(text, before.map_or(line.start, |at| line.start + at)..end)?;
    let value = slice(text, place.clone());
    // Values of columns that spaces separate have none inside.
    let is_one = sign != Sign::Spaces || !value.iter().any(u8::is_ascii_whitespace);
    let is_chosen = || plausibility::looks_like(value, Evidence::Chosen, true);
    let is_secret = is_one
        && !value.contains(&b'"')
        && !tag::starts_placeholder(value)
        && judgement::is_secret(value, Strength::Strong, Form::Data)
        && (strength == Strength::Strong || is_chosen());
    if !is_secret {
        return None;
    }
    let column = cells(slice(text, line.start..place.start), sign);
    let is_value = match heading(text, &line, sign) {
        Heading::Named(row) => is_value_heading(cell_of(slice(text, row), sign, column)),
        Heading::Other => plausibility::looks_like(value, Evidence::Credential, false),
        Heading::Absent => is_value_of_row(value, slice(text, cell), sign),
    };
    is_value.then_some(place)
}

/// The value in the cell after `name`, below a heading that says so: `name,value` and `DB_PASSWORD,…`. In a table with
/// bars, the bar between them is enough.
pub(crate) fn value_after(text: &[u8], name: &Name) -> Option<Range<usize>> {
    let word = name.place.clone();
    let close = run_end(text, word.end, 2, is_mark);
    let sign = match text.get(close) {
        Some(byte @ (b',' | b';' | b'\t')) if name.strength >= Strength::Likely => *byte,
        _ => return None,
    };
    // Only a table has no space after a comma.
    if sign != b'\t' && text.get(close + 1).is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let line = row_around(text, word.start)?;
    let open = run_start(text, word.start, 2, is_mark);
    if open > line.start && text.get(open - 1) != Some(&sign) {
        return None;
    }
    let end = memchr::memchr(sign, slice(text, close + 1..line.end)).map_or(line.end, |step| close + 1 + step);
    // The closing bracket of JSON is not part of the cell.
    let end = text
        .get(close + 2..end)
        .and_then(|rest| memchr::memmem::find(rest, b"\"}"))
        .map_or(end, |step| close + 2 + step);
    let place = trimmed(text, close + 1..end)?;
    let value = slice(text, place.clone());
    let is_chosen = || plausibility::looks_like(value, Evidence::Chosen, true);
    let is_secret = !tag::starts_placeholder(value)
        && judgement::is_secret(value, Strength::Strong, Form::Data)
        && (name.strength == Strength::Strong || is_chosen());
    let column = cells(slice(text, line.start..place.start), Sign::Byte(sign));
    let is_headed = || match heading(text, &line, Sign::Byte(sign)) {
        Heading::Named(row) => is_value_heading(cell_of(slice(text, row), Sign::Byte(sign), column)),
        _ => false,
    };
    (is_secret && is_headed()).then_some(place)
}

/// Whether the cell at `place` is in a table with bars and headings, and below one of something else than values.
pub(crate) fn is_of_other_column(text: &[u8], place: &Range<usize>) -> bool {
    let sign = Sign::Byte(b'|');
    let Some(line) = row_around(text, place.start) else { return false };
    match heading(text, &line, sign) {
        Heading::Named(row) => {
            let column = cells(slice(text, line.start..place.start), sign);
            !is_value_heading(cell_of(slice(text, row), sign, column))
        }
        Heading::Other => true,
        Heading::Absent => false,
    }
}

/// Whether nothing of the row follows its cell that ends at `at`. The row may be the last of a text in JSON, and its
/// line break may be escaped.
fn is_last(text: &[u8], at: usize) -> bool {
    let close = run_end(text, at, 3, is_mark);
    let gap = run_end(text, close, MAX_NAME, |byte| byte == b' ');
    let end = run_end(text, gap, 1, |byte| byte == b'|');
    match slice(text, end..text.len()) {
        [] | [b'\n' | b'\r', ..] | [b'\\', b'n' | b'r', ..] => true,
        [b'"', b'}' | b',' | b']', ..] => true,
        [b'}' | b']', ..] => close > at,
        _ => false,
    }
}

/// The row around `at`; `None` if it is too long.
fn row_around(text: &[u8], at: usize) -> Option<Range<usize>> {
    let line = line_around(text, at);
    let before = slice(text, line.start..at);
    // The text of a member of JSON, whose line breaks are escaped.
    let start = memchr::memmem::rfind(before, b"\\n").map(|step| step + 2).or_else(|| {
        let opens = memchr::memrchr(b':', before).filter(|_| before.starts_with(b"{"))?;
        let quote = run_end(before, opens + 1, 1, |byte| byte == b' ');
        (before.get(quote) == Some(&b'"')).then_some(quote + 1)
    });
    let start = line.start + start.unwrap_or_default();
    let end = memchr::memmem::find(slice(text, at..line.end), b"\\n").map_or(line.end, |step| at + step);
    (end - start <= MAX_ROW).then_some(start..end)
}

/// The row above the one that starts at `start`.
fn row_above(text: &[u8], start: usize) -> Option<Range<usize>> {
    let is_escaped = slice(text, 0..start).ends_with(b"\\n");
    let end = start.checked_sub(if is_escaped { 2 } else { 1 })?;
    if !is_escaped && text.get(end) != Some(&b'\n') {
        return None;
    }
    row_around(text, end).map(|row| row.start..end)
}

/// What is above the rows of a table.
enum Heading {
    /// Headings, of which one stands for the values.
    Named(Range<usize>),
    /// Other headings.
    Other,
    Absent,
}

/// The heading of the table with the row `line`.
fn heading(text: &[u8], line: &Range<usize>, sign: Sign) -> Heading {
    let count = cells(slice(text, line.clone()), sign);
    let mut top = line.start;
    let (mut heading, mut is_ruled) = (None, false);
    for _ in 0..MAX_ROWS {
        let Some(above) = row_above(text, top) else { break };
        let row = slice(text, above.clone());
        if is_rule(row) {
            let headed = row_above(text, above.start).filter(|row| cells(slice(text, row.clone()), sign) == count);
            is_ruled = headed.is_some();
            heading = headed.or(heading);
            break;
        }
        if cells(row, sign) != count {
            break;
        }
        top = above.start;
        heading = Some(above);
    }
    match heading {
        Some(row) if (0..=count).any(|column| is_value_heading(cell_of(slice(text, row.clone()), sign, column))) => {
            Heading::Named(row)
        }
        Some(_) if is_ruled => Heading::Other,
        _ => Heading::Absent,
    }
}

/// `|---|---|`, `-----+-----`
fn is_rule(row: &[u8]) -> bool {
    row.len() > 2 && row.iter().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'+' | b'=' | b'\r'))
}

/// How many signs separate the cells of `row`.
fn cells(row: &[u8], sign: Sign) -> usize {
    match sign {
        Sign::Byte(sign) => row.iter().filter(|byte| **byte == sign).count(),
        Sign::Spaces => gaps(row.trim_ascii()).count() + usize::from(row.ends_with(b"  ")),
    }
}

/// The runs of two or more spaces.
fn gaps(row: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memmem::find(slice(row, at..row.len()), b"  ")?;
        at = run_end(row, start, usize::MAX, |byte| byte == b' ');
        Some(start..at)
    })
}

/// The cell of `row` before which there are `column` signs.
fn cell_of(row: &[u8], sign: Sign, column: usize) -> &[u8] {
    match sign {
        Sign::Byte(sign) => row.split(|byte| *byte == sign).nth(column).unwrap_or_default(),
        Sign::Spaces => {
            let row = row.trim_ascii();
            let start = column.checked_sub(1).map_or(Some(0), |gap| gaps(row).nth(gap).map(|gap| gap.end));
            let end = gaps(row).nth(column).map_or(row.len(), |gap| gap.start);
            start.map(|start| slice(row, start..end)).unwrap_or_default()
        }
    }
}

fn is_value_heading(cell: &[u8]) -> bool {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || is_mark(*byte);
    let start = cell.iter().position(|byte| !is_around(byte)).unwrap_or(cell.len());
    let end = cell.iter().rposition(|byte| !is_around(byte)).map_or(start, |last| last + 1);
    let cell = slice(cell, start..end);
    cell.len() <= MAX_NAME && std::str::from_utf8(cell).is_ok_and(|cell| VALUES.contains(&cell.to_lowercase().as_str()))
}

/// Whether `value` is the secret of a setting called `name`, in a table without headings.
fn is_value_of_row(value: &[u8], name: &[u8], sign: Sign) -> bool {
    // What `sha256sum`, `git log` and `git ls-tree` print before the name of a file or a title
    let is_listed = matches!(sign, Sign::Spaces | Sign::Byte(b'\t'));
    let is_hash = is_listed && value.iter().all(u8::is_ascii_hexdigit);
    if is_hash || value.iter().any(u8::is_ascii_whitespace) {
        return false;
    }
    // `git branch -v` prints a title after the name of a branch.
    if sign == Sign::Spaces && name.contains(&b' ') {
        return false;
    }
    let is_setting = name.contains(&b'_') || memchr::memchr_iter(b'-', name).count() > 1 || name.contains(&b'.');
    match is_setting {
        true => {
            plausibility::is_stated_password(value, true) || plausibility::looks_like(value, Evidence::Generated, true)
        }
        false => plausibility::looks_like(value, Evidence::Credential, false),
    }
}

const fn is_mark(byte: u8) -> bool {
    is_quote(byte) || matches!(byte, b'*' | b'\\')
}

/// The cell at `place` without the marks around it.
fn trimmed(text: &[u8], place: Range<usize>) -> Option<Range<usize>> {
    let is_around = |byte: u8| byte.is_ascii_whitespace() || is_mark(byte);
    let start = run_end(text, place.start, place.len(), is_around);
    let end = run_start(text, place.end, place.end.saturating_sub(start), is_around);
    (start < end).then_some(start..end)
}
