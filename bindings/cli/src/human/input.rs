//! Input from the user: text in the arguments or from a pipe, and answers to questions.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::{Error, ErrorKind, Result};

/// The positional argument TEXT, whose words are joined.
pub(crate) fn text_words(help: &str) -> Arg {
    Arg::new("text").value_name("TEXT").action(ArgAction::Append).help(help.to_owned())
}

/// The value of TEXT; a single `-` reads standard input.
///
/// # Errors
/// As [`piped`].
pub(crate) fn text_argument(args: &ArgMatches) -> Result<Option<String>> {
    let Some(words) = args.get_many::<String>("text") else { return Ok(None) };
    let words: Vec<&str> = words.map(String::as_str).collect();
    if words == ["-"] { read() } else { Ok(Some(words.join(" "))) }
}

/// Reads standard input if it is not a terminal; `None` if it is one or the input is blank.
///
/// # Errors
/// `IOError`; `ValidationError` if it is not UTF-8.
pub(crate) fn read_pipe() -> Result<Option<String>> {
    if io::stdin().is_terminal() { Ok(None) } else { read() }
}

fn read() -> Result<Option<String>> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|cause| Error::new(ErrorKind::Io, "could not read standard input").because_of(&cause))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::validation("standard input is not UTF-8"))?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Whether standard input is a terminal.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Whether a question can be shown and answered.
pub(crate) fn can_prompt() -> bool {
    stdin_is_terminal() && io::stderr().is_terminal()
}

/// Asks a yes-or-no question; an empty answer is `default`, end of input is no.
pub(crate) fn confirm(question: &str, default: bool) -> bool {
    let mut err = io::stderr().lock();
    let _ = err.write_all(question.as_bytes()).and_then(|()| err.flush());
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(1..) => match answer.trim().to_lowercase().as_str() {
            "" => default,
            word => matches!(word, "y" | "yes"),
        },
        _ => {
            let _ = err.write_all(b"\n");
            false
        }
    }
}
