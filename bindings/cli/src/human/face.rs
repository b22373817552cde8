//! What a room adds to the command for people.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;

use crate::session::{Members, Session};

/// The verbs and layouts of one room. The verbs that are made from the method table are there without it.
pub(crate) trait Face: Sync {
    /// The room.
    fn room(&self) -> &'static str;

    /// Adds verbs and options to the room's command, as it was made from the method table.
    fn extend(&self, command: Command, description: &Description) -> Command;

    /// Does what was asked and returns the exit status; `None` for a verb of the method table.
    fn run(&self, _session: &Session<'_>, _description: &Description, _asked: &ArgMatches) -> Option<Result<ExitCode>> {
        None
    }

    /// The result of the room's method `verb` as a text for a terminal; `None` where it has no layout.
    fn layout(&self, _session: &Session<'_>, _verb: &str, _params: &Members, _json: &str) -> Option<Result<String>> {
        None
    }

    /// The exit status when what was asked failed.
    fn status_of_failure(&self, _asked: &ArgMatches) -> ExitCode {
        ExitCode::FAILURE
    }
}
