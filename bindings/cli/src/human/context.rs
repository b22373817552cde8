//! `context`: prints a context pack.

use std::io::{self, IsTerminal};

use clap::{Arg, ArgMatches};
use loopmem::Result;
use loopmem::context::{Pack, Section};
use loopmem::methods::Field;

use crate::human::RoomCommand;
use crate::human::browse::{Browsing, Mark, Page, Shown};
use crate::human::screen::{counted, sanitize};
use crate::human::views::{NO_MATCH, word};
use crate::human::{run_without_verb, with_options};
use crate::output::{self, ExitCode, notice};
use crate::session::{Members, REPO, Session, fields, read};
use crate::typed;

const METHOD: &str = "context.build";
const ABOUT: &str =
    "Prints what is stored about a repository, packed for a prompt. `context build` prints the result as JSON.";

/// The commands of the room `context`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "context",
    calls: &["build"],
    extend: |room, description| with_options(room, ABOUT, fields(description, METHOD).map(option)),
    run: |session, args| run_without_verb(session, METHOD, args, || run(session, args)),
    browsing: Browsing { page: Some(&PAGE), ..Browsing::READ_ONLY },
    ..RoomCommand::GENERATED
};

/// The pack in `browse`.
static PAGE: Page = Page {
    name: "context",
    about: "What an agent reads before it begins, and what is left out",
    is_shown_without_prompt: true,
    make: page,
};

/// How many of the records that are left out are named.
const NAMED: usize = 5;

fn page(session: &Session<'_>, repo: &Members, prompt: &str) -> Result<Shown> {
    let mut params = repo.clone();
    params.extend((!prompt.is_empty()).then(|| ("prompt".to_owned(), prompt.into())));
    let pack: Pack = session.ask(METHOD, &params)?;
    let mut about = Vec::new();
    about.extend(pack.notice.iter().map(|line| (Mark::Reason, line.clone())));
    let is_empty = |it: &&Section| it.included.is_empty() && it.dropped.is_empty() && it.skipped.is_none();
    for section in pack.sections.iter().filter(|it| !is_empty(it)) {
        let included = section.included.len();
        let mut line = format!("{}: {}", word(section.name), counted(included, "record"));
        if included > 0 {
            line.push_str(&format!(" in {} characters", section.chars));
        }
        if !section.inherited.is_empty() {
            line.push_str(&format!(", {} inherited", section.inherited.len()));
        }
        about.push((Mark::Entry, line));
        if !section.dropped.is_empty() {
            let named = section.dropped.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = section.dropped.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let text = format!("left out for lack of space: {named}{more}");
            about.push((Mark::Reason, text));
        }
        if let Some(skipped) = section.skipped {
            about.push((Mark::Reason, format!("{} damaged; `loopmem doctor` says why", counted(skipped, "record"))));
        }
    }
    if about.is_empty() {
        about.push((Mark::Head, nothing(&params).to_owned()));
    }
    Ok(Shown { about, text: pack.text })
}

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
