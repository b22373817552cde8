//! What conventions, decisions and notes are made of, as people name it; and the records of a repository by their ids.

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::abbreviation::{self, Match};
use crate::human::screen::{Keep, cut, first_line, on_one_line};
use crate::session::{Members, Session, read, text, texts};

/// One of the three kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    Convention,
    Decision,
    Note,
}

/// A field that people fill in.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its key in the record.
    pub(crate) key: &'static str,
    /// The option that gives it.
    pub(crate) option: &'static str,
    /// What it holds.
    pub(crate) holds: Holds,
    help: &'static str,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A line.
    Line,
    /// Lines.
    List,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// The text itself.
    Body,
}

const fn field(key: &'static str, option: &'static str, holds: Holds, help: &'static str) -> Field {
    Field { key, option, holds, help }
}

const TAGS: &str = "A word to find it by; may be given several times";
const PATHS: &str = "A file or folder that it concerns; may be given several times";
const SOURCES: &[&str] = &["manual", "agent", "tool"];

static CONVENTION: [Field; 3] = [
    field("title", "title", Holds::Line, "Its name, in a few words"),
    field("tags", "tag", Holds::List, TAGS),
    field("content", "content", Holds::Body, "The whole of it"),
];
static DECISION: [Field; 3] = [
    field("summary", "summary", Holds::Line, "The decision, on one line"),
    field("impactedPaths", "path", Holds::List, PATHS),
    field("rationale", "rationale", Holds::Body, "Why"),
];
static NOTE: [Field; 2] = [
    field("source", "source", Holds::Word(SOURCES), "Who wrote it"),
    field("content", "content", Holds::Body, "The note"),
];

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

    /// Its fields, the body last.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            Kind::Convention => &CONVENTION,
            Kind::Decision => &DECISION,
            Kind::Note => &NOTE,
        }
    }

    /// The field that holds the text itself.
    pub(crate) fn body(self) -> &'static Field {
        let fields = self.fields();
        &fields[fields.len() - 1]
    }

    /// The line that names it, if it has one.
    pub(crate) fn headline(self) -> Option<&'static Field> {
        self.fields().iter().find(|field| field.holds == Holds::Line)
    }

    /// In a few words.
    pub(crate) fn label(self, members: &Members) -> String {
        on_one_line(first_line(text(members, self.headline().map_or(self.body().key, |field| field.key))))
    }
}

/// Options for the fields of `kinds`.
pub(crate) fn options(kinds: &[Kind]) -> Vec<Arg> {
    let mut options: Vec<Arg> = Vec::new();
    for field in kinds.iter().flat_map(|kind| kind.fields()) {
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

/// The fields of `kind` that were given as options. An empty text is no item of a list, so that `--tag ''` empties one.
pub(crate) fn given(kind: Kind, asked: &ArgMatches) -> Members {
    let value = |field: &Field| match field.holds {
        Holds::List => asked
            .try_get_many::<String>(field.option)
            .ok()
            .flatten()
            .map(|them| them.map(String::as_str).filter(|it| !it.is_empty()).collect::<Value>()),
        _ => asked.try_get_one::<String>(field.option).ok().flatten().map(|it| Value::from(it.as_str())),
    };
    kind.fields().iter().filter_map(|field| Some((field.key.to_owned(), value(field)?))).collect()
}

/// A record that is stored.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// As it is stored.
    pub(crate) raw: Box<RawValue>,
    pub(crate) members: Members,
}

impl Entry {
    pub(crate) fn id(&self) -> &str {
        text(&self.members, "id")
    }

    /// In a few words.
    pub(crate) fn label(&self) -> String {
        self.kind.label(&self.members)
    }

    /// Its tags or paths.
    pub(crate) fn marks(&self) -> String {
        let list = self.kind.fields().iter().find(|field| field.holds == Holds::List);
        list.map(|field| texts(&self.members, field.key).collect::<Vec<_>>().join(", ")).unwrap_or_default()
    }

    /// As `memory.list` tells it.
    pub(crate) fn to_json(&self) -> String {
        format!(r#"{{"kind":"{}","record":{}}}"#, self.kind.name(), self.raw)
    }
}

/// Reads the result of `memory.list`.
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

/// The record whose id is `typed` or, if only one does, begins with it.
///
/// # Errors
/// `NotFound`; `ValidationError` with the candidates when there are several.
pub(crate) fn find<'e>(entries: &'e [Entry], typed: &str) -> Result<&'e Entry> {
    if typed.is_empty() {
        return Err(Error::validation("an id is empty; `loopmem memory list` shows them"));
    }
    match abbreviation::find(typed, entries, Entry::id) {
        Match::One(entry) => Ok(entry),
        Match::None => Err(Error::new(
            ErrorKind::NotFound,
            format!("there is no record {}; `loopmem memory list` shows those of this repository", named(typed)),
        )),
        Match::Several(them) => Err(abbreviation::ambiguous(
            typed,
            them.into_iter()
                .map(|it| (it.id().to_owned(), format!("{} {}", it.kind.name(), cut(&it.label(), 60, Keep::Start)))),
        )),
    }
}

/// An id that a person typed. It may be a secret that was pasted in the wrong place, so only what looks like an id is
/// shown again.
fn named(typed: &str) -> String {
    let is_hex = typed.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    let is_short = typed.chars().count() <= 12 && !typed.chars().any(char::is_control);
    if is_short || (is_hex && typed.len() <= 36) { typed.to_owned() } else { "with this id".to_owned() }
}
