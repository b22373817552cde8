//! What a person's shell installs: completions and man pages.

use std::io::{self, IsTerminal};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use loopmem::{Error, ErrorKind, Result};

use crate::output::{misused, remark, text};

/// `completions` and `man`.
pub(crate) fn commands() -> [Command; 2] {
    let completions = Command::new("completions")
        .about("Prints a script that completes this command in a shell")
        .after_help("bash: loopmem completions bash > ~/.local/share/bash-completion/completions/loopmem\nzsh:  loopmem completions zsh > DIR/_loopmem, with DIR in $fpath\nfish: loopmem completions fish > ~/.config/fish/completions/loopmem.fish")
        .arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell"));
    let man = Command::new("man")
        .about("Prints a man page, of the whole command or of one of its commands")
        .after_help("loopmem man memory edit | man -l -")
        .arg(Arg::new("command").action(ArgAction::Append).help("The command, such as: memory edit"));
    [completions, man]
}

/// Prints the script of a shell.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn completions(mut command: Command, asked: &ArgMatches) -> Result<()> {
    let Some(shell) = asked.get_one::<Shell>("shell") else { misused("name a shell") };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut command, "loopmem", &mut script);
    text(&String::from_utf8_lossy(&script))
}

/// Prints a man page.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn man(command: Command, asked: &ArgMatches) -> Result<()> {
    // Every command would else have a command `help` with a page of its own.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut named = &command;
    for name in asked.get_many::<String>("command").into_iter().flatten() {
        named = named.find_subcommand(name).unwrap_or_else(|| misused("there is no such command; see loopmem --help"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(named.clone())
        .render(&mut page)
        .map_err(|cause| Error::new(ErrorKind::Io, "the man page cannot be made").because_of(&cause))?;
    if io::stdout().is_terminal() {
        remark("loopmem: this is roff; `loopmem man | man -l -` shows it as a page");
    }
    text(&String::from_utf8_lossy(&page))
}
