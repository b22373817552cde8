//! `rollouts list`: the registered sessions, and why each is or is not extracted.

use chrono::{DateTime, Utc};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use loopmem::rollouts::{Listed, ListedThread, Reason};
use serde_json::json;

use crate::human::call_and_show;
use crate::human::rollouts::explain::{REASONS, state, with_commands};
use crate::human::rollouts::options;
use crate::human::screen::{FAINT, ID, Keep, PLAIN, age, on_one_line, width};
use crate::human::table::{Column, table};
use crate::session::{Members, Session, read};

const METHOD: &str = "rollouts.list";
/// The reasons whose sentence says why an attempt failed.
const FAILED: [Reason; 2] = [Reason::Backoff, Reason::Exhausted];
/// The reasons of sessions that are not registered, which a list cannot show.
const UNLISTED: [Reason; 2] = [Reason::Forgotten, Reason::NotRegistered];
/// The option whose values may be separated by commas.
const OPTION: &str = "reasons";

pub(super) fn extend(verb: Command) -> Command {
    let listed = REASONS.iter().map(|(reason, _)| *reason).filter(|reason| !UNLISTED.contains(reason));
    let listed: Vec<String> = listed.map(|reason| json!(reason).as_str().unwrap_or_default().to_owned()).collect();
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
    let listed: Listed = read(json)?;
    let row = |it: &ListedThread| {
        vec![it.thread_id.clone(), age(&it.updated_at, now), state(it.reason).to_owned(), it.cwd.clone()]
    };
    let rows: Vec<Vec<String>> = listed.threads.iter().map(row).collect();
    if rows.is_empty() {
        return Ok(match params.contains_key(OPTION) {
            true => format!("{FAINT}no session has one of these reasons{FAINT:#}\n"),
            false => format!("{FAINT}no sessions are registered; `loopmem rollouts scan` finds them{FAINT:#}\n"),
        });
    }
    let (shown, total) = (rows.len() as u64, listed.total);
    let columns = vec![
        Column::fixed("ID", ID),
        Column::fixed("AGE", FAINT),
        Column::fixed("SESSION", PLAIN),
        Column::flexible("FOLDER", FAINT, Keep::End),
    ];
    let mut out = table(columns, rows, width());
    for it in listed.threads.iter().filter(|it| FAILED.contains(&it.reason)) {
        let (id, detail) = (on_one_line(&it.thread_id), on_one_line(&it.detail));
        out.push_str(&format!("{ID}{id}{ID:#}: {}\n", with_commands(detail)));
    }
    if total > shown {
        out.push_str(&format!("{FAINT}{} more; --limit sets how many are shown{FAINT:#}\n", total - shown));
    }
    Ok(out)
}
