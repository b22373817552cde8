//! `context`: prints a context pack.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{Arg, ArgMatches};
use loopmem::Result;
use loopmem::context::Pack;
use loopmem::methods::Field;

use crate::human::RoomCommand;
use crate::human::screen::{counted, sanitize};
use crate::human::views::NO_MATCH;
use crate::human::{run_without_verb, with_options};
use crate::output::{self, notice};
use crate::session::{Members, REPO, Session, fields, read};
use crate::typed;

const METHOD: &str = "context.build";
const ABOUT: &str =
    "Prints what is stored about a repository, packed for a prompt. `context build` prints the result as JSON.";

/// The commands of the room `context`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "context",
    extend: |room, description| with_options(room, ABOUT, fields(description, METHOD).map(option)),
    run: |session, args| run_without_verb(session, METHOD, args, || run(session, args)),
    ..RoomCommand::GENERATED
};

fn option(field: &Field) -> Arg {
    let option = typed::option(field);
    if REPO.contains(&field.name.as_str()) { option.help_heading("Repository") } else { option }
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let params = session.params(METHOD, args)?;
    let json = session.call(METHOD, &params)?;
    if session.is_for_programs() {
        return output::line(json).map(|()| ExitCode::SUCCESS);
    }
    let pack: Pack = read(&json)?;
    if !pack.text.is_empty() {
        output::text(&if session.is_for_humans() { sanitize(&pack.text) } else { pack.text.clone() })?;
    }
    let dropped: usize = pack.sections.iter().map(|section| section.dropped.len()).sum();
    // Also without a terminal: a program that pipes the pack into a prompt has to know.
    if dropped > 0 {
        let left_out = match pack.left_out.as_deref().unwrap_or_default() {
            "" => format!("{} left out", counted(dropped, "record")),
            left_out => sanitize(left_out),
        };
        notice(&format!("loopmem: {left_out}; raise the limit with --max-chars"));
    }
    if let Some(line) = &pack.notice {
        notice(&format!("loopmem: {}", sanitize(line)));
    } else if pack.text.is_empty() && dropped == 0 && io::stderr().is_terminal() {
        notice(&format!("loopmem: {}", nothing(&params)));
    }
    Ok(ExitCode::SUCCESS)
}

/// Why a pack is empty.
fn nothing(params: &Members) -> &'static str {
    let is_chosen = |name: &String| name != "maxChars" && !REPO.contains(&name.as_str());
    match params.keys().any(is_chosen) {
        true => NO_MATCH,
        false => "there is nothing to show for this repository yet; `loopmem memory add note TEXT` stores a note",
    }
}
