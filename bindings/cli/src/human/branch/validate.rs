//! `branch validate`: what has to be fixed before a push.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::Value;

use super::entry;
use crate::human::screen::{ERROR, FAINT, ID, counted, on_one_line};
use crate::output;
use crate::session::{Members, Session, read, text};

const METHOD: &str = "branch.validate";

pub(super) fn extend(verb: Command) -> Command {
    entry::extend(verb, "").about("Checks the files of a memory against its rules, and lists every fault").long_about(
        "Checks the files of a memory against its rules, and lists every fault. `branch push` makes the same checks first. \
         The exit status is 1 if there is a fault.",
    )
}

pub(super) fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<ExitCode> {
    let params = entry::params(session, description, METHOD, args)?;
    let json = session.call(METHOD, &Value::Object(params).to_string())?;
    let done: Members = read(&json)?;
    let is_ok = done.get("ok") == Some(&Value::Bool(true));
    if session.is_for_humans() {
        output::screen(layout(&done).trim_end())?;
    } else {
        output::result(json, session.style())?;
    }
    Ok(if is_ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn layout(done: &Members) -> String {
    let list = |key: &str| done.get(key).and_then(Value::as_array).into_iter().flatten();
    let mut out = String::new();
    for fault in list("rejected").filter_map(Value::as_object) {
        let (rule, message) = (text(fault, "rule"), on_one_line(text(fault, "message")));
        let path = match text(fault, "path") {
            "" => String::new(),
            path => format!("{ID}{}{ID:#}: ", on_one_line(path)),
        };
        out.push_str(&format!("{ERROR}{rule}{ERROR:#} {path}{message}\n"));
    }
    let (files, faults) = (list("files").count() as u64, list("rejected").count() as u64);
    match faults {
        0 => out.push_str(&format!(
            "{} valid\n",
            if files == 1 { "1 file is".to_owned() } else { format!("{files} files are") }
        )),
        _ => out.push_str(&format!(
            "{} in {}; nothing is pushed until they are fixed\n",
            counted(faults, "fault"),
            counted(files, "file")
        )),
    }
    out + &skipped(done)
}

/// The files that are not pushed, since they match no pattern.
pub(super) fn skipped(done: &Members) -> String {
    let paths = done.get("skipped").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let paths: Vec<String> = paths.map(on_one_line).collect();
    if paths.is_empty() {
        return String::new();
    }
    format!("{FAINT}not pushed, since they match no pattern: {}{FAINT:#}\n", paths.join(", "))
}
