//! `rollouts list`: the registered sessions, and why each is or is not extracted.

use chrono::{DateTime, Utc};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::Value;

use crate::human::call_and_show;
use crate::human::rollouts::explain::{REASONS, said_of, with_commands};
use crate::human::rollouts::options;
use crate::human::screen::{FAINT, ID, Keep, PLAIN, age, on_one_line, width};
use crate::human::table::{Column, table};
use crate::session::{Members, Session, number, read, text};

const METHOD: &str = "rollouts.list";
/// The reasons whose sentence says why an attempt failed.
const FAILED: [&str; 2] = ["backoff", "exhausted"];
/// The reasons of sessions that are not registered, which a list cannot show.
const UNLISTED: [&str; 2] = ["forgotten", "notRegistered"];
/// The option whose values may be separated by commas.
const OPTION: &str = "reasons";

pub(super) fn extend(verb: Command) -> Command {
    let listed = REASONS.iter().map(|(reason, _)| *reason).filter(|reason| !UNLISTED.contains(reason));
    verb.about("Lists the registered sessions, the latest first, with the state of each")
        .mut_arg(OPTION, |arg| {
            arg.value_name("REASON")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(PossibleValuesParser::new(listed))
                .help("Only sessions with these reasons, separated by commas [default: all]")
        })
        .mut_arg("limit", |arg| arg.help("The maximum number of sessions [default: 50]"))
}

pub(super) fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<()> {
    call_and_show(session, METHOD, &options::params(session, description, METHOD, OPTION, args)?)
}

pub(super) fn layout(params: &Members, json: &str, now: DateTime<Utc>) -> Result<String> {
    let listed: Members = read(json)?;
    let threads = listed.get("threads").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let threads: Vec<&Members> = threads.collect();
    let rows: Vec<Vec<String>> = threads
        .iter()
        .map(|it| {
            let changed = age(text(it, "updatedAt"), now);
            vec![
                text(it, "threadId").to_owned(),
                changed,
                said_of(text(it, "reason")).to_owned(),
                text(it, "cwd").to_owned(),
            ]
        })
        .collect();
    if rows.is_empty() {
        return Ok(match params.contains_key(OPTION) {
            true => format!("{FAINT}no session has one of these reasons{FAINT:#}\n"),
            false => format!("{FAINT}no sessions are registered; `loopmem rollouts scan` finds them{FAINT:#}\n"),
        });
    }
    let (shown, total) = (rows.len() as u64, number(&listed, "total"));
    let columns = vec![
        Column::fixed("ID", ID),
        Column::fixed("AGE", FAINT),
        Column::fixed("SESSION", PLAIN),
        Column::flexible("FOLDER", FAINT, Keep::End),
    ];
    let mut out = table(columns, rows, width());
    for it in threads.iter().filter(|it| FAILED.contains(&text(it, "reason"))) {
        let (id, detail) = (on_one_line(text(it, "threadId")), on_one_line(text(it, "detail")));
        out.push_str(&format!("{ID}{id}{ID:#}: {}\n", with_commands(detail)));
    }
    if total > shown {
        out.push_str(&format!("{FAINT}{} more; --limit sets how many are shown{FAINT:#}\n", total - shown));
    }
    Ok(out)
}
