//! The fields of records that people fill in: as options, and in the form that the editor shows.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches};
use serde_json::Value;

use crate::session::Members;

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

impl Field {
    /// Its text in a record or a draft; empty if it has none.
    pub(crate) fn text<'m>(&self, members: &'m Members) -> &'m str {
        members.get(self.key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The elements of its list in a record or a draft.
    pub(crate) fn list<'m>(&self, members: &'m Members) -> Vec<&'m str> {
        members.get(self.key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }
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

/// The fields of records of one kind.
#[derive(Debug)]
pub(crate) struct Schema {
    /// What a record is called: `note`.
    pub(crate) name: &'static str,
    /// The same with its article.
    pub(crate) noun: &'static str,
    /// The fields, the body last.
    pub(crate) fields: &'static [Field],
}

impl Schema {
    /// The field that holds the text itself.
    pub(crate) fn body(&self) -> &'static Field {
        &self.fields[self.fields.len() - 1]
    }

    /// The field with its title, if it has one.
    pub(crate) fn headline(&self) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.holds == Holds::Line)
    }
}

pub(crate) const fn field(key: &'static str, option: &'static str, holds: Holds, help: &'static str) -> Field {
    Field { key, option, holds, help }
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
            Holds::Word(words) => option.value_parser(PossibleValuesParser::new(words)),
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
