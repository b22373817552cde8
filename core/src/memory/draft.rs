//! What a host says of a record: fields that may be left out, set one by one or read from JSON, and unknown ones as they
//! came.

use std::collections::HashSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::record::{Convention, Decision, MemoryKind, Note, NoteSource};
use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::redacted_line;
use crate::safety::{MAX_DRAFT_BYTES, Redactor};

/// A record to store.
pub trait MemoryDraft {
    /// What it becomes.
    type Kind: MemoryKind;
    /// The operation that stores it.
    const OPERATION: &'static str;

    /// What it says.
    ///
    /// # Errors
    /// `ValidationError` for a text that is empty, and for an unknown field with the name of a known one.
    fn into_content(self, redactor: &Redactor) -> Result<UserContent>;
}

/// What a draft says.
#[derive(Debug, Default)]
pub struct UserContent {
    pub(super) id: Option<String>,
    /// Fields whose values are to be sealed.
    pub(super) fields: Fields,
    /// Fields whose values are our own words, which no pattern of a user may redact.
    pub(super) words: Vec<(&'static str, &'static str)>,
}

impl UserContent {
    fn set(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let json = to_raw_value(value)
            .map_err(|cause| Error::validation("the record cannot be written as JSON").because(cause))?;
        self.fields.set(name, json);
        Ok(())
    }
}

/// How a field of this type is set, checked and content.
macro_rules! field {
    (text $name:ident: $type:ty, $($doc:tt)*) => {
        $($doc)*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<String>) -> Self {
            self.$name = Some($name.into());
            self
        }
    };
    (line $name:ident: $type:ty, $($doc:tt)*) => { field!(text $name: $type, $($doc)*); };
    (list $name:ident: $type:ty, $($doc:tt)*) => {
        $($doc)*
        #[must_use]
        pub fn $name(mut self, $name: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.$name = Some($name.into_iter().map(Into::into).collect());
            self
        }
    };
    (word $name:ident: $type:ty, $($doc:tt)*) => {
        $($doc)*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = Some($name);
            self
        }
    };
}

/// Says a field of this type.
macro_rules! say {
    (text $kind:ty, $content:ident, $redactor:ident, $key:literal, $value:expr) => {
        check::<$kind>($key, $value)?;
        $content.set($key, $value)?;
    };
    (line $kind:ty, $content:ident, $redactor:ident, $key:literal, $value:expr) => {
        check::<$kind>($key, $value)?;
        $content.set($key, &redacted_line($redactor, $value))?;
    };
    (list $kind:ty, $content:ident, $redactor:ident, $key:literal, $value:expr) => {
        $content.set($key, $value)?;
    };
    (word $kind:ty, $content:ident, $redactor:ident, $key:literal, $value:expr) => {
        $content.set($key, $value)?;
        $content.words.push(($key, $value.as_str()));
    };
}

/// A draft of a kind. A field is a `text` that must not be empty, a `line` of text, a `list` of texts or a `word` of ours.
macro_rules! draft {
    ($(#[$doc:meta])* $draft:ident of $kind:ident by $operation:literal {
        $($(#[$field_doc:meta])* $how:ident $field:ident as $key:literal: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, JsonSchema)]
        #[schemars(rename_all = "camelCase")]
        pub struct $draft {
            /// The record to change, or the id a new one is to have. Default: a new UUID version 7.
            id: Option<String>,
            $($(#[$field_doc])* $field: Option<$type>,)*
            #[schemars(skip)]
            other: Fields,
        }

        impl $draft {
            /// The record to change, or the id a new one is to have. Default: a new UUID version 7.
            #[must_use]
            pub fn id(mut self, id: impl Into<String>) -> Self {
                self.id = Some(id.into());
                self
            }

            $(field!($how $field: $type, $(#[$field_doc])*);)*

            /// Fields that this version does not know. They are stored as they are; none may have the name of a known one.
            #[must_use]
            pub fn other(mut self, other: Fields) -> Self {
                self.other = other;
                self
            }
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

            fn into_content(self, redactor: &Redactor) -> Result<UserContent> {
                // They would be laid over what is checked and what is ours.
                let known = ["id", "createdAt", "updatedAt", $($key),*];
                if let Some(key) = known.iter().find(|key| self.other.get(key).is_some()) {
                    return Err(Error::validation(format!("other holds {key}, which is no unknown field")));
                }
                // Not every kind has a field that looks for secrets by itself.
                let _ = redactor;
                let mut content = UserContent { id: self.id, ..UserContent::default() };
                $(if let Some(value) = &self.$field {
                    say!($how $kind, content, redactor, $key, value);
                })*
                content.fields.overlay(self.other);
                Ok(content)
            }
        }
    };
}

draft! {
    /// A convention to store. With the id of a stored one it changes that one and may leave out what stays.
    ConventionDraft of Convention by "memory.upsertConvention" {
        /// Its name, in a few words. A new convention needs one.
        text title as "title": String,
        /// The whole of it. A new convention needs it.
        text content as "content": String,
        /// Words to find it by. Default: none.
        list tags as "tags": Vec<String>,
    }
}

draft! {
    /// A decision to store. With the id of a stored one it changes that one and may leave out what stays.
    DecisionDraft of Decision by "memory.upsertDecision" {
        /// The decision, on one line: a line break in it becomes a blank. A new decision needs it.
        line summary as "summary": String,
        /// Why. A new decision needs it.
        text rationale as "rationale": String,
        /// Files and folders that it concerns, relative to the repository. Default: none.
        list impacted_paths as "impactedPaths": Vec<String>,
    }
}

draft! {
    /// A note to store. With the id of a stored one it changes that one and may leave out what stays.
    NoteDraft of Note by "memory.upsertNote" {
        /// The note. A new note needs it.
        text content as "content": String,
        /// Who wrote it. Default: `agent`.
        word source as "source": NoteSource,
    }
}

impl Convention {
    /// A convention to store.
    ///
    /// ```
    /// use loopmem::memory::Convention;
    ///
    /// let draft = Convention::draft("Use pnpm", "Packages live under packages/.").id("pnpm").tags(["tooling"]);
    /// ```
    pub fn draft(title: impl Into<String>, content: impl Into<String>) -> ConventionDraft {
        ConventionDraft::default().title(title).content(content)
    }

    /// What is to change of the convention with this id: all else of it stays.
    pub fn change(id: impl Into<String>) -> ConventionDraft {
        ConventionDraft::default().id(id)
    }
}

impl Decision {
    /// A decision to store: what was decided, on one line, and why.
    pub fn draft(summary: impl Into<String>, rationale: impl Into<String>) -> DecisionDraft {
        DecisionDraft::default().summary(summary).rationale(rationale)
    }

    /// What is to change of the decision with this id: all else of it stays.
    pub fn change(id: impl Into<String>) -> DecisionDraft {
        DecisionDraft::default().id(id)
    }
}

impl Note {
    /// A note to store.
    pub fn draft(content: impl Into<String>) -> NoteDraft {
        NoteDraft::default().content(content)
    }

    /// What is to change of the note with this id: all else of it stays.
    pub fn change(id: impl Into<String>) -> NoteDraft {
        NoteDraft::default().id(id)
    }
}

/// No text that a record needs may be empty.
fn check<K: MemoryKind>(name: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::validation(format!("{}.{name} must not be empty", K::NAME)));
    }
    Ok(())
}
