//! A cache of results as JSON, each valid as long as the data that it was made from is unchanged.
//!
//! Each cached text has an id that is unique in the process, so a host can cache its own string.

use std::any::Any;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::disk::PerProcess;
use crate::error::Result;
use crate::mutex::lock;

/// Shorter texts are cheaper to serialize again than to look up.
const MIN_BYTES: usize = 4 << 10;
/// Longer texts are not cached.
const MAX_BYTES: usize = 16 << 20;
/// How many texts one store caches; the least recently used is dropped first.
const CAPACITY: usize = 4;

/// Something that a text was made of, which this does not keep alive. `None` if the file contains nothing.
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
    Cached(Arc<CachedText>),
}

#[derive(Debug)]
struct CachedText {
    id: u64,
    text: String,
}

impl JsonText {
    /// The JSON.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Owned(text) => text,
            Text::Cached(cached) => &cached.text,
        }
    }

    /// The JSON as a `String`; a shared text is copied.
    pub fn into_string(self) -> String {
        match self.0 {
            Text::Owned(text) => text,
            Text::Cached(cached) => cached.text.clone(),
        }
    }

    /// The id of a shared text: in one process, the same id is the same text.
    pub fn id(&self) -> Option<u64> {
        match &self.0 {
            Text::Owned(_) => None,
            Text::Cached(cached) => Some(cached.id),
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

/// The texts that one store caches, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct TextCache(PerProcess<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    method: &'static str,
    sources: [Source; 2],
    cached: Arc<CachedText>,
}

impl TextCache {
    /// The result of `method` that was made of `sources`, or what `make` returns.
    pub(crate) fn get(
        &self,
        method: &'static str,
        sources: [Source; 2],
        make: impl FnOnce() -> Result<String>,
    ) -> Result<JsonText> {
        if let Some(cached) = find(&mut lock(self.0.get()), method, &sources) {
            return Ok(JsonText(Text::Cached(cached)));
        }
        let text = make()?;
        if !(MIN_BYTES..=MAX_BYTES).contains(&text.len()) {
            return Ok(text.into());
        }
        let mut entries = lock(self.0.get());
        // Another thread may have made it meanwhile.
        let cached = find(&mut entries, method, &sources).unwrap_or_else(|| {
            static LAST_ID: AtomicU64 = AtomicU64::new(0);
            let cached = Arc::new(CachedText { id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1, text });
            if entries.len() >= CAPACITY {
                entries.remove(0);
            }
            entries.push(Entry { method, sources, cached: Arc::clone(&cached) });
            cached
        });
        Ok(JsonText(Text::Cached(cached)))
    }
}

/// Finds a text, and drops those with a source that no longer exists.
fn find(entries: &mut Vec<Entry>, method: &str, sources: &[Source; 2]) -> Option<Arc<CachedText>> {
    entries.retain(|entry| entry.sources.iter().flatten().all(|source| source.strong_count() > 0));
    // A weak pointer keeps its address from being used again.
    let is_same = |(one, other): (&Source, &Source)| match (one, other) {
        (Some(one), Some(other)) => one.ptr_eq(other),
        (one, other) => one.is_none() && other.is_none(),
    };
    let matches = |entry: &Entry| entry.method == method && entry.sources.iter().zip(sources).all(is_same);
    let position = entries.iter().position(matches)?;
    let entry = entries.remove(position);
    let cached = Arc::clone(&entry.cached);
    entries.push(entry);
    Some(cached)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(of: &Arc<u8>) -> Source {
        super::source(of, false)
    }

    fn long() -> String {
        "x".repeat(MIN_BYTES)
    }

    #[test]
    fn a_text_is_made_once_as_long_as_its_sources_are_the_same() {
        let texts = TextCache::default();
        let (one, other) = (Arc::new(1), Arc::new(1));
        let first = texts.get("m", [source(&one), source(&other)], || Ok(long())).unwrap();
        let again = texts.get("m", [source(&one), source(&other)], || panic!("made twice")).unwrap();
        assert_eq!((first.id(), again.as_str()), (again.id(), &*long()));
        let swapped = texts.get("m", [source(&other), source(&one)], || Ok(long())).unwrap();
        assert_ne!(swapped.id(), first.id());
        let with_none = texts.get("m", [source(&one), None], || Ok(long())).unwrap();
        assert_eq!(with_none.id(), texts.get("m", [source(&one), None], || panic!("made twice")).unwrap().id());
        let short = texts.get("m", [source(&one), source(&one)], || Ok("{}".to_owned())).unwrap();
        assert_eq!((short.id(), short.as_str()), (None, "{}"));
    }

    #[test]
    fn a_text_of_one_method_is_not_the_result_of_another_with_the_same_sources() {
        let texts = TextCache::default();
        let it = Arc::new(1);
        let sources = || [source(&it), None];
        texts.get("one", sources(), || Ok(long())).unwrap();
        let other = texts.get("other", sources(), || Ok(long().to_uppercase())).unwrap();
        assert_eq!(other.as_str(), long().to_uppercase());
    }

    #[test]
    fn two_threads_that_make_the_same_text_get_the_same_id() {
        let texts = TextCache::default();
        let it = Arc::new(1);
        let sources = || [source(&it), None];
        let mut inner = None;
        let outer = texts.get("m", sources(), || {
            inner = texts.get("m", sources(), || Ok(long()))?.id();
            Ok(long())
        });
        assert_eq!(outer.unwrap().id(), inner);
        assert_eq!(lock(texts.0.get()).len(), 1);
    }

    #[test]
    fn no_more_texts_are_kept_than_a_few_and_none_whose_sources_are_gone() {
        let texts = TextCache::default();
        let sources: Vec<Arc<u8>> = (0..10).map(Arc::new).collect();
        for it in &sources {
            texts.get("m", [source(it), source(it)], || Ok(long())).unwrap();
        }
        let count = || lock(texts.0.get()).len();
        assert_eq!(count(), CAPACITY);
        drop(sources);
        let last = Arc::new(0);
        texts.get("m", [source(&last), source(&last)], || Ok("{}".to_owned())).unwrap();
        assert_eq!(count(), 0);
    }
}
