//! Composing text in the user's editor, which can be reopened after a mistake; the text is never lost.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};

use loopmem::methods::scrub;
use loopmem::safety::escape_controls;
use loopmem::{Error, ErrorKind, Result};

use crate::human::environment::{self, PrivateFile};
use crate::human::input::confirm;
use crate::output::notice;
use crate::wording;

/// Whether there is a terminal to run an editor in.
pub(crate) fn is_available() -> bool {
    io::stdin().is_terminal() && (io::stdout().is_terminal() || io::stderr().is_terminal())
}

/// The error of a command whose text was left empty, or as it was, in the editor.
pub(crate) fn nothing_written() -> Error {
    Error::new(ErrorKind::Cancelled, "nothing was written, so nothing was stored")
}

/// What opens the editor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Caller<'c> {
    /// A command, which ends afterwards.
    Command,
    /// The browser, which continues, and watches signals itself. The command `resume` stores a text that was kept.
    Browser { resume: &'c str },
}

/// Opens `text` in the editor and passes the result to `take`; if that fails, the text can be edited again. `None` if
/// the text was not changed.
///
/// # Errors
/// `Cancelled` if the editor failed or a mistake was not corrected; the text is kept then, and the error has its path.
pub(crate) fn compose<T>(
    name: &str,
    text: &str,
    caller: Caller<'_>,
    mut take: impl FnMut(&str) -> Result<T>,
) -> Result<Option<T>> {
    let file = PrivateFile::new(name, text)?;
    let watch = Interrupts::watch(matches!(caller, Caller::Browser { .. }));
    loop {
        let edited = watch.ignored_while(|| edit(file.path()));
        let mistake = match (edited, file.read()) {
            (Ok(()), Ok(new)) if new == text => return Ok(None),
            (Ok(()), Ok(new)) => match take(&new) {
                Ok(taken) => return Ok(Some(taken)),
                // To edit it again would not help: it was begun from what is not there any more.
                Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound) => {
                    return Err(kept(file, error.message(), None));
                }
                Err(mistake) => mistake,
            },
            // Nothing was written, so nothing is lost.
            (Err(failed), Ok(new)) if new == text => return Err(failed),
            (Err(failed), _) => return Err(kept(file, failed.message(), Some(caller))),
            (Ok(()), Err(unreadable)) => unreadable,
        };
        notice(&format!("loopmem: {}", escape_controls(&scrub(&wording::error(&mistake)))));
        let place = file.path().display().to_string();
        if !confirm(&format!("Your text is in {}. Edit it again? [Y/n] ", escape_controls(&place)), true) {
            return Err(kept(file, "nothing was stored", Some(caller)));
        }
    }
}

/// Keeps the file with its secrets redacted, since it may never be opened again. Without a caller, the error names no
/// command: the text cannot be stored as it is.
fn kept(file: PrivateFile, why: &str, caller: Option<Caller<'_>>) -> Error {
    file.scrub();
    let path = file.keep();
    let shown = path.display();
    let message = match caller {
        None => format!("{why}; your text is kept in {shown}"),
        Some(Caller::Command) => {
            format!("{why}; your text is kept in {shown}; to continue, run the command again with `< {shown}`")
        }
        Some(Caller::Browser { resume }) => format!("{why}; your text is kept: continue with `{resume} < {shown}`"),
    };
    Error::new(ErrorKind::Cancelled, message).at(&path)
}

/// An argument as a shell takes it.
pub(crate) fn quoted(argument: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.' | '/' | ':' | '+' | '@');
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// Runs the editor, which may be a command with options, and waits for it.
fn edit(path: &Path) -> Result<()> {
    let (editor, variable) = environment::editor();
    let mut command = if cfg!(windows) {
        let line = editor.to_string_lossy();
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("notepad"));
        command.args(words).arg(path);
        command
    } else {
        // The shell in between must survive signals that are meant for the editor.
        let mut line = OsString::from("trap : INT QUIT; ");
        line.push(editor);
        line.push(" \"$@\"");
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg("loopmem").arg(path);
        command
    };
    // If standard output is a pipe, the editor still needs the terminal.
    if !io::stdout().is_terminal() {
        command.stdout(Stdio::from(io::stderr()));
    }
    let failed = |why: String| {
        let message = format!("the editor {why}; set ${variable} to a working editor");
        Error::new(ErrorKind::Cancelled, message)
    };
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("failed with {status}"))),
        Err(cause) => Err(failed("could not be started".to_owned()).because_of(&cause)),
    }
}

/// While the editor runs, Ctrl-C is for the editor; otherwise it ends this command as usual.
struct Interrupts {
    #[cfg(unix)]
    ends: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// What handles Ctrl-C, if it is removed on drop. Until something else handles it, Ctrl-C is ignored then.
    #[cfg(unix)]
    passing: Option<signal_hook::SigId>,
}

impl Interrupts {
    #[cfg(unix)]
    fn watch(is_passing: bool) -> Self {
        use signal_hook::consts::{SIGINT, SIGQUIT};
        let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        // If this fails, Ctrl-C ends this command too; the text stays in its file.
        let watch = |signal| signal_hook::flag::register_conditional_default(signal, ends.clone()).ok();
        let [interrupt, _] = [SIGINT, SIGQUIT].map(watch);
        Interrupts { passing: interrupt.filter(|_| is_passing), ends }
    }

    #[cfg(unix)]
    fn ignored_while<T>(&self, work: impl FnOnce() -> T) -> T {
        use std::sync::atomic::Ordering::SeqCst;
        self.ends.store(false, SeqCst);
        let outcome = work();
        self.ends.store(true, SeqCst);
        outcome
    }

    #[cfg(not(unix))]
    fn watch(_: bool) -> Self {
        Interrupts {}
    }

    #[cfg(not(unix))]
    fn ignored_while<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

#[cfg(unix)]
impl Drop for Interrupts {
    fn drop(&mut self) {
        if let Some(id) = self.passing.take() {
            signal_hook::low_level::unregister(id);
        }
    }
}
