//! What is odd in a storage of items although every record can be read, for the doctor.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::record::Item;
use crate::finding::{Fault, Finding};

/// How many places are listed one by one.
const MAX_LISTED: usize = 3;

/// The records of a storage, collected while it is examined.
#[derive(Debug, Default)]
pub(super) struct OddRecords(RefCell<Vec<Seen>>);

/// What is remembered of a record.
#[derive(Debug)]
struct Seen {
    /// The number of its line or row.
    number: u64,
    /// The hash of its id.
    id: u64,
    changed_at: i64,
    is_expiry_unclear: bool,
}

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
        let unclear: Vec<u64> = all.iter().filter(|seen| seen.is_expiry_unclear).map(|seen| seen.number).collect();
        if !unclear.is_empty() {
            let detail = format!(
                "{}: the expiry cannot be read, so the item never expires; set it again with items.update",
                listed(noun, &unclear)
            );
            findings.push(Finding::new(path, Fault::InvalidValue, detail));
        }
        findings
    }
}

/// `line 3`, or `lines 3, 5, 9 and 2 more`.
fn listed(noun: &str, numbers: &[u64]) -> String {
    let first: Vec<String> = numbers.iter().take(MAX_LISTED).map(u64::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    match numbers.len() - first.len() {
        0 => format!("{noun}{plural} {}", first.join(", ")),
        more => format!("{noun}{plural} {} and {more} more", first.join(", ")),
    }
}
