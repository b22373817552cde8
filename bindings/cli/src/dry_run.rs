//! `--dry-run` of the commands that store something: shows what they would redact, and stores nothing.

use clap::{ArgMatches, Command};
use loopmem::methods::{Description, redacts};

use crate::human::arguments::flag;
use crate::naming::command_name;

/// As the parameter of methods that have a dry run of their own.
const ID: &str = "dryRun";

/// Adds the option to the commands of a room that store what they are given: those generated from the method table, and
/// `verbs`.
pub(crate) fn extend(room: Command, description: &Description, verbs: &[&str]) -> Command {
    let generated = description.methods.iter().filter(|method| redacts(method.name)).filter_map(|method| {
        let (its_room, verb) = method.room_and_verb();
        (its_room == room.get_name()).then(|| command_name(verb))
    });
    let names: Vec<String> = generated.chain(verbs.iter().map(|verb| (*verb).to_owned())).collect();
    let option = flag(ID, "Shows what would be redacted, and stores nothing").long("dry-run");
    room.mut_subcommands(|verb| match names.iter().any(|name| name == verb.get_name()) {
        // `memory add` has a subcommand for each kind of record.
        true if verb.has_subcommands() => verb.mut_subcommands(|kind| kind.arg(&option)),
        true => verb.arg(&option),
        false => verb,
    })
}

/// Whether a command or its subcommand was given the option.
pub(crate) fn is_asked(args: &ArgMatches) -> bool {
    args.try_get_one::<bool>(ID).ok().flatten() == Some(&true)
        || args.subcommand().is_some_and(|(_, args)| is_asked(args))
}
