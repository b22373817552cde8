//! One run of a program, from its start to its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use rustix::process::Pid;

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
    /// How much memory it, and each program that it starts, may take, in bytes; `None` for no limit.
    pub(crate) max_memory: Option<u64>,
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
        let started = self.command().and_then(|mut command| Running::start(&mut command));
        let mut running = started.map_err(|cause| not_started(&cause))?;
        let disk = home.disk();
        let output = reader(running.child.stdout.take(), Keep::Upto(self.max_output));
        let errors = reader(running.child.stderr.take(), Keep::End);
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
        limit(&mut command, self.max_memory);
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

/// Has the program end if this process is killed and cannot end it, where the system can do that, and limits its memory. The
/// thread that starts it waits for it.
///
/// The limit is that of data: the packs that git maps do not count, nor does what a credential helper only reserves.
#[allow(unsafe_code, reason = "only the new process can ask for this")]
fn limit(command: &mut Command, max_memory: Option<u64>) {
    use rustix::process::{Resource, Rlimit, getpid, getrlimit, setrlimit};

    let parent = getpid();
    let ask = move || {
        end_with(parent)?;
        if let Some(max) = max_memory {
            let Rlimit { current, maximum } = getrlimit(Resource::Data);
            let current = current.map_or(max, |current| current.min(max));
            setrlimit(Resource::Data, Rlimit { current: Some(current), maximum })?;
        }
        Ok(())
    };
    // SAFETY: the closure makes system calls only, and allocates nothing.
    unsafe { command.pre_exec(ask) };
}

/// Has this process end when `parent`, which started it, ends.
#[cfg(target_os = "linux")]
fn end_with(parent: Pid) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have been killed just before.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

#[cfg(not(target_os = "linux"))]
fn end_with(_: Pid) -> io::Result<()> {
    Ok(())
}

fn is_too_long(output: Option<&io::Result<Vec<u8>>>) -> bool {
    matches!(output, Some(Err(cause)) if cause.kind() == io::ErrorKind::FileTooLarge)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the tests wait for files of programs in a folder of their own")]
mod tests {
    use super::*;
    use crate::home::Options;

    fn run(script: &str, max_memory: Option<u64>) -> Ended {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let program = Program {
            path: Path::new("/bin/sh"),
            arguments: &["-c".into(), script.into()],
            environment: &[],
            folder: None,
            input: "",
            timeout: Duration::from_secs(20),
            max_output: 1 << 20,
            max_memory,
            ends_its_children: false,
        };
        program.run(&home, |cause| crate::error::Error::internal(cause.to_string()), &mut || Ok(())).unwrap().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_and_those_that_it_starts_have_a_limit_of_memory() {
        // A copy needs a buffer of the size of a block.
        let copy = "dd if=/dev/zero of=/dev/null bs=200M count=1; exit $?";
        assert!(run(copy, Some(1 << 30)).status.success());
        assert!(!run(copy, Some(64 << 20)).status.success());
    }

    #[test]
    fn what_a_program_leaves_running_on_purpose_goes_on_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let (begin, end) = (folder.path().join("begin"), folder.path().join("end"));
        let script = format!(
            "(while [ ! -e {0} ]; do sleep 0.01; done; touch {1}) >/dev/null 2>&1 &",
            begin.display(),
            end.display()
        );
        assert!(run(&script, None).status.success());
        std::fs::write(&begin, "").unwrap();
        let begun = std::time::Instant::now();
        while !end.exists() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
