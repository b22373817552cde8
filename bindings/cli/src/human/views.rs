//! Common parts of layouts for a terminal.

use loopmem::methods::RemovedRecords;
use serde::Serialize;
use serde_json::json;

use crate::human::screen::{BOLD, FAINT, ID, columns, counted, on_one_line};
use crate::session::{Members, REPO};

pub(crate) const NO_MATCH: &str = "nothing matches";

/// Shown instead of an empty list: `nothing`, unless a filter may be the reason.
pub(crate) fn empty(params: &Members, nothing: &str) -> String {
    let filtered = params.keys().any(|key| !REPO.contains(&key.as_str()));
    faint(if filtered { NO_MATCH } else { nothing })
}

pub(crate) fn faint(text: &str) -> String {
    format!("{FAINT}{text}{FAINT:#}")
}

/// A word as JSON has it, such as the kind of a symbol.
pub(crate) fn word(value: impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}

/// Names and values, one pair per line; pairs without a value are left out.
pub(crate) fn pairs(lines: &[(&str, String)]) -> String {
    let lines: Vec<_> = lines.iter().filter(|(_, value)| !value.is_empty()).collect();
    let longest = lines.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    let line = |(name, value): &&(&str, String)| {
        let padding = longest - columns(name) + 2;
        format!("{FAINT}{}{FAINT:#}{:padding$}{}\n", on_one_line(name), "", on_one_line(value))
    };
    lines.iter().map(line).collect()
}

/// One line about a named item: `Stored note 019a1b2c: The CI box is slow`.
pub(crate) fn named(what: &str, id: &str, label: &str) -> String {
    let label = on_one_line(label);
    let colon = if label.is_empty() { "" } else { ": " };
    format!("{BOLD}{what}{BOLD:#} {ID}{}{ID:#}{colon}{label}", on_one_line(id))
}

/// How many records were removed or, in a dry run, would be.
pub(crate) fn removed(it: &RemovedRecords, noun: &str, params: &Members) -> String {
    match params.contains_key("dryRun") {
        true => format!("{} would be removed.", counted(it.count, noun)),
        false => format!("Removed {}.", counted(it.count, noun)),
    }
}
