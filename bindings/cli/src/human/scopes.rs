//! Layouts of contexts, logs, histories, checkpoints and scopes for a terminal.

use std::collections::BTreeMap;

use anstyle::Style;
use chrono::DateTime;
use loopmem::working::{MemoryEntry, Operation, TrailEntry};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, columns, is_tsv, moment, on_one_line, sanitize, width};
use crate::human::table::Table;
use crate::human::views::faint;
use crate::session::Session;

/// Values by name, as written: parsing them would round numbers.
pub(crate) type Values = BTreeMap<String, Box<RawValue>>;

/// The values of a context by name.
pub(crate) fn context(context: &Values) -> String {
    let names = context.keys().map(|name| columns(&on_one_line(name)) + GAP).max().unwrap_or(0);
    let room = width().saturating_sub(names);
    let rows = context.iter().map(|(name, value)| (vec![(on_one_line(name), ID)], as_set(value, Some(room))));
    hanging(rows.collect(), "the context is empty")
}

/// The entries of a log.
pub(crate) fn log(session: &Session<'_>, entries: &[MemoryEntry]) -> String {
    hanging(entries.iter().map(|entry| logged(session, entry)).collect(), "the log is empty")
}

/// An entry of a log that a search found.
#[derive(Deserialize)]
pub(crate) struct Found {
    entry: MemoryEntry,
    score: f64,
}

/// Log entries found by a search, each preceded by its score.
pub(crate) fn found(session: &Session<'_>, found: &[Found]) -> String {
    let row = |it: &Found| {
        let (mut marks, content) = logged(session, &it.entry);
        marks.insert(0, (format!("{:.2}", it.score), ID));
        (marks, content)
    };
    hanging(found.iter().map(row).collect(), "nothing matches")
}

fn logged(session: &Session<'_>, MemoryEntry { content, metadata, .. }: &MemoryEntry) -> Row {
    #[allow(clippy::cast_possible_truncation, reason = "a time outside the calendar is not shown")]
    let time = time(metadata.timestamp as i64).unwrap_or_default();
    (vec![(age(&time, session.now), FAINT), (on_one_line(&metadata.source), KIND)], sanitize(content))
}

/// The changes of a context.
pub(crate) fn history(session: &Session<'_>, trail: &[TrailEntry]) -> String {
    if trail.is_empty() {
        return faint("this context has not been changed yet");
    }
    Table::of(trail)
        .fixed("AGE", FAINT, |it| age(&it.time, session.now))
        .flexible("SOURCE", KIND, Keep::Start, |it| it.source.as_deref().unwrap_or_default())
        .flexible("CHANGE", PLAIN, Keep::Start, change)
        .text()
}

fn change(it: &TrailEntry) -> String {
    if it.operation == Operation::RestoreCheckpoint {
        return format!("restored {}", it.timestamp.map_or(Value::Null, Value::from));
    }
    let patch: BTreeMap<&str, &RawValue> = it.patch.iter().collect();
    let removed = it.remove.iter().map(|name| format!("-{name}"));
    let set = patch.into_iter().map(|(name, value)| format!("{name}={}", as_set(value, None)));
    removed.chain(set).collect::<Vec<_>>().join("  ")
}

/// The checkpoints of a job.
pub(crate) fn checkpoints(session: &Session<'_>, timestamps: &[u64]) -> String {
    if timestamps.is_empty() {
        return faint("this job has no checkpoints");
    }
    let saved = |it: &u64| time(i64::try_from(*it).ok()?).map(|time| moment(&time, session.now));
    Table::of(timestamps)
        .fixed("TIMESTAMP", ID, u64::to_string)
        .flexible("SAVED", FAINT, Keep::Start, |it| saved(it).unwrap_or_default())
        .text()
}

/// The ids of scopes, one a line.
pub(crate) fn scopes(scopes: &[String]) -> String {
    if scopes.is_empty() {
        return faint("there are no scopes yet; `loopmem working set SCOPE KEY=VALUE` sets a value");
    }
    scopes.iter().map(|scope| format!("{ID}{}{ID:#}\n", sanitize(scope).replace('\n', "\u{fffd}"))).collect()
}

const GAP: usize = 2;

/// Columns, followed by a text that may have several lines.
type Row = (Vec<(String, Style)>, String);

/// Rows with aligned columns and hanging indents.
fn hanging(rows: Vec<Row>, nothing: &str) -> String {
    if rows.is_empty() {
        return faint(nothing);
    }
    if is_tsv() {
        let line = |(marks, body): &Row| {
            let cells = marks.iter().map(|(mark, _)| mark.as_str()).chain([body.as_str()]);
            format!("{}\n", cells.map(on_one_line).collect::<Vec<_>>().join("\t"))
        };
        return rows.iter().map(line).collect();
    }
    let count = rows.iter().map(|(marks, _)| marks.len()).max().unwrap_or(0);
    let widest = |at: usize| rows.iter().filter_map(|(marks, _)| Some(columns(&marks.get(at)?.0))).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(widest).collect();
    let indent = format!("\n{:1$}", "", widths.iter().map(|width| width + GAP).sum());
    let mut out = String::new();
    for (marks, body) in &rows {
        for ((mark, style), width) in marks.iter().zip(&widths) {
            let padding = width.saturating_sub(columns(mark)) + GAP;
            out.push_str(&format!("{style}{mark}{style:#}{:padding$}", ""));
        }
        out.push_str(&body.trim_end().replace('\n', &indent));
        out.push('\n');
    }
    out
}

/// A value as it would be typed to set it: JSON, or text that is not JSON. JSON wider than `room` is split over several
/// lines.
fn as_set(value: &RawValue, room: Option<usize>) -> String {
    let json = sanitize(&value.get().replace(['\n', '\r'], " "));
    match serde_json::from_str::<Value>(value.get()) {
        Ok(Value::String(text)) if serde_json::from_str::<&RawValue>(&text).is_err() => sanitize(&text),
        Ok(value @ (Value::Array(_) | Value::Object(_))) if room.is_some_and(|room| columns(&json) > room) => {
            sanitize(&format!("{value:#}"))
        }
        _ => json,
    }
}

/// Converts milliseconds since 1970 to the time format of records; `None` outside the calendar.
fn time(milliseconds: i64) -> Option<String> {
    DateTime::from_timestamp_millis(milliseconds).map(|time| time.to_rfc3339())
}
