//! `context`: the pack itself, as an agent would get it.

use std::io::{self, IsTerminal};

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::desk::{Desk, Members, read, text, texts};
use crate::output::{self, misused, remark};
use crate::people::screen::{counted, tame};
use crate::people::{REPO, members};
use crate::typed;

/// How long a pack is unless told otherwise, in characters.
const MAX_CHARS: u64 = 8_000;

fn fields(description: &Description) -> impl Iterator<Item = &Field> {
    let build = description.methods.iter().find(|method| method.name == "context.build");
    build.into_iter().flat_map(|method| &method.params.fields)
}

/// The room, which prints the pack when no verb is named.
pub(crate) fn furnish(room: Command, description: &Description) -> Command {
    let options = fields(description).map(|field| {
        let option = typed::option(field).required(false);
        let is_of_repo = REPO.contains(&field.name.as_str());
        match field.name.as_str() {
            "maxChars" => option.help(format!("{} [default: {MAX_CHARS}]", field.doc)),
            _ if is_of_repo => option.help_heading("Repository"),
            _ => option,
        }
    });
    room.about("What is remembered, packed for a prompt")
        .long_about(
            "Prints what is remembered about a repository, packed for a prompt. `context build` prints it as JSON.",
        )
        .subcommand_required(false)
        .arg_required_else_help(false)
        .args(options)
}

pub(crate) fn run(desk: &Desk<'_>, description: &Description, asked: &ArgMatches) -> Result<()> {
    let mut params = members(desk, fields(description), asked)?;
    params.entry("maxChars").or_insert_with(|| MAX_CHARS.into());
    let most = params.get("maxChars").cloned().unwrap_or_default();
    let json = desk.call("context.build", &Value::Object(params).to_string())?;
    if desk.is_for_programs() {
        return output::line(json);
    }
    let pack: Members = read(&json)?;
    match (text(&pack, "text"), desk.is_for_people()) {
        ("", _) => {}
        (pack, true) => output::text(&tame(pack))?,
        (pack, false) => output::text(pack)?,
    }
    if io::stderr().is_terminal() {
        let sections = pack.get("sections").and_then(Value::as_array).into_iter().flatten();
        let of_all =
            |key: &str| sections.clone().filter_map(Value::as_object).map(|it| texts(it, key).count() as u64).sum();
        let dropped: u64 = of_all("dropped");
        if dropped > 0 {
            remark(&format!(
                "loopmem: {} had no room in {most} characters; --max-chars makes more",
                counted(dropped, "record")
            ));
        } else if text(&pack, "text").is_empty() {
            remark(&format!("loopmem: {}", super::views::NOTHING));
        }
    }
    Ok(())
}

/// Refuses options of `context` itself where a verb has its own.
pub(crate) fn refuse_both(description: &Description, asked: &ArgMatches) {
    if fields(description).any(|field| asked.value_source(&field.name) == Some(clap::parser::ValueSource::CommandLine))
    {
        misused("options of `context build` stand behind `build`");
    }
}
