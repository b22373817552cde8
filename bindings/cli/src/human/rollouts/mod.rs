//! The commands of the room `rollouts` for people, on top of those of the method table.

mod explain;
mod job;
mod removal;
mod run;
mod scan;
mod status;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::progress::Steps;
use crate::human::room_command::RoomCommand;
use crate::session::{Members, Session};

/// The commands in the order of the help; those for programs come last.
const ORDER: [&str; 8] = ["scan", "status", "explain", "run", "set-mode", "forget", "reset", "migrate-legacy-root"];

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
            .mut_subcommand("explain", explain::extend)
            .mut_subcommand("run", run::extend)
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
            "explain" => explain::run(session, args),
            "run" => return Some(run::run(session, description, args)),
            "forget" => removal::forget(session, args),
            "reset" => removal::reset(session, args),
            _ => return None,
        };
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        match verb {
            "status" => Some(status::layout(json, session.now)),
            "explain" => Some(explain::layout(params, json, session.now)),
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
