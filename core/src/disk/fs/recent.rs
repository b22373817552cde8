//! What a process remembers of the files that it used last.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::per_process::PerProcess;
use crate::mutex::lock;

/// Values by the path of a file. When there are too many, the least recently used one is dropped.
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
