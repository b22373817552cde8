//! What the command prints.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style as Colour};
use clap::error::ContextValue;
use loopmem::methods::{scrub, writes};
use loopmem::safety::{escape_controls, escape_controls_on_one_line, is_steering};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::human::screen::tame;

/// Whom it is printed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// On a terminal laid out for people, or as JSON in lines; on one line elsewhere; errors and warnings as text.
    Human,
    /// JSON on one line, errors and warnings too.
    Json,
}

/// How much of a line of a usage error is searched for secrets, and how much of it is shown, in characters.
const MOST_SEARCHED: usize = 64 << 10;
const MOST_SHOWN: usize = 1_000;

/// Prints a result as JSON.
///
/// # Errors
/// `IOError` when standard output cannot be written to.
pub(crate) fn result(json: String, style: Style) -> Result<()> {
    if style == Style::Json || !io::stdout().is_terminal() {
        return line(json);
    }
    // What is nested too deeply to be laid out is shown as it is.
    let shown = serde_json::from_str::<Value>(&json).map_or(json, |value| format!("{value:#}"));
    text(&tame(&shown))
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

/// Whether a method that changes what is stored has answered in this process.
static HAS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Notes what `method` has `answered`: what it was to store is stored then, whether its answer can be printed or not.
pub(crate) fn noting<T>(method: &str, answered: Result<T>) -> Result<T> {
    if answered.is_ok() && writes(method) {
        HAS_WRITTEN.store(true, Ordering::Relaxed);
    }
    answered
}

fn print(mut out: impl Write, text: &[u8]) -> Result<()> {
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // Whoever read has gone: nobody is told, but it is no success, since what was asked was not answered.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(1),
        Err(cause) => {
            let error = Error::new(ErrorKind::Io, "could not write to standard output").because_of(&cause);
            Err(if HAS_WRITTEN.load(Ordering::Relaxed) { error.maybe_stored() } else { error })
        }
    }
}

/// Prints an error, without secrets and, for people, with its control characters escaped: it may name a file, and anybody
/// makes file names.
pub(crate) fn fail(error: &Error, style: Style) -> ExitCode {
    let error = &error.clone().scrubbed(scrub);
    let shown = format!("{error:#}");
    let shown = escape_controls(&shown);
    match style {
        Style::Human if io::stderr().is_terminal() => {
            let red = Colour::new().fg_color(Some(AnsiColor::Red.into())).bold();
            remark(&format!("{red}loopmem:{red:#} {shown}{}{}", doubt(error), advice(error)));
        }
        // When standard error is closed too there is only the status left.
        Style::Human => drop(writeln!(io::stderr(), "loopmem: {shown}{}", doubt(error))),
        Style::Json => drop(writeln!(io::stderr(), "{}", error.to_json())),
    }
    ExitCode::FAILURE
}

/// What `mayBeStored` says in the JSON of an error.
fn doubt(error: &Error) -> &'static str {
    if error.may_be_stored() { "; the change may have been stored: check before you try again" } else { "" }
}

/// What a person can do about it, where the message itself does not say.
fn advice(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::LockAcquisition => "; try again, or wait longer with --timeout-ms",
        ErrorKind::SecretRefused => "; take the secret out and try again",
        ErrorKind::FormatTooNew => "; update loopmem",
        ErrorKind::Internal => "; please report this",
        _ => "",
    }
}

/// Ends the command because it was used wrongly.
pub(crate) fn misused(message: &str) -> ! {
    refused(clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, format!("{message}\n")))
}

/// Ends the command with what clap says of its arguments. Its errors show what was typed, which may be a secret, hold
/// control characters, or be very long; help and the version do not.
pub(crate) fn refused(error: clap::Error) -> ! {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion) {
        error.exit();
    }
    let mut error = error;
    let typed: Vec<_> = error.context().filter_map(|(kind, value)| Some((kind, steering(value)?))).collect();
    let steers = !typed.is_empty();
    for (kind, escaped) in typed {
        error.insert(kind, ContextValue::String(escaped));
    }
    let plain = error.render().to_string();
    let fit = fit_to_show(&plain);
    // Styles would hide a secret's edges, and are no different from what steers the terminal: they are kept only where
    // there is nothing to take out.
    let shown = if fit == plain && !steers { error.render().ansi().to_string() } else { fit };
    // When standard error is closed there is only the status left.
    let _ = AutoStream::auto(io::stderr().lock()).write_all(shown.as_bytes());
    std::process::exit(error.exit_code())
}

/// What was typed, escaped, where it holds control characters.
fn steering(value: &ContextValue) -> Option<String> {
    let typed = match value {
        ContextValue::String(typed) => typed.clone(),
        ContextValue::Strings(typed) => typed.join(", "),
        _ => return None,
    };
    typed.contains(is_steering).then(|| escape_controls_on_one_line(&typed).into_owned())
}

/// `text` without secrets and control characters, and with no line much longer than a screen.
fn fit_to_show(text: &str) -> String {
    // A secret that the first cut would break lies far behind what is shown.
    let cut = |line: &str, most: usize| match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    };
    let lines: Vec<String> = text.split('\n').map(|line| cut(line, MOST_SEARCHED)).collect();
    let clean = scrub(&lines.join("\n"));
    let lines: Vec<String> = clean.split('\n').map(|line| cut(line, MOST_SHOWN)).collect();
    escape_controls(&lines.join("\n")).into_owned()
}
