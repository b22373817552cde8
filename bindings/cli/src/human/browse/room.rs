//! What a room adds to the browser: how its records are edited and removed, and what it shows of a repository.

use loopmem::search::Hit;
use loopmem::undo::Removal;
use loopmem::{Error, ErrorKind, Result};

use crate::human::schema::Schema;
use crate::human::tui::{Left, Ui};
use crate::session::{Members, Session};

/// Runs a browser of the room's own on the folder that the params name.
type Open = fn(&Session<'_>, &Members, &mut Ui) -> Result<Left>;

/// Stores the fields that differ from those of a record, redacted if that is forced, and returns whether any do.
type Store = dyn Fn(&Session<'_>, Members, bool) -> Result<bool>;

/// What the browser can do with the records of a room. They are listed by `search.find`.
pub(crate) struct Browsing {
    /// How a record is changed in a form, with the params that select its repository.
    ///
    /// # Errors
    /// `Unsupported` if it cannot be; `NotFound`.
    pub(crate) edit: fn(&Session<'_>, &Members, &Hit) -> Result<Editable>,
    /// Removes a record, and returns whether it was there.
    ///
    /// # Errors
    /// `Unsupported` if it cannot be removed by itself; the method's.
    pub(crate) remove: fn(&Session<'_>, &Members, &Hit) -> Result<bool>,
    /// Whether an entry of the trash is of a record.
    pub(crate) is_of: fn(&Removal, &Hit) -> bool,
    /// What the room shows of a whole repository, for a prompt.
    pub(crate) page: Option<&'static Page>,
    /// A browser of the room's own, for the records of a folder's repository.
    pub(crate) open: Option<Open>,
}

impl Browsing {
    /// A room whose records are only read.
    pub(crate) const READ_ONLY: Browsing = Browsing {
        edit: |_, _, hit| Err(unsupported(hit, "cannot be edited")),
        remove: |_, _, hit| Err(unsupported(hit, "cannot be deleted separately")),
        is_of: |it, hit| it.record_id == hit.id && it.kind == hit.kind,
        page: None,
        open: None,
    };
}

/// What a room shows of a whole repository.
#[derive(Debug)]
pub(crate) struct Page {
    /// What it is called in the list.
    pub(crate) name: &'static str,
    /// What it is, in the list and below the prompt.
    pub(crate) about: &'static str,
    /// Whether there is something to show without a prompt.
    pub(crate) is_shown_without_prompt: bool,
    /// Makes it. It is passed the params that select the repository, and the prompt.
    pub(crate) make: fn(&Session<'_>, &Members, &str) -> Result<Shown>,
}

/// A page for a prompt.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// What is in it, and what is left out and why: lines with what they say.
    pub(crate) about: Vec<(Mark, String)>,
    /// The text that a model reads.
    pub(crate) text: String,
}

/// What a line of a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Head,
    Entry,
    Reason,
}

/// A record in a form.
pub(crate) struct Editable {
    pub(crate) schema: &'static Schema,
    /// The fields as they are.
    pub(crate) members: Members,
    /// Stores those that differ, redacted if it is forced, and returns whether any do.
    pub(crate) store: Box<Store>,
}

/// The error of what a room cannot do with a record.
pub(crate) fn unsupported(hit: &Hit, what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("a {} {what}", hit.kind)).about(&hit.id)
}
