//! What a storage of items provides. The rules of items are the same for all of them, in [`store`](super::store).

use std::fmt::Debug;
use std::path::Path;
use std::sync::RwLockReadGuard;

use super::collection::State;
use super::place::Place;
use super::record::Item;
use crate::disk::Stored;
use crate::error::{ErrorKind, Result};
use crate::finding::Examination;

/// A storage of items.
pub(super) trait Backend: Debug + Send + Sync {
    /// Where it is.
    fn place(&self) -> &Place;

    /// What is known of the items, up to date.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    fn state(&self) -> Result<RwLockReadGuard<'_, State>>;

    /// Makes the changes that `decide` returns, together and durably. Nothing else is changed in between.
    ///
    /// # Errors
    /// The error of `decide`, in which case nothing is changed; those of [`state`](Self::state); `RenameError`.
    fn edit(&self, decide: Decide) -> Result<()>;

    /// Makes the index again when it is next used, because it is damaged.
    fn reindex(&self);

    /// Checks the storage, and with `fix` repairs it.
    ///
    /// # Errors
    /// `Cancelled`.
    fn examine(&self, fix: bool) -> Result<Examination>;
}

/// The items of a draft, as the state of its storage knows them.
pub(super) struct DraftRecords<'s> {
    pub(super) state: &'s State,
    pub(super) path: &'s Path,
}

impl Records for DraftRecords<'_> {
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>> {
        self.state.find(id).map(|document| self.state.item(self.path, document)).transpose()
    }

    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>> {
        self.state.expired(now).map(|document| self.state.item(self.path, document)).collect()
    }
}

/// The items that a change is decided on.
pub(super) trait Records {
    /// The item with an id.
    ///
    /// # Errors
    /// Those of [`State::item`].
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>>;

    /// The items that expired before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// Those of [`State::item`].
    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>>;
}

/// Decides on changes.
pub(super) type Decide = Box<dyn FnOnce(&mut dyn Records) -> Result<Vec<Change>> + Send>;

/// How often a read is repeated if another program changes the storage meanwhile.
const TRIES: usize = 5;

/// Reads until no other program interferes.
pub(super) fn retrying<T>(mut read: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..TRIES {
        match read() {
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            read => return read,
        }
    }
    read()
}

/// A change of one item.
#[derive(Debug)]
pub(super) enum Change {
    /// Adds an item with a new id.
    Add(Stored<Item>),
    /// Replaces the item with the same id, or adds it.
    Set(Stored<Item>),
    /// Removes the item with this id.
    Remove(String),
}
