//! Prints warnings to standard error, as text or as lines of JSON that cannot be mistaken for errors.

use std::fmt;
use std::io;

use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, FormatEvent, FormatFields, Full, Writer, format};
use tracing_subscriber::fmt::{FmtContext, fmt};
use tracing_subscriber::registry::LookupSpan;

use crate::human::screen::redacted;
use crate::output::Style;

/// Starts printing warnings.
pub(crate) fn show(style: Style) {
    let warnings = fmt().with_writer(io::stderr).with_max_level(Level::WARN);
    match style {
        Style::Human => warnings.event_format(Sentences(format().with_target(false).without_time())).init(),
        Style::Json => warnings.event_format(Lines).init(),
    }
}

/// Says what was redacted as a sentence, and formats other warnings as usual.
struct Sentences(Format<Full, ()>);

impl<S, N> FormatEvent<S, N> for Sentences
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut warning = Members::default();
        event.record(&mut warning);
        match warning.0.contains_key("rule") {
            true => writeln!(out, "loopmem: redacted {}", redacted(&warning.0)),
            false => self.0.format_event(context, out, event),
        }
    }
}

/// Formats each warning as a line `{"warning":{"message":…}}`, with the warning's other fields.
struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut warning = Members::default();
        event.record(&mut warning);
        writeln!(out, "{}", json!({ "warning": warning.0 }))
    }
}

#[derive(Default)]
struct Members(Map<String, Value>);

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
