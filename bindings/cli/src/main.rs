//! The command `loopmem`.
//!
//! `loopmem call METHOD` takes params as JSON on standard input and prints the result as JSON; `loopmem call --lines`
//! serves many calls in one process; `loopmem ROOM VERB --option …` is the typed face, made from the method table. A
//! failed call exits with 1 and says why on standard error, wrong usage with 2.

mod call;
mod output;
mod typed;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use loopmem::methods::{CallOptions, describe};
use loopmem::{Error, Options, Result, Store};

use output::{Style, fail};

fn main() -> ExitCode {
    // What is skipped is never skipped in silence.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_target(false)
        .without_time()
        .init();
    let description = describe();
    let matches = command(&description).get_matches();
    let style = if matches.get_flag("json") { Style::Json } else { Style::People };
    match matches.subcommand() {
        Some(("call", call)) => {
            let outcome = open(&matches).and_then(|store| {
                let options = call_options(&matches);
                match call.get_one::<String>("method") {
                    Some(method) => call::one(&store, method, options),
                    None => call::lines(&store, &options),
                }
            });
            finish(outcome, Style::Json)
        }
        Some((room, matched)) => {
            let outcome = typed::params(&description, room, matched).and_then(|(method, params)| {
                let result = loopmem::methods::dispatch(&open(&matches)?, method, &params, call_options(&matches))?;
                output::result(&result, style)
            });
            finish(outcome, style)
        }
        None => ExitCode::from(2),
    }
}

fn command(description: &loopmem::methods::Description) -> Command {
    let call = Command::new("call")
        .about("Calls a method with params as JSON from standard input")
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

fn call_options(matches: &ArgMatches) -> CallOptions {
    CallOptions { timeout_ms: matches.get_one("timeout-ms").copied(), ..CallOptions::default() }
}

fn finish(outcome: Result<(), Error>, style: Style) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error, style),
    }
}
