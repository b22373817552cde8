//! The commands for people, and results formatted for a terminal.
//!
//! Everything here goes through the method table: a command reads its input, calls methods and shows their results. The
//! commands that are generated from the table remain beside them, for programs.

mod archive;
pub(crate) mod arguments;
mod branch;
pub(crate) mod browse;
mod context;
mod doctor;
mod editor;
pub(crate) mod environment;
mod files;
mod form;
pub(crate) mod git;
mod identified;
mod index;
pub(crate) mod input;
pub(crate) mod install;
mod installation;
mod items;
pub(crate) mod local_files;
mod memory;
pub(crate) mod merge_driver;
pub(crate) mod progress;
mod record;
mod repo;
mod rollouts;
mod safety;
mod scan;
mod schema;
mod scopes;
pub(crate) mod screen;
mod search;
pub(crate) mod status;
mod summary;
mod sync;
mod table;
mod tui;
mod undo;
mod verbs;
mod views;
mod working;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::json;

use crate::dry_run;
use crate::naming::command_name;
use crate::output::{self, ExitCode, usage_error};
use crate::session::{Members, Session, read, repo_fields};
use crate::typed;
use browse::{Browsing, Page};
use progress::Steps;
use verbs::{Verb, name_of, ordered};

/// The commands and layouts of one room, beyond the commands that are generated from the method table.
pub(crate) struct RoomCommand {
    /// The room's name.
    pub(crate) room: &'static str,
    /// Adds subcommands and options to the room's command, which was generated from the method table.
    pub(crate) extend: fn(Command, &Description) -> Command,
    /// The subcommands that people type, in the order of the help. Those of the method table that are not among them are
    /// hidden, but work. If empty, all are listed.
    pub(crate) verbs: &'static [Verb],
    /// The methods that the command stands for without a subcommand.
    pub(crate) calls: &'static [&'static str],
    /// The subcommands, besides those of the method table, that store what they are given.
    pub(crate) storing_verbs: &'static [&'static str],
    /// Runs the command and returns the exit status; `None` for a command of the method table.
    pub(crate) run: fn(&Session<'_>, &ArgMatches) -> Option<Result<ExitCode>>,
    /// Formats the result of a method of the room, which is named without the room, for a terminal; `None` if it has no
    /// layout. It is passed the params and the JSON.
    pub(crate) layout: fn(&Session<'_>, &str, &Members, &str) -> Result<Option<String>>,
    /// The methods whose results are text also without a terminal: they are made for a model, or a list is a part of them.
    pub(crate) texts: &'static [&'static str],
    /// Whether an option of the command asks for JSON, as `--json` does.
    pub(crate) wants_json: fn(&ArgMatches) -> bool,
    /// The steps of the command's long calls.
    pub(crate) steps: fn(&ArgMatches) -> Steps,
    /// Whether a signal such as Ctrl-C cancels the command's call, so that it gives back what it has claimed, instead of
    /// ending the process.
    pub(crate) is_cancelled_by_signals: fn(&ArgMatches) -> bool,
    /// The exit status of a failed command, if it does not follow from the error.
    pub(crate) status_of_failure: fn(&ArgMatches) -> Option<ExitCode>,
    /// What `browse` can do with the room's records.
    pub(crate) browsing: Browsing,
}

impl RoomCommand {
    /// A room that has only the commands of the method table.
    pub(crate) const GENERATED: RoomCommand = RoomCommand {
        room: "",
        extend: |room, _| room,
        verbs: &[],
        calls: &[],
        storing_verbs: &[],
        run: |_, _| None,
        layout: |_, _, _, _| Ok(None),
        texts: &[],
        wants_json: |_| false,
        steps: |_| Steps::INDEXING,
        is_cancelled_by_signals: |_| false,
        status_of_failure: |_| None,
        browsing: Browsing::READ_ONLY,
    };
}

/// The rooms with commands or layouts beyond the method table, and commands that are none of a room.
static ROOMS: [RoomCommand; 22] = [
    memory::COMMANDS,
    items::COMMANDS,
    files::COMMANDS,
    index::COMMANDS,
    summary::COMMANDS,
    working::COMMANDS,
    context::COMMANDS,
    search::COMMANDS,
    status::COMMANDS,
    doctor::COMMANDS,
    safety::COMMANDS,
    repo::COMMANDS,
    rollouts::COMMANDS,
    branch::COMMANDS,
    merge_driver::COMMANDS,
    install::INSTALL,
    install::UNINSTALL,
    undo::COMMANDS,
    sync::COMMANDS,
    archive::COMMANDS,
    browse::COMMANDS,
    // A hook must never disturb the agent.
    RoomCommand { room: "hook", status_of_failure: |_| Some(ExitCode::SUCCESS), ..RoomCommand::GENERATED },
];

/// The commands for people of a room, or of another command, which has none.
pub(crate) fn room(name: &str) -> &'static RoomCommand {
    static NONE: RoomCommand = RoomCommand::GENERATED;
    ROOMS.iter().find(|it| it.room == name).unwrap_or(&NONE)
}

/// What people type for a method: `loopmem memory rm`.
pub(crate) fn command_of(method: &str) -> String {
    let (name, verb) = method.split_once('.').unwrap_or((method, ""));
    let room = room(name);
    match name_of(room.verbs, verb) {
        _ if room.calls.contains(&verb) => format!("loopmem {name}"),
        Some(typed) => format!("loopmem {name} {typed}"),
        None => format!("loopmem {name} {}", command_name(verb)),
    }
}

/// What rooms show of a whole repository, what needs no prompt first.
fn pages() -> impl Iterator<Item = &'static Page> {
    let all = || ROOMS.iter().filter_map(|it| it.browsing.page);
    all().filter(|it| it.is_shown_without_prompt).chain(all().filter(|it| !it.is_shown_without_prompt))
}

/// The rooms that have a browser of their own.
fn browsers() -> impl Iterator<Item = &'static str> {
    ROOMS.iter().filter(|it| it.browsing.open.is_some()).map(|it| it.room)
}

/// Adds the commands for people to a room that was generated from the method table.
pub(crate) fn extend(command: Command, description: &Description) -> Command {
    let it = room(command.get_name());
    let command = (it.extend)(command, description);
    let is_listed = it.verbs.is_empty() && it.calls.is_empty();
    let command = if is_listed { command } else { ordered(command, it.verbs) };
    dry_run::extend(command, description, it.storing_verbs)
}

/// Makes a room a command as well: without a subcommand, it takes these options.
fn with_options(room: Command, about: &'static str, options: impl Iterator<Item = Arg>) -> Command {
    room.long_about(about).subcommand_required(false).arg_required_else_help(false).args(options)
}

/// Runs a room that is a command as well, for `method`; `None` for a subcommand. The one for the method has the same
/// options, which are refused before it.
fn run_without_verb(
    session: &Session<'_>,
    method: &str,
    args: &ArgMatches,
    run: impl FnOnce() -> Result<ExitCode>,
) -> Option<Result<ExitCode>> {
    if args.subcommand().is_none() {
        return Some(run());
    }
    if session.fields(method).any(|field| args.value_source(&field.name) == Some(ValueSource::CommandLine)) {
        let (room, verb) = method.split_once('.').unwrap_or_default();
        usage_error(&format!("place the options of `{room} {verb}` after `{verb}`"));
    }
    None
}

/// Prints a method's result, formatted if standard output is a terminal and the method has a layout. `params` are those
/// of the call.
///
/// # Errors
/// `IOError` if standard output cannot be written to.
pub(crate) fn show_result(session: &Session<'_>, method: &str, params: &str, json: String) -> Result<()> {
    let json = session.listing.of_result(json);
    let (room_name, verb) = method.split_once('.').unwrap_or_default();
    let room = room(room_name);
    let layout = || (room.layout)(session, verb, &read(params).ok()?, &json).ok()?;
    let is_text = room.texts.contains(&verb) || session.is_list(&json);
    if !session.is_for_humans() && (session.is_for_programs() || !is_text) {
        return output::result(json, session.style);
    }
    if !session.is_for_humans() {
        screen::print_as_tsv();
    }
    match layout() {
        Some(text) if session.is_list(&json) => session.show_list(&json, &text),
        Some(text) if text.is_empty() => Ok(()),
        Some(text) => output::screen(&text),
        None => output::result(json, session.style),
    }
}

/// Calls a method and prints its result.
///
/// # Errors
/// The method's; `IOError` if standard output cannot be written to.
pub(crate) fn call_and_show(session: &Session<'_>, method: &str, params: &Members) -> Result<()> {
    let params = json!(params).to_string();
    let json = session.call_json(method, &params)?;
    show_result(session, method, &params, json)
}

/// The options that select a repository.
fn repo_options(description: &Description) -> Vec<Arg> {
    repo_fields(description).map(|field| typed::option(field).help_heading("Repository")).collect()
}
