//! Layouts of contexts, logs, histories, checkpoints and scopes for a terminal.

use std::collections::BTreeMap;

use anstyle::Style;
use chrono::DateTime;
use loopmem::Result;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, columns, moment, on_one_line, sanitize, width};
use crate::human::table::{Column, table};
use crate::session::{Members, Session, read, text, texts};

/// Values by name, as written: parsing them would round numbers.
type Values = BTreeMap<String, Box<RawValue>>;

/// The values of a context by name.
pub(crate) fn context(json: &str) -> Result<String> {
    let context: Values = read(json)?;
    let names = context.keys().map(|name| columns(&on_one_line(name)) + GAP).max().unwrap_or(0);
    let room = width().saturating_sub(names);
    let rows = context.iter().map(|(name, value)| (vec![(on_one_line(name), ID)], as_set(value, Some(room))));
    Ok(hanging(rows.collect(), "the context is empty"))
}

/// The entries of a log.
pub(crate) fn log(session: &Session<'_>, json: &str) -> Result<String> {
    let entries: Vec<Members> = read(json)?;
    Ok(hanging(entries.iter().map(|entry| logged(session, entry)).collect(), "the log is empty"))
}

/// Log entries found by a search, each preceded by its score.
pub(crate) fn found(session: &Session<'_>, json: &str) -> Result<String> {
    let found: Vec<Members> = read(json)?;
    let row = |it: &Members| {
        let score = it.get("score").and_then(Value::as_f64).unwrap_or_default();
        let (mut marks, content) =
            logged(session, it.get("entry").and_then(Value::as_object).unwrap_or(&Members::new()));
        marks.insert(0, (format!("{score:.2}"), ID));
        (marks, content)
    };
    Ok(hanging(found.iter().map(row).collect(), "nothing matches"))
}

fn logged(session: &Session<'_>, entry: &Members) -> Row {
    let metadata = entry.get("metadata").and_then(Value::as_object);
    let source = metadata.map(|metadata| text(metadata, "source")).unwrap_or_default();
    let time = metadata.and_then(|metadata| time(metadata.get("timestamp")?)).unwrap_or_default();
    (vec![(age(&time, session.now), FAINT), (on_one_line(source), KIND)], sanitize(text(entry, "content")))
}

/// The changes of a context.
pub(crate) fn history(session: &Session<'_>, json: &str) -> Result<String> {
    let trail: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
    let mut rows = Vec::new();
    for raw in trail {
        let (entry, values): (Members, Values) = (read(raw.get())?, read(raw.get())?);
        let change = match text(&entry, "operation") {
            "restoreCheckpoint" => format!("restored {}", entry.get("timestamp").unwrap_or(&Value::Null)),
            _ => {
                let patch: Values = values.get("patch").map_or_else(|| Ok(Values::new()), |it| read(it.get()))?;
                let removed = texts(&entry, "remove").map(|name| format!("-{name}"));
                let set = patch.iter().map(|(name, value)| format!("{name}={}", as_set(value, None)));
                removed.chain(set).collect::<Vec<_>>().join("  ")
            }
        };
        rows.push(vec![age(text(&entry, "time"), session.now), text(&entry, "source").to_owned(), change]);
    }
    if rows.is_empty() {
        return Ok(faint("this context has not been changed yet"));
    }
    let heads = vec![
        Column::fixed("AGE", FAINT),
        Column::flexible("SOURCE", KIND, Keep::Start),
        Column::flexible("CHANGE", PLAIN, Keep::Start),
    ];
    Ok(table(heads, rows, width()))
}

/// The checkpoints of a job.
pub(crate) fn checkpoints(session: &Session<'_>, json: &str) -> Result<String> {
    let timestamps: Vec<Value> = read(json)?;
    if timestamps.is_empty() {
        return Ok(faint("this job has no checkpoints"));
    }
    let row = |it: &Value| vec![it.to_string(), time(it).map_or_else(String::new, |time| moment(&time, session.now))];
    let heads = vec![Column::fixed("TIMESTAMP", ID), Column::flexible("SAVED", FAINT, Keep::Start)];
    Ok(table(heads, timestamps.iter().map(row).collect(), width()))
}

/// The ids of scopes, one a line.
pub(crate) fn scopes(json: &str) -> Result<String> {
    let scopes: Vec<String> = read(json)?;
    if scopes.is_empty() {
        return Ok(faint("there are no scopes yet; `loopmem working set SCOPE KEY=VALUE` sets a value"));
    }
    Ok(scopes.iter().map(|scope| format!("{ID}{}{ID:#}\n", sanitize(scope).replace('\n', "\u{fffd}"))).collect())
}

const GAP: usize = 2;

/// Columns, followed by a text that may have several lines.
type Row = (Vec<(String, Style)>, String);

/// Rows with aligned columns and hanging indents.
fn hanging(rows: Vec<Row>, nothing: &str) -> String {
    if rows.is_empty() {
        return faint(nothing);
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

/// Converts milliseconds since 1970 to the time format of records.
fn time(milliseconds: &Value) -> Option<String> {
    #[allow(clippy::cast_possible_truncation, reason = "a time outside the calendar is not shown")]
    let whole = milliseconds.as_i64().or_else(|| milliseconds.as_f64().map(|it| it as i64))?;
    DateTime::from_timestamp_millis(whole).map(|time| time.to_rfc3339())
}

fn faint(text: &str) -> String {
    format!("{FAINT}{text}{FAINT:#}")
}
