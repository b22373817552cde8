//! The records of `memory.json`: the kinds in one table, and what is made from it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::record::{Convention, Decision, Note};
use crate::disk::{Document, DocumentSchema, Reader, Recorded, Row, Stored};
use crate::error::Result;
use crate::room::{RecordKind, Section, SectionName};
use crate::warm::{self, Source};

/// A kind of record, which the table of kinds implements.
pub trait MemoryKind: DeserializeOwned + Send + Sync + 'static {
    /// The kind.
    const KIND: Kind;

    /// Wraps a stored record of this kind.
    fn into_record(stored: Stored<Self>) -> Record;

    /// The record, if it is of this kind.
    fn of(record: &Record) -> Option<&Stored<Self>>;
}

/// The table of kinds: for each its name in messages, the key of its section in the file, the name of its section in a
/// context pack, and its title.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal, $section:ident $SECTION:ident $title:literal;)*) => {
        /// One of the three kinds of record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[schemars(inline)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Every kind, in the order of its section in the file.
            pub(super) const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// Its name in messages.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                }
            }
        }

        /// A record of `memory.json`, and its kind.
        #[derive(Debug, Clone, Serialize, JsonSchema)]
        #[serde(tag = "kind", content = "record", rename_all = "camelCase")]
        #[schemars(rename = "MemoryRecord")]
        #[non_exhaustive]
        pub enum Record {
            $(
                #[doc = concat!("A ", $name, ".")]
                $kind(Stored<$kind>),
            )*
        }

        impl Record {
            /// Its id.
            pub fn id(&self) -> &str {
                match self {
                    $(Record::$kind(it) => &it.id,)*
                }
            }

            /// Its kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Record::$kind(_) => Kind::$kind,)*
                }
            }

            /// When it was last updated.
            pub(super) fn updated_at(&self) -> &str {
                match self {
                    $(Record::$kind(it) => &it.updated_at,)*
                }
            }

            /// The branch whose memory provides it, if it is inherited.
            pub fn inherited_from(&self) -> Option<&str> {
                match self {
                    $(Record::$kind(it) => it.inherited_from.as_deref(),)*
                }
            }
        }

        impl Recorded for Record {
            fn json(&self) -> &RawValue {
                match self {
                    $(Record::$kind(it) => it.json(),)*
                }
            }
        }

        $(
            impl MemoryKind for $kind {
                const KIND: Kind = Kind::$kind;

                fn into_record(stored: Stored<Self>) -> Record {
                    Record::$kind(stored)
                }

                fn of(record: &Record) -> Option<&Stored<Self>> {
                    if let Record::$kind(stored) = record { Some(stored) } else { None }
                }
            }
        )*

        impl RepoMemory {
            $(
                #[doc = concat!("The ", stringify!($section), ", oldest first.")]
                ///
                /// # Errors
                /// `Internal`, which would be a bug: a record that was read before cannot be read again.
                pub fn $section(&self) -> Result<Vec<Stored<$kind>>> {
                    self.of_kind()
                }
            )*
        }

        impl DocumentSchema for MemorySchema {
            type Record = Record;
            const VERSION: u64 = 1;
            const SECTIONS: &'static [&'static str] = &[$(stringify!($section)),*];

            fn reader(section: usize) -> Reader<Record> {
                const READERS: &[Reader<Record>] = &[$(|json| Stored::read(json).map(Record::$kind)),*];
                READERS[section]
            }

            fn id(record: &Record) -> &str {
                record.id()
            }
        }

        impl SectionName {
            $($(#[$doc])* pub const $SECTION: SectionName = SectionName::new(stringify!($section));)*
        }

        /// Their sections of a context pack.
        pub(super) static PACK_SECTIONS: &[Section] =
            &[$(Section {
                name: SectionName::$SECTION,
                heading: concat!("# ", $title),
                noun: [$name, stringify!($section)],
                ..Section::BASIC
            }),*];

        /// The names of their counts.
        pub(super) static RECORD_KINDS: &[RecordKind] =
            &[$(RecordKind { name: stringify!($section), doc: concat!($title, ".") }),*];
    };
}

kinds! {
    /// How things are done in this repository.
    Convention "convention", conventions CONVENTIONS "Conventions";
    /// What was decided, and why.
    Decision "decision", decisions DECISIONS "Decisions";
    /// Anything else.
    Note "note", notes NOTES "Notes";
}

impl Kind {
    /// The index of its section in [`MemorySchema::SECTIONS`].
    pub(super) fn section(self) -> usize {
        self as usize
    }

    /// The key of its section: its plural.
    pub(super) fn plural(self) -> &'static str {
        MemorySchema::SECTIONS[self.section()]
    }
}

/// The schema of `memory.json`.
#[derive(Debug)]
pub struct MemorySchema;

pub(super) type MemoryDocument = Document<MemorySchema>;

/// A snapshot of a repository's conventions, decisions and notes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RepoMemory {
    pub(super) own: Arc<MemoryDocument>,
    /// The records of another branch that this one has not overridden, in the order of its file.
    pub(super) inherited: Arc<[(Kind, Row<Record>)]>,
}

impl RepoMemory {
    fn of_kind<K: MemoryKind>(&self) -> Result<Vec<Stored<K>>> {
        self.section(K::KIND).filter_map(|row| row.record().map(|record| K::of(&record).cloned()).transpose()).collect()
    }

    /// What it was read from, for a text that is made of it; `None` when nothing is stored.
    pub(crate) fn source(&self) -> Source {
        warm::source(&self.own, rows(&self.own).next().is_none())
    }

    /// Whether some of the records are inherited, so that it depends on more than its [`source`](Self::source).
    pub(crate) fn inherits(&self) -> bool {
        !self.inherited.is_empty()
    }

    /// The records of one kind: those inherited, then the repository's own, each oldest first.
    pub(crate) fn section(&self, kind: Kind) -> impl Iterator<Item = &Row<Record>> {
        let inherited = self.inherited.iter().filter(move |(it, _)| *it == kind).map(|(_, row)| row);
        inherited.chain(self.own.section(kind.section()))
    }

    /// Every record, in the order of its kind.
    pub(super) fn rows(&self) -> impl Iterator<Item = OfKind<'_>> {
        Kind::ALL.iter().flat_map(|kind| self.section(*kind).map(|row| (*kind, row)))
    }
}

/// A record and its kind.
pub(super) type OfKind<'m> = (Kind, &'m Row<Record>);

/// Every record, in the order of the file.
pub(super) fn rows(memory: &MemoryDocument) -> impl Iterator<Item = OfKind<'_>> {
    Kind::ALL.iter().flat_map(|kind| memory.section(kind.section()).iter().map(|row| (*kind, row)))
}
