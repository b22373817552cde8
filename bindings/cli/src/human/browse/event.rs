//! What happens in the browser, and what it asks for.

use loopmem::search::Hit;

use super::room::{Page, Shown};
use crate::human::schema::Schema;
use crate::human::tui::{Input, Left};
use crate::session::Members;

/// A repository whose memory is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    /// The params that select it.
    pub(super) params: Members,
    /// Its folder or, without one, the beginning of its hash; and its branch.
    pub(super) name: String,
    /// Its folder, if it is there.
    pub(super) folder: Option<String>,
}

/// Where the browser is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Among all repositories.
    Home,
    /// In a repository, among its rooms.
    Repo(Known),
    /// Among the records of a room.
    Room(Known, String),
    /// Among what was removed or replaced.
    Trash(Known),
    /// Among the records of the home that belong to no repository.
    Rest,
}

impl Place {
    /// The repository that it is in.
    pub(super) fn repo(&self) -> Option<&Known> {
        match self {
            Place::Home | Place::Rest => None,
            Place::Repo(known) | Place::Room(known, _) | Place::Trash(known) => Some(known),
        }
    }
}

/// What is in a list.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) kind: String,
    pub(super) label: String,
    /// Whether the end of the label matters more than its beginning: that of a path.
    pub(super) keeps_end: bool,
    /// How much there is of it, or why it is here; empty if that says nothing.
    pub(super) state: String,
    /// When it was changed last, RFC 3339; empty if that is not known.
    pub(super) time: String,
    /// Its id, and its text.
    pub(super) id: String,
    pub(super) text: String,
    /// What else is known of it: names and values.
    pub(super) details: Vec<(&'static str, String)>,
    pub(super) opens: Opens,
}

impl Row {
    /// What is not a record: a repository, a room, a page.
    pub(super) fn entry(kind: &str, label: String, state: String, opens: Opens) -> Self {
        Row {
            kind: kind.to_owned(),
            label,
            keeps_end: false,
            state,
            time: String::new(),
            id: kind.to_owned(),
            text: String::new(),
            details: Vec::new(),
            opens,
        }
    }

    /// Identifies it among all rows.
    pub(super) fn key(&self) -> String {
        match &self.opens {
            Opens::Record(hit) => key_of(hit),
            Opens::Removal(entry) => entry.clone(),
            _ => self.id.clone(),
        }
    }
}

/// See [`Row::key`].
pub(super) fn key_of(it: &Hit) -> String {
    let place = it.repo_hash.as_deref().or(it.folder.as_deref()).unwrap_or_default();
    format!("{}\n{}\n{}\n{place}", it.room, it.kind, it.id)
}

/// What is behind a row.
#[derive(Debug, Clone)]
pub(super) enum Opens {
    Place(Place),
    /// A browser of the room's own.
    Room(Known, String),
    Page(Known, &'static Page),
    Record(Box<Hit>),
    /// An entry of the trash.
    Removal(String),
}

/// A change.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// What was done: `forgotten note: The CI box is slow`.
    pub(super) what: String,
    /// The entries of the trash that undo it; empty if none can.
    pub(super) entries: Vec<String>,
    /// The record, and when it was changed last; `None` if it was removed. Undoing must not overwrite what others have changed since.
    pub(super) hit: Box<Hit>,
    pub(super) changed_at: Option<String>,
}

/// Something that happened: an input, or the outcome of an [`Effect`].
#[derive(Debug)]
pub(super) enum Event {
    Input(Input),
    Listed {
        /// For which place and text.
        place: Place,
        text: String,
        rows: Vec<Row>,
        /// What could not be read.
        fault: Option<String>,
    },
    Shown(Shown),
    /// A record that can be changed in a form.
    Opened {
        hit: Box<Hit>,
        schema: &'static Schema,
        members: Members,
    },
    /// A record was edited or forgotten.
    Changed(Step),
    Unchanged,
    Undone(Step),
    /// An entry of the trash was brought back: what it is.
    BroughtBack(String),
    UndoFailed {
        step: Step,
        message: String,
        /// Whether it would fail again.
        is_final: bool,
    },
    Failed {
        message: String,
        /// Whether the same call succeeds with `force`.
        is_secret: bool,
        /// Whether what is listed has changed meanwhile.
        is_stale: bool,
        /// Whether the message is shown until it is dismissed: it says where a text was kept.
        is_kept: bool,
    },
    /// A browser of a room's own was left.
    Back,
}

/// Something that the state cannot do by itself.
#[derive(Debug)]
pub(super) enum Effect {
    List {
        place: Place,
        text: String,
    },
    Show {
        known: Known,
        page: &'static Page,
        prompt: String,
    },
    /// Opens the browser of a room's own.
    OpenRoom(Known, String),
    /// Reads a record for a form.
    Open(Box<Hit>),
    Edit {
        hit: Box<Hit>,
        wanted: Members,
        is_forced: bool,
    },
    Remove(Box<Hit>),
    /// Opens the editor of the user on a record.
    OpenEditor(Box<Hit>),
    BringBack(String),
    Undo(Step),
    Leave(Left),
}
