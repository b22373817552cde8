//! `search`: finds anything that is remembered.

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::Result;
use loopmem::methods::Field;
use loopmem::search::{Found, Hit};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::human::RoomCommand;
use crate::human::arguments::text_words;
use crate::human::screen::{FAINT, ID, KIND, age, on_one_line, sanitize};
use crate::human::views::{NO_MATCH, faint};
use crate::human::{run_without_verb, with_options};
use crate::listing;
use crate::output::{self, ExitCode, Format, notice};
use crate::session::{REPO, Session, fields, read};
use crate::{typed, wording};

const FIND: &str = "search.find";
const ABOUT: &str = "\
Finds what is remembered of this repository and of you, the best match first: conventions, decisions, notes, step summaries, \
items, files of a model, working contexts and logs, past sessions, and files of the repository. Without a text, lists what was \
changed last. With --all, in every repository and branch. `search find` does the same for programs.";

/// The commands of the room `search`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "search",
    calls: &["find"],
    extend: |room, description| {
        let options = fields(description, FIND).filter(|field| field.name != "query").map(option);
        let text = text_words("What to find, in a few words or as a question");
        with_options(room, ABOUT, options).arg(text)
    },
    run: |session, args| run_without_verb(session, FIND, args, || run(session, args)),
    layout: |session, _, _, json| Ok(Some(found(session, &read(json)?))),
    ..RoomCommand::GENERATED
};

fn option(field: &Field) -> Arg {
    let option = typed::option(field);
    match field.name.as_str() {
        // One at a time.
        "rooms" => option.long("room").value_name("ROOM").action(ArgAction::Append),
        "kinds" => option.long("kind").value_name("KIND").action(ArgAction::Append),
        "since" => option.value_name("TIME").value_parser(listing::rfc3339),
        name if REPO.contains(&name) => option.help_heading("Repository"),
        _ => option,
    }
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let words: Vec<&str> = args.get_many::<String>("text").into_iter().flatten().map(String::as_str).collect();
    let mut params = session.given(session.fields(FIND).filter(|field| field.name != "query"), args)?;
    params.insert("query".to_owned(), words.join(" ").into());
    let json = session.call(FIND, &params)?;
    let result: Found = read(&json)?;
    for fault in &result.faults {
        notice(&format!("loopmem: {}", sanitize(&wording::message(fault))));
    }
    if session.format == Some(Format::Jsonl) {
        output::line(read::<Hits>(&json)?.hits.get().to_owned())?;
    } else if session.is_for_programs() {
        output::line(json)?;
    } else if result.hits.is_empty() && !session.is_for_humans() {
        session.emit(NO_MATCH);
    } else {
        output::screen(&found(session, &result))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was found, as it was returned.
#[derive(Deserialize)]
struct Hits {
    hits: Box<RawValue>,
}

fn found(session: &Session<'_>, found: &Found) -> String {
    if found.hits.is_empty() {
        return faint(NO_MATCH);
    }
    found.hits.iter().map(|it| shown(session, it)).collect::<Vec<_>>().join("\n\n")
}

/// A line on what and where, and under it the lines that match.
fn shown(session: &Session<'_>, it: &Hit) -> String {
    let mut head = format!("{KIND}{}{KIND:#} {ID}{}{ID:#}", on_one_line(&it.kind), on_one_line(&it.id));
    if let Some(title) = it.title.as_ref().filter(|title| **title != it.id) {
        head.push_str(&format!(" {}", on_one_line(title)));
    }
    let place = [it.folder.clone().or_else(|| it.repo_hash.clone()), it.branch.clone()];
    let time = it.time.as_deref().map(|time| age(time, session.now));
    let notes: Vec<String> = place.into_iter().chain([time]).flatten().map(|it| on_one_line(&it)).collect();
    if !notes.is_empty() {
        head.push_str(&format!("  {FAINT}{}{FAINT:#}", notes.join(" · ")));
    }
    it.text.lines().fold(head, |text, line| format!("{text}\n  {}", on_one_line(line)))
}
