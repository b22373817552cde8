//! The record: a small memory in one or a few sentences, as it is on disk (spec 004, "Data Model").

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::expiry;
use crate::disk::Line;

/// The tag of items that record what happened. They are kept but never recalled.
pub(super) const HISTORY: &str = "history";

/// A memory that comes back when it matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Item {
    /// Its id: a UUID, or any text if it was imported.
    pub id: String,
    /// When it was created, RFC 3339 in UTC.
    pub created_at: String,
    /// When it was last changed, RFC 3339 in UTC.
    pub updated_at: String,
    /// Where it applies.
    pub scope: Scope,
    /// Whether it can be recalled.
    pub status: Status,
    /// What kind of memory it is.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The memory, in one or a few sentences.
    pub content: String,
    /// Tags to find it by. Items with the tag `history` are never recalled.
    #[serde(default)]
    pub tags: Vec<String>,
    /// When it is relevant.
    #[serde(default, deserialize_with = "known_hints")]
    pub relevance_hints: RelevanceHints,
    /// How often it was recalled and used.
    #[serde(default)]
    pub counters: Counters,
    /// When it expires, RFC 3339 in UTC; it is not recalled afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<String>,
    /// The session that it was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Its position in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    /// Its embedding vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding: Option<Vec<f32>>,
    /// False for an item that is never recalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recallable: Option<bool>,
}

/// Defines a choice of words, which are stored as they are.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
            #[schemars(inline)]
            #[non_exhaustive]
            pub enum $name {
                $($(#[$about])* #[serde(rename = $word)] $variant,)*
            }

            impl $name {
                /// As it is stored.
                pub const fn as_str(self) -> &'static str {
                    match self {
                        $($name::$variant => $word,)*
                    }
                }
            }
        )*
    };
}

words! {
    /// Where an item applies.
    Scope {
        /// In a repository: stored in `.codex/memory` at its top level.
        Repo = "repo",
        /// In a folder and everything below it: stored in `.codex/memory` in that folder.
        Dir = "dir",
        /// Everywhere: stored in `memory` in the Codex home.
        Global = "global",
    }

    /// Whether it can be recalled.
    Status {
        /// It can be recalled.
        Active = "active",
        /// It is kept but not recalled.
        Archived = "archived",
    }

    /// What kind of memory an item is.
    ItemType {
        /// A preference.
        Pref = "pref",
        /// A fact.
        Fact = "fact",
        /// An instruction.
        Instruction = "instruction",
        /// Something about the user.
        Profile = "profile",
        /// Anything else.
        Note = "note",
    }
}

/// When an item is relevant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RelevanceHints {
    /// Files and folders that it is about, relative to the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Packages that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crates: Vec<String>,
    /// Programming languages that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub langs: Vec<String>,
}

impl RelevanceHints {
    /// True if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.crates.is_empty() && self.langs.is_empty()
    }
}

/// The members of the hints that loopmem knows, each with its other name.
const HINTS: [(&str, Option<&str>); 3] = [("files", None), ("crates", None), ("langs", Some("languages"))];

/// The hints that loopmem knows.
fn known_hints<'de, D: Deserializer<'de>>(source: D) -> Result<RelevanceHints, D::Error> {
    Ok(Option::<Hints>::deserialize(source)?.map(|hints| hints.known).unwrap_or_default())
}

/// The hints of an item of any program.
#[derive(Debug, Default)]
pub(super) struct Hints {
    pub(super) known: RelevanceHints,
    /// Those that loopmem does not know.
    pub(super) others: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Hints {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let mut others = match Value::deserialize(source)? {
            Value::Object(hints) => hints,
            // Kept, under a name that no hint has.
            other => Map::from_iter([("hints".to_owned(), other)]),
        };
        let mut known = RelevanceHints::default();
        let lists = [&mut known.files, &mut known.crates, &mut known.langs];
        for ((name, other_name), list) in HINTS.into_iter().zip(lists) {
            for name in std::iter::once(name).chain(other_name) {
                if let Some(words) = others.get(name).and_then(words) {
                    list.extend(words);
                    others.remove(name);
                }
            }
        }
        others.retain(|_, value| !matches!(value, Value::Null) && *value != Value::Array(Vec::new()));
        Ok(Hints { known, others })
    }
}

/// A list of texts; `None` if the value is something else.
fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::String(word) => Some(vec![word.clone()]),
        Value::Array(words) => words.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// How often an item was recalled and used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Counters {
    /// How often a recall returned it.
    #[serde(default)]
    pub seen_count: u64,
    /// How often the host said that it used it.
    #[serde(default)]
    pub used_count: u64,
    /// When it was last used, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

impl Line for Item {
    const VERSION: u64 = 1;
}

impl Item {
    /// Whether it may be recalled as long as it has not expired.
    pub fn is_recallable(&self) -> bool {
        self.status == Status::Active && self.recallable != Some(false) && !self.tags.iter().any(|tag| tag == HISTORY)
    }

    /// When it expires, in milliseconds since 1970; `None` if never.
    pub fn expires_at(&self) -> Option<i64> {
        expiry::stored(self.expiry.as_deref()?, expiry::millis(&self.created_at))
    }

    /// Whether another item has the same text.
    pub(super) fn says_the_same_as(&self, other: &Item) -> bool {
        self.content.trim() == other.content.trim()
    }

    /// Whether it applies without being asked for: something that the user wants, or is.
    pub(super) fn is_standing(&self) -> bool {
        self.is_recallable() && matches!(self.item_type, ItemType::Pref | ItemType::Instruction | ItemType::Profile)
    }

    /// When it was created, in milliseconds since 1970; 0 if that is unknown.
    pub(super) fn created_at(&self) -> i64 {
        expiry::millis(&self.created_at).unwrap_or(0)
    }

    /// When it was last changed, in milliseconds since 1970; 0 if that is unknown.
    pub(super) fn changed_at(&self) -> i64 {
        expiry::millis(&self.updated_at).or_else(|| expiry::millis(&self.created_at)).unwrap_or(0)
    }
}
