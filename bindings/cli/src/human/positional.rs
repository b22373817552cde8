//! A positional argument that may be passed instead of an option of a generated command.

use clap::{Arg, ArgMatches, Command};

/// The name of the argument.
pub(crate) const POSITIONAL: &str = "positional";

/// Adds a positional argument to a command that takes the same values as the option `option`, of which one is required.
pub(crate) fn instead_of(verb: Command, option: &'static str, name: &'static str, help: &'static str) -> Command {
    let values = verb.get_arguments().find(|arg| arg.get_id() == option).map(|arg| arg.get_value_parser().clone());
    let mut positional = Arg::new(POSITIONAL).value_name(name).help(help);
    if let Some(values) = values {
        positional = positional.value_parser(values);
    }
    let positional = positional.required_unless_present(option).conflicts_with(option);
    verb.mut_arg(option, |arg| arg.required(false)).arg(positional)
}

/// The value of the positional argument, or of the option that may be passed instead.
pub(crate) fn value<'a>(args: &'a ArgMatches, option: &str) -> &'a str {
    let value = args.get_one::<String>(POSITIONAL).or_else(|| args.get_one::<String>(option));
    value.map(String::as_str).unwrap_or_default()
}
