//! `branch push`: the files of a memory, on its branch.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::{Value, json};

use super::checkout::{conflicts, short};
use super::validate::skipped;
use super::{entry, variables};
use crate::human::screen::ID;
use crate::output;
use crate::session::{Members, Session, read, text};

const METHOD: &str = "branch.push";

pub(super) fn extend(verb: Command) -> Command {
    entry::extend(verb, " GITHUB_RUN_ID is the id of the run.")
        .about("Commits the files of a memory to its branch, merged with what others pushed")
}

pub(super) fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<ExitCode> {
    let mut params = entry::params(session, description, METHOD, args)?;
    if !params.contains_key("runId") {
        params.extend(variables::run_id()?.map(|run| ("runId".to_owned(), json!(run))));
    }
    let json = session.call(METHOD, &Value::Object(params).to_string())?;
    if session.is_for_humans() {
        output::screen(layout(&read(&json)?).trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn layout(done: &Members) -> String {
    let count = |key: &str| done.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let commit = text(done, "commit");
    let mut out = match commit {
        "" => "nothing to push\n".to_owned(),
        commit => {
            let [added, changed, removed] = ["added", "changed", "removed"].map(count);
            format!("pushed {ID}{}{ID:#}: {added} added, {changed} changed, {removed} removed\n", short(commit))
        }
    };
    if done.get("merged") == Some(&Value::Bool(true)) {
        out.push_str("merged with what others pushed, which the folder has now too\n");
    }
    out.push_str(&conflicts(done));
    out + &skipped(done)
}
