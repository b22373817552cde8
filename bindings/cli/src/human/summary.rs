//! `summary add`, `end` and `show`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::face::Face;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, moment, on_one_line, tame, width};
use crate::human::table::{Column, table};
use crate::human::views::{empty, pairs};
use crate::human::{editor, form, input, members, repo_fields, repo_options, views, with_verbs};
use crate::output::{self, misused};
use crate::session::{Members, Session, read, text, texts};

const NO_SUMMARY: &str =
    "no step has a summary in this repository yet; `loopmem summary add` stores one, see its --help";
/// Kinds of events and what their options are for.
const EVENTS: [(&str, &str, &str); 4] = [
    ("action", "action", "Something that was done"),
    ("output", "output", "An important output"),
    ("error", "error", "Something that went wrong"),
    ("followUp", "follow-up", "Something that is to follow"),
];

/// The face of the room `summary`.
pub(crate) struct SummaryFace;

impl Face for SummaryFace {
    fn room(&self) -> &'static str {
        "summary"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        with_verbs(command, verbs(&repo_options(description)))
    }

    fn run(&self, session: &Session<'_>, description: &Description, asked: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, asked) = asked.subcommand()?;
        let done = run(session, verb, asked, |asked| members(session, repo_fields(description), asked))?;
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "list").then(|| summaries(session, params, json))
    }
}

fn verbs(repo: &[Arg]) -> Vec<Command> {
    let step = [
        Arg::new("run")
            .long("run-id")
            .visible_alias("run")
            .value_name("RUN")
            .required(true)
            .help("The run of the workflow"),
        Arg::new("step")
            .long("step-id")
            .visible_alias("step")
            .value_name("STEP")
            .required(true)
            .help("The step within the run"),
        Arg::new("tag")
            .long("tag")
            .value_name("TEXT")
            .action(ArgAction::Append)
            .help("A word to find it by; may be given several times"),
    ];
    let add = Command::new("add")
        .about("Stores what a step did")
        .after_help("The summary is TEXT, else what comes through a pipe, else what you write in $VISUAL or $EDITOR.")
        .arg(input::words("The summary, as words: what happened, important outputs, what is to follow"))
        .args(step.clone())
        .args(repo.iter().cloned());
    let end = Command::new("end")
        .about("Ends a step: makes a summary of what happened in it, and stores it")
        .after_help(
            "Each of --action, --output, --error and --follow-up may be given several times, in the order of events.",
        )
        .args(step)
        .args(EVENTS.map(|(_, option, help)| {
            Arg::new(option).long(option).value_name("TEXT").action(ArgAction::Append).help(help)
        }))
        .args(repo.iter().cloned());
    let show = Command::new("show")
        .about("Shows the summaries of a run as a whole, newest first")
        .arg(Arg::new("run").value_name("RUN").required(true).help("The run of the workflow"))
        .arg(Arg::new("step").value_name("STEP").help("Only those of this step"))
        .args(repo.iter().cloned());
    vec![add, end, show]
}

fn run(
    session: &Session<'_>,
    verb: &str,
    asked: &ArgMatches,
    repo: impl Fn(&ArgMatches) -> Result<Members>,
) -> Option<Result<()>> {
    let verb = match verb {
        "add" => add,
        "end" => end,
        "show" => show,
        _ => return None,
    };
    Some(repo(asked).and_then(|repo| verb(session, asked, repo)))
}

fn add(session: &Session<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let params = of_step(asked, repo);
    let append = |summary: &str| {
        let mut params = params.clone();
        params.insert("summary".to_owned(), form::trimmed(summary).into());
        session.call("summary.append", &Value::Object(params).to_string())
    };
    let said = match input::spoken(asked)? {
        Some(words) => Some(words),
        None => input::piped()?,
    };
    let json = match said {
        Some(summary) => append(&summary)?,
        None if editor::is_at_hand() => match editor::compose("summary.md", "", append)? {
            Some(json) => json,
            None => return Err(Error::new(ErrorKind::Cancelled, "nothing was written, so nothing is stored")),
        },
        None => misused("say what the step did: as TEXT, or through a pipe"),
    };
    stored(session, json)
}

fn end(session: &Session<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let mut params = of_step(asked, repo);
    let mut events: Vec<(usize, Value)> = Vec::new();
    for (kind, option, _) in EVENTS {
        let places = asked.indices_of(option).into_iter().flatten();
        let texts = asked.get_many::<String>(option).into_iter().flatten();
        events.extend(places.zip(texts).map(|(place, text)| (place, json!({ "kind": kind, "text": text }))));
    }
    if events.is_empty() {
        misused("say what happened: by --action, --output, --error or --follow-up");
    }
    events.sort_by_key(|(place, _)| *place);
    params.insert("events".to_owned(), events.into_iter().map(|(_, event)| event).collect());
    stored(session, session.call("summary.endStep", &Value::Object(params).to_string())?)
}

/// The params that say which step, and by which tags to find it.
fn of_step(asked: &ArgMatches, mut params: Members) -> Members {
    for (key, option) in [("runId", "run"), ("stepId", "step")] {
        params.extend(asked.get_one::<String>(option).map(|it| (key.to_owned(), it.as_str().into())));
    }
    params.extend(asked.get_many::<String>("tag").map(|tags| ("tags".to_owned(), tags.map(String::as_str).collect())));
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

fn show(session: &Session<'_>, asked: &ArgMatches, mut params: Members) -> Result<()> {
    params.extend(asked.get_one::<String>("run").map(|run| ("runId".to_owned(), run.as_str().into())));
    let step = asked.get_one::<String>("step");
    let all: Vec<Box<RawValue>> = session.ask("summary.list", params)?;
    let mut shown = Vec::new();
    for raw in &all {
        let summary: Members = read(raw.get())?;
        if step.is_none_or(|step| text(&summary, "stepId") == step) {
            shown.push((raw, summary));
        }
    }
    if shown.is_empty() {
        let message = "there is no summary of this run and step; `loopmem summary list` shows those of this repository";
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
        Column::giving("RUN", ID, Keep::Start),
        Column::giving("STEP", KIND, Keep::Start),
        Column::giving("SUMMARY", PLAIN, Keep::Start),
        Column::giving("TAGS", FAINT, Keep::Start),
        Column::firm("AGE", FAINT),
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

/// A summary as a whole.
fn summary(it: &Members, now: DateTime<Utc>) -> String {
    let lines =
        [("when", moment(text(it, "timestamp"), now)), ("tags", texts(it, "tags").collect::<Vec<_>>().join(", "))];
    let (run, step) = (on_one_line(text(it, "runId")), on_one_line(text(it, "stepId")));
    let body = tame(text(it, "summary"));
    format!("{ID}{run}{ID:#} {KIND}{step}{KIND:#}\n{}\n{}\n", pairs(&lines), body.trim_end())
}
