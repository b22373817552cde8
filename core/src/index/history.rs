//! How the files of a work tree changed in the last commits: which ones often, and which ones together.

use std::collections::HashMap;

use crate::git::Change;
use crate::segments::{Bytes, Magic, read_value, value_written, values};

const MAGIC: &Magic = b"loopmem past 2\n\n";
/// How many commits count.
pub(super) const COMMITS: usize = 300;
/// After how many commits a change counts half.
const HALF_LIFE: f32 = 100.0;

/// The last commits, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct History {
    pub(super) changes: Vec<Change>,
}

values! { Change { commit, paths } }

impl History {
    /// The commit that it leads to.
    pub(super) fn head(&self) -> Option<&str> {
        self.changes.first().map(|change| change.commit.as_str())
    }

    /// The bytes of a file with this history.
    pub(super) fn written(&self) -> Vec<u8> {
        value_written(MAGIC, &self.changes)
    }

    /// The history in `bytes`; `None` if these are not such a file, or damaged.
    pub(super) fn read(bytes: Bytes) -> Option<Self> {
        Some(History { changes: read_value(bytes, MAGIC)? })
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
        let read = |bytes: Vec<u8>| History::read(Box::new(bytes));
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
