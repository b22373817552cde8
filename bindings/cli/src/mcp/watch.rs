//! Watches the resources that a client has subscribed to, whoever changes them.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The resources that are watched, each with a hash of what it was last.
#[derive(Debug, Default)]
pub(super) struct Watched(BTreeMap<String, u64>);

impl Watched {
    /// Watches a resource that is this text now.
    pub(super) fn insert(&mut self, uri: String, text: &str) {
        self.0.insert(uri, hash(text));
    }

    pub(super) fn remove(&mut self, uri: &str) {
        self.0.remove(uri);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn uris(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// Whether a resource is not what it was last.
    pub(super) fn has_changed(&mut self, uri: &str, text: &str) -> bool {
        let now = hash(text);
        self.0.get_mut(uri).is_some_and(|last| std::mem::replace(last, now) != now)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_and_only_of_what_is_watched() {
        let mut watched = Watched::default();
        watched.insert("a".to_owned(), "1");
        assert!(!watched.has_changed("a", "1") && !watched.has_changed("b", "2"));
        assert!(watched.has_changed("a", "2"));
        assert!(!watched.has_changed("a", "2"));
        watched.remove("a");
        assert!(watched.is_empty() && !watched.has_changed("a", "3"));
    }
}
