//! What a room reports about records that it copied from one repository hash to another.

use serde::{Serialize, Serializer};

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordKind {
    /// Its plural, the key of its count: `notes`.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
}

/// The number of records of each kind, in the order of the registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(Vec<(&'static str, usize)>);

impl Counts {
    /// The number of records of the kind with this name, such as `notes`; 0 for a kind that was not counted.
    pub fn of(&self, kind: &str) -> usize {
        self.0.iter().find(|(name, _)| *name == kind).map_or(0, |(_, count)| *count)
    }

    /// The number of records of all kinds.
    pub fn total(&self) -> usize {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Adds the counts of other kinds.
    pub fn extend(&mut self, other: Counts) {
        self.0.extend(other.0);
    }
}

impl FromIterator<(RecordKind, usize)> for Counts {
    fn from_iter<I: IntoIterator<Item = (RecordKind, usize)>>(counts: I) -> Self {
        Counts(counts.into_iter().map(|(kind, count)| (kind.name, count)).collect())
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were copied.
    pub copied: Counts,
    /// Records that already existed in the target, which were not changed.
    pub deduplicated: Counts,
    /// Records that were not copied because of the target's limits.
    pub left: usize,
    /// Records of the target that were removed because of its limits.
    pub pruned: usize,
    /// Damaged records of the source, which were skipped.
    pub skipped: usize,
}

impl Imported {
    /// Adds the result of another room.
    pub fn absorb(&mut self, other: Imported) {
        self.copied.extend(other.copied);
        self.deduplicated.extend(other.deduplicated);
        self.left += other.left;
        self.pruned += other.pruned;
        self.skipped += other.skipped;
    }
}
