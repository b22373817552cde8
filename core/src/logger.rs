//! The events of a call. For the host's logger, they are collected while the call runs and passed to the logger when it
//! has ended, so that a logger may be slow, may throw and may call back without blocking anything. A subscriber of `tracing`
//! receives them at once, within a span that names the operation.

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

/// A host's logger, for [`Builder::logger`](crate::store::Builder::logger). Called on the thread of the call, after the call has
/// ended and released its locks.
pub trait Logger: fmt::Debug + Send + Sync {
    /// Logs an event. A panic in here does not affect the call.
    fn log(&self, event: &Event);
}

thread_local! {
    /// The events of the call that runs on this thread; `None` if there is no logger.
    static EVENTS: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Whether anyone receives what is logged with this level.
pub(crate) fn is_listened_to(level: Level) -> bool {
    EVENTS.with_borrow(Option::is_some)
        || match level {
            Level::Info => tracing::enabled!(tracing::Level::INFO),
            Level::Warn => tracing::enabled!(tracing::Level::WARN),
            Level::Debug | Level::Error => tracing::enabled!(tracing::Level::DEBUG),
        }
}

/// Records an event of the call that runs on this thread. Its texts must have been scrubbed. A warning is passed to `tracing`
/// by [`Warning`](crate::warning::Warning), with a field for each part.
pub(crate) fn record(level: Level, message: impl Into<String>, payload: &impl Serialize) {
    if !is_listened_to(level) {
        return;
    }
    let payload = serde_json::to_value(payload).ok().filter(Value::is_object);
    let payload = payload.map_or_else(|| "{}".to_owned(), |payload| payload.to_string());
    let message = message.into();
    match level {
        Level::Debug => tracing::debug!(payload, "{message}"),
        Level::Info => tracing::info!(payload, "{message}"),
        Level::Warn => {}
        // The caller has the error, and decides how bad it is.
        Level::Error => tracing::debug!(payload, "the call failed: {message}"),
    }
    EVENTS.with_borrow_mut(|events| {
        if let Some(events) = events {
            events.push(Event { level, message, payload });
        }
    });
}

/// The span of a call.
pub(crate) fn span(operation: &str) -> tracing::span::EnteredSpan {
    tracing::info_span!("call", operation).entered()
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
