//! Stored items, and the options that say which stores apply.

use std::collections::BTreeMap;
use std::ops::Deref;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches};
use loopmem::items::{self, Status};
use loopmem::methods::{Description, Field};
use loopmem::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::identified::Identified;
use crate::human::screen::{first_line, on_one_line};
use crate::session::{Members, Session, fields, read};
use crate::typed;

/// The params that say which stores apply.
const FOLDERS: [&str; 2] = ["workspace", "dir"];

/// The members of an item.
const KNOWN: [&str; 15] = [
    "id",
    "created_at",
    "updated_at",
    "scope",
    "status",
    "type",
    "content",
    "tags",
    "relevance_hints",
    "counters",
    "expiry",
    "session",
    "seq",
    "embedding",
    "recallable",
];

/// A stored item.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub(crate) struct Item {
    /// The JSON as the method returned it.
    raw: Box<RawValue>,
    item: Box<items::Item>,
    /// The members that items do not have, as JSON: their values may be valid JSON that no type can hold, such as
    /// `1e400`.
    pub(crate) unknown: Vec<(String, String)>,
}

impl TryFrom<Box<RawValue>> for Item {
    type Error = Error;

    fn try_from(raw: Box<RawValue>) -> Result<Self> {
        let mut unknown: BTreeMap<String, Box<RawValue>> = read(raw.get())?;
        unknown.retain(|key, _| !KNOWN.contains(&key.as_str()));
        let unknown = unknown.into_iter().map(|(key, json)| (key, json.get().to_owned())).collect();
        Ok(Item { item: read(raw.get())?, raw, unknown })
    }
}

impl Deref for Item {
    type Target = items::Item;

    fn deref(&self) -> &items::Item {
        &self.item
    }
}

impl Identified for Item {
    const NOUN: &'static str = "item";
    const BODY: &'static str = "content";
    const HEADS: [&'static str; 2] = ["TYPE", "CONTENT"];
    const LIST_OF_IDS: &'static str = "`loopmem items list` shows the ids";
    const LIST: &'static str = "`loopmem items list` shows the items that apply here";

    fn id(&self) -> &str {
        &self.id
    }

    /// Its type: `fact`.
    fn kind(&self) -> &str {
        self.item_type.as_str()
    }

    fn label(&self) -> String {
        on_one_line(first_line(&self.content))
    }

    fn json(&self) -> &str {
        self.raw.get()
    }
}

impl Item {
    pub(crate) fn is_archived(&self) -> bool {
        self.status == Status::Archived
    }

    /// Why it is not recalled: `archived`, `expired` or `not recalled`; empty if it is.
    pub(crate) fn state(&self, now: DateTime<Utc>) -> &'static str {
        match () {
            () if self.is_archived() => "archived",
            () if self.expires_at().is_some_and(|at| at <= now.timestamp_millis()) => "expired",
            () if !self.is_recallable() => "not recalled",
            () => "",
        }
    }
}

/// All items that apply to the folders.
///
/// # Errors
/// Those of `items.list`.
pub(crate) fn stored(session: &Session<'_>, folders: &Members) -> Result<Vec<Item>> {
    session.ask("items.list", folders)
}

/// The params that say which stores apply.
///
/// # Errors
/// As [`Session::given`].
pub(crate) fn folders(session: &Session<'_>, args: &ArgMatches) -> Result<Members> {
    session.given(folder_fields(session.description), args)
}

/// Those of `params` that say which stores apply.
pub(crate) fn folders_of(params: &Members) -> Members {
    let is_folder = |(key, _): &(&String, &Value)| FOLDERS.contains(&key.as_str());
    params.iter().filter(is_folder).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The options that say which stores apply.
pub(crate) fn folder_options(description: &Description) -> Vec<Arg> {
    folder_fields(description).map(typed::option).collect()
}

fn folder_fields(description: &Description) -> impl Iterator<Item = &Field> {
    fields(description, "items.get").filter(|field| FOLDERS.contains(&field.name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(more: &str) -> Item {
        let known = r#""id":"i","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z""#;
        let known = format!(r#"{known},"scope":"repo","status":"active","type":"fact","content":"c""#);
        serde_json::from_str(&format!("{{{known},{more}}}")).unwrap()
    }

    #[test]
    fn an_unknown_member_may_be_json_that_no_type_can_hold() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let item = item(&format!(r#""a":1e400,"b":"\ud800","c":{deep},"d":{{"n": 7}}"#));
        assert_eq!((item.id(), item.label()), ("i", "c".to_owned()));
        let unknown: Vec<(&str, &str)> = item.unknown.iter().map(|(key, json)| (key.as_str(), json.as_str())).collect();
        assert_eq!(unknown, [("a", "1e400"), ("b", r#""\ud800""#), ("c", deep.as_str()), ("d", r#"{"n": 7}"#)]);
    }

    #[test]
    fn an_item_expires_after_a_duration_too() {
        let item = item(r#""expiry":"1d""#);
        let state = |time: &str| item.state(DateTime::parse_from_rfc3339(time).unwrap().to_utc());
        assert_eq!((state("2026-01-01T23:59:59Z"), state("2026-01-02T00:00:00Z")), ("", "expired"));
    }
}
