//! Results of the methods of items, formatted for a terminal.

use chrono::{DateTime, Utc};
use loopmem::Result;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::abbreviation::shortest;
use crate::human::items::item::{Item, folders_of, items, stored as all_stored};
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, WARNING, age, counted, moment, on_one_line, sanitize, width};
use crate::human::table::{Column, table};
use crate::human::views::{named, pairs};
use crate::session::{Members, Session, number, read, text, texts, with_option};

const NOTHING: &str = "no items are stored here yet; `loopmem items add TEXT` stores one";
const NO_MATCH: &str = "nothing matches";
const BYPASSED: &str = "memory is bypassed, so nothing is shown";
/// The minimum length of an abbreviated id.
const ID_LENGTH: usize = 8;
/// Below this width, a list is without scopes and tags.
const NARROW: usize = 50;

/// The result of the method `verb`; `None` if it has no layout.
pub(super) fn of(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
    let one = |what: &str| Some(read(json).and_then(Item::parse).map(|item| stored(what, &item)));
    match verb {
        "add" => one("Stored"),
        "update" => one("Changed"),
        "archive" => one("Archived"),
        "restore" => one("Restored"),
        "get" => Some(read(json).and_then(Item::parse).map(|item| in_full(&item, session.now))),
        "list" => Some(list(session, params, json, NOTHING)),
        "sweep" => Some(list(session, params, json, "no item has expired")),
        "recall" => Some(recall(session, params, json)),
        "stats" => Some(read(json).map(|stats| counts(&stats))),
        "export" => Some(read(json).map(|exported| export(params, &exported))),
        "import" => Some(read(json).map(|imported| import(&imported))),
        "migrate" => Some(read(json).map(|migrated| migration(params, &migrated))),
        "migrateLegacy" => Some(read(json).map(|migrated| legacy(&migrated))),
        "used" => {
            Some(read(json).map(|used: Members| format!("Counted {}.", counted(number(&used, "counted"), "item"))))
        }
        _ => None,
    }
}

/// What happened to an item: `Stored fact 019a1b2c…: The proxy listens on port 8443.`
pub(crate) fn stored(what: &str, item: &Item) -> String {
    named(&format!("{what} {}", on_one_line(item.kind())), item.id(), &item.label())
}

/// A short table of items with their complete ids.
pub(super) fn listed(items: &[&Item]) -> String {
    let heads =
        vec![Column::fixed("ID", ID), Column::fixed("TYPE", KIND), Column::flexible("CONTENT", PLAIN, Keep::Start)];
    let row = |it: &&Item| vec![it.id().to_owned(), it.kind().to_owned(), it.label()];
    table(heads, items.iter().map(row).collect(), width())
}

fn list(session: &Session<'_>, params: &Members, json: &str, nothing: &str) -> Result<String> {
    let shown = items(json)?;
    let folders = folders_of(params);
    let is_filtered = folders.len() < params.len();
    if shown.is_empty() {
        let why = match () {
            () if session.is_bypassed() => BYPASSED,
            () if is_filtered => NO_MATCH,
            () => nothing,
        };
        return Ok(format!("{FAINT}{why}{FAINT:#}"));
    }
    let all = all_stored(session, &folders)?;
    let ids = sorted_ids(all.iter().chain(&shown));
    let heads = vec![
        Column::fixed("ID", ID),
        Column::fixed("TYPE", KIND),
        Column::fixed("SCOPE", FAINT),
        Column::flexible("CONTENT", PLAIN, Keep::Start),
        Column::flexible("TAGS", FAINT, Keep::Start),
        Column::fixed("STATE", WARNING),
        Column::fixed("AGE", FAINT),
    ];
    // The table leaves out columns that are empty.
    let if_wide = |text: String| if width() < NARROW { String::new() } else { text };
    let row = |it: &Item| {
        vec![
            shortest(it.id(), &ids, ID_LENGTH).to_owned(),
            it.kind().to_owned(),
            if_wide(it.scope().to_owned()),
            it.label(),
            if_wide(it.tags()),
            it.state(session.now).to_owned(),
            age(text(&it.members, "updated_at"), session.now),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

fn sorted_ids<'i>(items: impl Iterator<Item = &'i Item>) -> Vec<&'i str> {
    let mut ids: Vec<&str> = items.map(Item::id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Everything about an item but its content: names and values, those that are not known last.
pub(crate) fn details(item: &Item, now: DateTime<Utc>) -> Vec<(&str, String)> {
    let (members, none) = (&item.members, Members::new());
    let object = |key: &str| members.get(key).and_then(Value::as_object).unwrap_or(&none);
    let list = |object: &Members, key: &str| texts(object, key).collect::<Vec<_>>().join(", ");
    let (hints, counters) = (object("relevance_hints"), object("counters"));
    let (created, updated) = (text(members, "created_at"), text(members, "updated_at"));
    let time = |time: &str| if time.is_empty() { String::new() } else { moment(time, now) };
    let times = |key: &str| match number(counters, key) {
        0 => String::new(),
        count => counted(count, "time"),
    };
    let expiry = text(members, "expiry");
    let embedding = members.get("embedding").and_then(Value::as_array);
    let known = [
        ("scope", item.scope().to_owned()),
        ("state", item.state(now).to_owned()),
        ("tags", item.tags()),
        ("files", list(hints, "files")),
        ("packages", list(hints, "crates")),
        ("languages", list(hints, "langs")),
        ("expires", item.expires_at().map_or_else(|| expiry.to_owned(), |at| until(at, expiry, now))),
        ("session", text(members, "session").to_owned()),
        ("seq", members.get("seq").filter(|seq| seq.is_number()).map_or_else(String::new, Value::to_string)),
        ("stored", time(created)),
        ("changed", if updated == created { String::new() } else { time(updated) }),
        ("recalled", times("seen_count")),
        ("used", times("used_count")),
        ("last used", time(text(counters, "last_used_at"))),
        ("embedding", embedding.map_or_else(String::new, |it| counted(it.len() as u64, "number"))),
    ];
    let unknown = item.unknown.iter().map(|(key, json)| (key.as_str(), json.clone()));
    known.into_iter().chain(unknown).collect()
}

/// A time in milliseconds since 1970, which may be in the future; `stored` is what is shown if it is too far away.
fn until(time: i64, stored: &str, now: DateTime<Utc>) -> String {
    match DateTime::from_timestamp_millis(time) {
        Some(then) if then > now => format!("{} UTC", then.format("%Y-%m-%d %H:%M")),
        Some(then) => moment(&then.to_rfc3339(), now),
        None => stored.to_owned(),
    }
}

fn in_full(item: &Item, now: DateTime<Utc>) -> String {
    let content = sanitize(text(&item.members, "content"));
    let (kind, id) = (on_one_line(item.kind()), on_one_line(item.id()));
    format!("{KIND}{kind}{KIND:#} {ID}{id}{ID:#}\n{}\n{content}", pairs(&details(item, now)))
}

/// An item that was recalled, and why.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recalled {
    item: Box<RawValue>,
    reasons: Vec<String>,
    in_preamble: bool,
}

/// The result of `items.recall`.
#[derive(Debug, Deserialize)]
pub(crate) struct Recall {
    pub(crate) preamble: String,
    pub(crate) items: Vec<Recalled>,
    pub(crate) considered: u64,
    pub(crate) dropped: u64,
}

impl Recall {
    /// How much was recalled: `recalled 2 of 10 items; 1 more matched but exceeds the limit`.
    pub(crate) fn summary(&self) -> String {
        let considered = counted(self.considered, "item");
        match (self.items.len(), self.dropped) {
            (0, 0) if self.considered == 0 => "no item here can be recalled".to_owned(),
            (0, 0) => format!("no match among {considered} that can be recalled"),
            (recalled, 0) => format!("recalled {recalled} of {considered}"),
            (recalled, 1) => format!("recalled {recalled} of {considered}; 1 more matched but exceeds the limit"),
            (recalled, dropped) => {
                format!("recalled {recalled} of {considered}; {dropped} more matched but exceed the limit")
            }
        }
    }
}

fn recall(session: &Session<'_>, params: &Members, json: &str) -> Result<String> {
    let recall: Recall = read(json)?;
    if recall.items.is_empty() && recall.dropped == 0 {
        let why = match session.is_bypassed() || params.get("temporary") == Some(&true.into()) {
            true => BYPASSED.to_owned(),
            false => recall.summary(),
        };
        return Ok(format!("{FAINT}{why}{FAINT:#}"));
    }
    let all = all_stored(session, &folders_of(params))?;
    let ids = sorted_ids(all.iter());
    let summary = recall.summary();
    let mut out = String::new();
    for (place, recalled) in recall.items.into_iter().enumerate() {
        let item = Item::parse(recalled.item)?;
        let id = on_one_line(shortest(item.id(), &ids, ID_LENGTH));
        let content = on_one_line(text(&item.members, "content"));
        let kind = on_one_line(item.kind());
        out.push_str(&format!("{:>3}. {KIND}{kind}{KIND:#} {ID}{id}{ID:#}  {content}\n", place + 1));
        let mut reasons: Vec<String> = recalled.reasons.iter().map(|it| on_one_line(it)).collect();
        if !recalled.in_preamble {
            reasons.push("left out of the text: it does not fit".to_owned());
        }
        out.push_str(&format!("     {FAINT}{}{FAINT:#}\n", reasons.join("; ")));
    }
    out.push_str(&format!("{FAINT}{summary}{FAINT:#}\n"));
    match recall.preamble.is_empty() {
        true => out.push_str(&format!("\n{FAINT}no text: no item fits{FAINT:#}")),
        false => out.push_str(&format!("\n{}", sanitize(&recall.preamble))),
    }
    Ok(out)
}

fn counts(stats: &Members) -> String {
    let lines: Vec<(&str, String)> = stats.iter().map(|(name, count)| (name.as_str(), count.to_string())).collect();
    pairs(&lines)
}

fn export(params: &Members, exported: &Members) -> String {
    format!("Exported {} to {}.", counted(number(exported, "count"), "item"), on_one_line(text(params, "path")))
}

fn import(imported: &Members) -> String {
    let (skipped, count) = (skipped(imported), |key: &str| number(imported, key));
    let mut out = format!(
        "{} added, {} changed, {} unchanged, {} skipped\n",
        counted(count("added"), "item"),
        count("changed"),
        count("unchanged"),
        skipped.len()
    );
    for line in skipped {
        out.push_str(&format!("  {}\n", reason(line)));
    }
    out
}

fn legacy(migrated: &Members) -> String {
    let (skipped, count) = (skipped(migrated), |key: &str| number(migrated, key));
    let mut out = format!(
        "{} copied, {} as history, {} unchanged, {} skipped\n",
        counted(count("copied"), "item"),
        counted(count("history"), "event"),
        count("unchanged"),
        skipped.len()
    );
    for line in skipped {
        out.push_str(&format!("  {}, {}\n", on_one_line(text(line, "path")), reason(line)));
    }
    out
}

/// The lines that were skipped.
fn skipped(result: &Members) -> Vec<&Members> {
    result.get("skipped").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
}

/// Why a line was skipped: `line 3: not a JSON object (ParseError)`.
fn reason(line: &Members) -> String {
    let (code, message) = (on_one_line(text(line, "code")), on_one_line(&with_option(text(line, "message"))));
    format!("line {}: {message} {FAINT}({code}){FAINT:#}", number(line, "line"))
}

fn migration(params: &Members, migrated: &Members) -> String {
    let to = on_one_line(text(params, "to"));
    let copied = counted(number(migrated, "copied"), "item");
    let mut out = format!("Copied {copied} to {to}.");
    let [present, damaged, duplicates] = ["present", "damaged", "duplicates"].map(|key| number(migrated, key));
    let mut rest: Vec<String> = Vec::new();
    if present > 0 {
        rest.push(format!("{present} already there"));
    }
    if damaged > 0 {
        let lines = match damaged {
            1 => "1 line skipped because it is not an item".to_owned(),
            _ => format!("{damaged} lines skipped because they are not items"),
        };
        rest.push(format!("{lines} (loopmem doctor lists them)"));
    }
    if duplicates > 0 {
        rest.push(format!("{} skipped because a later one has the same id", counted(duplicates, "line")));
    }
    if !rest.is_empty() {
        out.push_str(&format!(" {}.", rest.join("; ")));
    }
    format!("{out}\nTo use them, open the store with itemsBackend, or set CODEX_MEMORY_BACKEND={to}.")
}
