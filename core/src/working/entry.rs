//! An entry of a log: what it is made of, what a host says of one, and how that is sealed.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::{Home, read_input};
use crate::safety::{Numbers, Sealed, SealedObject};

/// Who is named as the source of an entry that names none.
const UNKNOWN_SOURCE: &str = "unknown";

/// What happened, as it is stored.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct MemoryEntryMetadata {
    /// Who says so, such as `user` or `agent-x`.
    pub source: String,
    /// When, in milliseconds since 1970.
    pub timestamp: f64,
    /// Its vector, for `working.searchLogs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
}

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

impl MemoryEntry {
    /// An entry to add to a log: what happened.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
    /// # let store = loopmem::Store::open(loopmem::Options::at(folder.path()))?;
    /// use loopmem::working::MemoryEntry;
    ///
    /// let draft = MemoryEntry::draft("The build is green.").source("agent-x").embedding(&[0.6, 0.8]);
    /// let entry = store.working().add_log("job-1", draft)?.read().map_err(|e| loopmem::Error::validation(e.to_string()))?;
    /// assert_eq!(entry.metadata.source, "agent-x");
    /// # Ok::<(), loopmem::Error>(())
    /// ```
    pub fn draft(content: impl Into<String>) -> MemoryEntryDraft {
        MemoryEntryDraft::default().set("content", &content.into())
    }
}

/// An entry to add to a log: [`MemoryEntry::draft`], or a JSON object.
#[derive(Debug, Default)]
pub struct MemoryEntryDraft {
    members: Fields,
    /// Laid over `metadata` of the members.
    metadata: Fields,
    /// What could not be written as JSON.
    fault: Option<serde_json::Error>,
}

impl MemoryEntryDraft {
    /// The draft that this JSON object is.
    ///
    /// # Errors
    /// `ValidationError` for what is no object, or has a name twice.
    pub fn from_json(json: &str) -> Result<Self> {
        read_input(json)
    }

    /// The entry's own id. Default: a new one.
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        self.set("id", &id.into())
    }

    /// Who says so, such as `user` or `agent-x`. Default: `unknown`.
    #[must_use]
    pub fn source(self, source: impl Into<String>) -> Self {
        self.set_metadata("source", &source.into())
    }

    /// When, in milliseconds since 1970. Default: now.
    #[must_use]
    pub fn timestamp(self, millis: u64) -> Self {
        self.set_metadata("timestamp", &millis)
    }

    /// Its vector, for [`search_logs`](super::Working::search_logs).
    #[must_use]
    pub fn embedding(self, embedding: &[f32]) -> Self {
        self.set_metadata("embedding", &embedding)
    }

    /// Sets a member, such as one that this version does not know.
    #[must_use]
    pub fn set(mut self, name: &str, value: &impl Serialize) -> Self {
        match to_raw_value(value) {
            Ok(json) => self.members.set(name, json),
            Err(fault) => self.fault = Some(fault),
        }
        self
    }

    fn set_metadata(mut self, name: &str, value: &impl Serialize) -> Self {
        match to_raw_value(value) {
            Ok(json) => self.metadata.set(name, json),
            Err(fault) => self.fault = Some(fault),
        }
        self
    }

    /// The entry as it is stored, without secrets, and whole.
    pub(super) fn sealed(self, home: &Home) -> Result<Sealed<()>> {
        if let Some(fault) = self.fault {
            return Err(unwritable(fault));
        }
        let redactor = home.redactor();
        let mut members = self.members;
        let id = take::<String>(&mut members, "id", "entry.id", "a text")?;
        let id = id.map(|id| redactor.admit_id("entry.id", &id)).transpose()?;
        if text_of(&members, "content").is_none() {
            return Err(Error::validation("entry.content must be a text"));
        }
        let mut metadata = take::<Fields>(&mut members, "metadata", "entry.metadata", "an object")?.unwrap_or_default();
        metadata.overlay(self.metadata);
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
        let mut said = redactor.seal_value(&members, &["content", "metadata"])?;
        let mut metadata = said.take_object("metadata")?;
        let mut told = SealedObject::default();
        match metadata.take("source") {
            Some(source) => told.set("source", &source)?,
            None => told.set("source", &UNKNOWN_SOURCE)?,
        }
        match timestamp {
            Some(timestamp) => told.set("timestamp", &timestamp)?,
            None => told.set("timestamp", &home.milliseconds())?,
        }
        told.overlay(metadata);
        if let Some(embedding) = embedding {
            told.set("embedding", &embedding)?;
        }
        let mut entry = SealedObject::default();
        match id {
            Some(id) => entry.set("id", &id)?,
            None => entry.set("id", &home.new_id())?,
        }
        entry.overlay(said);
        entry.set("metadata", &told)?;
        Ok(entry.value()?)
    }
}

impl<'de> Deserialize<'de> for MemoryEntryDraft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let members = Fields::deserialize(deserializer)?;
        Ok(MemoryEntryDraft { members, ..MemoryEntryDraft::default() })
    }
}

impl JsonSchema for MemoryEntryDraft {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        DraftShape::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DraftShape::json_schema(generator)
    }
}

/// Takes a member out; null is as good as none.
fn take<T: DeserializeOwned>(members: &mut Fields, name: &str, place: &str, expected: &str) -> Result<Option<T>> {
    Ok(taken(members, name, place, expected)?.map(|(value, _)| value))
}

/// As [`take`], with its numbers as they were written.
fn as_written<T: DeserializeOwned>(members: &mut Fields, name: &str, expected: &str) -> Result<Option<Numbers>> {
    let place = format!("entry.metadata.{name}");
    let Some((_, json)) = taken::<T>(members, name, &place, expected)? else { return Ok(None) };
    Ok(Some(Numbers::read(json)?))
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
