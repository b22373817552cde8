//! The commands for people, and results formatted for a terminal.
//!
//! Everything here goes through the method table: a command reads its input, calls methods and shows their results. The
//! commands that are generated from the table remain beside them, for programs.

mod allow;
mod branch;
mod context;
mod doctor;
mod editor;
pub(crate) mod environment;
pub(crate) mod files;
mod form;
mod index;
mod input;
mod items;
mod memory;
mod positional;
pub(crate) mod progress;
mod record;
mod repo;
mod rollouts;
mod room_command;
mod safety;
mod scan;
mod scopes;
pub(crate) mod screen;
mod summary;
mod table;
mod views;
mod working;

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::dry_run;
use crate::output;
use crate::session::{Members, Session, read};
use crate::typed;
use progress::Steps;
use room_command::RoomCommand;

/// The rooms with commands or layouts beyond the method table.
static ROOM_COMMANDS: &[&dyn RoomCommand] = &[
    &memory::MemoryCommand,
    &items::ItemsCommand,
    &index::IndexCommand,
    &summary::SummaryCommand,
    &working::WorkingCommand,
    &context::ContextCommand,
    &doctor::DoctorCommand,
    &safety::SafetyCommand,
    &repo::RepoCommand,
    &rollouts::RolloutsCommand,
    &branch::BranchCommand,
];

fn room_command(room: &str) -> Option<&'static dyn RoomCommand> {
    ROOM_COMMANDS.iter().find(|it| it.room() == room).copied()
}

/// Adds the commands for people to a room that was generated from the method table.
pub(crate) fn extend(room: Command, description: &Description) -> Command {
    match room_command(room.get_name()) {
        Some(it) => dry_run::extend(it.extend(room, description), description, it.storing_verbs()),
        None => dry_run::extend(with_verbs(room, Vec::new()), description, &[]),
    }
}

/// Adds these commands to a room, first in its help.
fn with_verbs(room: Command, verbs: Vec<Command>) -> Command {
    let names: Vec<String> = verbs.iter().map(|verb| verb.get_name().to_owned()).collect();
    let place = move |verb: &Command| match verb.get_name() {
        // Generated from the table, but useful to people as well.
        "list" => 1,
        name => names.iter().position(|it| it == name).map_or(LAST, |at| at * 2),
    };
    room.subcommands(verbs).mut_subcommands(|verb| {
        let place = place(&verb);
        verb.display_order(place)
    })
}

/// Runs a command for people and returns the exit status; `None` if it is not one.
pub(crate) fn run(
    session: &Session<'_>,
    description: &Description,
    room: &str,
    args: &ArgMatches,
) -> Option<Result<ExitCode>> {
    room_command(room)?.run(session, description, args)
}

/// Whether an option of the command asks for JSON, as `--json` does.
pub(crate) fn wants_json(room: &str, args: &ArgMatches) -> bool {
    room_command(room).is_some_and(|it| it.wants_json(args))
}

/// The steps of the command's long calls.
pub(crate) fn steps(room: &str, args: &ArgMatches) -> Steps {
    room_command(room).map_or(Steps::INDEXING, |it| it.steps(args))
}

/// Whether a signal such as Ctrl-C cancels the command's call, instead of ending the process.
pub(crate) fn is_cancelled_by_signals(room: &str, args: &ArgMatches) -> bool {
    room_command(room).is_some_and(|it| it.is_cancelled_by_signals(args))
}

/// The exit status of a failed command.
pub(crate) fn status_of_failure(room: &str, args: &ArgMatches) -> ExitCode {
    room_command(room).map_or(ExitCode::FAILURE, |it| it.status_of_failure(args))
}

/// Prints a method's result, formatted if standard output is a terminal and the method has a layout. `params` are those
/// of the call.
///
/// # Errors
/// `IOError` if standard output cannot be written to.
pub(crate) fn show_result(session: &Session<'_>, method: &str, params: &str, json: String) -> Result<()> {
    let layout = || {
        let (room, verb) = method.split_once('.')?;
        room_command(room)?.layout(session, verb, &read(params).ok()?, &json)?.ok()
    };
    match session.is_for_humans().then(layout).flatten() {
        Some(text) => output::screen(&text),
        None => output::result(json, session.style()),
    }
}

/// Calls a method and prints its result.
///
/// # Errors
/// The method's; `IOError` if standard output cannot be written to.
pub(crate) fn call_and_show(session: &Session<'_>, method: &str, params: &Members) -> Result<()> {
    let params = Value::Object(params.clone()).to_string();
    let json = session.call(method, &params)?;
    show_result(session, method, &params, json)
}

/// The position of generated commands in the help of a room.
const LAST: usize = 100;

/// The params that select a repository.
const REPO: [&str; 3] = ["repoHash", "workspace", "branchScope"];

fn repo_fields(description: &Description) -> impl Iterator<Item = &Field> {
    let is_of_repo = |field: &&Field| REPO.contains(&field.name.as_str());
    let method = description.methods.iter().find(|it| it.params.fields.iter().filter(is_of_repo).count() == REPO.len());
    method.into_iter().flat_map(|method| &method.params.fields).filter(is_of_repo)
}

/// The options that select a repository.
fn repo_options(description: &Description) -> Vec<Arg> {
    repo_fields(description).map(|field| typed::option(field).help_heading("Repository")).collect()
}

/// The values given for `fields`.
fn members<'f>(session: &Session<'_>, fields: impl Iterator<Item = &'f Field>, args: &ArgMatches) -> Result<Members> {
    let mut members = Members::new();
    for field in fields {
        if let Some(json) = typed::value(field, args, &|hash| session.repo_hash(hash))? {
            members.insert(field.name.clone(), typed::parsed(field, &json));
        }
    }
    Ok(members)
}
