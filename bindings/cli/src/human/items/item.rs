//! Stored items: reading them, and finding one by its id or a prefix of it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches};
use loopmem::methods::{Description, Field};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::abbreviation::{self, Match};
use crate::human::items::expiry;
use crate::human::record::named;
use crate::human::screen::{Keep, cut, first_line, on_one_line};
use crate::session::{Members, Session, read, text, texts};
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
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The JSON as the method returned it.
    pub(crate) raw: Box<RawValue>,
    /// The members that items have.
    pub(crate) members: Members,
    /// The other members, as JSON: their values may be valid JSON that no type can hold, such as `1e400`.
    pub(crate) unknown: Vec<(String, String)>,
}

impl Item {
    /// Parses an item that a method returned.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) fn parse(raw: Box<RawValue>) -> Result<Self> {
        let all: BTreeMap<String, Box<RawValue>> = read(raw.get())?;
        let (mut members, mut unknown) = (Members::new(), Vec::new());
        for (key, json) in all {
            match serde_json::from_str(json.get()) {
                Ok(value) if KNOWN.contains(&key.as_str()) => drop(members.insert(key, value)),
                _ => unknown.push((key, json.get().to_owned())),
            }
        }
        Ok(Item { raw, members, unknown })
    }

    pub(crate) fn id(&self) -> &str {
        text(&self.members, "id")
    }

    /// Its type: `fact`.
    pub(crate) fn kind(&self) -> &str {
        text(&self.members, "type")
    }

    pub(crate) fn scope(&self) -> &str {
        text(&self.members, "scope")
    }

    /// A short description.
    pub(crate) fn label(&self) -> String {
        on_one_line(first_line(text(&self.members, "content")))
    }

    pub(crate) fn tags(&self) -> String {
        texts(&self.members, "tags").collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn is_archived(&self) -> bool {
        text(&self.members, "status") == "archived"
    }

    /// When it expires, in milliseconds since 1970; `None` if never.
    pub(crate) fn expires_at(&self) -> Option<i64> {
        expiry::stored(text(&self.members, "expiry"), text(&self.members, "created_at"))
    }

    /// Why it is not recalled: `archived`, `expired` or `not recalled`; empty if it is.
    pub(crate) fn state(&self, now: DateTime<Utc>) -> &'static str {
        let is_kept_only = self.members.get("recallable") == Some(&Value::Bool(false));
        match () {
            () if self.is_archived() => "archived",
            () if self.expires_at().is_some_and(|at| at <= now.timestamp_millis()) => "expired",
            () if is_kept_only || texts(&self.members, "tags").any(|tag| tag == "history") => "not recalled",
            () => "",
        }
    }
}

/// Parses a list of items.
///
/// # Errors
/// As [`read`].
pub(crate) fn items(json: &str) -> Result<Vec<Item>> {
    read::<Vec<Box<RawValue>>>(json)?.into_iter().map(Item::parse).collect()
}

/// All items that apply to the folders.
///
/// # Errors
/// Those of `items.list`.
pub(crate) fn stored(session: &Session<'_>, folders: &Members) -> Result<Vec<Item>> {
    items(&session.call("items.list", &Value::Object(folders.clone()).to_string())?)
}

/// Finds the item whose id is `typed` or has it as a unique prefix.
///
/// # Errors
/// `NotFound`; `ValidationError` that lists the candidates if there are several.
pub(crate) fn find<'i>(items: &'i [Item], typed: &str) -> Result<&'i Item> {
    if typed.is_empty() {
        return Err(Error::validation("the id is empty; `loopmem items list` shows the ids"));
    }
    match abbreviation::find(typed, items, Item::id) {
        Match::One(item) => Ok(item),
        Match::None => Err(Error::new(
            ErrorKind::NotFound,
            format!("no item {}; `loopmem items list` shows the items that apply here", named(typed)),
        )),
        Match::Several(them) => {
            let what = |it: &Item| format!("{} {}", it.kind(), cut(&it.label(), 60, Keep::Start));
            Err(abbreviation::ambiguous(typed, them.into_iter().map(|it| (it.id().to_owned(), what(it)))))
        }
    }
}

/// The params of a method that were given as options.
///
/// # Errors
/// As [`crate::human::members`].
pub(crate) fn params(
    session: &Session<'_>,
    description: &Description,
    method: &str,
    args: &ArgMatches,
) -> Result<Members> {
    crate::human::members(session, fields(description, method), args)
}

/// The params that say which stores apply.
///
/// # Errors
/// As [`crate::human::members`].
pub(crate) fn folders(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<Members> {
    crate::human::members(session, folder_fields(description), args)
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

fn fields<'d>(description: &'d Description, method: &str) -> impl Iterator<Item = &'d Field> {
    description.methods.iter().find(|it| it.name == method).into_iter().flat_map(|it| &it.params.fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_member_may_be_json_that_no_type_can_hold() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let json = format!(r#"{{"id":"i","content":"c","a":1e400,"b":"\ud800","c":{deep},"d":{{"n": 7}}}}"#);
        let item = Item::parse(RawValue::from_string(json).unwrap()).unwrap();
        assert_eq!((item.id(), item.label()), ("i", "c".to_owned()));
        let unknown: Vec<(&str, &str)> = item.unknown.iter().map(|(key, json)| (key.as_str(), json.as_str())).collect();
        assert_eq!(unknown, [("a", "1e400"), ("b", r#""\ud800""#), ("c", deep.as_str()), ("d", r#"{"n": 7}"#)]);
    }

    #[test]
    fn an_item_expires_after_a_duration_too() {
        let json = r#"{"id":"i","created_at":"2026-01-01T00:00:00Z","expiry":"1d"}"#;
        let item = Item::parse(RawValue::from_string(json.to_owned()).unwrap()).unwrap();
        let state = |time: &str| item.state(DateTime::parse_from_rfc3339(time).unwrap().to_utc());
        assert_eq!((state("2026-01-01T23:59:59Z"), state("2026-01-02T00:00:00Z")), ("", "expired"));
    }
}
