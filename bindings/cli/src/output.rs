//! Writing results, notices and errors to standard output and standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style as Colour};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use clap::error::{ContextKind, ContextValue};
use loopmem::methods::{scrub, writes};
use loopmem::safety::{escape_controls, escape_controls_on_one_line, is_steering};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::human::screen::{print_as_tsv, sanitize};
use crate::wording;

/// The exit status of the command: the one of std cannot be read by a host that runs the command within itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExitCode(u8);

impl ExitCode {
    pub(crate) const SUCCESS: Self = ExitCode(0);
    pub(crate) const FAILURE: Self = ExitCode(1);

    pub(crate) fn as_u8(self) -> u8 {
        self.0
    }
}

impl From<u8> for ExitCode {
    fn from(status: u8) -> Self {
        ExitCode(status)
    }
}

/// The format of output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Formatted for reading on a terminal, one line of JSON elsewhere; errors and warnings as text.
    Human,
    /// One line of JSON, also for errors and warnings.
    Json,
}

/// How results are printed, if that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Formatted for reading, on a terminal or not.
    Text,
    /// As text; lists have a head.
    Table,
    /// Lists have a line for each entry, with tabs between its columns.
    Tsv,
    /// As JSON; lists have a line for each entry.
    Jsonl,
    /// One line of JSON.
    Json,
}

impl ValueEnum for Format {
    fn value_variants<'f>() -> &'f [Self] {
        &[Format::Text, Format::Table, Format::Tsv, Format::Jsonl, Format::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Format::Text => "text",
            Format::Table => "table",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
        }))
    }
}

/// Whether each entry of a list is printed on its own line of JSON.
static HAS_JSON_LINES: AtomicBool = AtomicBool::new(false);

/// Prints from now on as this format says.
pub(crate) fn set_format(format: Option<Format>) {
    HAS_JSON_LINES.store(format == Some(Format::Jsonl), Ordering::Relaxed);
    if format == Some(Format::Tsv) {
        print_as_tsv();
    }
}

/// What to do about an option that a command has, but not `loopmem` itself.
const TIP: &str = "options of a command go after it, as in 'loopmem memory list --workspace DIR'";

/// The exit status for a command line that is wrong.
const MISUSE: u8 = 2;

/// How much of each line of a usage error is searched for secrets, and how much of it is shown, in characters.
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
    // JSON nested too deeply to be parsed is printed unformatted.
    let shown = serde_json::from_str::<Value>(&json).map_or(json, |value| format!("{value:#}"));
    text(&sanitize(&shown))
}

/// Prints JSON on one line and flushes.
///
/// # Errors
/// As [`result`].
pub(crate) fn line(json: String) -> Result<()> {
    if HAS_JSON_LINES.load(Ordering::Relaxed)
        && let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(&json)
    {
        return entries.into_iter().try_for_each(|entry| one_line(entry.get().to_owned()));
    }
    one_line(json)
}

fn one_line(json: String) -> Result<()> {
    let mut bytes = json.into_bytes();
    // A record that was edited by hand keeps its line breaks. In JSON they are just whitespace.
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    print(io::stdout().lock(), &bytes)
}

/// Prints text unchanged, with a newline at the end.
///
/// # Errors
/// As [`result`].
pub(crate) fn text(text: &str) -> Result<()> {
    print(io::stdout().lock(), ended(text).as_bytes())
}

/// Prints text formatted for a terminal, without colours if they are disabled (`NO_COLOR`).
///
/// # Errors
/// As [`result`].
pub(crate) fn screen(text: &str) -> Result<()> {
    print(AutoStream::auto(io::stdout().lock()), ended(text).as_bytes())
}

/// Prints a notice to standard error.
pub(crate) fn notice(text: &str) {
    // If standard error is closed there is nowhere to report it.
    let _ = AutoStream::auto(io::stderr().lock()).write_all(ended(text).as_bytes());
}

fn ended(text: &str) -> String {
    format!("{text}{}", if text.ends_with('\n') { "" } else { "\n" })
}

/// Whether a method that writes has succeeded in this process.
static HAS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Records whether `method` has written: if it succeeded, its change is stored even if its result cannot be printed.
pub(crate) fn track_write<T>(method: &str, result: Result<T>) -> Result<T> {
    if result.is_ok() && writes(method) {
        HAS_WRITTEN.store(true, Ordering::Relaxed);
    }
    result
}

fn print(mut out: impl Write, text: &[u8]) -> Result<()> {
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // The reader has closed the pipe, so no message is printed; the exit status still reports the failure.
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(1),
        Err(cause) => {
            let error = Error::new(ErrorKind::Io, "could not write to standard output").because_of(&cause);
            Err(if HAS_WRITTEN.load(Ordering::Relaxed) { error.maybe_stored() } else { error })
        }
    }
}

/// Prints an error without secrets and, for people, with control characters escaped: it may name a file, and file names
/// are untrusted.
pub(crate) fn fail(error: &Error, style: Style) -> ExitCode {
    let error = &error.clone().scrubbed(scrub);
    let shown = wording::error(error);
    let shown = escape_controls(&shown);
    match style {
        Style::Human if io::stderr().is_terminal() => {
            let red = Colour::new().fg_color(Some(AnsiColor::Red.into())).bold();
            notice(&format!("{red}loopmem:{red:#} {shown}{}{}", uncertainty(error), advice(error)));
        }
        // If standard error is closed too, the exit status has to do.
        Style::Human => drop(writeln!(io::stderr(), "loopmem: {shown}{}", uncertainty(error))),
        Style::Json => drop(writeln!(io::stderr(), "{}", error.to_json())),
    }
    // What was passed is wrong, as in a usage error; the state of a file that it names is not what was passed.
    let is_misuse = matches!(error.kind(), ErrorKind::Validation | ErrorKind::Misuse) && error.path().is_none();
    if is_misuse { ExitCode::from(MISUSE) } else { ExitCode::FAILURE }
}

/// As text, what `mayBeStored` is in the JSON of an error.
fn uncertainty(error: &Error) -> &'static str {
    if error.may_be_stored() { "; the change may have been stored: check before you try again" } else { "" }
}

/// What to do about the error, where its message does not say.
fn advice(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::LockAcquisition => "; try again, or wait longer with --timeout-ms",
        // Where a secret may be redacted instead, the message says both.
        ErrorKind::SecretRefused if error.message().contains("remove it") => "",
        ErrorKind::SecretRefused => "; remove the secret and try again",
        ErrorKind::FormatTooNew => "; update loopmem",
        ErrorKind::Internal => "; please report this",
        _ => "",
    }
}

/// Exits with a usage error.
pub(crate) fn usage_error(message: &str) -> ! {
    refused(clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, format!("{message}\n")))
}

/// Exits with clap's error, or its help or version. clap's errors quote what was typed, which may be a secret, contain
/// control characters or be very long; help and version do not.
pub(crate) fn refused(error: clap::Error) -> ! {
    use clap::error::ErrorKind::{
        DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, UnknownArgument,
    };
    if matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion) {
        error.exit();
    }
    let mut error = error;
    let has_tip = [ContextKind::SuggestedArg, ContextKind::Suggested].iter().any(|tip| error.get(*tip).is_some());
    let is_before_command = error.get(ContextKind::Usage).is_some_and(|usage| usage.to_string().contains("<COMMAND>"));
    if error.kind() == UnknownArgument && is_before_command && !has_tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![TIP.into()]));
    }
    let typed: Vec<_> = error.context().filter_map(|(kind, value)| Some((kind, steering(value)?))).collect();
    let steers = !typed.is_empty();
    for (kind, escaped) in typed {
        error.insert(kind, ContextValue::String(escaped));
    }
    let plain = error.render().to_string();
    let fit = fit_to_show(&plain);
    // Escape sequences for styles would hide where a secret begins and ends, so the styles are kept only if nothing was
    // removed.
    let shown = if fit == plain && !steers { error.render().ansi().to_string() } else { fit };
    // If standard error is closed, the exit status has to do.
    let _ = AutoStream::auto(io::stderr().lock()).write_all(shown.as_bytes());
    std::process::exit(error.exit_code())
}

/// What was typed with its control characters escaped; `None` if there are none.
fn steering(value: &ContextValue) -> Option<String> {
    let typed = match value {
        ContextValue::String(typed) => typed.clone(),
        ContextValue::Strings(typed) => typed.join(", "),
        _ => return None,
    };
    typed.contains(is_steering).then(|| escape_controls_on_one_line(&typed).into_owned())
}

/// `text` without secrets and control characters, each line cut to a readable length.
fn fit_to_show(text: &str) -> String {
    // A secret split by the first cut is far beyond the part that is shown.
    let cut = |line: &str, most: usize| match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    };
    let lines: Vec<String> = text.split('\n').map(|line| cut(line, MOST_SEARCHED)).collect();
    let clean = scrub(&lines.join("\n"));
    let lines: Vec<String> = clean.split('\n').map(|line| cut(line, MOST_SHOWN)).collect();
    escape_controls(&lines.join("\n")).into_owned()
}
