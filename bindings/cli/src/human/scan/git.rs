//! What git knows about the files of a work tree, from the command `git`.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use loopmem::{Error, Result};

use crate::human::git::{self, line, not_started, os_string, output};
use crate::human::local_files;

/// A file as it is staged.
pub(super) struct Staged {
    /// Relative to the current folder.
    pub(super) path: PathBuf,
    id: String,
}

/// The files that the next commit adds or changes. Deleted files, links and submodules have no contents.
///
/// # Errors
/// `IOError` if git cannot be run; `ValidationError` if there is no work tree.
pub(super) fn staged() -> Result<Vec<Staged>> {
    let up = output(Path::new("."), &["rev-parse", "--show-cdup"])?;
    let prefix = output(Path::new("."), &["rev-parse", "--show-prefix"])?;
    // A renamed file is listed as a new one.
    let raw = ["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff"];
    let listed = output(Path::new("."), &[&raw[..], &["--diff-filter=ACMRT", "--"]].concat())?;
    let mut fields = listed.split(|byte| *byte == 0);
    let mut files = Vec::new();
    // `:100644 100644 ID ID M`, and the path.
    while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
        let change = String::from_utf8_lossy(change);
        let mut parts = change.split(' ').skip(1);
        let (mode, id) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
        if mode.starts_with("100") && id.bytes().any(|digit| digit != b'0') {
            files.push(Staged { path: from_here(path, line(&up), line(&prefix)), id: id.to_owned() });
        }
    }
    Ok(files)
}

/// The files below `folder` that are tracked although git would ignore them; none if it is not in a repository.
///
/// # Errors
/// If it is in one, and git cannot be run or refuses to read it.
pub(super) fn tracked_although_ignored(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    let listed = output(folder, &["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"]);
    let is_in_repository =
        || local_files::absolute(folder).is_ok_and(|at| at.ancestors().any(|it| local_files::exists(&it.join(".git"))));
    let listed = match listed {
        Err(error) if is_in_repository() => return Err(error),
        listed => listed.unwrap_or_default(),
    };
    let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| folder.join(PathBuf::from(os_string(path)))).collect())
}

/// The path of a file, given relative to the top of the work tree, from the current folder.
fn from_here(path: &[u8], up: &[u8], prefix: &[u8]) -> PathBuf {
    match path.strip_prefix(prefix) {
        Some(below) => os_string(below).into(),
        None => os_string(&[up, path].concat()).into(),
    }
}

/// Reads the contents of staged files.
pub(super) struct Contents {
    git: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Contents {
    /// # Errors
    /// `IOError` if git cannot be run.
    pub(super) fn open() -> Result<Contents> {
        let mut command = git::command(Path::new("."));
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::inherit());
        let mut git = command.spawn().map_err(|cause| not_started(&cause))?;
        match (git.stdin.take(), git.stdout.take()) {
            (Some(requests), Some(answers)) => Ok(Contents { git, requests, answers: BufReader::new(answers) }),
            _ => Err(not_started(&io::Error::other("it has no pipes"))),
        }
    }

    /// The contents of a file, but at most one byte more than `most`.
    ///
    /// # Errors
    /// `IOError` if git does not return them.
    pub(super) fn read(&mut self, file: &Staged, most: usize) -> Result<Vec<u8>> {
        self.try_read(&file.id, most as u64)
            .map_err(|cause| Error::io("read the staged contents of", &file.path, &cause))
    }

    fn try_read(&mut self, id: &str, most: u64) -> io::Result<Vec<u8>> {
        writeln!(self.requests, "{id}").and_then(|()| self.requests.flush())?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        // `ID blob SIZE`
        let size = head.trim_end().strip_prefix(id).and_then(|rest| rest.strip_prefix(" blob "));
        let size: u64 = size
            .and_then(|size| size.parse().ok())
            .ok_or_else(|| io::Error::other(format!("git answered: {}", head.trim_end())))?;
        let mut bytes = Vec::new();
        let kept = self.answers.by_ref().take(size.min(most + 1)).read_to_end(&mut bytes)? as u64;
        // The rest, and the line break after it.
        let rest = io::copy(&mut self.answers.by_ref().take(size + 1 - kept), &mut io::sink())?;
        if kept + rest == size + 1 { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        // It ends when its input is closed; after a failure it may still be writing.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}
