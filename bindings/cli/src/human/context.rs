//! `context`: prints a context pack.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::human::room_command::RoomCommand;
use crate::human::screen::{counted, sanitize};
use crate::human::{REPO, members};
use crate::output::{self, notice, usage_error};
use crate::session::{Members, Session, read, text, texts};
use crate::typed;

/// The default size of a pack, in characters.
const MAX_CHARS: u64 = 8_000;

fn fields(description: &Description) -> impl Iterator<Item = &Field> {
    let build = description.methods.iter().find(|method| method.name == "context.build");
    build.into_iter().flat_map(|method| &method.params.fields)
}

/// The commands of the room `context`.
pub(crate) struct ContextCommand;

impl RoomCommand for ContextCommand {
    fn room(&self) -> &'static str {
        "context"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        let options = fields(description).map(|field| {
            let option = typed::option(field).required(false);
            let is_of_repo = REPO.contains(&field.name.as_str());
            match field.name.as_str() {
                "maxChars" => option.help(format!("{} [default: {MAX_CHARS}]", field.doc)),
                _ if is_of_repo => option.help_heading("Repository"),
                _ => option,
            }
        });
        command
            .long_about(
                "Prints what is stored about a repository, packed for a prompt. `context build` prints the result as JSON.",
            )
            .subcommand_required(false)
            .arg_required_else_help(false)
            .args(options)
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        if args.subcommand().is_some() {
            refuse_both(description, args);
            return None;
        }
        Some(run(session, description, args).map(|()| ExitCode::SUCCESS))
    }
}

fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<()> {
    let mut params = members(session, fields(description), args)?;
    params.entry("maxChars").or_insert_with(|| MAX_CHARS.into());
    let max_chars = params.get("maxChars").cloned().unwrap_or_default();
    let json = session.call("context.build", &Value::Object(params).to_string())?;
    if session.is_for_programs() {
        return output::line(json);
    }
    let pack: Members = read(&json)?;
    match (text(&pack, "text"), session.is_for_humans()) {
        ("", _) => {}
        (pack, true) => output::text(&sanitize(pack))?,
        (pack, false) => output::text(pack)?,
    }
    let sections = pack.get("sections").and_then(Value::as_array).into_iter().flatten();
    let dropped: u64 =
        sections.filter_map(Value::as_object).map(|section| texts(section, "dropped").count() as u64).sum();
    // Also without a terminal: a program that pipes the pack into a prompt has to know.
    if dropped > 0 {
        let left_out = match text(&pack, "leftOut") {
            "" => format!("{} left out", counted(dropped, "record")),
            left_out => sanitize(left_out),
        };
        notice(&format!("loopmem: {left_out}; raise the limit of {max_chars} characters with --max-chars"));
    } else if text(&pack, "text").is_empty() && io::stderr().is_terminal() {
        notice(&format!("loopmem: {}", super::memory::NOTHING));
    }
    Ok(())
}

/// Rejects options before a subcommand that has the same ones.
fn refuse_both(description: &Description, args: &ArgMatches) {
    if fields(description).any(|field| args.value_source(&field.name) == Some(clap::parser::ValueSource::CommandLine)) {
        usage_error("place the options of `context build` after `build`");
    }
}
