//! The commands of the room `safety`, and the layout of `safety rules`.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::allow;
use crate::human::room_command::RoomCommand;
use crate::human::scan;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, counted, width};
use crate::human::table::{Column, table};
use crate::session::{Members, Session, read, text};

/// The commands of the room `safety`.
pub(crate) struct SafetyCommand;

impl RoomCommand for SafetyCommand {
    fn room(&self) -> &'static str {
        "safety"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        // `scan` also takes files, and `allow` a finding.
        command.mut_subcommand("scan", scan::extend).mut_subcommand("allow", allow::extend)
    }

    fn run(&self, session: &Session<'_>, _description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        match args.subcommand()? {
            ("scan", args) => scan::run(session, args),
            ("allow", args) => allow::run(session, args),
            _ => None,
        }
    }

    fn layout(&self, _session: &Session<'_>, verb: &str, _params: &Members, json: &str) -> Option<Result<String>> {
        match verb {
            "rules" => Some(rules(json)),
            "allowances" => Some(allow::layout(json)),
            _ => None,
        }
    }

    fn wants_json(&self, args: &ArgMatches) -> bool {
        args.subcommand().is_some_and(|(verb, args)| verb == "scan" && scan::wants_json(args))
    }

    fn status_of_failure(&self, args: &ArgMatches) -> ExitCode {
        if args.subcommand_name() == Some("scan") { ExitCode::from(scan::FAILED) } else { ExitCode::FAILURE }
    }
}

/// The rules as a table.
fn rules(json: &str) -> Result<String> {
    let rules: Vec<Members> = read(json)?;
    let heads = vec![
        Column::fixed("RULE", ID),
        Column::fixed("KIND", KIND),
        Column::flexible("WHAT IT FINDS", PLAIN, Keep::Start),
    ];
    let row = |it: &Members| ["id", "kind", "description"].map(|key| text(it, key).to_owned()).to_vec();
    let count = counted(rules.len() as u64, "rule");
    Ok(format!("{}\n{FAINT}{count}{FAINT:#}", table(heads, rules.iter().map(row).collect(), width())))
}
