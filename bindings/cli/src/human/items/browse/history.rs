//! What was done, so that it can be undone, the last first. No I/O.

use crate::human::items::expiry;
use crate::human::items::fields::flat;
use crate::human::items::item::Item;
use crate::session::{Members, text};

/// How an item was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Edited,
    Archived,
    Restored,
}

/// How a change is undone.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Inverse {
    /// The item was added.
    Remove,
    /// The item was edited; these are the fields that were changed, as they were before.
    Edit(Members),
    /// The item was restored.
    Archive,
    /// The item was archived.
    Restore,
}

/// A change that can be undone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) id: String,
    pub(super) inverse: Inverse,
    /// When the item was last changed, before and after: undoing must not overwrite what others have changed since.
    before: String,
    pub(super) after: String,
}

/// The changes, oldest first.
#[derive(Debug, Default)]
pub(super) struct History(Vec<Step>);

impl History {
    /// Remembers a change.
    pub(super) fn record(&mut self, change: Change, before: Option<&Item>, item: &Item) {
        let inverse = match (change, before) {
            (Change::Edited, Some(before)) => Inverse::Edit(replaced(before, item)),
            (Change::Added, _) => Inverse::Remove,
            (Change::Archived, _) => Inverse::Restore,
            (Change::Restored, _) => Inverse::Archive,
            (Change::Edited, None) => return,
        };
        let before = before.map(updated).unwrap_or_default();
        self.0.push(Step { id: item.id().to_owned(), inverse, before, after: updated(item) });
    }

    /// Takes the last change.
    pub(super) fn pop(&mut self) -> Option<Step> {
        self.0.pop()
    }

    /// Puts a change back that could not be undone.
    pub(super) fn put_back(&mut self, step: Step) {
        self.0.push(step);
    }

    /// After a change was undone, the item is as the change before left it, but for the time.
    pub(super) fn undone(&mut self, step: &Step, item: &Item) {
        let previous = self.0.iter_mut().rev().find(|it| it.id == step.id);
        if let Some(previous) = previous.filter(|it| it.after == step.before) {
            previous.after = updated(item);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Those fields of the item before that are different now.
fn replaced(before: &Item, now: &Item) -> Members {
    let (mut fields, now) = (flat(&before.members), flat(&now.members));
    fields.retain(|key, value| now.get(key) != Some(value));
    if let Some(expiry) = fields.get_mut("expiry") {
        // A duration counts from the creation of the item where it is stored, but from now in a change.
        *expiry = expiry::as_time(text(&before.members, "expiry"), text(&before.members, "created_at")).into();
    }
    fields
}

fn updated(item: &Item) -> String {
    text(&item.members, "updated_at").to_owned()
}
