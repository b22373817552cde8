//! What a room reports about records that it copied from one repository hash to another.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordKind {
    /// Its plural, the key of its count: `notes`.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
}

/// The number of records of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(BTreeMap<Cow<'static, str>, usize>);

impl Counts {
    /// The number of records of the kind with this name, such as `notes`; 0 for a kind that was not counted.
    pub fn of(&self, kind: &str) -> usize {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// The number of records of each kind, by its name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(kind, count)| (&**kind, *count))
    }

    /// The number of records of all kinds.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// None of these kinds.
    pub(crate) fn zero(kinds: &[RecordKind]) -> Self {
        Counts(kinds.iter().map(|kind| (kind.name.into(), 0)).collect())
    }

    /// Counts more records of the kind with this name.
    pub(crate) fn add(&mut self, kind: impl Into<Cow<'static, str>>, count: usize) {
        *self.0.entry(kind.into()).or_default() += count;
    }
}

/// The result of a migration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Migration {
    /// Records that were copied.
    pub copied: Counts,
    /// Records that already existed in the target.
    pub deduplicated: Counts,
    /// Records of the source that were not copied because the target's limits exclude them as too old.
    pub left: usize,
    /// Records of the target that were removed to make room for newer ones.
    pub pruned: usize,
    /// Damaged records of the source, if any, which were not copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

impl Migration {
    /// A migration of none of these kinds.
    pub(crate) fn zero(kinds: &[RecordKind]) -> Self {
        Migration { copied: Counts::zero(kinds), deduplicated: Counts::zero(kinds), ..Migration::default() }
    }

    /// Adds the result of another room.
    pub(crate) fn absorb(&mut self, other: Migration) {
        for (sum, counts) in [(&mut self.copied, other.copied), (&mut self.deduplicated, other.deduplicated)] {
            counts.0.into_iter().for_each(|(kind, count)| sum.add(kind, count));
        }
        self.left += other.left;
        self.pruned += other.pruned;
        if let Some(skipped) = other.skipped {
            *self.skipped.get_or_insert(0) += skipped;
        }
    }
}
