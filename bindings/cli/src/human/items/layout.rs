//! Results of the methods of items, formatted for a terminal.

use chrono::{DateTime, Utc};
use loopmem::Result;
use loopmem::items::{Imported, Migrated, MigratedLegacy, ScopeStats, Skipped, SkippedLegacy, Stats};
use loopmem::methods::UsedItems;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::identified::{Identified, Ids};
use crate::human::items::item::{Item, folders_of, stored};
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, WARNING, age, counted, moment, on_one_line, sanitize, width};
use crate::human::table::Table;
use crate::human::views::{self, faint, pairs};
use crate::session::{Members, Session, read, with_option};

const NOTHING: &str = "no items are stored here yet; `loopmem items add TEXT` stores one";
const NO_MATCH: &str = "nothing matches";
const BYPASSED: &str = "memory is bypassed, so nothing is shown";
/// Below this width, a list is without scopes and tags.
const NARROW: usize = 50;

/// The result of the method `verb`; `None` if it has no layout.
pub(super) fn of(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    let after = |what: &str| read::<Item>(json).map(|item| item.after(what));
    let param = |name: &str| on_one_line(params.get(name).and_then(Value::as_str).unwrap_or_default());
    Ok(Some(match verb {
        "add" => after("Stored")?,
        "update" => after("Changed")?,
        "archive" => after("Archived")?,
        "restore" => after("Restored")?,
        "get" => in_full(&read(json)?, session.now),
        "list" => list(session, params, &read::<Vec<_>>(json)?, NOTHING)?,
        "sweep" => list(session, params, &read::<Vec<_>>(json)?, "no item has expired")?,
        "recall" => recall(session, params, read(json)?)?,
        "trust" => trust(&read(json)?, params),
        "remove" => views::removed(&read(json)?, "item", params),
        "stats" => counts(&read(json)?),
        "export" => format!("Exported {} to {}.", counted(read::<Exported>(json)?.count, "item"), param("path")),
        "import" => import(&read(json)?),
        "migrate" => migration(&param("to"), &read(json)?),
        "migrateLegacy" => legacy(&read(json)?),
        "used" => format!("Counted {}.", counted(read::<UsedItems>(json)?.counted, "item")),
        _ => return Ok(None),
    }))
}

fn list(session: &Session<'_>, params: &Members, shown: &[Item], nothing: &str) -> Result<String> {
    let folders = folders_of(params);
    if shown.is_empty() {
        return Ok(faint(match () {
            () if session.is_bypassed => BYPASSED,
            () if folders.len() < params.len() => NO_MATCH,
            () => nothing,
        }));
    }
    let all = stored(session, &folders)?;
    let ids = Ids::of(all.iter().chain(shown));
    // The table leaves out columns that are empty.
    let if_wide = |text: String| if width() < NARROW { String::new() } else { text };
    let table = Table::of(shown)
        .fixed("ID", ID, |it| ids.short(&it.id))
        .fixed("TYPE", KIND, Item::kind)
        .fixed("SCOPE", FAINT, |it| if_wide(it.scope.as_str().to_owned()))
        .flexible("CONTENT", PLAIN, Keep::Start, Item::label)
        .flexible("TAGS", FAINT, Keep::Start, |it| if_wide(it.tags.join(", ")))
        .fixed("STATE", WARNING, |it| it.state(session.now))
        .fixed("AGE", FAINT, |it| age(&it.updated_at, session.now));
    Ok(table.text())
}

/// Everything about an item but its content: names and values, those that are not known last.
pub(crate) fn details(item: &Item, now: DateTime<Utc>) -> Vec<(&str, String)> {
    let (hints, counters) = (&item.relevance_hints, &item.counters);
    let time = |time: &str| if time.is_empty() { String::new() } else { moment(time, now) };
    let times = |count| if count == 0 { String::new() } else { counted(count, "time") };
    let expiry = item.expiry.as_deref().unwrap_or_default();
    let known = [
        ("scope", item.scope.as_str().to_owned()),
        ("state", item.state(now).to_owned()),
        ("tags", item.tags.join(", ")),
        ("files", hints.files.join(", ")),
        ("packages", hints.crates.join(", ")),
        ("languages", hints.langs.join(", ")),
        ("expires", item.expires_at().map_or_else(|| expiry.to_owned(), |at| until(at, expiry, now))),
        ("session", item.session.clone().unwrap_or_default()),
        ("seq", item.seq.map_or_else(String::new, |seq| seq.to_string())),
        ("stored", time(&item.created_at)),
        ("changed", if item.updated_at == item.created_at { String::new() } else { time(&item.updated_at) }),
        ("recalled", times(counters.seen_count)),
        ("used", times(counters.used_count)),
        ("last used", time(counters.last_used_at.as_deref().unwrap_or_default())),
        ("embedding", item.embedding.as_ref().map_or_else(String::new, |it| counted(it.len(), "number"))),
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
    let (kind, id, content) = (item.kind(), on_one_line(&item.id), sanitize(&item.content));
    format!("{KIND}{kind}{KIND:#} {ID}{id}{ID:#}\n{}\n{content}", pairs(&details(item, now)))
}

/// An item that was recalled, and why.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recalled {
    pub(crate) item: Item,
    reasons: Vec<String>,
    in_preamble: bool,
}

impl Recalled {
    /// Why it was recalled, and whether it is in the text.
    pub(crate) fn reasons(&self) -> String {
        let mut reasons: Vec<String> = self.reasons.iter().map(|it| on_one_line(it)).collect();
        if !self.in_preamble {
            reasons.push("left out of the text: it does not fit".to_owned());
        }
        reasons.join("; ")
    }
}

/// The result of `items.recall`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recall {
    pub(crate) preamble: String,
    pub(crate) standing: Vec<Item>,
    pub(crate) standing_dropped: u64,
    pub(crate) untrusted: u64,
    pub(crate) items: Vec<Recalled>,
    pub(crate) considered: u64,
    pub(crate) dropped: u64,
}

impl Recall {
    /// Which preferences apply, and how much was recalled: `recalled 2 of 10 items; 1 more matched but exceeds the limit`.
    pub(crate) fn summary(&self) -> String {
        let mut lines = Vec::new();
        let preferences = |count: u64| counted(count, "preference");
        match (self.standing.len() as u64, self.standing_dropped) {
            (0, 0) => {}
            (count, 0) => lines.push(format!("{} to follow", preferences(count))),
            (count, dropped) => lines.push(format!("{} to follow; {dropped} more do not fit", preferences(count))),
        }
        lines.push(self.matches());
        if self.untrusted > 0 {
            let what = preferences(self.untrusted);
            lines.push(format!("{what} not added here, so not followed; `loopmem items trust` follows them"));
        }
        lines.join("\n")
    }

    fn matches(&self) -> String {
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

fn recall(session: &Session<'_>, params: &Members, recall: Recall) -> Result<String> {
    let summary = recall.summary();
    if !session.is_for_humans() {
        // Only what a model reads.
        session.emit(&summary.replace('\n', "; "));
        return Ok(recall.preamble);
    }
    if recall.items.is_empty() && recall.dropped == 0 && recall.standing.is_empty() {
        let is_bypassed = session.is_bypassed || params.get("temporary") == Some(&true.into());
        return Ok(faint(if is_bypassed { BYPASSED } else { &summary }));
    }
    let all = stored(session, &folders_of(params))?;
    let ids = Ids::of(all.iter());
    let mut out = String::new();
    for (place, recalled) in recall.items.iter().enumerate() {
        let item = &recalled.item;
        let (kind, id, content) = (item.kind(), on_one_line(ids.short(&item.id)), on_one_line(&item.content));
        out.push_str(&format!("{:>3}. {KIND}{kind}{KIND:#} {ID}{id}{ID:#}  {content}\n", place + 1));
        out.push_str(&format!("     {FAINT}{}{FAINT:#}\n", recalled.reasons()));
    }
    let text = match recall.preamble.as_str() {
        "" => faint("no text: no item fits"),
        preamble => sanitize(preamble),
    };
    Ok(format!("{out}{}\n\n{text}", faint(&summary)))
}

/// The result of `items.trust`.
#[derive(Debug, Deserialize)]
struct Trusted {
    files: Vec<String>,
    standing: Vec<Item>,
}

fn trust(trusted: &Trusted, params: &Members) -> String {
    if trusted.files.is_empty() {
        return faint("there are no items of a repository or a folder here");
    }
    let is_set = |name: &str| params.get(name) == Some(&true.into());
    let files: Vec<String> = trusted.files.iter().map(|file| on_one_line(file)).collect();
    let (files, count) = (files.join(", "), counted(trusted.standing.len(), "preference"));
    let what = match () {
        () if is_set("dryRun") => format!("{count} in {files}; nothing was changed"),
        () if is_set("revoke") => format!("{count} in {files}, followed only if added here"),
        () => format!("{count} in {files}, now followed"),
    };
    let lines = trusted.standing.iter().map(|item| format!("- {}\n", on_one_line(&item.content)));
    format!("{}{}", lines.collect::<String>(), faint(&what))
}

fn counts(stats: &Stats) -> String {
    let Stats { items, active, archived, expired, damaged, duplicates, repeated, scopes, .. } = stats;
    let of_scope = |(scope, it): (&String, &ScopeStats)| {
        format!("{scope}: {} active, {} archived, {} expired", it.active, it.archived, it.expired)
    };
    pairs(&[
        ("items", items.to_string()),
        ("active", active.to_string()),
        ("archived", archived.to_string()),
        ("expired", expired.to_string()),
        ("damaged", damaged.to_string()),
        ("duplicates", duplicates.to_string()),
        ("repeated", repeated.to_string()),
        ("by scope", scopes.iter().map(of_scope).collect::<Vec<_>>().join("; ")),
    ])
}

/// The result of `items.export`.
#[derive(Deserialize)]
pub(super) struct Exported {
    /// The items, if they were not written to a file.
    #[serde(default)]
    pub(super) items: Vec<Box<RawValue>>,
    count: usize,
}

fn import(Imported { added, changed, unchanged, skipped, .. }: &Imported) -> String {
    let (added, count) = (counted(*added, "item"), skipped.len());
    let lines: String = skipped.iter().map(|line| format!("  {}\n", reason(line))).collect();
    format!("{added} added, {changed} changed, {unchanged} unchanged, {count} skipped\n{lines}")
}

fn legacy(MigratedLegacy { copied, history, unchanged, skipped, .. }: &MigratedLegacy) -> String {
    let (copied, history, count) = (counted(*copied, "item"), counted(*history, "event"), skipped.len());
    let line = |it: &SkippedLegacy| format!("  {}, {}\n", on_one_line(&it.path), reason(&it.line));
    let lines: String = skipped.iter().map(line).collect();
    format!("{copied} copied, {history} as history, {unchanged} unchanged, {count} skipped\n{lines}")
}

/// Why a line was skipped: `line 3: not a JSON object (ParseError)`.
fn reason(Skipped { line, code, message, .. }: &Skipped) -> String {
    let (code, message) = (on_one_line(code), on_one_line(&with_option(message)));
    format!("line {line}: {message} {FAINT}({code}){FAINT:#}")
}

fn migration(to: &str, migrated: &Migrated) -> String {
    let Migrated { copied, present, damaged, duplicates, .. } = *migrated;
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
    let rest = if rest.is_empty() { String::new() } else { format!(" {}.", rest.join("; ")) };
    let copied = counted(copied, "item");
    format!(
        "Copied {copied} to {to}.{rest}\n\
         To use them, open the store with itemsBackend, or set CODEX_MEMORY_BACKEND={to}."
    )
}
