//! What a host's logger is told of a call: kept while the call runs, and told when it is over, so that a logger may be
//! slow, may throw and may call back without holding anything up.

use std::cell::RefCell;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// How important an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What happened, for somebody who looks closely.
    Debug,
    /// Something that is done rarely.
    Info,
    /// Something that a person should know and that stops nothing.
    Warn,
    /// A call failed.
    Error,
}

impl Level {
    /// The name of the logger's function: `debug`, `info`, `warn`, `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// Something that happened in a call, without a secret.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Event {
    /// How important it is.
    pub level: Level,
    /// The sentence.
    pub message: String,
    /// A JSON object that says the same to programs.
    pub payload: String,
}

/// A host's logger. Called on the thread of the call, when it is over and holds nothing any more.
pub trait Logger: fmt::Debug + Send + Sync {
    /// Takes an event. Whatever goes wrong in here changes nothing for the call.
    fn log(&self, event: &Event);
}

thread_local! {
    /// What the call that runs on this thread has to tell; `None` when nobody listens.
    static EVENTS: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Keeps an event for the logger of the call that runs on this thread. Its texts must have been scrubbed.
pub(crate) fn note(level: Level, message: impl Into<String>, payload: &impl Serialize) {
    EVENTS.with_borrow_mut(|events| {
        if let Some(events) = events {
            let payload = serde_json::to_value(payload).ok().filter(Value::is_object);
            let payload = payload.map_or_else(|| "{}".to_owned(), |payload| payload.to_string());
            events.push(Event { level, message: message.into(), payload });
        }
    });
}

/// Runs `body`, and returns what it noted. A call that is made from within another one has events of its own.
pub(crate) fn noting<T>(body: impl FnOnce() -> T) -> (T, Vec<Event>) {
    let _outer = Outer(EVENTS.replace(Some(Vec::new())));
    let value = body();
    (value, EVENTS.take().unwrap_or_default())
}

/// The events of the call around this one, put back whatever happens.
struct Outer(Option<Vec<Event>>);

impl Drop for Outer {
    fn drop(&mut self) {
        EVENTS.set(self.0.take());
    }
}
