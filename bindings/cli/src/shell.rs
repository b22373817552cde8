//! Shell completions and man pages.

use std::io::{self, IsTerminal};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use loopmem::{Error, ErrorKind, Result};

use crate::output::{notice, text, usage_error};

/// `completions` and `man`.
pub(crate) fn commands() -> [Command; 2] {
    let completions = Command::new("completions")
        .about("Prints a completion script for a shell")
        .after_help("bash: loopmem completions bash > ~/.local/share/bash-completion/completions/loopmem\nzsh:  loopmem completions zsh > DIR/_loopmem, with DIR in $fpath\nfish: loopmem completions fish > ~/.config/fish/completions/loopmem.fish")
        .arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell"));
    let man = Command::new("man")
        .about("Prints the man page of loopmem or of one of its commands")
        .after_help("loopmem man memory edit | man -l -")
        .arg(Arg::new("command").action(ArgAction::Append).help("The command, such as `memory edit`"));
    [completions, man]
}

/// Prints a shell's completion script.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn completions(mut command: Command, args: &ArgMatches) -> Result<()> {
    let Some(shell) = args.get_one::<Shell>("shell") else { usage_error("specify a shell") };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, "loopmem", &mut script);
    text(&String::from_utf8_lossy(&script))
}

/// Prints a man page.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn man(command: Command, args: &ArgMatches) -> Result<()> {
    // Otherwise every command would have a subcommand `help` with a separate page.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut named = &command;
    for name in args.get_many::<String>("command").into_iter().flatten() {
        named = named.find_subcommand(name).unwrap_or_else(|| usage_error("no such command; see `loopmem --help`"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(named.clone())
        .render(&mut page)
        .map_err(|cause| Error::new(ErrorKind::Io, "could not generate the man page").because_of(&cause))?;
    if io::stdout().is_terminal() {
        notice("loopmem: the page is in roff format; to read it, run `loopmem man | man -l -`");
    }
    text(&String::from_utf8_lossy(&page))
}
