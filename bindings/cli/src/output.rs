//! What the command prints.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style as Colour};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

/// Whom it is printed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// On a terminal laid out for people, or as JSON in lines; on one line elsewhere; errors and warnings as text.
    People,
    /// JSON on one line, errors and warnings too.
    Json,
}

/// Prints a result as JSON.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn result(json: String, style: Style) -> Result<()> {
    if style == Style::People
        && io::stdout().is_terminal()
        && let Ok(value) = serde_json::from_str::<Value>(&json)
    {
        return text(&crate::people::screen::tame(&format!("{value:#}")));
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
    bytes.push(b'\n');
    print(io::stdout().lock(), &bytes)
}

/// Prints text as it is, and ends its last line.
///
/// # Errors
/// As [`result`].
pub(crate) fn text(text: &str) -> Result<()> {
    print(io::stdout().lock(), ended(text).as_bytes())
}

/// Prints text that was laid out for a terminal; colours are left out where they are not wanted (`NO_COLOR`).
///
/// # Errors
/// As [`result`].
pub(crate) fn screen(text: &str) -> Result<()> {
    print(AutoStream::auto(io::stdout().lock()), ended(text).as_bytes())
}

/// Tells a person something that is no result.
pub(crate) fn remark(text: &str) {
    // When standard error is closed nobody wants to know.
    let _ = AutoStream::auto(io::stderr().lock()).write_all(ended(text).as_bytes());
}

fn ended(text: &str) -> String {
    format!("{text}{}", if text.ends_with('\n') { "" } else { "\n" })
}

fn print(mut out: impl Write, text: &[u8]) -> Result<()> {
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // Whoever read has gone: nobody is told, but it is no success, since what was asked was not answered.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(1),
        Err(cause) => Err(Error::new(ErrorKind::Io, "could not write to standard output").because(cause)),
    }
}

/// Prints an error.
pub(crate) fn fail(error: &Error, style: Style) -> ExitCode {
    match style {
        Style::People if io::stderr().is_terminal() => {
            let red = Colour::new().fg_color(Some(AnsiColor::Red.into())).bold();
            let told = crate::people::screen::tame(&error.to_string());
            remark(&format!("{red}loopmem:{red:#} {told}{}", advice(error)));
        }
        // When standard error is closed too there is only the status left.
        Style::People => drop(writeln!(io::stderr(), "loopmem: {error}")),
        Style::Json => drop(writeln!(io::stderr(), "{}", error.to_json())),
    }
    ExitCode::FAILURE
}

/// What a person can do about it, where the message itself does not say.
fn advice(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::LockAcquisition => "; try again, or wait longer with --timeout-ms",
        ErrorKind::SecretRefused => "; take the secret out and try again",
        ErrorKind::FormatTooNew => "; update loopmem",
        ErrorKind::Panic => "; please report this",
        _ => "",
    }
}

/// Ends the command because it was used wrongly.
pub(crate) fn misused(message: &str) -> ! {
    clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, format!("{message}\n")).exit()
}
