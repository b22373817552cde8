//! Per-process state: a forked child starts with new state.
//!
//! A fork copies memory and one thread. A mutex that another thread of the parent held at that moment stays locked in the
//! child for ever, and locks and threads recorded in the copy belong to the parent. So a child never touches its parent's
//! state.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use once_cell::race::OnceBox;

use crate::lazy::lazily;
use crate::mutex::lock;

/// A value that each process creates on first use.
#[derive(Debug)]
pub struct PerProcess<T> {
    first: OnceBox<Node<T>>,
}

#[derive(Debug)]
struct Node<T> {
    pid: u32,
    value: T,
    /// The value of a child that was forked after this one was created.
    next: OnceBox<Node<T>>,
}

impl<T> PerProcess<T> {
    /// Creates a value that no process has initialized yet.
    pub const fn new() -> Self {
        PerProcess { first: OnceBox::new() }
    }
}

impl<T: Default> PerProcess<T> {
    /// The value of this process.
    pub fn get(&self) -> &T {
        let pid = std::process::id();
        let mut cell = &self.first;
        loop {
            let node = lazily(cell, || Node { pid, value: T::default(), next: OnceBox::new() });
            if node.pid == pid {
                return &node.value;
            }
            cell = &node.next;
        }
    }
}

impl<T: Default> Default for PerProcess<T> {
    /// Like [`new`](Self::new), but this process's value is created now, so that no fork can interrupt that.
    fn default() -> Self {
        let state = PerProcess::new();
        state.get();
        state
    }
}

/// What a process remembers of the files that it used last: values by path. When there are too many, the least recently used one is dropped.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    capacity: usize,
    /// The most recently used one is last.
    kept: PerProcess<Mutex<Vec<(PathBuf, T)>>>,
}

impl<T> Recent<T> {
    /// Room for so many values.
    pub(crate) const fn new(capacity: usize) -> Self {
        Recent { capacity, kept: PerProcess::new() }
    }

    /// Takes out the value of `path`.
    pub(crate) fn take(&self, path: &Path) -> Option<T> {
        let mut kept = lock(self.kept.get());
        let at = kept.iter().rposition(|(of, _)| of == path)?;
        Some(kept.remove(at).1)
    }

    /// Sets the value of `path`.
    pub(crate) fn put(&self, path: &Path, value: T) {
        let mut kept = lock(self.kept.get());
        kept.retain(|(of, _)| of != path);
        if kept.len() >= self.capacity {
            kept.remove(0);
        }
        kept.push((path.to_owned(), value));
    }

    /// Forgets all values.
    #[cfg(feature = "testing")]
    pub(crate) fn clear(&self) {
        lock(self.kept.get()).clear();
    }
}

impl<T: Clone> Recent<T> {
    /// The value of `path`.
    pub(crate) fn get(&self, path: &Path) -> Option<T> {
        self.get_or(path, || None)
    }

    /// The value of `path`. If there is none, `make` makes it, before another thread can.
    pub(crate) fn get_or(&self, path: &Path, make: impl FnOnce() -> Option<T>) -> Option<T> {
        let mut kept = lock(self.kept.get());
        let found = kept.iter().rposition(|(of, _)| of == path);
        let value = found.map(|at| kept.remove(at).1).or_else(make)?;
        if kept.len() >= self.capacity {
            kept.remove(0);
        }
        kept.push((path.to_owned(), value.clone()));
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_value_is_dropped() {
        let recent = Recent::new(2);
        recent.put(Path::new("a"), 1);
        recent.put(Path::new("b"), 2);
        assert_eq!(recent.get(Path::new("a")), Some(1));
        recent.put(Path::new("c"), 3);
        assert_eq!(["a", "b", "c"].map(|path| recent.get(Path::new(path))), [Some(1), None, Some(3)]);
        assert_eq!(recent.get_or(Path::new("a"), || Some(9)), Some(1));
        assert_eq!((recent.take(Path::new("a")), recent.get(Path::new("a"))), (Some(1), None));
    }
}
