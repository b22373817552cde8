//! The keys of the browser, for its help and its last line. No I/O.

/// A key, what it does in a word or two, and in a sentence.
pub(super) struct Key {
    pub(super) key: &'static str,
    /// For the last line; empty for keys that are not mentioned there.
    pub(super) hint: &'static str,
    pub(super) about: &'static str,
}

const fn key(key: &'static str, hint: &'static str, about: &'static str) -> Key {
    Key { key, hint, about }
}

/// The most important ones first.
pub(super) const KEYS: &[Key] = &[
    key("?", "help", "shows this help"),
    key("q", "quit", "quits; Esc too, without a message or search to clear"),
    key("/", "search", "searches as you type; Enter keeps it, Esc clears it"),
    key("a", "add", "adds an item; A in your editor"),
    key("e", "edit", "edits the item; E in your editor"),
    key("x", "archive", "archives the item, or restores it"),
    key("u", "undo", "undoes the last change, then the one before"),
    key("p", "prompt", "shows what a prompt recalls, without counting it"),
    key("s t v", "filter", "change the scope, type and status that are listed"),
    key("r", "reload", "lists the items again"),
    key("j k", "", "move, as do the arrows, Page Up and Down, g and G"),
    key("J K", "", "scroll the item if it is longer than its place"),
    key("Ctrl-C", "", "quits everywhere, also in a form"),
];

/// While an item is added or edited.
pub(super) const ENTRY_KEYS: &[Key] = &[
    key("Enter", "store", ""),
    key("Esc", "cancel", ""),
    key("Tab", "next field", ""),
    key("Space", "next choice", ""),
];

/// While a prompt is typed.
pub(super) const PROMPT_KEYS: &[Key] =
    &[key("Enter", "recall", ""), key("Esc", "back", ""), key("Up Down", "scroll", "")];

/// While searching.
pub(super) const SEARCH_KEYS: &[Key] = &[key("Enter", "to the list", ""), key("Esc", "clear", "")];

/// The help of the command.
pub(super) fn text() -> String {
    let keys: String = KEYS.iter().map(|key| format!("\n  {:<6} {}", key.key, key.about)).collect();
    format!("Keys:{keys}\n\nColours follow NO_COLOR. The window must have at least 40 columns and 10 rows.")
}

/// As many hints as fit into a line of `width` columns.
pub(super) fn hints(keys: &[Key], width: usize) -> String {
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
