//! The user's own `git`, for what it knows about the repository of the current folder.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use loopmem::{Error, ErrorKind, Result};

/// How much of git's own error is shown, in bytes.
const MAX_SHOWN: usize = 1_000;

/// `git` in a folder, whose output is read.
pub(crate) fn command(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    git
}

/// The error for a `git` that does not start.
pub(crate) fn not_started(cause: &io::Error) -> Error {
    Error::new(ErrorKind::Io, "could not run git; install it, and see that it is on PATH").because_of(cause)
}

/// What `git` prints in `folder`.
///
/// # Errors
/// `IOError` if git cannot be run; `ValidationError` with what it says if it fails.
pub(crate) fn output(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = command(folder).args(arguments).output().map_err(|cause| not_started(&cause))?;
    if output.status.success() { Ok(output.stdout) } else { Err(failed(&output)) }
}

/// As [`output`]; `None` if it ends with status 1 and says nothing, as for what there is not.
///
/// # Errors
/// As [`output`].
pub(crate) fn found(folder: &Path, arguments: &[&str]) -> Result<Option<Vec<u8>>> {
    let output = command(folder).args(arguments).output().map_err(|cause| not_started(&cause))?;
    match output.status.code() {
        Some(0) => Ok(Some(output.stdout)),
        Some(1) if output.stderr.is_empty() => Ok(None),
        _ => Err(failed(&output)),
    }
}

fn failed(output: &Output) -> Error {
    let said = String::from_utf8_lossy(output.stderr.get(..MAX_SHOWN).unwrap_or(&output.stderr)).trim().to_owned();
    Error::validation(format!("git failed: {said}"))
}

/// The top level of the work tree of `folder`.
///
/// # Errors
/// As [`output`]; `ValidationError` if the folder is in no work tree.
pub(crate) fn top(folder: &Path) -> Result<PathBuf> {
    let top = output(folder, &["rev-parse", "--show-toplevel"])?;
    match line(&top) {
        [] => Err(Error::validation(format!("{} is not in the work tree of a repository", folder.display()))),
        top => Ok(PathBuf::from(os_string(top))),
    }
}

/// What git printed, without the line break at the end.
pub(crate) fn line(output: &[u8]) -> &[u8] {
    output.strip_suffix(b"\n").unwrap_or(output)
}

#[cfg(unix)]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
pub(crate) fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
