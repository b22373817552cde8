//! `items export`: items as JSON lines, to standard output or to a new file.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::files::PIPE;
use crate::human::items::item::params;
use crate::human::screen::sanitize;
use crate::human::show_result;
use crate::output;
use crate::session::{Session, read};

const METHOD: &str = "items.export";
const FILE: &str = "file";

/// Adds the argument `FILE`.
pub(super) fn extend(export: Command) -> Command {
    let file = Arg::new(FILE).value_name("FILE").value_hint(clap::ValueHint::FilePath).conflicts_with("path");
    export
        .after_help("`loopmem items import` reads what is written. With --json, the result is one object instead.")
        .arg(file.help("The file to create [default: - for standard output, one item per line]"))
        .mut_arg("path", |arg| arg.hide(true))
}

#[derive(Deserialize)]
struct Exported {
    #[serde(default)]
    items: Vec<Box<RawValue>>,
}

/// Exports items; `None` if the method's result is wanted.
pub(super) fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<()>> {
    let file = args.get_one::<String>(FILE).filter(|file| Path::new(file) != Path::new(PIPE));
    if args.contains_id("path") || (file.is_none() && session.is_for_programs()) {
        return None;
    }
    Some(export(session, description, args, file))
}

fn export(session: &Session<'_>, description: &Description, args: &ArgMatches, file: Option<&String>) -> Result<()> {
    let mut params = params(session, description, METHOD, args)?;
    params.extend(file.map(|file| ("path".to_owned(), file.as_str().into())));
    let params = Value::Object(params).to_string();
    let json = session.call(METHOD, &params)?;
    if file.is_some() {
        return show_result(session, METHOD, &params, json);
    }
    let Exported { items } = read(&json)?;
    if items.is_empty() {
        session.emit("there are no items to export");
        return Ok(());
    }
    // A line break within an item is whitespace of its JSON.
    let lines: Vec<String> = items.iter().map(|item| item.get().replace(['\n', '\r'], " ")).collect();
    let text = lines.join("\n");
    if session.is_for_humans() { output::screen(&sanitize(&text)) } else { output::text(&text) }
}
