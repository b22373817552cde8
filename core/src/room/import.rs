//! What a room reports about records that it copied from one repository hash to another.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::safety::GeneratedId;

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

    /// Adds those of another.
    pub(crate) fn add_all(&mut self, other: &Counts) {
        other.0.iter().for_each(|(kind, count)| self.add(kind.clone(), *count));
    }

    /// Counts more records of the kind with this name.
    pub(crate) fn add(&mut self, kind: impl Into<Cow<'static, str>>, count: usize) {
        *self.0.entry(kind.into()).or_default() += count;
    }
}

/// How records are copied to a repository that may have some of them.
#[derive(Debug, Clone, Default)]
pub struct Import {
    /// Whether nothing is written, and anything that would prevent the copy is an error.
    pub dry_run: bool,
    /// The versions that were adopted before. With them, the newer version of a record stays, and what was removed since
    /// stays away; without, a record that exists is not changed.
    pub adopted: Option<Arc<Versions>>,
}

/// Versions of records, by a hash of their JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions(BTreeSet<String>);

impl Versions {
    /// The length of a hash in the file, in hex digits.
    const DIGITS: usize = 16;

    /// Adds the version of a record that is stored as this JSON.
    pub(crate) fn add(&mut self, json: &str) {
        self.0.insert(Self::hash(json));
    }

    /// Adds those of the others.
    pub(crate) fn extend(&mut self, others: impl IntoIterator<Item = String>) {
        self.0.extend(others);
    }

    /// Whether it is among them.
    pub(crate) fn has(&self, json: &str) -> bool {
        self.0.contains(&Self::hash(json))
    }

    /// Whether all of the others are among them.
    pub(crate) fn has_all(&self, others: &Versions) -> bool {
        self.0.is_superset(&others.0)
    }

    /// The hashes in order.
    pub(crate) fn into_hashes(self) -> BTreeSet<String> {
        self.0
    }

    fn hash(json: &str) -> String {
        let hash = GeneratedId::digest(&Sha256::digest(json).into());
        hash.as_str().chars().take(Self::DIGITS).collect()
    }
}

/// A record of which both sides had a version, each with changes of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KeptAside {
    /// Its kind.
    pub kind: Cow<'static, str>,
    /// Its id.
    pub id: String,
    /// Whether the version from the other identity is the one in the trash, because it is older; false for the version that
    /// was here.
    pub is_theirs: bool,
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
    /// Records of the target that were replaced by a newer version.
    #[serde(skip)]
    pub(crate) merged: Counts,
    /// Those of which both had changes.
    #[serde(skip)]
    pub(crate) kept_aside: Vec<KeptAside>,
    /// The versions of the source.
    #[serde(skip)]
    pub(crate) versions: Versions,
}

impl Migration {
    /// A migration of none of these kinds.
    pub(crate) fn zero(kinds: &[RecordKind]) -> Self {
        let [copied, deduplicated, merged] = [(); 3].map(|()| Counts::zero(kinds));
        Migration { copied, deduplicated, merged, ..Migration::default() }
    }

    /// Adds the result of another room.
    pub(crate) fn absorb(&mut self, other: Migration) {
        for (sum, counts) in [
            (&mut self.copied, other.copied),
            (&mut self.deduplicated, other.deduplicated),
            (&mut self.merged, other.merged),
        ] {
            counts.0.into_iter().for_each(|(kind, count)| sum.add(kind, count));
        }
        self.kept_aside.extend(other.kept_aside);
        self.versions.extend(other.versions.into_hashes());
        self.left += other.left;
        self.pruned += other.pruned;
        if let Some(skipped) = other.skipped {
            *self.skipped.get_or_insert(0) += skipped;
        }
    }
}
