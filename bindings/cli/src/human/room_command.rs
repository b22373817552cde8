//! The commands for people that a room adds.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::progress::Steps;
use crate::session::{Members, Session};

/// The commands and layouts of one room, beyond the commands that are generated from the method table.
pub(crate) trait RoomCommand: Sync {
    /// The room's name.
    fn room(&self) -> &'static str;

    /// Adds subcommands and options to the room's command, which was generated from the method table.
    fn extend(&self, command: Command, description: &Description) -> Command;

    /// The subcommands, besides those of the method table, that store what they are given.
    fn storing_verbs(&self) -> &'static [&'static str] {
        &[]
    }

    /// Runs the command and returns the exit status; `None` for a command of the method table.
    fn run(&self, _session: &Session<'_>, _description: &Description, _asked: &ArgMatches) -> Option<Result<ExitCode>> {
        None
    }

    /// Formats the result of the room's method `verb` for a terminal; `None` if it has no layout.
    fn layout(&self, _session: &Session<'_>, _verb: &str, _params: &Members, _json: &str) -> Option<Result<String>> {
        None
    }

    /// Whether an option of the command asks for JSON, as `--json` does.
    fn wants_json(&self, _asked: &ArgMatches) -> bool {
        false
    }

    /// The steps of the command's long calls.
    fn steps(&self, _asked: &ArgMatches) -> Steps {
        Steps::INDEXING
    }

    /// Whether a signal such as Ctrl-C cancels the command's call, so that it gives back what it has claimed.
    fn is_cancelled_by_signals(&self, _asked: &ArgMatches) -> bool {
        false
    }

    /// The exit status of a failed command.
    fn status_of_failure(&self, _asked: &ArgMatches) -> ExitCode {
        ExitCode::FAILURE
    }
}
