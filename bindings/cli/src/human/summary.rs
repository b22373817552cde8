//! `summary add`, `end` and `show`.

use chrono::{DateTime, Utc};
use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::RemovedRecords;
use loopmem::search::Hit;
use loopmem::summary::Summary;
use loopmem::undo::Removal;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::RoomCommand;
use crate::human::arguments::{argument, option, text_words, yes};
use crate::human::browse::Browsing;
use crate::human::editor::{self, Caller};
use crate::human::input::confirm_to;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, moment, on_one_line, sanitize};
use crate::human::table::Table;
use crate::human::verbs::verb;
use crate::human::views::{empty, pairs};
use crate::human::{call_and_show, form, input, repo_options, show_result, views};
use crate::listing;
use crate::output::{ExitCode, usage_error};
use crate::session::{Members, Session, read};

const REMOVE: &str = "summary.remove";
/// The params of `summary.remove` that select summaries.
const FILTERS: [&str; 4] = ["id", "runId", "stepId", "before"];
const NO_SUMMARY: &str = "there are no summaries for this repository yet; see `loopmem summary add --help`";
/// Kinds of events, with their options and help.
const EVENTS: [(&str, &str, &str); 4] = [
    ("action", "action", "An action that was taken"),
    ("output", "output", "An important output"),
    ("error", "error", "Something that went wrong"),
    ("followUp", "follow-up", "Work that remains to be done"),
];

/// The commands of the room `summary`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "summary",
    extend: |room, description| {
        room.subcommands(verbs(&repo_options(description)))
            .mut_subcommand("rm", extend_removal)
            .mut_subcommand("list", |verb| {
                verb.mut_arg("runId", |arg| arg.long("run").alias("run-id").value_name("RUN"))
            })
    },
    verbs: &[
        verb("add").calls(&["append"]),
        verb("list")
            .about("Lists the summaries of a repository's steps, newest first; with --query, the most relevant first"),
        verb("end").calls(&["endStep"]),
        verb("show"),
        verb("rm").about("Removes the summaries that match every given filter; `loopmem undo` brings them back"),
    ],
    storing_verbs: &["add", "end"],
    run,
    layout: |session, verb, params, json| match verb {
        "list" => read::<Vec<_>>(json).map(|shown| Some(summaries(session, params, &shown))),
        "remove" => Ok(Some(views::removed(&read(json)?, "summary", params))),
        _ => Ok(None),
    },
    browsing: Browsing { remove: forget, is_of, ..Browsing::READ_ONLY },
    ..RoomCommand::GENERATED
};

/// Removes a summary, for `browse`.
fn forget(session: &Session<'_>, repo: &Members, hit: &Hit) -> Result<bool> {
    let mut params = repo.clone();
    params.insert("id".to_owned(), hit.id.as_str().into());
    session.ask(REMOVE, &params).map(|it: RemovedRecords| it.removed)
}

/// Whether an entry of the trash is of a summary.
fn is_of(it: &Removal, hit: &Hit) -> bool {
    identity(it).is_some_and(|id| id == hit.id)
}

/// The id under which a search shows a summary that is in the trash; `None` for other records.
pub(super) fn identity(it: &Removal) -> Option<String> {
    let record: Members = serde_json::from_str(it.record.get()).ok()?;
    let [run, step, time] = ["runId", "stepId", "timestamp"].map(|key| record.get(key)?.as_str());
    Some(format!("{}/{}@{}", run?, step?, time?))
}

fn verbs(repo: &[Arg]) -> [Command; 3] {
    let step = [
        option("run", "RUN", "The run's id").long("run").alias("run-id").required(true),
        option("step", "STEP", "The step's id within the run").long("step").alias("step-id").required(true),
        option("tag", "TEXT", "A tag to find it by; may be repeated").action(ArgAction::Append),
    ];
    let add = Command::new("add")
        .about("Stores what a step did")
        .after_help("The summary is read from TEXT, else from a pipe, else from $VISUAL or $EDITOR.")
        .arg(text_words("The summary: what happened, important outputs, what remains to be done"))
        .args(step.clone());
    let end = Command::new("end")
        .about("Ends a step: writes a summary of its events and stores it")
        .after_help(
            "--action, --output, --error and --follow-up may be repeated, in the order in which the events happened.",
        )
        .args(step)
        .args(EVENTS.map(|(_, name, help)| option(name, "TEXT", help).action(ArgAction::Append)));
    let show = Command::new("show")
        .about("Shows the summaries of a run in full, newest first")
        .arg(argument("run", "RUN", "The run's id").required(true))
        .arg(argument("step", "STEP", "Only the summaries of this step"));
    [add, end, show].map(|verb| verb.args(repo))
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = args.subcommand()?;
    let done = match verb {
        "add" => add(session, args),
        "end" => end(session, args),
        "show" => show(session, args),
        "rm" => remove(session, args),
        _ => return None,
    };
    Some(done.map(|()| ExitCode::SUCCESS))
}

/// Summaries are removed by the id that a search shows, and by filters.
fn extend_removal(verb: Command) -> Command {
    verb.mut_arg(FILTERS[0], |arg| {
        arg.long(Resettable::Reset).value_name("ID").help("The summary's id, as `loopmem search` shows it")
    })
    .mut_arg(FILTERS[1], |arg| arg.long("run").alias("run-id").value_name("RUN").help("Those of this run"))
    .mut_arg(FILTERS[3], |arg| {
        arg.value_name("TIME")
            .value_parser(listing::rfc3339)
            .help("Those before then: a time, a day such as 2026-01-31, or an age such as 7d")
    })
    .mut_arg(FILTERS[2], |arg| arg.long("step").alias("step-id").value_name("STEP").help("Those of this step"))
    .arg(yes())
}

fn remove(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let params = session.params(REMOVE, args)?;
    if !FILTERS.iter().any(|filter| params.contains_key(*filter)) {
        usage_error("name the summaries: by an id, or by --run, --step or --before");
    }
    confirm_to("remove", args, "nothing was removed", || {
        let ending = if args.get_flag("purge") { " for good" } else { "" };
        Ok(format!("Remove the summaries that match{ending}? [y/N] "))
    })?;
    if let Some(id) = args.get_one::<String>(FILTERS[0]) {
        let json = session.call(REMOVE, &params)?;
        if read::<RemovedRecords>(&json)?.count == 0 {
            let message = format!("no summary {}; `loopmem search --kind summary` shows their ids", on_one_line(id));
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        return show_result(session, REMOVE, &json!(params).to_string(), json);
    }
    call_and_show(session, REMOVE, &params)
}

fn add(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let params = of_step(session, args)?;
    let append = |summary: &str| {
        let mut params = params.clone();
        params.insert("summary".to_owned(), form::trimmed(summary).into());
        session.call("summary.append", &params)
    };
    let json = match input::text_or_pipe(args)? {
        Some(summary) => append(&summary)?,
        None if editor::is_available() => {
            editor::compose("summary.md", "", Caller::Command, append)?.ok_or_else(editor::nothing_written)?
        }
        None => usage_error("the summary is missing; pass it as TEXT or through a pipe"),
    };
    stored(session, json)
}

fn end(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = of_step(session, args)?;
    let mut events: Vec<(usize, Value)> = Vec::new();
    for (kind, option, _) in EVENTS {
        let places = args.indices_of(option).into_iter().flatten();
        let texts = args.get_many::<String>(option).into_iter().flatten();
        events.extend(places.zip(texts).map(|(place, text)| (place, json!({ "kind": kind, "text": text }))));
    }
    if events.is_empty() {
        usage_error("no events were given; use --action, --output, --error or --follow-up");
    }
    events.sort_by_key(|(place, _)| *place);
    params.insert("events".to_owned(), events.into_iter().map(|(_, event)| event).collect());
    stored(session, session.call("summary.endStep", &params)?)
}

/// The params for a step and its tags.
fn of_step(session: &Session<'_>, args: &ArgMatches) -> Result<Members> {
    let mut params = session.repo(args)?;
    for (key, option) in [("runId", "run"), ("stepId", "step")] {
        params.extend(args.get_one::<String>(option).map(|it| (key.to_owned(), it.as_str().into())));
    }
    params.extend(args.get_many::<String>("tag").map(|tags| ("tags".to_owned(), tags.map(String::as_str).collect())));
    Ok(params)
}

fn stored(session: &Session<'_>, json: String) -> Result<()> {
    let Summary { run_id, step_id, summary, .. } = read(&json)?;
    session.show(json, || Ok(views::named("Stored summary", &format!("{run_id}/{step_id}"), &summary)))
}

fn show(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = session.repo(args)?;
    params.extend(args.get_one::<String>("run").map(|run| ("runId".to_owned(), run.as_str().into())));
    let step = args.get_one::<String>("step");
    let mut shown: Vec<(Summary, Box<RawValue>)> = Vec::new();
    for raw in session.ask::<Vec<Box<RawValue>>>("summary.list", &params)? {
        let summary: Summary = read(raw.get())?;
        if step.is_none_or(|step| summary.step_id == *step) {
            shown.push((summary, raw));
        }
    }
    if shown.is_empty() {
        let message = "no summary of this run and step; `loopmem summary list` shows the summaries of this repository";
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    let in_full = || shown.iter().map(|(it, _)| summary(it, session.now)).collect::<Vec<_>>().join("\n");
    let raw: Vec<&str> = shown.iter().map(|(_, raw)| raw.get()).collect();
    session.show(format!("[{}]", raw.join(",")), || Ok(in_full()))
}

fn summaries(session: &Session<'_>, params: &Members, shown: &[Summary]) -> String {
    if shown.is_empty() {
        return empty(params, NO_SUMMARY);
    }
    Table::of(shown)
        .flexible("RUN", ID, Keep::Start, |it| &it.run_id)
        .flexible("STEP", KIND, Keep::Start, |it| &it.step_id)
        .flexible("SUMMARY", PLAIN, Keep::Start, |it| &it.summary)
        .flexible("TAGS", FAINT, Keep::Start, |it| it.tags.join(", "))
        .fixed("AGE", FAINT, |it| age(&it.timestamp, session.now))
        .text()
}

/// A summary in full.
fn summary(it: &Summary, now: DateTime<Utc>) -> String {
    let lines = [("when", moment(&it.timestamp, now)), ("tags", it.tags.join(", "))];
    let (run, step, body) = (on_one_line(&it.run_id), on_one_line(&it.step_id), sanitize(&it.summary));
    format!("{ID}{run}{ID:#} {KIND}{step}{KIND:#}\n{}\n{}\n", pairs(&lines), body.trim_end())
}
