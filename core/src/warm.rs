//! A cache of results as JSON, each valid as long as the data that it was made from is unchanged.
//!
//! A host that reads the same state again gets the same text. Each cached text has a number, unique in the process, by
//! which a host can recognize a text that it has already converted to a string.

use std::any::Any;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::disk::PerProcess;
use crate::error::Result;

/// Shorter texts are not cached: serializing them again is cheaper than a lookup.
const MIN_BYTES: usize = 4 << 10;
/// Longer texts are not cached.
const MAX_BYTES: usize = 16 << 20;
/// How many texts a store caches; the least recently used is dropped first.
const CAPACITY: usize = 4;

/// Data that a text was made from, held weakly; `None` for an empty or missing file.
pub(crate) type Source = Option<Weak<dyn Any + Send + Sync>>;

/// The source of a text that is made from `value`; `None` if the value is empty.
pub(crate) fn source<T: Send + Sync + 'static>(value: &Arc<T>, is_empty: bool) -> Source {
    (!is_empty).then(|| Arc::downgrade(value) as Weak<dyn Any + Send + Sync>)
}

/// The result of a method as JSON: owned, or shared by all callers that read the same state.
#[derive(Debug, Clone)]
pub struct JsonText(Text);

#[derive(Debug, Clone)]
enum Text {
    Owned(String),
    Shared(Arc<Shared>),
}

#[derive(Debug)]
struct Shared {
    number: u64,
    text: String,
}

impl JsonText {
    /// The JSON.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Owned(text) => text,
            Text::Shared(shared) => &shared.text,
        }
    }

    /// The JSON as a `String`; a shared text is copied.
    pub fn into_string(self) -> String {
        match self.0 {
            Text::Owned(text) => text,
            Text::Shared(shared) => shared.text.clone(),
        }
    }

    /// The number of a shared text, which identifies it within the process; `None` for an owned text.
    pub fn number(&self) -> Option<u64> {
        match &self.0 {
            Text::Owned(_) => None,
            Text::Shared(shared) => Some(shared.number),
        }
    }
}

impl Deref for JsonText {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for JsonText {
    fn from(text: String) -> Self {
        JsonText(Text::Owned(text))
    }
}

/// The texts that a store caches.
#[derive(Debug, Default)]
pub(crate) struct WarmTexts(PerProcess<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    sources: [Source; 2],
    shared: Arc<Shared>,
}

impl WarmTexts {
    /// Returns the cached text made from `sources`, or else the result of `make`, which is then cached.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn get(&self, sources: [Source; 2], make: impl FnOnce() -> Result<String>) -> Result<JsonText> {
        if let Some(shared) = self.find(&sources) {
            return Ok(JsonText(Text::Shared(shared)));
        }
        let text = make()?;
        if !(MIN_BYTES..=MAX_BYTES).contains(&text.len()) {
            return Ok(text.into());
        }
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let shared = Arc::new(Shared { number: NUMBER.fetch_add(1, Ordering::Relaxed), text });
        let mut entries = self.0.get().lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.sources.iter().flatten().all(|source| source.strong_count() > 0));
        if entries.len() >= CAPACITY {
            entries.remove(0);
        }
        entries.push(Entry { sources, shared: Arc::clone(&shared) });
        Ok(JsonText(Text::Shared(shared)))
    }

    fn find(&self, sources: &[Source; 2]) -> Option<Arc<Shared>> {
        let mut entries = self.0.get().lock().unwrap_or_else(PoisonError::into_inner);
        // A weak pointer keeps the allocation, so its address cannot be reused.
        let is_same = |(one, other): (&Source, &Source)| match (one, other) {
            (Some(one), Some(other)) => one.ptr_eq(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let matches = |entry: &Entry| entry.sources.iter().zip(sources).all(is_same);
        let index = entries.iter().position(matches)?;
        let entry = entries.remove(index);
        let shared = Arc::clone(&entry.shared);
        entries.push(entry);
        Some(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(of: &Arc<u8>) -> Source {
        super::source(of, false)
    }

    #[test]
    fn a_text_is_made_once_while_its_sources_are_the_same() {
        let texts = WarmTexts::default();
        let (one, other) = (Arc::new(1), Arc::new(1));
        let long = "x".repeat(MIN_BYTES);
        let first = texts.get([source(&one), source(&other)], || Ok(long.clone())).unwrap();
        let again = texts.get([source(&one), source(&other)], || panic!("made twice")).unwrap();
        assert_eq!((first.number(), again.as_str()), (again.number(), long.as_str()));
        let swapped = texts.get([source(&other), source(&one)], || Ok(long.clone())).unwrap();
        assert_ne!(swapped.number(), first.number());
        let with_none = texts.get([source(&one), None], || Ok(long.clone())).unwrap();
        assert_eq!(with_none.number(), texts.get([source(&one), None], || panic!("made twice")).unwrap().number());
        let short = texts.get([source(&one), source(&one)], || Ok("{}".to_owned())).unwrap();
        assert_eq!((short.number(), short.as_str()), (None, "{}"));
    }

    #[test]
    fn the_cache_is_bounded_and_drops_texts_whose_sources_are_gone() {
        let texts = WarmTexts::default();
        let sources: Vec<Arc<u8>> = (0..10).map(Arc::new).collect();
        for value in &sources {
            texts.get([source(value), source(value)], || Ok("x".repeat(MIN_BYTES))).unwrap();
        }
        let count = || texts.0.get().lock().unwrap().len();
        assert_eq!(count(), CAPACITY);
        drop(sources);
        let last = Arc::new(0);
        texts.get([source(&last), source(&last)], || Ok("x".repeat(MIN_BYTES))).unwrap();
        assert_eq!(count(), 1);
    }
}
