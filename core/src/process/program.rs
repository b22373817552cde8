//! One run of a program, from its start to its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::child::Running;
use super::input::standard_input;
use super::reader::{Keep, MAX_REPORTED, reader};
use crate::error::Result;
use crate::home::Home;

/// How often a running program is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How often at first: most programs end at once.
const FIRST_INTERVAL: Duration = Duration::from_millis(1);
/// Grace period for output after the program exits: what it started may still write.
const GRACE_PERIOD: Duration = Duration::from_millis(200);

/// A program and its limits.
pub(crate) struct Program<'p> {
    /// Its path, or its name in `PATH`.
    pub(crate) path: &'p Path,
    /// Its arguments, which other users of the machine can see.
    pub(crate) arguments: &'p [OsString],
    /// Variables that are set, or removed, beside those of this process.
    pub(crate) environment: &'p [(OsString, Option<OsString>)],
    /// Where it runs; `None` for the current folder.
    pub(crate) folder: Option<&'p Path>,
    /// What it reads.
    pub(crate) input: &'p str,
    /// How long it may take.
    pub(crate) timeout: Duration,
    /// How much it may write, in bytes.
    pub(crate) max_output: u64,
    /// Whether what it started ends with it, and not only when it is given up.
    pub(crate) ends_its_children: bool,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What it wrote; `None` if something that it started still writes.
    pub(crate) output: Option<io::Result<Vec<u8>>>,
    /// The end of what it wrote to standard error, without secrets.
    pub(crate) errors: String,
}

/// Why a program was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It wrote too much.
    TooLong,
    /// It took too long.
    TimedOut,
}

impl Program<'_> {
    /// Runs the program. `poll` is called while it runs, and its error ends the program.
    ///
    /// # Errors
    /// The error of `poll`; that of `not_started` for the cause for which the program cannot be started.
    pub(crate) fn run(
        &self,
        home: &Home,
        not_started: impl Fn(&io::Error) -> crate::error::Error,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<std::result::Result<Ended, Stopped>> {
        let mut running = Running(self.command().and_then(|mut it| it.spawn()).map_err(|cause| not_started(&cause))?);
        let disk = home.disk();
        let output = reader(running.0.stdout.take(), Keep::Upto(self.max_output));
        let errors = reader(running.0.stderr.take(), Keep::End);
        let started = disk.elapsed();
        let mut interval = FIRST_INTERVAL;
        let mut answer = None;
        let status = loop {
            match output.recv_timeout(interval) {
                Ok(read) => answer = Some(read),
                // It has closed its output, or is writing it.
                Err(RecvTimeoutError::Disconnected) => disk.pause(interval),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_too_long(answer.as_ref()) {
                return Ok(Err(Stopped::TooLong));
            }
            if let Some(status) = running.status(self.ends_its_children)? {
                break status;
            }
            if disk.elapsed().saturating_sub(started) > self.timeout {
                return Ok(Err(Stopped::TimedOut));
            }
            poll()?;
            interval = (interval * 2).min(POLL_INTERVAL);
        };
        let output = answer.or_else(|| output.recv_timeout(GRACE_PERIOD).ok());
        // Its output is not read any further, which may have ended it before that was noticed here.
        if is_too_long(output.as_ref()) {
            return Ok(Err(Stopped::TooLong));
        }
        let errors = errors.recv_timeout(GRACE_PERIOD).ok().and_then(std::result::Result::ok).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        let errors = errors.trim();
        let part = errors.len().saturating_sub(MAX_REPORTED)..errors.len();
        Ok(Ok(Ended { status, output, errors: home.redactor().redact_part(errors, part) }))
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(self.path);
        command.args(self.arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(standard_input(self.input)?);
        // So that what it starts can be ended with it.
        command.process_group(0);
        end_with_this_process(&mut command);
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        for (name, value) in self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Ok(command)
    }
}

/// Has the program end if this process is killed and cannot end it. The thread that starts it waits for it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "only the new process can ask for this")]
fn end_with_this_process(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have been killed just before.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    };
    // SAFETY: the closure makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(ask) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_this_process(_: &mut Command) {}

fn is_too_long(output: Option<&io::Result<Vec<u8>>>) -> bool {
    matches!(output, Some(Err(cause)) if cause.kind() == io::ErrorKind::FileTooLarge)
}
