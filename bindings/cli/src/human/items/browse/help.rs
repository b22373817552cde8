//! The keys of the browser. No I/O.

use crate::human::tui::keys::{Key, key};

/// The most important ones first.
pub(super) const KEYS: &[Key] = &[
    key("?", "help", "shows this help"),
    key("q", "leave", "leaves the items; Esc too, without a message or search to clear"),
    key("/", "search", "searches as you type; Enter keeps it, Esc clears it"),
    key("a", "add", "adds an item; A in your editor"),
    key("e", "edit", "edits the item; E in your editor"),
    key("x", "archive", "archives the item, or restores it"),
    key("d", "forget", "forgets the item"),
    key("u", "undo", "undoes the last change, then the one before"),
    key("p", "prompt", "shows what a prompt recalls and why, without counting it"),
    key("s t v", "filter", "change the scope, type and status that are listed"),
    key("r", "reload", "lists the items again"),
    key("j k", "", "move, as do the arrows, Page Up and Down, g and G"),
    key("J K", "", "scroll the item if it does not fit"),
    key("Ctrl-C", "", "quits everywhere, also in a form"),
];

/// While a prompt is typed.
pub(super) const PROMPT_KEYS: &[Key] =
    &[key("Enter", "recall", ""), key("Esc", "back", ""), key("Up Down", "scroll", "")];
