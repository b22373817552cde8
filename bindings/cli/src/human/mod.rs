//! The face for people: verbs of their own in some rooms, and results laid out for a terminal.
//!
//! Nothing is done here that the method table does not do: a verb reads what the person said, calls methods, and shows
//! what came of it. The verbs that are made from the table stay beside them, for programs.

mod context;
mod doctor;
mod editor;
mod face;
pub(crate) mod files;
mod form;
mod input;
mod memory;
mod record;
mod repo;
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

use crate::output;
use crate::session::{Members, Session, read};
use crate::typed;
use face::Face;

/// The rooms that have more than the method table gives them.
static FACES: &[&dyn Face] = &[
    &memory::MemoryFace,
    &summary::SummaryFace,
    &working::WorkingFace,
    &context::ContextFace,
    &doctor::DoctorFace,
    &safety::SafetyFace,
    &repo::RepoFace,
];

fn face(room: &str) -> Option<&'static dyn Face> {
    FACES.iter().find(|face| face.room() == room).copied()
}

/// A room made from the method table, with the verbs for people in it.
pub(crate) fn extend(room: Command, description: &Description) -> Command {
    match face(room.get_name()) {
        Some(face) => face.extend(room, description),
        None => with_verbs(room, Vec::new()),
    }
}

/// A room with these verbs, which come first in its help.
fn with_verbs(room: Command, verbs: Vec<Command>) -> Command {
    let names: Vec<String> = verbs.iter().map(|verb| verb.get_name().to_owned()).collect();
    let place = move |verb: &Command| match verb.get_name() {
        // Made from the table, and for people too.
        "list" => 1,
        name => names.iter().position(|it| it == name).map_or(LAST, |at| at * 2),
    };
    room.subcommands(verbs).mut_subcommands(|verb| {
        let place = place(&verb);
        verb.display_order(place)
    })
}

/// Does what was asked, if it is one of the verbs for people, and returns the exit status.
pub(crate) fn run(
    session: &Session<'_>,
    description: &Description,
    room: &str,
    asked: &ArgMatches,
) -> Option<Result<ExitCode>> {
    face(room)?.run(session, description, asked)
}

/// The exit status when what was asked failed.
pub(crate) fn status_of_failure(room: &str, asked: &ArgMatches) -> ExitCode {
    face(room).map_or(ExitCode::FAILURE, |face| face.status_of_failure(asked))
}

/// Shows what a method returned: on a terminal laid out, if there is a layout for it. `params` are those of the call.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn answered(session: &Session<'_>, method: &str, params: &str, json: String) -> Result<()> {
    let layout = || {
        let (room, verb) = method.split_once('.')?;
        face(room)?.layout(session, verb, &read(params).ok()?, &json)?.ok()
    };
    match session.is_for_humans().then(layout).flatten() {
        Some(text) => output::screen(&text),
        None => output::result(json, session.style()),
    }
}

/// Calls a method and shows what it returned.
///
/// # Errors
/// The method's; `IOError` when standard output cannot be written to.
pub(crate) fn answer(session: &Session<'_>, method: &str, params: &Members) -> Result<()> {
    let params = Value::Object(params.clone()).to_string();
    let json = session.call(method, &params)?;
    answered(session, method, &params, json)
}

/// Where in the help of a room the verbs stand that are made from the method table.
const LAST: usize = 100;

/// The members of params that say which repository is meant.
const REPO: [&str; 3] = ["repoHash", "workspace", "branchScope"];

fn repo_fields(description: &Description) -> impl Iterator<Item = &Field> {
    let is_of_repo = |field: &&Field| REPO.contains(&field.name.as_str());
    let method = description.methods.iter().find(|it| it.params.fields.iter().filter(is_of_repo).count() == REPO.len());
    method.into_iter().flat_map(|method| &method.params.fields).filter(is_of_repo)
}

/// The options that say which repository is meant, as everywhere.
fn repo_options(description: &Description) -> Vec<Arg> {
    repo_fields(description).map(|field| typed::option(field).help_heading("Repository")).collect()
}

/// What was said of `fields`.
fn members<'f>(session: &Session<'_>, fields: impl Iterator<Item = &'f Field>, asked: &ArgMatches) -> Result<Members> {
    let mut members = Members::new();
    for field in fields {
        if let Some(json) = typed::value(field, asked, &|hash| session.repo_hash(hash))? {
            members.insert(field.name.clone(), crate::session::read(&json)?);
        }
    }
    Ok(members)
}
