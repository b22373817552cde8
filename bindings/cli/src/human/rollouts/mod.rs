//! The commands of the room `rollouts` for people, on top of those of the method table.

mod explain;
mod job;
mod list;
mod removal;
mod retry;
mod run;
mod scan;
mod session_id;
mod status;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::RecordedUsage;
use loopmem::rollouts::Thread;
use serde_json::Value;

use crate::human::RoomCommand;
use crate::human::progress::Steps;
use crate::human::screen::{ID, counted, on_one_line};
use crate::human::verbs::verb;
use crate::output::ExitCode;
use crate::session::{Members, Session, read};
use session_id::ID_PARAM;

/// The commands of the room `rollouts`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "rollouts",
    extend: |room, _| extend(room),
    // Those for programs come last.
    verbs: &[
        verb("scan"),
        verb("status"),
        verb("list"),
        verb("explain"),
        verb("run"),
        verb("retry"),
        verb("set-mode"),
        verb("forget"),
        verb("reset"),
        verb("migrate-legacy-root"),
        verb("materialize").about("Brings the files under the memory root up to date"),
    ],
    run,
    layout,
    steps: |args| match args.subcommand() {
        Some(("scan", _)) => Steps { what: "scanning", noun: "transcript", last: None, are_slow: false },
        Some(("run", args)) => run::steps(args),
        _ => Steps::INDEXING,
    },
    is_cancelled_by_signals: |args| args.subcommand_name() == Some("run"),
    texts: &["list"],
    ..RoomCommand::GENERATED
};

fn extend(room: Command) -> Command {
    room.mut_subcommand("scan", scan::extend)
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
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = args.subcommand()?;
    let done = match verb {
        "scan" => scan::run(session, args),
        "list" => list::run(session, args),
        "explain" => return Some(explain::run(session, args)),
        "run" => return Some(run::run(session, args)),
        "retry" => retry::run(session, args),
        "forget" => removal::forget(session, args),
        "reset" => removal::reset(session, args),
        _ => return None,
    };
    Some(done.map(|()| ExitCode::SUCCESS))
}

fn layout(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    let param = |name: &str| on_one_line(params.get(name).and_then(Value::as_str).unwrap_or_default());
    Ok(Some(match verb {
        "status" => status::layout(&read(json)?, session.now),
        "list" => list::layout(params, &read(json)?, session.now),
        "retry" => retry::layout(params, &read(json)?),
        "materialize" => removal::materialized(&read(json)?),
        "setMode" => {
            format!("{ID}{}{ID:#} is {} now\n", on_one_line(&read::<Thread>(json)?.id), param("mode"))
        }
        "recordUsage" => {
            format!("counted the use of {}\n", counted(read::<RecordedUsage>(json)?.updated, "stored memory"))
        }
        "forget" => removal::forgotten(&param(ID_PARAM), &read(json)?),
        "reset" => removal::cleared(params, &read(json)?),
        "migrateLegacyRoot" => removal::migrated(read(json)?),
        _ => return Ok(None),
    }))
}
