//! `summary add`, `end` and `show`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::editor::{self, Caller};
use crate::human::room_command::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, moment, on_one_line, sanitize, width};
use crate::human::table::{Column, table};
use crate::human::views::{empty, pairs};
use crate::human::{form, input, members, repo_fields, repo_options, views, with_verbs};
use crate::output::{self, usage_error};
use crate::session::{Members, Session, read, text, texts};

const NO_SUMMARY: &str = "there are no summaries for this repository yet; see `loopmem summary add --help`";
/// Kinds of events, with their options and help.
const EVENTS: [(&str, &str, &str); 4] = [
    ("action", "action", "An action that was taken"),
    ("output", "output", "An important output"),
    ("error", "error", "Something that went wrong"),
    ("followUp", "follow-up", "Work that remains to be done"),
];

/// The commands of the room `summary`.
pub(crate) struct SummaryCommand;

impl RoomCommand for SummaryCommand {
    fn room(&self) -> &'static str {
        "summary"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        with_verbs(command, verbs(&repo_options(description)))
    }

    fn storing_verbs(&self) -> &'static [&'static str] {
        &["add", "end"]
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        let done = run(session, verb, args, |args| members(session, repo_fields(description), args))?;
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "list").then(|| summaries(session, params, json))
    }
}

fn verbs(repo: &[Arg]) -> Vec<Command> {
    let step = [
        Arg::new("run").long("run-id").visible_alias("run").value_name("RUN").required(true).help("The run's id"),
        Arg::new("step")
            .long("step-id")
            .visible_alias("step")
            .value_name("STEP")
            .required(true)
            .help("The step's id within the run"),
        Arg::new("tag")
            .long("tag")
            .value_name("TEXT")
            .action(ArgAction::Append)
            .help("A tag to find it by; may be repeated"),
    ];
    let add = Command::new("add")
        .about("Stores what a step did")
        .after_help("The summary is read from TEXT, else from a pipe, else from $VISUAL or $EDITOR.")
        .arg(input::text_words("The summary: what happened, important outputs, what remains to be done"))
        .args(step.clone())
        .args(repo.iter().cloned());
    let end = Command::new("end")
        .about("Ends a step: writes a summary of its events and stores it")
        .after_help(
            "--action, --output, --error and --follow-up may be repeated, in the order in which the events happened.",
        )
        .args(step)
        .args(EVENTS.map(|(_, option, help)| {
            Arg::new(option).long(option).value_name("TEXT").action(ArgAction::Append).help(help)
        }))
        .args(repo.iter().cloned());
    let show = Command::new("show")
        .about("Shows the summaries of a run in full, newest first")
        .arg(Arg::new("run").value_name("RUN").required(true).help("The run's id"))
        .arg(Arg::new("step").value_name("STEP").help("Only the summaries of this step"))
        .args(repo.iter().cloned());
    vec![add, end, show]
}

fn run(
    session: &Session<'_>,
    verb: &str,
    args: &ArgMatches,
    repo: impl Fn(&ArgMatches) -> Result<Members>,
) -> Option<Result<()>> {
    let verb = match verb {
        "add" => add,
        "end" => end,
        "show" => show,
        _ => return None,
    };
    Some(repo(args).and_then(|repo| verb(session, args, repo)))
}

fn add(session: &Session<'_>, args: &ArgMatches, repo: Members) -> Result<()> {
    let params = of_step(args, repo);
    let append = |summary: &str| {
        let mut params = params.clone();
        params.insert("summary".to_owned(), form::trimmed(summary).into());
        session.call("summary.append", &Value::Object(params).to_string())
    };
    let text = match input::text_argument(args)? {
        Some(words) => Some(words),
        None => input::read_pipe()?,
    };
    let json = match text {
        Some(summary) => append(&summary)?,
        None if editor::is_available() => match editor::compose("summary.md", "", Caller::Command, append)? {
            Some(json) => json,
            None => return Err(Error::new(ErrorKind::Cancelled, "nothing was written, so nothing was stored")),
        },
        None => usage_error("the summary is missing; pass it as TEXT or through a pipe"),
    };
    stored(session, json)
}

fn end(session: &Session<'_>, args: &ArgMatches, repo: Members) -> Result<()> {
    let mut params = of_step(args, repo);
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
    stored(session, session.call("summary.endStep", &Value::Object(params).to_string())?)
}

/// The params for a step and its tags.
fn of_step(args: &ArgMatches, mut params: Members) -> Members {
    for (key, option) in [("runId", "run"), ("stepId", "step")] {
        params.extend(args.get_one::<String>(option).map(|it| (key.to_owned(), it.as_str().into())));
    }
    params.extend(args.get_many::<String>("tag").map(|tags| ("tags".to_owned(), tags.map(String::as_str).collect())));
    params
}

fn stored(session: &Session<'_>, json: String) -> Result<()> {
    if !session.is_for_humans() {
        return output::line(json);
    }
    let summary: Members = read(&json)?;
    let step = format!("{}/{}", text(&summary, "runId"), text(&summary, "stepId"));
    output::screen(&views::named("Stored summary", &step, text(&summary, "summary")))
}

fn show(session: &Session<'_>, args: &ArgMatches, mut params: Members) -> Result<()> {
    params.extend(args.get_one::<String>("run").map(|run| ("runId".to_owned(), run.as_str().into())));
    let step = args.get_one::<String>("step");
    let all: Vec<Box<RawValue>> = session.ask("summary.list", params)?;
    let mut shown = Vec::new();
    for raw in &all {
        let summary: Members = read(raw.get())?;
        if step.is_none_or(|step| text(&summary, "stepId") == step) {
            shown.push((raw, summary));
        }
    }
    if shown.is_empty() {
        let message = "no summary of this run and step; `loopmem summary list` shows the summaries of this repository";
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    if session.is_for_humans() {
        let shown: Vec<String> = shown.iter().map(|(_, it)| summary(it, session.now)).collect();
        return output::screen(&shown.join("\n"));
    }
    let raw: Vec<&str> = shown.iter().map(|(raw, _)| raw.get()).collect();
    output::line(format!("[{}]", raw.join(",")))
}

fn summaries(session: &Session<'_>, params: &Members, json: &str) -> Result<String> {
    let shown: Vec<Members> = read(json)?;
    if shown.is_empty() {
        return Ok(empty(params, NO_SUMMARY));
    }
    let heads = vec![
        Column::flexible("RUN", ID, Keep::Start),
        Column::flexible("STEP", KIND, Keep::Start),
        Column::flexible("SUMMARY", PLAIN, Keep::Start),
        Column::flexible("TAGS", FAINT, Keep::Start),
        Column::fixed("AGE", FAINT),
    ];
    let row = |it: &Members| {
        vec![
            text(it, "runId").to_owned(),
            text(it, "stepId").to_owned(),
            text(it, "summary").to_owned(),
            texts(it, "tags").collect::<Vec<_>>().join(", "),
            age(text(it, "timestamp"), session.now),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

/// A summary in full.
fn summary(it: &Members, now: DateTime<Utc>) -> String {
    let lines =
        [("when", moment(text(it, "timestamp"), now)), ("tags", texts(it, "tags").collect::<Vec<_>>().join(", "))];
    let (run, step) = (on_one_line(text(it, "runId")), on_one_line(text(it, "stepId")));
    let body = sanitize(text(it, "summary"));
    format!("{ID}{run}{ID:#} {KIND}{step}{KIND:#}\n{}\n{}\n", pairs(&lines), body.trim_end())
}
