//! What was done, so that it can be undone, the last first. No I/O.

use chrono::{DateTime, Datelike, SecondsFormat};
use loopmem::items;

use crate::human::identified::Identified;
use crate::human::items::fields::flat;
use crate::human::items::item::Item;
use crate::session::Members;

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
    /// The item was removed: the entry of the trash.
    BringBack(String),
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
        let before = before.map(|before| before.updated_at.clone()).unwrap_or_default();
        self.0.push(Step { id: item.id().to_owned(), inverse, before, after: item.updated_at.clone() });
    }

    /// Remembers that an item was removed.
    pub(super) fn removed(&mut self, item: &Item, entry: String) {
        let inverse = Inverse::BringBack(entry);
        let time = item.updated_at.clone();
        self.0.push(Step { id: item.id().to_owned(), inverse, before: time.clone(), after: time });
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
            previous.after = item.updated_at.clone();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Those fields of the item before that are different now.
fn replaced(before: &Item, now: &Item) -> Members {
    let (mut fields, now) = (flat(before), flat(now));
    fields.retain(|key, value| now.get(key) != Some(value));
    if let Some(expiry) = fields.get_mut("expiry") {
        *expiry = expiry_in_change(before).into();
    }
    fields
}

/// When an item expires, as it is passed in a change: there, a duration counts from now, but where it is stored, from the
/// creation of the item. One that no RFC 3339 time can express stays as it is.
fn expiry_in_change(item: &items::Item) -> String {
    let stored = item.expiry.clone().unwrap_or_default();
    let is_time = DateTime::parse_from_rfc3339(&stored).is_ok();
    let time = item.expires_at().filter(|_| !is_time).and_then(DateTime::from_timestamp_millis);
    let time = time.filter(|time| time.year() <= 9999);
    time.map_or(stored, |time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_duration_counts_from_the_creation() {
        for (expiry, expected) in [
            ("1d", "2026-01-02T00:00:00.000Z"),
            (" 90 m", "2026-01-01T01:30:00.000Z"),
            ("2w", "2026-01-15T00:00:00.000Z"),
            ("1mo", "2026-01-31T00:00:00.000Z"),
            ("1y", "2027-01-01T00:00:00.000Z"),
            ("2026-05-01T00:00:00+02:00", "2026-05-01T00:00:00+02:00"),
            ("9000y", "9000y"),
            ("soon", "soon"),
        ] {
            let item = json!({"id": "i", "created_at": "2026-01-01T00:00:00Z", "updated_at": "", "scope": "repo",
                "status": "active", "type": "note", "content": "", "expiry": expiry});
            assert_eq!(expiry_in_change(&serde_json::from_value(item).unwrap()), expected);
        }
    }
}
