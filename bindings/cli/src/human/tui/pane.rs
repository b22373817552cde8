//! Texts that may be longer than their place on the screen: breaking them into lines, and how far they are scrolled. No
//! I/O.

use ratatui_crossterm::crossterm::event::KeyCode;
use unicode_segmentation::UnicodeSegmentation;

use crate::human::screen::columns;

/// How many entries of a list, or lines of a text, Page Up and Page Down move by.
pub(crate) const PAGE: usize = 10;

/// Which entry of a list a key selects, from the one at `at`; `None` for a key that selects none.
pub(crate) fn selection(key: KeyCode, at: usize, last: usize) -> Option<usize> {
    match key {
        KeyCode::Down | KeyCode::Char('j') => Some((at + 1).min(last)),
        KeyCode::Up | KeyCode::Char('k') => Some(at.saturating_sub(1)),
        KeyCode::PageDown => Some((at + PAGE).min(last)),
        KeyCode::PageUp => Some(at.saturating_sub(PAGE)),
        KeyCode::Home | KeyCode::Char('g') => Some(0),
        KeyCode::End | KeyCode::Char('G') => Some(last),
        _ => None,
    }
}

/// How far the text on the screen is scrolled.
#[derive(Debug, Default)]
pub(crate) struct Scroll {
    at: usize,
    /// How far it can be, as it was drawn last.
    most: usize,
}

impl Scroll {
    /// How many lines are above the window.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn down(&mut self, lines: usize) {
        self.at = self.at.saturating_add(lines).min(self.most);
    }

    pub(crate) fn up(&mut self, lines: usize) {
        self.at = self.at.saturating_sub(lines);
    }

    pub(crate) fn start(&mut self) {
        self.at = 0;
    }

    pub(crate) fn end(&mut self) {
        self.at = self.most;
    }

    /// Limits it to what there was to draw.
    pub(crate) fn limit(&mut self, most: usize) {
        self.most = most;
        self.at = self.at.min(most);
    }
}

/// The text in lines of at most `width` columns, broken between words, and in words that are longer than that.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = vec![String::new()];
    let mut taken = 0;
    for piece in text.split_inclusive(' ') {
        let word = columns(piece.trim_end_matches(' '));
        if taken > 0 && taken + word > width {
            lines.push(String::new());
            taken = 0;
        }
        for grapheme in piece.graphemes(true) {
            let wide = columns(grapheme);
            if taken + wide > width {
                // A space at the end of a line is not needed in the next one.
                if grapheme == " " {
                    continue;
                }
                lines.push(String::new());
                taken = 0;
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(grapheme);
            }
            taken += wide;
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end_matches(' ').len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_in_long_ones() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  indented text", 10), ["  indented", "text"]);
        assert_eq!(wrap("a /tmp/loopmem-x/item.md b", 8), ["a", "/tmp/loo", "pmem-x/i", "tem.md b"]);
        assert_eq!(wrap("日本語です ok", 5), ["日本", "語で", "す ok"]);
        assert_eq!((wrap("", 5), wrap("abc", 0)), (vec![String::new()], vec!["ab".to_owned(), "c".to_owned()]));
        for width in 2..30 {
            for line in wrap("A text 日本語 with 👨‍👩‍👧 and   gaps, and-one-very-long-word-without-a-break.", width)
            {
                assert!(columns(&line) <= width, "{width}: {line:?}");
            }
        }
    }

    #[test]
    fn a_text_is_scrolled_to_its_end_only() {
        let mut scroll = Scroll::default();
        scroll.down(1);
        assert_eq!(scroll.at(), 0, "nothing was drawn yet");
        scroll.limit(3);
        scroll.down(10);
        assert_eq!(scroll.at(), 3);
        scroll.up(1);
        assert_eq!(scroll.at(), 2, "no key is needed to get back to the end first");
        scroll.limit(1);
        assert_eq!(scroll.at(), 1);
    }
}
