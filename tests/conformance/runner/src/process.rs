//! A process that answers requests line by line, so that a case starts one process and not one a call.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running process.
#[derive(Debug)]
pub struct LineProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// A file, since nobody reads a pipe meanwhile.
    errors: File,
}

impl LineProcess {
    /// Starts `command`.
    ///
    /// # Errors
    /// A text that says why it does not start.
    pub fn start(command: &mut Command) -> Result<Self, String> {
        let errors = tempfile::tempfile().map_err(|cause| cause.to_string())?;
        let stderr = errors.try_clone().map_err(|cause| cause.to_string())?;
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn();
        let mut child = started.map_err(|cause| format!("{command:?} does not start: {cause}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{command:?} has no standard streams"));
        };
        Ok(LineProcess { child, input, output: BufReader::new(output), errors })
    }

    /// Sends a line, or several. A process that has ended does not read them.
    pub fn send(&mut self, lines: &str) {
        let _ = writeln!(self.input, "{lines}").and_then(|()| self.input.flush());
    }

    /// Returns the next line of output; `None` if the process has ended.
    pub fn receive(&mut self) -> Option<String> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).ok()?;
        // Only a whole line is an answer.
        String::from_utf8(line).ok()?.strip_suffix('\n').map(str::to_owned)
    }

    /// Ends the process, and returns its exit status and what it wrote to standard error.
    ///
    /// # Errors
    /// A text that says why there is no status.
    pub fn end(self) -> Result<(Option<i32>, String), String> {
        let LineProcess { mut child, input, mut errors, .. } = self;
        drop(input);
        let status = child.wait().map_err(|cause| cause.to_string())?;
        let mut bytes = Vec::new();
        errors.rewind().and_then(|()| errors.read_to_end(&mut bytes)).map_err(|cause| cause.to_string())?;
        Ok((status.code(), String::from_utf8_lossy(&bytes).trim_end().to_owned()))
    }
}
