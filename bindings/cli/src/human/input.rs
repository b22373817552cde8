//! What a person says: a text in the arguments or through a pipe, and the answer to a question.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::{Error, ErrorKind, Result};

/// The words at the end of a command, which are one text.
pub(crate) fn words(help: &str) -> Arg {
    Arg::new("text").value_name("TEXT").action(ArgAction::Append).help(help.to_owned())
}

/// Those words; `-` alone is whatever comes through the pipe.
///
/// # Errors
/// As [`piped`].
pub(crate) fn spoken(asked: &ArgMatches) -> Result<Option<String>> {
    let Some(words) = asked.get_many::<String>("text") else { return Ok(None) };
    let words: Vec<&str> = words.map(String::as_str).collect();
    if words == ["-"] { read() } else { Ok(Some(words.join(" "))) }
}

/// What comes through a pipe; `None` when there is none or nothing comes.
///
/// # Errors
/// `IOError`; `ValidationError` when it is no UTF-8.
pub(crate) fn piped() -> Result<Option<String>> {
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

/// Whether a person sits at the input.
pub(crate) fn is_typed() -> bool {
    io::stdin().is_terminal()
}

/// Whether a question would be seen and can be answered.
pub(crate) fn can_ask() -> bool {
    is_typed() && io::stderr().is_terminal()
}

/// Asks; the empty answer is `default`, and no answer is no.
pub(crate) fn agreed(question: &str, default: bool) -> bool {
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
