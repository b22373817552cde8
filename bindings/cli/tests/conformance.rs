//! The conformance cases, on the command line: those of one store in one `call --lines`.

#![allow(clippy::disallowed_methods, reason = "a test sets the command's environment")]

use std::process::Command;

use loopmem_conformance::{Face, LineProcess, play_all};
use serde_json::value::RawValue;

/// A command that answers the calls of a store.
#[derive(Default)]
struct CommandLine {
    serving: Option<(String, LineProcess)>,
}

impl Face for CommandLine {
    fn call(&mut self, options: &str, method: &str, params: &str) -> Result<String, String> {
        if !params.is_empty() && serde_json::from_str::<&RawValue>(params).is_err() {
            // A request with such params would not be JSON either.
            return alone(options, method, params);
        }
        let serving = match self.serving.take() {
            Some((of, serving)) if of == options => serving,
            _ => LineProcess::start(&mut command(options, &["call", "--lines"]))?,
        };
        let (_, serving) = self.serving.insert((options.to_owned(), serving));
        let params = if params.is_empty() { "null" } else { params };
        serving.send(&format!(r#"{{"method":"{method}","params":{}}}"#, params.replace('\n', " ")));
        let answer = match (serving.receive(), self.serving.take()) {
            (Some(answer), serving) => {
                self.serving = serving;
                answer
            }
            (None, Some((_, ended))) => return Err(failure(ended)?),
            (None, None) => return Err("no command is running".to_owned()),
        };
        if let Some(result) = member(&answer, "result") {
            Ok(result)
        } else {
            Err(member(&answer, "error").unwrap_or(answer))
        }
    }
}

/// A member of an answer, as it is written.
fn member(answer: &str, name: &str) -> Option<String> {
    let members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(answer).ok()?;
    Some(members.get(name)?.get().to_owned())
}

fn command(options: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
    command.args(["--options", options]).args(arguments);
    command
}

/// One call in a separate command.
fn alone(options: &str, method: &str, params: &str) -> Result<String, String> {
    let mut one = LineProcess::start(&mut command(options, &["call", method]))?;
    one.send(params);
    Err(failure(one)?)
}

/// The error with which a command ended; warnings come before it.
fn failure(ended: LineProcess) -> Result<String, String> {
    match ended.end()? {
        (Some(1 | 2), errors) => Ok(errors.lines().last().unwrap_or_default().to_owned()),
        (status, errors) => Err(format!("exit status {status:?}: {errors}")),
    }
}

#[test]
fn the_command_keeps_every_conformance_case() {
    play_all(&mut CommandLine::default());
}
