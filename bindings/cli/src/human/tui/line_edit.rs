//! A text that is typed and changed at a cursor. No I/O.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::human::screen::sanitize;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// See the [module](self).
#[derive(Debug, Clone, Default)]
pub(crate) struct LineEdit {
    text: String,
    /// The position in bytes, between two graphemes.
    cursor: usize,
}

impl LineEdit {
    /// With the cursor at the end.
    pub(crate) fn new(text: &str) -> Self {
        LineEdit { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// Handles a key, and returns whether it is one that edits.
    pub(crate) fn press(&mut self, key: KeyEvent) -> bool {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let (before, after) = (self.before(), self.after());
        match key.code {
            KeyCode::Char('u') if is_control => self.remove(0, self.cursor),
            KeyCode::Char('k') if is_control => self.remove(self.cursor, self.text.len()),
            KeyCode::Char('w') if is_control => self.remove(self.word(), self.cursor),
            KeyCode::Char('a') if is_control => self.cursor = 0,
            KeyCode::Char('e') if is_control => self.cursor = self.text.len(),
            KeyCode::Char(_) if is_control || key.modifiers.contains(KeyModifiers::ALT) => return false,
            KeyCode::Char(typed) => self.insert(typed.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace => self.remove(before, self.cursor),
            KeyCode::Delete => self.remove(self.cursor, after),
            KeyCode::Left => self.cursor = before,
            KeyCode::Right => self.cursor = after,
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    /// Moves to the line above or below, and returns whether there is one.
    pub(crate) fn go_to_line(&mut self, is_above: bool) -> bool {
        let start = self.text[..self.cursor].rfind('\n').map_or(0, |end| end + 1);
        let column = self.text[start..self.cursor].graphemes(true).count();
        let target = match is_above {
            true => start.checked_sub(1).map(|end| self.text[..end].rfind('\n').map_or(0, |end| end + 1)),
            false => self.text[self.cursor..].find('\n').map(|end| self.cursor + end + 1),
        };
        let Some(target) = target else { return false };
        let line = self.text[target..].split('\n').next().unwrap_or_default();
        self.cursor = target + line.graphemes(true).take(column).map(str::len).sum::<usize>();
        true
    }

    fn remove(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, "");
        self.cursor = start;
    }

    /// Where the grapheme before the cursor begins.
    fn before(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }

    /// Where the grapheme behind the cursor ends.
    fn after(&self) -> usize {
        self.text[self.cursor..].graphemes(true).next().map_or(self.cursor, |next| self.cursor + next.len())
    }

    /// Where the word before the cursor begins.
    fn word(&self) -> usize {
        let head = self.text[..self.cursor].trim_end();
        head.rfind(char::is_whitespace)
            .map_or(0, |space| space + head[space..].chars().next().map_or(0, char::len_utf8))
    }

    /// The text in lines of at most `width` columns, and the line and column of the cursor.
    pub(crate) fn lines(&self, width: usize) -> (Vec<String>, (usize, usize)) {
        let width = width.max(2);
        let mut lines = vec![String::new()];
        let (mut column, mut place) = (0, (0, 0));
        for (start, grapheme) in self.text.grapheme_indices(true) {
            let is_break = matches!(grapheme, "\n" | "\r\n");
            let shown = if is_break { String::new() } else { sanitize(&grapheme.replace('\t', " ")) };
            let columns = shown.width();
            if column + columns > width {
                lines.push(String::new());
                column = 0;
            }
            if start == self.cursor {
                place = (lines.len() - 1, column);
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(&shown);
            }
            column += columns;
            if is_break {
                lines.push(String::new());
                column = 0;
            }
        }
        if self.cursor == self.text.len() {
            if column >= width {
                lines.push(String::new());
                column = 0;
            }
            place = (lines.len() - 1, column);
        }
        (lines, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(edit: &mut LineEdit, codes: &[KeyCode]) {
        for code in codes {
            assert!(edit.press(KeyEvent::new(*code, KeyModifiers::NONE)));
        }
    }

    fn control(edit: &mut LineEdit, key: char) {
        assert!(edit.press(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL)));
    }

    #[test]
    fn graphemes_are_deleted_as_a_whole() {
        let mut edit = LineEdit::new("a👨‍👩‍👧cafe\u{301}");
        press(&mut edit, &[KeyCode::Backspace]);
        assert_eq!(edit.text(), "a👨‍👩‍👧caf");
        press(&mut edit, &[KeyCode::Home, KeyCode::Right, KeyCode::Delete]);
        assert_eq!(edit.text(), "acaf");
        press(&mut edit, &[KeyCode::Char('é'), KeyCode::End, KeyCode::Char('!'), KeyCode::Right, KeyCode::Delete]);
        assert_eq!(edit.text(), "aécaf!");
        press(&mut edit, &[KeyCode::Home, KeyCode::Left, KeyCode::Backspace]);
        assert_eq!(edit.text(), "aécaf!");
    }

    #[test]
    fn words_and_lines_are_deleted() {
        let mut edit = LineEdit::new("one two\u{3000}three  ");
        control(&mut edit, 'w');
        assert_eq!(edit.text(), "one two\u{3000}");
        control(&mut edit, 'w');
        assert_eq!(edit.text(), "one ");
        control(&mut edit, 'a');
        control(&mut edit, 'k');
        assert_eq!(edit.text(), "");
        edit.insert("x y");
        control(&mut edit, 'u');
        assert_eq!(edit.text(), "");
    }

    #[test]
    fn the_cursor_moves_between_lines_and_keeps_its_column() {
        let mut edit = LineEdit::new("first line\nab\nthird");
        assert!(!edit.go_to_line(false) && edit.go_to_line(true));
        edit.insert("!");
        assert_eq!(edit.text(), "first line\nab!\nthird");
        assert!(edit.go_to_line(true));
        edit.insert("?");
        assert!(!edit.go_to_line(true) && edit.go_to_line(false));
        assert_eq!(edit.text(), "fir?st line\nab!\nthird");
    }

    #[test]
    fn lines_are_broken_by_columns_and_hold_the_cursor() {
        let edit = LineEdit::new("日本語ab\u{1b}\nc");
        assert_eq!(edit.lines(4), (vec!["日本".into(), "語ab".into(), "\u{fffd}".into(), "c".into()], (3, 1)));
        assert_eq!(LineEdit::new("abcd").lines(4), (vec!["abcd".into(), String::new()], (1, 0)));
        assert_eq!(LineEdit::default().lines(0), (vec![String::new()], (0, 0)));
    }
}
