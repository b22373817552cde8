//! The keys of the browser. No I/O.

use crate::human::tui::keys::{Key, key};

/// The most important ones first.
pub(super) const KEYS: &[Key] = &[
    key("?", "help", "shows this help"),
    key("q", "quit", "quits"),
    key("Enter", "open", "opens what is selected: a repository, a room, a record, a page"),
    key("Esc", "back", "hides a message, clears the search, goes back; at the home, quits"),
    key("/", "search", "searches as you type: in the room, the repository, or everywhere"),
    key("e", "edit", "edits the record; E in your editor"),
    key("d", "forget", "forgets the record"),
    key("u", "undo", "undoes the last change, then the one before"),
    key("b", "", "restores what is selected among what was removed"),
    key("r", "reload", "lists everything again"),
    key("j k", "", "move, as do the arrows, Page Up and Down, g and G"),
    key("J K", "", "scroll the record if it does not fit"),
    key("Ctrl-C", "", "quits everywhere, also in a form"),
];

/// Among what was removed.
pub(super) const TRASH_KEYS: &[Key] = &[
    key("?", "help", ""),
    key("q", "quit", ""),
    key("Enter", "show", ""),
    key("Esc", "back", ""),
    key("b", "restore", ""),
    key("/", "search", ""),
];

/// While something that was removed is read.
pub(super) const REMOVED_KEYS: &[Key] = &[key("Esc", "back", ""), key("b", "restore", ""), key("j k", "scroll", "")];

/// While a record is read.
pub(super) const READ_KEYS: &[Key] =
    &[key("Esc", "back", ""), key("e", "edit", ""), key("d", "forget", ""), key("j k", "scroll", "")];

/// While a prompt is typed.
pub(super) const PAGE_KEYS: &[Key] = &[key("Enter", "show", ""), key("Esc", "back", ""), key("Up Down", "scroll", "")];
