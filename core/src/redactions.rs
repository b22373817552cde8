//! What calls redacted. It is collected while a call runs; when it has ended, the host's logger is warned of each, and
//! the list that the host passed, if any, gets them.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mutex::lock;
use crate::safety;

/// Secrets that one rule found in one field of what a call stores. They were replaced by placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Redaction {
    /// The method that was called, such as `memory.upsertNote`.
    pub method: String,
    /// The path of the field in the record, such as `metadata.headers`; elements of a list have that of the list. It
    /// contains no secret.
    pub field: String,
    /// The id of the rule.
    pub rule: String,
    /// How many secrets were redacted.
    pub count: usize,
}

/// A list that collects what calls redact: pass it to [`CallOptions::redactions`](crate::CallOptions::redactions). Clones share
/// it.
///
/// ```
/// use loopmem::{CallOptions, Redactions, RepoHash, Store};
/// use loopmem::memory::Note;
///
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// # let store = Store::builder().home(folder.path()).open()?;
/// # let hash = RepoHash::parse(&"0123456789abcdef".repeat(4))?;
/// let redactions = Redactions::new();
/// let memory = store.with(CallOptions::new().redactions(&redactions)).repo_at(&hash).memory();
/// memory.upsert(Note::draft("DB_PASSWORD=hunter22"))?;
/// let redacted = redactions.take();
/// assert_eq!((&*redacted[0].field, &*redacted[0].rule, redacted[0].count), ("content", "keyed-value", 1));
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Redactions(Arc<Mutex<Vec<Redaction>>>);

impl Redactions {
    /// An empty list.
    pub fn new() -> Self {
        Redactions::default()
    }

    /// Removes what was collected so far and returns it, in order.
    pub fn take(&self) -> Vec<Redaction> {
        std::mem::take(&mut *lock(&self.0))
    }

    pub(crate) fn extend(&self, redactions: &[Redaction]) {
        lock(&self.0).extend_from_slice(redactions);
    }
}

thread_local! {
    /// What the call that runs on this thread has redacted; `None` if no call runs.
    static RUNNING: RefCell<Option<Vec<safety::Redaction>>> = const { RefCell::new(None) };
}

/// Adds what was redacted to the call that runs on this thread.
pub(crate) fn record(redactions: impl IntoIterator<Item = safety::Redaction>) {
    RUNNING.with_borrow_mut(|running| {
        let Some(running) = running else { return };
        for new in redactions {
            match running.iter_mut().find(|known| known.field == new.field && known.rule == new.rule) {
                Some(known) => known.count += new.count,
                None => running.push(new),
            }
        }
    });
}

/// Runs `body` as the call `method` and returns what it redacted. A nested call collects its own.
pub(crate) fn collect<T>(method: &str, body: impl FnOnce() -> T) -> (T, Vec<Redaction>) {
    let (value, redacted) = set_aside(body);
    let redaction =
        |safety::Redaction { field, rule, count }| Redaction { method: method.to_owned(), field, rule, count };
    (value, redacted.into_iter().map(redaction).collect())
}

/// Runs a part of a call and returns what it redacted, which is added to the call only if it is [recorded](record).
pub(crate) fn set_aside<T>(body: impl FnOnce() -> T) -> (T, Vec<safety::Redaction>) {
    let _outer = Outer(RUNNING.replace(Some(Vec::new())));
    let value = body();
    (value, RUNNING.take().unwrap_or_default())
}

/// What the outer call has redacted, restored on drop.
struct Outer(Option<Vec<safety::Redaction>>);

impl Drop for Outer {
    fn drop(&mut self) {
        RUNNING.set(self.0.take());
    }
}
