//! What the command prints.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

/// Whom it is printed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// JSON in lines on a terminal, on one line elsewhere; errors as text.
    People,
    /// JSON on one line.
    Json,
}

/// Prints a result.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn result(json: &str, style: Style) -> Result<()> {
    if style == Style::People
        && io::stdout().is_terminal()
        && let Ok(value) = serde_json::from_str::<Value>(json)
    {
        return line(&format!("{value:#}"));
    }
    line(json)
}

/// Prints one line, at once.
///
/// # Errors
/// As [`result`].
pub(crate) fn line(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // Whoever read has seen enough.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
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
