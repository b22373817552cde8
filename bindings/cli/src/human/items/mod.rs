//! The commands of the room `items` for people, beside and on top of those of the method table.

mod add;
mod browse;
mod change;
mod expiry;
mod export;
mod fields;
mod import;
mod item;
mod layout;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::positional::{POSITIONAL, instead_of};
use crate::human::room_command::RoomCommand;
use crate::human::{call_and_show, input, with_verbs};
use crate::output::usage_error;
use crate::session::{Members, Session};

/// The commands in the order of the help; those for programs come last.
const ORDER: [&str; 14] = [
    "add",
    "list",
    "show",
    "edit",
    "rm",
    "archive",
    "restore",
    "recall",
    "browse",
    "export",
    "import",
    "stats",
    "migrate",
    "migrate-legacy",
];

/// The commands of the room `items`.
pub(crate) struct ItemsCommand;

impl RoomCommand for ItemsCommand {
    fn room(&self) -> &'static str {
        "items"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        let folders = item::folder_options(description);
        let mut verbs = change::commands(&folders);
        verbs.push(browse::command(&folders));
        let command = with_verbs(command, verbs);
        let command = command.mut_subcommand("add", add::extend).mut_subcommand("import", import::extend);
        let command = command.mut_subcommand("export", export::extend).mut_subcommand("recall", recall);
        let command = command.mut_subcommand("migrate", |verb| instead_of(verb, "to", "BACKEND", "The backend"));
        let command = command.mut_subcommands(|verb| {
            let place = ORDER.iter().position(|name| *name == verb.get_name());
            verb.display_order(place.unwrap_or(ORDER.len()))
        });
        ["archive", "restore"].into_iter().fold(command, |command, verb| {
            let help = "The item's id or a unique prefix of it; --id takes complete ids only";
            command.mut_subcommand(verb, |verb| instead_of(verb, "id", "ID", help))
        })
    }

    fn storing_verbs(&self) -> &'static [&'static str] {
        &["edit"]
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let room = args;
        let (verb, args) = args.subcommand()?;
        let done = match verb {
            "add" => add::run(session, description, args)?,
            "show" => change::show(session, description, args),
            "edit" => change::edit(session, description, args),
            "rm" => change::remove(session, description, args),
            "browse" => browse::run(session, description, args),
            "archive" | "restore" => change::set_status(session, description, verb, args)?,
            "recall" => recall_words(session, description, args)?,
            "export" => export::run(session, description, args)?,
            "import" => {
                let imported = import::run(session, description, args);
                return Some(imported.unwrap_or_else(|| import::whole(session, description, room)));
            }
            "migrate-legacy" => return Some(import::whole(session, description, room)),
            "migrate" => migrate_to(session, description, args)?,
            _ => return None,
        };
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        layout::of(session, verb, params, json)
    }
}

fn recall(verb: Command) -> Command {
    let aliases = [("files", "file"), ("crates", "crate"), ("langs", "lang")];
    let verb = aliases.into_iter().fold(verb, |verb, (option, alias)| {
        // The names that `items add` has for them.
        verb.mut_arg(option, |arg| arg.visible_alias(alias))
    });
    verb.mut_arg("prompt", |arg| arg.required(false)).arg(
        input::text_words("What the agent is about to do; else --prompt, else it is read from a pipe")
            .value_name("PROMPT")
            .conflicts_with("prompt"),
    )
}

/// `items recall PROMPT…`; `None` if the prompt is an option.
fn recall_words(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<()>> {
    if args.contains_id("prompt") {
        return None;
    }
    let prompt = match input::text_argument(args) {
        Ok(None) => input::read_pipe(),
        typed => typed,
    };
    Some(prompt.and_then(|prompt| match prompt {
        Some(prompt) => call_with(session, description, "items.recall", args, ("prompt", prompt.trim())),
        None => usage_error("the prompt is missing; pass it as PROMPT or through a pipe"),
    }))
}

/// `items migrate BACKEND`; `None` if the backend is an option.
fn migrate_to(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<()>> {
    let to = args.get_one::<String>(POSITIONAL)?;
    Some(call_with(session, description, "items.migrate", args, ("to", to)))
}

/// Calls a method with the options that were given and one more member.
fn call_with(
    session: &Session<'_>,
    description: &Description,
    method: &str,
    args: &ArgMatches,
    (key, value): (&str, &str),
) -> Result<()> {
    let mut params = item::params(session, description, method, args)?;
    params.insert(key.to_owned(), value.into());
    call_and_show(session, method, &params)
}
