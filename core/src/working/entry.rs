//! Log entries: their fields, drafts of them, and sealing a draft.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::{Home, check_spelling, read_input};
use crate::safety::{Numbers, Sealed, SealedObject};

/// The members of an entry.
const KEYS: [&str; 3] = ["id", "content", "metadata"];
/// The members of its metadata.
const METADATA_KEYS: [&str; 3] = ["source", "timestamp", "embedding"];

/// The source of an entry whose draft names none.
const UNKNOWN_SOURCE: &str = "unknown";

/// A stored log entry.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MemoryEntry {
    /// The entry's id.
    pub id: String,
    /// What happened.
    pub content: String,
    /// Its origin.
    pub metadata: MemoryEntryMetadata,
}

/// The origin of an entry.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MemoryEntryMetadata {
    /// Who added it, such as `user` or `agent-x`.
    pub source: String,
    /// The time, in milliseconds since 1970.
    pub timestamp: f64,
    /// Its embedding vector, for `working.searchLogs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
}

/// An entry to add to a log.
#[derive(JsonSchema)]
#[schemars(rename = "MemoryEntryDraft")]
#[allow(dead_code, reason = "a schema")]
struct DraftSchema {
    /// The entry's id. Default: generated.
    id: Option<String>,
    /// What happened.
    content: String,
    /// Its origin.
    metadata: Option<MetadataSchema>,
}

/// The origin of an entry.
#[derive(JsonSchema)]
#[schemars(rename = "MemoryEntryMetadataDraft")]
#[allow(dead_code, reason = "a schema")]
struct MetadataSchema {
    /// Who added it, such as `user` or `agent-x`. Default: `unknown`.
    source: Option<String>,
    /// The time, in milliseconds since 1970. Default: now.
    timestamp: Option<f64>,
    /// Its embedding vector, for `working.searchLogs`.
    embedding: Option<Vec<f32>>,
}

impl MemoryEntry {
    /// A draft of a log entry with this content.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
    /// # let store = loopmem::Store::open(loopmem::Options::at(folder.path()))?;
    /// use loopmem::working::MemoryEntry;
    ///
    /// let draft = MemoryEntry::draft("The build is green.").source("agent-x").embedding(&[0.6, 0.8]);
    /// let entry = store.working().add_log("job-1", draft)?.read()?;
    /// assert_eq!(entry.metadata.source, "agent-x");
    /// # Ok::<(), loopmem::Error>(())
    /// ```
    pub fn draft(content: impl Into<String>) -> MemoryEntryDraft {
        MemoryEntryDraft::default().set("content", &content.into())
    }
}

/// A draft of a log entry, made by [`MemoryEntry::draft`] or from a JSON object.
#[derive(Debug, Default)]
pub struct MemoryEntryDraft {
    members: Fields,
    /// Overrides members of `metadata` in `members`.
    metadata: Fields,
    /// The last value that could not be serialized.
    fault: Option<serde_json::Error>,
}

impl MemoryEntryDraft {
    /// Parses a draft from a JSON object.
    ///
    /// # Errors
    /// `ValidationError` if it is not an object or has duplicate keys.
    pub fn from_json(json: &str) -> Result<Self> {
        read_input(json)
    }

    /// The entry's id. Default: generated.
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        self.set("id", &id.into())
    }

    /// Who added it, such as `user` or `agent-x`. Default: `unknown`.
    #[must_use]
    pub fn source(self, source: impl Into<String>) -> Self {
        self.set_metadata("source", &source.into())
    }

    /// The time, in milliseconds since 1970. Default: now.
    #[must_use]
    pub fn timestamp(self, millis: u64) -> Self {
        self.set_metadata("timestamp", &millis)
    }

    /// Its embedding vector, for [`search_logs`](super::Working::search_logs).
    #[must_use]
    pub fn embedding(self, embedding: &[f32]) -> Self {
        self.set_metadata("embedding", &embedding)
    }

    /// Sets any member, including ones unknown to this version.
    #[must_use]
    pub fn set(mut self, name: &str, value: &impl Serialize) -> Self {
        self.fault = put(&mut self.members, name, value).err().or(self.fault);
        self
    }

    fn set_metadata(mut self, name: &str, value: &impl Serialize) -> Self {
        self.fault = put(&mut self.metadata, name, value).err().or(self.fault);
        self
    }

    /// Redacts and completes the draft to the entry to be stored.
    pub(super) fn sealed(self, home: &Home) -> Result<Sealed<()>> {
        if let Some(fault) = self.fault {
            return Err(unwritable(fault));
        }
        let redactor = home.redactor();
        let mut members = self.members;
        refuse_misspelt(home, "entry", &members, &KEYS)?;
        let id = parsed::<String>(&mut members, "id", "entry.id", "a string")?;
        let id = id.map(|id| redactor.admit_id("entry.id", &id)).transpose()?;
        if text_of(&members, "content").is_none() {
            return Err(Error::validation("entry.content must be a string"));
        }
        let mut metadata =
            parsed::<Fields>(&mut members, "metadata", "entry.metadata", "an object")?.unwrap_or_default();
        metadata.overlay(self.metadata);
        refuse_misspelt(home, "entry.metadata", &metadata, &METADATA_KEYS)?;
        let timestamp = numbers(&mut metadata, "timestamp", false)?;
        let embedding = numbers(&mut metadata, "embedding", true)?;
        if metadata.get("source").is_some_and(|source| source.get() == "null") {
            metadata.remove("source");
        }
        if metadata.get("source").is_some() && text_of(&metadata, "source").is_none() {
            return Err(Error::validation("entry.metadata.source must be a string"));
        }
        // Sealed as one record: a key in one part may mark a value in another as a secret.
        members.set("metadata", to_raw_value(&metadata).map_err(unwritable)?);
        let mut content = home.seal_value(&members, &["content", "metadata"])?;
        let mut metadata = content.take_object("metadata")?;
        let mut origin = SealedObject::default();
        match metadata.take("source") {
            Some(source) => origin.set("source", &source)?,
            None => origin.set("source", &UNKNOWN_SOURCE)?,
        }
        match timestamp {
            Some(timestamp) => origin.set("timestamp", &timestamp)?,
            None => origin.set("timestamp", &home.milliseconds())?,
        }
        origin.overlay(metadata);
        if let Some(embedding) = embedding {
            origin.set("embedding", &embedding)?;
        }
        let mut entry = SealedObject::default();
        match id {
            Some(id) => entry.set("id", &id)?,
            None => entry.set("id", &home.new_id())?,
        }
        entry.overlay(content);
        entry.set("metadata", &origin)?;
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
        DraftSchema::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DraftSchema::json_schema(generator)
    }
}

/// Refuses a misspelt key. Others are the caller's own.
fn refuse_misspelt(home: &Home, place: &str, members: &Fields, known: &[&str]) -> Result<()> {
    if home.config().allow_unknown_fields {
        return Ok(());
    }
    members.iter().try_for_each(|(key, _)| check_spelling(place, key, known))
}

fn put(members: &mut Fields, name: &str, value: &impl Serialize) -> serde_json::Result<()> {
    members.set(name, to_raw_value(value)?);
    Ok(())
}

/// Removes a member; null counts as missing.
fn take(members: &mut Fields, name: &str) -> Option<Box<RawValue>> {
    members.remove(name).filter(|json| json.get() != "null")
}

/// As [`take`], parsed; errors name its `place`.
fn parsed<T: DeserializeOwned>(members: &mut Fields, name: &str, place: &str, expected: &str) -> Result<Option<T>> {
    let value = take(members, name).map(|json| serde_json::from_str(json.get())).transpose();
    value.map_err(|_| Error::validation(format!("{place} must be {expected}")))
}

/// As [`take`], for a number or a list of numbers, which is preserved as it was written.
fn numbers(metadata: &mut Fields, name: &str, is_list: bool) -> Result<Option<Numbers>> {
    let Some(json) = take(metadata, name) else { return Ok(None) };
    let has_brackets = json.get().starts_with('[');
    match Numbers::read(json) {
        Ok(numbers) if has_brackets == is_list => Ok(Some(numbers)),
        _ => {
            let expected = if is_list { "a list of numbers" } else { "a number" };
            Err(Error::validation(format!("entry.metadata.{name} must be {expected}")))
        }
    }
}

fn text_of(members: &Fields, name: &str) -> Option<String> {
    serde_json::from_str(members.get(name)?.get()).ok()
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the entry cannot be serialized as JSON").because(cause)
}
