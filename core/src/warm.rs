//! Results that callers ask for again and again, kept as JSON while nothing they were made of has changed.
//!
//! A host that reads the same state again gets the same text, and may even keep its own string of it: a text that is kept
//! has a number, which no other text of the process has.

use std::any::Any;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::disk::PerProcess;
use crate::error::Result;

/// A text shorter than this is made again at less cost than it is looked up.
const LEAST_BYTES: usize = 4 << 10;
/// A longer one is not kept.
const MOST_BYTES: usize = 16 << 20;
/// How many texts one store keeps; the least recently used is dropped first.
const KEPT: usize = 4;

/// Something that a text was made of, which this does not keep alive; `None` for a file that says nothing.
pub(crate) type Source = Option<Weak<dyn Any + Send + Sync>>;

/// What a text that is made of `value` depends on; nothing if the value is empty.
pub(crate) fn source<T: Send + Sync + 'static>(value: &Arc<T>, is_empty: bool) -> Source {
    (!is_empty).then(|| Arc::downgrade(value) as Weak<dyn Any + Send + Sync>)
}

/// The result of a method as JSON: the caller's own, or shared with everybody who reads the same state.
#[derive(Debug, Clone)]
pub struct JsonText(Text);

#[derive(Debug, Clone)]
enum Text {
    Owned(String),
    Kept(Arc<Kept>),
}

#[derive(Debug)]
struct Kept {
    number: u64,
    text: String,
}

impl JsonText {
    /// The JSON.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Owned(text) => text,
            Text::Kept(kept) => &kept.text,
        }
    }

    /// The JSON as the caller's own; a shared text is copied.
    pub fn into_string(self) -> String {
        match self.0 {
            Text::Owned(text) => text,
            Text::Kept(kept) => kept.text.clone(),
        }
    }

    /// The number of a shared text: in one process, the same number is the same text.
    pub fn number(&self) -> Option<u64> {
        match &self.0 {
            Text::Owned(_) => None,
            Text::Kept(kept) => Some(kept.number),
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

/// The texts that one store keeps.
#[derive(Debug, Default)]
pub(crate) struct WarmTexts(PerProcess<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    sources: [Source; 2],
    kept: Arc<Kept>,
}

impl WarmTexts {
    /// The text that was made of `sources`, or what `make` returns.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn get(&self, sources: [Source; 2], make: impl FnOnce() -> Result<String>) -> Result<JsonText> {
        if let Some(kept) = self.find(&sources) {
            return Ok(JsonText(Text::Kept(kept)));
        }
        let text = make()?;
        if !(LEAST_BYTES..=MOST_BYTES).contains(&text.len()) {
            return Ok(text.into());
        }
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let kept = Arc::new(Kept { number: NUMBER.fetch_add(1, Ordering::Relaxed), text });
        let mut entries = self.0.get().lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.sources.iter().flatten().all(|source| source.strong_count() > 0));
        if entries.len() >= KEPT {
            entries.remove(0);
        }
        entries.push(Entry { sources, kept: Arc::clone(&kept) });
        Ok(JsonText(Text::Kept(kept)))
    }

    fn find(&self, sources: &[Source; 2]) -> Option<Arc<Kept>> {
        let mut entries = self.0.get().lock().unwrap_or_else(PoisonError::into_inner);
        // A weak pointer keeps its address from being used again.
        let is_same = |(one, other): (&Source, &Source)| match (one, other) {
            (Some(one), Some(other)) => one.ptr_eq(other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let is_it = |entry: &Entry| entry.sources.iter().zip(sources).all(is_same);
        let place = entries.iter().position(is_it)?;
        let entry = entries.remove(place);
        let kept = Arc::clone(&entry.kept);
        entries.push(entry);
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(of: &Arc<u8>) -> Source {
        super::source(of, false)
    }

    #[test]
    fn a_text_is_made_once_as_long_as_its_sources_are_the_same() {
        let texts = WarmTexts::default();
        let (one, other) = (Arc::new(1), Arc::new(1));
        let long = "x".repeat(LEAST_BYTES);
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
    fn no_more_texts_are_kept_than_a_few_and_none_whose_sources_are_gone() {
        let texts = WarmTexts::default();
        let sources: Vec<Arc<u8>> = (0..10).map(Arc::new).collect();
        for it in &sources {
            texts.get([source(it), source(it)], || Ok("x".repeat(LEAST_BYTES))).unwrap();
        }
        let count = || texts.0.get().lock().unwrap().len();
        assert_eq!(count(), KEPT);
        drop(sources);
        let last = Arc::new(0);
        texts.get([source(&last), source(&last)], || Ok("x".repeat(LEAST_BYTES))).unwrap();
        assert_eq!(count(), 1);
    }
}
