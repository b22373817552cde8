//! Input from the user: text in the arguments or from a pipe, and answers to questions.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use clap::ArgMatches;
use loopmem::{Error, ErrorKind, Result};

use crate::output::{notice, usage_error};

/// The longest input that is read at once, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The value of TEXT; a single `-` reads standard input.
///
/// # Errors
/// As [`read`].
pub(crate) fn text_argument(args: &ArgMatches) -> Result<Option<String>> {
    let Some(words) = args.get_many::<String>("text") else { return Ok(None) };
    let words: Vec<&str> = words.map(String::as_str).collect();
    if words == ["-"] { not_blank(read()?) } else { Ok(Some(words.join(" "))) }
}

/// The value of TEXT or, without it, of a [pipe](read_pipe).
///
/// # Errors
/// As [`read`].
pub(crate) fn text_or_pipe(args: &ArgMatches) -> Result<Option<String>> {
    if args.contains_id("text") { text_argument(args) } else { read_pipe() }
}

/// Reads standard input if it is not a terminal; `None` if it is one or the input is blank.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_pipe() -> Result<Option<String>> {
    if stdin_is_terminal() { Ok(None) } else { not_blank(read()?) }
}

fn not_blank(text: String) -> Result<Option<String>> {
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Reads standard input to its end.
///
/// # Errors
/// `IOError`; `ValidationError` if it is not UTF-8, or too long.
pub(crate) fn read() -> Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|cause| unreadable(&cause))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::validation(format!("standard input has more than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| Error::validation("standard input is not UTF-8"))
}

pub(crate) fn unreadable(cause: &io::Error) -> Error {
    Error::new(ErrorKind::Io, "could not read standard input").because_of(cause)
}

/// On a terminal, says that the command is reading input; otherwise it would appear to hang.
pub(crate) fn announce(expected: &str) {
    if can_prompt() {
        notice(&format!("loopmem: reading {expected}; end with Ctrl-D"));
    }
}

/// Whether standard input is a terminal.
pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Whether a question can be shown and answered.
fn can_prompt() -> bool {
    stdin_is_terminal() && io::stderr().is_terminal()
}

/// Returns whether the command asks nothing: because of `--yes`, or because its input is not a terminal.
pub(crate) fn is_confirmed(args: &ArgMatches) -> bool {
    args.get_flag("yes") || !stdin_is_terminal()
}

/// Asks before the command does what `verb` says, unless it [is confirmed](is_confirmed).
///
/// # Errors
/// `Cancelled` with the message `declined`; those of `question`.
pub(crate) fn confirm_to(
    verb: &str,
    args: &ArgMatches,
    declined: &str,
    question: impl FnOnce() -> Result<String>,
) -> Result<()> {
    if is_confirmed(args) {
        return Ok(());
    }
    if !can_prompt() {
        usage_error(&format!("cannot ask for confirmation here; add --yes to {verb} without asking"));
    }
    match confirm(&question()?, false) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Cancelled, declined)),
    }
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
