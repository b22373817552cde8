//! What a convention, a decision and a note are made of, and which of their fields a new one must have.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::{Recorded, Stored};
use crate::safety::SealedObject;

/// How this repository does things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Convention {
    /// Unique among the repository's records.
    pub id: String,
    /// Its name, in a few words.
    pub title: String,
    /// The whole of it.
    pub content: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last stored, RFC 3339 in UTC.
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
    /// Why.
    pub rationale: String,
    /// Files and folders that it concerns.
    pub impacted_paths: Vec<String>,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last stored, RFC 3339 in UTC.
    pub updated_at: String,
}

/// Anything else worth keeping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Note {
    /// Unique among the repository's records.
    pub id: String,
    /// The note.
    pub content: String,
    /// Who wrote it.
    pub source: NoteSource,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last stored, RFC 3339 in UTC.
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
    /// The word by which it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            NoteSource::Manual => "manual",
            NoteSource::Agent => "agent",
            NoteSource::Tool => "tool",
        }
    }
}

/// Any record of `memory.json`, and its kind.
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

/// What a new record has where its draft does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// Nothing: the draft must say.
    Missing,
    /// A list without anything in it.
    Empty,
    /// This word.
    Word(&'static str),
}

/// One of the three kinds.
pub trait MemoryKind: DeserializeOwned + Send + Sync + 'static {
    /// What one is called in messages.
    const NAME: &'static str;
    /// Its member's place in `memory.json`.
    const SECTION: usize;
    /// The fields a draft may bring, in the order in which they are stored, each with what a new record has when its draft
    /// does not say.
    const FIELDS: &'static [(&'static str, Otherwise)];

    /// As one of the records of the file.
    fn into_record(stored: Stored<Self>) -> Record;

    /// The record, if it is one of these.
    fn of(record: &Record) -> Option<&Stored<Self>>;

    /// A field that a new record must bring and `draft` does not.
    fn missing(draft: &SealedObject) -> Option<&'static str> {
        let needed = Self::FIELDS.iter().filter(|(_, otherwise)| *otherwise == Otherwise::Missing);
        needed.map(|(name, _)| *name).find(|name| draft.get(name).is_none())
    }
}

impl MemoryKind for Convention {
    const NAME: &'static str = "convention";
    const SECTION: usize = super::CONVENTIONS;
    const FIELDS: &'static [(&'static str, Otherwise)] =
        &[("title", Otherwise::Missing), ("content", Otherwise::Missing), ("tags", Otherwise::Empty)];

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
    const FIELDS: &'static [(&'static str, Otherwise)] =
        &[("summary", Otherwise::Missing), ("rationale", Otherwise::Missing), ("impactedPaths", Otherwise::Empty)];

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
    const FIELDS: &'static [(&'static str, Otherwise)] =
        &[("content", Otherwise::Missing), ("source", Otherwise::Word("agent"))];

    fn into_record(stored: Stored<Self>) -> Record {
        Record::Note(stored)
    }

    fn of(record: &Record) -> Option<&Stored<Self>> {
        if let Record::Note(stored) = record { Some(stored) } else { None }
    }
}
