//! What a user does, and the keys of a browser, for its help and its last line. No I/O.

use ratatui_crossterm::crossterm::event::{KeyEvent, KeyModifiers};

/// What the user does, or is told.
#[derive(Debug)]
pub(crate) enum Input {
    Key(KeyEvent),
    Paste(String),
    /// The window was resized, or the screen was lost; it is drawn again in any case.
    Redraw,
    /// A warning of a method.
    Warned(String),
}

/// Whether a key may be a command. `d` is; Ctrl-D, with which a terminal ends its input, and Alt-D are not.
pub(crate) fn is_plain(key: KeyEvent) -> bool {
    !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}

/// A key, what it does in a word or two, and in a sentence.
pub(crate) struct Key {
    pub(crate) key: &'static str,
    /// For the last line; empty for keys that are not mentioned there.
    pub(crate) hint: &'static str,
    pub(crate) about: &'static str,
}

pub(crate) const fn key(key: &'static str, hint: &'static str, about: &'static str) -> Key {
    Key { key, hint, about }
}

/// While a form is filled in.
pub(crate) const FORM_KEYS: &[Key] = &[
    key("Enter", "store", ""),
    key("Esc", "cancel", ""),
    key("Tab", "next field", ""),
    key("Space", "next choice", ""),
    key("Alt-Enter", "new line", ""),
];

/// While searching.
pub(crate) const SEARCH_KEYS: &[Key] = &[key("Enter", "to the list", ""), key("Esc", "clear", "")];

/// The help of the command.
pub(crate) fn text(keys: &[Key]) -> String {
    let keys: String = keys.iter().map(|key| format!("\n  {:<6} {}", key.key, key.about)).collect();
    format!("Keys:{keys}\n\nColours follow NO_COLOR. The window must have at least 40 columns and 10 rows.")
}

/// As many hints as fit into a line of `width` columns.
pub(crate) fn hints(keys: &[Key], width: usize) -> String {
    let mut line = String::new();
    for key in keys.iter().filter(|key| !key.hint.is_empty()) {
        let hint = format!("{}{} {}", if line.is_empty() { "" } else { "  " }, key.key, key.hint);
        if line.len() + hint.len() > width {
            break;
        }
        line.push_str(&hint);
    }
    line
}
