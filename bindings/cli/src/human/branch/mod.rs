//! The commands of the room `branch` for people and for the steps of a workflow, on top of those of the method table.

mod entry;
mod layout;
mod variables;

use clap::{Arg, ArgMatches, Command, ValueHint};
use loopmem::Result;
use loopmem::branch::{Checkout, Prompt, Validation, Workflow};
use serde_json::{Value, json};

use crate::human::RoomCommand;
use crate::human::arguments::{POSITIONAL, argument, flag, instead_of};
use crate::human::environment::variable;
use crate::human::progress::Steps;
use crate::human::screen::{on_one_line, sanitize};
use crate::human::verbs::verb;
use crate::output;
use crate::output::ExitCode;
use crate::session::{Session, read};

/// The commands that are about one memory.
const OF_MEMORY: [&str; 8] = ["checkout", "validate", "push", "pack", "snapshot", "snapshots", "rollback", "prune"];
/// The option of `checkout` for the commit alone.
const PRINT_BASE: &str = "printBase";
/// The params that positional arguments stand for.
const ARTIFACT: &str = "artifactPath";
const TAG: &str = "tag";

/// The commands of the room `branch`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "branch",
    extend: |room, _| {
        room.mut_subcommands(|verb| {
            let name = verb.get_name().to_owned();
            extended(&name, verb)
        })
    },
    verbs: &[
        verb("checkout").about("Brings the folder of a memory up to date with its branch"),
        verb("validate").about("Checks the files of a memory against its rules, and lists every fault"),
        verb("push").about("Commits the files of a memory to its branch, merged with what others pushed"),
        verb("prompt").about("Prints the section of a prompt that describes memories to an agent"),
        verb("workflow").about("Prints the steps of a workflow that keep its memories, as YAML for GitHub Actions"),
        verb("pack").about("Writes an artifact of the files of a memory, for another job or machine"),
        verb("unpack").about("Brings the files of an artifact to the folder of its memory"),
        verb("snapshot").about("Makes a snapshot of the branch as it is in its repository: the tag BRANCH/TAG"),
        verb("snapshots").about("Lists the snapshots of the branch, the newest first"),
        verb("rollback").about("Sets the files of the branch back to a snapshot, by a commit on top of what it has"),
        verb("prune").about("Removes snapshots: all but the newest ones, or old ones; without a limit, none"),
        verb("match").about("Prints whether a pattern matches the path of a file"),
        verb("merge-file").about("Merges three versions of a file of records; for git, see `loopmem merge-driver`"),
        verb("parse-config")
            .about("Reads the configuration of memories, and prints each with its folder, branch and limits"),
    ],
    run: |session, args| {
        let (verb, args) = args.subcommand()?;
        (!["match", "merge-file"].contains(&verb)).then(|| run(session, verb, args))
    },
    steps: |args| {
        let what = if args.subcommand_name() == Some("push") { "pushing" } else { "checking out" };
        Steps { what, noun: "step", last: None, are_slow: true }
    },
    is_cancelled_by_signals: |args| matches!(args.subcommand_name(), Some("checkout" | "push")),
    ..RoomCommand::GENERATED
};

/// Adds the options of one command.
fn extended(name: &str, verb: Command) -> Command {
    let artifact = |arg: Arg, help| arg.value_name("ARTIFACT").value_hint(ValueHint::FilePath).help(help);
    let verb = match name {
        "prompt" | "workflow" | "parse-config" => return entry::extend_config(verb),
        "pack" => {
            let help = "The artifact: a path ending in .tar.zst, .tar.gz or .tar";
            instead_of(verb, ARTIFACT, "ARTIFACT", help)
                .mut_arg("since", |arg| artifact(arg, "An earlier artifact: what it has is left out"))
        }
        "unpack" => instead_of(verb, ARTIFACT, "ARTIFACT", "The artifact").mut_arg("directory", |arg| {
            arg.value_name("DIR").value_hint(ValueHint::DirPath).help("The folder [default: that of its memory here]")
        }),
        "snapshot" => {
            let help = "The name: letters, digits, -, _ and . [default: the time]";
            verb.arg(argument(POSITIONAL, "TAG", help).conflicts_with(TAG))
        }
        "rollback" => instead_of(verb, TAG, "TAG", "The name of the snapshot"),
        _ => verb,
    };
    let verb = match name {
        "push" => entry::extend(verb, " GITHUB_RUN_ID is the id of the run."),
        _ if OF_MEMORY.contains(&name) => entry::extend(verb, ""),
        _ => verb,
    };
    match name {
        "checkout" => {
            let help = "Prints the commit that the files come from, or none if there is no branch, and nothing else, for `branch push --base`";
            verb.arg(flag(PRINT_BASE, help).long("print-base"))
        }
        "validate" => verb.long_about(
            "Checks the files of a memory against its rules, and lists every fault. `branch push` makes the same checks first. \
             The exit status is 1 if there is a fault.",
        ),
        "pack" => verb.mut_arg(ARTIFACT, |arg| arg.hide(true)).mut_arg("id", |arg| arg.index(2)),
        "unpack" => verb.mut_arg(ARTIFACT, |arg| arg.hide(true)),
        "snapshot" | "rollback" => verb.mut_arg(TAG, |arg| arg.hide(true)).mut_arg("id", |arg| arg.index(2)),
        "prune" => verb
            .mut_arg("keep", |arg| arg.help("How many are kept at most, the newest ones"))
            .mut_arg("maxAgeDays", |arg| arg.help("How old those that are kept may be, in days")),
        _ => verb,
    }
}

fn run(session: &Session<'_>, verb: &str, args: &ArgMatches) -> Result<ExitCode> {
    let method = if verb == "parse-config" { "branch.parseConfig".to_owned() } else { format!("branch.{verb}") };
    let mut params = match verb {
        "prompt" | "workflow" | "parse-config" => entry::config_params(args)?,
        "unpack" => session.params(&method, args)?,
        _ => entry::params(session, &method, args)?,
    };
    let positional = match verb {
        "pack" | "unpack" => Some(ARTIFACT),
        "snapshot" | "rollback" => Some(TAG),
        _ => None,
    };
    if let Some(name) = positional
        && let Some(value) = args.get_one::<String>(POSITIONAL)
    {
        params.insert(name.to_owned(), json!(value));
    }
    if verb == "push" && !params.contains_key("runId") {
        params.extend(variable("GITHUB_RUN_ID")?.map(|run| ("runId".to_owned(), json!(run))));
    }
    let json = session.call(&method, &params)?;
    let status = match verb {
        "validate" if !read::<Validation>(&json)?.ok => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    };
    if let Some(text) = plain_text(session, verb, args, &json)? {
        output::text(&text)?;
    } else if !session.is_for_humans() || verb == "parse-config" {
        output::result(json, session.style)?;
    } else {
        let tag = on_one_line(params.get(TAG).and_then(Value::as_str).unwrap_or_default());
        let shown = match verb {
            "prompt" => sanitize(&read::<Prompt>(&json)?.text),
            "workflow" => sanitize(&read::<Workflow>(&json)?.yaml),
            _ => layout::layout(session, verb, &tag, &json)?,
        };
        output::screen(shown.trim_end())?;
    }
    Ok(status)
}

/// The text that a command prints as it is, unless JSON is asked for.
fn plain_text(session: &Session<'_>, verb: &str, args: &ArgMatches, json: &str) -> Result<Option<String>> {
    if session.is_for_programs() {
        return Ok(None);
    }
    Ok(match verb {
        "checkout" if args.get_flag(PRINT_BASE) => {
            Some(format!("{}\n", read::<Checkout>(json)?.base.unwrap_or_else(|| "none".to_owned())))
        }
        "prompt" if !session.is_for_humans() => Some(read::<Prompt>(json)?.text),
        "workflow" if !session.is_for_humans() => Some(read::<Workflow>(json)?.yaml),
        _ => None,
    })
}
