//! `--dry-run` of the commands that store something: shows what they would redact, and stores nothing.

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, dispatch, redacts};
use serde_json::{Value, json};

use crate::human::screen::counted;
use crate::output;
use crate::session::{Members, Session, read, text};
use crate::typed;

/// As the parameter of methods that have a dry run of their own.
const ID: &str = "dryRun";

/// Adds the option to the commands of a room that store what they are given: those generated from the method table, and
/// `verbs`.
pub(crate) fn extend(room: Command, description: &Description, verbs: &[&str]) -> Command {
    let generated = description.methods.iter().filter(|method| redacts(method.name)).filter_map(|method| {
        let (its_room, verb) = method.room_and_verb();
        (its_room == room.get_name()).then(|| typed::kebab(verb))
    });
    let names: Vec<String> = generated.chain(verbs.iter().map(|verb| (*verb).to_owned())).collect();
    let option = Arg::new(ID)
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Shows what would be redacted, and stores nothing");
    room.mut_subcommands(|verb| match names.iter().any(|name| name == verb.get_name()) {
        // `memory add` has a subcommand for each kind of record.
        true if verb.has_subcommands() => verb.mut_subcommands(|kind| kind.arg(&option)),
        true => verb.arg(&option),
        false => verb,
    })
}

/// Whether a command or its subcommand was given the option.
pub(crate) fn is_asked(args: &ArgMatches) -> bool {
    args.try_get_one::<bool>(ID).ok().flatten() == Some(&true)
        || args.subcommand().is_some_and(|(_, args)| is_asked(args))
}

/// Shows what the call would redact, and ends the process.
///
/// # Errors
/// Those of the call before it stores anything; `IOError` if standard output cannot be written to.
pub(crate) fn show(session: &Session<'_>, method: &str, params: &str) -> Result<std::convert::Infallible> {
    let params: Members = read(params)?;
    let asked = json!({ "method": method, "params": params }).to_string();
    let answer = dispatch(session.store(), "safety.preview", &asked)?;
    if session.is_for_programs() {
        output::line(answer)?;
        std::process::exit(0);
    }
    let redactions: Vec<Members> = read(&answer)?;
    let lines: Vec<String> =
        redactions.iter().map(|redaction| format!("would redact {}", sentence(redaction))).collect();
    output::text(&if lines.is_empty() { "would redact nothing".to_owned() } else { lines.join("\n") })?;
    std::process::exit(0);
}

/// `2 secrets in content (keyed-value)`
pub(crate) fn sentence(redaction: &Members) -> String {
    let count = redaction.get("count").and_then(Value::as_u64).unwrap_or(1);
    format!("{} in {} ({})", counted(count, "secret"), text(redaction, "field"), text(redaction, "rule"))
}
