//! A table that fits the terminal: columns are as wide as their contents, and the widest shrink first.

use std::fmt::Write;

use anstyle::Style;

use crate::human::screen::{BOLD, ID, Keep, PLAIN, columns, cut, is_tsv, on_one_line, width};

const GAP: usize = 2;
/// The width down to which flexible columns shrink before fixed ones shrink too.
const NARROW: usize = 6;
const NARROWEST: usize = 3;

/// A table of `rows`, to which columns are added from left to right.
pub(crate) struct Table<'r, R> {
    rows: &'r [R],
    columns: Vec<Column>,
}

struct Column {
    head: &'static str,
    style: Style,
    /// Which end of its texts is kept when they are truncated; `None` if truncated texts are useless.
    shrinks: Option<Keep>,
    /// Its texts, one for each row.
    cells: Vec<String>,
}

impl<'r, R> Table<'r, R> {
    pub(crate) fn of(rows: &'r [R]) -> Self {
        Table { rows, columns: Vec::new() }
    }

    /// Adds a column that shrinks last.
    pub(crate) fn fixed<C: Into<String>>(self, head: &'static str, style: Style, cell: impl Fn(&'r R) -> C) -> Self {
        self.column(head, style, None, cell)
    }

    /// Adds a column that shrinks first, and keeps this end of its texts.
    pub(crate) fn flexible<C: Into<String>>(
        self,
        head: &'static str,
        style: Style,
        keep: Keep,
        cell: impl Fn(&'r R) -> C,
    ) -> Self {
        self.column(head, style, Some(keep), cell)
    }

    fn column<C: Into<String>>(
        mut self,
        head: &'static str,
        style: Style,
        shrinks: Option<Keep>,
        cell: impl Fn(&'r R) -> C,
    ) -> Self {
        let cells: Vec<String> = self.rows.iter().map(|row| on_one_line(&cell(row).into())).collect();
        self.columns.push(Column { head, style, shrinks, cells });
        self
    }

    /// The table as text that fits the terminal.
    pub(crate) fn text(self) -> String {
        if is_tsv() { self.tsv() } else { self.within(width()) }
    }

    fn tsv(&self) -> String {
        let line = |row: usize| self.columns.iter().map(|column| &*column.cells[row]).collect::<Vec<_>>().join("\t");
        (0..self.rows.len()).map(|row| line(row) + "\n").collect()
    }

    /// The table in at most `width` terminal columns.
    fn within(mut self, width: usize) -> String {
        // Other programs count the columns; people do not miss an empty one.
        self.columns.retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
        let natural = |it: &Column| it.cells.iter().map(|cell| columns(cell)).max().unwrap_or(0).max(columns(it.head));
        let mut widths: Vec<usize> = self.columns.iter().map(natural).collect();
        let shrinks: Vec<bool> = self.columns.iter().map(|column| column.shrinks.is_some()).collect();
        let is_whole: Vec<bool> = self.columns.iter().map(|column| column.style == ID).collect();
        fit(&mut widths, &shrinks, &is_whole, width);

        let mut out = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = (&Column, &str, Style)>| {
            let last = widths.len().saturating_sub(1);
            for (at, ((column, text, style), width)) in cells.zip(&widths).enumerate() {
                let text = cut(text, *width, column.shrinks.unwrap_or(Keep::Start));
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
        line(&mut self.columns.iter().map(|column| (column, column.head, BOLD)));
        for row in 0..self.rows.len() {
            line(&mut self.columns.iter().map(|column| (column, &*column.cells[row], column.style)));
        }
        out
    }
}

/// Shrinks columns until they fit: first the widest flexible one, down to a still useful width, then the widest of all but
/// ids, a part of which is of no use, and those at last.
fn fit(widths: &mut [usize], shrinks: &[bool], is_whole: &[bool], width: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let flexible = (0..widths.len()).filter(|at| shrinks[*at] && widths[*at] > NARROW).max_by_key(|at| widths[*at]);
        let all = || (0..widths.len()).filter(|at| widths[*at] > NARROWEST);
        let but_ids = || all().filter(|at| !is_whole[*at]).max_by_key(|at| widths[*at]);
        let any = || all().max_by_key(|at| widths[*at]);
        let Some(widest) = flexible.or_else(but_ids).or_else(any) else { return };
        widths[widest] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(rows: &[&[&str]], width: usize) -> String {
        let table = Table::of(rows)
            .fixed("ID", PLAIN, |row| row[0])
            .flexible("WHAT", PLAIN, Keep::Start, |row| row[1])
            .flexible("WHERE", PLAIN, Keep::End, |row| row[2])
            .fixed("AGE", PLAIN, |row| row[3]);
        anstream::adapter::strip_str(&table.within(width)).to_string()
    }

    #[test]
    fn columns_are_aligned_whatever_they_contain() {
        let rows: &[&[&str]] = &[&["1", "日本語", "core/src", "3d"], &["22", "a\nb", "", "now"]];
        assert_eq!(plain(rows, 80), "ID  WHAT    WHERE     AGE\n1   日本語  core/src  3d\n22  a b               now\n");
        assert_eq!(plain(&[&["1", "b", "", "3d"]], 80), "ID  WHAT  AGE\n1   b     3d\n");
    }

    #[test]
    fn for_other_programs_a_row_is_a_line_with_tabs_that_is_never_cut() {
        let long = "word ".repeat(100);
        let rows: &[&[&str]] = &[&["1", &long, "a\tb", "now"], &["2", "x", "", "3d"]];
        let tsv = Table::of(rows).fixed("ID", PLAIN, |row| row[0]).fixed("WHAT", PLAIN, |row| row[1]);
        let tsv = tsv.fixed("WHERE", PLAIN, |row| row[2]).tsv();
        assert_eq!(tsv, format!("1\t{}\ta b\n2\tx\t\n", long.trim_end()));
    }

    #[test]
    fn an_id_is_cut_last() {
        let id = "01a21f80-6b7b-742a-aa48-0123456789ab";
        let rows: &[&[&str]] = &[&[id, "item", "the proxy listens on a port", "removed", "15 min"]];
        let table = Table::of(rows).fixed("ID", ID, |row| row[0]).fixed("KIND", PLAIN, |row| row[1]);
        let table = table.flexible("WHAT", PLAIN, Keep::Start, |row| row[2]).fixed("WHY", PLAIN, |row| row[3]);
        let shown = table.fixed("AGE", PLAIN, |row| row[4]).within(60);
        assert!(shown.contains(id), "{shown}");
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
