//! The records: conventions, decisions and notes.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The key under which an inherited record names its branch.
pub(super) const INHERITED_FROM: &str = "inheritedFrom";

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
    /// The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited_from: Option<String>,
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
    /// The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited_from: Option<String>,
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
    /// Tags to find it by.
    #[serde(default, deserialize_with = "list_of_any_program", skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When it was first stored, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last updated, RFC 3339 in UTC.
    pub updated_at: String,
    /// The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited_from: Option<String>,
}

/// The tags of a note. Before notes had tags, a host may have kept anything under their name.
fn list_of_any_program<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(source)?).unwrap_or_default())
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
    pub const fn as_str(self) -> &'static str {
        match self {
            NoteSource::Manual => "manual",
            NoteSource::Agent => "agent",
            NoteSource::Tool => "tool",
        }
    }
}
