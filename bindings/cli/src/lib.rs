//! The command `loopmem`, as a program and as a part of the Node and Python packages, so that each package contains the core
//! only once.
//!
//! `loopmem call METHOD` reads params as JSON from standard input and prints the result as JSON; `loopmem call --lines`
//! serves many calls in one process; `loopmem ROOM VERB --option …` is generated from the method table. The rooms also
//! have commands for people (`memory add`, `memory edit`, …), whose results are formatted as tables on a terminal.

mod abbreviation;
mod agents;
mod call;
mod dry_run;
mod filter;
mod human;
mod interrupt;
mod jsonl;
mod lines;
mod listing;
mod mcp;
mod naming;
mod output;
mod pieces;
mod session;
mod shell;
mod strict;
mod typed;
mod warnings;
mod wording;

use std::ffi::OsString;
use std::time::Duration;

use chrono::DateTime;
use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
use clap::{Arg, ArgMatches, Command, value_parser};
use loopmem::methods::{Description, describe, guard};
use loopmem::{CallOptions, Options, Result, Store};

use human::arguments::{flag, option};
use interrupt::Signals;
use listing::Listing;
use output::{ExitCode, Format, Style, fail};
use session::Session;

const STREAMS: &str = "\
Results are written to standard output, errors and warnings to standard error. On a terminal, results are formatted \
for reading. Elsewhere, a list is a line for each entry, with tabs between its columns, and what is made for a model, such as \
`context`, `items recall` and `index map`, is its text; other results are one line of JSON. --format says it otherwise. With \
`call` or --json, every result is one line of JSON, and errors and warnings are lines of JSON too: a warning is \
{\"warning\":{\"message\",…}}; an error is {\"code\",\"message\",…,\"retryable\"} and is always the last line.

The exit status is 0 on success, 2 if what was passed is wrong, such as an option or a value, and 1 if the command failed for \
another reason, `doctor` found problems that remain or an import of items skipped a line; usage errors are always plain text. \
`safety scan` exits with 1 if it found a secret and 2 if it failed. `call --lines` reports a failed request as an error on its line, and \
exits with 0 at the end of input.";
/// The help of options.
const LINES: &str = "\
Reads one {\"id\",\"method\",\"params\"} per line and answers each with {\"id\",\"result\"} or {\"id\",\"error\"}";
const HOME: &str = "The folder in which everything is stored [default: $CODEX_TOOLLOOP_HOME or ~/.codex-toolloop]";
const FORMAT: &str = "format";
const FORMAT_HELP: &str = "\
How results are printed: `text` as on a terminal, lists as a `table` or as `tsv` without a head, `json`, or `jsonl` with a line \
for each entry";
const ADAPTER: &str = "\
Where working contexts are stored: file, sqlite, memory, redis://… or rediss://… [default: $WORKING_ADAPTER or file]";
const TIMEOUT: &str = "\
How long to wait for locks, and for answers of a server or of git, in milliseconds; 0 does not wait for locks";

/// Runs the command with its arguments, and returns its exit status. A process does this once: what the command learns, such as
/// the format of its output, holds for the process; and it ends the process by itself if a pipe of its output is closed, or if
/// the arguments are wrong.
///
/// `program` are the words by which a configuration or another process starts this command, such as `npx -y loopmem`; if
/// there are none, this program is the command.
#[must_use]
pub fn run(program: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    human::environment::learn(program, arguments);
    // Guards everything: the payload of a panic may contain anything, so it is never printed.
    guard(|| Ok(execute())).unwrap_or_else(|error| fail(&error, Style::Human)).as_u8()
}

fn execute() -> ExitCode {
    // Known without the tree of commands, which takes most of the time of a start.
    if let [only] = human::environment::arguments()
        && (only == "--version" || only == "-V")
    {
        let shown = output::text(concat!("loopmem ", env!("CARGO_PKG_VERSION")));
        return shown.map_or_else(|error| fail(&error, Style::Human), |()| ExitCode::SUCCESS);
    }
    let description = describe();
    wording::learn(human::command_of);
    let parse = || {
        let mut command = command(&description);
        let matches = command.try_get_matches_from_mut(with_values(human::environment::arguments()));
        (command, matches)
    };
    let (command, matches) = match parse() {
        (_, Err(shown)) if !shown.use_stderr() || shown.kind() == DisplayHelpOnMissingArgumentOrSubcommand => {
            wording::describe();
            parse()
        }
        parsed => parsed,
    };
    let matches = match matches {
        Ok(matches) => matches,
        // With the usual status, an agent would take it for an order.
        Err(refused) if refused.use_stderr() && agents::hook::is_asked(human::environment::arguments()) => {
            output::notice("loopmem: a hook was given arguments that it does not know; see `loopmem hook --help`");
            return ExitCode::SUCCESS;
        }
        Err(refused) => output::refused(refused),
    };
    wording::speak_of(&command, &matches);
    let asks_for_json = |(name, args)| name == "call" || (human::room(name).wants_json)(args);
    let format = format(&matches);
    output::set_format(format);
    let is_json = matches.get_flag("json")
        || matches!(format, Some(Format::Json | Format::Jsonl))
        || matches.subcommand().is_some_and(asks_for_json);
    let style = if is_json { Style::Json } else { Style::Human };
    warnings::show(style);
    match guard(|| dispatch(&description, &matches, style)) {
        Ok(status) => status,
        Err(error) => {
            let status = fail(&error, style);
            let of_command = matches.subcommand().and_then(|(name, args)| (human::room(name).status_of_failure)(args));
            of_command.unwrap_or(status)
        }
    }
}

/// The arguments, in which a value such as `- one` belongs to the option before it: no option has white space in it.
fn with_values(arguments: &[OsString]) -> Vec<OsString> {
    let is_value = |it: &str| it.starts_with('-') && it.contains(char::is_whitespace) && !it.starts_with("--");
    let mut joined: Vec<OsString> = vec!["loopmem".into()];
    for argument in arguments {
        let option = joined.last_mut().filter(|last| {
            let last = last.to_str().unwrap_or_default();
            last.len() > 2 && last.starts_with("--") && !last.contains(|it: char| it == '=' || it.is_whitespace())
        });
        match option {
            Some(option) if argument.to_str().is_some_and(is_value) => {
                option.push("=");
                option.push(argument);
            }
            _ => joined.push(argument.clone()),
        }
    }
    joined
}

/// The format of results that was asked for.
fn format(matches: &ArgMatches) -> Option<Format> {
    // `safety scan` has formats of its own.
    matches.try_get_one(FORMAT).ok().flatten().copied()
}

fn dispatch(description: &Description, matches: &ArgMatches, style: Style) -> Result<ExitCode> {
    let described = || {
        wording::describe();
        command(description)
    };
    let done = match matches.subcommand() {
        Some(("completions", args)) => shell::completions(described(), args),
        Some(("man", args)) => shell::man(described(), args),
        Some((name, args)) => {
            let shows_progress = style == Style::Human && name != "call";
            let room = human::room(name);
            let signals = Signals::new();
            let is_cancelled = (room.is_cancelled_by_signals)(args);
            if is_cancelled || name == "call" {
                signals.listen();
            }
            let progress = human::progress::of_calls((room.steps)(args), shows_progress);
            let timeout = matches.get_one("timeout-ms").map(|ms: &u32| Duration::from_millis((*ms).into()));
            let options = options(matches, name != "call")?;
            let clock = options.now().and_then(|time| DateTime::parse_from_rfc3339(time).ok());
            let is_bypassed = options.is_temporary();
            let call = CallOptions::new().progress(progress).cancel(&signals.cancel()).timeout(timeout);
            let store = Store::open(options)?.with(call);
            let done = match (name, args.try_get_one::<String>("method").ok().flatten()) {
                ("call", Some(method)) => call::one(&store, method, &signals).map(|()| ExitCode::SUCCESS),
                ("call", None) => call::lines(&store, &signals).map(|()| ExitCode::SUCCESS),
                ("hook", _) => Ok(agents::hook::run(&store, args)),
                ("mcp", _) => mcp::run(&store, timeout, args),
                ("redact", _) => filter::run(&store, args).map(|()| ExitCode::SUCCESS),
                (name, _) => {
                    let is_dry_run = dry_run::is_asked(args);
                    let now = clock.map_or_else(human::environment::now, |time| time.to_utc());
                    let has_fixed_clock = clock.is_some();
                    let of_all = session(&store, description, matches, style);
                    let session = Session { is_dry_run, is_bypassed, now, has_fixed_clock, ..of_all };
                    let run = || match name {
                        "agents" => agents::instructions::run(&session, args),
                        _ => (room.run)(&session, args).unwrap_or_else(|| generated(&session, name, args)),
                    };
                    if is_cancelled { signals.during(run) } else { run() }
                }
            };
            // The command's own errors may quote what was typed; the store's errors are already scrubbed.
            return done.map_err(|error| error.scrubbed(|text| store.redactor().scrub(text).into_owned()));
        }
        None => {
            let timeout = matches.get_one("timeout-ms").map(|ms: &u32| Duration::from_millis((*ms).into()));
            let store = Store::open(options(matches, true)?)?.with(CallOptions::new().timeout(timeout));
            let session = session(&store, description, matches, style);
            return human::status::short(&session)
                .map_err(|error| error.scrubbed(|text| store.redactor().scrub(text).into_owned()));
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// What all commands share.
fn session<'s>(store: &'s Store, description: &'s Description, matches: &ArgMatches, style: Style) -> Session<'s> {
    Session {
        store,
        description,
        style,
        format: format(matches),
        listing: Listing::of(matches),
        is_dry_run: false,
        is_bypassed: false,
        now: human::environment::now(),
        has_fixed_clock: false,
    }
}

/// Runs a command that is generated from the method table.
fn generated(session: &Session<'_>, room: &str, args: &ArgMatches) -> Result<ExitCode> {
    let (method, params) = session.generated(room, args)?;
    let json = session.call_json(method, &params)?;
    human::show_result(session, method, &params, json)?;
    Ok(ExitCode::SUCCESS)
}

fn command(description: &Description) -> Command {
    let call = Command::new("call")
        .about("Calls a method, with its params as JSON on standard input")
        .after_long_help(STREAMS)
        .arg(Arg::new("method").help("The method, such as `memory.get`").required_unless_present("lines"))
        .arg(flag("lines", LINES).conflicts_with("method"));
    let global = [
        option("home", "DIR", HOME)
            .value_hint(clap::ValueHint::DirPath)
            .value_parser(value_parser!(std::path::PathBuf)),
        option("adapter", "ADAPTER", ADAPTER),
        option("options", "JSON", "Further options for opening the store (StoreOptions in the method reference)"),
        option("timeout-ms", "MS", TIMEOUT).value_parser(value_parser!(u32)),
        flag("create", "Stores under a --repo-hash that nothing was ever stored under"),
        flag("json", "Prints results, errors and warnings as JSON, one per line"),
        option(FORMAT, "FORMAT", FORMAT_HELP).value_parser(value_parser!(Format)).conflicts_with("json"),
    ];
    Command::new("loopmem")
        .about("Durable, local-first memory for coding agents")
        .version(env!("CARGO_PKG_VERSION"))
        .after_long_help(STREAMS)
        // In a repository, `loopmem` alone says where it stands.
        .subcommand_required(!human::environment::is_in_repository())
        .arg_required_else_help(!human::environment::is_in_repository())
        .args(global.map(|option| option.help_heading("Global options").global(true)))
        .subcommands(typed::rooms(description).into_iter().map(|room| human::extend(room, description)))
        .subcommand(human::browse::command(description))
        .subcommand(filter::command())
        .subcommand(mcp::command())
        .subcommand(agents::hook::command())
        .subcommand(agents::instructions::command())
        .subcommand(human::merge_driver::command())
        .subcommands(human::install::commands())
        .subcommand(call)
        .subcommands(shell::commands())
}

/// The options for opening the store; more is checked if `is_typed` by a person.
fn options(matches: &ArgMatches, is_typed: bool) -> Result<Options> {
    let mut options = match matches.get_one::<String>("options") {
        Some(json) => {
            typed::check_json("options", json, r#"an object such as '{"lockTimeoutMs": 100}'"#);
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
    if !is_typed {
        return Ok(options);
    }
    // What a program replaces is its own concern, and it pays for every write.
    Ok(options.keep_replaced_by_default().known_repos_only(!matches.get_flag("create")))
}
