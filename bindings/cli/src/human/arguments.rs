//! Arguments that several commands have, and reading their values.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use loopmem::Result;

use crate::session::{Members, Session};

/// The name of a positional argument that may be passed instead of an option of a generated command.
pub(crate) const POSITIONAL: &str = "positional";

/// An option without a value.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// An option with a value.
pub(crate) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// An option whose value is the path of a file.
pub(crate) fn file_option(name: &'static str, help: &'static str) -> Arg {
    option(name, "FILE", help).value_hint(ValueHint::FilePath).value_parser(value_parser!(PathBuf))
}

/// A positional argument.
pub(crate) fn argument(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).help(help)
}

/// The option that skips a confirmation.
pub(crate) fn yes() -> Arg {
    flag("yes", "Skips the confirmation").short('y')
}

/// The option that removes for good.
pub(crate) fn purge() -> Arg {
    flag("purge", "For good: `undo` cannot bring it back, and no trace is left; also of what was removed before")
}

/// The positional argument TEXT, whose words are joined.
pub(crate) fn text_words(help: &'static str) -> Arg {
    argument("text", "TEXT", help).action(ArgAction::Append)
}

/// Adds a positional argument to a command that takes the same values as the option `option`, of which one is required.
pub(crate) fn instead_of(verb: Command, option: &'static str, name: &'static str, help: &'static str) -> Command {
    let values = verb.get_arguments().find(|arg| arg.get_id() == option).map(|arg| arg.get_value_parser().clone());
    let mut positional = argument(POSITIONAL, name, help);
    if let Some(values) = values {
        positional = positional.value_parser(values);
    }
    let positional = positional.required_unless_present(option).conflicts_with(option);
    verb.mut_arg(option, |arg| arg.required(false)).arg(positional)
}

/// The value of the positional argument, or of the option that may be passed instead.
pub(crate) fn positional_or<'a>(args: &'a ArgMatches, option: &str) -> &'a str {
    if args.contains_id(POSITIONAL) { text(args, POSITIONAL) } else { text(args, option) }
}

/// The text of an argument; empty if it was not given.
pub(crate) fn text<'a>(args: &'a ArgMatches, name: &str) -> &'a str {
    args.get_one::<String>(name).map(String::as_str).unwrap_or_default()
}

/// The params of a method that were given as options. The values of the option `list`, which has the name of a param,
/// are separated by commas.
///
/// # Errors
/// As [`Session::given`].
pub(crate) fn params_with_list(session: &Session<'_>, method: &str, list: &str, args: &ArgMatches) -> Result<Members> {
    let mut params = session.given(session.fields(method).filter(|field| field.name != list), args)?;
    if let Some(values) = args.get_many::<String>(list) {
        params.insert(list.to_owned(), values.map(String::as_str).collect());
    }
    Ok(params)
}
