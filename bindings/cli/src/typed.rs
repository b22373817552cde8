//! `loopmem ROOM VERB --option …`: subcommands and options generated from the method table.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::Result;
use loopmem::methods::{Description, Field, MethodDescription, RoomDescription, Type};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::listing;
use crate::naming::{command_name, flag, is_repeated, is_text, kebab};
use crate::output::usage_error;
use crate::strict;
use crate::wording;

/// A subcommand for each room, with one for each of its methods.
pub(crate) fn rooms(description: &Description) -> Vec<Command> {
    let of = |room: &'static str| description.methods.iter().filter(move |it| it.room_and_verb().0 == room);
    let command = |room: &RoomDescription| {
        Command::new(room.name)
            .about(room.about)
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(of(room.name).map(|method| verb(method, description)))
    };
    description.rooms.iter().map(command).collect()
}

fn verb(method: &MethodDescription, description: &Description) -> Command {
    let (_, verb) = method.room_and_verb();
    let (short, _) = method.doc.split_once("\n\n").unwrap_or((&method.doc, ""));
    let (name, of_table) = (command_name(verb), kebab(verb));
    let mut command =
        Command::new(name.clone()).about(wording::description(short)).long_about(wording::description(&method.doc));
    if name != of_table {
        command = command.alias(of_table);
    }
    for field in &method.params.fields {
        command = command.arg(option(field));
    }
    listing::extend(command, method, description)
}

/// The option for a member of the params.
pub(crate) fn option(field: &Field) -> Arg {
    let option =
        Arg::new(field.name.clone()).long(flag(field)).help(wording::description(&field.doc)).required(field.required);
    let option = if is_repeated(field) { option.alias(kebab(&field.name)) } else { option };
    match &field.ty {
        Type::Text | Type::TextOrStruct(_) => option.value_name("TEXT"),
        Type::OneOf(names) => option.value_name(flag(field).to_uppercase()).value_parser(names.clone()),
        Type::Integer => option.value_name("N").value_parser(value_parser!(i64)).allow_negative_numbers(true),
        Type::Boolean => option.action(ArgAction::SetTrue).required(false),
        Type::List(item) if is_text(item) => option.value_name("TEXT").action(ArgAction::Append),
        Type::ListOrStruct(..) => option.value_name("NAME[=NUMBER]").action(ArgAction::Append),
        Type::Number => option.value_name("NUMBER").value_parser(value_parser!(f64)).allow_negative_numbers(true),
        Type::List(_) | Type::Struct(_) | Type::Object | Type::Json => {
            option.value_name("JSON").allow_negative_numbers(true)
        }
    }
}

/// The option's value as JSON.
///
/// # Errors
/// Those of `complete`, which expands a unique prefix of a repository's hash.
pub(crate) fn value(
    field: &Field,
    options: &ArgMatches,
    complete: impl FnOnce(&str) -> Result<String>,
) -> Result<Option<String>> {
    let name = field.name.as_str();
    let text = |text: &String| Value::from(text.as_str());
    Ok(match &field.ty {
        Type::Text if is_repo_hash(name) => match options.get_one::<String>(name) {
            Some(hash) => Some(text(&complete(hash)?).to_string()),
            None => None,
        },
        Type::Text | Type::TextOrStruct(_) | Type::OneOf(_) => options.get_one(name).map(|it| text(it).to_string()),
        Type::Integer => options.get_one::<i64>(name).map(i64::to_string),
        Type::Number => options.get_one::<f64>(name).map(f64::to_string),
        Type::Boolean => options.get_flag(name).then(|| "true".to_owned()),
        Type::List(item) if is_text(item) => {
            options.get_many(name).map(|them| them.map(text).collect::<Value>().to_string())
        }
        Type::ListOrStruct(..) => {
            let given = options.get_many::<String>(name).map(|them| them.map(String::as_str).collect::<Vec<_>>());
            given.map(|them| list_or_object(&flag(field), &them))
        }
        Type::List(_) | Type::Struct(_) | Type::Object | Type::Json => {
            // As typed: parsing it into values would round numbers and hide duplicate keys.
            let json = options.get_one::<String>(name);
            json.map(|json| check_json(&flag(field), json, example(field)).to_owned())
        }
    })
}

/// A list of names, or an object of numbers by name if each is given as `NAME=NUMBER`.
fn list_or_object(option: &str, given: &[&str]) -> String {
    let pairs: Vec<_> = given.iter().filter_map(|it| it.split_once('=')).collect();
    if pairs.is_empty() {
        return given.iter().map(|it| Value::from(*it)).collect::<Value>().to_string();
    }
    if pairs.len() < given.len() {
        usage_error(&format!("--{option} needs a number for every name, or for none: NAME or NAME=NUMBER"));
    }
    let number = |text: &str| match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number,
        _ => usage_error(&format!("--{option} needs a number after `=`, such as 0.5 or 2000")),
    };
    let member = |(name, text): &(&str, &str)| format!("{}:{}", Value::from(*name), number(text));
    format!("{{{}}}", pairs.iter().map(member).collect::<Vec<_>>().join(","))
}

/// What to pass for a field that takes JSON.
fn example(field: &Field) -> &'static str {
    match &field.ty {
        Type::List(_) => "a list such as '[1, 2]'",
        Type::Json => "JSON such as '1' or '\"text\"'",
        _ => r#"an object such as '{"key": "value"}'"#,
    }
}

/// The value in `json`, which was given for a field; exits with a usage error if no value can hold it.
pub(crate) fn parsed(field: &Field, json: &str) -> Value {
    let option = flag(field);
    strict::parse(json).unwrap_or_else(|cause| match cause.to_string() {
        // JSON has numbers that no type can hold.
        cause if cause.starts_with("number out of range") => {
            usage_error(&format!("--{option} has a number that is out of range"))
        }
        cause => usage_error(&format!("--{option} is not valid JSON: {cause}; pass {}", example(field))),
    })
}

/// Returns `json` without surrounding whitespace; exits with a usage error if it is not valid JSON.
pub(crate) fn check_json<'j>(option: &str, json: &'j str, example: &str) -> &'j str {
    match serde_json::from_str::<&RawValue>(json) {
        Ok(json) => json.get(),
        // The parser's message gives a position and what was expected there, and quotes nothing.
        Err(fault) => usage_error(&format!("--{option} is not valid JSON: {fault}; pass {example}")),
    }
}

/// `repoHash`, `fromRepoHash`, …
fn is_repo_hash(name: &str) -> bool {
    name == "repoHash" || name.ends_with("RepoHash")
}
