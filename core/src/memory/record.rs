//! The records: conventions, decisions and notes, and the required fields of each.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::{Recorded, Stored};
use crate::safety::SealedObject;

/// How things are done in this repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Convention {
    /// Unique among the repository's records.
    pub id: String,
    /// A short title.
    pub title: String,
    /// The full text.
    pub content: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last updated, RFC 3339 in UTC.
    pub updated_at: String,
}

/// What was decided, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Decision {
    /// Unique among the repository's records.
    pub id: String,
    /// The decision, on one line.
    pub summary: String,
    /// The reasons.
    pub rationale: String,
    /// Files and folders that the decision affects.
    pub impacted_paths: Vec<String>,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last updated, RFC 3339 in UTC.
    pub updated_at: String,
}

/// Anything else worth remembering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Note {
    /// Unique among the repository's records.
    pub id: String,
    /// The text.
    pub content: String,
    /// Who wrote it.
    pub source: NoteSource,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last updated, RFC 3339 in UTC.
    pub updated_at: String,
}

/// Who wrote a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum NoteSource {
    /// A person.
    Manual,
    /// An agent.
    Agent,
    /// A tool.
    Tool,
}

impl NoteSource {
    /// The string that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            NoteSource::Manual => "manual",
            NoteSource::Agent => "agent",
            NoteSource::Tool => "tool",
        }
    }
}

/// A record of `memory.json`, and its kind.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "record", rename_all = "camelCase")]
#[schemars(rename = "MemoryRecord")]
#[non_exhaustive]
pub enum Record {
    /// A convention.
    Convention(Stored<Convention>),
    /// A decision.
    Decision(Stored<Decision>),
    /// A note.
    Note(Stored<Note>),
}

impl Record {
    /// The record's id.
    pub fn id(&self) -> &str {
        match self {
            Record::Convention(it) => &it.id,
            Record::Decision(it) => &it.id,
            Record::Note(it) => &it.id,
        }
    }
}

impl Recorded for Record {
    fn json(&self) -> &RawValue {
        match self {
            Record::Convention(it) => it.json(),
            Record::Decision(it) => it.json(),
            Record::Note(it) => it.json(),
        }
    }
}

/// The value of a field that the draft of a new record omits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldDefault {
    /// There is no default: the draft must contain the field.
    Required,
    /// The empty list.
    EmptyList,
    /// This string.
    Word(&'static str),
}

/// One of the three kinds.
pub trait MemoryKind: DeserializeOwned + Send + Sync + 'static {
    /// The name of the kind in messages.
    const NAME: &'static str;
    /// The index of its section in `memory.json`.
    const SECTION: usize;
    /// The fields of a draft in the order in which they are stored, each with its default in a new record.
    const FIELDS: &'static [(&'static str, FieldDefault)];

    /// Wraps a stored record of this kind.
    fn into_record(stored: Stored<Self>) -> Record;

    /// The record, if it is of this kind.
    fn of(record: &Record) -> Option<&Stored<Self>>;

    /// A required field of a new record that `draft` does not contain.
    fn missing(draft: &SealedObject) -> Option<&'static str> {
        let required = Self::FIELDS.iter().filter(|(_, default)| *default == FieldDefault::Required);
        required.map(|(name, _)| *name).find(|name| draft.get(name).is_none())
    }
}

impl MemoryKind for Convention {
    const NAME: &'static str = "convention";
    const SECTION: usize = super::CONVENTIONS;
    const FIELDS: &'static [(&'static str, FieldDefault)] =
        &[("title", FieldDefault::Required), ("content", FieldDefault::Required), ("tags", FieldDefault::EmptyList)];

    fn into_record(stored: Stored<Self>) -> Record {
        Record::Convention(stored)
    }

    fn of(record: &Record) -> Option<&Stored<Self>> {
        if let Record::Convention(stored) = record { Some(stored) } else { None }
    }
}

impl MemoryKind for Decision {
    const NAME: &'static str = "decision";
    const SECTION: usize = super::DECISIONS;
    const FIELDS: &'static [(&'static str, FieldDefault)] = &[
        ("summary", FieldDefault::Required),
        ("rationale", FieldDefault::Required),
        ("impactedPaths", FieldDefault::EmptyList),
    ];

    fn into_record(stored: Stored<Self>) -> Record {
        Record::Decision(stored)
    }

    fn of(record: &Record) -> Option<&Stored<Self>> {
        if let Record::Decision(stored) = record { Some(stored) } else { None }
    }
}

impl MemoryKind for Note {
    const NAME: &'static str = "note";
    const SECTION: usize = super::NOTES;
    const FIELDS: &'static [(&'static str, FieldDefault)] =
        &[("content", FieldDefault::Required), ("source", FieldDefault::Word("agent"))];

    fn into_record(stored: Stored<Self>) -> Record {
        Record::Note(stored)
    }

    fn of(record: &Record) -> Option<&Stored<Self>> {
        if let Record::Note(stored) = record { Some(stored) } else { None }
    }
}
