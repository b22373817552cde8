//! What a convention, a decision and a note are made of, and which of their fields a draft must have.

use std::collections::HashSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::safety::MAX_DRAFT_BYTES;

/// How this repository does things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
pub enum NoteSource {
    /// A person.
    Manual,
    /// An agent.
    Agent,
    /// A tool.
    Tool,
}

/// Any record of `memory.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A convention.
    Convention(Convention),
    /// A decision.
    Decision(Decision),
    /// A note.
    Note(Note),
}

impl Record {
    /// The record's id.
    pub fn id(&self) -> &str {
        match self {
            Record::Convention(Convention { id, .. })
            | Record::Decision(Decision { id, .. })
            | Record::Note(Note { id, .. }) => id,
        }
    }
}

/// One of the three kinds.
pub trait MemoryKind: DeserializeOwned {
    /// What one is called in messages.
    const NAME: &'static str;
    /// Its member's place in `memory.json`.
    const SECTION: usize;
    /// The fields a draft may bring, in the order in which they are stored, each with the JSON that a new record has
    /// when its draft does not say; `None` is a text that a new record must bring and that is never empty.
    const FIELDS: &'static [(&'static str, Option<&'static str>)];

    /// Those of the fields that are stored on one line.
    const ONE_LINE: &'static [&'static str] = &[];

    /// Those of the fields that hold one of our own words, which no pattern of a user may redact.
    const WORDS: &'static [&'static str] = &[];

    /// As one of the records of the file.
    fn into_record(self) -> Record;

    /// A field that a new record must bring and `draft` does not.
    fn missing(draft: &Fields) -> Option<&'static str> {
        let needed = Self::FIELDS.iter().filter(|(_, default)| default.is_none());
        needed.map(|(name, _)| *name).find(|name| draft.get(name).is_none())
    }
}

impl MemoryKind for Convention {
    const NAME: &'static str = "convention";
    const SECTION: usize = super::CONVENTIONS;
    const FIELDS: &'static [(&'static str, Option<&'static str>)] =
        &[("title", None), ("content", None), ("tags", Some("[]"))];

    fn into_record(self) -> Record {
        Record::Convention(self)
    }
}

impl MemoryKind for Decision {
    const NAME: &'static str = "decision";
    const SECTION: usize = super::DECISIONS;
    const FIELDS: &'static [(&'static str, Option<&'static str>)] =
        &[("summary", None), ("rationale", None), ("impactedPaths", Some("[]"))];
    const ONE_LINE: &'static [&'static str] = &["summary"];

    fn into_record(self) -> Record {
        Record::Decision(self)
    }
}

impl MemoryKind for Note {
    const NAME: &'static str = "note";
    const SECTION: usize = super::NOTES;
    const FIELDS: &'static [(&'static str, Option<&'static str>)] = &[("content", None), ("source", Some("\"agent\""))];
    const WORDS: &'static [&'static str] = &["source"];

    fn into_record(self) -> Record {
        Record::Note(self)
    }
}

/// A record to store.
pub trait MemoryDraft {
    /// What it becomes.
    type Kind: MemoryKind;
    /// The operation that stores it.
    const OPERATION: &'static str;

    /// The id, and the other fields as JSON.
    ///
    /// # Errors
    /// `ValidationError` for an unknown field with the name of a known one.
    fn into_parts(self) -> Result<(Option<String>, Fields)>;
}

pub(super) fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the record cannot be written as JSON").because(cause)
}

/// A struct whose known fields may be left out and whose unknown ones are kept as they came.
macro_rules! draft {
    ($(#[$doc:meta])* $draft:ident of $kind:ident by $operation:literal { $($(#[$field_doc:meta])* $field:ident as $key:literal: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, JsonSchema)]
        #[schemars(rename_all = "camelCase")]
        pub struct $draft {
            /// The record to change, or the id a new one is to have. Default: a new UUID version 7.
            pub id: Option<String>,
            $($(#[$field_doc])* pub $field: Option<$type>,)*
            /// Fields that this version does not know. They are stored as they are; none may have the name of a known one.
            #[schemars(skip)]
            pub other: Fields,
        }

        impl<'de> Deserialize<'de> for $draft {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;

                impl<'de> Visitor<'de> for Members {
                    type Value = $draft;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$draft, A::Error> {
                        let mut draft = $draft::default();
                        let mut other: Vec<(String, Box<RawValue>)> = Vec::new();
                        let mut other_bytes = 0;
                        let mut seen = HashSet::new();
                        while let Some(key) = map.next_key::<String>()? {
                            match key.as_str() {
                                _ if !seen.insert(key.clone()) => return Err(A::Error::custom("the key stands twice")),
                                "id" => draft.id = map.next_value()?,
                                $($key => draft.$field = map.next_value()?,)*
                                // Times are ours: a caller may hand back a record as it was read.
                                "createdAt" | "updatedAt" => drop(map.next_value::<IgnoredAny>()?),
                                _ => {
                                    let value: Box<RawValue> = map.next_value()?;
                                    other_bytes += key.len() + value.get().len();
                                    // Enough was read to know that none of it will be stored.
                                    if other_bytes > MAX_DRAFT_BYTES {
                                        return Err(A::Error::custom(format!("at most {MAX_DRAFT_BYTES} bytes are stored")));
                                    }
                                    other.push((key, value));
                                }
                            }
                        }
                        draft.other.overlay(other);
                        Ok(draft)
                    }
                }

                deserializer.deserialize_map(Members)
            }
        }

        impl MemoryDraft for $draft {
            type Kind = $kind;
            const OPERATION: &'static str = $operation;

            fn into_parts(self) -> Result<(Option<String>, Fields)> {
                // They would be laid over what is checked and what is ours.
                let known = ["id", "createdAt", "updatedAt", $($key),*];
                if let Some(key) = known.iter().find(|key| self.other.get(key).is_some()) {
                    return Err(Error::validation(format!("other holds {key}, which is no unknown field")));
                }
                let mut fields = Fields::default();
                $(if let Some(value) = &self.$field {
                    fields.set($key, to_raw_value(value).map_err(unwritable)?);
                })*
                fields.overlay(self.other);
                Ok((self.id, fields))
            }
        }
    };
}

draft! {
    /// A convention to store. With the id of a stored one it changes that one and may leave out what stays.
    ConventionDraft of Convention by "memory.upsertConvention" {
        /// Its name, in a few words. A new convention needs one.
        title as "title": String,
        /// The whole of it. A new convention needs it.
        content as "content": String,
        /// Words to find it by. Default: none.
        tags as "tags": Vec<String>,
    }
}

draft! {
    /// A decision to store. With the id of a stored one it changes that one and may leave out what stays.
    DecisionDraft of Decision by "memory.upsertDecision" {
        /// The decision, on one line: a line break in it becomes a blank. A new decision needs it.
        summary as "summary": String,
        /// Why. A new decision needs it.
        rationale as "rationale": String,
        /// Files and folders that it concerns, relative to the repository. Default: none.
        impacted_paths as "impactedPaths": Vec<String>,
    }
}

draft! {
    /// A note to store. With the id of a stored one it changes that one and may leave out what stays.
    NoteDraft of Note by "memory.upsertNote" {
        /// The note. A new note needs it.
        content as "content": String,
        /// Who wrote it. Default: `agent`.
        source as "source": NoteSource,
    }
}
