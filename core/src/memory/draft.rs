//! Drafts of records: optional fields, set one by one or read from JSON, and fields of the host's own, which are kept as
//! they are.

use std::collections::HashSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::document::{Kind, MemoryKind};
use super::record::{Convention, Decision, INHERITED_FROM, Note, NoteSource};
use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::MAX_DRAFT_BYTES;
use crate::setters::strings;

/// A record to store: a [`ConventionDraft`], a [`DecisionDraft`] or a [`NoteDraft`].
pub trait MemoryDraft: Draft {
    /// The kind of the record.
    type Kind: MemoryKind;
}

/// What storing a draft takes. Outside of this crate, nothing can implement it.
pub trait Draft {
    /// The operation that stores it.
    const OPERATION: &'static str;
    /// Its fields in the order in which they are stored, each with its default in a new record.
    const FIELDS: &'static [(&'static str, FieldDefault)];

    /// Checks the draft and returns its content.
    ///
    /// # Errors
    /// `ValidationError` for an empty text, and for a field of the host's own with the name of a known one.
    fn into_content(self, home: &Home) -> Result<UserContent>;
}

/// The value of a field that the draft of a new record omits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldDefault {
    /// There is no default: the draft must contain the field.
    Required,
    /// The empty list.
    EmptyList,
    /// The field is left out.
    Absent,
    /// This string.
    Word(&'static str),
}

/// The content of a draft, which comes from the caller.
#[derive(Debug, Default)]
pub struct UserContent {
    pub(super) id: Option<String>,
    /// The fields whose values have to be redacted.
    pub(super) fields: Fields,
    /// The names of those that are neither known nor in `extra`.
    pub(super) unknown: Vec<String>,
    /// The fields whose values are constants of loopmem, which no pattern of a user may redact.
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

/// The setter of a field of this type.
macro_rules! field {
    (optional $name:ident: $type:ty, $($doc:tt)*) => {
        field!(list $name: $type, $($doc)*);
    };
    (list $name:ident: $type:ty, $($doc:tt)*) => {
        setters! { $($doc)* $name($name: impl IntoIterator<Item: Into<String>>) => $name = strings($name); }
    };
    (word $name:ident: $type:ty, $($doc:tt)*) => {
        setters! { $($doc)* $name($name: $type) => $name = Some($name); }
    };
    ($text:ident $name:ident: $type:ty, $($doc:tt)*) => {
        setters! { $($doc)* $name($name: impl Into<String>) => $name = Some($name.into()); }
    };
}

/// The default of a field of this type.
macro_rules! default {
    (list) => {
        FieldDefault::EmptyList
    };
    (optional) => {
        FieldDefault::Absent
    };
    (word $default:expr) => {
        FieldDefault::Word($default.as_str())
    };
    ($text:ident) => {
        FieldDefault::Required
    };
}

/// Checks a field of this type and adds it to the content.
macro_rules! add_field {
    (text $kind:ty, $content:ident, $home:ident, $key:literal, $value:expr) => {
        check::<$kind>($key, $value)?;
        $content.set($key, $value)?;
    };
    (line $kind:ty, $content:ident, $home:ident, $key:literal, $value:expr) => {
        check::<$kind>($key, $value)?;
        $content.set($key, &$home.redacted_line($key, $value))?;
    };
    (list $kind:ty, $content:ident, $home:ident, $key:literal, $value:expr) => {
        $content.set($key, $value)?;
    };
    (optional $kind:ty, $content:ident, $home:ident, $key:literal, $value:expr) => {
        $content.set($key, $value)?;
    };
    (word $kind:ty, $content:ident, $home:ident, $key:literal, $value:expr) => {
        $content.set($key, $value)?;
        $content.words.push(($key, $value.as_str()));
    };
}

/// The draft of a kind, with its fields in the order in which they are stored. A field is a `text` that must not be
/// empty, a `line` of text, a `list` of texts, an `optional` list, or a `word`: a constant of loopmem. A new record requires
/// its texts and lines; a list is empty by default, an optional one is left out, and a word has the default after `=`.
macro_rules! draft {
    ($(#[$doc:meta])* $draft:ident of $kind:ident by $operation:literal {
        $($(#[$field_doc:meta])* $how:ident $field:ident as $key:literal: $type:ty $(= $default:expr)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, JsonSchema)]
        #[schemars(rename_all = "camelCase")]
        pub struct $draft {
            /// The id of the record to update or create. Default: a new UUID version 7.
            id: Option<String>,
            $($(#[$field_doc])* $field: Option<$type>,)*
            /// Fields of your own. They are redacted and stored beside the others, and read back there.
            #[schemars(with = "Option<Fields>")]
            extra: Fields,
            #[schemars(skip)]
            unknown: Fields,
        }

        impl $draft {
            $(field!($how $field: $type, $(#[$field_doc])*);)*

            setters! {
                /// The id of the record to update or create. Default: a new UUID version 7.
                id(id: impl Into<String>) => id = Some(id.into());
                /// Fields of your own. They are redacted and stored beside the others, and read back there; none may have
                /// the name of a known field.
                extra(extra: Fields) => extra = extra;
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
                        let mut unknown: Vec<(String, Box<RawValue>)> = Vec::new();
                        let mut unknown_bytes = 0;
                        let mut seen = HashSet::new();
                        while let Some(key) = map.next_key::<String>()? {
                            match key.as_str() {
                                _ if !seen.insert(key.clone()) => return Err(A::Error::custom("the key occurs twice")),
                                "id" => draft.id = map.next_value()?,
                                "extra" => draft.extra = map.next_value::<Option<Fields>>()?.unwrap_or_default(),
                                $($key => draft.$field = map.next_value()?,)*
                                // Ignored, so that a caller may pass a record as it was read.
                                "createdAt" | "updatedAt" | INHERITED_FROM => drop(map.next_value::<IgnoredAny>()?),
                                _ => {
                                    let value: Box<RawValue> = map.next_value()?;
                                    unknown_bytes += key.len() + value.get().len();
                                    // Too large to be stored, so stop reading.
                                    if unknown_bytes > MAX_DRAFT_BYTES {
                                        return Err(A::Error::custom(format!("at most {MAX_DRAFT_BYTES} bytes are stored")));
                                    }
                                    unknown.push((key, value));
                                }
                            }
                        }
                        draft.unknown.overlay(unknown);
                        Ok(draft)
                    }
                }

                deserializer.deserialize_map(Members)
            }
        }

        impl $kind {
            /// Drafts an update of the record with this id. Fields that are not set keep their values.
            pub fn change(id: impl Into<String>) -> $draft {
                $draft::default().id(id)
            }
        }

        impl MemoryDraft for $draft {
            type Kind = $kind;
        }

        impl Draft for $draft {
            const OPERATION: &'static str = $operation;
            const FIELDS: &'static [(&'static str, FieldDefault)] = &[$(($key, default!($how $($default)?))),*];

            fn into_content(self, home: &Home) -> Result<UserContent> {
                // They would overwrite checked fields and those set by loopmem.
                let known = ["id", "createdAt", "updatedAt", "extra", INHERITED_FROM, $($key),*];
                if let Some(key) = known.iter().find(|key| self.extra.get(key).is_some()) {
                    return Err(Error::validation(format!("extra must not contain the known field {key}")));
                }
                // Not every kind has a field that uses it.
                let _ = home;
                let mut content = UserContent { id: self.id, ..UserContent::default() };
                $(if let Some(value) = &self.$field {
                    add_field!($how $kind, content, home, $key, value);
                })*
                content.unknown = self.unknown.iter().map(|(name, _)| name.to_owned()).collect();
                content.fields.overlay(self.unknown);
                content.fields.overlay(self.extra);
                Ok(content)
            }
        }
    };
}

draft! {
    /// A convention to store. If a convention with its id is stored, that one is updated and keeps the fields omitted
    /// here.
    ConventionDraft of Convention by "memory.upsertConvention" {
        /// A short title. Required for a new convention.
        text title as "title": String,
        /// The full text. Required for a new convention.
        text content as "content": String,
        /// Tags to find it by. Default: none.
        list tags as "tags": Vec<String>,
    }
}

draft! {
    /// A decision to store. If a decision with its id is stored, that one is updated and keeps the fields omitted here.
    DecisionDraft of Decision by "memory.upsertDecision" {
        /// The decision, on one line: a line break becomes a space. Required for a new decision.
        line summary as "summary": String,
        /// The reasons. Required for a new decision.
        text rationale as "rationale": String,
        /// Files and folders that the decision affects, relative to the repository. Default: none.
        list impacted_paths as "impactedPaths": Vec<String>,
    }
}

draft! {
    /// A note to store. If a note with its id is stored, that one is updated and keeps the fields omitted here.
    NoteDraft of Note by "memory.upsertNote" {
        /// The text. Required for a new note.
        text content as "content": String,
        /// Who wrote it. Default: `agent`.
        word source as "source": NoteSource = NoteSource::Agent,
        /// Tags to find it by. Default: none.
        optional tags as "tags": Vec<String>,
    }
}

impl Convention {
    /// Drafts a new convention.
    ///
    /// ```
    /// use loopmem::memory::Convention;
    ///
    /// let draft = Convention::draft("Use pnpm", "Packages live under packages/.").id("pnpm").tags(["tooling"]);
    /// ```
    pub fn draft(title: impl Into<String>, content: impl Into<String>) -> ConventionDraft {
        ConventionDraft::default().title(title).content(content)
    }
}

impl Decision {
    /// Drafts a new decision: what was decided, on one line, and why.
    pub fn draft(summary: impl Into<String>, rationale: impl Into<String>) -> DecisionDraft {
        DecisionDraft::default().summary(summary).rationale(rationale)
    }
}

impl Note {
    /// Drafts a new note.
    pub fn draft(content: impl Into<String>) -> NoteDraft {
        NoteDraft::default().content(content)
    }
}

/// Checks that a required text is not empty.
fn check<K: MemoryKind>(name: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::validation(format!("{}.{name} must not be empty", K::KIND.name())));
    }
    Ok(())
}

/// The names of the fields of a kind.
pub(super) fn known_fields(kind: Kind) -> Vec<&'static str> {
    let fields = match kind {
        Kind::Convention => ConventionDraft::FIELDS,
        Kind::Decision => DecisionDraft::FIELDS,
        Kind::Note => NoteDraft::FIELDS,
    };
    fields.iter().map(|(name, _)| *name).collect()
}
