//! Conventions, decisions and notes: the table of kinds, and stored records.

use loopmem::{Error, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::identified::Identified;
use crate::human::schema::{Holds, Schema, field};
use crate::human::screen::{first_line, on_one_line};
use crate::session::{Members, Session, read};

const TAGS: &str = "A tag to find it by; may be repeated";
const PATHS: &str = "A file or folder that it concerns; may be repeated";
/// The key under which an inherited record names its branch.
pub(crate) const INHERITED_FROM: &str = "inheritedFrom";
/// The key of the source of a note, and its values.
pub(crate) const SOURCE: &str = "source";
const SOURCES: &[&str] = &["manual", "agent", "tool"];

/// A kind of record.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) schema: Schema,
    /// The method that stores it.
    pub(crate) upsert: &'static str,
    /// What it is about, and what its body is, for the help.
    pub(crate) about: &'static str,
    pub(crate) body: &'static str,
    /// The comment in the form of a new one.
    pub(crate) comment: &'static str,
}

pub(crate) static KINDS: [Kind; 3] = [
    Kind {
        schema: Schema {
            name: "convention",
            noun: "a convention",
            fields: &[
                field("title", "title", Holds::Line, "A short title"),
                field("tags", "tag", Holds::List, TAGS),
                field("content", "content", Holds::Body, "The full text"),
            ],
        },
        upsert: "memory.upsertConvention",
        about: "How this repository does things",
        body: "The full text",
        comment: "A convention: how this repository does things.\nWrite the text below the second +++.",
    },
    Kind {
        schema: Schema {
            name: "decision",
            noun: "a decision",
            fields: &[
                field("summary", "summary", Holds::Line, "The decision in one line"),
                field("impactedPaths", "path", Holds::List, PATHS),
                field("rationale", "rationale", Holds::Body, "The rationale"),
            ],
        },
        upsert: "memory.upsertDecision",
        about: "What was decided, and why",
        body: "The rationale",
        comment: "A decision: the summary says what was decided.\nWrite the rationale below the second +++.",
    },
    Kind {
        schema: Schema {
            name: "note",
            noun: "a note",
            fields: &[
                field(SOURCE, SOURCE, Holds::Word(SOURCES), "Who wrote it"),
                field("tags", "tag", Holds::List, TAGS),
                field("content", "content", Holds::Body, "The text of the note"),
            ],
        },
        upsert: "memory.upsertNote",
        about: "Anything else worth keeping",
        body: "The text of the note",
        comment: "A note: anything else worth keeping.\nWrite the text below the second +++.",
    },
];

/// A stored record.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Listed")]
pub(crate) struct Entry {
    pub(crate) kind: &'static Kind,
    /// The JSON as stored.
    raw: Box<RawValue>,
    pub(crate) record: Record,
}

/// What all kinds of records have, and the other members: the fields that people fill in, and those that are not known.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    id: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    #[serde(flatten)]
    pub(crate) members: Members,
}

impl Entry {
    /// Reads a record of this kind.
    ///
    /// # Errors
    /// As [`read`].
    pub(crate) fn of(kind: &'static Kind, raw: Box<RawValue>) -> Result<Self> {
        Ok(Entry { kind, record: read(raw.get())?, raw })
    }

    /// The branch whose memory provides it, if it is inherited.
    pub(crate) fn inherited_from(&self) -> Option<&str> {
        self.record.members.get(INHERITED_FROM).and_then(Value::as_str)
    }

    /// Its tags or paths.
    pub(crate) fn marks(&self) -> String {
        let list = self.kind.schema.fields.iter().find(|field| field.holds == Holds::List);
        list.map(|field| field.list(&self.record.members).join(", ")).unwrap_or_default()
    }

    /// The record as an entry of `memory.list`.
    pub(crate) fn to_json(&self) -> String {
        format!(r#"{{"kind":"{}","record":{}}}"#, self.kind(), self.raw)
    }
}

impl Identified for Entry {
    const NOUN: &'static str = "record";
    const BODY: &'static str = "text";
    const HEADS: [&'static str; 2] = ["KIND", "WHAT"];
    const LIST_OF_IDS: &'static str = "`loopmem memory list` shows the ids of this repository";
    const LIST: &'static str = "`loopmem memory list` shows the records of this repository";

    fn id(&self) -> &str {
        &self.record.id
    }

    fn kind(&self) -> &str {
        self.kind.schema.name
    }

    fn label(&self) -> String {
        let field = self.kind.schema.headline().unwrap_or(self.kind.schema.body());
        let label = on_one_line(first_line(field.text(&self.record.members)));
        match self.inherited_from() {
            Some(branch) => format!("{label} (from {})", on_one_line(branch)),
            None => label,
        }
    }

    fn json(&self) -> &str {
        self.raw.get()
    }
}

/// An entry of `memory.list`.
#[derive(Deserialize)]
struct Listed {
    kind: String,
    record: Box<RawValue>,
}

impl TryFrom<Listed> for Entry {
    type Error = Error;

    fn try_from(Listed { kind, record }: Listed) -> Result<Self> {
        let known = KINDS.iter().find(|it| it.schema.name == kind);
        Entry::of(known.ok_or_else(|| Error::validation("there is no such kind of record"))?, record)
    }
}

/// All records of a repository.
///
/// # Errors
/// Those of `memory.list`.
pub(crate) fn stored(session: &Session<'_>, repo: &Members) -> Result<Vec<Entry>> {
    session.ask("memory.list", repo)
}
