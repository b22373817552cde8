//! The commands of the room `rollouts` for people, on top of those of the method table.

mod explain;
mod job;
mod list;
mod options;
mod removal;
mod retry;
mod run;
mod scan;
mod session_id;
mod status;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use loopmem::rollouts::Thread;

use crate::human::progress::Steps;
use crate::human::room_command::RoomCommand;
use crate::human::screen::{ID, counted, on_one_line};
use crate::session::{Members, Session, number, read, text};

/// The commands in the order of the help; those for programs come last.
const ORDER: [&str; 12] = [
    "scan",
    "status",
    "list",
    "explain",
    "run",
    "retry",
    "set-mode",
    "forget",
    "reset",
    "migrate-legacy-root",
    "record-usage",
    "materialize",
];

/// The commands of the room `rollouts`.
pub(crate) struct RolloutsCommand;

impl RoomCommand for RolloutsCommand {
    fn room(&self) -> &'static str {
        "rollouts"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        command
            .mut_subcommand("scan", scan::extend)
            .mut_subcommand("status", |verb| verb.about("Shows the state of sessions, jobs and the consolidation"))
            .mut_subcommand("list", list::extend)
            .mut_subcommand("explain", explain::extend)
            .mut_subcommand("run", run::extend)
            .mut_subcommand("retry", retry::extend)
            .mut_subcommand("record-usage", |verb| {
                verb.about("Counts that the memory of sessions was used, which keeps it among the inputs of consolidations")
                    .mut_arg("threadIds", |arg| arg.value_name("THREAD_ID").help("The sessions' ids, each counted once"))
            })
            .mut_subcommand("set-mode", |verb| {
                verb.about("Sets whether the memory of a session may be extracted and shown").long_about(
                    "Sets whether the memory of a session may be extracted and shown. If something was extracted, another \
                     consolidation is due, and the next `loopmem rollouts run` adds or removes its files.",
                )
            })
            .mut_subcommand("forget", removal::extend_forget)
            .mut_subcommand("reset", removal::extend_reset)
            .mut_subcommand("migrate-legacy-root", |verb| {
                verb.about("Moves the memory of an older program to the memory root, once")
            })
            .mut_subcommands(|verb| {
                let place = ORDER.iter().position(|name| *name == verb.get_name());
                verb.display_order(place.unwrap_or(ORDER.len()))
            })
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        let done = match verb {
            "scan" => scan::run(session, description, args),
            "list" => list::run(session, description, args),
            "explain" => return Some(explain::run(session, args)),
            "run" => return Some(run::run(session, description, args)),
            "retry" => retry::run(session, args),
            "forget" => removal::forget(session, args),
            "reset" => removal::reset(session, args),
            _ => return None,
        };
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        match verb {
            "status" => Some(status::layout(json, session.now)),
            "list" => Some(list::layout(params, json, session.now)),
            "retry" => Some(retry::layout(params, json)),
            "materialize" => Some(removal::materialized(json)),
            "setMode" => Some(set_mode(params, json)),
            "recordUsage" => Some(recorded(json)),
            "forget" => Some(removal::forgotten(params, json)),
            "reset" => Some(removal::cleared(params, json)),
            "migrateLegacyRoot" => Some(removal::migrated(json)),
            _ => None,
        }
    }

    fn steps(&self, args: &ArgMatches) -> Steps {
        match args.subcommand() {
            Some(("scan", _)) => Steps { what: "scanning", noun: "transcript", last: None, are_slow: false },
            Some(("run", args)) => run::steps(args),
            _ => Steps::INDEXING,
        }
    }

    fn is_cancelled_by_signals(&self, args: &ArgMatches) -> bool {
        args.subcommand_name() == Some("run")
    }
}

/// The result of `record-usage`.
fn recorded(json: &str) -> Result<String> {
    let done: Members = read(json)?;
    Ok(format!("counted the use of {}\n", counted(number(&done, "updated"), "stored memory")))
}

/// The result of `set-mode`.
fn set_mode(params: &Members, json: &str) -> Result<String> {
    let (id, mode) = (read::<Thread>(json)?.id, on_one_line(text(params, "mode")));
    Ok(format!("{ID}{}{ID:#} is {mode} now\n", on_one_line(&id)))
}
