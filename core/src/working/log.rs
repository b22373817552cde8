//! The log of a scope: entries that are only ever added, oldest first.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::Working;
use super::adapter::Json;
use super::key::Key;
use crate::disk::{Fields, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::read_input;
use crate::logger::Level;
use crate::safety::Sealed;

/// How many of the last entries are read first for the one that others are to follow; then ever more.
const LOOKED_THROUGH: usize = 256;
/// Who is named as the source of an entry that names none.
const UNKNOWN_SOURCE: &str = "unknown";

/// What happened, as it is stored.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryEntry {
    /// The entry's own.
    pub id: String,
    /// What happened.
    pub content: String,
    /// Where it comes from.
    pub metadata: MemoryEntryMetadata,
}

/// Where an entry comes from.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryEntryMetadata {
    /// Who says so, such as `user` or `agent-x`.
    pub source: String,
    /// When, in milliseconds since 1970.
    pub timestamp: f64,
    /// Its vector, for `working.searchLogs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
}

/// What is to be added to a log. Members that are not named here are kept.
#[derive(Debug, Clone)]
pub struct Draft(Fields);

/// What is to be added to a log.
#[derive(JsonSchema)]
#[schemars(rename = "MemoryEntryDraft")]
#[allow(dead_code, reason = "a schema")]
struct DraftShape {
    /// The entry's own. Default: a new one.
    id: Option<String>,
    /// What happened.
    content: String,
    /// Where it comes from.
    metadata: Option<MetadataShape>,
}

/// Where an entry comes from.
#[derive(JsonSchema)]
#[schemars(rename = "MemoryEntryMetadataDraft")]
#[allow(dead_code, reason = "a schema")]
struct MetadataShape {
    /// Who says so, such as `user` or `agent-x`. Default: `unknown`.
    source: Option<String>,
    /// When, in milliseconds since 1970. Default: now.
    timestamp: Option<f64>,
    /// Its vector, for `working.searchLogs`.
    embedding: Option<Vec<f32>>,
}

impl Draft {
    /// A draft with these members: `content`, and what else a [`MemoryEntry`] has.
    pub fn new(members: Fields) -> Self {
        Draft(members)
    }
}

impl Draft {
    /// The draft that this JSON object is.
    ///
    /// # Errors
    /// `ValidationError` for what is no object, or has a name twice.
    pub fn from_json(json: &str) -> Result<Self> {
        Ok(Draft(read_input(json)?))
    }
}

impl<'de> Deserialize<'de> for Draft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Fields::deserialize(deserializer).map(Draft)
    }
}

impl JsonSchema for Draft {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        DraftShape::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DraftShape::json_schema(generator)
    }
}

/// Which entries of a log are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Range<'r> {
    /// At most so many: the last ones, or, with `after`, the first that follow.
    pub limit: Option<usize>,
    /// Those that follow the last entry with this id.
    pub after: Option<&'r str>,
}

impl Working {
    /// Adds an entry to a scope's log and returns it as stored. Secrets in it are redacted.
    ///
    /// # Errors
    /// `ValidationError` naming the member that is not what it should be; `SecretRefused` for an id that looks like a
    /// secret; `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn add_log(&self, scope_id: &str, draft: Draft) -> Result<Json> {
        self.call_on("working.addLog", ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let entry = working.seal_entry(draft)?;
            let json = entry.shared();
            working.adapter.push(working.home.wait(), &Key::Logs(scope.clone()), &entry)?;
            working.tell(Level::Debug, "Log entry added for", &scope, None);
            Ok(json)
        })
    }

    /// Entries of a scope's log, oldest first.
    ///
    /// # Errors
    /// `NotFound` when no entry has the id in `after`; `LockAcquisitionError`, `ParseError`, `AdapterError`, `IOError`.
    pub fn get_logs(&self, scope_id: &str, range: Range<'_>) -> Result<Vec<Json>> {
        self.call_on("working.getLogs", ("scopeId", scope_id), Mode::Shared, |working, scope| {
            let key = Key::Logs(scope);
            match (range.after, range.limit) {
                (Some(after), limit) => {
                    working.home.redactor().admit("after", after)?;
                    let mut entries = working.entries_after(&key, after)?;
                    entries.truncate(limit.unwrap_or(usize::MAX));
                    Ok(entries)
                }
                (None, Some(limit)) => working.adapter.tail(working.home.wait(), &key, limit),
                (None, None) => working.adapter.get_list(working.home.wait(), &key),
            }
        })
    }

    fn entries_after(&self, key: &Key, after: &str) -> Result<Vec<Json>> {
        #[derive(Deserialize)]
        struct Named<'n> {
            #[serde(borrow, default)]
            id: std::borrow::Cow<'n, str>,
        }
        let mut most = LOOKED_THROUGH;
        loop {
            let mut entries = self.adapter.tail(self.home.wait(), key, most)?;
            let is_it =
                |json: &Json| serde_json::from_str::<Named<'_>>(json.get()).is_ok_and(|entry| entry.id == after);
            if let Some(place) = entries.iter().rposition(is_it) {
                return Ok(entries.split_off(place + 1));
            }
            if entries.len() < most {
                let after = self.home.redactor().quote(after);
                return Err(Error::new(ErrorKind::NotFound, format!("the log has no entry {after}")));
            }
            most = most.saturating_mul(16);
        }
    }

    fn seal_entry(&self, Draft(mut members): Draft) -> Result<Sealed<()>> {
        let redactor = self.home.redactor();
        let id = match take::<String>(&mut members, "id", "entry.id", "a text")? {
            Some(id) => {
                redactor.admit_id("entry.id", &id)?;
                id
            }
            None => self.home.new_id(),
        };
        if text_of(&members, "content").is_none() {
            return Err(Error::validation("entry.content must be a text"));
        }
        let mut metadata = take::<Fields>(&mut members, "metadata", "entry.metadata", "an object")?.unwrap_or_default();
        let timestamp = as_written::<f64>(&mut metadata, "timestamp", "a number")?;
        let embedding = as_written::<Vec<f64>>(&mut metadata, "embedding", "a list of numbers")?;
        if metadata.get("source").is_some_and(|source| source.get() == "null") {
            metadata.remove("source");
        }
        if metadata.get("source").is_some() && text_of(&metadata, "source").is_none() {
            return Err(Error::validation("entry.metadata.source must be a text"));
        }
        // As one record: a name may stand in one part of it and its secret in another.
        members.set("metadata", to_raw_value(&metadata).map_err(unwritable)?);
        let said = redactor.seal_value::<Fields>(&members, &["content", "metadata"])?;
        let now = self.home.milliseconds();
        said.complete_json(|mut said| {
            let metadata = take::<Fields>(&mut said, "metadata", "entry.metadata", "an object")?.unwrap_or_default();
            let mut whole = Fields::default();
            whole.set("id", to_raw_value(&id).map_err(unwritable)?);
            whole.overlay(said);
            let mut told = Fields::default();
            let source = metadata.get("source").map(ToOwned::to_owned);
            told.set("source", source.map_or_else(|| to_raw_value(UNKNOWN_SOURCE), Ok).map_err(unwritable)?);
            told.set("timestamp", timestamp.map_or_else(|| to_raw_value(&now), Ok).map_err(unwritable)?);
            told.overlay(metadata);
            if let Some(embedding) = embedding {
                told.set("embedding", embedding);
            }
            whole.set("metadata", to_raw_value(&told).map_err(unwritable)?);
            Ok(whole)
        })
    }
}

/// The entry that an adapter keeps, if it is one.
pub(super) fn parsed(json: &Json) -> serde_json::Result<MemoryEntry> {
    serde_json::from_str(json.get())
}

/// Takes a member out; null is as good as none.
fn take<T: DeserializeOwned>(members: &mut Fields, name: &str, place: &str, expected: &str) -> Result<Option<T>> {
    Ok(taken(members, name, place, expected)?.map(|(value, _)| value))
}

/// As [`take`], with its numbers as they were written.
fn as_written<T: DeserializeOwned>(members: &mut Fields, name: &str, expected: &str) -> Result<Option<Box<RawValue>>> {
    let place = format!("entry.metadata.{name}");
    Ok(taken::<T>(members, name, &place, expected)?.map(|(_, json)| json))
}

fn taken<T: DeserializeOwned>(
    members: &mut Fields,
    name: &str,
    place: &str,
    expected: &str,
) -> Result<Option<(T, Box<RawValue>)>> {
    let Some(json) = members.remove(name).filter(|json| json.get() != "null") else { return Ok(None) };
    match serde_json::from_str(json.get()) {
        Ok(value) => Ok(Some((value, json))),
        Err(_) => Err(Error::validation(format!("{place} must be {expected}"))),
    }
}

fn text_of(members: &Fields, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the entry cannot be written as JSON").because(cause)
}
