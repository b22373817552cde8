//! A table that fits the terminal: columns are as wide as their contents, and the widest shrink first. No I/O.

use std::fmt::Write;

use anstyle::Style;

use crate::human::screen::{BOLD, Keep, PLAIN, columns, cut, on_one_line};

const GAP: usize = 2;
/// The width down to which flexible columns shrink before fixed ones shrink too.
const NARROW: usize = 6;
const NARROWEST: usize = 3;

/// A column.
pub(crate) struct Column {
    head: &'static str,
    style: Style,
    /// Which end of its texts is kept when they are truncated; `None` if truncated texts are useless.
    shrinks: Option<Keep>,
}

impl Column {
    /// A column that shrinks last.
    pub(crate) fn fixed(head: &'static str, style: Style) -> Self {
        Column { head, style, shrinks: None }
    }

    /// A column that shrinks first.
    pub(crate) fn flexible(head: &'static str, style: Style, keep: Keep) -> Self {
        Column { head, style, shrinks: Some(keep) }
    }
}

/// Formats a table in at most `width` terminal columns. Empty columns are left out.
pub(crate) fn table(columns_wanted: Vec<Column>, rows: Vec<Vec<String>>, width: usize) -> String {
    let rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.iter().map(|cell| on_one_line(cell)).collect()).collect();
    let cell = |row: &'_ [String], at: usize| row.get(at).cloned().unwrap_or_default();
    let wanted: Vec<(usize, Column)> = columns_wanted
        .into_iter()
        .enumerate()
        .filter(|(at, _)| rows.iter().any(|row| !cell(row, *at).is_empty()))
        .collect();
    let natural = |(at, column): &(usize, Column)| {
        rows.iter().map(|row| columns(&cell(row, *at))).max().unwrap_or(0).max(columns(column.head))
    };
    let mut widths: Vec<usize> = wanted.iter().map(natural).collect();
    let shrinks: Vec<bool> = wanted.iter().map(|(_, column)| column.shrinks.is_some()).collect();
    fit(&mut widths, &shrinks, width);

    let mut out = String::new();
    let mut line = |cells: &mut dyn Iterator<Item = (String, Style)>| {
        let last = widths.len().saturating_sub(1);
        for (at, ((text, style), width)) in cells.zip(&widths).enumerate() {
            let keep = wanted[at].1.shrinks.unwrap_or(Keep::Start);
            let text = cut(&text, *width, keep);
            // No trailing spaces, which would be copied with the line.
            let padding = if at == last { 0 } else { width.saturating_sub(columns(&text)) + GAP };
            let style = if text.is_empty() { PLAIN } else { style };
            let _ = write!(out, "{style}{text}{style:#}{:padding$}", "");
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    };
    line(&mut wanted.iter().map(|(_, column)| (column.head.to_owned(), BOLD)));
    for row in &rows {
        line(&mut wanted.iter().map(|(at, column)| (cell(row, *at), column.style)));
    }
    out
}

/// Shrinks columns until they fit: first the widest flexible one, down to a still useful width, then the widest of all.
fn fit(widths: &mut [usize], shrinks: &[bool], width: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let flexible = (0..widths.len()).filter(|at| shrinks[*at] && widths[*at] > NARROW).max_by_key(|at| widths[*at]);
        let any = || (0..widths.len()).filter(|at| widths[*at] > NARROWEST).max_by_key(|at| widths[*at]);
        let Some(widest) = flexible.or_else(any) else { return };
        widths[widest] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(rows: &[&[&str]], width: usize) -> String {
        let columns = vec![
            Column::fixed("ID", PLAIN),
            Column::flexible("WHAT", PLAIN, Keep::Start),
            Column::flexible("WHERE", PLAIN, Keep::End),
            Column::fixed("AGE", PLAIN),
        ];
        let rows = rows.iter().map(|row| row.iter().map(|&it| it.to_owned()).collect()).collect();
        anstream::adapter::strip_str(&table(columns, rows, width)).to_string()
    }

    #[test]
    fn columns_are_aligned_whatever_they_contain() {
        let rows: &[&[&str]] = &[&["1", "日本語", "core/src", "3d"], &["22", "a\nb", "", "now"]];
        assert_eq!(plain(rows, 80), "ID  WHAT    WHERE     AGE\n1   日本語  core/src  3d\n22  a b               now\n");
        assert_eq!(plain(&[&["1", "b", "", "3d"]], 80), "ID  WHAT  AGE\n1   b     3d\n");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let long = "A long line of words 日本語です that goes on and on";
        let rows: &[&[&str]] =
            &[&["019a1b2c", long, "/a/very/long/path/to/a/folder", "now"], &["1", "short", "x", "3d"]];
        for width in 20..120 {
            let shown = plain(rows, width);
            for line in shown.lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
            assert!(width < 45 || shown.contains("019a1b2c"), "{width}: {shown}");
        }
        assert!(plain(rows, 60).contains("to/a/folder"), "{}", plain(rows, 60));
    }
}
