//! What happens in the browser, and what it asks for.

use super::history::{Change, Step};
use crate::human::items::item::Item;
use crate::human::items::layout::Recall;
use crate::human::tui::{Input, Left};
use crate::session::Members;

/// Which items are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Filter {
    pub(super) scope: Option<&'static str>,
    pub(super) status: Option<&'static str>,
    pub(super) kind: Option<&'static str>,
    pub(super) text: String,
}

/// Something that happened: an input, or the outcome of an [`Effect`].
#[derive(Debug)]
pub(super) enum Event {
    Input(Input),
    Listed {
        items: Vec<Item>,
        /// Whether there are none only because of their status.
        has_others: bool,
    },
    /// `before` is the item before it was changed.
    Stored {
        change: Change,
        before: Option<Item>,
        item: Item,
    },
    /// The item was removed; the entry of the trash brings it back, if it is there.
    Removed {
        item: Item,
        entry: Option<String>,
    },
    /// Nothing was changed: by an edit, or because the item has the wanted status already.
    Unchanged,
    Undone {
        step: Step,
        /// The item as it is now, unless it was removed.
        item: Option<Item>,
    },
    UndoFailed {
        step: Step,
        failure: Failure,
    },
    Recalled(Recall),
    Failed(Failure),
}

/// An error to be shown.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) message: String,
    /// Whether the same call succeeds with `force`.
    pub(super) is_secret: bool,
    /// Whether the call cannot succeed later either.
    pub(super) is_final: bool,
    /// Whether another program has changed or removed the item.
    pub(super) is_stale: bool,
    /// Whether the message is shown until it is dismissed: it says where a text was kept.
    pub(super) is_kept: bool,
}

/// Something that the state cannot do by itself.
#[derive(Debug)]
pub(super) enum Effect {
    List(Filter),
    Add {
        draft: Members,
        is_forced: bool,
    },
    Edit {
        item: Item,
        wanted: Members,
        is_forced: bool,
    },
    Archive(Item),
    Restore(Item),
    Remove(Item),
    Undo(Step),
    Recall(String),
    /// Opens the editor of the user on an item, or on a new one.
    OpenEditor(Option<Item>),
    Leave(Left),
}
