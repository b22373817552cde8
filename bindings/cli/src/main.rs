//! The command `loopmem`.
//!
//! `loopmem call METHOD` reads params as JSON from standard input and prints the result as JSON; `loopmem call --lines`
//! serves many calls in one process; `loopmem ROOM VERB --option …` is generated from the method table. The rooms also
//! have commands for people (`memory add`, `memory edit`, …), whose results are formatted as tables on a terminal.

mod abbreviation;
mod call;
mod dry_run;
mod filter;
mod human;
mod interrupt;
mod jsonl;
mod output;
mod pieces;
mod session;
mod shell;
mod strict;
mod typed;
mod warnings;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::{Description, describe, guard};
use loopmem::{CallOptions, Cancel, Error, ErrorKind, Options, Result, Store};
use serde::Deserialize;

use output::{Style, fail};
use session::Session;

const STREAMS: &str = "\
Results are written to standard output, errors and warnings to standard error. On a terminal, results are formatted \
for reading; otherwise, and always with `call` or --json, each result is one line of JSON. With `call` or --json, errors \
and warnings are also lines of JSON: a warning is {\"warning\":{\"message\",…}}; an error is \
{\"code\",\"message\",…,\"retryable\"} and is always the last line. When not on a terminal, `memory add` prints only the \
new id and `context` only the pack; with --json they print the complete result.

The exit status is 0 on success, 1 if the call failed, `doctor` found problems that remain or an import of items \
skipped a line, and 2 if the command was used incorrectly; usage errors are always plain text. `safety scan` exits \
with 1 if it found a secret and 2 if it failed. `call --lines` reports a failed request as an error on its line, and \
exits with 0 at the end of input.";

fn main() -> ExitCode {
    // Guards everything: the payload of a panic may contain anything, so it is never printed.
    guard(|| Ok(execute())).unwrap_or_else(|error| fail(&error, Style::Human))
}

fn execute() -> ExitCode {
    let description = describe();
    let matches = command(&description).try_get_matches().unwrap_or_else(|refused| output::refused(refused));
    let asks_for_json = |(name, args)| name == "call" || human::wants_json(name, args);
    let is_json = matches.get_flag("json") || matches.subcommand().is_some_and(asks_for_json);
    let style = if is_json { Style::Json } else { Style::Human };
    warnings::show(style);
    match guard(|| run(&description, &matches, style)) {
        Ok(status) => status,
        Err(error) => {
            fail(&error, style);
            matches.subcommand().map_or(ExitCode::FAILURE, |(room, args)| human::status_of_failure(room, args))
        }
    }
}

fn run(description: &Description, matches: &ArgMatches, style: Style) -> Result<ExitCode> {
    let done = match matches.subcommand() {
        Some(("completions", args)) => shell::completions(command(description), args),
        Some(("man", args)) => shell::man(command(description), args),
        Some((name, args)) => {
            let shows_progress = style == Style::Human && name != "call";
            let cancel = match human::is_cancelled_by_signals(name, args) {
                true => interrupt::cancel(),
                false => Cancel::new(),
            };
            let progress = human::progress::of_calls(human::steps(name, args), shows_progress);
            let Opened { store, clock, is_bypassed } =
                open(matches, CallOptions::new().progress(progress).cancel(&cancel))?;
            let done = match (name, args.try_get_one::<String>("method").ok().flatten()) {
                ("call", Some(method)) => call::one(&store, method).map(|()| ExitCode::SUCCESS),
                ("call", None) => call::lines(&store).map(|()| ExitCode::SUCCESS),
                ("redact", _) => filter::run(&store, args).map(|()| ExitCode::SUCCESS),
                (room, _) => {
                    let session = Session::new(&store, style, clock.as_deref(), dry_run::is_asked(args), is_bypassed);
                    in_room(&session, description, room, args)
                }
            };
            // The command's own errors may quote what was typed; the store's errors are already scrubbed.
            return done.map_err(|error| error.scrubbed(|text| store.redactor().scrub(text).into_owned()));
        }
        None => Err(Error::new(ErrorKind::Misuse, "no such command; see `loopmem --help`")),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn in_room(session: &Session<'_>, description: &Description, room: &str, args: &ArgMatches) -> Result<ExitCode> {
    if let Some(done) = human::run(session, description, room, args) {
        return done;
    }
    let (method, params) = typed::params(description, room, args, &|hash| session.repo_hash(hash))?;
    let json = session.call(method, &params)?;
    human::show_result(session, method, &params, json)?;
    Ok(ExitCode::SUCCESS)
}

fn command(description: &Description) -> Command {
    let call = Command::new("call")
        .about("Calls a method, with its params as JSON on standard input")
        .after_long_help(STREAMS)
        .arg(Arg::new("method").help("The method, such as `memory.get`").required_unless_present("lines"))
        .arg(
            Arg::new("lines")
                .long("lines")
                .action(ArgAction::SetTrue)
                .conflicts_with("method")
                .help("Reads one {\"id\",\"method\",\"params\"} per line and answers each with {\"id\",\"result\"} or {\"id\",\"error\"}"),
        );
    Command::new("loopmem")
        .about("Durable, local-first memory for coding agents")
        .version(env!("CARGO_PKG_VERSION"))
        .after_long_help(STREAMS)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("home")
                .help_heading("Global options")
                .long("home")
                .value_name("DIR")
                .global(true)
                .value_hint(clap::ValueHint::DirPath)
                .value_parser(value_parser!(std::path::PathBuf))
                .help("The folder in which everything is stored [default: $CODEX_TOOLLOOP_HOME or ~/.codex-toolloop]"),
        )
        .arg(Arg::new("adapter").help_heading("Global options").long("adapter").value_name("ADAPTER").global(true).help(
            "Where working contexts are stored: file, sqlite, memory, redis://… or rediss://… [default: $WORKING_ADAPTER or file]",
        ))
        .arg(
            Arg::new("options")
                .help_heading("Global options")
                .long("options")
                .value_name("JSON")
                .global(true)
                .help("Further options for opening the store (StoreOptions in the method reference)"),
        )
        .arg(
            Arg::new("timeout-ms")
                .help_heading("Global options")
                .long("timeout-ms")
                .value_name("MS")
                .global(true)
                .value_parser(value_parser!(u32))
                .help("How long to wait for locks, and for answers of a server or of git, in milliseconds; 0 does not wait for locks"),
        )
        .arg(
            Arg::new("json")
                .help_heading("Global options")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Prints results, errors and warnings as JSON, one per line"),
        )
        .subcommands(typed::rooms(description).into_iter().map(|room| human::extend(room, description)))
        .subcommand(filter::command())
        .subcommand(call)
        .subcommands(shell::commands())
}

struct Opened {
    store: Store,
    /// The fixed time of its clock, which tests set.
    clock: Option<String>,
    /// Whether it was opened as temporary, so that items are bypassed.
    is_bypassed: bool,
}

/// Opens the store with these options for its calls.
fn open(matches: &ArgMatches, call: CallOptions) -> Result<Opened> {
    let mut is_bypassed = false;
    let mut options = match matches.get_one::<String>("options") {
        Some(json) => {
            typed::check_json("options", json, r#"an object such as '{"lockTimeoutMs": 100}'"#);
            #[derive(Default, Deserialize)]
            struct Temporary {
                temporary: Option<bool>,
            }
            let asked: Temporary = serde_json::from_str(json).unwrap_or_default();
            is_bypassed = asked.temporary == Some(true);
            Options::from_json(json)?
        }
        None => Options::default(),
    };
    if let Some(home) = matches.get_one::<std::path::PathBuf>("home") {
        options = options.home(home);
    }
    if let Some(adapter) = matches.get_one::<String>("adapter") {
        options = options.adapter(adapter);
    }
    let clock = options.now().map(str::to_owned);
    let timeout = matches.get_one("timeout-ms").map(|ms: &u32| Duration::from_millis((*ms).into()));
    Ok(Opened { store: Store::open(options)?.with(call.timeout(timeout)), clock, is_bypassed })
}
