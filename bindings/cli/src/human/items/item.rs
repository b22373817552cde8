//! Stored items: reading them, and finding one by its id or a prefix of it.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches};
use loopmem::methods::{Description, Field};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::abbreviation::{self, Match};
use crate::human::record::named;
use crate::human::screen::{Keep, cut, first_line, on_one_line};
use crate::session::{Members, Session, read, text, texts};
use crate::typed;

/// The params that say which stores apply.
const FOLDERS: [&str; 2] = ["workspace", "dir"];

/// A stored item.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The JSON as the method returned it.
    pub(crate) raw: Box<RawValue>,
    pub(crate) members: Members,
}

impl Item {
    /// Parses an item that a method returned.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) fn parse(raw: Box<RawValue>) -> Result<Self> {
        Ok(Item { members: read(raw.get())?, raw })
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

    /// Why it is not recalled: `archived`, `expired` or `not recalled`; empty if it is.
    pub(crate) fn state(&self, now: DateTime<Utc>) -> &'static str {
        let expiry = DateTime::parse_from_rfc3339(text(&self.members, "expiry"));
        let is_kept_only = self.members.get("recallable") == Some(&Value::Bool(false));
        match () {
            () if self.is_archived() => "archived",
            () if expiry.is_ok_and(|expiry| expiry <= now) => "expired",
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
