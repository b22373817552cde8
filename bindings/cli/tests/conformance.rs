//! The conformance cases, on the command line.

#![allow(clippy::disallowed_methods, reason = "a test sets the command's environment")]

use std::io::Write;
use std::process::{Command, Stdio};

use loopmem_conformance::{Face, play_all};

struct CommandLine;

impl Face for CommandLine {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"))
            .args(["--options", options, "call", method])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|cause| cause.to_string())?;
        if let Some(mut stdin) = command.stdin.take() {
            // A command that rejects its options does not read its input.
            let _ = stdin.write_all(params.as_bytes());
        }
        let output = command.wait_with_output().map_err(|cause| cause.to_string())?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim_end().to_owned();
        match output.status.code() {
            Some(0) => Ok(text(output.stdout)),
            // Warnings come before the error.
            Some(1) => Err(text(output.stderr).lines().last().unwrap_or_default().to_owned()),
            status => Err(format!("exit status {status:?}: {}", text(output.stderr))),
        }
    }
}

#[test]
fn the_command_keeps_every_conformance_case() {
    play_all(&mut CommandLine);
}
