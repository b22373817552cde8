//! The fields of records on the command line, and looking up conventions, decisions and notes by id.

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::abbreviation::{self, Match};
use crate::human::screen::{Keep, cut, first_line, on_one_line};
use crate::session::{Members, Session, read, text, texts};

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    Convention,
    Decision,
    Note,
}

/// A field that the user fills in.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its key in the record.
    pub(crate) key: &'static str,
    /// The option that sets it.
    pub(crate) option: &'static str,
    /// The type of its value.
    pub(crate) holds: Holds,
    help: &'static str,
}

/// The type of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A single line.
    Line,
    /// A list of lines.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
    /// The text itself.
    Body,
}

/// The fields of one kind of record.
#[derive(Debug)]
pub(crate) struct Schema {
    /// What a record is called, with its article.
    pub(crate) noun: &'static str,
    /// The fields, the body last.
    pub(crate) fields: &'static [Field],
}

impl Schema {
    /// The field that holds the text itself.
    pub(crate) fn body(&self) -> &'static Field {
        &self.fields[self.fields.len() - 1]
    }
}

pub(crate) const fn field(key: &'static str, option: &'static str, holds: Holds, help: &'static str) -> Field {
    Field { key, option, holds, help }
}

const TAGS: &str = "A tag to find it by; may be repeated";
const PATHS: &str = "A file or folder that it concerns; may be repeated";
const SOURCES: &[&str] = &["manual", "agent", "tool"];

static CONVENTION: Schema = Schema {
    noun: "a convention",
    fields: &[
        field("title", "title", Holds::Line, "A short title"),
        field("tags", "tag", Holds::List, TAGS),
        field("content", "content", Holds::Body, "The full text"),
    ],
};
static DECISION: Schema = Schema {
    noun: "a decision",
    fields: &[
        field("summary", "summary", Holds::Line, "The decision in one line"),
        field("impactedPaths", "path", Holds::List, PATHS),
        field("rationale", "rationale", Holds::Body, "The rationale"),
    ],
};
static NOTE: Schema = Schema {
    noun: "a note",
    fields: &[
        field("source", "source", Holds::Word(SOURCES), "Who wrote it"),
        field("content", "content", Holds::Body, "The text of the note"),
    ],
};

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Convention, Kind::Decision, Kind::Note];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Convention => "convention",
            Kind::Decision => "decision",
            Kind::Note => "note",
        }
    }

    /// The method that stores it.
    pub(crate) fn upsert(self) -> &'static str {
        match self {
            Kind::Convention => "memory.upsertConvention",
            Kind::Decision => "memory.upsertDecision",
            Kind::Note => "memory.upsertNote",
        }
    }

    /// Its fields and what it is called.
    pub(crate) fn schema(self) -> &'static Schema {
        match self {
            Kind::Convention => &CONVENTION,
            Kind::Decision => &DECISION,
            Kind::Note => &NOTE,
        }
    }

    /// Its fields, the body last.
    pub(crate) fn fields(self) -> &'static [Field] {
        self.schema().fields
    }

    /// The field that holds the text itself.
    pub(crate) fn body(self) -> &'static Field {
        self.schema().body()
    }

    /// The field with its title, if it has one.
    pub(crate) fn headline(self) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.holds == Holds::Line)
    }

    /// A short description.
    pub(crate) fn label(self, members: &Members) -> String {
        on_one_line(first_line(text(members, self.headline().map_or(self.body().key, |field| field.key))))
    }
}

/// Options for these fields; of several with one name, for the first.
pub(crate) fn options<'f>(fields: impl IntoIterator<Item = &'f Field>) -> Vec<Arg> {
    let mut options: Vec<Arg> = Vec::new();
    for field in fields {
        if options.iter().any(|option| option.get_id() == field.option) {
            continue;
        }
        let option = Arg::new(field.option).long(field.option).help(field.help);
        options.push(match field.holds {
            Holds::Line | Holds::Body => option.value_name("TEXT"),
            Holds::List => option.value_name("TEXT").action(ArgAction::Append),
            Holds::Word(words) => option.value_parser(clap::builder::PossibleValuesParser::new(words)),
        });
    }
    options
}

/// The fields that were given as options. Empty strings are not list items, so `--tag ''` clears a list.
pub(crate) fn given(fields: &[Field], args: &ArgMatches) -> Members {
    let value = |field: &Field| match field.holds {
        Holds::List => args
            .try_get_many::<String>(field.option)
            .ok()
            .flatten()
            .map(|them| them.map(String::as_str).filter(|it| !it.is_empty()).collect::<Value>()),
        _ => args.try_get_one::<String>(field.option).ok().flatten().map(|it| Value::from(it.as_str())),
    };
    fields.iter().filter_map(|field| Some((field.key.to_owned(), value(field)?))).collect()
}

/// A stored record.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// The JSON as stored.
    pub(crate) raw: Box<RawValue>,
    pub(crate) members: Members,
}

impl Entry {
    pub(crate) fn id(&self) -> &str {
        text(&self.members, "id")
    }

    /// A short description.
    pub(crate) fn label(&self) -> String {
        self.kind.label(&self.members)
    }

    /// Its tags or paths.
    pub(crate) fn marks(&self) -> String {
        let list = self.kind.fields().iter().find(|field| field.holds == Holds::List);
        list.map(|field| texts(&self.members, field.key).collect::<Vec<_>>().join(", ")).unwrap_or_default()
    }

    /// The record as an entry of `memory.list`.
    pub(crate) fn to_json(&self) -> String {
        format!(r#"{{"kind":"{}","record":{}}}"#, self.kind.name(), self.raw)
    }
}

/// Parses the result of `memory.list`.
///
/// # Errors
/// As [`read`].
pub(crate) fn entries(json: &str) -> Result<Vec<Entry>> {
    #[derive(Deserialize)]
    struct Listed {
        kind: Kind,
        record: Box<RawValue>,
    }
    let listed: Vec<Listed> = read(json)?;
    let entry = |it: Listed| Ok(Entry { kind: it.kind, members: read(it.record.get())?, raw: it.record });
    listed.into_iter().map(entry).collect()
}

/// All records of a repository.
///
/// # Errors
/// Those of `memory.list`.
pub(crate) fn stored(session: &Session<'_>, repo: &Members) -> Result<Vec<Entry>> {
    entries(&session.call("memory.list", &Value::Object(repo.clone()).to_string())?)
}

/// Finds the record whose id is `typed` or has it as a unique prefix.
///
/// # Errors
/// `NotFound`; `ValidationError` that lists the candidates if there are several.
pub(crate) fn find<'e>(entries: &'e [Entry], typed: &str) -> Result<&'e Entry> {
    if typed.is_empty() {
        return Err(Error::validation("the id is empty; `loopmem memory list` shows the ids of this repository"));
    }
    match abbreviation::find(typed, entries, Entry::id) {
        Match::One(entry) => Ok(entry),
        Match::None => Err(Error::new(
            ErrorKind::NotFound,
            format!("no record {}; `loopmem memory list` shows the records of this repository", named(typed)),
        )),
        Match::Several(them) => Err(abbreviation::ambiguous(
            typed,
            them.into_iter()
                .map(|it| (it.id().to_owned(), format!("{} {}", it.kind.name(), cut(&it.label(), 60, Keep::Start)))),
        )),
    }
}

/// A typed id for an error message. It may be a secret pasted by mistake, so it is repeated only if it looks like an
/// id.
pub(crate) fn named(typed: &str) -> String {
    let is_hex = typed.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    let is_short = typed.chars().count() <= 12 && !typed.chars().any(char::is_control);
    if is_short || (is_hex && typed.len() <= 36) { typed.to_owned() } else { "with this id".to_owned() }
}
