//! How the files of a work tree changed in the last commits: which ones often, and which ones together.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Reader, put_number, put_string};
use crate::disk::Mapped;
use crate::git::Change;

const MAGIC: &[u8; 16] = b"loopmem past 1\n\n";
/// How many commits count.
pub(super) const COMMITS: usize = 300;
/// After how many commits a change counts half.
const HALF_LIFE: f32 = 100.0;

/// The last commits, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct History {
    pub(super) changes: Vec<Change>,
}

impl History {
    /// The commit that it leads to.
    pub(super) fn head(&self) -> Option<&str> {
        self.changes.first().map(|change| change.commit.as_str())
    }

    /// The bytes of a file with this history.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&[0; 8]);
        put_number(&mut bytes, u32::try_from(self.changes.len()).unwrap_or(u32::MAX));
        for change in &self.changes {
            put_string(&mut bytes, change.commit.as_bytes());
            put_number(&mut bytes, u32::try_from(change.paths.len()).unwrap_or(u32::MAX));
            change.paths.iter().for_each(|path| put_string(&mut bytes, path));
        }
        let check = xxh3_64(&bytes[24..]);
        bytes[16..24].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The history in `bytes`; `None` if these are not such a file, or damaged.
    pub(super) fn read(bytes: &Mapped) -> Option<Self> {
        let mut reader = Reader::new((**bytes).as_ref());
        if reader.take(16)? != MAGIC || reader.u64()? != xxh3_64(reader.rest()) {
            return None;
        }
        let mut history = History::default();
        for _ in 0..reader.number()? {
            let commit = std::str::from_utf8(reader.string()?).ok()?.to_owned();
            let mut paths = Vec::new();
            for _ in 0..reader.number()? {
                paths.push(reader.string()?.to_vec());
            }
            history.changes.push(Change { commit, paths });
        }
        reader.is_empty().then_some(history)
    }

    /// How much each path changed: each commit counts by its age.
    pub(super) fn churn(&self) -> HashMap<&[u8], f32> {
        let mut churn = HashMap::new();
        for (age, change) in self.changes.iter().enumerate() {
            for path in &change.paths {
                *churn.entry(path.as_slice()).or_default() += weight(age);
            }
        }
        churn
    }

    /// The paths that changed together with `path`, each with the part of that path's changes, from 0 to 1.
    pub(super) fn changed_with(&self, path: &[u8]) -> HashMap<&[u8], f32> {
        let mut together: HashMap<&[u8], f32> = HashMap::new();
        let mut all = 0.0;
        for (age, change) in self.changes.iter().enumerate() {
            if change.paths.binary_search_by(|other| other.as_slice().cmp(path)).is_err() {
                continue;
            }
            all += weight(age);
            // A commit of many files ties each of them less to the others.
            let tie = weight(age) / (change.paths.len() as f32).sqrt();
            for other in change.paths.iter().filter(|other| other.as_slice() != path) {
                *together.entry(other).or_default() += tie;
            }
        }
        // One commit in common is little evidence.
        together.values_mut().for_each(|part| *part /= all + 1.0);
        together
    }
}

fn weight(age: usize) -> f32 {
    0.5_f32.powf(age as f32 / HALF_LIFE)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn history() -> History {
        let change = |commit: &str, paths: &[&str]| Change {
            commit: commit.to_owned(),
            paths: paths.iter().map(|path| path.as_bytes().to_vec()).collect(),
        };
        History { changes: vec![change("c", &["a", "b"]), change("b", &[]), change("a", &["b", "d"])] }
    }

    #[test]
    fn a_history_is_read_as_it_was_written_and_damage_is_noticed() {
        let bytes = history().written();
        let read = |bytes: Vec<u8>| History::read(&(Arc::new(bytes) as Mapped));
        assert_eq!(read(bytes.clone()), Some(history()));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(read(damaged), None, "{at}");
            assert_eq!(read(bytes[..at].to_vec()), None, "{at}");
        }
    }

    #[test]
    fn what_changed_often_and_together_counts_more() {
        let history = history();
        let churn = history.churn();
        assert!(churn[b"b".as_slice()] > churn[b"a".as_slice()] && churn[b"a".as_slice()] > churn[b"d".as_slice()]);
        let together = history.changed_with(b"b");
        assert!(together[b"a".as_slice()] > together[b"d".as_slice()], "the later commit counts more");
        assert!(together.values().all(|part| (0.0..1.0).contains(part)));
        assert!(history.changed_with(b"unknown").is_empty());
    }
}
