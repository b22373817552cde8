//! What the command prints.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

/// Whom it is printed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// JSON in lines on a terminal, on one line elsewhere; errors and warnings as text.
    People,
    /// JSON on one line, errors and warnings too.
    Json,
}

/// Prints a result.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn result(json: String, style: Style) -> Result<()> {
    if style == Style::People
        && io::stdout().is_terminal()
        && let Ok(value) = serde_json::from_str::<Value>(&json)
    {
        return print(format!("{value:#}").into_bytes());
    }
    line(json)
}

/// Prints JSON on one line, at once.
///
/// # Errors
/// As [`result`].
pub(crate) fn line(json: String) -> Result<()> {
    let mut bytes = json.into_bytes();
    // A record that a person wrapped comes back with that person's line breaks. In JSON they are mere space.
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    print(bytes)
}

fn print(mut text: Vec<u8>) -> Result<()> {
    text.push(b'\n');
    let mut out = io::stdout().lock();
    match out.write_all(&text).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // Whoever read has gone: nobody is told, but it is no success, since what was asked was not answered.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(1),
        Err(cause) => Err(Error::new(ErrorKind::Io, "could not write to standard output").because(cause)),
    }
}

/// Prints an error.
pub(crate) fn fail(error: &Error, style: Style) -> ExitCode {
    let text = match style {
        Style::People => format!("loopmem: {error}"),
        Style::Json => error.to_json(),
    };
    // When standard error is closed too there is only the status left.
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}
