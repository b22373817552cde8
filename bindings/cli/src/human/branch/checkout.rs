//! `branch checkout`: the files of a branch, in a folder.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::Value;

use super::entry;
use crate::human::screen::{FAINT, ID, WARNING, on_one_line};
use crate::output;
use crate::session::{Members, Session, read, text};

const METHOD: &str = "branch.checkout";
/// The option for the commit alone.
const PRINT_BASE: &str = "printBase";

pub(super) fn extend(verb: Command) -> Command {
    let print = Arg::new(PRINT_BASE).long("print-base").action(ArgAction::SetTrue);
    entry::extend(verb, "")
        .about("Brings the folder of a memory up to date with its branch")
        .arg(print.help("Prints the commit that the files come from, or none if there is no branch, and nothing else, for `branch push --base`"))
}

pub(super) fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<ExitCode> {
    let params = entry::params(session, description, METHOD, args)?;
    let json = session.call(METHOD, &Value::Object(params).to_string())?;
    let done: Members = read(&json)?;
    if args.get_flag(PRINT_BASE) && !session.is_for_programs() {
        let base = if done.get("created") == Some(&Value::Bool(true)) { "none" } else { text(&done, "base") };
        output::text(&format!("{base}\n"))?;
    } else if session.is_for_humans() {
        output::screen(layout(&done).trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn layout(done: &Members) -> String {
    let (branch, folder) = (on_one_line(text(done, "branch")), on_one_line(text(done, "directory")));
    let is = |key: &str| done.get(key) == Some(&Value::Bool(true));
    let mut out = match is("created") {
        true => format!("{ID}{branch}{ID:#} does not exist yet; the first push creates it\n"),
        false => format!("{ID}{branch}{ID:#} is checked out, at {}\n", short(text(done, "base"))),
    };
    out.push_str(&format!("{FAINT}{folder}{FAINT:#}\n"));
    if is("merged") && !is("created") {
        out.push_str("the folder has unpushed changes\n");
    }
    out + &conflicts(done)
}

/// The first digits of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// The files that both sides changed, and where the other version is.
pub(super) fn conflicts(done: &Members) -> String {
    let all = done.get("conflicts").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let one = |it: &Members| {
        let path = on_one_line(text(it, "path"));
        format!(
            "{WARNING}both changed{WARNING:#} {path}: yours stays, the other version is {}:{path}\n",
            short(text(it, "theirs"))
        )
    };
    all.map(one).collect()
}
