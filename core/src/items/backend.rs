//! The interface of a storage of items. The rules of items are the same for all of them, in [`store`](super::store).

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::RwLockReadGuard;

use xxhash_rust::xxh3::xxh3_64;

use super::collection::State;
use super::place::Place;
use super::record::Item;
use crate::disk::Stored;
use crate::error::{ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};
use crate::safety::is_steering;

/// How many places are listed one by one in a finding.
const MAX_LISTED: usize = 3;

/// A storage of items.
pub(super) trait Backend: Debug + Send + Sync {
    /// Where it is.
    fn place(&self) -> &Place;

    /// The state of the items, up to date.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    fn state(&self) -> Result<RwLockReadGuard<'_, State>>;

    /// Makes the changes that `decide` returns, together and durably. Nothing else is changed in between.
    ///
    /// # Errors
    /// The error of `decide`, in which case nothing is changed; those of [`state`](Self::state); `RenameError`.
    fn edit(&self, decide: Decide) -> Result<()>;

    /// Removes what is left of items that were removed: in the index, in the storage, and in what was set aside of it.
    ///
    /// # Errors
    /// Those of [`edit`](Self::edit).
    fn clear(&self) -> Result<()>;

    /// Makes the index again when it is next used, because it is damaged.
    fn reindex(&self);

    /// Checks the storage, and with `fix` repairs it.
    ///
    /// # Errors
    /// `Cancelled`.
    fn examine(&self, fix: bool) -> Result<Examination>;
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

/// The records of a storage, collected while it is examined, to report oddities of records that can be read.
#[derive(Debug, Default)]
pub(super) struct OddRecords(RefCell<Vec<Seen>>);

/// The remembered properties of a record.
#[derive(Debug)]
struct Seen {
    /// The number of its line or row.
    number: u64,
    /// The hash of its id.
    id: u64,
    changed_at: i64,
    is_expiry_unclear: bool,
    is_id_hidden: bool,
}

/// A property of records that is odd, and what is said of it.
type Oddity = (fn(&Seen) -> bool, &'static str);

impl OddRecords {
    /// Remembers the record on the line or row of this number. A storage may be examined again after a repair, from its start.
    pub(super) fn add(&self, number: u64, item: &Item) {
        let mut all = self.0.borrow_mut();
        if all.last().is_some_and(|last| number <= last.number) {
            all.clear();
        }
        all.push(Seen {
            number,
            id: xxh3_64(item.id.as_bytes()),
            changed_at: item.changed_at(),
            is_expiry_unclear: item.expiry.is_some() && item.expires_at().is_none(),
            is_id_hidden: item.id.contains(is_steering),
        });
    }

    /// The findings about the storage at `path`, whose records are called `noun`.
    pub(super) fn findings(&self, path: &Path, noun: &str) -> Vec<Finding> {
        let all = self.0.borrow();
        let mut findings = Vec::new();
        let mut by_id: HashMap<u64, Vec<&Seen>> = HashMap::new();
        for seen in all.iter() {
            by_id.entry(seen.id).or_default().push(seen);
        }
        let mut repeated: Vec<Vec<&Seen>> = by_id.into_values().filter(|same| same.len() > 1).collect();
        repeated.sort_by_key(|same| same[0].number);
        for same in repeated {
            let used = same.iter().max_by_key(|seen| (seen.changed_at, seen.number)).map_or(0, |seen| seen.number);
            let others: Vec<u64> = same.iter().map(|seen| seen.number).filter(|number| *number != used).collect();
            let detail = format!(
                "{} {} an older version of the item on {noun} {used}, which is used; remove what is not needed",
                listed(noun, &others),
                if others.len() == 1 { "is" } else { "are each" },
            );
            findings.push(Finding::new(path, Fault::Superseded, detail));
        }
        let oddities: [Oddity; 2] = [
            (
                |seen| seen.is_expiry_unclear,
                "the expiry cannot be read, so the item never expires; set it again with items.update",
            ),
            (|seen| seen.is_id_hidden, "the id has characters that nobody sees or that control a terminal"),
        ];
        for (is_odd, what) in oddities {
            let numbers: Vec<u64> = all.iter().filter(|seen| is_odd(seen)).map(|seen| seen.number).collect();
            if !numbers.is_empty() {
                let detail = format!("{}: {what}", listed(noun, &numbers));
                findings.push(Finding::new(path, Fault::InvalidValue, detail));
            }
        }
        findings
    }
}

/// `line 3`, or `lines 3, 5, 9 and 2 more`.
fn listed(noun: &str, numbers: &[u64]) -> String {
    let plural = if numbers.len() == 1 { "" } else { "s" };
    format!("{noun}{plural} {}", first_of(numbers, MAX_LISTED, u64::to_string))
}

/// The first ones of a list, and how many more there are.
pub(super) fn first_of<T>(all: &[T], most: usize, shown: impl Fn(&T) -> String) -> String {
    let first = all.iter().take(most).map(shown).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
