//! The command `loopmem`.
//!
//! `loopmem call METHOD` takes params as JSON on standard input and prints the result as JSON; `loopmem call --lines`
//! serves many calls in one process; `loopmem ROOM VERB --option …` is the typed face, made from the method table.

mod call;
mod output;
mod typed;
mod warnings;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::{CallOptions, Description, describe, dispatch, guard};
use loopmem::{Error, ErrorKind, Options, Result, Store};

use output::{Style, fail};

const STREAMS: &str = "\
Results go to standard output, errors and warnings to standard error. In `call` and with --json each is one line of \
JSON: a warning is {\"warning\":{\"message\",…}}, an error is {\"code\",\"message\",…,\"retryable\"} and the last line.

The exit status is 0 when the call succeeded, 1 when it failed, and 2 when the command was used wrongly, which is told \
in words. `call --lines` answers a request that fails with an error in its line, and exits with 0 at the end of input.";

fn main() -> ExitCode {
    let description = describe();
    let matches = command(&description).get_matches();
    let called = matches.subcommand_name() == Some("call");
    let style = if called || matches.get_flag("json") { Style::Json } else { Style::People };
    warnings::show(style);
    match guard(|| run(&description, &matches, style)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, style),
    }
}

fn run(description: &Description, matches: &ArgMatches, style: Style) -> Result<()> {
    let options = CallOptions { timeout_ms: matches.get_one("timeout-ms").copied(), ..CallOptions::default() };
    match matches.subcommand() {
        Some(("call", call)) => match call.get_one::<String>("method") {
            Some(method) => call::one(&open(matches)?, method, options),
            None => call::lines(&open(matches)?, &options),
        },
        Some((room, matched)) => {
            let (method, params) = typed::params(description, room, matched)?;
            output::result(dispatch(&open(matches)?, method, &params, options)?, style)
        }
        None => Err(Error::new(ErrorKind::Misuse, "no such command; see loopmem --help")),
    }
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
                .long("home")
                .value_name("DIR")
                .global(true)
                .value_parser(value_parser!(std::path::PathBuf))
                .help("The folder that holds everything [default: $CODEX_TOOLLOOP_HOME or ~/.codex-toolloop]"),
        )
        .arg(
            Arg::new("options")
                .long("options")
                .value_name("JSON")
                .global(true)
                .help("What else the store is opened with (StoreOptions in the method reference)"),
        )
        .arg(
            Arg::new("timeout-ms")
                .long("timeout-ms")
                .value_name("MS")
                .global(true)
                .value_parser(value_parser!(u32))
                .help("The longest wait for a lock"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Prints results and errors as JSON on one line"),
        )
        .subcommand(call)
        .subcommands(typed::rooms(description))
}

fn open(matches: &ArgMatches) -> Result<Store> {
    let mut options = match matches.get_one::<String>("options") {
        Some(json) => Options::from_json(json)?,
        None => Options::default(),
    };
    if let Some(home) = matches.get_one::<std::path::PathBuf>("home") {
        options.home = Some(home.clone());
    }
    Store::open(options).map_err(|error| error.in_operation("open"))
}
