//! What a storage of items provides. The rules of items are the same for all of them, in [`store`](super::store).

use std::fmt::Debug;
use std::sync::RwLockReadGuard;

use super::collection::State;
use super::place::Place;
use super::record::Item;
use crate::disk::Stored;
use crate::error::Result;
use crate::finding::Examination;
use crate::safety::Sealed;

/// A storage of items.
pub(super) trait Backend: Debug + Send + Sync {
    /// Where it is.
    fn place(&self) -> &Place;

    /// What is known of the items, up to date.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    fn state(&self) -> Result<RwLockReadGuard<'_, State>>;

    /// The items of these documents of `state`.
    ///
    /// # Errors
    /// `Conflict` if the storage has been changed by another program since; `IOError`.
    fn fetch(&self, state: &State, documents: &[u32]) -> Result<Vec<Stored<Item>>>;

    /// All items, in their order.
    ///
    /// # Errors
    /// Those of [`state`](Self::state).
    fn list(&self) -> Result<Listing>;

    /// Makes the changes that `decide` returns, together and durably. Nothing else is changed in between.
    ///
    /// # Errors
    /// The error of `decide`, in which case nothing is changed; those of [`state`](Self::state); `RenameError`.
    fn edit(&self, decide: Decide) -> Result<()>;

    /// Checks the storage, and with `fix` repairs it.
    ///
    /// # Errors
    /// `Cancelled`.
    fn examine(&self, fix: bool) -> Result<Examination>;
}

/// All items of a storage.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) items: Vec<Stored<Item>>,
    /// How many records are not items.
    pub(super) damaged: usize,
    /// How many records have the id of another one that was changed later.
    pub(super) superseded: usize,
}

/// The items that a change is decided on.
pub(super) trait Records {
    /// The item with an id.
    ///
    /// # Errors
    /// Those of [`Backend::fetch`].
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>>;

    /// The items that expired before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// Those of [`Backend::fetch`].
    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>>;
}

/// Decides on changes.
pub(super) type Decide = Box<dyn FnOnce(&mut dyn Records) -> Result<Vec<Change>> + Send>;

/// A change of one item.
#[derive(Debug)]
pub(super) enum Change {
    /// Adds an item with a new id.
    Add(Sealed<Item>),
    /// Replaces the item with this id, or adds it.
    Set(String, Sealed<Item>),
    /// Removes the item with this id.
    Remove(String),
}
