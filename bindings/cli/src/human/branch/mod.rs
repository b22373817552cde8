//! The commands of the room `branch` for people and for the steps of a workflow, on top of those of the method table.

mod checkout;
mod entry;
mod push;
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
const ORDER: [&str; 6] = ["checkout", "validate", "push", "prompt", "match", "parse-config"];

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
            .mut_subcommand("prompt", entry::extend_prompt)
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
            "prompt" => Some(prompt(session, description, args)),
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

/// Prints what an agent is told, as text on a terminal and with `--text`.
fn prompt(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<ExitCode> {
    let params = entry::config_params(session, description, args)?;
    let json = session.call("branch.prompt", &serde_json::Value::Object(params).to_string())?;
    let prompt: Members = read(&json)?;
    if args.get_flag(entry::TEXT) {
        output::text(text(&prompt, "text"))?;
    } else if session.is_for_humans() {
        output::screen(sanitize(text(&prompt, "text")).trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    Ok(ExitCode::SUCCESS)
}
