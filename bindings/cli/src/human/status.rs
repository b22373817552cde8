//! `status`: where memory is kept, what is stored for the repository, and what hooks did last.

use std::process::ExitCode;

use clap::{Arg, ArgMatches};
use loopmem::Result;

use loopmem::methods::Field;
use loopmem::status::{HomeSource, HookStatus, Report, RoomStatus};

use crate::human::RoomCommand;
use crate::human::screen::{age, counted, on_one_line, size};
use crate::human::views::pairs;
use crate::human::{run_without_verb, with_options};
use crate::output;
use crate::session::{Session, fields, read};
use crate::typed;

const GET: &str = "status.get";
const ABOUT: &str = "\
Shows where memory is kept and why there, what is stored for the repository, memory that is not read here, and what the hooks of \
agents did last. `status get` does the same for programs.";

/// The commands of the room `status`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "status",
    extend: |room, description| with_options(room, ABOUT, fields(description, GET).map(option)),
    run: |session, args| run_without_verb(session, GET, args, || run(session, args)),
    layout: |session, _, _, json| Ok(Some(shown(session, &read(json)?))),
    ..RoomCommand::GENERATED
};

fn option(field: &Field) -> Arg {
    typed::option(field).help_heading("Repository")
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let json = session.call(GET, &session.params(GET, args)?)?;
    if session.is_for_programs() {
        output::line(json)?;
    } else {
        output::screen(&shown(session, &read(&json)?))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(session: &Session<'_>, it: &Report) -> String {
    let why = match it.home_source {
        HomeSource::Option => "--home",
        HomeSource::Variable => "CODEX_TOOLLOOP_HOME",
        _ => "the default",
    };
    let place = it.path.as_deref().unwrap_or("only known by its hash");
    let mut lines = vec![
        ("Home", format!("{} ({why})", on_one_line(&it.home))),
        ("Repository", on_one_line(place)),
        ("Hash", it.repo_hash.clone()),
    ];
    lines.extend(it.branch.as_deref().map(|branch| ("Branch", on_one_line(branch))));
    lines.extend(it.remote_url.as_deref().map(|url| ("Remote", on_one_line(url))));
    let rooms: Vec<String> = it.rooms.iter().map(room).collect();
    let stored = if rooms.is_empty() { "nothing yet".to_owned() } else { rooms.join("; ") };
    lines.push(("Stored", format!("{stored} ({})", size(it.bytes))));
    lines.extend(it.notice.as_deref().map(|notice| ("Elsewhere", on_one_line(notice))));
    let hooks: Vec<String> = it.hooks.iter().map(|it| hook(session, it)).collect();
    lines.push((
        "Hooks",
        if hooks.is_empty() {
            "none has run; `loopmem install` connects an agent".to_owned()
        } else {
            hooks.join("; ")
        },
    ));
    lines.extend(it.hooks.iter().filter_map(|it| failure(session, it)).map(|failure| ("Failed", failure)));
    lines.extend(it.faults.iter().map(|fault| ("Fault", on_one_line(fault))));
    pairs(&lines)
}

fn room(it: &RoomStatus) -> String {
    let records: Vec<String> = it.records.iter().map(|(kind, count)| counted(*count, kind)).collect();
    format!("{}: {}", it.room, records.join(", "))
}

fn hook(session: &Session<'_>, it: &HookStatus) -> String {
    let ran = it.last_run.as_deref().map_or_else(|| "at an unknown time".to_owned(), |time| ago(session, time));
    format!("{} ({ran})", on_one_line(&it.event))
}

/// When a hook failed last, and why.
fn failure(session: &Session<'_>, it: &HookStatus) -> Option<String> {
    let (at, error) = (it.last_failure.as_deref()?, it.last_error.as_deref()?);
    // Both are of the same form.
    let since = if it.last_run.as_deref() > Some(at) { ", has worked since" } else { "" };
    Some(format!("{}, {}{since}: {}", on_one_line(&it.event), ago(session, at), on_one_line(error)))
}

fn ago(session: &Session<'_>, time: &str) -> String {
    match &*age(time, session.now) {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    }
}
