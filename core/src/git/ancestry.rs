//! What the commits of a repository say about where they come from (feature `history`). Nothing is written.

use std::path::Path;

use crate::error::Result;

/// A commit in the history of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Contained {
    /// When it was merged, in seconds since the Unix epoch; `None` if no merge brought it.
    pub(crate) merged: Option<i64>,
}

/// The commits of a repository.
pub(crate) struct Ancestry<'c> {
    #[cfg(feature = "history")]
    objects: super::objects::ObjectStore<'c>,
    #[cfg(not(feature = "history"))]
    check: &'c dyn Fn() -> Result<()>,
}

#[cfg(feature = "history")]
mod walk {
    use std::collections::{BinaryHeap, HashMap};

    use super::super::history::{commit, hex, id_of};
    use super::super::objects::{ObjectLimits, ObjectStore};
    use super::*;

    /// The largest commit that is read, and all of them, in bytes.
    const LIMITS: ObjectLimits = ObjectLimits { object: 1 << 20, work: 16 << 20 };
    /// The most commits that are looked at from one.
    const MAX_COMMITS: usize = 5_000;
    /// How much later than its child a commit may say that it was made: clocks differ.
    const SLACK_SECONDS: i64 = 86_400;

    impl<'c> Ancestry<'c> {
        /// The commits in `common_dir`. `check` is called before each of them is read.
        pub(crate) fn open(common_dir: &Path, check: &'c dyn Fn() -> Result<()>) -> Self {
            Ancestry { objects: ObjectStore::open(&common_dir.join("objects"), LIMITS, check) }
        }

        /// Whether the repository has this commit.
        ///
        /// # Errors
        /// Those of `check`.
        pub(crate) fn has(&mut self, id: &str) -> Result<bool> {
            let Some(id) = id_of(id.as_bytes()) else { return Ok(false) };
            Ok(commit(&mut self.objects, &id)?.is_some())
        }

        /// The first commit that leads to `head`, by the first parents; `None` if it is too far away or cannot be read.
        ///
        /// # Errors
        /// Those of `check`.
        pub(crate) fn first(&mut self, head: &str) -> Result<Option<String>> {
            let mut next = id_of(head.as_bytes());
            for _ in 0..MAX_COMMITS {
                let Some(id) = next else { return Ok(None) };
                let Some(read) = commit(&mut self.objects, &id)? else { return Ok(None) };
                next = read.parents.first().copied();
                if next.is_none() {
                    return Ok(Some(hex(&id)));
                }
            }
            Ok(None)
        }

        /// Whether the history of `head` contains the commit `id`; `None` if it does not, or is too far away.
        ///
        /// # Errors
        /// Those of `check`.
        pub(crate) fn contains(&mut self, head: &str, id: &str) -> Result<Option<Contained>> {
            let (Some(head), Some(id)) = (id_of(head.as_bytes()), id_of(id.as_bytes())) else { return Ok(None) };
            if head == id {
                return Ok(Some(Contained { merged: None }));
            }
            let Some(wanted) = commit(&mut self.objects, &id)? else { return Ok(None) };
            let Some(first) = commit(&mut self.objects, &head)? else { return Ok(None) };
            let mut ahead = BinaryHeap::from([(first.seconds, head)]);
            // By which merge each of them came.
            let mut seen = HashMap::from([(head, None)]);
            while let Some((seconds, next)) = ahead.pop() {
                if seconds.saturating_add(SLACK_SECONDS) < wanted.seconds || seen.len() > MAX_COMMITS {
                    break;
                }
                let Some(child) = commit(&mut self.objects, &next)? else { continue };
                let by = seen.get(&next).copied().flatten();
                for (number, parent) in child.parents.into_iter().enumerate() {
                    let merged = if number == 0 { by } else { Some(child.seconds) };
                    if parent == id {
                        return Ok(Some(Contained { merged }));
                    }
                    if seen.contains_key(&parent) {
                        continue;
                    }
                    seen.insert(parent, merged);
                    if let Some(found) = commit(&mut self.objects, &parent)? {
                        ahead.push((found.seconds, parent));
                    }
                }
            }
            Ok(None)
        }
    }
}

/// Reading commits is the feature `history`: without it, nothing is known.
#[cfg(not(feature = "history"))]
impl<'c> Ancestry<'c> {
    pub(crate) fn open(_common_dir: &Path, check: &'c dyn Fn() -> Result<()>) -> Self {
        Ancestry { check }
    }

    pub(crate) fn has(&mut self, _id: &str) -> Result<bool> {
        (self.check)().map(|()| false)
    }

    pub(crate) fn first(&mut self, _head: &str) -> Result<Option<String>> {
        (self.check)().map(|()| None)
    }

    pub(crate) fn contains(&mut self, _head: &str, _id: &str) -> Result<Option<Contained>> {
        (self.check)().map(|()| None)
    }
}
