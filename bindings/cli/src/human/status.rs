//! `status`: where memory is kept, what is stored for the repository, and what hooks did last.

use clap::{Arg, ArgMatches};
use loopmem::Result;

use loopmem::doctor::Severity;
use loopmem::methods::Field;
use loopmem::status::{BranchScope, Finding, HomeSource, HookStatus, Limit, Relative, Report, RoomStatus};

use crate::human::RoomCommand;
use crate::human::screen::{age, counted, on_one_line, size};
use crate::human::views::pairs;
use crate::human::{run_without_verb, with_options};
use crate::output;
use crate::output::ExitCode;
use crate::session::{Members, Session, fields, read};
use crate::{typed, wording};

const GET: &str = "status.get";
const ABOUT: &str = "\
Shows where memory is kept and why there, what is stored for the repository and which limits are near, memory of its other \
branches and clones, whether the storage of contexts answers, what the doctor would say, which agents are connected, and what \
their hooks did last. `status get` does the same for programs.";

/// The commands of the room `status`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "status",
    calls: &["get"],
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
    let scope = it.branch_scope.map(|scope| match scope {
        BranchScope::SharedRepo => "all branches share one memory",
        _ => "each branch has a separate memory",
    });
    lines.extend(scope.map(|scope| ("Scope", scope.to_owned())));
    lines.extend(it.remote_url.as_deref().map(|url| ("Remote", on_one_line(url))));
    lines.push(("Stored", stored(it)));
    lines.extend(it.limits.iter().map(|limit| ("Limit", near(limit))));
    lines.extend(it.relatives.iter().map(|relative| ("Elsewhere", elsewhere(relative))));
    let adapter = match &it.adapter.error {
        None => format!("{} (answers)", it.adapter.name),
        Some(error) => format!("{} (does not answer: {})", it.adapter.name, on_one_line(error)),
    };
    lines.push(("Contexts", adapter));
    lines.push(("Doctor", doctor(&it.findings)));
    let clients: Vec<&str> = it.clients.iter().map(|client| client.name.as_str()).collect();
    let clients =
        if clients.is_empty() { "none; `loopmem install` connects one".to_owned() } else { clients.join(", ") };
    lines.push(("Clients", on_one_line(&clients)));
    let hooks: Vec<String> = it.hooks.iter().map(|it| hook(session, it)).collect();
    lines.push(("Hooks", if hooks.is_empty() { "none has run".to_owned() } else { hooks.join("; ") }));
    lines.extend(it.hooks.iter().filter_map(|it| failure(session, it)).map(|failure| ("Failed", failure)));
    lines.extend(it.faults.iter().map(|fault| ("Fault", on_one_line(&wording::message(fault)))));
    pairs(&lines)
}

/// What is stored, by room.
fn stored(it: &Report) -> String {
    let rooms: Vec<String> = it.rooms.iter().map(room).collect();
    let stored = if rooms.is_empty() { "nothing yet".to_owned() } else { rooms.join("; ") };
    format!("{stored} ({})", size(it.bytes))
}

fn room(it: &RoomStatus) -> String {
    let records: Vec<String> = it.records.iter().map(|(kind, count)| counted(*count, kind)).collect();
    let bytes = if it.bytes > 0 { format!(" in {}", size(it.bytes)) } else { String::new() };
    format!("{}: {}{bytes}", it.room, records.join(", "))
}

fn near(limit: &Limit) -> String {
    let numbers = if limit.name.ends_with("Bytes") {
        format!("{} of {}", size(limit.used), size(limit.limit))
    } else {
        format!("{} of {}", limit.used, limit.limit)
    };
    format!("{}: {numbers}; what comes next pushes out what is old", limit.name)
}

/// Another identity, and how to bring what it has.
fn elsewhere(it: &Relative) -> String {
    let counts: Vec<String> =
        it.counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{count} {kind}")).collect();
    let place = it.branch.as_deref().or(it.path.as_deref()).unwrap_or(it.repo_hash.as_str());
    if let Some(fault) = &it.fault {
        return on_one_line(&format!("{place}: {fault}"));
    }
    on_one_line(&format!("{place}: {}; `{}` brings it here", counts.join(", "), it.command))
}

fn doctor(findings: &[Finding]) -> String {
    let serious: Vec<&Finding> = findings.iter().filter(|it| it.severity != Severity::Info).collect();
    match serious.first() {
        None => "nothing to repair".to_owned(),
        Some(first) => {
            let problems = counted(serious.len(), "problem");
            on_one_line(&format!("{problems}, first {}: {}; `loopmem doctor` says more", first.file, first.detail))
        }
    }
}

/// Prints the short form of the status, and what to do next: `loopmem` alone in a repository.
///
/// # Errors
/// Those of `status.get`.
pub(crate) fn short(session: &Session<'_>) -> Result<ExitCode> {
    let json = session.call(GET, &Members::new())?;
    if session.is_for_programs() {
        return output::line(json).map(|()| ExitCode::SUCCESS);
    }
    let it: Report = read(&json)?;
    let place = it.path.as_deref().unwrap_or_default();
    let mut lines = vec![("Repository", on_one_line(place))];
    lines.extend(it.branch.as_deref().map(|branch| ("Branch", on_one_line(branch))));
    lines.push(("Stored", stored(&it)));
    lines.extend(it.notice.as_deref().map(|notice| ("Elsewhere", on_one_line(notice))));
    let is_sound = it.findings.iter().all(|finding| finding.severity == Severity::Info);
    if !is_sound {
        lines.push(("Doctor", doctor(&it.findings)));
    }
    let next = [
        (!is_sound, "loopmem doctor", "what is damaged, and how to repair it"),
        (it.clients.is_empty(), "loopmem install", "connect Claude Code, Codex, Cursor or another agent"),
        (it.rooms.is_empty(), "loopmem memory add note TEXT", "store something"),
        (!it.rooms.is_empty(), "loopmem context", "what an agent reads before it begins"),
        (!it.rooms.is_empty(), "loopmem search TEXT", "find anything that is remembered"),
        (true, "loopmem status", "all of this in full"),
        (true, "loopmem --help", "all commands"),
    ];
    let next: Vec<(&str, String)> = next
        .into_iter()
        .filter(|(is_useful, ..)| *is_useful)
        .take(3)
        .map(|(_, command, what)| (command, what.to_owned()))
        .collect();
    output::screen(&format!("{}\n{}", pairs(&lines), pairs(&next)))?;
    Ok(ExitCode::SUCCESS)
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
