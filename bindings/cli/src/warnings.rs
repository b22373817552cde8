//! Prints warnings to standard error, as text or as lines of JSON that cannot be mistaken for errors.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use loopmem::Redaction;
use loopmem::safety::escape_controls_on_one_line;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, fmt};
use tracing_subscriber::registry::LookupSpan;

use crate::human::progress;
use crate::human::screen::redacted;
use crate::output::Style;
use crate::wording;

/// Starts printing warnings.
pub(crate) fn show(style: Style) {
    fmt().with_writer(|| Sink).with_max_level(Level::WARN).event_format(style).init();
}

/// What was written while a command draws on the whole screen; `None` if none does.
static HELD: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Keeps warnings away from the screen as long as it lives; then prints those that were not taken.
pub(crate) struct Held(());

impl Held {
    pub(crate) fn begin() -> Self {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
        Held(())
    }

    /// What was written since the last call.
    pub(crate) fn take(&self) -> String {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_mut().map(|held| String::from_utf8_lossy(&std::mem::take(held)).into_owned()).unwrap_or_default()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let left = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
        // If standard error is closed there is nowhere to report it.
        let _ = io::stderr().write_all(&left.unwrap_or_default());
    }
}

/// Standard error, or the warnings that are held back from it.
struct Sink;

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *HELD.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(held) => held.write(bytes),
            None => {
                progress::clear();
                io::stderr().write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Formats each warning as a sentence, or as a line `{"warning":{"message":…}}` with the warning's other fields.
impl<S, N> FormatEvent<S, N> for Style
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        // What the library of a protocol logs may quote a client.
        if event.metadata().target().starts_with("rmcp") {
            return Ok(());
        }
        let mut warning = Members::default();
        event.record(&mut warning);
        match self {
            Style::Human => writeln!(out, "loopmem: {}", escape_controls_on_one_line(&warning.sentence())),
            Style::Json => writeln!(out, "{}", json!({ "warning": warning.0 })),
        }
    }
}

#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    /// As text, with what it is about in parentheses: `warning: unknown key; ignored (path: /home/me/.loopmem/config.toml)`.
    fn sentence(mut self) -> String {
        if let Ok(redaction) = Redaction::deserialize(Value::Object(self.0.clone())) {
            return format!("redacted {}", redacted(&redaction));
        }
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let message = self.0.remove("message").as_ref().map(shown).unwrap_or_default();
        let about: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}: {}", shown(value))).collect();
        let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
        format!("warning: {}{about}", wording::message(&message))
    }
}

impl Visit for Members {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}
