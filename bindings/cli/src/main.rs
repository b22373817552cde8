//! The command `loopmem`.
//!
//! `loopmem call METHOD` takes params as JSON on standard input and prints the result as JSON; `loopmem call --lines`
//! serves many calls in one process; `loopmem ROOM VERB --option …` is the typed face, made from the method table.
//! People have verbs of their own in the rooms (`memory add`, `memory edit`, …) and see tables on a terminal.

mod abbreviation;
mod call;
mod filter;
mod human;
mod jsonl;
mod output;
mod session;
mod shell;
mod typed;
mod warnings;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::{Description, describe, guard};
use loopmem::{CallOptions, Error, ErrorKind, Options, Result, Store};

use output::{Style, fail};
use session::Session;

const STREAMS: &str = "\
Results go to standard output, errors and warnings to standard error. On a terminal results are laid out for people; \
elsewhere, in `call` and with --json each is one line of JSON. In `call` and with --json errors and warnings are lines \
of JSON too: a warning is {\"warning\":{\"message\",…}}, an error is {\"code\",\"message\",…,\"retryable\"} and the \
last line. `memory add` prints the new id elsewhere, `context` the pack; with --json they print the whole result.

The exit status is 0 when the call succeeded, 1 when it failed or `doctor` leaves something wrong, and 2 when the \
command was used wrongly, which is told in words. That of `safety scan` is 1 when it found something and 2 when it failed. `call --lines` answers a request that fails with an error in its line, and exits with 0 at the end of input.";

fn main() -> ExitCode {
    // All of it: the payload of a panic may hold anything, and is not printed.
    guard(|| Ok(answered())).unwrap_or_else(|error| fail(&error, Style::Human))
}

fn answered() -> ExitCode {
    let description = describe();
    let matches = command(&description).try_get_matches().unwrap_or_else(|refused| output::refused(refused));
    let called = matches.subcommand_name() == Some("call");
    let style = if called || matches.get_flag("json") { Style::Json } else { Style::Human };
    warnings::show(style);
    match guard(|| run(&description, &matches, style)) {
        Ok(status) => status,
        Err(error) => {
            fail(&error, style);
            matches.subcommand().map_or(ExitCode::FAILURE, |(room, asked)| human::status_of_failure(room, asked))
        }
    }
}

fn run(description: &Description, matches: &ArgMatches, style: Style) -> Result<ExitCode> {
    let done = match matches.subcommand() {
        Some(("completions", asked)) => shell::completions(command(description), asked),
        Some(("man", asked)) => shell::man(command(description), asked),
        Some((name, asked)) => {
            let (store, clock) = open(matches)?;
            let done = match (name, asked.try_get_one::<String>("method").ok().flatten()) {
                ("call", Some(method)) => call::one(&store, method).map(|()| ExitCode::SUCCESS),
                ("call", None) => call::lines(&store).map(|()| ExitCode::SUCCESS),
                ("redact", _) => filter::run(&store, asked).map(|()| ExitCode::SUCCESS),
                (room, _) => {
                    let session = Session::new(&store, style, clock.as_deref());
                    in_room(&session, description, room, asked)
                }
            };
            // What the command says by itself may show what was typed; what the store says is scrubbed already.
            return done.map_err(|error| error.scrubbed(|text| store.safety().scrub(text).into_owned()));
        }
        None => Err(Error::new(ErrorKind::Misuse, "no such command; see loopmem --help")),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn in_room(session: &Session<'_>, description: &Description, room: &str, asked: &ArgMatches) -> Result<ExitCode> {
    if let Some(done) = human::run(session, description, room, asked) {
        return done;
    }
    let (method, params) = typed::params(description, room, asked, &|hash| session.repo_hash(hash))?;
    let json = session.call(method, &params)?;
    human::answered(session, method, &params, json)?;
    Ok(ExitCode::SUCCESS)
}

fn command(description: &Description) -> Command {
    let call = Command::new("call")
        .about("Calls a method with params as JSON from standard input")
        .after_long_help(STREAMS)
        .arg(Arg::new("method").help("The method, such as memory.get").required_unless_present("lines"))
        .arg(
            Arg::new("lines")
                .long("lines")
                .action(ArgAction::SetTrue)
                .conflicts_with("method")
                .help("Reads one {\"id\",\"method\",\"params\"} a line and answers each with {\"id\",\"result\"} or {\"id\",\"error\"}"),
        );
    Command::new("loopmem")
        .about("Durable, local-first memory for coding agents")
        .version(env!("CARGO_PKG_VERSION"))
        .after_long_help(STREAMS)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("home")
                .help_heading("Everywhere")
                .long("home")
                .value_name("DIR")
                .global(true)
                .value_hint(clap::ValueHint::DirPath)
                .value_parser(value_parser!(std::path::PathBuf))
                .help("The folder that holds everything [default: $CODEX_TOOLLOOP_HOME or ~/.codex-toolloop]"),
        )
        .arg(Arg::new("adapter").help_heading("Everywhere").long("adapter").value_name("ADAPTER").global(true).help(
            "Where working contexts are kept: file, sqlite, memory, redis://… or rediss://… [default: $WORKING_ADAPTER or file]",
        ))
        .arg(
            Arg::new("options")
                .help_heading("Everywhere")
                .long("options")
                .value_name("JSON")
                .global(true)
                .help("What else the store is opened with (StoreOptions in the method reference)"),
        )
        .arg(
            Arg::new("timeout-ms")
                .help_heading("Everywhere")
                .long("timeout-ms")
                .value_name("MS")
                .global(true)
                .value_parser(value_parser!(u32))
                .help("The longest wait, for locks and for answers of a server; 0 waits for nobody"),
        )
        .arg(
            Arg::new("json")
                .help_heading("Everywhere")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Prints results and errors as JSON on one line"),
        )
        .subcommands(typed::rooms(description).into_iter().map(|room| human::extend(room, description)))
        .subcommand(filter::command())
        .subcommand(call)
        .subcommands(shell::commands())
}

/// The store, and the time at which a test lets its clock stand still.
fn open(matches: &ArgMatches) -> Result<(Store, Option<String>)> {
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
    let clock = options.now().map(str::to_owned);
    let call = CallOptions::new().timeout_ms(matches.get_one("timeout-ms").copied());
    Ok((Store::open(options)?.with(call), clock))
}
