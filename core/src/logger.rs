//! The events of a call for the host's logger. They are collected while the call runs and passed to the logger when it
//! has ended, so that a logger may be slow, may throw and may call back without blocking anything.

use std::cell::RefCell;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// How important an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details, for debugging.
    Debug,
    /// A rare operation.
    Info,
    /// A problem that did not make the call fail.
    Warn,
    /// A call failed.
    Error,
}

impl Level {
    /// The name of the logger's method: `debug`, `info`, `warn`, `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// An event of a call. It contains no secret.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Event {
    /// How important it is.
    pub level: Level,
    /// The message.
    pub message: String,
    /// The details as a JSON object.
    pub payload: String,
}

/// A host's logger. Called on the thread of the call, after the call has ended and released its locks.
pub trait Logger: fmt::Debug + Send + Sync {
    /// Logs an event. A panic in here does not affect the call.
    fn log(&self, event: &Event);
}

thread_local! {
    /// The events of the call that runs on this thread; `None` if there is no logger.
    static EVENTS: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Whether the call that runs on this thread has a logger.
pub(crate) fn is_collecting() -> bool {
    EVENTS.with_borrow(Option::is_some)
}

/// Records an event for the logger of the call that runs on this thread. Its texts must have been scrubbed.
pub(crate) fn record(level: Level, message: impl Into<String>, payload: &impl Serialize) {
    EVENTS.with_borrow_mut(|events| {
        if let Some(events) = events {
            let payload = serde_json::to_value(payload).ok().filter(Value::is_object);
            let payload = payload.map_or_else(|| "{}".to_owned(), |payload| payload.to_string());
            events.push(Event { level, message: message.into(), payload });
        }
    });
}

/// Runs `body` and returns the events that it recorded. A nested call collects its events separately.
pub(crate) fn collect_events<T>(body: impl FnOnce() -> T) -> (T, Vec<Event>) {
    let _outer = Outer(EVENTS.replace(Some(Vec::new())));
    let value = body();
    (value, EVENTS.take().unwrap_or_default())
}

/// The events of the outer call, restored on drop.
struct Outer(Option<Vec<Event>>);

impl Drop for Outer {
    fn drop(&mut self) {
        EVENTS.set(self.0.take());
    }
}
