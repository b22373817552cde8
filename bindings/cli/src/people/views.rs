//! Results of methods laid out for a terminal.

use chrono::{DateTime, Utc};
use loopmem::Result;
use serde_json::Value;

use crate::abbreviation::shortest;
use crate::desk::{Desk, Members, read, text, texts};
use crate::output;
use crate::people::REPO;
use crate::people::record::{Entry, Holds, entries, stored};
use crate::people::screen::{
    BOLD, FAINT, ID, KIND, Keep, PLAIN, age, columns, counted, moment, on_one_line, tame, width,
};
use crate::people::table::{Column, table};
use crate::people::{safety, scopes};

/// What is said where there is nothing to show.
pub(crate) const NOTHING: &str =
    "nothing is stored for this repository yet; `loopmem memory add note TEXT` stores a note";
const NO_SUMMARY: &str =
    "no step has a summary in this repository yet; `loopmem summary add` stores one, see its --help";
const NO_MATCH: &str = "nothing matches";
/// How long the beginning of an id is where fewer characters would do.
const ID_LENGTH: usize = 8;
const HASH_LENGTH: usize = 12;

/// Shows what a method returned: on a terminal laid out, if there is a layout for it. `params` are those of the call.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn answered(desk: &Desk<'_>, method: &str, params: &str, json: String) -> Result<()> {
    match desk.is_for_people().then(|| laid_out(desk, method, params, &json)).flatten() {
        Some(text) => output::screen(&text),
        None => output::result(json, desk.style()),
    }
}

fn laid_out(desk: &Desk<'_>, method: &str, params: &str, json: &str) -> Option<String> {
    let params: Members = read(params).ok()?;
    match method {
        "memory.list" => records(desk, &params, json).ok(),
        "summary.list" => summaries(desk, &params, json).ok(),
        "repo.list" => repositories(desk, json).ok(),
        "repo.identify" => identity(json).ok(),
        "safety.rules" => safety::rules(json).ok(),
        "repo.migrate" => migration(&params, json).ok(),
        "working.getContext" | "working.updateContext" | "working.restoreCheckpoint" => scopes::context(json).ok(),
        "working.getLogs" => scopes::log(desk, json).ok(),
        "working.searchLogs" => scopes::found(desk, json).ok(),
        "working.history" => scopes::history(desk, json).ok(),
        "working.listCheckpoints" => scopes::checkpoints(desk, json).ok(),
        "working.listScopes" => scopes::scopes(json).ok(),
        _ => None,
    }
}

/// What is said in the place of an empty list: `nothing`, where no filter may be why.
fn empty(params: &Members, nothing: &str) -> String {
    let filtered = params.keys().any(|key| !REPO.contains(&key.as_str()));
    format!("{FAINT}{}{FAINT:#}", if filtered { NO_MATCH } else { nothing })
}

fn records(desk: &Desk<'_>, params: &Members, json: &str) -> Result<String> {
    let shown = entries(json)?;
    if shown.is_empty() {
        return Ok(empty(params, NOTHING));
    }
    // What is short enough among all may be typed again.
    let repo: Members = params
        .iter()
        .filter(|(key, _)| REPO.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let all = if repo.len() == params.len() { Vec::new() } else { stored(desk, &repo)? };
    let mut ids: Vec<&str> = all.iter().chain(&shown).map(Entry::id).collect();
    ids.sort_unstable();
    ids.dedup();
    let heads = vec![
        Column::firm("ID", ID),
        Column::firm("KIND", KIND),
        Column::giving("WHAT", PLAIN, Keep::Start),
        Column::giving("TAGS, PATHS", FAINT, Keep::Start),
        Column::firm("AGE", FAINT),
    ];
    let row = |it: &Entry| {
        vec![
            shortest(it.id(), &ids, ID_LENGTH).to_owned(),
            it.kind.name().to_owned(),
            it.label(),
            it.marks(),
            age(text(&it.members, "updatedAt"), desk.now),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

/// Records in a few lines, each with its whole id.
pub(crate) fn listed(entries: &[&Entry]) -> String {
    let heads = vec![Column::firm("ID", ID), Column::firm("KIND", KIND), Column::giving("WHAT", PLAIN, Keep::Start)];
    let row = |it: &&Entry| vec![it.id().to_owned(), it.kind.name().to_owned(), it.label()];
    table(heads, entries.iter().map(row).collect(), width())
}

fn summaries(desk: &Desk<'_>, params: &Members, json: &str) -> Result<String> {
    let shown: Vec<Members> = read(json)?;
    if shown.is_empty() {
        return Ok(empty(params, NO_SUMMARY));
    }
    let heads = vec![
        Column::giving("RUN", ID, Keep::Start),
        Column::giving("STEP", KIND, Keep::Start),
        Column::giving("SUMMARY", PLAIN, Keep::Start),
        Column::giving("TAGS", FAINT, Keep::Start),
        Column::firm("AGE", FAINT),
    ];
    let row = |it: &Members| {
        vec![
            text(it, "runId").to_owned(),
            text(it, "stepId").to_owned(),
            text(it, "summary").to_owned(),
            texts(it, "tags").collect::<Vec<_>>().join(", "),
            age(text(it, "timestamp"), desk.now),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

fn repositories(desk: &Desk<'_>, json: &str) -> Result<String> {
    let shown: Vec<Members> = read(json)?;
    if shown.is_empty() {
        return Ok(format!("{FAINT}nothing is stored for any repository yet{FAINT:#}"));
    }
    let mut hashes: Vec<&str> = shown.iter().map(|it| text(it, "repoHash")).collect();
    hashes.sort_unstable();
    let heads = vec![
        Column::firm("HASH", ID),
        Column::giving("BRANCH", KIND, Keep::Start),
        Column::giving("PATH", PLAIN, Keep::End),
        Column::firm("CHANGED", FAINT),
        Column::firm("SIZE", FAINT),
    ];
    let row = |it: &Members| {
        vec![
            shortest(text(it, "repoHash"), &hashes, HASH_LENGTH).to_owned(),
            text(it, "branch").to_owned(),
            text(it, "path").to_owned(),
            age(text(it, "modifiedAt"), desk.now),
            size(it.get("bytes").and_then(Value::as_u64).unwrap_or_default()),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn identity(json: &str) -> Result<String> {
    let it: Members = read(json)?;
    let mut lines = Vec::new();
    let mut line = |name, value: &str| lines.push((name, value.to_owned()));
    line("hash", text(&it, "repoHash"));
    line("path", text(&it, "path"));
    line("remote", text(&it, "remoteUrl"));
    line(
        "branch",
        if it.get("detached") == Some(&true.into()) { "none: HEAD is detached" } else { text(&it, "branch") },
    );
    line("commit", text(&it, "commit"));
    line("scope", text(&it, "branchScope"));
    Ok(pairs(&lines))
}

/// Names and values, one pair a line; without a value it is left out.
fn pairs(lines: &[(&str, String)]) -> String {
    let lines: Vec<_> = lines.iter().filter(|(_, value)| !value.is_empty()).collect();
    let longest = lines.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    let line = |(name, value): &&(&str, String)| {
        let padding = longest - columns(name) + 2;
        format!("{FAINT}{}{FAINT:#}{:padding$}{}\n", on_one_line(name), "", on_one_line(value))
    };
    lines.iter().map(line).collect()
}

fn migration(params: &Members, json: &str) -> Result<String> {
    let it: Members = read(json)?;
    let counts = |key: &str| -> String {
        let counts = it.get(key).and_then(Value::as_object).into_iter().flatten();
        let some = counts.filter_map(|(kinds, count)| {
            let kind = if kinds == "summaries" { "summary" } else { kinds.strip_suffix('s').unwrap_or(kinds) };
            Some(counted(count.as_u64().filter(|count| *count > 0)?, kind))
        });
        some.collect::<Vec<_>>().join(", ")
    };
    let (copied, there) = (counts("copied"), counts("deduplicated"));
    let verb = if params.get("dryRun") == Some(&true.into()) { "Would copy" } else { "Copied" };
    let mut lines = format!("{verb} {}.", if copied.is_empty() { "nothing" } else { &copied });
    if !there.is_empty() {
        lines.push_str(&format!(" There already: {there}."));
    }
    for (key, what) in [("left", "Too old to come over"), ("pruned", "Had to go there for newer ones")] {
        if let Some(count) = it.get(key).and_then(Value::as_u64).filter(|count| *count > 0) {
            lines.push_str(&format!(" {what}: {}.", counted(count, "summary")));
        }
    }
    Ok(lines)
}

/// A record as a whole.
pub(crate) fn record(entry: &Entry, now: DateTime<Utc>) -> String {
    let members = &entry.members;
    let id = on_one_line(entry.id());
    let mut lines: Vec<(&str, String)> = Vec::new();
    for field in entry.kind.fields().iter().filter(|field| field.holds != Holds::Body) {
        lines.push(match (field.holds, field.key) {
            (Holds::List, key) => {
                let name = if key == "impactedPaths" { "paths" } else { key };
                (name, texts(members, key).collect::<Vec<_>>().join(", "))
            }
            (_, key) => (key, text(members, key).to_owned()),
        });
    }
    let (created, updated) = (text(members, "createdAt"), text(members, "updatedAt"));
    lines.push(("stored", moment(created, now)));
    if updated != created {
        lines.push(("changed", moment(updated, now)));
    }
    let known = ["id", "createdAt", "updatedAt"];
    for (key, value) in members {
        if !known.contains(&key.as_str()) && entry.kind.fields().iter().all(|field| field.key != key) {
            lines.push((key, value.to_string()));
        }
    }
    let body = tame(text(members, entry.kind.body().key));
    format!("{KIND}{}{KIND:#} {ID}{id}{ID:#}\n{}\n{body}", entry.kind.name(), pairs(&lines))
}

/// A summary as a whole.
pub(crate) fn summary(it: &Members, now: DateTime<Utc>) -> String {
    let lines =
        [("when", moment(text(it, "timestamp"), now)), ("tags", texts(it, "tags").collect::<Vec<_>>().join(", "))];
    let (run, step) = (on_one_line(text(it, "runId")), on_one_line(text(it, "stepId")));
    let body = tame(text(it, "summary"));
    format!("{ID}{run}{ID:#} {KIND}{step}{KIND:#}\n{}\n{}\n", pairs(&lines), body.trim_end())
}

/// One line about something that has a name: `Stored note 019a1b2c: The CI box is slow`.
pub(crate) fn named(what: &str, id: &str, label: &str) -> String {
    let label = on_one_line(label);
    let colon = if label.is_empty() { "" } else { ": " };
    format!("{BOLD}{what}{BOLD:#} {ID}{}{ID:#}{colon}{label}", on_one_line(id))
}
