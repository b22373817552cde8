//! The face for people: verbs of their own in some rooms, and results laid out for a terminal.
//!
//! Nothing is done here that the method table does not do: a verb reads what the person said, calls methods, and shows
//! what came of it. The verbs that are made from the table stay beside them, for programs.

mod context;
mod doctor;
mod editor;
pub(crate) mod files;
mod form;
mod input;
mod memory;
mod record;
mod safety;
mod scopes;
pub(crate) mod screen;
mod summary;
pub(crate) mod surroundings;
mod table;
mod views;
mod working;

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::desk::{Desk, Members};
use crate::typed;

pub(crate) use safety::status_of_failure;
pub(crate) use views::answered;

/// A room made from the method table, and the verbs for people in it.
pub(crate) fn furnish(room: Command, description: &Description) -> Command {
    let repo = repo_options(description);
    let (room, about, verbs) = match room.get_name() {
        "memory" => (room, "Conventions, decisions and notes", memory::verbs(&repo)),
        "summary" => (room, "What the steps of a workflow did", summary::verbs(&repo)),
        "working" => (working::furnish(room), "Contexts, logs and checkpoints of jobs", working::verbs()),
        "context" => return context::furnish(room, description),
        "doctor" => return doctor::furnish(room, description),
        "safety" => return safety::furnish(room),
        "repo" => (room, "Which repository a folder is, and what is stored for which", Vec::new()),
        _ => return room,
    };
    let names: Vec<String> = verbs.iter().map(|verb| verb.get_name().to_owned()).collect();
    // Those that people want come first, and a list belongs to them in any room.
    let place = move |verb: &Command| match verb.get_name() {
        "list" => 1,
        // Made from the table, and for people too; behind `search`.
        "history" => 7,
        name => names.iter().position(|it| it == name).map_or(usize::MAX, |at| at * 2),
    };
    room.about(about).subcommands(verbs).mut_subcommands(|verb| {
        let place = place(&verb).min(LAST);
        verb.display_order(place)
    })
}

/// Does what was asked, if it is one of the verbs for people, and tells the exit status.
pub(crate) fn run(
    desk: &Desk<'_>,
    description: &Description,
    room: &str,
    matches: &ArgMatches,
) -> Option<Result<ExitCode>> {
    let repo = |asked: &ArgMatches| members(desk, repo_fields(description), asked);
    let done = match (room, matches.subcommand()) {
        ("memory", Some((verb, asked))) => memory::run(desk, verb, asked, repo),
        ("summary", Some((verb, asked))) => summary::run(desk, verb, asked, repo),
        ("working", Some((verb, asked))) => working::run(desk, verb, asked),
        ("context", None) => Some(context::run(desk, description, matches)),
        ("context", Some(_)) => {
            context::refuse_both(description, matches);
            None
        }
        ("safety", Some((verb, asked))) => return safety::run(desk, verb, asked),
        ("doctor", None) => return Some(doctor::run(desk, description, matches)),
        ("doctor", Some(_)) => {
            doctor::refuse_both(description, matches);
            None
        }
        _ => None,
    };
    done.map(|done| done.map(|()| ExitCode::SUCCESS))
}

/// Calls a method and shows what it returned.
///
/// # Errors
/// The method's; `IOError` when standard output cannot be written to.
pub(crate) fn answer(desk: &Desk<'_>, method: &str, params: &Members) -> Result<()> {
    let params = Value::Object(params.clone()).to_string();
    let json = desk.call(method, &params)?;
    views::answered(desk, method, &params, json)
}

/// Where in the help of a room the verbs stand that are made from the method table.
const LAST: usize = 100;

/// The members of params that say which repository is meant.
const REPO: [&str; 3] = ["repoHash", "workspace", "branchScope"];

fn repo_fields(description: &Description) -> impl Iterator<Item = &Field> {
    let list = description.methods.iter().find(|method| method.name == "memory.list");
    list.into_iter().flat_map(|method| &method.params.fields).filter(|field| REPO.contains(&field.name.as_str()))
}

/// The options that say which repository is meant, as everywhere.
fn repo_options(description: &Description) -> Vec<Arg> {
    repo_fields(description).map(|field| typed::option(field).help_heading("Repository")).collect()
}

/// What was said of `fields`.
fn members<'f>(desk: &Desk<'_>, fields: impl Iterator<Item = &'f Field>, asked: &ArgMatches) -> Result<Members> {
    let mut members = Members::new();
    for field in fields {
        if let Some(json) = typed::value(field, asked, &|hash| desk.repo_hash(hash))? {
            members.insert(field.name.clone(), crate::desk::read(&json)?);
        }
    }
    Ok(members)
}
