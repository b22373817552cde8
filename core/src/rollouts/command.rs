//! External commands as the model: a text on standard input, a text on standard output, within a time and a size.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::error::{Error, Result};
use crate::home::Home;

/// The longest output that is read, in bytes.
const MAX_OUTPUT: u64 = 8 << 20;
/// The longest end of what a command writes to standard error that is reported, in bytes.
const MAX_REPORTED: usize = 1_000;
/// How much before it is kept, so that a secret at its beginning is found as a whole, in bytes.
const MARGIN: usize = 8 << 10;
/// How often a running command is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Grace period for output after the command exits: what it started may still write.
const GRACE_PERIOD: Duration = Duration::from_millis(200);
/// The exit status of a shell, and of programs such as `env`, for a program that was not found. 126, for one that cannot be
/// run, may be due to the input: a shell ends with it if an argument is too long.
const NOT_FOUND: i32 = 127;

/// A command and its limits.
pub(super) struct Model<'c> {
    /// The program and its arguments.
    pub(super) arguments: &'c [String],
    /// How long it may take.
    pub(super) timeout: Duration,
    /// Where it runs; `None` for the current folder.
    pub(super) folder: Option<&'c Path>,
}

/// Why a command gave no answer, in a sentence.
pub(super) type Refusal = String;

impl Model<'_> {
    /// Runs the command. `poll` is called while it runs, and its error ends the command.
    ///
    /// # Errors
    /// `ValidationError` if the command cannot be started, or it or a program that it needs was not found; the error of
    /// `poll`.
    pub(super) fn ask(
        &self,
        home: &Home,
        input: &str,
        poll: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Result<String, Refusal>> {
        let mut running = Running(self.start(input, &|| home.current_folder())?);
        let disk = home.disk();
        let (output, errors) = (reader(running.0.stdout.take(), Keep::All), reader(running.0.stderr.take(), Keep::End));
        let started = disk.elapsed();
        let mut answer = None;
        let status = loop {
            match output.recv_timeout(POLL_INTERVAL) {
                Ok(read) => answer = Some(read),
                // It has closed its output, or is writing it.
                Err(RecvTimeoutError::Disconnected) => disk.pause(POLL_INTERVAL),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if matches!(&answer, Some(Err(cause)) if cause.kind() == io::ErrorKind::FileTooLarge) {
                return Ok(Err(format!("the command wrote more than {MAX_OUTPUT} bytes")));
            }
            if let Some(status) = running.status()? {
                break status;
            }
            if disk.elapsed().saturating_sub(started) > self.timeout {
                return Ok(Err(format!("the command took longer than {} seconds", self.timeout.as_secs())));
            }
            poll()?;
        };
        let answer = answer.or_else(|| output.recv_timeout(GRACE_PERIOD).ok());
        if !status.success() {
            let said = errors.recv_timeout(GRACE_PERIOD).ok().and_then(Result::ok).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let said = said.trim();
            let said = home.redactor().redact_part(said, said.len().saturating_sub(MAX_REPORTED)..said.len());
            let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit status {code}"));
            let said = if said.is_empty() { String::new() } else { format!(": {said}") };
            if status.code() == Some(NOT_FOUND) {
                let place = self.folder.map_or_else(String::new, |folder| format!(" (it ran in {})", folder.display()));
                let message = format!(
                    "the command ended with {how}: it, or a program that it needs, was not found; check its path and PATH{place}{said}"
                );
                return Err(Error::validation(message));
            }
            return Ok(Err(format!("the command failed with {how}{said}")));
        }
        match answer {
            Some(Ok(bytes)) => {
                Ok(String::from_utf8(bytes).map_err(|_| "the command wrote what is not UTF-8".to_owned()))
            }
            Some(Err(cause)) => Ok(Err(format!("the output of the command could not be read: {cause}"))),
            None => Ok(Err("the command ended, but something that it started still writes its output".to_owned())),
        }
    }

    fn start(&self, input: &str, current_folder: &dyn Fn() -> Result<PathBuf>) -> Result<Child> {
        use std::os::unix::process::CommandExt as _;

        let [program, arguments @ ..] = self.arguments else {
            return Err(Error::validation("a command needs a program and may have arguments"));
        };
        let failed = |cause: &io::Error| {
            let folder = self.folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
            let message =
                format!("the command {program} cannot be started{folder}; check its path and its permissions");
            Error::validation(message).because_of(cause)
        };
        // With a folder of its own, a relative path would be looked for there.
        let here = Path::new(program);
        let is_relative = self.folder.is_some() && here.is_relative() && here.components().count() > 1;
        let resolved = if is_relative { current_folder()?.join(here) } else { here.to_owned() };
        let mut command = Command::new(resolved);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(standard_input(input).map_err(|cause| failed(&cause))?);
        // So that what it starts can be ended with it.
        command.process_group(0);
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        command.spawn().map_err(|cause| failed(&cause))
    }
}

/// The input as a file in memory: a pipe would need a thread that writes to it, and a command that does not read its input would
/// end a host that does not ignore the signal for it.
#[cfg(target_os = "linux")]
fn standard_input(input: &str) -> io::Result<Stdio> {
    use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

    let file = memfd_create("loopmem", MemfdFlags::CLOEXEC)?;
    let mut rest = input.as_bytes();
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    seek(&file, SeekFrom::Start(0))?;
    Ok(Stdio::from(file))
}

/// Elsewhere, a thread writes the input to a pipe.
#[cfg(not(target_os = "linux"))]
fn standard_input(input: &str) -> io::Result<Stdio> {
    let (reader, mut writer) = io::pipe()?;
    let input = input.to_owned();
    thread::spawn(move || {
        use std::io::Write as _;
        // A command need not read its input.
        let _ = writer.write_all(input.as_bytes());
    });
    Ok(Stdio::from(reader))
}

/// A command that is ended, with everything that it started, when this is dropped.
struct Running(Child);

impl Running {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }

    /// How it ended; `None` while it runs. What it started ends with it: until it is waited for, its number is not another's.
    fn status(&mut self) -> Result<Option<ExitStatus>> {
        let failed = |cause: &io::Error| Error::internal("a command cannot be waited for").because_of(cause);
        if let Some(id) = self.id() {
            let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let ended = waitid(WaitId::Pid(id), how).map_err(|cause| failed(&cause.into()))?;
            if ended.is_none() {
                return Ok(None);
            }
            let _ = kill_process_group(id, Signal::KILL);
        }
        self.0.try_wait().map_err(|cause| failed(&cause))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After it was waited for, there is nothing left to end.
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        if let Some(id) = self.id() {
            let _ = kill_process_group(id, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// What is kept of an output.
#[derive(Clone, Copy)]
enum Keep {
    /// All of it, up to a limit.
    All,
    /// The end.
    End,
}

/// Reads an output on a thread of its own, and sends it when it has ended.
fn reader(source: Option<impl Read + Send + 'static>, keep: Keep) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    if let Some(mut source) = source {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = match keep {
                Keep::All => source.take(MAX_OUTPUT + 1).read_to_end(&mut bytes).and_then(|count| match count as u64 {
                    ..=MAX_OUTPUT => Ok(()),
                    _ => Err(io::ErrorKind::FileTooLarge.into()),
                }),
                Keep::End => read_end(&mut source, &mut bytes),
            };
            // The command may have been given up.
            let _ = sender.send(read.map(|()| bytes));
        });
    }
    receiver
}

/// Reads everything, and keeps the end.
fn read_end(source: &mut impl Read, kept: &mut Vec<u8>) -> io::Result<()> {
    let mut block = [0; 4096];
    loop {
        match source.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                kept.extend_from_slice(&block[..count]);
                let excess = kept.len().saturating_sub(MAX_REPORTED + MARGIN);
                kept.drain(..excess);
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
}
