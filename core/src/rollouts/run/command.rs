//! External commands as the model: a text on standard input, a text on standard output, within a time and a size.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::home::Home;
use crate::process::{Ended, Program, Stopped};

/// The longest output that is read, in bytes.
const MAX_OUTPUT: u64 = 8 << 20;
/// The exit status of a shell, and of programs such as `env`, for a program that was not found. 126, for one that cannot be
/// run, may be due to the input: a shell ends with it if an argument is too long.
const NOT_FOUND: i32 = 127;

/// A command and its limits.
pub(crate) struct Model<'c> {
    /// The program and its arguments.
    pub(crate) arguments: &'c [String],
    /// The time limit.
    pub(crate) timeout: Duration,
    /// The working directory; `None` for the current one.
    pub(crate) folder: Option<&'c Path>,
    /// Whether it reads a text for a model, instead of an object of JSON.
    pub(crate) reads_text: bool,
}

/// The reason for which a command gave no answer, in a sentence.
pub(crate) type Refusal = String;

impl Model<'_> {
    /// Runs the command. `poll` is called while it runs, and its error ends the command.
    ///
    /// # Errors
    /// `ValidationError` if the command cannot be started, or it or a program that it needs was not found; the error of
    /// `poll`.
    pub(crate) fn ask(
        &self,
        home: &Home,
        input: &str,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Result<String, Refusal>> {
        let ended = match self.run(home, input, poll)? {
            Ok(ended) => ended,
            Err(Stopped::TooLong) => return Ok(Err(format!("the command wrote more than {MAX_OUTPUT} bytes"))),
            Err(Stopped::TimedOut) => {
                return Ok(Err(format!("the command took longer than {} seconds", self.timeout.as_secs())));
            }
        };
        if !ended.status.success() {
            return self.failure(&ended).map(Err);
        }
        Ok(match ended.output {
            Some(Ok(bytes)) => String::from_utf8(bytes).map_err(|_| "the command wrote what is not UTF-8".to_owned()),
            Some(Err(cause)) => Err(format!("the output of the command could not be read: {cause}")),
            None => Err("the command ended, but something that it started still writes its output".to_owned()),
        })
    }

    fn run(&self, home: &Home, input: &str, poll: &mut dyn FnMut() -> Result<()>) -> Result<Result<Ended, Stopped>> {
        let [program, arguments @ ..] = self.arguments else {
            return Err(Error::validation("a command needs a program and may have arguments"));
        };
        // With a folder of its own, a relative path would be looked for there.
        let here = Path::new(program);
        let is_relative = self.folder.is_some() && here.is_relative() && here.components().count() > 1;
        let path = if is_relative { Cow::Owned(home.current_folder()?.join(here)) } else { Cow::Borrowed(here) };
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let (timeout, max_output, folder) = (self.timeout, MAX_OUTPUT, self.folder);
        let program = Program {
            path: &path,
            arguments: &arguments,
            environment: &[],
            folder,
            input,
            timeout,
            max_output,
            max_memory: None,
            ends_its_children: true,
        };
        program.run(home, |cause| self.not_started(cause), poll)
    }

    fn not_started(&self, cause: &io::Error) -> Error {
        let program = self.arguments.first().map_or("", String::as_str);
        let folder = self.folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
        let message = format!("the command {program} cannot be started{folder}; check its path and its permissions");
        Error::validation(message).because_of(cause)
    }

    /// The reason for which a command failed.
    ///
    /// # Errors
    /// `ValidationError` if it, or a program that it needs, was not found.
    fn failure(&self, ended: &Ended) -> Result<Refusal> {
        let how = ended.status.code().map_or_else(|| ended.status.to_string(), |code| format!("exit status {code}"));
        let errors = if ended.errors.is_empty() { String::new() } else { format!(": {}", ended.errors) };
        if ended.status.code() != Some(NOT_FOUND) {
            return Ok(format!("the command failed with {how}{errors}"));
        }
        let place = self.folder.map_or_else(String::new, |folder| format!(" (it ran in {})", folder.display()));
        Err(Error::validation(format!(
            "the command ended with {how}: it, or a program that it needs, was not found; check its path and PATH{place}{errors}"
        )))
    }
}
