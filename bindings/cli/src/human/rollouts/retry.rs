//! `rollouts retry`: makes what failed due again.

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::rollouts::Retried;

use crate::human::arguments::POSITIONAL;
use crate::human::call_and_show;
use crate::human::rollouts::session_id;
use crate::human::screen::{counted, on_one_line};
use crate::human::views::faint;
use crate::session::{Members, Session};

/// The param with the ids.
const IDS: &str = "threadIds";

pub(super) fn extend(verb: Command) -> Command {
    let ids = Arg::new(POSITIONAL).value_name("THREAD_ID").action(ArgAction::Append).conflicts_with(IDS);
    verb.about("Makes sessions that failed due again, with all of their attempts")
        .long_about(
            "Makes sessions that failed due again, with all of their attempts: those that wait for their next attempt, those \
             without attempts left, and those whose worker did not come back. Without ids, all of them, and the \
             consolidation if it failed. `loopmem rollouts list --reasons backoff,exhausted` names them.",
        )
        .arg(ids.help("The sessions' ids or unique prefixes of them [default: all that failed]"))
}

pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = Members::new();
    let ids = match args.get_many::<String>(POSITIONAL) {
        Some(typed) => Some(typed.map(|typed| session_id::expand(session, typed)).collect::<Result<Vec<_>>>()?),
        None => args.get_many::<String>(IDS).map(|ids| ids.cloned().collect()),
    };
    if let Some(ids) = ids {
        params.insert(IDS.to_owned(), ids.into());
    }
    call_and_show(session, "rollouts.retry", &params)
}

pub(super) fn layout(params: &Members, Retried { thread_ids: ids, consolidation, .. }: &Retried) -> String {
    let sessions = counted(ids.len(), "session");
    let what = match (ids.is_empty(), consolidation) {
        (true, false) => {
            let none = match params.contains_key(IDS) {
                true => {
                    "none of these sessions waits after a failure; `loopmem rollouts explain` shows the state of one"
                }
                false => "nothing failed",
            };
            return faint(none);
        }
        (true, true) => "The consolidation".to_owned(),
        (false, true) => format!("{sessions} and the consolidation"),
        (false, false) => sessions,
    };
    let verb = if ids.len() + usize::from(*consolidation) == 1 { "is" } else { "are" };
    let ids: String = ids.iter().map(|id| format!("  {}\n", on_one_line(id))).collect();
    format!("{what} {verb} due again.\n{ids}")
}
