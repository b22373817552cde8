//! A folder for a test, in which the command runs.

#![allow(dead_code, reason = "not every test program uses everything")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use tempfile::TempDir;

/// A user's pattern, which applies to any text.
pub(crate) const PATTERN: [&str; 2] = ["--pattern", "CORP-[0-9]{4}"];

/// Assembled at run time so that no scanner reports this file.
pub(crate) fn keyed() -> String {
    ["DB_PASS", "WORD=qW3-rT5-yU7"].concat()
}

/// The folder, with a home in it.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Place { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopmem"));
        command.arg("--home").arg(self.path("home")).args(arguments).env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Runs the command in a folder.
    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> Output {
        self.command(arguments).current_dir(self.path(folder)).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs git in a folder, where `loopmem` is on its path; the output on standard error.
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> (bool, String) {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_loopmem"));
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]).args(arguments);
        git.current_dir(self.path(folder)).env("HOME", self.folder.path()).env("PATH", path);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env_remove("CODEX_TOOLLOOP_HOME");
        let output = git.output().unwrap();
        (output.status.success(), text(&output.stderr))
    }

    /// As [`git`](Self::git), but must succeed.
    #[track_caller]
    pub(crate) fn git_succeeds(&self, folder: &str, arguments: &[&str]) {
        let (succeeds, error) = self.git(folder, arguments);
        assert!(succeeds, "{arguments:?}: {error}");
    }

    pub(crate) fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
        let mut child = self.spawn(arguments);
        // A command that rejects its options does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        child.wait_with_output().unwrap()
    }

    /// The output; it must succeed and print no error.
    #[track_caller]
    pub(crate) fn filtered(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<u8> {
        let output = self.run(arguments, input);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
        output.stdout
    }
}

/// How long an answer may take before a test fails.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The lines of a child's output as they come.
pub(crate) struct Lines(Receiver<Vec<u8>>);

impl Lines {
    pub(crate) fn of(output: ChildStdout) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) && sender.send(line.clone()).is_ok() {
                line.clear();
            }
        });
        Lines(lines)
    }

    /// The next line; empty at the end.
    #[track_caller]
    pub(crate) fn next(&self) -> Vec<u8> {
        match self.0.recv_timeout(MAX_WAIT) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Err(RecvTimeoutError::Timeout) => panic!("there was no line for {MAX_WAIT:?}"),
        }
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
