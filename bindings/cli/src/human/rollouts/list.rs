//! `rollouts list`: the registered sessions, and why each is or is not extracted.

use chrono::{DateTime, Utc};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::rollouts::{Listed, Reason};

use crate::human::arguments::params_with_list;
use crate::human::call_and_show;
use crate::human::rollouts::explain::{REASONS, state, with_commands};
use crate::human::screen::{FAINT, ID, Keep, PLAIN, age, is_tsv, on_one_line};
use crate::human::table::Table;
use crate::human::views::{faint, word};
use crate::output::notice;
use crate::session::{Members, Session};

const METHOD: &str = "rollouts.list";
/// The reasons whose sentence says why an attempt failed.
const FAILED: [Reason; 2] = [Reason::Backoff, Reason::Exhausted];
/// The reasons of sessions that are not registered, which a list cannot show.
const UNLISTED: [Reason; 2] = [Reason::Forgotten, Reason::NotRegistered];
/// The option whose values may be separated by commas.
const OPTION: &str = "reasons";

pub(super) fn extend(verb: Command) -> Command {
    let listed = REASONS.iter().map(|(reason, _)| *reason).filter(|reason| !UNLISTED.contains(reason));
    let listed: Vec<String> = listed.map(word).collect();
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

pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    call_and_show(session, METHOD, &params_with_list(session, METHOD, OPTION, args)?)
}

pub(super) fn layout(params: &Members, Listed { threads, total, .. }: &Listed, now: DateTime<Utc>) -> String {
    if threads.is_empty() {
        let nothing = match params.contains_key(OPTION) {
            true => "no session has one of these reasons",
            false => "no sessions are registered; `loopmem rollouts scan` finds them",
        };
        if is_tsv() {
            notice(&format!("loopmem: {nothing}"));
            return String::new();
        }
        return faint(nothing);
    }
    let (shown, total) = (threads.len() as u64, *total);
    let mut out = Table::of(threads)
        .fixed("ID", ID, |it| &it.thread_id)
        .fixed("AGE", FAINT, |it| age(&it.updated_at, now))
        .fixed("SESSION", PLAIN, |it| state(it.reason))
        .flexible("FOLDER", FAINT, Keep::End, |it| &it.cwd)
        .text();
    if is_tsv() {
        return out;
    }
    for it in threads.iter().filter(|it| FAILED.contains(&it.reason)) {
        let (id, detail) = (on_one_line(&it.thread_id), on_one_line(&it.detail));
        out.push_str(&format!("{ID}{id}{ID:#}: {}\n", with_commands(detail)));
    }
    if total > shown {
        out.push_str(&format!("{FAINT}{} more; --limit sets how many are shown{FAINT:#}\n", total - shown));
    }
    out
}
