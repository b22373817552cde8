//! The commands of the room `branch` for people and for the steps of a workflow, on top of those of the method table.

mod artifact;
mod checkout;
mod entry;
mod push;
mod snapshots;
mod validate;
mod variables;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::progress::Steps;
use crate::human::room_command::RoomCommand;
use crate::human::screen::sanitize;
use crate::output;
use crate::session::{Members, Session, read, text};

/// The commands in the order of the help.
const ORDER: [&str; 13] = [
    "checkout",
    "validate",
    "push",
    "prompt",
    "workflow",
    "pack",
    "unpack",
    "snapshot",
    "snapshots",
    "rollback",
    "prune",
    "match",
    "parse-config",
];

/// The commands of the room `branch`.
pub(crate) struct BranchCommand;

impl RoomCommand for BranchCommand {
    fn room(&self) -> &'static str {
        "branch"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        command
            .mut_subcommand("checkout", checkout::extend)
            .mut_subcommand("validate", validate::extend)
            .mut_subcommand("push", push::extend)
            .mut_subcommand("prompt", |verb| {
                entry::extend_config(verb).about("Prints the section of a prompt that describes memories to an agent")
            })
            .mut_subcommand("workflow", |verb| {
                entry::extend_config(verb)
                    .about("Prints the steps of a workflow that keep its memories, as YAML for GitHub Actions")
            })
            .mut_subcommand("pack", artifact::extend_pack)
            .mut_subcommand("unpack", artifact::extend_unpack)
            .mut_subcommand("snapshot", snapshots::extend_snapshot)
            .mut_subcommand("snapshots", snapshots::extend_list)
            .mut_subcommand("rollback", snapshots::extend_rollback)
            .mut_subcommand("prune", snapshots::extend_prune)
            .mut_subcommand("match", |verb| verb.about("Says whether a pattern matches the path of a file"))
            .mut_subcommand("parse-config", |verb| {
                entry::extend_config(verb)
                    .about("Reads the configuration of memories, and prints each with its folder, branch and limits")
            })
            .mut_subcommands(|verb| {
                let place = ORDER.iter().position(|name| *name == verb.get_name());
                verb.display_order(place.unwrap_or(ORDER.len()))
            })
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        match verb {
            "checkout" => Some(checkout::run(session, description, args)),
            "validate" => Some(validate::run(session, description, args)),
            "push" => Some(push::run(session, description, args)),
            "prompt" => Some(print(session, args, "branch.prompt", "text")),
            "workflow" => Some(print(session, args, "branch.workflow", "yaml")),
            "parse-config" => Some(parse_config(session, args)),
            "pack" | "unpack" => Some(artifact::run(session, description, verb, args)),
            "snapshot" | "snapshots" | "rollback" | "prune" => Some(snapshots::run(session, description, verb, args)),
            _ => None,
        }
    }

    fn steps(&self, args: &ArgMatches) -> Steps {
        let what = if args.subcommand_name() == Some("push") { "pushing" } else { "checking out" };
        Steps { what, noun: "step", last: None, are_slow: true }
    }

    fn is_cancelled_by_signals(&self, args: &ArgMatches) -> bool {
        matches!(args.subcommand_name(), Some("checkout" | "push"))
    }
}

fn parse_config(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let params = entry::config_params(args)?;
    output::result(
        session.call("branch.parseConfig", &serde_json::Value::Object(params).to_string())?,
        session.style(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the text that a method returns in the member `key`, as it is unless JSON is asked for.
fn print(session: &Session<'_>, args: &ArgMatches, method: &str, key: &str) -> Result<ExitCode> {
    let params = entry::config_params(args)?;
    let json = session.call(method, &serde_json::Value::Object(params).to_string())?;
    if session.is_for_programs() {
        output::result(json, session.style())?;
    } else {
        let returned: Members = read(&json)?;
        match session.is_for_humans() {
            true => output::screen(sanitize(text(&returned, key)).trim_end())?,
            false => output::text(text(&returned, key))?,
        }
    }
    Ok(ExitCode::SUCCESS)
}
